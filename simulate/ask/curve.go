package ask

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"

	"revopt/internal/text"
	"revopt/model/scenario"
	"revopt/simulate/analytic"
	"revopt/simulate/subject"
	"revopt/simulate/warn"
)

// curve is the best admission along a field.
type curve struct {
	Vary     string
	Points   []curvePoint
	Warnings []warn.Warning

	gap    float64
	prices bool
	at     func(x float64) (*analytic.Analysis, *subject.Subject, error) // opens the scenario at a value
}

// curvePoint is the optimum at one value.
type curvePoint struct {
	Value float64
	*solved
}

// most is the place of the value at which the formula delivers most.
func (c *curve) most() int {
	best := 0
	for i, p := range c.Points {
		if p.RevenuePerSecond > c.Points[best].RevenuePerSecond {
			best = i
		}
	}
	return best
}

// check simulates the optimum at every value, or only where it delivers most.
func (c *curve) check(ctx context.Context, seed uint64, workers int, every bool) error {
	most := c.most()
	for i, p := range c.Points {
		if !every && i != most {
			continue
		}
		a, s, err := c.at(p.Value)
		if err != nil {
			return err
		}
		p.Checked, err = checker{s, seed, workers}.check(ctx, a, p.solved)
		if err != nil {
			return err
		}
	}
	return nil
}

// solve finds the optimum at values of the field. After an error, or when the context is canceled, the curve has the
// points before it.
func (c *curve) solve(ctx context.Context, values []float64) error {
	var doubts [][]warn.Warning // by point
	var err error
	for _, x := range values {
		err = ctx.Err()
		if err != nil {
			break
		}
		var list []warn.Warning
		list, err = c.add(ctx, x)
		if err != nil {
			break
		}
		doubts = append(doubts, list)
	}
	c.doubt(doubts)
	if err != nil {
		c.Warnings = append([]warn.Warning{interrupted("value", len(c.Points), len(values))}, c.Warnings...)
	}
	return err
}

// add adds the optimum at a value and returns its doubts. The search starts from the optimum at the value before.
func (c *curve) add(ctx context.Context, x float64) ([]warn.Warning, error) {
	a, _, err := c.at(x)
	if err != nil {
		return nil, err
	}
	o := solveOptions{Gap: c.gap, Prices: c.prices, Auto: !c.prices}
	if n := len(c.Points); n > 0 {
		before := c.Points[n-1]
		if len(a.Pools) != len(before.Pools) {
			return nil, errors.New("expected jobs in the same pools at all values")
		}
		if len(a.System.Classes) == len(before.found) {
			o.start = before.found
		}
	}
	s, err := best(ctx, a, o)
	if err != nil && len(c.Points) == 0 {
		return nil, err
	}
	if err != nil {
		return nil, fmt.Errorf("point %d of the curve: %w", 1+len(c.Points), err)
	}
	s.model = a
	c.ignore(a.Ignored)
	c.Points = append(c.Points, curvePoint{x, s})
	ignored := func(w warn.Warning) bool {
		return slices.ContainsFunc(a.Ignored, func(other warn.Warning) bool { return reflect.DeepEqual(w, other) })
	}
	return text.Where(s.Warnings, func(w warn.Warning) bool { return !ignored(w) }), nil
}

// ignore adds warnings about what the model does not look at. The jobs at a time differ from point to point: one
// warning is enough.
func (c *curve) ignore(list []warn.Warning) {
	for _, w := range list {
		known := slices.ContainsFunc(c.Warnings, func(old warn.Warning) bool { return old.Kind == w.Kind })
		if !known || w.Kind != scenario.WarnWidths {
			c.Warnings = warn.Union(c.Warnings, []warn.Warning{w})
		}
	}
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
			at[k] = append(at[k], c.Points[i].Value)
		}
	}
	for k, w := range all {
		where := fmt.Sprintf("%s from %.6g to %.6g, %d of %d values", c.Vary, slices.Min(at[k]), slices.Max(at[k]),
			len(at[k]), len(points))
		w.Values = append(slices.Clip(w.Values), warn.Words("where", where))
		c.Warnings = append(c.Warnings, w)
	}
}
