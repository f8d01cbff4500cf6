package paper

import (
	"fmt"
	"strings"

	"revopt/simulate/metric"
)

// inPercent writes the interval of a share in per cent.
func inPercent(v metric.Interval) string { return plusMinus(scaled(v, 100), 1) }

// of returns the place of a value on the axis.
func (t *traced) of(x float64) int {
	for i, v := range t.axis.values {
		if v == x {
			return i
		}
	}
	panic(fmt.Sprintf("paper: %s has no %g", t.axis.label, x))
}

// last returns the place of the last value on the axis.
func (t *traced) last() int { return len(t.axis.values) - 1 }

// below writes where a figure of one contender is less than that of another
// beyond chance.
func (t *traced) below(less, than int, f metric.Figure) string {
	return t.where(func(i int) bool {
		d := t.lead(than, less, i, f)
		return d.N > 1 && d.Mean > d.HalfWidth
	})
}

// where writes at which values of the axis something holds.
func (t *traced) where(holds func(i int) bool) string {
	var places []int
	for i := range t.axis.values {
		if holds(i) {
			places = append(places, i)
		}
	}
	switch n := len(places); {
	case n == 0:
		return "nowhere"
	case n == len(t.axis.values):
		return "everywhere"
	case n == 1:
		return "at " + t.axis.word(places[0])
	case places[n-1]-places[0] == n-1:
		return "from " + t.axis.word(places[0]) + " to " + t.axis.word(places[n-1])
	}
	words := make([]string, len(places))
	for k, i := range places {
		words[k] = t.axis.word(i)
	}
	return "at " + strings.Join(words, ", ")
}

// word writes a value of the axis.
func (a axis) word(i int) string {
	if a.share {
		return percent(a.values[i])
	}
	return fmt.Sprint(a.values[i])
}

// leads returns the smallest and the largest lead of a contender over the best
// of the others given, along the axis.
func (t *traced) leads(contender int, others []int, f metric.Figure) (least, most metric.Interval) {
	for i := range t.axis.values {
		best := others[0]
		for _, o := range others {
			if t.interval(o, i, f).Mean > t.interval(best, i, f).Mean {
				best = o
			}
		}
		d := t.lead(contender, best, i, f)
		if i == 0 || d.Mean < least.Mean {
			least = d
		}
		if i == 0 || d.Mean > most.Mean {
			most = d
		}
	}
	return least, most
}
