package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"revopt/internal/text"
	"revopt/model"
	"revopt/model/scenario"
	"revopt/plots/wording"
	"revopt/simulate/experiment"
	"revopt/simulate/study"
	"revopt/simulate/study/whatif"
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

// promiseOrigins says how admissions that keep promises were found, and their cost.
func promiseOrigins(r *study.Result) []string {
	var list []string
	add := func(words string) {
		if !slices.Contains(list, words) {
			list = append(list, words)
		}
	}
	for _, row := range r.Policies {
		if row.Admission.Name == scenario.AdmitPromise {
			add(row.Label + ": " + promiseOrigin(row.Admission, recorded(r)))
		}
	}
	for _, row := range r.Policies {
		if e := row.Admission.Exact; e != nil {
			add("by the model the promises cost " + wording.PerHour(e.PromiseCost) + " $/h together")
			if e.Refusing != nil {
				add("by the model refusing " + wording.RefusalWords(e.Refusing))
			}
		}
	}
	return list
}

// promiseOrigin says how an admission that keeps promises was found.
func promiseOrigin(a study.AdmissionResult, recorded bool) string {
	kept := text.Each(a.Checks, func(c experiment.Check) string {
		return subject.Section{Name: c.Name, Pool: c.Pool}.Label() + " " + checkedShare(c)
	})
	short := len(a.Keeping.Short()) > 0
	words := "the admission that earns most while all promises hold for the jobs that it lets in, "
	if short {
		words = "the admission that comes closest to the promises, "
	}
	switch {
	case a.Formula:
		words += "by the formula"
	case recorded:
		words += "found by search on these jobs"
	default:
		words += "found by search on the simulator"
	}
	if len(kept) > 0 {
		fresh := "fresh random numbers"
		if recorded && !a.Formula {
			fresh = "the same jobs with other lots (in-sample)"
		}
		words += ", checked on " + fresh + " (" + strings.Join(kept, ", ") + ")"
	}
	open := func(c experiment.Check) bool { return !a.Formula && c.Kept-c.HalfWidth < c.Level }
	if !short && slices.ContainsFunc(a.Checks, open) {
		words += "; on so few jobs it is undecided whether they hold"
	}
	return words
}

// Shortfalls says which promises the admissions of a result cannot keep.
func Shortfalls(r *study.Result) []string {
	return text.Join(r.Policies, func(row study.Row) []string { return shortfalls(row.Label, row.Admission.Short()) })
}

// Shortfalls says which promises the admissions of changes cannot keep.
func (r *WhatIf) Shortfalls() []string {
	return text.Join(r.Changes, func(c whatif.ChangeResult) []string { return shortfalls(c.Name, c.Admission.Short) })
}

// shortfalls says of a row or a change that no admission was found that keeps promises.
func shortfalls(name string, list []experiment.Check) []string {
	return text.Each(list, func(c experiment.Check) string {
		return fmt.Sprintf("%s: no admission was found that keeps the promise of %s: "+
			"at most %s of its jobs that were let in were delayed by at most %s, %s are promised",
			name, c.Name, checkedShare(c), text.Duration(float64(c.Within)), text.PlainPercent(float64(c.Level)))
	})
}

func checkedShare(c experiment.Check) string {
	return wording.Percentage(study.Estimate{Mean: c.Kept, HalfWidth: c.HalfWidth})
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
