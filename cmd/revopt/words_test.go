package main

import (
	"regexp"
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
	o := try("simulate", "trace.yaml", "--policy", "easy,conservative,fcfs")
	wantWords(t, o.stdout+o.stderr, []string{"nothing is random", " $/h) "}, "paired", "±", "Inf")
	if n := strings.Count(o.stdout+o.stderr, "is random"); n != 1 {
		t.Errorf("%d times that nothing is random", n)
	}
	must(t, shellWords("validate trace.yaml --policy easy,fcfs --vary trace.arrival_delay_factor=0.5,1 -o fig.csv --html page.html")...)
	wantWords(t, readText(t, "fig.csv"), []string{",,\n"}, "Inf")
	wantWords(t, readText(t, "page.html"), []string{"Curves are policies,"}, "Inf", "bands")
}

// An admission that is searched on a trace is measured on the jobs it was found
// on; drawn jobs are fresh.
func TestInSample(t *testing.T) {
	inCampus(t)
	wantWords(t, must(t, shellWords("simulate trace.yaml --admission simulated -q")...),
		[]string{"found by search on these jobs, measured on the same jobs with other lots (in-sample)"}, "fresh")
	wantWords(t, must(t, shellWords("simulate classes.yaml --admission simulated -q")...),
		[]string{"measured here on fresh random numbers"}, "in-sample")
}

// Doubts about a fit are one line and a count; what the formulas ignore comes
// first.
func TestBriefly(t *testing.T) {
	inCampus(t)
	for _, line := range []string{
		"solve trace.yaml", "curve trace.yaml --vary trace.arrival_delay_factor=0.5,1",
		"wait trace.yaml --admission analytic", "simulate trace.yaml --admission analytic",
	} {
		o := try(strings.Fields(line)...)
		wantWords(t, o.stderr, []string{"ignores the floor (largest penalty) of industry",
			"ignores the promised waits (slo) of industry", "why the fitted classes may be far off: --json has "})
		if n := strings.Count(o.stderr, "\n"); n > 8 {
			t.Errorf("%s: %d lines of warnings\n%s", line, n, o.stderr)
		}
	}
	o := try("solve", "nist-four", "--set", "arrivals={renewal: {cv: 2}}")
	if strings.Count(o.stderr, "assume Poisson arrivals") != 1 {
		t.Error(o.stderr)
	}
}

// Headlines have at most four digits, and a proof no exponent.
func TestHeadlines(t *testing.T) {
	out := must(t, "solve", "sp2-like", "-q")
	first, _, _ := strings.Cut(out, "\n")
	if long := regexp.MustCompile(`[0-9]\.[0-9]{4,}|[0-9]{2}\.[0-9]{3,}`).FindString(strings.ReplaceAll(first, "0.",
		"")); long != "" {
		t.Errorf("%q in %q", long, first)
	}
	wantWords(t, out, []string{"proven to within < 0.001 %"}, "e-0")
}

// Simulated waits of bursts stand beside computed ones of Poisson arrivals, and
// the caption tells which is which.
func TestWaitArrivals(t *testing.T) {
	args := shellWords("wait nist-one --load 0.5 --simulate -q --set simulation.jobs=2000 --set simulation.replications=3")
	wantWords(t, must(t, args...), []string{"of the same queue, with 95 % intervals."}, "Poisson")
	out := must(t, append(args, "--set", "arrivals={renewal: {cv: 3}}")...)
	wantWords(t, out, []string{"Computed: Poisson arrivals; simulated: "}, "same queue")
	if !regexp.MustCompile(`simulated +[0-9.,]+ ± [0-9.,]+ (s|min|h)`).MatchString(out) {
		t.Errorf("no interval of a mean in\n%s", out)
	}
}

// Errors about files name the scenario and its field, and a file that is no
// trace is told from one.
func TestTraceErrors(t *testing.T) {
	t.Chdir(t.TempDir())
	writeText(t, "s.yaml", "trace: {file: no.swf}\n")
	wantUsageError(t, strings.Fields("simulate s.yaml"), "revopt: s.yaml:1:15: trace.file: no.swf: no such file")
	writeText(t, "j.swf", "; MaxProcs: 4\n; Group: 3 bio\n1 0 0 60 2 -1 -1 2 60 -1 1 1 3 1 1 1 -1 -1\n")
	writeText(t, "c.yaml", "trace: {file: j.swf}\nclasses:\n  - {name: a, of: {group: [chem]}, price: 1}\n")
	wantUsageError(t, strings.Fields("simulate c.yaml"),
		`revopt: c.yaml:3:27: classes.a.of.group: the header of j.swf names no group "chem", expected bio`)
	for text, want := range map[string]string{
		"name: x\n": "a scenario", "# a comment\nname: x\n": "a scenario",
		"JobID|User|Submit|Start\n1|a|b|c\n":                         "the output of Slurm's sacct",
		"JobId=1 UserId=a(3) Name=x\n":                               "the log of Slurm's jobcomp plugin",
		"01/02/2024 10:00:00;E;12.host;user=a group=b queue=batch\n": "an accounting log of PBS",
	} {
		writeText(t, "f", text)
		wantUsageError(t, strings.Fields("trace info f"), "revopt: f:1: not an SWF trace: it looks like "+want)
	}
}

// A load of more than a hundred times the machine is likely a percentage.
func TestManyTimes(t *testing.T) {
	o := try("simulate", "nist-four", "--load", "120", "--jobs", "50")
	wantWords(t, o.stderr, []string{"load 120 is 120 times what the machine can serve: write 120% for a percentage"})
	wantWords(t, try(shellWords("simulate nist-four --load 120% --jobs 50")...).stderr, nil, "what the machine can serve:")
}

// Help shows what a command takes.
func TestHelpWords(t *testing.T) {
	wantWords(t, must(t, "validate", "--help"), []string{"--jobs N"}, "--warmup", "warm-up included")
	wantWords(t, must(t, "simulate", "--help"), []string{"--warmup W", "warm-up included"})
	wantWords(t, must(t, "trace", "info", "--help"), []string{"--nodes N"}, "default 0")
}
