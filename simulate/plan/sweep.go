package plan

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"

	"revopt/internal/cells"
	"revopt/model/scenario"
	"revopt/simulate/metric"
	"revopt/simulate/policy"
	"revopt/simulate/run"
	"revopt/simulate/subject"
	"revopt/simulate/workload"
)

// ReadSweep reads a sweep file. Policies are looked up in the specs, nil being
// subject.Standard. A fault of the file is a *scenario.Error.
func ReadSweep(path string, specs []policy.Spec) (*Plan, error) {
	file, err := scenario.ReadSweep(path, tables(specs))
	if err != nil {
		return nil, err
	}
	return newSweep(file, specs)
}

// NewSweep returns the plan of a sweep that is given in Go, checked and completed as
// if it were read from a file. Only the scenario is needed, as it is read or built
// in; overrides belong in Set.
func NewSweep(s scenario.Sweep, specs []policy.Spec) (*Plan, error) {
	checked, err := s.Check(tables(specs))
	if err != nil {
		return nil, err
	}
	return newSweep(checked, specs)
}

// tables returns the policies and measures that a sweep file may name.
func tables(specs []policy.Spec) scenario.SweepTables {
	return func(*scenario.Scenario) ([]scenario.KnownPolicy, []string) {
		return subject.Known(specs), metric.Names(metric.Measures())
	}
}

// newSweep fills in what a sweep file leaves to the scenario.
func newSweep(file *scenario.Sweep, specs []policy.Spec) (*Plan, error) {
	set := slices.Clone(file.Set)
	for i, o := range set {
		if o.Source == "" {
			set[i].Source = "set " + o.String()
		}
	}
	doc, err := file.Scenario.With(set...)
	if err != nil {
		return nil, err
	}
	sc, err := doc.Scenario(subject.Known(specs))
	if err != nil {
		return nil, err
	}
	p := New(doc, specs, nil)
	p.Sweep, p.seeds = true, file.Replications
	p.Vary = file.Vary
	p.Seed = file.Seed
	p.Classes = file.Classes
	p.Plain = file.Plain
	p.Replications = file.Replications
	if p.Replications == 0 {
		p.Replications = sc.Simulation.Replications
	}
	if file.Metrics != nil {
		p.Measures = file.Metrics
	}
	if file.Bounds {
		p.Bounds, err = sweepBounds(file)
		if err != nil {
			return nil, err
		}
	}
	if file.Resample {
		p.Resample = &workload.Resampling{}
	}
	p.SetObjective(file.Objective)
	p.setPrecision(file.Precision)
	given := file.Policies
	if len(given) == 0 {
		given = sc.Policies
	}
	if len(given) == 0 {
		given = []scenario.Policy{{Name: subject.UsualPolicy(sc)}}
	}
	return p, p.setGrid(doc.File(), given, file.Admissions)
}

// sweepBounds returns the bounds of a sweep. A length that the sweep file states is that
// of a replication; a warm-up that it states would have no effect, and is refused.
func sweepBounds(file *scenario.Sweep) (*Bounds, error) {
	b := &Bounds{}
	check := func(path, source string) error {
		switch path {
		case "simulation.jobs", "simulation.horizon":
			b.Whole = true
		case "simulation.warmup":
			return &scenario.Error{
				File: source, Message: "expected no warm-up with bounds: true: against a bound every job counts",
			}
		}
		return nil
	}
	for _, o := range file.Set {
		if err := check(o.Path, cmp.Or(o.Source, "set "+o.String())); err != nil {
			return nil, err
		}
	}
	for _, a := range file.Vary {
		if err := check(a.Path, "vary "+a.Path); err != nil {
			return nil, err
		}
	}
	return b, nil
}

// SetObjective compares the rows of a sweep by an objective, on which bounds then are; "" is the value.
func (p *Plan) SetObjective(objective string) {
	p.CompareBy = objective
	if p.Bounds != nil {
		p.Bounds.Objective = objective
	}
}

// setPrecision completes the precision; the measure is the revenue if measured, else the first.
func (p *Plan) setPrecision(given *scenario.SweepPrecision) {
	if given == nil {
		return
	}
	stop := &StopRule{Metric: given.Metric, Relative: given.Relative, First: given.Least, Level: metric.DefaultLevel}
	stop.Metric = cmp.Or(stop.Metric, p.Measures[max(0, slices.Index(p.Measures, metric.RevenuePerSecond().Name))])
	p.Replications = given.Most
	p.Replications = cmp.Or(p.Replications, max(metric.Precision{}.Most(), stop.First))
	stop.First = cmp.Or(stop.First, min(defaultFirst, p.Replications))
	p.Stop = stop
}

// setGrid makes rows of all admissions with all policies, these fastest.
func (p *Plan) setGrid(file string, given []scenario.Policy, admissions []scenario.Admission) error {
	var policies []subject.Policy
	for _, g := range given {
		choice, err := subject.NewPolicy(p.specs, g.Name, g.Options)
		if err != nil {
			return &scenario.Error{File: file, Path: "policies." + g.Name, Message: err.Error()}
		}
		policies = append(policies, choice)
	}
	for _, a := range p.Vary {
		name, _, ok := a.Option()
		if ok && !slices.ContainsFunc(policies, func(p subject.Policy) bool { return p.Spec.Name == name }) {
			return &scenario.Error{File: file, Path: a.Path, Message: "the sweep has no policy " + name}
		}
	}
	p.grid = [2]int{len(admissions), len(policies)}
	for _, a := range admissions {
		for _, choice := range policies {
			row := Row{Policy: choice, Admission: run.Gate{Name: a.Name, Admit: a.Admit}, Search: a.Search}
			row.Admission.Blame = func(words string) error { return a.Blame(words) }
			p.Rows = append(p.Rows, row)
		}
	}
	return nil
}

// SweepFile returns the sweep file of the plan, with all defaults stated.
func (p *Plan) SweepFile() (*scenario.Sweep, error) {
	doc, err := scenario.Parse(p.document.File(), []byte(p.Scenario))
	if err != nil {
		return nil, err
	}
	f := &scenario.Sweep{
		Scenario: doc, Set: p.Set, Vary: p.Vary, Seed: p.Seed, Replications: p.Replications, Metrics: p.Measures,
		Classes: p.Classes, Plain: p.Plain,
		Bounds: p.Bounds != nil, Resample: p.Resample != nil, Objective: p.CompareBy,
	}
	for _, r := range p.Rows[:p.grid[1]] {
		f.Policies = append(f.Policies, scenario.Policy{Name: r.Policy.Spec.Name, Options: r.Policy.Settings})
	}
	for i := range p.grid[0] {
		r := p.Rows[p.Row(i, 0)]
		f.Admissions = append(f.Admissions, scenario.Admission{Name: r.Admission.Name, Admit: r.Admission.Admit,
			Search: r.Search})
	}
	if s := p.Stop; s != nil {
		f.Precision = &scenario.SweepPrecision{Relative: s.Relative, Metric: s.Metric, Least: s.First,
			Most: p.Replications}
	}
	return f, nil
}

// WriteYAML writes the sweep file that ReadSweep reads as this plan.
func (p *Plan) WriteYAML(w io.Writer) error {
	f, err := p.SweepFile()
	if err != nil {
		return err
	}
	return f.WriteYAML(w)
}

// parsePlan reads the name of the work of a journal as the plan of a sweep. Anybody may have written it, so
// it passes all checks of sweep files.
func parsePlan(name []byte, specs []policy.Spec) (*Plan, error) {
	var given struct {
		Plan
		Rows []planRow `json:"rows"`
	}
	other := errors.New("the journal is not that of a sweep, or of another version of revopt: " +
		"run the sweep into a new directory")
	if err := json.Unmarshal(name, &given); err != nil || given.Format != planFormat || !given.Sweep ||
		given.Changes != nil || len(given.Rows) == 0 {
		return nil, other
	}
	p := &given.Plan
	var err error
	p.document, err = scenario.Parse("scenario of the sweep", []byte(p.Scenario))
	if err != nil {
		return nil, other
	}
	for _, r := range given.Rows {
		choice, err := subject.NewPolicy(specs, r.Policy, r.Options)
		if err != nil {
			return nil, fmt.Errorf("the journal is not that of a sweep: %w", err)
		}
		p.Rows = append(p.Rows, Row{Policy: choice, Admission: run.Gate{Name: r.Admission, Admit: r.Admit},
			Search: r.Search})
	}
	// All admissions have the same policies.
	first := given.Rows[0]
	p.grid[1] = slices.IndexFunc(given.Rows, func(r planRow) bool {
		return r.Admission != first.Admission || !slices.Equal(r.Admit, first.Admit) ||
			!reflect.DeepEqual(r.Search, first.Search)
	})
	if p.grid[1] < 0 {
		p.grid[1] = len(p.Rows)
	}
	p.grid[0] = len(p.Rows) / p.grid[1]
	file, err := p.SweepFile()
	var checked *Plan
	if err == nil {
		checked, err = NewSweep(*file, specs)
	}
	if err == nil {
		checked.Traces, checked.Programs = p.Traces, p.Programs
		if checked.Name() != string(name) {
			err = errors.New("its name is not as a sweep file gives it")
		}
	}
	if err != nil {
		return nil, fmt.Errorf("the journal is not that of a sweep: %w", err)
	}
	return checked, nil
}

// SweepIn returns the plan of the sweep whose results a directory holds.
func SweepIn(dir string, specs []policy.Spec) (*Plan, error) {
	name, err := cells.NameIn(dir)
	if err != nil {
		return nil, err
	}
	return parsePlan([]byte(name), specs)
}

// CollectSweep reads the journals of a directory, also while others write them. Results of other builds are
// an *OtherBuildError unless any build is welcome.
func CollectSweep(ctx context.Context, dir string, specs []policy.Spec, anyBuild bool) (*Samples, error) {
	plan, err := SweepIn(dir, specs)
	var x *Execution
	if err == nil {
		x, err = plan.Open(ctx, nil)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	all, err := cells.Read(dir, x, anyBuild)
	if _, other := err.(*OtherWorkError); other {
		err = &ForgedError{Path: dir, Why: "it is of another sweep than one beside it"}
	}
	if all == nil {
		return nil, err
	}
	return &Samples{work: x, all: all}, err
}
