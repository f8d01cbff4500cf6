package scenario

import (
	"fmt"
	"slices"
	"strings"

	"revopt/internal/text"
	"revopt/model"
)

// decoder reads a scenario from a tree and keeps the first thing that is wrong
// with it. Reading goes on after that with values that are never seen.
type decoder struct {
	file    string
	err     error
	numeric func(path string) // told the path of every numeric field; may be nil
	base    *baseline         // the file without overrides; nil where there are none
	known   []KnownPolicy     // policies are checked against these; nil: any name will do
	lengths map[lengthKey]model.Distribution
}

// cursor is a place in the tree: a field or a list element that may be absent.
type cursor struct {
	d   *decoder
	n   *node // nil where the field is absent
	up  *cursor
	key string
}

// get returns the place of a field of the mapping at c.
func (c *cursor) get(key string) *cursor {
	child := &cursor{d: c.d, up: c, key: key}
	if c.n != nil {
		child.n = c.n.get(key)
	}
	return child
}

// given reports whether there is something at c.
func (c *cursor) given() bool { return c.n != nil }

// overridden reports whether the value at c comes from an override.
func (c *cursor) overridden() bool { return c.n != nil && c.n.source != "" }

// path returns the names that lead to c, joined by dots.
func (c *cursor) path() string {
	if c.up == nil || c.up.up == nil {
		return c.key
	}
	return c.up.path() + "." + c.key
}

// fail notes that something is wrong at c. The position is that of its value
// or, where it is absent, of the mapping that lacks it.
func (c *cursor) fail(format string, args ...any) {
	if c.d.err != nil {
		return
	}
	here := c
	for here.n == nil {
		here = here.up
	}
	e := &Error{File: c.d.file, Line: here.n.line, Column: here.n.column, Path: c.path(), Message: fmt.Sprintf(format, args...)}
	if here.n.source != "" {
		e.File, e.Line, e.Column = here.n.source, 0, 0
	}
	c.d.err = e
}

// expected notes that there is something else at c than what is wanted.
func (c *cursor) expected(want string) {
	switch {
	case !c.given():
		c.fail("missing, expected %s", want)
	default:
		c.fail("expected %s, got %s", want, c.n.describe())
	}
}

// mapping checks that there is a mapping at c that has no fields but the known
// ones.
func (c *cursor) mapping(want string, known ...string) bool {
	if !c.given() || c.n.kind != mapping {
		c.expected(want)
		return false
	}
	for _, f := range c.n.fields {
		if slices.Contains(known, f.key) {
			continue
		}
		c.keyOf(f).fail("unknown field, expected %s%s", oneOf(known), text.DidYouMean(f.key, known))
		return false
	}
	return true
}

// keyOf returns the place of the key of a field of the mapping at c.
func (c *cursor) keyOf(f field) *cursor {
	place := c.get(f.key)
	if place.n.source == "" {
		place.n = &node{line: f.line, column: f.column}
	}
	place.key = shown(f.key)
	return place
}

// shown returns a key as it stands in a path, cut where it is long.
func shown(key string) string {
	if q := quote(key); len(q) != len(key)+2 {
		return q
	}
	return key
}

// list checks that there is a list at c that is not empty and returns its
// places.
func (c *cursor) list(want string) []*cursor {
	if !c.given() || c.n.kind != sequence {
		c.expected(want)
		return nil
	}
	if len(c.n.items) == 0 {
		c.fail("expected %s, got an empty list", want)
		return nil
	}
	items := make([]*cursor, len(c.n.items))
	for i, key := range c.n.itemKeys() {
		items[i] = &cursor{d: c.d, n: c.n.items[i], up: c, key: key}
	}
	return items
}

// text reads a name: text that prints on one line.
func (c *cursor) text(want string) string {
	if !c.given() || c.n.kind != scalar || c.n.null() || strings.TrimSpace(c.n.text) == "" {
		c.expected(want)
		return ""
	}
	switch {
	case c.n.number() || c.n.boolean():
		c.fail("expected %s, got %s: put it in quotes to make it text", want, c.n.describe())
	case oneLine(c.n.text) != c.n.text || strings.TrimSpace(c.n.text) != c.n.text:
		c.fail("expected %s without line breaks or outer spaces, got %s", want, c.n.describe())
	}
	return c.n.text
}

// blame returns the first place with an overridden value, so that a complaint
// about several fields names what the user changed, else the fallback.
func blame(fallback *cursor, places ...*cursor) *cursor {
	for _, c := range places {
		if c.overridden() {
			return c
		}
	}
	return fallback
}

// latest returns which of two fields counts that exclude each other: the
// overridden one where both are given, and first where neither is.
func latest(first, second *cursor) *cursor {
	switch {
	case first.given() && second.given() && first.overridden() == second.overridden():
		second.fail("expected %s or %s, got both", first.key, second.key)
	case second.given() && !first.overridden():
		return second
	}
	return first
}
