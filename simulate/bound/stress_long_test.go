//go:build long

package bound

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestHostile solves workloads that are hard on flows and on rounding: equal
// times and values, lengths and values of very different size, times far from
// 0, losses from nearly none to steps.
func TestHostile(t *testing.T) {
	rnd := rand.New(rand.NewPCG(19, 1))
	for i := range 120 {
		nodes := 1 + rnd.IntN(40)
		origin := []float64{0, -50, 1e9}[rnd.IntN(3)]
		unit := math.Pow(10, float64(rnd.IntN(7)-3))
		money := math.Pow(10, float64(rnd.IntN(7)-3))
		whole := rnd.IntN(2) == 0
		draw := func(most float64) float64 {
			if whole {
				return math.Ceil(most * rnd.Float64())
			}
			return most * math.Exp(-6*rnd.Float64())
		}
		jobs := make([]Job, 1+rnd.IntN(250))
		var values float64
		for n := range jobs {
			length := draw(5)
			width := float64(1 + rnd.IntN(nodes))
			release := origin + unit*draw(30)
			j := Job{Release: release, End: math.Inf(1), Width: width, Parts: []Part{{unit * length * width, money * draw(9)}}}
			if rnd.IntN(3) == 0 {
				j.Parts = append(j.Parts, Part{unit * draw(4), money * draw(9)})
			}
			after := release + unit*length*(1+draw(3))
			switch rnd.IntN(4) {
			case 0:
				j.End = after
			case 1, 2:
				rate := money / unit * math.Pow(10, 6*rnd.Float64()-3)
				j.Late = Lateness{After: after, Rate: rate, Most: []float64{math.Inf(1), money}[rnd.IntN(2)]}
			}
			for _, p := range j.Parts {
				values += p.Value
			}
			jobs[n] = j
		}
		r := clairvoyant(t, jobs, Uniform(nodes), Options{})
		if r.Bound > values*slack || r.Gap > 0.01 {
			t.Errorf("%d: bound %g of %g, gap %g", i, r.Bound, values, r.Gap)
		}
		if proof := proved(r.Prices, jobs, Uniform(nodes)); math.Abs(proof-r.Bound) > 1e-9*r.Bound {
			t.Errorf("%d: the prices prove %g, not %g", i, proof, r.Bound)
		}
	}
}

// TestNeverBelowBestScheduleOften tries many more instances than the short test.
func TestNeverBelowBestScheduleOften(t *testing.T) {
	rnd := rand.New(rand.NewPCG(23, 1))
	const instances = 400
	var all closeness // of whole jobs
	for range instances {
		all.add(compare(t, rnd, mixed, whole, 7, false))
		compare(t, rnd, mixed, preempted, 6, false)
		compare(t, rnd, mixed, split, 4, false)
		compare(t, rnd, classed, preempted, 6, false)
		compare(t, rnd, imprecise, preempted, 6, false)
	}
	t.Logf("%+v", all)
	all.check(t, instances)
}

func TestGapOfManyJobsEverywhere(t *testing.T) {
	for _, c := range cases(5000) {
		checkGap(t, c)
	}
}
