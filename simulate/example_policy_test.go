package simulate_test

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"revopt/simulate"
	"revopt/simulate/policy"
)

// easy is EASY backfilling. It keeps no lists of its own.
type easy struct{}

func (easy) Arrive(c *simulate.Cluster, j *simulate.Job) {
	if j.Width > c.Processors() {
		c.Reject(j, simulate.Resources)
	}
}

func (easy) Leave(*simulate.Cluster, *simulate.Job) {}

func (easy) Schedule(c *simulate.Cluster) {
	end := func(j *simulate.Job) float64 { return max(c.Now(), j.Since()+j.Spec.Details.Estimate) }
	byEnd := func(a, b *simulate.Job) int { return cmp.Compare(end(a), end(b)) }
	head, shadow, extra := false, 0.0, 0
	for j := range c.Queue() {
		ends := c.Now()+j.Spec.Details.Estimate <= shadow
		switch {
		case !head && j.Width <= c.Free(), j.Width <= c.Free() && (ends || j.Width <= extra):
			if c.Start(j); head && !ends {
				extra -= j.Width
			}
		case !head: // it has a reservation at the shadow time, which leaves some processors over
			head, extra = true, c.Free()-j.Width
			for _, r := range slices.SortedFunc(c.Served(), byEnd) {
				if extra >= 0 && end(r) > shadow {
					break
				}
				shadow, extra = end(r), extra+r.Width
			}
		}
	}
}

// printer is an observer that prints starts and ends.
type printer struct{}

func (printer) Observe(e simulate.Event) {
	switch e.Kind {
	case simulate.Started, simulate.Completed, simulate.Expired:
		fmt.Printf("%4.1f  job %d %v, $%g\n", e.Time, e.Job.ID, e.Kind, e.Job.Revenue)
	}
}

// A whole policy without lists of its own: the cluster shows its queue and the jobs that run.
func ExampleCluster_Queue() {
	job := func(submit, work float64, width int) simulate.Job {
		j := simulate.Job{Submit: submit, Work: work, Width: width}
		j.Spec.Details.Estimate = work
		return j
	}
	_, err := simulate.Run(context.Background(), simulate.Config{
		Source:    simulate.Slice([]simulate.Job{job(0, 10, 3), job(1, 5, 4), job(2, 6, 1), job(3, 9, 1)}),
		Sites:     []simulate.Site{{Processors: 4, Policy: easy{}}},
		Observers: []simulate.Observer{printer{}},
	})
	if err != nil {
		fmt.Println(err)
	}
	// Output:
	//  0.0  job 0 started, $0
	//  2.0  job 2 started, $0
	//  8.0  job 2 completed, $0
	// 10.0  job 0 completed, $0
	// 10.0  job 1 started, $0
	// 15.0  job 1 completed, $0
	// 15.0  job 3 started, $0
	// 24.0  job 3 completed, $0
}

// starts is an observer of the starts of jobs.
type starts map[int64]float64

func (s starts) Observe(e simulate.Event) {
	if e.Kind == simulate.Started {
		s[e.Job.ID] = e.Time
	}
}

// TestWholePolicy: the example starts every job when policy.Backfill does.
func TestWholePolicy(t *testing.T) {
	for seed := range uint64(50) {
		rnd := rand.New(rand.NewPCG(seed, 34))
		jobs, at := make([]simulate.Job, 200), 0
		for i := range jobs {
			at += rnd.IntN(7)
			jobs[i] = job(float64(at), float64(1+rnd.IntN(30)), 1+rnd.IntN(9))
			jobs[i].Spec.Details.Estimate = max(1, jobs[i].Work+float64(rnd.IntN(30)-10))
		}
		var got [2]starts
		for i, p := range []simulate.Policy{easy{}, &policy.Backfill{}} {
			got[i] = starts{}
			if _, err := simulate.Run(context.Background(), simulate.Config{
				Source: simulate.Slice(jobs), Sites: []simulate.Site{{Processors: 8, Policy: p}},
				Observers: []simulate.Observer{got[i]},
			}); err != nil {
				t.Fatal(err)
			}
		}
		for i := range jobs {
			if a, b := got[0][int64(i)], got[1][int64(i)]; a != b {
				t.Fatalf("seed %d: job %d starts at %g, want %g", seed, i, a, b)
			}
		}
	}
}
