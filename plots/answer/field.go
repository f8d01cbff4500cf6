package answer

import (
	"slices"

	"revopt/internal/text"
)

// Field is a column of a table that is made of a list, with the value that it has of an element.
type Field[T any] struct {
	Column
	Of func(T) Value
}

// TableOf returns a table with a row for each element of a list.
func TableOf[T any](name string, list []T, fields ...Field[T]) Table {
	t := Table{Name: name, Columns: text.Each(fields, func(f Field[T]) Column { return f.Column })}
	t.Rows = text.Each(list, func(x T) []Value {
		return text.Each(fields, func(f Field[T]) Value { return f.Of(x) })
	})
	return t
}

// Through returns fields of what another type has.
func Through[T, U any](of func(T) U, fields ...Field[U]) []Field[T] {
	return text.Each(fields, func(f Field[U]) Field[T] {
		return Field[T]{f.Column, func(x T) Value { return f.Of(of(x)) }}
	})
}

// Valued is a field of values.
func Valued[T any](name string, unit Unit, means string, of func(T) Value) Field[T] {
	return Field[T]{Column{Name: name, Unit: unit, Means: means}, of}
}

// Numbered is a field of numbers that nothing random touches.
func Numbered[T any, N int | int64 | float64](name string, unit Unit, means string, of func(T) N) Field[T] {
	return Valued(name, unit, means, func(x T) Value { return Exactly(unit, float64(of(x))) })
}

// Texts is a field of words; "" does not exist.
func Texts[T any](name, means string, of func(T) string) Field[T] {
	return Valued(name, Text, means, func(x T) Value { return Maybe(of(x)) })
}

// Truths is a field of yes or no.
func Truths[T any](name, means string, of func(T) bool) Field[T] {
	return Valued(name, Truth, means, func(x T) Value { return Yes(of(x)) })
}

// Titled returns the field with a title.
func (f Field[T]) Titled(title string) Field[T] {
	f.Title = title
	return f
}

// Hidden returns the field as one that a text does not have.
func (f Field[T]) Hidden() Field[T] {
	f.Quiet = true
	return f
}

// Visible returns the table as one that a short text has though it is not the first.
func (t Table) Visible() Table {
	t.Shown = true
	return t
}

// Only returns the table with some of its columns.
func (t Table) Only(keep func(Column) bool) Table {
	places := text.Where(text.Numbers(len(t.Columns)), func(i int) bool { return keep(t.Columns[i]) })
	columns := t.Columns
	t.Columns = text.Each(places, func(i int) Column { return columns[i] })
	t.Rows = text.Each(t.Rows, func(row []Value) []Value {
		return text.Each(places, func(i int) Value { return row[i] })
	})
	return t
}

// Without returns the table without the column of a name.
func (t Table) Without(name string) Table {
	return t.Only(func(c Column) bool { return c.Name != name })
}

// Along returns the table with the values of a point in front of its rows.
func (t Table) Along(axes []Column, at ...Value) Table {
	t.Columns = slices.Concat(axes, t.Columns)
	t.Rows = text.Each(t.Rows, func(row []Value) []Value { return slices.Concat(at, row) })
	return t
}

// Maybe returns a text; "" does not exist.
func Maybe(s string) Value {
	if s == "" {
		return Value{}
	}
	return Word(s)
}

// As returns the value with a name.
func (v Value) As(name string) Named { return Named{name, v} }
