package study

import (
	"math"
	"slices"

	"revopt/simulate/metric"
	"revopt/simulate/policy"
	"revopt/simulate/subject"
)

// Best names the policies that deliver most: of those that Slurm can run by its settings
// alone, and of all. The schedule of a log is not among them.
type Best struct {
	Runnable   string    `json:"runnable,omitempty"`   // a label; absent if Slurm runs none of them
	Overall    string    `json:"overall"`              // likewise
	Difference *Estimate `json:"difference,omitempty"` // overall less runnable, in Unit, paired
	Unit       string    `json:"unit"`                 // $/month, or $ if all jobs come at one instant
	Partial    bool      `json:"partial,omitempty"`    // Slurm can run other policies that apply
}

// HoursPerMonth are those of a twelfth of 365 days.
const HoursPerMonth = 730

// Contender is one of the policies that a Best compares.
type Contender struct {
	Label, RunsOn string
	Money         []float64 // by replication, in $/h or $
}

// NewBest compares contenders, the best first. The estimate is of a difference of money.
func NewBest(list []Contender, perHour bool, estimate func([]float64) metric.Interval) Best {
	b, scale := Best{Unit: "$"}, 1.0
	if perHour {
		b.Unit, scale = "$/month", HoursPerMonth
	}
	list = slices.DeleteFunc(list, func(c Contender) bool { return c.RunsOn == "" })
	if len(list) == 0 {
		return b
	}
	b.Overall = list[0].Label
	slurm := func(c Contender) bool { return c.RunsOn == policy.Slurm.Key() }
	if i := slices.IndexFunc(list, slurm); i >= 0 {
		d := NewEstimate(estimate(Less(list[0].Money, list[i].Money)).Times(scale))
		b.Runnable, b.Difference = list[i].Label, &d
	}
	return b
}

// SetPartial notes whether policies were left out that apply by default and run on Slurm.
func (b *Best) SetPartial(s *subject.Subject, tried []string) {
	list, _ := s.Applying()
	b.Partial = slices.ContainsFunc(list, func(p subject.Policy) bool {
		return p.Spec.RunsOn(p.Settings) == policy.Slurm && !slices.Contains(tried, p.Label())
	})
}

// Stretched returns the first n numbers; the last stands for those beyond.
func Stretched[T ~float64](x []T, n int) []float64 {
	list := make([]float64, n)
	for k := range list {
		list[k] = float64(x[min(k, len(x)-1)])
	}
	return list
}

// Less returns the differences of two samples, 0 where they are but rounding errors.
func Less(a, b []float64) []float64 {
	list := metric.Less(a, b)
	for k, d := range list {
		if math.Abs(d) <= 1e-9*max(math.Abs(a[k]), math.Abs(b[k])) {
			list[k] = 0
		}
	}
	return list
}
