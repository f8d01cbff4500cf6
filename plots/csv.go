package plots

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
	"strings"

	"revopt/internal/text"
)

// encodeCSV returns the numbers behind a sheet, see CSV.
func encodeCSV(s Sheet, prov Provenance) []byte {
	t := table{panels: len(s.Panels) > 1}
	t.comment("figure", s.ID)
	t.comment("title", s.Title)
	if s.Subtitle != "" {
		t.comment("subtitle", s.Subtitle)
	}
	for _, kv := range prov.Pairs() {
		t.comment(kv.Key, kv.Value)
	}
	for i, f := range s.Panels {
		t.describe(f, nameOf("panel", i, f.Title, f.ID))
	}
	for _, n := range s.Notes {
		t.comment("note", n)
	}
	t.row("panel", "series", "x", "y", "low", "high")
	for i, f := range s.Panels {
		t.figure(f, nameOf("panel", i, f.Title, f.ID))
	}
	return t.buf.Bytes()
}

// nameOf returns the first name that is not empty, else the number of its kind.
func nameOf(kind string, i int, names ...string) string {
	for _, name := range names {
		if line := oneLine(name); line != "" {
			return line
		}
	}
	return kind + " " + strconv.Itoa(i+1)
}

// A table writes the lines of the file.
type table struct {
	buf    bytes.Buffer
	panels bool // there is a column for the panel
}

func (t *table) comment(key, value string) {
	if line := oneLine(value); line != "" {
		fmt.Fprintf(&t.buf, "# %s: %s\n", oneLine(key), line)
	}
}

// describe writes the axes and the marks that have no row of their own.
func (t *table) describe(f Figure, panel string) {
	prefix := ""
	if t.panels {
		prefix = panel + ": "
	}
	// Fractions stay fractions in the table; only the picture prints per cent.
	f.X.Percent, f.Y.Percent = false, false
	t.comment(prefix+"x", f.X.text())
	t.comment(prefix+"y", f.Y.text())
	for _, r := range f.VLines {
		t.comment(prefix+"vertical line", number(r.At)+" "+r.Text)
	}
	for _, r := range f.HLines {
		t.comment(prefix+"horizontal line", number(r.At)+" "+r.Text)
	}
	for _, l := range f.Labels {
		t.comment(prefix+"label", number(l.X)+" "+number(l.Y)+" "+l.Text)
	}
}

// figure writes one row for each point of each series and region.
func (t *table) figure(f Figure, panel string) {
	for i, s := range f.Series {
		name := nameOf("series", i, s.Name)
		if s.Quoted {
			name += ", as the paper states"
		}
		for j, x := range s.X {
			low, high := "", ""
			if s.Low != nil && finite(s.Low[j]) && finite(s.High[j]) {
				low, high = number(s.Low[j]), number(s.High[j])
			}
			t.row(panel, name, f.X.place(x), number(s.Y[j]), low, high)
		}
	}
	for i, r := range f.Regions {
		name := nameOf("region", i, r.Name)
		for j, x := range r.X {
			if r.Side == Between {
				t.row(panel, name, f.X.place(x), "", number(r.Y[j]), number(r.Y2[j]))
			} else {
				t.row(panel, name, f.X.place(x), number(r.Y[j]), "", "")
			}
		}
	}
}

// place is x as a number, or the name of its category.
func (a Axis) place(x float64) string {
	if i := int(x); x == math.Trunc(x) && i >= 0 && i < len(a.Categories) {
		return oneLine(a.Categories[i])
	}
	return number(x)
}

// number is the shortest text that reads back as v.
func number(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

func (t *table) row(panel string, fields ...string) {
	if t.panels {
		fields = append([]string{panel}, fields...)
	}
	for i, f := range fields {
		if i > 0 {
			t.buf.WriteByte(',')
		}
		t.buf.WriteString(quoted(text.CSVText(f)))
	}
	t.buf.WriteByte('\n')
}

// quoted quotes a field that would otherwise be read as several, or as a
// comment, which encoding/csv does not guard against.
func quoted(s string) string {
	if !strings.ContainsAny(s, "\",") && !strings.HasPrefix(s, "#") {
		return s
	}
	return `"` + strings.ReplaceAll(s, `"`, `""`) + `"`
}
