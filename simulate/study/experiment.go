package study

import (
	"context"
	"fmt"
	"io"
	"math"
	"slices"

	"revopt/simulate"
	"revopt/simulate/metric"
	"revopt/simulate/policy"
	"revopt/simulate/workload"
)

// Policy is a policy with its options.
type Policy struct {
	Spec     policy.Spec
	Settings policy.Settings // complete
}

// NewPolicy looks a policy up by its name and checks the options given. Nil
// specs are policy.Standard.
func NewPolicy(specs []policy.Spec, name string, given map[string]string) (Policy, error) {
	spec, err := policy.Lookup(standard(specs), name)
	if err != nil {
		return Policy{}, err
	}
	all, err := spec.Resolve(given)
	return Policy{spec, all}, err
}

// PolicyOf returns a spec with the default options.
func PolicyOf(spec policy.Spec) Policy {
	all, err := spec.Resolve(nil)
	if err != nil {
		panic("study: " + err.Error()) // it has nothing to complain of
	}
	return Policy{spec, all}
}

// Label names the policy with the options that are not the defaults.
func (p Policy) Label() string { return p.Spec.Label(p.Settings) }

// Partial reports whether the policy returns partial results.
func (p Policy) Partial() bool { return p.Spec.Needs.Optional }

// Unpreempted reports whether the policy runs every job once, whole, on processors
// of its own.
func (p Policy) Unpreempted() bool { return p.Spec.Unpreempted(p.Settings) }

// Admission decides which jobs are let in.
type Admission struct {
	Name   string             // all, analytic, ...; probabilities where it has none
	Admit  []float64          // probability by customer; nil admits all
	Rule   simulate.Admission // in place of Admit; nil: by Admit
	Prices []AskedPrice       // that it goes with, where prices were chosen

	Searched bool // on the simulator
	Keeping

	limits []ClassThreshold         // of a rule that was found, as far as a journal has it
	blame  func(words string) error // the error of an admission that cannot be had; nil outside sweeps
	change string                   // that asks for it, for messages
}

// rule returns the admission as the kernel takes it, nil where all are let in.
func (a Admission) rule() simulate.Admission {
	switch {
	case a.Rule != nil:
		return a.Rule
	case a.Admit == nil:
		return nil
	}
	return simulate.Lottery(a.Admit)
}

// random reports whether lots decide, as they may in a rule that is not known.
func (a Admission) random() bool {
	lots := a.Admit
	switch r := a.Rule.(type) {
	case nil, *tableRule:
	case simulate.Thresholds:
		lots = r.Share
	case simulate.Lottery:
		lots = r
	default:
		return true
	}
	return slices.ContainsFunc(lots, func(q float64) bool { return q > 0 && q < 1 })
}

// Experiment is a workload under one policy, behind one admission. Two
// experiments of one workload and seed see the same jobs, whatever their policy
// and admission.
type Experiment struct {
	Workload  workload.Workload
	Policy    Policy
	Admission Admission  // the zero value admits all
	Providers []Provider // to which jobs go that are refused, in their order; nil: refused jobs are lost
	Seed      uint64
	Plain     bool // without control variates
}

// Sample is what one replication adds up to.
type Sample struct {
	metric.Part
	Providers []metric.Sum  // of each provider, the first included; nil where there is but one
	Without   []metric.Part // the same without each batch; nil where there are no control variates
	Cut       bool          // arrivals were cut off before the last measured job had left
}

// Check reports what would stop a replication before it starts: a
// *policy.NeedError where the workload lacks what the policy needs.
func (e *Experiment) Check() error {
	if err := e.Policy.Spec.Check(e.Workload.Has()); err != nil {
		return err
	}
	if _, err := e.Policy.Spec.Resolve(e.Policy.Settings); err != nil {
		return err
	}
	if n := len(e.Workload.Customers()); e.Admission.Admit != nil && len(e.Admission.Admit) != n {
		return fmt.Errorf("%d admission probabilities for %d customers", len(e.Admission.Admit), n)
	}
	for _, p := range e.Providers {
		if p.Policy == nil {
			continue
		}
		if err := p.Policy.Spec.Check(e.Workload.Has()); err != nil {
			return err
		}
	}
	for _, q := range e.Admission.Admit {
		if !(q >= 0 && q <= 1) {
			return fmt.Errorf("admission probability %g is not between 0 and 1", q)
		}
	}
	return nil
}

// Run simulates one replication. The observers given see it too.
func (e *Experiment) Run(ctx context.Context, replication int, observers ...simulate.Observer) (Sample, error) {
	if err := e.Check(); err != nil {
		return Sample{}, err
	}
	sites := e.Workload.Sites()
	policies, broker, err := e.Policy.Spec.Make(e.Policy.Settings, len(sites))
	if err != nil {
		return Sample{}, err
	}
	for i := range sites {
		sites[i].Policy = policies[i]
	}
	for _, p := range e.Providers {
		own := e.policyOf(p)
		policies, _, err := own.Spec.Make(own.Settings, 1)
		if err != nil {
			return Sample{}, err
		}
		sites = append(sites, simulate.Site{Processors: p.Nodes, Policy: policies[0]})
	}
	jobs, err := e.Workload.Jobs(e.Seed, replication)
	if err != nil {
		return Sample{}, err
	}
	if c, ok := jobs.(io.Closer); ok {
		defer c.Close()
	}
	tally := e.tally()
	observers = append([]simulate.Observer{tally}, observers...)
	chain, forward, rule := e.chained(), e.forward(), e.rule()
	if forward != nil {
		observers, rule = append(observers, chain), nil
	}
	charging, second := e.Policy.Spec.Charging(e.Policy.Settings, e.Workload.Charging())
	if second != nil {
		observers = append([]simulate.Observer{second}, observers...)
	}
	r, err := simulate.Run(ctx, simulate.Config{
		Source: jobs, Sites: sites, Broker: broker, Admission: rule, Forward: forward, Charging: charging,
		Window: e.Workload.Window(), Observers: observers,
	})
	if err != nil {
		return Sample{}, err
	}
	s := Sample{Cut: r.Cut}
	s.Part, s.Without = tally.Parts()
	for _, t := range chain {
		s.Providers = append(s.Providers, t.Total())
	}
	return s, nil
}

// rule returns the admission with the limit on waiting jobs, if there is one.
func (e *Experiment) rule() simulate.Admission { return e.limited(e.mayWait()) }

// limited returns the admission where so many jobs may wait; a negative number is
// no limit.
func (e *Experiment) limited(most int) simulate.Admission {
	own := e.Admission.rule()
	if most < 0 {
		return own
	}
	shared := e.Policy.Spec.Needs.Shared
	return simulate.AdmitFunc(func(j *simulate.Job, sites []*simulate.Cluster) bool {
		room := sites[0].Waiting() < most
		if most == 0 { // a loss system: nobody waits, so that free nodes are enough to start
			room = shared || sites[0].Free() >= j.Width
		}
		return room && (own == nil || own.Admit(j, sites))
	})
}

// mayWait returns how many jobs may wait; a negative number is no limit.
func (e *Experiment) mayWait() int {
	if c, ok := e.Workload.(*workload.Classes); ok {
		return c.Waiting()
	}
	return -1
}

// tally returns the measures of one run. Streams are observed while jobs
// arrive, finitely many jobs until the last has ended.
func (e *Experiment) tally() *metric.Tally {
	customers := e.Workload.Customers()
	t := metric.NewTally(len(customers))
	t.ByWait = e.Workload.Stream() > 0
	t.UntilEnd = !t.ByWait
	t.Variates = e.variates()
	for i, c := range customers {
		if c.SLO != nil {
			t.Within[i] = c.SLO.Within
		}
	}
	return t
}

// Random reports whether replications differ.
func (e *Experiment) Random() bool { return e.Workload.Random() || e.Admission.random() }

// cost estimates how long a replication takes, in seconds.
func (e *Experiment) cost() float64 {
	cost := e.Policy.Spec.Cost
	if cost == 0 {
		cost = 1e-6
	}
	if load := e.Workload.Load(); load > 0 && !math.IsInf(load, 1) {
		cost *= load
	}
	return cost * e.Workload.Size()
}

// Replicate runs the given number of replications of an experiment on the given number
// of workers (0: one per processor). After an error, or when the context is canceled,
// it returns those before the first that did not finish.
func Replicate(ctx context.Context, e *Experiment, replications, workers int) (Outcome, error) {
	samples, err := metric.Replicate(ctx, 0, replications, workers, func(ctx context.Context, k int) (Sample, error) {
		return e.Run(ctx, k)
	})
	return NewOutcome(e, samples), err
}

// NewOutcome returns the measures of samples of an experiment.
func NewOutcome(e *Experiment, samples []Sample) Outcome {
	o := Outcome{columns: columns{measures: metric.Measures(), customers: len(e.Workload.Customers()), controls: e.variates() != nil, providers: e.count()}}
	for _, s := range samples {
		o.numbers = append(o.numbers, o.columns.numbers(s))
	}
	return o
}
