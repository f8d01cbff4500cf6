package scenario

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"revopt/model"
)

// WriteYAML writes the scenario file that is read as this scenario: job classes
// by their rates, or a trace and its classes. Growth stands in the rates. A
// scenario that no file can say is refused with an *Error, and so are grids, qos
// and unlike nodes. Paths stand as they are.
func (s *Scenario) WriteYAML(w io.Writer) error {
	e := &encoder{}
	e.field("", "name", word(s.Name))
	switch {
	case s.Grid != nil:
		e.fail("a grid")
	case s.Trace != nil:
		e.trace(s.Trace)
	default:
		e.server(s)
	}
	if len(s.Classes) > 0 {
		e.b.WriteString("classes:\n")
	}
	for i, c := range s.Classes {
		fmt.Fprintf(&e.b, "  - name: %s\n", word(c.Name))
		if s.Trace != nil {
			e.selector(s.Of[i])
			if c.Demand != nil {
				c = e.demand(c, c.Price.Of(1, 1))
			}
		} else {
			if c.Demand != nil {
				c = e.demand(c, c.StatedPrice())
			}
			e.field("    ", "rate", formatNumber(c.Rate))
			e.arrivals(c.Arrivals)
			e.field("    ", "width", widthText(c.Width))
		}
		e.class(c)
	}
	writeList(&e.b, "providers", len(s.Providers), func(i int) string { return s.Providers[i].yaml() })
	writeList(&e.b, "policies", len(s.Policies), func(i int) string { return s.Policies[i].yaml() })
	if e.err != nil {
		return e.err
	}
	_, err := w.Write(e.b.Bytes())
	return err
}

// encoder writes a scenario and keeps the first thing that no file can say.
type encoder struct {
	b   bytes.Buffer
	err error
}

func (e *encoder) fail(what string) {
	if e.err == nil {
		e.err = &Error{Message: "no scenario file is written for " + what}
	}
}

func (e *encoder) field(indent, key, value string) {
	fmt.Fprintf(&e.b, "%s%s: %s\n", indent, key, value)
}

// server writes the machine of job classes and how long to simulate.
func (e *encoder) server(s *Scenario) {
	words := []string{fmt.Sprintf("nodes: %d", s.Nodes)}
	if width := meanWidth(s.Classes); math.Abs(s.Parallel*width-float64(s.Nodes)) > 1e-12*float64(s.Nodes) {
		words[0] = "parallel: " + formatNumber(s.Parallel)
	}
	words = append(words, "residual: "+s.Residual.String())
	if s.GraceIgnored {
		words = append(words, "grace: ignored")
	}
	if s.Waiting != nil {
		words = append(words, fmt.Sprintf("waiting: %d", *s.Waiting))
	}
	e.field("", "server", flow(words...))
	if s.Phi != 1 {
		e.field("", "phi", formatNumber(s.Phi))
	}
	m := s.Simulation
	if m == (Simulation{}) {
		return
	}
	words = []string{fmt.Sprintf("jobs: %d", m.Jobs)}
	if m.Horizon > 0 {
		words[0] = "horizon: " + formatNumber(m.Horizon)
	}
	warmup := formatNumber(m.Warmup.Seconds) + "s"
	if m.Warmup.Seconds == 0 {
		warmup = inverse(m.Warmup.Fraction, 100) + "%"
	}
	e.field("", "simulation", flow(append(words, "warmup: "+warmup, fmt.Sprintf("replications: %d", m.Replications))...))
}

// trace writes a trace.
func (e *encoder) trace(t *Trace) {
	if t.QoS != nil || t.IC != nil || t.Machines != nil || t.Load > 0 && t.LoadNodes != t.Nodes {
		e.fail("a trace with qos, ic, unlike nodes or the load of another machine")
	}
	words := []string{"file: " + word(t.File), "jobs: " + t.Jobs.String(), "cleaning: " + t.Cleaning}
	if t.Load > 0 {
		e.field("", "load", formatNumber(t.Load))
	} else {
		words = append(words, "arrival_delay_factor: "+formatNumber(t.Delay))
	}
	if t.Nodes > 0 {
		words = append(words, fmt.Sprintf("nodes: %d", t.Nodes))
	}
	if t.Estimates != "" {
		words = append(words, "estimates: "+t.Estimates)
	}
	e.field("", "trace", flow(words...))
}

// class writes what job classes and the customers of a trace have in common.
func (e *encoder) class(c model.Class) {
	const in = "    "
	if c.Length != nil {
		kind, mean, sd, least, ok := model.Stated(c.Length)
		if !ok {
			e.fail("the length of class " + c.Name)
		}
		words := []string{"dist: " + string(kind), "mean: " + digits(mean)}
		if kind != model.Deterministic && kind != model.Exponential {
			words = append(words, "sd: "+digits(sd))
		}
		e.field(in, "length", flow(numberField{"min", least}.add(words)...))
	}
	const hour = 3600
	e.field(in, "price", e.price("the price of class "+c.Name, c.Price))
	e.field(in, "decay", e.variant("the decay of class "+c.Name, formatNumber(c.Decay), form{"per_hour", c.DecayOfPrice, hour}))
	if c.Deadline != (model.Grace{}) {
		e.field(in, "deadline", e.variant("the deadline of class "+c.Name, formatNumber(c.Deadline.Fixed), form{"lengths", c.Deadline.Lengths, 1}))
	} else if c.Dated {
		e.field(in, "grace", e.variant("the grace of class "+c.Name, formatNumber(c.Grace.Fixed), form{"lengths", c.Grace.Lengths, 1}))
	}
	if c.Hard > 0 {
		e.field(in, "hard", formatNumber(c.Hard))
	}
	if c.Floor.None {
		e.field(in, "floor", "none")
	} else {
		e.field(in, "floor", e.variant("the floor of class "+c.Name, formatNumber(c.Floor.Fixed), form{"of_price", c.Floor.OfPrice, 1}))
		if c.Expire != model.ExpireFloor {
			e.field(in, "expire", c.Expire.String())
		}
	}
	if c.SLO != nil {
		e.field(in, "slo", flow("within: "+formatNumber(c.SLO.Within), "level: "+formatNumber(c.SLO.Level)))
	}
}

// price writes a tariff.
func (e *encoder) price(what string, t model.Tariff) string {
	const hour = 3600
	return e.variant(what, formatNumber(t.Fixed), form{"per_hour", t.PerSecond, hour}, form{"per_node_hour", t.PerNodeSecond, hour})
}

// demand writes a demand, and returns the class as the file has it: with the rate
// and the decay at the price to which the demand refers.
func (e *encoder) demand(c model.Class, price float64) model.Class {
	d := c.Demand
	// amount writes a mean price in the form of the tariff of the class.
	amount := func(x float64) string {
		t := model.Tariff{Fixed: c.Price.Fixed * x / price, PerSecond: c.Price.PerSecond * x / price, PerNodeSecond: c.Price.PerNodeSecond * x / price}
		return e.price("the demand of class "+c.Name, t)
	}
	words := []string{"curve: " + string(d.Curve), "elasticity: " + formatNumber(d.Elasticity)}
	if math.Abs(price-d.Price) > 1e-12*price {
		words = append(words, "at: "+amount(d.Price))
		c.DecayOfPrice *= price / d.Price
	}
	e.field("    ", "demand", flow(words...))
	if d.Max > 0 {
		e.field("    ", "price_max", amount(d.Max))
	}
	c.Rate = d.Rate
	return c
}

// form is a way to state a value: a field, the value and the unit of the field.
type form struct {
	key   string
	value float64
	unit  float64
}

// variant writes the form whose value is not 0, else the plain number. Two forms
// at once stand in no file.
func (e *encoder) variant(what, plain string, forms ...form) string {
	text, given := plain, 0
	if plain != "0" {
		given++
	}
	for _, f := range forms {
		if f.value != 0 {
			text = flow(f.key + ": " + inverse(f.value, f.unit))
			given++
		}
	}
	if given > 1 {
		e.fail(what + ", which has two parts")
	}
	return text
}

// arrivals writes an arrival process other than the default.
func (e *encoder) arrivals(a model.Arrivals) {
	var parts []string
	switch a.Kind {
	case model.ArrivePoisson:
		return
	case model.ArriveRenewal:
		parts = []string{"renewal: {cv: " + formatNumber(a.CV) + "}"}
	case model.ArriveBursts:
		parts = []string{"bursts: " + flow("on: "+formatNumber(a.On), "off: "+formatNumber(a.Off), "ratio: "+formatNumber(a.Ratio))}
	}
	switch {
	case a.File != "":
		parts = append(parts, "profile: "+word(a.File))
	case len(a.Hours) > 24:
		parts = append(parts, "profile: weekly", "hours: "+numbers(a.Hours))
	case a.Hours != nil:
		parts = append(parts, "profile: daily", "hours: "+numbers(a.Hours))
	}
	e.field("    ", "arrivals", flow(parts...))
}

// selector writes which jobs of a trace are those of a class.
func (e *encoder) selector(s *model.Selector) {
	if s == nil {
		return
	}
	var words []string
	for _, f := range []struct {
		key  string
		list []model.Party
	}{{"user", s.Users}, {"group", s.Groups}, {"queue", s.Queues}, {"partition", s.Partitions}, {"account", s.Accounts}} {
		var list []string
		for _, p := range f.list {
			if p.IsNumber {
				list = append(list, strconv.Itoa(p.Number))
			} else {
				list = append(list, quoted(p.Name))
			}
		}
		if list != nil {
			words = append(words, f.key+": ["+strings.Join(list, ", ")+"]")
		}
	}
	for _, f := range []struct {
		key  string
		span *model.Range
	}{{"width", s.Width}, {"length", s.Length}, {"estimate", s.Estimate}} {
		if f.span != nil {
			words = append(words, f.key+": "+numbers([]float64{f.span.Least, f.span.Most}))
		}
	}
	if s.Share != 1 || words == nil {
		words = append(words, "share: "+formatNumber(s.Share))
	}
	e.field("    ", "of", flow(words...))
}

func widthText(w model.Width) string {
	switch len(w.Values) {
	case 0:
		return "1"
	case 1:
		return formatNumber(w.Values[0])
	}
	return flow("values: "+numbers(w.Values), "weights: "+numbers(w.Weights))
}

func flow(words ...string) string { return "{" + strings.Join(words, ", ") + "}" }

// digits writes a number to twelve digits: rounding stays out of sight.
func digits(x float64) string { return strconv.FormatFloat(x, 'g', 12, 64) }

// inverse writes a number that makes x when it is read and divided by unit: of
// twelve digits where that will do.
func inverse(x, unit float64) string {
	y := x * unit
	for _, near := range []float64{rounded(y, y), y, math.Nextafter(y, 0), math.Nextafter(y, math.Inf(1))} {
		if near/unit == x {
			return formatNumber(near)
		}
	}
	return formatNumber(y)
}

// WriteYAML writes the sweep file that ReadSweep reads as this sweep. The
// scenario is named where it is a built-in one; else its text stands in the
// file, and the path of its trace, if that is relative, is then relative to the
// sweep file.
func (s *Sweep) WriteYAML(w io.Writer) error {
	var b bytes.Buffer
	s.writeScenario(&b)
	writeMapping(&b, "set", len(s.Set), func(i int) (string, string) { return s.Set[i].Path, word(s.Set[i].Value) })
	writeMapping(&b, "vary", len(s.Vary), func(i int) (string, string) { return s.Vary[i].Path, numbers(s.Vary[i].Values) })
	writeList(&b, "policies", len(s.Policies), func(i int) string { return s.Policies[i].yaml() })
	if len(s.Admissions) != 1 || !s.Admissions[0].same(Admission{Name: AdmitAll}) { // the default, which traces do not take
		writeList(&b, "admissions", len(s.Admissions), func(i int) string { return s.Admissions[i].yaml() })
	}
	fmt.Fprintf(&b, "seed: %d\n", s.Seed)
	switch {
	case s.Precision != nil:
		fmt.Fprintf(&b, "seeds: %s\n", s.Precision.yaml())
	case s.Replications != 0:
		fmt.Fprintf(&b, "seeds: %d\n", s.Replications)
	}
	writeList(&b, "metrics", len(s.Metrics), func(i int) string { return word(s.Metrics[i]) })
	if s.Classes {
		b.WriteString("classes: true\n")
	}
	if s.Plain {
		b.WriteString("plain: true\n")
	}
	_, err := w.Write(b.Bytes())
	return err
}

// writeScenario writes the name of a built-in scenario, or the text of another.
func (s *Sweep) writeScenario(b *bytes.Buffer) {
	text := s.Scenario.source
	for _, name := range builtinNames() {
		if bytes.Equal(text, builtinSource(name)) {
			fmt.Fprintf(b, "scenario: %s\n", name)
			return
		}
	}
	if !literal(string(text)) {
		fmt.Fprintf(b, "scenario: %s\n", quoted(string(text)))
		return
	}
	b.WriteString("scenario: |\n")
	for line := range strings.Lines(string(text)) {
		if line != "\n" {
			line = "  " + line
		}
		b.WriteString(line)
	}
}

// literal reports whether a text may stand in a literal block of YAML as it is.
func literal(text string) bool {
	return strings.HasSuffix(text, "\n") && !strings.HasSuffix(text, "\n\n") && strings.Trim(text[:1], " \n\t") != "" &&
		!strings.ContainsFunc(text, func(r rune) bool { return r != '\n' && (r < ' ' || r > '~') }) && !strings.Contains(text, " \n")
}

// writeMapping writes a field that is a mapping, unless that is empty.
func writeMapping(b *bytes.Buffer, name string, n int, entry func(i int) (key, value string)) {
	if n == 0 {
		return
	}
	fmt.Fprintf(b, "%s:\n", name)
	for i := range n {
		key, value := entry(i)
		fmt.Fprintf(b, "  %s: %s\n", word(key), value)
	}
}

// writeList writes a field that is a list, unless that is empty.
func writeList(b *bytes.Buffer, name string, n int, item func(i int) string) {
	if n == 0 {
		return
	}
	var items []string
	for i := range n {
		items = append(items, item(i))
	}
	fmt.Fprintf(b, "%s: [%s]\n", name, strings.Join(items, ", "))
}

func (p Policy) yaml() string {
	if len(p.Options) == 0 {
		return word(p.Name)
	}
	var options []string
	for _, name := range slices.Sorted(maps.Keys(p.Options)) {
		options = append(options, word(name)+": "+word(p.Options[name]))
	}
	return fmt.Sprintf("{%s: {%s}}", word(p.Name), strings.Join(options, ", "))
}

func (a Admission) yaml() string {
	if a.Admit != nil {
		return numbers(a.Admit)
	}
	if a.Search == nil || *a.Search == (SearchEffort{}) {
		return word(a.Name)
	}
	var words []string
	for _, f := range []numberField{{"jobs", float64(a.Search.Jobs)}, {"replications", float64(a.Search.Replications)}, {"step", a.Search.Step}} {
		words = f.add(words)
	}
	return fmt.Sprintf("{%s: {%s}}", word(a.Name), strings.Join(words, ", "))
}

func (p SweepPrecision) yaml() string {
	words := []string{"precision: " + formatNumber(p.Relative)}
	if p.Metric != "" {
		words = append(words, "metric: "+word(p.Metric))
	}
	words = numberField{"least", float64(p.Least)}.add(words)
	words = numberField{"most", float64(p.Most)}.add(words)
	return "{" + strings.Join(words, ", ") + "}"
}

// numberField is a field of which 0 means that it is not given.
type numberField struct {
	name  string
	value float64
}

// add appends the field to others where it is given.
func (f numberField) add(words []string) []string {
	if f.value == 0 {
		return words
	}
	return append(words, f.name+": "+formatNumber(f.value))
}

func numbers(x []float64) string {
	words := make([]string, len(x))
	for i := range x {
		words[i] = formatNumber(x[i])
	}
	return "[" + strings.Join(words, ", ") + "]"
}

// formatNumber writes a number that is read back as it was.
func formatNumber(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

// word writes a text as a scalar: as it is where that is safe, else quoted.
func word(text string) string {
	safe := func(r rune) bool {
		return r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || strings.ContainsRune("._-+%$", r)
	}
	if text != "" && !strings.ContainsFunc(text, func(r rune) bool { return !safe(r) }) && !strings.ContainsAny(text[:1], "-+%.") {
		return text
	}
	return quoted(text)
}

func quoted(text string) string {
	q, err := json.Marshal(text)
	if err != nil {
		panic("scenario: " + err.Error())
	}
	return string(q)
}
