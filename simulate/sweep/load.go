package sweep

import (
	"slices"

	"revopt/model"
	"revopt/model/scenario"
)

// Load returns the load that is offered to the simulated nodes,
// sum rate E[length] E[width] / nodes. It is that of the scenario unless its
// jobs at a time make no whole number of nodes.
func Load(sc *scenario.Scenario) float64 {
	var busy float64
	for _, c := range sc.Classes {
		busy += nodesBusy(c)
	}
	return busy / float64(sc.Nodes)
}

// nodesBusy returns how many nodes the jobs of a class keep busy if all are
// served.
func nodesBusy(c model.Class) float64 { return c.Rate * c.Length.Mean() * c.Width.Mean() }

// Overloaded reports whether admitted jobs that never give up are more than the
// nodes can serve, so that there is no steady state: by themselves or, where
// classes have priorities, together with all jobs that are served before them,
// which hardly wait and so hardly give up.
func (e *Experiment) Overloaded() bool {
	nodes := float64(e.Scenario.Nodes)
	var before, patient float64 // nodes kept busy by the ranks above; by jobs that never give up
	order := model.ServiceOrder(e.Scenario.Classes)
	for _, i := range slices.Backward(order) {
		c, q := e.Scenario.Classes[i], 1.0
		if e.Admit != nil {
			q = e.Admit[i]
		}
		busy := q * nodesBusy(c)
		before += busy
		if c.Expire != model.ExpireNever && c.Decay > 0 || busy == 0 {
			continue
		}
		patient += busy
		if e.policyName() == "hol" && before >= nodes {
			return true
		}
	}
	return patient >= nodes
}

// expectedJobs returns how many jobs a replication has, on average.
func expectedJobs(sc *scenario.Scenario) float64 {
	if sc.Simulation.Horizon > 0 {
		return sc.Simulation.Horizon * arrivalRate(sc)
	}
	return float64(sc.Simulation.Jobs)
}

// arrivalRate returns the jobs that arrive per second.
func arrivalRate(sc *scenario.Scenario) float64 {
	var rate float64
	for _, c := range sc.Classes {
		rate += c.Rate
	}
	return rate
}
