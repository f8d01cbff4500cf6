package paper

import (
	"context"
	"slices"
	"strings"
	"testing"
)

// decide decides claims under the default reading and checks that they hold, but
// for the given ones.
func decide(t *testing.T, o Options, list []Claim, other map[string]Outcome) {
	t.Helper()
	e := NewEvidence(context.Background(), o)
	for _, c := range list {
		v, err := e.Decide(c)
		if err != nil {
			t.Fatal(err)
		}
		want, ok := other[c.ID]
		if !ok {
			want = Holds
		}
		if v.Outcome != want {
			t.Errorf("%s: %v (%s), want %v", c.ID, v.Outcome, v.Got, want)
		}
	}
}

// TestNISTClaims decides the systems, formulas and analytic figures of Marbukh and
// Mills.
func TestNISTClaims(t *testing.T) {
	list := slices.DeleteFunc(slices.Concat(nistFormulas(), nistCurves(), nistCluster()), func(c Claim) bool { return strings.HasPrefix(c.ID, "nist-phi") })
	decide(t, Options{Quick: true, Seed: 1}, list, map[string]Outcome{
		"nist-e03-intercept": Fails, "nist-e17-residual": Fails, "nist-10-low-share": Fails, "nist-13-LvLu": Fails, "nist-13-HvHu": Fails,
		"nist-14-linear": Fails, "nist-15-start": Fails, "nist-15-high-only": Fails,
	})
}
