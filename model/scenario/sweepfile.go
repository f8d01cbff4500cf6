package scenario

import (
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Sweep is what a sweep file says: a scenario, the parameters that vary and
// what to run and measure at each of their values.
type Sweep struct {
	Scenario     *Document  // without what is set
	Set          []Override // what holds at every point
	Vary         []Axis     // the first varies slowest
	Policies     []Policy   // nil where none are given
	Admissions   []Admission
	Seed         uint64
	Replications int      // 0 where the scenario says how many
	Metrics      []string // nil where all are wanted
	Classes      bool     // figures of each class as well
}

// Axis is a parameter and the values that it takes.
type Axis struct {
	Path   string
	Values []float64
}

// Admission is a way to admit jobs: one of the names, or a probability for
// each class.
type Admission struct {
	Name  string
	Admit []float64 // nil where Name says how
}

// The admissions that have names.
const (
	AdmitAll      = "all"
	AdmitAnalytic = "analytic"
)

// SweepTables is what the caller of ReadSweep knows: the policies and figures
// of merit for job classes or for traces.
type SweepTables func(trace bool) (policies []KnownPolicy, metrics []string)

// ReadSweep reads a sweep file. Its scenario is a path relative to the file, or
// the name of a built-in one. The error is an *Error.
func ReadSweep(path string, tables SweepTables) (*Sweep, error) {
	doc, err := Read(path)
	if err != nil {
		return nil, err
	}
	d := &decoder{file: path}
	s := d.sweep(&cursor{d: d, n: doc.root}, tables)
	if d.err != nil {
		return nil, d.err
	}
	return s, nil
}

// sweep decodes the whole document.
func (d *decoder) sweep(root *cursor, tables SweepTables) *Sweep {
	if !root.mapping("a sweep", "scenario", "set", "vary", "policies", "admissions", "seed", "seeds", "metrics", "classes") {
		return nil
	}
	s := &Sweep{Scenario: d.swept(root.get("scenario"))}
	if d.err != nil {
		return nil
	}
	base := d.settings(root.get("set"), s)
	if d.err != nil {
		return nil
	}
	trace := base.IsTrace()
	policies, metrics := tables(trace)
	s.Vary = d.axes(root.get("vary"), base)
	s.Policies = d.policies(root.get("policies"), policies, base.root.get("qos") != nil || !trace)
	s.Admissions = d.admissions(root.get("admissions"), trace)
	s.Seed = uint64(root.get("seed").numberOr(seedNumber, 1))
	if seeds := root.get("seeds"); seeds.given() {
		s.Replications = int(seeds.number(count))
	}
	s.Metrics = d.metrics(root.get("metrics"), metrics)
	s.Classes = root.get("classes").choice("false", "true") == "true"
	return s
}

var seedNumber = quantity{want: "a whole number of at least 0", unit: plain, most: maxWhole, whole: true}

// swept opens the scenario.
func (d *decoder) swept(c *cursor) *Document {
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
		c.fail("no such file beside the sweep, and no built-in scenario of that name (there is %s)%s", strings.Join(names, ", "), didYouMean(name, names))
		return nil
	default:
		doc, err = Read(path)
	}
	if err != nil {
		d.err = err
	}
	return doc
}

// settings reads the overrides that hold everywhere and returns the scenario
// with them, which must be valid.
func (d *decoder) settings(c *cursor, s *Sweep) *Document {
	if c.given() && (c.n.kind != mapping || len(c.n.fields) == 0) {
		c.expected("a mapping of paths to values such as {simulation.jobs: 20000}")
		return nil
	}
	if c.given() {
		for _, f := range c.n.fields {
			place := c.get(f.key)
			if place.n.kind != scalar {
				place.expected("a single value")
				return nil
			}
			s.Set = append(s.Set, Override{Path: f.key, Value: place.n.text, Source: d.file + ": set " + f.key + "=" + place.n.text})
		}
	}
	doc, err := s.Scenario.With(s.Set...)
	if err == nil {
		_, err = doc.NumericPaths()
	}
	if err != nil {
		d.err = err
	}
	return doc
}

// axes reads the parameters that vary.
func (d *decoder) axes(c *cursor, base *Document) []Axis {
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
		axis := Axis{Path: f.key, Values: d.axisValues(place)}
		if d.err != nil {
			return nil
		}
		if err := axis.check(base); err != nil {
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
		if values, err = ParseValues(c.n.text); err != nil || c.n.kind != scalar {
			c.fail("expected numbers as in [0.5, 0.9], 0.5:1.4:0.1 (from:to:step) or 0.5:1.4:x10 (10 values), got %s", c.n.describe())
		}
	}
	sorted := slices.Sorted(slices.Values(values))
	if len(slices.Compact(sorted)) < len(values) {
		c.fail("expected every value once")
	}
	return values
}

// check reports whether the path leads to a number, in the document as it is or
// with the first value.
func (a Axis) check(doc *Document) *Error {
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

// admissions reads the ways to admit jobs, all of them where none is given.
func (d *decoder) admissions(c *cursor, trace bool) []Admission {
	if !c.given() || d.err != nil {
		return []Admission{{Name: AdmitAll}}
	}
	if trace {
		c.fail("expected none with a trace, whose policies admit jobs by themselves")
		return nil
	}
	var list []Admission
	for _, item := range c.list("a list of admissions such as [all, analytic, [1, 1, 0.5, 0]]") {
		var a Admission
		if item.n.kind == sequence {
			for _, q := range item.list("a probability for each class") {
				a.Admit = append(a.Admit, q.number(fraction))
			}
		} else {
			a.Name = item.choice(AdmitAll, AdmitAnalytic)
		}
		if slices.ContainsFunc(list, func(b Admission) bool { return a.Name == b.Name && slices.Equal(a.Admit, b.Admit) }) {
			item.fail("expected every admission once")
		}
		list = append(list, a)
	}
	return list
}

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
