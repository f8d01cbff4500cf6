package scenario

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
)

// axes reads the parameters that vary.
func (d *decoder) axes(c *cursor, base *Document, known []KnownPolicy) []Axis {
	if !c.given() || d.err != nil {
		return nil
	}
	if c.n.kind != mapping || len(c.n.fields) == 0 {
		c.expected("a mapping of paths to values such as {load: 0.5:1.4:0.1}")
		return nil
	}
	var axes []Axis
	for _, f := range c.n.fields {
		place := c.get(f.key)
		axis := Axis{Path: f.key, Values: d.axisValues(place), places: places(place)}
		if d.err != nil {
			return nil
		}
		if name, option, ok := axis.Option(); ok {
			d.optionAxis(place, name, option, axis.Values, known)
		} else if err := axis.check(base); err != nil {
			place.fail("%s", err.Message)
		}
		axes = append(axes, axis)
	}
	return axes
}

// axisValues reads a list of numbers, or from:to:step.
func (d *decoder) axisValues(c *cursor) []float64 {
	var values []float64
	if c.n.kind == sequence {
		for _, item := range c.list("a list of numbers") {
			values = append(values, item.number(quantity{want: "a number", unit: plain, least: math.Inf(-1)}))
		}
	} else {
		var err error
		values, err = ParseValues(c.n.text)
		switch {
		case err != nil && strings.Count(c.n.text, ":") == 2 && err.Error() != "numbers":
			c.fail("expected %v, got %s", err, c.n.describe()) // a span of too many, or none
		case err != nil || c.n.kind != scalar:
			c.fail("expected numbers as in [0.5, 0.9], 0.5:1.4:0.1 (from:to:step) or 0.5:1.4:x10 (10 values), got %s", c.n.describe())
		}
	}
	sorted := slices.Sorted(slices.Values(values))
	if len(slices.Compact(sorted)) < len(values) {
		c.fail("expected every value once")
	}
	return values
}

// place returns where a value stands.
func (c *cursor) place() string { return fmt.Sprintf("%s:%d:%d", c.d.file, c.n.line, c.n.column) }

// places returns where the values of an axis stand, a span's in one place.
func places(c *cursor) []string {
	if c.n.kind != sequence {
		return []string{c.place()}
	}
	list := make([]string, len(c.n.items))
	for i, n := range c.n.items {
		list[i] = (&cursor{d: c.d, n: n}).place()
	}
	return list
}

// optionAxis checks an axis that varies an option of a policy.
func (d *decoder) optionAxis(c *cursor, name, option string, values []float64, known []KnownPolicy) {
	var names []string
	for _, k := range known {
		names = append(names, k.Name)
	}
	i := slices.Index(names, name)
	switch {
	case i < 0:
		c.fail("expected policies.NAME.OPTION of a policy there is (%s)%s", strings.Join(names, ", "), didYouMean(name, names))
	case !slices.Contains(known[i].Options, option):
		c.fail("expected an option of %s (%s)%s", name, strings.Join(known[i].Options, ", "), didYouMean(option, known[i].Options))
	}
	for k := 0; k < len(values) && d.err == nil; k++ {
		if err := known[i].Check(option, formatNumber(values[k])); err != nil {
			c.fail("%v", err)
		}
	}
}

// check reports whether the path leads to a number, in the document as it is or
// with the first value.
func (a Axis) check(doc *Document) *Error {
	switch head, _, _ := strings.Cut(a.Path, "."); {
	case head == "policies":
		return &Error{Message: "expected policies.NAME.OPTION"}
	case a.Path == "simulation.replications":
		return &Error{Message: "expected seeds instead, which say how many replications there are"}
	}
	err := doc.CheckNumeric(a.Path)
	if err == nil {
		return nil
	}
	if first, missing := doc.With(Set(a.Path, a.Values[0])); missing == nil && first.CheckNumeric(a.Path) == nil {
		return nil
	}
	var e *Error
	if !errors.As(err, &e) {
		return &Error{Message: err.Error()}
	}
	return e
}
