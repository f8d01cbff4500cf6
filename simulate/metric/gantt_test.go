package metric

import (
	"context"
	"reflect"
	"testing"

	"revopt/simulate"
)

// atOnce starts every job on arrival.
type atOnce struct{}

func (atOnce) Arrive(c *simulate.Cluster, j *simulate.Job) { c.Start(j) }
func (atOnce) Schedule(*simulate.Cluster)                  {}

// halves runs every job on node 0, which its tasks share.
type halves struct{}

func (halves) Arrive(c *simulate.Cluster, j *simulate.Job) { c.StartOn(j, []int{0}) }
func (halves) Schedule(*simulate.Cluster)                  {}
func (halves) SetRates(n *simulate.Node, _ float64) {
	for i := range n.Tasks {
		n.Tasks[i].Rate = 1 / float64(len(n.Tasks))
	}
}

func TestGantt(t *testing.T) {
	for _, tt := range []struct {
		name   string
		site   simulate.Site
		jobs   []simulate.Job
		pieces []Piece
		fates  []Fate
	}{
		{
			"counted", simulate.Site{Processors: 4, Policy: atOnce{}},
			[]simulate.Job{{Work: 10, Width: 2}, {Submit: 1, Work: 1, Width: 1, Value: simulate.ByDeadline(0, 0.5, 0, false)}, {Submit: 3, Work: 4, Width: 2}},
			[]Piece{
				{Count: 2, Job: 0, To: 10, High: 1}, {Node: 2, Count: 1, Job: 1, From: 1, To: 2, High: 1}, {Node: 2, Count: 2, Job: 2, From: 3, To: 7, High: 1},
			},
			[]Fate{Whole, Overdue, Whole},
		},
		{
			"shared", simulate.Site{Processors: 1, Policy: halves{}},
			[]simulate.Job{{Work: 3, Width: 1}, {Submit: 1, Work: 1, Width: 1}},
			[]Piece{
				{Count: 1, Job: 0, To: 1, High: 1}, {Count: 1, Job: 0, From: 1, To: 3, High: 0.5},
				{Count: 1, Job: 1, From: 1, To: 3, Low: 0.5, High: 1}, {Count: 1, Job: 0, From: 3, To: 4, High: 1},
			},
			[]Fate{Whole, Whole},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			g := NewGantt()
			if _, err := simulate.Run(context.Background(), simulate.Config{Source: simulate.Slice(tt.jobs), Sites: []simulate.Site{tt.site}, Observers: []simulate.Observer{g}}); err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(g.Pieces, tt.pieces) {
				t.Errorf("got  %+v\nwant %+v", g.Pieces, tt.pieces)
			}
			for id, want := range tt.fates {
				if got := g.Fate(int64(id)); got != want {
					t.Errorf("job %d: fate %d, want %d", id, got, want)
				}
			}
		})
	}
}
