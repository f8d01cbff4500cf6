//go:build long

package ask

import "testing"

// TestUnitSignsLong is TestUnitSigns of 30 scenarios.
func TestUnitSignsLong(t *testing.T) {
	if printed := drawnSigns(t, 2, 30); printed < 8 {
		t.Errorf("%d of 30 scenarios have a price", printed)
	}
}
