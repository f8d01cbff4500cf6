package study

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"strconv"
	"time"

	"revopt/internal/text"
	"revopt/model/scenario"
	"revopt/simulate"
	"revopt/simulate/slurm"
)

// down returns the outages of the scenario by site. The arrival delay factor is that of the
// workload.
func (s *Subject) down(delay float64) ([][]simulate.Outage, error) {
	sites := s.Workload.Sites()
	list := make([][]simulate.Outage, len(sites))
	for i, o := range s.Scenario.Down {
		for k, site := range sites {
			unit := s.Unit()
			if pools := s.Scenario.Pools; pools != nil {
				if unit = pools[k].Unit; o.Pool != "" && o.Pool != pools[k].Name {
					continue
				}
			}
			some, field, err := s.outages(o, site.Processors, unit, delay)
			if err != nil && field != "" {
				err = s.Document.Blame(err.Error(), "machine", "down", strconv.Itoa(i), field)
			}
			if err != nil {
				return nil, err
			}
			list[k] = append(list[k], some...)
		}
	}
	return list, nil
}

// outages returns an outage of a site, or those of a file, and the field of an error. Dates
// stay between the same jobs if these arrive faster than in the log, and an outage keeps its
// length.
func (s *Subject) outages(o scenario.Outage, all int, unit string, delay float64) (
	list []simulate.Outage, field string, err error) {
	var origin float64
	var zone int
	add := func(from, to float64, units int, planned bool) {
		start, length := (from-origin)*delay, to-from
		if start+length > 0 && length > 0 {
			list = append(list, simulate.Outage{
				From: max(start, 0), To: start + length, Units: units, Planned: planned, Kill: o.Kill,
			})
		}
	}
	file, dated := o.Events+o.Reservations, false
	switch {
	case o.Events != "":
		field = "events"
	case o.Reservations != "":
		field = "reservations"
	case o.Dated:
		field = "from"
	default:
		delay = 1
	}
	if field != "" {
		if origin, zone, dated = s.Trace.Date(); !dated {
			return nil, field, errors.New("expected times from the first submission: the header of the trace has no date")
		}
	}
	if file == "" {
		if o.Units > all {
			return nil, "units", fmt.Errorf("expected at most %s, got %d", text.Plural(all, unit), o.Units)
		}
		add(o.From, o.To, cmp.Or(o.Units, all), o.Planned)
		return list, "", nil
	}
	nodes, err := slurm.ReadOutages(time.FixedZone("", zone), file)
	if err != nil && !errors.As(err, new(*fs.PathError)) {
		field = "" // it names a line
	}
	for _, n := range nodes {
		units := unitsOf(n, unit, s.Trace.Hosts(), all)
		switch {
		case units == 0:
			return nil, field, fmt.Errorf("expected a column TRES in %s, because the machine counts %ss", file, unit)
		case units > all:
			return nil, field, fmt.Errorf("%s has an outage of %s, the machine has %d", file,
				text.Plural(units, unit), all)
		}
		to := float64(n.To) + float64(zone)
		if n.To == math.MaxInt64 { // it is not over
			to = origin + s.Trace.Span()
		}
		add(float64(n.From)+float64(zone), to, units, n.Planned)
	}
	return list, field, err
}

// unitsOf returns how many units of a machine are on the nodes of an outage, 0 if that is
// not known.
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
