package ask

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"revopt/internal/fixture"
	"revopt/model/scenario"
	"revopt/plots/answer"
	"revopt/simulate/run"
)

func openLab(t *testing.T, source string, o run.Options, set ...scenario.Override) *run.Lab {
	t.Helper()
	doc, err := scenario.Builtin(source)
	if strings.Contains(source, "\n") {
		doc, err = fixture.Parsed(t, source), nil
	}
	if err == nil {
		doc, err = doc.With(set...)
	}
	if err != nil {
		t.Fatal(err)
	}
	o.Seed = 1
	l, err := run.NewLab(t.Context(), doc, o)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// cell returns a value of the first table.
func cell(t *testing.T, a answer.Answer, row int, column string) answer.Value {
	t.Helper()
	for c, name := range a.Tables[0].Columns {
		if name.Name == column {
			return a.Tables[0].Rows[row][c]
		}
	}
	t.Fatalf("no column %s", column)
	return answer.Value{}
}

func near(a, b float64) bool {
	return math.Abs(a-b) <= 1e-12*math.Max(math.Abs(a), math.Abs(b)) || math.IsNaN(a) && math.IsNaN(b)
}

// TestInterrupted: an answer of what is whole says that it was interrupted.
func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	l := openLab(t, "nist-four", run.Options{Workers: 1, Progress: func(done, _ int) {
		if done == 4 {
			cancel()
		}
	}}, scenario.Override{Path: "simulation.jobs", Value: "2000"})
	compared, err := Simulate(ctx, l, Request{Policies: []string{"hol,easy"}, Replications: "9"})
	a := compared.Answer
	if !errors.Is(err, context.Canceled) || a.Replications != 2 || len(a.Warnings) == 0 || a.Warnings[0].Code != "INTERRUPTED" {
		t.Errorf("%v, %d replications, %v", err, a.Replications, a.Warnings)
	}
	early, stop := context.WithCancel(t.Context())
	stop()
	if _, err := Simulate(early, openLab(t, "nist-four", run.Options{}), Request{}); !errors.Is(err, context.Canceled) {
		t.Errorf("nothing done: %v", err)
	}
}

// TestFiles: cells have the numbers of the table, records have every job of every
// replication.
func TestFiles(t *testing.T) {
	l := openLab(t, fixture.Customers(t), run.Options{Workers: 2})
	c, err := Simulate(t.Context(), l, Request{Policies: []string{"easy,value-bf"}, Version: "0.6", Widths: true})
	if err != nil {
		t.Fatal(err)
	}
	var cells, records bytes.Buffer
	if err := errors.Join(c.WriteCells(&cells), c.WriteRecords(t.Context(), &records)); err != nil {
		t.Fatal(err)
	}
	jobs := cell(t, c.Answer, 0, "jobs_submitted").Number
	for _, column := range []string{"value", "mean_wait", "jobs_submitted"} {
		v := cell(t, c.Answer, 1, column)
		line := fmt.Sprintf("value-bf,value-bf,all,,0,all,%s,%s\n", column, strconv.FormatFloat(v.Number, 'g', -1, 64))
		if !strings.Contains(cells.String(), line) {
			t.Errorf("cells have no line %q", line)
		}
	}
	if n := strings.Count(records.String(), "\n"); float64(n) != 1+2*jobs {
		t.Errorf("%d lines of records, want %g", n, 1+2*jobs)
	}
	table, _ := c.Answer.Table("widths")
	at := slices.IndexFunc(table.Columns, func(c answer.Column) bool { return c.Name == "jobs_submitted" })
	sum := 0.0
	for _, row := range table.Rows {
		sum += row[at].Number
	}
	if sum != 2*jobs {
		t.Errorf("%g jobs in groups of width, want %g", sum, 2*jobs)
	}
}
