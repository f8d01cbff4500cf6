package cli

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// TestInitPolicyNow: init finds the policy by which a log was made, and whatif starts from it.
func TestInitPolicyNow(t *testing.T) {
	t.Chdir(t.TempDir())
	rng := rand.New(rand.NewPCG(2, 9))
	var jobs strings.Builder
	jobs.WriteString("; MaxProcs: 16\n; Queue: 1 slow\n; Queue: 2 fast\n")
	at := 0
	for i := range 150 {
		at += rng.IntN(900)
		run := 60 + rng.IntN(3000)
		fmt.Fprintf(&jobs, "%d %d -1 %d %d -1 -1 %[4]d %d -1 1 %d %d -1 %d -1 -1 -1\n", i+1, at, run, 1+rng.IntN(9),
			2*run, 1+i%5, 1+i%3, 1+rng.IntN(2))
	}
	writeText(t, "jobs.swf", jobs.String())
	writeText(t, "made.yaml", "trace: {file: jobs.swf}\n")
	const queues = "slurm:bf_interval=0:PriorityWeightQOS=1000:qos.fast.Priority=2:qos.slow.Priority=1"
	for _, policy := range []string{"easy", "fcfs", queues} {
		must(t, "simulate", "made.yaml", "--policy", policy, "--records", "records.csv", "--quiet")
		writeText(t, "log.swf", withStarts(t, jobs.String(), readText(t, "records.csv")))
		name, _, _ := strings.Cut(policy, ":")
		site := must(t, "init", "log.swf")
		_, list, _ := strings.Cut(site, "\npolicies:\n  - ")
		first, _, _ := strings.Cut(list, "\n")
		if !strings.HasPrefix(first, name) || name == "slurm" && !strings.Contains(first, `"qos.fast.Priority": "2"`) {
			t.Errorf("%s: init finds %s of\n%s", policy, first, site[strings.Index(site, "# The first policy"):])
		}
		writeText(t, "site.yaml", site)
		first = texts(t, told(t, "whatif", "site.yaml", "--change", "nodes=+1"), "changes", "policy")[0]
		if !strings.HasPrefix(first, name) {
			t.Errorf("%s: whatif starts from %s", policy, first)
		}
	}
}

// withStarts returns a trace with the waits of the records of a simulation.
func withStarts(t *testing.T, trace, records string) string {
	t.Helper()
	var head []string
	id, submit, start := -1, -1, -1
	waits := map[string]string{}
	for _, line := range strings.Split(strings.TrimSpace(records), "\n") {
		fields := strings.Split(line, ",")
		switch {
		case strings.HasPrefix(line, "#"):
		case head == nil:
			head = fields
			id, submit, start = slices.Index(head, "job"), slices.Index(head, "submit"), slices.Index(head, "start")
		default:
			var a, b float64
			fmt.Sscan(fields[submit], &a)
			fmt.Sscan(fields[start], &b)
			waits[fields[id]] = fmt.Sprintf("%.0f", b-a)
		}
	}
	var out strings.Builder
	n := 0
	for _, line := range strings.Split(strings.TrimSpace(trace), "\n") {
		if !strings.HasPrefix(line, ";") {
			fields := strings.Fields(line)
			fields[2] = waits[fmt.Sprint(n)]
			n++
			line = strings.Join(fields, " ")
		}
		out.WriteString(line + "\n")
	}
	return out.String()
}
