package whatif

import (
	"cmp"
	"math"

	"revopt/simulate/metric"
	"revopt/simulate/plan"
	"revopt/simulate/served"
	"revopt/simulate/study"
	"revopt/simulate/subject"
	"revopt/simulate/warn"
)

// Result is what changes bring. Its JSON is the contract with scripts.
type Result struct {
	study.Head
	Objective    string             `json:"objective,omitempty"` // wait or slowdown; money where it is absent
	Workload     string             `json:"workload"`
	Unit         string             `json:"unit"` // of the simulation: of money, or of the objective
	Load         metric.Number      `json:"load"`
	Nodes        int                `json:"nodes"`
	Pools        []study.PoolResult `json:"pools,omitempty"`
	TraceFile    *subject.TraceFile `json:"trace_file,omitempty"`
	Policy       string             `json:"policy"`
	Admission    string             `json:"admission"`
	Outages      bool               `json:"outages,omitempty"` // the scenario states some
	Seed         uint64             `json:"seed"`
	Replications int                `json:"replications"`
	Once         bool               `json:"once"`
	Covers       string             `json:"covers" save:"-"` // as of Result
	Level        metric.Number      `json:"level"`
	Resampled    bool               `json:"resampled,omitempty"` // intervals are ranges of spans
	Cost         *metric.Number     `json:"cost,omitempty"`      // $ per unit-hour
	Price        metric.Number      `json:"price,omitempty"`     // $ per unit, which the cost follows from
	Life         metric.Number      `json:"life,omitempty"`      // s, of a unit
	Costs        Costs              `json:"costs,omitempty"`     // of the units of pools, instead of the three
	Histories    *Histories         `json:"histories,omitempty"` // that decide whether changes pay; absent: the log alone
	Interrupted  bool               `json:"interrupted"`
	// the schedule of the log against the scenario as it is; null where there is none
	Recorded *ChangeResult   `json:"recorded"`
	Baseline *study.Baseline `json:"baseline,omitempty"` // of a log: how far the scenario as it is resembles the site
	Before   *ChangeResult   `json:"before"`             // the scenario as it is, which changes nothing
	Changes  []ChangeResult  `json:"changes"`
	Best     study.Best      `json:"best"`
	Standing *study.Standing `json:"standing"` // the answer in a line
	// the changes by what they bring; "" until package report makes it
	Verdict  string         `json:"verdict" save:"-"`
	Grow     *Growth        `json:"grow,omitempty"` // which pool should grow first
	Warnings []warn.Warning `json:"warnings"`

	Drawn string `json:"-"` // as of Result
	Tied  bool   `json:"-"` // the first two changes gain more than chance, and may differ by chance

	What     string `json:"-"` // the workload in a few words
	Hosts    int    `json:"-"` // nodes that hold the units, 0 where that is not known
	UnitName string `json:"-"` // the word for one of Nodes, see Subject.Unit
	Source   string `json:"-"` // the text of the scenario, without overrides

	Samples []*plan.Samples `json:"-" save:"-"` // of the plans, where the result was not loaded
}

// ChangeResult is what one change brings, in $/h or in the unit of the objective.
type ChangeResult struct {
	Name       string        `json:"name"`
	Choice     string        `json:"choice"` // as of Change
	Headline   string        `json:"headline" save:"-"`
	Lines      []string      `json:"lines" save:"-"` // that matter, the most important first
	Set        []string      `json:"set"`            // path=value
	Formula    *FormulaPair  `json:"formula"`        // null where it was not asked for
	Simulation EstimatePair  `json:"simulation"`
	NotRun     *study.NotRun `json:"not_run,omitempty"` // with an objective
	// it runs a smaller share of the jobs and has less of the objective, or a larger share and more: it is not compared
	Unlike bool      `json:"not_compared,omitempty"`
	Bound  BoundPair `json:"bound"`
	// simulated after the change; one number stands for all where nothing is random
	Money []metric.Number `json:"by_replication"`
	// headline and lines; all words are "" until package report makes them
	Verdict   string           `json:"verdict" save:"-"`
	Explained string           `json:"explanation" save:"-"`
	Policy    string           `json:"policy"`
	RunsOn    string           `json:"runs_on,omitempty"` // the policy, as of PolicyName
	Load      [2]metric.Number `json:"load"`              // before and after
	Nodes     [2]int           `json:"nodes"`             // likewise
	Units     []PoolUnits      `json:"units,omitempty"`   // of pools whose units change
	MeanWait  EstimatePair     `json:"mean_wait"`
	Customers []CustomerServed `json:"customers"` // after
	Promises  []PromiseChange  `json:"promises"`
	Admission AdmissionOutcome `json:"admission"` // after
	// jobs that the policy gives up, of customers that lose some before or after
	GivenUp  []LostJobs    `json:"given_up"`
	Refused  []LostJobs    `json:"refused"`      // rejected for any other reason, likewise
	Expired  []LostJobs    `json:"expired"`      // jobs whose customers leave, likewise
	Killed   []LostJobs    `json:"killed"`       // after a start, likewise
	KeptAway []LostJobs    `json:"kept_away"`    // jobs that do not come at higher prices, of those before
	Worse    []ServedWorse `json:"served_worse"` // by more than chance, the worst first
	// customers and groups of width, before and after
	Affected []served.Affected `json:"affected"`
	Harm     []served.Affected `json:"harm"`           // those of them that are harmed, the worst first
	Rank     int               `json:"rank,omitempty"` // among the changes that make one pool grow: 1 is best
	// $ per unit-hour below which more units, or above which fewer, pay
	BreakEven *study.Estimate `json:"break_even,omitempty"`
	Net       *study.Estimate `json:"net,omitempty"`     // gain less the cost of the units
	Pays      *Pays           `json:"pays,omitempty"`    // histories of weeks in which it pays after its costs
	Payback   *metric.Number  `json:"payback,omitempty"` // s after which the gain has paid the price of the units

	// $/h of each unit that one pool gains, where several may
	GainPerUnit   *study.Estimate `json:"gain_per_unit,omitempty"`
	GainPerDollar *study.Estimate `json:"gain_per_dollar,omitempty"` // net, of the cost of these units

	Doubts []warn.Warning `json:"doubts"` // why the formula may be off

	Once       bool `json:"-"` // nothing is random before and after
	Small      bool `json:"-"` // the simulation is of an objective that is to be small
	OfPromises bool `json:"-"` // promises change, or an admission is to keep them
	Inelastic  bool `json:"-"` // a price changes, and no demand says how many jobs then come
}

// EstimatePair is a measure of the simulation; the difference is paired.
type EstimatePair struct {
	Before     study.Estimate `json:"before"`
	After      study.Estimate `json:"after"`
	Difference study.Estimate `json:"difference"`
}

// BoundPair is what no policy can exceed on these jobs, mean over replications.
type BoundPair struct {
	Before     metric.Number  `json:"before"`
	After      metric.Number  `json:"after"`
	Difference study.Estimate `json:"difference"`
	Name       string         `json:"name"`   // clairvoyant, or of a stream fluid-rate
	Coarse     bool           `json:"coarse"` // clairvoyant, of drawn jobs: a little above that of a validation
}

// Costed reports whether the cost of some units is known.
func (r *Result) Costed() bool { return r.Cost != nil || r.Costs != nil }

// Gain returns what a change brings, less the cost of units where that is known. Of an objective that is to be small
// it is by how much that is less; NaN if the change is not compared.
func (r *ChangeResult) Gain() study.Estimate {
	if r.Unlike {
		return study.Estimate{Mean: metric.Number(math.NaN())}
	}
	if r.Small {
		return r.Simulation.Difference.Negative()
	}
	if r.Net != nil {
		return *r.Net
	}
	return r.Simulation.Difference
}

// Unpriced reports whether the change adds or removes units whose costs are not known.
func (r *ChangeResult) Unpriced() bool {
	return r.Net == nil && (r.Nodes[1] != r.Nodes[0] || r.Units != nil)
}

// betterThan reports whether a change brings more than another without harm, or is the one that harms nobody.
func (r *ChangeResult) betterThan(other *ChangeResult) bool {
	if safe := len(r.Harm) == 0; safe != (len(other.Harm) == 0) {
		return safe
	}
	if r.Small { // a gain may be NaN
		return cmp.Compare(r.Gain().Mean, other.Gain().Mean) > 0
	}
	return r.Gain().Mean > other.Gain().Mean
}

// Share returns the part that a change earns of what no policy can exceed; NaN if that is nothing or not known. Of an
// objective that is to be small it is the least that is possible as a part of what the change reaches.
func (r *ChangeResult) Share() float64 {
	switch {
	case r.Small && r.Simulation.After.Mean == 0 && r.Bound.After == 0:
		return 1
	case r.Small:
		return float64(r.Bound.After / r.Simulation.After.Mean)
	case !(r.Bound.After > 0):
		return math.NaN()
	}
	return float64(r.Simulation.After.Mean / r.Bound.After)
}

// Beyond reports whether an estimate is more than chance.
func (r *ChangeResult) Beyond(d study.Estimate) bool {
	return !math.IsInf(float64(d.HalfWidth), 0) && !d.Interval().Contains(0) || r.Once && d.Mean != 0
}
