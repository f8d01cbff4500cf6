package cli

import (
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
