package script

import (
	_ "embed"
	"math"
	"strconv"
	"strings"
)

// The scripts, with names in double braces where values go.
var (
	//go:embed qos.sh
	installScript string
	//go:embed overdue.sh
	overdueScript string
	//go:embed undo.sh
	undoScript string
)

// filled replaces names in double braces by values: pairs of both.
func filled(script string, pairs ...string) string {
	for i := 0; i < len(pairs); i += 2 {
		pairs[i] = "{{" + pairs[i] + "}}"
	}
	return strings.NewReplacer(pairs...).Replace(script)
}

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
//	share account|user NAME FIELD=VALUE     a field of associations: Priority, Fairshare, Parent, limits
func Install(version, scenario string, modify bool, top Largest, steps []string) string {
	word := map[bool]string{true: "yes", false: "no"}[modify]
	return filled(installScript, "version", version, "scenario", scenario, "modify", word, "top", strconv.Itoa(top.QOS),
		"most", strconv.Itoa(top.Association), "steps", strings.Join(steps, "\n"))
}

// Undo returns undo.sh. It ends with what to do with slurm.conf, if that has changed: the given words, if its former
// lines are known. Limits that the export sets are of the trackable resource tres.
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
	return filled(undoScript, "version", version, "tres", tres, "last", last)
}

// Overdue returns overdue.sh, which moves jobs that have waited for a time, in words and seconds, into a QOS.
func Overdue(version, wait, qos string, seconds float64) string {
	limit := strconv.FormatInt(int64(math.Ceil(min(seconds, 1e15))), 10)
	return filled(overdueScript, "version", version, "wait", wait, "qos", qos, "limit", limit)
}
