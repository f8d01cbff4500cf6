package ask

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"revopt/internal/text"
	"revopt/simulate/run"
)

// Limits of what counts when a simulated present is held against its log.
const (
	partOfWork = 0.05 // of the work: a customer with less is not looked at
	partOfWait = 0.1  // of the waiting: a group with less does not decide
	nearFactor = 1.5  // between mean waits that are alike
	nearTime   = 600  // s, likewise
	sameTime   = 60   // s, by which starts that are the same may differ
)

// The parts of a log.
const (
	wholeLog   = "all"
	firstHalf  = "first"
	secondHalf = "second"
)

// Likeness is how a group of jobs of a log waited, and how it waits in a simulation. Waits are of the jobs that start in
// both.
type Likeness struct {
	Kind, Name                      string // run.ByCustomer or run.ByWidth; "" is all jobs
	Jobs                            int
	Recorded, Simulated             float64 // mean waits, s
	RecordedMedian, SimulatedMedian float64
	RecordedShare, SimulatedShare   float64 // of the waiting of all jobs
	Earlier, Same, Later            float64 // shares of the starts against those of the log
}

// Ratio returns the ratio of the mean waits, simulated over recorded. Waits count as at least ten minutes.
func (l Likeness) Ratio() float64 {
	return math.Max(l.Simulated, nearTime) / math.Max(l.Recorded, nearTime)
}

// distance is the size of the logarithm of the ratio.
func (l Likeness) distance() float64 { return math.Abs(math.Log(l.Ratio())) }

// ShareOfWait returns the share of the waiting that the group has, recorded or simulated, whichever is larger.
func (l Likeness) ShareOfWait() float64 { return math.Max(l.RecordedShare, l.SimulatedShare) }

// decides reports whether the group has enough of the waiting to decide.
func (l Likeness) decides() bool { return l.Kind == "" || l.ShareOfWait() >= partOfWait }

// near reports whether the mean waits are within a factor of 1.5, or within ten minutes.
func (l Likeness) near() bool {
	if math.Abs(l.Simulated-l.Recorded) <= nearTime {
		return true
	}
	return l.Simulated <= nearFactor*l.Recorded && l.Recorded <= nearFactor*l.Simulated
}

// resembles reports whether a simulation waits where the log did: all jobs, and every group that decides.
func resembles(list []Likeness) bool {
	return !slices.ContainsFunc(list, func(l Likeness) bool { return l.decides() && !l.near() })
}

// unlike returns the group that decides against a simulation in which all jobs wait as in the log, nil if there is none.
func unlike(list []Likeness) *Likeness {
	if len(list) == 0 || !list[0].near() {
		return nil
	}
	far := text.Where(list, func(l Likeness) bool { return l.decides() && !l.near() })
	if len(far) == 0 {
		return nil
	}
	worst := slices.MaxFunc(far, func(a, b Likeness) int { return cmp.Compare(a.distance(), b.distance()) })
	return &worst
}

// words names the group in a sentence.
func (l Likeness) words() string {
	if l.Kind == run.ByWidth {
		return "width " + l.Name
	}
	return l.Name
}

// distance is the largest of the distances of all groups.
func distance(list []Likeness) float64 {
	largest := 0.0
	for _, l := range list {
		largest = math.Max(largest, l.distance())
	}
	return largest
}

// meanDistance is the mean of the distances of all groups.
func meanDistance(list []Likeness) float64 {
	sum := text.Sum(list, func(l Likeness) float64 { return l.distance() })
	return share0(sum, float64(len(list)))
}

// likeness compares a part of a log with its simulation: all jobs, the customers with 5 % of the work, and the groups of
// width. Starts within a tolerance are the same. Groups without jobs are left out.
func likeness(jobs []run.Started, groups []run.JobGroup, tolerance float64) []Likeness {
	started := text.Where(jobs, func(j run.Started) bool { return !math.IsNaN(j.Recorded) && !math.IsNaN(j.Waited) })
	all := alike(started, tolerance)
	if all.Jobs == 0 {
		return nil
	}
	work := workOf(jobs)
	list := []Likeness{all}
	for _, g := range groups {
		of := func(j run.Started) bool { return j.Width == run.GroupName(g) }
		if g.Kind == run.ByCustomer {
			of = func(j run.Started) bool { return j.Customer == g.Name }
			if workOf(text.Where(jobs, of)) < partOfWork*work {
				continue
			}
		}
		l := alike(text.Where(started, of), tolerance)
		if l.Jobs == 0 {
			continue
		}
		l.Kind, l.Name = g.Kind, nameOf(g)
		l.RecordedShare = share0(l.Recorded*float64(l.Jobs), all.Recorded*float64(all.Jobs))
		l.SimulatedShare = share0(l.Simulated*float64(l.Jobs), all.Simulated*float64(all.Jobs))
		list = append(list, l)
	}
	return list
}

func workOf(jobs []run.Started) float64 {
	return text.Sum(jobs, func(j run.Started) float64 { return j.Work })
}

// share0 returns a part of a sum, 0 of nothing.
func share0(part, sum float64) float64 {
	if sum == 0 {
		return 0
	}
	return part / sum
}

// alike sums up the waits of jobs that started in both.
func alike(jobs []run.Started, tolerance float64) Likeness {
	l := Likeness{Jobs: len(jobs), RecordedShare: 1, SimulatedShare: 1}
	if l.Jobs == 0 {
		return l
	}
	recorded := text.Each(jobs, func(j run.Started) float64 { return j.Recorded })
	waited := text.Each(jobs, func(j run.Started) float64 { return j.Waited })
	n := float64(l.Jobs)
	for i := range jobs {
		l.Recorded += recorded[i] / n
		l.Simulated += waited[i] / n
		switch by := waited[i] - recorded[i]; {
		case by < -tolerance:
			l.Earlier++
		case by > tolerance:
			l.Later++
		default:
			l.Same++
		}
	}
	l.Earlier, l.Same, l.Later = l.Earlier/n, l.Same/n, l.Later/n
	l.RecordedMedian, l.SimulatedMedian = median(recorded), median(waited)
	return l
}

// median returns the median of numbers, which it sorts.
func median(list []float64) float64 {
	slices.Sort(list)
	n := len(list)
	return (list[(n-1)/2] + list[n/2]) / 2
}

// nameOf names a group without its kind.
func nameOf(g run.JobGroup) string {
	_, name, _ := strings.Cut(run.GroupName(g), ":")
	return strings.Replace(name, " width:", " ", 1)
}

// half returns a half of the jobs of a log, which are in order of submission.
func half(jobs []run.Started, part string) []run.Started {
	middle := len(jobs) / 2
	switch part {
	case firstHalf:
		return jobs[:middle]
	case secondHalf:
		return jobs[middle:]
	}
	return jobs
}
