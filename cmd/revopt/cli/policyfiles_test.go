package cli

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"revopt/plots/answer"
)

const (
	siteConf = "PriorityType=priority/multifactor\nPriorityWeightQOS=1000\nPriorityWeightAge=300\n" +
		"PriorityMaxAge=1-0\n" +
		"SchedulerParameters=bf_interval=120,bf_window=2880,bf_yield_sleep=5\nSlurmctldPort=6817\n"
	siteQOS   = "Name|Priority|GrpTRES|Flags\ngold|50|cpu=48|\nbase|10||NoDecay\n"
	typedSite = "slurm:PriorityWeightQOS=1000:PriorityWeightAge=300:PriorityMaxAge=1440:bf_interval=120:" +
		"bf_window=2880:PreemptType=none:qos.gold.Priority=50:qos.gold.GrpTRES=48:qos.base.Priority=10"
	siteYAML = `
server: {nodes: 64}
load: 0.95
classes:
  - {name: gold, share: 30%%, length: {mean: 1h, sd: 20m}, width: 8, price: 3, decay: 1e-4, max_penalty: 0}
  - {name: base, share: 70%%, length: {mean: 30m, sd: 10m}, width: 4, price: 1, decay: 1e-5, max_penalty: 0}
policies: [%s]
`
)

// TestPolicyFiles simulates with settings of files and with the same settings typed, in a
// scenario and on a command line, with the same results. Files are relative to the
// scenario, are read once, and are not overwritten.
func TestPolicyFiles(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.Mkdir("site", 0o700); err != nil {
		t.Fatal(err)
	}
	writeText(t, "site/slurm.conf", siteConf)
	writeText(t, "site/qos.txt", siteQOS)
	fromFiles := "{slurm: {conf: slurm.conf, qos: qos.txt}}, "
	writeText(t, "site/a.yaml", fmt.Sprintf(siteYAML, fromFiles+typedSite+", easy"))
	writeText(t, "b.yaml", fmt.Sprintf(siteYAML, typedSite+", easy"))
	a := told(t, strings.Fields("simulate site/a.yaml --jobs 2000 --replications 2")...)
	delivered := func(a answer.Answer, row int) float64 { return number(t, a, "policies", row, "value") }
	if delivered(a, 0) != delivered(a, 1) || delivered(a, 0) == delivered(a, 2) {
		t.Errorf("from files %g, typed %g, easy %g", delivered(a, 0), delivered(a, 1), delivered(a, 2))
	}
	warnings := fmt.Sprint(a.Warnings)
	for _, want := range []string{
		"slurm.conf: not simulated: bf_yield_sleep",
		"qos.txt: not simulated: Flags",
	} {
		if !strings.Contains(warnings, want) {
			t.Errorf("got %s, want %s", warnings, want)
		}
	}
	line := strings.Fields("simulate b.yaml --jobs 2000 --replications 2 --policy")
	again := told(t, append(line, "slurm:conf=site/slurm.conf:qos=site/qos.txt")...)
	if delivered(again, 0) != delivered(a, 0) {
		t.Errorf("on the command line %g, in the scenario %g", delivered(again, 0), delivered(a, 0))
	}
	for _, line := range []string{
		"simulate site/a.yaml --csv site/qos.txt", "simulate b.yaml --policy slurm:conf=site/qos.txt --csv site/qos.txt",
		"whatif b.yaml --change policy=slurm:qos=site/qos.txt --html site/qos.txt",
	} {
		if o := try(strings.Fields(line)...); o.code != exitUsage || !strings.Contains(o.stderr, "input") {
			t.Errorf("%s: exit %d, %s", line, o.code, o.stderr)
		}
	}
	if readText(t, "site/qos.txt") != siteQOS {
		t.Error("qos.txt is overwritten")
	}
	writeText(t, "sweep.yaml", "scenario: b.yaml\nset: {simulation.jobs: 200, simulation.replications: 1}\n"+
		"vary: {load: [0.9]}\npolicies: [{slurm: {conf: site/slurm.conf, qos: site/qos.txt}}]\n")
	must(t, "sweep", "sweep.yaml", "-o", "out", "--quiet")
	table := readText(t, "out/table.csv")
	must(t, "sweep", "merge", "out", "--quiet")
	if readText(t, "out/table.csv") != table {
		t.Error("the table of the journal differs")
	}
}
