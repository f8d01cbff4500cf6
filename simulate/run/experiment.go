package run

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"slices"

	"revopt/internal/text"
	"revopt/simulate"
	"revopt/simulate/agent"
	"revopt/simulate/metric"
	"revopt/simulate/policy"
	"revopt/simulate/subject"
	"revopt/simulate/warn"
	"revopt/simulate/workload"
)

// RunsOn returns where the policies of all pools run; "" if they repeat a log.
func (e *Experiment) RunsOn() string {
	if e.Policy.RepeatsLog() {
		return ""
	}
	return e.Where().Key()
}

// Where returns the scheduler that runs the policies of all pools.
func (e *Experiment) Where() policy.Where {
	where := policy.Slurm
	for pool := range max(1, len(e.Pooled)) {
		chosen := e.policyIn(pool)
		where = min(where, chosen.Spec.RunsOn(chosen.Settings))
	}
	return where
}

// Experiment is a workload under one policy, behind one admission. Experiments of one workload and seed see
// the same jobs.
type Experiment struct {
	Workload  workload.Workload
	Policy    subject.Policy
	Admission Gate              // the zero value admits all
	Pooled    []*subject.Policy // by pool, in place of Policy; nil, also an entry: Policy
	Providers []Provider        // to which jobs go that are refused, in their order; nil: refused jobs are lost
	Seed      uint64
}

// Sample is what one replication adds up to.
type Sample struct {
	metric.Part
	Providers []metric.Sum // of each provider, the first included; nil where there is but one
	Load      float64      // offered by the jobs of a trace; NaN for other jobs
	Cut       bool         // arrivals were cut off before the last measured job had left
}

// Check reports what would stop a replication before it starts: a
// *policy.NeedError where the workload lacks what the policy needs.
func (e *Experiment) Check() error {
	if err := e.Policy.Spec.Check(e.Workload.Has()); err != nil {
		return err
	}
	if e.Policy.RepeatsLog() && e.Admission.rule() != nil {
		return &policy.NeedError{Policy: e.Policy.Label(), Need: "admission all", Hint: "the log has all its jobs"}
	}
	if _, err := e.Policy.Spec.Resolve(e.Policy.Settings); err != nil {
		return err
	}
	if n := len(e.Workload.Customers()); e.Admission.Admit != nil && len(e.Admission.Admit) != n {
		return fmt.Errorf("%d admission probabilities for %d customers", len(e.Admission.Admit), n)
	}
	for _, p := range e.policies()[1:] {
		if err := p.Spec.Check(e.Workload.Has()); err != nil {
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
	context := e.Context(sites, replication)
	if w, ok := e.Workload.(*workload.Replay); ok {
		if w.Learned() != nil {
			context.Ranks = func() policy.Ranks { return w.Learned() }
		}
	}
	router, err := e.staff(sites, context)
	if err != nil {
		return Sample{}, err
	}
	for _, p := range e.Providers {
		chosen := e.policyOf(p)
		context.Processors, context.Pools = []int{p.Nodes}, []string{""}
		policies, _, err := chosen.Spec.Build(chosen.Settings, context)
		if err != nil {
			return Sample{}, err
		}
		sites = append(sites, workload.Site{Site: simulate.Site{Processors: p.Nodes, Policy: policies[0]}})
	}
	jobs, err := e.Workload.Jobs(e.Seed, replication)
	if err != nil {
		return Sample{}, err
	}
	defer Close(jobs)
	tally := e.tally()
	observers = append([]simulate.Observer{tally}, observers...)
	chain := e.chained()
	if chain != nil {
		observers = append(observers, chain)
	}
	closed := closing(ctx, sites)
	config := simulate.Config{
		Source: jobs, Sites: workload.Clusters(sites), Agents: workload.Agents(sites),
		Charging: e.Policy.Spec.Charging(e.Policy.Settings, e.Workload.Charging()),
		Window:   e.Workload.Window(), Observers: observers, Limits: workload.Limits(e.Workload),
	}
	e.route(&config, router)
	if config.Router == nil && config.Admission == nil {
		workload.WithoutLots(jobs)
	}
	r, err := simulate.Run(ctx, config)
	if end := closed(); err == nil {
		err = end
	}
	if err != nil {
		return Sample{}, e.named(ctx, replication, err)
	}
	if known, ok := jobs.(workload.Spanned); ok {
		tally.Arrivals = known.Span()
	}
	s := Sample{Cut: r.Cut, Load: math.NaN()}
	if known, ok := jobs.(workload.Loaded); ok {
		s.Load = known.Load()
	}
	s.Part = tally.Part()
	s.Providers = text.Each(chain, (*metric.Tally).Total)
	return s, nil
}

// RunError is the error of a policy in a replication.
type RunError struct {
	Policy      string // its label
	Replication int
	Err         error
}

func (e *RunError) Error() string {
	return fmt.Sprintf("policy %s, replication %d: %v", text.OneLine(e.Policy), e.Replication, e.Err)
}

func (e *RunError) Unwrap() error { return e.Err }

// named returns the error of a replication: that of the context if it has ended, since it closes
// policies, and a *RunError if it is of a policy.
func (e *Experiment) named(ctx context.Context, replication int, err error) error {
	cause := simulate.Blamed(err)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case cause == nil:
		return err
	case len(e.Pooled) > 0 || len(e.Providers) > 0:
		cause = err // it may be of the policy of a pool or of another provider
	}
	return &RunError{e.Policy.Label(), replication, cause}
}

// route sets the router and the admission of a run. The broker is that of a grid, nil if there is none.
func (e *Experiment) route(c *simulate.Config, broker simulate.Router) {
	rule, pools := e.rule(), e.Workload.Pools().Run()
	switch {
	case e.Providers != nil:
		providers := e.providers()
		c.Router, c.Admission = providers, providers
	case pools != nil:
		c.Router, c.Admission = pools.Router(), rule
		c.Agents = append(c.Agents, pools.Agents()...)
	case broker != nil && rule != nil:
		c.Router = &agent.Gate{Router: broker, Admission: rule}
	default:
		c.Router, c.Admission = broker, rule
	}
}

// Close closes a source of jobs that holds a file.
func Close(jobs simulate.Source) {
	if c, ok := jobs.(io.Closer); ok {
		c.Close()
	}
}

// closing returns a function that closes the policies of a run that are io.Closers, see
// simulate.Policy. They are closed at once if ctx ends.
func closing(ctx context.Context, sites []workload.Site) (end func() error) {
	all := func() (first error) {
		for _, s := range sites {
			if c, ok := s.Policy.(io.Closer); ok {
				first = cmp.Or(first, c.Close())
			}
		}
		return first
	}
	stop := context.AfterFunc(ctx, func() { all() })
	return func() error {
		stop()
		return all()
	}
}

// staff gives the machines their policies. Pools have policies of a single site.
func (e *Experiment) staff(sites []workload.Site, context policy.Context) (simulate.Router, error) {
	made := map[string][]simulate.Policy{}
	var router simulate.Router
	for i := range sites {
		chosen := e.policyIn(i)
		label := chosen.Label()
		if made[label] == nil { // pools with the same policy share its accounts
			policies, its, err := chosen.Spec.Build(chosen.Settings, context)
			if err != nil {
				return nil, err
			}
			made[label] = policies
			router = its
		}
		sites[i].Policy = made[label][i]
		sites[i].Recorded = chosen.Spec.Needs.Recorded
	}
	return router, nil
}

// Context returns what the policies of a replication may know.
func (e *Experiment) Context(sites []workload.Site, replication int) policy.Context {
	f := policy.Context{
		Seed: e.Seed, Replication: replication,
		Processors: text.Each(sites, func(s workload.Site) int { return s.Processors }),
		Pools:      make([]string, len(sites)), Customers: subject.ClassNames(e.Workload.Customers()),
	}
	if p := e.Workload.Pools(); p != nil {
		f.Pools = p.Names()
	}
	if w, ok := e.Workload.(*workload.Replay); ok {
		f.Names, f.Offset = w.Trace().Names(), w.Offset()
	}
	return f
}

// policyIn returns the policy of a pool. The schedule of a log is that of all pools.
func (e *Experiment) policyIn(pool int) subject.Policy {
	if pool < len(e.Pooled) && e.Pooled[pool] != nil && !e.Policy.RepeatsLog() {
		return *e.Pooled[pool]
	}
	return e.Policy
}

// Recorder returns an observer that writes the jobs of a replication.
func (e *Experiment) Recorder(r *metric.Records, label string, replication int) simulate.Observer {
	var pools []string
	if p := e.Workload.Pools(); p != nil {
		pools = p.Names()
	}
	return r.Observer(label, replication, subject.ClassNames(e.Workload.Customers()), pools...)
}

// rule returns the admission with the limit on waiting jobs, if there is one.
func (e *Experiment) rule() simulate.Admission {
	if c, ok := e.Workload.(*workload.Classes); ok {
		return e.limited(c.Waiting())
	}
	return e.Admission.rule()
}

// limited returns the admission where at most so many jobs wait; negative: no limit.
func (e *Experiment) limited(most int) simulate.Admission {
	rule := e.Admission.rule()
	if most < 0 {
		return rule
	}
	return agent.AdmitFunc(func(j *simulate.Job, sites []*simulate.Cluster) bool {
		room := sites[0].Waiting() < most
		if most == 0 { // a loss system: no job waits, so free nodes are enough to start
			room = e.policyIn(sites[0].Index()).Spec.Needs.Shared || sites[0].Free() >= j.Width
		}
		return room && (rule == nil || rule.Admit(j, sites))
	})
}

// tally returns the measures of one run. Streams are observed while jobs
// arrive, finitely many jobs until the last has ended.
func (e *Experiment) tally() *metric.Tally {
	customers := e.Workload.Customers()
	t := metric.NewTally(len(customers))
	t.UntilEnd = !(e.Workload.Stream() > 0)
	for i, c := range customers {
		if c.SLO != nil {
			t.Within[i] = c.SLO.Within
		}
	}
	if p := e.Workload.Pools(); p != nil {
		t.Groups = text.Each(p.Columns(), func(c workload.Column) metric.Group { return metric.Group{Site: c.Pool} })
		next := len(p.Customers) + len(p.List) // the column of the next section
		for i, s := range p.Sections {
			add := func(group int) { t.Groups[group].Customers = append(t.Groups[group].Customers, i) }
			add(s.Customer)
			if s.Pool >= 0 {
				add(len(p.Customers) + s.Pool)
			}
			if p.Cut && s.Pool >= 0 {
				add(next)
				next++
			}
		}
	}
	return t
}

// Random reports whether replications differ.
func (e *Experiment) Random() bool { return e.Workload.Random() || e.Admission.Random() }

// CostOfJob returns how long a job takes under the slowest policy, in seconds, as policies state it.
func (e *Experiment) CostOfJob() float64 {
	return slices.Max(text.Each(e.policies(), func(p *subject.Policy) float64 { return cmp.Or(p.Spec.Cost, 1e-6) }))
}

// Program reports whether a policy is a program of the user.
func (e *Experiment) Program() bool {
	return slices.ContainsFunc(e.policies(), func(p *subject.Policy) bool { return p.Spec.Program })
}

// DerivedSeed returns a seed for another purpose.
func DerivedSeed(seed uint64, purpose string) uint64 {
	return simulate.Stream(seed, 0, purpose, 0).Uint64()
}

func (e *Experiment) policies() []*subject.Policy {
	list := append([]*subject.Policy{&e.Policy}, e.Pooled...)
	for _, p := range e.Providers {
		list = append(list, p.Policy)
	}
	return slices.DeleteFunc(list, func(p *subject.Policy) bool { return p == nil })
}

// Unread names the settings of files that the policies of an experiment do not simulate.
func (e *Experiment) Unread() []warn.Warning {
	return text.Join(e.policies(), (*subject.Policy).Unread)
}
