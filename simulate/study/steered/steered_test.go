package steered

import (
	"fmt"
	"math"
	"testing"

	"revopt/internal/fixture"
	"revopt/simulate"
	"revopt/simulate/experiment"
	"revopt/simulate/slurm/steer"
)

const site = `
name: site
server: {nodes: 16}
load: 1.1
simulation: {jobs: 400, warmup: 0%%}
classes:
  - {name: chem, share: 0.4, length: {dist: exponential, mean: 4000}, width: {values: [1, 4], weights: [0.5, 0.5]},
     price: {per_unit_hour: 2}, decay: {per_hour: 10%%}, max_penalty: 0, expire: never}
  - {name: phys, share: 0.6, length: {dist: exponential, mean: 9000}, width: {values: [1, 8], weights: [0.5, 0.5]},
     price: {per_unit_hour: 1}, grace: 2h, decay: {per_hour: 50%%}, max_penalty: 0, expire: never}
`

// A journal of what a simulated policy did is priced as the simulator prices it: the row of the policy is what
// happened, the value is that of the simulation, and steering has earned the difference between two simulations.
func TestPricesOfASimulatedPolicy(t *testing.T) {
	s := fixture.Opened(t, fmt.Sprintf(site))
	policies := fixture.Named(t, "easy", "saf-bf", "fcfs")
	var jobs []simulate.Job
	starts := map[int64]float64{}
	values := map[string]float64{}
	for _, p := range policies {
		e := &experiment.Experiment{Workload: s.Workload, Policy: p, Seed: 3}
		sum := 0.0
		_, err := e.Run(t.Context(), 0, observing(func(x simulate.Event) {
			switch {
			case x.Kind == simulate.Started:
				sum += x.Job.Value.At(x.Time - x.Job.Submit + x.Job.Work)
				if p.Spec.Name == "saf-bf" {
					starts[x.Job.ID] = x.Time
				}
			case x.Kind == simulate.Submitted && p.Spec.Name == "easy":
				jobs = append(jobs, *x.Job)
			}
		}))
		if err != nil {
			t.Fatal(err)
		}
		values[p.Spec.Name] = sum
	}
	const now = 1.7e9
	seen := steer.Record{Kind: steer.KindSeen}
	log := map[int64]Run{}
	for _, j := range jobs {
		name := s.Workload.Customers()[j.Class].Name
		seen.Seen = append(seen.Seen, steer.Seen{Job: 100 + j.ID, Customer: name, Account: name, Width: j.Width,
			Submit: now + j.Submit, Limit: j.Work})
		log[100+j.ID] = Run{now + starts[j.ID], now + starts[j.ID] + j.Work}
	}
	q := &Question{
		Subject: s, Journal: "j", Records: []steer.Record{{Kind: steer.KindStart, Start: &steer.Start{Units: 16}}, seen},
		Log: log, Today: policies[0], Static: &policies[2], Policy: policies[1], Level: 0.95,
	}
	r, err := q.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	hours := (jobs[len(jobs)-1].Submit - jobs[0].Submit) / 3600
	want := []float64{values["saf-bf"], values["easy"], values["fcfs"], values["saf-bf"]}
	for i, x := range want {
		if got := float64(r.Rows[i].PerHour) * hours; !fixture.Near(got, x, 1e-6) {
			t.Errorf("row %s %s: %g $, the simulation has %g $", r.Rows[i].Name, r.Rows[i].Label, got, x)
		}
	}
	if best := float64(r.Rows[4].PerHour); r.Rows[4].Name != Bound || best < float64(r.Rows[0].PerHour) {
		t.Errorf("bound %g below %g", best, float64(r.Rows[0].PerHour))
	}
	if gain := (values["saf-bf"] - values["easy"]) / hours; !fixture.Near(float64(r.Earned.PerHour), gain, 1e-6) ||
		!r.Earned.Enough || !(r.Earned.HalfWidth > 0) || math.Abs(float64(r.Model.Share)) > 1e-6 {
		t.Errorf("earned %+v, expected %g $/h; model %+v", r.Earned, gain, r.Model)
	}
	first, last := r.Rows[0].Waits[0].Mean, r.Rows[3].Waits[0].Mean
	if first != last && math.Abs(float64(first/last-1)) > 1e-6 {
		t.Errorf("waits %+v and %+v", r.Rows[0].Waits[0], r.Rows[3].Waits[0])
	}
}

type observing func(simulate.Event)

func (o observing) Observe(e simulate.Event) { o(e) }

// Jobs without a start or an end are counted and not priced; ends are half a pass after the last sight.
func TestJobsOfAJournal(t *testing.T) {
	list, left := ranOf([]steer.Record{
		{Start: &steer.Start{Settings: steer.Settings{Every: 10}}},
		{Seen: []steer.Seen{{Job: 4, Submit: 50}, {Job: 1, Submit: 100}, {Job: 2}, {Job: 3}, {Job: 5}}},
		{Started: []steer.Moment{{Job: 1, At: 200}, {Job: 2, At: 210}, {Job: 4, At: 60}}},
		{Gone: []steer.Moment{{Job: 1, At: 300}, {Job: 3, At: 310}, {Job: 4, At: 90}}},
	}, nil)
	if left != (Left{Waiting: 1, Running: 1, Vanished: 1}) || len(list) != 2 || list[0].Job != 4 ||
		list[1].Run != (Run{200, 305}) {
		t.Errorf("%+v %+v", list, left)
	}
}

// The rules to compare with are those of the advice with which steer began.
func TestRulesOfTheAdvice(t *testing.T) {
	advice := &steer.Advice{
		Static: "hol:backfill=true", Rows: []steer.AdviceRow{{Kind: steer.RuleToday, Label: "slurm"}},
	}
	if today, static := advised(advice); today != "slurm" || static != "hol:backfill=true" {
		t.Errorf("today %q, static %q", today, static)
	}
}
