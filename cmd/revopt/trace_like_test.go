package main

import (
	"encoding/json"
	"math"
	"os"
	"strings"
	"testing"

	"revopt/plots/report"
)

// TestTraceLike: a trace like another is written, read again, and said to be like it.
func TestTraceLike(t *testing.T) {
	t.Chdir(t.TempDir())
	must(t, "trace", "generate", "--jobs", "1500", "-o", "own.swf")
	var r report.TraceLike
	if err := json.Unmarshal([]byte(must(t, "trace", "generate", "--like", "own.swf", "--json", "-o", "like.swf.gz")), &r); err != nil {
		t.Fatal(err)
	}
	if r.Jobs != 1500 || r.By != "crowd" || r.Traces != likeTraces || len(r.Figures) != 13 {
		t.Errorf("%+v", r)
	}
	for _, f := range r.Figures {
		if f.Low > f.Mean || f.Mean > f.High {
			t.Errorf("%+v", f)
		}
		if strings.HasPrefix(f.Name, "ks_") && f.Mean > 0.15 {
			t.Errorf("%s is %g", f.Name, float64(f.Mean))
		}
	}
	var own, like report.TraceInfo
	for file, report := range map[string]*report.TraceInfo{"own.swf": &own, "like.swf.gz": &like} {
		if err := json.Unmarshal([]byte(must(t, "trace", "info", file, "--json")), report); err != nil {
			t.Fatal(err)
		}
	}
	if like.Nodes != 128 || math.Abs(float64(like.Span/own.Span)-1) > 0.05 || math.Abs(float64(like.Load/own.Load)-1) > 0.3 {
		t.Errorf("own %+v, like %+v", own, like)
	}
	text := try("trace", "generate", "--like", "own.swf", "--jobs", "40")
	if text.code != exitDone || strings.Count(text.stdout, "\n") != 40+strings.Count(text.stdout, ";") || !strings.Contains(text.stderr, "KS widths") {
		t.Errorf("%+v", text)
	}
	if quiet := try("trace", "generate", "--like", "own.swf", "--weeks", "2", "--quiet", "-o", "weeks.swf"); quiet.stderr != "" || quiet.stdout != "weeks.swf\n" {
		t.Errorf("%+v", quiet)
	}
	must(t, "trace", "info", "weeks.swf")
}

func TestTraceLikeUsage(t *testing.T) {
	t.Chdir(t.TempDir())
	must(t, "trace", "generate", "--jobs", "20", "-o", "own.swf")
	writeTrace(t, "one.swf", "; MaxProcs: 16\n1 100 -1 50 4 -1 -1 4 80 -1 1 1 1 1 1 -1 -1 -1\n")
	for args, want := range map[string]string{
		"--like none.swf":                        "none.swf: no such file",
		"--like one.swf":                         "one.swf: expected jobs at two times or more",
		"--like own.swf --weeks 2 --jobs 3":      "trace generate: expected --jobs or --weeks, got both",
		"--like own.swf --weeks -2":              "--weeks: expected a number above 0",
		"--like own.swf --jobs 0":                "--jobs: expected a whole number of at least 1",
		"nist-four --like own.swf":               "trace generate: expected either --like FILE or SCENARIO",
		"--like own.swf --growth 20%":            "trace generate: expected either --like FILE or SCENARIO",
		"--weeks 3":                              "trace generate: expected --like FILE with --weeks and --json",
		"--like own.swf --json":                  "trace generate: expected -o FILE with --json",
		"--like own.swf -o own.swf":              "own.swf",
		"--like own.swf --seed 2 --weeks 100000": "--weeks: expected a number above 0, of at most 10000",
	} {
		if want == "own.swf" { // never over the file that is read
			if o := try(append([]string{"trace", "generate"}, strings.Fields(args)...)...); o.code == exitDone {
				t.Errorf("%s: %+v", args, o)
			}
			continue
		}
		o := try(append([]string{"trace", "generate"}, strings.Fields(args)...)...)
		if o.code != exitUsage || !strings.HasPrefix(o.stderr, "revopt: "+want) || strings.Count(o.stderr, "\n") != 1 {
			t.Errorf("%s: exit %d, %s", args, o.code, o.stderr)
		}
	}
	if _, err := os.Stat("own.swf"); err != nil {
		t.Error(err)
	}
}
