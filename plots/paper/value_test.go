package paper

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"revopt/internal/text"
	"revopt/plots"
	"revopt/simulate/metric"
)

// An outcome is how a claim comes out under a reading.
type outcome int

const (
	undetermined outcome = iota // within chance, or the text leaves open what to compare
	holds
	fails
	untouched // the reading does not touch the claim
)

var outcomeNames = []string{undetermined: "undetermined", holds: "holds", fails: "fails", untouched: "untouched"}

func (o outcome) String() string { return outcomeNames[o] }

// A verdict is how a claim came out, and on which numbers.
type verdict struct {
	outcome outcome
	got     string // the numbers, with intervals where they are of simulations
}

// decided returns holds, fails or neither. A claim fails where the contrary is shown.
func decided(shown, contrary bool, got string) verdict {
	switch {
	case shown:
		return verdict{holds, got}
	case contrary:
		return verdict{fails, got}
	}
	return verdict{undetermined, got}
}

// all decides that several verdicts hold together: one that fails is enough to fail,
// and one that is undetermined to leave it so. Without any nothing is decided.
func all(list ...verdict) verdict {
	if len(list) == 0 {
		return verdict{undetermined, "nothing to compare"}
	}
	result := verdict{outcome: holds}
	var got []string
	for _, v := range list {
		got = append(got, v.got)
		switch {
		case v.outcome == fails:
			result.outcome = fails
		case v.outcome == undetermined && result.outcome == holds:
			result.outcome = undetermined
		}
	}
	result.got = strings.Join(got, "; ")
	return result
}

// A value is a number with an interval, which is the number alone if nothing is random.
type value struct {
	mean, low, high float64
	by              []float64 // replications; nil where there are none
	unit            string
}

func exact(x float64) value { return value{mean: x, low: x, high: x} }

func averaged(by []float64) value {
	v := estimate(by)
	if v.N < 2 {
		v.HalfWidth = 0
	}
	return value{mean: v.Mean, low: v.Mean - v.HalfWidth, high: v.Mean + v.HalfWidth, by: by}
}

// less returns the difference of two values whose errors may add up.
func (v value) less(w value) value {
	return value{mean: v.mean - w.mean, low: v.low - w.high, high: v.high - w.low, unit: cmp.Or(v.unit, w.unit)}
}

// plus returns the sum of two values whose errors may add up.
func (v value) plus(w value) value {
	return v.less(value{mean: -w.mean, low: -w.high, high: -w.low})
}

// paired returns the difference of two values of the same replications.
func (v value) paired(w value) value {
	if v.by == nil || w.by == nil {
		lacking("no replications to pair")
	}
	d := averaged(metric.Less(v.by, w.by))
	d.unit = v.unit
	return d
}

func (v value) times(k float64) value {
	w := value{mean: k * v.mean, low: k * v.low, high: k * v.high, unit: v.unit}
	if v.by != nil {
		w.by = scaled(v.by, k)
	}
	return w
}

// over returns the ratio to the mean of another value, which has no unit.
func (v value) over(w value) value {
	ratio := v.times(1 / w.mean)
	ratio.unit = ""
	return ratio
}

// String writes the value with about three digits and its half width.
func (v value) String() string {
	if math.IsNaN(v.mean) {
		return "nowhere"
	}
	decimals := 0
	if v.mean != 0 {
		decimals = max(0, 2-int(math.Floor(math.Log10(max(1e-3, math.Abs(v.mean))))))
	}
	words := fmt.Sprintf("%.*f", decimals, v.mean)
	half := (v.high - v.low) / 2
	if least := 0.5 * math.Pow10(-decimals); v.mean != 0 && math.Abs(v.mean) < least && half < least {
		return "0" // but for rounding
	}
	if half > 0 {
		words += fmt.Sprintf(" ± %.*f", decimals, half)
	}
	return words
}

// near decides that two values agree within a tolerance: it fails where the whole
// interval is further off, and is undetermined where a part of it is.
func (v value) near(want value, tolerance float64) verdict {
	d := v.less(want)
	got := v.String() + v.unit
	if want.by != nil || want.unit != "" {
		got = fmt.Sprintf("%v and %v%s", v, want, v.unit)
	}
	return decided(d.low >= -tolerance && d.high <= tolerance,
		math.IsNaN(d.mean) || d.high < -tolerance || d.low > tolerance, got)
}

// above decides that a value is more than another, beyond the intervals of both.
func (v value) above(w value) verdict {
	got := fmt.Sprintf("%v against %v%s", v, w, cmp.Or(v.unit, w.unit))
	return decided(v.low > w.high, v.high <= w.low, got)
}

// pairedAbove decides that a value is more than another in paired replications.
func (v value) pairedAbove(w value) verdict {
	d := v.paired(w)
	got := fmt.Sprintf("%v against %v%s, %v more", exact(v.mean), exact(w.mean), cmp.Or(v.unit, w.unit), d)
	return decided(d.low > 0, d.high <= 0, got)
}

// notBelow decides that a value is not less than another, beyond the intervals of both.
func (v value) notBelow(w value) verdict {
	got := fmt.Sprintf("%v against %v%s", v, w, cmp.Or(v.unit, w.unit))
	return decided(v.high >= w.low, v.high < w.low, got)
}

// valueCurve is a curve in the units that the axes of its figure print.
type valueCurve struct {
	name  string
	x     []float64
	y     []value
	by    func(at ...int) []float64 // see line.over; nil where nothing is random
	unit  string                    // of x
	rules []float64                 // where the figure has vertical lines
}

// drawnCurve returns a curve as it is drawn.
func drawnCurve(s plots.Series) valueCurve {
	c := valueCurve{name: s.Name, x: s.X}
	for i, y := range s.Y {
		v := exact(y)
		if s.Low != nil {
			v.low, v.high = s.Low[i], s.High[i]
		}
		c.y = append(c.y, v)
	}
	return c
}

// simulatedCurve returns a curve with its replications.
func simulatedCurve(l line) valueCurve {
	c := valueCurve{name: l.name, x: l.x, by: l.over}
	for i := range l.x {
		c.y = append(c.y, averaged(l.over(i)))
	}
	return c
}

// inUnits returns curves in the units of axes.
func inUnits(list []valueCurve, x, y plots.Axis, rules []plots.Rule) []valueCurve {
	xScale, xUnit := printed(x)
	yScale, yUnit := printed(y)
	return text.Each(list, func(c valueCurve) valueCurve {
		d := c.times(yScale)
		d.x, d.unit = scaled(c.x, xScale), xUnit
		for i := range d.y {
			d.y[i].unit = yUnit
		}
		d.rules = text.Each(rules, func(r plots.Rule) float64 { return xScale * r.At })
		return d
	})
}

// printed returns the factor and the unit with which an axis prints numbers.
func printed(a plots.Axis) (scale float64, unit string) {
	if a.Percent {
		return 100, " %"
	}
	return 1, strings.TrimRight(" "+a.Unit, " ")
}

func (c valueCurve) times(k float64) valueCurve {
	d := c
	d.y = text.Each(c.y, func(v value) value { return v.times(k) })
	if c.by != nil {
		d.by = func(at ...int) []float64 { return scaled(c.by(at...), k) }
	}
	return d
}

// where returns the points of a curve at the x that are kept.
func (c valueCurve) where(keep func(x float64) bool) valueCurve {
	d := c
	d.x, d.y = nil, nil
	var at []int
	for i, x := range c.x {
		if keep(x) {
			at = append(at, i)
			d.x, d.y = append(d.x, x), append(d.y, c.y[i])
		}
	}
	if c.by != nil {
		d.by = func(points ...int) []float64 {
			if len(points) == 0 {
				return c.by(at...)
			}
			return c.by(text.Each(points, func(i int) int { return at[i] })...)
		}
	}
	return d
}

// at returns the value at x, which must be among the points.
func (c valueCurve) at(x float64) value { return c.y[indexOf(c.x, x)] }

func (c valueCurve) means() []float64 {
	return text.Each(c.y, func(v value) float64 { return v.mean })
}

// top returns the place of the largest mean.
func (c valueCurve) top() int { return slices.Index(c.means(), slices.Max(c.means())) }

// place returns a value of the axis.
func (c valueCurve) place(x float64) value {
	v := exact(x)
	v.unit = c.unit
	return v
}

// falls decides that a curve falls all along. It fails where a value is above an
// earlier one, or the last not below the first, beyond their intervals. It holds where
// the last is below the first beyond them and no mean is above an earlier one by more
// than a fiftieth of the whole fall.
func (c valueCurve) falls() verdict {
	first, last := c.y[0], c.y[len(c.y)-1]
	slack := (first.mean - last.mean) / 50
	shown, contrary := last.high < first.low, last.low >= first.high
	lowest, low := first, first.mean
	for _, v := range c.y {
		shown = shown && v.mean <= low+slack
		contrary = contrary || v.low > lowest.high+slack
		if v.high < lowest.high {
			lowest = v
		}
		low = min(low, v.mean)
	}
	got := fmt.Sprintf("from %v to %v%s", first, last, first.unit)
	if top := c.top(); top > 0 {
		got += fmt.Sprintf(", highest at %.3g: %v", c.x[top], c.y[top])
	}
	return decided(shown && !contrary, contrary, got)
}

// rises decides that a curve rises all along.
func (c valueCurve) rises() verdict {
	down := c.times(-1)
	for i, v := range down.y {
		down.y[i].low, down.y[i].high = v.high, v.low
	}
	v := down.falls()
	v.got = fmt.Sprintf("from %v to %v%s", c.y[0], c.y[len(c.y)-1], c.y[0].unit)
	return v
}

// peaks decides that a curve rises up to its top and falls beyond it.
func (c valueCurve) peaks() verdict {
	top := c.top()
	for i := 1; i < len(c.y); i++ {
		if (c.y[i].mean > c.y[i-1].mean) != (i <= top) {
			return verdict{fails, fmt.Sprintf("not at %.3g", c.x[i])}
		}
	}
	return verdict{holds, fmt.Sprintf("at %.3g", c.x[top])}
}

// regions cuts a curve at the vertical lines of its figure.
func (c valueCurve) regions() []valueCurve {
	ends := []int{len(c.x) - 1}
	for _, x := range c.rules {
		ends = append(ends, indexOf(c.x, x))
	}
	slices.Sort(ends)
	var list []valueCurve
	last := 0
	for _, end := range ends {
		if end > last {
			region := c
			region.x, region.y = c.x[last:end+1], c.y[last:end+1]
			list = append(list, region)
		}
		last = end
	}
	return list
}

// slope returns the rise of a curve from its first to its last point.
func (c valueCurve) slope() value {
	n := len(c.x) - 1
	return exact((c.y[n].mean - c.y[0].mean) / (c.x[n] - c.x[0]))
}

// bend returns the largest distance of a curve from the chords of its regions, in per
// cent of its largest mean.
func (c valueCurve) bend() value {
	most := 0.0
	for _, r := range c.regions() {
		for i, x := range r.x {
			chord := r.y[0].mean + r.slope().mean*(x-r.x[0])
			most = max(most, 100*math.Abs(r.y[i].mean-chord)/slices.Max(c.means()))
		}
	}
	return exact(most)
}

// trapezoid returns the mean of a curve over its axis, which depends little on how fine the axis is. Its
// interval is the mean of theirs, the widest there can be.
func (c valueCurve) trapezoid() value {
	v := value{unit: c.y[0].unit}
	for i := 1; i < len(c.x); i++ {
		w := (c.x[i] - c.x[i-1]) / (c.x[len(c.x)-1] - c.x[0]) / 2
		a, b := c.y[i-1].times(w), c.y[i].times(w)
		v.mean += a.mean + b.mean
		v.low += a.low + b.low
		v.high += a.high + b.high
	}
	return v
}

// admittedNone is the admission up to which a class counts as shut out.
const admittedNone = 1e-4

// firstGone returns the smallest x from which on no job is admitted. ok is
// false if the last still admits some.
func firstGone(x, q []float64) (first float64, ok bool) {
	for i := len(x) - 1; i >= 0 && q[i] <= admittedNone; i-- {
		first, ok = x[i], true
	}
	return first, ok
}
