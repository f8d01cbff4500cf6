package offline

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// crowded returns few jobs on a small machine, with and without deadlines, and an outage at times.
func crowded(rnd *rand.Rand, n int) ([]Job, Machine) {
	m := Machine{Nodes: 1 + rnd.IntN(4)}
	jobs := make([]Job, n)
	for i := range jobs {
		j := Job{Release: float64(rnd.IntN(8)), Length: float64(1 + rnd.IntN(5)), Width: 1 + rnd.IntN(m.Nodes),
			Last: math.Inf(1), Most: math.Inf(1), Skipped: math.Inf(1), Rate: float64(rnd.IntN(4))}
		j.After = j.Release + j.Length + float64(rnd.IntN(3))
		switch rnd.IntN(3) {
		case 0:
			j.Skipped = float64(1 + rnd.IntN(9))
		case 1:
			j.Skipped, j.Last, j.Rate = float64(1+rnd.IntN(9)), j.After-j.Length, 0
		}
		jobs[i] = j
	}
	if rnd.IntN(3) == 0 {
		m.Up = []Level{{3, rnd.IntN(m.Nodes)}, {float64(4 + rnd.IntN(5)), m.Nodes}}
	}
	return jobs, m
}

// room is how many nodes are free at a time beside jobs that run from their starts on.
func room(jobs []Job, m Machine, start []float64, at float64) int {
	free := m.Nodes
	for _, l := range m.Up {
		if l.From <= at {
			free = l.Units
		}
	}
	for i, s := range start {
		if s <= at && at < s+jobs[i].Length {
			free -= jobs[i].Width
		}
	}
	return free
}

// open is the start of a job that is not decided yet.
const open = -1e9

// least returns the least loss of all permutations in which jobs may be left out, at whole seconds.
func least(jobs []Job, m Machine, start []float64, lost, best float64) float64 {
	if lost >= best {
		return best
	}
	done := true
	for i := range jobs {
		if start[i] != open {
			continue
		}
		done = false
		j := &jobs[i]
		for at := j.Release; at <= j.Last; at++ {
			fits := true
			for t := at; t < at+j.Length; t++ {
				fits = fits && room(jobs, m, start, t) >= j.Width
			}
			if fits {
				start[i] = at
				best = least(jobs, m, start, lost+j.Loss(at), best)
				break
			}
		}
		start[i] = math.NaN()
		best = least(jobs, m, start, lost+j.Skipped, best)
		start[i] = open
	}
	if done {
		return lost
	}
	return best
}

// TestSearchFindsTheBest compares with all permutations of few jobs, and verifies the schedules by the second.
func TestSearchFindsTheBest(t *testing.T) {
	rnd := rand.New(rand.NewPCG(58, 1))
	for round := range 60 {
		jobs, m := crowded(rnd, 1+rnd.IntN(5))
		r, err := Search(context.Background(), jobs, m, Options{Moves: 3000})
		if err != nil {
			t.Fatal(err)
		}
		start := slices.Repeat([]float64{open}, len(jobs))
		if want := least(jobs, m, start, 0, math.Inf(1)); math.Abs(r.Loss-want) > 1e-9 {
			t.Errorf("round %d: loss %g, the best is %g: %+v on %+v", round, r.Loss, want, jobs, m)
		}
		verify(t, jobs, m, r)
	}
}

// verify checks a schedule from its starts alone.
func verify(t *testing.T, jobs []Job, m Machine, r Result) {
	t.Helper()
	var sum float64
	for i, at := range r.Start {
		j := &jobs[i]
		if math.IsNaN(at) {
			sum += j.Skipped
			continue
		}
		sum += j.Loss(at)
		if at < j.Release || at > j.Last {
			t.Fatalf("job %d starts at %g: %+v", i, at, *j)
		}
	}
	if math.Abs(sum-r.Loss) > 1e-6*(1+sum) {
		t.Fatalf("loss %g, by the starts %g", r.Loss, sum)
	}
	times := slices.Clone(r.Start)
	for _, l := range m.Up {
		times = append(times, l.From)
	}
	for _, at := range times {
		if room(jobs, m, r.Start, at) < 0 && slices.Contains(r.Start, at) {
			t.Fatalf("too many nodes are in use at %g: %+v of %+v on %+v", at, r.Start, jobs, m)
		}
	}
}

// sample returns jobs on 64 nodes at a load of about 1.
func sample(n int) []Job {
	rnd := rand.New(rand.NewPCG(58, 2))
	var now float64
	jobs := make([]Job, n)
	for i := range jobs {
		length := math.Exp(4 + 1.5*rnd.NormFloat64())
		width := 1 << rnd.IntN(6)
		now += 30 * rnd.ExpFloat64()
		jobs[i] = Job{Release: now, Length: length, Width: width, Last: math.Inf(1), After: now + length,
			Rate: 1 / max(length, 10), Most: math.Inf(1), Skipped: math.Inf(1)}
	}
	return jobs
}

// TestSearchRepeats: equal options have equal results, and a search that ends by time has that of its moves.
func TestSearchRepeats(t *testing.T) {
	jobs, m := sample(200), Machine{Nodes: 64}
	timed, err := Search(context.Background(), jobs, m, Options{For: 100 * time.Millisecond, Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	verify(t, jobs, m, timed)
	again, err := Search(context.Background(), jobs, m, Options{Moves: timed.Moves, Seed: 3})
	if err != nil || again.Loss != timed.Loss || !slices.Equal(again.Start, timed.Start) || again.Moves != timed.Moves {
		t.Errorf("loss %g after %d moves, then %g after %d: %v", timed.Loss, timed.Moves, again.Loss, again.Moves, err)
	}
}

// TestNoWorseThanKnown: jobs in the order of the starts of a schedule start no later than in it.
func TestNoWorseThanKnown(t *testing.T) {
	jobs, m := sample(300), Machine{Nodes: 64}
	known, err := Search(context.Background(), jobs, m, Options{Moves: 20000})
	if err != nil {
		t.Fatal(err)
	}
	got, err := Search(context.Background(), jobs, m, Options{Moves: 1, Starts: [][]float64{known.Start}})
	if err != nil || got.Loss > known.Loss*(1+1e-9) {
		t.Errorf("loss %g from a schedule of %g: %v", got.Loss, known.Loss, err)
	}
}

// TestMovesAllocateNothing: a move allocates nothing once its lists have grown.
func TestMovesAllocateNothing(t *testing.T) {
	jobs := sample(300)
	s := newSchedule(jobs, Machine{Nodes: 64}, rand.New(rand.NewPCG(1, 1)))
	s.generate(ordered(make([]float64, len(jobs))))
	for range 2000 {
		s.move(1)
	}
	if n := testing.AllocsPerRun(1000, func() { s.move(1) }); n >= 0.01 {
		t.Errorf("%g allocations per move", n)
	}
}

// TestCanceled: the error of a context that has ended is that of the search.
func TestCanceled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Search(ctx, sample(20), Machine{Nodes: 64}, Options{Moves: 1000}); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: %v", err)
	}
}
