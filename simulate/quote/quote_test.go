package quote

import (
	"math"
	"slices"
	"testing"

	"revopt/internal/fixture"
	"revopt/simulate"
	"revopt/simulate/metric"
	"revopt/simulate/policy"
	"revopt/simulate/workload"
)

// server is one server with a history of exponential run times of mean 1000 s.
func server(n int) *quoter {
	q := &quoter{history: make([]simulate.Job, 1), came: 1, seed: 1}
	q.sites = func() ([]workload.Site, error) {
		return []workload.Site{{Site: simulate.Site{Processors: 1, Policy: new(policy.Backfill)}}}, nil
	}
	for i := range allRuns {
		j := simulate.Job{Work: -1000 * math.Log((float64(i)+0.5)/allRuns)}
		j.Spec.Details.Estimate = 1e6
		q.all.add(&j, allRuns)
	}
	for i := range n + 1 {
		j := &simulate.Job{Width: 1, Submit: -float64(n - i)}
		j.Spec.Details = simulate.Details{Estimate: 1e6, User: 1 + i}
		if q.waiting = append(q.waiting, j); i == 0 {
			j.Spec.Recorded = simulate.Recorded{Ran: true, At: -500}
			q.running, q.waiting = q.waiting, nil
		}
	}
	return q
}

// TestQuoteErlang checks starts on one server with exponential jobs: the run time left has no memory,
// so the k-th waiting job starts after an Erlang time of k phases.
func TestQuoteErlang(t *testing.T) {
	const jobs, draws = 4, 400
	q := server(jobs)
	_, starts, err := q.waits(t.Context(), jobs-1, draws)
	if err != nil || len(starts) != draws {
		t.Fatal(len(starts), err)
	}
	var mean, squares float64
	for _, x := range starts {
		mean += x / draws
		squares += x * x / draws
	}
	if sd := math.Sqrt(squares - mean*mean); math.Abs(mean-4000) > 4*2000/math.Sqrt(draws) || math.Abs(sd-2000) > 300 {
		t.Errorf("start of the fourth job: mean %.0f s, sd %.0f s, expected 4000 and 2000", mean, sd)
	}
	for i := range q.waiting { // jobs behind it do not make its quote another one
		if got := q.likeness(i).queued; got != 1e6*float64(i+1) {
			t.Errorf("job %d: %g s of work before it and its own", i, got)
		}
	}
	at, err := q.reservation(t.Context())
	if expected := 1e6 - 500 + 3*1e6; err != nil || math.Abs(at-expected) > 2 {
		t.Errorf("reservation in %.0f s, expected %.0f: %v", at, expected, err)
	}
}

// TestQuoteLengths draws run times by hand: in proportion to the estimate, above the time so far, of
// the same estimate first. A job with an estimate does not take after one without.
func TestQuoteLengths(t *testing.T) {
	var q quoter
	for _, x := range [][2]float64{{100, 10}, {100, 50}, {200, 180}, {0, 7777}} {
		j := simulate.Job{Work: x[1]}
		j.Spec.Details = simulate.Details{Estimate: x[0], User: 3}
		q.learn(&j)
	}
	for _, c := range []struct {
		estimate, ran float64
		possible      []float64
	}{
		{100, 20, []float64{50, 90}}, {200, 0, []float64{180, 20, 100}}, {1000, 600, []float64{900}}, {100, 95, nil}, {0, 200, []float64{7777}},
	} {
		j := simulate.Job{}
		j.Spec.Details = simulate.Details{Estimate: c.estimate, User: 3}
		rng := simulate.Stream(1, 0, "test", 0)
		seen := map[float64]int{}
		for range 200 {
			x := q.length(&j, c.ran, rng)
			if seen[x]++; x <= c.ran {
				t.Errorf("%+v: drew %g", c, x)
			}
		}
		for _, x := range c.possible {
			if seen[x] == 0 || len(seen) != len(c.possible) {
				t.Errorf("%+v: drew %v", c, seen)
			}
		}
	}
}

// TestQuoteScore works the losses and ties of two quotes out by hand.
func TestQuoteScore(t *testing.T) {
	// Half of the weight starts at once, the rest after 10 and 20 s: an immediate start is a fifth below
	// the quantile 10 % and wholly below 90 %.
	d := distribution{{at: 0, weight: 2}, {at: 10, weight: 1}, {at: 20, weight: 1}}
	for _, c := range [][4]float64{{0.1, 0, 0, 0.2}, {0.5, 0, 0, 1}, {0.9, 0, 20, 1}, {0.9, 20, 20, 0.6},
		{0.9, 20 + 1e-9, 20, 0.6}, {0.5, 10, 0, 0}} {
		if q, share := d.read(c[0], c[1], 1); q != c[2] || math.Abs(share-c[3]) > 1e-12 {
			t.Errorf("level %g at %g: %g and %g, expected %g and %g", c[0], c[1], q, share, c[2], c[3])
		}
	}
	var s QuoteScore
	s.add(Record{Submit: 5, Start: 15, Quantiles: [3]float64{0, 4, 20}, Reservation: 30}, // losses 1, 3 and 1
		[3]float64{0, 0, 1}, [3]float64{10, 10, 10})
	s.add(Record{Submit: 5, Start: 55, Quantiles: [3]float64{10, 60, 40}, Reservation: 40}, // losses 4, 5 and 9
		[3]float64{0, 1, 0}, [3]float64{0, 50, 60})
	expected := []metric.Number{0.5, 25, (5.0/3 + 18.0/3) / 2, 7.5, 1} // naive: 0 and 5, 0 and 1
	for i, x := range []metric.Number{s.Inside, s.Width, s.Pinball, s.ReservationPinball, s.NaivePinball} {
		if math.Abs(float64(x-expected[i])) > 1e-12 {
			t.Errorf("score %d is %g, expected %g", i, x, expected[i])
		}
	}
}

// TestQuoteMixture gives quotes whose simulations are right, though similar quotes waited otherwise, and
// then the contrary: the mixture follows the one that was right. Levels move by
// little if many starts are late at once.
func TestQuoteMixture(t *testing.T) {
	for _, simulated := range []bool{true, false} {
		var c calibration
		for i := range 200 {
			now, wait := 1000*float64(i), 100*float64(1+i%7)
			like, waits := likeness{mean: 100, estimate: 1, width: 1}, []float64{wait}
			if !simulated {
				wait, waits = 400, []float64{wait}
			}
			c.follow(now)
			d, list := c.correct(&like, waits, now, 1)
			if i == 199 {
				if got := d.quantile(0.5); got != wait {
					t.Errorf("simulations right: %t: median %g of a wait of %g", simulated, got, wait)
				}
			}
			c.add(like, d, list, now, wait, 1)
		}
	}
	var c calibration
	c.follow(0)
	for i := range 1000 {
		like := likeness{estimate: 1, width: 1}
		d := distribution{{at: 1, weight: 1}}
		c.add(like, d, [parts]distribution{d, d, d, d}, float64(i)/1000, 1e9, 1)
	}
	if c.follow(100); math.Abs(c.of(0).means()[0]-0.2) > 1e-9 { // 0.1 for each above it
		t.Errorf("a thousand late starts moved the level 0.1 to %g", c.of(0).means()[0])
	}
}

// TestQuoteChange makes waits four times as long in the middle of 2000 quotes whose simulations stay as they were:
// of every 100 quotes at least 75 hold the starts from there on.
func TestQuoteChange(t *testing.T) {
	rng := simulate.Stream(1, 0, "test", 0)
	var c calibration
	var inside [20]float64 // in blocks of 100
	for i := range 2000 {
		wait := 1000 * rng.ExpFloat64()
		if i >= 1000 {
			wait *= 4
		}
		var simulated []float64
		for range quoteDraws {
			simulated = append(simulated, 1000*rng.ExpFloat64())
		}
		now := 1e6 * float64(i)
		like := likeness{mean: 1000, estimate: 1000, width: 1}
		c.follow(now)
		d, list := c.correct(&like, simulated, now, 1000)
		_, below := c.add(like, d, list, now, wait, 1000)
		inside[i/100] += (below[2] - below[0]) / 100
	}
	if slices.Min(inside[10:]) < 0.75 {
		t.Errorf("shares inside by hundreds: %.2f", inside)
	}
}

// TestQuoteOwnWork has a scheduler that runs one job of a user at a time, on a machine that the simulations see
// empty: the wait is the work of the user before the job. Quotes learn that, for users who had never so much.
func TestQuoteOwnWork(t *testing.T) {
	rng := simulate.Stream(1, 0, "test", 0)
	var c calibration
	for i := range 300 {
		before := float64(rng.IntN(10))
		if i == 299 {
			before = 30
		}
		wait := 1000 * before
		like := likeness{estimate: 1000, width: 1, ofUser: 1000 * (before + 1), queued: 50000 * rng.Float64(), user: i}
		now := 1e6 * float64(i)
		c.follow(now)
		d, list := c.correct(&like, make([]float64, quoteDraws), now, 1)
		got, _ := c.add(like, d, list, now, wait, 1)
		if i == 299 && math.Abs(got[1]-wait) > 0.15*wait {
			t.Errorf("the median is %.0f s of a wait of %.0f s", got[1], wait)
		}
	}
}

// recorded returns a job that ran.
func recorded(id int64, submit, start, run, estimate float64, width int) simulate.Job {
	j := simulate.Job{ID: id, Submit: submit, Work: run, Width: width}
	j.Spec.Details.Estimate = estimate
	j.Spec.Recorded = simulate.Recorded{Ran: true, At: start}
	return j
}

// TestQuotesOfOneSecond submits three jobs in one second while another fills the machine: each has a
// reservation at its own place in the queue, and none is quoted with those behind it. The
// naive forecast knows the starts before the second, and not those in it.
func TestQuotesOfOneSecond(t *testing.T) {
	jobs := []simulate.Job{
		recorded(11, 0, 0, 1000, 1000, 4), recorded(12, 10, 1000, 100, 100, 4), recorded(13, 10, 1100, 200, 200, 4),
		recorded(14, 10, 1300, 300, 300, 4), recorded(15, 1100, 1600, 1, 1, 1),
	}
	easy := fixture.Named(t, "easy")[0]
	score, err := ScoreQuotes(t.Context(), jobs, 4, easy, nil, len(jobs), 1)
	if err != nil || len(score.Records) != len(jobs) {
		t.Fatal(score, err)
	}
	for i, expected := range []Record{
		{ID: 11}, {ID: 12, Reservation: 990}, {ID: 13, Reservation: 1090}, {ID: 14, Reservation: 1290},
		{ID: 15, Reservation: 500, Naive: 495},
	} {
		got := score.Records[i]
		if got.ID != expected.ID || math.Abs(got.Reservation-expected.Reservation) > 2 || got.Naive != expected.Naive {
			t.Errorf("got %+v, expected %+v", got, expected)
		}
	}
	// The same pairs teach: what is simulated for a job has the work of the jobs before it and its own.
	q := quoterOf(jobs, 4, easy, nil, 1)
	c := new(calibration)
	if err := q.quoteAll(t.Context(), c, len(jobs), len(jobs), nil); err != nil {
		t.Fatal(err)
	}
	for i, expected := range []float64{1000, 100, 300, 600} {
		if got := c.quotes[i].queued; got != expected {
			t.Errorf("quote %d has %g s of work in the queue, expected %g", i, got, expected)
		}
	}
}

// TestNaive compares the quantiles of known waits with those worked out by hand.
func TestNaive(t *testing.T) {
	var jobs []simulate.Job
	for i := range 400 { // waits 400, 399, ... become known one after the other
		jobs = append(jobs, recorded(int64(i), float64(i), 400, 1, 1, 1))
		jobs[i].Spec.Recorded.At += 1e-3 * float64(i)
		jobs[i].Submit = jobs[i].Spec.Recorded.At - float64(400-i)
	}
	w := newKnownWaits(jobs)
	w.follow(jobs[2].Spec.Recorded.At) // that of this time is not known
	if got := w.quantiles(); math.Abs(got[1]-399.5) > 1e-9 || math.Abs(got[0]-399.1) > 1e-9 {
		t.Errorf("two waits: %v", got)
	}
	w.follow(1e9) // the last 300 are 300, 299, ... 1
	if got := w.quantiles(); math.Abs(got[1]-150.5) > 1e-9 || math.Abs(got[2]-270.1) > 1e-9 {
		t.Errorf("all waits: %v", got)
	}
}
