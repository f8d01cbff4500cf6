package solve

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"

	"revopt/model"
	"revopt/model/scenario"
	"revopt/optimize"
	"revopt/simulate/analytic"
	"revopt/simulate/metric"
	"revopt/simulate/study"
	"revopt/simulate/subject"
	"revopt/simulate/warn"
)

// Curve is the best admission along a parameter.
type Curve struct {
	study.Head
	Vary        string
	Interrupted bool
	Points      []CurvePoint
	Warnings    []warn.Warning

	Residual model.Residual
	Fitted   bool // the classes are fitted to a trace
}

// CurvePoint is the optimum at one value.
type CurvePoint struct {
	Value metric.Number
	analytic.Solution
	Pools   []PoolSolution // whose sum it is
	Checked *Checked       // nil where it is not checked
}

// answer returns the optimum as an answer, to be checked.
func (p *CurvePoint) answer() *Answer {
	a := &Answer{Optimum: Optimum{Solution: p.Solution}}
	if p.Classes[0].PriceAnswer != nil {
		a.Stated = new(metric.Number)
	}
	return a
}

// Check simulates the optimum at every value. The function at opens the scenario at a value.
func (c *Curve) Check(
	ctx context.Context, at func(x float64) (*analytic.Analysis, *subject.Subject, error), seed uint64, workers int,
) error {
	for i := range c.Points {
		p := &c.Points[i]
		a, s, err := at(float64(p.Value))
		if err != nil {
			return err
		}
		p.Checked, err = Checker{s, seed, workers}.Check(ctx, a, p.answer())
		if err != nil {
			return err
		}
	}
	return nil
}

// PoolSolution is the best admission to a pool.
type PoolSolution struct {
	subject.PoolHead
	analytic.Solution
}

// NewCurve solves a scenario at the given values of a parameter. The function
// at opens the scenario at a value. After an error, or when the context is canceled,
// the curve has the points before it, and is nil where there are none.
func NewCurve(ctx context.Context, path string, values []float64, at func(x float64) (*analytic.Analysis, error),
	o Options) (*Curve, error) {
	o.Gap = cmp.Or(o.Gap, 1e-6)
	c := &Curve{Head: study.NewHead("", o.Version), Vary: path, Warnings: []warn.Warning{}}
	var doubts [][]warn.Warning  // by point
	var before []optimize.Result // of the parts of the machine at the last point
	var err error
	for _, x := range values {
		err = ctx.Err()
		if err != nil {
			break
		}
		var list []warn.Warning
		before, list, err = c.add(ctx, x, at, before, o)
		if err != nil {
			break
		}
		doubts = append(doubts, list)
	}
	if len(c.Points) == 0 {
		return nil, err
	}
	c.doubt(doubts)
	c.Interrupted = err != nil
	if c.Interrupted {
		done := []float64{float64(len(c.Points)), float64(len(values))}
		c.Warnings = append([]warn.Warning{{Kind: warn.Interrupted, Names: []string{"value"}, Numbers: done}},
			c.Warnings...)
	}
	return c, err
}

// add adds the optimum at a value, and returns that of each part of the machine and its doubts. The search starts from
// the optimum at the value before.
func (c *Curve) add(ctx context.Context, x float64, at func(x float64) (*analytic.Analysis, error),
	before []optimize.Result, o Options) ([]optimize.Result, []warn.Warning, error) {
	a, err := at(x)
	if err != nil {
		return nil, nil, err
	}
	if before != nil && len(a.Parts()) != len(before) {
		return nil, nil, errors.New("expected jobs in the same pools at all values")
	}
	c.Scenario = a.Name
	c.Residual = a.System.Residual
	c.Fitted = a.Fit != nil
	if o.Prices {
		a, err = a.Priced()
		if err != nil {
			return nil, nil, err
		}
	}
	c.ignore(a.Ignored)
	var results []optimize.Result
	for k, part := range a.Parts() {
		settings := optimize.Settings{Gap: o.Gap}
		if before != nil && len(before[k].Admit) == len(part.System.Classes) {
			settings.Start = before[k].Admit
		}
		r, err := optimize.Solve(ctx, part.System, settings)
		if err != nil {
			return nil, nil, fmt.Errorf("point %d of the curve: %w", 1+len(c.Points), err)
		}
		results = append(results, r)
	}
	p, doubts, err := newCurvePoint(a, results, o.Gap)
	if err != nil {
		return nil, nil, err
	}
	p.Value = metric.Number(x)
	c.Points = append(c.Points, p)
	return results, doubts, nil
}

// ignore adds warnings about what the model does not look at. The jobs at a time differ from point to point: one
// warning is enough.
func (c *Curve) ignore(list []warn.Warning) {
	for _, w := range list {
		known := slices.ContainsFunc(c.Warnings, func(old warn.Warning) bool { return old.Kind == w.Kind })
		if !known || w.Kind != string(scenario.WarnWidths) {
			c.Warnings = warn.Union(c.Warnings, []warn.Warning{w})
		}
	}
}

// newCurvePoint returns the optimum of all parts of a machine, and its doubts.
func newCurvePoint(a *analytic.Analysis, results []optimize.Result, gap float64) (CurvePoint, []warn.Warning, error) {
	var p CurvePoint
	var solutions []*analytic.Solution
	var lists [][]warn.Warning
	for k, part := range a.Parts() {
		s, err := analytic.NewSolution(part.System, results[k])
		if err != nil {
			return p, nil, err
		}
		solutions = append(solutions, s)
		lists = append(lists, append(s.Unproven(part.System.Residual, gap), s.Doubts()...))
		if a.Pools != nil {
			p.Pools = append(p.Pools, PoolSolution{part.Head(), *s})
		}
	}
	p.Solution = *a.Sum(solutions)
	return p, a.PoolWarnings(lists), nil
}

// doubt adds the warnings about the solutions, with the values where they apply.
func (c *Curve) doubt(points [][]warn.Warning) {
	var all []warn.Warning
	var at [][]float64
	for i, list := range points {
		for _, w := range list {
			k := slices.IndexFunc(all, func(old warn.Warning) bool { return reflect.DeepEqual(old, w) })
			if k < 0 {
				k = len(all)
				all, at = append(all, w), append(at, nil)
			}
			at[k] = append(at[k], float64(c.Points[i].Value))
		}
	}
	for k, w := range all {
		w.Where = &warn.Where{Path: c.Vary, From: slices.Min(at[k]), To: slices.Max(at[k]), Points: len(at[k]),
			All: len(points)}
		c.Warnings = append(c.Warnings, w)
	}
}
