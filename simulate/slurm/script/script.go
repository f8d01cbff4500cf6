package script

import (
	_ "embed"
	"fmt"
	"math"
	"strings"
)

// installScript is qos.sh before its commands, undoTemplate undo.sh, overdueScript overdue.sh: formats.
var (
	//go:embed qos.sh
	installScript string
	//go:embed overdue.sh
	overdueScript string
	//go:embed undo.sh
	undoTemplate string
)

// Install returns qos.sh, which keeps former values, and changes what exists if modify is set. The largest priority
// of its QOS is top, 0 if they have none.
func Install(version, scenario string, modify bool, top int, do []string) string {
	word := map[bool]string{true: "yes", false: "no"}[modify]
	return fmt.Sprintf(installScript, version, scenario, word, top) + strings.Join(do, "\n") + `
if test "$left" != 0; then
  echo "qos.sh: $left steps were left out, see above; undo.sh takes the others back" >&2
  exit 1
fi
`
}

// Undo returns undo.sh. It ends with what to do with slurm.conf, if that has changed: the given words, if its former
// lines are known.
func Undo(version, tres string, conf bool, back []string) string {
	last := "slurm.conf has no part in this."
	switch {
	case conf && back != nil:
		last = strings.Join(back, "\n") +
			"\nThen run scontrol reconfigure; restart slurmctld if PriorityType or PreemptType changes."
	case conf:
		last = "Now put your former slurm.conf back and run scontrol reconfigure; restart slurmctld if PriorityType or\n" +
			"PreemptType changes."
	}
	return fmt.Sprintf(undoTemplate, version, tres, last)
}

// Overdue returns overdue.sh, which moves jobs that have waited for a time, in words and seconds, into a QOS.
func Overdue(version, wait, qos string, seconds float64) string {
	return fmt.Sprintf(overdueScript, version, wait, qos, int64(math.Ceil(min(seconds, 1e15))))
}
