//go:build net

package net

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// near is how far a number may be from the old one, as a share of the largest of both and the row's value, where the
// order of sums has changed.
const near = 1e-12

// An allowance is a line of allowed.txt: differences that are meant, with the reason.
type allowance struct {
	run, group, column string
	how                string  // "gone" for numbers that are no longer printed, "any", or a share of the number
	share              float64 // where how is a number
	reason             string
	used               int
}

// readAllowed returns the allowances of the text of allowed.txt.
func readAllowed(text string) ([]*allowance, error) {
	var all []*allowance
	for i, line := range strings.Split(text, "\n") {
		if strings.TrimSpace(line) == "" || strings.HasPrefix(line, "#") {
			continue
		}
		fields := strings.Split(line, "|")
		for j := range fields {
			fields[j] = strings.TrimSpace(fields[j])
		}
		if len(fields) != 5 || fields[4] == "" {
			return nil, fmt.Errorf("line %d: expected case | group | column | how | reason, got %q", i+1, line)
		}
		a := &allowance{run: fields[0], group: fields[1], column: fields[2], how: fields[3], reason: fields[4]}
		if a.how != "gone" && a.how != "any" {
			var err error
			a.share, err = strconv.ParseFloat(a.how, 64)
			if err != nil {
				return nil, fmt.Errorf("line %d: expected gone, any or a share, got %q", i+1, a.how)
			}
		}
		all = append(all, a)
	}
	return all, nil
}

// covers reports whether the difference d is meant.
func (a *allowance) covers(d difference) bool {
	if !match(a.run, d.run) || !match(a.group, d.group) || !match(a.column, d.column) {
		return false
	}
	switch a.how {
	case "any":
		return true
	case "gone":
		return d.gone
	}
	return !d.gone && math.Abs(d.old-d.now) <= a.share*d.scale
}

// match reports whether a text is of a pattern in which * stands for any text.
func match(pattern, text string) bool {
	parts := strings.Split(pattern, "*")
	text, ok := strings.CutPrefix(text, parts[0])
	if len(parts) == 1 {
		return ok && text == ""
	}
	for _, part := range parts[1 : len(parts)-1] {
		var found bool
		_, text, found = strings.Cut(text, part)
		ok = ok && found
	}
	return ok && strings.HasSuffix(text, parts[len(parts)-1])
}

// A difference is a number that is not the old one.
type difference struct {
	key
	old, now float64
	scale    float64 // the largest of both and the row's value
	gone     bool
	reason   string // of an allowance
}

// A verdict counts what a comparison has found.
type verdict struct {
	numbers, equal, near, more int
	differences                []difference
}

// compare compares the numbers of two builds. Numbers that only the later one has are counted.
func compare(old, now *numbers, allowed []*allowance) verdict {
	var v verdict
	rows := rowValues(old)
	for _, k := range old.keys {
		v.numbers++
		d := difference{key: k, old: old.of[k]}
		var ok bool
		d.now, ok = now.of[k]
		d.gone = !ok
		d.scale = max(math.Abs(d.old), math.Abs(d.now), rows[rowOf(k)])
		switch {
		case ok && d.now == d.old:
			v.equal++
			continue
		case ok && math.Abs(d.now-d.old) <= near*d.scale:
			v.near++
			continue
		}
		for _, a := range allowed {
			if a.covers(d) {
				a.used++
				d.reason = a.reason
				break
			}
		}
		v.differences = append(v.differences, d)
	}
	for _, k := range now.keys {
		if _, ok := old.of[k]; !ok {
			v.more++
		}
	}
	return v
}

// rowOf returns a key for the largest number of a kind in a row: differences and ends of intervals are as exact as the
// numbers they are made of.
func rowOf(k key) key {
	run, _, _ := strings.Cut(k.run, " less ")
	column := k.column
	for _, end := range []string{"_low", "_high", "_difference", "_a", "_b", "_before", "_after"} {
		column = strings.TrimSuffix(column, end)
	}
	if slices.Contains([]string{"gain", "net", "surcharge", "revenue", "bound"}, column) {
		column = "value"
	}
	return key{run: run, column: column}
}

// rowValues returns the largest magnitudes by row and kind.
func rowValues(n *numbers) map[key]float64 {
	rows := make(map[key]float64)
	for _, k := range n.keys {
		if strings.HasSuffix(k.column, "_low") || strings.HasSuffix(k.column, "_high") {
			continue
		}
		row := rowOf(k)
		rows[row] = max(rows[row], math.Abs(n.of[k]))
	}
	return rows
}

// unexpected returns the differences without a reason.
func (v verdict) unexpected() []difference {
	return slices.DeleteFunc(slices.Clone(v.differences), func(d difference) bool { return d.reason != "" })
}

// mostListed is how many rows with differences are printed. The file has all differences.
const mostListed = 60

// print prints counts, reasons and, for each row, how many numbers differ without one and the worst of them.
func (v verdict) print(w io.Writer, runs int, allowed []*allowance) {
	unexpected := v.unexpected()
	fmt.Fprintf(w, "runs %d, numbers compared %d, equal to the bit %d, within %g %d, meant %d, different %d; new %d\n",
		runs, v.numbers, v.equal, near, v.near, len(v.differences)-len(unexpected), len(unexpected), v.more)
	for _, a := range allowed {
		fmt.Fprintf(w, "  meant %6d: %s | %s | %s: %s\n", a.used, a.run, a.group, a.column, a.reason)
	}
	var rows []string
	worst := make(map[string]difference)
	differ, gone := make(map[string]int), make(map[string]int)
	for _, d := range unexpected {
		before, ok := worst[d.run]
		if !ok {
			rows = append(rows, d.run)
		}
		if !ok || d.by() > before.by() {
			worst[d.run] = d
		}
		if d.gone {
			gone[d.run]++
		} else {
			differ[d.run]++
		}
	}
	for i, row := range rows {
		if i == mostListed {
			fmt.Fprintf(w, "  ... and %d rows more\n", len(rows)-i)
			break
		}
		fmt.Fprintf(w, "  %s: %d differ, %d are gone, such as %s\n", row, differ[row], gone[row], worst[row])
	}
}

// by returns how far the numbers are apart, as a share of their scale; 0 if one is gone.
func (d difference) by() float64 {
	if d.gone || d.scale == 0 {
		return 0
	}
	return math.Abs(d.now-d.old) / d.scale
}

// String returns the place of a difference in its row, and the numbers.
func (d difference) String() string {
	name := d.group + " " + d.column
	if d.replication != "" {
		name += " [" + d.replication + "]"
	}
	if d.gone {
		return fmt.Sprintf("%s, %v before", name, d.old)
	}
	return fmt.Sprintf("%s, %v before, now %v", name, d.old, d.now)
}

// write writes all differences to a file.
func (v verdict) write(path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	defer file.Close()
	w := csv.NewWriter(file)
	w.Write([]string{"case", "group", "column", "replication", "old", "new", "reason"})
	for _, d := range v.differences {
		now := ""
		if !d.gone {
			now = strconv.FormatFloat(d.now, 'g', -1, 64)
		}
		w.Write([]string{d.run, d.group, d.column, d.replication, strconv.FormatFloat(d.old, 'g', -1, 64), now, d.reason})
	}
	w.Flush()
	if err := w.Error(); err != nil {
		return err
	}
	return file.Close()
}
