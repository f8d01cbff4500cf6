package fit

import (
	"strings"
	"testing"
)

// TestWarningsOrder checks that what matters most comes first: of many
// warnings some commands show one only.
func TestWarningsOrder(t *testing.T) {
	f := &Result{By: ByCustomer, Jobs: 40, Void: 1, Wide: 2, Load: 2, Parallel: 10}
	want := []string{"the load is 2: ", "only 40 jobs: ", "left out, as they never ran: 1 job", "left out, as no policy can run what is wider than the machine: 2 jobs"}
	got := f.warnings()
	if len(got) != len(want) {
		t.Fatalf("%q, want %q", got, want)
	}
	for i, w := range got {
		if !strings.HasPrefix(w.String(), want[i]) {
			t.Errorf("%q, want %q", w, want[i])
		}
	}
}
