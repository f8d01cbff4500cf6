package experiment

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sync"

	"revopt/model"
	"revopt/simulate/analytic"
	"revopt/simulate/subject"
	"revopt/simulate/workload"
)

// Prices searches for the shares to sell, see vendor, that earn most, from the stated prices and from those
// of Priced. A trace is searched on its jobs.
func (s Search) Prices(ctx context.Context, seller *subject.Subject) ([]float64, error) {
	model, err := analytic.Priced(ctx, seller)
	if err != nil {
		return nil, err
	}
	v := &vendor{subject: seller, known: map[string]*subject.Subject{}}
	starts := [][]float64{v.shares(seller), v.shares(model)}
	best, err := s.maximize(ctx, starts, func(ctx context.Context, x []float64) (workload.Workload, Admission, error) {
		at, err := v.selling(ctx, x)
		if err != nil {
			return nil, Admission{}, err
		}
		return at.Workload, Admission{Admit: at.Shares}, nil
	})
	if err != nil {
		return nil, fmt.Errorf("search for the prices that earn most under %s: %w", s.Experiment.Policy.Label(), err)
	}
	return best, nil
}

// vendor makes subjects at other prices. A share of a class with a demand is one of
// the most that may be sold, at the highest price at which so many come; of
// another class it is the share to admit.
type vendor struct {
	subject *subject.Subject
	mu      sync.Mutex
	known   map[string]*subject.Subject
}

// Selling returns a subject at the prices at which the given shares are sold, see vendor.
func Selling(ctx context.Context, s *subject.Subject, shares []float64) (*subject.Subject, error) {
	return (&vendor{subject: s, known: map[string]*subject.Subject{}}).selling(ctx, shares)
}

// most returns the rate of a class beyond which selling more earns less.
func (v *vendor) most(c model.Class) float64 {
	if v.subject.Trace != nil {
		return math.Min(1, c.Demand.Most())
	}
	return math.Min(c.Demand.Most(), 2*v.subject.Scenario.Parallel/c.Length.Mean())
}

// shares returns those of a subject, by customer.
func (v *vendor) shares(s *subject.Subject) []float64 {
	x := slices.Repeat([]float64{1}, len(v.subject.Workload.Customers()))
	if s.Shares != nil {
		copy(x, s.Shares)
	}
	for i, c := range s.Scenario.Classes {
		if c.Demand != nil {
			x[i] = math.Min(1, x[i]*c.Rate/v.most(c))
		}
	}
	return x
}

// selling returns the subject with the given shares sold.
func (v *vendor) selling(ctx context.Context, x []float64) (*subject.Subject, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	key := fmt.Sprint(x)
	if s := v.known[key]; s != nil {
		return s, nil
	}
	p := v.subject.Copy()
	p.Shares = slices.Clone(x)
	for i := range p.Scenario.Classes {
		c := &p.Scenario.Classes[i]
		if c.Demand == nil {
			continue
		}
		all := *c
		all.Rate = v.most(*c)
		sale := all.Sale(x[i])
		p.Shares[i] = sale.Admit
		if sale.Rate > 0 {
			*c = c.Repriced(sale.Price/v.subject.PriceOf(*c), sale.Price)
		}
		c.Rate = sale.Rate
	}
	if err := p.Reopen(ctx); err != nil {
		return nil, err
	}
	v.known[key] = p
	return p, nil
}
