package solve

import (
	"cmp"
	"context"
	"math"
	"slices"

	"revopt/internal/text"
	"revopt/model"
	"revopt/model/scenario"
	"revopt/optimize"
	"revopt/simulate/analytic"
	"revopt/simulate/metric"
	"revopt/simulate/study"
	"revopt/simulate/subject"
	"revopt/simulate/warn"
)

// Check reports options that contradict each other.
func (o Options) Check() error {
	switch {
	case o.Exact && o.Control != "":
		return study.Usagef("--control: expected --utility linear with it: a state is small only where value " +
			"falls linearly")
	case o.Prices && o.Exact:
		return study.Usagef("--prices: expected --utility linear with it")
	case o.Prices && o.Control == analytic.ControlThreshold:
		return study.Usagef("--prices: expected --control static or state with it")
	}
	return nil
}

// Options say what to solve; the zero value is the proven linear optimum to 1e-6.
type Options struct {
	Method  optimize.Method // "" is MethodCertified
	Control string          // ControlState or ControlThreshold: admission that looks at the queue, besides; "" is none
	Prices  bool            // prices are chosen too, where classes state a demand
	Exact   bool            // the exact utility, job by job, instead of the loss by the mean wait
	Gap     float64         // relative; 0 is 1e-6
	Version string          // of the program
}

// Answer is the admission that earns most, with its bound and shadow prices.
type Answer struct {
	study.Head
	Optimum
	// the further ones, of the jobs that those before them refuse
	Providers []analytic.ProviderAnswer
	Pools     []PoolOptimum // whose sum it is
	Warnings  []warn.Warning
	Fitted    bool     // the classes are fitted to a trace
	Checked   *Checked // nil where it is not checked
}

// Optimum is the best admission to a machine or a pool, and the prices of more.
type Optimum struct {
	analytic.Solution
	Prices  ShadowPrices
	Stated  *metric.Number // of the best admission at stated prices
	Control *ControlAnswer
	Exact   *analytic.ExactAnswer
	System  model.System
}

// PoolOptimum is the best admission to a pool.
type PoolOptimum struct {
	subject.PoolHead
	ShadowPrice metric.Number // $/s per extra unit
	Optimum
}

// ShadowPrices are prices at fixed offered rates.
type ShadowPrices struct {
	Capacity metric.Number // $/s per extra parallel slot; null beside pools
	Classes  []ClassPrice
}

// ClassPrice is the shadow price of the demand of a class.
type ClassPrice struct {
	Name   string
	Demand metric.Number // $ per extra arriving job
}

// Solve finds the admission that earns most in the queueing model.
func Solve(ctx context.Context, a *analytic.Analysis, o Options) (*Answer, error) {
	o.Gap = cmp.Or(o.Gap, 1e-6)
	if a.Pools != nil {
		return solvePools(ctx, a, o)
	}
	if o.Exact {
		return solveExact(ctx, a, o)
	}
	settings := optimize.Settings{Gap: o.Gap}
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
	answer := newAnswer(a, s, shadow, o)
	if a.After != nil && !o.Prices {
		answer.Providers, err = a.After(ctx, r.Admit)
		if err != nil {
			return nil, err
		}
	}
	if o.Prices {
		fixed, err := solve(ctx, stated, settings)
		if err != nil {
			return nil, err
		}
		x := metric.Number(fixed.Revenue)
		answer.Stated = &x
	}
	if o.Control != "" {
		answer.Control, err = Control(ctx, a, o.Control, o.Gap)
		if err != nil {
			return nil, err
		}
	}
	doubts := append(s.Unproven(a.System.Residual, o.Gap), s.Doubts()...)
	if k := answer.Control; k != nil && float64(k.RelativeGap) > o.Gap*(1+1e-9) { // NaN without a proof
		doubts = append(doubts, warn.New(warn.UnprovenGap).With(o.Gap).About("control"))
	}
	answer.Warnings = append(answer.Warnings, slices.Concat(a.Ignored, doubts)...)
	return answer, nil
}

func solvePools(ctx context.Context, a *analytic.Analysis, o Options) (*Answer, error) {
	for i, c := range a.System.Classes {
		across := func(d model.Class) bool { return d.SLO == c.SLO && d.Pool != c.Pool }
		if o.Exact && c.SLO != nil && slices.ContainsFunc(a.System.Classes[:i], across) {
			return nil, &scenario.Error{File: a.File, Message: "the exact utility keeps the promise to " + c.Name +
				" in each pool, not over all pools: state one for each (slo: {POOL: {within, level}})"}
		}
	}
	if o.Prices {
		if _, err := a.Priced(); err != nil {
			return nil, err
		}
	}
	answers, err := analytic.OverParts(a, func(part *analytic.Analysis) (*Answer, error) { return Solve(ctx, part, o) })
	if err != nil {
		return nil, err
	}
	none := optimize.Prices{Capacity: math.NaN(), Demand: make([]float64, len(a.System.Classes))}
	all := newAnswer(a, a.Sum(text.Each(answers, func(one *Answer) *analytic.Solution {
		return &one.Solution
	})), none, o)
	for i, one := range answers {
		part := a.Pools[i]
		price := one.Prices.Capacity * metric.Number(part.System.Parallel/float64(part.Units))
		all.Pools = append(all.Pools, PoolOptimum{part.Head(), price, one.Optimum})
		if one.Stated != nil {
			all.Stated = cmp.Or(all.Stated, new(metric.Number))
			*all.Stated += *one.Stated
		}
	}
	all.Warnings = a.PoolWarnings(text.Each(answers, func(one *Answer) []warn.Warning { return one.Warnings }))
	all.Prices.Classes = analytic.Gather(a, text.Each(answers,
		func(one *Answer) []ClassPrice { return one.Prices.Classes }))
	if o.Control != "" {
		all.Control = sumControl(a, text.Each(answers, func(one *Answer) *ControlAnswer { return one.Control }))
	}
	if o.Exact {
		all.Exact = analytic.SumExact(text.Each(answers, func(one *Answer) *analytic.ExactAnswer { return one.Exact }))
	}
	return all, nil
}

func newAnswer(a *analytic.Analysis, s *analytic.Solution, shadow optimize.Prices, o Options) *Answer {
	answer := &Answer{
		Head: study.NewHead(a.Name, o.Version), Fitted: a.Fit != nil, Warnings: []warn.Warning{},
		Optimum: Optimum{Solution: *s, System: a.System,
			Prices: ShadowPrices{Capacity: metric.Number(shadow.Capacity)}},
	}
	answer.Prices.Classes = text.EachAt(a.System.Classes, func(i int, c model.Class) ClassPrice {
		return ClassPrice{c.Name, metric.Number(shadow.Demand[i])}
	})
	return answer
}

// solveExact maximizes the exact revenue, of real servers if the scenario has these.
func solveExact(ctx context.Context, a *analytic.Analysis, o Options) (*Answer, error) {
	stated := a.System.Residual
	exact := *a
	if stated != model.Multiserver {
		exact.System.Residual = model.Pooled
	}
	r, err := optimize.Exact(ctx, exact.System, optimize.Settings{Gap: o.Gap})
	if err != nil {
		return nil, err
	}
	s, err := analytic.NewSolution(exact.System, r.Result)
	if err != nil {
		return nil, err
	}
	waits, err := model.NewWaits(exact.System, r.Admit, model.WaitOptions{Multiserver: stated == model.Multiserver})
	if err != nil {
		return nil, err
	}
	for i := range exact.System.Classes {
		s.Classes[i].RevenuePerSecond = metric.Number(r.Earns[i])
		s.Classes[i].MeanWait = metric.Number(waits.Mean(i))
	}
	s.MeanDelay = metric.Number(s.DelayOfAdmitted())
	answer := newAnswer(&exact, s, r.Prices, o)
	answer.Exact = analytic.NewExactAnswer(exact.System.Classes, r)
	answer.Warnings = append(answer.Warnings, slices.Concat(exactWarnings(a, stated, r), s.Doubts())...)
	return answer, nil
}

// exactWarnings say what the exact utility does not look at or prove.
func exactWarnings(a *analytic.Analysis, stated model.Residual, r optimize.ExactResult) []warn.Warning {
	list := text.Where(a.Ignored, func(w warn.Warning) bool { // it knows floors and promises
		return w.Kind != warn.Floor && w.Kind != warn.Promise
	})
	warn.AddIf(&list, stated == model.Multiserver, warn.New(warn.Approximate))
	warn.AddIf(&list, stated == model.Printed, warn.New(warn.Pooled, stated.String()))
	list = append(list, analytic.About(warn.Scaled, a.System.Classes, scaled)...)
	warn.AddIf(&list, !r.Certified, warn.New(warn.UnprovenExact))
	return list
}

// scaled reports whether the loss of a job of the class depends on its length.
func scaled(c model.Class) bool {
	floor := !c.Floor.None && (c.Price.PerSecond > 0 || c.Price.PerNodeSecond > 0)
	byLength := c.Grace.Lengths > 0 || c.Deadline != (model.Grace{}) || floor
	return c.MeanDecay() > 0 && byLength && model.SD(c.Length) > 0
}
