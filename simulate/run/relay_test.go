package run_test

import (
	"math"
	"testing"

	"revopt/internal/fixture"
	"revopt/simulate"
	"revopt/simulate/run"
)

const relayed = `
name: site
server: {nodes: 16}
load: 1.1
simulation: {jobs: 400, warmup: 0%}
classes:
  - {name: chem, share: 0.4, length: {dist: exponential, mean: 4000}, width: {values: [1, 4], weights: [0.5, 0.5]},
     price: {per_unit_hour: 2}, decay: {per_hour: 10%}, max_penalty: 0, expire: never}
  - {name: phys, share: 0.6, length: {dist: exponential, mean: 9000}, width: {values: [1, 8], weights: [0.5, 0.5]},
     price: {per_unit_hour: 1}, grace: 2h, decay: {per_hour: 50%}, max_penalty: 0, expire: never}
`

// startsOf notes the starts of a run.
type startsOf []float64

func (s *startsOf) Observe(e simulate.Event) {
	if e.Kind != simulate.Started {
		return
	}
	for int(e.Job.ID) >= len(*s) {
		*s = append(*s, math.Inf(1))
	}
	(*s)[e.Job.ID] = e.Time
}

// TestRelay: a policy without a memory that takes turns with itself starts all jobs as it does alone, up to the last one
// that is submitted there. Two policies differ from one after the first switch.
func TestRelay(t *testing.T) {
	s := fixture.Opened(t, relayed)
	turns := func(both bool) (list []run.Turn) {
		for n := 1; n <= 40; n++ {
			list = append(list, run.Turn{Until: 20000 * float64(n), On: both && n%2 == 0})
		}
		return list
	}
	named := func(name string) *run.Experiment {
		return &run.Experiment{Workload: s.Workload, Policy: fixture.Named(t, name)[0], Seed: 3}
	}
	waited := 0
	for _, name := range []string{"easy", "hol", "fcfs", "sjf-bf", "saf-bf"} {
		var alone startsOf
		if _, err := named(name).Run(t.Context(), 0, &alone); err != nil {
			t.Fatal(err)
		}
		jobs, err := (&run.Relay{Off: named(name), On: named(name), Turns: turns(true)}).Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for i, j := range jobs[:len(alone)] {
			if min(j.Start, alone[i]) > jobs[len(alone)-1].Submit {
				continue
			}
			n++
			if j.Start > j.Submit+20000 {
				waited++
			}
			if math.Abs(j.Start-alone[i]) > 1e-5 {
				t.Fatalf("%s: job %d starts at %g, alone at %g", name, i, j.Start, alone[i])
			}
		}
		if n < 200 {
			t.Errorf("%s: %d starts", name, n)
		}
	}
	if waited < 50 {
		t.Errorf("%d jobs wait for more than a turn", waited)
	}
	differs := 0
	off, err := (&run.Relay{Off: named("easy"), On: named("hol"), Turns: turns(false)}).Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	both, err := (&run.Relay{Off: named("easy"), On: named("hol"), Turns: turns(true)}).Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for i := range both {
		if both[i].Start != off[i].Start {
			differs++
			if both[i].Submit < 20000 && both[i].Start < 20000 {
				t.Errorf("job %d differs before the first switch", i)
			}
		}
	}
	if differs < 50 {
		t.Errorf("%d starts differ", differs)
	}
}
