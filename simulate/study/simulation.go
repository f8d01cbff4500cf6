package study

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"revopt/internal/text"
	"revopt/model"
	"revopt/model/scenario"
	"revopt/simulate/metric"
	"revopt/simulate/policy"
	"revopt/simulate/workload"
)

// Simulation compares policies and admissions on the jobs of a scenario.
type Simulation struct {
	Subject      *Subject
	Policies     []Policy             // nil: those of the scenario, else the usual one
	Admissions   []Admission          // by name or probabilities; nil admits all. Admissions without probabilities are computed
	Replications int                  // 0: as many as the scenario says, with Resample at least 100
	Resample     *workload.Resampling // draws the jobs of a trace anew, so that intervals are ranges of spans; nil replays them
	Stop         *Stop                // nil runs just Replications
	MSER         bool                 // MSER-5 finds the warm-up
	Plain        bool                 // without control variates
	Seed         uint64
	Workers      int     // 0: one per processor
	Level        float64 // of confidence; 0 is metric.DefaultLevel
	Progress     Progress
	Journal      *Journal // keeps finished replications; nil keeps none

	Version   string   // of the program
	Overrides []string // path=value, for the result

	rows     []*Experiment
	searched []bool
	models   *Admissions
}

// Progress is told what is going on and how far it is; total is 0 where that is
// not known. It may be called from any goroutine. Nil is told nothing.
type Progress func(what string, done, total int)

func (p Progress) tell(what string, done, total int) {
	if p != nil {
		p(what, done, total)
	}
}

// comparison sets up the rows and checks them.
func (s *Simulation) comparison(ctx context.Context) (*Comparison, error) {
	if err := s.Subject.Check(); err != nil {
		return nil, err
	}
	subject, err := s.Subject.resample(ctx, s.Resample, s.Stop)
	if err != nil {
		return nil, err
	}
	s.Subject = subject
	if s.Policies == nil {
		list, err := s.Subject.Policies(nil)
		if err != nil {
			return nil, err
		}
		s.Policies = list
	}
	if s.Admissions == nil {
		s.Admissions = []Admission{{Name: scenario.AdmitAll}}
	}
	if s.Level == 0 {
		s.Level = metric.DefaultLevel
	}
	if s.Replications == 0 {
		s.Replications = s.Subject.replications()
	}
	c := &Comparison{Replications: s.Replications, Stop: s.Stop, Workers: s.Workers, Level: s.Level, Spread: s.Resample != nil}
	s.rows, s.searched = nil, nil
	providers, err := s.Subject.Providers()
	if err != nil {
		return nil, err
	}
	for _, p := range s.Policies {
		for _, a := range s.Admissions {
			if err := s.Subject.computable(a); err != nil {
				return nil, err
			}
			a.Admit = completed(a.Admit, len(s.Subject.Workload.Customers()))
			s.rows = append(s.rows, &Experiment{Workload: s.Subject.Workload, Policy: p, Admission: a, Providers: providers, Seed: s.Seed, Plain: s.Plain, Journal: s.Journal})
			s.searched = append(s.searched, false)
		}
	}
	c.Experiments = s.rows
	return c, c.Check()
}

// completed returns probabilities for all customers: the jobs that no listed
// customer takes are admitted.
func completed(admit []float64, customers int) []float64 {
	if admit != nil && len(admit) == customers-1 {
		return append(slices.Clone(admit), 1)
	}
	return admit
}

// Run computes the admissions that are not numbers yet, then simulates. After an
// error, or when the context is canceled, the result is of the replications
// before the first that did not finish, nil where there are none.
func (s *Simulation) Run(ctx context.Context) (*Result, error) {
	c, err := s.comparison(ctx)
	if err != nil {
		return nil, err
	}
	if err := c.afford(ctx); err != nil {
		return nil, err
	}
	s.models = &Admissions{Subject: s.Subject, Seed: s.Seed}
	for i, e := range s.rows {
		if err := s.admit(ctx, i, e); err != nil {
			return nil, err
		}
	}
	warmup, err := s.warmup(ctx, c)
	if err != nil {
		return nil, err
	}
	most := s.Replications
	if s.Stop != nil {
		most = s.Stop.Precision.Most()
	}
	c.Progress = func(finished int) { s.Progress.tell("simulating", finished, most) }
	compared, err := c.Run(ctx)
	if compared.Replications() == 0 {
		return nil, err
	}
	r := s.result(compared, warmup)
	if r.Interrupted = err != nil; r.Interrupted {
		r.Warnings = interrupted(r.Warnings, "after %d of %s", r.Replications, text.Plural(most, "replication"))
	}
	return r, err
}

// admit gives a row its probabilities or its rule.
func (s *Simulation) admit(ctx context.Context, i int, e *Experiment) error {
	var err error
	if e.Admission.Admit == nil && e.Admission.Rule == nil {
		e.Admission, s.searched[i], err = s.models.compute(ctx, e, nil, s.Workers, s.Progress)
	}
	if err == nil && e.Providers != nil {
		e.Providers, _, err = s.Subject.chain(ctx, e.lots(), e.Providers)
	}
	return err
}

// computedAdmissions are the names of the admissions that are computed.
func computedAdmissions() []string {
	return []string{scenario.AdmitAnalytic, scenario.AdmitSimulated, scenario.AdmitPromise, ControlState, ControlThreshold}
}

// warmup replaces the warm-up of the workload where MSER-5 is to find it.
func (s *Simulation) warmup(ctx context.Context, c *Comparison) (*Warmup, error) {
	if !s.MSER {
		return nil, nil
	}
	found, w, err := c.FindWarmup(ctx)
	if err != nil {
		return nil, fmt.Errorf("pilot runs for the warm-up: %w", err)
	}
	for _, e := range s.rows {
		e.Workload = w
	}
	return &found, nil
}

// result estimates everything from the samples.
func (s *Simulation) result(compared Compared, warmup *Warmup) *Result {
	r := s.Subject.newResult(s.rows[0].Workload.Size(), compared.Once)
	r.Version, r.Overrides, r.Seed, r.Level = s.Version, append(r.Overrides, s.Overrides...), s.Seed, Number(s.Level)
	r.Replications, r.Experiments = compared.Replications(), s.rows
	r.JobsSum, r.Window = digest(s.rows[0].Workload, s.Seed), s.rows[0].Workload.Window()
	if w, ok := s.rows[0].Workload.(*workload.Classes); ok {
		l := w.Length()
		r.Warmup = &WarmupResult{"stated", Number(l.WarmupFraction), Number(l.WarmupSeconds), 0}
		if warmup != nil {
			r.Warmup.Method, r.Warmup.Jobs = "mser", warmup.Jobs
		}
		if horizon := Number(l.Horizon); horizon > 0 {
			r.Horizon, r.Jobs = &horizon, Number(math.NaN())
		}
	}
	if s.Stop != nil {
		r.Precision = &PrecisionResult{s.Stop.Measure.Name, Number(s.Stop.Precision.Relative), compared.Met}
	}
	for i, e := range s.rows {
		row := newRow(e, s.label(e), compared.Outcomes[i])
		row.Searched = s.searched[i]
		r.Policies = append(r.Policies, row)
		if i > 0 {
			r.Differences = append(r.Differences, DifferenceRow{RowID: row.RowID, Versus: r.Policies[0].Label,
				Total: newEstimates(func(m metric.Measure) metric.Interval { return compared.Difference(m, -1, i, 0) })})
		}
	}
	r.Warnings = append(r.Warnings, s.warnings(r, compared, warmup)...)
	return r
}

// label names a row by what tells it from the others.
func (s *Simulation) label(e *Experiment) string {
	switch {
	case len(s.Admissions) == 1:
		return e.Policy.Label()
	case len(s.Policies) == 1:
		return e.Admission.Name
	}
	return e.Policy.Label() + " " + e.Admission.Name
}

// warnings says what a reader of the results should know.
func (s *Simulation) warnings(r *Result, compared Compared, warmup *Warmup) []Warning {
	analytic := slices.ContainsFunc(s.Admissions, func(a Admission) bool { return a.Name == scenario.AdmitAnalytic })
	list := s.Subject.warnings()
	if analytic {
		if own, err := s.models.Analysis(context.Background()); err == nil && s.models.best != nil {
			for _, w := range append(slices.Clone(own.Ignored), unproven(own.System.Residual, *s.models.best, 1e-6)...) {
				list = append(list, w.about("analytic admission"))
			}
		}
	}
	list = append(list, r.uncertain()...)
	if warmup != nil && !warmup.OK {
		list = append(list, told("warmup", "the pilot runs are too short to tell the warm-up, half of each replication is left out; use --jobs or --horizon"))
	}
	for i, e := range s.rows {
		if e.Overloaded() || compared.Outcomes[i].Cut() > 0 && e.admittedLoad() >= 1 {
			list = append(list, told("overload", r.Policies[i].Label+": more is admitted than the cluster can serve and jobs do not give up, so the queue grows for ever: "+
				"waits and revenue depend on the length of the run"))
		}
	}
	return append(list, s.Subject.rankWarnings(s.Policies)...)
}

// resample is Resample, which a precision does not go with.
func (s *Subject) resample(ctx context.Context, r *workload.Resampling, stop *Stop) (*Subject, error) {
	if r != nil && stop != nil {
		return nil, &workload.ResampleError{File: s.Document.File(), Reason: "a precision cannot be reached, as the range of spans does not shrink with replications"}
	}
	return s.Resample(ctx, r)
}

// resampledSpans is how many replications there are at least unless it is said how
// many: enough for the quantiles of the range.
const resampledSpans = 100

// replications returns how many there are unless it is said how many.
func (s *Subject) replications() int {
	if n := s.Scenario.Simulation.Replications; s.recorded == nil || n > resampledSpans {
		return n
	}
	return resampledSpans
}

// uncertain says where there are no intervals, or wider ones than asked for.
func (r *Result) uncertain() []Warning {
	var list []Warning
	if r.Replications == 1 && !r.Once { // the head of the result says the latter
		list = append(list, told("one-replication", "one replication has no confidence interval, use --replications"))
	}
	if least := metric.SpreadLeast(float64(r.Level)); r.Resampled != nil && r.Replications > 1 && r.Replications < least {
		n := float64(r.Replications)
		list = append(list, told("few-spans", fmt.Sprintf("%d spans are too few for the range of %s of them (%d would do): ranges go from the least to the largest, where %s of further spans fall",
			r.Replications, percentOf(float64(r.Level)), least, text.Percent((n-1)/(n+1)))))
	}
	if p := r.Precision; p != nil && !p.Met {
		list = append(list, told("precision", fmt.Sprintf("%d replications do not make the interval of %s as narrow as %s of its mean", r.Replications, p.Metric, percentOf(float64(p.Relative)))))
	}
	return list
}

// warnings says where the simulated machine or its jobs are not quite those of
// the scenario.
func (s *Subject) warnings() []Warning {
	list := scenarioWarnings(s.Scenario, false)
	w := s.Workload
	if stated := s.Scenario.Load; w.Stream() > 0 && math.Abs(w.Load()-stated) > 1e-9*stated {
		list = append(list, told("whole-nodes", fmt.Sprintf("%s jobs at a time are no whole number of nodes: the load of the simulated %d nodes is %s",
			text.Plain(s.Scenario.Parallel), s.Nodes(), text.Plain(w.Load()))))
	}
	for _, c := range w.Customers() {
		for i, nodes := range c.Width.Values {
			if nodes > float64(s.Nodes()) && c.Width.Weights[i] > 0 {
				list = append(list, told("too-wide", fmt.Sprintf("jobs of class %s that need %s nodes are rejected, the cluster has %d", c.Name, text.Plain(nodes), s.Nodes())))
			}
		}
	}
	if t := s.Trace; t != nil {
		if n := t.HeaderNodes(); n > 0 && n != t.Nodes() {
			list = append(list, told("other-machine", fmt.Sprintf("%s was recorded on %s, the scenario has %d (trace.nodes)", s.Scenario.Trace.File, text.Plural(n, "node"), t.Nodes())))
		}
		r, ok := w.(*workload.Replay)
		if ok {
			list = append(list, s.unmatched(r)...)
		}
		for _, c := range w.Customers() {
			if c.Demand != nil && c.Rate > 1+1e-9 {
				list = append(list, told("demand", fmt.Sprintf("class %s: at this price %s times as many jobs would come; the trace has no others, so all of its own come", c.Name, text.Rounded(c.Rate))))
			}
		}
		if ok && r.Others() > 0 {
			list = append(list, told("others", fmt.Sprintf("%s of the trace belong to no class: they are served and pay nothing", text.Plural(int(r.Others()), "job"))))
		}
		if g := s.Scenario.Growth; g != 0 {
			list = append(list, told("growth", fmt.Sprintf("growth of %s divides the times between arrivals by %s, which shrinks the daily cycle too", percentOf(g), text.Plain(1+g))))
		}
	}
	return list
}

// unmatched names the customers to whom no job of the trace belongs.
func (s *Subject) unmatched(r *workload.Replay) []Warning {
	var list []Warning
	for _, i := range r.Unmatched() {
		words := fmt.Sprintf("classes.%s.of matches no job of %s", r.Customers()[i].Name, s.Scenario.Trace.File)
		if of := s.Scenario.Selectors[i]; of == nil {
			words = fmt.Sprintf("no job of %s is left for class %s", s.Scenario.Trace.File, r.Customers()[i].Name)
		} else if s.Scenario.Trace.File == workload.SP2Like && slices.ContainsFunc([][]model.Party{of.Users, of.Groups, of.Queues, of.Partitions, of.Accounts}, func(p []model.Party) bool { return p != nil }) {
			words += ": generated jobs have no users, groups or queues"
		}
		list = append(list, told("unmatched", words))
	}
	return list
}

// rankWarnings says by what customers on a trace are ranked where a policy serves
// by rank.
func (s *Subject) rankWarnings(policies []Policy) []Warning {
	customers := s.Workload.Customers()
	if s.Trace == nil || s.Scenario.Trace.QoS != nil || len(customers) < 2 || !slices.ContainsFunc(policies, func(p Policy) bool { return p.Spec.Ranked }) {
		return nil
	}
	return []Warning{told("ranks", "hol ranks customers by decay over length, as stated or as the trace has it on average")}
}

// Overloaded reports whether admitted jobs that never give up are more than the
// nodes can serve, so that there is no steady state: by themselves or, under
// hol, together with all jobs that are served before them, which hardly wait and
// so hardly give up. Finitely many jobs always come to an end, and a rule of
// admission that looks at the queue is trusted to bound it.
func (e *Experiment) Overloaded() bool {
	c, ok := e.Workload.(*workload.Classes)
	if !ok || c.Waiting() >= 0 || e.Admission.Rule != nil {
		return false
	}
	classes := c.Customers()
	nodes := float64(c.Sites()[0].Processors)
	var before, patient float64 // nodes kept busy by the ranks above; by jobs that never give up
	for _, i := range slices.Backward(model.ServiceOrder(classes)) {
		class, q := classes[i], 1.0
		if e.Admission.Admit != nil {
			q = e.Admission.Admit[i]
		}
		busy := q * class.Rate * class.Length.Mean() * class.Width.Mean()
		before += busy
		if expires(class) || busy == 0 {
			continue
		}
		patient += busy
		if e.Policy.Spec.Ranked && before >= nodes {
			return true
		}
	}
	return patient >= nodes
}

// admittedLoad returns the share of the machine that admitted jobs of a stream
// need, NaN of finitely many jobs or places to wait and under a rule. A short run may be cut off below 1 as well:
// its last jobs are still there when arrivals end.
func (e *Experiment) admittedLoad() float64 {
	c, ok := e.Workload.(*workload.Classes)
	if !ok || c.Waiting() >= 0 || e.Admission.Rule != nil {
		return math.NaN()
	}
	var busy float64
	for i, class := range c.Customers() {
		q := 1.0
		if e.Admission.Admit != nil {
			q = e.Admission.Admit[i]
		}
		busy += q * class.Rate * class.Length.Mean() * class.Width.Mean()
	}
	return busy / float64(c.Sites()[0].Processors)
}

// ParsePolicy reads a policy such as "hol:backfill=true". Nil specs are
// policy.Standard.
func ParsePolicy(specs []policy.Spec, words []string) (Policy, error) {
	given := map[string]string{}
	for _, w := range words[1:] {
		name, value, ok := strings.Cut(w, "=")
		if !ok {
			return Policy{}, errors.New("expected options as in hol:backfill=true")
		}
		given[name] = value
	}
	return NewPolicy(specs, words[0], given)
}

// percentOf formats a fraction without needless decimals.
func percentOf(x float64) string { return text.Plain(100*x) + " %" }
