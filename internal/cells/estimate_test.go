package cells

import (
	"context"
	"math"
	"sync"
	"testing"
	"time"
)

// timed is work with a clock of its own: cells of the kind 0 cost 1 to 9 and take twice that, cells of the kind 1 cost
// 1 and take 100 s.
type timed struct {
	mu    sync.Mutex
	clock time.Time
	order []int
}

func (w *timed) Name() string          { return "timed" }
func (w *timed) Cells() int            { return 12 }
func (w *timed) Values() int           { return 1 }
func (w *timed) Cost(cell int) float64 { _, cost := w.Kind(cell); return cost }

func (w *timed) Kind(cell int) (kind int, cost float64) {
	if cell < 9 {
		return 0, float64(cell + 1)
	}
	return 1, 1
}

func (w *timed) Run(_ context.Context, cell int) ([]float64, error) {
	seconds := 2 * w.Cost(cell)
	if cell >= 9 {
		seconds = 100
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.clock = w.clock.Add(time.Duration(seconds * 1e9))
	w.order = append(w.order, cell)
	return []float64{1}, nil
}

func (w *timed) now() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.clock
}

// TestEstimate: after a cell of each kind, what is left is known to the second. The first of them is of median cost.
func TestEstimate(t *testing.T) {
	for _, ahead := range []map[int]float64{nil, {0: 48, 1: 2}, {AnyKind: 48}} {
		w := &timed{}
		e := newEstimator(w, w.now, ahead)
		cells := []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}
		e.begin(cells...)
		order := e.early(longestFirst(w, cells))
		if order[0] != 4 || order[1] != 9 || len(order) != 12 {
			t.Errorf("the first cells are %v", order)
		}
		done := 0.0
		for i, cell := range order[:2] {
			e.run(cell, func() error { _, err := w.Run(t.Context(), cell); return err })
			if _, measured := e.left(); measured != (i == 1) {
				t.Errorf("after %d cells: measured is %v", i+1, measured)
			}
			done = w.now().Sub(time.Time{}).Seconds()
		}
		total := 2*(45+ahead[0]) + (3+ahead[1])*100 + ahead[AnyKind]*(10+100)/(5+1)
		if left, _ := e.left(); math.Abs(done+left-total) > 1e-6 {
			t.Errorf("%g s in all, want %g", done+left, total)
		}
	}
}

// TestLeftTold: an engine tells what is left of work that says what its cells cost, and runs all cells.
func TestLeftTold(t *testing.T) {
	w, told := &timed{}, 0
	e := Engine{Workers: 2, now: w.now, Left: func(float64, bool) { told++ }}
	numbers, err := e.Run(t.Context(), w)
	if err != nil || len(numbers) != 12 || len(w.order) != 12 {
		t.Errorf("%v, %v, %d told", numbers, err, told)
	}
}
