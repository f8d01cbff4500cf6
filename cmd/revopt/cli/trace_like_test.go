package cli

import (
	"math"
	"strings"
	"testing"
)

// TestTraceLike: a trace like another is written, read again, and said to be like it.
func TestTraceLike(t *testing.T) {
	t.Chdir(t.TempDir())
	must(t, "trace", "generate", "--jobs", "1500", "-o", "own.swf")
	var r likeFacts
	decode(t, &r, "trace", "generate", "--like", "own.swf", "--json", "-o", "like.swf.gz")
	if r.Jobs != 1500 || r.By != "crowd" || r.Traces != likeTraces || len(r.Figures) != 13 {
		t.Errorf("%+v", r)
	}
	for _, f := range r.Figures {
		if f.Q05 > f.Mean || f.Mean > f.Q95 {
			t.Errorf("%+v", f)
		}
		if strings.HasPrefix(f.Name, "ks_") && f.Mean > 0.15 {
			t.Errorf("%s is %g", f.Name, float64(f.Mean))
		}
	}
	var own, like traceFacts
	for file, report := range map[string]*traceFacts{"own.swf": &own, "like.swf.gz": &like} {
		decode(t, report, "trace", "info", file, "--json")
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
