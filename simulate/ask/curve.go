package ask

import (
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
	"revopt/simulate/subject"
	"revopt/simulate/warn"
)

// curve is the best admission along a field.
type curve struct {
	Vary     string
	Points   []curvePoint
	Warnings []warn.Warning

	residual model.Residual
	gap      float64
	prices   bool
	at       func(x float64) (*analytic.Analysis, *subject.Subject, error) // opens the scenario at a value
}

// curvePoint is the optimum at one value.
type curvePoint struct {
	Value metric.Number
	analytic.Solution
	Pools   []poolSolution // whose sum it is
	Checked *verdict       // nil where it is not checked
}

// solved returns the optimum to be checked.
func (p *curvePoint) solved() *solved {
	s := &solved{optimum: optimum{Solution: p.Solution}}
	if p.Classes[0].PriceAnswer != nil {
		s.Stated = new(metric.Number)
	}
	return s
}

// check simulates the optimum at every value.
func (c *curve) check(ctx context.Context, seed uint64, workers int) error {
	for i := range c.Points {
		p := &c.Points[i]
		a, s, err := c.at(float64(p.Value))
		if err != nil {
			return err
		}
		p.Checked, err = checker{s, seed, workers}.check(ctx, a, p.solved())
		if err != nil {
			return err
		}
	}
	return nil
}

// poolSolution is the best admission to a pool.
type poolSolution struct {
	subject.PoolHead
	analytic.Solution
}

// solve finds the optimum at values of the field. After an error, or when the context is canceled, the curve has the
// points before it.
func (c *curve) solve(ctx context.Context, values []float64) error {
	var doubts [][]warn.Warning  // by point
	var before []optimize.Result // of the parts of the machine at the last point
	var err error
	for _, x := range values {
		err = ctx.Err()
		if err != nil {
			break
		}
		var list []warn.Warning
		before, list, err = c.add(ctx, x, before)
		if err != nil {
			break
		}
		doubts = append(doubts, list)
	}
	c.doubt(doubts)
	if err != nil {
		done := []float64{float64(len(c.Points)), float64(len(values))}
		c.Warnings = append([]warn.Warning{{Kind: warn.Interrupted, Names: []string{"value"}, Numbers: done}},
			c.Warnings...)
	}
	return err
}

// add adds the optimum at a value, and returns that of each part of the machine and its doubts. The search starts from
// the optimum at the value before.
func (c *curve) add(ctx context.Context, x float64, before []optimize.Result) ([]optimize.Result, []warn.Warning,
	error) {
	a, _, err := c.at(x)
	if err != nil {
		return nil, nil, err
	}
	if before != nil && len(a.Parts()) != len(before) {
		return nil, nil, errors.New("expected jobs in the same pools at all values")
	}
	c.residual = a.System.Residual
	if c.prices {
		a, err = a.Priced()
		if err != nil {
			return nil, nil, err
		}
	}
	c.ignore(a.Ignored)
	var results []optimize.Result
	for k, part := range a.Parts() {
		settings := optimize.Settings{Gap: c.gap}
		if before != nil && len(before[k].Admit) == len(part.System.Classes) {
			settings.Start = before[k].Admit
		}
		r, err := optimize.Solve(ctx, part.System, settings)
		if err != nil {
			return nil, nil, fmt.Errorf("point %d of the curve: %w", 1+len(c.Points), err)
		}
		results = append(results, r)
	}
	p, doubts, err := newCurvePoint(a, results, c.gap)
	if err != nil {
		return nil, nil, err
	}
	p.Value = metric.Number(x)
	c.Points = append(c.Points, p)
	return results, doubts, nil
}

// ignore adds warnings about what the model does not look at. The jobs at a time differ from point to point: one
// warning is enough.
func (c *curve) ignore(list []warn.Warning) {
	for _, w := range list {
		known := slices.ContainsFunc(c.Warnings, func(old warn.Warning) bool { return old.Kind == w.Kind })
		if !known || w.Kind != string(scenario.WarnWidths) {
			c.Warnings = warn.Union(c.Warnings, []warn.Warning{w})
		}
	}
}

// newCurvePoint returns the optimum of all parts of a machine, and its doubts.
func newCurvePoint(a *analytic.Analysis, results []optimize.Result, gap float64) (curvePoint, []warn.Warning, error) {
	var p curvePoint
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
			p.Pools = append(p.Pools, poolSolution{part.Head(), *s})
		}
	}
	p.Solution = *a.Sum(solutions)
	return p, a.PoolWarnings(lists), nil
}

// doubt adds the warnings about the solutions, with the values where they apply.
func (c *curve) doubt(points [][]warn.Warning) {
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
