package paper

import (
	"context"
	"fmt"
	"path/filepath"

	"revopt/model/scenario"
	"revopt/plots"
	"revopt/simulate/metric"
	"revopt/simulate/policy"
	"revopt/simulate/sweep"
)

// A contender is a policy with its options, in a scenario with overrides of its
// own.
type contender struct {
	name    string // in figures
	policy  string
	options policy.Settings
	set     []scenario.Override
	look    int // see plots.Series

	// option, if not empty, is the option of the policy that takes the values
	// of the axis in place of a field of the scenario.
	option string
}

// An axis is what varies along a figure of a trace.
type axis struct {
	path   string // of the field; empty where it is an option of policies
	values []float64
	label  string
	share  bool // printed as per cent
}

// A tracePlan is what a study of a trace simulates: every contender at every
// value of the axis.
type tracePlan struct {
	scenario     string // built in
	trace        string // SWF file; empty means the generated jobs
	axis         axis
	contenders   []contender
	replications int
	seed         uint64
}

// A traced is the outcome of a tracePlan. One replication has the same jobs
// under all contenders.
type traced struct {
	tracePlan
	jobs     int64             // of a replication
	outcomes [][]sweep.Outcome // by contender and value of the axis
}

// asked returns the plan with the trace, the seed and the number of
// replications asked for.
func (p tracePlan) asked(o Options) tracePlan {
	p.trace, p.seed = o.Trace, o.Seed
	if o.Replications > 0 {
		p.replications = o.Replications
	}
	return p
}

// at returns the scenario of a contender at a value of the axis.
func (p tracePlan) at(c contender, x float64) (*scenario.Trace, error) {
	f, err := open(p.scenario, c.set...)
	if err != nil {
		return nil, err
	}
	if p.axis.path != "" {
		f = f.with(scenario.Set(p.axis.path, x))
	}
	doc, err := f.doc.With(f.overrides...)
	if err != nil {
		return nil, err
	}
	sc, err := doc.Trace(sweep.KnownPolicies())
	if err == nil && p.trace != "" {
		sc.File = p.trace
	}
	return sc, err
}

// steady reports whether a contender does the same at all values of the axis.
func (p tracePlan) steady(c contender) bool { return p.axis.path == "" && c.option == "" }

// run carries out the plan.
func (p tracePlan) run(ctx context.Context, o Options) (*traced, error) {
	experiments, err := p.experiments()
	if err != nil {
		return nil, err
	}
	steps := &counter{total: len(experiments) * p.replications, tell: o.Progress}
	outcomes, err := replicate(ctx, o, experiments, p.replications, steps)
	if err != nil {
		return nil, err
	}
	t := &traced{tracePlan: p, jobs: experiments[0].Scenario.Jobs.Last}
	for _, c := range p.contenders {
		var along []sweep.Outcome
		for i := range p.axis.values {
			along = append(along, outcomes[0])
			if !p.steady(c) || i == len(p.axis.values)-1 {
				outcomes = outcomes[1:]
			}
		}
		t.outcomes = append(t.outcomes, along)
	}
	return t, nil
}

// experiments returns what is simulated, by contender and value of the axis. A
// contender that is steady is simulated once.
func (p tracePlan) experiments() ([]*sweep.TraceExperiment, error) {
	var list []*sweep.TraceExperiment
	for _, c := range p.contenders {
		for _, x := range p.axis.values {
			sc, err := p.at(c, x)
			if err != nil {
				return nil, err
			}
			e := &sweep.TraceExperiment{Scenario: sc, Policy: c.policy, Options: policy.Settings{}, Seed: p.seed}
			for name, value := range c.options {
				e.Options[name] = value
			}
			if c.option != "" {
				e.Options[c.option] = fmt.Sprint(x)
			}
			if len(list) > 0 {
				e.Workload = list[0].Workload
			} else if e.Workload, err = sweep.LoadTrace(sc, p.seed); err != nil {
				return nil, err
			}
			list = append(list, e)
			if p.steady(c) {
				break
			}
		}
	}
	return list, nil
}

// values returns a figure of merit of each replication.
func (t *traced) values(contender, i int, f metric.Figure) []float64 {
	return t.outcomes[contender][i].Values(f, -1)
}

// interval returns a figure of merit of a contender at the i-th value.
func (t *traced) interval(contender, i int, f metric.Figure) metric.Interval {
	return metric.Estimate(t.values(contender, i, f), metric.DefaultLevel)
}

// lead returns by how much a figure of one contender exceeds that of another at
// the i-th value, on the same jobs.
func (t *traced) lead(contender, over, i int, f metric.Figure) metric.Interval {
	return metric.Difference(t.values(contender, i, f), t.values(over, i, f), metric.DefaultLevel)
}

// series draws a figure of merit of a contender.
func (t *traced) series(contender int, f metric.Figure) plots.Series {
	c := t.contenders[contender]
	line := plots.Series{Name: c.name, X: t.axis.values, Look: c.look}
	for i := range t.axis.values {
		addInterval(&line, t.interval(contender, i, f))
	}
	return line
}

// workload says which jobs were simulated.
func (t *traced) workload() string {
	if t.trace == "" {
		return fmt.Sprintf("%d generated jobs (sp2-like)", t.jobs)
	}
	return fmt.Sprintf("the last %d jobs of %s", t.jobs, filepath.Base(t.trace))
}

// notes say what is drawn.
func (t *traced) notes() []string {
	jobs := t.workload() + " on 128 nodes"
	if t.trace != "" {
		jobs = "T" + jobs[1:]
	}
	if t.replications < 2 {
		return []string{jobs, "One replication"}
	}
	return []string{jobs, fmt.Sprintf("%d replications; bands: 95 %% intervals of the mean", t.replications)}
}

// remark says which jobs were simulated and what that means.
func (t *traced) remark() string {
	if t.trace == "" {
		return "workload: " + t.workload() + ", new ones in every replication, that resemble the paper's trace; --trace FILE takes the real ones"
	}
	return "workload: " + t.workload() + ", in every replication with deadlines and budgets drawn anew"
}

// provenance says how the numbers were made.
func (t *traced) provenance() plots.Provenance {
	var fields []plots.Pair
	if t.trace != "" {
		fields = append(fields, plots.Pair{Key: "trace.file", Value: t.trace})
	}
	path := t.axis.path
	for _, c := range t.contenders {
		if c.option != "" {
			path = "policies." + c.policy + "." + c.option
		}
	}
	p := provenance(t.scenario, append(fields, varied(path, t.axis.values))...)
	seed := t.seed
	p.Seed = &seed
	p.Extra = append(p.Extra, plots.Pair{Key: "workload", Value: t.workload()}, plots.Pair{Key: "replications", Value: fmt.Sprint(t.replications)})
	for _, c := range t.contenders {
		p.Extra = append(p.Extra, plots.Pair{Key: "policy", Value: c.String()})
	}
	return p
}

// String names a contender with its options and overrides.
func (c contender) String() string {
	words := c.policy
	for _, o := range []string{"spare", "alpha", "beta"} {
		if v := c.options[o]; v != "" {
			words += fmt.Sprintf(":%s=%s", o, v)
		}
	}
	for _, s := range c.set {
		words += fmt.Sprintf(", %s=%s", s.Path, s.Value)
	}
	return words
}
