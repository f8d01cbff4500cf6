//go:build long

package waits

import "testing"

// TestFoundInAll finds the causes of waiting in 60 logs.
func TestFoundInAll(t *testing.T) { found(t, 0, 60, 2500, false) }

// TestJobCountsFound is TestFoundInAll with limits of job counts.
func TestJobCountsFound(t *testing.T) { found(t, 0, 30, 2500, true) }
