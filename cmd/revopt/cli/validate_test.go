package cli

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"revopt/plots/answer"
	"revopt/simulate/policy"
	"revopt/simulate/subject"
)

// validated runs validate and returns its tables by name.
func validated(t *testing.T, args ...string) (v reply) {
	t.Helper()
	decode(t, &v, append([]string{"validate", "--json"}, args...)...)
	return v
}

// reply is the part of an answer in JSON that tests read.
type reply struct {
	Replications int
	Values       map[string]any
	Tables       map[string][]map[string]any
	Headline     struct{ Code, Text string }
	Columns      map[string]map[string]any
	Warnings     []struct{ Code string }
}

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-9*math.Max(1, math.Abs(a)) }

// wantShares checks a validation: nothing exceeds the bound, and policies stand from the most valuable to the least.
func wantShares(t *testing.T, v reply) {
	t.Helper()
	bound := v.Tables["bounds"][0]
	if bound["bound"] != "clairvoyant" || bound["kind"] != "proven" || bound["pool"] != nil {
		t.Errorf("bound %v", bound)
	}
	last := math.Inf(1)
	for _, p := range v.Tables["policies"] {
		share := p["share"].(float64)
		if share > 1 {
			t.Errorf("%v: share %g", p["policy"], share)
		}
		value, timed := p["value"].(float64)
		if timed && value > last && p["runs_on"] != "log" {
			t.Errorf("%v with %g stands below %g", p["policy"], value, last)
		}
		last = value
		if v.Replications == 1 && timed && !near(share, value/bound["value"].(float64)) {
			t.Errorf("%v: share %g of %g", p["policy"], share, value)
		}
	}
}

func TestValidateClasses(t *testing.T) {
	v := validated(t, shellWords("nist-cluster --policy all --load 3 --jobs 100 --replications 1 "+
		"--admission all,analytic --seed 5")...)
	wantShares(t, v)
	rows := v.Tables["policies"]
	whole := slices.DeleteFunc(subject.Standard(), func(s policy.Spec) bool { return s.Needs.Optional || s.Needs.Recorded })
	also := len(slices.DeleteFunc(slices.Clone(whole), func(s policy.Spec) bool { return s.Also == nil }))
	if len(rows) != 2*(len(whole)+also) || v.Values["jobs"] != 100.0 { // two admissions
		t.Errorf("%d rows for %d policies, %v jobs", len(rows), len(whole), v.Values["jobs"])
	}
	for _, p := range rows { // job classes book what they deliver
		if !near(p["share"].(float64), p["charged_share"].(float64)) {
			t.Errorf("%v: %v, %v", p["policy"], p["share"], p["charged_share"])
		}
	}
}

// The model bounds of job classes are what solve proves, and are marked as what they are.
func TestValidateModelBounds(t *testing.T) {
	v := validated(t, shellWords("nist-four --jobs 200 --replications 2 --policy hol --admission analytic")...)
	kinds := map[any]int{}
	for _, b := range v.Tables["bounds"] {
		kinds[b["kind"]]++
		name, found := strings.CutPrefix(b["bound"].(string), "static optimum (")
		if !found {
			continue
		}
		residual := strings.TrimSuffix(name, ")")
		solved := told(t, "solve", "nist-four", "--no-check", "--set", "server.residual="+residual)
		bound := answer.Fact{Values: solved.Values}.Value("bound")
		if !bound.Known() {
			bound = known(t, solved, "value")
		}
		if b["kind"] != "model" || !near(b["value"].(float64), bound.Number) {
			t.Errorf("%v: %v $/h, solve says %g $/h", b["bound"], b["value"], bound.Number)
		}
	}
	if kinds["proven"] != 1 || kinds["model"] != 3 {
		t.Errorf("bounds %v", kinds)
	}
}

// TestValidatePoints: the axis has what is asked for, and the scenario's own point is that of the table.
func TestValidatePoints(t *testing.T) {
	v := validated(t, shellWords("nist-one --jobs 100 --replications 2 --policy hol --admission all --load 0.8 --vary "+
		"load=1.5,0.8")...)
	points := v.Tables["points"]
	if len(points) != 2 || points[0]["load"] != 0.8 || points[1]["load"] != 1.5 {
		t.Fatalf("points %v", points)
	}
	for _, column := range []string{"value", "share", "mean_wait"} {
		if own := v.Tables["policies"][0][column]; points[0][column] != own {
			t.Errorf("%s: %v at the scenario's own point, %v in the table", column, points[0][column], own)
		}
	}
}

// TestValidateInterrupted: an interrupted validation prints what is finished, or nothing, and its files say so.
func TestValidateInterrupted(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, after := range []time.Duration{0, 500 * time.Millisecond} {
		ctx, cancel := context.WithCancel(t.Context())
		stop := time.AfterFunc(after, cancel)
		o := tryWith(ctx, "", "validate", "nist-one", "--jobs", "300", "--replications", "20000", "--policy", "hol,fcfs",
			"--admission", "all", "--html", "page.html", "-o", filepath.Join("out", "a.png"), "--json", "--quiet")
		stop.Stop()
		cancel()
		if o.code != exitInterrupted || !strings.HasPrefix(o.stderr, "revopt: ") || strings.Count(o.stderr, "\n") != 1 {
			t.Errorf("after %s: exit %d, %q", after, o.code, o.stderr)
		}
		if o.stdout == "" {
			if left := files(t, "."); len(left) > 0 {
				t.Errorf("after %s: files left: %v", after, left)
			}
			continue
		}
		if !strings.Contains(o.stdout, `"INTERRUPTED"`) || !strings.Contains(readText(t, "page.html"), "INTERRUPTED") {
			t.Errorf("after %s: nothing says that it was interrupted", after)
		}
	}
}

// TestValidateUnwritable: files that cannot be written are refused before anything runs; those that turn out to be so
// later do not cost the results.
func TestValidateUnwritable(t *testing.T) {
	t.Chdir(t.TempDir())
	writeText(t, "file", "")
	args := shellWords("validate nist-one --jobs 20 --replications 2 --policy hol --admission all --quiet")
	o := try(append(args, "--html", filepath.Join("file", "page.html"))...)
	if o.code != exitFailed || o.stdout != "" || !strings.HasPrefix(o.stderr, "revopt: --html: file") ||
		strings.Count(o.stderr, "\n") != 1 {
		t.Errorf("%+v", o)
	}
	if _, err := os.Stat("/dev/full"); err == nil {
		o := try(append(args, "--html", "/dev/full")...)
		if o.code != exitFailed || !strings.Contains(o.stdout, "hol delivers") || strings.Count(o.stderr, "\n") != 1 {
			t.Errorf("%+v", o)
		}
	}
	if left := files(t, "."); len(left) != 1 {
		t.Errorf("files left: %v", left)
	}
}
