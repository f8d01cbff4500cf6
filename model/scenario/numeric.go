package scenario

import (
	"fmt"
	"slices"
	"strings"
)

// NumericPaths returns the paths of all fields that take a number, a time or a
// fraction, in the order in which they are read: those of the document and
// those with a default that an override could give. The document must be a
// valid scenario.
func (d *Document) NumericPaths() ([]string, error) {
	var paths []string
	dec := &decoder{file: d.file, numeric: func(path string) {
		if !slices.Contains(paths, path) {
			paths = append(paths, path)
		}
	}}
	root := &cursor{d: dec, n: d.root}
	switch {
	case d.IsTrace():
		dec.trace(root, nil)
	case d.IsGrid():
		dec.grid(root, nil)
	default:
		dec.scenario(root)
	}
	if dec.err != nil {
		return nil, dec.err
	}
	return paths, nil
}

// CheckNumeric reports whether a path leads to a numeric field, so that a
// parameter can be varied along it. List elements may be addressed by name or
// index. The error is an *Error that says what there is.
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
		where, strings.Join(next, ", "), didYouMean(path, paths))}
}

// known returns the longest part of a path that leads to numeric fields, up to
// and with a dot, and what follows it in their paths.
func known(paths []string, path string) (prefix string, next []string) {
	for prefix = path; len(next) == 0; {
		prefix = prefix[:strings.LastIndexByte(strings.TrimSuffix(prefix, "."), '.')+1]
		for _, p := range paths {
			rest, ok := strings.CutPrefix(p, prefix)
			part, _, _ := strings.Cut(rest, ".")
			if ok && !slices.Contains(next, part) {
				next = append(next, part)
			}
		}
	}
	return prefix, next
}

// canonical returns a path with list elements addressed as itemKeys does.
func (d *Document) canonical(path string) string {
	parts := strings.Split(path, ".")
	n := d.root
	for i, part := range parts {
		switch {
		case n == nil:
		case n.kind == sequence:
			item := n.item(part)
			if item < 0 {
				return path
			}
			parts[i] = n.itemKeys()[item]
			n = n.items[item]
		default:
			n = n.get(part)
		}
	}
	return strings.Join(parts, ".")
}
