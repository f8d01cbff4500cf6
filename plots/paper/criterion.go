package paper

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/stat"

	"revopt/internal/text"
	"revopt/plots"
	"revopt/simulate/metric"
)

// A checker decides a claim by its criterion: clauses, separated by semicolons, that
// must all hold. A clause relates terms, or says how one of them runs:
//
//	full {High} ~ 75                 agrees within the tolerance, or within ± 1
//	{Libra}[from..0.5] > {Libra+$}   is more, beyond the intervals of both
//	mean {A} >> mean {B}             is more in paired replications
//	{A} >= {B}                       is not less, beyond the intervals of both
//	{Libra+$} falls                  falls all along; or rises; or peaks
//
// A term is a number, or a curve of a figure: {curve}, {figure:curve} or
// {figure:curve:measure}. Numbers are those that the axes print, in per cent where
// they do. Several curves stand in braces with bars between them, or a star for all
// that begin so; a relation then holds for all pairs, and ~ for each with its like.
// Brackets choose points of a curve, [1..5] or [85,90], and @ one; "from" is the
// least arrival delay factor of the reading. Of a curve, first, last, top and bottom
// are values, peak is where the top is, mean averages replications over its points
// and trapezoid the curve over the axis; full is the last x at which all is
// admitted, mostly the last at which nine tenths are, gone the first from which on
// nothing is; slopes and bend are of the regions between the vertical lines of the
// figure. Of several values there are min and max. Terms add, subtract (-- in paired
// replications), multiply and divide.
//
// A clause fails where the contrary is shown, and is undetermined otherwise.
type checker struct {
	e      *Evidence
	c      Claim
	tokens []string
	step   float64 // between the first points of the last curve
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
	if half := (v.high - v.low) / 2; half > 0 {
		words += fmt.Sprintf(" ± %.*f", decimals, half)
	}
	return words
}

// near decides that two values agree within a tolerance: it fails where the whole
// interval is further off, and is undetermined where a part of it is.
func near(v, want value, tolerance float64) Verdict {
	d := v.less(want)
	got := v.String() + v.unit
	if want.by != nil || want.unit != "" {
		got = fmt.Sprintf("%v and %v%s", v, want, v.unit)
	}
	return decided(d.low >= -tolerance && d.high <= tolerance,
		math.IsNaN(d.mean) || d.high < -tolerance || d.low > tolerance, got)
}

// decided returns Holds, Fails or neither.
func decided(holds, fails bool, got string) Verdict {
	switch {
	case holds:
		return Verdict{Holds, got}
	case fails:
		return Verdict{Fails, got}
	}
	return Verdict{Undetermined, got}
}

// all decides that several verdicts hold together: one that fails is enough to fail,
// and one that is undetermined to leave it so. Without any nothing is decided.
func all(list ...Verdict) Verdict {
	if len(list) == 0 {
		return Verdict{Undetermined, "nothing to compare"}
	}
	result := Verdict{Outcome: Holds}
	var got []string
	for _, v := range list {
		got = append(got, v.Got)
		switch {
		case v.Outcome == Fails:
			result.Outcome = Fails
		case v.Outcome == Undetermined && result.Outcome == Holds:
			result.Outcome = Undetermined
		}
	}
	result.Got = strings.Join(got, "; ")
	return result
}

// curveValues are a curve in the units that the axes of its figure print.
type curveValues struct {
	name  string
	x     []float64
	y     []value
	over  func(at ...int) []float64 // see line; nil where nothing is random
	unit  string                    // of x
	rules []float64                 // where the figure has vertical lines
}

// drawnValues returns a curve as it is drawn.
func drawnValues(s plots.Series) curveValues {
	c := curveValues{name: s.Name, x: s.X}
	for i, y := range s.Y {
		v := exact(y)
		if s.Low != nil {
			v.low, v.high = s.Low[i], s.High[i]
		}
		c.y = append(c.y, v)
	}
	return c
}

// simulatedValues returns a curve with its replications.
func simulatedValues(l line) curveValues {
	c := curveValues{name: l.name, x: l.x, over: l.over}
	for i := range l.x {
		c.y = append(c.y, averaged(l.over(i)))
	}
	return c
}

func inUnits(list []curveValues, x, y plots.Axis, rules []plots.Rule) []curveValues {
	by := func(a plots.Axis) (float64, string) {
		if a.Percent {
			return 100, " %"
		}
		return 1, strings.TrimRight(" "+a.Unit, " ")
	}
	xScale, xUnit := by(x)
	yScale, yUnit := by(y)
	var all []curveValues
	for _, c := range list {
		d := c.times(yScale)
		d.x, d.unit = scaled(c.x, xScale), xUnit
		for i := range d.y {
			d.y[i].unit = yUnit
		}
		d.rules = append(d.rules, text.Each(rules, func(r plots.Rule) float64 { return xScale * r.At })...)
		all = append(all, d)
	}
	return all
}

func (c curveValues) times(k float64) curveValues {
	d := c
	d.y = text.Each(c.y, func(v value) value { return v.times(k) })
	if c.over != nil {
		d.over = func(at ...int) []float64 { return scaled(c.over(at...), k) }
	}
	return d
}

// only returns the points of a curve at some places.
func (c curveValues) only(at []int) curveValues {
	d := c
	d.x, d.y = nil, nil
	for _, i := range at {
		d.x, d.y = append(d.x, c.x[i]), append(d.y, c.y[i])
	}
	if c.over != nil {
		d.over = func(points ...int) []float64 {
			if len(points) == 0 {
				return c.over(at...)
			}
			return c.over(text.Each(points, func(i int) int { return at[i] })...)
		}
	}
	return d
}

// at returns the value at x, which must be among the points.
func (c curveValues) at(x float64) value { return c.y[indexOf(c.x, x)] }

func (c curveValues) means() []float64 {
	return text.Each(c.y, func(v value) float64 { return v.mean })
}

// top returns the place of the largest mean.
func (c curveValues) top() int { return slices.Index(c.means(), slices.Max(c.means())) }

// falls decides that a curve falls all along. It fails where a value is above an
// earlier one, or the last not below the first, beyond their intervals. It holds where
// the last is below the first beyond them and no mean is above an earlier one by more
// than a fiftieth of the whole fall.
func (c curveValues) falls() Verdict {
	first, last := c.y[0], c.y[len(c.y)-1]
	slack := (first.mean - last.mean) / 50
	holds, fails := last.high < first.low, last.low >= first.high
	lowest, low := first, first.mean
	for _, v := range c.y {
		holds = holds && v.mean <= low+slack
		fails = fails || v.low > lowest.high+slack
		if v.high < lowest.high {
			lowest = v
		}
		low = min(low, v.mean)
	}
	got := fmt.Sprintf("from %v to %v%s", first, last, first.unit)
	if top := c.top(); top > 0 {
		got += fmt.Sprintf(", highest at %.3g: %v", c.x[top], c.y[top])
	}
	return decided(holds && !fails, fails, got)
}

// rises decides that a curve rises all along.
func (c curveValues) rises() Verdict {
	down := c.times(-1)
	for i, v := range down.y {
		down.y[i].low, down.y[i].high = v.high, v.low
	}
	v := down.falls()
	v.Got = fmt.Sprintf("from %v to %v%s", c.y[0], c.y[len(c.y)-1], c.y[0].unit)
	return v
}

// peaks decides that a curve rises up to its top and falls beyond it.
func (c curveValues) peaks() Verdict {
	top := c.top()
	for i := 1; i < len(c.y); i++ {
		if (c.y[i].mean > c.y[i-1].mean) != (i <= top) {
			return Verdict{Fails, fmt.Sprintf("not at %.3g", c.x[i])}
		}
	}
	return Verdict{Holds, fmt.Sprintf("at %.3g", c.x[top])}
}

// regions cuts a curve at the vertical lines of its figure.
func (c curveValues) regions() (list []curveValues) {
	ends := []int{len(c.x) - 1}
	for _, x := range c.rules {
		ends = append(ends, indexOf(c.x, x))
	}
	slices.Sort(ends)
	last := 0
	for _, end := range ends {
		if end > last {
			r := c
			r.x, r.y = c.x[last:end+1], c.y[last:end+1]
			list = append(list, r)
		}
		last = end
	}
	return list
}

// A term is a curve or a value. Relations take lists of them.
type term struct {
	name  string
	curve *curveValues
	value value
}

func (e *Evidence) check(c Claim) Verdict {
	if c.Criterion == "open" {
		return Verdict{Undetermined, c.Why}
	}
	k := &checker{e: e, c: c}
	var list []Verdict
	for clause := range strings.SplitSeq(c.Criterion, ";") {
		k.tokens = tokenPattern.FindAllString(clause, -1)
		list = append(list, k.clause())
	}
	return all(list...)
}

var tokenPattern = regexp.MustCompile(`\{[^}]*\}|[0-9]+(\.[0-9]+)?(e[0-9]+)?|[a-z]+|>>|>=|--|\.\.|\S`)

// next takes the next token; it is empty at the end.
func (k *checker) next() string {
	t := k.peek()
	if t != "" {
		k.tokens = k.tokens[1:]
	}
	return t
}

func (k *checker) peek() string {
	if len(k.tokens) == 0 {
		return ""
	}
	return k.tokens[0]
}

// takes takes the next token if it is one of the given ones.
func (k *checker) takes(any ...string) string {
	if t := k.peek(); slices.Contains(any, t) {
		return k.next()
	}
	return ""
}

func (k *checker) clause() Verdict {
	left := k.sum()
	var list []Verdict
	for {
		switch op := k.next(); op {
		case "":
			return all(list...)
		case "rises", "falls", "peaks":
			list = append(list, runs(left, op)...)
		case "~":
			right := k.sum()
			for i := range max(len(left), len(right)) {
				list = append(list, k.agree(left[i%len(left)], right[i%len(right)]))
			}
			if k.takes("±") != "" {
				k.next()
				k.takes("sd")
			}
		case ">", ">>", ">=":
			right := k.sum()
			for _, a := range left {
				for _, b := range right {
					v := exceeds(op, a, b)
					if len(left)*len(right) > 1 {
						v.Got = strings.TrimLeft(a.name+" against "+b.name+" ", " ") + v.Got
					}
					list = append(list, v)
				}
			}
			left = right
		default:
			lacking("criterion %q: unexpected %q", k.c.Criterion, op)
		}
	}
}

// sum reads terms that are added or subtracted.
func (k *checker) sum() []term {
	list := k.product()
	for op := k.takes("+", "-", "--"); op != ""; op = k.takes("+", "-", "--") {
		list = both(list, k.product(), func(a, b value) value {
			switch op {
			case "-":
				return a.less(b)
			case "--":
				return a.paired(b)
			}
			return a.less(value{mean: -b.mean, low: -b.high, high: -b.low})
		})
	}
	return list
}

// product reads terms that are multiplied or divided.
func (k *checker) product() []term {
	list := k.factor()
	for op := k.takes("*", "/"); op != ""; op = k.takes("*", "/") {
		right := k.factor()
		if op == "*" && list[0].curve == nil && right[0].curve != nil {
			c := right[0].curve.times(list[0].value.mean)
			list = []term{{right[0].name, &c, value{}}}
			continue
		}
		list = both(list, right, func(a, b value) value {
			if op == "/" {
				w := a.times(1 / b.mean)
				w.unit = ""
				return w
			}
			return b.times(a.mean)
		})
	}
	return list
}

// both combines terms, each with its like. Curves must have the same points.
func both(left, right []term, f func(a, b value) value) (list []term) {
	for i := range max(len(left), len(right)) {
		a, b := left[i%len(left)], right[i%len(right)]
		if a.curve == nil {
			list = append(list, term{name: a.name, value: f(a.value, b.value)})
			continue
		}
		c := *a.curve
		c.y, c.over = nil, nil
		for j := range a.curve.y {
			w := b.value
			if b.curve != nil {
				w = b.curve.y[j]
			}
			c.y = append(c.y, f(a.curve.y[j], w))
		}
		list = append(list, term{a.name, &c, value{}})
	}
	return list
}

// factor reads a number, a curve, a function of one, or a term in parentheses, and
// the points that are chosen of it.
func (k *checker) factor() []term {
	var list []term
	switch t := k.next(); {
	case t == "(":
		list = k.sum()
		k.takes(")")
	case strings.HasPrefix(t, "{"):
		list = k.curves(strings.Trim(t, "{}"))
	case t != "" && t[0] >= 'a' && t[0] <= 'z' && t != "from":
		return k.function(t, k.factor())
	default:
		return []term{{value: exact(k.number(t))}}
	}
	for {
		switch k.takes("[", "@") {
		case "[":
			keep := k.points()
			for i := range list {
				var at []int
				for j, x := range list[i].curve.x {
					if keep(x) {
						at = append(at, j)
					}
				}
				c := list[i].curve.only(at)
				list[i].curve = &c
			}
		case "@":
			x := k.number(k.next())
			for i := range list {
				list[i] = term{name: list[i].name, value: list[i].curve.at(x)}
			}
		default:
			return list
		}
	}
}

// number reads a number; "from" is that of the reading.
func (k *checker) number(token string) float64 {
	if token == "from" {
		return cmp.Or(k.e.o.Reading.From, 0.1)
	}
	x, err := strconv.ParseFloat(token, 64)
	if err != nil {
		lacking("criterion %q: expected a number, got %q", k.c.Criterion, token)
	}
	return x
}

// points reads the points of a curve up to a closing bracket: a range or a list.
func (k *checker) points() func(x float64) bool {
	var ends []float64
	low, high, ranged := math.Inf(-1), math.Inf(1), false
	for t := k.next(); t != "]"; t = k.next() {
		switch {
		case t == "..":
			ranged = true
		case t == ",":
		case ranged:
			high = k.number(t)
		default:
			low = k.number(t)
			ends = append(ends, low)
		}
	}
	return func(x float64) bool {
		if ranged {
			return x >= low-1e-9 && x <= high+1e-9
		}
		return slices.ContainsFunc(ends, func(y float64) bool { return math.Abs(x-y) < 1e-9 })
	}
}

// curves returns the curves that a reference in braces names.
func (k *checker) curves(ref string) (list []term) {
	id, name, ok := strings.Cut(ref, ":")
	if !ok {
		id, name = k.c.Figure, ref
	}
	if id == "inputs" {
		return []term{{name: name, value: k.e.input(name)}}
	}
	name, measure, _ := strings.Cut(name, ":")
	for _, c := range k.e.curves(id, name, measure) {
		list = append(list, term{name: c.name, curve: &c})
		if len(c.x) > 1 {
			k.step = c.x[1] - c.x[0]
		}
	}
	return list
}

// function applies a function to every curve, or to all values.
func (k *checker) function(name string, list []term) (results []term) {
	if name == "min" || name == "max" {
		v := list[0].value
		for _, t := range list[1:] {
			if math.IsNaN(t.value.mean) || (t.value.mean > v.mean) == (name == "max") {
				v = t.value
			}
		}
		return []term{{value: v}}
	}
	for _, t := range list {
		for _, v := range t.curve.reduced(name) {
			results = append(results, term{name: t.name, value: v})
		}
	}
	return results
}

// reduced returns the values of a function of a curve; slopes has several.
func (c curveValues) reduced(name string) []value {
	last, means := len(c.y)-1, c.means()
	place := func(x float64) value {
		v := exact(x)
		v.unit = c.unit
		return v
	}
	share := scaled(means, 0.01) // of admitted jobs, which axes print in per cent
	v := exact(math.NaN())
	switch name {
	case "first":
		v = c.y[0]
	case "last":
		v = c.y[last]
	case "top":
		v = c.y[c.top()]
	case "bottom":
		v = c.y[slices.Index(means, slices.Min(means))]
	case "peak":
		most := slices.Max(means)
		v = place(c.x[slices.IndexFunc(means, func(y float64) bool { return y > most-1e-6*math.Abs(most) })])
	case "full":
		v = place(lastFull(c.x, share))
	case "mostly":
		v = place(lastFull(c.x, scaled(share, 1/0.9)))
	case "gone":
		if x, ok := firstGone(c.x, share); ok {
			v = place(x)
		}
	case "mean":
		v = averaged(c.over())
		v.unit = c.y[0].unit
	case "trapezoid":
		v = c.trapezoid()
	case "slopes":
		return text.Each(c.regions(), func(r curveValues) value {
			n := len(r.x) - 1
			return exact((r.y[n].mean - r.y[0].mean) / (r.x[n] - r.x[0]))
		})
	case "bend":
		v = exact(0)
		for _, r := range c.regions() {
			n := len(r.x) - 1
			for i, x := range r.x {
				chord := r.y[0].mean + (r.y[n].mean-r.y[0].mean)*(x-r.x[0])/(r.x[n]-r.x[0])
				v = exact(max(v.mean, 100*math.Abs(r.y[i].mean-chord)/slices.Max(means)))
			}
		}
	default:
		lacking("no function %q of a curve", name)
	}
	return []value{v}
}

// trapezoid returns the mean of a curve over its axis, which depends little on how fine the axis is. Its
// interval is the mean of theirs, the widest there can be.
func (c curveValues) trapezoid() value {
	v := value{unit: c.y[0].unit}
	for i := 1; i < len(c.x); i++ {
		w := (c.x[i] - c.x[i-1]) / (c.x[len(c.x)-1] - c.x[0]) / 2
		a, b := c.y[i-1].times(w), c.y[i].times(w)
		v.mean, v.low, v.high = v.mean+a.mean+b.mean, v.low+a.low+b.low, v.high+a.high+b.high
	}
	return v
}

// runs decides that curves rise, fall or peak; several values are taken for a curve.
func runs(list []term, how string) (verdicts []Verdict) {
	if list[0].curve == nil {
		c := curveValues{}
		for i, t := range list {
			c.x, c.y = append(c.x, float64(i)), append(c.y, t.value)
		}
		list = []term{{curve: &c}}
	}
	run := map[string]func(curveValues) Verdict{"rises": curveValues.rises, "falls": curveValues.falls, "peaks": curveValues.peaks}[how]
	for _, t := range list {
		v := run(*t.curve)
		if len(list) > 1 {
			v.Got = t.name + " " + v.Got
		}
		verdicts = append(verdicts, v)
	}
	return verdicts
}

// agree decides that terms agree, within a tolerance that may follow: a number, a
// number of standard deviations of a replication, or the step of the axis.
func (k *checker) agree(a, b term) Verdict {
	tolerance, deviations := k.c.Tolerance, false
	if rest := k.tokens; k.peek() == "±" && len(rest) > 1 {
		if tolerance = k.step; rest[1] != "step" {
			tolerance = k.number(rest[1])
		}
		deviations = len(rest) > 2 && rest[2] == "sd"
	}
	if a.curve != nil {
		v := all(text.Each(a.curve.y, func(v value) Verdict { return near(v, b.value, tolerance) })...)
		v.Got = fmt.Sprintf("from %v to %v%s", a.curve.y[0], a.curve.y[len(a.curve.y)-1], a.curve.y[0].unit)
		return v
	}
	if deviations {
		mean, sd := stat.MeanStdDev(a.value.by, nil)
		off := math.Abs(mean - b.value.mean)
		return decided(off < tolerance*sd, off >= tolerance*sd, fmt.Sprintf("%s %.1f, sd %.1f", a.name, mean, sd))
	}
	return near(a.value, b.value, tolerance)
}

// exceeds decides that a term is more than another; a curve at all its points.
func exceeds(op string, a, b term) Verdict {
	if a.curve == nil && b.curve == nil {
		return more(op, a.value, b.value)
	}
	x := a
	if x.curve == nil {
		x = b
	}
	var list []Verdict
	least, most, unit := math.Inf(1), math.Inf(-1), ""
	for _, at := range x.curve.x {
		v, w := a.value, b.value
		if a.curve != nil {
			v = a.curve.at(at)
		}
		if b.curve != nil {
			w = b.curve.at(at)
		}
		list = append(list, more(op, v, w))
		least, most, unit = min(least, v.mean-w.mean), max(most, v.mean-w.mean), cmp.Or(v.unit, w.unit)
	}
	v := all(list...)
	if len(list) > 0 {
		v.Got = fmt.Sprintf("%+.3g to %+.3g%s", least, most, unit)
	}
	return v
}

// more decides that a value is more than another, by intervals or in paired replications.
func more(op string, v, w value) Verdict {
	unit := cmp.Or(v.unit, w.unit)
	switch op {
	case ">>":
		d := v.paired(w)
		return decided(d.low > 0, d.high <= 0, fmt.Sprintf("%v against %v%s, %v more", exact(v.mean), exact(w.mean), unit, d))
	case ">=":
		return decided(v.high >= w.low, v.high < w.low, fmt.Sprintf("%v against %v%s", v, w, unit))
	}
	return decided(v.low > w.high, v.high <= w.low, fmt.Sprintf("%v against %v%s", v, w, unit))
}
