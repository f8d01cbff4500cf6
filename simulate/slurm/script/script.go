package script

import (
	_ "embed"
	"strconv"
	"strings"
)

// The scripts, with names in double braces where values go.
var (
	//go:embed qos.sh
	installScript string
	//go:embed undo.sh
	undoScript string
)

// Largest is the largest priorities that an export assumes: those of its own QOS, accounts and users, and those that it
// knows of the site. 0: it has none.
type Largest struct{ QOS, Association int }

// Install returns qos.sh, which does the steps after it has looked at all of them. It keeps former values, and changes
// what exists if modify is set. Nothing on the cluster may have a larger priority than top. Steps are lines of shell:
//
//	qos NAME FIELD=VALUE                    a QOS, which is made if there is none
//	member account|user NAME QOS [default]  a QOS that jobs may have, or have by default; a new one is a copy of the
//	                                        default QOS that it replaces, else of that of the cluster; a user has it
//	                                        in some accounts ("in A,B" at the end) or in all others ("but A,B")
//	share account|user NAME FIELD=VALUE     a field of associations: Priority
func Install(version, scenario string, modify bool, top Largest, steps []string) string {
	word := map[bool]string{true: "yes", false: "no"}[modify]
	return strings.NewReplacer("{{version}}", version, "{{scenario}}", scenario, "{{modify}}", word,
		"{{top}}", strconv.Itoa(top.QOS), "{{most}}", strconv.Itoa(top.Association),
		"{{steps}}", strings.Join(steps, "\n")).Replace(installScript)
}

// Undo returns undo.sh. It ends with the given words, which say what to do with slurm.conf. Limits that the export sets
// are of the trackable resource tres.
func Undo(version, tres string, back []string) string {
	last := strings.Join(back, "\n") +
		"\nThen run scontrol reconfigure; restart slurmctld if PriorityType or PreemptType changes."
	return strings.NewReplacer("{{version}}", version, "{{tres}}", tres, "{{last}}", last).Replace(undoScript)
}
