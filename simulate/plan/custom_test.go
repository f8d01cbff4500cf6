package plan

import (
	"context"
	"slices"
	"strings"
	"testing"

	"revopt/internal/fixture"
)

// A sweep over a trace with customers finds admissions by customer. Where at one
// point all jobs belong to a customer and at another some to nobody, there are
// others in the table all the same. A point at which nothing is drawn is run once.
func TestSweepOfCustomers(t *testing.T) {
	file := fixture.TraceOfGroups(t)
	text := "scenario: |\n  trace: {file: " + file + ", nodes: 16}\n  classes:\n    - {name: some, of: {share: 1}, price: {per_unit_hour: 1}, decay: 0.001, grace: 60, max_penalty: 0}\n" +
		"vary: {classes.some.of.share: [SHARES]}\npolicies: [easy, hol]\nadmissions: [all, analytic, {simulated: {replications: 2, step: 0.25}}, [0.5]]\nseeds: 2\nmetrics: [utility, jobs_submitted]\nclasses: true\n"
	for _, shares := range []string{"0.5, 1", "1, 0.5"} {
		p := plan(t, strings.Replace(text, "SHARES", shares, 1))
		r, err := runOn(context.Background(), p, Engine{Dir: t.TempDir(), Workers: 3})
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(r.Names(), []string{"some", "no customer"}) {
			t.Errorf("customers %v", r.Names())
		}
		all := slices.Index(p.Plan.Vary[0].Values, 1)
		half := 1 - all
		submitted := func(point int, class string) []float64 { return r.Values(Case{Point: point}, "jobs_submitted", class) }
		if got := submitted(all, "no customer"); !slices.Equal(got, []float64{0}) || !slices.Equal(submitted(all, "some"), []float64{40}) {
			t.Errorf("%v jobs of others where there are none", got)
		}
		if a, b := submitted(half, "some"), submitted(half, "no customer"); a[0]+b[0] != 40 || b[0] == 0 {
			t.Errorf("%v jobs, %v of others", a, b)
		}
		for point := range 2 {
			for _, admission := range []int{1, 2} {
				if admit := r.Admit(Case{Point: point, Admission: admission}); len(admit) != 2 {
					t.Errorf("admission %v", admit)
				}
			}
		}
		if found := r.Found(); len(found) != 2*3 {
			t.Errorf("found %+v", found)
		}
	}
}
