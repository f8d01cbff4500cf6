package cli

import (
	"slices"
	"strings"
	"testing"
)

// wantWords checks that a text has some words and lacks others.
func wantWords(t *testing.T, text string, has []string, lacks ...string) {
	t.Helper()
	for _, words := range has {
		if !strings.Contains(text, words) {
			t.Errorf("no %q in\n%s", words, text)
		}
	}
	for _, words := range lacks {
		if strings.Contains(text, words) {
			t.Errorf("%q in\n%s", words, text)
		}
	}
}

// Simulated waits of bursts stand beside computed ones of Poisson arrivals, and
// a warning tells which is which.
func TestWaitArrivals(t *testing.T) {
	args := shellWords("solve --waits nist-one --load 0.5 --simulate -q --set simulation.jobs=2000 --set simulation.replications=3")
	if a := told(t, args...); slices.Contains(codes(a), "OTHER_ARRIVALS") {
		t.Errorf("%+v", a)
	}
	a := told(t, append(args, "--set", "arrivals={renewal: {cv: 3}}")...)
	if v := value(t, a, "classes", 0, "simulated"); !slices.Contains(codes(a), "OTHER_ARRIVALS") || !v.Random {
		t.Errorf("%+v", a)
	}
}
