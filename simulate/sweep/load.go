package sweep

import (
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

// Overloaded reports whether the admitted jobs that wait for ever are at least
// as many as the nodes can serve. Then there is no steady state.
func (e *Experiment) Overloaded() bool {
	var busy float64
	for i, c := range e.Scenario.Classes {
		q := 1.0
		if e.Admit != nil {
			q = e.Admit[i]
		}
		if c.Expire == model.ExpireNever || c.Decay == 0 {
			busy += q * nodesBusy(c)
		}
	}
	return busy >= float64(e.Scenario.Nodes)
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
