//go:build long

package exec_test

import "testing"

// TestSuspendMore: TestSuspend on 100 workloads.
func TestSuspendMore(t *testing.T) { suspends(t, 100, 200) }
