package sweep

import (
	"fmt"
	"slices"
	"strings"

	"revopt/simulate/policy"
)

// Policies returns the names of the policies for class workloads: those that
// book what a job's class pays. Those for traces charge by other rules.
func Policies() []string { return []string{"hol", "fcfs"} }

// LookupPolicy returns a policy for class workloads by its name.
func LookupPolicy(name string) (policy.Spec, error) {
	if !slices.Contains(Policies(), name) {
		return policy.Spec{}, fmt.Errorf("sweep: expected a policy for job classes (%s), got %q", strings.Join(Policies(), ", "), name)
	}
	return policy.Lookup(name)
}
