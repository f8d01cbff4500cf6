package simulate

import (
	"strings"
	"testing"
)

// TestAuditFinds feeds an audit with runs that are wrong.
func TestAuditFinds(t *testing.T) {
	pool := &Cluster{processors: 4, kernel: new(kernel)}
	paid := &Cluster{processors: 4, kernel: new(kernel), byValue: true}
	priced := func(revenue float64) *Job {
		return &Job{Work: 2, work: 2, Width: 3, Start: 1, Finish: 3, Revenue: revenue, Expire: 2, Value: Value{Price: 5, Due: 3, Floor: 2}}
	}
	grid := &Cluster{processors: 1, kernel: new(kernel), sharing: nothing{}}
	node := &Node{Machine: Machine{Speed: 1}, site: grid}
	grid.nodes = []*Node{node}
	at := func(time float64, kind Kind, c *Cluster, j *Job) Event {
		return Event{Kind: kind, Time: time, Site: c, Job: j}
	}
	wide := func(id int64) *Job {
		return &Job{ID: id, seat: seat{slot: int32(id)}, Work: 2, work: 2, Width: 3, Start: 1, Finish: 3}
	}
	timely := wide(0)
	idle := &Cluster{processors: 4, free: 4, kernel: new(kernel)}
	stopped := func(left, lost float64) *Job {
		j := wide(0)
		j.Preemptions, j.left, j.Lost = 1, left, lost
		return j
	}
	down := &Cluster{processors: 4, free: 2, kernel: new(kernel), downtime: downtime{known: []Outage{{From: 1, To: 5, Units: 2}}}}
	early := wide(0)
	early.Start, early.Finish = 0, 2
	measured := wide(0)
	measured.Measured = true
	future := &Job{Submit: 5}
	single := &Job{Work: 2, work: 2, Width: 1, Start: 1, Finish: 3, Nodes: []int32{0}}
	rates := func(rates ...float64) *Node {
		n := &Node{Machine: Machine{Speed: 1}, site: grid}
		for _, r := range rates {
			n.Tasks = append(n.Tasks, Task{Job: single, Rate: r})
		}
		return n
	}

	for _, test := range []struct {
		name   string
		events []Event
		want   string // in the error; empty where there is none
	}{
		{"a good run", []Event{
			at(1, Submitted, pool, timely), at(1, Admitted, pool, timely), at(1, Started, pool, timely), at(3, Completed, pool, timely),
		}, ""},
		{"clock", []Event{at(2, Submitted, pool, wide(0)), at(1, Submitted, pool, wide(1))}, "backwards"},
		{"submitted twice", []Event{at(1, Submitted, pool, timely), at(1, Submitted, pool, timely)}, "job 0 has not ended"},
		{"before submission", []Event{at(1, Submitted, pool, future)}, "submission is at 5"},
		{"unknown job", []Event{at(1, Started, pool, timely)}, "not submitted"},
		{"ended twice", []Event{
			at(1, Submitted, pool, timely), at(1, Rejected, pool, timely), at(1, Rejected, pool, timely),
		}, "ended before"},
		{"expired while running", []Event{
			at(1, Submitted, pool, timely), at(1, Admitted, pool, timely), at(1, Started, pool, timely), at(2, Expired, pool, timely),
		}, "last transition is started"},
		{"never started", []Event{
			at(1, Submitted, pool, timely), at(1, Admitted, pool, timely), at(3, Completed, pool, timely),
		}, "last transition is admitted"},
		{"negative wait", []Event{
			{Kind: Submitted, Time: 1, Site: pool, Job: &Job{ID: 7, Width: 1}},
			{Kind: Admitted, Time: 1, Site: pool, Job: &Job{ID: 7, Width: 1}},
			{Kind: Started, Time: 1, Site: pool, Job: &Job{ID: 7, Width: 1, Submit: 2, Start: 1}},
		}, "submitted at 2"},
		{"oversubscribed", []Event{
			at(1, Submitted, pool, wide(0)), at(1, Admitted, pool, wide(0)), at(1, Started, pool, wide(0)),
			at(1, Submitted, pool, wide(1)), at(1, Admitted, pool, wide(1)), at(1, Started, pool, wide(1)),
		}, "6 of 4 processors"},
		{"started on units that are down", []Event{
			at(1, Submitted, down, timely), at(1, Admitted, down, timely), at(1, Started, down, timely),
		}, "3 of 2 processors busy"},
		{"stays on units that go down", []Event{
			at(0, Submitted, down, early), at(0, Admitted, down, early), at(0, Started, down, early),
			at(2, Completed, down, early),
		}, "3 of 2 processors busy at 1"},
		{"too little work", []Event{
			at(1, Submitted, pool, timely), at(1, Admitted, pool, timely), at(1, Started, pool, timely), at(2, Completed, pool, timely),
		}, "was given 3 of 6"},
		{"resumed while running", []Event{
			at(1, Submitted, pool, timely), at(1, Admitted, pool, timely), at(1, Started, pool, timely), at(2, Resumed, pool, timely),
		}, "last transition is started"},
		{"preempted in part", []Event{
			at(1, Submitted, pool, timely), at(1, Admitted, pool, timely), at(1, Started, pool, timely), at(2, Preempted, pool, stopped(1, 0)),
		}, "0 of 4 processors free, and 0 busy"},
		{"preemption for nothing", []Event{
			at(1, Submitted, idle, timely), at(1, Admitted, idle, timely), at(1, Started, idle, timely), at(2, Preempted, idle, stopped(1, 3)),
		}, "1 s left, 4 counted"},
		{"a good run in two stints", []Event{
			at(1, Submitted, idle, timely), at(1, Admitted, idle, timely), at(1, Started, idle, timely), at(2, Preempted, idle, stopped(1, 0)),
			at(2, Resumed, idle, timely), at(3, Completed, idle, timely),
		}, ""},
		{"measured job lost", []Event{at(1, Submitted, pool, measured), at(2, Ended, pool, nil)}, "job 0 has not ended"},
		{"work unaccounted for", []Event{
			at(1, Submitted, pool, timely), at(1, Admitted, pool, timely), at(1, Started, pool, timely), at(3, Completed, pool, timely),
			at(3, Ended, pool, nil),
		}, "delivered 0"},
		{"node oversubscribed", []Event{{Kind: Rated, Time: 1, Site: grid, Node: rates(0.6, 0.6)}}, "rate 1.2"},
		{"negative rate", []Event{{Kind: Rated, Time: 1, Site: grid, Node: rates(-0.5)}}, "rate -0.5"},
		{"too little shared work", []Event{
			at(1, Submitted, grid, single), at(1, Admitted, grid, single), at(1, Started, grid, single),
			{Kind: Rated, Time: 1, Site: grid, Node: node}, at(3, Completed, grid, single),
		}, "was given 0 of 2"},
		{"pays its value", []Event{
			at(1, Submitted, paid, priced(5)), at(1, Admitted, paid, priced(5)), at(1, Started, paid, priced(5)), at(3, Completed, paid, priced(5)),
		}, ""},
		{"pays another value", []Event{
			at(1, Submitted, paid, priced(4)), at(1, Admitted, paid, priced(4)), at(1, Started, paid, priced(4)), at(3, Completed, paid, priced(4)),
		}, "pays 4, is worth 5"},
		{"gives up for its floor", []Event{at(1, Submitted, paid, priced(-2)), at(1, Admitted, paid, priced(-2)), at(2, Expired, paid, priced(-2))}, ""},
		{"gives up for nothing", []Event{at(1, Submitted, paid, priced(0)), at(1, Admitted, paid, priced(0)), at(2, Expired, paid, priced(0))}, "pays 0, its floor is 2"},
	} {
		t.Run(test.name, func(t *testing.T) {
			a := new(Audit)
			for _, e := range test.events {
				a.Observe(e)
			}
			if err := a.Err(); test.want == "" && err != nil {
				t.Errorf("unexpected: %v", err)
			} else if test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
				t.Errorf("got %v, want an error with %q", err, test.want)
			}
		})
	}
}

type nothing struct{}

func (nothing) SetRates(*Node, float64) {}
