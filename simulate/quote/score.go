package quote

import (
	"cmp"
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
	N       int           // jobs that were quoted
	Level   metric.Number // of the ranges from the quantile 10 % to 90 %
	Inside  metric.Number // share of the starts; one at an end of its range counts in part
	Width   metric.Number // mean of the ranges, s
	Pinball metric.Number // mean loss of the three quantiles, s

	ReservationPinball metric.Number // that of EASY's reservation, which is all three quantiles
	NaivePinball       metric.Number // that of the quantiles of the last known waits

	Records []Record
	Queues  map[int]*QuoteScore // the scores of the jobs of each queue, which is a QOS
}

// Record is the quote of a job at its submission.
type Record struct {
	ID            int64      // of the log
	Submit, Start float64    // s of the log
	Quantiles     [3]float64 // s from submission, as all that follow
	Reservation   float64
	Naive         float64 // the median of the last known waits
	Inside        float64 // share of the start that is inside the range
}

// quoteDraws is the number of simulations for a quote that is corrected.
const quoteDraws = 8

// ScoreQuotes quotes at most the given number of jobs of a log, evenly over its jobs, each at its
// submission, and compares the quotes with the recorded starts. All jobs are learned from. Jobs are
// in order of submission. Names are those of policy.Context.
func ScoreQuotes(ctx context.Context, jobs []simulate.Job, nodes int, p subject.Policy,
	names map[string]map[int32]string, most int, seed uint64) (*QuoteScore, error) {
	q := quoterOf(jobs, nodes, p, names, seed)
	score := new(QuoteScore)
	err := q.quoteAll(ctx, new(calibration), len(jobs), most, score)
	return score, err
}

// quoterOf returns a quoter of a machine of one pool under a policy.
func quoterOf(
	jobs []simulate.Job, nodes int, p subject.Policy, names map[string]map[int32]string, seed uint64,
) *quoter {
	sites := func() ([]workload.Site, error) {
		policies, _, err := p.Spec.Build(p.Settings, policy.Context{Processors: []int{nodes}, Pools: []string{""},
			Customers: []string{""}, Names: names})
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
		record := Record{ID: j.ID, Submit: j.Submit, Start: j.Spec.Recorded.At, Quantiles: quantiles, Reservation: reserved}
		for _, s := range []*QuoteScore{score, score.queue(j.Spec.Details.Queue)} {
			s.add(record, below, naive.quantiles())
		}
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

// queue returns the score of the jobs of a queue.
func (s *QuoteScore) queue(number int) *QuoteScore {
	if s.Queues == nil {
		s.Queues = map[int]*QuoteScore{}
	}
	s.Queues[number] = cmp.Or(s.Queues[number], new(QuoteScore))
	return s.Queues[number]
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
	r.Inside = below[2] - below[0]
	s.Records = append(s.Records, r)
	s.N, s.Level = s.N+1, 0.8
	mean := func(mean *metric.Number, x float64) { *mean += (metric.Number(x) - *mean) / metric.Number(s.N) }
	mean(&s.Inside, r.Inside)
	mean(&s.Width, r.Quantiles[2]-r.Quantiles[0])
	mean(&s.Pinball, (losses[0]+losses[1]+losses[2])/3)
	mean(&s.ReservationPinball, math.Abs(wait-r.Reservation)/2)
	mean(&s.NaivePinball, (naiveLosses[0]+naiveLosses[1]+naiveLosses[2])/3)
}
