package workload

import (
	"math"
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
	generator
	gaps, widths, times, promises, fates *rand.Rand
}

// generator is the part that generators of traces have in common.
type generator struct {
	left, number int64
	now          float64 // s
}

// next begins the record of the next job, which comes after a gap that is stretched by the
// cycles of day and week. It reports false if there are no more jobs.
func (g *generator) next(r *Record, gap float64) bool {
	if g.left == 0 {
		return false
	}
	g.left--
	g.number++
	g.now = later(g.now, gap)
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
		generator: generator{left: n}, gaps: stream("gaps"), widths: stream("widths"), times: stream("run times"),
		promises: stream("estimates"), fates: stream("fates"),
	}
}

// Next implements Records.
func (g *SP2) Next(r *Record) (ok bool, err error) {
	if !g.next(r, sp2Gaps.at(g.gaps.Float64())*sp2MeanGap) {
		return false, nil
	}
	width := drawWidth(g.widths.Float64())
	group := widthGroup(width)
	runtime := sp2RunTimes[group].at(g.times.Float64())
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

// The tables below describe the last 5000 jobs of the SDSC SP2 trace
// (SDSC-SP2-1998-4.2-cln of the Parallel Workloads Archive; log by Victor
// Hazlewood, conversion by Dror Feitelson). They are its order statistics,
// not a model of their cause: docs/traces.md compares what comes out.

// quantiles are the quantiles of a distribution at sp2Levels, linear between.
type quantiles [len(sp2Levels)]float64

var sp2Levels = [...]float64{0, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95, 0.975, 0.99, 0.995, 1}

// at returns the quantile at level u.
func (q *quantiles) at(u float64) float64 {
	i := 1
	for i < len(sp2Levels)-1 && u > sp2Levels[i] {
		i++
	}
	low, high := sp2Levels[i-1], sp2Levels[i]
	return q[i-1] + (q[i]-q[i-1])*(u-low)/(high-low)
}

// sp2MeanGap is the mean time between arrivals, s.
const sp2MeanGap = 1968.876

// sp2Gaps are the times between arrivals in units of their mean, after the
// cycles of day and week have been taken out. The largest, 30.6 in the trace,
// is such that the mean of the table is 1.
var sp2Gaps = quantiles{0, 0.003972, 0.01357, 0.03109, 0.05602, 0.08552, 0.1179, 0.1596, 0.2144, 0.2748, 0.3546, 0.4577,
	0.5782, 0.7392, 0.9166, 1.16, 1.539, 1.994, 2.82, 4.088, 5.8, 7.758, 9.594, 11.75}

// sp2Hours are arrivals by hour of the local day, in units of their mean.
var sp2Hours = [24]float64{0.533, 0.427, 0.226, 0.221, 0.355, 0.466, 0.878, 1.205, 1.262, 1.368, 1.574, 1.368,
	1.704, 1.814, 2.002, 1.68, 1.094, 0.816, 0.955, 1.152, 0.864, 0.792, 0.59, 0.653}

// sp2Days are arrivals by day from Monday on, in units of their mean.
var sp2Days = [7]float64{1.173, 1.134, 1.371, 1.051, 0.99, 0.603, 0.678}

// widths are numbers of jobs by width.
type widths []struct {
	nodes int
	jobs  float64
}

func (w widths) total() float64 {
	var sum float64
	for _, v := range w {
		sum += v.jobs
	}
	return sum
}

// sp2Widths are the widths. Rare ones above 40 are put together.
var sp2Widths = widths{
	{1, 685}, {2, 564}, {3, 154}, {4, 618}, {5, 68}, {6, 99}, {7, 57}, {8, 478}, {9, 28}, {10, 136}, {11, 19}, {12, 133},
	{13, 7}, {14, 43}, {15, 18}, {16, 387}, {17, 8}, {18, 11}, {19, 19}, {20, 48}, {21, 12}, {22, 14}, {23, 4}, {24, 150},
	{25, 93}, {26, 3}, {27, 20}, {28, 10}, {29, 8}, {30, 36}, {31, 9}, {32, 387}, {33, 9}, {34, 8}, {35, 3}, {36, 14},
	{37, 11}, {39, 15}, {40, 7}, {43, 6}, {48, 51}, {50, 49}, {56, 13}, {63, 6}, {64, 446}, {72, 6}, {93, 11}, {112, 9}, {128, 10},
}

// sp2Groups are the largest widths of the groups by which run times differ.
var sp2Groups = [...]int{1, 4, 8, 16, 32, 128}

// sp2NeverRan is the share of jobs that never ran, by group.
var sp2NeverRan = [len(sp2Groups)]float64{0.051, 0.070, 0.080, 0.121, 0.135, 0.117}

// sp2RunTimes are the run times of the jobs that ran, s, by group.
var sp2RunTimes = [len(sp2Groups)]quantiles{
	{1, 23, 24, 24, 25, 26, 26, 28, 32, 37, 65, 150, 416, 758, 919, 1200, 2728, 3000, 3533, 5143, 6915, 7223, 7224, 7252},
	{2, 32, 34, 36, 41, 47, 74, 106, 113, 163, 215, 315, 368, 477, 602, 1061, 3629, 8676, 34720, 57153, 64828, 64845, 64854, 64895},
	{23, 38, 47, 93, 113, 182, 286, 420, 533, 741, 962, 1355, 2915, 5283, 8127, 10424, 12360, 16128, 25256, 48075, 48385, 60648, 64830, 64830},
	{35, 47, 66, 141, 221, 351, 515, 610, 989, 2032, 4554, 6862, 8811, 10755, 13537, 16397, 18785, 19269, 23384, 31403, 64423, 64831, 64833, 64834},
	{32, 59, 84, 124, 183, 306, 425, 553, 672, 1149, 2148, 3124, 5158, 7693, 14733, 28850, 42821, 53119, 56335, 58535, 62061, 64839, 64844, 65004},
	{39, 111, 145, 164, 206, 419, 683, 4560, 8187, 12336, 17914, 18071, 18383, 23271, 23527, 31581, 31807, 33141, 47266, 59062, 64852, 64864, 64878, 64901},
}

// sp2Bins are the largest run times, s, of the bins by which estimates differ;
// the last bin has no end.
var sp2Bins = [...]float64{30, 60, 120, 300, 900, 3600, 14400, 43200}

// sp2Estimates are the estimates of the jobs that ran, s, at the levels 0.025,
// 0.075, ... by bin of the run time.
var sp2Estimates = [len(sp2Bins) + 1][20]float64{
	{120, 120, 120, 120, 120, 300, 300, 300, 300, 300, 300, 300, 600, 900, 1500, 1500, 3600, 3600, 7200, 25200},
	{300, 300, 300, 300, 300, 300, 600, 900, 900, 1800, 2400, 3600, 3600, 3600, 4500, 7200, 10800, 18900, 36000, 64800},
	{300, 300, 600, 600, 600, 1200, 1800, 3600, 3600, 3600, 3600, 4440, 7200, 7200, 10800, 19080, 35280, 54000, 64800, 64800},
	{600, 600, 600, 600, 1200, 1200, 1800, 1800, 1800, 3480, 3600, 3600, 4800, 7200, 17700, 43200, 43200, 43200, 43200, 64800},
	{300, 600, 600, 1080, 1200, 1380, 1800, 1800, 1980, 2400, 3600, 3600, 5100, 7200, 7200, 14400, 28080, 64500, 64500, 64500},
	{1800, 2400, 3600, 3600, 3600, 3600, 4800, 5580, 7200, 7200, 7200, 7200, 7200, 7200, 7200, 10800, 10800, 18000, 50400, 64800},
	{3600, 4800, 7200, 7200, 7200, 7200, 10800, 10860, 13140, 14400, 14400, 14400, 14460, 16500, 18000, 21600, 25200, 43200, 64800, 64800},
	{15420, 20400, 21600, 21600, 26940, 31560, 37020, 43200, 43200, 43200, 43200, 43200, 43200, 43200, 43200, 43200, 64800, 64800, 64800, 64800},
	{43200, 54000, 63000, 64800, 64800, 64800, 64800, 64800, 64800, 64800, 64800, 64800, 64800, 64800, 64800, 64800, 64800, 64800, 64800, 64800},
}

// sp2RoundTimes are the times that users ask for most, s.
var sp2RoundTimes = [...]float64{120, 300, 600, 900, 1200, 1800, 2400, 3600, 5400, 7200, 10800, 14400, 18000, 21600, 25200, 28800, 36000, 43200, 54000, 64800}
