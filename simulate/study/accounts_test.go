package study

import (
	"context"
	"encoding/csv"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"revopt/model/scenario"
	"revopt/simulate"
	"revopt/simulate/metric"
)

// fates counts the jobs of each customer by what became of them, by events alone.
type fates struct {
	started     map[int64]bool
	jobs        []map[string]float64
	first, last float64 // submissions
}

func (f *fates) Observe(e simulate.Event) {
	j, fate := e.Job, ""
	if j == nil || !j.Measured {
		return
	}
	switch left := j.Expire > 0 && e.Time >= j.Expire; e.Kind { // left by its customer
	case simulate.Submitted:
		fate, f.last = "jobs_submitted", j.Submit
		f.first = min(f.first, j.Submit)
	case simulate.Started:
		f.started[j.ID] = true
	case simulate.Completed:
		if fate = "jobs_completed"; j.Killed {
			fate = "jobs_killed"
		}
	case simulate.Rejected:
		if fate = "jobs_rejected"; e.Reason == simulate.Lapsed && !f.started[j.ID] {
			fate = "jobs_given_up"
		}
	case simulate.Expired:
		if fate = "jobs_expired"; f.started[j.ID] && !left {
			fate = "jobs_killed"
		}
	}
	if fate != "" {
		f.jobs[j.Class][fate]++
	}
}

// TestConservation: on random classes and traces, under every policy that applies,
// with and without an admission by lot, the jobs of each customer are rejected, given
// up, expired, killed or completed, and add up to those submitted. The records say the
// same, and their money over the span of arrivals is the money per second.
func TestConservation(t *testing.T) { conserves(t, 1, 50) }

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
		for _, spec := range Standard() {
			for _, admit := range [][]float64{nil, lots} {
				if e := (&Experiment{Workload: w, Policy: someOptions(rnd, spec), Admission: Admission{Admit: admit}, Seed: seed}); spec.Check(w.Has()) == nil {
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
	all := names(e.Workload.Customers())
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
		for measure, column := range map[string]string{"revenue_per_second": "charged", "value_per_second": "utility"} {
			x, _ := strconv.ParseFloat(cell(column), 64)
			money[measure] += x
		}
		ran := fate == "jobs_completed" || fate == "jobs_killed"
		if (cell("left") == "") != (fate == "jobs_completed") || ran && cell("first_start") == "" {
			t.Errorf("%s: left and first start of %v", e.Policy.Label(), line)
		}
	}
	get := func(name string, customer int) float64 {
		m, _ := metric.Lookup(name)
		return NewOutcome(e, []Sample{s}).Plain(m, customer)[0]
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
		if want := x / span; !near(get(name, -1), want, 1e-9) {
			t.Errorf("%s: %s is %g, by records %g over %g s", e.Policy.Label(), name, get(name, -1), want, span)
		}
	}
}

// TestOneRate: simulations, validations and what-ifs say the same $/h for a policy on
// the same jobs, also where prices keep jobs away; bounds are over the same span.
func TestOneRate(t *testing.T) {
	demand := strings.ReplaceAll(customers(t), "per_unit_hour: 1}", "per_unit_hour: 1}, demand: {curve: linear, elasticity: 1}")
	higher := scenario.Set("classes.science.price.per_unit_hour", 1.5)
	policies := named(t, "easy", "value-bf")
	for name, s := range map[string]*Subject{"trace": opened(t, customers(t)), "demand": opened(t, demand, higher)} {
		simulated := run(t, &Simulation{Subject: s, Policies: policies, Seed: 3})
		validated, err := (&Validation{Subject: s, Policies: policies, Seed: 3}).Run(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		asked := what(t, &WhatIf{Subject: s, Seed: 3, Policy: &policies[0], Changes: []Change{{Name: "p", Policy: &policies[1], Choice: "policy"}}})
		for i, want := range []Number{asked.Before.Simulation.Before.Mean, asked.Changes[0].Simulation.After.Mean} {
			row := validated.Policies[slices.IndexFunc(validated.Policies, func(r Row) bool { return r.Label == simulated.Policies[i].Label })]
			for from, got := range map[string]Number{
				"simulate": 3600 * simulated.Policies[i].Total.Get("value_per_second").Mean, "validate": row.Validated.Money.Mean,
			} {
				if !near(float64(got), float64(want), 1e-9) {
					t.Errorf("%s, %s: %s says %g $/h, whatif %g", name, policies[i].Label(), from, got, want)
				}
			}
		}
		for _, b := range validated.Validated.Bounds {
			if span := simulated.Policies[0].Span; b.Kind == Proven && !near(float64(b.RevenuePerSecond)*span, float64(b.Total), 1e-9) || span != 1170 {
				t.Errorf("%s: bound %s is %g $/s of %g $, span %g", name, b.Name, b.RevenuePerSecond, b.Total, span)
			}
		}
	}
}
