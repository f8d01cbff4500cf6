package run

import (
	"bytes"
	"context"
	"encoding/json"
	"reflect"
	"sync"
	"testing"
)

// separate is a machine of three pools that share nothing.
const separate = `
name: separate
pools: [{name: a, units: 4}, {name: b, units: 2}, {name: c, units: 3}]
load: 1.2
simulation: {jobs: 300}
classes:
  - {name: urgent, share: 0.3, length: {mean: 100, sd: 30}, width: 2, price: 10, decay: 0.004, pool: a}
  - {name: batch, share: 0.3, length: {mean: 60, dist: exponential}, price: 4, decay: 0.001, pool: b}
  - {name: wide, share: 0.4, length: {mean: 80, dist: exponential}, width: 3, price: 4, decay: 0.001, pool: c}
`

// TestBoundsAlongside: bounds of pools are the same at any number of workers.
func TestBoundsAlongside(t *testing.T) {
	for _, on := range []string{Value().Name, Wait().Name, Slowdown().Name} {
		var want []Record
		for _, workers := range []int{1, 2, 7} {
			l := openLab(t, separate, Options{Seed: 3, Workers: workers})
			rows := []Case{bounded(l, drained(l, "hol", nil, 100), Bound{On: on})}
			_, err := l.Frame(t.Context(), rows, 2)
			if err != nil {
				t.Fatal(err)
			}
			var got []Record
			for replication := range 2 {
				r, err := l.record(t.Context(), rows[0].Row(), rows[0].At(replication))
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, r)
			}
			if len(got[0].Groups) != 4 {
				t.Errorf("%s: groups %v, want all and three pools", on, got[0].Groups)
			}
			if workers == 1 {
				want = got
			}
			for i := range got {
				a, errA := json.Marshal(got[i])
				b, errB := json.Marshal(want[i])
				if errA != nil || errB != nil || !bytes.Equal(a, b) {
					t.Errorf("%s, replication %d: %d workers and 1 differ", on, i, workers)
				}
			}
			if n := len(l.spare.idle); n != workers {
				t.Errorf("%d of %d workers are idle afterwards", n, workers)
			}
		}
	}
}

// TestSpare: parts wait for each other where a worker is idle, or becomes it.
func TestSpare(t *testing.T) {
	for _, later := range []bool{false, true} {
		s := newSpare(2)
		busy := s.call(3)
		if busy != 2 {
			t.Fatalf("%d of 2 workers called", busy)
		}
		if !later {
			s.free(1)
		}
		var once sync.Once
		met := make(chan struct{})
		got, err := alongside(t.Context(), s, 3, func(_ context.Context, i int) (int, error) {
			if i == 2 {
				return i, nil
			}
			if later {
				once.Do(func() { s.free(1) })
			}
			select {
			case met <- struct{}{}:
			case <-met:
			}
			return i, nil
		})
		if err != nil || !reflect.DeepEqual(got, []int{0, 1, 2}) || len(s.idle) != 1 {
			t.Errorf("%v, %v, %d idle", got, err, len(s.idle))
		}
	}
}
