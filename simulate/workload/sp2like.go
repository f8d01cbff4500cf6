package workload

import (
	"math/rand/v2"
	"slices"

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
	left     int64
	number   int64
	now      float64 // s
	gaps     *rand.Rand
	widths   *rand.Rand
	times    *rand.Rand
	promises *rand.Rand
	fates    *rand.Rand
}

// NewSP2 returns a trace of n jobs of one replication.
func NewSP2(n int64, seed uint64, replication int) *SP2 {
	stream := func(purpose string) *rand.Rand { return simulate.Stream(seed, replication, "sp2 "+purpose, 0) }
	return &SP2{
		left: n, gaps: stream("gaps"), widths: stream("widths"), times: stream("run times"),
		promises: stream("estimates"), fates: stream("fates"),
	}
}

// Next implements Records.
func (g *SP2) Next(r *Record) (ok bool, err error) {
	if g.left == 0 {
		return false, nil
	}
	g.left--
	g.number++
	g.now = later(g.now, sp2Gaps.at(g.gaps.Float64())*sp2MeanGap)
	width := drawWidth(g.widths.Float64())
	group := widthGroup(width)
	runtime := sp2RunTimes[group].at(g.times.Float64())
	for i := range r {
		r[i] = -1
	}
	r[Undated] = 0
	r[JobNumber] = float64(g.number)
	r[SubmitTime] = float64(int64(g.now))
	r[Requested] = float64(width)
	r[RequestedTime] = estimate(float64(int64(runtime)), g.promises.Float64())
	if g.fates.Float64() < sp2NeverRan[group] {
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

// later returns the time at which the intensity of arrivals has added up to
// work since now. The intensity is 1 on average over a week.
func later(now, work float64) float64 {
	const hour, day = 3600, 86400
	for {
		intensity := sp2Hours[int(now/hour)%24] * sp2Days[int(now/day)%7]
		end := float64(int(now/hour)+1) * hour
		if there := now + work/intensity; there < end {
			return there
		}
		work -= intensity * (end - now)
		now = end
	}
}

// drawWidth returns the width at cumulative share u.
func drawWidth(u float64) int {
	left := u * sp2Widths.total()
	for _, w := range sp2Widths {
		if left -= w.jobs; left < 0 {
			return w.nodes
		}
	}
	return sp2Widths[len(sp2Widths)-1].nodes
}

// widthGroup returns the group of widths that a job belongs to.
func widthGroup(width int) int {
	i, found := slices.BinarySearch(sp2Groups[:], width)
	if found || i < len(sp2Groups) {
		return i
	}
	return len(sp2Groups) - 1
}

// estimate returns the estimate of a job of the given run time at cumulative
// share u. Where that is below the run time, the user asked for the next round
// time above; a job that ran a little beyond a round time was stopped there.
func estimate(runtime, u float64) float64 {
	bin, _ := slices.BinarySearch(sp2Bins[:], runtime)
	row := &sp2Estimates[min(bin, len(sp2Estimates)-1)]
	e := row[int(u*float64(len(row)))]
	if e >= runtime {
		return e
	}
	const slack = 1.1
	i, _ := slices.BinarySearch(sp2RoundTimes[:], runtime)
	if i > 0 && sp2RoundTimes[i-1]*slack >= runtime {
		return sp2RoundTimes[i-1]
	}
	return sp2RoundTimes[min(i, len(sp2RoundTimes)-1)]
}
