//go:build long

package bound

import "testing"

// The same with 1,000 problems of up to 6 tasks.
func TestUnpreemptedWaitsExhaustiveOften(t *testing.T) { checkOnce(t, 300, 6, 2) }
