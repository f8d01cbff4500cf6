package schedule

import (
	"testing"

	"revopt/model"
	"revopt/simulate"
	"revopt/simulate/metric"
	"revopt/simulate/workload"
)

// TestGanttPools draws a schedule that uses 6 GPUs of 4 beside 100 cores: every job stays in the panel
// of its pool, which shows all of it and a line at the size of the pool.
func TestGanttPools(t *testing.T) {
	g := metric.NewGantt()
	g.Pieces = []metric.Piece{
		{Site: 0, Node: 0, Count: 4, Job: 1, To: 5, High: 1}, {Site: 0, Node: 4, Count: 2, Job: 2, To: 9, High: 1},
		{Site: 1, Node: 0, Count: 50, Job: 3, To: 7, High: 1},
	}
	panels := Gantt("recorded", "unit", g, []workload.Site{{Site: simulate.Site{Processors: 4}}, {Site: simulate.Site{Processors: 100}}}, []model.Pool{
		{Name: "gpu", Unit: "gpu", Units: 4},
		{Name: "cpu", Unit: "core", Units: 100},
	})
	if len(panels) != 2 {
		t.Fatalf("%d panels", len(panels))
	}
	for i, want := range []struct {
		name, unit string
		high       float64
		bars       int
	}{{"gpu", "GPUs", 6, 2}, {"cpu", "cores", 100, 1}} {
		p := panels[i]
		if p.Y.Label != want.name || p.Y.Unit != want.unit || p.Y.Max != want.high || len(p.Regions) != want.bars ||
			p.X.Max != 9 {
			t.Errorf("%+v", p)
		}
		for _, r := range p.Regions {
			if r.Y[0] < 0 || r.Y2[0] > want.high {
				t.Errorf("a job of %s leaves its panel: %+v", want.name, r)
			}
		}
	}
	if l := panels[0].HLines; len(l) != 1 || l[0].At != 4 || l[0].Text != "4 GPUs" || panels[1].HLines != nil {
		t.Errorf("%+v, %+v", l, panels[1].HLines)
	}
}
