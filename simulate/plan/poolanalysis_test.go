package plan

import (
	"context"
	"reflect"
	"slices"
	"testing"

	"revopt/internal/fixture"
	"revopt/internal/text"
	"revopt/model/scenario"
	"revopt/simulate/experiment"
	"revopt/simulate/subject"
)

// A search for an admission keeps promises about a customer and about one pool, and a journal
// has what it found.
func TestPromisesOfPools(t *testing.T) {
	s := fixture.Crossing(t)
	e := under(t, s.Workload, "fcfs", nil, nil, 1)
	e.Admission.Name = scenario.AdmitPromise
	effort := &scenario.SearchEffort{Replications: 3, Step: 0.2}
	found, err := (&experiment.Admissions{Subject: s, Seed: 1}).Compute(context.Background(), e, effort, 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	about := text.Each(found.Checks, func(c experiment.Check) string { return subject.Section{Name: c.Name, Pool: c.Pool}.Label() })
	if !slices.Equal(about, []string{"ana", "ben in gpu"}) {
		t.Fatalf("checks %+v", found.Checks)
	}
	for _, c := range found.Checks {
		if c.Kept < c.Level {
			t.Errorf("%s: %v of the jobs are punctual, %v are promised", c.Name, c.Kept, c.Level)
		}
	}
	x := &Execution{Plan: &Plan{Rows: []Row{{}}}, names: subject.ClassNames(s.Workload.Customers())}
	again := (&point{subject: s}).promised(x.decode(0, newFinding(found, x.names).numbers()))
	if !reflect.DeepEqual(again.Checks, found.Checks) || !slices.Equal(again.Admit, found.Admit) {
		t.Errorf("from the journal %+v, found %+v", again, found)
	}
}
