package solve

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"

	"revopt/internal/cells"
	"revopt/model"
	"revopt/model/scenario"
	"revopt/optimize"
	"revopt/simulate/analytic"
	"revopt/simulate/metric"
	"revopt/simulate/plan"
	"revopt/simulate/study"
	"revopt/simulate/subject"
	"revopt/simulate/warn"
)

// CurveName names a curve in a journal by all that it depends on. The seed of the
// opener is that of the jobs to which classes are fitted. A fault of the scenario is left to the curve.
func CurveName(doc *scenario.Document, vary scenario.Axis, o Options, opener *subject.Opener) (string, error) {
	p := plan.New(doc, nil, []plan.Row{})
	p.Vary = []scenario.Axis{vary}
	p.Seed = opener.Seed
	p.Measures = nil
	var sum string
	at, err := p.DocumentAt(0)
	if err == nil {
		if sc, bad := at.Scenario(subject.Known(nil)); bad == nil {
			sum, err = opener.Sum(sc.Trace)
		}
	}
	if sum != "" {
		p.Traces = []string{sum}
	}
	residual := ""
	if o.Residual != "" {
		residual = fmt.Sprintf(`,"residual":%q`, o.Residual)
	}
	return fmt.Sprintf(`{"curve":%s,"gap":%g,"prices":%v%s}`, p.Name(), o.Gap, o.Prices, residual), err
}

// curveWork is the optima along a parameter as work: at every point a cell for each pool. A cell starts
// from the optimum before, so that cells run in order.
type curveWork struct {
	name    string
	gap     float64
	parts   int // cells of a point
	systems []model.System
	known   [][]float64 // numbers of the cells that are finished
}

// curveNumbers is how many numbers a cell of a curve has before the admission.
const curveNumbers = 7

// cellOfOptimum returns an optimum as the numbers of its cell.
func cellOfOptimum(r optimize.Result) []float64 {
	certain := metric.Indicator(r.Method == optimize.MethodCertified)
	return append([]float64{
		certain, r.Revenue, r.UpperBound, r.Gap,
		metric.Indicator(r.Certified), metric.Indicator(r.Tied), metric.Indicator(r.StabilityBinds),
	}, r.Admit...)
}

// optimumOfCell is the inverse of cellOfOptimum.
func optimumOfCell(x []float64) optimize.Result {
	method := optimize.MethodCertified
	if x[0] == 0 {
		method = optimize.MethodCG
	}
	return optimize.Result{
		Method: method, Revenue: x[1], UpperBound: x[2], Gap: x[3],
		Certified: x[4] == 1, Tied: x[5] == 1, StabilityBinds: x[6] == 1, Admit: x[curveNumbers:],
	}
}

// Name, Cells, Values, ValuesOf, Cost, Unit and Units implement cells.Work and cells.Staged.
func (w *curveWork) Name() string { return w.name }

func (w *curveWork) Cells() int { return len(w.systems) }

func (w *curveWork) Values() int { return curveNumbers }

func (w *curveWork) ValuesOf(cell int) int { return curveNumbers + len(w.systems[cell].Classes) }

func (w *curveWork) Cost(int) float64 { return 1 }

func (w *curveWork) Unit(int) int { return 0 }

func (w *curveWork) Units() int { return 1 }

// Progress implements cells.Staged.
func (w *curveWork) Progress(_ cells.Shard, _ int, numbers [][]float64) cells.Progress {
	w.known = numbers
	var now cells.Progress
	for cell, x := range numbers {
		now.Add(cell, x, cell > 0 && numbers[cell-1] == nil)
	}
	return now
}

// Run implements cells.Work.
func (w *curveWork) Run(ctx context.Context, cell int) ([]float64, error) {
	settings := optimize.Settings{Gap: w.gap}
	before := cell - w.parts
	if n := len(w.systems[cell].Classes); before >= 0 && len(w.systems[before].Classes) == n {
		settings.Start = optimumOfCell(w.known[before]).Admit
	}
	r, err := optimize.Solve(ctx, w.systems[cell], settings)
	if err != nil {
		return nil, fmt.Errorf("point %d of the curve: %w", 1+cell/w.parts, err)
	}
	return cellOfOptimum(r), nil
}

// run returns the optima of the points before the first that did not finish.
func (w *curveWork) run(ctx context.Context, r *plan.Runner) ([]optimize.Result, error) {
	if len(w.systems) == 0 {
		return nil, nil
	}
	all, err := cmp.Or(r, &plan.Runner{}).Cells(ctx, w)
	if all == nil {
		return nil, err
	}
	if ctx.Err() != nil {
		err = ctx.Err()
	}
	var list []optimize.Result
	for _, x := range all.Numbers {
		if x == nil {
			break
		}
		list = append(list, optimumOfCell(x))
	}
	return list, err
}

// Curve is the best admission along a parameter.
type Curve struct {
	study.Head
	TraceFile   *subject.TraceFile `json:"trace_file,omitempty"`
	Vary        string             `json:"vary"`
	Interrupted bool               `json:"interrupted"`
	Points      []CurvePoint       `json:"points"`
	Warnings    []warn.Warning     `json:"warnings"`

	Residual model.Residual `json:"-"`
	Fitted   bool           `json:"-"` // the classes are fitted to a trace
}

// CurvePoint is the optimum at one value.
type CurvePoint struct {
	Value metric.Number `json:"value"`
	analytic.Solution
	Pools   []PoolSolution `json:"pools,omitempty"`   // whose sum it is
	Checked *Checked       `json:"checked,omitempty"` // nil where it is not checked
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
	work := &curveWork{name: o.Name, gap: o.Gap}
	var models []*analytic.Analysis
	add := func(x float64) error {
		a, err := at(x)
		if err != nil {
			return err
		}
		c.Scenario = a.Name
		c.Residual = a.System.Residual
		c.Fitted = a.Fit != nil
		if o.Prices {
			a, err = a.Priced()
			if err != nil {
				return err
			}
		}
		for _, w := range a.Ignored {
			// The jobs at a time differ from point to point: one warning is enough.
			known := slices.ContainsFunc(c.Warnings, func(old warn.Warning) bool { return old.Kind == w.Kind })
			if !known || w.Kind != string(scenario.WarnWidths) {
				c.Warnings = warn.Union(c.Warnings, []warn.Warning{w})
			}
		}
		for _, part := range a.Parts() {
			work.systems = append(work.systems, part.System)
		}
		models = append(models, a)
		if len(a.Parts()) != len(models[0].Parts()) {
			return errors.New("expected jobs in the same pools at all values")
		}
		work.parts = len(a.Parts())
		return nil
	}
	var err error
	for _, x := range values {
		err = add(x)
		if err != nil || ctx.Err() != nil {
			break
		}
	}
	results, stopped := work.run(ctx, o.Runner)
	err = errors.Join(err, stopped)
	var doubts [][]warn.Warning // by point
	for i, a := range models[:len(results)/max(1, work.parts)] {
		p, list, broken := newCurvePoint(a, results[i*work.parts:], o.Gap)
		if broken != nil {
			err = errors.Join(err, broken)
			break
		}
		p.Value = metric.Number(values[i])
		c.Points, doubts = append(c.Points, p), append(doubts, list)
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
