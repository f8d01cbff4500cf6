package quote

import (
	"context"
	"math"

	"revopt/internal/text"
	"revopt/simulate"
	"revopt/simulate/metric"
	"revopt/simulate/policy"
	"revopt/simulate/subject"
	"revopt/simulate/workload"
)

// QuoteScore says how good quotes at submission are over a log.
type QuoteScore struct {
	N     int           `json:"n"`     // jobs that were quoted
	Level metric.Number `json:"level"` // of the ranges from the quantile 10 % to 90 %
	// share of the starts; one at an end of its range counts in part
	Inside        metric.Number `json:"inside"`
	InsideClosed  metric.Number `json:"inside_closed"`  // and in whole
	Sharpness     metric.Number `json:"sharpness"`      // mean width of the ranges, s
	Pinball       metric.Number `json:"pinball"`        // mean loss of the three quantiles, s
	MedianPinball metric.Number `json:"median_pinball"` // that of the median, s: half the mean absolute error
	// that of EASY's reservation, which is all three quantiles
	ReservationPinball metric.Number `json:"reservation_pinball"`
}

// quoteDraws is the number of simulations for a quote that is corrected.
const quoteDraws = 8

// ScoreQuotes quotes at most the given number of jobs of a log, evenly over its jobs, each at its
// submission, and compares the quotes with the recorded starts. All jobs are learned from. Jobs are
// in order of submission.
func ScoreQuotes(ctx context.Context, jobs []simulate.Job, nodes int, p subject.Policy, most int,
	seed uint64) (*QuoteScore, error) {
	make := func() ([]workload.Site, error) {
		policies, _, err := p.Spec.Build(p.Settings, policy.Context{Processors: []int{nodes}, Pools: []string{""},
			Customers: []string{""}})
		if err != nil {
			return nil, err
		}
		return []workload.Site{{Site: simulate.Site{Processors: nodes, Policy: policies[0]}}}, nil
	}
	q := &quoter{sites: make, history: jobs, seed: seed}
	score := new(QuoteScore)
	err := q.quoteAll(ctx, new(calibration), len(jobs), most, score)
	return score, err
}

// quoteAll quotes at most the given number of the first jobs of the history at their submission.
func (q *quoter) quoteAll(ctx context.Context, c *calibration, end, most int, score *QuoteScore) error {
	for i := range q.history[:end] {
		j := &q.history[i]
		q.advance(j.Submit, i+1)
		if !j.Spec.Recorded.Ran || i*most/end == (i+1)*most/end && most < end {
			continue
		}
		c.follow(q.now)
		like, waits, err := q.waits(ctx, len(q.waiting)-1, quoteDraws)
		if err != nil {
			return err
		}
		if len(waits) == 0 { // the policy does not serve it
			continue
		}
		wait := j.Spec.Recorded.At - j.Submit
		unit := q.meanRun()
		d, parts := c.correct(&like, waits, q.now, unit)
		quantiles, below := c.add(like, d, parts, q.now, wait, unit)
		if score == nil {
			continue
		}
		reserved, err := q.reservation(ctx)
		if err != nil {
			return err
		}
		score.add(wait, quantiles, below, reserved)
	}
	return nil
}

// likeness returns what similar quotes of a waiting job are found by, but for the simulated mean.
func (q *quoter) likeness(j *simulate.Job) likeness {
	d := &j.Spec.Details
	return likeness{
		estimate: q.planned(j), width: float64(j.Width), queue: d.Queue, user: d.User,
		queued: text.Sum(q.waiting, func(w *simulate.Job) float64 {
			return metric.Indicator(w.Submit <= j.Submit) * q.planned(w) * float64(w.Width) // as at its submission
		}) / q.units,
	}
}

// waits returns the simulated waits of one of the waiting jobs, and by what similar quotes are found.
func (q *quoter) waits(ctx context.Context, target, draws int) (like likeness, list []float64, err error) {
	var s stateRun
	for k := range draws {
		sites, err := q.sites()
		if err != nil {
			return like, nil, err
		}
		s.rng = simulate.Stream(q.seed, k, "quotes", q.came)
		s.prepare(q, sites, func(j *simulate.Job, ran float64) float64 { return q.length(j, ran, s.rng) })
		s.target = target
		if err := s.run(ctx, sites, len(q.history)); err != nil {
			return like, nil, err
		}
		if wait := s.times[target][0]; !math.IsNaN(wait) {
			list = append(list, wait)
		}
	}
	like = q.likeness(q.waiting[target])
	like.mean = text.Sum(list, func(x float64) float64 { return x / float64(len(list)) })
	return like, list, nil
}

// reservation returns when EASY would start the last job that waits if all jobs ran for their
// estimates and none came, s from now.
func (q *quoter) reservation(ctx context.Context) (float64, error) {
	sites, err := q.sites()
	if err != nil {
		return 0, err
	}
	for i := range sites {
		sites[i].Policy = new(policy.Backfill)
	}
	var s stateRun
	s.rng = simulate.Stream(q.seed, 0, "reservation", 0)
	s.prepare(q, sites, func(j *simulate.Job, ran float64) float64 { return max(q.planned(j), ran) })
	s.target = len(q.waiting) - 1
	err = s.run(ctx, sites, 0)
	return s.times[s.target][0], err
}

// add adds a quote and the wait.
func (s *QuoteScore) add(wait float64, quantiles, below [3]float64, reserved float64) {
	var losses [3]float64
	for k, level := range quoteLevels() {
		losses[k] = pinball(level, wait, quantiles[k])
	}
	s.N, s.Level = s.N+1, 0.8
	mean := func(mean *metric.Number, x float64) { *mean += (metric.Number(x) - *mean) / metric.Number(s.N) }
	mean(&s.Inside, below[2]-below[0])
	mean(&s.InsideClosed, metric.Indicator(quantiles[0]-tick <= wait && wait <= quantiles[2]+tick))
	mean(&s.Sharpness, quantiles[2]-quantiles[0])
	mean(&s.Pinball, (losses[0]+losses[1]+losses[2])/3)
	mean(&s.MedianPinball, losses[1])
	mean(&s.ReservationPinball, math.Abs(wait-reserved)/2)
}
