package main

import (
	"math"

	"revopt/plots/report"
	"revopt/simulate/metric"
	"revopt/simulate/sweep"
)

// validateReport is what validate prints.
type validateReport struct {
	Scenario     string           `json:"scenario"`
	Version      string           `json:"version"`
	Overrides    []string         `json:"overrides"`
	Workload     string           `json:"workload"` // classes, trace or grid
	Load         *number          `json:"load,omitempty"`
	Trace        string           `json:"trace,omitempty"`
	Subset       string           `json:"subset,omitempty"`
	DelayFactor  *number          `json:"arrival_delay_factor,omitempty"`
	Nodes        int              `json:"nodes"`
	Seed         uint64           `json:"seed"`
	Replications int              `json:"replications"`
	Jobs         number           `json:"jobs"` // of a replication, mean
	Level        number           `json:"level"`
	Precision    *precisionReport `json:"precision"` // null where none was asked for
	Interrupted  bool             `json:"interrupted"`
	Cleaning     *cleaningReport  `json:"cleaning"` // null where there is no trace

	Policies    []validateRow        `json:"policies"` // best first
	Bounds      []validateBound      `json:"bounds"`
	SteadyState *steadyState         `json:"steady_state"` // null but for job classes
	Differences []validateDifference `json:"differences"`  // of efficiency, of the others less the best
	Closest     validateClosest      `json:"closest"`
	Vary        string               `json:"vary,omitempty"`
	Points      []validatePoint      `json:"points"`
	LeftOut     []leftOut            `json:"left_out"`
	Warnings    []string             `json:"warnings"`

	run   *validation
	order []int // of the contenders, best first
	notes []string
}

// steadyState is a bound on long-run means. A short replication may exceed it,
// so it is not among the bounds.
type steadyState struct {
	Name             string `json:"name"`
	RevenuePerSecond number `json:"revenue_per_second"`
}

// leftOut is a policy that does not apply.
type leftOut struct {
	Name   string `json:"name"`
	Reason string `json:"reason"`
}

// validateRow is one policy at the scenario's own point.
type validateRow struct {
	policy    chosenPolicy
	label     string
	admission *chosenAdmission // nil but for job classes
	share     estimate         // efficiency
	charged   estimate
	delivered estimate  // $
	totals    []float64 // $ delivered, by replication
	total     object    // all figures of simulate
	names     []string  // of the classes
	classes   []object
}

func (r validateRow) identity() object {
	o := object{{"name", r.policy.name}, {"options", optionMembers(r.policy.options)}}
	if r.admission != nil {
		o = append(o, member{"admission", object{{"name", r.admission.name}, {"admit", r.admission.admit}}})
	}
	return append(o, member{"label", r.label})
}

func (r validateRow) MarshalJSON() ([]byte, error) {
	o := append(r.identity(), member{"efficiency", r.share}, member{"charged_efficiency", r.charged}, member{"delivered", r.delivered},
		member{"delivered_by_replication", numbers(r.totals)})
	o = append(o, r.total...)
	classes := make([]object, len(r.classes))
	for i, figures := range r.classes {
		classes[i] = append(object{{"name", r.names[i]}}, figures...)
	}
	return append(o, member{"classes", classes}).MarshalJSON()
}

// validateBound is a bound at a point.
type validateBound struct {
	Name             string   `json:"name"`
	Kind             string   `json:"kind"`               // proven or model
	Total            number   `json:"total"`              // $ of a replication, mean
	HalfWidth        number   `json:"half_width"`         // of the total
	Level            number   `json:"level"`              // of the interval
	N                int      `json:"n"`                  // replications
	RevenuePerSecond number   `json:"revenue_per_second"` // null where nothing says how long jobs arrive
	Gap              number   `json:"gap"`                // relative, largest of the replications; null where none is known
	Best             bool     `json:"best"`               // efficiencies are shares of it
	Totals           []number `json:"total_by_replication"`

	means   string
	row     string // of the policy that does what a model predicts
	total   metric.Interval
	perHour *metric.Interval // $/h; nil where nothing says how long jobs arrive
}

// validateDifference is the efficiency of a row less that of the best.
type validateDifference struct {
	row        validateRow
	Versus     string
	Efficiency estimate
}

func (d validateDifference) MarshalJSON() ([]byte, error) {
	return append(d.row.identity(), member{"versus", d.Versus}, member{"efficiency", d.Efficiency}).MarshalJSON()
}

// validateClosest names the policy that comes closest to the possible.
type validateClosest struct {
	Label      string   `json:"label"`
	Efficiency estimate `json:"efficiency"`
	Text       string   `json:"text"`
}

// validatePoint is a point along the axis.
type validatePoint struct {
	Value        number               `json:"value"`
	Replications int                  `json:"replications"`
	Policies     []validatePointShare `json:"policies"` // in the order of the policies
	Bounds       []validateBound      `json:"bounds"`
}

type validatePointShare struct {
	Label             string   `json:"label"`
	Efficiency        estimate `json:"efficiency"`
	ChargedEfficiency estimate `json:"charged_efficiency"`
	Delivered         estimate `json:"delivered"` // $

	money metric.Interval // in the unit of the report
}

// newValidateReport estimates everything from what was found.
func newValidateReport(v *validation) *validateReport {
	p := &v.own.found.Points[0]
	r := &validateReport{
		Version: build().Version, Overrides: append([]string{}, v.in.overrides...), Workload: v.kind(),
		Seed: v.options.seed, Replications: p.Replications(), Jobs: number(meanJobs(p.Jobs)), Level: number(v.options.level),
		Differences: []validateDifference{}, Points: []validatePoint{}, LeftOut: []leftOut{},
		run: v, order: p.Order(),
	}
	r.describe()
	if stop := v.options.stop; stop != nil {
		r.Precision = &precisionReport{stop.Figure.Name, number(stop.Precision.Relative), v.met}
	}
	for k, i := range r.order {
		r.Policies = append(r.Policies, r.row(p, i))
		if k > 0 {
			r.Differences = append(r.Differences, validateDifference{r.Policies[k], r.Policies[0].label, newEstimate(p.Difference(i, r.order[0]))})
		}
	}
	r.Bounds = r.bounds(p, v.own.models[0])
	r.setPoints()
	for _, l := range v.leftOut {
		r.LeftOut = append(r.LeftOut, leftOut{l.Policy, l.Reason})
	}
	r.Warnings, r.notes = r.warnings(p), r.remarks(p)
	r.Closest = validateClosest{r.Policies[0].label, r.Policies[0].share, r.shown(nil).Closest()}
	return r
}

func meanJobs(jobs []int) float64 {
	var sum float64
	for _, n := range jobs {
		sum += float64(n)
	}
	return sum / float64(len(jobs))
}

// row estimates the figures of a contender.
func (r *validateReport) row(p *sweep.ValidatedPoint, i int) validateRow {
	v := r.run
	c := v.own.found.Contenders[i]
	row := validateRow{
		policy: chosenPolicyOf(c), label: c.Label(), share: newEstimate(p.Efficiency(i)), charged: newEstimate(p.ChargedEfficiency(i)),
		delivered: newEstimate(p.Delivered(i)), totals: p.Rows[i].Delivered, names: v.own.found.Classes,
	}
	if v.classed != nil {
		row.admission = &chosenAdmission{c.Admission, v.admission(c)}
	}
	row.total = v.figures(p.Rows[i].Outcome, -1)
	for class := range row.names {
		row.classes = append(row.classes, v.figures(p.Rows[i].Outcome, class))
	}
	return row
}

// figures are all that simulate reports, of a class or of all jobs.
func (v *validation) figures(o sweep.Outcome, class int) object {
	if v.classed != nil {
		return estimates(o, class).members()
	}
	return traceEstimates(o, class).members()
}

// bounds returns the bounds that hold for every replication, then the models.
func (r *validateReport) bounds(p *sweep.ValidatedPoint, models []modelBound) []validateBound {
	var list []validateBound
	least := -1
	for i, b := range p.Bounds {
		if b.MeanOnly {
			continue
		}
		vb := r.bound(b.Name, report.Proven, b.Total, p.Seconds, b.WidestGap())
		vb.means = provenMeaning(b.Name, r.run.own.found.Serves)
		list = append(list, vb)
		// Bounds come from loose to tight: of two that are equal but for
		// rounding the later is the one to name.
		if least < 0 || vb.Total <= list[least].Total*(1+1e-9) {
			least = i
		}
	}
	if least >= 0 {
		list[least].Best = true
	}
	for i, m := range models {
		vb := r.bound(m.name, report.Model, m.over(p.Replications(), p.Seconds), p.Seconds, m.gap)
		if vb.means = m.means; p.Seconds != nil { // a rate has no interval
			vb.RevenuePerSecond, vb.perHour = number(m.rate), &metric.Interval{Mean: 3600 * m.rate, Level: float64(r.Level), N: vb.N}
		}
		if i == 0 && r.run.classed != nil {
			vb.row = "hol, " + admitAnalytic // whose admission it is, in the model's order of service
		}
		list = append(list, vb)
	}
	return list
}

// bound estimates a bound from its totals.
func (r *validateReport) bound(name string, kind report.Kind, totals, seconds []float64, gap float64) validateBound {
	level := float64(r.Level)
	i := metric.Estimate(totals, level)
	b := validateBound{
		Name: name, Kind: string(kind), Total: number(i.Mean), HalfWidth: number(i.HalfWidth), Level: number(level), N: i.N,
		RevenuePerSecond: number(math.NaN()), Gap: number(gap), Totals: numbers(totals), total: i,
	}
	if seconds != nil {
		rate := metric.Estimate(hourly(totals, seconds), level)
		b.perHour, b.RevenuePerSecond = &rate, number(rate.Mean/3600)
	}
	return b
}

// hourly returns amounts per hour of the time in which jobs arrive.
func hourly(totals, seconds []float64) []float64 {
	rates := make([]float64, len(totals))
	for k, t := range totals {
		rates[k] = 3600 * t / seconds[k]
	}
	return rates
}

func numbers(list []float64) []number {
	out := make([]number, len(list))
	for i, x := range list {
		out[i] = number(x)
	}
	return out
}

func provenMeaning(name, serves string) string {
	switch name {
	case sweep.FluidBound:
		return "the jobs that arrived, packed by value per node-second into all of the machine's time up to the last possible finish, whenever they arrive"
	case sweep.ClairvoyantBound:
		return "the most that a scheduler can collect who knows the future and may preempt, move and split jobs at will, serving " + serves
	}
	return ""
}
