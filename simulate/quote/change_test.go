//go:build long

package quote

import (
	"cmp"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"revopt/internal/text"
	"revopt/simulate"
	"revopt/simulate/policy"
	"revopt/simulate/slurm"
	"revopt/simulate/workload"
)

// changingLog describes a log that is generated: jobs of users who work in sessions by day, recorded as a
// scheduler serves them. The load changes in the middle of the jobs.
type changingLog struct {
	seed      uint64
	jobs      int
	nodes     int
	users     int
	scheduler string     // a policy; "qos": one in five is first
	loads     [2]float64 // before and after the change
}

// changingLogs are the two logs on which quotes are scored. They were written down before any quote of them was
// computed. Rules were chosen on other seeds, from 101 on.
func changingLogs() map[string]changingLog {
	return map[string]changingLog{
		"rise": {seed: 1, jobs: 8000, nodes: 128, users: 60, scheduler: "wfp3", loads: [2]float64{0.6, 0.95}},
		"fall": {seed: 2, jobs: 8000, nodes: 256, users: 40, scheduler: "conservative", loads: [2]float64{1, 0.6}},
	}
}

// generate returns the jobs of the log with their starts.
func (l changingLog) generate(t *testing.T) []simulate.Job {
	rng := rand.New(rand.NewPCG(l.seed, 1))
	type person struct{ width, typical, spread, trust, share float64 }
	people := make([]person, l.users)
	total := 0.0
	for i := range people {
		total += 1 / float64(i+1)
		people[i] = person{
			width:   math.Exp2(math.Floor(rng.Float64() * (math.Log2(float64(l.nodes))))), // up to half of the nodes
			typical: 1800 * math.Exp(1.3*rng.NormFloat64()), spread: 0.3 + rng.Float64(),
			trust: 1 + 4*rng.Float64(), share: total,
		}
	}
	limits := []float64{900, 3600, 2 * 3600, 4 * 3600, 8 * 3600, 12 * 3600, 24 * 3600}
	var jobs []simulate.Job
	var work [2]float64 // of each half, node-s
	for at := 0.0; len(jobs) < l.jobs; {
		at += 1800 * rng.ExpFloat64()
		if math.Mod(at/3600, 24) < 8 && rng.Float64() < 0.7 { // few sessions begin by night
			continue
		}
		u, _ := slices.BinarySearchFunc(people, rng.Float64()*total,
			func(p person, x float64) int { return cmp.Compare(p.share, x) })
		p := people[u]
		submit := at
		for range 1 + int(6*rng.ExpFloat64()) {
			run := min(max(p.typical*math.Exp(p.spread*rng.NormFloat64()), 5), limits[len(limits)-1])
			k, _ := slices.BinarySearch(limits, min(run*(1+(p.trust-1)*rng.Float64()), limits[len(limits)-1]))
			width := int(p.width)
			if rng.Float64() < 0.2 {
				width = 1 + rng.IntN(width)
			}
			j := simulate.Job{Submit: math.Floor(submit), Work: math.Ceil(run), Width: width}
			j.Spec.Details = simulate.Details{Estimate: limits[k], User: u + 1, Queue: normal}
			if l.scheduler == "qos" && u%5 == 0 {
				j.Spec.Details.Queue = high
			}
			jobs = append(jobs, j)
			submit += 400 * rng.ExpFloat64()
		}
	}
	slices.SortStableFunc(jobs, func(a, b simulate.Job) int { return cmp.Compare(a.Submit, b.Submit) })
	jobs = jobs[:l.jobs]
	half := l.jobs / 2
	for i, j := range jobs {
		work[i/half] += j.Work * float64(j.Width)
	}
	middle, begin := jobs[half].Submit, jobs[0].Submit
	first := work[0] / float64(l.nodes) / l.loads[0] / (middle - begin) // factors of the gaps between jobs
	second := work[1] / float64(l.nodes) / l.loads[1] / (jobs[l.jobs-1].Submit - middle)
	for i := range jobs {
		x := (min(jobs[i].Submit, middle)-begin)*first + max(jobs[i].Submit-middle, 0)*second
		jobs[i].Submit, jobs[i].ID = math.Floor(x), int64(i)
	}
	h := historian{}
	_, err := simulate.Run(t.Context(), simulate.Config{
		Source: simulate.Slice(jobs), Sites: []simulate.Site{{Processors: l.nodes, Policy: l.policy(t)}},
		Observers: []simulate.Observer{&h},
	})
	if err != nil {
		t.Fatal(err)
	}
	for i := range h {
		h[i].Spec.Recorded.At = math.Floor(h[i].Spec.Recorded.At)
	}
	return h
}

// policy returns the scheduler of the log.
func (l changingLog) policy(t *testing.T) simulate.Policy {
	label := l.scheduler
	if label == "qos" {
		label = premiumFirst
	}
	p := named(t, label)
	policies, _, err := p.Spec.Build(p.Settings, policy.Context{Processors: []int{l.nodes}, Pools: []string{""},
		Customers: []string{""}, Names: qosNames()})
	if err != nil {
		t.Fatal(err)
	}
	return policies[0]
}

// TestQuotesOfChangingLogs scores quotes on logs whose load changes in the middle: ranges hold 78 to 85 % of the
// starts, and at least 70 % in every block of 500.
func TestQuotesOfChangingLogs(t *testing.T) {
	for name, l := range changingLogs() {
		score, err := ScoreQuotes(t.Context(), l.generate(t), l.nodes, named(t, "easy"), nil, 2000, 1)
		if err != nil {
			t.Fatal(err)
		}
		checkInside(t, name, score)
	}
}

// TestQuotesOfSP2 does the same with the SDSC SP2 trace.
func TestQuotesOfSP2(t *testing.T) {
	const file = "../../../shared/traces/SDSC-SP2-1998-4.2-cln.swf.gz"
	if _, err := os.Stat(file); err != nil {
		t.Skip("the trace is not there")
	}
	r, err := workload.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	jobs, err := slurm.LoggedJobs(r)
	if err != nil {
		t.Fatal(err)
	}
	log := slurm.LogReplay{Nodes: 128, Jobs: jobs}
	score, err := ScoreQuotes(t.Context(), log.Recorded(), log.Nodes, named(t, "easy"), nil, 1500, 1)
	if err != nil {
		t.Fatal(err)
	}
	checkInside(t, "SP2", score)
}

// checkInside fails if ranges hold too few or too many starts.
func checkInside(t *testing.T, name string, s *QuoteScore) {
	var blocks []float64
	for list := range slices.Chunk(s.Records, 500) {
		if len(list) == 500 {
			blocks = append(blocks, text.Sum(list, func(r Record) float64 { return r.Inside / 500 }))
		}
	}
	least := slices.Min(blocks)
	t.Logf("%s: %d quotes, %.3f inside, blocks from %.2f; loss %.0f s, reservation %.0f s, naive %.0f s", name, s.N,
		s.Inside, least, s.Pinball, s.ReservationPinball, s.NaivePinball)
	if s.Inside < 0.78 || s.Inside > 0.85 || least < 0.7 || s.Pinball > s.NaivePinball {
		t.Errorf("%s: shares inside by blocks: %.2f", name, blocks)
	}
}

// The QOS of generated logs.
const normal, high = 1, 2

func qosNames() map[string]map[int32]string {
	return map[string]map[int32]string{"queue": {normal: "normal", high: "high"}}
}

// TestQuotesByQOS scores quotes on logs in which the jobs of a QOS are the first: for each QOS the ranges hold 77 to 85 %
// of the starts.
func TestQuotesByQOS(t *testing.T) {
	for seed := range uint64(2) {
		l := changingLog{seed: 201 + seed, jobs: 4000, nodes: 128, users: 40, scheduler: "qos", loads: [2]float64{0.9, 0.9}}
		score, err := ScoreQuotes(t.Context(), l.generate(t), l.nodes, named(t, premiumFirst), qosNames(), 1000, 1)
		if err != nil {
			t.Fatal(err)
		}
		for queue, s := range score.Queues {
			of := func(time func(r Record) float64) float64 { return text.Sum(s.Records, time) / float64(s.N) }
			t.Logf("seed %d, QOS %d: %d quotes, %.3f inside, mean median %.0f s, mean wait %.0f s", l.seed, queue, s.N, s.Inside,
				of(func(r Record) float64 { return r.Quantiles[1] }), of(func(r Record) float64 { return r.Start - r.Submit }))
			if s.Inside < 0.77 || s.Inside > 0.85 || s.Pinball > s.NaivePinball {
				t.Errorf("seed %d, QOS %d: %.3f inside, loss %.0f s, naive %.0f s", l.seed, queue, s.Inside, s.Pinball,
					s.NaivePinball)
			}
		}
	}
}
