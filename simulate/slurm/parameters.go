package slurm

import (
	"cmp"
	"fmt"
	"strings"

	"revopt/simulate/slurm/conf"
)

// reasons says what each parameter of SchedulerParameters does, after "NAME=VALUE: ".
var reasons = map[string]string{
	"bf_continue": "backfilling goes on where it was after it has let other requests pass, so that it reaches jobs far down " +
		"the queue",
	"bf_interval": "seconds between two passes of backfilling; -1 is none. Short ones take time of the controller: if `sdiag` " +
		"shows cycles of more than a second, larger values come near, but simulate the changed priorities.conf before",
	"bf_job_part_count_reserve": "only so many jobs of a partition get a reservation",
	"bf_max_job_test": "backfilling looks at so many jobs, and lets the order hold for all that wait. It takes time of the " +
		"controller if the queue is long: look at the cycles that `sdiag` shows",
	"bf_max_job_user": "backfilling starts at most so many jobs of a user in a pass",
	"bf_min_prio_reserve": "jobs below this priority get no reservation, so that those behind them which fit start at once. " +
		"Wide jobs may wait longer",
	"bf_resolution":    "seconds to which backfilling plans. Small ones take time of the controller, as `sdiag` shows",
	"bf_window":        "minutes that backfilling looks ahead: at least the longest time limit, so that it can plan every job",
	"bf_window_linear": "seconds by which the steps of the plan grow",
	"default_queue_depth": "the main scheduler looks at so many jobs at each event, and lets the order hold for all that wait. " +
		"It takes time of the controller if the queue is long: look at the cycles that `sdiag` shows",
	"defer":          "jobs are not tried at their submission, but in the next pass",
	"sched_interval": "seconds between two passes of the main scheduler over the whole queue",
}

// parameters returns a list of the parameters of SchedulerParameters that change, each with its reason; "" if none does.
func (t *Tuned) parameters() (list string) {
	for _, s := range t.changes {
		if s.kind != "" || !conf.OfScheduler(s.field) {
			continue
		}
		was := cmp.Or(s.from, "not known")
		list += fmt.Sprintf("- `%s=%s` (was %s): %s.\n", s.field, conf.Value(s.field, s.to), conf.Value(s.field, was),
			reasons[s.field])
	}
	if list == "" {
		return ""
	}
	return "\n\nOf SchedulerParameters these change; all others stay:\n\n" + strings.TrimSuffix(list, "\n")
}
