package steering

import (
	"testing"

	"revopt/simulate/slurm/steer"
)

// TestLine: no sentence asks for a line without a value, which Slurm does not read.
func TestLine(t *testing.T) {
	const none = "bf_min_prio_reserve=4000000000"
	for want, r := range map[string]steer.Reservations{
		"for no reservations write SchedulerParameters=" + none + " into slurm.conf, then scontrol reconfigure " +
			"(to undo: without this line)": {Cluster: true, Other: none},
		"for reservations write SchedulerParameters=defer into slurm.conf, then scontrol reconfigure " +
			"(to undo: defer," + none + ")": {Now: "defer," + none, Other: "defer"},
		"for reservations delete the line SchedulerParameters from slurm.conf, then scontrol reconfigure " +
			"(to undo: " + none + ")": {Now: none},
	} {
		if got := Line(&r); got != want {
			t.Errorf("%+v: %s", r, got)
		}
	}
}
