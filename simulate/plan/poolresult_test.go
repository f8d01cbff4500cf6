package plan

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"revopt/internal/fixture"
	"revopt/simulate/policy/catalog"
	"revopt/simulate/subject"
)

// The bound of a group of pools is never below a policy, and on few jobs never below the best
// schedule. Jobs of pool a may overflow to b, or some jobs may run in either. A pool that no jobs
// leave is a group of its own.
func TestGroupBounds(t *testing.T) {
	random := rand.New(rand.NewPCG(30, 5))
	for round := range 24 {
		var jobs []pooledJob
		for range 2 + random.IntN(3) {
			jobs = append(jobs, pooledJob{60 * random.IntN(6), 60 * (1 + random.IntN(9)), 1 + random.IntN(2), 1, 1 + random.IntN(2)})
		}
		slices.SortFunc(jobs, func(a, b pooledJob) int { return a.submit - b.submit })
		joined, after := round%3 > 0, 60*random.IntN(3)
		overflow := ""
		if round%3 == 1 {
			overflow = fmt.Sprintf(", overflow: {to: b, after: %ds}", after)
		} else if joined {
			jobs[random.IntN(len(jobs))].partition = 3
		}
		text := "trace: {file: " + pooledTrace(t, jobs, 4, 1, 2, 3) + "}\npools:\n  - {name: a, units: 2, of: {partition: [a]}" +
			overflow + "}\n  - {name: b, units: 2, of: {partition: [b]}}\nclasses: [{name: x, price: {per_unit_hour: {a: 60, b: 90}}, decay: 0.004, max_penalty: none}]\n"
		var rows []Row
		s := fixture.Opened(t, text)
		for _, spec := range catalog.Standard() {
			if spec.Check(s.Workload.Has()) == nil && !spec.Needs.Recorded {
				rows = append(rows, Row{Policy: subject.PolicyOf(spec)})
			}
		}
		found := sampled(t, s, func(p *Plan) { p.Bounds = &Bounds{} }, rows...)
		groups := found.BoundedGroups(0, 1)
		if want := map[bool]int{true: 1, false: 2}[joined]; len(groups) != want {
			t.Fatalf("%d groups", len(groups))
		}
		var sum, best float64
		for _, g := range groups {
			for i, row := range g.Rows {
				if most := g.BestFor(i)[0]; row.Delivered[0] > most*(1+1e-9)+1e-9 {
					t.Errorf("round %d, pools %v: %s delivers $%g, bound $%g", round, g.Pools, rows[i].Label(), row.Delivered[0], most)
				}
			}
			for _, b := range g.Bounds {
				if b.Name == UnpreemptedBound {
					sum += b.Total[0]
				}
			}
		}
		best = bestSchedule(jobs, overflow != "", float64(after))
		if sum < best-1e-9 {
			t.Errorf("round %d: bounds of $%g, a schedule earns $%g", round, sum, best)
		}
		whole := found.Bounded(0, 1)
		if got := whole.Bounds[3]; got.Name != UnpreemptedBound || math.Abs(got.Total[0]-sum) > 1e-9*(1+sum) {
			t.Errorf("round %d: in sum $%v, by group $%g", round, got.Total, sum)
		}
	}
}
