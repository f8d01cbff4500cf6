//go:build long

package policy_test

import "testing"

// TestLongestWaitLong is TestLongestWait on 1,000 workloads.
func TestLongestWaitLong(t *testing.T) { limitWorkloads(t, limitPolicies()[:limitHeadline], 1000) }
