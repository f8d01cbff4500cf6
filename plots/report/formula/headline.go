package formula

import (
	"fmt"
	"math"
	"strings"

	"revopt/internal/text"
	"revopt/model"
	"revopt/plots/wording"
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
	Next     string `json:"next"`  // a sentence
	Model    string `json:"model"` // the delays of the formulas, a sentence
}

// Headline says what the admission earns of the possible, what it admits, and what more is worth.
func (a Answer) Headline() *Headline {
	earns, possible := a.RevenuePerSecond, a.UpperBoundPerSecond
	if a.Control != nil {
		earns, possible = a.Control.RevenuePerSecond, a.Control.UpperBoundPerSecond
	}
	h := &Headline{Earns: wording.PerHour(earns), Unit: "$/h", Admit: a.admitWords(), Next: a.nextWords()}
	if _, limits := a.controlWords(); a.Control != nil {
		if len(limits) > mostNamed {
			limits = nil
		}
		h.Admit = "Admission looks at the queue."
		if len(limits) > 0 {
			h.Admit = "Rules: " + strings.Join(limits, "; ") + "."
		}
	}
	if !math.IsInf(float64(possible), 0) {
		h.Possible = wording.PerHour(possible)
	}
	h.Of = a.boundedWords(h.Possible != "")
	h.Model = "By formulas, with " + wording.DelayWords(a.System.Residual.String()) + "."
	return h
}

// boundedWords says which admissions the bound limits.
func (a Answer) boundedWords(proven bool) string {
	words := "static admission"
	switch {
	case !proven && a.Control != nil:
		words = "limits on waiting jobs, for which no bound is proven"
	case !proven:
		words = "static admission, for which no bound is proven"
	case a.Control != nil:
		words = "any admission"
	case a.Stated != nil:
		words = "prices and static admission"
	}
	if a.System.Residual == model.Printed {
		words += " by the formulas of the paper, which overstate delays"
	}
	return words
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
	if len(a.Classes) > mostNamed { // as of a trace
		return a.admitCounts(len(all), len(some), len(none))
	}
	var admit []string
	if len(some) > 0 {
		admit = append(admit, wording.Enumerate(some))
	}
	switch {
	case len(all) == len(a.Classes):
		admit = append(admit, "all jobs")
	case len(all) > 0:
		admit = append(admit, "all of "+wording.Enumerate(all))
	}
	switch {
	case admit == nil:
		return "Refuse all jobs."
	case len(none) > 0:
		return "Admit " + strings.Join(admit, " and ") + "; refuse " + wording.Enumerate(none) + "."
	}
	return "Admit " + strings.Join(admit, " and ") + "."
}

// admitCounts is admitWords for classes that are too many to name.
func (a Answer) admitCounts(all, some, none int) string {
	offered, admitted := a.Rates()
	words := fmt.Sprintf("Admit %s of the jobs: all of %d job classes", text.Percent(admitted/offered), all)
	if some > 0 {
		words += fmt.Sprintf(", a part of %d", some)
	}
	return words + fmt.Sprintf(", none of %d.", none)
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
	words := unit + " is worth " + worth + " $ a month"
	if a.Control != nil {
		words += " with static admission"
	}
	return words + "."
}
