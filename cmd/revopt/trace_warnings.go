package main

import (
	"fmt"

	"revopt/model/scenario"
	"revopt/simulate/workload"
)

// machineWarnings says where the machine of a scenario is not that of its trace.
func machineWarnings(sc *scenario.Trace, jobs *workload.Trace) []string {
	if n := jobs.HeaderNodes(); n > 0 && n != jobs.Nodes() {
		return []string{fmt.Sprintf("%s was recorded on %s, the scenario has %d (trace.nodes)", sc.File, plural(n, "node"), jobs.Nodes())}
	}
	return nil
}

// lenienceWarnings says where jobs may be late for nothing, so that a policy that
// puts them off for ever delivers their whole value.
func lenienceWarnings(sc *scenario.Trace) []string {
	q := sc.QoS
	if q == nil || q.Penalty.LowMean > 0 || q.HardLow >= 1 && q.HardHigh >= 1 {
		return nil
	}
	return []string{"late results lose nothing where deadlines are soft (qos.penalty is 0): however long a policy puts such jobs off, they deliver their whole budget"}
}
