package simulate_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"revopt/simulate"
	"revopt/simulate/policy"
)

// naive is a second simulator of the line policies, written for plainness: at
// every time at which anything can happen it looks at every job.
func naive(jobs []simulate.Job, processors int, ranked, backfill bool) []fate {
	type state struct {
		waiting, running bool
		fate
	}
	states := make([]state, len(jobs))
	next := 0.0
	for !math.IsInf(next, 1) {
		now := next
		free := processors
		var order []int
		for i, j := range jobs {
			s := &states[i]
			s.running = s.running && s.finish > now
			if j.Submit == now && j.Width <= processors {
				s.waiting = true
			}
			if j.Submit == now && j.Width > processors {
				s.fate = fate{math.NaN(), now, 0}
			}
			if s.waiting && j.Expire <= now {
				s.waiting = false
				s.fate = fate{math.NaN(), now, -j.Value.Floor}
			}
			if s.waiting {
				order = append(order, i)
			}
			if s.running {
				free -= j.Width
			}
		}
		if ranked {
			slices.SortStableFunc(order, func(a, b int) int { return jobs[b].Rank - jobs[a].Rank })
		}
		for _, i := range order {
			if jobs[i].Width <= free {
				free -= jobs[i].Width
				states[i] = state{running: true, fate: fate{now, now + jobs[i].Work, earned(&jobs[i], now)}}
			} else if !backfill {
				break
			}
		}
		next = math.Inf(1)
		for i, j := range jobs {
			s := states[i]
			switch {
			case j.Submit > now:
				next = min(next, j.Submit)
			case s.running && s.finish > now:
				next = min(next, s.finish)
			case s.waiting:
				next = min(next, j.Expire)
			}
		}
	}
	var got []fate
	for _, s := range states {
		got = append(got, s.fate)
	}
	return got
}

// earned is what a job pays that starts at the given time: its price, less what
// every second past the grace costs, but never below minus the floor.
func earned(j *simulate.Job, start float64) float64 {
	wait, grace := start-j.Submit, j.Value.Due-j.Work
	if wait <= grace || j.Value.Decay == 0 {
		return j.Value.Price
	}
	return math.Max(j.Value.Price-j.Value.Decay*(wait-grace), -j.Value.Floor)
}

// randomJobs returns a short trace of whole numbers, so that much happens at
// once.
func randomJobs(rnd *rand.Rand) []simulate.Job {
	jobs := make([]simulate.Job, 1+rnd.IntN(20))
	at := 0
	for i := range jobs {
		at += rnd.IntN(4)
		jobs[i] = simulate.Job{
			Submit: float64(at), Work: float64(1 + rnd.IntN(8)), Width: 1 + rnd.IntN(5), Rank: rnd.IntN(3), Expire: math.Inf(1),
		}
		jobs[i].Value = worth(float64(rnd.IntN(50)), float64(rnd.IntN(4)), float64(rnd.IntN(5)), float64(rnd.IntN(10)), jobs[i].Work)
		if rnd.IntN(2) == 0 {
			jobs[i].Expire = jobs[i].Submit + float64(1+rnd.IntN(12))
		}
	}
	return jobs
}

func randomTraces(t *testing.T, n int) {
	rnd := rand.New(rand.NewPCG(3, 4))
	for range n {
		jobs, ranked, backfill := randomJobs(rnd), rnd.IntN(2) == 0, rnd.IntN(2) == 0
		p := policy.NewFCFS(backfill)
		if ranked {
			p = policy.NewHOL(backfill)
		}
		got := make(fates)
		run(t, simulate.Config{
			Source:    &list{jobs: jobs},
			Sites:     []simulate.Site{{Processors: 4, Policy: p}},
			Charging:  simulate.ByValue,
			Observers: []simulate.Observer{got},
		})
		for id, want := range naive(jobs, 4, ranked, backfill) {
			g := got[int64(id)]
			same := g.start == want.start || math.IsNaN(g.start) && math.IsNaN(want.start)
			if !same || g.finish != want.finish || g.revenue != want.revenue {
				t.Fatalf("ranked %t, backfill %t: job %d of %+v: got %+v, want %+v", ranked, backfill, id, jobs, g, want)
			}
		}
	}
}

// TestRandomTraces compares the kernel and the line policies with naive.
func TestRandomTraces(t *testing.T) { randomTraces(t, 5000) }
