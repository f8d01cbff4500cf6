package scenario

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Change reads "path=value", the argument of --change, where a value that begins
// with a sign is relative: +16 and -8 are added to the number that the document
// has there, in its unit, and +10% multiplies it by 1.1; so many nodes are rounded to
// a whole number. A mapping with one number, such as price: {per_hour: 3}, stands for
// that number. The numbers given, by path, are those that fields have in effect,
// whatever the document states.
func (d *Document) Change(arg string, now map[string]float64) (Override, error) {
	path, value, ok := strings.Cut(arg, "=")
	path, value = strings.TrimSpace(path), strings.TrimSpace(value)
	o := Override{Path: path, Value: value, Source: "--change " + arg}
	if !ok || path == "" || value == "" {
		return o, &Error{File: o.Source, Message: "expected path=value, such as trace.nodes=+16, growth=20%, policy=value-bf or admission=simulated"}
	}
	if value[0] != '+' && value[0] != '-' {
		return o, nil
	}
	old, path, ok := d.scalarAt(path)
	o.Path = path
	if x, known := now[path]; known {
		old, ok = strconv.FormatFloat(x, 'g', -1, 64), true
	}
	if !ok {
		return o, &Error{File: o.Source, Message: fmt.Sprintf("nothing to add to: the scenario has no number at %s, give a value without a sign", path)}
	}
	var err error
	if o.Value, err = added(old, value); err != nil {
		return o, &Error{File: o.Source, Message: err.Error()}
	}
	if last := path[strings.LastIndexByte(path, '.')+1:]; last == "nodes" || last == "processors" {
		if x, err := strconv.ParseFloat(o.Value, 64); err == nil && strings.HasSuffix(value, "%") {
			o.Value = strconv.FormatFloat(math.Round(x), 'f', -1, 64)
		}
	}
	return o, nil
}

// scalarAt returns the text of the scalar that a path leads to, or of the only one in
// the mapping there, and its path.
func (d *Document) scalarAt(path string) (text, at string, ok bool) {
	n := d.root
	for part := range strings.SplitSeq(path, ".") {
		if n == nil {
			return "", path, false
		}
		if n.kind != sequence {
			n = n.get(part)
		} else if i := n.item(part); i >= 0 {
			n = n.items[i]
		} else {
			n = nil
		}
	}
	if n != nil && n.kind == mapping && len(n.fields) == 1 {
		n, path = n.fields[0].value, path+"."+n.fields[0].key
	}
	return n.plainText(), path, n != nil && n.kind == scalar
}

// added returns a number with its unit, changed by a relative value.
func added(old, by string) (string, error) {
	digits, unit := splitNumber(old)
	more, suffix := splitNumber(by)
	x, err := strconv.ParseFloat(digits, 64)
	y, bad := strconv.ParseFloat(more, 64)
	switch {
	case err != nil:
		return "", fmt.Errorf("expected a number to add to, the scenario has %s", quote(old))
	case bad != nil:
		return "", fmt.Errorf("expected a number after the sign, as in +16 or +10%%, got %s", quote(by))
	case suffix == "%":
		x *= 1 + y/100
	case suffix == unit:
		x += y
	default:
		a, time := seconds(x, unit)
		b, also := seconds(y, suffix)
		if !time || !also {
			return "", fmt.Errorf("expected the unit of %s or a percentage, got %s", quote(old), quote(by))
		}
		x, unit = a+b, ""
	}
	// A decimal sum without the rounding errors of a binary one.
	return strconv.FormatFloat(rounded(x, math.Abs(x)), 'g', -1, 64) + unit, nil
}

// Settled returns the document as if its file stated the load that an override
// gave, so that overrides of the machine that follow leave arrivals alone.
func (d *Document) Settled() *Document {
	if load := d.root.get("load"); load == nil || load.source == "" {
		return d
	}
	c := *d
	root := *d.root
	root.fields = append([]field(nil), root.fields...)
	for i, f := range root.fields {
		if f.key == "load" {
			load := *f.value
			load.source = ""
			root.fields[i].value = &load
		}
	}
	c.root = &root
	c.base = &baseline{file: d.file, root: &root}
	return &c
}
