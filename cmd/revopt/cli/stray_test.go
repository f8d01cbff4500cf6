package cli

import (
	"fmt"
	"strings"
	"testing"
)

// TestPriority: priority=CUSTOMER serves a customer earlier on Slurm, by settings that it states.
func TestPriority(t *testing.T) {
	a := told(t, shellWords("whatif site --jobs 300 --replications 2 --quiet --policy slurm --change priority=urgent,research")...)
	for i, change := range texts(t, a, "changes", "change")[1:3] {
		_, customer, _ := strings.Cut(change, "=")
		label := value(t, a, "changes", i+1, "policy").Word
		if value(t, a, "changes", i+1, "runs_on").Word != "slurm" || !strings.Contains(label, "qos."+customer+".Priority=100") {
			t.Errorf("%s is %s", change, label)
		}
		for k, name := range texts(t, a, "affected", "name") {
			if value(t, a, "affected", k, "row").Word != change || name != customer {
				continue
			}
			before, after := number(t, a, "affected", k, "mean_wait_before"), number(t, a, "affected", k, "mean_wait_after")
			if after >= before {
				t.Errorf("%s: %s waits %g s, before %g s", change, customer, after, before)
			}
		}
	}
	wantUsageError(t, shellWords("whatif site --jobs 100 --change priority=urgnt"), `revopt: --change priority=urgnt: unknown customer "urgnt"`)
}

// TestQuoteStray: a quote for an account that no customer has says so, and has no price of another customer.
func TestQuoteStray(t *testing.T) {
	t.Chdir(t.TempDir())
	jobs := "; MaxProcs: 8\n; MaxNodes: 8\n"
	for k := range 20 {
		jobs += fmt.Sprintf("%d %d 0 600 4 -1 -1 4 600 -1 1 1 %d 1 1 1 -1 -1\n", k+1, 300*k, 1+k%2)
	}
	writeText(t, "log.swf", jobs)
	writeText(t, "queue.txt", "JOBID|ACCOUNT|USER|PARTITION|QOS|STATE|NODES|CPUS|SUBMIT_TIME|START_TIME|TIME_LIMIT\n"+
		"7|history|ann|p|normal|PENDING|4|4|2024-03-01T00:00:00|N/A|2:00:00\n")
	class := "trace: {file: log.swf, cleaning: drop}\nclasses:\n  - {name: p, of: {group: 1}, price: {per_unit_hour: 1}, grace: 1h, decay: 0.001, max_penalty: 0}\n  - {name: b, OF price: {per_unit_hour: 9}, grace: 1h, decay: 0.001, max_penalty: 0}\n"
	for selector, want := range map[string]string{
		"of: {group: 2},": "NO_CUSTOMER",
		"":                "UNKNOWN_ACCOUNT",
	} {
		writeText(t, "site.yaml", strings.Replace(class, "OF", selector, 1))
		a := told(t, shellWords("quote site.yaml --squeue queue.txt --replications 4")...)
		if len(a.Warnings) != 1 || a.Warnings[0].Code != want || !strings.Contains(a.Warnings[0].String(), "7 (account history)") {
			t.Errorf("%+v", a.Warnings)
		}
	}
}
