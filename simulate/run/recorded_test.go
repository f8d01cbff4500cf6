package run

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"revopt/internal/fixture"
	"revopt/simulate"
	"revopt/simulate/subject"
)

// TestRecordedTimes compares the starts and ends of random logs with their lines, under
// all rules of cleaning, and audits the runs.
func TestRecordedTimes(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 7))
	for _, rule := range []string{"keep", "reject", "drop"} {
		lines := []string{fixture.LoggedJob(0, 0, 60, 1, 1, 1, 1)} // so that times begin with it
		want := map[int64][2]float64{0: {0, 60}}                   // start and end; the end of a job that never ran is NaN
		submit, id := 0.0, int64(1)
		for range 300 {
			wait, length, status := float64(random.IntN(500)), float64(random.IntN(300)), 1
			never := random.IntN(5) == 0
			if never {
				length, status = -1, 5
			}
			lines = append(lines, fixture.LoggedJob(submit, wait, length, map[bool]int{true: -1, false: 2}[never], 1+random.IntN(10), status, 1+random.IntN(3)))
			times := [2]float64{submit + wait, submit + wait + max(1, length)}
			if never || length == 0 && rule == "reject" {
				times[1] = math.NaN()
			}
			if length > 0 || rule != "drop" {
				want[id] = times
				id++
			}
			submit += float64(random.IntN(60))
		}
		e := under(t, fixture.Logged(t, ", cleaning: "+rule, lines).Workload, subject.Recorded, nil, nil, 1)
		var audit simulate.Audit
		got := map[int64][2]float64{}
		if _, err := e.Run(t.Context(), 0, &audit, observer(func(e simulate.Event) {
			switch e.Kind {
			case simulate.Completed:
				got[e.Job.ID] = [2]float64{e.Job.Start, e.Time}
			case simulate.Expired:
				got[e.Job.ID] = [2]float64{e.Time, math.NaN()}
			}
		})); err != nil || audit.Err() != nil {
			t.Fatal(err, audit.Err())
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s: got %v, want %v", rule, got, want)
		}
	}
}
