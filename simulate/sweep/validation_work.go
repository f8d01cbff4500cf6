package sweep

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"revopt/model/scenario"
	"revopt/simulate/bound"
	"revopt/simulate/metric"
)

// Validating is a validation ready to run. Its cells are, at each point, each
// contender and then the bounds, in each replication.
type Validating struct {
	Validation
	arenas   []arena // by point
	from     from
	work     string
	perPoint int // cells
	classes  []string
}

// The numbers of a cell of bounds.
const (
	cellFluid = iota
	cellClairvoyant
	cellGap
	cellSeconds
	cellJobs
	boundNumbers
)

// Open decodes the scenario at every point, reads traces, and reports what
// would stop a cell before it starts. What is wrong with the scenario is a
// *scenario.Error, with a trace a *workload.Error.
func (v *Validation) Open() (*Validating, error) {
	if len(v.Contenders) == 0 {
		return nil, errors.New("sweep: nothing to compare")
	}
	w := &Validating{Validation: *v, from: jobsFor(v.Contenders, v.Either)}
	open := opener{seed: v.Seed, jobs: v.Jobs}
	for i := range v.Points() {
		a, err := w.open(&open, i)
		if err != nil {
			return nil, err
		}
		w.arenas = append(w.arenas, a)
	}
	if w.Replications < 1 {
		w.Replications = open.replications
	}
	w.perPoint = (len(w.Contenders) + 1) * w.Replications
	if w.Replications > maxCells || w.perPoint > maxCells || w.perPoint*len(w.arenas) > maxCells {
		return nil, fmt.Errorf("sweep: expected a validation of at most %d cells", maxCells)
	}
	w.classes = w.arenas[0].classes()
	w.work = v.name(w.Replications, open.sums)
	return w, nil
}

// open makes a point ready.
func (w *Validating) open(o *opener, point int) (arena, error) {
	doc, err := w.At(point)
	if err != nil {
		return nil, err
	}
	a, err := o.open(doc)
	if err != nil {
		return nil, err
	}
	for _, c := range w.Contenders {
		if n := len(c.Admit); n > 1 && n != len(w.Points()) {
			return nil, fmt.Errorf("sweep: %s has %d admissions for %d points", c.Label(), n, len(w.Points()))
		}
		if err := a.check(c, c.admit(point)); err != nil {
			return nil, err
		}
	}
	return a, nil
}

// Name implements Work.
func (w *Validating) Name() string { return w.work }

// Cells implements Work.
func (w *Validating) Cells() int { return len(w.arenas) * w.perPoint }

// Values implements Work.
func (w *Validating) Values() int {
	return max(boundNumbers, (1+len(w.classes))*len(sumNumbers(metric.Sum{})))
}

// place returns the coordinates of a cell; row is that of the bounds where it
// is past the contenders.
func (w *Validating) place(cell int) (point, row, replication int) {
	return cell / w.perPoint, cell % w.perPoint / w.Replications, cell % w.Replications
}

// Cost implements Work: a cell's own and that of all later replications, so that
// these run one after the other, each the longest cells first, and an
// interrupted validation has whole ones.
func (w *Validating) Cost(cell int) float64 {
	point, row, replication := w.place(cell)
	var own, all float64
	for i, a := range w.arenas {
		for r := range len(w.Contenders) + 1 {
			cost := a.jobs() * boundCost
			if r < len(w.Contenders) {
				cost = a.jobs() * policyCost(w.Contenders[r].Policy)
			}
			if all += cost; i == point && r == row {
				own = cost
			}
		}
	}
	return own + all*float64(w.Replications-1-replication)
}

// Run implements Work.
func (w *Validating) Run(ctx context.Context, cell int) ([]float64, error) {
	point, row, replication := w.place(cell)
	a := w.arenas[point]
	numbers := make([]float64, 0, w.Values())
	if row == len(w.Contenders) {
		var err error
		if numbers, err = w.bounds(ctx, a, replication, numbers); err != nil {
			return nil, err
		}
	} else {
		c := w.Contenders[row]
		s, err := a.run(ctx, c, c.admit(point), replication)
		if err != nil {
			return nil, err
		}
		numbers = append(numbers, sumNumbers(s.Total)...)
		for _, class := range s.Classes {
			numbers = append(numbers, sumNumbers(class)...)
		}
	}
	return slices.Grow(numbers, w.Values())[:w.Values()], nil
}

// boundSlack is the share by which bounds are widened. Who collects all there is
// adds the same amounts in another order, and may end a rounding error above
// what is bound otherwise.
const boundSlack = 1e-12

// bounds appends the numbers of the bounds on a replication's jobs. They take
// seconds.
func (w *Validating) bounds(ctx context.Context, a arena, replication int, numbers []float64) ([]float64, error) {
	jobs, err := a.offered(ctx, replication, w.from.job)
	if err != nil {
		return nil, err
	}
	m := a.machine()
	fluid, err := bound.Fluid(jobs, m)
	if err != nil {
		return nil, err
	}
	best, err := bound.Clairvoyant(ctx, jobs, m, bound.Options{Gap: w.Gap})
	if err != nil {
		return nil, err
	}
	var last float64
	if len(jobs) > 0 {
		last = jobs[len(jobs)-1].Release
	}
	all := [boundNumbers]float64{
		cellFluid: fluid * (1 + boundSlack), cellClairvoyant: best.Bound * (1 + boundSlack), cellGap: best.Gap + boundSlack, cellSeconds: a.seconds(last), cellJobs: float64(len(jobs)),
	}
	return append(numbers, all[:]...), nil
}

// Validate runs the validation and collects what came of it. After an error, or
// when it is interrupted, it returns the replications before the first that is
// not finished everywhere, with the error; nil where there are none.
func (w *Validating) Validate(ctx context.Context, e Engine) (*Validated, error) {
	numbers, err := e.Run(ctx, w)
	if numbers == nil {
		return nil, err
	}
	v, unsound := w.Collect(numbers)
	if err == nil {
		err = unsound
	}
	return v, err
}

// Document returns the scenario at a point, which Open has found sound.
func (w *Validating) Document(point int) *scenario.Document {
	doc, err := w.At(point)
	if err != nil {
		panic("sweep: " + err.Error())
	}
	return doc
}
