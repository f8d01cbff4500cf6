package ask

import (
	"math"
	"strings"
	"testing"

	"revopt/internal/fixture"
	"revopt/simulate/metric"
)

// A customer without a job is named.
func TestUnmatched(t *testing.T) {
	path := fixture.TraceOfGroups(t)
	for _, c := range []struct{ classes, want string }{
		{"[{name: a, of: {group: [9]}, price: 1}, {name: b, price: 1}]", "UNMATCHED[a " + path + " selector]"},
		{"[{name: a, of: {width: [1, 16]}, price: 1}, {name: b, price: 1}]", "UNMATCHED[b " + path + " rest]"},
		{"[{name: a, of: {group: [1]}, price: 1}, {name: b, price: 1}]", ""},
	} {
		got := texts(SubjectWarnings(fixture.Opened(t, "trace: {file: "+path+"}\nclasses: "+c.classes+"\n")))
		if c.want == "" && got != "" || !strings.Contains(got, c.want) {
			t.Errorf("%s: %q, want %q", c.classes, got, c.want)
		}
	}
	got := texts(SubjectWarnings(fixture.Opened(t, "trace: {file: sp2-like, jobs: last:50}\nclasses: [{name: a, of: {user: [3]}, price: 1}]\n")))
	if !strings.Contains(got, "UNMATCHED[a sp2-like generated]") {
		t.Error(got)
	}
}

// A promise is broken where its level lies above the interval; one replication is exact.
func TestBrokenPromise(t *testing.T) {
	for _, c := range []struct {
		mean, half float64
		n          int
		want       bool
	}{
		{0.95, 0.01, 5, false}, {0.9, 0, 5, false}, {0.905, 0.01, 5, false}, {0.85, 0.01, 5, true},
		{0.95, math.Inf(1), 1, false}, {0.85, math.Inf(1), 1, true}, {math.NaN(), 0, 0, false},
	} {
		if got := brokenPromise(metric.Interval{Mean: c.mean, HalfWidth: c.half, N: c.n}, 0.9); got != c.want {
			t.Errorf("%g ± %g of %d: %v, want %v", c.mean, c.half, c.n, got, c.want)
		}
	}
}
