package scenario

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"revopt/internal/text"
)

// Override gives a field another value; the package comment explains paths.
type Override struct {
	Path   string `json:"path"`
	Value  string `json:"value"` // YAML
	Source string `json:"-"`     // its name in messages; empty is "--set Path=Value"
}

// String returns path=value.
func (o Override) String() string { return o.Path + "=" + o.Value }

// Set returns the override of a numeric field.
func Set(path string, value float64) Override {
	return Override{Path: path, Value: formatNumber(value)}
}

// ParseOverride reads "path=value", the argument of --set.
func ParseOverride(arg string) (Override, error) {
	path, value, ok := strings.Cut(arg, "=")
	path = strings.TrimSpace(path)
	if !ok || path == "" {
		return Override{}, &Error{File: "--set " + arg, Message: "expected path=value, such as load=0.9"}
	}
	return Override{Path: path, Value: value, Source: "--set " + arg}, nil
}

// RunOverride returns the override for replications, jobs (of a trace: its last ones), horizon or warmup,
// or for cleaning or nodes of a trace.
func (d *Document) RunOverride(name, value string) (Override, error) {
	o := Override{Path: "simulation." + name, Value: value, Source: "--" + name + " " + value}
	trace := d.root.get("trace") != nil
	switch {
	case name == "cleaning" || name == "nodes":
		o.Path = "trace." + name
		return o, nil
	case name == "replications" || !trace && d.root.get("sites") == nil:
		return o, nil
	case name == "jobs" && trace:
		o.Path = "trace.jobs"
		if _, err := strconv.Atoi(value); err == nil {
			o.Value = "last:" + value
		}
		return o, nil
	}
	message := "expected with job classes only: a trace or a grid has the jobs it has and no warm-up"
	if name == "jobs" {
		message += ", see applications.count or batch.jobs"
	}
	return o, &Error{File: "--" + name, Message: message}
}

func (o Override) source() string {
	if o.Source != "" {
		return o.Source
	}
	return "--set " + o.String()
}

// apply returns the tree with the override's value at its path.
func (o Override) apply(root *node) (*node, error) {
	value, err := o.value()
	if err != nil {
		return nil, err
	}
	return o.replace(root, value, strings.Split(o.Path, "."), 0)
}

// value reads the value of the override, which has no position in a file.
func (o Override) value() (*node, error) {
	if simple(o.Value) {
		return &node{kind: scalar, text: o.Value, source: o.source()}, nil
	}
	tree, err := readTree(o.source(), []byte(o.Value))
	if e, ok := err.(*Error); ok {
		e.Line, e.Column, e.Path = 0, 0, o.Path
	}
	if err != nil {
		return nil, err
	}
	if tree == nil {
		return &node{kind: scalar, source: o.source()}, nil
	}
	tree.mark(o.source())
	return tree, nil
}

// simple reports whether a text is certainly a plain YAML scalar.
func simple(text string) bool {
	for i := range len(text) {
		c := text[i]
		switch {
		case c >= '0' && c <= '9', c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c == '.':
		case (c == '-' || c == '+' || c == '%') && i > 0:
		default:
			return false
		}
	}
	return true
}

// mark sets the source of a new tree to an override.
func (n *node) mark(source string) {
	n.source, n.line, n.column = source, 0, 0
	for i := range n.fields {
		n.fields[i].line, n.fields[i].column = 0, 0
		n.fields[i].value.mark(source)
	}
	for _, item := range n.items {
		item.mark(source)
	}
}

// replace returns a copy of n, the node at parts[:done], with value at the rest of the
// path. The copy shares all nodes that are not on the path.
func (o Override) replace(n, value *node, parts []string, done int) (*node, error) {
	if done == len(parts) {
		return value, nil
	}
	part, c := parts[done], *n
	switch n.kind {
	case sequence:
		i := n.item(part)
		if i < 0 {
			return nil, o.unknown(n, parts, done)
		}
		next, err := o.replace(n.items[i], value, parts, done+1)
		c.items = slices.Clone(n.items)
		c.items[i] = next
		return &c, err
	case mapping:
		i := slices.IndexFunc(n.fields, func(f field) bool { return f.key == part })
		c.fields = slices.Clone(n.fields)
		if i < 0 && done == 0 && len(parts) > 1 && (part == "classes" || part == "pools") {
			return nil, o.errorf("the scenario has no %s", part)
		}
		if i < 0 {
			i = len(c.fields)
			c.fields = append(c.fields, field{key: part, value: &node{kind: mapping, source: value.source}})
		}
		next, err := o.replace(c.fields[i].value, value, parts, done+1)
		c.fields[i].value = next
		return &c, err
	}
	return nil, &Error{File: o.source(), Path: strings.Join(parts[:done], "."),
		Message: fmt.Sprintf("expected a mapping with a field %s, got %s", quote(part), n.describe())}
}

// unknown returns the error that parts[done] is no element of a list.
func (o Override) unknown(list *node, parts []string, done int) *Error {
	keys := list.itemKeys()
	message := fmt.Sprintf("no element %s in the list", quote(parts[done]))
	if len(keys) > 0 {
		message += ", there is " + strings.Join(keys, ", ") + text.DidYouMean(parts[done], keys)
	}
	return &Error{File: o.source(), Path: strings.Join(parts[:done], "."), Message: message}
}

// NumericPaths returns the paths of all fields with a number, a time or a fraction, in
// the order in which they are read. They include fields with a default that an
// override could give. The document must be a valid scenario.
func (d *Document) NumericPaths() ([]string, error) {
	var paths []string
	dec := &decoder{file: d.file, numeric: func(path string) {
		if !slices.Contains(paths, path) {
			paths = append(paths, path)
		}
	}}
	if _, err := d.decode(dec); err != nil {
		return nil, err
	}
	return paths, nil
}

// CheckNumeric returns an *Error that names the numeric fields if path is not one of
// them. List elements may be addressed by name or index.
func (d *Document) CheckNumeric(path string) error {
	paths, err := d.NumericPaths()
	if err != nil {
		return err
	}
	if slices.Contains(paths, d.canonical(path)) {
		return nil
	}
	prefix, next := known(paths, d.canonical(path))
	where := ""
	if prefix != "" {
		where = "in " + strings.TrimSuffix(prefix, ".") + " "
	}
	return &Error{File: d.file, Path: path, Message: fmt.Sprintf("not a numeric field, %sthere is %s%s",
		where, strings.Join(next, ", "), text.DidYouMean(path, paths))}
}

// known returns the longest beginning of a path that numeric fields share, up to and
// with a dot, and the next parts of their paths.
func known(paths []string, path string) (prefix string, next []string) {
	for prefix = path; len(next) == 0; {
		prefix = prefix[:strings.LastIndexByte(strings.TrimSuffix(prefix, "."), '.')+1]
		for _, p := range paths {
			after, ok := strings.CutPrefix(p, prefix)
			part, _, _ := strings.Cut(after, ".")
			if ok && !slices.Contains(next, part) {
				next = append(next, part)
			}
		}
	}
	return prefix, next
}

// canonical returns a path with the keys of itemKeys.
func (d *Document) canonical(path string) string {
	parts := strings.Split(path, ".")
	n := d.root
	for i, part := range parts {
		if n != nil && n.kind == sequence {
			item := n.item(part)
			if item < 0 {
				return path
			}
			parts[i] = n.itemKeys()[item]
		}
		n = n.child(part)
	}
	return strings.Join(parts, ".")
}

// Number returns the number that the document states at a path, and whether it states one.
// Times are in seconds, percentages are fractions.
func (d *Document) Number(path string) (float64, bool) {
	n := d.root
	for part := range strings.SplitSeq(path, ".") {
		n = n.child(part)
	}
	if n == nil || !n.number() && n.quoted {
		return 0, false
	}
	digits, suffix := splitNumber(n.text)
	x, err := strconv.ParseFloat(digits, 64)
	if x, ok := percent(x, suffix); ok {
		return x, err == nil
	}
	x, ok := seconds(x, suffix)
	return x, ok && err == nil
}
