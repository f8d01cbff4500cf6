package conf

import (
	"cmp"
	"strconv"
	"strings"
)

// Value is a value as slurm.conf has it. The policy has 0 for no limit, and Slurm its
// largest number.
func Value(name, value string) string {
	if x, err := strconv.ParseFloat(value, 64); err == nil && strings.HasPrefix(name, "PriorityWeight") {
		return strconv.FormatFloat(x, 'f', -1, 64)
	}
	written := map[string]string{
		"bf_interval=0": "1", "bf_window=0": "43200", "bf_max_job_test=0": "1000000",
		"default_queue_depth=0": "1000000",
		"PreemptMode=suspend":   "suspend,gang",
	}[name+"="+value]
	plugin := map[string]string{"PriorityType": "priority/", "PreemptType": "preempt/"}[name]
	return plugin + cmp.Or(written, strings.ReplaceAll(value, "+", ","))
}

// OfScheduler reports whether a setting is one of SchedulerParameters: those begin with small letters.
func OfScheduler(name string) bool { return name[0] >= 'a' }
