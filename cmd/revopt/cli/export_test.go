package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"revopt/internal/text"
)

// TestExportSettings: the page has the numbers of simulate, settings of the scenario are those of
// the command line, and what cannot be exported is one line.
func TestExportSettings(t *testing.T) {
	t.Chdir(t.TempDir())
	write := func(name, text string) {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("mine.yaml", `server: {nodes: 8}
load: 0.9
simulation: {jobs: 2000, replications: 3}
policies: [easy, {slurm: {PriorityWeightQOS: 1000, qos.fast.Priority: 10}}]
classes:
  - {name: fast, share: 0.5, length: {mean: 60, sd: 20}, price: 1, decay: 0.01}
  - {name: slow, share: 0.5, length: {mean: 600, sd: 200}, width: 4, price: 10, decay: 0.001}
`)
	const policy = "slurm:PriorityWeightQOS=1000:qos.fast.Priority=10"
	write("site.conf", "PriorityType=priority/multifactor\nPriorityWeightAge=10\n")
	out := must(t, "export", "slurm", "mine.yaml", "--policy", policy, "--conf", "site.conf", "-o", "a", "--quiet")
	if out != "a/README.md\na/priorities.conf\na/qos.sh\na/qos.txt\na/undo.sh\n" {
		t.Error(out)
	}
	page := readText(t, "a/README.md")
	const now = "slurm:conf=site.conf"
	then := strings.Replace(policy, "slurm:", "slurm:conf=site.conf:", 1)
	simulated := told(t, "simulate", "mine.yaml", "--policy", now+","+then)
	for row := range 4 { // fast, slow: now, then
		v := value(t, simulated, "customers", row, "revenue")
		if earns := text.Estimate(v.Number, (v.High-v.Low)/2, 4); !strings.Contains(page, earns) {
			t.Errorf("no %s in\n%s", earns, page)
		}
	}
	wantWords(t, page, []string{"revopt export slurm mine.yaml --policy " + policy, "\n    qos.fast.Priority"})
	// The settings of the scenario.
	must(t, "export", "slurm", "mine.yaml", "--policy", "slurm", "--conf", "site.conf", "-o", "b", "--quiet")
	must(t, "export", "slurm", "mine.yaml", "--policy", policy, "--conf", "site.conf", "-o", "c", "--admission", "1,0.5", "--quiet")
	for _, dir := range []string{"b", "c"} {
		for _, name := range []string{"qos.sh", "priorities.conf"} {
			if got, want := readText(t, dir+"/"+name), readText(t, "a/"+name); got != want {
				t.Errorf("%s/%s: %s\nwant\n%s", dir, name, got, want)
			}
		}
	}
	wantWords(t, readText(t, "c/job_submit.lua"), []string{`name = "slow", admit = 0.5`})
	for args, want := range map[string]string{
		"--policy value-bf": "expected a policy that Slurm runs", "--policy slurm,easy": "expected one policy",
		"--conf site.conf --policy 'slurm:account.a;b.Priority=3'": `Slurm has no account "a;b"`,
		"--conf site.conf --policy slurm:nice.fast=3":              "expected settings of slurm.conf and of QOS",
		"--policy hol:backfill=true":                               "--conf: expected slurm.conf of the site",
		"--policy easy":                                            "--conf: expected",
	} {
		o := try(append(shellWords("export slurm mine.yaml -o d "), shellWords(args)...)...)
		if o.code != exitUsage || !strings.Contains(o.stderr, want) || strings.Count(o.stderr, "\n") != 1 {
			t.Errorf("%s: exit %d, %s", args, o.code, o.stderr)
		}
	}
	// Files state the policy in place, and are not overwritten.
	write("qos.sh", "Name|Priority\nfast|1\nslow|5\n")
	const stated = "slurm:conf=site.conf:qos=qos.sh"
	must(t, "export", "slurm", "mine.yaml", "--policy", stated+":qos.fast.Priority=10", "-o", "e", "--quiet")
	wantWords(t, strings.Join(strings.Fields(readText(t, "e/README.md")), " "),
		[]string{"qos.fast.Priority 1 10", stated + " (pres"})
	o := try("export", "slurm", "mine.yaml", "--policy", stated+":qos.fast.Priority=10", "-o", ".", "--quiet")
	if o.code != exitUsage || !strings.Contains(o.stderr, "input") {
		t.Errorf("exit %d, %s", o.code, o.stderr)
	}
}

// TestExportPreemption: on a cluster that preempts jobs, an export that takes reservations away is refused.
func TestExportPreemption(t *testing.T) {
	t.Chdir(t.TempDir())
	for kind, code := range map[string]int{"qos": exitFailed, "partition_prio": exitFailed, "none": exitDone} {
		writeText(t, "site.conf", "PriorityType=priority/multifactor\nPriorityWeightAge=1000\nPreemptType=preempt/"+kind+"\n")
		o := try(strings.Fields("export slurm site --policy hol:backfill=true --conf site.conf --quiet -o " + kind)...)
		if o.code != code || exists(kind) != (code == exitDone) {
			t.Errorf("%s: exit %d, %s%s", kind, o.code, o.stdout, o.stderr)
		}
	}
}

// TestExportCaution: an admission that solve advises against is refused with its numbers, and with --anyway the terminal
// and README.md say what that overrides; another one is not. Guesses of init are told.
func TestExportCaution(t *testing.T) {
	log, err := filepath.Abs("../../../testdata/site-sacct.txt")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	must(t, "init", log, "-o", "site.yaml", "--quiet")
	oneLine := func(s string) string { return strings.Join(strings.Fields(s), " ") }
	var solved struct{ Headline struct{ Text string } }
	decode(t, &solved, "solve", "site.yaml", "--json")
	checked := solved.Headline.Text
	caution := "Admit all jobs: "
	writeText(t, "site.conf", "PriorityType=priority/multifactor\n")
	for _, more := range []string{"", "--policy hol:backfill=true --admission analytic --conf site.conf"} {
		line := append(strings.Fields("export slurm site.yaml -o a --quiet"), strings.Fields(more)...)
		o := try(line...)
		if o.code != exitFailed || !strings.HasPrefix(o.stdout, caution) || !strings.Contains(oneLine(o.stdout), checked) ||
			!strings.Contains(o.stderr, "nothing was written") || exists("a") {
			t.Errorf("exit %d, %s%s\nwant %s", o.code, o.stdout, o.stderr, checked)
		}
		overrides := "--anyway overrides this: " + caution
		o = try(append(line, "--anyway")...)
		if o.code != exitDone || !strings.HasPrefix(oneLine(o.stdout), overrides) || !strings.Contains(oneLine(o.stdout), checked) {
			t.Errorf("exit %d, %s%s\nwant %s", o.code, o.stdout, o.stderr, checked)
		}
		_, page, _ := strings.Cut(oneLine(readText(t, "a/README.md")), "**")
		wantWords(t, page, []string{checked, "--admission all", "Prices are guesses of init: "})
		if !strings.HasPrefix(page, overrides) {
			t.Error(page)
		}
		if err := os.RemoveAll("a"); err != nil {
			t.Fatal(err)
		}
	}
	out := must(t, "export", "slurm", "site.yaml", "-o", "b", "--quiet", "--admission", "all")
	page := readText(t, "b/README.md")
	if strings.Contains(out+page, caution) || !strings.Contains(page, "Prices are guesses of init: ") {
		t.Error(out, page)
	}
	if out := must(t, "export", "slurm", "nist-cluster", "-o", "c", "--quiet"); strings.Contains(out, caution) { // it stands
		t.Error(out)
	}
}

// TestExportNames: names that are one in Slurm are refused, or do not overwrite what the first has.
func TestExportNames(t *testing.T) {
	t.Chdir(t.TempDir())
	writeText(t, "classes.yaml", `server: {nodes: 8}
load: 0.9
classes:
  - {name: Chem, share: 0.5, length: {mean: 60, sd: 20}, price: 1, decay: 0.01}
  - {name: chem, share: 0.5, length: {mean: 600, sd: 200}, price: 10, decay: 0.001}
`)
	writeText(t, "jobs.swf", "; MaxProcs: 8\n; Queue: 1 gold\n; Queue: 2 Gold\n; Account: 1 chem\n"+
		"1 0 0 60 4 -1 -1 4 100 -1 1 1 1 1 1 1 -1 -1\n2 9 0 60 2 -1 -1 2 100 -1 1 1 1 1 2 1 -1 -1\n")
	trace := func(name string, of ...string) {
		text := "trace: {file: jobs.swf, jobs: all, cleaning: keep, arrival_delay_factor: 1}\nclasses:\n"
		for i, names := range []string{"first", "gold"} {
			text += "  - {name: " + names + ", of: {" + of[i] + "}, price: 1, decay: 0.01}\n"
		}
		writeText(t, name, text)
	}
	trace("queues.yaml", "queue: gold", "queue: Gold")
	trace("shared.yaml", "account: chem, width: 4", "account: chem, width: 2")
	trace("taken.yaml", "queue: gold", "account: chem")
	writeText(t, "site.conf", "PriorityType=priority/multifactor\n")
	const tuned = " --conf site.conf --policy slurm:PriorityWeightQOS=9:qos.Chem.Priority=2:qos.chem.Priority=3"
	for line, want := range map[string]string{
		"classes.yaml": "revopt: classes.yaml:5", "classes.yaml --by qos": "Chem and chem are one",
		"classes.yaml --conf site.conf --policy slurm:PriorityWeightAge=9": "Chem and chem are one", "queues.yaml": "gold and Gold are one",
		"shared.yaml" + tuned: "expected one value of Priority of qos chem in Slurm",
	} {
		o := try(strings.Fields("export slurm -o refused --admission all " + line)...)
		if o.code != exitUsage || strings.Count(o.stderr, "\n") != 1 || !strings.Contains(o.stderr, want) || exists("refused") {
			t.Errorf("%s: exit %d: %s", line, o.code, o.stderr)
		}
	}
	must(t, "export", "slurm", "classes.yaml", "--by", "partition", "--admission", "all", "-o", "partitions")
	for _, more := range []string{" --conf site.conf --policy slurm:PriorityWeightQOS=9:qos.first.Priority=2:qos.gold.Priority=3"} {
		o := try(strings.Fields("export slurm shared.yaml -o shared --admission all" + more)...)
		script := readText(t, "shared/qos.sh")
		if o.code != exitDone || strings.Count(script, " default\n") != 1 ||
			!strings.Contains(script, "member account 'chem' 'first' default\n") ||
			!strings.Contains(script, "already: sbatch --qos=gold\n") ||
			!strings.Contains(o.stderr, "account chem is of first and of gold") {
			t.Errorf("%s: exit %d: %s%s", more, o.code, o.stderr, script)
		}
		must(t, strings.Fields("export slurm taken.yaml -o taken --admission all"+more)...)
		wantWords(t, readText(t, "taken/qos.sh"), []string{"member account 'chem' 'gold-2' default\n"})
	}
}
