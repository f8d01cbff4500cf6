package policy

// Where is a scheduler that can run a policy today. The least of several policies is where
// all of them run.
//
// # All policies: where a policy runs
//
//   - Slurm (in JSON slurm): settings are enough, and the command export writes them. Simulated by slurm
//     they deliver the same to 2 % on all built-in scenarios, beside Slurm's default weights, 0.
//   - Slurm with a plug-in (plugin): a site_factor plug-in computes priorities again and again;
//     a job-submit plug-in sets --deadline of jobs that lapse. conservative needs one that keeps reservations,
//     estimates=predicted one that replaces time limits, and longest_wait one that raises jobs that have waited.
//   - research: plans, shares of nodes, prices or partial results that Slurm does not have; also estimates=exact and
//     the option preempt, as Slurm preempts by QOS and not by value.
type Where uint8

const (
	Research Where = iota // no scheduler
	Plugin                // Slurm, if a plug-in sets priorities or time limits
	Slurm                 // Slurm, by its settings alone
)

// String returns the words of tables.
func (w Where) String() string { return [...]string{"research", "Slurm with a plug-in", "Slurm"}[w] }

// Key returns the word of JSON.
func (w Where) Key() string { return [...]string{"research", "plugin", "slurm"}[w] }

// RunsOn returns where the policy runs with the given settings. True run times are not
// known to any scheduler, and none preempts by value. Slurm plans with time limits, which
// a plug-in may replace by predictions.
func (s Spec) RunsOn(given Settings) Where {
	where := s.Runs
	for _, o := range s.Options {
		value, ok := given[o.Name]
		if !ok {
			value = o.Values[0]
		}
		switch {
		case o.Name == "estimates" && value == "exact", o.Name == "preempt" && value != o.Values[0]:
			return Research
		case o.Name == "estimates" && value == "predicted":
			where = min(where, Plugin)
		}
	}
	if given.Limit() != nil {
		where = min(where, Plugin)
	}
	return where
}
