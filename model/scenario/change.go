package scenario

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Change reads "path=value", the argument of --change. A value that begins with a
// sign is relative: +16 and -8 are added to the number of the document, in its unit,
// and +10% multiplies it by 1.1; nodes are then rounded to a whole number, and units of a
// pool to another one. A mapping with one number, such as price: {per_hour: 3}, stands for
// that number, and a pool for its units. The map now has the numbers that are in effect
// by path; they replace those of the document.
func (d *Document) Change(arg string, now map[string]float64) (Override, error) {
	path, value, ok := strings.Cut(arg, "=")
	path, value = strings.TrimSpace(path), strings.TrimSpace(value)
	o := Override{Path: path, Value: value, Source: "--change " + arg}
	switch {
	case strings.HasPrefix(path, "pools.") && strings.Count(path, ".") == 1 && value == "":
		return o, o.errorf("expected units to add or to have, such as %s=+8", path)
	case !ok || path == "" || value == "":
		return o, o.errorf("expected path=value, such as nodes=+16, growth=20%%, policy=value-bf " +
			"or admission=simulated")
	}
	pools, parts := d.root.get("pools"), strings.Split(path, ".")
	if pools != nil && len(parts) == 2 && parts[0] == "pools" {
		if pools.child(parts[1]) == nil {
			return o, o.unknown(pools, parts, 1)
		}
		path += ".units"
		o.Path = path
	}
	if value[0] != '+' && value[0] != '-' {
		return o, nil
	}
	old, path, ok := d.scalarAt(path)
	o.Path = path
	if x, known := now[path]; known {
		old, ok = formatNumber(x), true
	}
	if !ok {
		if err := d.misspelled(o); err != nil {
			return o, err
		}
		return o, o.errorf("nothing to add to: the scenario has no number at %s, give a value without a sign", path)
	}
	var err error
	o.Value, err = added(old, value)
	if err != nil {
		return o, o.errorf("%v", err)
	}
	if last := path[strings.LastIndexByte(path, '.')+1:]; last == "nodes" || last == "processors" || last == "units" {
		if x, err := strconv.ParseFloat(o.Value, 64); err == nil && strings.HasSuffix(value, "%") {
			n := math.Round(x)
			if was, err := strconv.ParseFloat(old, 64); err == nil && last == "units" && n == was && x != was {
				n += math.Copysign(1, x-was)
			}
			o.Value = strconv.FormatFloat(n, 'f', -1, 64)
		}
	}
	return o, nil
}

// unknownField begins the message about a field that no scenario has.
const unknownField = "unknown field"

// misspelled returns the error that the path of an override names an element or a field that no scenario has there; nil
// if the path is fine.
func (d *Document) misspelled(o Override) error {
	o.Value = strings.TrimLeft(o.Value, "+-")
	with, err := d.With(o)
	if err != nil {
		return err
	}
	_, err = with.Scenario(nil)
	bad := &Error{}
	if errors.As(err, &bad) && (bad.Removed.Name != "" || strings.HasPrefix(bad.Message, unknownField)) {
		return err
	}
	return nil
}

func (o Override) errorf(format string, args ...any) *Error {
	return &Error{File: o.source(), Message: fmt.Sprintf(format, args...)}
}

// scalarAt returns the scalar at a path, or the only field of a mapping there, with its path.
func (d *Document) scalarAt(path string) (text, at string, ok bool) {
	n := d.root
	for part := range strings.SplitSeq(path, ".") {
		n = n.child(part)
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
	return formatNumber(rounded(x, math.Abs(x))) + unit, nil // without binary rounding errors
}

// Settled returns the document as if its file stated the load of an override. Later
// overrides of the machine then leave arrivals alone.
func (d *Document) Settled() *Document {
	if load := d.root.get("load"); load == nil || load.source == "" {
		return d
	}
	settled := *d
	load := *d.root.get("load")
	load.source = ""
	settled.root, _ = Override{}.replace(d.root, &load, []string{"load"}, 0)
	settled.base = &baseline{file: d.file, root: settled.root}
	return &settled
}
