//go:build !js

package ask

import (
	"context"

	"revopt/internal/text"
	"revopt/model"
	"revopt/plots"
	"revopt/plots/schedule"
	"revopt/simulate/metric"
	"revopt/simulate/subject"
)

// CheckGantt refuses a figure of more jobs than it could show, before they run.
func CheckGantt(s *subject.Subject) error {
	if jobs := s.Workload.Size(); jobs > schedule.MostBars {
		return Usagef("--gantt: expected at most %d stretches of work, got about %s jobs: simulate fewer (--jobs)",
			schedule.MostBars, text.Fixed(jobs, 0))
	}
	return nil
}

// Gantt draws which job runs where in the first replication of every row, run again.
func (c *Comparison) Gantt(ctx context.Context) (plots.Picture, error) {
	var pools []model.Pool
	if p := c.Subject.Workload.Pools(); p != nil {
		pools = p.List
	}
	if n := len(c.Rows) * len(pools); n > schedule.MostPanels {
		return nil, Usagef("--gantt: expected at most %d panels, got %d: pools times policies", schedule.MostPanels, n)
	}
	var panels []plots.Figure
	for _, row := range c.Rows {
		g := metric.NewGantt()
		if _, err := c.Lab.Watch(ctx, row.Case, g); err != nil {
			return nil, err
		}
		figures := schedule.Gantt(row.Label, c.Subject.Unit(), g, row.e.Workload.Sites(), pools)
		n := text.Sum(figures, func(fig plots.Figure) int { return len(fig.Regions) })
		if n > schedule.MostBars {
			return nil, Usagef("--gantt: expected at most %d stretches of work, got %d under %s: simulate fewer jobs",
				schedule.MostBars, n, row.Label)
		}
		panels = append(panels, figures...)
	}
	return schedule.GanttSheet("Schedule: "+text.OneLine(c.Subject.Scenario.Name), panels), nil
}
