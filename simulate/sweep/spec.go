package sweep

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"revopt/model/scenario"
	"revopt/simulate/metric"
	"revopt/simulate/policy"
)

// Spec is a sweep in full: all that its results depend on. Its JSON is the name
// of the work in journals, so that a journal says by itself what it holds, and
// two sweeps are the same where their JSON is.
type Spec struct {
	Format       int                  `json:"format"`
	Scenario     string               `json:"scenario"` // the text of the file
	TraceSum     string               `json:"trace_sha256,omitempty"`
	Set          []Setting            `json:"set,omitempty"`
	Vary         []scenario.Axis      `json:"vary,omitempty"`
	Admissions   []scenario.Admission `json:"admissions"`
	Policies     []PolicyChoice       `json:"policies"`
	Seed         uint64               `json:"seed"`
	Replications int                  `json:"replications"` // of each point, at most where a precision is asked for
	Precision    *Precision           `json:"precision,omitempty"`
	Metrics      []string             `json:"metrics"`
	Classes      bool                 `json:"classes"`

	file string // of the scenario, for messages and relative paths
}

// Setting is an override that holds at every point.
type Setting struct {
	Path  string `json:"path"`
	Value string `json:"value"`

	source string // how messages name it; "" where no file gives it
}

// PolicyChoice is a policy with all its options.
type PolicyChoice struct {
	Name    string          `json:"name"`
	Options policy.Settings `json:"options"`
}

// Precision asks for replications of a point until the interval of a figure, of
// all jobs, is narrow enough for every policy and admission there. It is looked
// at as metric.Precision says, after Least, 2 Least, 4 Least, ... replications.
type Precision struct {
	Relative float64 `json:"relative"` // half width as a share of the mean
	Metric   string  `json:"metric"`   // one of the sweep's
	Least    int     `json:"least"`
}

// specFormat changes when the same spec no longer gives the same journal.
const specFormat = 1

// ReadSpec reads a sweep file. What is wrong with it is a *scenario.Error.
func ReadSpec(path string) (*Spec, error) {
	file, err := scenario.ReadSweep(path, sweepTables)
	if err != nil {
		return nil, err
	}
	return complete(file, fileSum)
}

// ParseSpec is ReadSpec for the text of a sweep file; file is its name in
// messages, to whose directory paths are relative.
func ParseSpec(file string, text []byte) (*Spec, error) {
	s, err := scenario.ParseSweep(file, text, sweepTables)
	if err != nil {
		return nil, err
	}
	return complete(s, fileSum)
}

// NewSpec returns a sweep that is given in Go, checked and completed as if it
// were read from a file. Only the scenario is needed, as it is read or built in;
// overrides belong in Set.
//
//	doc, err := scenario.Builtin("nist-cluster")
//	spec, err := sweep.NewSpec(scenario.Sweep{
//		Scenario:     doc,
//		Set:          []scenario.Override{scenario.Set("simulation.jobs", 20000)},
//		Vary:         []scenario.Axis{{Path: "load", Values: []float64{0.5, 0.9, 1.3}}},
//		Policies:     []scenario.Policy{{Name: "hol"}, {Name: "fcfs", Options: map[string]string{"backfill": "true"}}},
//		Admissions:   []scenario.Admission{{Name: scenario.AdmitAll}, {Admit: []float64{1, 1, 0.5, 0}}},
//		Seed:         1,
//		Replications: 10,
//		Metrics:      []string{"revenue_per_second"},
//	})
//	plan, err := sweep.NewPlan(spec)
//	results, err := (&sweep.Local{Plan: plan}).Run(ctx)
//	revenue := results.Interval(sweep.Case{Point: 2, Admission: 1, Policy: 0}, "revenue_per_second", "")
func NewSpec(s scenario.Sweep) (*Spec, error) {
	checked, err := s.Check(sweepTables)
	if err != nil {
		return nil, err
	}
	return complete(checked, fileSum)
}

// WriteYAML writes the sweep file that ReadSpec reads as this sweep, with all
// that was left to defaults. See scenario.Sweep for its scenario.
func (s *Spec) WriteYAML(w io.Writer) error {
	f, err := s.sweep()
	if err != nil {
		return err
	}
	return f.WriteYAML(w)
}

// sweep returns the contents of a sweep file that gives this sweep.
func (s *Spec) sweep() (*scenario.Sweep, error) {
	doc, err := scenario.Parse(s.file, []byte(s.Scenario))
	if err != nil {
		return nil, err
	}
	f := &scenario.Sweep{Scenario: doc, Vary: s.Vary, Admissions: s.Admissions, Seed: s.Seed, Replications: s.Replications, Metrics: s.Metrics, Classes: s.Classes}
	if p := s.Precision; p != nil {
		f.Precision = &scenario.SweepPrecision{Relative: p.Relative, Metric: p.Metric, Least: p.Least, Most: s.Replications}
	}
	for _, o := range s.Set {
		f.Set = append(f.Set, scenario.Override{Path: o.Path, Value: o.Value})
	}
	for _, p := range s.Policies {
		f.Policies = append(f.Policies, scenario.Policy{Name: p.Name, Options: p.Options})
	}
	return f, nil
}

// complete fills in the fields that a file leaves to the scenario, and the sum of
// its trace.
func complete(file *scenario.Sweep, sum func(trace string) (string, error)) (*Spec, error) {
	s := &Spec{
		Format: specFormat, Scenario: string(file.Scenario.Source()), Vary: file.Vary, Admissions: file.Admissions, Seed: file.Seed,
		Replications: file.Replications, Metrics: file.Metrics, Classes: file.Classes, file: file.Scenario.File(),
	}
	for _, o := range file.Set {
		s.Set = append(s.Set, Setting{o.Path, o.Value, o.Source})
	}
	base, err := s.document()
	if err != nil {
		return nil, err
	}
	k, err := newKind(base)
	if err != nil {
		return nil, err
	}
	if (base.IsTrace() || base.IsGrid()) && (len(s.Admissions) != 1 || s.Admissions[0].Name != scenario.AdmitAll) {
		return nil, &scenario.Error{File: s.file, Path: "admissions", Message: "expected none with a trace or a grid, whose policies admit jobs by themselves"}
	}
	if s.Replications == 0 {
		s.Replications = k.replications
	}
	if s.Metrics == nil {
		s.Metrics = figureNames(k.figures)
	}
	s.setPrecision(file.Precision)
	if k.file != "" && k.file != scenario.SP2Like {
		if s.TraceSum, err = sum(k.file); err != nil {
			return nil, err
		}
	}
	given := file.Policies
	if len(given) == 0 {
		given = k.policies
	}
	return s, s.resolve(given, k.lookup)
}

// setPrecision completes the precision asked for, if one is. The figure is the
// revenue where that is measured, else the first.
func (s *Spec) setPrecision(given *scenario.SweepPrecision) {
	if given == nil {
		return
	}
	p := &Precision{Relative: given.Relative, Metric: given.Metric, Least: given.Least}
	if p.Metric == "" {
		p.Metric = s.Metrics[max(0, slices.Index(s.Metrics, metric.RevenuePerSecond().Name))]
	}
	s.Replications = given.Most
	if s.Replications == 0 {
		s.Replications = max(metric.Precision{}.Most(), p.Least)
	}
	if p.Least == 0 {
		p.Least = min(defaultLeast, s.Replications)
	}
	s.Precision = p
}

// defaultLeast is the First of metric.Precision.
const defaultLeast = 10

// resolve gives every policy all its options.
func (s *Spec) resolve(given []scenario.Policy, lookup func(string) (policy.Spec, error)) error {
	for _, g := range given {
		spec, err := lookup(g.Name)
		var options policy.Settings
		if err == nil {
			options, err = spec.Resolve(policy.Settings(g.Options))
		}
		if err != nil {
			return &scenario.Error{File: s.file, Path: "policies." + g.Name, Message: strings.TrimPrefix(strings.TrimPrefix(err.Error(), "sweep: "), "policy: ")}
		}
		s.Policies = append(s.Policies, PolicyChoice{g.Name, options})
	}
	for _, a := range s.Vary {
		name, _, ok := a.Option()
		if ok && !slices.ContainsFunc(s.Policies, func(p PolicyChoice) bool { return p.Name == name }) {
			return &scenario.Error{File: s.file, Path: a.Path, Message: "the sweep has no policy " + name}
		}
	}
	return nil
}

// document returns the scenario with what holds at every point.
func (s *Spec) document() (*scenario.Document, error) {
	doc, err := scenario.Parse(s.file, []byte(s.Scenario))
	if err != nil {
		return nil, err
	}
	var list []scenario.Override
	for _, o := range s.Set {
		source := o.source
		if source == "" {
			source = "set " + o.Path + "=" + o.Value
		}
		list = append(list, scenario.Override{Path: o.Path, Value: o.Value, Source: source})
	}
	return doc.With(list...)
}

// work returns the name of the work.
func (s *Spec) work() string {
	text, err := json.Marshal(s)
	if err != nil {
		panic("sweep: " + err.Error())
	}
	return string(text)
}

// Hash returns a short name of the sweep that no other has.
func (s *Spec) Hash() string {
	sum := sha256.Sum256([]byte(s.work()))
	return hex.EncodeToString(sum[:8])
}

// parseSpec reads the name of the work of a journal, which passes all checks of
// sweep files: anybody may have written it. The trace is looked at when it is
// read.
func parseSpec(work []byte) (*Spec, error) {
	var s Spec
	if err := json.Unmarshal(work, &s); err != nil || s.Format != specFormat || s.work() != string(work) {
		return nil, fmt.Errorf("the journal is not that of a sweep, or of another version")
	}
	s.file = "scenario of the sweep"
	file, err := s.sweep()
	if err == nil {
		file, err = file.Check(sweepTables)
	}
	if err != nil {
		return nil, fmt.Errorf("the journal is not that of a sweep: %w", err)
	}
	again, err := complete(file, func(string) (string, error) { return s.TraceSum, nil })
	if err != nil {
		return nil, fmt.Errorf("the journal is not that of a sweep: %w", err)
	}
	if again.work() != string(work) {
		return nil, fmt.Errorf("the journal is not that of a sweep: its name is not as a sweep file gives it")
	}
	return &s, nil
}
