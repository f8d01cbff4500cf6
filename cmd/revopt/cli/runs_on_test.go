package cli

import (
	"math"
	"slices"
	"strings"
	"testing"

	"revopt/simulate/policy"
	"revopt/simulate/subject"
)

// onSlurm returns the labels of the policies that run on Slurm, with their defaults and with the options that suit best.
func onSlurm() (labels []string) {
	for _, spec := range subject.Standard() {
		for _, given := range []policy.Settings{nil, spec.Also, {"backfill": "true"}} {
			all, err := spec.Resolve(given)
			if err == nil && spec.RunsOn(all) == policy.Slurm && !spec.Needs.Recorded &&
				!slices.Contains(labels, spec.Label(all)) {
				labels = append(labels, spec.Label(all))
			}
		}
	}
	return labels
}

// faithful exports a policy to a site with Slurm's default weights, and compares its value with that of the files as slurm
// reads them: the ratio.
func faithful(t *testing.T, scenario, label string, flags ...string) float64 {
	t.Helper()
	writeText(t, "default.conf", "ClusterName=default\n")
	must(t, append([]string{"export", "slurm", scenario, "--policy", label, "--conf", "default.conf", "-o", "files", "--quiet"},
		flags...)...)
	files := "slurm:conf=files/priorities.conf:qos=files/qos.txt"
	if exists("files/assoc.txt") {
		files += ":assoc=files/assoc.txt"
	}
	a := told(t, append([]string{"simulate", scenario, "--policy", label + "," + files}, flags...)...)
	if on := value(t, a, "policies", 0, "runs_on").Word; on != "slurm" {
		t.Errorf("%s runs on %s", label, on)
	}
	return number(t, a, "policies", 1, "value") / number(t, a, "policies", 0, "value")
}

// TestRunsOnSlurm: a policy that runs on Slurm is exported, and the files deliver what it delivers, to 2 %. The slow
// test has all built-in scenarios.
func TestRunsOnSlurm(t *testing.T) {
	t.Chdir(t.TempDir())
	labels := onSlurm()
	want := "hol, hol:backfill=true, fcfs, fcfs:backfill=true, easy, slurm"
	if got := strings.Join(labels, ", "); got != want {
		t.Errorf("on Slurm run %s, want %s", got, want)
	}
	for _, c := range [][2]string{{"site", "hol:backfill=true"}, {"site", "fcfs:backfill=true"}, {"ai-site", "hol"}} {
		share := faithful(t, c[0], c[1], "--set", "simulation.replications=1", "--set", "trace.jobs=first:400")
		if !(math.Abs(share-1) <= 0.02) {
			t.Errorf("%s under %s: the files deliver %.4f of it", c[0], c[1], share)
		}
	}
}

// TestExportWeights: the weight of QOS is larger than all others of the site together, or the weight in the way is named.
func TestExportWeights(t *testing.T) {
	t.Chdir(t.TempDir())
	export := func(label, weights string, flags ...string) outcome {
		writeText(t, "slurm.conf", "PriorityType=priority/multifactor\nSchedulerParameters=bf_continue,max_rpc_cnt=9\n"+weights)
		writeText(t, "qos.before", "Name|Priority\nnormal|0\ntop|5000\n")
		return try(append([]string{"export", "slurm", "site", "--policy", label, "--conf", "slurm.conf", "--qos", "qos.before",
			"-o", "out", "--quiet", "--set", "simulation.replications=1", "--set", "trace.jobs=first:100"}, flags...)...)
	}
	if o := export("hol:backfill=true", "PriorityWeightQOS=1000\nPriorityWeightFairshare=120000\n"); o.code != exitDone {
		t.Fatal(o.stderr)
	}
	// A step of 100 of 5,000 weighs more than 120,000: 120,001 · 50 < 10,000,000. The QOS top stays above.
	conf := readText(t, "out/priorities.conf")
	wantWords(t, conf, []string{"PriorityWeightQOS=10000000 # was 1000", "PriorityWeightFairshare=120000 # as now",
		"bf_min_prio_reserve=4000000000", ",bf_continue,max_rpc_cnt=9\n"})
	wantWords(t, readText(t, "out/qos.sh"), []string{"qos 'urgent' 'Priority=300'", "top=5000 "})
	// Within a customer hol goes by submission, and this site by width.
	export("hol:backfill=true", "PriorityWeightJobSize=1000000\n")
	wantWords(t, readText(t, "out/README.md"), []string{"PriorityWeightJobSize=1000000 orders the jobs of a customer"})
	for _, c := range [][3]string{
		{"hol:backfill=true", "PriorityWeightFairshare=1000000000", "PriorityWeightFairshare=1000000000 is in the way"},
		{"hol", "PriorityWeightAge=7\nPriorityWeightTRES=cpu=9", "PriorityWeightTRES is in the way"},
		{"easy", "PriorityWeightAge=7\nPriorityWeightJobSize=3", "PriorityWeightJobSize=3 is in the way"},
		{"easy", "PriorityWeightAge=7\nPriorityWeightQOS=3", "PriorityWeightQOS is in the way: QOS top has priority 5000"},
	} {
		o := export(c[0], c[1]+"\n")
		if o.code != exitUsage || !strings.Contains(o.stderr, c[2]) || strings.Count(o.stderr, "\n") != 1 {
			t.Errorf("%s: exit %d: %s", c[1], o.code, o.stderr)
		}
	}
}
