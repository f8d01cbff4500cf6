//go:build long

package bound

import "testing"

// TestRentedNeverBelowBestScheduleOften is the same on 300 problems.
func TestRentedNeverBelowBestScheduleOften(t *testing.T) { aboveRented(t, 300) }
