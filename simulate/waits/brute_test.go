package waits

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// secondBySecond is the definitions of the parts, word by word, for logs of whole seconds.
func secondBySecond(l *Log) []Seconds {
	known := bruteKnown(l)
	list := make([]Seconds, len(l.Jobs))
	for i, j := range l.Jobs {
		for t := j.Submit; t < bruteLeft(j); t++ {
			list[i][bruteState(l, i, t, known)]++
		}
	}
	return list
}

func bruteLeft(j Job) float64 {
	if math.IsNaN(j.Start) {
		return j.End
	}
	return j.Start
}

func bruteKnown(l *Log) float64 {
	var runs []float64
	first := math.Inf(1)
	for _, j := range l.Jobs {
		first = min(first, j.Submit)
		if j.Start >= 0 {
			runs = append(runs, j.End-j.Start)
		}
	}
	slices.Sort(runs)
	for n, length := range runs {
		if float64(n+1) >= 0.95*float64(len(runs)) {
			return first + length
		}
	}
	return first
}

func bruteEligible(l *Log, i int, t float64) bool {
	j := l.Jobs[i]
	return !(t < j.Eligible) && (j.After < 0 || t >= l.Jobs[j.After].End+j.Think)
}

// bruteFree returns the free units of a pool, and those of them that are up.
func bruteFree(l *Log, p int, t float64) (free, up int) {
	free = l.Pools[p].Units
	for _, j := range l.Jobs {
		if j.Pool == p && j.Start <= t && t < j.End {
			free -= j.Width
		}
	}
	free = max(free, 0)
	up = free
	for _, o := range l.Outages {
		if o.Pool == p && o.From <= t && t < o.To {
			if o.Units == 0 {
				o.Units = l.Pools[p].Units
			}
			up -= o.Units
		}
	}
	return free, max(up, 0)
}

func bruteLimited(l *Log, i int, t float64) bool {
	name := func(j Job, of string) string {
		return map[string]string{"account": j.Account, "user": j.User, "group": j.Group, "qos": j.QOS}[of]
	}
	for _, limit := range l.Limits {
		if name(l.Jobs[i], limit.Of) != limit.Name || l.Pools[l.Jobs[i].Pool].Unit != "core" {
			continue
		}
		units, jobs := 0, 0
		for _, j := range l.Jobs {
			if name(j, limit.Of) == limit.Name && l.Pools[j.Pool].Unit == "core" && j.Start <= t && t < j.End {
				units += j.Width
				jobs++
			}
		}
		alone := jobs == 0 && !limit.Never
		if limit.Units > 0 && units+l.Jobs[i].Width > limit.Units && !alone || limit.Jobs > 0 && jobs+1 > limit.Jobs {
			return true
		}
	}
	return false
}

func bruteState(l *Log, i int, t, known float64) Part {
	j := l.Jobs[i]
	free, up := bruteFree(l, j.Pool, t)
	out := 0
	for _, o := range l.Outages {
		if o.Pool == j.Pool && o.From <= t && t < o.To {
			out += o.Units
			if o.Units == 0 {
				out = math.MaxInt / 2
			}
		}
	}
	switch {
	case t < known:
		return Unknown
	case !bruteEligible(l, i, t):
		return NotEligible
	case out >= l.Pools[j.Pool].Units:
		return Down
	case j.Width > free:
		return Full
	case j.Width > up:
		return Down
	case bruteLimited(l, i, t):
		return AtLimit
	}
	for k, other := range l.Jobs {
		older := other.Submit < j.Submit || other.Submit == j.Submit && k < i
		waits := other.Submit <= t && t < bruteLeft(other) && bruteEligible(l, k, t)
		if older && waits && other.Pool == j.Pool && other.Queue == j.Queue && other.Width > up && !bruteLimited(l, k, t) {
			return Reserved
		}
	}
	return Unexplained
}

// randomLog returns a log that no scheduler would make: every state is in it.
func randomLog(r *rand.Rand) *Log {
	l := &Log{Pools: []Pool{{"a", 8, "core"}, {"b", 6, "core"}, {"c", 3, "gpu"}}[:1+r.IntN(3)]}
	word := func(n int) string { return string(rune('a' + r.IntN(n))) }
	for i := range 1 + r.IntN(40) {
		j := Job{Submit: float64(r.IntN(200)), Eligible: math.NaN(), Width: 1 + r.IntN(5), After: -1, Queue: word(2),
			Account: word(3), User: word(4), Group: word(2), QOS: word(2)}
		if r.IntN(4) > 0 {
			j.Pool = r.IntN(min(len(l.Pools), 2)) // most work is in cores
			j.Width += r.IntN(3)
		} else {
			j.Pool = r.IntN(len(l.Pools))
		}
		if r.IntN(4) == 0 {
			j.Eligible = j.Submit + float64(r.IntN(40))
		}
		if i > 0 && r.IntN(6) == 0 {
			j.After, j.Think = r.IntN(i), float64(r.IntN(5))
		}
		j.Start = j.Submit + float64(r.IntN(60))
		j.End = j.Start + float64(r.IntN(30))
		if r.IntN(8) == 0 {
			j.End, j.Start = j.Start, math.NaN()
		}
		l.Jobs = append(l.Jobs, j)
	}
	for range r.IntN(4) {
		o := Outage{Pool: r.IntN(len(l.Pools)), From: float64(r.IntN(200)), Units: r.IntN(6)}
		o.To = o.From + float64(1+r.IntN(50))
		l.Outages = append(l.Outages, o)
	}
	for range r.IntN(5) {
		limit := Limit{Of: []string{"account", "user", "group", "qos"}[r.IntN(4)], Name: word(3), Never: r.IntN(3) == 0}
		if r.IntN(3) > 0 {
			limit.Units = 1 + r.IntN(8)
		} else {
			limit.Jobs = 1 + r.IntN(3)
		}
		l.Limits = append(l.Limits, limit)
	}
	return l
}

// TestDecompose compares the parts with the definitions, second by second. The sums of the series, the outages and the
// limits are those of the jobs.
func TestDecompose(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 55))
	var seen Seconds
	for n := range 1500 {
		l := randomLog(r)
		if l.Unit() != "core" {
			continue
		}
		d, want := l.Decompose(7), secondBySecond(l)
		var all, series Seconds
		for i := range l.Jobs {
			if d.Jobs[i] != want[i] {
				t.Fatalf("log %d, job %d: got %v, want %v\n%s", n, i, d.Jobs[i], want[i], shown(l))
			}
			all.Add(d.Jobs[i])
		}
		for _, s := range d.Series {
			series.Add(s)
		}
		for p := range all {
			if math.Abs(all[p]-series[p]) > 1e-6 {
				t.Fatalf("log %d, part %d: %v in the jobs, %v in the series", n, p, all[p], series[p])
			}
		}
		for _, c := range []struct {
			part Part
			list []float64
		}{{Down, d.InOutage}, {AtLimit, d.AtLimit}} {
			sum := 0.0
			for _, x := range c.list {
				sum += x
			}
			if math.Abs(sum-all[c.part]) > 1e-6 {
				t.Fatalf("log %d, part %d: %v, of its causes %v", n, c.part, all[c.part], sum)
			}
		}
		seen.Add(all)
	}
	for p, x := range seen {
		if x < 1000 {
			t.Errorf("part %d has only %v s in all logs", p, x)
		}
	}
}

func shown(l *Log) string {
	s := fmt.Sprintf("%+v\n%+v\n%+v\n", l.Pools, l.Outages, l.Limits)
	for i, j := range l.Jobs {
		s += fmt.Sprintf("%d %+v\n", i, j)
	}
	return s
}
