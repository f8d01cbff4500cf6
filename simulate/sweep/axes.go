package sweep

import (
	"errors"
	"maps"
	"strings"

	"revopt/internal/text"
	"revopt/model/scenario"
	"revopt/simulate/policy"
)

// At returns the values of the axes at a point.
func (p *Plan) At(point int) []float64 {
	values := make([]float64, len(p.Spec.Vary))
	for i, k := range p.places(point) {
		values[i] = p.Spec.Vary[i].Values[k]
	}
	return values
}

// places returns which value each axis has at a point.
func (p *Plan) places(point int) []int {
	places := make([]int, len(p.Spec.Vary))
	for i := len(places) - 1; i >= 0; i-- {
		n := len(p.Spec.Vary[i].Values)
		places[i] = point % n
		point /= n
	}
	return places
}

// overrides returns what the axes set at a point.
func (p *Plan) overrides(point int) []scenario.Override {
	var list []scenario.Override
	for i, k := range p.places(point) {
		if _, _, ok := p.Spec.Vary[i].Option(); !ok {
			list = append(list, p.Spec.Vary[i].Override(k))
		}
	}
	return list
}

// document returns the scenario at a point.
func (p *Plan) document(point int) (*scenario.Document, error) {
	return p.doc.With(p.overrides(point)...)
}

// blame names the point in an error that is not about a value of an axis itself,
// but about what such a value makes wrong elsewhere in the scenario. It gives the
// place of the axis that varies fastest.
func (p *Plan) blame(point int, err error) error {
	list := p.overrides(point)
	bad := &scenario.Error{}
	if len(list) == 0 || !errors.As(err, &bad) {
		return err
	}
	var words []string
	for _, o := range list {
		if bad.File == o.Source {
			return err
		}
		words = append(words, o.Path+"="+o.Value)
	}
	place, _, _ := strings.Cut(list[len(list)-1].Source, "vary ")
	c := *bad
	c.File = place + "vary " + strings.Join(words, ", ") + ": " + c.File
	return &c
}

// choice returns a policy at a point, where axes may vary its options.
func (p *Plan) choice(point, index int) (PolicyChoice, error) {
	choice := p.Spec.Policies[index]
	if !p.options {
		return choice, nil
	}
	choice.Options = maps.Clone(choice.Options)
	for i, x := range p.At(point) {
		if name, option, ok := p.Spec.Vary[i].Option(); ok && name == choice.Name {
			choice.Options[option] = text.Field(x)
		}
	}
	spec, err := policy.Lookup(choice.Name)
	if err == nil {
		choice.Options, err = spec.Resolve(choice.Options)
	}
	return choice, err
}
