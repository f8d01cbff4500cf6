package analytic

import (
	"math"
	"slices"

	"revopt/internal/text"
	"revopt/model"
	"revopt/optimize"
)

// NewExactSolution evaluates the system at the exact optimum that was found.
func NewExactSolution(sys model.System, r optimize.ExactResult) (*Solution, error) {
	s, err := NewSolution(sys, r.Result)
	if err != nil {
		return nil, err
	}
	waits, err := model.NewWaits(sys, r.Admit, model.WaitOptions{Multiserver: sys.Residual == model.Multiserver})
	if err != nil {
		return nil, err
	}
	for i := range s.Classes {
		s.Classes[i].RevenuePerSecond = r.Earns[i]
		s.Classes[i].MeanWait = waits.Mean(i)
	}
	s.MeanDelay = s.DelayOfAdmitted()
	return s, nil
}

// matters is the relative error of the revenue by mean waits above which the exact utility is used.
const matters = 0.02

// manyWidths is how many widths the classes may have together: the work of a class is a mixture of so many distributions.
const manyWidths = 16

// NeedsExact reports whether graces and largest penalties matter at an admission of the classes of all parts, by a
// convention for delays. The papers' convention stays linear, as do classes with promises, fitted classes and those of
// many widths, for which the exact optimum takes long to find.
func (a *Analysis) NeedsExact(r model.Residual, admit []float64) (bool, error) {
	promised := slices.ContainsFunc(a.System.Classes, func(c model.Class) bool { return c.SLO != nil })
	widths := text.Sum(a.System.Classes, func(c model.Class) int { return len(c.Width.Values) })
	if r == model.Printed || a.Fit != nil || a.System.Prices || promised || widths > manyWidths {
		return false, nil
	}
	list, err := OverParts(a, func(part *Analysis) (bool, error) {
		all := slices.Repeat([]float64{1}, len(part.System.Classes))
		for _, q := range [][]float64{InPart(part, admit), all} {
			off, err := misjudged(part.By(r), q)
			if off || err != nil {
				return off, err
			}
		}
		return false, nil
	})
	return slices.Contains(list, true), err
}

// misjudged reports whether the revenue by mean waits is off by more than matters. It is that of less if so many jobs
// would wait too long.
func misjudged(sys model.System, admit []float64) (bool, error) {
	bends := func(c model.Class) bool { return c.MeanDecay() > 0 && (c.MeanGrace() > 0 || !c.Floor.None) }
	if !slices.ContainsFunc(sys.Classes, bends) {
		return false, nil
	}
	const busy = 0.95
	exact, err := model.NewExact(sys)
	if err != nil {
		return false, err
	}
	used := math.Max(busy, exact.Utilization(admit))
	admit = text.Each(admit, func(q float64) float64 { return q * busy / used })
	waits, err := model.NewWaits(sys, admit, model.WaitOptions{Multiserver: sys.Residual == model.Multiserver})
	if err != nil {
		return false, err
	}
	var byMean float64
	for i, c := range sys.Classes {
		late := math.Max(0, sys.DelayCoefficient()*waits.Mean(i)-c.MeanGrace())
		byMean += admit[i] * c.Rate * (c.MeanPrice() - c.MeanDecay()*late)
	}
	revenue, _ := exact.Revenue(admit)
	return math.Abs(byMean-revenue) > matters*math.Abs(revenue), nil
}
