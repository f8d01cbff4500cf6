package cli

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestShow prints saved results again: the same table, warnings, JSON, CSV, page
// and figures to the byte, without the scenario.
func TestShow(t *testing.T) {
	t.Chdir(t.TempDir())
	text := `name: mine
trace: {file: sp2-like, jobs: "last:120"}
classes:
  - {name: wide, of: {width: [16, 128]}, price: {per_unit_hour: 2}, decay: {per_hour: 10%}, deadline: {lengths: 3}, max_penalty: {of_price: 0.2}, slo: {within: 10m, level: 90%}}
  - {name: rest, price: {per_unit_hour: 1}, decay: 0.01, grace: 5m, max_penalty: 0}
`
	writeText(t, "waiting.yaml", exponential)
	for name, args := range map[string][]string{
		"classes": {"simulate", "nist-cluster", "--jobs", "300", "--replications", "3", "--policy", "hol,fcfs",
			"--admission", "all,analytic"},
		"thresholds": {"simulate", "waiting.yaml", "--jobs", "300", "--replications", "2", "--admission", "threshold"},
		"trace":      {"simulate", "mine.yaml", "--policy", "easy,fcfs", "--replications", "2"},
		"customers":  {"simulate", "mine.yaml", "--admission", "wide=0.5", "--replications", "3"},
		"grid":       {"simulate", "ic-grid", "--set", "applications.count=20", "--replications", "2"},
		"precision":  {"simulate", "nist-four", "--jobs", "300", "--precision", "50%", "--metric", "mean_wait"},
		"validation": {"validate", "mine.yaml", "--policy", "easy,libra", "--replications", "2"},
		"axis": {"validate", "nist-cluster", "--jobs", "60", "--policy", "hol", "--admission", "all,analytic",
			"--replications", "2", "--vary", "load=0.5,1", "--html", "page.html", "-o", "figure.svg"},
		"changes": {"whatif", "mine.yaml", "--change", "growth=20%", "--change", "trace.nodes=+16", "--replications", "2",
			"--html", "page.html", "-o", "figure.svg"},
		"tuning": {"tune", "mine.yaml", "--policy", "value-bf", "--vary", "future", "--replications", "2"},
		"waits":  {"solve", "--waits", "nist-four", "--at", "10m", "-o", "figure.svg"},
	} {
		writeText(t, "mine.yaml", text)
		read := func(path string) string {
			defer os.Remove(path)
			return readText(t, path)
		}
		saved := name + ".json"
		want := try(append(args, "--csv", "table.csv", "--save", saved)...)
		if want.code != exitDone {
			t.Errorf("%s: %+v", name, want)
			continue
		}
		files := []string{"--csv", "table.csv"}
		if strings.Contains(strings.Join(args, " "), "--html") {
			files = append(files, "--html", "page.html")
		}
		if strings.Contains(strings.Join(args, " "), "figure.svg") {
			files = append(files, "-o", "figure.svg")
		}
		var before []string
		for i := 1; i < len(files); i += 2 {
			before = append(before, read(files[i]))
		}
		os.Remove("mine.yaml")
		if got := try(append([]string{"show", saved}, files...)...); got != want {
			t.Errorf("%s: shown %+v, printed %+v", name, got, want)
		}
		for i, was := range before {
			if read(files[2*i+1]) != was {
				t.Errorf("%s: %s is another file", name, files[2*i+1])
			}
		}
		// JSON of the command with the same version; the command line is not in it. One result of each
		// command is enough.
		writeText(t, "mine.yaml", text)
		if !slices.Contains([]string{"customers", "axis", "changes", "tuning", "waits"}, name) {
			continue
		}
		line := regexp.MustCompile(`"line": .*`) // has --save
		got, again := must(t, "show", saved, "--json"), must(t, append(args, "--json")...)
		if line.ReplaceAllString(got, "") != line.ReplaceAllString(again, "") {
			t.Errorf("%s: other JSON", name)
		}
	}
}

// TestShowRefused names what is wrong with a file on one line, with exit 2.
func TestShowRefused(t *testing.T) {
	t.Chdir(t.TempDir())
	must(t, shellWords("simulate nist-four --jobs 200 --replications 2 --save a.json -q")...)
	data := readText(t, "a.json")
	writeText(t, "cut.json", data[:len(data)/2])
	writeText(t, "edited.json", strings.Replace(data, `"replications": 2`, `"replications": 3`, 1))
	writeText(t, "old.json", `{"format":"revopt result 4","sum":"00"}`)
	for _, c := range []struct{ line, want string }{
		{"show cut.json", "cut.json: expected an answer that revopt saved (--save): "},
		{"show edited.json", "edited.json: expected an answer that revopt saved (--save): the file is damaged, or was edited"},
		{"show old.json", "old.json: expected a result that revopt saved (--save)"},
		{"show a.json --out x.svg", "--out: this answer has no figures"},
		{"show a.json --csv a.json", "is also an input"},
		{"show a.json cut.json", "cut.json: expected an answer"},
		{"plot a.json --y waiting", `no column "waiting"`},
		{"plot a.json --x load", `no column "load"`},
		{"plot a.json --where class", "expected COLUMN=VALUE"},
		{"plot a.json --where customer=nobody", "nothing to draw"},
	} {
		o := try(strings.Fields(c.line)...)
		if o.code != exitUsage || o.stdout != "" || strings.Count(o.stderr, "\n") != 1 || !strings.Contains(o.stderr, c.want) {
			t.Errorf("%s: %+v, want %q", c.line, o, c.want)
		}
	}
}

// TestOversizedFile: files that cannot be results are refused by their size, before they are read.
func TestOversizedFile(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, name := range []string{"big.json", "big.csv"} {
		writeText(t, name, "{\n")
		if err := os.Truncate(name, 1<<40); err != nil { // it has no blocks on the disk
			t.Skip(err)
		}
	}
	for _, name := range []string{"big.json", "big.csv"} {
		for _, args := range []string{"show", "plot", "show big.csv", "bench table", "bench check --instance tight-1.0-2"} {
			wantUsageError(t, append(strings.Fields(args), name), "revopt: big.")
			o := try(append(strings.Fields(args), name)...)
			if !strings.Contains(o.stderr, ": expected a file of at most 268 MB, got 1.1 TB\n") {
				t.Errorf("%s: %s", args, o.stderr)
			}
		}
	}
}
