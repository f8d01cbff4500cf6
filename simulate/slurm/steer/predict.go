package steer

import (
	"cmp"
	"context"
	"math"
	"slices"

	"revopt/simulate"
	"revopt/simulate/metric"
	"revopt/simulate/policy"
)

// Gain is what the jobs that wait would pay if every job ran up to its limit and none came, $.
type Gain struct {
	Now  metric.Number `json:"now"`  // in the order that Slurm has
	Then metric.Number `json:"then"` // in the order of the policy
}

// Predict sets the gain of a pass. Slurm backfills: with a reservation for the first job, or with none if all jobs are
// below the threshold of reservations.
func (s *Steerer) Predict(ctx context.Context, p *Pass) error {
	now, err := s.worth(ctx, p, func(w *waiting) int64 { return w.priority })
	if err != nil {
		return err
	}
	then, err := s.worth(ctx, p, func(w *waiting) int64 { return w.target })
	p.Gain = &Gain{Now: metric.Number(now), Then: metric.Number(then)}
	return err
}

// worth returns what the jobs that wait pay if they start by a priority.
func (s *Steerer) worth(ctx context.Context, p *Pass, priority func(*waiting) int64) (sum float64, err error) {
	sites := s.Orderer.Subject.Workload.Sites()
	now := float64(p.Now)
	queue := slices.Clone(p.queue)
	slices.SortFunc(queue, func(a, b *waiting) int { return before(a.number, b.number, priority(a), priority(b)) })
	for i := range sites {
		r := &forecast{}
		used := 0
		for _, j := range p.running {
			if j.Stray || j.Homeless || s.Orderer.site(j.Class) != i {
				continue
			}
			left := max(j.Queued.Start+j.Work-now, 1)
			r.add(simulate.Job{Class: j.Class, Width: j.Width, Work: left, Value: simulate.Value{Price: 1}}, 0, math.Inf(-1))
			used += j.Width
		}
		r.first = len(r.list)
		for place, w := range queue {
			if s.Orderer.site(w.Class) == i {
				job := simulate.Job{Class: w.Class, Width: w.Width, Work: max(w.Work, 1), Value: w.Value}
				r.add(job, now-w.Queued.Submit, float64(place))
			}
		}
		units := sites[i].Processors
		if s.Units > 0 && len(sites) == 1 {
			units = s.Units
		}
		value, err := r.run(ctx, max(units, used), !s.Reservations.Cluster)
		if err != nil {
			return 0, err
		}
		sum += value
	}
	return sum, nil
}

// forecast is a run of a queue in a given order.
type forecast struct {
	list   []simulate.Job // all are there at the beginning; those that run come first
	waited []float64      // s
	keys   []float64      // the least comes first
	first  int            // that waits
	next   int
	sum    float64
}

func (r *forecast) add(j simulate.Job, waited, key float64) {
	j.Expire = math.Inf(1)
	j.Spec.Details.Estimate = j.Work
	r.list = append(r.list, j)
	r.waited = append(r.waited, waited)
	r.keys = append(r.keys, key)
}

// run returns the value of the jobs that wait.
func (r *forecast) run(ctx context.Context, units int, free bool) (float64, error) {
	rule := &policy.Backfill{Key: func(j *simulate.Job, _ float64) float64 { return r.keys[j.ID] }}
	site := simulate.Site{Processors: units, Policy: rule}
	if free {
		r.rank()
		site.Policy = policy.NewHOL(true)
	}
	_, err := simulate.Run(ctx, simulate.Config{
		Source: r, Sites: []simulate.Site{site}, Observers: []simulate.Observer{r},
	})
	return r.sum, err
}

// rank gives jobs ranks in place of keys.
func (r *forecast) rank() {
	order := make([]int, len(r.list))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(r.keys[a], r.keys[b]) })
	for place, i := range order {
		r.list[i].Rank = len(order) - place
	}
}

// Next implements simulate.Source.
func (r *forecast) Next(j *simulate.Job) (bool, error) {
	if r.next == len(r.list) {
		return false, nil
	}
	*j = r.list[r.next]
	r.next++
	return true, nil
}

// Observe implements simulate.Observer.
func (r *forecast) Observe(e simulate.Event) {
	if e.Kind == simulate.Completed && e.Job.ID >= int64(r.first) {
		r.sum += e.Job.Value.At(e.Time + r.waited[e.Job.ID])
	}
}
