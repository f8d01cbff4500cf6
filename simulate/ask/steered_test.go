package ask

import (
	"fmt"
	"math"
	"testing"

	"revopt/internal/fixture"
	"revopt/simulate"
	"revopt/simulate/run"
	"revopt/simulate/slurm/steer"
)

const steeredSite = `
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

// A journal of what a simulated policy did is priced as the simulator prices it: the value is that of the simulation,
// and what jobs pay at once is their value after their run time.
func TestPricesOfASimulatedPolicy(t *testing.T) {
	s := fixture.Opened(t, fmt.Sprintf(steeredSite))
	var jobs []simulate.Job
	starts := map[int64]float64{}
	value, atOnce := 0.0, 0.0
	e := &run.Experiment{Workload: s.Workload, Policy: fixture.Named(t, "saf-bf")[0], Seed: 3}
	_, err := e.Run(t.Context(), 0, observing(func(x simulate.Event) {
		switch x.Kind {
		case simulate.Started:
			value += x.Job.Value.At(x.Time - x.Job.Submit + x.Job.Work)
			atOnce += x.Job.Value.At(x.Job.Work)
			starts[x.Job.ID] = x.Time
		case simulate.Submitted:
			jobs = append(jobs, *x.Job)
		}
	}))
	if err != nil {
		t.Fatal(err)
	}
	const now = 1.7e9
	seen := steer.Record{Kind: steer.KindSeen}
	log := map[int64]jobRun{}
	for _, j := range jobs {
		name := s.Workload.Customers()[j.Class].Name
		seen.Seen = append(seen.Seen, steer.Seen{Job: 100 + j.ID, Customer: name, Account: name, Width: j.Width,
			Submit: now + j.Submit, Limit: j.Work})
		log[100+j.ID] = jobRun{now + starts[j.ID], now + starts[j.ID] + j.Work}
	}
	q := &steered{
		Subject: s, Journal: "j", Records: []steer.Record{{Kind: steer.KindStart, Start: &steer.Start{Units: 16}}, seen},
		Log: log, Policy: "saf-bf",
	}
	r, err := q.price(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	hours := (jobs[len(jobs)-1].Submit - jobs[0].Submit) / 3600
	if !fixture.Near(float64(r.PerHour)*hours, value, 1e-6) || !fixture.Near(float64(r.AtOnce)*hours, atOnce, 1e-6) ||
		!fixture.Near(float64(r.Share), value/atOnce, 1e-6) || r.Bound < r.PerHour || r.Bound > r.AtOnce*(1+1e-6) {
		t.Errorf("%+v: the simulation has %g $ of %g $", r, value, atOnce)
	}
	n, sum := 0, 0.0
	for _, w := range r.Waits {
		if w.Kind == run.ByCustomer {
			n += w.Jobs
			sum += float64(w.PerHour)
		}
	}
	if n != len(jobs) || !fixture.Near(sum, float64(r.PerHour), 1e-6) {
		t.Errorf("customers have %d jobs and %g $/h of %+v", n, sum, r)
	}
}

type observing func(simulate.Event)

func (o observing) Observe(e simulate.Event) { o(e) }

// Jobs without a start or an end are counted and not priced; ends are half a pass after the last sight.
func TestJobsOfAJournal(t *testing.T) {
	list, left := ranOf(jobsOf([]steer.Record{
		{Start: &steer.Start{Settings: steer.Settings{Every: 10}}},
		{Seen: []steer.Seen{{Job: 4, Width: 1, Submit: 50}, {Job: 1, Width: 1, Submit: 100}, {Job: 2, Width: 1, Submit: 200},
			{Job: 3, Width: 1, Submit: 200}, {Job: 5, Width: 1, Submit: 200}, {Job: 6, Width: 1, Submit: 200},
			{Job: 7, Width: 1, Submit: 200}, {Job: 8, Submit: 200}, {Job: 9, Width: 1}}},
		{Started: []steer.Moment{{Job: 1, At: 200}, {Job: 2, At: 210}, {Job: 4, At: 60}}},
		{Gone: []steer.Moment{{Job: 1, At: 300}, {Job: 3, At: 310}, {Job: 4, At: 90}, {Job: 7, At: 400}}},
	}, map[int64]jobRun{6: {250, math.Inf(1)}, 7: {260, math.Inf(1)}})) // both ran as the log was written
	if left != (leftJobs{Waiting: 1, Running: 2, Vanished: 1}) || len(list) != 3 || list[0].Job != 4 ||
		list[1].jobRun != (jobRun{200, 305}) || list[2].jobRun != (jobRun{260, 405}) {
		t.Errorf("%+v %+v", list, left)
	}
}
