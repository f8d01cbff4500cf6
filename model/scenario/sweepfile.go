package scenario

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"revopt/internal/text"
)

// Sweep is what a sweep file says: a scenario, the parameters that vary and
// what to run and measure at each of their values.
type Sweep struct {
	Scenario     *Document       // without what is set
	Set          []Override      // what holds at every point
	Vary         []Axis          // the first varies slowest
	Policies     []Policy        // nil where none are given
	Admissions   []Admission     // nil admits all
	Seed         uint64          // 1 where the file gives none
	Replications int             // 0 where the scenario says how many
	Precision    *SweepPrecision // nil where the number of replications is fixed
	Metrics      []string        // nil where all are wanted
	Classes      bool            // figures of each class as well
	Plain        bool            // without control variates
}

// Axis is a parameter and the values that it takes. Its path leads to a numeric
// field of the scenario, or is policies.NAME.OPTION and leads to an option of
// all policies of that name.
type Axis struct {
	Path   string
	Values []float64
	places []string // of the values in a file, one for all of a span; nil elsewhere
}

// Override returns the override of the k-th value. Messages name its place in
// the sweep file.
func (a Axis) Override(k int) Override {
	o := Set(a.Path, a.Values[k])
	o.Source = "vary " + o.Path + "=" + o.Value
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

// SweepPrecision asks for replications until the interval of a figure of merit
// is narrow enough.
type SweepPrecision struct {
	Relative float64 `json:"relative"` // half width as a share of the mean, 0.01 is 1 %
	Metric   string  `json:"metric"`   // "" where the caller knows which
	Least    int     `json:"least"`    // replications before the first look; 0 is the caller's default
	Most     int     `json:"-"`        // 0 is the caller's default
}

// SweepTables is what the caller of ReadSweep knows: the policies and figures
// of merit for a scenario.
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

// ParseSweep is ReadSweep for the text of a sweep file; file is its name in
// messages, to whose directory paths are relative.
func ParseSweep(file string, text []byte, tables SweepTables) (*Sweep, error) {
	doc, err := Parse(file, text)
	if err != nil {
		return nil, err
	}
	return doc.sweep(nil, tables)
}

// Check returns the sweep as it would be read from the file that WriteYAML
// writes, with the same defaults and errors, which name that file's lines.
func (s *Sweep) Check(tables SweepTables) (*Sweep, error) {
	if s.Scenario.root.overridden() {
		return nil, &Error{File: s.Scenario.file, Message: "expected overrides in what the sweep sets, not in its scenario"}
	}
	var text strings.Builder
	if err := s.WriteYAML(&text); err != nil {
		return nil, err
	}
	doc, err := Parse("sweep", []byte(text.String()))
	if err != nil {
		return nil, err
	}
	return doc.sweep(s.Scenario, tables)
}

// overridden reports whether any value comes from an override.
func (n *node) overridden() bool {
	return n.source != "" || slices.ContainsFunc(n.items, (*node).overridden) ||
		slices.ContainsFunc(n.fields, func(f field) bool { return f.value.overridden() })
}

// sweep decodes a sweep file, whose scenario may be given.
func (d *Document) sweep(given *Document, tables SweepTables) (*Sweep, error) {
	dec := &decoder{file: d.file}
	s := dec.sweep(&cursor{d: dec, n: d.root}, given, tables)
	if dec.err != nil {
		return nil, dec.err
	}
	return s, nil
}

// sweep decodes the whole document.
func (d *decoder) sweep(root *cursor, given *Document, tables SweepTables) *Sweep {
	if !root.mapping("a sweep", "scenario", "set", "vary", "policies", "admissions", "seed", "seeds", "metrics", "classes", "plain") {
		return nil
	}
	s := &Sweep{Scenario: given}
	if given == nil {
		s.Scenario = d.swept(root.get("scenario"))
	}
	if d.err != nil {
		return nil
	}
	doc, base := d.settings(root.get("set"), s)
	if d.err != nil {
		return nil
	}
	policies, metrics := tables(base)
	s.Policies = d.policies(root.get("policies"), policies, base)
	s.Vary = d.axes(root.get("vary"), doc, policies)
	s.Admissions = d.admissions(root.get("admissions"), base)
	s.Seed = d.seed(root.get("seed"))
	s.Metrics = d.metrics(root.get("metrics"), metrics)
	d.seeds(root.get("seeds"), s, metrics)
	s.Classes = root.get("classes").choice("false", "true") == "true"
	s.Plain = root.get("plain").choice("false", "true") == "true"
	return s
}

// seed reads the seed, 1 where there is none.
func (d *decoder) seed(c *cursor) uint64 {
	if !c.given() {
		return 1
	}
	seed, err := strconv.ParseUint(c.n.text, 10, 64)
	if err != nil || c.n.kind != scalar || c.n.quoted {
		c.expected("a whole number of at least 0")
	}
	return seed
}

// swept opens the scenario.
func (d *decoder) swept(c *cursor) *Document {
	if c.given() && c.n.kind == scalar && strings.Contains(c.n.text, "\n") {
		return d.sweptText(c)
	}
	name := c.text("the path of a scenario, or the name of a built-in one")
	if d.err != nil {
		return nil
	}
	path := name
	if !filepath.IsAbs(name) {
		path = filepath.Join(filepath.Dir(d.file), name)
	}
	_, err := os.Stat(path)
	missing := errors.Is(err, fs.ErrNotExist)
	names := builtinNames()
	var doc *Document
	switch {
	case missing && slices.Contains(names, name):
		doc, err = Builtin(name)
	case missing:
		c.fail("no such file beside the sweep, and no built-in scenario of that name (there is %s)%s", strings.Join(names, ", "), text.DidYouMean(name, names))
		return nil
	default:
		doc, err = Read(path)
	}
	if err != nil {
		d.err = err
	}
	return doc
}

// sweptText reads a scenario whose text stands in the sweep. Messages count its
// lines from its own first.
func (d *decoder) sweptText(c *cursor) *Document {
	doc, err := Parse(d.file+": scenario", []byte(c.n.text))
	if err != nil {
		d.err = err
	}
	return doc
}

// settings reads the overrides that hold everywhere and returns the scenario
// with them, which must be valid.
func (d *decoder) settings(c *cursor, s *Sweep) (*Document, *Scenario) {
	if c.given() && (c.n.kind != mapping || len(c.n.fields) == 0) {
		c.expected("a mapping of paths to values such as {simulation.jobs: 20000}")
		return nil, nil
	}
	if c.given() {
		for _, f := range c.n.fields {
			place := c.get(f.key)
			if place.n.kind != scalar {
				place.expected("a single value")
				return nil, nil
			}
			s.Set = append(s.Set, Override{Path: f.key, Value: place.n.text, Source: place.place() + ": set " + f.key + "=" + place.n.text})
		}
	}
	doc, err := s.Scenario.With(s.Set...)
	var base *Scenario
	if err == nil {
		base, err = doc.Scenario(nil)
	}
	if err != nil {
		d.err = err
	}
	return doc, base
}

// axes reads the parameters that vary.
func (d *decoder) axes(c *cursor, base *Document, known []KnownPolicy) []Axis {
	if !c.given() || d.err != nil {
		return nil
	}
	if c.n.kind != mapping || len(c.n.fields) == 0 {
		c.expected("a mapping of paths to values such as {load: 0.5:1.4:0.1}")
		return nil
	}
	var axes []Axis
	for _, f := range c.n.fields {
		place := c.get(f.key)
		axis := Axis{Path: f.key, Values: d.axisValues(place), places: places(place)}
		if d.err != nil {
			return nil
		}
		if name, option, ok := axis.Option(); ok {
			d.optionAxis(place, name, option, axis.Values, known)
		} else if err := axis.check(base); err != nil {
			place.fail("%s", err.Message)
		}
		axes = append(axes, axis)
	}
	return axes
}

// axisValues reads a list of numbers, or from:to:step.
func (d *decoder) axisValues(c *cursor) []float64 {
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
			c.fail("expected %v, got %s", err, c.n.describe()) // a span of too many, or none
		case err != nil || c.n.kind != scalar:
			c.fail("expected numbers as in [0.5, 0.9], 0.5:1.4:0.1 (from:to:step) or 0.5:1.4:x10 (10 values), got %s", c.n.describe())
		}
	}
	sorted := slices.Sorted(slices.Values(values))
	if len(slices.Compact(sorted)) < len(values) {
		c.fail("expected every value once")
	}
	return values
}

// place returns where a value stands.
func (c *cursor) place() string { return fmt.Sprintf("%s:%d:%d", c.d.file, c.n.line, c.n.column) }

// places returns where the values of an axis stand, a span's in one place.
func places(c *cursor) []string {
	if c.n.kind != sequence {
		return []string{c.place()}
	}
	list := make([]string, len(c.n.items))
	for i, n := range c.n.items {
		list[i] = (&cursor{d: c.d, n: n}).place()
	}
	return list
}

// optionAxis checks an axis that varies an option of a policy.
func (d *decoder) optionAxis(c *cursor, name, option string, values []float64, known []KnownPolicy) {
	var names []string
	for _, k := range known {
		names = append(names, k.Name)
	}
	i := slices.Index(names, name)
	switch {
	case i < 0:
		c.fail("expected policies.NAME.OPTION of a policy there is (%s)%s", strings.Join(names, ", "), text.DidYouMean(name, names))
	case !slices.Contains(known[i].Options, option):
		c.fail("expected an option of %s (%s)%s", name, strings.Join(known[i].Options, ", "), text.DidYouMean(option, known[i].Options))
	}
	for k := 0; k < len(values) && d.err == nil; k++ {
		if err := known[i].Check(option, formatNumber(values[k])); err != nil {
			c.fail("%v", err)
		}
	}
}

// check reports whether the path leads to a number, in the document as it is or
// with the first value.
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

// Admission is a way to admit jobs: one of the names, or a probability for
// each class.
type Admission struct {
	Name   string
	Admit  []float64     // nil where Name says how
	Search *SearchEffort `json:",omitempty"` // of a search; nil is the default
	place  string        // in a file; "" elsewhere
}

// Blame returns the error of an admission that cannot be had, with its place in
// the sweep file.
func (a Admission) Blame(message string) *Error {
	return &Error{File: a.place, Path: "admission " + a.Name, Message: message}
}

// The admissions that have names.
const (
	AdmitAll             = "all"
	AdmitAnalytic        = "analytic"         // best by the model
	AdmitSimulated       = "simulated"        // best on the simulator, found by a search
	AdmitPromise         = "promise"          // likewise, of those that keep the promises
	AdmitThreshold       = "threshold"        // best limits on the jobs that wait, by the model or a search
	AdmitState           = "state"            // best of all that look at the queue, by the model
	AdmitPricesSimulated = "prices-simulated" // likewise, searched on the simulator
	AdmitPrices          = "prices"           // the prices that earn most by the model, and the jobs that come at them
)

// SearchEffort is how much a search for the best admission simulates. A 0 is the
// default of the search.
type SearchEffort struct {
	Jobs         int     // per replication, at most
	Replications int     // of each admission tried
	Step         float64 // of a probability, at the end of the search
}

// same reports whether two admissions are the same.
func (a Admission) same(b Admission) bool {
	effort := func(a Admission) SearchEffort {
		if a.Search == nil {
			return SearchEffort{}
		}
		return *a.Search
	}
	return a.Name == b.Name && slices.Equal(a.Admit, b.Admit) && effort(a) == effort(b)
}

// admissions reads the ways to admit jobs, all of them where none is given.
func (d *decoder) admissions(c *cursor, base *Scenario) []Admission {
	if !c.given() || d.err != nil {
		return []Admission{{Name: AdmitAll}}
	}
	classes := max(1, len(base.Classes))
	if base.Trace != nil && base.Trace.QoS != nil {
		classes = 2 // of urgency
	}
	var list []Admission
	for _, item := range c.list("a list of admissions such as [all, analytic, [1, 1, 0.5, 0]]") {
		a := d.admission(item)
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

// admission reads a name, probabilities, or a search and its effort.
func (d *decoder) admission(c *cursor) Admission {
	var a Admission
	switch c.n.kind {
	case sequence:
		for _, q := range c.list("a probability for each class") {
			a.Admit = append(a.Admit, q.number(fraction))
		}
	case mapping:
		if !c.mapping("a search such as {simulated: {jobs: 5000}}", AdmitSimulated, AdmitPromise, AdmitThreshold) {
			return a
		}
		if n := len(c.n.fields); n != 1 {
			c.fail("expected one search such as {simulated: {jobs: 5000}}, got %d", n)
			return a
		}
		a.Name = c.n.fields[0].key
		a.Search = d.effort(c.get(a.Name))
	default:
		a.Name = c.choice(AdmitAll, AdmitAnalytic, AdmitSimulated, AdmitPromise, AdmitThreshold, AdmitState, AdmitPrices)
	}
	return a
}

// effort reads how much a search simulates.
func (d *decoder) effort(c *cursor) *SearchEffort {
	if !c.mapping("the effort of a search such as {jobs: 5000, replications: 4, step: 0.05}", "jobs", "replications", "step") {
		return nil
	}
	e := SearchEffort{
		Jobs:         int(c.get("jobs").numberOr(count, 0)),
		Replications: int(c.get("replications").numberOr(searchReplications, 0)),
		Step:         c.get("step").numberOr(searchStep, 0),
	}
	if e == (SearchEffort{}) {
		return nil
	}
	return &e
}

var (
	searchReplications = quantity{want: "a whole number from 1 to 100000", unit: plain, least: 1, most: 1e5, whole: true}
	searchStep         = quantity{want: "a step of at least 0.0001 and at most 0.25", unit: percent, least: 1e-4, most: 0.25}
)

// metrics reads the names of figures of merit.
func (d *decoder) metrics(c *cursor, known []string) []string {
	if !c.given() || d.err != nil {
		return nil
	}
	var names []string
	for _, item := range c.list("a list of figures of merit such as [revenue_per_second, utilization]") {
		name := item.choice(known...)
		if slices.Contains(names, name) {
			item.fail("expected every figure once, got %s twice", quote(name))
		}
		names = append(names, name)
	}
	return names
}

// seeds reads how many replications there are, or how precise they must be.
func (d *decoder) seeds(c *cursor, s *Sweep, known []string) {
	switch {
	case !c.given() || d.err != nil:
	case c.n.kind == mapping:
		s.Precision = d.precision(c, s, known)
	default:
		s.Replications = int(c.number(count))
	}
}

// precision reads when the replications of a point are enough. The figure must
// be one of those that the sweep measures.
func (d *decoder) precision(c *cursor, s *Sweep, known []string) *SweepPrecision {
	if !c.mapping("a number, or a precision such as {precision: 1%, most: 200}", "precision", "metric", "least", "most") {
		return nil
	}
	p := &SweepPrecision{
		Relative: c.get("precision").number(openFraction),
		Least:    int(c.get("least").numberOr(sampleSize, 0)),
		Most:     int(c.get("most").numberOr(sampleSize, 0)),
	}
	if p.Least > 0 && p.Most > 0 && p.Least > p.Most {
		c.get("most").fail("expected at least as many as least, %d, got %d", p.Least, p.Most)
	}
	if s.Metrics != nil {
		known = s.Metrics
	}
	if metric := c.get("metric"); metric.given() {
		p.Metric = metric.choice(known...)
	}
	return p
}

// sampleSize is how many replications an interval may be of.
var sampleSize = quantity{want: "a whole number from 2 to 1000000", unit: plain, least: 2, most: 1e6, whole: true}
