package catalog

import (
	"slices"

	"revopt/simulate/policy"
	"revopt/simulate/policy/imprecise"
	"revopt/simulate/policy/share"
	"revopt/simulate/policy/slurm"
)

// Standard returns the policies of revopt in the order of lists.
func Standard() []policy.Spec {
	return slices.Concat(
		policy.Queues(), slurm.Specs(), policy.Values(), share.Specs(), imprecise.Specs(),
	)
}
