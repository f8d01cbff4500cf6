package simulate

import (
	"context"
	"testing"
)

// TestExpiriesInTurns: jobs that wait for their expiry are examined in turns, each of which puts
// about the half of them on the agenda, so that n jobs need about log2(n) turns.
func TestExpiriesInTurns(t *testing.T) {
	const n, turns = 1024, 10
	jobs := make([]Job, n)
	for i := range jobs {
		jobs[i] = Job{Work: 1, Width: 1, Expire: float64(1 + i)}
	}
	p := &deaf{horizons: map[float64]bool{}}
	_, err := Run(context.Background(), Config{
		Source: Slice(jobs), Sites: []Site{{Processors: 1, Policy: p}}, Window: Window{Jobs: n, Drain: true},
	})
	if err != nil || p.left != n {
		t.Fatalf("%d of %d jobs give up: %v", p.left, n, err)
	}
	if got := len(p.horizons); got < turns-1 || got > turns+2 {
		t.Errorf("%d turns for %d jobs, want about %d", got, n, turns)
	}
}

// deaf is a policy that starts no job, and notes up to when expiries are on the agenda.
type deaf struct {
	left     int
	horizons map[float64]bool
}

func (p *deaf) Arrive(*Cluster, *Job) {}

func (p *deaf) Schedule(*Cluster) {}

func (p *deaf) Leave(c *Cluster, j *Job) {
	p.left++
	p.horizons[c.kernel.horizon] = true
}
