package fit

import (
	"math"

	"revopt/internal/text"
	"revopt/model"
)

// Process is an arrival process of a class that was tried.
type Process struct {
	Arrivals model.Arrivals
	Distance float64 // root mean square of log(index of dispersion / that of the trace)
}

const (
	fewWindows = 8   // windows that an index of dispersion takes
	leastIndex = 0.1 // the least index of dispersion: noise goes below 0
	tenth      = 0.1 // the least standard error of the logarithm of an index
)

// window is a length of time, the index of dispersion in it, and about the standard
// error of its logarithm.
type window struct{ time, index, error float64 }

// workIndices returns for each class, for windows of an hour, a day and a week of
// the trace, the index of dispersion of counts I with which its work varies as it
// does. With N jobs of work w in a window on average,
//
//	Var(work) = N (Var(w) + I E[w]^2)
//
// if the work of a job is independent of the other jobs and of the arrivals. Waits
// depend on how the work varies (Fendick & Whitt 1989): series of short jobs matter
// less than their number, and users that wait for their long jobs make the work vary
// less. The classes of a scenario are independent of each other; those of a trace are
// not, as users give way to each other. So the excess of an index over 1 is multiplied
// by the excess of all work over the sum of those of the classes. A length of time
// with too few windows is left out.
func workIndices(all []job, groups []group, span, day float64) [][]window {
	list := make([][]window, len(groups))
	for _, time := range []float64{day / 24, day, 7 * day} {
		n := math.Floor(span / time)
		if n < fewWindows || n > maxWindows {
			continue
		}
		total := make([]float64, int(n))
		var chance, sum float64 // variance of Poisson classes, and beyond it
		beyond, scale := make([]float64, len(groups)), make([]float64, len(groups))
		noise := make([]float64, len(groups))
		for c, g := range groups {
			sums := make([]float64, int(n))
			var work, square, jobs float64
			for _, i := range g.jobs {
				if k := int((all[i].submit - all[0].submit) / time); k < len(sums) {
					w := all[i].work()
					sums[k] += w
					total[k] += w
					work, square, jobs = work+w, square+w*w, jobs+1
				}
			}
			m := momentsOf(sums)
			scale[c] = work / jobs * work / n
			beyond[c] = m.SD*m.SD - square/n
			noise[c] = m.SD * m.SD * math.Sqrt(2/n) / scale[c]
			chance += square / n
			sum += beyond[c]
		}
		m := momentsOf(total)
		share := max((m.SD*m.SD-chance)/sum, 0)
		if !(sum > 0) {
			share = 1
		}
		for c := range groups {
			if index := 1 + share*beyond[c]/scale[c]; !math.IsNaN(index) {
				index = max(index, leastIndex)
				list[c] = append(list[c], window{time, index, math.Hypot(noise[c]/index, tenth)})
			}
		}
	}
	return list
}

// fitArrivals returns the processes tried for a class, by the distance of their
// indices of dispersion to those of the trace. A daily cycle becomes a profile, and the
// variation beyond it bursts or renewals in the time of the profile; the index is then
// the sum of both less 1. A process with more parameters comes first only if it is
// nearer by two standard errors.
func fitArrivals(all []job, places []int32, rate float64, seen []window, o Options) []Process {
	base, cycle := model.Arrivals{}, func(float64) float64 { return 1 }
	if hours := profileHours(all, places, o); hours != nil {
		base = model.Arrivals{Kind: model.ArriveProfile, Hours: hours}
		cycle = func(time float64) float64 { return profileIndex(hours, rate, time) }
	}
	tried := []Process{{base, farness(seen, cycle)}}
	if len(seen) == 0 {
		return tried
	}
	beyond := make([]window, len(seen)) // beyond the cycle
	var noise float64                   // mean square
	for i, w := range seen {
		noise += w.error * w.error / float64(len(seen))
		beyond[i] = window{w.time, max(w.index-cycle(w.time)+1, leastIndex), w.error}
	}
	add := func(a model.Arrivals, index func(time float64) float64) {
		a.Hours = base.Hours
		p := Process{Arrivals: a}
		p.Distance = farness(seen, func(time float64) float64 { return max(index(time)+cycle(time)-1, leastIndex) })
		if p.Distance < tried[0].Distance-2*math.Sqrt(noise) {
			tried = append([]Process{p}, tried...)
		} else {
			tried = append(tried, p)
		}
	}
	cv := renewalLike(beyond, rate)
	add(model.Arrivals{Kind: model.ArriveRenewal, CV: cv},
		func(time float64) float64 { return renewalIndex(cv, rate, time) })
	if a, index, ok := burstsLike(beyond, rate); ok {
		add(a, index)
	}
	return tried
}

// profileHours returns the number of jobs in each hour plus 1, so that no hour is
// empty by chance: hours of the week if there are enough jobs, else of the day. It is
// nil without a daily cycle.
func profileHours(all []job, places []int32, o Options) []float64 {
	jobs := text.Each(places, func(i int32) job { return all[i] })
	amplitude, p := cycle(jobs, 86400)
	if o.Day != 86400 || !(amplitude > strongCycle && p < smallP) {
		return nil
	}
	const enough = 10 // jobs in an hour
	hours := make([]float64, 24)
	if len(jobs) >= 168*enough && jobs[len(jobs)-1].submit-jobs[0].submit >= 14*86400 {
		hours = make([]float64, 168)
	}
	for i := range hours {
		hours[i] = 1
	}
	for i := range jobs {
		hours[int(math.Mod(jobs[i].submit+o.Clock, float64(len(hours))*3600)/3600)]++
	}
	return hours
}

// farness returns the distance of indices to those seen, see Process.
func farness(seen []window, index func(time float64) float64) float64 {
	var sum float64
	for _, w := range seen {
		d := math.Log(index(w.time) / w.index)
		sum += d * d / float64(len(seen))
	}
	return math.Sqrt(sum)
}

// profileIndex returns the index of dispersion of counts of a Poisson process whose
// rate follows the hours of the week, in windows of so many seconds.
func profileIndex(hours []float64, rate, time float64) float64 {
	size := max(int(math.Round(time/3600)), 1)
	if size >= len(hours) {
		return 1
	}
	var all float64
	sums := make([]float64, len(hours)/size)
	for i, h := range hours {
		sums[min(i/size, len(sums)-1)] += h
		all += h
	}
	m := momentsOf(sums)
	mean := rate * time
	return 1 + mean*m.SD*m.SD/(m.Mean*m.Mean)
}

// burstsLike returns bursts with indices of dispersion near those seen. A Poisson
// process whose rate switches between two levels, mean times on and off, has
//
//	I(t) = 1 + A (1 - (1 - exp(-c t)) / (c t)),   c = 1/on + 1/off,
//	A = 2 p (1 - p) (r1 - r2)^2 / (c r),   p = on / (on + off),
//
// with rates r1 and r2 of mean r (Fischer & Meier-Hellstern 1993). A and c have the
// least squares of logarithms on a grid. Half of the time is bursts, less if the rate
// between them would fall below a tenth of the mean. There are no bursts if no index is
// above 1.
func burstsLike(seen []window, rate float64) (a model.Arrivals, index func(time float64) float64, ok bool) {
	const steps = 80
	least, most := seen[0].time, seen[0].index
	for _, w := range seen {
		least, most = min(least, w.time), max(most, w.index)
	}
	if most <= 1 {
		return a, nil, false
	}
	best := math.Inf(1)
	var c, height float64
	for i := range steps + 1 {
		for k := range steps + 1 {
			// Times from a tenth of the shortest window to ten times the longest.
			x := math.Pow(10, 1-float64(i)/steps*2) / least * math.Pow(least/seen[len(seen)-1].time, float64(i)/steps)
			y := most * math.Pow(10, 2-float64(k)/steps*4)
			if d := farness(seen, func(t float64) float64 { return 1 + y*risen(x*t) }); d < best {
				best, c, height = d, x, y
			}
		}
	}
	const between = 0.1
	odds := min((1-between)*(1-between)*2*rate/(height*c), 1) // p / (1 - p)
	p := odds / (1 + odds)
	delta := math.Sqrt(height * c / (2 * p * (1 - p) * rate))
	a = model.Arrivals{
		Kind: model.ArriveBursts, On: digits3(1 / (c * (1 - p))), Off: digits3(1 / (c * p)),
		Ratio: min(digits3((1+(1-p)*delta)/(1-p*delta)), 1e6), // as far as scenarios go
	}
	return a, func(t float64) float64 { return 1 + height*risen(c*t) }, true
}

// renewalIndex returns the index of dispersion of counts of a renewal process, 1 +
// (cv^2 - 1) (1 - (1 - exp(-c t)) / (c t)), exact for hyperexponential gaps with
// balanced means, c = 2 rate / (cv^2 + 1), and for Erlang gaps of two phases, c = 4 rate.
func renewalIndex(cv, rate, time float64) float64 {
	c := 4 * rate
	if cv > 1 {
		c = 2 * rate / (cv*cv + 1)
	}
	return 1 + (cv*cv-1)*risen(c*time)
}

// renewalLike returns the coefficient of variation whose indices are nearest to those seen.
func renewalLike(seen []window, rate float64) (best float64) {
	const steps = 300
	least := math.Inf(1)
	for i := range steps + 1 {
		cv := digits3(math.Pow(10, 3*float64(i)/steps-1))
		if d := farness(seen, func(t float64) float64 { return renewalIndex(cv, rate, t) }); d < least {
			least, best = d, cv
		}
	}
	return best
}

// risen returns 1 - (1 - exp(-x)) / x.
func risen(x float64) float64 { return 1 + math.Expm1(-x)/x }

func digits3(x float64) float64 { return rounded(x, 3) }
