package study

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"revopt/simulate/metric"
	"revopt/simulate/served"
)

// Standing is where a site stands, all in one unit: what is delivered today, by the best policy that Slurm runs by its
// settings, and by the best of all, and what nothing can exceed. It is the first line of every answer by simulation.
type Standing struct {
	Quantity string `json:"quantity"` // value (delivered), wait or slowdown
	Unit     string `json:"unit"`     // $/h, or $ if all jobs come at one instant; s or 1 for the other quantities

	Today     *Mark `json:"today,omitempty"`     // the schedule of the log, else the policy now; absent if neither ran
	Simulated *Mark `json:"simulated,omitempty"` // the policy now, where today is the schedule of the log
	Runnable  *Mark `json:"runnable,omitempty"`  // the best that Slurm runs, without harm
	Overall   *Mark `json:"overall,omitempty"`   // the best of all, without harm
	Harmful   *Mark `json:"harmful,omitempty"`   // the best of those that deliver more than Overall and harm somebody
	Bound     *Mark `json:"bound,omitempty"`     // that nothing exceeds without a change; absent if none was computed

	Judged  bool `json:"harm_judged"`       // harm was judged, against the policy now
	Partial bool `json:"partial,omitempty"` // Slurm can run other policies that apply
	Tied    bool `json:"tied,omitempty"`    // Overall may be better than Runnable by chance
	Unsure  bool `json:"unsure,omitempty"`  // Runnable may be better than today by chance: tune does not recommend it
}

// Mark is a policy, a schedule or a bound, and what it delivers.
type Mark struct {
	Label    string         `json:"label"`
	RunsOn   string         `json:"runs_on,omitempty"`
	Amount   Estimate       `json:"amount"`
	MeanWait *metric.Number `json:"mean_wait,omitempty"` // s, of the jobs that started; see served.Waits
}

// QuantityValue is the quantity of a Standing that is money.
const QuantityValue = "value"

// Contest is what a Standing is made of.
type Contest struct {
	Best       Best        // of the contenders
	Contenders []Contender // the schedule of a log runs nowhere
	Quantity   string      // "" is the value
	Unit       string
	Bound      *Mark
	Estimate   func([]float64) metric.Interval
}

// Standing returns where the site stands.
func (c Contest) Standing() *Standing {
	s := &Standing{Quantity: c.Quantity, Unit: c.Unit, Bound: c.Bound, Partial: c.Best.Partial}
	if s.Quantity == "" {
		s.Quantity = QuantityValue
	}
	if c.Bound != nil && math.IsNaN(float64(c.Bound.Amount.Mean)) {
		s.Bound = nil
	}
	s.Today = c.mark(func(x Contender) bool { return x.RunsOn == "" })
	now := c.mark(func(x Contender) bool { return x.Now })
	s.Judged = now != nil
	if s.Today == nil {
		s.Today = now
	} else {
		s.Simulated = now
	}
	named := func(label string) *Mark {
		return c.mark(func(x Contender) bool { return label != "" && x.Label == label && x.RunsOn != "" })
	}
	s.Runnable, s.Overall = named(c.Best.Runnable), named(c.Best.Overall)
	if len(c.Best.Harmful) > 0 {
		s.Harmful = named(c.Best.Harmful[0].Label)
	}
	if d := c.Best.Difference; d != nil && c.Best.Runnable != c.Best.Overall {
		chance := d.HalfWidth > 0 && !math.IsInf(float64(d.HalfWidth), 0) && d.Interval().Contains(0)
		s.Tied = chance || d.Mean == 0
	}
	return s
}

// mark returns the mark of the first contender that is such, nil if none is.
func (c Contest) mark(is func(Contender) bool) *Mark {
	i := slices.IndexFunc(c.Contenders, is)
	if i < 0 {
		return nil
	}
	x := c.Contenders[i]
	m := &Mark{Label: x.Label, RunsOn: x.RunsOn, MeanWait: MeanWait(x.Groups)}
	if x.Amount != nil {
		m.Amount = *x.Amount
	} else {
		m.Amount = NewEstimate(c.Estimate(x.Money))
	}
	return m
}

// MeanWait returns the mean wait of the jobs of all groups, s; nil if it is not known.
func MeanWait(groups []served.Measured) *metric.Number {
	wait := metric.Number(served.Overall(groups).MeanWait)
	if math.IsNaN(float64(wait)) {
		return nil
	}
	return &wait
}

// NewBoundMark returns the mark of a bound by replication, in the unit of a Standing.
func NewBoundMark(name string, amounts []float64) *Mark {
	if len(amounts) == 0 {
		return nil
	}
	return &Mark{Label: name, Amount: Estimate{Mean: metric.Number(stat.Mean(amounts, nil)), N: len(amounts)}}
}
