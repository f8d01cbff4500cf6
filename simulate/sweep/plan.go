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
// then admissions, policies and replications, the last fastest. The admissions
// that have to be found at a point are cells too, see find; they come last.
//
// A Plan is Work, and may be used by several goroutines once it is made.
type Plan struct {
	Spec *Spec
	// Analytic returns the admission that is best by the model. It must always
	// return the same for the same scenario. Needed to run where the sweep asks
	// for that admission.
	Analytic func(ctx context.Context, sc *scenario.Scenario) ([]float64, error)

	// Starts returns the admissions from which a search on the simulator starts,
	// under the same conditions: admitting all and what models say, usually. What
	// is found earns no less than any of them, but for luck. Neither function is
	// part of the name of the work: do not run it with others on one directory.
	Starts func(ctx context.Context, sc *scenario.Scenario) ([][]float64, error)

	doc     *scenario.Document
	figures []metric.Figure
	options bool     // axes vary options of policies
	groups  []string // classes whose figures are wanted; the first is "", all jobs
	costs   []float64
	names   []string // of all classes
	finds   []find   // of each point
	watch   int      // number of a cell whose precision counts
	helpers int      // workers of a search

	mu        sync.Mutex
	workloads map[selection]*workload.Trace
	admits    map[int]func() ([]float64, error) // by cell, of those that find one
	points    map[int]func() (*point, error)    // some of them, ready to run
}

// selection is what the jobs of a trace depend on.
type selection struct {
	file, cleaning string
	jobs           scenario.Subset
	nodes          int
}

// Scenario returns the sweep's scenario, with what is set everywhere.
func (p *Plan) Scenario() *scenario.Document { return p.doc }

// NewPlan checks every point of a sweep and plans it. What is wrong with a
// point is a *scenario.Error.
func NewPlan(s *Spec) (*Plan, error) {
	doc, err := s.document()
	if err != nil {
		return nil, err
	}
	p := &Plan{Spec: s, doc: doc, workloads: map[selection]*workload.Trace{}, admits: map[int]func() ([]float64, error){}, points: map[int]func() (*point, error){}}
	if err := p.findFigures(); err != nil {
		return nil, err
	}
	points := 1
	for _, a := range s.Vary {
		points *= max(1, len(a.Values))
		_, _, option := a.Option()
		p.options = p.options || option
		if points > maxCells {
			return nil, p.tooMany()
		}
	}
	p.costs = make([]float64, points)
	p.findAll()
	if perPoint := p.perPoint() + len(p.finds); s.Replications > maxCells || perPoint > maxCells || perPoint*points > maxCells {
		return nil, p.tooMany()
	}
	for i := range p.costs {
		if err := p.checkPoint(i); err != nil {
			return nil, p.blame(i, err)
		}
	}
	return p, nil
}

func (p *Plan) tooMany() error {
	return &scenario.Error{Message: fmt.Sprintf("expected a sweep of at most %d cells", maxCells)}
}

// findFigures looks up the figures by their names.
func (p *Plan) findFigures() error {
	all := figuresOf(p.doc)
	for _, name := range p.Spec.Metrics {
		i := slices.IndexFunc(all, func(f metric.Figure) bool { return f.Name == name })
		if i < 0 {
			return fmt.Errorf("sweep: unknown figure %q", name)
		}
		p.figures = append(p.figures, all[i])
	}
	if p.Spec.Precision != nil {
		p.watch = max(0, slices.Index(p.Spec.Metrics, p.Spec.Precision.Metric))
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
		p.names = b.classes()
		p.groups = append([]string{""}, p.names...)
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

// Cells returns the number of cells: the replications, as many as there may be,
// and the admissions that have to be found.
func (p *Plan) Cells() int { return len(p.costs) * (p.perPoint() + len(p.finds)) }

// replications returns the number of cells that are replications.
func (p *Plan) replications() int { return len(p.costs) * p.perPoint() }

// Name implements Work: the JSON of the Spec.
func (p *Plan) Name() string { return p.Spec.work() }

// Values implements Work: every figure of all jobs, then of each class where
// classes are wanted.
func (p *Plan) Values() int { return len(p.groups) * len(p.figures) }

// Cost implements Work. A search is hundreds of runs.
func (p *Plan) Cost(cell int) float64 {
	cost := p.costs[p.pointOf(cell)]
	if p.isFind(cell) {
		if _, f := p.found(cell); p.searches(f.admission) {
			cost *= 1000
		}
	}
	return cost
}

// Run implements Work.
func (p *Plan) Run(ctx context.Context, cell int) ([]float64, error) {
	if p.isFind(cell) {
		return p.runFind(ctx, cell)
	}
	c := p.cell(cell)
	at, err := p.ready(c.point)
	if err != nil {
		return nil, err
	}
	return at.run(ctx, c)
}

// cell is a replication by its coordinates.
type cell struct{ point, admission, policy, replication int }

func (p *Plan) cell(i int) cell {
	row, replication := i/p.Spec.Replications, i%p.Spec.Replications
	policies, admissions := len(p.Spec.Policies), len(p.Spec.Admissions)
	return cell{row / policies / admissions, row / policies % admissions, row % policies, replication}
}

// first returns the first cell of a case.
func (p *Plan) first(at Case) int {
	policies, admissions := len(p.Spec.Policies), len(p.Spec.Admissions)
	if at.Point < 0 || at.Point >= p.Points() || at.Admission < 0 || at.Admission >= admissions || at.Policy < 0 || at.Policy >= policies {
		panic(fmt.Sprintf("sweep: no case %+v", at))
	}
	return ((at.Point*admissions+at.Admission)*policies + at.Policy) * p.Spec.Replications
}

// Points returns how many points the axes have together, one where nothing
// varies.
func (p *Plan) Points() int { return len(p.costs) }

// Point returns the point at the given values of the axes, and whether there is
// one.
func (p *Plan) Point(values ...float64) (int, bool) {
	point := 0
	if len(values) != len(p.Spec.Vary) {
		return 0, false
	}
	for i, a := range p.Spec.Vary {
		k := slices.Index(a.Values, values[i])
		if k < 0 {
			return 0, false
		}
		point = point*len(a.Values) + k
	}
	return point, true
}

// Classes returns the names of the classes whose figures are measured; none
// where the sweep measures all jobs together only.
func (p *Plan) Classes() []string { return p.groups[1:] }
