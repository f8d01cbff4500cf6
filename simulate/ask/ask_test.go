package ask

import (
	"bytes"
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"revopt/internal/fixture"
	"revopt/model/scenario"
	"revopt/plots/answer"
	"revopt/simulate/plan"
	"revopt/simulate/run"
	"revopt/simulate/study"
	"revopt/simulate/study/simulation"
	"revopt/simulate/workload"
)

func openLab(t *testing.T, text string, o run.Options, set ...scenario.Override) *run.Lab {
	t.Helper()
	doc, err := scenario.Builtin(text)
	if strings.Contains(text, "\n") {
		doc, err = fixture.Parsed(t, text), nil
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

// TestSimulateAnswer: the table has the numbers of the simulation that it replaces, and the text is short.
func TestSimulateAnswer(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		set  []scenario.Override
		q    Request
	}{
		"classes": {"nist-four", []scenario.Override{{Path: "simulation.jobs", Value: "3000"}},
			Request{Policies: []string{"hol,easy,value-bf"}, Replications: 5}},
		"one":       {"nist-four", nil, Request{Policies: []string{"hol"}, Replications: 3}},
		"customers": {fixture.Customers(t), nil, Request{Policies: []string{"easy,value-bf,hol:backfill=true"}}},
		"weeks":     {fixture.Weekly(t), nil, Request{Policies: []string{"easy,value-bf"}, Weeks: true, Replications: 6}},
	} {
		l := openLab(t, c.text, run.Options{Workers: 2}, c.set...)
		compared, err := Simulate(t.Context(), l, c.q)
		if err != nil {
			t.Fatal(name, err)
		}
		a := compared.Answer
		policies, err := study.ParsePolicies(l.Subject().Specs, c.q.Policies...)
		if err != nil {
			t.Fatal(err)
		}
		s := &simulation.Simulation{Subject: l.Subject(), Policies: policies, Replications: c.q.Replications, Seed: 1,
			Runner: &plan.Runner{Workers: 2}}
		if c.q.Weeks {
			s.Resample = resampling()
		}
		old, err := s.Run(t.Context())
		if err != nil {
			t.Fatal(name, err)
		}
		for i, row := range old.Policies {
			for column, measure := range map[string]string{"mean_wait": "mean_wait", "utilization": "utilization", "value": "value_per_second"} {
				got, want := cell(t, a, i, column), row.Total.Get(measure).Interval()
				if column == "value" {
					want = want.Times(3600)
				}
				low, high := want.Bounds()
				if !near(got.Number, want.Mean) || got.Random && (!near(got.Low, low) || !near(got.High, high)) {
					t.Errorf("%s %s %s: %+v, want %+v", name, row.Label, column, got, want)
				}
			}
		}
		var b bytes.Buffer
		if err := a.WriteText(&b, answer.TextOptions{}); err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(b.String(), "\n"); n > 25 {
			t.Errorf("%s: %d lines\n%s", name, n, b.String())
		}
		t.Logf("%s:\n%s", name, b.String())
		if len(a.Headline.String()) == 0 || len(strings.Fields(a.Headline.String())) > 30 {
			t.Errorf("%s: %s", name, a.Headline)
		}
	}
}

// TestAsked: what is not understood is refused.
func TestAsked(t *testing.T) {
	l := openLab(t, "nist-four", run.Options{})
	for _, q := range []Request{{Objective: "speed"}, {Policies: []string{"none"}}, {Admissions: []string{"2"}},
		{Precision: 0.1, Metric: "speed"}} {
		var usage *study.UsageError
		if _, err := Simulate(t.Context(), l, q); !errors.As(err, &usage) {
			t.Errorf("%+v: %v", q, err)
		}
	}
}

// TestInterrupted: an answer of what is whole says that it was interrupted.
func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	l := openLab(t, "nist-four", run.Options{Workers: 1, Progress: func(done, _ int) {
		if done == 4 {
			cancel()
		}
	}}, scenario.Override{Path: "simulation.jobs", Value: "2000"})
	compared, err := Simulate(ctx, l, Request{Policies: []string{"hol,easy"}, Replications: 9})
	a := compared.Answer
	if !errors.Is(err, context.Canceled) || a.Replications != 2 || len(a.Warnings) == 0 || a.Warnings[0].Code != "INTERRUPTED" {
		t.Errorf("%v, %d replications, %v", err, a.Replications, a.Warnings)
	}
	early, stop := context.WithCancel(t.Context())
	stop()
	var none *NoReplicationError
	if _, err := Simulate(early, openLab(t, "nist-four", run.Options{}), Request{}); !errors.As(err, &none) {
		t.Errorf("nothing done: %v", err)
	}
}

func resampling() *workload.Resampling { return &workload.Resampling{} }
