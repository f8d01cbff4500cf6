package run

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"revopt/internal/fixture"
	"revopt/simulate/policy/catalog"
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
		var rows []Case
		s := fixture.Opened(t, text)
		l := labOf(t, s, Options{Seed: 1})
		for _, spec := range catalog.Standard() {
			if spec.Check(s.Workload.Has()) == nil && !spec.Needs.Recorded {
				rows = append(rows, drained(l, spec.Name, nil, 0))
			}
		}
		limits := bounded(l, rows[0], Bound{On: Value().Name})
		f := framed(t, l, 1, append(slices.Clone(rows), limits)...)
		at := func(row Case, group, column string) float64 {
			x, _ := f.Series(row, group, column).At(0)
			return x
		}
		groups := [][]string{{"a"}, {"b"}}
		if joined {
			groups = [][]string{{"a", "b"}}
		}
		sum := 0.0
		for _, pools := range groups {
			group := Pool(strings.Join(pools, "+"))
			for _, row := range rows {
				delivered := 0.0
				for _, pool := range pools {
					delivered += at(row, Pool(pool), ColumnValueTotal)
				}
				most := at(limits, group, BoundLimit)
				if delivered > most*(1+1e-9)+1e-9 {
					t.Errorf("round %d, pools %v: %s delivers $%g, bound $%g", round, pools, row.Do.Policy, delivered, most)
				}
			}
			sum += at(limits, group, BoundLimit)
		}
		best := bestSchedule(jobs, overflow != "", float64(after))
		if sum < best-1e-9 {
			t.Errorf("round %d: bounds of $%g, a schedule earns $%g", round, sum, best)
		}
		if got := at(limits, All, BoundLimit); math.Abs(got-sum) > 1e-9*(1+sum) {
			t.Errorf("round %d: in sum $%v, by group $%g", round, got, sum)
		}
	}
}
