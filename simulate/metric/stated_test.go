package metric_test

import (
	"context"
	"fmt"
	"math"
	"os"
	"testing"

	"revopt/simulate"
	"revopt/simulate/metric"
)

// till is a policy for one processor that starts every job at once if it can,
// else rejects it, and charges each a price when it ends in time.
type till struct{ price float64 }

func (p till) Arrive(c *simulate.Cluster, j *simulate.Job) {
	switch {
	case j.Width > c.Processors():
		c.Reject(j, simulate.Resources)
	case c.Free() == 0:
		c.Reject(j, simulate.Deadline)
	default:
		c.Start(j)
	}
}
func (till) Schedule(*simulate.Cluster) {}
func (p till) Finish(c *simulate.Cluster, j *simulate.Job) {
	if j.Lateness(c.Now()) == 0 {
		c.Charge(j, p.price)
	}
}

func serve(t testing.TB, observers ...simulate.Observer) {
	jobs := trace{
		{Submit: 0, Work: 10, Width: 1, Value: simulate.ByDeadline(50, 20, 1, false)},            // 0 to 10, pays 7
		{Submit: 5, Work: 1, Width: 1, Value: simulate.ByDeadline(40, 20, 1, false)},             // rejected: deadline
		{Submit: 20, Work: 10, Width: 1, Value: simulate.ByDeadline(30, 8, 2, false)},            // 2 s late: worth 26
		{Submit: 40, Work: 10, Width: 1, Class: 1, Value: simulate.ByDeadline(20, 8, 2, true)},   // late and hard
		{Submit: 60, Work: 10, Width: 1, Class: 1, Value: simulate.ByDeadline(5, 10, 2, true)},   // in time, costs more than its budget
		{Submit: 80, Work: 10, Width: 2, Class: 1, Value: simulate.ByDeadline(5, 10, 2, true)},   // rejected: resources
		{Submit: 81, Work: 1, Width: 1, Void: true, Value: simulate.ByDeadline(2, 9, 0, true)},   // never ran
		{Submit: 90, Work: 4, Width: 1, Killed: true, Value: simulate.ByDeadline(3, 9, 0, true)}, // no result
		{Submit: 99, Work: 1, Width: 1, Value: simulate.Value{}},                                 // no deadline
	}
	for i := range jobs {
		jobs[i].Spec.Details = simulate.Details{Estimate: 9, User: 3}
	}
	_, err := simulate.Run(context.Background(), simulate.Config{
		Source: &jobs, Sites: []simulate.Site{{Processors: 1, Policy: till{7}}}, Observers: observers,
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestStated(t *testing.T) {
	tally := metric.NewTally(2)
	tally.UntilEnd = true
	tally.Within = []float64{0, math.NaN()}
	serve(t, tally)
	total := tally.Total()
	if got, want := total, (metric.Sum{
		Submitted: 9, Admitted: 6, Rejected: 3, Started: 6, Completed: 5, Killed: 1, Ended: 6,
		Dated: 8, Finished: 4, Kept: 2, Late: 2, Overcharged: 2, Promised: 6, PromisedAdmitted: 4, Punctual: 4,
		Response: 45, Slowdown: 6, BoundedSlowdown: 6, Lateness: 4, Offered: 155, Revenue: 28, Profit: 21, Value: 50 + 26 + 0 + 5,
		Delivered: 45, Seconds: 100, Span: 99, Capacity: 100, Makespan: 100,
		Reasons: [simulate.Reasons]int64{simulate.Resources: 1, simulate.Deadline: 1, simulate.NeverRan: 1},
	}); got != want {
		t.Errorf("got  %+v,\nwant %+v", got, want)
	}
	want := map[string]float64{
		"kept": 2.0 / 8, "profitability": 21.0 / 155, "value_total": 81, "price_total": 155, "value": 3600 * 81.0 / 99,
		"mean_lateness": 1, "jobs_late": 2, "jobs_overcharged": 2, "promise_kept": 4.0 / 6, "promise_kept_of_admitted": 1, "preemptions": 0, "lost_share": 0,
		"jobs_submitted": 9, "jobs_rejected": 3, "jobs_completed": 5, "jobs_killed": 1, "jobs_given_up": 0, "jobs_expired": 0, "expired_share": 0,
		"makespan": 100, "mean_wait": 0, "wait_median": 0, "wait_90": 0, "wait_99": 0,
		"mean_response_time": 7.5, "mean_slowdown": 1, "slowdown": 1, "mean_total_wait": 0, "not_run": 3.0 / 9,
		"rejected_admission": 0, "rejected_resources": 1, "rejected_deadline": 1, "rejected_never_ran": 1, "rejected_no_pool": 0,
		"rejected_budget": 0, "rejected_return": 0,
		"admitted": 6.0 / 9, "utilization": 0.45, "revenue": 3600 * 28.0 / 99, "revenue_per_job": 28.0 / 6,
		"revenue_per_submitted": 28.0 / 9, "revenue_per_completed": 28.0 / 6,
	}
	for _, m := range metric.Measures() {
		want, known := want[m.Name]
		if got := m.Of(total); !known || !(math.Abs(got-want) <= 1e-12 || math.IsNaN(want) && math.IsNaN(got)) {
			t.Errorf("%s: got %g, want %g (known: %t)", m.Name, got, want, known)
		}
	}
	if len(want) != len(metric.Measures()) {
		t.Errorf("%d measures, want %d", len(metric.Measures()), len(want))
	}
	kept, _ := metric.Lookup("kept")
	if got := kept.Of(tally.Class(1)); got != 1.0/3 {
		t.Errorf("high urgency: satisfaction %g, want 1/3", got)
	}
	var none metric.Sum
	for _, name := range []string{"kept", "profitability"} {
		m, _ := metric.Lookup(name)
		if got := m.Of(none); !math.IsNaN(got) {
			t.Errorf("%s of no job is %g", m.Name, got)
		}
	}
}

func ExampleRecords() {
	records := metric.NewRecords(os.Stdout)
	serve(nil, records.Observer("till", 0, []string{"low", "high"}))
	fmt.Println(records.Flush())
	// Output:
	// policy,replication,job,class,user,submit,processors,runtime,estimate,deadline,budget,penalty,hard,outcome,reason,start,finish,wait,response,slowdown,delay,in_time,charged,utility,left,first_start
	// till,0,1,low,3,5,1,1,9,20,40,1,0,rejected,deadline,,,,,,,,0,,5,
	// till,0,0,low,3,0,1,10,9,20,50,1,0,completed,,0,10,0,10,1,0,1,7,50,,0
	// till,0,2,low,3,20,1,10,9,8,30,2,0,completed,,20,30,0,10,1,2,0,0,26,,20
	// till,0,3,high,3,40,1,10,9,8,20,2,1,completed,,40,50,0,10,1,2,0,0,0,,40
	// till,0,4,high,3,60,1,10,9,10,5,2,1,completed,,60,70,0,10,1,0,1,7,5,,60
	// till,0,5,high,3,80,2,10,9,10,5,2,1,rejected,resources,,,,,,,,0,,80,
	// till,0,6,low,3,81,1,1,9,9,2,0,1,rejected,never ran,,,,,,,,0,,81,
	// till,0,7,low,3,90,1,4,9,9,3,0,1,killed,,90,94,0,4,1,0,0,7,0,94,90
	// till,0,8,low,3,99,1,1,9,,,,,completed,,99,100,0,1,1,,,7,0,,99
	// <nil>
}
