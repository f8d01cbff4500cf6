//go:build long

package optimize_test

import "testing"

// TestRandomInstancesLong is TestRandomInstances on six thousand instances.
func TestRandomInstancesLong(t *testing.T) {
	for _, f := range families() {
		t.Run(f.String(), func(t *testing.T) { certify(t, f, 500, 4, 1234) })
	}
}

// TestExactOptimumLong is TestExactOptimum with more tries.
func TestExactOptimumLong(t *testing.T) { exactOptimum(t, 600) }

// TestControlReferenceLong is TestControlReference at the other loads.
func TestControlReferenceLong(t *testing.T) { controlReference(t, 1, 2) }
