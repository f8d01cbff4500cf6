package scenario

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"revopt/internal/removed"
	"revopt/internal/text"
)

// Sweep is the content of a sweep file: a scenario, the parameters that vary, and the
// policies, admissions and measures at each of their values.
type Sweep struct {
	Scenario     *Document       // without Set
	Set          []Override      // they hold at every point
	Vary         []Axis          // the first varies slowest
	Policies     []Policy        // nil if none are given
	Admissions   []Admission     // nil admits all
	Seed         uint64          // 1 if the file gives none
	Replications int             // 0 if the scenario says how many
	Precision    *SweepPrecision // nil if the number of replications is fixed
	Metrics      []string        // nil if all are wanted
	Classes      bool            // figures of each class as well
	Bounds       bool            // bounds that no policy can exceed as well
	Resample     bool            // by weeks: the jobs of a trace are drawn anew
	Objective    string          // that policies are compared by: wait or slowdown; "" is the value
}

// Axis is a parameter and its values. Its path is that of a numeric field of the
// scenario, or policies.NAME.OPTION for an option of all policies of that name.
type Axis struct {
	Path   string
	Values []float64
	places []string // positions of the values in a file; nil if they are not from a file
}

// Override returns the override of the k-th value, with its position in the file.
func (a Axis) Override(k int) Override {
	o := Set(a.Path, a.Values[k])
	o.Source = "vary " + o.String()
	if len(a.places) > 0 {
		o.Source = a.places[min(k, len(a.places)-1)] + ": " + o.Source
	}
	return o
}

// Option returns the policy and option that an axis varies, and whether it does.
func (a Axis) Option() (policy, option string, ok bool) {
	parts := strings.Split(a.Path, ".")
	if len(parts) != 3 || parts[0] != "policies" {
		return "", "", false
	}
	return parts[1], parts[2], true
}

// SweepPrecision asks for replications until the interval of a measure is narrow.
type SweepPrecision struct {
	Relative float64 `json:"relative"` // half width as a share of the mean, 0.01 is 1 %
	Metric   string  `json:"metric"`   // "" is the caller's default
	Least    int     `json:"least"`    // replications before the first look; 0 is the caller's default
	Most     int     `json:"-"`        // 0 is the caller's default
}

// SweepTables returns the policies and measures that are known for a scenario.
type SweepTables func(s *Scenario) (policies []KnownPolicy, metrics []string)

// ReadSweep reads a sweep file. Its scenario is a path relative to the file, the
// name of a built-in one, or the text of one. The error is an *Error.
func ReadSweep(path string, tables SweepTables) (*Sweep, error) {
	doc, err := Read(path)
	if err != nil {
		return nil, err
	}
	return doc.sweep(nil, tables)
}

// ParseSweep reads the text of a sweep file whose scenario is given.
func ParseSweep(path string, text []byte, of *Document, tables SweepTables) (*Sweep, error) {
	doc, err := Parse(path, text)
	if err != nil {
		return nil, err
	}
	return doc.sweep(of, tables)
}

// sweep decodes a sweep file, whose scenario may be given.
func (d *Document) sweep(given *Document, tables SweepTables) (*Sweep, error) {
	dec := &decoder{file: d.file}
	s := &Sweep{Scenario: given}
	if !s.table(tables).read(&cursor{d: dec, n: d.root}, "a sweep") {
		return nil, dec.err
	}
	return s, nil
}

func (s *Sweep) table(tables SweepTables) table {
	var doc *Document  // with what is set
	var base *Scenario // of doc
	var metrics []string
	return table{
		{key: "scenario", read: func(c *cursor) {
			if s.Scenario == nil {
				s.Scenario = c.swept()
			}
		}},
		{key: "set", read: func(c *cursor) {
			doc, base = c.settings(s)
			if c.d.err == nil {
				c.d.known, metrics = tables(base)
			}
		}},
		row{key: "vary", read: func(c *cursor) { s.Vary = c.axes(doc) }}.ifGiven(true),
		row{key: "policies", read: func(c *cursor) { s.Policies = c.policies(base) }}.ifGiven(true),
		{key: "admissions", read: func(c *cursor) { s.Admissions = c.admissions(base) }},
		{key: "seed", read: func(c *cursor) { s.Seed = c.seed() }},
		{key: "seeds"}, // read after metrics
		row{key: "metrics", read: func(c *cursor) { s.Metrics = c.metrics(metrics) }}.
			ifGiven(true).
			then(func(c *cursor) {
				if s.Metrics != nil {
					metrics = s.Metrics
				}
				s.readSeeds(c.up.get("seeds"), metrics)
			}),
		flag("classes", &s.Classes, "false", "true"),
		flag("bounds", &s.Bounds, "false", "true"),
		flag("resample", &s.Resample, "none", "weeks"),
		{key: "objective", optional: true, read: func(c *cursor) {
			s.Objective, _ = ParseObjective(choose(c, Objectives()...))
		}},
	}
}

// seed reads the seed, 1 if it is absent.
func (c *cursor) seed() uint64 {
	if !c.given() {
		return 1
	}
	seed, err := strconv.ParseUint(c.n.text, 10, 64)
	if err != nil || c.n.kind != scalar || c.n.quoted {
		c.expected("a whole number of at least 0")
	}
	return seed
}

// swept opens the scenario of a sweep: a file, a built-in one, or a text. Messages
// count the lines of a text from its own first line.
func (c *cursor) swept() *Document {
	var doc *Document
	var message string
	var err error
	if strings.Contains(c.n.plainText(), "\n") {
		doc, err = Parse(c.d.file+": scenario", []byte(c.n.text))
	} else if path := c.file("the path of a scenario, or the name of a built-in one"); c.d.err == nil {
		doc, message, err = open(path, c.n.text)
		if message != "" {
			c.fail("no such file beside the sweep, and %s", message)
		}
	}
	if err != nil {
		c.d.err = err
	}
	return doc
}

// settings reads the overrides that hold everywhere and applies them.
func (c *cursor) settings(s *Sweep) (*Document, *Scenario) {
	if c.given() && (c.n.kind != mapping || len(c.n.fields) == 0) {
		c.expected("a mapping of paths to values such as {simulation.jobs: 20000}")
		return nil, nil
	}
	for _, place := range c.fields() {
		if place.n.kind != scalar {
			place.expected("a single value")
			return nil, nil
		}
		o := Override{Path: place.key, Value: place.n.text}
		o.Source = place.place() + ": set " + o.String()
		s.Set = append(s.Set, o)
	}
	doc, err := s.Scenario.With(s.Set...)
	var base *Scenario
	if err == nil {
		base, err = doc.Scenario(nil)
	}
	if err != nil {
		c.d.err = err
	}
	return doc, base
}

func (c *cursor) axes(base *Document) []Axis {
	if c.n.kind != mapping || len(c.n.fields) == 0 {
		c.expected("a mapping of paths to values such as {load: 0.5:1.4:0.1}")
		return nil
	}
	var axes []Axis
	for _, place := range c.fields() {
		axis := Axis{Path: place.key, Values: place.axisValues(), places: places(place)}
		if c.d.err != nil {
			return nil
		}
		if name, option, ok := axis.Option(); ok {
			place.checkOption(name, option, axis.Values)
		} else if err := axis.check(base); err != nil {
			place.fail("%s", err.Message)
		}
		axes = append(axes, axis)
	}
	return axes
}

// axisValues reads a list of numbers, or from:to:step.
func (c *cursor) axisValues() []float64 {
	var values []float64
	if c.n.kind == sequence {
		for _, item := range c.list("a list of numbers") {
			values = append(values, item.number(quantity{want: "a number", unit: plain, least: math.Inf(-1)}))
		}
	} else {
		var err error
		values, err = ParseValues(c.n.text)
		switch {
		case err != nil && strings.Count(c.n.text, ":") == 2 && err.Error() != "numbers":
			c.fail("expected %v, got %s", err, c.n.describe()) // too many values, or none
		case err != nil || c.n.kind != scalar:
			c.fail("expected numbers as in [0.5, 0.9], 0.5:1.4:0.1 (from:to:step) or 0.5:1.4:x10 (10 values), got %s",
				c.n.describe())
		}
	}
	sorted := slices.Sorted(slices.Values(values))
	if len(slices.Compact(sorted)) < len(values) {
		c.fail("expected every value once")
	}
	return values
}

func (c *cursor) place() string { return fmt.Sprintf("%s:%d:%d", c.d.file, c.n.line, c.n.column) }

// places returns the positions of the values of an axis, one position for a span.
func places(c *cursor) []string {
	if c.n.kind != sequence {
		return []string{c.place()}
	}
	return text.Each(c.n.items, func(n *node) string { return (&cursor{d: c.d, n: n}).place() })
}

// checkOption checks an axis that varies an option of a policy.
func (c *cursor) checkOption(name, option string, values []float64) {
	k, names := findPolicy(c.d.known, name)
	switch {
	case k == nil:
		c.fail("expected policies.NAME.OPTION of a policy there is (%s)%s",
			strings.Join(names, ", "), text.DidYouMean(name, names))
		return
	case !k.takes(option):
		c.fail("expected an option of %s (%s)%s",
			name, strings.Join(k.Options, ", "), text.DidYouMean(option, k.Options))
	}
	for i := 0; i < len(values) && c.d.err == nil; i++ {
		if err := k.Check(option, formatNumber(values[i])); err != nil {
			c.fail("%v", err)
		}
	}
}

// check checks that the path is that of a number, as it is or with the first value.
func (a Axis) check(doc *Document) *Error {
	switch head, _, _ := strings.Cut(a.Path, "."); {
	case head == "policies":
		return &Error{Message: "expected policies.NAME.OPTION"}
	case a.Path == "simulation.replications":
		return &Error{Message: "expected seeds instead, which say how many replications there are"}
	}
	err := doc.CheckNumeric(a.Path)
	if err == nil {
		return nil
	}
	if first, missing := doc.With(Set(a.Path, a.Values[0])); missing == nil && first.CheckNumeric(a.Path) == nil {
		return nil
	}
	var e *Error
	if !errors.As(err, &e) {
		return &Error{Message: err.Error()}
	}
	return e
}

// Admission is a way to admit jobs: a name, or a probability for each class.
type Admission struct {
	Name   string
	Admit  []float64     // nil if Name says how
	Search *SearchEffort `json:",omitempty"` // nil is the default of the search
	place  string        // position in a file; "" if it is not from a file
}

// Blame returns an error about the admission, with its position in the sweep file.
func (a Admission) Blame(message string) *Error {
	return &Error{File: a.place, Path: "admission " + a.Name, Message: message}
}

// The admissions that have names.
const (
	AdmitAll       = "all"
	AdmitAnalytic  = "analytic"  // best by the model
	AdmitSimulated = "simulated" // best on the simulator, by a search
	AdmitPrices    = "prices"    // all jobs that come at the best prices, by the model
)

// SearchEffort is the effort of a search for the best admission; 0 is the default.
type SearchEffort struct {
	Jobs         int     // per replication, at most
	Replications int     // of each admission tried
	Step         float64 // of a probability, at the end of the search
}

// same reports whether two admissions of a file are the same.
func (a Admission) same(b Admission) bool { return a.Name == b.Name && slices.Equal(a.Admit, b.Admit) }

// admissions reads the ways to admit jobs, the default if c is absent.
func (c *cursor) admissions(base *Scenario) []Admission {
	if !c.given() {
		return []Admission{{Name: AdmitAll}}
	}
	classes := max(1, len(base.Classes))
	if base.Trace != nil && base.Trace.QoS != nil {
		classes = 2 // of urgency
	}
	var list []Admission
	for _, item := range c.list("a list of admissions such as [all, analytic, [1, 1, 0.5, 0]]") {
		a := item.admission()
		a.place = item.place()
		if a.Admit != nil && len(a.Admit) != classes {
			item.fail("expected a probability for each of %d classes, got %d", classes, len(a.Admit))
		}
		if slices.ContainsFunc(list, a.same) {
			item.fail("expected every admission once")
		}
		list = append(list, a)
	}
	return list
}

// admission reads a name or probabilities.
func (c *cursor) admission() Admission {
	var a Admission
	switch c.n.kind {
	case sequence:
		numberList("", "a probability for each class", &a.Admit, fraction).read(c)
	default:
		if old, gone := removed.Find(removed.Admission, c.n.plainText()); gone {
			c.fail("%s", old)
			return a
		}
		a.Name = choose(c, AdmitAll, AdmitAnalytic, AdmitSimulated, AdmitPrices)
	}
	return a
}

func (c *cursor) metrics(known []string) []string {
	var names []string
	for _, item := range c.list("a list of figures of merit such as [revenue_per_second, utilization]") {
		if old, gone := removed.Find(removed.Measure, item.n.plainText()); gone {
			item.fail("%s", old)
		}
		name := choose(item, known...)
		if slices.Contains(names, name) {
			item.fail("expected every figure once, got %s twice", quote(name))
		}
		names = append(names, name)
	}
	return names
}

// readSeeds reads the number of replications, or how precise they must be. The
// measure must be one of those that the sweep measures.
func (s *Sweep) readSeeds(c *cursor, metrics []string) {
	switch {
	case !c.given():
	case c.n.kind != mapping:
		s.Replications = int(c.number(count))
	default:
		s.Precision = new(SweepPrecision)
		s.Precision.table(metrics).read(c, "a number, or a precision such as {precision: 1%, most: 200}")
	}
}

// sampleSize is how many replications an interval may be of.
var sampleSize = quantity{want: "a whole number from 2 to 1000000", unit: plain, least: 2, most: 1e6, whole: true}

func (p *SweepPrecision) table(metrics []string) table {
	return table{
		number("precision", &p.Relative, openFraction),
		choice("metric", &p.Metric, metrics...).ifGiven(p.Metric != ""),
		number("least", &p.Least, sampleSize, 0),
		number("most", &p.Most, sampleSize, 0).then(func(c *cursor) {
			if p.Most > 0 && p.Least > p.Most {
				c.fail("expected at least as many as least, %d, got %d", p.Least, p.Most)
			}
		}),
	}
}
