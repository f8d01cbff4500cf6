package bound_test

import (
	"context"
	"math"
	"math/rand/v2"
	"strconv"
	"testing"

	"revopt/simulate"
	"revopt/simulate/bound"
	"revopt/simulate/policy"
)

// exchange is an observer that recomputes a market from its events alone: who may run, the price
// at every instant, and what each job owes, step by step along the path of prices.
type exchange struct {
	t       *testing.T
	nodes   int
	p       *policy.Spot
	traders map[int64]*trader
	at      float64
	price   float64

	claimant *trader // the highest bid that waits only because others are protected
	claimed  float64
	started  float64 // the highest bid that started at this instant
	outbid   float64 // the highest that was preempted

	flow, booked, rebate, welfare float64
	ended, late, preempted, held  int
}

// trader is a job that is alive.
type trader struct {
	id                int64
	bid, owes, served float64
	width             int
	in, runs          bool
	since             float64
}

func (x *exchange) bid(j *simulate.Job) float64 {
	if j.Class < len(x.p.Bids) && x.p.Bids[j.Class] != 0 {
		return x.p.Bids[j.Class]
	}
	b := math.Max(j.Value.Price, 0) / (float64(j.Width) * x.estimate(j))
	return must(strconv.ParseFloat(strconv.FormatFloat(b, 'e', 10, 64), 64)) // bids that are equal on paper are equal
}

func (x *exchange) estimate(j *simulate.Job) float64 {
	if e := j.Spec.Details.Estimate; e > 0 && !x.p.Exact {
		return math.Max(e, policyLeast)
	}
	return math.Max(j.Work, policyLeast)
}

// policyLeast is the shortest estimate that bids know, s.
const policyLeast = 1e-3

func (x *exchange) Observe(e simulate.Event) {
	if e.Time > x.at {
		x.check(e.Time)
		for _, r := range x.traders {
			if r.runs {
				r.owes += x.price * float64(r.width) * (e.Time - x.at)
				r.served += e.Time - x.at
				x.flow += x.price * float64(r.width) * (e.Time - x.at)
			}
		}
		x.at, x.started, x.outbid = e.Time, math.Inf(-1), math.Inf(-1)
	}
	if e.Kind == simulate.Priced {
		x.price = e.Site.Market().Price()
	}
	if e.Job == nil {
		return
	}
	j, r := e.Job, x.traders[e.Job.ID]
	switch e.Kind {
	case simulate.Submitted:
		x.traders[j.ID] = &trader{id: j.ID, width: j.Width}
	case simulate.Admitted:
		r.in, r.bid = true, x.bid(j)
	case simulate.Started, simulate.Resumed:
		r.runs, r.since = true, e.Time
		x.started = math.Max(x.started, r.bid)
	case simulate.Preempted:
		if e.Time-r.since < x.p.Minimum*(1-1e-9) {
			x.t.Errorf("job %d is preempted at %g, %g s after its start", j.ID, e.Time, e.Time-r.since)
		}
		r.runs = false
		x.preempted++
		x.outbid = math.Max(x.outbid, r.bid)
	case simulate.Rejected, simulate.Expired:
		if j.Revenue != 0 {
			x.t.Errorf("job %d leaves and pays %g", j.ID, j.Revenue)
		}
		delete(x.traders, j.ID)
	case simulate.Completed:
		x.complete(e, r)
		delete(x.traders, j.ID)
	}
}

// complete compares what a job pays with what it owes, its bid and its worth.
func (x *exchange) complete(e simulate.Event, r *trader) {
	j, want := e.Job, r.owes
	cap := r.bid * float64(j.Width) * x.estimate(j)
	worth := math.Max(j.Worth(e.Time), 0)
	if j.Killed || worth == 0 {
		cap = 0
	} else if j.Value.Price > 0 {
		cap *= worth / j.Value.Price
	}
	want = math.Min(want, cap)
	if !(math.Abs(j.Revenue-want) <= 1e-7*(1e-3+want)) {
		x.t.Errorf("job %d pays %.12g, owes %.12g, at most %.12g", j.ID, j.Revenue, r.owes, cap)
	}
	if !(j.Revenue <= r.bid*r.served*float64(j.Width)*(1+1e-9)+1e-12) {
		x.t.Errorf("job %d pays %g above its bid of %g for %g s", j.ID, j.Revenue, r.bid, r.served)
	}
	if x.p.Bids == nil && !(j.Revenue <= worth*(1+1e-9)) {
		x.t.Errorf("job %d pays %g, is worth %g", j.ID, j.Revenue, worth)
	}
	x.booked += j.Revenue
	x.rebate += r.owes - want
	x.welfare += worth
	x.ended++
	if want < r.owes {
		x.late++
	}
}

// check looks at the jobs after all that happened at an instant, until the next.
func (x *exchange) check(next float64) {
	free, high, low := x.nodes, 0.0, math.Inf(1)
	for _, r := range x.traders {
		if r.runs {
			free -= r.width
			low = math.Min(low, r.bid)
		} else if r.in {
			high = math.Max(high, r.bid)
		}
	}
	if want := math.Min(high, low); !(math.Abs(x.price-want) <= 1e-9*want) {
		x.t.Fatalf("at %g the price is %g, want %g of %g and %g", x.at, x.price, want, high, low)
	}
	if x.outbid > math.Inf(-1) && !(x.outbid < x.started) {
		x.t.Errorf("at %g a bid of %g is preempted for one of %g", x.at, x.outbid, x.started)
	}
	var first *trader
	for _, w := range x.traders {
		if !w.in || w.runs {
			continue
		}
		can, could := x.room(w, free, x.at)
		if can < w.width && could >= w.width && (first == nil || w.bid > first.bid ||
			w.bid == first.bid && w.id < first.id) {
			first = w
		}
	}
	if first == nil || first != x.claimant {
		x.claimed = x.at
	}
	x.claimant = first
	waits := x.at - x.claimed
	if waits > 2*x.p.Minimum*(1+1e-9) {
		x.t.Errorf("job %d waits for %g s because others are protected", first.id, waits)
	}
	for _, w := range x.traders {
		if !w.in || w.runs {
			continue
		}
		held := first != nil && w.bid <= first.bid && w != first && next-x.claimed >= x.p.Minimum*(1-1e-9)
		if can, _ := x.room(w, free, next*(1-1e-12)); can >= w.width && can > free && !held {
			x.t.Errorf("at %g job %d could outbid others", x.at, w.id)
		}
		if w.width > free {
			continue
		}
		if x.held++; first == nil || w.bid > first.bid || waits < x.p.Minimum*(1-1e-9) {
			x.t.Errorf("at %g %d nodes are idle and job %d waits", x.at, free, w.id)
		}
	}
}

// room returns the nodes that a job can have now, and if no job was protected.
func (x *exchange) room(w *trader, free int, now float64) (can, could int) {
	can, could = free, free
	for _, r := range x.traders {
		if r.runs && r.bid < w.bid && x.p.Mode != policy.NoPreemption {
			if could += r.width; now >= (r.since+x.p.Minimum)*(1-1e-14) {
				can += r.width
			}
		}
	}
	return can, could
}

// tradeAll runs markets of all kinds on random workloads, under audit and under the books of an
// exchange. In one workload of so many, the worth of the jobs is compared with the bounds.
func tradeAll(t *testing.T, rnd *rand.Rand, rounds, every int) {
	var all exchange
	for round := range rounds {
		nodes := 1 + rnd.IntN(8)
		var jobs []simulate.Job
		if round%3 == 2 {
			jobs = drawn(t, rnd, nodes)
		} else {
			jobs = odd(rnd, nodes, false)
		}
		p := &policy.Spot{Minimum: pick(rnd, 0, 2, 10)}
		p.Mode, p.Cost = policy.PreemptionMode(rnd.IntN(3)), pick(rnd, 0, 0, 1)
		p.Exact, p.Kill = rnd.IntN(3) == 0, rnd.IntN(3) == 0
		if rnd.IntN(3) == 0 {
			p.Bids = []float64{pick(rnd, 0, 1), rnd.Float64(), pick(rnd, 0, 1, 5)}
		}
		x := &exchange{t: t, nodes: nodes, p: p, traders: map[int64]*trader{}, outbid: math.Inf(-1)}
		source, audit := given(jobs), new(simulate.Audit)
		_, err := simulate.Run(context.Background(), simulate.Config{
			Source: &source, Sites: []simulate.Site{{Processors: nodes, Policy: p, Market: true}},
			Charging: simulate.ByValue, Observers: []simulate.Observer{audit, x},
		})
		if err != nil || audit.Err() != nil || t.Failed() {
			t.Fatalf("round %d, %+v: %v, %v", round, p.Preemption, err, audit.Err())
		}
		if math.Abs(x.flow-x.rebate-x.booked) > 1e-7*(1+x.flow) || p.Bids == nil && x.booked > x.welfare*(1+1e-9) {
			t.Fatalf("round %d: jobs pay %g of %g less %g; they are worth %g", round, x.booked, x.flow, x.rebate, x.welfare)
		}
		if every > 0 && round%every == 0 {
			if most := limitsOf(t, jobs, bound.Uniform(nodes), bound.Whole); x.welfare >
				math.Min(math.Min(most.clairvoyant, most.fluid), most.indivisible)*(1+1e-12) {
				t.Fatalf("round %d: jobs are worth %g, bounds are %+v", round, x.welfare, most)
			}
		}
		all.ended, all.late, all.preempted = all.ended+x.ended, all.late+x.late, all.preempted+x.preempted
		all.booked, all.held = all.booked+x.booked, all.held+x.held
	}
	t.Logf("%d jobs end, %d pay less than they owe, %d preemptions, %g $, %d times nodes are held",
		all.ended, all.late, all.preempted, all.booked, all.held)
	if all.ended < 5*rounds || all.late < rounds/2 || all.preempted < rounds/2 || all.booked == 0 {
		t.Error("too few to tell")
	}
}

// TestSpotMarket: money is conserved, no job pays more than its bid or its worth, prices and
// schedules keep the rules, and no market delivers more than the bounds allow.
func TestSpotMarket(t *testing.T) { tradeAll(t, rand.New(rand.NewPCG(34, 1)), 200, 10) }
