package simulate_test

import (
	"testing"

	"revopt/simulate"
)

// closing is a policy that starts jobs at once and notes and charges their end.
type closing struct {
	book *logbook
}

func (p *closing) Arrive(c *simulate.Cluster, j *simulate.Job) { c.Start(j) }
func (p *closing) Schedule(*simulate.Cluster)                  {}

func (p *closing) Finish(c *simulate.Cluster, j *simulate.Job) {
	p.book.note(c.Now(), "finish %d, %d free", j.ID, c.Free())
	c.Charge(j, c.Now()-j.Submit)
}

// TestFinisher: a policy is told of the end of its jobs before observers are,
// when the processors are free, and what it charges then is booked.
func TestFinisher(t *testing.T) {
	book, got := new(logbook), make(fates)
	run(t, simulate.Config{
		Source:    &list{jobs: []simulate.Job{job(0, 3, 1), job(1, 4, 2)}},
		Sites:     []simulate.Site{{Processors: 3, Policy: &closing{book}}},
		Observers: []simulate.Observer{book, got},
	})
	for id, want := range []struct {
		at    float64
		lines [2]string
	}{
		{3, [2]string{"finish 0, 1 free", "completed 0"}},
		{5, [2]string{"finish 1, 3 free", "completed 1"}},
	} {
		lines := book.during(want.at)
		if len(lines) != 2 || [2]string(lines) != want.lines {
			t.Errorf("at %g: %q, want %q", want.at, lines, want.lines)
		}
		if g := got[int64(id)]; g.revenue != []float64{3, 4}[id] {
			t.Errorf("job %d pays %g", id, g.revenue)
		}
	}
}
