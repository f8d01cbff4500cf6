package policy

import "slices"

// Standard returns the policies of revopt in the order of lists.
func Standard() []Spec {
	return slices.Concat(
		Queues(), slurmSpecs(), Values(), shareSpecs(), impreciseSpecs(),
	)
}
