//go:build long

package optimize_test

import "testing"

// TestRandomInstancesLong is TestRandomInstances on many more instances.
func TestRandomInstancesLong(t *testing.T) {
	for _, f := range families() {
		t.Run(f.name, func(t *testing.T) { certify(t, f, 200, 200, 1234) })
	}
}
