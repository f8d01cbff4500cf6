package scenario

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
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
	Relative float64 // half width as a share of the mean, 0.01 is 1 %
	Metric   string  // "" where the caller knows which
	Least    int     // replications before the first look; 0 is the caller's default
	Most     int     // 0 is the caller's default
}

// SweepTables is what the caller of ReadSweep knows: the policies and figures
// of merit for a scenario of job classes, a trace or a grid.
type SweepTables func(doc *Document) (policies []KnownPolicy, metrics []string)

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
	if !root.mapping("a sweep", "scenario", "set", "vary", "policies", "admissions", "seed", "seeds", "metrics", "classes") {
		return nil
	}
	s := &Sweep{Scenario: given}
	if given == nil {
		s.Scenario = d.swept(root.get("scenario"))
	}
	if d.err != nil {
		return nil
	}
	base := d.settings(root.get("set"), s)
	if d.err != nil {
		return nil
	}
	policies, metrics := tables(base)
	s.Policies = d.policies(root.get("policies"), policies, base.root.get("qos") != nil || !base.IsTrace())
	s.Vary = d.axes(root.get("vary"), base, policies)
	s.Admissions = d.admissions(root.get("admissions"), base)
	s.Seed = d.seed(root.get("seed"))
	s.Metrics = d.metrics(root.get("metrics"), metrics)
	d.seeds(root.get("seeds"), s, metrics)
	s.Classes = root.get("classes").choice("false", "true") == "true"
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
			s.Set = append(s.Set, Override{Path: f.key, Value: place.n.text, Source: place.place() + ": set " + f.key + "=" + place.n.text})
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
