package steer

import (
	"context"
	"fmt"

	"revopt/internal/text"
	"revopt/simulate/slurm"
	"revopt/simulate/subject"
)

// readNodes returns the nodes of the cluster, nil if they are not known.
func readNodes(ctx context.Context, s Slurm) (*slurm.Nodes, error) {
	out, err := s.Call(ctx, "", "sinfo", "-a", "-N", "-o", "%N|%T|%c")
	if err != nil || len(out) == 0 {
		return nil, err
	}
	nodes, err := slurm.NodesOf(out)
	if err != nil { // a failed call: no file of the user is wrong
		return nil, &CallError{Program: "sinfo", Message: err.Error()}
	}
	return nodes, nil
}

// unitsUp returns the units of the machine that are up, 0 if that is not known.
func unitsUp(nodes *slurm.Nodes, unit string) int {
	switch {
	case nodes == nil:
		return 0
	case unit == "node":
		return nodes.Up
	}
	return nodes.UpCPUs
}

// closeTo is how far the machine of a scenario may be from that of the cluster and still count as the same.
const closeTo = 0.1

// checkUnit returns an error if the scenario has as many nodes as the cluster has cores, or as many cores as the cluster
// has nodes: widths of jobs would then be wrong by the cores of a node. Sizes count with and without the nodes that are
// down; nodes need not be alike. A machine that is close to both, as where a node has one core, or to neither, as a part
// of the cluster, is no error.
func checkUnit(on *subject.Subject, nodes *slurm.Nodes) error {
	unit := on.Unit()
	if nodes == nil || !nodes.Counted || on.Unlike() || unit == "gpu" {
		return nil
	}
	units := 0
	for _, site := range on.Workload.Sites() {
		units += site.Processors
	}
	close := func(up, all int) bool {
		return float64(units) >= (1-closeTo)*float64(up) && float64(units) <= (1+closeTo)*float64(all)
	}
	asNodes, asCores := close(nodes.Up, nodes.All), close(nodes.UpCPUs, nodes.AllCPUs)
	other := ""
	switch {
	case unit == "node" && asCores && !asNodes:
		other = "core"
	case unit != "node" && asNodes && !asCores:
		other = "node"
	default:
		return nil
	}
	return on.Misfit(fmt.Sprintf("steer: expected a machine in the unit of the cluster, which has %s with %s, got %s; "+
		"write %s", text.Plural(nodes.All, "node"), text.Plural(nodes.AllCPUs, "core"),
		text.Plural(units, text.Unit(unit)), unitLine(on, other, nodes)))
}

// unitLine returns the line of a scenario that states the unit of its widths. Those of job classes are always nodes.
func unitLine(on *subject.Subject, unit string, nodes *slurm.Nodes) string {
	switch {
	case len(on.Scenario.Pools) > 0:
		return "unit: " + unit + ", in every pool"
	case on.Scenario.Trace != nil:
		return "unit: " + unit + ", under trace"
	}
	return fmt.Sprintf("server: {nodes: %d}, with widths in nodes", nodes.All)
}
