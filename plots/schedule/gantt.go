//go:build !js

package schedule

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"revopt/internal/text"
	"revopt/model"
	"revopt/plots"
	"revopt/simulate/metric"
	"revopt/simulate/workload"
)

// MostBars is the largest number of stretches of work in a Gantt figure.
const MostBars = 4000

// fewBars is the number of stretches of work up to which all carry the number of their job.
const fewBars = 40

// MostPanels is the largest number of panels in a Gantt figure: rows times pools.
const MostPanels = 40

// GanttSheet puts figures of the same time below each other: nodes up and time across.
// Its height follows the nodes, up to the largest of a figure.
func GanttSheet(title string, panels []plots.Figure) plots.Sheet {
	sheet := plots.Sheet{ID: "gantt", Title: title, Columns: 1, Panels: panels}
	var end, nodes float64
	for _, fig := range panels {
		end, nodes = math.Max(end, fig.X.Max), math.Max(nodes, fig.Y.Max)
	}
	for i := range panels {
		panels[i].X.Max = end
	}
	sheet.Height = math.Min(150, 3+float64(len(panels))*(3+math.Min(4, 0.4*nodes)))
	return sheet
}

func unitLabel(unit string) string {
	unit = text.Unit(unit)
	return strings.ToUpper(unit[:1]) + unit[1:] + "s"
}

// Gantt draws the units of all sites above each other in one figure, or each pool in a figure of its
// own. A unit is as high as 1, and the height of a job is its share of the unit. There may be more
// than MostBars regions.
func Gantt(title, unit string, g *metric.Gantt, sites []workload.Site, pools []model.Pool) []plots.Figure {
	lowest := make([]int, len(sites)+1) // lanes below those of a site
	for i, s := range sites {
		if pools == nil {
			lowest[i+1] = lowest[i] + s.Processors
		}
	}
	list := bars(g, lowest)
	end := 0.0
	for _, b := range list {
		end = math.Max(end, b.to)
	}
	if pools == nil {
		return []plots.Figure{ganttPanel(title, plots.Axis{Label: unitLabel(unit)}, lowest[len(sites)], end, list)}
	}
	var panels []plots.Figure
	for i, p := range pools {
		y := plots.Axis{Label: text.OneLine(p.Name), Unit: text.Unit(p.Unit) + "s"}
		inside := slices.DeleteFunc(slices.Clone(list), func(b bar) bool { return b.site != i })
		fig := ganttPanel(title, y, p.Units, end, inside)
		if fig.Y.Max > float64(p.Units) {
			fig.HLines = []plots.Rule{{At: float64(p.Units), Text: text.Plural(p.Units, text.Unit(p.Unit))}}
		}
		panels = append(panels, fig)
	}
	return panels
}

// ganttPanel draws bars over at least the given number of units, until the given end.
func ganttPanel(title string, y plots.Axis, units int, end float64, list []bar) plots.Figure {
	y.Whole, y.Max = true, float64(units)
	for _, b := range list {
		y.Max = math.Max(y.Max, b.high) // a log may use more nodes
	}
	fig := plots.Figure{Title: title, X: plots.Axis{Label: "Time", Time: true, Max: end}, Y: y}
	listed := make(map[string]bool)
	labeled := make(map[int64]bool)
	for _, b := range list {
		r := b.outline(fig.X.Max, fig.Y.Max)
		if name := b.words(); !listed[name] {
			listed[name] = true
			r.Name = name
		}
		fig.Regions = append(fig.Regions, r)
		fits := b.to-b.from > 0.03*fig.X.Max && b.high-b.low > 0.06*fig.Y.Max // the number of the job
		if (!labeled[b.job] || len(list) <= fewBars) && fits {
			labeled[b.job] = true
			at := plots.Label{X: (b.from + b.to) / 2, Y: (b.low + b.high) / 2, Text: fmt.Sprint(b.job)}
			fig.Labels = append(fig.Labels, at)
		}
	}
	return fig
}

// bar is a rectangle of a Gantt figure: neighboring nodes of a job for a time.
type bar struct {
	site      int
	job       int64
	from, to  float64 // s
	low, high float64 // nodes
	fate      metric.Fate
	optional  bool
}

// bars returns the pieces as bars, neighboring nodes of a job as one.
func bars(g *metric.Gantt, lowest []int) []bar {
	type side struct {
		job      int64
		from, to float64
		high     float64
		optional bool
	}
	var list []bar
	below := make(map[side]int) // by the upper side of a bar of whole nodes
	byNode := func(p, q metric.Piece) int {
		return cmp.Or(cmp.Compare(p.Site, q.Site), cmp.Compare(p.Node, q.Node))
	}
	for _, p := range slices.SortedStableFunc(slices.Values(g.Pieces), byNode) {
		if p.To <= p.From || p.High <= p.Low {
			continue
		}
		node := float64(lowest[p.Site] + p.Node)
		high := node + p.High + float64(max(0, p.Count-1))
		b := bar{p.Site, p.Job, p.From, p.To, node + p.Low, high, g.Fate(p.Job), p.Optional}
		key := side{b.job, b.from, b.to, b.low, b.optional}
		i, ok := below[key]
		if ok {
			delete(below, key)
			list[i].high = b.high
		} else {
			i = len(list)
			list = append(list, b)
		}
		key.high = b.high
		below[key] = i
	}
	return list
}

// words names the fate of the job.
func (b bar) words() string {
	name := [metric.Fates]string{
		metric.Running: "not ended", metric.Whole: "ended in time",
		metric.Partial: "returned in part", metric.Overdue: "late",
	}[b.fate]
	if b.optional { // it is hatched
		name += ", optional part"
	}
	return name
}

// outline returns the rectangle, a little smaller so that neighbors stay apart.
func (b bar) outline(end, nodes float64) plots.Region {
	x, y := math.Min(0.002*end, (b.to-b.from)/4), math.Min(0.004*nodes, (b.high-b.low)/4)
	return plots.Region{
		X: []float64{b.from + x, b.to - x},
		Y: []float64{b.low + y, b.low + y}, Y2: []float64{b.high - y, b.high - y},
		Side: plots.Between, Tint: [metric.Fates]int{0, 1, 2, 5}[b.fate], Hatch: b.optional,
	}
}
