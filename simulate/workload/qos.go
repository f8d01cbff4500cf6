package workload

import (
	"fmt"
	"math"
	"math/rand/v2"

	"revopt/simulate"
)

// The classes of jobs with QoS, by urgency. They are also the jobs' ranks.
const (
	LowUrgency = iota
	HighUrgency
)

// Urgencies returns the names of the classes.
func Urgencies() []string { return []string{"low", "high"} }

// QoS says how deadlines, budgets and penalties are drawn for the jobs of a
// trace, which records none (Yeo and Buyya 2007, section VII.B; 2005, section
// 5.1).
//
// A job is of high urgency by lot. With R its true run time its deadline is
// d R, its budget b R and its penalty rate p, where d, b and p are normal
// about the mean of its class, drawn until d > 1, b > 1 and p >= 0. High
// urgency means the short deadline, the large budget and the large penalty.
type QoS struct {
	HighUrgency float64    // share of jobs
	Deadline    Spread     // of d
	Budget      Spread     // of b; $ per second of R
	Penalty     Spread     // of p; $ per second of delay
	Hard        [2]float64 // share of jobs whose deadline is hard, by class
	Inaccuracy  float64    // the estimate is RE = R (1 - Inaccuracy)
	OfUsers     bool       // the estimate is that of the user, as the trace records it
}

// Spread is a quantity that differs between the classes and, normally
// distributed, within each.
type Spread struct {
	LowMean float64 // of the class in which it is small
	Ratio   float64 // the mean of the other class over LowMean
	SD      float64 // standard deviation over mean, in either class
}

// means returns the means of the two classes, where the small one belongs to
// the given class.
func (s Spread) means(small int) (m [2]float64) {
	m[small], m[1-small] = s.LowMean, s.LowMean*s.Ratio
	return m
}

// Validate reports what cannot be drawn.
func (q *QoS) Validate() error {
	for _, p := range []float64{q.HighUrgency, q.Hard[LowUrgency], q.Hard[HighUrgency]} {
		if !(p >= 0 && p <= 1) {
			return fmt.Errorf("workload: share %g of jobs", p)
		}
	}
	if !(q.Inaccuracy >= 0 && q.Inaccuracy < 1) {
		return fmt.Errorf("workload: inaccuracy %g of run times", q.Inaccuracy)
	}
	for _, s := range []struct {
		Spread
		least float64
	}{{q.Deadline, 1}, {q.Budget, 1}, {q.Penalty, 0}} {
		if !(s.LowMean >= 0 && s.Ratio >= 0 && s.SD >= 0) || math.IsInf(s.LowMean*s.Ratio*(1+s.SD), 0) {
			return fmt.Errorf("workload: spread %+v", s.Spread)
		}
		for _, mean := range s.means(LowUrgency) {
			if !Drawable(mean, s.SD*mean, s.least) {
				return fmt.Errorf("workload: normal numbers of mean %g and sd %g are hardly ever above %g", mean, s.SD*mean, s.least)
			}
		}
	}
	return nil
}

// rarest is how many standard deviations the limit of a truncated normal may
// lie above its mean: one draw in a thousand million passes it.
const rarest = 6

// Drawable reports whether a normal can be drawn until it passes a limit: a
// limit of 0 may be met, any other must be exceeded.
func Drawable(mean, sd, limit float64) bool {
	if sd == 0 {
		return mean > limit || limit == 0 && mean == 0
	}
	return limit-mean <= rarest*sd
}

// truncated is a normal drawn until it exceeds a limit. It takes one uniform
// number, so that job k of two workloads has the same luck whatever their
// parameters:
//
//	x = mean + sd Q^-1(u Q((limit - mean)/sd)), Q the upper tail.
type truncated struct {
	mean, sd, limit float64
	tail            float64 // probability of exceeding the limit
}

func newTruncated(mean, sd, limit float64) truncated {
	return truncated{mean, sd, limit, math.Erfc((limit-mean)/(sd*math.Sqrt2)) / 2}
}

// draw returns the number of which a share u of all lie above.
func (t *truncated) draw(u float64) float64 {
	if t.sd == 0 {
		return t.mean
	}
	// Below this the inverse has no digits left; it is 8 sd away.
	p := math.Max(u*t.tail, 1e-15)
	x := t.mean + t.sd*math.Sqrt2*math.Erfcinv(2*p)
	return math.Max(x, t.limit*(1+1e-12))
}

// decorator draws the QoS of jobs.
type decorator struct {
	qos                                      QoS
	deadline, budget, penalty                [2]truncated // by class
	urgency, deadlines, budgets, rates, hard *rand.Rand
}

func newDecorator(q QoS, seed uint64, replication int) (*decorator, error) {
	if err := q.Validate(); err != nil {
		return nil, err
	}
	stream := func(purpose string) *rand.Rand { return simulate.Stream(seed, replication, purpose, 0) }
	d := &decorator{
		qos: q, urgency: stream("urgency"), deadlines: stream("deadlines"),
		budgets: stream("budgets"), rates: stream("penalties"), hard: stream("hard"),
	}
	short, large, rate := q.Deadline.means(HighUrgency), q.Budget.means(LowUrgency), q.Penalty.means(LowUrgency)
	for class := range 2 {
		d.deadline[class] = newTruncated(short[class], q.Deadline.SD*short[class], 1)
		d.budget[class] = newTruncated(large[class], q.Budget.SD*large[class], 1)
		d.penalty[class] = newTruncated(rate[class], q.Penalty.SD*rate[class], 0)
	}
	return d, nil
}

// decorate states the QoS of a job. Every stream gives one number per job,
// whatever becomes of it.
func (d *decorator) decorate(j *simulate.Job) {
	class := LowUrgency
	if d.urgency.Float64() < d.qos.HighUrgency {
		class = HighUrgency
	}
	j.Class, j.Rank = class, class
	if !d.qos.OfUsers {
		j.Spec.Details.Estimate = j.Work * (1 - d.qos.Inaccuracy)
	}
	due := j.Work * d.deadline[class].draw(open(d.deadlines))
	price := j.Work * d.budget[class].draw(open(d.budgets))
	decay := d.penalty[class].draw(open(d.rates))
	j.Value = simulate.ByDeadline(price, due, decay, d.hard.Float64() < d.qos.Hard[class])
}

// open returns a uniform number between 0 and 1, both excluded.
func open(r *rand.Rand) float64 { return (float64(r.Uint64()>>11) + 0.5) / (1 << 53) }
