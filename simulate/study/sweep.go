package study

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"revopt/internal/cells"
	"revopt/model/scenario"
	"revopt/simulate/metric"
	"revopt/simulate/policy"
)

// The machinery under a sweep, which runs any other work that is cut into cells
// as well.
type (
	Work            = cells.Work            // many cells, each a pure function of its number
	Engine          = cells.Engine          // runs work on the cores of this machine
	Shard           = cells.Shard           // a part of some work
	Build           = cells.Build           // a build of the program
	OtherWorkError  = cells.OtherWorkError  // a directory holds the results of other work
	ForgedError     = cells.ForgedError     // a journal has a record that no run has written
	OtherBuildError = cells.OtherBuildError // a directory holds the results of another build
)

// ParseShard reads a shard such as 3/8.
func ParseShard(text string) (Shard, error) { return cells.ParseShard(text) }

// Started reports whether a directory holds journals, of whatever work.
func Started(dir string) bool { return cells.Started(dir) }

// CancelSlurm cancels the jobs that were submitted for a directory and returns
// them. Cells that their tasks have finished are kept.
func CancelSlurm(ctx context.Context, dir string) ([]string, error) {
	return cells.CancelSlurm(ctx, dir)
}

// SweepSpec is a sweep in full: all that its results depend on. Its JSON is the name
// of the work in journals, so that a journal says by itself what it holds, and
// two sweeps are the same where their JSON is.
type SweepSpec struct {
	Format       int                  `json:"format"`
	Scenario     string               `json:"scenario"` // the text of the file
	TraceSum     string               `json:"trace_sha256,omitempty"`
	Set          []scenario.Override  `json:"set,omitempty"`
	Vary         []scenario.Axis      `json:"vary,omitempty"`
	Admissions   []scenario.Admission `json:"admissions"`
	Policies     []scenario.Policy    `json:"policies"` // with all their options
	Seed         uint64               `json:"seed"`
	Replications int                  `json:"replications"` // of each point, at most where a precision is asked for
	// Precision asks for replications of a point until the interval of a measure,
	// of all jobs, is narrow enough for every policy and admission there. It is
	// looked at as metric.Precision says, after Least, 2 Least, 4 Least, ...
	// replications.
	Precision *scenario.SweepPrecision `json:"precision,omitempty"`
	Metrics   []string                 `json:"metrics"`
	Classes   bool                     `json:"classes"`
	Plain     bool                     `json:"plain,omitempty"` // without control variates

	specs []policy.Spec // that policies are looked up in
	file  string        // of the scenario, for messages and relative paths
}

// specFormat changes when the same spec no longer gives the same journal.
const specFormat = 2

// ReadSweep reads a sweep file. Policies are looked up in the specs, nil being
// policy.Standard. A fault of the file is a *scenario.Error.
func ReadSweep(path string, specs []policy.Spec) (*SweepSpec, error) {
	file, err := scenario.ReadSweep(path, tables(specs))
	if err != nil {
		return nil, err
	}
	return complete(file, specs, traceSum)
}

// ParseSweep is ReadSweep for the text of a sweep file; file is its name in
// messages, to whose directory paths are relative.
func ParseSweep(file string, text []byte, specs []policy.Spec) (*SweepSpec, error) {
	s, err := scenario.ParseSweep(file, text, tables(specs))
	if err != nil {
		return nil, err
	}
	return complete(s, specs, traceSum)
}

// NewSweepSpec returns a sweep that is given in Go, checked and completed as if
// it were read from a file. Only the scenario is needed, as it is read or built
// in; overrides belong in Set.
func NewSweepSpec(s scenario.Sweep, specs []policy.Spec) (*SweepSpec, error) {
	checked, err := s.Check(tables(specs))
	if err != nil {
		return nil, err
	}
	return complete(checked, specs, traceSum)
}

// tables returns the policies and measures that a sweep file may name.
func tables(specs []policy.Spec) scenario.SweepTables {
	return func(*scenario.Scenario) ([]scenario.KnownPolicy, []string) {
		return Known(specs), metric.Names(metric.Measures())
	}
}

// WriteYAML writes the sweep file that ReadSweep reads as this sweep, with all
// that was left to defaults. See scenario.Sweep for its scenario.
func (s *SweepSpec) WriteYAML(w io.Writer) error {
	f, err := s.sweep()
	if err != nil {
		return err
	}
	return f.WriteYAML(w)
}

// sweep returns the contents of a sweep file that gives this sweep.
func (s *SweepSpec) sweep() (*scenario.Sweep, error) {
	doc, err := scenario.Parse(s.file, []byte(s.Scenario))
	if err != nil {
		return nil, err
	}
	f := &scenario.Sweep{
		Scenario: doc, Set: s.Set, Vary: s.Vary, Policies: s.Policies, Admissions: s.Admissions, Seed: s.Seed, Replications: s.Replications,
		Metrics: s.Metrics, Classes: s.Classes, Plain: s.Plain,
	}
	if s.Precision != nil {
		p := *s.Precision
		p.Most = s.Replications
		f.Precision = &p
	}
	return f, nil
}

// complete fills in the fields that a file leaves to the scenario, and the sum of
// its trace.
func complete(file *scenario.Sweep, specs []policy.Spec, sum func(*scenario.Scenario) (string, error)) (*SweepSpec, error) {
	s := &SweepSpec{
		Format: specFormat, Scenario: string(file.Scenario.Source()), Set: file.Set, Vary: file.Vary, Admissions: file.Admissions, Seed: file.Seed,
		Replications: file.Replications, Metrics: file.Metrics, Classes: file.Classes, Plain: file.Plain, file: file.Scenario.File(), specs: specs,
	}
	base, err := s.document()
	if err != nil {
		return nil, err
	}
	sc, err := base.Scenario(Known(specs))
	if err != nil {
		return nil, err
	}
	if s.Replications == 0 {
		s.Replications = sc.Simulation.Replications
	}
	if s.Metrics == nil {
		s.Metrics = metric.Names(metric.Measures())
	}
	s.setPrecision(file.Precision)
	if s.TraceSum, err = sum(sc); err != nil {
		return nil, err
	}
	given := file.Policies
	if len(given) == 0 {
		given = sc.Policies
	}
	if len(given) == 0 {
		given = []scenario.Policy{{Name: usual(sc)}}
	}
	return s, s.resolve(given)
}

// setPrecision completes the precision asked for, if one is. The measure is
// the revenue where that is measured, else the first.
func (s *SweepSpec) setPrecision(given *scenario.SweepPrecision) {
	if given == nil {
		return
	}
	p := *given
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
	s.Precision = &p
}

// defaultLeast is the First of metric.Precision.
const defaultLeast = 10

// resolve gives every policy all its options.
func (s *SweepSpec) resolve(given []scenario.Policy) error {
	for _, g := range given {
		p, err := NewPolicy(s.specs, g.Name, g.Options)
		if err != nil {
			return &scenario.Error{File: s.file, Path: "policies." + g.Name, Message: err.Error()}
		}
		s.Policies = append(s.Policies, scenario.Policy{Name: p.Spec.Name, Options: p.Settings})
	}
	for _, a := range s.Vary {
		name, _, ok := a.Option()
		if ok && !slices.ContainsFunc(s.Policies, func(p scenario.Policy) bool { return p.Name == name }) {
			return &scenario.Error{File: s.file, Path: a.Path, Message: "the sweep has no policy " + name}
		}
	}
	return nil
}

// document returns the scenario with what holds at every point.
func (s *SweepSpec) document() (*scenario.Document, error) {
	doc, err := scenario.Parse(s.file, []byte(s.Scenario))
	if err != nil {
		return nil, err
	}
	list := slices.Clone(s.Set)
	for i, o := range list {
		if o.Source == "" {
			list[i].Source = "set " + o.Path + "=" + o.Value
		}
	}
	return doc.With(list...)
}

// work returns the name of the work.
func (s *SweepSpec) work() string {
	text, err := json.Marshal(s)
	if err != nil {
		panic("study: " + err.Error())
	}
	return string(text)
}

// Hash returns a short name of the sweep that no other has.
func (s *SweepSpec) Hash() string {
	sum := sha256.Sum256([]byte(s.work()))
	return hex.EncodeToString(sum[:8])
}

// parseSweep reads the name of the work of a journal, which passes all checks of
// sweep files: anybody may have written it. The trace is looked at when it is
// read.
func parseSweep(work []byte, specs []policy.Spec) (*SweepSpec, error) {
	var s SweepSpec
	if err := json.Unmarshal(work, &s); err != nil || s.Format != specFormat || s.work() != string(work) {
		return nil, errors.New("the journal is not that of a sweep, or of another version of revopt: run the sweep into a new directory")
	}
	s.file, s.specs = "scenario of the sweep", specs
	file, err := s.sweep()
	if err == nil {
		file, err = file.Check(tables(specs))
	}
	var again *SweepSpec
	if err == nil {
		again, err = complete(file, specs, func(*scenario.Scenario) (string, error) { return s.TraceSum, nil })
	}
	if err == nil && again.work() != string(work) {
		err = errors.New("its name is not as a sweep file gives it")
	}
	if err != nil {
		return nil, fmt.Errorf("the journal is not that of a sweep: %w", err)
	}
	return &s, nil
}
