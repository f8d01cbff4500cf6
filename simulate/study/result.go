package study

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"revopt/internal/text"
	"revopt/model"
	"revopt/model/scenario"
	"revopt/simulate/metric"
	"revopt/simulate/policy"
	"revopt/simulate/workload"
)

// Result is what a simulation or a validation found. Its JSON is the contract
// with scripts; tables, CSV files, figures and pages render it.
type Result struct {
	Scenario     string            `json:"scenario"`
	Version      string            `json:"version"`
	Overrides    []string          `json:"overrides"`
	Workload     string            `json:"workload"` // classes, trace or grid
	Load         Number            `json:"load"`     // offered
	Nodes        int               `json:"nodes"`
	Sites        int               `json:"sites"`
	Machine      string            `json:"machine,omitempty"` // its name by the header of the trace
	Trace        string            `json:"trace,omitempty"`
	Subset       string            `json:"subset,omitempty"` // of the trace
	DelayFactor  *Number           `json:"arrival_delay_factor,omitempty"`
	Seed         uint64            `json:"seed"`
	Replications int               `json:"replications"`
	Once         bool              `json:"once"`    // nothing is random, so that one replication is all there is
	Covers       string            `json:"covers"`  // what the intervals cover, in words
	Jobs         Number            `json:"jobs"`    // of a replication, on average; null where the horizon says how long
	Horizon      *Number           `json:"horizon"` // s; null where the jobs say how long
	Warmup       *WarmupResult     `json:"warmup"`  // null where there is none
	Level        Number            `json:"level"`
	Precision    *PrecisionResult  `json:"precision"` // null where none was asked for
	Interrupted  bool              `json:"interrupted"`
	Cleaning     *CleaningResult   `json:"cleaning"` // null where there is no trace
	Policies     []Row             `json:"policies"` // of a validation, best first
	Differences  []DifferenceRow   `json:"differences"`
	Validated    *ValidationResult `json:"-"` // of a validation; its fields stand beside these in JSON
	Warnings     []Warning         `json:"warnings"`

	Subject     *Subject      `json:"-"`
	Experiments []*Experiment `json:"-"` // in the order of the policies of a simulation
	What        string        `json:"-"` // the workload in a few words
}

// WarmupResult is the beginning of each replication that is left out.
type WarmupResult struct {
	Method   string `json:"method"`   // stated or mser
	Fraction Number `json:"fraction"` // of the jobs or the horizon
	Seconds  Number `json:"seconds"`
	Jobs     int64  `json:"-"` // that MSER-5 found
}

// PrecisionResult is the precision asked for, and whether it was reached.
type PrecisionResult struct {
	Metric   string `json:"metric"`
	Relative Number `json:"relative"`
	Met      bool   `json:"met"`
}

// CleaningResult is what was done to the jobs of a trace.
type CleaningResult struct {
	Rule         string `json:"rule"`
	Read         int64  `json:"read"`
	Left         int64  `json:"left"`
	NoSubmit     int64  `json:"no_submit_time"`
	NoRunTime    int64  `json:"no_run_time"`
	NoProcessors int64  `json:"no_processors"`
	Allocated    int64  `json:"allocated_processors"`
	NoEstimate   int64  `json:"no_estimate"`
	Overrun      int64  `json:"overrun"`
	Wide         int64  `json:"too_wide"`
}

// NewCleaning returns the counts of a trace.
func NewCleaning(c workload.Cleaning) *CleaningResult {
	return &CleaningResult{c.Rule.String(), c.Read, c.Left, c.NoSubmit, c.NoRunTime, c.NoProcessors, c.Allocated, c.NoEstimate, c.Overrun, c.Wide}
}

// Words say what was counted, and the consequence of it; zeros are left out.
func (c *CleaningResult) Words() []string {
	fate := map[string]string{"keep": "run for 1 s", "reject": "are rejected at once", "drop": "are left out"}[c.Rule]
	unsized := map[string]string{"keep": "take 1", "reject": "are rejected at once", "drop": "are left out"}[c.Rule]
	var list []string
	for _, l := range []struct {
		n    int64
		text string
	}{
		{c.NoSubmit, "have no submit time and " + map[string]string{"keep": "take that of the job before", "reject": "are rejected at once", "drop": "are left out"}[c.Rule]},
		{c.NoRunTime, "never ran and " + fate},
		{c.NoProcessors, "have no number of processors and " + unsized},
		{c.Allocated, "take the processors allocated, as the request is unknown"},
		{c.NoEstimate, "have no estimate: it is their run time"},
		{c.Overrun, "ran longer than their estimate"},
		{c.Wide, "are wider than the machine and are rejected"},
	} {
		if l.n > 0 {
			list = append(list, text.Fixed(float64(l.n), 0)+" "+l.text)
		}
	}
	if list == nil {
		return []string{"nothing to do"}
	}
	return list
}

// String returns the rule and the words on one line.
func (c *CleaningResult) String() string { return c.Rule + ": " + strings.Join(c.Words(), ", ") }

// Estimate is a mean over replications and its interval.
type Estimate struct {
	Mean      Number `json:"mean"`
	HalfWidth Number `json:"half_width"`
	Level     Number `json:"level"`
	N         int    `json:"n"`
	Reduced   Number `json:"variance_reduced,omitempty"` // how many times, by control variates; absent where there are none
}

func newEstimate(i metric.Interval) Estimate {
	return Estimate{Number(i.Mean), Number(i.HalfWidth), Number(i.Level), i.N, Number(i.Reduced)}
}

// ReducedField returns how many times smaller control variates made the variance,
// as a field of a CSV file: empty where there are none.
func (e Estimate) ReducedField() string {
	if e.Reduced == 0 {
		return ""
	}
	return text.Field(float64(e.Reduced))
}

// Interval is the inverse of newEstimate.
func (e Estimate) Interval() metric.Interval {
	return metric.Interval{Mean: float64(e.Mean), HalfWidth: float64(e.HalfWidth), Level: float64(e.Level), N: e.N, Reduced: float64(e.Reduced)}
}

// Estimates are those of all measures, in the order of metric.Measures.
type Estimates []Estimate

// newEstimates returns the estimates of a measure-valued function.
func newEstimates(of func(metric.Measure) metric.Interval) Estimates {
	var list Estimates
	for _, m := range metric.Measures() {
		list = append(list, newEstimate(of(m)))
	}
	return list
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
			quantiles = append(quantiles, member{share, e[i]})
		case m.Name == "promise_kept": // of customers alone
		default:
			o = append(o, member{m.Name, e[i]})
		}
	}
	return append(o, member{"wait_quantiles", quantiles})
}

// Row is one policy with one admission.
type Row struct {
	Policy    Policy
	Label     string
	Admission Admission // Admit is complete
	Searched  bool      // the admission was searched on the simulator
	Total     Estimates
	Customers []CustomerRow
	Span      float64       // s that were observed: of finitely many jobs until the last has ended, mean over replications
	Validated *ValidatedRow // of a validation
}

// CustomerRow is that of one customer.
type CustomerRow struct {
	Name    string
	Admit   float64
	Promise *model.SLO // nil where nothing is promised
	Estimates
}

// newRow estimates everything from the samples of an experiment.
func newRow(e *Experiment, label string, o Outcome) Row {
	customers := e.Workload.Customers()
	var span float64
	for _, s := range o.Samples {
		span += s.Total.Seconds / float64(len(o.Samples))
	}
	r := Row{Span: span, Policy: e.Policy, Label: label, Admission: e.Admission, Total: newEstimates(func(m metric.Measure) metric.Interval { return o.Interval(m, -1) })}
	if r.Admission.Admit == nil && r.Admission.Rule == nil {
		r.Admission.Admit = slices.Repeat([]float64{1}, len(customers))
	}
	for i, c := range customers {
		admit := math.NaN() // a rule decides
		if r.Admission.Admit != nil {
			admit = r.Admission.Admit[i]
		}
		r.Customers = append(r.Customers, CustomerRow{c.Name, admit, c.SLO, newEstimates(func(m metric.Measure) metric.Interval { return o.Interval(m, i) })})
	}
	return r
}

// identity are the members that tell a row from others.
func (r Row) identity() object {
	admission := object{{"name", r.Admission.Name}, {"admit", r.Admission.Admit}}
	var names []string
	for _, c := range r.Customers {
		names = append(names, c.Name)
	}
	if list := r.Admission.thresholds(names); list != nil {
		admission = append(admission, member{"thresholds", list})
	}
	if a := r.Admission; a.Name == scenario.AdmitPromise {
		admission = append(admission, member{"formula", a.Formula}, member{"checks", append([]Check{}, a.Checks...)})
		if short := a.Short(); short != nil {
			admission = append(admission, member{"shortfalls", short})
		}
		if a.Exact != nil {
			admission = append(admission, member{"exact", a.Exact})
		}
	}
	return object{
		{"name", r.Policy.Spec.Name}, {"options", optionMembers(r.Policy.Settings)}, {"admission", admission}, {"label", r.Label},
	}
}

// MarshalJSON implements json.Marshaler.
func (r Row) MarshalJSON() ([]byte, error) {
	o := r.identity()
	if v := r.Validated; v != nil {
		o = append(o, member{"efficiency", v.Efficiency}, member{"kind", v.Kind}, member{"efficiency_of_kind", v.OfKind}, member{"charged_efficiency", v.Charged}, member{"delivered", v.Delivered},
			member{"delivered_by_replication", v.Totals})
	}
	o = append(o, r.Total.members()...)
	customers := make([]object, len(r.Customers))
	for i, c := range r.Customers {
		customers[i] = append(object{{"name", c.Name}, {"admit", Number(c.Admit)}}, c.members()...)
		if p := c.Promise; p != nil {
			kept := object{{"within", Number(p.Within)}, {"level", Number(p.Level)}, {"kept", c.Get("promise_kept")}}
			customers[i] = append(customers[i], member{"promise", kept})
		}
	}
	return append(o, member{"classes", customers}).MarshalJSON()
}

// DifferenceRow is a row less another, by replication.
type DifferenceRow struct {
	Row        Row
	Versus     string
	Total      Estimates // of a simulation
	Efficiency *Estimate // of a validation
}

// MarshalJSON implements json.Marshaler.
func (d DifferenceRow) MarshalJSON() ([]byte, error) {
	o := append(d.Row.identity(), member{"versus", d.Versus})
	if d.Efficiency != nil {
		return append(o, member{"efficiency", *d.Efficiency}).MarshalJSON()
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
		o = append(o, member{name, value})
	}
	return o
}

// object is a JSON object whose members keep their order.
type object []member

type member struct {
	name  string
	value any
}

// MarshalJSON implements json.Marshaler.
func (o object) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, m := range o {
		name, err := json.Marshal(m.name)
		if err != nil {
			return nil, err
		}
		value, err := json.Marshal(m.value)
		if err != nil {
			return nil, err
		}
		if i > 0 {
			b.WriteByte(',')
		}
		b.Write(append(append(name, ':'), value...))
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// MarshalJSON implements json.Marshaler: the fields of a validation stand beside
// the others.
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

// newResult returns a result that says what it is of: so many jobs in a
// replication, on average.
func (s *Subject) newResult(jobs float64, once bool) *Result {
	r := &Result{
		Subject: s, Scenario: s.Scenario.Name, Workload: s.Kind, Load: Number(s.Workload.Load()), Nodes: s.Nodes(), Sites: len(s.Workload.Sites()),
		Jobs: Number(jobs), What: s.Describe(jobs), Once: once, Covers: s.covers(once), Overrides: []string{}, Differences: []DifferenceRow{}, Warnings: []Warning{},
	}
	if w, ok := s.Workload.(*workload.Replay); ok {
		delay := Number(w.Delay())
		r.Machine = s.Trace.Machine()
		r.Trace, r.Subset, r.DelayFactor = s.Scenario.Trace.File, s.Trace.Subset().String(), &delay
		r.Cleaning = NewCleaning(s.Trace.Cleaning())
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

// PromiseWords says in a sentence for each promise what became of it: by the
// policy where there is one, else by all. A promise is undecided where its level
// lies within the interval.
func (r *Result) PromiseWords() []string {
	var list []string
	for k, c := range r.Policies[0].Customers {
		if c.Promise == nil {
			continue
		}
		within, level := text.Duration(c.Promise.Within), percentOf(c.Promise.Level)
		by := map[string][]string{}
		for _, row := range r.Policies {
			kept := row.Customers[k].Get("promise_kept")
			share, verdict := kept.percent(), r.verdict(kept, c.Promise.Level)
			if len(r.Policies) == 1 {
				if verdict == "void" {
					list = append(list, c.Name+": no job was admitted, so the promise is void")
				} else {
					list = append(list, fmt.Sprintf("%s: %s of the admitted jobs were delayed by at most %s; %s are promised: %s", c.Name, share, within, level, verdict))
				}
			}
			by[verdict] = append(by[verdict], row.Label+" ("+share+")")
		}
		if len(r.Policies) == 1 {
			continue
		}
		words := fmt.Sprintf("%s: %s of the admitted jobs are promised a delay of at most %s", c.Name, level, within)
		for _, verdict := range []string{"kept", "undecided", "not kept", "void"} {
			if names := by[verdict]; names != nil {
				words += "; " + verdict + " under " + strings.Join(names, ", ")
			}
		}
		list = append(list, words)
	}
	return list
}

// verdict says whether a promise is kept.
func (r *Result) verdict(kept Estimate, level float64) string {
	mean, half := float64(kept.Mean), float64(kept.HalfWidth)
	if r.Once {
		half = 0
	}
	switch {
	case math.IsNaN(mean):
		return "void"
	case mean-half >= level:
		return "kept"
	case mean+half < level:
		return "not kept"
	}
	return "undecided"
}

// percent formats an estimate of a fraction.
func (e Estimate) percent() string {
	half := 100 * float64(e.HalfWidth)
	if math.IsNaN(float64(e.Mean)) || !(half >= 0.05) || math.IsInf(half, 0) {
		return text.Percent(float64(e.Mean))
	}
	return text.Estimate(100*float64(e.Mean), half, 1) + " %"
}

// covers says what the intervals of a result cover.
func (s *Subject) covers(once bool) string {
	switch {
	case once:
		return "nothing is random: one replication is all there is, and it has no interval"
	case s.Workload.Stream() > 0:
		return "intervals cover the jobs that are drawn from the classes"
	case s.Trace != nil && s.Scenario.Trace.File != workload.SP2Like:
		return "intervals cover the lots drawn for the jobs of the trace, not other jobs"
	}
	return "intervals cover the jobs that are drawn"
}
