//go:build long && unix

package exec_test

import (
	"testing"
	"time"
)

// TestAllHostilePrograms: every fault at hello, at the first message, in the middle and at the
// last message, 216 in all.
func TestAllHostilePrograms(t *testing.T) {
	count := 0
	check := func(f fault, timeout time.Duration, moments ...int) {
		for _, at := range moments {
			count++
			checkFault(t, f, at, timeout)
		}
	}
	for _, f := range replyFaults() {
		check(f, time.Minute, 0, 1, 5, fewMessages-1)
	}
	for _, act := range silences() {
		check(fault{act, "no reply within 100ms"}, 100*time.Millisecond, 0, 1, 5, fewMessages-1)
	}
	for _, f := range actFaults() {
		check(f, time.Minute, 2, 5)
		if f.act == `{"start":[1]}` {
			f.want = "start of job 1, which does not wait"
		}
		check(f, time.Minute, fewMessages-1)
	}
	for _, f := range helloFaults() {
		check(f, time.Minute, 0)
	}
	if count < 200 {
		t.Errorf("%d cases", count)
	}
}
