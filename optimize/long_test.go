//go:build long

package optimize_test

import (
	"testing"

	"revopt/model"
)

// TestRandomInstancesLong is TestRandomInstances on six thousand instances.
func TestRandomInstancesLong(t *testing.T) {
	for _, f := range families() {
		t.Run(f.String(), func(t *testing.T) { certify(t, f, 500, 4, 1234) })
	}
}

// TestExactOptimumLong is TestExactOptimum in all cases and with more tries.
func TestExactOptimumLong(t *testing.T) { exactOptimum(t, 600, 1) }

// TestExactPricesLong is TestExactPrices with floors.
func TestExactPricesLong(t *testing.T) {
	exactPrices(t, map[string]func(int, *model.Class){"floor": graceAndFloor})
}
