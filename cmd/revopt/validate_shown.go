package main

import (
	"math"
	"strings"

	"revopt/plots/report"
	"revopt/simulate/metric"
	"revopt/simulate/sweep"
)

// shown is the report as tables, figures and pages show it.
func (r *validateReport) shown(args []string) *report.Report {
	v := r.run
	p := &v.own.found.Points[0]
	s := &report.Report{
		Scenario: r.Scenario, What: r.what(), YAML: string(v.in.doc.Source()), Changes: r.Overrides,
		Seed: r.Seed, Replications: r.Replications, Level: float64(r.Level), Version: r.Version, Command: commandLine(args),
		Unit: "$", Notes: r.notes, Warnings: r.Warnings,
	}
	if r.Cleaning != nil {
		s.Cleaning = r.Cleaning.Rule + ": " + strings.Join(orNothing(r.Cleaning.lines()), ", ")
	}
	if p.Seconds != nil {
		s.Unit = "$/h"
	}
	for k, i := range r.order {
		s.Rows = append(s.Rows, r.shownRow(p, k, i))
	}
	for _, b := range r.Bounds {
		s.Bounds = append(s.Bounds, report.Bound{
			Name: b.Name, Kind: report.Kind(b.Kind), Amount: b.money(), Gap: float64(b.Gap), Means: b.means, Best: b.Best, Row: b.row,
		})
	}
	if v.axis != nil {
		s.Axis = v.reportAxis()
	}
	for _, point := range r.Points {
		s.Points = append(s.Points, r.shownPoint(point))
	}
	return s
}

// shownRow is the k-th row of the table, contender i.
func (r *validateReport) shownRow(p *sweep.ValidatedPoint, k, i int) report.Row {
	row := r.Policies[k]
	return report.Row{
		Name: row.label, Efficiency: p.Efficiency(i), Charged: p.ChargedEfficiency(i), Behind: p.Difference(r.order[0], i),
		Delivered: money(p, i, float64(r.Level)), Accepted: row.interval("acceptance"),
		Satisfied: row.interval("job_qos_satisfaction"), Utilisation: row.interval("utilization"),
	}
}

// shownPoint is a point of the figures, with the bounds of the table: one that
// does not apply there is a gap.
func (r *validateReport) shownPoint(point validatePoint) report.Point {
	x := report.Point{X: float64(point.Value)}
	for _, share := range point.Policies {
		x.Delivered = append(x.Delivered, share.money)
		x.Shares = append(x.Shares, share.Efficiency.interval())
	}
	for _, own := range r.Bounds {
		amount := metric.Interval{Mean: math.NaN()}
		for _, b := range point.Bounds {
			if b.Name == own.Name {
				amount = b.money()
			}
		}
		x.Bounds = append(x.Bounds, amount)
	}
	return x
}

// money returns what a contender delivers in the unit of the report: dollars
// per hour of arrivals where there are any, else dollars.
func money(p *sweep.ValidatedPoint, contender int, level float64) metric.Interval {
	if p.Seconds == nil {
		return p.Delivered(contender)
	}
	return metric.Estimate(hourly(p.Rows[contender].Delivered, p.Seconds), level)
}

// money returns a bound in the unit of the report.
func (b validateBound) money() metric.Interval {
	if b.perHour != nil {
		return *b.perHour
	}
	return b.total
}

// interval returns a figure of a row.
func (r validateRow) interval(name string) metric.Interval {
	for _, m := range r.total {
		if m.name == name {
			return m.value.(estimate).interval()
		}
	}
	panic("revopt: no figure " + name)
}

// interval is the inverse of newEstimate.
func (e estimate) interval() metric.Interval {
	return metric.Interval{Mean: float64(e.Mean), HalfWidth: float64(e.HalfWidth), Level: float64(e.Level), N: e.N}
}
