package metric

import "revopt/simulate"

// Prices is an observer that notes the prices of markets over time, by site.
type Prices []PricePath

// PricePath is the price of a processor, $/h, from each time on. The last time is the end.
type PricePath struct {
	Name  string    `json:"name"` // of the market, for readers
	Time  []float64 `json:"x"`    // s
	Price []float64 `json:"y"`
}

// Observe implements simulate.Observer.
func (p *Prices) Observe(e simulate.Event) {
	if e.Site == nil || e.Site.Market() == nil || e.Kind != simulate.Priced && e.Kind != simulate.Ended {
		return
	}
	for e.Site.Index() >= len(*p) {
		*p = append(*p, PricePath{Time: []float64{0}, Price: []float64{0}})
	}
	s, price := &(*p)[e.Site.Index()], 3600*e.Site.Market().Price()
	if last := len(s.Time) - 1; s.Time[last] == e.Time { // the last price of an instant counts
		s.Price[last] = price
		return
	}
	s.Time, s.Price = append(s.Time, e.Time), append(s.Price, price)
}

// Thinned returns the means over so many equal times if there are more steps.
func (s PricePath) Thinned(steps int) PricePath {
	last, i := len(s.Time)-1, 0
	if last <= steps {
		return s
	}
	bin, t := s.Time[last]/float64(steps), PricePath{s.Name, make([]float64, steps+1), make([]float64, steps+1)}
	for k := range steps {
		for t.Time[k+1] = float64(k+1) * bin; i < last; i++ {
			t.Price[k] += s.Price[i] * (min(s.Time[i+1], t.Time[k+1]) - max(s.Time[i], t.Time[k])) / bin
			if s.Time[i+1] > t.Time[k+1] {
				break
			}
		}
	}
	t.Price[steps] = s.Price[last]
	return t
}
