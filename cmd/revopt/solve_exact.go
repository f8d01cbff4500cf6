package main

import (
	"context"
	"fmt"
	"io"

	"revopt/model"
	"revopt/model/scenario"
	"revopt/optimize"
)

// exactAnswer is what only the exact utility knows.
type exactAnswer struct {
	RevenueError number          `json:"revenue_error"` // $/s, of the numerical inversion
	Promises     []promiseAnswer `json:"promises"`
	PromiseCost  number          `json:"promise_cost"` // $/s that the promises cost
}

type promiseAnswer struct {
	Name     string `json:"name"`
	Within   number `json:"within"` // s
	Level    number `json:"level"`  // promised
	Kept     number `json:"kept"`   // probability
	Admitted bool   `json:"admitted"`
}

// newExactAnswer maximises the exact revenue of a scenario.
func newExactAnswer(ctx context.Context, sc *scenario.Scenario, gap float64) (*answer, error) {
	sys := sc.System()
	stated := sys.Residual
	sys.Residual = model.Pooled
	r, err := optimize.Exact(ctx, sys, optimize.Settings{Gap: gap})
	if err != nil {
		return nil, err
	}
	s, err := newSolution(sys, r.Result)
	if err != nil {
		return nil, err
	}
	for i, x := range r.Earns {
		s.Classes[i].RevenuePerSecond = number(x)
	}
	a := &answer{Scenario: sc.Name, Version: build().Version, solution: *s, Prices: newPrices(sys, r.Prices), system: sys}
	a.Exact = &exactAnswer{RevenueError: number(r.Error), Promises: []promiseAnswer{}, PromiseCost: number(r.Free - r.Revenue)}
	for i, c := range sys.Classes {
		if c.SLO != nil {
			a.Exact.Promises = append(a.Exact.Promises, promiseAnswer{c.Name, number(c.SLO.Within), number(c.SLO.Level), number(r.Kept[i]), r.Admit[i] > 0})
		}
	}
	a.Warnings = append(exactWarnings(sc, stated, r), doubts(r.Result, s)...)
	return a, nil
}

// exactWarnings say what the exact utility does not look at or prove.
func exactWarnings(sc *scenario.Scenario, stated model.Residual, r optimize.ExactResult) []string {
	list := append([]string{}, texts(sc.Warnings, aboutWaits)...)
	if stated != model.Pooled {
		list = append(list, fmt.Sprintf("the exact utility is that of one pooled server: residual %s does not apply", stated))
	}
	if names := classesWhere(sc, func(c model.Class) bool { return c.Decay > 0 && c.Expire != model.ExpireNever }); names != "" {
		list = append(list, "the analytic model ignores expiry: every admitted job of "+names+" waits until it is served")
	}
	if names := classesWhere(sc, scaled); names != "" {
		list = append(list, "prices, graces and floors of "+names+" that scale with a job's length enter by their means")
	}
	if !r.Certified {
		list = append(list, "not proven to be the optimum: the exact utility allows only a bound, this is the best of several local searches")
	}
	return list
}

// scaled reports whether what a job of the class loses depends on its length.
func scaled(c model.Class) bool {
	own := c.Grace.Lengths > 0 || !c.Floor.None && (c.Price.PerSecond > 0 || c.Price.PerNodeSecond > 0)
	return c.Decay > 0 && own && model.SD(c.Length) > 0
}

// print writes the promises.
func (e *exactAnswer) print(w io.Writer) {
	if e == nil {
		return
	}
	for _, p := range e.Promises {
		if p.Admitted {
			fmt.Fprintf(w, "Promise      %s of %s start within %s; promised are %s\n",
				percent(float64(p.Kept)), oneLine(p.Name), duration(float64(p.Within)), percent(float64(p.Level)))
		} else {
			fmt.Fprintf(w, "Promise      void: no job of %s is admitted\n", oneLine(p.Name))
		}
	}
	if len(e.Promises) > 0 {
		fmt.Fprintf(w, "Cost         the promises cost %s $/h\n", grouped(3600*float64(e.PromiseCost)))
	}
}
