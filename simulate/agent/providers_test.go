package agent_test

import (
	"fmt"
	"reflect"
	"testing"

	"revopt/simulate"
	"revopt/simulate/agent"
	"revopt/simulate/metric"
	"revopt/simulate/policy"
)

// TestProviders: two providers of one processor each where nobody waits, by hand.
// Job 0 runs at the first from 0 to 10, job 1 at the second from 1 to 4, job 2
// finds both busy, job 3 the second free, and job 4 the first. Job 5, of two
// processors, is too wide for both.
func TestProviders(t *testing.T) {
	loss := agent.AdmitFunc(func(j *simulate.Job, sites []*simulate.Cluster) bool {
		if len(sites) != 1 {
			t.Fatalf("a rule sees %d sites", len(sites))
		}
		return sites[0].Free() >= j.Width || j.Width > 1
	})
	fcfs := func() simulate.Site { return simulate.Site{Processors: 1, Policy: policy.NewFCFS(false)} }
	book, chain := logbook{}, metric.Chain{metric.NewTally(1), metric.NewTally(1)}
	chain[1].Site = 1
	providers := &agent.Providers{Rules: []simulate.Admission{loss, loss}, Lots: make([][]float64, 2)}
	_, err := simulate.Run(t.Context(), simulate.Config{
		Source: simulate.Slice([]simulate.Job{
			{Work: 10, Width: 1}, {Submit: 1, Work: 3, Width: 1}, {Submit: 2, Work: 5, Width: 1},
			{Submit: 5, Work: 2, Width: 1}, {Submit: 10, Work: 1, Width: 1}, {Submit: 12, Work: 1, Width: 2},
		}),
		Sites:  []simulate.Site{fcfs(), fcfs()},
		Router: providers, Admission: providers, Observers: []simulate.Observer{book, chain},
	})
	if err != nil {
		t.Fatal(err)
	}
	for at, want := range map[float64][]string{
		0:  {"submitted 0", "admitted 0", "started 0"},
		1:  {"submitted 1", "forwarded 1", "admitted 1", "started 1"},
		2:  {"submitted 2", "forwarded 2", "rejected 2"},
		5:  {"submitted 3", "forwarded 3", "admitted 3", "started 3"},
		10: {"completed 0", "submitted 4", "admitted 4", "started 4"},
		12: {"submitted 5", "forwarded 5", "rejected 5"},
	} {
		if got := book[at]; !reflect.DeepEqual(got, want) {
			t.Errorf("at %g: %v, want %v", at, got, want)
		}
	}
	for i, want := range []metric.Sum{{Submitted: 6, Admitted: 2, Rejected: 4, Completed: 2, Delivered: 11}, {Submitted: 4, Admitted: 2, Rejected: 2, Completed: 2, Delivered: 5}} {
		got := chain[i].Total()
		if got.Submitted != want.Submitted || got.Admitted != want.Admitted || got.Rejected != want.Rejected || got.Completed != want.Completed || got.Delivered != want.Delivered {
			t.Errorf("provider %d: %+v", i, got)
		}
	}
}

// logbook is an observer that notes transitions as "kind id" by time.
type logbook map[float64][]string

func (l logbook) Observe(e simulate.Event) {
	if e.Job != nil {
		l[e.Time] = append(l[e.Time], fmt.Sprintf("%v %d", e.Kind, e.Job.ID))
	}
}
