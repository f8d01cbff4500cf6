package study

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"revopt/internal/text"
	"revopt/model"
	"revopt/model/scenario"
	"revopt/simulate"
	"revopt/simulate/agent"
	"revopt/simulate/analytic"
	"revopt/simulate/experiment"
	"revopt/simulate/metric"
	"revopt/simulate/plan"
	"revopt/simulate/policy"
	"revopt/simulate/served"
	"revopt/simulate/subject"
	"revopt/simulate/warn"
	"revopt/simulate/workload"
)

// Outcome returns how intervals of the result are made of values, without samples.
func (r *Result) Outcome() plan.Outcome {
	looked := r.Precision != nil && !r.Once
	return plan.Outcome{Level: float64(r.Level), Spread: r.Resampled != nil, Looked: looked}
}

// Result is what a simulation or a validation found. Its JSON is the contract
// with scripts; tables, CSV files, figures and pages render it.
type Result struct {
	Head
	Workload     string             `json:"workload"` // classes, trace or grid
	Load         metric.Number      `json:"load"`     // offered; of generated jobs the mean of the replications
	Nodes        int                `json:"nodes"`
	Sites        int                `json:"sites"`
	Machine      string             `json:"machine,omitempty"` // its name by the header of the trace
	Trace        string             `json:"trace,omitempty"`
	TraceFile    *subject.TraceFile `json:"trace_file,omitempty"`
	Subset       string             `json:"subset,omitempty"` // of the trace
	DelayFactor  *metric.Number     `json:"arrival_delay_factor,omitempty"`
	Seed         uint64             `json:"seed"`
	Replications int                `json:"replications"`
	Once         bool               `json:"once"`            // nothing is random: one replication stands for all
	Covers       string             `json:"covers" save:"-"` // Drawn as a sentence; "" until package report makes it
	Resampled    *ResampledResult   `json:"resampled,omitempty"`
	Jobs         metric.Number      `json:"jobs"`    // of a replication, mean; null where there is a horizon
	Horizon      *metric.Number     `json:"horizon"` // s; null where the jobs say how long
	Warmup       *WarmupResult      `json:"warmup"`  // null where there is none
	Level        metric.Number      `json:"level"`
	Precision    *PrecisionResult   `json:"precision"` // null where none was asked for
	Interrupted  bool               `json:"interrupted"`
	Cleaning     *workload.Cleaning `json:"cleaning"` // null where there is no trace
	Pools        []PoolResult       `json:"pools,omitempty"`
	Policies     []Row              `json:"policies"` // of a validation, best first
	Differences  []DifferenceRow    `json:"differences"`
	Standing     *Standing          `json:"standing,omitempty"` // the answer in a line; absent for one policy alone
	Warnings     []warn.Warning     `json:"warnings"`

	Drawn    string `json:"-"` // the random part of the workload, which intervals cover
	What     string `json:"-"` // the workload in a few words
	UnitName string `json:"-"` // the word for one of Nodes, see Subject.Unit
	Source   string `json:"-"` // the text of the scenario, without overrides
	Stream   bool   `json:"-"` // jobs arrive as long as is simulated, so that money is per time
	ByPolicy bool   `json:"-"` // policies decide what jobs pay
	Residual string `json:"-"` // the convention for delays of the model; "" where the model is fitted to a trace
	ByClass  bool   `json:"-"` // the table lists the customers of every row

	Window simulate.Window `json:"-"` // of a replication

	// in the order of the policies, where the result was not loaded
	Experiments []*experiment.Experiment `json:"-" save:"-"`
	Samples     []*plan.Samples          `json:"-" save:"-"` // likewise; the point of the table first

	Subject *subject.Subject `json:"-" save:"-"`
}

func (r *Result) Names() []string {
	return text.Each(r.Policies[0].Customers, func(c CustomerRow) string { return c.Name })
}

// ResampledResult is what the jobs of a replication are drawn from.
type ResampledResult struct {
	By    string        `json:"by"`    // weeks
	Span  metric.Number `json:"span"`  // s, of a replication
	Weeks int           `json:"weeks"` // of the trace
	Users int           `json:"users"`
}

// WarmupResult is the beginning of each replication that is left out.
type WarmupResult struct {
	Method   string        `json:"method"`   // stated
	Fraction metric.Number `json:"fraction"` // of the jobs or the horizon
	Seconds  metric.Number `json:"seconds"`
}

// NewWarmup returns the warm-up of a workload, nil where there is none.
func NewWarmup(w workload.Workload) *WarmupResult {
	c, ok := w.(*workload.Classes)
	if !ok {
		return nil
	}
	l := c.Length()
	return &WarmupResult{Method: "stated", Fraction: metric.Number(l.WarmupFraction),
		Seconds: metric.Number(l.WarmupSeconds)}
}

// PrecisionResult is the precision asked for, and whether it was reached.
type PrecisionResult struct {
	Metric   string        `json:"metric"`
	Relative metric.Number `json:"relative"`
	Met      bool          `json:"met"`
}

// Estimate is a mean over replications and its interval.
type Estimate struct {
	Mean      metric.Number `json:"mean"`
	HalfWidth metric.Number `json:"half_width"`
	Level     metric.Number `json:"level"`
	N         int           `json:"n"`
	// how many times, by control variates; absent where there are none
	Reduced metric.Number `json:"variance_reduced,omitempty"`

	// The range of resampled spans, twice half_width wide; absent where the interval
	// is mean +- half_width.
	Low  *metric.Number `json:"low,omitempty"`
	High *metric.Number `json:"high,omitempty"`
}

// NewEstimate returns an interval as results state it.
func NewEstimate(i metric.Interval) Estimate {
	e := Estimate{
		Mean: metric.Number(i.Mean), HalfWidth: metric.Number(i.HalfWidth), Level: metric.Number(i.Level), N: i.N,
		Reduced: metric.Number(i.Reduced),
	}
	if i.Range {
		low, high := metric.Number(i.Low), metric.Number(i.High)
		e.Low, e.High = &low, &high
	}
	return e
}

// Interval is the inverse of NewEstimate.
func (e Estimate) Interval() metric.Interval {
	i := metric.Interval{
		Mean: float64(e.Mean), HalfWidth: float64(e.HalfWidth), Level: float64(e.Level), N: e.N,
		Reduced: float64(e.Reduced),
	}
	if e.Low != nil && e.High != nil {
		i.Range = true
		i.Low = float64(*e.Low)
		i.High = float64(*e.High)
	}
	return i
}

// Estimates are those of all measures, in the order of metric.Measures.
type Estimates []Estimate

func NewEstimates(interval func(metric.Measure) metric.Interval) Estimates {
	return text.Each(metric.Measures(), func(m metric.Measure) Estimate { return NewEstimate(interval(m)) })
}

// Get returns the estimate of a measure by its name.
func (e Estimates) Get(name string) Estimate {
	for i, m := range metric.Measures() {
		if m.Name == name {
			return e[i]
		}
	}
	panic("study: no measure " + name)
}

// Without returns the estimates with no number for a measure.
func (e Estimates) Without(name string) Estimates {
	e = slices.Clone(e)
	e[slices.Index(metric.Names(metric.Measures()), name)] = Estimate{Mean: metric.Number(math.NaN())}
	return e
}

// RowID tells a row from others: a policy with its options, and an admission.
type RowID struct {
	Policy    PolicyName
	Label     string
	Admission AdmissionResult
	Searched  bool // the admission was searched on the simulator
}

// PolicyName is a policy as results name it.
type PolicyName struct {
	Name     string
	Settings policy.Settings // complete
	Label    string          // with the options that are not the defaults
	Heading  string          // likewise, with its title
	RunsOn   string          // slurm, plugin or research; "" for the schedule of a log
}

// AdmissionResult is an admission that was simulated.
type AdmissionResult struct {
	Name       string
	Admit      []float64                 // probability by customer; nil where a rule decides
	Parties    []string                  // the customers, each in each of its pools where they cut across pools
	Thresholds []analytic.ClassThreshold // of a rule that has some
	ByState    bool                      // a rule decides that is no thresholds
	Prices     []subject.AskedPrice      // that it goes with, where prices were chosen
}

// newRowID returns what tells a row of an experiment from others.
func newRowID(e *experiment.Experiment, label string) RowID {
	p, a := e.Policy, e.Admission
	customers := subject.Parties(e.Workload)
	id := RowID{
		Policy: PolicyName{p.Spec.Name, p.Settings, p.Label(), p.Spec.Heading(p.Settings), e.RunsOn()},
		Label:  label, Searched: a.Searched,
	}
	id.Admission = AdmissionResult{
		Name: a.Name, Admit: a.Admit, Parties: customers, Thresholds: a.Thresholds(customers), Prices: a.Prices,
	}
	if _, limits := a.Rule.(agent.Thresholds); a.Rule != nil {
		id.Admission.ByState = !limits
	} else if a.Admit == nil {
		id.Admission.Admit = slices.Repeat([]float64{1}, len(customers))
	}
	return id
}

// Row is one policy with one admission.
type Row struct {
	RowID
	Total     Estimates
	Customers []CustomerRow
	InPools   []CustomerRow // each pool, then each customer in each of its pools; nil where the machine is one
	Pools     []PoolRow     // likewise
	Providers []ProviderRow // the server first; nil where there are no others
	Span      float64       // s, of arrivals, that money is divided by, mean over replications
	Observed  float64       // s, that utilization is over: of finitely many jobs until the last has left, likewise
	Values    [][]Values    // by replication, in the order of Parts: by measure
	Users     []UserRow     // see AddUsers

	Stretched bool // some jobs were suspended or shared their units, so that waits end before the waiting does

	Groups []served.Measured // customers and groups of width; nil where they were not asked for
}

// CustomerRow is that of one customer, or of another section.
type CustomerRow struct {
	subject.Section
	Admit float64 // NaN where a rule decides, or where parts of it differ
	Estimates
}

// Parts returns all jobs, the customers, and those in pools.
func (r *Row) Parts() []CustomerRow {
	return slices.Concat([]CustomerRow{{Estimates: r.Total}}, r.Customers, r.InPools)
}

func newRow(e *experiment.Experiment, label string, o plan.Outcome) Row {
	r := Row{
		RowID: newRowID(e, label), Values: [][]Values{newValues(o, -1)},
		Span: stat.Mean(o.Spans(), nil), Observed: stat.Mean(o.Observed(), nil), Stretched: !o.Whole(),
	}
	r.Total = rowEstimates(o, r.Values[0])
	r.Providers = providerRows(e, o)
	for _, s := range subject.Sections(e.Workload) {
		values := newValues(o, o.Column(s.At.Customer, s.At.Pool))
		row := CustomerRow{s, r.Admission.share(e.Workload.Pools(), s.At), rowEstimates(o, values)}
		r.Values = append(r.Values, values)
		if s.Pool == "" {
			r.Customers = append(r.Customers, row)
		} else {
			r.InPools = append(r.InPools, row)
		}
	}
	for _, p := range poolResults(e.Workload) {
		r.Pools = append(r.Pools, PoolRow{PoolHead: p.PoolHead, Load: p.Load})
	}
	return r
}

// share returns the probability to admit the jobs of a column, NaN if they have no single one.
func (a AdmissionResult) share(p *workload.Pools, at workload.Column) float64 {
	share := math.NaN()
	for k, q := range a.Admit {
		if p == nil && k == at.Customer || p != nil && at.Has(p.Sections[k]) {
			if share != q && !math.IsNaN(share) {
				return math.NaN()
			}
			share = q
		}
	}
	return share
}

// DifferenceRow is a row less another, by replication.
type DifferenceRow struct {
	RowID
	Versus string
	Total  Estimates // of a simulation
}

// NewResult returns a result that says what it is of, with the mean number of jobs.
func NewResult(s *subject.Subject, jobs float64, once bool) *Result {
	r := &Result{
		Head: HeadOf(s.Scenario, ""), Subject: s, Source: string(s.Document.Source()),
		What:     s.Describe(jobs, s.Workload.Load()),
		Workload: s.Kind, UnitName: s.Unit(), TraceFile: s.TraceFile(),
		Load: metric.Number(s.Workload.Load()), Nodes: s.Nodes(), Sites: len(s.Workload.Sites()),
		Jobs: metric.Number(jobs),
		Once: once, Drawn: Drawn(s, once), Stream: s.Workload.Stream() > 0,
		ByPolicy: s.Workload.Charging() == simulate.ByPolicy,
		Residual: s.Scenario.Residual.String(), Differences: []DifferenceRow{}, Warnings: []warn.Warning{},
		Pools: SubjectPools(s),
	}
	if w, ok := s.Workload.(*workload.Replay); ok {
		delay := metric.Number(w.Delay())
		r.Machine = s.Trace.Machine()
		r.Trace = s.Scenario.Trace.File
		r.Subset = s.Trace.Subset().String()
		r.DelayFactor = &delay
		cleaning := s.Trace.Cleaning()
		r.Cleaning, r.Residual = &cleaning, ""
		if span, weeks, users := w.Resampled(); weeks > 0 {
			r.Resampled = &ResampledResult{"weeks", metric.Number(span), weeks, users}
		}
	}
	return r
}

// Name returns the name of the scenario and of the machine, for titles.
func (r *Result) Name() string {
	if r.Machine == "" {
		return r.Scenario
	}
	return r.Scenario + " (" + r.Machine + ")"
}

// PromiseState returns whether a promise is "kept", "not kept", "undecided" as its
// level lies within the interval, or "void" as no job was submitted.
func PromiseState(kept Estimate, level float64, once bool) string {
	i := kept.Interval()
	if once {
		i = metric.Interval{Mean: i.Mean}
	}
	low, high := i.Bounds()
	switch {
	case math.IsNaN(i.Mean):
		return "void"
	case low >= level:
		return "kept"
	case high < level:
		return "not kept"
	}
	return "undecided"
}

// Negative returns the estimate of the negative.
func (e Estimate) Negative() Estimate {
	e.Mean = -e.Mean
	if e.Low != nil && e.High != nil {
		low, high := -*e.High, -*e.Low
		e.Low, e.High = &low, &high
	}
	return e
}

// The random parts of a workload, which intervals cover.
const (
	DrawnNothing = "nothing" // one replication is all there is
	DrawnClasses = "classes" // jobs are drawn from the classes
	DrawnSpans   = "spans"   // spans are drawn from the weeks and users of a trace
	DrawnLots    = "lots"    // lots are drawn for the jobs of a trace
	DrawnWindows = "windows" // jobs in a row are drawn from a trace
	DrawnJobs    = "jobs"    // jobs are drawn
)

func Drawn(s *subject.Subject, once bool) string {
	switch {
	case once:
		return DrawnNothing
	case s.Workload.Stream() > 0:
		return DrawnClasses
	case s.Recorded != nil:
		return DrawnSpans
	case s.Windows() > 0:
		return DrawnWindows
	case s.Trace != nil && !model.Generated(s.Scenario.Trace.File):
		return DrawnLots
	}
	return DrawnJobs
}

// Values are those of a measure by replication.
type Values struct {
	Plain      []float64
	Controlled []float64 // less what control variates explain; nil where they explain nothing
}

// Best returns the values that estimates are made of.
func (v Values) Best() []float64 {
	if v.Controlled != nil {
		return v.Controlled
	}
	return v.Plain
}

// newValues returns those of all measures, of all jobs for customer < 0.
func newValues(o plan.Outcome, customer int) []Values {
	return text.Each(metric.Measures(), func(m metric.Measure) Values {
		v := Values{Plain: o.Plain(m, customer)}
		if !m.Plain && o.Controlled() {
			v.Controlled = o.Adjusted(m, customer, v.Plain)
		}
		return v
	})
}

// rowEstimates returns those of the values of all measures.
func rowEstimates(o plan.Outcome, list []Values) Estimates {
	return text.Each(list, func(v Values) Estimate { return NewEstimate(o.Estimate(v.Best(), v.Plain)) })
}

// ProviderRow is what one of several providers has done.
type ProviderRow struct {
	Name  string
	Admit []float64 // probability by customer; nil where a rule decides
	Estimates
}

func providerRows(e *experiment.Experiment, o plan.Outcome) []ProviderRow {
	var list []ProviderRow
	for i := range e.ProviderCount() {
		row := ProviderRow{Name: scenario.ServerName, Admit: e.Lots()}
		if i > 0 {
			row.Name, row.Admit = e.Providers[i-1].Name, e.Providers[i-1].Admission.Admit
		}
		row.Estimates = NewEstimates(func(m metric.Measure) metric.Interval {
			x := o.Provider(m, i)
			return o.Estimate(x, x)
		})
		list = append(list, row)
	}
	return list
}

// NewPointResult returns a result with the rows of a point in the given order.
func NewPointResult(s *plan.Samples, point, n int, once bool, order []int, label func(row int) string) (*Result,
	error) {
	grid := s.Plan()
	first, err := s.Experiment(point, order[0])
	if err != nil {
		return nil, err
	}
	subject, err := s.Subject(point, order[0])
	if err != nil {
		return nil, err
	}
	r := NewResult(subject, first.Workload.Size(), once)
	load, err := s.Load(point, n)
	if err != nil {
		return nil, err
	}
	r.Load, r.What = metric.Number(load), subject.Describe(float64(r.Jobs), load)
	r.Version = s.Version
	r.Seed = grid.Seed
	r.Replications = n
	r.Samples = []*plan.Samples{s}
	r.Level = metric.Number(s.Row(point, order[0]).Confidence())
	r.Window = first.Workload.Window()
	if stop := grid.Stop; stop != nil {
		r.Precision = &PrecisionResult{stop.Metric, metric.Number(stop.Relative), s.Met(point) || once}
	}
	for _, row := range order {
		e, err := s.Experiment(point, row)
		if err != nil {
			return nil, err
		}
		o := s.Row(point, row).Stretched(n)
		made := newRow(e, label(row), o)
		if grid.Served != nil {
			made.Groups = served.Join(grid.Served.Groups(), o.Served())
		}
		r.Policies = append(r.Policies, made)
		r.Experiments = append(r.Experiments, e)
	}
	return r, nil
}
