package policy

import (
	"context"
	"slices"
	"testing"

	"revopt/simulate"
)

// pausing is a policy that serves a job from 0 to 3 and from 5 on, and asks at 9 how long it may still run.
type pausing struct {
	candidate
	left outcomes
}

func (p *pausing) Arrive(_ *simulate.Cluster, j *simulate.Job) { p.job = j }

func (p *pausing) Schedule(c *simulate.Cluster) {
	switch c.Now() {
	case 0:
		c.Start(p.job)
		c.WakeAt(3)
	case 3:
		c.Suspend(p.job, 0)
		p.served = p.job.Served(3)
		c.WakeAt(5)
	case 5:
		c.Start(p.job)
		c.WakeAt(9)
	case 9:
		p.left = p.candidate.left(9)
	}
}

// TestLeftSincePreemption: possible run times count from the last preemption on. A job that was
// resumed 4 s ago has not exceeded those of 5 s and more; if there are none, its estimate counts.
func TestLeftSincePreemption(t *testing.T) {
	for _, test := range []struct{ runs, want []float64 }{
		{[]float64{2, 5, 9, 16}, []float64{1, 5, 12}}, {[]float64{2, 4}, []float64{2}}, {nil, []float64{2}},
	} {
		p := &pausing{candidate: candidate{estimate: 6}}
		for _, run := range test.runs {
			p.outcomes.add(run)
		}
		_, err := simulate.Run(context.Background(), simulate.Config{
			Source: simulate.Slice([]simulate.Job{{Work: 20, Width: 1}}),
			Sites:  []simulate.Site{{Processors: 1, Policy: p}}, Window: simulate.Window{Jobs: 1, Drain: true},
		})
		if err != nil {
			t.Fatal(err)
		}
		if got := p.left.at[:p.left.n]; !slices.Equal(got, test.want) {
			t.Errorf("of %v: %v are left, want %v", test.runs, got, test.want)
		}
	}
}
