package main

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"revopt/model/scenario"
	"revopt/simulate/metric"
	"revopt/simulate/policy"
	"revopt/simulate/sweep"
	"revopt/simulate/workload"
)

// validation is a validation as it is carried out: the scenario's own point,
// for the table, and the points along an axis, for the figures.
type validation struct {
	in      *input
	options simulateSettings
	stderr  io.Writer
	quiet   bool

	classed *scenario.Scenario // one of these three is not nil
	traced  *scenario.Trace
	grid    *scenario.Grid
	trace   *workload.Trace // jobs of traced

	jobs       int // of a replication of job classes; 0 leaves it to the engine
	contenders []sweep.Contender
	leftOut    []sweep.LeftOut
	wishes     []chosenAdmission // of job classes, by name

	axis  *variation // nil where nothing varies
	value float64    // of the axis at the scenario's own point; NaN where unknown

	doubts []string // about the model bounds
	met    bool     // the intervals are as narrow as --precision asks for

	own   stage
	along stage // without the scenario's own point, which is put in its place
}

// stage is some points of a validation.
type stage struct {
	own    bool                // the table's point
	work   *sweep.Validating   // nil where there are no points
	models [][]modelBound      // by point
	starts map[int][][]float64 // of searches, by point
	found  *sweep.Validated
}

// openValidation reads the command line and finds whatever is wrong with it or
// with the scenario, at any point, before anything runs.
func (p *program) openValidation(c *cli.Context, where target) (*validation, error) {
	if c.IsSet("warmup") {
		return nil, usagef("--warmup: expected none, a validation has no warm-up: against a bound every job counts")
	}
	in, err := p.openSimulation(c)
	if err != nil {
		return nil, err
	}
	v := &validation{in: in, stderr: p.stderr, quiet: c.Bool("quiet"), value: math.NaN()}
	figures := metric.TraceFigures()
	if !in.doc.IsTrace() && !in.doc.IsGrid() {
		figures = metric.Figures()
	}
	if v.options, err = simulateOptions(c, figures); err != nil {
		return nil, err
	}
	if err := v.decode(c); err != nil {
		return nil, err
	}
	if v.contenders, v.leftOut, err = v.chosen(c); err != nil {
		return nil, err
	}
	if err := v.setAxis(c, where); err != nil {
		return nil, err
	}
	return v, v.open()
}

// decode reads the scenario and what the flags say of its length.
func (v *validation) decode(c *cli.Context) error {
	doc := v.in.doc
	var err error
	switch {
	case doc.IsTrace():
		if v.traced, err = doc.Trace(sweep.KnownPolicies()); err == nil {
			v.trace, err = sweep.LoadTrace(v.traced, v.options.seed)
		}
	case doc.IsGrid():
		v.grid, err = doc.Grid(sweep.KnownPolicies())
	default:
		v.classed, err = doc.ClassScenario()
	}
	switch {
	case err != nil:
		return err
	case v.classed == nil && c.IsSet("admission"):
		return usagef("--admission: expected none with a %s, whose policies admit jobs by themselves", v.kind())
	case v.classed == nil:
		return nil
	case c.IsSet("jobs"):
		v.jobs = v.classed.Simulation.Jobs
	case c.IsSet("horizon"):
		// The engine shortens a horizon of too many jobs, unless it is told
		// how many.
		if n := v.classed.Simulation.Horizon * arrivals(v.classed); n > sweep.DrainedJobs {
			v.jobs = int(math.Min(n, math.MaxInt32))
		}
	}
	if !c.IsSet("admission") {
		v.wishes, err = parseAdmissions([]string{admitAll, admitAnalytic, admitSimulated}, v.classed.Classes)
		return err
	}
	v.wishes, err = parseAdmissions(c.StringSlice("admission"), v.classed.Classes)
	return err
}

// arrivals returns how many jobs arrive per second.
func arrivals(sc *scenario.Scenario) float64 {
	var rate float64
	for _, class := range sc.Classes {
		rate += class.Rate
	}
	return rate
}

// kind names the sort of scenario.
func (v *validation) kind() string {
	switch {
	case v.traced != nil:
		return "trace"
	case v.grid != nil:
		return "grid"
	}
	return "classes"
}

// chosen returns the contenders of the command line, else all that apply.
func (v *validation) chosen(c *cli.Context) ([]sweep.Contender, []sweep.LeftOut, error) {
	var admissions []sweep.Contender
	for _, w := range v.wishes {
		a := sweep.Contender{Admission: w.name}
		if w.admit != nil && w.name != admitAll {
			a.Admit = [][]float64{w.admit}
		}
		admissions = append(admissions, a)
	}
	if !c.IsSet("policy") {
		return sweep.DefaultContenders(v.in.doc, admissions)
	}
	policies, err := parsePolicies(c.String("policy"), v.lookup)
	if err != nil {
		return nil, nil, err
	}
	if len(admissions) == 0 {
		admissions = make([]sweep.Contender, 1)
	}
	var list []sweep.Contender
	for _, p := range policies {
		for _, a := range admissions {
			a.Policy, a.Options = p.name, p.options
			list = append(list, a)
		}
	}
	return list, nil, nil
}

// lookup returns a policy that the scenario could have.
func (v *validation) lookup(name string) (policy.Spec, error) {
	switch {
	case v.traced != nil:
		return sweep.LookupTracePolicy(name)
	case v.grid != nil:
		return sweep.LookupGridPolicy(v.grid, name)
	}
	return sweep.LookupPolicy(name)
}

// curveReplications is how many replications the figures show at most unless
// the command line says how many: they have several points, and the table needs
// narrower intervals than a curve.
const curveReplications = 5

// open makes the points ready.
func (v *validation) open() error {
	work := sweep.Validation{
		Scenario: v.in.doc, Contenders: v.contenders, Seed: v.options.seed, Jobs: v.jobs, Level: v.options.level,
	}
	var err error
	if v.own.work, err = work.Open(); err != nil {
		return v.refused(err)
	}
	v.own.own = true
	if v.options.stop != nil && v.options.capped && v.own.work.Replications < 2 {
		return usagef("--replications: expected at least 2 with --precision, got %d", v.own.work.Replications)
	}
	if v.axis == nil {
		return nil
	}
	others := slices.DeleteFunc(slices.Clone(v.axis.values), func(x float64) bool { return x == v.value })
	if len(others) == 0 {
		return nil
	}
	work.Vary = scenario.Axis{Path: v.axis.path, Values: others}
	if !v.options.capped || v.options.stop != nil {
		work.Replications = min(v.own.work.Replications, curveReplications)
	}
	v.along.work, err = work.Open()
	return v.refused(err)
}

// refused makes bad input of what a scenario cannot do.
func (v *validation) refused(err error) error {
	if err != nil && strings.HasPrefix(err.Error(), "sweep: ") {
		return usagef("%s: %s", v.in.doc.File(), bare(err))
	}
	return err
}

// scenarioOf returns the job classes at a point of a stage.
func (s *stage) scenarioOf(point int) (*scenario.Scenario, error) {
	sc, err := s.work.Document(point).ClassScenario()
	if err != nil {
		return nil, fmt.Errorf("at point %d: %w", point+1, err)
	}
	return sc, nil
}
