package main

import (
	"fmt"
	"math"

	"github.com/urfave/cli/v2"

	"revopt/plots"
	"revopt/simulate/metric"
)

// mostPieces is how many stretches of work a Gantt figure shows: more are a
// grey wall.
const mostPieces = 4000

// few is how many stretches of work may each carry the number of their job.
const few = 40

// writeGantt draws the file of --gantt: the first replication of every row, run
// once more, nodes down and time across.
func (p *program) writeGantt(c *cli.Context, scenario string, seed uint64, rows []recorded) error {
	path := c.String("gantt")
	if path == "" {
		return nil
	}
	sheet := plots.Sheet{ID: "gantt", Title: "Who runs where: " + oneLine(scenario), Columns: 1}
	for _, row := range rows {
		g := metric.NewGantt()
		if _, err := row.run(c.Context, 0, g); err != nil {
			return err
		}
		if len(g.Pieces) > mostPieces {
			return usagef("--gantt: expected at most %d stretches of work, got %d under %s: simulate fewer jobs", mostPieces, len(g.Pieces), row.label)
		}
		sheet.Panels = append(sheet.Panels, ganttFigure(row.label, g))
	}
	alignPanels(&sheet)
	prov := plots.Provenance{Version: build().Version, Scenario: scenario, Seed: &seed, Command: commandLine(p.args)}
	return plots.SaveFile(path, sheet, prov)
}

// alignPanels gives the panels one axis of time, and the sheet a height that
// follows the nodes.
func alignPanels(sheet *plots.Sheet) {
	var end, nodes float64
	for _, fig := range sheet.Panels {
		end, nodes = math.Max(end, fig.X.Max), math.Max(nodes, fig.Y.Max)
	}
	for i := range sheet.Panels {
		sheet.Panels[i].X.Max = end
	}
	sheet.Height = 3 + float64(len(sheet.Panels))*(3+math.Min(4, 0.4*nodes))
}

// fateWords name the fates of jobs; optional work is hatched.
func fateWords() [metric.Fates]string {
	return [metric.Fates]string{metric.Running: "not ended", metric.Whole: "ended in time", metric.Partial: "returned in part", metric.Overdue: "late"}
}

// ganttFigure draws the nodes of all sites below each other, each as high as 1:
// a job has the part of that height that is its share.
func ganttFigure(title string, g *metric.Gantt) plots.Figure {
	lane := lanes(g.Pieces)
	fig := plots.Figure{
		Title: title, X: plots.Axis{Label: "Time", Unit: "s"},
		Y: plots.Axis{Label: "Node", Max: float64(len(lane))},
	}
	listed := make(map[string]bool)
	labelled := make(map[int64]bool)
	var end float64
	for _, p := range g.Pieces {
		if p.To > p.From {
			end = math.Max(end, p.To)
		}
	}
	for _, p := range g.Pieces {
		if p.To <= p.From || p.High <= p.Low {
			continue
		}
		fate := g.Fate(p.Job)
		name := fateWords()[fate]
		if p.Optional {
			name += ", optional part"
		}
		r := outline(p, lane[[2]int{p.Site, p.Node}], 0.002*end)
		r.Tint, r.Hatch = int(fate), p.Optional
		if !listed[name] {
			listed[name] = true
			r.Name = name
		}
		fig.Regions = append(fig.Regions, r)
		if (!labelled[p.Job] || len(g.Pieces) <= few) && len(lane) <= 12 && p.To-p.From > 0.02*end {
			labelled[p.Job] = true
			fig.Labels = append(fig.Labels, plots.Label{X: (p.From + p.To) / 2, Y: (r.Y[0] + r.Y2[0]) / 2, Text: fmt.Sprint(p.Job)})
		}
	}
	fig.X.Max = end
	return fig
}

// outline returns the rectangle of a piece whose node is the given one, a little
// smaller so that neighbours can be told apart.
func outline(p metric.Piece, node int, margin float64) plots.Region {
	const gap = 0.04
	margin = math.Min(margin, (p.To-p.From)/4)
	low, high := float64(node)+p.Low+gap, float64(node)+p.High+gap
	if p.Count > 1 {
		high = float64(node + p.Count)
	}
	high = math.Max(high-2*gap, low+(high-low)/4)
	return plots.Region{
		X: []float64{p.From + margin, p.To - margin}, Y: []float64{low, low}, Y2: []float64{high, high}, Side: plots.Between,
	}
}

// lanes numbers the nodes on which anything runs, by site and node.
func lanes(pieces []metric.Piece) map[[2]int]int {
	width := make(map[int]int)
	sites := 0
	for _, p := range pieces {
		width[p.Site] = max(width[p.Site], p.Node+p.Count)
		sites = max(sites, p.Site+1)
	}
	lane := make(map[[2]int]int)
	for site := range sites {
		for node := range width[site] {
			lane[[2]int{site, node}] = len(lane)
		}
	}
	return lane
}
