package paper

import (
	"fmt"

	"gonum.org/v1/gonum/stat"

	"revopt/model/scenario"
	"revopt/plots"
	"revopt/simulate/workload"
)

// libraPlan is Table 1 of Sherwani et al. (2004): batches of 100 and 200 jobs on
// clusters of 10 and 20 nodes. FCFS is the paper's FIFO; Libra takes the least
// loaded node and shares spare capacity equally.
func libraPlan(o Options) plan {
	p := plan{
		scenario: "libra-2004", path: "sites.0.processors", values: []float64{10, 20},
		replications: o.replications(2000, 40),
	}
	second := []scenario.Override{scenario.Set("batch.jobs", 200), scenario.Set("batch.arrivals.1", 208)}
	for _, set := range [][]scenario.Override{nil, second} {
		for _, r := range policiesOf("libra-2004") {
			r.set = set
			p.rows = append(p.rows, r)
		}
	}
	return p
}

// libraTable draws means and spread; the table of the paper is one draw.
func libraTable() Recipe {
	return Recipe{
		ID: "libra-table1", Title: "Jobs completed in time by FCFS and Libra",
		remarks: []string{fmt.Sprintf("the paper does not give the speed of a node: "+
			"%d MIPS were fitted to its table", workload.PaperMIPS)},
		simulated: &simulated{
			plan: libraPlan, lines: inTime, measure: "jobs_completed", y: plots.Axis{Label: "Jobs completed in time"},
			draw: drawLibraTable,
			provenance: func(o Options, t *table) plots.Provenance {
				return o.provenance("libra-2004", t.replications)
			},
		},
	}
}

func drawLibraTable(_ Options, t *table) plots.Picture {
	fig := plots.Figure{
		X: plots.Axis{Categories: []string{
			"100 jobs, 10 nodes", "100 jobs, 20 nodes", "200 jobs, 10 nodes", "200 jobs, 20 nodes",
		}},
		Y: plots.Axis{Label: "Jobs completed in time"},
		Notes: []string{fmt.Sprintf("Means of %d seeds; error bars: one standard deviation between seeds",
			t.replications)},
	}
	for p, l := range inTime(t, "") {
		ours := plots.Series{Name: l.name, X: l.x, Kind: plots.Bars, Look: 2*p + 1}
		for i := range l.x {
			mean, sd := stat.MeanStdDev(l.over(i), nil)
			ours.Y = append(ours.Y, mean)
			ours.Low, ours.High = append(ours.Low, mean-sd), append(ours.High, mean+sd)
		}
		fig.Series = append(fig.Series, ours)
	}
	return fig
}

// inTime counts the jobs that ended by their deadlines in the four cases of the table.
func inTime(t *table, _ string) []line {
	var list []line
	for p, r := range t.rows[:2] {
		list = append(list, line{name: r.name, x: []float64{0, 1, 2, 3}, over: averages(4, func(i int) []float64 {
			counts := scaled(t.numbers(2*(i/2)+p, i%2, "jobs_completed"), 1)
			for k, late := range t.numbers(2*(i/2)+p, i%2, "jobs_late") {
				counts[k] -= late
			}
			return counts
		})})
	}
	return list
}
