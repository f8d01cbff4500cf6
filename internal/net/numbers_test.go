//go:build net

package net

import (
	"compress/gzip"
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
)

// A key names a number. The case is the name of a request with the row of its answer behind a colon, such as
// "simulate-four: hol, analytic". The replication is empty for means and for what is no measure.
type key struct {
	run, group, column, replication string
}

// numbers are those of some runs, by their names in the order in which they were found.
type numbers struct {
	keys []key
	of   map[key]float64
}

// add keeps a number. Two unequal numbers of one name are a fault of the extractor.
func (n *numbers) add(k key, x float64) error {
	if n.of == nil {
		n.of = make(map[key]float64)
	}
	if before, ok := n.of[k]; ok {
		if before != x {
			return fmt.Errorf("two numbers are named %v: %v and %v", k, before, x)
		}
		return nil
	}
	n.keys = append(n.keys, k)
	n.of[k] = x
	return nil
}

// write writes the long table as a compressed file.
func (n *numbers) write(path string) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	defer file.Close()
	packed := gzip.NewWriter(file)
	w := csv.NewWriter(packed)
	w.Write([]string{"case", "group", "column", "replication", "number"})
	for _, k := range n.keys {
		w.Write([]string{k.run, k.group, k.column, k.replication, strconv.FormatFloat(n.of[k], 'g', -1, 64)})
	}
	w.Flush()
	if err := w.Error(); err != nil {
		return err
	}
	if err := packed.Close(); err != nil {
		return err
	}
	return file.Close()
}

// A place is where a number of an answer stands: the row (a policy with its admission and what is set, a bound, a
// change), the group of jobs, and what precedes the name of the column.
type place struct {
	row, group, path string
}

// in returns the place of another group within this one: a pool comes before a customer or a width.
func (p place) in(group string) place {
	switch {
	case p.group == "all" || p.group == "values":
		p.group = group
	case strings.HasPrefix(group, "pool:"):
		p.group = group + " " + p.group
	default:
		p.group += " " + group
	}
	p.path = ""
	return p
}

// inPool returns the place of a pool within this one, if there is a pool that is not named yet.
func (p place) inPool(pool string) place {
	if pool == "" || p.group == "pool:"+pool {
		return p
	}
	return p.in("pool:" + pool)
}

// at returns the place of a row within this one, such as a policy at a point.
func (p place) at(row string) place {
	if p.row != "" {
		row += ", " + p.row
	}
	return place{row: row, group: "all"}
}

// under returns the place with a longer path.
func (p place) under(name string) place {
	if p.path != "" {
		name = p.path + "_" + name
	}
	p.path = name
	return p
}

// A reading extracts the numbers of one run. It keeps the first fault.
type reading struct {
	numbers
	name      string // of the case
	command   string
	objective string          // value, mean_wait or slowdown
	axes      map[string]bool // fields that the case varies
	fault     error
}

// axis reports whether a column is a field of the scenario that the case varies.
func (r *reading) axis(name string) bool {
	field := strings.Contains(name, ".") || name == "load" || name == "growth" || name == "phi"
	return r.axes[name] || r.command == "sweep" && field
}

// put keeps a finite number of an answer.
func (r *reading) put(p place, column, replication string, x float64) {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return
	}
	run := r.name
	if p.row != "" {
		run += ": " + p.row
	}
	err := r.add(key{run, p.group, column, replication}, x)
	if err != nil && r.fault == nil {
		r.fault = err
	}
}

// settle leaves out the ends of intervals that have no width: an answer may also leave out the interval of a number
// that nothing random touches.
func (r *reading) settle() {
	kept := r.keys[:0]
	for _, k := range r.keys {
		mean := k
		mean.column = strings.TrimSuffix(strings.TrimSuffix(k.column, "_low"), "_high")
		x, ok := r.of[mean]
		if mean.column != k.column && ok && x == r.of[k] {
			delete(r.of, k)
			continue
		}
		kept = append(kept, k)
	}
	r.keys = kept
}
