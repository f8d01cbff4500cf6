package main

import (
	"fmt"
	"io"
	"strings"

	"revopt/model"
	"revopt/plots"
)

// print writes the answer for a person to read.
func (a *answer) print(w io.Writer) {
	fmt.Fprintf(w, "%s at load %s: %s jobs at a time, %s\n\n", oneLine(a.Scenario), plain(float64(a.Load)),
		plain(a.system.Parallel), residualWords(a.system.Residual))
	a.table().print(w)
	fmt.Fprintln(w)
	hour := func(x number) string { return grouped(float64(x) * 3600) }
	fmt.Fprintf(w, "Earns        %s $/h\n", hour(a.RevenuePerSecond))
	if a.proven() {
		fmt.Fprintf(w, "Bound        in this model no admission earns more than %s $/h; proven to within %s\n", hour(a.UpperBoundPerSecond), fmt.Sprintf("%.1g %%", 100*float64(a.RelativeGap)))
	} else {
		fmt.Fprintf(w, "Bound        none: this is the best that a local search found\n")
	}
	fmt.Fprintf(w, "Utilisation  %s of the server; offered is %s\n", percent(float64(a.Utilization)), percent(float64(a.Load)))
	fmt.Fprintf(w, "Next slot    one more job at a time would earn %s $/h more\n", hour(a.Prices.Capacity))
	fmt.Fprintf(w, "Next job     what one more arriving job of a class would earn, at the best admission\n")
	a.Exact.print(w)
}

// residualWords says which delays a convention computes.
func residualWords(r model.Residual) string {
	switch r {
	case model.Printed:
		return "delays as printed in the paper (they overstate)"
	case model.Pooled:
		return "delays of one pooled server"
	case model.Multiserver:
		return "delays of real servers (approximate)"
	}
	return r.String()
}

// table lists the classes and their total.
func (a *answer) table() *table {
	t := newTable("class", "share", "offered/h", "admitted", "wait", "earns $/h", "next job $")
	offered, admitted := a.rates()
	var rates, earns, demand []float64
	for i, c := range a.Classes {
		rates = append(rates, float64(c.OfferedRate)*3600)
		earns = append(earns, float64(c.RevenuePerSecond)*3600)
		demand = append(demand, float64(a.Prices.Classes[i].Demand))
	}
	rateColumn := column(append(rates, offered*3600))
	earnColumn := column(append(earns, float64(a.RevenuePerHour)))
	demandColumn := column(demand)
	for i, c := range a.Classes {
		wait := "-"
		if c.AdmittedRate > 0 {
			wait = duration(float64(c.MeanWait))
		}
		t.row(c.Name, ratio(float64(c.OfferedRate), offered), rateColumn[i], percent(float64(c.Admit)), wait, earnColumn[i], demandColumn[i])
	}
	last := len(a.Classes)
	t.row("total", ratio(offered, offered), rateColumn[last], ratio(admitted, offered), duration(float64(a.MeanDelay)), earnColumn[last], "")
	return t
}

// provenance says where the numbers of the answer come from.
func (a *answer) provenance(args []string) plots.Provenance {
	return plots.Provenance{
		Version:  a.Version,
		Scenario: a.Scenario,
		Command:  commandLine(args),
		Extra: []plots.Pair{
			{Key: "overrides", Value: strings.Join(a.Overrides, ", ")},
			{Key: "method", Value: a.Method},
			{Key: "residual", Value: a.system.Residual.String()},
			{Key: "revenue_per_second", Value: field(a.RevenuePerSecond)},
			{Key: "upper_bound_per_second", Value: field(a.UpperBoundPerSecond)},
			{Key: "capacity_price", Value: field(a.Prices.Capacity)},
		},
	}
}

// records are the rows of the CSV file, one for each class.
func (a *answer) records() [][]string {
	rows := [][]string{{"class", "offered_rate", "admit", "admitted_rate", "utilization", "mean_wait", "revenue_per_second", "demand_price"}}
	for i, c := range a.Classes {
		rows = append(rows, append([]string{c.Name}, fields(c.OfferedRate, c.Admit, c.AdmittedRate, c.Utilization,
			c.MeanWait, c.RevenuePerSecond, a.Prices.Classes[i].Demand)...))
	}
	return rows
}
