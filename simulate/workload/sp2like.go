package workload

import (
	_ "embed"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"

	"gonum.org/v1/gonum/floats"

	"revopt/simulate"
)

// generatedJobs are the jobs of a generator where nothing says how many.
const generatedJobs = 5000

// SP2 generates jobs that resemble the last 5000 of the SDSC SP2 trace, the
// workload of Yeo and Buyya. It draws, each from a stream of its own,
//
//   - the gap to the next arrival from the gaps of the trace in units of
//     their local mean, stretched by the cycles of day and week,
//   - the width from the widths of the trace, mostly powers of two,
//   - the run time from those of the trace's jobs of about that width,
//   - the estimate from those of the trace's jobs of about that run time,
//   - whether it ran at all, by width.
//
// Successive jobs are independent: the trace's series of like jobs by one user
// are not reproduced. Time 0 is a Monday at midnight.
type SP2 struct {
	generator
	gaps, widths, times, promises, fates *rand.Rand
}

// generator is the part that generators of traces have in common.
type generator struct {
	left, number int64
	now          float64 // s
	hours, days  []float64
}

func newGenerator(jobs int64) generator {
	return generator{left: jobs, hours: sp2().hours, days: sp2().days}
}

// next begins the record of the next job, which comes after a gap that is stretched by the
// cycles of day and week. It reports false if there are no more jobs.
func (g *generator) next(r *Record, gap float64) bool {
	if g.left == 0 {
		return false
	}
	g.left--
	g.number++
	g.later(gap)
	for i := range r {
		r[i] = -1
	}
	r[JobNumber], r[SubmitTime], r[Undated] = float64(g.number), math.Floor(g.now), 0
	return true
}

// NewSP2 returns a trace of n jobs of one replication.
func NewSP2(n int64, seed uint64, replication int) *SP2 {
	stream := func(purpose string) *rand.Rand { return simulate.Stream(seed, replication, "sp2 "+purpose, 0) }
	return &SP2{
		generator: newGenerator(n), gaps: stream("gaps"), widths: stream("widths"), times: stream("run times"),
		promises: stream("estimates"), fates: stream("fates"),
	}
}

// Next implements Records.
func (g *SP2) Next(r *Record) (ok bool, err error) {
	if !g.next(r, tabled(sp2().gaps, g.gaps.Float64())*sp2MeanGap) {
		return false, nil
	}
	width := drawWidth(g.widths.Float64())
	group := widthGroup(width)
	runtime := tabled(sp2().runTimes[group], g.times.Float64())
	r[Requested] = float64(width)
	r[RequestedTime] = estimate(float64(int64(runtime)), g.promises.Float64())
	if g.fates.Float64() < sp2().neverRan[group] {
		r[Status] = 5
		return true, nil
	}
	r[Status] = 1
	r[Allocated] = float64(width)
	r[RunTime] = float64(int64(runtime))
	return true, nil
}

// SP2Header returns the header of a generated trace.
func SP2Header() Header {
	return Header{Lines: []string{
		"; Version: 2.2",
		"; Computer: generated, like the SDSC SP2",
		"; UnixStartTime: 946857600",
		"; TimeZone: 0",
		"; MaxNodes: 128",
		"; MaxProcs: 128",
	}}
}

// later goes to the time at which the intensity of arrivals has added up to work. The
// intensity is 1 on average over a week.
func (g *generator) later(work float64) {
	const hour, day = 3600, 86400
	for {
		intensity := g.hours[int(g.now/hour)%24] * g.days[int(g.now/day)%7]
		end := float64(int(g.now/hour)+1) * hour
		if there := g.now + work/intensity; there < end {
			g.now = there
			return
		}
		work -= intensity * (end - g.now)
		g.now = end
	}
}

// drawWidth returns the width at cumulative share u.
func drawWidth(u float64) int {
	jobs, i := sp2().jobs, 0
	for left := u*sp2().total - jobs[0]; left >= 0 && i+1 < len(jobs); left -= jobs[i] {
		i++
	}
	return int(sp2().widths[i])
}

// widthGroup returns the group of widths that a job belongs to.
func widthGroup(width int) int {
	groups := sp2().groups
	i, _ := slices.BinarySearch(groups, float64(width))
	return min(i, len(groups)-1)
}

// tabled returns the quantile of a row of quantiles at level u.
func tabled(row []float64, u float64) float64 {
	levels, i := sp2().levels, 1
	for i < len(levels)-1 && u > levels[i] {
		i++
	}
	low, high := levels[i-1], levels[i]
	return row[i-1] + (row[i]-row[i-1])*(u-low)/(high-low)
}

// estimate returns the estimate of a job of the given run time at cumulative
// share u. Where that is below the run time, the user asked for the next round
// time above; a job that ran a little beyond a round time was stopped there.
func estimate(runtime, u float64) float64 {
	bin, _ := slices.BinarySearch(sp2().bins, runtime)
	row := sp2().estimates[bin]
	e := row[int(u*float64(len(row)))]
	if e >= runtime {
		return e
	}
	const slack = 1.1
	times := sp2().rounds
	i, _ := slices.BinarySearch(times, runtime)
	if i > 0 && times[i-1]*slack >= runtime {
		return times[i-1]
	}
	return times[min(i, len(times)-1)]
}

// sp2MeanGap is the mean time between arrivals, s.
const sp2MeanGap = 1968.876

//go:embed sp2.txt
var sp2Text string

// sp2Rows are the rows of numbers of sp2.txt, in its order and by its names.
type sp2Rows struct {
	levels, gaps, hours, days, widths, jobs, groups, neverRan []float64

	runTimes  [][]float64 // by group of widths
	bins      []float64
	estimates [][]float64 // by bin of run times
	rounds    []float64
	total     float64 // of jobs
}

// sp2 returns the rows of numbers of sp2.txt.
var sp2 = sync.OnceValue(func() *sp2Rows {
	tables := map[string][][]float64{}
	for line := range strings.Lines(sp2Text) {
		name, numbers, ok := strings.Cut(line, ":")
		if !ok || strings.HasPrefix(line, "#") {
			continue
		}
		var row []float64
		for _, word := range strings.Fields(numbers) {
			x, err := strconv.ParseFloat(word, 64)
			if err != nil {
				panic("workload: " + err.Error()) // the file is part of the program
			}
			row = append(row, x)
		}
		tables[name] = append(tables[name], row)
	}
	one := func(name string) []float64 { return tables[name][0] }
	return &sp2Rows{
		levels: one("levels"), gaps: one("gaps"), hours: one("hours"), days: one("days"), widths: one("widths"),
		jobs: one("jobs"), groups: one("groups"), neverRan: one("never-ran"), runTimes: tables["run-times"],
		bins: one("bins"), estimates: tables["estimates"], rounds: one("round-times"), total: floats.Sum(one("jobs")),
	}
})
