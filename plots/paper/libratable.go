package paper

import (
	"fmt"
	"math"

	"revopt/model/scenario"
	"revopt/plots"
	"revopt/simulate/metric"
	"revopt/simulate/study"
	"revopt/simulate/workload"
)

// A libraCell is a cell of Table 1 of Sherwani et al. (2004).
type libraCell struct {
	name   string    // of the row
	policy int       // index in the table's columns: see libraColumns
	paper  float64   // jobs completed in time, in the paper's one draw
	found  []float64 // the same, by replication
}

// libraColumns are the policies of the table. The paper calls FCFS by the name of
// FIFO.
func libraColumns() []contender {
	columns := compared("fcfs", "libra")
	columns[1].options = map[string]string{"choice": "least-loaded", "spare": "equal"}
	return columns
}

// libraNodes are the sizes of the cluster.
func libraNodes() []float64 { return []float64{10, 20} }

// libraDesigns are the two batches, each on both clusters under both policies.
func libraDesigns(o Options) []design {
	first := design{
		scenario: "libra-2004", path: "sites.0.processors", values: libraNodes(), replications: o.replications(200, 40),
		policies: policies(libraColumns()),
		metrics:  []metric.Measure{measure("jobs_completed"), measure("jobs_late")},
	}
	second := first
	second.set = []scenario.Override{scenario.Set("batch.jobs", 200), scenario.Set("batch.arrivals.1", 208)}
	return []design{first, second}
}

// libraPaper is the table in the paper: FIFO and Libra, row by row.
func libraPaper() [4][2]float64 { return [4][2]float64{{77, 86}, {86, 90}, {95, 102}, {165, 177}} }

// libraCells returns the table, row by row.
func libraCells(found []*study.SweepResults) []libraCell {
	var cells []libraCell
	for batch, results := range found {
		for i, nodes := range libraNodes() {
			for p := range 2 {
				cells = append(cells, libraCell{
					name: fmt.Sprintf("%d jobs, %g nodes", 100*(batch+1), nodes), policy: p,
					paper: libraPaper()[2*batch+i][p], found: inTime(results, i, p),
				})
			}
		}
	}
	return cells
}

// inTime counts the jobs that ended by their deadline, whatever they paid, by
// replication.
func inTime(results *study.SweepResults, point, policy int) []float64 {
	at := study.Case{Point: point, Policy: policy}
	ended, late := results.Values(at, "jobs_completed", ""), results.Values(at, "jobs_late", "")
	counts := make([]float64, len(ended))
	for k := range counts {
		counts[k] = ended[k] - late[k]
	}
	return counts
}

// libraTable is Table 1.
func libraTable() Recipe {
	return Recipe{
		ID: "libra-table1", Title: "Jobs completed in time by FCFS and Libra",
		Source: "Sherwani, Ali, Lotia, Hayat and Buyya, Libra: An Economy driven Job Scheduling System for Clusters, Table 1",
		Parameters: fmt.Sprintf("two batches of 100 and 200 jobs on 10 and 20 nodes of %d MIPS, deadlines from arrival; "+
			"FCFS is the paper's FIFO, Libra takes the least loaded node and shares spare capacity equally", workload.PaperMIPS),
		Claim:  "Libra completes more jobs in time than FCFS in all four cells",
		Sweeps: func(o Options) ([]*study.SweepSpec, error) { return specs(o, libraDesigns(o)...) },
		draw: func(o Options, found []*study.SweepResults) Result {
			cells, replications := libraCells(found), o.replications(200, 40)
			return Result{Picture: drawCells(cells, replications), Provenance: o.provenance("libra-2004", replications), Remarks: cellRemarks(cells)}
		},
	}
}

// spread returns the mean of numbers and their standard deviation.
func spread(x []float64) (mean, sd float64) {
	for _, v := range x {
		mean += v / float64(len(x))
	}
	for _, v := range x {
		sd += (v - mean) * (v - mean)
	}
	return mean, math.Sqrt(sd / math.Max(1, float64(len(x)-1)))
}

// drawCells draws means and spread beside the paper's numbers.
func drawCells(cells []libraCell, replications int) plots.Figure {
	fig := plots.Figure{
		Y:     plots.Axis{Label: "Jobs completed in time"},
		Notes: []string{fmt.Sprintf("Means of %d seeds; the bars through them are one standard deviation of a seed", replications)},
	}
	for p, column := range libraColumns() {
		ours := plots.Series{Name: column.name, Kind: plots.Bars, Look: 2*p + 1}
		theirs := plots.Series{Name: column.name + ", the paper's draw", Kind: plots.Bars, Look: 2*p + 2}
		for _, c := range cells {
			if c.policy != p {
				continue
			}
			mean, sd := spread(c.found)
			x := float64(len(ours.X))
			ours.X, ours.Y = append(ours.X, x), append(ours.Y, mean)
			ours.Low, ours.High = append(ours.Low, mean-sd), append(ours.High, mean+sd)
			theirs.X, theirs.Y = append(theirs.X, x), append(theirs.Y, c.paper)
			if p == 0 {
				fig.X.Categories = append(fig.X.Categories, c.name)
			}
		}
		fig.Series = append(fig.Series, ours, theirs)
	}
	return fig
}

// cellRemarks is the table in words, a row of it in each.
func cellRemarks(cells []libraCell) []string {
	var rows []string
	for i := 0; i < len(cells); i += 2 {
		row := cells[i].name + ": completed in time, mean ± sd (paper)"
		for k, column := range libraColumns() {
			mean, sd := spread(cells[i+k].found)
			row += fmt.Sprintf("; %s %.1f ± %.1f (%.0f, %+.1f sd)", column.name, mean, sd, cells[i+k].paper, (cells[i+k].paper-mean)/sd)
		}
		rows = append(rows, row)
	}
	return rows
}
