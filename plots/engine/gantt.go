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

// Queued is a job, from its submission until it starts, or leaves.
type Queued struct {
	Job    int64   `json:"job"`
	Class  string  `json:"class"`
	Submit float64 `json:"submit"`
	Start  float64 `json:"start"`
}

// mostJobs is how many jobs an animation shows.
const mostJobs = 300

func (c *call) gantt() (*Reply, error) {
	if c.Jobs > mostJobs {
		return nil, fmt.Errorf("jobs: expected at most %d, got %d", mostJobs, c.Jobs)
	}
	c.Replications = 1
	result, err := c.simulated()
	if err != nil {
		return nil, err
	}
	e := result.Experiments[0]
	s, g := &Schedule{Pieces: []Piece{}, Queue: []Queued{}}, metric.NewGantt()
	q := &queue{schedule: s, names: text.Each(e.Workload.Customers(), func(c model.Class) string { return c.Name }),
		places: map[int64]int{}}
	if _, err := e.Run(c.ctx, 0, g, q); err != nil {
		return nil, err
	}
	lowest := make([]int, len(e.Workload.Sites())) // lanes below those of a site
	for i, site := range e.Workload.Sites() {
		lowest[i] = s.Nodes
		s.Nodes += site.Processors
	}
	for _, p := range g.Pieces {
		if low := float64(lowest[p.Site] + p.Node); p.To > p.From {
			s.Pieces = append(s.Pieces, Piece{p.Job, s.Queue[q.places[p.Job]].Class, low + p.Low,
				low + p.High + float64(max(1, p.Count)-1), p.From, p.To})
		}
	}
	return &Reply{Facts: s}, nil
}

// queue is an observer that notes how long each job waits.
type queue struct {
	schedule *Schedule
	names    []string
	places   map[int64]int // of jobs in the queue of the schedule
}

// Observe implements simulate.Observer.
func (q *queue) Observe(e simulate.Event) {
	q.schedule.End = e.Time
	switch e.Kind {
	case simulate.Submitted:
		q.places[e.Job.ID] = len(q.schedule.Queue)
		q.schedule.Queue = append(q.schedule.Queue, Queued{e.Job.ID, q.names[e.Job.Class], e.Time, math.MaxFloat64})
	case simulate.Started, simulate.Rejected, simulate.Expired:
		at := &q.schedule.Queue[q.places[e.Job.ID]]
		at.Start = min(at.Start, e.Time)
	}
}
