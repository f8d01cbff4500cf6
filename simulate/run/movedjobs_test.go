package run

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"revopt/internal/fixture"
	"revopt/simulate/workload"
)

// schedule compares where and when jobs start with a list.
func schedule(t *testing.T, w workload.Workload, policy, want string) {
	t.Helper()
	got, list := fixture.Starts{}, []string{}
	if _, err := under(t, w, policy, nil, nil, 1).Run(context.Background(), 0, got); err != nil {
		t.Fatal(err)
	}
	for i := range int64(w.Size()) {
		list = append(list, got[i])
	}
	if text := strings.Join(list, ", "); text != want {
		t.Errorf("%s: jobs start at %s, want %s", policy, text, want)
	}
}

// A job that no pool takes is rejected even if it would give up at once. It breaks a promise
// that is about all jobs of the customer, and none that is about those of a pool.
func TestPromiseWithoutPool(t *testing.T) {
	const text = "pools: [{name: a, units: 2, of: {partition: a}}]\n" +
		"classes: [{name: x, price: {per_unit_hour: {a: 1}}, decay: 1, max_penalty: 0, expire: zero, slo: %s}]\n"
	for slo, kept := range map[string]float64{"{within: 1h, level: 0.9}": 0.5, "{a: {within: 1h, level: 0.9}}": 1} {
		s := fixture.Ruled(t, fmt.Sprintf(text, slo), [5]int{0, 10, 1, 1, 1}, [5]int{5, 10, 1, 1, 2})
		records := recordsOf(t, s.Workload, fixture.Named(t, "easy")[0])
		if strings.Count(records, ",rejected,no pool,") != 1 || strings.Count(records, ",completed,") != 1 {
			t.Errorf("slo %s: records %s", slo, records)
		}
		sample, err := under(t, s.Workload, "easy", nil, nil, 1).Run(context.Background(), 0)
		c := sample.Customers[0]
		if err != nil || float64(c.Punctual) != kept*float64(c.Promised) {
			t.Errorf("slo %s: %d of %d jobs are punctual, want %g; %v", slo, c.Punctual, c.Promised, kept, err)
		}
	}
}

// A section ranks by the urgency of its customer at the price there, by the jobs that have ended: at 20 % of the price per
// hour the dearer jobs are more urgent. Before any has ended, y is last in the file and first. One job of each customer
// ends before the fourth job; the fifth moves to b.
func TestRanksOfMovedJobs(t *testing.T) {
	const text = oneUnitPools +
		"classes:\n  - {name: x, of: {group: x}, price: {per_unit_hour: %s}, decay: {per_hour: 20%%}}\n" +
		"  - {name: y, of: {group: y}, price: {per_unit_hour: 2}, decay: {per_hour: 20%%}}\n"
	jobs := [][5]int{{0, 9000, 1, 1, 1}, {0, 10, 1, 1, 2}, {0, 20, 1, 2, 2}, {100, 1000, 1, 2, 2}, {101, 100, 1, 1, 1},
		{102, 900, 1, 2, 2}}
	schedule(t, fixture.Ruled(t, fmt.Sprintf(text, "3"), jobs...).Workload, "hol", "a 0, b 20, b 0, b 100, b 1100, b 1200")
	schedule(t, fixture.Ruled(t, fmt.Sprintf(text, "{a: 3, b: 1}"), jobs...).Workload, "hol",
		"a 0, b 20, b 0, b 100, b 2000, b 1100")
}

// A job leaves at once if it moves to a pool where its value has reached zero by then: in 60 s
// it loses $1.20 of the $2 that it is worth in a, and all of the $0.50 in b.
func TestPatienceOverAfterMove(t *testing.T) {
	const text = oneUnitPools +
		"classes: [{name: x, price: {per_unit_hour: {a: 72, b: 18}}, decay: 0.02, max_penalty: 0, expire: zero}]\n"
	for _, policy := range []string{"fcfs", "easy", "conservative"} {
		schedule(t, fixture.Ruled(t, text, [5]int{0, 1000, 1, 1, 1}, [5]int{0, 100, 1, 1, 1}).Workload, policy, "a 0, ")
	}
}

// Jobs that move come before those that were submitted after them. The third job moves from a
// to b at 70, behind the job that runs there until 100 and before the fourth, submitted at 20. A job of group y
// ends earlier than estimated, so that reservations move up.
func TestOrderOfMovedJobs(t *testing.T) {
	const text = oneUnitPools +
		"classes: [{name: x, price: {per_unit_hour: 1}}]\n"
	jobs := [][5]int{{0, 900, 1, 1, 1}, {0, 100, 1, 2, 2}, {10, 50, 1, 1, 1}, {20, 50, 1, 1, 2}, {30, 50, 1, 1, 2}}
	s := fixture.Ruled(t, text, jobs...)
	for _, policy := range []string{"easy", "fcfs", "hol", "conservative"} {
		schedule(t, s.Workload, policy, "a 0, b 0, b 100, b 150, b 200")
	}
}

// The first pool of a job for several pools is the first that its list names: both are free.
func TestFirstPoolOfList(t *testing.T) {
	s := fixture.Ruled(t, "pools: [{name: a, units: 1, of: {partition: a}}, {name: b, units: 1, of: {partition: b}}]\n",
		[5]int{0, 10, 1, 1, 3}, [5]int{20, 10, 1, 1, 1})
	schedule(t, s.Workload, "easy", "b 0, a 20")
}
