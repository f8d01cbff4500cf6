package cells

import (
	"slices"
	"sync"
	"time"
)

// Timed is work that says how long its cells take, compared with others of their kind.
type Timed interface {
	Work
	// Kind returns what a cell is like, and an estimate of its time in any unit: cells of one kind take times in
	// proportion to their estimates.
	Kind(cell int) (kind int, cost float64)
}

// AnyKind stands for work ahead that is like the mean of all cells.
const AnyKind = -1

// estimator tells how long cells that are left take, by those that are finished.
type estimator struct {
	work Timed
	now  func() time.Time

	mu    sync.Mutex
	kinds map[int]*timing
	ahead map[int]float64 // costs of other work that follows, by the kind that it is like
}

// timing is what is known of the cells of a kind.
type timing struct {
	left, done float64 // costs
	seconds    float64 // that those took that are done
}

// newEstimator returns nil if the work does not say how long its cells take.
func newEstimator(w Work, now func() time.Time, ahead map[int]float64) *estimator {
	timed, ok := w.(Timed)
	if !ok {
		return nil
	}
	if now == nil {
		now = time.Now
	}
	return &estimator{work: timed, now: now, kinds: map[int]*timing{}, ahead: ahead}
}

// begin says which cells are left.
func (e *estimator) begin(cells ...int) {
	if e == nil {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, t := range e.kinds {
		t.left = 0
	}
	for _, cell := range cells {
		kind, cost := e.work.Kind(cell)
		if e.kinds[kind] == nil {
			e.kinds[kind] = &timing{}
		}
		e.kinds[kind].left += cost
	}
}

// early puts a cell of each kind that is not measured first: of their cells one of median cost, and of these the first.
func (e *estimator) early(cells []int) []int {
	if e == nil {
		return cells
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	costs := map[int][]float64{}
	for _, cell := range cells {
		kind, cost := e.work.Kind(cell)
		if e.kinds[kind].done == 0 {
			costs[kind] = append(costs[kind], cost)
		}
	}
	for _, list := range costs {
		slices.Sort(list)
	}
	var first, others []int
	for _, cell := range cells {
		kind, cost := e.work.Kind(cell)
		if list := costs[kind]; list != nil && cost == list[len(list)/2] {
			first = append(first, cell)
			delete(costs, kind)
		} else {
			others = append(others, cell)
		}
	}
	return append(first, others...)
}

// run runs a cell and measures it.
func (e *estimator) run(cell int, run func() error) error {
	if e == nil {
		return run()
	}
	start := e.now()
	err := run()
	seconds := e.now().Sub(start).Seconds()
	e.mu.Lock()
	defer e.mu.Unlock()
	kind, cost := e.work.Kind(cell)
	t := e.kinds[kind]
	if t == nil { // it was not said to be left
		return err
	}
	t.left -= cost
	if err == nil {
		t.done += cost
		t.seconds += seconds
	}
	return err
}

// left returns the time of the cells that are left, s of one worker, and whether cells of all their kinds were
// measured. Kinds that were not take the time of an average cell for their cost.
func (e *estimator) left() (seconds float64, measured bool) {
	if e == nil {
		return 0, false
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	done, spent, unknown := 0.0, 0.0, e.ahead[AnyKind]
	measured = true
	for kind, t := range e.kinds {
		done, spent = done+t.done, spent+t.seconds
		switch left := t.left + e.ahead[kind]; {
		case left <= 0:
		case t.done > 0:
			seconds += left * t.seconds / t.done
		default:
			unknown += left
			measured = false
		}
	}
	if done == 0 {
		return 0, false
	}
	return seconds + unknown*spent/done, measured
}
