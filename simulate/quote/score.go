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
	NaivePinball       metric.Number `json:"naive_pinball"` // that of the quantiles of the last known waits
	// Blocks are the shares inside of every 500 quotes in a row, without those left over.
	Blocks  []metric.Number `json:"inside_blocks"`
	Records []Record        `json:"-"`
	block   float64         // the share of the block so far
}

// Record is the quote of a job at its submission.
type Record struct {
	ID            int64      // of the log
	Submit, Start float64    // s of the log
	Quantiles     [3]float64 // s from submission, as all that follow
	Reservation   float64
	Naive         float64 // the median of the last known waits
}

// blockSize is the number of quotes of a block.
const blockSize = 500

// quoteDraws is the number of simulations for a quote that is corrected.
const quoteDraws = 8

// ScoreQuotes quotes at most the given number of jobs of a log, evenly over its jobs, each at its
// submission, and compares the quotes with the recorded starts. All jobs are learned from. Jobs are
// in order of submission.
func ScoreQuotes(ctx context.Context, jobs []simulate.Job, nodes int, p subject.Policy, most int,
	seed uint64) (*QuoteScore, error) {
	q := quoterOf(jobs, nodes, p, seed)
	score := &QuoteScore{Blocks: []metric.Number{}}
	err := q.quoteAll(ctx, new(calibration), len(jobs), most, score)
	return score, err
}

// quoterOf returns a quoter of a machine of one pool under a policy.
func quoterOf(jobs []simulate.Job, nodes int, p subject.Policy, seed uint64) *quoter {
	sites := func() ([]workload.Site, error) {
		policies, _, err := p.Spec.Build(p.Settings, policy.Context{Processors: []int{nodes}, Pools: []string{""},
			Customers: []string{""}})
		if err != nil {
			return nil, err
		}
		return []workload.Site{{Site: simulate.Site{Processors: nodes, Policy: policies[0]}}}, nil
	}
	return &quoter{sites: sites, history: jobs, seed: seed}
}

// quoteAll quotes at most the given number of the first jobs of the history at their submission.
func (q *quoter) quoteAll(ctx context.Context, c *calibration, end, most int, score *QuoteScore) error {
	naive := newKnownWaits(q.history[:end])
	for i := range q.history[:end] {
		j := &q.history[i]
		q.advance(j.Submit, i+1) // jobs behind it have not come yet, even those of the same second
		target := len(q.waiting) - 1
		if !j.Spec.Recorded.Ran || i*most/end == (i+1)*most/end && most < end {
			continue
		}
		if target < 0 || q.waiting[target] != j { // by its log it started before it was submitted
			continue
		}
		c.follow(q.now)
		like, waits, err := q.waits(ctx, target, quoteDraws)
		if err != nil {
			return err
		}
		if len(waits) == 0 { // the policy does not serve it
			continue
		}
		wait := j.Spec.Recorded.At - j.Submit
		unit := q.meanRun()
		d, list := c.correct(&like, waits, q.now, unit)
		quantiles, below := c.add(like, d, list, q.now, wait, unit)
		if score == nil {
			continue
		}
		reserved, err := q.reservation(ctx)
		if err != nil {
			return err
		}
		naive.follow(q.now)
		score.add(Record{j.ID, j.Submit, j.Spec.Recorded.At, quantiles, reserved, 0}, below, naive.quantiles())
	}
	return nil
}

// likeness returns what similar quotes of one of the waiting jobs are found by, but for the simulated mean.
func (q *quoter) likeness(target int) likeness {
	j := q.waiting[target]
	d := &j.Spec.Details
	like := likeness{estimate: q.planned(j), width: float64(j.Width), queue: d.Queue, user: d.User}
	for _, w := range q.waiting[:target+1] { // the jobs behind it had not come at its submission
		work := q.planned(w) * float64(w.Width) / q.units
		like.queued += work
		if w.Spec.Details.User == d.User {
			like.ofUser += work
		}
	}
	return like
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
	like = q.likeness(target)
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

// add adds a quote, the parts of the start below its quantiles, and the naive quantiles.
func (s *QuoteScore) add(r Record, below, naive [3]float64) {
	wait := r.Start - r.Submit
	var losses, naiveLosses [3]float64
	for k, level := range quoteLevels() {
		losses[k] = pinball(level, wait, r.Quantiles[k])
		naiveLosses[k] = pinball(level, wait, naive[k])
	}
	r.Naive = naive[1]
	s.Records = append(s.Records, r)
	s.N, s.Level = s.N+1, 0.8
	mean := func(mean *metric.Number, x float64) { *mean += (metric.Number(x) - *mean) / metric.Number(s.N) }
	inside := below[2] - below[0]
	mean(&s.Inside, inside)
	mean(&s.InsideClosed, metric.Indicator(r.Quantiles[0]-tick <= wait && wait <= r.Quantiles[2]+tick))
	mean(&s.Sharpness, r.Quantiles[2]-r.Quantiles[0])
	mean(&s.Pinball, (losses[0]+losses[1]+losses[2])/3)
	mean(&s.MedianPinball, losses[1])
	mean(&s.ReservationPinball, math.Abs(wait-r.Reservation)/2)
	mean(&s.NaivePinball, (naiveLosses[0]+naiveLosses[1]+naiveLosses[2])/3)
	s.block += inside / blockSize
	if s.N%blockSize == 0 {
		s.Blocks = append(s.Blocks, metric.Number(s.block))
		s.block = 0
	}
}
