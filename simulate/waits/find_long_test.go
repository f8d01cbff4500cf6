//go:build long

package waits

import "testing"

// TestFoundInAll finds the causes of waiting in 60 logs.
func TestFoundInAll(t *testing.T) { found(t, 60) }
