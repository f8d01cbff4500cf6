package scenario

import (
	"fmt"
	"slices"
	"strings"

	"revopt/internal/removed"
	"revopt/internal/text"
	"revopt/model"
)

// decoder reads a scenario from a tree and keeps the first error. Reading may go on
// after an error; its values are not used.
type decoder struct {
	file    string
	err     error
	numeric func(path string) // called with the path of every numeric field; may be nil
	base    *baseline         // the file without overrides; nil if there are none
	known   []KnownPolicy     // policies are checked against these; nil accepts any name
	open    []string          // classes that lose value and state no largest penalty
	lengths map[lengthKey]model.Distribution
	rating  float64 // of the machine of a trace, 0 if there are no ratings
	parts   *parts  // of the file, which this decoder fills; nil: it does not
}

// cursor is a place in the tree: a field or a list element that may be absent.
type cursor struct {
	d   *decoder
	n   *node // nil if the field is absent
	up  *cursor
	key string
}

func (c *cursor) get(key string) *cursor {
	return &cursor{d: c.d, n: c.n.get(key), up: c, key: key}
}

func (c *cursor) given() bool { return c.n != nil }

func (c *cursor) overridden() bool { return c.n != nil && c.n.source != "" }

func (c *cursor) path() string {
	if c.up == nil || c.up.up == nil {
		return c.key
	}
	return c.up.path() + "." + c.key
}

// fail keeps an error about c. Its position is that of the value or, if the field is
// absent, that of the mapping that lacks it.
func (c *cursor) fail(format string, args ...any) {
	c.blame(Error{Message: fmt.Sprintf(format, args...)})
}

// blame keeps an error about c, whose place it adds.
func (c *cursor) blame(e Error) {
	if c.d.err != nil {
		return
	}
	here := c
	for here.n == nil {
		here = here.up
	}
	e.File, e.Line, e.Column = c.d.file, here.n.line, here.n.column
	e.Path = c.path()
	if here.n.source != "" {
		e.File, e.Line, e.Column = here.n.source, 0, 0
	}
	c.d.err = &e
}

// expected keeps an error that c is absent or differs from what is wanted.
func (c *cursor) expected(want string) {
	if c.given() {
		c.fail("expected %s, got %s", want, c.n.describe())
	} else {
		c.fail("missing, expected %s", want)
	}
}

// mapping checks that there is a mapping at c with only known fields.
func (c *cursor) mapping(want string, known ...string) bool {
	if !c.given() || c.n.kind != mapping {
		c.expected(want)
		return false
	}
	for _, f := range c.n.fields {
		if slices.Contains(known, f.key) {
			continue
		}
		if old, gone := removed.Find(removed.Field, c.get(f.key).path()); gone {
			c.keyOf(f).blame(Error{Removed: old})
		} else {
			c.keyOf(f).fail(unknownField+", expected %s%s", text.OneOf(known), text.DidYouMean(f.key, known))
		}
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

// fields returns the places of all fields of the mapping at c, none if it is absent.
func (c *cursor) fields() []*cursor {
	if !c.given() {
		return nil
	}
	return text.Each(c.n.fields, func(f field) *cursor { return c.get(f.key) })
}

// shown returns a key for a path, in quotes if it is long or odd.
func shown(key string) string {
	if q := quote(key); len(q) != len(key)+2 {
		return q
	}
	return key
}

// list checks for a list at c that is not empty, and returns the places of its elements.
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

// blame returns the first place with an overridden value, so that an error about several fields names the
// one that the user changed; else the fallback.
func blame(fallback *cursor, places ...*cursor) *cursor {
	for _, c := range places {
		if c.overridden() {
			return c
		}
	}
	return fallback
}

// latest returns the field that counts of two that exclude each other: the
// overridden one if both are given, the first if neither is.
func latest(first, second *cursor) *cursor {
	switch {
	case first.given() && second.given() && first.overridden() == second.overridden():
		second.fail("expected %s or %s, got both", first.key, second.key)
	case second.given() && !first.overridden():
		return second
	}
	return first
}
