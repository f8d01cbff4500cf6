package study

import (
	"context"
	"math"
	"testing"

	"revopt/simulate"
	"revopt/simulate/policy"
)

// TestCharge: the option charge changes what jobs pay and not what is delivered,
// on traces with qos as on classes, floors of jobs that give up included. By
// default jobs of classes pay their value and others the posted price, and no
// second price is above the value.
func TestCharge(t *testing.T) {
	const impatient = "server: {nodes: 4}\nload: 1.5\nsimulation: {jobs: 2000}\n" +
		"classes: [{name: a, length: {mean: 10, sd: 5}, width: {values: [1, 4], weights: [0.5, 0.5]}, price: 9, decay: 0.2, floor: 3, expire: floor}]\n"
	near := func(a, b float64) bool { return math.Abs(a-b) <= 1e-9*math.Abs(b) }
	for _, c := range []struct{ name, text, byDefault string }{{"qos", smallTrace, "posted"}, {"classes", impatient, "value"}} {
		s := opened(t, c.text)
		for _, name := range []string{"easy", "value-bf", "d-over", "hol"} {
			paid, first := map[string]float64{}, 0.0
			for _, charge := range []string{"auto", "value", "posted", "second"} {
				p, err := NewPolicy(nil, name, policy.Settings{"charge": charge})
				if err != nil {
					t.Fatal(err)
				}
				var audit simulate.Audit
				e := &Experiment{Workload: s.Workload, Policy: p, Seed: 7}
				got, err := e.Run(context.Background(), 0, &audit)
				if err != nil || audit.Err() != nil {
					t.Fatal(err, audit.Err())
				}
				paid[charge] = got.Total.Revenue
				if charge == "auto" {
					first = got.Total.Value
				}
				if !near(got.Total.Value, first) {
					t.Errorf("%s, %s: %g is delivered where jobs are charged by %s, else %g", c.name, p.Label(), got.Total.Value, charge, first)
				}
				if c.name == "classes" && name != "value-bf" && got.Total.Expired == 0 {
					t.Errorf("%s: no job gives up", p.Label())
				}
			}
			if paid["auto"] != paid[c.byDefault] || !near(paid["value"], first) || !(paid["second"] < paid["value"]) || paid["posted"] == paid["value"] {
				t.Errorf("%s, %s: jobs are worth %g and pay %v", c.name, name, first, paid)
			}
		}
	}
}
