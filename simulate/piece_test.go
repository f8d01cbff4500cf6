package simulate

import (
	"context"
	"testing"
)

// taker runs each job on node 0 as soon as it comes and lets it resume, latest
// first, when the ones after it have ended. At most limit seconds of a job are
// run.
type taker struct {
	stack []*Job
	left  []float64
	limit float64
	done  []int64 // IDs in order of their ends
}

func (p *taker) Arrive(c *Cluster, j *Job) {
	if n := c.Nodes()[0]; len(n.Tasks) > 0 {
		p.left[len(p.left)-1] = c.Withdraw(0, 0)
	}
	p.stack, p.left = append(p.stack, j), append(p.left, min(j.Work, p.limit))
	c.Place(j, 0, min(j.Work, p.limit), [2]float64{float64(j.ID)})
}

func (p *taker) Done(_ *Cluster, t *Task) { p.done = append(p.done, t.Job.ID) }

func (p *taker) Schedule(c *Cluster) {
	if len(c.Nodes()[0].Tasks) > 0 || len(p.stack) == 0 {
		return
	}
	last := len(p.stack) - 1
	c.Return(p.stack[last])
	p.stack, p.left = p.stack[:last], p.left[:last]
	if last > 0 {
		c.Place(p.stack[last-1], 0, p.left[last-1], [2]float64{})
	}
}

func (p *taker) SetRates(n *Node, _ float64) {
	for i := range n.Tasks {
		n.Tasks[i].Rate = 1
	}
}

var _ Piecemeal = (*taker)(nil)

// pieceJobs yields given jobs.
type pieceJobs []Job

func (l *pieceJobs) Next(j *Job) (bool, error) {
	if len(*l) == 0 {
		return false, nil
	}
	j.Submit, j.Work, j.Width = (*l)[0].Submit, (*l)[0].Work, (*l)[0].Width
	*l = (*l)[1:]
	return true, nil
}

// ends notes when jobs end.
type ends map[int64]float64

func (e ends) Observe(v Event) {
	if v.Kind == Completed {
		e[v.Job.ID] = v.Time
	}
}

func TestPieces(t *testing.T) {
	jobs := pieceJobs{{Submit: 0, Work: 10, Width: 1}, {Submit: 2, Work: 6, Width: 1}, {Submit: 3, Work: 1, Width: 1}}
	audit, at, p := &Audit{}, ends{}, &taker{limit: 5}
	_, err := Run(context.Background(), Config{Source: &jobs, Sites: []Site{{Processors: 1, Policy: p}}, Observers: []Observer{audit, at}})
	if err != nil || audit.Err() != nil {
		t.Fatal(err, audit.Err())
	}
	// Job 2 runs from 3 to 4, job 1 for the 4 s left of its 5, job 0 for 3.
	for id, want := range []float64{11, 8, 4} {
		if at[int64(id)] != want {
			t.Errorf("job %d ends at %g, want %g", id, at[int64(id)], want)
		}
	}
	if audit.Count(Started) != 3 || len(p.done) != 3 {
		t.Errorf("%d started, %d pieces done", audit.Count(Started), len(p.done))
	}
}
