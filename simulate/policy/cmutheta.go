package policy

import (
	"cmp"
	"slices"

	"revopt/simulate"
)

// classIndex is EASY backfilling in the order of an index of classes, within a class by arrival: "The cμ/θ rule for
// many-server queues with abandonment".
//
// # Policy cmu-theta
//
// Orders classes by an index, for jobs whose customers have patience, and serves a class by arrival with the
// backfilling of easy. It is the rule of Atar, Giat and Shimkin (2010), which minimizes the holding costs of an
// overloaded machine of many servers:
//
//	c mu/theta + d mu
//
// with the holding cost c, the service rate mu, the rate of abandonment theta = 1/patience and the cost d of a job
// that leaves. Here c is the mean decay and d the mean price of a job, and 1/mu its mean processor-seconds, over the
// jobs of the class so far. A class without patience loses c for ever: if c > 0 such classes come first, by c mu, so
// that without any patience this is the c-mu rule.
type classIndex struct {
	Backfill
	patience []float64 // mean by class, s; 0: none
	classes  []classMeans
	order    []*classMeans
}

// classMeans is the jobs of a class so far, and its place in the order.
type classMeans struct {
	jobs, area, decay, price float64 // sums
	endless, index           float64 // the index, and that of classes whose first is 0
	place                    float64
}

func classIndexSpec() Spec {
	return Spec{
		Name: "cmu-theta", Title: "c-mu/theta",
		Summary: "EASY backfilling by class: decay times patience, and price, per processor-second",
		Runs:    Plugin, Limited: true, Cost: 5e-6, Needs: Needs{Alike: true, Prices: true},
		Options: append(planOptions(), Option{Name: "backfill", Values: []string{"easy", "none"}}),
		Make: InContext(func(s Settings, f Context) simulate.Policy {
			p := &classIndex{patience: f.Patience}
			p.Terms, p.InOrder = s.Terms(), s["backfill"] == "none"
			p.Limit = s.Limit()
			p.Order = func(j *simulate.Job, _, _ float64) float64 { return p.classes[j.Class].place }
			return p
		}),
	}
}

// Arrive implements simulate.Policy.
func (p *classIndex) Arrive(c *simulate.Cluster, j *simulate.Job) {
	for j.Class >= len(p.classes) {
		p.classes = append(p.classes, classMeans{})
	}
	m := &p.classes[j.Class]
	m.jobs++
	length := p.RunTime(j)
	value := j.Stated(length)
	m.area += float64(j.Width) * max(length, leastRun)
	m.decay += value.Decay
	m.price += max(value.Price, 0)
	p.Backfill.Arrive(c, j)
}

// Schedule implements simulate.Policy.
func (p *classIndex) Schedule(c *simulate.Cluster) {
	p.order = p.order[:0]
	for i := range p.classes {
		m := &p.classes[i]
		cost := m.decay / max(m.jobs, 1)
		price := m.price / max(m.jobs, 1)
		mu := m.jobs / max(m.area, leastRun)
		m.endless = cost * mu
		m.index = price * mu
		if i < len(p.patience) && p.patience[i] > 0 {
			m.endless = 0
			m.index += cost * mu * p.patience[i]
		}
		p.order = append(p.order, m)
	}
	compare := func(a, b *classMeans) int {
		return cmp.Or(cmp.Compare(b.endless, a.endless), cmp.Compare(b.index, a.index))
	}
	slices.SortFunc(p.order, compare)
	for i, m := range p.order {
		m.place = float64(i)
		if i > 0 && compare(p.order[i-1], m) == 0 {
			m.place = p.order[i-1].place
		}
	}
	p.Backfill.Schedule(c)
}
