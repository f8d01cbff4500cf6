package study

import (
	"math"
	"slices"

	"revopt/simulate/metric"
	"revopt/simulate/policy"
	"revopt/simulate/served"
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
	Harmful    []Harmful `json:"harmful"`              // those that deliver more than Overall, and harm somebody
}

// Harmful is a policy that delivers more than the best one without harm, and harms somebody.
type Harmful struct {
	Label      string            `json:"label"`
	RunsOn     string            `json:"runs_on"`
	Difference Estimate          `json:"difference"` // less the best without harm, in Unit, paired
	Harm       []served.Affected `json:"harm"`       // the worst first
}

// HoursPerMonth are those of a twelfth of 365 days.
const HoursPerMonth = 730

// Contender is one of the policies that a Best compares.
type Contender struct {
	Label, RunsOn string
	Money         []float64 // by replication, in $/h or $
	Amount        *Estimate // of it; nil: as a Contest estimates Money

	Groups   []served.Measured // customers and groups of width; nil: not measured
	Harm     []served.Affected // against the policy now
	Now      bool              // it is the policy now
	Fallback bool              // it is the best only if all others harm somebody
}

// NewBest compares contenders, the best first. Those that harm somebody are never the best. The estimate is of a
// difference of money.
func NewBest(list []Contender, perHour bool, estimate func([]float64) metric.Interval) Best {
	b, scale := Best{Unit: "$", Harmful: []Harmful{}}, 1.0
	if perHour {
		b.Unit, scale = "$/month", HoursPerMonth
	}
	list = slices.DeleteFunc(slices.Clone(list), func(c Contender) bool { return c.RunsOn == "" })
	if len(list) == 0 {
		return b
	}
	difference := func(a, b Contender) Estimate {
		return NewEstimate(estimate(Less(a.Money, b.Money)).Times(scale))
	}
	overall := harmless(list, func(Contender) bool { return true })
	if overall < 0 { // without a policy now, which harms nobody
		return b
	}
	b.Overall = list[overall].Label
	runnable := harmless(list, func(c Contender) bool { return c.RunsOn == policy.Slurm.Key() })
	if runnable >= 0 {
		d := difference(list[overall], list[runnable])
		b.Runnable, b.Difference = list[runnable].Label, &d
	}
	for _, c := range list[:overall] {
		if len(c.Harm) > 0 {
			b.Harmful = append(b.Harmful, Harmful{c.Label, c.RunsOn, difference(c, list[overall]), c.Harm})
		}
	}
	return b
}

// harmless returns the place of the first of some contenders that harms nobody, the policy now if there is no other,
// and -1 if there is none.
func harmless(list []Contender, eligible func(Contender) bool) int {
	safe := func(c Contender) bool { return eligible(c) && len(c.Harm) == 0 }
	i := slices.IndexFunc(list, func(c Contender) bool { return safe(c) && !c.Fallback })
	if i < 0 {
		i = slices.IndexFunc(list, safe)
	}
	return i
}

// SetPartial notes whether policies of the headline set were left out that run on Slurm.
func (b *Best) SetPartial(s *subject.Subject, tried []string) {
	b.Partial = slices.ContainsFunc(s.Headline(), func(p subject.Policy) bool {
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
