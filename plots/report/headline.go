package report

import (
	"revopt/internal/text"
	"revopt/simulate/study"
)

// Headline is the answer of solve in a few words.
type Headline struct {
	Earns    string `json:"earns"`    // as solve prints it
	Possible string `json:"possible"` // "" where nothing is proven
	Unit     string `json:"unit"`
	Of       string `json:"of"`    // the admissions for which Possible is proven
	Admit    string `json:"admit"` // a sentence
	Next     string `json:"next"`  // a sentence
}

// hoursPerMonth makes an amount per hour one per month.
const hoursPerMonth = 365 * 24 / 12

// Headline returns the answer in a few words.
func (a Answer) Headline() *Headline {
	h := &Headline{Earns: perHour(a.RevenuePerSecond), Unit: "$/h", Of: "static admission"}
	if a.Proven() {
		h.Possible = perHour(a.UpperBoundPerSecond)
	}
	var all, some, none []string
	for _, c := range a.Classes {
		name := text.OneLine(study.Section{Name: c.Name, Pool: c.Pool}.Label())
		switch {
		case c.Admit >= 1:
			all = append(all, name)
		case c.Admit > 0:
			some = append(some, text.Percent(float64(c.Admit))+" of "+name)
		default:
			none = append(none, name)
		}
	}
	h.Admit = said("headline-admit", struct{ All, Some, None string }{enumerate(all), enumerate(some), enumerate(none)})
	h.Next = said("headline-next", text.Grouped(float64(a.Prices.Capacity)*3600*hoursPerMonth))
	return h
}
