package agent_test

import (
	"context"
	"testing"

	"revopt/simulate"
	"revopt/simulate/agent"
	"revopt/simulate/metric"
	"revopt/simulate/policy"
	"revopt/simulate/policy/share"
)

// TestOutagesOfSites checks utilization and which outages are refused. Two jobs of 2 of 4 units
// run from 0 to 10; in that time 1 of the units is down for 5 s, and one job starts anew.
func TestOutagesOfSites(t *testing.T) {
	run := func(p simulate.Policy, down ...simulate.Outage) (metric.Sum, error) {
		tally := metric.NewTally(1)
		tally.UntilEnd = true
		_, err := simulate.Run(context.Background(), simulate.Config{
			Source:    simulate.Slice([]simulate.Job{{Work: 10, Width: 2}, {Work: 10, Width: 2}}),
			Sites:     []simulate.Site{{Processors: 4, Policy: p}},
			Agents:    []simulate.Agent{&agent.Outages{List: down}},
			Observers: []simulate.Observer{tally},
		})
		return tally.Total(), err
	}
	got, err := run(policy.NewFCFS(false), simulate.Outage{From: 5, To: 10, Units: 1})
	// The second job has its units from 0 to 5 in vain, and again from 10 to 20.
	if err != nil || got.Capacity != 4*20-5 || got.Delivered != 20+10+20 || got.Preemptions != 1 {
		t.Errorf("%+v, %v", got, err)
	}
	for _, bad := range []simulate.Outage{
		{From: 5, To: 5, Units: 1}, {From: -1, To: 5, Units: 1}, {To: 5}, {To: 5, Units: 5},
	} {
		if _, err := run(policy.NewFCFS(false), bad); err == nil {
			t.Errorf("%+v is accepted", bad)
		}
	}
	if _, err := run(share.NewLibra(share.LibraTerms{}), simulate.Outage{To: 5, Units: 1}); err == nil {
		t.Error("a policy that shares nodes has outages")
	}
}
