package paper

import (
	"context"
	"fmt"
	"math"

	"revopt/plots"
	"revopt/simulate/metric"
	"revopt/simulate/policy"
	"revopt/simulate/sweep"
	"revopt/simulate/workload"
)

// A libraCell is a cell of Table 1 of Sherwani et al. (2004).
type libraCell struct {
	batch  workload.Batch
	nodes  int
	policy int       // index in the table's columns: FIFO, Libra
	paper  float64   // jobs completed in time, in the paper's one draw
	found  []float64 // the same, by replication
	name   string    // of the row
}

// inTime counts the jobs that ended by their deadline, whatever they paid.
func inTime() metric.Figure {
	return metric.Figure{Name: "completed_in_time", Of: func(s metric.Sum) float64 { return float64(s.Stated.Finished - s.Stated.Late) }}
}

// libraCells returns the table, row by row.
func libraCells() []libraCell {
	first, second := workload.FirstBatch(), workload.SecondBatch()
	var cells []libraCell
	for _, row := range []struct {
		batch workload.Batch
		nodes int
		paper [2]float64
	}{
		{first, 10, [2]float64{77, 86}}, {first, 20, [2]float64{86, 90}},
		{second, 10, [2]float64{95, 102}}, {second, 20, [2]float64{165, 177}},
	} {
		for p := range 2 {
			cells = append(cells, libraCell{
				batch: row.batch, nodes: row.nodes, policy: p, paper: row.paper[p],
				name: fmt.Sprintf("%d jobs, %d nodes", row.batch.Jobs, row.nodes),
			})
		}
	}
	return cells
}

// libraTable is Table 1.
func libraTable() Recipe {
	r := Recipe{
		ID: "libra-table1", Title: "Jobs completed in time by FIFO and Libra",
		Source: "Sherwani, Ali, Lotia, Hayat and Buyya, Libra: An Economy driven Job Scheduling System for Clusters, Table 1",
		Parameters: fmt.Sprintf("two batches of 100 and 200 jobs on 10 and 20 nodes of %d MIPS, deadlines from arrival; "+
			"Libra takes the least loaded node and shares spare capacity equally", workload.PaperMIPS),
		Claim: "Libra completes more jobs in time than FIFO in all four cells",
	}
	r.Build = func(ctx context.Context, o Options) (Result, error) {
		replications := o.replications(200, 40)
		cells, err := libraRuns(ctx, o, replications)
		if err != nil {
			return Result{}, err
		}
		seed := o.Seed
		return Result{
			Picture: drawCells(r, cells, replications),
			Provenance: plots.Provenance{Scenario: "libra-2004", Seed: &seed, Extra: []plots.Pair{
				{Key: "replications", Value: fmt.Sprint(replications)},
			}},
			Remarks: cellRemarks(cells),
		}, nil
	}
	return r
}

// libraRuns simulates every cell.
func libraRuns(ctx context.Context, o Options, replications int) ([]libraCell, error) {
	cells := libraCells()
	var experiments []*sweep.GridExperiment
	for _, c := range cells {
		e := &sweep.GridExperiment{Sites: []sweep.GridSite{{Processors: c.nodes}}, Workload: c.batch, Policy: "fifo", Seed: o.Seed}
		if c.policy == 1 {
			e.Policy, e.Options = "libra", policy.Settings{"choice": "least-loaded", "spare": "equal"}
		}
		experiments = append(experiments, e)
	}
	outcomes, err := gridRuns(ctx, o, experiments, replications)
	if err != nil {
		return nil, err
	}
	for i := range cells {
		cells[i].found = outcomes[i].Values(inTime(), -1)
	}
	return cells, nil
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
func drawCells(r Recipe, cells []libraCell, replications int) plots.Figure {
	fig := plots.Figure{
		ID: r.ID, Title: r.Title, Y: plots.Axis{Label: "Jobs completed in time"},
		Notes: []string{fmt.Sprintf("Means of %d seeds; the bars through them are one standard deviation of a seed", replications)},
	}
	names := []string{"FIFO", "Libra"}
	for p, name := range names {
		ours := plots.Series{Name: name, Kind: plots.Bars, Look: 2*p + 1}
		theirs := plots.Series{Name: name + ", the paper's draw", Kind: plots.Bars, Look: 2*p + 2}
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
		for k, name := range []string{"FIFO", "Libra"} {
			mean, sd := spread(cells[i+k].found)
			row += fmt.Sprintf("; %s %.1f ± %.1f (%.0f, %+.1f sd)", name, mean, sd, cells[i+k].paper, (cells[i+k].paper-mean)/sd)
		}
		rows = append(rows, row)
	}
	return rows
}
