package engine

import (
	"fmt"
	"math"

	"revopt/internal/text"
	"revopt/model"
	"revopt/simulate"
	"revopt/simulate/metric"
)

// Schedule is which job ran where, and how long the jobs waited, in the first replication.
type Schedule struct {
	Pieces []Piece  `json:"pieces"`
	Queue  []Queued `json:"queue"`
	Nodes  int      `json:"nodes"` // of all sites, one above the other
	End    float64  `json:"end"`   // s

	names  []string      // of classes
	places map[int64]int // of jobs in the queue
}

// Piece is some nodes that a job has for a time.
type Piece struct {
	Job   int64   `json:"job"`
	Class string  `json:"class"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
	From  float64 `json:"from"`
	To    float64 `json:"to"`
}

// Queued is a job, from its submission until it starts, or leaves, and what it delivers at its end.
type Queued struct {
	Job    int64   `json:"job"`
	Class  string  `json:"class"`
	Width  int     `json:"width"`
	Submit float64 `json:"submit"`
	Start  float64 `json:"start"`
	End    float64 `json:"end,omitempty"`   // s; 0: it has not ended
	Value  float64 `json:"value,omitempty"` // $
}

// mostJobs is how many jobs an animation shows.
const mostJobs = 300

func (c *call) gantt() (*Reply, error) {
	if n := c.Jobs.Int(); n > mostJobs {
		return nil, fmt.Errorf("jobs: expected at most %d, got %d", mostJobs, n)
	}
	o := c.options()
	o.Lenient = true // a grid has the jobs that it has
	r := c.Request
	r.Command = "simulate"
	compared, err := c.compared(r, o, 1)
	if err != nil {
		return nil, err
	}
	first := compared.Rows[0]
	e := first.Experiment()
	s := &Schedule{Pieces: []Piece{}, Queue: []Queued{}, places: map[int64]int{},
		names: text.Each(e.Workload.Customers(), func(c model.Class) string { return c.Name })}
	g := metric.NewGantt()
	if _, err := compared.Lab.Watch(c.ctx, first.Case, g, s); err != nil {
		return nil, err
	}
	var lowest []int // lanes below those of a site
	for _, site := range e.Workload.Sites() {
		lowest = append(lowest, s.Nodes)
		s.Nodes += site.Processors
	}
	for _, p := range g.Pieces {
		if low := float64(lowest[p.Site] + p.Node); p.To > p.From {
			s.Pieces = append(s.Pieces, Piece{p.Job, s.Queue[s.places[p.Job]].Class, low + p.Low,
				low + p.High + float64(max(1, p.Count)-1), p.From, p.To})
		}
	}
	return &Reply{Facts: s}, nil
}

// Observe notes how long each job waits.
func (s *Schedule) Observe(e simulate.Event) {
	s.End = e.Time
	switch e.Kind {
	case simulate.Submitted:
		s.places[e.Job.ID] = len(s.Queue)
		s.Queue = append(s.Queue, Queued{Job: e.Job.ID, Class: s.names[e.Job.Class], Width: e.Job.Width, Submit: e.Time,
			Start: math.MaxFloat64})
	case simulate.Started:
		at := &s.Queue[s.places[e.Job.ID]]
		at.Start = min(at.Start, e.Time)
	case simulate.Completed, simulate.Rejected, simulate.Expired:
		at := &s.Queue[s.places[e.Job.ID]]
		at.Start, at.End, at.Value = min(at.Start, e.Time), e.Time, e.Job.Revenue
	}
}
