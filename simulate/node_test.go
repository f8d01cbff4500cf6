package simulate_test

import (
	"math"
	"testing"

	"revopt/simulate"
)

// equal is processor sharing: each of the k tasks on a node gets 1/k of it.
type equal struct{}

func (equal) SetRates(n *simulate.Node, now float64) {
	for i := range n.Tasks {
		n.Tasks[i].Rate = 1 / float64(len(n.Tasks))
	}
}

// everywhere is a policy that starts every job at once on the first Width
// nodes.
type everywhere struct{ nodes []int }

func (p *everywhere) Arrive(c *simulate.Cluster, j *simulate.Job) {
	for i := len(p.nodes); i < j.Width; i++ {
		p.nodes = append(p.nodes, i)
	}
	c.StartOn(j, p.nodes[:j.Width])
}

func (*everywhere) Schedule(*simulate.Cluster) {}

// late is a sharing that runs at half speed until a given time.
type late struct{ until float64 }

func (l late) SetRates(n *simulate.Node, now float64) {
	rate := 1.0
	if now < l.until {
		rate = 0.5
		n.ReviewAt(l.until)
	}
	for i := range n.Tasks {
		n.Tasks[i].Rate = rate / float64(len(n.Tasks))
	}
}

// last is a sharing that serves only the task that came last: preemption.
type last struct{}

func (last) SetRates(n *simulate.Node, now float64) {
	for i := range n.Tasks {
		n.Tasks[i].Rate = 0
	}
	if k := len(n.Tasks); k > 0 {
		n.Tasks[k-1].Rate = 1
	}
}

// TestSharing: ends of jobs on shared nodes, worked by hand.
func TestSharing(t *testing.T) {
	for _, test := range []struct {
		name    string
		nodes   int
		sharing simulate.Sharing
		jobs    []simulate.Job
		ends    []float64
	}{
		// Alone until 1, two at a time until 3 (1 s more of work each), three until 4.5
		// (0.5 s each, job 2 is done). Then jobs 0 and 1 have 1.5 s left each.
		{"alike", 1, equal{}, []simulate.Job{job(0, 4, 1), job(1, 3, 1), job(3, 0.5, 1)}, []float64{7.5, 7.5, 4.5}},
		// Job 0 ends with its task on node 0, where from 1 on both have 1 s left.
		{"two nodes", 2, equal{}, []simulate.Job{job(0, 2, 2), job(1, 1, 1)}, []float64{3, 3}},
		// 2 s of 4 are done by time 4, the rest at full speed.
		{"review", 1, late{4}, []simulate.Job{job(0, 4, 1)}, []float64{6}},
		{"review after the end", 1, late{100}, []simulate.Job{job(0, 4, 1)}, []float64{8}},
		{"the last one first", 1, last{}, []simulate.Job{job(0, 4, 1), job(1, 2, 1), job(2, 0, 1)}, []float64{6, 3, 2}},
	} {
		got := make(fates)
		run(t, simulate.Config{
			Source:    &list{jobs: test.jobs},
			Sites:     []simulate.Site{{Processors: test.nodes, Policy: new(everywhere), Sharing: test.sharing}},
			Observers: []simulate.Observer{got},
		})
		for id, want := range test.ends {
			if math.Abs(got[int64(id)].finish-want) > 1e-12 {
				t.Errorf("%s: job %d ends at %g, want %g", test.name, id, got[int64(id)].finish, want)
			}
		}
	}
}

// TestDelivered compares the account of work of a time-shared cluster, by
// class, with the work of its jobs.
func TestDelivered(t *testing.T) {
	a, b := job(0, 4, 2), job(1, 3, 1)
	b.Class = 2
	got := make(deliveries)
	run(t, simulate.Config{
		Source:    &list{jobs: []simulate.Job{a, b}},
		Sites:     []simulate.Site{{Processors: 2, Policy: new(everywhere), Sharing: equal{}}},
		Window:    simulate.Window{Horizon: 3},
		Observers: []simulate.Observer{got},
	})
	// At 3 job 0 has had 1 + 1 on node 0 and 3 on node 1, job 1 has had 1.
	if want := [3]float64{5, 0, 1}; got[simulate.Closed] != want {
		t.Errorf("delivered by 3 s: %v, want %v", got[simulate.Closed], want)
	}
	if want := [3]float64{8, 0, 3}; got[simulate.Ended] != want {
		t.Errorf("delivered in all: %v, want %v", got[simulate.Ended], want)
	}
}

type deliveries map[simulate.Kind][3]float64

func (d deliveries) Observe(e simulate.Event) {
	if e.Kind == simulate.Closed || e.Kind == simulate.Ended {
		d[e.Kind] = [3]float64{e.Site.Delivered(0), e.Site.Delivered(1), e.Site.Delivered(2)}
	}
}
