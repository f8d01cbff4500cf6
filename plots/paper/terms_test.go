package paper

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"

	"revopt/internal/text"
)

// A term is a curve or, where it has none, a value.
type term struct {
	name  string
	curve *valueCurve
	value value
}

// terms are what a claim compares: curves of a figure, or values of them. A relation
// between several holds where it does for all pairs.
type terms []term

// number returns a number that a paper states.
func number(x float64) terms { return terms{{value: exact(x)}} }

// between returns the points of curves from low to high.
func (ts terms) between(low, high float64) terms {
	return ts.where(func(x float64) bool { return x >= low-1e-9 && x <= high+1e-9 })
}

// beyond returns the points of curves from low on.
func (ts terms) beyond(low float64) terms { return ts.between(low, math.Inf(1)) }

// upTo returns the points of curves up to high.
func (ts terms) upTo(high float64) terms { return ts.between(math.Inf(-1), high) }

// only returns the points of curves at the given places.
func (ts terms) only(places ...float64) terms {
	return ts.where(func(x float64) bool {
		return slices.ContainsFunc(places, func(y float64) bool { return math.Abs(x-y) < 1e-9 })
	})
}

func (ts terms) where(keep func(x float64) bool) terms {
	return text.Each(ts, func(t term) term {
		c := t.curve.where(keep)
		return term{name: t.name, curve: &c}
	})
}

// values returns a value of each curve.
func (ts terms) values(of func(c valueCurve) value) terms {
	return text.Each(ts, func(t term) term { return term{name: t.name, value: of(*t.curve)} })
}

// at returns the values at one point, first, last, top and bottom those at others.
func (ts terms) at(x float64) terms {
	return ts.values(func(c valueCurve) value { return c.at(x) })
}

func (ts terms) first() terms { return ts.values(func(c valueCurve) value { return c.y[0] }) }
func (ts terms) last() terms  { return ts.values(func(c valueCurve) value { return c.y[len(c.y)-1] }) }
func (ts terms) top() terms   { return ts.values(func(c valueCurve) value { return c.y[c.top()] }) }

func (ts terms) bottom() terms {
	return ts.values(func(c valueCurve) value { return c.y[slices.Index(c.means(), slices.Min(c.means()))] })
}

// peak returns where the tops are, the first of places that are as high.
func (ts terms) peak() terms {
	return ts.values(func(c valueCurve) value {
		most := slices.Max(c.means())
		high := func(y float64) bool { return y > most-1e-6*math.Abs(most) }
		return c.place(c.x[slices.IndexFunc(c.means(), high)])
	})
}

// full returns the last x at which all jobs are admitted. Axes print admissions in per cent.
func (ts terms) full() terms {
	return ts.values(func(c valueCurve) value { return c.place(lastFull(c.x, scaled(c.means(), 0.01))) })
}

// gone returns the first x from which on no job is admitted.
func (ts terms) gone() terms {
	return ts.values(func(c valueCurve) value {
		x, ok := firstGone(c.x, scaled(c.means(), 0.01))
		if !ok {
			return exact(math.NaN())
		}
		return c.place(x)
	})
}

// mean averages replications over the points of each curve, trapezoid each curve over its axis.
func (ts terms) mean() terms {
	return ts.values(func(c valueCurve) value {
		v := averaged(c.by())
		v.unit = c.y[0].unit
		return v
	})
}

func (ts terms) trapezoid() terms { return ts.values(valueCurve.trapezoid) }
func (ts terms) bend() terms      { return ts.values(valueCurve.bend) }

// slopes returns the slope of each region between the vertical lines of the figure.
func (ts terms) slopes() terms {
	var list terms
	for _, t := range ts {
		for _, r := range t.curve.regions() {
			list = append(list, term{name: t.name, value: r.slope()})
		}
	}
	return list
}

// min returns the least value, max the largest. A value that is nowhere is both.
func (ts terms) min() terms { return ts.extreme(func(v, w value) bool { return v.mean <= w.mean }) }
func (ts terms) max() terms { return ts.extreme(func(v, w value) bool { return v.mean > w.mean }) }

func (ts terms) extreme(before func(v, w value) bool) terms {
	v := ts[0].value
	for _, t := range ts[1:] {
		if math.IsNaN(t.value.mean) || before(t.value, v) {
			v = t.value
		}
	}
	return terms{{value: v}}
}

// step returns the distance of the first points of a curve.
func (ts terms) step() float64 { return ts[0].curve.x[1] - ts[0].curve.x[0] }

func (ts terms) plus(other terms) terms   { return ts.combined(other, value.plus) }
func (ts terms) minus(other terms) terms  { return ts.combined(other, value.less) }
func (ts terms) paired(other terms) terms { return ts.combined(other, value.paired) }
func (ts terms) over(other terms) terms   { return ts.combined(other, value.over) }

func (ts terms) times(k float64) terms {
	return text.Each(ts, func(t term) term {
		if t.curve == nil {
			return term{name: t.name, value: t.value.times(k)}
		}
		c := t.curve.times(k)
		return term{name: t.name, curve: &c}
	})
}

// combined combines terms, each with its like. Curves must have the same points.
func (ts terms) combined(other terms, f func(v, w value) value) terms {
	var list terms
	for i := range max(len(ts), len(other)) {
		a, b := ts[i%len(ts)], other[i%len(other)]
		if a.curve == nil {
			list = append(list, term{name: a.name, value: f(a.value, b.value)})
			continue
		}
		c := *a.curve
		c.y, c.by = nil, nil
		for j, v := range a.curve.y {
			w := b.value
			if b.curve != nil {
				w = b.curve.y[j]
			}
			c.y = append(c.y, f(v, w))
		}
		list = append(list, term{name: a.name, curve: &c})
	}
	return list
}

// rises, falls and peaks decide how curves run. Several values are taken for a curve.
func (ts terms) rises() verdict { return ts.run(valueCurve.rises) }
func (ts terms) falls() verdict { return ts.run(valueCurve.falls) }
func (ts terms) peaks() verdict { return ts.run(valueCurve.peaks) }

func (ts terms) run(how func(valueCurve) verdict) verdict {
	if ts[0].curve == nil {
		var c valueCurve
		for i, t := range ts {
			c.x, c.y = append(c.x, float64(i)), append(c.y, t.value)
		}
		return how(c)
	}
	return all(text.Each(ts, func(t term) verdict {
		v := how(*t.curve)
		if len(ts) > 1 {
			v.got = t.name + " " + v.got
		}
		return v
	})...)
}

// near decides that all terms agree with a number within a tolerance.
func (ts terms) near(want, tolerance float64) verdict { return ts.agrees(number(want), tolerance) }

// agrees decides that terms agree, each with its like, within a tolerance.
func (ts terms) agrees(other terms, tolerance float64) verdict {
	var list []verdict
	for i := range max(len(ts), len(other)) {
		a, b := ts[i%len(ts)], other[i%len(other)]
		if a.curve == nil {
			list = append(list, a.value.near(b.value, tolerance))
			continue
		}
		y := a.curve.y
		v := all(text.Each(y, func(v value) verdict { return v.near(b.value, tolerance) })...)
		v.got = fmt.Sprintf("from %v to %v%s", y[0], y[len(y)-1], y[0].unit)
		list = append(list, v)
	}
	return all(list...)
}

// withinDeviations decides that a value is a number within so many standard deviations
// of a replication.
func (ts terms) withinDeviations(want, deviations float64) verdict {
	mean, sd := stat.MeanStdDev(ts[0].value.by, nil)
	near := math.Abs(mean-want) < deviations*sd
	return decided(near, !near, fmt.Sprintf("%s %.1f, sd %.1f", ts[0].name, mean, sd))
}

// above decides that terms are more than others, pairedAbove in paired replications,
// and notBelow that they are not less; a curve at all its points.
func (ts terms) above(other terms) verdict       { return ts.related(other, value.above) }
func (ts terms) pairedAbove(other terms) verdict { return ts.related(other, value.pairedAbove) }
func (ts terms) notBelow(other terms) verdict    { return ts.related(other, value.notBelow) }

func (ts terms) related(other terms, relation func(v, w value) verdict) verdict {
	var list []verdict
	for _, a := range ts {
		for _, b := range other {
			v := a.related(b, relation)
			if len(ts)*len(other) > 1 {
				v.got = strings.TrimLeft(a.name+" against "+b.name+" ", " ") + v.got
			}
			list = append(list, v)
		}
	}
	return all(list...)
}

// related decides a relation of two terms, at all points of the first that is a curve.
func (a term) related(b term, relation func(v, w value) verdict) verdict {
	points := cmp.Or(a.curve, b.curve)
	if points == nil {
		return relation(a.value, b.value)
	}
	var list []verdict
	least, most, unit := math.Inf(1), math.Inf(-1), ""
	for _, x := range points.x {
		v, w := a.at(x), b.at(x)
		list = append(list, relation(v, w))
		least, most = min(least, v.mean-w.mean), max(most, v.mean-w.mean)
		unit = cmp.Or(v.unit, w.unit)
	}
	result := all(list...)
	if len(list) > 0 {
		result.got = fmt.Sprintf("%+.3g to %+.3g%s", least, most, unit)
	}
	return result
}

// at returns the value of a term at a point of an axis.
func (a term) at(x float64) value {
	if a.curve == nil {
		return a.value
	}
	return a.curve.at(x)
}

// descend decides that each of several terms is above the next.
func descend(list ...terms) verdict {
	return descendBy(terms.above, list)
}

// pairedDescend decides that each of several terms is above the next in paired replications.
func pairedDescend(list ...terms) verdict {
	return descendBy(terms.pairedAbove, list)
}

func descendBy(relation func(a, b terms) verdict, list []terms) verdict {
	var verdicts []verdict
	for i := 1; i < len(list); i++ {
		verdicts = append(verdicts, relation(list[i-1], list[i]))
	}
	return all(verdicts...)
}
