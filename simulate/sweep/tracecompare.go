package sweep

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"revopt/model/scenario"
	"revopt/simulate/policy"
)

// TraceComparison is experiments on one trace side by side. Its fields are
// those of Comparison.
type TraceComparison struct {
	Experiments  []*TraceExperiment
	Replications int
	Stop         *Stop
	Workers      int
	Level        float64
	Progress     func(finished int)
}

// Check reports what would stop a comparison before it starts.
func (c *TraceComparison) Check() error {
	if len(c.Experiments) == 0 {
		return fmt.Errorf("sweep: nothing to compare")
	}
	first := c.Experiments[0]
	for _, e := range c.Experiments {
		if e.Scenario != first.Scenario || e.Workload != first.Workload || e.Seed != first.Seed {
			return fmt.Errorf("sweep: experiments of different traces or seeds cannot be compared")
		}
		if err := e.Check(); err != nil {
			return err
		}
	}
	return nil
}

// Run simulates, as that of Comparison.
func (c *TraceComparison) Run(ctx context.Context) (Compared, error) {
	a := &abreast{replications: c.Replications, stop: c.Stop, workers: c.Workers, level: c.Level, progress: c.Progress}
	for _, e := range c.Experiments {
		a.runners = append(a.runners, e)
	}
	if err := c.Check(); err != nil {
		return Compared{Outcomes: a.transpose(nil)}, err
	}
	return a.run(ctx)
}

// TracePolicies returns the names of the policies for traces.
func TracePolicies() []string {
	var names []string
	for _, s := range policy.Table() {
		if !slices.Contains(Policies(), s.Name) {
			names = append(names, s.Name)
		}
	}
	return names
}

// LookupTracePolicy returns a policy for traces by its name.
func LookupTracePolicy(name string) (policy.Spec, error) {
	if !slices.Contains(TracePolicies(), name) {
		return policy.Spec{}, fmt.Errorf("sweep: expected a policy for traces (%s), got %q", strings.Join(TracePolicies(), ", "), name)
	}
	return policy.Lookup(name)
}

// KnownPolicies returns the policies for traces as scenarios check them.
func KnownPolicies() []scenario.KnownPolicy {
	var known []scenario.KnownPolicy
	for _, name := range TracePolicies() {
		spec, err := policy.Lookup(name)
		if err != nil {
			panic("sweep: " + err.Error())
		}
		k := scenario.KnownPolicy{Name: name, NeedsQoS: needsQoS(name), Check: func(option, value string) error {
			_, err := spec.Resolve(policy.Settings{option: value})
			if err != nil {
				return fmt.Errorf("%s", strings.TrimPrefix(err.Error(), "policy: "))
			}
			return nil
		}}
		for _, o := range spec.Options {
			k.Options = append(k.Options, o.Name)
		}
		known = append(known, k)
	}
	return known
}

// needsQoS reports whether a policy works by deadlines and budgets.
func needsQoS(name string) bool {
	_, imprecise := policy.LookupScheme(name)
	return imprecise || strings.HasPrefix(name, "libra")
}
