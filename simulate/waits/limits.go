package waits

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"

	"revopt/internal/text"
)

// The rules by which limits are found. They were set on generated logs whose limits are known, see TestFoundInAll.
const (
	limitWork  = 0.05 // share of the work that an owner has at least
	limitTop   = 0.01 // share of an owner's busy time that does not count
	limitJobs  = 5    // that waited at the limit at least
	limitShare = 0.5  // of the owner's unexplained waiting that the limit explains at least
	limitSlack = 300  // s after a job of the owner has ended, in which one that waited at the limit starts
)

// ownerKinds are the kinds of owners whose limits are found; of two that explain as much, the first is named.
var ownerKinds = []string{"account", "user", "group"}

// candidate is a limit that may be, and what speaks for it.
type candidate struct {
	Limit
	at, all float64         // unexplained job-seconds of the owner at the limit, and all of them
	waited  map[int]float64 // s at the limit of each job
	ends    []float64       // of the owner's jobs
	held    map[int]float64 // s at each level of what the owner held
	refused map[int]float64 // job-seconds at the limit, by what the owner would have held with a job that waited
}

// FindLimits returns the limits that the waits show. A candidate is the most units, or the most jobs, that an account, a
// user or a group with 5 % of the work held, leaving out the top 1 % of its busy time. Units that a single job held do not
// count, as the job may be exempt. At least five jobs of the owner waited at the limit although they fitted, and started
// when a job of the owner had ended; and at least half of the owner's unexplained waiting was there. The candidate that
// explains most is taken first, and what it explains counts no more for the others. The limit is the most that the owner
// held below the least that jobs which waited would have held. Limits and outages that the log has are respected.
func (l *Log) FindLimits() []Limit {
	list := l.candidates()
	var found []Limit
	for len(list) > 0 {
		l.probe(list, found)
		best := slices.MaxFunc(list, func(a, b *candidate) int { return cmp.Compare(a.weight(l.Jobs), b.weight(l.Jobs)) })
		if best.weight(l.Jobs) <= 0 {
			break
		}
		best.raise()
		found = append(found, best.Limit)
		list = slices.DeleteFunc(list, func(c *candidate) bool { return c == best })
	}
	return found
}

// weight returns the job-seconds that the limit explains, 0 if too little speaks for it.
func (c *candidate) weight(jobs []Job) float64 {
	n := 0
	for i := range c.waited {
		start := jobs[i].Start
		k, _ := slices.BinarySearch(c.ends, start-limitSlack)
		if k < len(c.ends) && c.ends[k] <= start {
			n++
		}
	}
	if n < limitJobs || c.at < limitShare*c.all {
		return 0
	}
	return c.at
}

// probe measures how much of the waiting that is still unexplained each candidate explains.
func (l *Log) probe(list []*candidate, found []Limit) {
	known := *l
	known.Limits = slices.Concat(l.Limits, found)
	limits := slices.Clone(known.Limits)
	for _, c := range list {
		c.at, c.all, c.waited, c.refused = 0, 0, map[int]float64{}, map[int]float64{}
		limits = append(limits, c.Limit)
	}
	s := newSweep(&known, limits, &Decomposition{Jobs: make([]Seconds, len(l.Jobs)), InOutage: make([]float64, len(l.Outages)),
		AtLimit: make([]float64, len(known.Limits))})
	for i := range list {
		s.held[len(known.Limits)+i].probe = true
	}
	s.opened = func(k *kind, n int, seconds float64) {
		for _, i := range k.limits {
			if !s.held[i].probe {
				continue
			}
			c := list[i-len(known.Limits)]
			c.all += float64(n) * seconds
			if s.held[i].full(k.width) {
				c.at += float64(n) * seconds
				c.refused[s.held[i].with(k.width)] += float64(n) * seconds
				for _, age := range k.waiting.Items {
					c.waited[s.order[age]] += seconds
				}
			}
		}
	}
	s.run()
}

// candidates returns those of each owner with enough work, the kinds in order.
func (l *Log) candidates() (list []*candidate) {
	unit, all := l.Unit(), 0.0
	for _, of := range ownerKinds {
		jobs, work := map[string][]int{}, map[string]float64{}
		all = 0
		for i := range l.Jobs {
			j := &l.Jobs[i]
			if !j.runs() || l.Pools[j.Pool].Unit != unit {
				continue
			}
			name := j.owner(of)
			jobs[name] = append(jobs[name], i)
			work[name] += float64(j.Width) * (j.End - j.Start)
			all += float64(j.Width) * (j.End - j.Start)
		}
		first := len(list)
		for name, own := range jobs {
			if name != "" && work[name] >= limitWork*all {
				list = append(list, l.candidatesOf(of, name, own)...)
			}
		}
		slices.SortStableFunc(list[first:], func(a, b *candidate) int { return strings.Compare(a.Name, b.Name) })
	}
	return slices.DeleteFunc(list, func(c *candidate) bool { return c.Units == 0 && c.Jobs == 0 })
}

// raise takes the most that the owner held below the least that was refused, leaving out 1 % of the waiting, where that is
// more.
func (c *candidate) raise() {
	levels := slices.Sorted(maps.Keys(c.refused))
	waited := text.Sum(levels, func(level int) float64 { return c.refused[level] })
	sum := 0.0
	for _, level := range levels {
		sum += c.refused[level]
		if sum <= limitTop*waited {
			continue
		}
		maps.DeleteFunc(c.held, func(held int, _ float64) bool { return held >= level })
		most := highest(c.held, 0)
		if c.Units > 0 {
			c.Units = max(c.Units, most)
		} else {
			c.Jobs = max(c.Jobs, most)
		}
		return
	}
}

// candidatesOf returns the most units, and the most jobs, that an owner of some jobs held.
func (l *Log) candidatesOf(of, name string, own []int) []*candidate {
	type change struct {
		at          float64
		units, jobs int
	}
	var changes []change
	var ends []float64
	for _, i := range own {
		j := &l.Jobs[i]
		changes = append(changes, change{j.Start, j.Width, 1}, change{j.End, -j.Width, -1})
		ends = append(ends, j.End)
	}
	slices.Sort(ends)
	slices.SortFunc(changes, func(a, b change) int { return cmp.Compare(a.at, b.at) })
	units, jobs, busy, last := 0, 0, 0.0, math.Inf(-1)
	ofUnits, ofJobs := map[int]float64{}, map[int]float64{} // s at each level
	for _, x := range changes {
		if jobs > 0 {
			busy += x.at - last
			ofJobs[jobs] += x.at - last
		}
		if jobs > 1 {
			ofUnits[units] += x.at - last
		}
		units, jobs, last = units+x.units, jobs+x.jobs, x.at
	}
	return []*candidate{
		{Limit: Limit{Of: of, Name: name, Units: highest(ofUnits, limitTop*busy)}, ends: ends, held: ofUnits},
		{Limit: Limit{Of: of, Name: name, Jobs: highest(ofJobs, limitTop*busy)}, ends: ends, held: ofJobs},
	}
}

// highest returns the highest level that was held for longer than some time, with those above it; 0 if there is none.
func highest(held map[int]float64, longer float64) int {
	levels := slices.Sorted(maps.Keys(held))
	above := 0.0
	for _, level := range slices.Backward(levels) {
		above += held[level]
		if above > longer {
			return level
		}
	}
	return 0
}
