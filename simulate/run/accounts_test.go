package run

import (
	"context"
	"encoding/csv"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"revopt/internal/fixture"
	"revopt/simulate"
	"revopt/simulate/metric"
	"revopt/simulate/subject"
)

// TestConservation: on random classes and traces, under every policy that applies,
// with and without an admission by lot, the jobs of each customer are rejected, given
// up, expired, killed or completed, and add up to those submitted. The records say the
// same, and their money over the span of arrivals is the money per second.
func TestConservation(t *testing.T) { conserves(t, 1, 25) }

func conserves(t *testing.T, seed uint64, scenarios int) {
	rnd := rand.New(rand.NewPCG(25, seed))
	seen := map[string]float64{}
	for n := range scenarios {
		w := randomClasses(t, rnd, n%4 < 2)
		if n%2 == 1 {
			w = randomReplay(t, rnd, n%4 < 3, n%8 < 2)
		}
		lots := make([]float64, len(w.Customers()))
		for i := range lots {
			lots[i] = rnd.Float64()
		}
		for _, spec := range subject.Standard() {
			for _, admit := range [][]float64{nil, lots} {
				if e := (&Experiment{Workload: w, Policy: someOptions(rnd, spec), Admission: Gate{Admit: admit}, Seed: seed}); spec.Check(w.Has()) == nil {
					conserved(t, e, seen)
				}
			}
		}
	}
	if t.Logf("%v", seen); len(seen) != 5 {
		t.Errorf("not all fates were seen: %v", seen)
	}
}

// conserved runs an experiment and adds up its jobs and their money.
func conserved(t *testing.T, e *Experiment, seen map[string]float64) {
	t.Helper()
	var audit simulate.Audit
	var text strings.Builder
	all := subject.ClassNames(e.Workload.Customers())
	own, recorded := &fates{started: map[int64]bool{}, first: math.Inf(1)}, make([]map[string]float64, len(all))
	for i := range all {
		own.jobs, recorded[i] = append(own.jobs, map[string]float64{}), map[string]float64{}
	}
	records := metric.NewRecords(&text)
	s, err := e.Run(context.Background(), 0, &audit, own, records.Observer("p", 0, all))
	if err != nil || audit.Err() != nil || records.Flush() != nil {
		t.Fatalf("%s: %v, %v", e.Policy.Label(), err, audit.Err())
	}
	lines, err := csv.NewReader(strings.NewReader(text.String())).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	money := map[string]float64{}
	for _, line := range lines[1:] {
		cell := func(name string) string { return line[slices.Index(lines[0], name)] }
		fate := "jobs_" + cell("outcome")
		if cell("reason") == "lapsed" {
			fate = "jobs_given_up"
		}
		recorded[slices.Index(all, cell("class"))][fate]++
		for measure, column := range map[string]string{ColumnRevenue: "charged", ColumnValue: "utility"} {
			x, _ := strconv.ParseFloat(cell(column), 64)
			money[measure] += x
		}
		ran := fate == "jobs_completed" || fate == "jobs_killed"
		if (cell("left") == "") != (fate == "jobs_completed") || ran && cell("first_start") == "" {
			t.Errorf("%s: left and first start of %v", e.Policy.Label(), line)
		}
	}
	runs := NewRuns(e, []Sample{s})
	get := func(name string, customer int) float64 {
		group := All
		if customer >= 0 {
			group = Customer(all[customer])
		}
		x, _ := runs.Series(group, name).At(0)
		return x
	}
	for i := range all {
		sum := 0.0
		for _, name := range []string{"jobs_rejected", "jobs_given_up", "jobs_expired", "jobs_killed", "jobs_completed"} {
			x := get(name, i)
			if sum += x; x > 0 {
				seen[name] += x
			}
			if x != own.jobs[i][name] || x != recorded[i][name] {
				t.Errorf("%s: %s is %g, by events %g, by records %g", e.Policy.Label(), name, x, own.jobs[i][name], recorded[i][name])
			}
		}
		if submitted := get("jobs_submitted", i); sum != submitted || submitted != own.jobs[i]["jobs_submitted"] {
			t.Errorf("%s: %g of %g jobs have left", e.Policy.Label(), sum, submitted)
		}
	}
	span := own.last - own.first
	if e.Workload.Stream() > 0 { // its window opens at 0
		span = own.last
	}
	for name, x := range money {
		if want := metric.Hour * x / span; !fixture.Near(get(name, -1), want, 1e-9) {
			t.Errorf("%s: %s is %g, by records %g over %g s", e.Policy.Label(), name, get(name, -1), want, span)
		}
	}
}
