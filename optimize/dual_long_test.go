//go:build long

package optimize

import "testing"

// TestAnyMultipliersProveLong is TestAnyMultipliersProve on more instances.
func TestAnyMultipliersProveLong(t *testing.T) { multipliersProve(t, 50000) }
