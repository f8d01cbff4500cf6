package subject

import (
	"cmp"
	"fmt"
	"math"
	"strconv"
	"time"

	"revopt/internal/text"
	"revopt/model/scenario"
	"revopt/simulate"
	"revopt/simulate/slurm"
)

// down returns the outages of the scenario by site. Dates stay between the same jobs if these
// arrive faster than in the log, by the arrival delay factor, and an outage keeps its length.
func (s *Subject) down(delay float64) ([][]simulate.Outage, error) {
	sites := s.Workload.Sites()
	down := make([][]simulate.Outage, len(sites))
	for i, o := range s.Scenario.Down {
		blame := func(format string, args ...any) error {
			return s.Document.Blame(fmt.Sprintf(format, args...), "machine", "down", strconv.Itoa(i))
		}
		origin, scale := 0.0, 1.0
		zone := 0
		if o.Dated || o.Files() != nil {
			var ok bool
			origin, zone, ok = s.Trace.Date()
			if !ok {
				return nil, blame("expected times from the first submission: the header of the trace has no date")
			}
			scale = delay
		}
		for k, site := range sites {
			unit, all := s.Unit(), site.Processors
			if pools := s.Scenario.Pools; pools != nil {
				unit = pools[k].Unit
				if o.Pool != "" && o.Pool != pools[k].Name {
					continue
				}
			}
			list, err := s.listed(o, all, unit, zone)
			if err != nil {
				return nil, blame("%v", err)
			}
			for _, outage := range list {
				start, length := (outage.From-origin)*scale, outage.To-outage.From
				if outage.Units > all {
					return nil, blame("expected at most %s in an outage, got %d", text.Plural(all, unit), outage.Units)
				}
				if length > 0 && start+length > 0 {
					down[k] = append(down[k], simulate.Outage{
						From: max(start, 0), To: start + length, Units: outage.Units, Planned: outage.Planned,
						Kill: outage.Jobs == "kill", Drain: outage.Jobs == "finish",
					})
				}
			}
		}
	}
	return down, nil
}

// listed returns an outage, or those of its files in the local time of the trace.
func (s *Subject) listed(o scenario.Outage, all int, unit string, zone int) ([]scenario.Outage, error) {
	if o.Files() == nil {
		o.Units = cmp.Or(o.Units, all)
		return []scenario.Outage{o}, nil
	}
	nodes, err := slurm.ReadOutages(time.FixedZone("", zone), o.Files()...)
	var list []scenario.Outage
	for _, n := range nodes {
		outage := scenario.Outage{
			From: float64(n.From) + float64(zone), To: float64(n.To) + float64(zone),
			Units: unitsOf(n, unit, s.Trace.Hosts(), all), Planned: n.Planned, Jobs: o.Jobs,
		}
		if n.Drain {
			outage.Jobs = "finish"
		}
		if n.To == math.MaxInt64 { // it is not over
			origin, _, _ := s.Trace.Date()
			outage.To = origin + s.Trace.Span()
		}
		if outage.Units == 0 {
			return nil, fmt.Errorf("expected a column TRES in the file, because the machine counts %ss", unit)
		}
		list = append(list, outage)
	}
	return list, err
}

// unitsOf returns the units on the nodes of an outage, 0 if they are not known.
func unitsOf(n slurm.NodeOutage, unit string, hosts, all int) int {
	units := n.CPUs
	switch unit {
	case "node":
		return len(n.Nodes)
	case "gpu":
		units = n.GPUs
	}
	if units == 0 && hosts > 0 {
		units = float64(len(n.Nodes)) * float64(all) / float64(hosts)
	}
	return int(math.Round(units))
}
