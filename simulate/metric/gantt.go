package metric

import (
	"math"
	"slices"

	"revopt/simulate"
)

// Piece is a stretch of time in which a job has a node, or a share of one.
type Piece struct {
	Site, Node int
	Count      int   // of nodes from Node on
	Job        int64 // ID
	From, To   float64
	Low, High  float64 // share of the node: 0 and 1 where it is the job's alone
	Optional   bool    // of a job in pieces: its optional length runs
}

// Fate is what became of a job.
type Fate uint8

// The fates.
const (
	Running Fate = iota // has not ended
	Whole               // ended in time, or has no deadline
	Partial             // was returned at its deadline with part of its result
	Overdue             // ended after its deadline

	Fates // how many there are
)

// Gantt is an observer that notes which job had which node at which time. Its memory grows with
// the run. On clusters that count processors, jobs get the lowest that are free.
type Gantt struct {
	Pieces []Piece
	fates  map[int64]Fate
	open   map[[2]int][]int // pieces that go on, by site and node
	lanes  map[int64][]int  // of jobs on counted processors
	taken  map[[2]int]bool  // counted processors in use
}

// NewGantt returns an empty one, for one run.
func NewGantt() *Gantt {
	return &Gantt{
		fates: make(map[int64]Fate), open: make(map[[2]int][]int), lanes: make(map[int64][]int),
		taken: make(map[[2]int]bool),
	}
}

// Fate returns what became of a job.
func (g *Gantt) Fate(job int64) Fate { return g.fates[job] }

// Observe implements simulate.Observer.
func (g *Gantt) Observe(e simulate.Event) {
	switch e.Kind {
	case simulate.Rated:
		for _, i := range e.Node.Members { // a task that keeps its share keeps the piece
			g.share(e, [2]int{e.Site.Index(), int(i)})
		}
	case simulate.Started, simulate.Resumed:
		if !e.Site.Shared() {
			g.started(e)
		}
	case simulate.Completed, simulate.Preempted:
		if e.Kind == simulate.Completed {
			g.fates[e.Job.ID] = fate(e)
		}
		for _, lane := range g.lanes[e.Job.ID] {
			key := [2]int{e.Site.Index(), lane}
			g.close(key, e.Time)
			delete(g.taken, key)
		}
		delete(g.lanes, e.Job.ID)
	}
}

// fate returns what became of a job that ends.
func fate(e simulate.Event) Fate {
	switch i := e.Job.Spec.Imprecise; {
	case e.Job.Lateness(e.Time) > 0:
		return Overdue
	case i != nil && e.Site.Shared() && e.Job.Revenue < float64(e.Job.Width)*i.Worth(i.Optional)*(1-1e-9):
		return Partial
	}
	return Whole
}

// started gives a job the lowest processors that are free, those side by side as one piece.
func (g *Gantt) started(e simulate.Event) {
	site, last := e.Site.Index(), -1
	for lane := 0; len(g.lanes[e.Job.ID]) < e.Job.Width; lane++ {
		key := [2]int{site, lane}
		if g.taken[key] {
			last = -1
			continue
		}
		g.taken[key] = true
		g.lanes[e.Job.ID] = append(g.lanes[e.Job.ID], lane)
		if last < 0 {
			last = len(g.Pieces)
			g.begin(key, Piece{Site: site, Node: lane, Job: e.Job.ID, From: e.Time, High: 1})
		}
		g.Pieces[last].Count++
	}
}

func (g *Gantt) share(e simulate.Event, key [2]int) {
	before := append([]int(nil), g.open[key]...)
	g.close(key, e.Time)
	low := 0.0
	for _, t := range e.Node.Tasks {
		p := Piece{
			Site: key[0], Node: key[1], Count: 1, Job: t.Job.ID, From: e.Time, Low: low, High: low + t.Rate,
			Optional: t.Job.Spec.Imprecise != nil && t.Note[1] == 1,
		}
		low += t.Rate
		if i := slices.IndexFunc(before, func(i int) bool { return g.Pieces[i].continues(p) }); i >= 0 {
			g.open[key] = append(g.open[key], before[i])
			continue
		}
		g.begin(key, p)
	}
}

// continues reports whether a piece is the same as a later one but for time.
func (p Piece) continues(q Piece) bool {
	const same = 1e-9
	return p.Job == q.Job && p.Optional == q.Optional && math.Abs(p.Low-q.Low) < same && math.Abs(p.High-q.High) < same
}

func (g *Gantt) begin(key [2]int, p Piece) {
	g.open[key] = append(g.open[key], len(g.Pieces))
	g.Pieces = append(g.Pieces, p)
}

// close ends the pieces that go on at a node.
func (g *Gantt) close(key [2]int, now float64) {
	for _, i := range g.open[key] {
		g.Pieces[i].To = now
	}
	g.open[key] = g.open[key][:0]
}
