package main

import (
	"strings"

	"revopt/model/scenario"
)

// variation is a parameter and the values that it takes.
type variation struct {
	path   string
	values []float64
	text   string // as given
}

// parseVariation reads path=from:to:step, path=from:to:xN or path=a,b,c.
func parseVariation(text string) (*variation, error) {
	path, list, ok := strings.Cut(text, "=")
	v := &variation{path: strings.TrimSpace(path), text: text}
	if !ok || v.path == "" {
		return nil, v.bad("a field and its values")
	}
	var err error
	if v.values, err = scenario.ParseValues(list); err != nil {
		return nil, v.bad(err.Error())
	}
	return v, nil
}

func (v *variation) bad(want string) error {
	return usagef("--vary %s: expected %s, for example load=0.05:1.4:0.05 (from:to:step), load=0.1:1:x50 (50 values) or load=0.3,0.6,0.9", v.text, want)
}

// check reports whether the path leads to a number, in the document as it is or
// with the first value: varying a field that a file leaves out is fine.
func (v *variation) check(doc *scenario.Document) error {
	err := doc.CheckNumeric(v.path)
	if err == nil {
		return nil
	}
	first, missing := v.at(doc, v.values[0])
	if missing != nil {
		return err
	}
	if first.CheckNumeric(v.path) != nil {
		return err
	}
	return nil
}

// at returns the document with the parameter at x.
func (v *variation) at(doc *scenario.Document, x float64) (*scenario.Document, error) {
	o := scenario.Set(v.path, x)
	o.Source = "--vary " + v.text
	return doc.With(o)
}
