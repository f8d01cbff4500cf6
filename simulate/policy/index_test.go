package policy

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"revopt/simulate"
)

// orderChecker is a ValueBF whose whole order is compared at every decision with a plain sort
// of all indexes.
type orderChecker struct {
	*ValueBF
	t       *testing.T
	longest int
}

func (o *orderChecker) Schedule(c *simulate.Cluster) {
	p := o.ValueBF
	if p.review(c); p.length > 0 {
		o.longest = max(o.longest, p.length)
		narrowest, planned := p.narrowest, p.Reservations
		p.Reservations, p.waits = math.MaxInt, false
		p.rank(c)
		var want []orderItem
		doubtful, width, jobs := 0, math.MaxInt32, 0
		visitAll := func(f func(q *indexEntry, index float64)) {
			p.root.visit(func(*branchSummary) bool { return true }, func(q *indexEntry) {
				b := *q
				p.appraise(&b, c.Now())
				f(&b, b.at(c.Now(), p.clock.wave(c.Now())))
			})
		}
		worth := func(q *indexEntry, index float64) float64 { // above 0 if the job may start
			if !q.job.Waiting() || q.job.Value.Price <= 0 {
				return 1
			}
			return index
		}
		visitAll(func(q *indexEntry, index float64) {
			jobs, width = jobs+1, min(width, q.job.Width)
			if worth(q, index) <= 0 {
				doubtful++
			}
		})
		visitAll(func(q *indexEntry, index float64) {
			if worth := worth(q, index); worth > 0 || worth == 0 && doubtful == jobs {
				want = append(want, orderItem{index: even(index), id: q.job.ID})
			}
		})
		slices.SortFunc(want, func(a, b orderItem) int {
			return cmp.Or(cmp.Compare(b.index, a.index), cmp.Compare(a.id, b.id))
		})
		if p.waits != (doubtful > 0) || int(p.narrowest) != width || jobs != p.length {
			o.t.Fatalf("waits %v, narrowest %d, %d jobs; want %v, %d, %d",
				p.waits, p.narrowest, p.length, doubtful > 0, width, jobs)
		}
		for i := range want {
			if q, _ := p.pop(c); q == nil || q.index != want[i].index || q.job.ID != want[i].id {
				o.t.Fatalf("at %g place %d of %d is %+v, want %+v", c.Now(), i, len(want), q, want[i])
			}
		}
		if q, _ := p.pop(c); q != nil {
			o.t.Fatal("a job too many in the order")
		}
		p.narrowest, p.Reservations = narrowest, planned
	}
	p.Schedule(c)
}

// TestBidsOrder: jobs come in the order of a plain sort at every decision of random runs, with
// long queues.
func TestBidsOrder(t *testing.T) {
	random := rand.New(rand.NewPCG(34, 5))
	longest := 0
	for run := range 8 {
		p := &ValueBF{
			Terms:  Terms{Predict: run%2 == 0, Exact: run%5 == 4},
			Future: []float64{0, 0.98, 1}[random.IntN(3)], Reservations: 1 + random.IntN(4),
		}
		p.Preemption = Preemption{Mode: PreemptionMode(random.IntN(3)), Cost: float64(random.IntN(3))}
		var jobs []simulate.Job
		var at float64
		for range 400 {
			at += random.ExpFloat64() * 2
			work := math.Ceil(20 * random.ExpFloat64())
			j := simulate.Job{Submit: at, Work: work, Width: 1 << random.IntN(4), Value: simulate.Value{
				Price: 10*random.Float64()*work - 1, Due: work * (0.5 + 20*random.Float64()), Decay: random.Float64(),
				Floor: []float64{math.Inf(1), 0, 5}[random.IntN(3)], Hard: random.IntN(3) == 0, Dated: true,
			}}
			if random.IntN(3) == 0 && !j.Value.Hard {
				j.Value.Decay = 0
			}
			j.Spec.Details.Estimate, j.Spec.Details.User = work*(1+3*random.Float64()), random.IntN(4)
			jobs = append(jobs, j)
		}
		o := &orderChecker{ValueBF: p, t: t}
		config := simulate.Config{
			Charging: simulate.ByValue, Sites: []simulate.Site{{Processors: 8, Policy: o}}, Source: simulate.Slice(jobs),
		}
		if _, err := simulate.Run(context.Background(), config); err != nil {
			t.Fatal(err)
		}
		longest = max(longest, o.longest)
	}
	if longest < 100 {
		t.Errorf("at most %d jobs waited", longest)
	}
}
