package switchback

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"revopt/simulate/metric"
)

// TestPlan: pairs cover time without a gap, the rule is on in one span of each, coins do not change and are fair.
func TestPlan(t *testing.T) {
	p := Plan{Begin: 1000, Span: 50, Seed: 7}
	heads, changes := 0, 0
	const n = 2000
	for i := range n {
		pair := p.Pair(i)
		if pair != p.Pair(i) || pair.From != 1000+100*float64(i) || pair.Switch != pair.From+50 || pair.To != p.Pair(i+1).From {
			t.Fatalf("%+v", pair)
		}
		for _, at := range []float64{pair.From, pair.Switch - 1e-3} {
			if p.NumberAt(at) != i || p.On(at) != pair.OnFirst || p.On(at+50) == pair.OnFirst {
				t.Fatalf("%+v at %g", pair, at)
			}
		}
		if pair.OnFirst {
			heads++
		}
		if i > 0 && pair.OnFirst != p.Pair(i-1).OnFirst {
			changes++
		}
	}
	for _, x := range []int{heads, changes} { // five standard deviations
		if math.Abs(float64(x)-n/2) > 5*math.Sqrt(n)/2 {
			t.Errorf("%d of %d", x, n)
		}
	}
	if p.On(999) || p.NumberAt(999) != -1 {
		t.Error("the rule is on before the first pair")
	}
	p.Margin = 12.6
	var short *MarginError
	if err := p.Check(); !errors.As(err, &short) || math.Abs(short.Needs-50.4) > 1e-9 {
		t.Errorf("%v", err)
	}
	p.Margin = 12.5
	if err := p.Check(); err != nil {
		t.Error(err)
	}
}

// randomTrial is a trial of jobs that pay price - loss * wait, with their starts at random.
func randomTrial(rng *rand.Rand) Trial {
	p := Plan{Begin: 100, Span: 100, Seed: rng.Uint64()}
	t := Trial{Span: p.Span, Now: 100 + 1500*rng.Float64(), Margin: 25 * rng.Float64()}
	for i := range 7 {
		if rng.IntN(5) > 0 { // others were not laid down in time
			t.Pairs = append(t.Pairs, p.Pair(i))
		}
	}
	for range 300 {
		submit := 1600 * rng.Float64()
		start := submit + 40*rng.ExpFloat64()
		switch rng.IntN(20) {
		case 0:
			start = math.Inf(1)
		case 1:
			start = submit
		}
		if submit > t.Now {
			continue
		}
		if start > t.Now {
			start = math.Inf(1)
		}
		price, loss := 1+rng.Float64(), 0.02*rng.Float64()
		j := Job{Submit: submit, Start: start, Groups: []string{[]string{"a", "b"}[rng.IntN(2)], "wide"}}
		if rng.IntN(10) > 0 {
			j.Paid = func(wait float64) float64 { return price - loss*wait }
		}
		t.Jobs = append(t.Jobs, j)
	}
	return t
}

// closedAt finds by small steps when a pair is closed: after its end by the longest wait seen so far.
func closedAt(tr Trial, to float64) float64 {
	for at := to; at <= tr.Now; at += 0.05 {
		longest := 0.0
		for _, j := range tr.Jobs {
			if j.Start <= at {
				longest = max(longest, j.Start-j.Submit)
			}
		}
		if to+longest <= at {
			return at
		}
	}
	return math.Inf(1)
}

// TestScore computes scores of random trials anew, job by job and with the time of closing by steps.
func TestScore(t *testing.T) {
	open, closed, waited := 0, 0, 0
	for seed := range uint64(40) {
		tr := randomTrial(rand.New(rand.NewPCG(seed, 1)))
		r, err := tr.Score()
		if err != nil {
			t.Fatal(err)
		}
		for _, group := range []string{"", "a", "wide", "none"} {
			for i, s := range r.Of(group) {
				at := closedAt(tr, s.To)
				if math.IsInf(at, 1) != math.IsInf(s.Closed, 1) && math.Abs(s.Closed-tr.Now) > 0.1 ||
					!math.IsInf(at, 1) && math.Abs(at-s.Closed) > 0.06 {
					t.Fatalf("seed %d: pair %d is closed at %g, want %g", seed, i, s.Closed, at)
				}
				var paid, atOnce [2]float64
				var jobs, late [2]int
				end := min(s.Closed, tr.Now)
				for _, j := range tr.Jobs {
					span := math.Floor((j.Submit - s.From) / 100)
					into := j.Submit - s.From - 100*span
					if span < 0 || span > 1 || into < tr.Margin || into >= 100-tr.Margin || j.Paid == nil ||
						group != "" && !slices.Contains(j.Groups, group) {
						continue
					}
					k := 0
					if (span == 0) == s.OnFirst {
						k = 1
					}
					jobs[k]++
					begin := j.Start
					if begin > end {
						begin = end
						late[k]++
					}
					paid[k] += j.Paid(begin - j.Submit)
					atOnce[k] += j.Paid(0)
				}
				for k, side := range []Side{s.Off, s.On} {
					if side.Jobs != jobs[k] || side.Waited != late[k] || math.Abs(side.Paid-paid[k]) > 1e-9 ||
						math.Abs(side.AtOnce-atOnce[k]) > 1e-9 {
						t.Fatalf("seed %d: pair %d, %+v, want %d jobs, %g of %g $", seed, i, side, jobs[k], paid[k], atOnce[k])
					}
				}
				waited += late[0] + late[1]
				if math.IsInf(s.Closed, 1) {
					open++
				} else {
					closed++
				}
			}
		}
	}
	if open < 10 || closed < 10 || waited < 10 {
		t.Errorf("%d open and %d closed pairs, %d jobs that still wait", open, closed, waited)
	}
}

// TestClosed: the score of a closed pair does not change while time goes on, if the margin does not.
func TestClosed(t *testing.T) {
	seen := 0
	for seed := range uint64(20) {
		tr := randomTrial(rand.New(rand.NewPCG(seed, 2)))
		tr.Margin = 10
		last := map[int]Scored{}
		for now := 300.0; now < tr.Now; now += 60 {
			then := tr
			then.Now, then.Jobs = now, nil
			for _, j := range tr.Jobs {
				if j.Start > now {
					j.Start = math.Inf(1)
				}
				if j.Submit <= now {
					then.Jobs = append(then.Jobs, j)
				}
			}
			r, err := then.Score()
			if err != nil {
				t.Fatal(err)
			}
			for _, s := range r.Pairs {
				before, known := last[s.Number]
				if known && before != s {
					t.Fatalf("seed %d: %+v was %+v", seed, s, before)
				}
				if !math.IsInf(s.Closed, 1) {
					last[s.Number] = s
				}
				if known {
					seen++
				}
			}
		}
	}
	if seen < 50 {
		t.Errorf("%d scores were seen again", seen)
	}
}

// TestMargin: the margin is the wait that nine of ten jobs do not exceed, and a long one is refused.
func TestMargin(t *testing.T) {
	tr := Trial{Span: 100, Now: 1000}
	for i := range 20 {
		tr.Jobs = append(tr.Jobs, Job{Submit: 10, Start: 10 + float64(20-i)})
	}
	if r, err := tr.Score(); err != nil || r.Margin != 18 || r.Longest != 20 {
		t.Errorf("%+v, %v", r, err)
	}
	for i := range tr.Jobs[:4] {
		tr.Jobs[i].Start = math.Inf(1)
	}
	var short *MarginError
	if _, err := tr.Score(); !errors.As(err, &short) || short.Needs != 4*990 {
		t.Errorf("%v", err)
	}
}

// TestGain: below six pairs there is no interval, from six on it is Student's, and the number of pairs is the least one of
// a search in steps of one. With so many pairs about four of five trials see the gain.
func TestGain(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	draw := func(n int, gain float64) (list []Scored) {
		for range n {
			s := Scored{Off: Side{Paid: 70, AtOnce: 100}}
			s.On = Side{Paid: 70 + 100*gain + 5*rng.NormFloat64(), AtOnce: 100}
			list = append(list, s)
		}
		return list
	}
	const level = metric.DefaultLevel
	list := append(draw(5, 0), Scored{Closed: math.Inf(1)}, // a pair is open, and of others one side pays nothing
		Scored{On: Side{Paid: 1, AtOnce: 1}, Off: Side{Paid: -3}}, Scored{On: Side{Paid: -3, AtOnce: -2}, Off: Side{Paid: 1, AtOnce: 1}})
	if g := GainOf(list, level); g.N != 5 || g.Enough() || !math.IsInf(g.HalfWidth, 1) || math.Abs(g.Off-0.7) > 1e-12 {
		t.Errorf("%+v", g)
	}
	g := GainOf(draw(9, 0), level)
	if want := student(9, (1+metric.LookLevel(level, 9))/2) * g.Spread / 3; math.Abs(g.HalfWidth/want-1) > 1e-9 {
		t.Errorf("%+v, want %g", g, want)
	}
	g.Spread = 0.05
	for _, size := range []float64{0.5, 0.04, -0.02, 0.007} {
		want := LeastPairs
		for ; ; want++ {
			t := student(want, (1+metric.LookLevel(level, want))/2) + student(want, 0.8)
			if t*0.05/math.Sqrt(float64(want)) <= math.Abs(size) {
				break
			}
		}
		if got := g.Needs(size, level); got != want {
			t.Errorf("a gain of %g needs %d pairs, want %d", size, got, want)
		}
	}
	if g.Needs(0, level) != 0 || (Gain{Spread: math.NaN()}).Needs(1, level) != 0 {
		t.Error("a number of pairs for nothing")
	}
	seen, n := 0, g.Needs(0.02, level)
	for range 1000 {
		low, _ := GainOf(draw(n, 0.02), level).Bounds()
		if low > 0 {
			seen++
		}
	}
	if seen < 750 || seen > 850 {
		t.Errorf("%d of 1000 trials of %d pairs see the gain", seen, n)
	}
}
