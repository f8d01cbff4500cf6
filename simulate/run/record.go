package run

import (
	"bytes"
	"encoding/json"
	"fmt"
	"iter"
	"math"
	"slices"
	"strconv"
)

// Record is the numbers of a case.
type Record struct {
	Groups map[string]Columns `json:"groups"`
}

// All is the group of all jobs.
const All = "all"

// Customer is the group of the jobs of a customer.
func Customer(name string) string { return "customer:" + name }

// Pool is the group of the jobs in a pool, or in pools that share jobs, joined by +.
func Pool(name string) string { return "pool:" + name }

// InPool is the group of the jobs of a customer in a pool.
func InPool(pool, customer string) string { return Pool(pool) + " " + Customer(customer) }

// Provider is the group of the jobs that a provider takes.
func AtProvider(name string) string { return "provider:" + name }

// Width is the group of the jobs of a pool that need from so many to so many units; the pool of a machine that is one
// has no name.
func Width(pool string, from, to int) string {
	name := fmt.Sprintf("width:%d-%d", from, to)
	if pool == "" {
		return name
	}
	return Pool(pool) + " " + name
}

// Columns are finite numbers by name. The zero value has none.
type Columns struct {
	names   []string // many records share them, so they are never changed
	numbers []float64
}

// Get returns a number and whether there is one.
func (c Columns) Get(name string) (x float64, ok bool) {
	i := slices.Index(c.names, name)
	if i < 0 {
		return 0, false
	}
	return c.numbers[i], true
}

// All yields the columns in their order.
func (c Columns) All() iter.Seq2[string, float64] {
	return func(yield func(string, float64) bool) {
		for i, name := range c.names {
			if !yield(name, c.numbers[i]) {
				return
			}
		}
	}
}

// Set adds a column, or replaces its number. A number that is not finite does not exist: the column is left out.
func (c *Columns) Set(name string, x float64) {
	if !finite(x) {
		return
	}
	if i := slices.Index(c.names, name); i >= 0 {
		c.numbers[i] = x
		return
	}
	c.names = append(slices.Clip(c.names), name)
	c.numbers = append(c.numbers, x)
}

func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }

// Get returns a number of a group and whether there is one.
func (r Record) Get(group, column string) (x float64, ok bool) { return r.Groups[group].Get(column) }

// set sets a number of a group.
func (r *Record) set(group, column string, x float64) {
	if r.Groups == nil {
		r.Groups = map[string]Columns{}
	}
	columns := r.Groups[group]
	columns.Set(column, x)
	r.Groups[group] = columns
}

// MarshalJSON writes an object whose numbers are read back as they were.
func (c Columns) MarshalJSON() ([]byte, error) {
	text := []byte{'{'}
	for i, name := range c.names {
		if i > 0 {
			text = append(text, ',')
		}
		text = strconv.AppendQuote(text, name)
		text = append(text, ':')
		text = strconv.AppendFloat(text, c.numbers[i], 'g', -1, 64)
	}
	return append(text, '}'), nil
}

// UnmarshalJSON reads an object of numbers in its order.
func (c *Columns) UnmarshalJSON(text []byte) error {
	*c = Columns{}
	reader := json.NewDecoder(bytes.NewReader(text))
	if open, err := reader.Token(); err != nil || open != json.Delim('{') {
		return fmt.Errorf("expected an object of numbers, got %.20q", text)
	}
	for reader.More() {
		name, err := reader.Token()
		if err != nil {
			return err
		}
		var x float64
		if err := reader.Decode(&x); err != nil {
			return err
		}
		c.names = append(c.names, name.(string)) // the decoder refuses other keys
		c.numbers = append(c.numbers, x)
	}
	return nil
}
