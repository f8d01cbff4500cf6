package sweep

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"revopt/model/scenario"
	"revopt/simulate/metric"
	"revopt/simulate/workload"
)

// maxCells is how many cells a sweep may have.
const maxCells = 10_000_000

// Plan is a sweep taken apart into cells. A cell is one replication of a policy
// and an admission at a point of the grid, and a pure function of these and the
// seed. Cells are numbered: points in the order of the axes, the first slowest;
// then admissions, policies and replications, the last fastest.
type Plan struct {
	Spec *Spec
	// Analytic returns the admission that is best by the model. It must always
	// return the same for the same scenario. Needed to run where the sweep asks
	// for that admission.
	Analytic func(ctx context.Context, sc *scenario.Scenario) ([]float64, error)

	doc     *scenario.Document
	trace   bool
	figures []metric.Figure
	groups  []string // classes whose figures are wanted; the first is "", all jobs
	costs   []float64

	mu        sync.Mutex
	workloads map[selection]*workload.Trace
	analytic  map[int]func() ([]float64, error) // by point
}

// selection is what the jobs of a trace depend on.
type selection struct {
	file, cleaning string
	jobs           scenario.Subset
	nodes          int
}

// NewPlan checks every point of a sweep and plans it. What is wrong with a
// point is a *scenario.Error.
func NewPlan(s *Spec) (*Plan, error) {
	doc, err := s.document()
	if err != nil {
		return nil, err
	}
	p := &Plan{Spec: s, doc: doc, trace: doc.IsTrace(), workloads: map[selection]*workload.Trace{}, analytic: map[int]func() ([]float64, error){}}
	if err := p.findFigures(); err != nil {
		return nil, err
	}
	points := 1
	for _, a := range s.Vary {
		points *= max(1, len(a.Values))
		if points > maxCells {
			return nil, p.tooMany()
		}
	}
	p.costs = make([]float64, points)
	if perPoint := p.perPoint(); perPoint > maxCells || perPoint*points > maxCells {
		return nil, p.tooMany()
	}
	for i := range p.costs {
		if err := p.checkPoint(i); err != nil {
			return nil, err
		}
	}
	return p, nil
}

func (p *Plan) tooMany() error {
	return &scenario.Error{File: p.Spec.file, Message: fmt.Sprintf("expected a sweep of at most %d cells", maxCells)}
}

// findFigures looks up the figures by their names.
func (p *Plan) findFigures() error {
	all := metric.Figures()
	if p.trace {
		all = metric.TraceFigures()
	}
	for _, name := range p.Spec.Metrics {
		i := slices.IndexFunc(all, func(f metric.Figure) bool { return f.Name == name })
		if i < 0 {
			return fmt.Errorf("sweep: unknown figure %q", name)
		}
		p.figures = append(p.figures, all[i])
	}
	return nil
}

// checkPoint decodes the scenario at a point and estimates what a cell costs:
// its jobs times the load.
func (p *Plan) checkPoint(i int) error {
	b, err := p.setup(i)
	if err != nil {
		return err
	}
	if i == 0 {
		p.groups = append([]string{""}, b.classes()...)
		if !p.Spec.Classes {
			p.groups = p.groups[:1]
		}
	}
	p.costs[i] = b.cost()
	return b.check()
}

// perPoint returns the number of cells at a point.
func (p *Plan) perPoint() int { return p.rowsPerPoint() * p.Spec.Replications }

func (p *Plan) rowsPerPoint() int { return len(p.Spec.Admissions) * len(p.Spec.Policies) }

// Cells returns the number of cells.
func (p *Plan) Cells() int { return len(p.costs) * p.perPoint() }

// values returns how many numbers a cell yields.
func (p *Plan) values() int { return len(p.groups) * len(p.figures) }

// cell is a cell by its coordinates.
type cell struct{ point, admission, policy, replication int }

func (p *Plan) cell(i int) cell {
	row, replication := i/p.Spec.Replications, i%p.Spec.Replications
	policies, admissions := len(p.Spec.Policies), len(p.Spec.Admissions)
	return cell{row / policies / admissions, row / policies % admissions, row % policies, replication}
}

// at returns the values of the axes at a point.
func (p *Plan) at(point int) []float64 {
	values := make([]float64, len(p.Spec.Vary))
	for i := len(values) - 1; i >= 0; i-- {
		list := p.Spec.Vary[i].Values
		values[i] = list[point%len(list)]
		point /= len(list)
	}
	return values
}

// document returns the scenario at a point.
func (p *Plan) document(point int) (*scenario.Document, error) {
	var list []scenario.Override
	for i, x := range p.at(point) {
		o := scenario.Set(p.Spec.Vary[i].Path, x)
		o.Source = "vary " + o.Path + "=" + o.Value
		list = append(list, o)
	}
	return p.doc.With(list...)
}

// longestFirst returns the cells of a shard that are not done, the longest
// first.
func (p *Plan) longestFirst(shard Shard, done func(int) bool) []int {
	var list []int
	for i := range p.Cells() {
		if shard.has(i) && !done(i) {
			list = append(list, i)
		}
	}
	cost := func(i int) float64 { return p.costs[i/p.perPoint()] }
	slices.SortStableFunc(list, func(a, b int) int {
		switch x, y := cost(a), cost(b); {
		case x > y:
			return -1
		case x < y:
			return 1
		}
		return 0
	})
	return list
}
