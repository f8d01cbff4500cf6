package cli

import (
	"encoding/csv"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// jobRecord is a line of --records.
type jobRecord map[string]string

func (r jobRecord) number(column string) float64 {
	x, _ := strconv.ParseFloat(r[column], 64) // "" is 0
	return x
}

// recordsOf simulates a policy and returns its jobs by replication.
func recordsOf(t *testing.T, label string, args ...string) [][]jobRecord {
	t.Helper()
	must(t, append([]string{"simulate"}, append(args, "--policy", label, "--records", "jobs.csv", "--quiet")...)...)
	lines, err := csv.NewReader(strings.NewReader(readText(t, "jobs.csv"))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var list [][]jobRecord
	for _, line := range lines[1:] {
		r := jobRecord{}
		for i, name := range lines[0] {
			r[name] = line[i]
		}
		k := int(r.number("replication"))
		for k >= len(list) {
			list = append(list, nil)
		}
		list[k] = append(list[k], r)
	}
	return list
}

// TestSurchargeAndPromise recomputes both from the records of the jobs. The surcharge is what the jobs of the other
// customers deliver less, over the unit-hours that the jobs of the first customer run. The promise: in each of 19
// histories the wait that 90 % of the submitted jobs do not exceed, and the largest of these, which a further history
// exceeds with a probability of 1/20.
func TestSurchargeAndPromise(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, scenario := range [][]string{
		{"site", "--set", "trace.jobs=last:300", "--replications", "19"},
		{"nist-four", "--set", "load=0.95", "--jobs", "120", "--replications", "19"},
	} {
		first := map[string]string{"site": "urgent", "nist-four": "LvLu"}[scenario[0]]
		a := told(t, append([]string{"whatif", "--change", "priority=" + first, "--promise", first + "=90%", "--cells",
			"cells.csv"}, scenario...)...)
		var jobs [2][][]jobRecord
		for i, label := range texts(t, a, "changes", "policy")[:2] {
			jobs[i] = recordsOf(t, label, scenario...)
		}
		lost, hours := 0.0, 0.0
		for k := range jobs[0] {
			for i, sign := range []float64{1, -1} {
				for _, r := range jobs[i][k] {
					if r["class"] != first {
						lost += sign * r.number("utility")
					} else if i == 1 && r["outcome"] == "completed" {
						hours += r.number("processors") * r.number("runtime") / 3600
					}
				}
			}
		}
		if got := number(t, a, "changes", 1, "surcharge"); math.Abs(got-lost/hours) > 1e-9*math.Abs(got) || lost == 0 {
			t.Errorf("%s: surcharge %g, by the records %g $ over %g h", scenario[0], got, lost, hours)
		}
		checkPromises(t, scenario[0], first, jobs[:], []float64{number(t, a, "promises", 0, "within"),
			number(t, a, "promises", 1, "within")})
		surchargeOfCells(t, first, number(t, a, "changes", 1, "surcharge"))
	}
}

// checkPromises recomputes what can be promised to 90 % of the jobs of a customer.
func checkPromises(t *testing.T, scenario, customer string, jobs [][][]jobRecord, got []float64) {
	t.Helper()
	for i, histories := range jobs {
		var needed []float64
		for _, list := range histories {
			var waits []float64
			for _, r := range list {
				switch {
				case r["class"] == customer && r["outcome"] == "completed":
					waits = append(waits, r.number("response")-r.number("runtime"))
				case r["class"] == customer:
					waits = append(waits, math.Inf(1))
				}
			}
			slices.Sort(waits)
			for k, w := range waits {
				if float64(k+1) >= 0.9*float64(len(waits))-1e-9 {
					needed = append(needed, w)
					break
				}
			}
		}
		want := slices.Max(needed)
		if len(needed) != 19 || math.Abs(got[i]-want) > 1e-6*want+1e-6 {
			t.Errorf("%s, row %d: a promise of %g s, by the records of %d histories %g s", scenario, i, got[i], len(needed), want)
		}
	}
}

// surchargeOfCells recomputes the surcharge from the columns of customers.
func surchargeOfCells(t *testing.T, first string, want float64) {
	t.Helper()
	var lines []string
	for line := range strings.Lines(readText(t, "cells.csv")) {
		if !strings.HasPrefix(line, "#") {
			lines = append(lines, line)
		}
	}
	cells, err := csv.NewReader(strings.NewReader(strings.Join(lines, ""))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	lost, work := 0.0, 0.0
	for _, cell := range cells[1:] {
		row, group, column := cell[0], cell[5], cell[6]
		x, _ := strconv.ParseFloat(cell[7], 64)
		now := row == "as it is"
		switch {
		case !strings.HasPrefix(group, "customer:") || !now && row != "priority="+first:
		case column == "value_total" && group != "customer:"+first && now:
			lost += x
		case column == "value_total" && group != "customer:"+first:
			lost -= x
		case column == "unit_hours" && group == "customer:"+first && !now:
			work += x
		}
	}
	if got := lost / work; math.Abs(got-want) > 1e-6*math.Abs(want) {
		t.Errorf("%s: surcharge %g by cells, want %g", first, got, want)
	}
}
