package report

import (
	"math"
	"strings"

	"revopt/internal/text"
	"revopt/model"
	"revopt/simulate/metric"
	"revopt/simulate/study"
	"revopt/simulate/subject"
)

// Headline is an answer in a few words.
type Headline struct {
	Earns    string `json:"earns"`    // as solve prints it
	Possible string `json:"possible"` // "" where nothing is proven
	Unit     string `json:"unit"`
	Of       string `json:"of"`    // that for which Possible is proven
	Admit    string `json:"admit"` // a sentence
	Rent     string `json:"rent"`  // a sentence; "" without rented units
	Next     string `json:"next"`  // a sentence
	Model    string `json:"model"` // the delays of the formulas, a sentence
}

// Headline says what the admission earns of the possible, what it admits, and what more is worth.
func (a Answer) Headline() *Headline {
	earns, possible := a.RevenuePerSecond, a.UpperBoundPerSecond
	if a.Control != nil {
		earns, possible = a.Control.RevenuePerSecond, a.Control.UpperBoundPerSecond
	}
	h := &Headline{Earns: perHour(earns), Unit: "$/h", Admit: a.admitWords(), Next: a.nextWords()}
	if rent := a.rentWords(mostNamed); rent != "" {
		h.Rent = strings.ToUpper(rent[:1]) + rent[1:] + "."
	}
	if _, limits := a.controlWords(); a.Control != nil {
		if len(limits) > mostNamed {
			limits = nil
		}
		h.Admit = said("headline-control", strings.Join(limits, "; "))
	}
	if !math.IsInf(float64(possible), 0) {
		h.Possible = perHour(possible)
	}
	kind := struct{ Proven, Control, Prices, Printed bool }{
		h.Possible != "", a.Control != nil, a.Stated != nil, a.System.Residual == model.Printed,
	}
	h.Of = said("headline-of", kind)
	h.Model = said("headline-model", delayWords(a.System.Residual.String()))
	return h
}

// Words say what an admission that depends on the queue earns, and its rules.
func (a Answer) Words() []string {
	earns, limits := a.controlWords()
	words := text.Each(earns, func(line string) string { return strings.ToUpper(line[:1]) + line[1:] + "." })
	return append(words, text.Each(limits, func(line string) string { return line + "." })...)
}

// mostNamed is how many classes a headline names.
const mostNamed = 5

// admitWords says which classes are admitted, and which of them in part.
func (a Answer) admitWords() string {
	var all, some, none []string
	add := func(list *[]string, name string) { *list = append(*list, text.OneLine(name)) }
	for _, c := range a.Classes {
		name := subject.Section{Name: c.Name, Pool: c.Pool}.Label()
		if len(a.Classes) == 1 {
			name = "the jobs"
		}
		switch share := text.Percent(float64(c.Admit)); {
		case share == text.Percent(1):
			add(&all, name)
		case c.Admit > 0:
			add(&some, share+" of "+name)
		default:
			add(&none, name)
		}
	}
	words := struct{ All, Some, None string }{enumerate(all), enumerate(some), enumerate(none)}
	if len(a.Classes) > mostNamed { // as of a trace
		offered, admitted := a.Rates()
		counts := struct{ Share, All, Some, None any }{admitted / offered, len(all), len(some), len(none)}
		return said("headline-many", counts)
	}
	if len(all) == len(a.Classes) {
		words.All = "jobs"
	} else if words.All != "" {
		words.All = "of " + words.All
	}
	return said("headline-admit", words)
}

// nextWords says what one more unit, of the best pool, is worth in a month.
func (a Answer) nextWords() string {
	unit, price := "Room for one more job at a time", a.Prices.Capacity
	if width := a.meanWidth(); width > 1 {
		unit, price = "One more "+text.Unit(a.Analysis.UnitName), price/metric.Number(width)
	}
	for i, p := range a.Pools {
		if i == 0 || p.ShadowPrice > price {
			unit, price = "One more "+text.Unit(p.Unit)+" in "+text.OneLine(p.Name), p.ShadowPrice
		}
	}
	worth := text.Short(3600 * study.HoursPerMonth * float64(price))
	return said("headline-next", struct{ Unit, Worth, Control any }{unit, worth, a.Control != nil})
}

// Headline says what the best policy delivers of the possible.
func (r *Report) Headline() *Headline {
	scale, unit := r.money()
	h := &Headline{Earns: amount(r.delivered(0), scale), Unit: unit, Of: "any policy", Admit: r.Closest()}
	best, ok := r.best()
	if ok {
		h.Possible = amount(best.Money, scale)
	}
	if ok && r.Validated.Objective == "" && r.Policies[0].Policy.Name != subject.Recorded && r.share(0).Mean > 0 {
		h.Admit = said("headline-run", text.OneLine(r.Policies[0].Label))
	}
	return h
}

// Rows is the table of policies, its headings first.
func (r *Report) Rows() [][]string { return r.policyRows() }
