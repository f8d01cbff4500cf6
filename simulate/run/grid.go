package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"revopt/internal/text"
	"revopt/model/scenario"
	"revopt/simulate/metric"
	"revopt/simulate/policy"
	"revopt/simulate/subject"
)

// Grid is the cases of a sweep file: every policy behind every admission at every point. A point is the scenario with
// a value of each axis. All cases of a point see the same jobs in the same replication.
type Grid struct {
	Sweep        *scenario.Sweep
	Document     *scenario.Document // the scenario with what holds at every point
	Policies     []subject.Policy   // as the file states them; an axis may vary their options
	Objective    Objective
	Replications int
	Stop         *Stop // nil: the number of replications is fixed

	counted bool // with bounds: the file states how many jobs a replication has
}

// ReadGrid reads a sweep file. Policies are looked up in the specs, nil being subject.Standard. A fault of the file is
// a *scenario.Error.
func ReadGrid(path string, specs []policy.Spec) (*Grid, error) {
	file, err := scenario.ReadSweep(path, tables(specs))
	if err != nil {
		return nil, err
	}
	return newGrid(file, specs)
}

// ParseGrid reads the text of a sweep file whose scenario is given.
func ParseGrid(path string, file []byte, of *scenario.Document, specs []policy.Spec) (*Grid, error) {
	sweep, err := scenario.ParseSweep(path, file, of, tables(specs))
	if err != nil {
		return nil, err
	}
	return newGrid(sweep, specs)
}

// tables returns the policies and measures that a sweep file may name.
func tables(specs []policy.Spec) scenario.SweepTables {
	return func(*scenario.Scenario) ([]scenario.KnownPolicy, []string) {
		return subject.Known(specs), text.Each(Measures(), func(m Measure) string { return m.Name })
	}
}

// newGrid fills in what a sweep file leaves to the scenario.
func newGrid(file *scenario.Sweep, specs []policy.Spec) (*Grid, error) {
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
	g := &Grid{Sweep: file, Document: doc, Objective: Value()}
	for _, o := range Objectives() {
		if o.Name == file.Objective {
			g.Objective = o
		}
	}
	g.Replications = cmp.Or(file.Replications, sc.Simulation.Replications)
	g.setStop()
	if err := g.setLength(); err != nil {
		return nil, err
	}
	given := file.Policies
	if len(given) == 0 {
		given = sc.Policies
	}
	if len(given) == 0 {
		given = []scenario.Policy{{Name: subject.UsualPolicy(sc)}}
	}
	return g, g.setPolicies(given, specs)
}

// setPolicies looks policies up. An axis may vary options of these alone.
func (g *Grid) setPolicies(given []scenario.Policy, specs []policy.Spec) error {
	file := g.Document.File()
	for _, one := range given {
		choice, err := subject.NewPolicy(specs, one.Name, one.Options)
		if err != nil {
			return &scenario.Error{File: file, Path: "policies." + one.Name, Message: err.Error()}
		}
		g.Policies = append(g.Policies, choice)
	}
	for _, a := range g.Sweep.Vary {
		name, _, ok := a.Option()
		if ok && !slices.ContainsFunc(g.Policies, func(p subject.Policy) bool { return p.Spec.Name == name }) {
			return &scenario.Error{File: file, Path: a.Path, Message: "the sweep has no policy " + name}
		}
	}
	return nil
}

// setStop completes the rule to stop. Its measure is the revenue if that is measured, else the first one.
func (g *Grid) setStop() {
	given := g.Sweep.Precision
	if given == nil {
		return
	}
	const usualFirst = 10
	first := ColumnRevenue
	if measured := g.Sweep.Metrics; measured != nil && !slices.Contains(measured, first) {
		first = measured[0]
	}
	s := &Stop{Column: cmp.Or(given.Metric, first), Relative: given.Relative, First: given.Least, Most: given.Most}
	s.Most = cmp.Or(s.Most, max(usualMost, s.First))
	s.First = cmp.Or(s.First, min(usualFirst, s.Most))
	g.Stop, g.Replications = s, s.Most
}

// setLength notes whether the file states how long a replication is. A warm-up that it states would have no effect
// against bounds, and is refused.
func (g *Grid) setLength() error {
	if !g.Sweep.Bounds {
		return nil
	}
	check := func(path, source string) error {
		switch path {
		case "simulation.jobs", "simulation.horizon":
			g.counted = true
		case "simulation.warmup":
			return &scenario.Error{File: source,
				Message: "expected no warm-up with bounds: true: against a bound every job counts"}
		}
		return nil
	}
	for _, o := range g.Sweep.Set {
		if err := check(o.Path, cmp.Or(o.Source, "set "+o.String())); err != nil {
			return err
		}
	}
	for _, a := range g.Sweep.Vary {
		if err := check(a.Path, "vary "+a.Path); err != nil {
			return err
		}
	}
	return nil
}

// Points returns how many points there are.
func (g *Grid) Points() int {
	n := 1
	for _, a := range g.Sweep.Vary {
		n *= len(a.Values)
	}
	return n
}

// At returns the values of the axes at a point. The first axis varies slowest.
func (g *Grid) At(point int) []float64 {
	return text.EachAt(g.places(point), func(i, k int) float64 { return g.Sweep.Vary[i].Values[k] })
}

// places returns the index of the value of each axis at a point.
func (g *Grid) places(point int) []int {
	list := make([]int, len(g.Sweep.Vary))
	for i, a := range slices.Backward(g.Sweep.Vary) {
		list[i] = point % len(a.Values)
		point /= len(a.Values)
	}
	return list
}

// overrides returns the fields of the scenario that a point states.
func (g *Grid) overrides(point int) []scenario.Override {
	var list []scenario.Override
	for i, k := range g.places(point) {
		if _, _, ok := g.Sweep.Vary[i].Option(); !ok {
			list = append(list, g.Sweep.Vary[i].Override(k))
		}
	}
	return list
}

// policyAt returns a policy at a point.
func (g *Grid) policyAt(point, place int) (subject.Policy, error) {
	choice := g.Policies[place]
	given := maps.Clone(choice.Settings)
	varied := false
	for i, x := range g.At(point) {
		if name, option, ok := g.Sweep.Vary[i].Option(); ok && name == choice.Spec.Name {
			given[option] = text.Field(x)
			varied = true
		}
	}
	if !varied {
		return choice, nil
	}
	all, err := choice.Spec.Resolve(given)
	return subject.Policy{Spec: choice.Spec, Settings: all}, err
}

// Admissions returns the admissions of the file as cases name them.
func (g *Grid) Admissions() []Admission {
	return text.Each(g.Sweep.Admissions, func(a scenario.Admission) Admission {
		if a.Admit == nil {
			return Admission{Name: a.Name, Search: a.Search}
		}
		return Admission{Name: strings.Join(text.Each(a.Admit, text.Field), ","), Admit: a.Admit}
	})
}

// Case returns a policy behind an admission at a point, by their places in the file.
func (g *Grid) Case(l *Lab, point, admission, policy int) (Case, error) {
	choice, err := g.policyAt(point, policy)
	if err != nil {
		return Case{}, err
	}
	c := g.base(l, point)
	c.Do, err = l.Policy(choice)
	if err != nil {
		return Case{}, err
	}
	c.Admission = g.Admissions()[admission]
	c.Detail = Detail{Customers: g.Sweep.Classes}
	return c, g.setJobs(l, &c)
}

// base returns a point as a case that does nothing yet.
func (g *Grid) base(l *Lab, point int) Case {
	return l.Base().With(false, text.Each(g.overrides(point), scenario.Override.String)...)
}

// setJobs says which jobs of a point run. Against bounds every replication starts empty and runs until its last job
// has ended, so that the money of all jobs counts on both sides.
func (g *Grid) setJobs(l *Lab, c *Case) error {
	c.Jobs = Jobs{Weeks: g.Sweep.Resample, Drained: g.Sweep.Bounds}
	if !g.counted {
		return nil
	}
	s, err := l.SubjectOf(context.Background(), *c)
	if err != nil {
		return err
	}
	if s.Workload.Stream() > 0 {
		c.Jobs.Count = int(s.Workload.Size() + 0.5)
	}
	return nil
}

// Cases returns all cases of a point: every policy behind the first admission, then behind the next one.
func (g *Grid) Cases(l *Lab, point int) ([]Case, error) {
	var list []Case
	for a := range g.Sweep.Admissions {
		for p := range g.Policies {
			c, err := g.Case(l, point, a, p)
			if err != nil {
				return nil, err
			}
			list = append(list, c)
		}
	}
	return list, nil
}

// Bounds returns the case of the bounds at a point, and whether they are asked for.
func (g *Grid) Bounds(l *Lab, point int) (Case, bool, error) {
	if !g.Sweep.Bounds {
		return Case{}, false, nil
	}
	c := g.base(l, point)
	b := BoundFor(g.Objective, g.Policies)
	c.Do.Bound = &b
	if first := g.Admissions()[0]; first.Name == scenario.AdmitPrices {
		c.Admission = first
	}
	return c, true, g.setJobs(l, &c)
}

// Check opens every point, several at a time, and reports the first fault with its place in the file.
func (g *Grid) Check(ctx context.Context, l *Lab) error {
	if err := g.affordable(); err != nil {
		return err
	}
	check := func(ctx context.Context, point int) (struct{}, error) { return struct{}{}, g.check(ctx, l, point) }
	_, err := metric.Replicate(ctx, 0, g.Points(), l.o.Workers, check)
	if err != nil && ctx.Err() == nil { // a later fault may have ended the check of an earlier point
		_, err = metric.Replicate(ctx, 0, g.Points(), 1, check)
	}
	return err
}

// affordable refuses more records than there may be.
func (g *Grid) affordable() error {
	rows, points := len(g.Sweep.Admissions)*len(g.Policies), 1.0
	for _, a := range g.Sweep.Vary {
		points *= float64(len(a.Values))
	}
	if points*float64(rows)*float64(g.Replications) <= mostRecords {
		return nil
	}
	return &scenario.Error{Message: fmt.Sprintf("expected at most %d records, got %s of %s at %s points", mostRecords,
		text.Plural(g.Replications, "replication"), text.Plural(rows, "row"), text.Whole(points))}
}

func (g *Grid) check(ctx context.Context, l *Lab, point int) error {
	list := g.overrides(point)
	doc, err := l.base.With(list...) // these overrides know their places
	if err != nil {
		return g.blame(point, err)
	}
	if _, err := doc.Scenario(subject.Known(l.o.Policies)); err != nil {
		return g.blame(point, err)
	}
	s, err := l.SubjectOf(ctx, g.base(l, point))
	if err != nil {
		return g.blame(point, err)
	}
	if err := g.boundable(ctx, l, s, point); err != nil {
		return g.blame(point, err)
	}
	for i, a := range g.Sweep.Admissions {
		err := Computable(s, a.Name)
		if err != nil {
			words := err.Error()
			if len(list) > 0 {
				words = "at " + overrideWords(list) + ": " + words
			}
			return a.Blame(words)
		}
		for p := range g.Policies {
			c, err := g.Case(l, point, i, p)
			if err != nil {
				return g.blame(point, err)
			}
			if _, found := c.finder(); found { // later
				c.Admission = Admission{}
			}
			if _, err := l.Experiment(ctx, c); err != nil {
				return g.blame(point, err)
			}
		}
	}
	return nil
}

// boundable refuses a point whose jobs have no bound, if one is asked for.
func (g *Grid) boundable(ctx context.Context, l *Lab, s *subject.Subject, point int) error {
	b, wanted, err := g.Bounds(l, point)
	if err != nil || !wanted {
		return err
	}
	if err := s.OneProvider("validate"); err != nil {
		return err
	}
	priced := text.Count(g.Sweep.Admissions, func(a scenario.Admission) bool { return a.Name == scenario.AdmitPrices })
	if priced > 0 && priced < len(g.Sweep.Admissions) {
		return s.Document.Blame("prices cannot be combined with other admissions where bounds are wanted", "classes")
	}
	_, err = l.Random(ctx, b)
	return err
}

// blame names the point in an error that is not about a value of an axis itself, but about what such a value makes
// wrong elsewhere in the scenario. It gives the place of the axis that varies fastest.
func (g *Grid) blame(point int, err error) error {
	list := g.overrides(point)
	bad := &scenario.Error{}
	if len(list) == 0 || !errors.As(err, &bad) {
		return err
	}
	if slices.ContainsFunc(list, func(o scenario.Override) bool { return bad.File == o.Source }) {
		return err
	}
	place, _, _ := strings.Cut(list[len(list)-1].Source, "vary ")
	c := *bad
	c.File = place + "vary " + overrideWords(list) + ": " + c.File
	return &c
}

// overrideWords names a point by its overrides.
func overrideWords(list []scenario.Override) string {
	return strings.Join(text.Each(list, scenario.Override.String), ", ")
}

// Run returns the frame of some points, as far as they belong to the lab's shard. A policy that fails is an error.
// After an interruption, what is finished is in the store.
func (g *Grid) Run(ctx context.Context, l *Lab, points ...int) (*Frame, error) {
	var rows, others []Case
	for _, point := range points {
		list, err := g.Cases(l, point)
		if err != nil {
			return nil, err
		}
		rows = append(rows, list...)
		b, wanted, err := g.Bounds(l, point)
		if err != nil {
			return nil, err
		}
		if wanted {
			others = append(others, b)
		}
	}
	var f *Frame
	var err error
	if g.Stop != nil {
		f, err = l.Until(ctx, rows, others, *g.Stop)
	} else {
		f, err = l.Frame(ctx, slices.Concat(rows, others), g.Replications)
	}
	if f != nil && err == nil && len(f.failed) > 0 {
		return nil, f.Failures()[0]
	}
	return f, err
}

// All returns the numbers of all points.
func (g *Grid) All() []int { return text.Numbers(g.Points()) }

// Missing returns the points of which the store lacks records, as cases that do nothing. The lab is one that computes
// nothing.
func (g *Grid) Missing(ctx context.Context, kept *Lab) ([]Case, error) {
	var list []Case
	for point := range g.Points() {
		_, err := g.Run(ctx, kept, point)
		var missing *MissingError
		var wide *ImpreciseError
		switch {
		case errors.As(err, &missing):
			list = append(list, g.base(kept, point))
		case err != nil && !errors.As(err, &wide):
			return nil, err
		}
	}
	return list, nil
}
