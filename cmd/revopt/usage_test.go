package main

import (
	"os"
	"strings"
	"testing"
)

// badScenarios are files that no command can use.
var badScenarios = map[string]string{
	"unknown.yaml":   "server: {parallel: 25}\nlaod: 0.9\nclasses: []\n",
	"type.yaml":      "server: {parallel: many}\nload: 0.9\nclasses: [{name: a, length: {mean: 1, sd: 0}, price: 1}]\n",
	"negative.yaml":  "server: {parallel: 25}\nload: -1\nclasses: [{name: a, length: {mean: 1, sd: 0}, price: 1}]\n",
	"infinite.yaml":  "server: {parallel: 25}\nload: .inf\nclasses: [{name: a, length: {mean: 1, sd: 0}, price: 1}]\n",
	"shares.yaml":    "server: {parallel: 25}\nload: 1\nclasses: [{name: a, share: 0.5, length: {mean: 1, sd: 0}, price: 1}, {name: b, share: 0.6, length: {mean: 1, sd: 0}, price: 1}]\n",
	"noload.yaml":    "server: {parallel: 25}\nclasses: [{name: a, length: {mean: 1, sd: 0}, price: 1}]\n",
	"empty.yaml":     "",
	"noclass.yaml":   "server: {parallel: 25}\nload: 1\nclasses: []\n",
	"twins.yaml":     "server: {parallel: 25}\nload: 1\nclasses: [{name: a, share: 0.5, length: {mean: 1, sd: 0}, price: 1}, {name: a, share: 0.5, length: {mean: 1, sd: 0}, price: 1}]\n",
	"truncated.yaml": "server: {parallel: 25}\nload: 1\nclasses:\n  - {name: a, len",
	"binary.yaml":    "\x7fELF\x00\x01\x02\xff\xfe",
	"nested.yaml":    strings.Repeat("[", 100000),
	"duplicate.yaml": "server: {parallel: 25}\nload: 1\nload: 2\nclasses: [{name: a, length: {mean: 1, sd: 0}, price: 1}]\n",
	"huge.yaml":      strings.Repeat("# 100 MB of nothing\n", 5<<20),
}

func TestBadScenarios(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, text := range badScenarios {
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		for _, args := range [][]string{
			{"solve", name, "--csv", "out/a.csv"},
			{"curve", name, "--vary", "classes.a.price=1:2:1", "-o", "out", "--csv", "out/a.csv"},
			{"simulate", name, "--csv", "out/a.csv"},
		} {
			wantUsageError(t, args, "revopt: "+name+":")
		}
		if o := tryWith(t.Context(), text, "solve", "-"); o.code != exitUsage || !strings.HasPrefix(o.stderr, "revopt: standard input:") {
			t.Errorf("%s as standard input: %+v", name, o)
		}
	}
	if got := len(files(t, ".")); got != len(badScenarios) {
		t.Errorf("files left: %v", files(t, "."))
	}
}

// wantUsageError runs a command line that cannot be used: exit 2, exactly one
// line that begins with prefix, no results.
func wantUsageError(t *testing.T, args []string, prefix string) {
	t.Helper()
	o := try(args...)
	if o.code != exitUsage || o.stdout != "" || strings.Count(o.stderr, "\n") != 1 || !strings.HasPrefix(o.stderr, prefix) {
		t.Errorf("%s: got exit %d, %q, stdout %q, want exit 2 and %q", commandLine(args), o.code, o.stderr, o.stdout, prefix)
	}
}

func TestUsageErrors(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, tt := range []struct{ line, want string }{
		{"slove nist-four", `unknown command "slove"; did you mean solve?`},
		{"zzz", `unknown command "zzz", see revopt --help`},
		{"help zzz", `unknown command "zzz"`},
		{"sweep", "sweep: expected FILE"},
		{"sweep nist-four", "sweep: expected -o DIR, as nist-four has no ending to leave out"},
		{"sweep no.yaml --shard 3/2", `--shard: expected i/n such as 3/8, with i from 1 to n and n at most 100000, got "3/2"`},
		{"sweep no.yaml --workers 0", "--workers: expected a whole number of at least 1, got 0"},
		{"sweep no.yaml", "no.yaml: no such file"},
		{"sweep merge", "sweep: expected DIR"},
		{"sweep cancel a --engine slurm", "sweep cancel: unexpected flag --engine"},
		{"sweep status a b", `sweep: unexpected argument "b"`},
		{"sweep status a --shard 1/2", "sweep status: unexpected flag --shard"},
		{"export slurm nist-four", "export slurm: expected -o DIR"},
		{"export slurm -o a", "export slurm: expected SCENARIO"},
		{"export slurm nist-four --by name -o a", `--by: expected account, partition or qos, got "name"`},
		{"export slurm nist-four --unit racks -o a", `--unit: expected cores or nodes, got "racks"`},
		{"export slurm nist-four --control state -o a", `--control: expected static or threshold, got "state"`},
		{"export slurm nist-four --control static --admission all -o a", "--control and --admission: expected one of them"},
		{"export slurm nist-four --admission state -o a", "nist-four: admission state cannot be exported to Slurm"},
		{"export slurm nist-four --admission all,analytic -o a", "--admission: expected one admission, got"},
		{"export slurm nist-four --salt= -o a", "--salt: expected some characters, got none"},
		{"export slurm sp2-like --by qos -o a", "--by: expected none with a trace"},
		{"export slurm sp2-like -o a", "sp2-like:8:8: trace.qos: expected classes"},
		{"--json solve nist-four", "expected a command before --json"},
		{"scenario", "scenario: expected one of its commands: list, show"},
		{"scenario lst", `unknown command "scenario lst"; did you mean list?`},
		{"scenario show", "scenario show: expected NAME"},
		{"scenario show nist-for", "nist-for: no built-in scenario of that name"},
		{"scenario list x", `scenario list: unexpected argument "x"`},
		{"solve", "solve: expected SCENARIO"},
		{"solve nist-four more", `solve: unexpected argument "more"`},
		{"solve nist-for", "nist-for: no such file, and no built-in scenario"},
		{"solve .", ".: expected a scenario file, got a directory"},
		{"solve nist-four --laod 1", "solve: unknown flag --laod; did you mean --load?"},
		{"solve nist-four -load 1", "solve: unknown flag -load; did you mean --load?"},
		{"solve nist-four --zzzzzz", "solve: unknown flag --zzzzzz, see revopt solve --help"},
		{"solve nist-four --load", "--load: expected a value, got nothing"},
		{"solve nist-four --load x", "--load x: load: expected a number above 0"},
		{"solve nist-four --load=-1", "--load -1: load: expected a number above 0"},
		{"solve nist-four --set load", "--set load: expected path=value"},
		{"solve nist-four --set lod=1", "--set lod=1: lod: unknown field"},
		{"solve nist-four --set classes.x.price=1", `--set classes.x.price=1: classes: no element "x"`},
		{"solve nist-four --gap x", `--gap: expected a number, got "x"`},
		{"solve nist-four --gap 0", "--gap: expected a number above 0 and below 1"},
		{"solve nist-four --gap NaN", "--gap: expected a number above 0 and below 1"},
		{"solve nist-four --method newton", `--method: expected certified or cg, got "newton"`},
		{"solve nist-four --utility cubic", `--utility: expected linear or exact, got "cubic"`},
		{"solve nist-four --utility exact --method cg", "--method: expected --utility linear with it"},
		{"solve nist-four --json=maybe", `--json: expected true or false, got "maybe"`},
		{"solve nist-four --growth 20", "--growth 20: growth: 20 is 2000 %: write 20%"},
		{"solve nist-four --growth 2000%", "--growth 2000%: growth: expected a growth of at most 1000%, got 2000%"},
		{"solve nist-four --set classes.HvHu.decay={per_hour:10}", "--set classes.HvHu.decay={per_hour:10}: classes.HvHu.decay.per_hour: 10 is 1000 % of the price per hour: write 10%"},
		{"simulate nist-four --policy eazy", `--policy: unknown policy "eazy"; did you mean easy? (one of `},
		{"simulate nist-four --policy hol:backfil=true", `--policy: hol has no option "backfil", but backfill, charge; did you mean backfill?`},
		{"simulate nist-four --admission analitic", `--admission: expected all, analytic, simulated, promise, threshold, state, prices, prices-simulated or probabilities from 0 to 1, got "analitic" in "analitic"; did you mean analytic?`},
		{"simulate nist-four --admission HvHv=0.5", `--admission: unknown class "HvHv"; did you mean HvHu? (one of HvHu, `},
		{"simulate nist-four --precision 1% --metric utilisation", `--metric: unknown measure "utilisation"; did you mean utilization? (one of `},
		{"wait nist-four --class HvHv", `--class: unknown class "HvHv"; did you mean HvHu?`},
		{"validate nist-four --warmup 10%", "--warmup: expected none"},
		{"curve nist-four", "curve: expected --vary PATH=VALUES"},
		{"curve --vary load=1:2:1", "curve: expected SCENARIO"},
		{"curve nist-four --vary load", "--vary load: expected a field and its values"},
		{"curve nist-four --vary load=1:2", "--vary load=1:2: expected from:to:step"},
		{"curve nist-four --vary load=a,b", "--vary load=a,b: expected numbers"},
		{"curve nist-four --vary load=1:2:-1", "--vary load=1:2:-1: expected a step that leads"},
		{"curve nist-four --vary load=1:2:0", "--vary load=1:2:0: expected a step that leads"},
		{"curve nist-four --vary load=1:2:1e-9", "--vary load=1:2:1e-9: expected at most 100000 values"},
		{"curve nist-four --vary load=1:2:x1", "--vary load=1:2:x1: expected from 2 to 100000 values"},
		{"curve nist-four --vary load=-1:1:1", "--vary load=-1:1:1: load: expected a number above 0"},
		{"curve nist-four --vary lod=1:2:1", "nist-four: lod: not a numeric field"},
		{"curve nist-four --vary name=1:2:1", "nist-four: name: not a numeric field"},
		{"curve nist-four --vary classes.HvHu=1:2:1", "nist-four: classes.HvHu: not a numeric field"},
		{"curve nist-two --vary classes.high.share=0.5,1.5", "--vary classes.high.share=0.5,1.5: classes.high.share: expected a fraction"},
		{"curve nist-four --vary load=1:2:1 -o a.jpg", `--out: expected a directory, or a file ending in .png, .svg, .pdf or .csv, got "a.jpg"`},
		{"figure", "figure: expected list, all or the IDs of figures"},
		{"figure nist-99", `no figure "nist-99"`},
		{"figure nist-02 nist-99", `no figure "nist-99"`},
		{"figure all nist-02", "figure: expected all alone"},
		{"figure nist-02 --format gif", "--format: expected png, svg, pdf or csv"},
		{"figure nist-02 --workers 0", "--workers: expected a whole number of at least 1, got 0"},
		{"figure nist-02 --workers 1.5", `--workers: expected a whole number, got "1.5"`},
		{"figure nist-02 --seed -1", `--seed: expected a whole number of at least 0, got "-1"`},
		{"version more", `version: unexpected argument "more"`},
		{"completion", "completion: expected bash, zsh, fish or man"},
		{"solve nist-four --csv .", `--csv: expected a file, got "."`},
		{"completion csh", `completion: expected bash, zsh, fish or man, got "csh"`},
	} {
		wantUsageError(t, strings.Fields(tt.line), "revopt: "+tt.want)
	}
	if left := files(t, "."); len(left) > 0 {
		t.Errorf("files left: %v", left)
	}
}

// A task that cannot be done, though the command line is fine, is exit 1 and one line.
func TestFailures(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("file", nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{
		"solve nist-four --csv file/a.csv",
		"simulate nist-one --jobs 100 --csv file/a.csv",
		"curve nist-four --vary load=0.1,0.2 --csv file/a.csv",
		"curve nist-four --vary load=0.1,0.2 -o file/a.png",
		"figure nist-02 -o file",
	} {
		o := try(strings.Fields(line)...)
		if o.code != exitFailed || o.stdout != "" || !strings.HasPrefix(o.stderr, "revopt: ") {
			t.Errorf("%s: %+v", line, o)
		}
	}
	if left := files(t, "."); len(left) != 1 {
		t.Errorf("files left: %v", left)
	}
}
