//go:build long

package switchback

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"revopt/simulate/metric"
)

// site is a cluster of its own, apart from the simulator: servers, customers by chance, and two orders of the queue.
type site struct {
	servers int
	load    float64
	same    bool // both orders are that of arrival
}

// Jobs of a site run for an hour on average; two customers have half of them each. What the first one pays falls by 15 % an
// hour, for the other by 1 %.
const siteHour = 3600.0

// run serves jobs that come until a time. On says whether the first customer goes first at a time; else the order is that
// of arrival.
func (s site) run(rng *rand.Rand, until float64, on func(time float64) bool) []Job {
	type job struct {
		submit, work float64
		urgent       bool
	}
	var jobs []job
	rate := s.load * float64(s.servers) / siteHour
	for at := rng.ExpFloat64() / rate; at < until; at += rng.ExpFloat64() / rate {
		jobs = append(jobs, job{at, siteHour * rng.ExpFloat64(), rng.IntN(2) == 0})
	}
	out := make([]Job, len(jobs))
	for i, j := range jobs {
		out[i] = Job{Submit: j.submit, Start: math.Inf(1), Groups: []string{"patient"}}
		price, loss := j.work, j.work*0.01/siteHour
		if j.urgent {
			out[i].Groups = []string{"urgent"}
			price, loss = 3*j.work, 3*j.work*0.15/siteHour
		}
		out[i].Paid = func(wait float64) float64 { return max(price-loss*wait, 0) }
	}
	var queues [2][]int // of the patient and the urgent, in order of arrival
	free := make([]float64, s.servers)
	next := 0
	for next < len(jobs) || len(queues[0])+len(queues[1]) > 0 {
		server := 0
		for k := range free {
			if free[k] < free[server] {
				server = k
			}
		}
		now := free[server]
		if len(queues[0])+len(queues[1]) == 0 {
			now = max(now, jobs[next].submit)
		}
		for next < len(jobs) && jobs[next].submit <= now {
			k := 0
			if jobs[next].urgent {
				k = 1
			}
			queues[k] = append(queues[k], next)
			next++
		}
		k := 0
		switch {
		case len(queues[0]) == 0:
			k = 1
		case len(queues[1]) == 0:
		case on(now) && !s.same, queues[1][0] < queues[0][0]:
			k = 1
		}
		i := queues[k][0]
		queues[k] = queues[k][1:]
		out[i].Start = now
		free[server] = now + jobs[i].work
	}
	return out
}

// trialOf makes a trial of jobs. They are known up to the end of the pairs and half of their length more.
func trialOf(p Plan, pairs int, jobs []Job) Trial {
	t := Trial{Span: p.Span, Margin: p.Margin, Now: p.Begin + 3*float64(pairs)*p.Span}
	for i := range pairs {
		t.Pairs = append(t.Pairs, p.Pair(i))
	}
	for _, j := range jobs {
		if j.Start > t.Now {
			j.Start = math.Inf(1)
		}
		t.Jobs = append(t.Jobs, j)
	}
	return t
}

// coverage is what some trials have shown.
type coverage struct {
	trials, refused, covered, claimed int
	margin                            float64 // the median, as a share of the span
}

func (c coverage) String() string {
	return fmt.Sprintf("%d trials, %d refused, margin %.2f of a span, %d intervals with the true difference, %d claims",
		c.trials, c.refused, c.margin, c.covered, c.claimed)
}

// truth returns the difference between always on and always off, over many histories of the length of a trial. Scores are
// those of the spans of the trial, with its margins.
func (s site) truth(p Plan, pairs, histories int) float64 {
	sum, n := 0.0, 0
	for h := range histories {
		mean := func(on bool) float64 {
			jobs := s.run(rand.New(rand.NewPCG(uint64(h), 1000)), p.Begin+2*float64(pairs+10)*p.Span,
				func(float64) bool { return on })
			r, err := trialOf(p, pairs, jobs).Score()
			if err != nil {
				return math.NaN()
			}
			total := 0.0
			for i := range r.Pairs {
				total += r.Pairs[i].On.Score() + r.Pairs[i].Off.Score()
			}
			return total / float64(2*len(r.Pairs))
		}
		if d := mean(true) - mean(false); !math.IsNaN(d) {
			sum += d
			n++
		}
	}
	return sum / float64(n)
}

// try makes trials of a site. A claim is an interval without 0 at one of the looks after every pair.
func (s site) try(p Plan, trials, pairs int, truth float64) coverage {
	c := coverage{trials: trials}
	var margins []float64
	for k := range trials {
		p.Seed = uint64(k)
		jobs := s.run(rand.New(rand.NewPCG(uint64(k), 5)), p.Begin+2*float64(pairs+10)*p.Span, p.On)
		r, err := trialOf(p, pairs, jobs).Score()
		var short *MarginError
		if errors.As(err, &short) {
			margins = append(margins, short.Margin/p.Span)
			c.refused++
			continue
		}
		margins = append(margins, r.Margin/p.Span)
		if GainOf(r.Pairs, metric.DefaultLevel).Contains(truth) {
			c.covered++
		}
		for n := LeastPairs; n <= len(r.Pairs); n++ {
			if g := GainOf(r.Pairs[:n], metric.DefaultLevel); g.Enough() && !g.Contains(0) {
				c.claimed++
				break
			}
		}
	}
	slices.SortFunc(margins, cmp.Compare[float64])
	c.margin = margins[len(margins)/2]
	return c
}

// TestCoverage: 200 simulated trials for each load, with switches that the queue carries over. Where the margin is below a
// tenth of a span, at least 90 % of the intervals have the true difference, which always on and always off have. Without
// any difference at most 5 % of the trials claim one, though they are looked at after every pair. At load 1.1 the queue
// grows for weeks: the margin of the waits is refused, and one that is stated, a tenth of a span, is tried for its coverage.
func TestCoverage(t *testing.T) {
	const trials, pairs, day = 200, 20, 24 * siteHour
	for _, x := range []struct{ load, margin float64 }{{0.7, 0}, {0.9, 0}, {1.1, 0}, {1.1, day / 10}} {
		s := site{servers: 16, load: x.load}
		plan := Plan{Begin: 2 * day, Span: day, Margin: x.margin}
		truth := s.truth(plan, pairs, 100)
		c := s.try(plan, trials, pairs, truth)
		s.same = true
		null := s.try(plan, trials, pairs, 0)
		t.Logf("%+v: true difference %.4f: %v; without a difference: %v", x, truth, c, null)
		if c.margin < 0.1 && 10*c.covered < 9*(c.trials-c.refused) {
			t.Errorf("%+v: %v", x, c)
		}
		if 20*null.claimed > null.trials {
			t.Errorf("%+v: without a difference: %v", x, null)
		}
	}
}
