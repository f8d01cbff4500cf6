package study

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sync"

	"revopt/internal/text"
	"revopt/model"
	"revopt/simulate/workload"
)

// Priced returns the subject at the prices that earn most by the model, and the
// Shares to admit of the jobs that come at them. A
// class that sells nothing keeps its price, and none of its jobs come. For a trace
// the formulas are those of the fitted classes; a customer with several classes
// asks their mean price, weighted by the jobs sold.
func Priced(ctx context.Context, s *Subject) (*Subject, error) {
	a, err := Analyze(ctx, s, 0, 0)
	if err != nil {
		return nil, err
	}
	priced, err := a.priced()
	if err != nil {
		return nil, err
	}
	best, err := priced.Best(ctx, a.System.Residual)
	if err != nil {
		return nil, err
	}
	p := s.repriced()
	n := len(p.Scenario.Classes)
	shares, dearer, sold := make([]float64, len(best.Classes)), make([]float64, n), make([]float64, n)
	for k, class := range best.Classes {
		shares[k] = float64(class.Admit)
		if c := a.System.Classes[k]; c.Demand != nil && class.Rate > 0 {
			i := a.Customer[k]
			dearer[i] += float64(class.Rate) * float64(class.Price) / c.StatedPrice()
			sold[i] += float64(class.Rate)
		}
	}
	for i := range p.Scenario.Classes {
		if c := &p.Scenario.Classes[i]; c.Demand != nil && sold[i] > 0 {
			k := dearer[i] / sold[i]
			*c = c.Repriced(k, k*s.asked(*c))
		} else if c.Demand != nil {
			c.Rate = 0
		}
	}
	p.Shares = a.ByCustomer(shares, len(s.Workload.Customers()))
	return p, p.opened(ctx)
}

// repriced returns a copy whose classes can be given other prices.
func (s *Subject) repriced() *Subject {
	sc, p := *s.Scenario, *s
	sc.Classes = slices.Clone(sc.Classes)
	p.Scenario = &sc
	return &p
}

// atStated returns the subject at the prices of demands, so that all jobs of its trace come.
func (s *Subject) atStated(ctx context.Context) (*Subject, error) {
	if !slices.ContainsFunc(s.Scenario.Classes, func(c model.Class) bool { return c.Demand != nil && c.Rate != 1 }) {
		return s, nil
	}
	p := s.repriced()
	for i := range p.Scenario.Classes {
		if c := &p.Scenario.Classes[i]; c.Demand != nil {
			*c = c.Repriced(c.Demand.Price/s.asked(*c), c.Demand.Price)
		}
	}
	return p, p.opened(ctx)
}

// opened makes the workload of a copy whose classes have other prices.
func (s *Subject) opened(ctx context.Context) error {
	if s.Trace != nil {
		return s.laid(ctx)
	}
	s.Scenario.Load = s.Scenario.System().Load()
	err := s.classes()
	if s.Scenario.Pools != nil && err == nil {
		s.Scenario.Load = s.Workload.Load() // the mean width of all pools together may be another
	}
	return err
}

// asked returns the price of a class in the unit of its demand: the mean of its
// jobs or, on a trace, that of a job one second long and one node wide.
func (s *Subject) asked(c model.Class) float64 {
	if s.Trace != nil {
		return c.Price.Of(1, 1)
	}
	return c.StatedPrice()
}

// prices searches for the shares to sell, see vendor, that earn most, from the stated prices and from those
// of Priced. A trace is searched on its jobs.
func (s Search) prices(ctx context.Context, subject *Subject) ([]float64, error) {
	model, err := Priced(ctx, subject)
	if err != nil {
		return nil, err
	}
	v := &vendor{subject: subject, known: map[string]*Subject{}}
	starts := [][]float64{v.shares(subject), v.shares(model)}
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
	subject *Subject
	mu      sync.Mutex
	known   map[string]*Subject
}

// most returns the rate of a class beyond which selling more earns less.
func (v *vendor) most(c model.Class) float64 {
	if v.subject.Trace != nil {
		return math.Min(1, c.Demand.Most())
	}
	return math.Min(c.Demand.Most(), 2*v.subject.Scenario.Parallel/c.Length.Mean())
}

// shares returns those of a subject, by customer.
func (v *vendor) shares(s *Subject) []float64 {
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
func (v *vendor) selling(ctx context.Context, x []float64) (*Subject, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	key := fmt.Sprint(x)
	if s := v.known[key]; s != nil {
		return s, nil
	}
	p := v.subject.repriced()
	p.Shares = slices.Clone(x)
	for i := range p.Scenario.Classes {
		c := &p.Scenario.Classes[i]
		if c.Demand == nil {
			continue
		}
		all := *c
		all.Rate = v.most(*c)
		sale := all.Sale(x[i])
		if p.Shares[i] = sale.Admit; sale.Rate > 0 {
			*c = c.Repriced(sale.Price/v.subject.asked(*c), sale.Price)
		}
		c.Rate = sale.Rate
	}
	if err := p.opened(ctx); err != nil {
		return nil, err
	}
	v.known[key] = p
	return p, nil
}

// Asked returns the prices that customers with a demand are asked.
func (s *Subject) Asked() []AskedPrice {
	var list []AskedPrice
	for _, c := range s.Scenario.Classes {
		if c.Demand == nil {
			continue
		}
		p := AskedPrice{c.Name, Number(c.Price.Fixed), "$", Number(c.Rate / c.Demand.Rate)}
		switch t := c.Price; {
		case t.PerSecond > 0:
			p.Price, p.Unit = Number(hour*t.PerSecond), "$/hour"
		case t.PerNodeSecond > 0:
			p.Price, p.Unit = Number(hour*t.PerNodeSecond), "$/"+text.Unit(s.Unit())+"-hour"
		}
		list = append(list, p)
	}
	return list
}
