//go:build long

package optimize_test

import "testing"

// TestRandomInstancesLong is TestRandomInstances on twenty thousand instances.
func TestRandomInstancesLong(t *testing.T) {
	for _, f := range families() {
		t.Run(f.String(), func(t *testing.T) { certify(t, f, 1667, 1, 1234) })
	}
}
