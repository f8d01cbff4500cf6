package paper

import (
	"fmt"
	"strconv"
	"strings"

	"revopt/model"
	"revopt/model/scenario"
	"revopt/plots"
)

// perHour turns dollars per second into dollars per hour.
const perHour = 3600

// An offer is a built-in scenario with the overrides of a recipe.
type offer struct {
	doc       *scenario.Document
	overrides []scenario.Override
}

// open returns the built-in scenario of the given name with overrides.
func open(name string, overrides ...scenario.Override) (offer, error) {
	doc, err := scenario.Builtin(name)
	if err != nil {
		return offer{}, err
	}
	return offer{doc, overrides}, nil
}

// with returns the offer with more overrides.
func (f offer) with(overrides ...scenario.Override) offer {
	f.overrides = append(f.overrides[:len(f.overrides):len(f.overrides)], overrides...)
	return f
}

// scenario returns the scenario of the offer.
func (f offer) scenario() (*scenario.Scenario, error) {
	doc, err := f.doc.With(f.overrides...)
	if err != nil {
		return nil, err
	}
	return doc.ClassScenario()
}

// system returns the system of the offer.
func (f offer) system() (model.System, error) {
	s, err := f.scenario()
	if err != nil {
		return model.System{}, err
	}
	return s.System(), nil
}

// along returns the systems of the offer as the number at path varies.
func (f offer) along(path string) func(x float64) (model.System, error) {
	return func(x float64) (model.System, error) { return f.with(scenario.Set(path, x)).system() }
}

// admitAll is the revenue of a system that rejects nothing, in dollars per
// second; -Inf where the queue is not stable.
func admitAll(sys model.System) (float64, error) {
	hol, err := model.NewHOL(sys)
	if err != nil {
		return 0, err
	}
	q := make([]float64, hol.Len())
	for i := range q {
		q[i] = 1
	}
	return hol.Revenue(q), nil
}

// provenance names a built-in scenario and the values given to its fields.
func provenance(name string, fields ...plots.Pair) plots.Provenance {
	p := plots.Provenance{Scenario: name}
	for _, f := range fields {
		p.Extra = append(p.Extra, plots.Pair{Key: "set", Value: f.Key + "=" + f.Value})
	}
	return p
}

// list is the field of a scenario that takes the given values in turn.
func list(path string, values []float64) plots.Pair {
	words := make([]string, len(values))
	for i, v := range values {
		words[i] = strconv.FormatFloat(v, 'g', -1, 64)
	}
	return plots.Pair{Key: path, Value: strings.Join(words, ", ")}
}

// varied is the field of a scenario that takes evenly spaced values.
func varied(path string, values []float64) plots.Pair {
	first, last := values[0], values[len(values)-1]
	return plots.Pair{Key: path, Value: fmt.Sprintf("%.6g to %.6g in %d steps", first, last, len(values)-1)}
}

// grid returns the multiples of 1/per from first/per to last/per.
func grid(first, last, per int) []float64 {
	values := make([]float64, 0, last-first+1)
	for i := first; i <= last; i++ {
		values = append(values, float64(i)/float64(per))
	}
	return values
}
