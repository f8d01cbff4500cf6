package scenario

import (
	"fmt"
	"slices"
	"strings"

	"revopt/internal/text"
)

// row is one field of a mapping: its key, how to read its value, and how to write
// it. A row belongs to the variable that it reads into and writes from, so a table
// is made for one value: reading fills the value in, writing asks for it.
//
// A new field of a scenario is one new row.
type row struct {
	key      string
	read     func(c *cursor)         // nil: another field, or a step after the table, reads it
	write    func(e *encoder) string // nil or "": the field is not written
	optional bool                    // read accepts an absent field
}

// table lists the fields of a mapping in the order of reading, writing and messages.
type table []row

func (t table) keys() []string { return text.Each(t, func(r row) string { return r.key }) }

// read reads the mapping at c and reports whether it is valid.
func (t table) read(c *cursor, want string) bool { return c.mapping(want, t.keys()...) && t.fields(c) }

// fields reads the fields of the mapping at c, which may be absent.
func (t table) fields(c *cursor) bool {
	for _, r := range t {
		if r.read != nil && c.d.err == nil {
			r.read(c.get(r.key))
		}
	}
	return c.d.err == nil
}

// lines returns the fields as "key: value".
func (t table) lines(e *encoder) []string {
	var lines []string
	for _, r := range t {
		if value := r.text(e); strings.HasPrefix(value, "\n") {
			lines = append(lines, nameWord(r.key)+":"+value)
		} else if value != "" {
			lines = append(lines, nameWord(r.key)+": "+value)
		}
	}
	return lines
}

// flow returns the mapping on one line.
func (t table) flow(e *encoder) string { return "{" + strings.Join(t.lines(e), ", ") + "}" }

// text returns the value of a field, "" if the field is not written.
func (r row) text(e *encoder) string {
	if r.write == nil {
		return ""
	}
	e.path = append(e.path, r.key)
	defer func() { e.path = e.path[:len(e.path)-1] }()
	return r.write(e)
}

// reading replaces how the field is read; read is the present way.
func (r row) reading(f func(c *cursor, read func(*cursor))) row {
	read := r.read
	r.read = func(c *cursor) { f(c, read) }
	return r
}

// then adds a step after the field is read, also if it is absent.
func (r row) then(step func(c *cursor)) row {
	return r.reading(func(c *cursor, read func(*cursor)) {
		if read(c); c.d.err == nil {
			step(c)
		}
	})
}

// otherwise handles an absent field.
func (r row) otherwise(set func()) row {
	return r.reading(func(c *cursor, read func(*cursor)) {
		if c.given() {
			read(c)
		} else {
			set()
		}
	})
}

// unless reads the field unless another one counts that excludes it; see latest.
func (r row) unless(other string) row {
	return r.reading(func(c *cursor, read func(*cursor)) {
		if latest(c, c.up.get(other)) == c {
			read(c)
		}
	})
}

// insteadOf reads the field if it counts instead of another one; see latest.
func (r row) insteadOf(other string) row {
	return r.reading(func(c *cursor, read func(*cursor)) {
		if latest(c.up.get(other), c) == c {
			read(c)
		}
	})
}

// written replaces how the field is written.
func (r row) written(write func() string) row {
	r.write = func(*encoder) string { return write() }
	return r
}

// when writes the field only if the condition holds.
func (r row) when(holds bool) row {
	if !holds {
		r.write = nil
	}
	return r
}

// ifGiven reads the field only if it is there, and writes it only under the condition.
func (r row) ifGiven(holds bool) row { return r.otherwise(func() {}).when(holds) }

// number is a field with a number. It is required unless a default is given; a
// value that equals the default is not written.
func number[T int | float64](key string, x *T, q quantity, otherwise ...T) row {
	return row{key: key, optional: otherwise != nil,
		read: func(c *cursor) {
			if c.given() || otherwise == nil {
				*x = T(c.number(q))
				return
			}
			c.isNumeric()
			*x = otherwise[0]
		},
		write: func(*encoder) string {
			if otherwise != nil && *x == otherwise[0] {
				return ""
			}
			return q.format(float64(*x))
		}}
}

// maybe is a field with a whole number, nil if it is absent.
func maybe(key string, x **int, q quantity) row {
	n := new(int)
	if *x != nil {
		n = *x
	}
	return number(key, n, q).then(func(*cursor) { *x = n }).ifGiven(*x != nil)
}

// name is a required field with text on one line.
func name(key string, x *string, want string) row {
	return row{key: key,
		read:  func(c *cursor) { *x = c.text(want) },
		write: func(*encoder) string { return nameWord(*x) }}
}

// choice is a field with one of some words. The first is the default.
func choice[T any](key string, x *T, values ...T) row {
	return row{key: key, optional: true,
		read:  func(c *cursor) { *x = choose(c, values...) },
		write: func(*encoder) string { return fmt.Sprint(*x) }}
}

// flag is a field with one of two words, written only if it is the second.
func flag(key string, x *bool, off, on string) row {
	return row{key: key, optional: true,
		read:  func(c *cursor) { *x = choose(c, off, on) == on },
		write: func(*encoder) string { return on }}.when(*x)
}

// choose reads one of some words, the first if c is absent.
func choose[T any](c *cursor, values ...T) T {
	if !c.given() {
		return values[0]
	}
	words := text.Each(values, func(v T) string { return fmt.Sprint(v) })
	if i := slices.Index(words, c.n.plainText()); i >= 0 && c.n.kind == scalar {
		return values[i]
	}
	c.fail("expected %s, got %s%s", text.OneOf(text.Few(words)), c.n.describe(),
		text.DidYouMean(c.n.plainText(), words))
	return values[0]
}

// mapped is a required field with a mapping.
func mapped(key, want string, fields table) row {
	return row{key: key,
		read:  func(c *cursor) { fields.read(c, want) },
		write: fields.flow}
}

// options is a field with a mapping whose fields all have defaults. It may be
// absent, and is not written if no field differs from its default.
func options(key, want string, fields table) row {
	return row{key: key, optional: true,
		read: func(c *cursor) {
			if !c.given() || c.mapping(want, fields.keys()...) {
				fields.fields(c)
			}
		},
		write: func(e *encoder) string { return strings.TrimPrefix(fields.flow(e), "{}") }}
}

// section is a field with a mapping that stands for a value, nil if it is absent.
func section[T any](key, want string, x **T, fields func(*T) table) row {
	return row{key: key, optional: true,
		read: func(c *cursor) {
			if value := new(T); c.given() && fields(value).read(c, want) {
				*x = value
			}
		},
		write: func(e *encoder) string {
			if *x == nil {
				return ""
			}
			return fields(*x).flow(e)
		}}
}

// records is a field with a list of mappings.
func records[T any](key, want, item string, x *[]T, fields func(*T) table) row {
	return row{key: key,
		read: func(c *cursor) {
			for _, place := range c.list(want) {
				var value T
				if !fields(&value).read(place, item) {
					return
				}
				*x = append(*x, value)
			}
		},
		write: func(e *encoder) string {
			return flowList(*x, func(value T) string { return fields(&value).flow(e) })
		}}
}

func numberList(key, want string, x *[]float64, q quantity) row {
	return row{key: key,
		read: func(c *cursor) {
			for _, item := range c.list(want) {
				*x = append(*x, item.number(q))
			}
		},
		write: func(*encoder) string { return flowList(*x, q.format) }}
}

// variant is a field with a plain value, or with a mapping that has one of some
// fields. At most one of these values is not 0.
func variant(key, want string, plain row, forms ...row) row {
	fields := table(forms)
	return row{key: key, optional: plain.optional,
		read: func(c *cursor) {
			if !c.given() && plain.optional {
				plain.read(c)
				return
			}
			form, ok := c.form(want, fields.keys()...)
			switch i := slices.Index(fields.keys(), form); {
			case !ok:
			case i >= 0:
				fields[i].read(c.get(form))
			case plain.read == nil:
				c.expected(want)
			default:
				plain.read(c)
			}
		},
		write: func(e *encoder) string {
			value, parts := plain.text(e), fields.lines(e)
			switch {
			case len(parts) > 1, len(parts) == 1 && value != "" && value != "0":
				e.fail("a value of two parts")
			case len(parts) == 1:
				return "{" + parts[0] + "}"
			}
			return value
		}}
}

// form returns the given field of a mapping that stands for a value, "" for a scalar.
func (c *cursor) form(want string, fields ...string) (field string, ok bool) {
	switch {
	case !c.given() || c.n.kind == sequence:
		c.expected(want)
		return "", false
	case c.n.kind == scalar:
		return "", true
	case !c.mapping(want, fields...):
		return "", false
	case len(c.n.fields) != 1:
		c.fail("expected %s, got a mapping with %d fields", want, len(c.n.fields))
		return "", false
	}
	return c.n.fields[0].key, true
}

// orWord lets a word stand for a value of the field.
func orWord[T comparable](r row, word string, x *T, value T) row {
	if *x == value {
		r = r.written(func() string { return word })
	}
	return r.reading(func(c *cursor, read func(*cursor)) {
		if c.n.plainText() == word {
			*x = value
		} else {
			read(c)
		}
	})
}
