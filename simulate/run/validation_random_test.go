package run

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"revopt/simulate"
	"revopt/simulate/bound"
	"revopt/simulate/subject"
	"revopt/simulate/workload"
)

// TestNoPolicyExceedsABound is the promise of a validation: on random workloads
// of all kinds every standard policy whose needs are met runs, passes the audit,
// and delivers no more than a proven bound.
func TestNoPolicyExceedsABound(t *testing.T) { exceeds(t, 1, 6) }

// exceeds runs so many rounds of one workload of each kind.
func exceeds(t *testing.T, seed uint64, rounds int) {
	rnd := rand.New(rand.NewPCG(23, seed))
	choices := rand.New(rand.NewPCG(24, seed)) // apart, so that one more policy changes no workload
	kinds := []struct {
		name string
		make func() workload.Workload
	}{
		{"classes", func() workload.Workload { return randomClasses(t, rnd, false) }},
		{"classes, deadlines", func() workload.Workload { return randomClasses(t, rnd, true) }},
		{"trace, qos", func() workload.Workload { return randomReplay(t, rnd, false, false) }},
		{"trace, parts", func() workload.Workload { return randomReplay(t, rnd, false, true) }},
		{"trace, customers", func() workload.Workload { return randomReplay(t, rnd, true, false) }},
		{"trace, customers, parts", func() workload.Workload { return randomReplay(t, rnd, true, true) }},
		{"jobs", func() workload.Workload { return randomJobs(rnd) }},
		{"grid", func() workload.Workload { return randomGrid(t, rnd, 2+rnd.IntN(2)) }},
		{"one site", func() workload.Workload { return randomGrid(t, rnd, 1) }},
		{"batch", func() workload.Workload { return randomBatch(t, rnd) }},
	}
	count, caught, tried := 0, 0, 0
	near, double, seen := map[string]int{}, map[string]int{}, map[string]map[string]int{}
	for range rounds {
		for _, kind := range kinds {
			w := kind.make()
			admit := []float64(nil)
			if rnd.IntN(2) == 0 {
				for range w.Customers() {
					admit = append(admit, rnd.Float64())
				}
			}
			// Policies of whole jobs and those of partial results have bounds of
			// their own; one of both is above either.
			c := Case{Seed: rnd.Uint64()}
			limits := map[bool]bounds{}
			for _, partial := range []bool{false, true} {
				how := &Bound{}
				c.Do.Bound = how
				if partial {
					how.Jobs = PartialJobs
				}
				if rnd.IntN(4) == 0 {
					how.Jobs = WholeOrPartial
				}
				if partial && !w.Has().Optional {
					continue
				}
				p := machinesOf(w)[0]
				b, err := valueBound(t.Context(), c, p, newSpare(1))
				if err != nil {
					t.Fatal(err)
				}
				limits[partial] = b
				if b.gap > 0.01 {
					t.Errorf("%s: bound %g with gap %g", kind.name, b.limit, b.gap)
				}
			}
			best, top := math.Inf(-1), 0.0
			for _, spec := range subject.Standard() {
				e := &Experiment{Workload: w, Policy: someOptions(choices, spec), Admission: Gate{Admit: admit}, Seed: c.Seed}
				if spec.Check(w.Has()) != nil {
					continue
				}
				var audit simulate.Audit
				s, err := e.Run(context.Background(), 0, &audit)
				if err != nil || audit.Err() != nil || audit.Unfinished() != 0 {
					t.Fatalf("%s: %s: %v, %v, %d jobs not finished", kind.name, e.Policy.Label(), err, audit.Err(), audit.Unfinished())
				}
				most := limits[spec.Needs.Optional].limit
				// Price rules of the papers may charge more than a job is worth.
				charged := w.Charging() == simulate.ByValue || kind.name == "jobs"
				if s.Total.Value > most || charged && s.Total.Revenue > most {
					t.Errorf("%s: %s delivers %g and charges %g, bound %g", kind.name, e.Policy.Label(), s.Total.Value, s.Total.Revenue, most)
				}
				if s.Total.Value > best {
					best, top = s.Total.Value, most
				}
				count++
				if seen[kind.name] == nil {
					seen[kind.name] = map[string]int{}
				}
				seen[kind.name][spec.Name]++
			}
			if tried < 100 {
				tried++
				if best > halved(t, c, w) {
					caught++
				}
			}
			if best > 0.99*top && top > 0 {
				near[kind.name]++
			}
			if best > 0.5*top && top > 0 {
				double[kind.name]++
			}
		}
	}
	if count < 800 {
		t.Errorf("%d runs", count)
	}
	if caught < 20 { // else nothing would be noticed
		t.Errorf("on half of the machine the bound is exceeded %d times in %d", caught, tried)
	}
	ran := map[string]bool{}
	for _, kind := range kinds {
		for name := range seen[kind.name] {
			ran[name] = true
		}
		if rounds >= 40 && near[kind.name] < 1 || double[kind.name] < rounds/4 {
			t.Errorf("%s: on %d workloads the best was within 1 %% of the bound on %d and within 2 times on %d", kind.name, rounds, near[kind.name], double[kind.name])
		}
	}
	if len(ran) != len(subject.Standard())-1 { // without recorded
		t.Errorf("policies %v", ran)
	}
	t.Logf("%d runs, above half the machine's bound %d times in %d, within 1 %% %v, within twice %v, by kind %v", count, caught, tried, near, double, seen)
}

// halved returns the bound on half of the machine, which is none.
func halved(t *testing.T, c Case, w workload.Workload) float64 {
	t.Helper()
	jobs, _, err := boundJobs(t.Context(), w, c, c.Do.Bound.Jobs.convert())
	if err != nil {
		t.Fatal(err)
	}
	m := machineOf(w)
	m.Capacity /= 2
	r, err := bound.Clairvoyant(context.Background(), jobs, m, bound.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return r.Bound
}
