package explored

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"revopt/docs/lessons"
	"revopt/plots"
	results "revopt/plots/answer"
	"revopt/plots/engine"
)

// Picture is a picture of a lesson: a figure, and the schedule that it shows, if any.
type Picture struct {
	plots.Figure
	*engine.Schedule
}

// MarshalJSON writes the numbers as the script of pages draws them.
func (p Picture) MarshalJSON() ([]byte, error) {
	if p.Schedule == nil {
		return json.Marshal(results.Numbers(p.Figure))
	}
	shown := *p.Schedule
	shown.Queue = []engine.Queued{} // none waits at the end
	return json.Marshal(struct {
		engine.Schedule
		Title string `json:"title"`
	}{shown, p.Title})
}

// Pictures computes the pictures of a lesson.
func Pictures(ctx context.Context, e *engine.Engine, l *lessons.Lesson) ([]Picture, error) {
	var list []Picture
	replies := map[string]engine.Reply{} // pictures may be of one call
	for _, spec := range l.Pictures {
		asked, err := json.Marshal(spec.Request)
		if err != nil {
			return nil, err
		}
		reply, ok := replies[string(asked)]
		if !ok {
			var r engine.Request
			err := json.Unmarshal(asked, &r)
			if err != nil {
				return nil, err
			}
			r.Scenario, r.Name = l.Scenario, lessons.Name(l.Number)
			r.Brief = true
			reply = e.Answer(ctx, r)
			replies[string(asked)] = reply
		}
		if reply.Error != "" {
			return nil, fmt.Errorf("%s: %s", spec.Title, reply.Error)
		}
		p, err := picture(spec, reply.Facts)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", spec.Title, err)
		}
		p.Title = spec.Title
		p.round()
		list = append(list, p)
	}
	return list, nil
}

// picture makes a picture of the facts of its call.
func picture(spec lessons.Picture, facts any) (p Picture, err error) {
	switch f := facts.(type) {
	case results.Answer:
		p.Figure, _, err = f.Draw(results.Drawing{Y: spec.Column})
		p.Subtitle, p.X.Label, p.X.Percent = "", spec.X, spec.Percent
		p.Series = slices.DeleteFunc(p.Series, func(s plots.Series) bool { return s.Bound }) // of the model
	case *engine.Schedule:
		p.X = plots.Axis{Label: "Time", Time: true}
		switch spec.Kind {
		case "queue":
			p.Y = plots.Axis{Label: "Jobs that wait", Whole: true}
			p.Series = []plots.Series{queue(f)}
		case "waits":
			p.X = plots.Axis{Label: "Job", Whole: true}
			p.Y = plots.Axis{Label: "Wait", Time: true}
			p.Series = []plots.Series{waits(f)}
		case "residual":
			p.Y = plots.Axis{Label: "Remaining time", Time: true}
			p.Series = []plots.Series{residual(f)}
		case "schedule":
			p.X.Max = f.End
			p.Y = plots.Axis{Label: "Nodes", Whole: true, Max: float64(f.Nodes)}
			p.Regions = pieces(f)
			p.Schedule = f
		}
	}
	return p, err
}

// round leaves the digits that can be seen, so that the page is small.
func (p Picture) round() {
	for _, s := range p.Series {
		for _, list := range [][]float64{s.X, s.Y, s.Low, s.High} {
			for i, x := range list {
				list[i] = seen(x, digitsOfDrawing)
			}
		}
	}
}

// digitsOfDrawing is how many digits of a number a drawing shows.
const digitsOfDrawing = 4

// seen returns a number with so many digits.
func seen(x float64, digits int) float64 {
	y, _ := strconv.ParseFloat(strconv.FormatFloat(x, 'g', digits, 64), 64) // a number as text is a number
	return y
}

// queue is the number of waiting jobs as time goes on.
func queue(s *engine.Schedule) plots.Series {
	changes := map[float64]float64{0: 0}
	for _, job := range s.Queue {
		changes[job.Submit]++
		changes[job.Start]--
	}
	line := plots.Series{Kind: plots.Step, Look: 1}
	waiting := 0.0
	for _, at := range slices.Sorted(maps.Keys(changes)) {
		waiting += changes[at]
		line.X, line.Y = append(line.X, at), append(line.Y, waiting)
	}
	return line
}

// waits is how long each job waits, in their order.
func waits(s *engine.Schedule) plots.Series {
	bars := plots.Series{Kind: plots.Bars, Look: 1}
	for i, job := range s.Queue {
		bars.X, bars.Y = append(bars.X, float64(i+1)), append(bars.Y, job.Start-job.Submit)
	}
	return bars
}

// residual is how long the job on one node still runs, as time goes on.
func residual(s *engine.Schedule) plots.Series {
	line := plots.Series{Look: 1, X: []float64{0}, Y: []float64{0}}
	for _, run := range s.Pieces {
		line.X = append(line.X, run.From, run.From, run.To)
		line.Y = append(line.Y, 0, run.To-run.From, 0)
	}
	return line
}

// pieces are the jobs on a machine: nodes up, and time across.
func pieces(s *engine.Schedule) (list []plots.Region) {
	tints := map[string]int{}
	for _, run := range s.Pieces {
		end, top := run.To-0.003*s.End, run.High-0.15 // jobs stand apart
		if end < run.From {
			continue
		}
		r := plots.Region{Side: plots.Between, Tint: tints[run.Class], X: []float64{run.From, end},
			Y: []float64{run.Low, run.Low}, Y2: []float64{top, top}}
		if r.Tint == 0 {
			tints[run.Class] = len(tints) + 1
			r.Tint = tints[run.Class]
			r.Name = run.Class
		}
		list = append(list, r)
	}
	return list
}
