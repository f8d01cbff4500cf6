package main

import (
	"math"
	"strconv"
	"strings"

	"revopt/model/scenario"
)

// maxPoints is how many points a curve may have.
const maxPoints = 100000

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
	if parts := strings.Split(list, ":"); len(parts) > 1 {
		v.values, err = v.span(parts)
	} else {
		v.values, err = v.numbers(strings.Split(list, ","))
	}
	if err != nil {
		return nil, err
	}
	if len(v.values) > maxPoints {
		return nil, v.bad("at most " + strconv.Itoa(maxPoints) + " values")
	}
	return v, nil
}

func (v *variation) bad(want string) error {
	return usagef("--vary %s: expected %s, for example load=0.05:1.4:0.05 (from:to:step), load=0.1:1:x50 (50 values) or load=0.3,0.6,0.9", v.text, want)
}

func (v *variation) numbers(texts []string) ([]float64, error) {
	values := make([]float64, len(texts))
	for i, text := range texts {
		x, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
		if err != nil || math.IsInf(x, 0) || math.IsNaN(x) {
			return nil, v.bad("numbers")
		}
		values[i] = x
	}
	return values, nil
}

// span reads from:to:step or from:to:xN.
func (v *variation) span(parts []string) ([]float64, error) {
	if len(parts) != 3 {
		return nil, v.bad("from:to:step")
	}
	count, counted := strings.CutPrefix(parts[2], "x")
	parts[2] = count
	numbers, err := v.numbers(parts)
	if err != nil {
		return nil, err
	}
	from, to, step := numbers[0], numbers[1], numbers[2]
	if counted {
		n := step
		if n < 2 || n > maxPoints || n != math.Trunc(n) {
			return nil, v.bad("from 2 to " + strconv.Itoa(maxPoints) + " values")
		}
		return steps(from, to, (to-from)/(n-1), int(n)), nil
	}
	if !(step*(to-from) > 0) && from != to {
		return nil, v.bad("a step that leads from the first value to the last")
	}
	if from == to {
		return []float64{from}, nil
	}
	// The end belongs to the curve even if rounding puts it a little beyond.
	n := math.Floor((to-from)/step+1e-9) + 1
	if n > maxPoints {
		return nil, v.bad("at most " + strconv.Itoa(maxPoints) + " values")
	}
	return steps(from, to, step, int(n)), nil
}

// steps returns n equally spaced values without the dust of rounding: 0.3 and
// not 0.30000000000000004.
func steps(from, to, step float64, n int) []float64 {
	values := make([]float64, n)
	for i := range values {
		x := from + float64(i)*step
		if math.Abs(x-to) < 1e-9*math.Abs(step) {
			x = to
		}
		values[i] = rounded(x, math.Max(math.Abs(from), math.Abs(to)))
	}
	return values
}

// rounded rounds x to the twelfth significant digit of scale.
func rounded(x, scale float64) float64 {
	if scale == 0 {
		return x
	}
	places := 11 - int(math.Floor(math.Log10(scale)))
	if places < 0 || places > 300 {
		return x
	}
	y, err := strconv.ParseFloat(strconv.FormatFloat(x, 'f', places, 64), 64)
	if err != nil {
		return x
	}
	return y
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
