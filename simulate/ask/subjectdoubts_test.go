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
		{"[{name: a, of: {group: [9]}, price: 1}, {name: b, price: 1}]", "unmatched[a " + path + " selector]"},
		{"[{name: a, of: {width: [1, 16]}, price: 1}, {name: b, price: 1}]", "unmatched[b " + path + " rest]"},
		{"[{name: a, of: {group: [1]}, price: 1}, {name: b, price: 1}]", ""},
	} {
		got := fixture.Texts(SubjectWarnings(fixture.Opened(t, "trace: {file: "+path+"}\nclasses: "+c.classes+"\n")))
		if c.want == "" && got != "" || !strings.Contains(got, c.want) {
			t.Errorf("%s: %q, want %q", c.classes, got, c.want)
		}
	}
	got := fixture.Texts(SubjectWarnings(fixture.Opened(t, "trace: {file: sp2-like, jobs: last:50}\nclasses: [{name: a, of: {user: [3]}, price: 1}]\n")))
	if !strings.Contains(got, "unmatched[a sp2-like generated]") {
		t.Error(got)
	}
}

// A promise is undecided where its level lies within the interval.
func TestPromiseState(t *testing.T) {
	for _, c := range []struct {
		mean, half float64
		once       bool
		want       string
	}{
		{0.95, 0.01, false, "kept"}, {0.9, 0, false, "kept"}, {0.905, 0.01, false, "undecided"}, {0.85, 0.01, false, "not kept"},
		{0.95, math.Inf(1), false, "undecided"}, {0.95, math.Inf(1), true, "kept"}, {math.NaN(), 0, false, "void"},
	} {
		if got := PromiseState(metric.Interval{Mean: metric.Number(c.mean), HalfWidth: metric.Number(c.half)}, 0.9, c.once); got != c.want {
			t.Errorf("%g ± %g: %s, want %s", c.mean, c.half, got, c.want)
		}
	}
}
