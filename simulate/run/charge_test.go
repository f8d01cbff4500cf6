package run

import (
	"context"
	"math"
	"strings"
	"testing"

	"revopt/internal/fixture"
	"revopt/simulate"
	"revopt/simulate/metric"
	"revopt/simulate/policy"
	"revopt/simulate/subject"
)

// TestCharge: the option charge changes what jobs pay and not what is delivered,
// on traces with qos as on classes, floors of jobs that give up included. By
// default jobs of classes pay their value and others the posted price. Libra's posted
// prices alone are compared with budgets.
func TestCharge(t *testing.T) {
	const impatient = "server: {nodes: 4}\nload: 1.5\nsimulation: {jobs: 2000}\n" +
		"classes: [{name: a, length: {mean: 10, sd: 5}, width: {values: [1, 4], weights: [0.5, 0.5]}, price: 9, grace: 20, decay: 0.2, max_penalty: 3, expire: floor}]\n"
	near := func(a, b float64) bool { return math.Abs(a-b) <= 1e-9*math.Abs(b) }
	for _, c := range []struct{ name, text, byDefault string }{{"qos", fixture.SmallTrace, "posted"}, {"classes", impatient, "value"}} {
		s := fixture.Opened(t, c.text)
		for _, name := range []string{"easy", "value-bf", "hol", "libra", "libra+$"} {
			got := map[string]metric.Sum{}
			for _, charge := range []string{"auto", "value", "posted"} {
				p, err := subject.NewPolicy(nil, name, policy.Settings{"charge": charge})
				if err != nil {
					t.Fatal(err)
				}
				var audit simulate.Audit
				sample, err := (&Experiment{Workload: s.Workload, Policy: p, Seed: 7}).Run(context.Background(), 0, &audit)
				if err != nil || audit.Err() != nil {
					t.Fatal(err, audit.Err())
				}
				got[charge] = sample.Total
			}
			value, posted, auto := got["value"], got["posted"], got["auto"]
			if auto != got[c.byDefault] || !near(value.Revenue, value.Value) || posted.Revenue == value.Revenue {
				t.Errorf("%s, %s: %+v", c.name, name, got)
			}
			if !strings.HasPrefix(name, "libra") && !near(posted.Value, value.Value) {
				t.Errorf("%s, %s: %g is delivered at posted prices, else %g", c.name, name, posted.Value, value.Value)
			}
			if c.name == "classes" && (name == "easy" || name == "hol") && value.Expired == 0 {
				t.Errorf("%s: no job gives up", name)
			}
		}
	}
}
