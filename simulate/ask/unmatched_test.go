package ask

import (
	"strings"
	"testing"

	"revopt/internal/fixture"
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
