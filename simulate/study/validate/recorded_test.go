package validate

import (
	"math"
	"slices"
	"testing"

	"revopt/internal/fixture"
	"revopt/model/scenario"
	"revopt/simulate/policy/catalog"
	"revopt/simulate/study"
	"revopt/simulate/study/simulation"
	"revopt/simulate/subject"
	"revopt/simulate/warn"
)

// TestRecorded prices a log by hand. Job 2 ends 900 s late, which costs a twentieth of
// its price; job 3 was canceled while it waited; job 4 failed, and is wider than the
// machine, of which it makes 16 nodes busy; job 5 ran for less than a second, which counts
// as one, after its customer's patience was over: it is 2400 s late.
func TestRecorded(t *testing.T) {
	lines := []string{
		fixture.LoggedJob(1000, 0, 3600, 4, 4, 1, 1), fixture.LoggedJob(1100, 1800, 1800, 6, 6, 1, 1), fixture.LoggedJob(1200, 600, -1, -1, 2, 5, 1),
		fixture.LoggedJob(1300, 100, 360, 12, 12, 0, 2), fixture.LoggedJob(5000, 3000, 0, -1, 1, 1, 2),
	}
	r := run(t, &simulation.Simulation{Subject: fixture.Logged(t, "", lines), Seed: 1})
	if len(r.Policies) != 2 || r.Policies[1].Label != subject.Recorded || r.Policies[1].Policy.Name != subject.Recorded {
		t.Fatalf("rows %v", r.Policies)
	}
	total, industry := r.Policies[1].Total, r.Policies[1].Customers[0]
	value := 8 + 5.7 + 1.2 + 1./3600/3
	for name, want := range map[string]float64{
		"jobs_submitted": 5, "jobs_completed": 4, "jobs_expired": 1, "jobs_rejected": 0, "jobs_given_up": 0, "utility": value,
		"value_per_second": value / 4000, "revenue_per_second": value / 4000, "mean_wait": (1800 + 100 + 3000) / 4.,
	} {
		if got := float64(total.Get(name).Mean); !fixture.Near(got, want, 1e-12) {
			t.Errorf("%s: %g, want %g", name, got, want)
		}
	}
	if got := float64(industry.Get("promise_kept").Mean); !fixture.Near(got, 1./3, 1e-12) {
		t.Errorf("promise kept: %g", got)
	}
	if k := slices.IndexFunc(r.Warnings, func(w warn.Warning) bool { return w.Kind == warn.Overcommitted }); k < 0 || !slices.Equal(r.Warnings[k].Numbers, []float64{16, 8}) {
		t.Errorf("warnings %v", r.Warnings)
	}
	v, err := (&Validation{Subject: fixture.Logged(t, "", lines), Seed: 1, Vary: scenario.Axis{Path: "trace.arrival_delay_factor", Values: []float64{0.5, 1}}}).Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	last := len(v.Policies) - 1
	share := value / float64(v.Validated.Bounds[slices.IndexFunc(v.Validated.Bounds, func(b study.BoundResult) bool { return b.Best })].Total)
	if row := v.Policies[last]; row.Label != subject.Recorded || !fixture.Near(float64(row.Validated.Efficiency.Mean), share, 1e-12) || v.Validated.Closest.Label == subject.Recorded {
		t.Errorf("%s earns %v of the bound, want %g; closest %v", row.Label, row.Validated.Efficiency, share, v.Validated.Closest)
	}
	half, own := v.Validated.Points[0].Policies[last], v.Validated.Points[1].Policies[last]
	if half.Label != subject.Recorded || !math.IsNaN(float64(half.Efficiency.Mean)) || own.Label != subject.Recorded || !fixture.Near(float64(own.Efficiency.Mean), share, 1e-12) {
		t.Errorf("along the axis: %+v, %+v", half, own)
	}
	alone := &Validation{Subject: fixture.Logged(t, "", lines), Policies: []subject.Policy{subject.PolicyOf(catalog.RecordedSpec())}, Seed: 1,
		Vary: scenario.Axis{Path: "trace.arrival_delay_factor", Values: []float64{0.5, 1}}}
	if v, err = alone.Run(t.Context()); err != nil || len(v.Validated.Points) != 1 || v.Validated.Points[0].Value != 1 {
		t.Errorf("alone: %v", err)
	}
}

// TestRecordedLeftOut: jobs that come faster than in the log have no recorded schedule, and the result says why.
func TestRecordedLeftOut(t *testing.T) {
	lines := []string{fixture.LoggedJob(0, 0, 600, 4, 4, 1, 1), fixture.LoggedJob(900, 0, 600, 4, 4, 1, 1)}
	for more, left := range map[string]bool{"": false, ", arrival_delay_factor: 0.5": true} {
		v := &Validation{Subject: fixture.Logged(t, more, lines)}
		v.rows()
		told := slices.ContainsFunc(v.leftOut, func(o subject.LeftOut) bool {
			return o.Policy == subject.Recorded && o.Reason != ""
		})
		if told != left {
			t.Errorf("%q: %s is left out: %v, want %v", more, subject.Recorded, told, left)
		}
	}
}
