package ask

import (
	"cmp"
	"context"
	"math"
	"slices"

	"revopt/internal/text"
	"revopt/model"
	"revopt/optimize"
	"revopt/simulate/analytic"
	"revopt/simulate/subject"
	"revopt/simulate/warn"
)

// usualGap is the gap at which a search for an optimum stops, relative.
const usualGap = 1e-6

// solveOptions say what to solve; the zero value is the proven linear optimum to 1e-6.
type solveOptions struct {
	Method optimize.Method // "" is MethodCertified
	Prices bool            // prices are chosen too, where classes state a demand
	Exact  bool            // the exact utility, job by job, instead of the loss by the mean wait
	Auto   bool            // Exact where that matters
	Gap    float64         // relative; 0 is 1e-6

	start []float64 // where the search begins, by class of all pools; nil: anywhere
}

// solved is the admission that earns most, with its bound and shadow prices, and the model that it is of.
type solved struct {
	optimum
	Providers []analytic.ProviderAnswer // the further ones, of the jobs that those before them refuse
	Pools     []poolOptimum             // whose sum it is
	Warnings  []warn.Warning
	Checked   *verdict // nil where it is not checked
	model     *analytic.Analysis
	found     []float64 // what the search for it ended at, by class
}

// optimum is the best admission to a machine or a pool, and the prices of more at fixed offered rates.
type optimum struct {
	analytic.Solution
	Prices optimize.Prices // Capacity NaN beside pools
	Stated *float64        // of the best admission at stated prices
	Exact  bool            // by the exact utility
	System model.System
}

// poolOptimum is the best admission to a pool.
type poolOptimum struct {
	subject.PoolHead
	ShadowPrice float64 // $/s per extra unit
	optimum
}

// best finds the admission that earns most in the queueing model.
func best(ctx context.Context, a *analytic.Analysis, o solveOptions) (*solved, error) {
	o.Gap = cmp.Or(o.Gap, usualGap)
	if o.Auto {
		return bestUtility(ctx, a, o)
	}
	if a.Pools != nil {
		return solvePools(ctx, a, o)
	}
	if o.Exact {
		return solveExact(ctx, a, o)
	}
	settings := optimize.Settings{Gap: o.Gap}
	if o.start != nil {
		settings.Start = analytic.InPart(a, o.start)
	}
	solve := optimize.Solve
	if o.Method == optimize.MethodCG {
		solve = optimize.ConjugateGradient
	}
	stated := a.System
	if o.Prices {
		priced, err := a.Priced()
		if err != nil {
			return nil, err
		}
		a = priced
	}
	r, err := solve(ctx, a.System, settings)
	if err != nil {
		return nil, err
	}
	s, err := analytic.NewSolution(a.System, r)
	if err != nil {
		return nil, err
	}
	shadow, err := optimize.ShadowPrices(ctx, a.System, r)
	if err != nil {
		return nil, err
	}
	answer := newSolved(a, s, shadow)
	answer.found = r.Admit
	if a.After != nil && !o.Prices {
		answer.Providers, err = a.After(ctx, r.Admit)
		if err != nil {
			return nil, err
		}
	}
	if o.Prices {
		fixed, err := solve(ctx, stated, optimize.Settings{Gap: o.Gap})
		if err != nil {
			return nil, err
		}
		x := fixed.Revenue
		answer.Stated = &x
	}
	answer.Warnings = append(answer.Warnings, slices.Concat(a.Ignored, answer.openProofs(o.Gap))...)
	return answer, nil
}

// bestUtility finds the best admission by the loss of the mean wait and, where graces or largest penalties matter, by the
// exact utility.
func bestUtility(ctx context.Context, a *analytic.Analysis, o solveOptions) (*solved, error) {
	o.Auto = false
	linear, err := best(ctx, a, o)
	if err != nil {
		return nil, err
	}
	o.Exact, err = a.NeedsExact(a.System.Residual, linear.Admit())
	if err != nil || !o.Exact {
		return linear, err
	}
	return best(ctx, a, o)
}

// openProofs say what is not proven to within a relative gap, and what is doubtful about the solution.
func (o *optimum) openProofs(gap float64) []warn.Warning {
	return append(o.Unproven(o.System.Residual, gap), o.Doubts()...)
}

func solvePools(ctx context.Context, a *analytic.Analysis, o solveOptions) (*solved, error) {
	if o.Prices {
		if _, err := a.Priced(); err != nil {
			return nil, err
		}
	}
	answers, err := analytic.OverParts(a, func(part *analytic.Analysis) (*solved, error) { return best(ctx, part, o) })
	if err != nil {
		return nil, err
	}
	none := optimize.Prices{Capacity: math.NaN()}
	all := newSolved(a, a.Sum(text.Each(answers, func(one *solved) *analytic.Solution {
		return &one.Solution
	})), none)
	for i, one := range answers {
		part := a.Pools[i]
		price := one.Prices.Capacity * (part.System.Parallel / float64(part.Units))
		all.Pools = append(all.Pools, poolOptimum{part.Head(), price, one.optimum})
		if one.Stated != nil {
			all.Stated = cmp.Or(all.Stated, new(float64))
			*all.Stated += *one.Stated
		}
	}
	all.Warnings = a.PoolWarnings(text.Each(answers, func(one *solved) []warn.Warning { return one.Warnings }))
	all.Exact = o.Exact
	all.found = analytic.Gather(a, text.Each(answers, func(one *solved) []float64 { return one.found }))
	all.Prices.Demand = analytic.Gather(a, text.Each(answers, func(one *solved) []float64 { return one.Prices.Demand }))
	return all, nil
}

func newSolved(a *analytic.Analysis, s *analytic.Solution, shadow optimize.Prices) *solved {
	return &solved{optimum: optimum{Solution: *s, System: a.System, Prices: shadow}}
}

// solveExact maximizes the exact revenue, of real servers if the scenario has these.
func solveExact(ctx context.Context, a *analytic.Analysis, o solveOptions) (*solved, error) {
	stated := a.System.Residual
	exact := *a
	if stated != model.Multiserver {
		exact.System = a.By(model.Pooled)
	}
	r, err := optimize.Exact(ctx, exact.System, optimize.Settings{Gap: o.Gap})
	if err != nil {
		return nil, err
	}
	s, err := analytic.NewExactSolution(exact.System, r)
	if err != nil {
		return nil, err
	}
	answer := newSolved(&exact, s, r.Prices)
	answer.found = r.Admit
	answer.Exact = true
	answer.Warnings = append(answer.Warnings, slices.Concat(exactWarnings(a, stated, r), s.Doubts())...)
	return answer, nil
}

// exactWarnings say what the exact utility does not look at or prove.
func exactWarnings(a *analytic.Analysis, stated model.Residual, r optimize.ExactResult) []warn.Warning {
	list := text.Where(a.Ignored, func(w warn.Warning) bool { return !w.Ignores("max_penalty") }) // it knows floors
	warn.AddIf(&list, stated == model.Multiserver, warn.New("APPROXIMATE"))
	warn.AddIf(&list, stated == model.Printed, warn.Ignored("residual", warn.Words("residual", stated.String())))
	byLength := analytic.ClassesWhere(a.System.Classes, scaled)
	warn.AddIf(&list, byLength != nil, warn.Ignored("how prices, graces and penalties vary with the length", warn.Words("classes", byLength...)))
	warn.AddIf(&list, !r.Certified, warn.New("UNPROVEN", warn.Words("why", "the exact utility is not concave")))
	return list
}

// scaled reports whether the loss of a job of the class depends on its length.
func scaled(c model.Class) bool {
	floor := !c.Floor.None && (c.Price.PerSecond > 0 || c.Price.PerNodeSecond > 0)
	byLength := c.Grace.Lengths > 0 || c.Deadline != (model.Grace{}) || floor
	return c.MeanDecay() > 0 && byLength && model.SD(c.Length) > 0
}
