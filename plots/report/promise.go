package report

import (
	"fmt"
	"math"
	"strings"

	"revopt/internal/text"
	"revopt/model"
	"revopt/plots/wording"
	"revopt/simulate/study"
	"revopt/simulate/subject"
)

func recorded(r *study.Result) bool { return r.Trace != "" && !model.Generated(r.Trace) }

// promiseWords says of every promise under which policies it is kept.
func promiseWords(r *study.Result) []string {
	var list []string
	for k, c := range r.Policies[0].Parts() {
		if c.Promise == nil {
			continue
		}
		by := map[string][]string{} // policies by the state of the promise
		for _, row := range r.Policies {
			own := row.Parts()[k]
			kept, admitted := own.Get("promise_kept"), own.Get("promise_kept_of_admitted")
			share, state := wording.Percentage(kept), study.PromiseState(kept, c.Promise.Level, r.Once)
			if other := wording.Percentage(admitted); other != share && !math.IsNaN(float64(admitted.Mean)) {
				share += ", " + other + " of the admitted"
			}
			by[state] = append(by[state], row.Label+" ("+share+")")
		}
		words := fmt.Sprintf("%s: %s of the jobs are promised a delay of at most %s", c.Label(),
			text.PlainPercent(c.Promise.Level), text.Duration(c.Promise.Within))
		for _, state := range []string{"kept", "undecided", "not kept", "void"} {
			if names := by[state]; names != nil {
				words += "; " + state + " under " + text.OneLine(strings.Join(names, ", "))
			}
		}
		list = append(list, words)
	}
	return list
}

// priceList lists the prices that were chosen, with units that differ from the one before.
func priceList(list []subject.AskedPrice) string {
	var words []string
	unit := ""
	for _, p := range list {
		switch price := p.Name + " " + text.Short(float64(p.Price)); {
		case p.Comes == 0:
			words = append(words, p.Name+" not sold")
		case p.Unit == unit:
			words = append(words, price)
		default:
			unit = p.Unit
			words = append(words, price+" "+unit)
		}
	}
	return strings.Join(words, ", ")
}

// ResultPrices lists the prices that were chosen for a result.
func ResultPrices(r *study.Result) string {
	for _, row := range r.Policies {
		if row.Admission.Prices != nil {
			return priceList(row.Admission.Prices)
		}
	}
	return ""
}
