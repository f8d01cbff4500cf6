package main

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestResample checks that tables, CSV files and JSON have the ranges of resampled
// spans, and that they say so.
func TestResample(t *testing.T) {
	t.Chdir(t.TempDir())
	must(t, "trace", "generate", "--jobs", "1200", "-o", "jobs.swf")
	text := "name: mine\ntrace: {file: jobs.swf}\nclasses: [{name: all, price: {per_node_hour: 1}, deadline: {lengths: 3}, decay: {per_hour: 10%}, floor: {of_price: 0}}]\n"
	writeText(t, "mine.yaml", text)
	line := shellWords("simulate mine.yaml --resample weeks --span 2w --replications 12 --policy easy,fcfs")
	o := try(append(line, "--csv", "a.csv")...)
	for _, want := range []string{
		`spans of 14\.0 d drawn from \d weeks`, `(?m)^12 replications, seed 1; ranges show the minimum and maximum of the spans$`, `but no trend, and do not shrink with replications`,
		`(?m)^easy .*\n  from .*\n  to .*\nfcfs .*\n  from .*\n  to `, `fcfs delivers [\d,.]+ \(-?[\d,.]+ to [\d,.]+\) \$`,
		`12 spans are too few for the range of 95 % of them \(39 would do\): ranges show minimum and maximum, where 84\.6 % of further spans fall`,
	} {
		if !regexp.MustCompile(want).MatchString(o.stdout + o.stderr) {
			t.Errorf("%s is missing in\n%s%s", want, o.stdout, o.stderr)
		}
	}
	var r struct {
		Resampled struct{ Span float64 }
		Policies  []struct {
			Wait struct {
				Mean, Low, High float64
				Half            float64 `json:"half_width"`
			} `json:"mean_wait"`
		}
	}
	decode(t, &r, append(line, "--json", "--quiet")...)
	if w := r.Policies[0].Wait; r.Resampled.Span != 14*86400 || !(w.Low < w.Mean && w.Mean < w.High) ||
		w.Half != (w.High-w.Low)/2 {
		t.Errorf("%+v", r)
	}
	csv, err := os.ReadFile("a.csv")
	if err != nil || !strings.Contains(string(csv), "n,variance_reduced,low,high\n") {
		t.Errorf("%v: %.400s", err, csv)
	}
	table := must(t, shellWords("validate mine.yaml --resample weeks --span 2w --replications 4 --policy easy --quiet")...)
	if !regexp.MustCompile(`(?m)^easy +[\d.]+ \([\d.]+ to [\d.]+\) %`).MatchString(table) {
		t.Errorf("validation:\n%s", table)
	}
}
