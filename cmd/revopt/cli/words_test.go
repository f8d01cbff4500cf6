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

// A trace on which nothing is random is said to be so once, without a word of
// intervals, and its figures have no bands.
func TestNoIntervals(t *testing.T) {
	inCampus(t)
	out := must(t, "simulate", "trace.yaml", "--policy", "easy,conservative,fcfs", "--explain")
	wantWords(t, out, []string{"; one history, no interval\n"}, "±", "Inf")
	must(t, shellWords("validate trace.yaml --policy easy,fcfs --vary trace.arrival_delay_factor=0.5,1 -o fig.csv --html page.html")...)
	wantWords(t, readText(t, "fig.csv"), []string{",,\n"}, "Inf")
	page, _, _ := strings.Cut(readText(t, "page.html"), "<script>") // the words and the numbers
	wantWords(t, page, []string{"<svg"}, "Inf", "±")
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
