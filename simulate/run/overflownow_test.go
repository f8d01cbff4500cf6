package run

import (
	"testing"

	"revopt/internal/fixture"
)

// With an overflow after 0 s a job moves before the decision of the instant at which it comes, even if it could
// start where it is: moves come before decisions. A job that is too wide for the other pool stays.
func TestOverflowAtOnce(t *testing.T) {
	const text = "pools: [{name: a, units: 2, of: {partition: a}, overflow: {to: b, after: 0}}, {name: b, units: 1}]\n" +
		"classes: [{name: x, price: {per_unit_hour: 1}}]\n"
	w := fixture.Ruled(t, text, [5]int{0, 100, 1, 1, 1}, [5]int{0, 100, 1, 1, 1}, [5]int{10, 100, 2, 1, 1}).Workload
	for _, policy := range []string{"fcfs", "easy", "conservative", "value-bf"} {
		schedule(t, w, policy, "b 0, b 100, a 10")
	}
}
