package study

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/stat"

	"revopt/internal/text"
	"revopt/model"
	"revopt/model/scenario"
	"revopt/simulate"
	"revopt/simulate/metric"
	"revopt/simulate/policy"
	"revopt/simulate/workload"
)

// Result is what a simulation or a validation found. Its JSON is the contract
// with scripts; tables, CSV files, figures and pages render it.
type Result struct {
	Scenario     string             `json:"scenario"`
	Version      string             `json:"version"`
	Overrides    []string           `json:"overrides"`
	Workload     string             `json:"workload"` // classes, trace or grid
	Load         Number             `json:"load"`     // offered
	Nodes        int                `json:"nodes"`
	Sites        int                `json:"sites"`
	Machine      string             `json:"machine,omitempty"` // its name by the header of the trace
	Trace        string             `json:"trace,omitempty"`
	TraceFile    *TraceFile         `json:"trace_file,omitempty"`
	Subset       string             `json:"subset,omitempty"` // of the trace
	DelayFactor  *Number            `json:"arrival_delay_factor,omitempty"`
	Seed         uint64             `json:"seed"`
	Replications int                `json:"replications"`
	Once         bool               `json:"once"`            // nothing is random: one replication stands for all
	Covers       string             `json:"covers" save:"-"` // Drawn as a sentence; "" until package report makes it
	Resampled    *ResampledResult   `json:"resampled,omitempty"`
	Jobs         Number             `json:"jobs"`    // of a replication, mean; null where there is a horizon
	Horizon      *Number            `json:"horizon"` // s; null where the jobs say how long
	Warmup       *WarmupResult      `json:"warmup"`  // null where there is none
	Level        Number             `json:"level"`
	Precision    *PrecisionResult   `json:"precision"` // null where none was asked for
	Interrupted  bool               `json:"interrupted"`
	Cleaning     *workload.Cleaning `json:"cleaning"` // null where there is no trace
	Pools        []PoolResult       `json:"pools,omitempty"`
	Policies     []Row              `json:"policies"` // of a validation, best first
	Differences  []DifferenceRow    `json:"differences"`
	Validated    *ValidationResult  `json:"-"` // of a validation; its fields stand beside these in JSON
	Warnings     []Warning          `json:"warnings"`

	Drawn    string `json:"-"` // the random part of the workload, which intervals cover
	What     string `json:"-"` // the workload in a few words
	UnitName string `json:"-"` // the word for one of Nodes, see Subject.Unit
	Source   string `json:"-"` // the text of the scenario, without overrides
	Command  string `json:"-"` // that made it; "" where none did
	Build    string `json:"-"` // of the program that made it; "" where it is not known
	Stream   bool   `json:"-"` // jobs arrive as long as is simulated, so that money is per time
	ByPolicy bool   `json:"-"` // policies decide what jobs pay
	Residual string `json:"-"` // the convention for delays of the model; "" where the model is fitted to a trace
	ByClass  bool   `json:"-"` // the table lists the customers of every row

	JobsSum string          `json:"-"` // a checksum of the jobs of the first replication; "" where it is not known
	Window  simulate.Window `json:"-"` // of a replication

	Experiments []*Experiment `json:"-" save:"-"` // in the order of the policies, where the result was not loaded
	Samples     []*Samples    `json:"-" save:"-"` // likewise; the point of the table first

	subject *Subject
}

func (r *Result) Names() []string {
	return text.Each(r.Policies[0].Customers, func(c CustomerRow) string { return c.Name })
}

// TraceFile is the file of the jobs, and the machine that it was recorded on.
type TraceFile struct {
	Name   string `json:"name"`
	SHA256 string `json:"sha256"` // "" if the jobs are generated or come through a pipe
	Unit   string `json:"unit"`   // node, core, gpu or processor
	Units  int    `json:"units"`
}

// NewTraceFile describes a file of jobs on a machine.
func NewTraceFile(path, unit string, units int) *TraceFile {
	sum, _ := FileSum(path) // a pipe has none
	return &TraceFile{filepath.Base(path), sum, unit, units}
}

// Sum returns the SHA-256, "" if there is none.
func (f *TraceFile) Sum() string {
	if f == nil {
		return ""
	}
	return f.SHA256
}

// TraceFile describes the trace, nil if the jobs come from none.
func (s *Subject) TraceFile() *TraceFile {
	if s == nil || s.Trace == nil {
		return nil
	}
	f := &TraceFile{Name: filepath.Base(s.Scenario.Trace.File), Unit: s.Unit()}
	f.SHA256, _ = s.opener.sum(s.Scenario.Trace) // a pipe has none
	f.Units = cmp.Or(s.Trace.HeaderNodes(), s.Trace.Nodes())
	return f
}

// ResampledResult is what the jobs of a replication are drawn from.
type ResampledResult struct {
	By    string `json:"by"`    // weeks
	Span  Number `json:"span"`  // s, of a replication
	Weeks int    `json:"weeks"` // of the trace
	Users int    `json:"users"`
}

// WarmupResult is the beginning of each replication that is left out.
type WarmupResult struct {
	Method   string `json:"method"`   // stated
	Fraction Number `json:"fraction"` // of the jobs or the horizon
	Seconds  Number `json:"seconds"`
}

// PrecisionResult is the precision asked for, and whether it was reached.
type PrecisionResult struct {
	Metric   string `json:"metric"`
	Relative Number `json:"relative"`
	Met      bool   `json:"met"`
}

// Estimate is a mean over replications and its interval.
type Estimate struct {
	Mean      Number `json:"mean"`
	HalfWidth Number `json:"half_width"`
	Level     Number `json:"level"`
	N         int    `json:"n"`
	Reduced   Number `json:"variance_reduced,omitempty"` // how many times, by control variates; absent where there are none

	// The range of resampled spans, twice half_width wide; absent where the interval
	// is mean +- half_width.
	Low  *Number `json:"low,omitempty"`
	High *Number `json:"high,omitempty"`
}

// NewEstimate returns an interval as results state it.
func NewEstimate(i metric.Interval) Estimate {
	e := Estimate{
		Mean: Number(i.Mean), HalfWidth: Number(i.HalfWidth), Level: Number(i.Level), N: i.N, Reduced: Number(i.Reduced),
	}
	if i.Range {
		low, high := Number(i.Low), Number(i.High)
		e.Low, e.High = &low, &high
	}
	return e
}

// Interval is the inverse of NewEstimate.
func (e Estimate) Interval() metric.Interval {
	i := metric.Interval{
		Mean: float64(e.Mean), HalfWidth: float64(e.HalfWidth), Level: float64(e.Level), N: e.N, Reduced: float64(e.Reduced),
	}
	if e.Low != nil && e.High != nil {
		i.Range, i.Low, i.High = true, float64(*e.Low), float64(*e.High)
	}
	return i
}

// Estimates are those of all measures, in the order of metric.Measures.
type Estimates []Estimate

func newEstimates(of func(metric.Measure) metric.Interval) Estimates {
	return text.Each(metric.Measures(), func(m metric.Measure) Estimate { return NewEstimate(of(m)) })
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
	e[slices.Index(metric.Names(metric.Measures()), name)] = Estimate{Mean: Number(math.NaN())}
	return e
}

// members returns the measures as members of a JSON object. The quantiles of
// the wait are together.
func (e Estimates) members() object {
	var o, quantiles object
	shares := map[string]string{}
	for i, p := range metric.WaitQuantiles() {
		shares[metric.QuantileNames()[i]] = strconv.FormatFloat(p, 'g', -1, 64)
	}
	for i, m := range metric.Measures() {
		switch share, ok := shares[m.Name]; {
		case ok:
			quantiles = quantiles.With(share, e[i])
		case strings.HasPrefix(m.Name, "promise_kept"): // of customers alone
		default:
			o = o.With(m.Name, e[i])
		}
	}
	return o.With("wait_quantiles", quantiles)
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
	Admit      []float64        // probability by customer; nil where a rule decides
	Parties    []string         // the customers, each in each of its pools where they cut across pools
	Thresholds []ClassThreshold // of a rule that has some
	ByState    bool             // a rule decides that is no thresholds
	Prices     []AskedPrice     // that it goes with, where prices were chosen

	Keeping
}

// newRowID returns what tells a row of an experiment from others.
func newRowID(e *Experiment, label string) RowID {
	p, a := e.Policy, e.Admission
	customers := parties(e.Workload)
	id := RowID{
		Policy: PolicyName{p.Spec.Name, p.Settings, p.Label(), p.Spec.Heading(p.Settings), e.runsOn()},
		Label:  label, Searched: a.Searched,
	}
	id.Admission = AdmissionResult{
		Name: a.Name, Admit: a.Admit, Parties: customers, Thresholds: a.thresholds(customers), Prices: a.Prices, Keeping: a.Keeping,
	}
	if _, limits := a.Rule.(simulate.Thresholds); a.Rule != nil {
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
	Validated *ValidatedRow // of a validation
	Users     []UserRow     // see AddUsers
}

// CustomerRow is that of one customer, or of another section.
type CustomerRow struct {
	Section
	Admit float64 // NaN where a rule decides, or where parts of it differ
	Estimates
}

// Parts returns all jobs, the customers, and those in pools.
func (r *Row) Parts() []CustomerRow {
	return slices.Concat([]CustomerRow{{Estimates: r.Total}}, r.Customers, r.InPools)
}

func newRow(e *Experiment, label string, o Outcome) Row {
	r := Row{
		RowID: newRowID(e, label), Values: [][]Values{newValues(o, -1)},
		Span: stat.Mean(o.extra(extraSpan), nil), Observed: stat.Mean(o.extra(extraSeconds), nil),
	}
	r.Total = rowEstimates(o, r.Values[0])
	r.Providers = providerRows(e, o)
	for _, s := range sections(e.Workload) {
		values := newValues(o, o.Column(s.at.Customer, s.at.Pool))
		row := CustomerRow{s, r.Admission.share(e.Workload.Pools(), s.at), rowEstimates(o, values)}
		if r.Values = append(r.Values, values); s.Pool == "" {
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

// members are the JSON of what tells a row from others.
func (r RowID) members() object {
	a := r.Admission
	promises := a.Name == scenario.AdmitPromise
	admission := Object("name", a.Name, "admit", a.Admit).
		WithIf(a.Thresholds != nil, "thresholds", a.Thresholds).WithIf(a.Prices != nil, "prices", a.Prices).
		WithIf(promises, "formula", a.Formula, "checks", append([]Check{}, a.Checks...)).
		WithIf(promises && a.Short() != nil, "shortfalls", a.Short()).WithIf(promises && a.Exact != nil, "exact", a.Exact)
	return Object("name", r.Policy.Name, "options", optionMembers(r.Policy.Settings), "admission", admission, "label", r.Label)
}

func (r Row) MarshalJSON() ([]byte, error) {
	o := r.RowID.members().WithIf(r.Policy.RunsOn != "", "runs_on", r.Policy.RunsOn)
	if v := r.Validated; v != nil {
		o = o.With("efficiency", v.Efficiency, "kind", v.Kind, "efficiency_of_kind", v.OfKind,
			"charged_efficiency", v.Charged, "delivered", v.Delivered, "delivered_by_replication", v.Totals)
	}
	o = append(o, r.Total.members()...)
	customers := make([]object, len(r.Customers))
	for i, c := range r.Customers {
		customers[i] = c.members(c.Name)
		own := text.Where(r.InPools, func(s CustomerRow) bool { return s.Name == c.Name })
		pools := text.Each(own, func(s CustomerRow) object { return s.members(s.Pool) })
		customers[i] = customers[i].WithIf(pools != nil, "pools", pools)
	}
	pools := each(r.Pools, func(i int, p PoolRow) object {
		return r.InPools[i].members(p.Name).With("unit", p.Unit, "units", p.Units, "load", p.Load).
			WithIf(p.Efficiency != nil, "efficiency", p.Efficiency, "efficiency_of_kind", p.OfKind)
	})
	providers := text.Each(r.Providers, func(p ProviderRow) object {
		return append(Object("name", p.Name, "admit", p.Admit), p.members()...)
	})
	return o.With("classes", customers).WithIf(r.Users != nil, "users", r.Users).
		WithIf(r.Pools != nil, "pools", pools).WithIf(r.Providers != nil, "providers", providers).MarshalJSON()
}

// members are the JSON of a customer or another section under a name.
func (c CustomerRow) members(name string) object {
	o := append(Object("name", name, "admit", c.Admit), c.Estimates.members()...)
	if p := c.Promise; p != nil {
		o = o.With("promise", Object("within", p.Within, "level", p.Level,
			"kept", c.Get("promise_kept"), "kept_of_admitted", c.Get("promise_kept_of_admitted")))
	}
	return o
}

// DifferenceRow is a row less another, by replication.
type DifferenceRow struct {
	RowID
	Versus     string
	Total      Estimates // of a simulation
	Efficiency *Estimate // of a validation
}

func (d DifferenceRow) MarshalJSON() ([]byte, error) {
	o := d.RowID.members().With("versus", d.Versus)
	if d.Efficiency != nil {
		return o.With("efficiency", *d.Efficiency).MarshalJSON()
	}
	return append(o, d.Total.members()...).MarshalJSON()
}

// optionMembers returns options as members of a JSON object: true, false and
// numbers as such, words as text.
func optionMembers(options policy.Settings) object {
	o := object{}
	for _, name := range slices.Sorted(maps.Keys(options)) {
		var value any = options[name]
		if x, err := strconv.ParseFloat(options[name], 64); err == nil {
			value = Number(x)
		} else if yes, err := strconv.ParseBool(options[name]); err == nil {
			value = yes
		}
		o = o.With(name, value)
	}
	return o
}

// object is a JSON object whose members keep their order.
type object []member

type member struct {
	name  string
	value any
}

// Object returns a JSON object of names and values, in their order. A float64 is a Number.
func Object(pairs ...any) object { return object(nil).With(pairs...) }

// With returns the object with more names and values.
func (o object) With(pairs ...any) object {
	for pair := range slices.Chunk(pairs, 2) {
		if x, ok := pair[1].(float64); ok {
			pair[1] = Number(x)
		}
		o = append(o, member{pair[0].(string), pair[1]})
	}
	return o
}

// WithIf is With if a condition holds.
func (o object) WithIf(holds bool, pairs ...any) object {
	if !holds {
		return o
	}
	return o.With(pairs...)
}

func (o object) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	encoder := json.NewEncoder(&b) // which escapes are needed is up to its caller
	encoder.SetEscapeHTML(false)
	for i, m := range o {
		if i > 0 {
			b.WriteByte(',')
		}
		if err := encoder.Encode(m.name); err != nil {
			return nil, err
		}
		b.WriteByte(':')
		if err := encoder.Encode(m.value); err != nil {
			return nil, err
		}
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// MarshalJSON puts the fields of a validation beside the others.
func (r *Result) MarshalJSON() ([]byte, error) {
	type plain Result // without this method
	members, err := json.Marshal((*plain)(r))
	if err != nil || r.Validated == nil {
		return members, err
	}
	more, err := json.Marshal(r.Validated)
	if err != nil {
		return nil, err
	}
	return append(append(members[:len(members)-1], ','), more[1:]...), nil
}

// newResult returns a result that says what it is of, with the mean number of jobs.
func newResult(s *Subject, jobs float64, once bool) *Result {
	r := &Result{
		subject: s, Scenario: s.Scenario.Name, Source: string(s.Document.Source()), What: s.Describe(jobs),
		Workload: s.Kind, UnitName: s.Unit(), TraceFile: s.TraceFile(),
		Load: Number(s.Workload.Load()), Nodes: s.Nodes(), Sites: len(s.Workload.Sites()), Jobs: Number(jobs),
		Once: once, Drawn: drawn(s, once), Stream: s.Workload.Stream() > 0, ByPolicy: s.Workload.Charging() == simulate.ByPolicy,
		Residual: s.Scenario.Residual.String(), Overrides: []string{}, Differences: []DifferenceRow{}, Warnings: []Warning{},
		Pools: subjectPools(s),
	}
	if w, ok := s.Workload.(*workload.Replay); ok {
		delay := Number(w.Delay())
		r.Machine = s.Trace.Machine()
		r.Trace, r.Subset, r.DelayFactor = s.Scenario.Trace.File, s.Trace.Subset().String(), &delay
		cleaning := s.Trace.Cleaning()
		r.Cleaning, r.Residual = &cleaning, ""
		if span, weeks, users := w.Resampled(); weeks > 0 {
			r.Resampled = &ResampledResult{"weeks", Number(span), weeks, users}
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
	DrawnJobs    = "jobs"    // jobs are drawn
)

func drawn(s *Subject, once bool) string {
	switch {
	case once:
		return DrawnNothing
	case s.Workload.Stream() > 0:
		return DrawnClasses
	case s.recorded != nil:
		return DrawnSpans
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

// best returns the values that estimates are made of.
func (v Values) best() []float64 {
	if v.Controlled != nil {
		return v.Controlled
	}
	return v.Plain
}

// newValues returns those of all measures, of all jobs for customer < 0.
func newValues(o Outcome, customer int) []Values {
	return text.Each(metric.Measures(), func(m metric.Measure) Values {
		v := Values{Plain: o.Plain(m, customer)}
		if !m.Plain && o.Controlled() {
			v.Controlled = o.controlled(m, customer, v.Plain)
		}
		return v
	})
}

// rowEstimates returns those of the values of all measures.
func rowEstimates(o Outcome, list []Values) Estimates {
	return text.Each(list, func(v Values) Estimate { return NewEstimate(o.estimate(v.best(), v.Plain)) })
}

// The numbers of jobs that enter a checksum: of a stream, and of a trace.
const (
	digestedDrawn = 10_000
	digested      = 100_000
)

// digest returns a checksum of the jobs of the first replication: when each was
// submitted, how wide, long and long by estimate it is. Machines, customers and
// prices are not in it. It is "" where the jobs cannot be had.
func digest(w workload.Workload, seed uint64) string {
	source, err := w.Jobs(seed, 0)
	if err != nil {
		return ""
	}
	defer release(source)
	h := sha256.New()
	var line []byte
	most := digested
	if w.Stream() > 0 {
		most = digestedDrawn
	}
	for range most {
		var j simulate.Job
		if ok, err := source.Next(&j); err != nil {
			return ""
		} else if !ok {
			break
		}
		line = line[:0]
		for _, x := range [...]float64{j.Submit, j.Work, float64(j.Width), j.Spec.Details.Estimate} {
			line = binary.LittleEndian.AppendUint64(line, math.Float64bits(x))
		}
		h.Write(line)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// LeftOut is a policy that does not apply to a scenario, and why.
type LeftOut struct {
	Policy string `json:"name"`
	Reason string `json:"reason"`
}

// ValidationResult is the part of a Result that only a validation has.
type ValidationResult struct {
	Objective   string        `json:"objective,omitempty"` // wait or slowdown; value where it is absent
	Bounds      []BoundResult `json:"bounds"`
	SteadyState *SteadyState  `json:"steady_state"` // null but for streams
	Closest     Closest       `json:"closest"`
	Best        Best          `json:"best"`
	Vary        string        `json:"vary,omitempty"`
	Points      []PointResult `json:"points"`
	LeftOut     []LeftOut     `json:"left_out"`
	Lenient     bool          `json:"lenient"` // some deadlines cost nothing when they are missed

	Timed  bool    `json:"-"` // money is per hour of arrivals
	Value  float64 `json:"-"` // of the axis at the scenario's own point
	ByLoad bool    `json:"-"` // figures show the load of a point instead of its value
	Serves string  `json:"-"` // what the clairvoyant bound allows a scheduler
	Cut    float64 `json:"-"` // jobs of a replication of the scenario where it is cut here; 0 where it is not
	Drawn  int     `json:"-"` // replications of the points along the axis; 0 where there is none
}

// SteadyState is a bound on long-run means, which a short replication may exceed.
type SteadyState struct {
	Name             string `json:"name"`
	RevenuePerSecond Number `json:"revenue_per_second"`
}

// Closest names the policy that comes closest to the possible.
type Closest struct {
	Label      string   `json:"label"`
	Efficiency Estimate `json:"efficiency"`
	Text       string   `json:"text"` // in a sentence, by package report
}

// ValidatedRow is the part of a Row that only a validation has.
type ValidatedRow struct {
	Efficiency   Estimate  // value delivered, as a share of the clairvoyant bound
	Kind         string    // of policy: any or unpreempted, see Bound.Limits
	OfKind       Estimate  // value delivered, as a share of the least bound for its kind
	Charged      Estimate  // money charged, likewise
	Delivered    Estimate  // $
	Totals       []Number  // $ delivered, by replication
	Efficiencies []float64 // by replication
	Behind       Estimate  // efficiency of the best row less this one's, paired
	Money        Estimate  // delivered, in the unit of the result
}

// BoundResult is a bound at a point.
type BoundResult struct {
	Name             string   `json:"name"`
	Kind             string   `json:"kind"`            // proven or model
	Proves           string   `json:"proves" save:"-"` // a sentence: for which kind of policy; "" until package report makes it
	Total            Number   `json:"total"`           // $ of a replication, mean
	HalfWidth        Number   `json:"half_width"`      // of the total
	Level            Number   `json:"level"`           // of the interval
	N                int      `json:"n"`               // replications
	Low              *Number  `json:"low,omitempty"`   // see Estimate
	High             *Number  `json:"high,omitempty"`
	RevenuePerSecond Number   `json:"revenue_per_second"` // over the span of arrivals; null where all jobs come at one instant
	Limits           string   `json:"limits"`             // the kind of policy: any, or unpreempted; none where it is a model
	Gap              Number   `json:"gap"`                // relative, largest of the replications; null where none is known
	Found            Number   `json:"found"`              // $ of a schedule of its kind, with knowledge of the future; null where none was looked for
	Best             bool     `json:"best"`               // efficiencies are shares of it
	Totals           []Number `json:"total_by_replication"`

	Residual string `json:"-"` // the convention for delays of a model; "" where it is fitted to a trace

	Row   string          `json:"-"` // of the policy that does what a model predicts
	Money metric.Interval `json:"-"` // in the unit of the result
}

// The kinds of bounds.
const (
	Proven = "proven" // nothing earns more on these jobs
	Model  = "model"  // a prediction, which policies may pass
)

// PointResult is a point along the axis.
type PointResult struct {
	Value        Number        `json:"value"`
	Load         Number        `json:"load"` // offered; null where jobs come at one instant
	Replications int           `json:"replications"`
	Policies     []PointShare  `json:"policies"` // in the order of the policies
	Bounds       []BoundResult `json:"bounds"`
}

// PointShare is a policy at a point.
type PointShare struct {
	Label             string   `json:"label"`
	Efficiency        Estimate `json:"efficiency"`
	EfficiencyOfKind  Estimate `json:"efficiency_of_kind"`
	ChargedEfficiency Estimate `json:"charged_efficiency"`
	Delivered         Estimate `json:"delivered"` // $

	Money metric.Interval `json:"-"` // in the unit of the result; the interval is that of the distance to the bound
}

// ProviderRow is what one of several providers has done.
type ProviderRow struct {
	Name  string
	Admit []float64 // probability by customer; nil where a rule decides
	Estimates
}

func providerRows(e *Experiment, o Outcome) []ProviderRow {
	var list []ProviderRow
	for i := range e.count() {
		row := ProviderRow{Name: scenario.ServerName, Admit: e.lots()}
		if i > 0 {
			row.Name, row.Admit = e.Providers[i-1].Name, e.Providers[i-1].Admission.Admit
		}
		row.Estimates = newEstimates(func(m metric.Measure) metric.Interval {
			x := o.Provider(m, i)
			return o.estimate(x, x)
		})
		list = append(list, row)
	}
	return list
}
