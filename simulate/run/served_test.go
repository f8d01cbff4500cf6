package run

import (
	"bytes"
	"encoding/csv"
	"math"
	"slices"
	"strconv"
	"testing"

	"revopt/internal/fixture"
	"revopt/simulate/metric"
	"revopt/simulate/subject"
)

// overflowing has two pools; jobs that wait a minute for the first move to the second.
const overflowing = `pools: [{name: a, units: 70, overflow: {to: b, after: 60}}, {name: b, units: 20}]
load: 1.2
simulation: {jobs: 400, replications: 2, warmup: 50}
classes:
  - {name: few, pool: a, share: 0.7, length: {dist: exponential, mean: 1h}, width: 1, price: 9, decay: 0.001}
  - {name: many, pool: a, share: 0.3, length: {dist: exponential, mean: 1h}, width: 19, price: 9, decay: 0.01}
`

// TestServed recomputes the waits of groups from records: plain sums, and quantiles of sorted waits.
func TestServed(t *testing.T) {
	for name, s := range map[string]*subject.Subject{
		"trace": fixture.Opened(t, fixture.SmallTrace), "customers": fixture.Opened(t, fixture.MixedTrace),
		"pools": fixture.Opened(t, overflowing),
	} {
		layout, l := layoutOf(s), labOf(t, s, Options{Seed: 1})
		row := beside(l, "value-bf", nil)
		row.Detail.Waits = true
		f := framed(t, l, 2, row)
		e, err := l.Experiment(t.Context(), row)
		if err != nil {
			t.Fatal(err)
		}
		var runs []Record
		for k := range 2 {
			var file bytes.Buffer
			records := metric.NewRecords(&file)
			if _, err := e.Run(t.Context(), k, e.Recorder(records, "", k)); err != nil || records.Flush() != nil {
				t.Fatal(err)
			}
			runs = append(runs, recomputed(t, layout, &file))
		}
		again := &Runs{records: runs}
		for _, g := range layout.Groups() {
			for _, c := range WaitColumns() {
				x, _ := f.Series(row, GroupName(g), c.Column).Mean()
				y, _ := again.Series(GroupName(g), c.Column).Mean()
				if !(math.Abs(x-y) <= 0.004*math.Abs(y)+1e-9) && !(math.IsNaN(x) && math.IsNaN(y)) {
					t.Errorf("%s, %+v, %s: %g, want %g", name, g, c.Name, x, y)
				}
			}
		}
	}
}

// recomputed returns the waits of groups by the records of a run.
func recomputed(t *testing.T, layout *jobGroups, file *bytes.Buffer) (r Record) {
	lines, err := csv.NewReader(file).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	field := func(line []string, name string) string {
		if i := slices.Index(lines[0], name); i >= 0 {
			return line[i]
		}
		return ""
	}
	for _, g := range layout.Groups() {
		var jobs, sum float64
		var waits []float64
		for _, line := range lines[1:] {
			width, _ := strconv.Atoi(field(line, "processors"))
			in := field(line, "class") == g.Name
			if g.Kind == ByWidth {
				in = field(line, "pool") == g.Name && width >= g.From && width <= g.To
			}
			if !in {
				continue
			}
			jobs++
			if start, err := strconv.ParseFloat(field(line, "first_start"), 64); err == nil {
				submit, _ := strconv.ParseFloat(field(line, "submit"), 64)
				waits = append(waits, start-submit)
				sum += start - submit
			}
		}
		name := GroupName(g)
		r.set(name, servedJobs, jobs)
		r.set(name, servedNotRun, 1-float64(len(waits))/jobs)
		if n := len(waits); n > 0 {
			slices.Sort(waits)
			r.set(name, servedWait, sum/float64(n))
			r.set(name, servedWaitMax, waits[n-1])
			r.set(name, servedWait99, waits[int(math.Ceil(0.99*float64(n)))-1])
		}
	}
	return r
}
