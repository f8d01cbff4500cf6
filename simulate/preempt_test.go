package simulate_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"revopt/internal/truth"
	"revopt/simulate"
	"revopt/simulate/metric"
)

// lifo is a policy on which the job that came last preempts all others.
type lifo struct {
	jobs    []*simulate.Job // that have not ended
	running *simulate.Job
	cost    float64
	restart bool
}

func (l *lifo) Arrive(_ *simulate.Cluster, j *simulate.Job) { l.jobs = append(l.jobs, j) }

func (l *lifo) Finish(_ *simulate.Cluster, j *simulate.Job) {
	l.jobs = slices.DeleteFunc(l.jobs, func(k *simulate.Job) bool { return k == j })
	l.running = nil
}

func (l *lifo) Schedule(c *simulate.Cluster) {
	if len(l.jobs) == 0 || l.running == l.jobs[len(l.jobs)-1] {
		return
	}
	if l.running != nil && l.restart {
		c.Requeue(l.running, l.cost)
	} else if l.running != nil {
		c.Suspend(l.running, l.cost)
	}
	l.running = l.jobs[len(l.jobs)-1]
	c.Start(l.running)
}

// TestSuspension: one processor, jobs of 10, 4 and 2 s that come at 0, 3 and 5,
// the last first, at a cost of 1 s each time. Job 2 runs from 5 to 7. Suspended,
// job 1 has 2 + 1 s left and ends at 10, and job 0 has 7 + 1 s and ends at 18.
// Begun anew, job 1 ends at 7 + 5 = 12, and job 0 at 12 + 11 = 23.
func TestSuspension(t *testing.T) {
	for _, test := range []struct {
		restart bool
		ends    []float64
		lost    float64
	}{{false, []float64{18, 10, 7}, 2}, {true, []float64{23, 12, 7}, 2 + 3 + 2}} {
		got, tally, gantt := make(fates), metric.NewTally(1), metric.NewGantt()
		tally.UntilEnd = true
		run(t, simulate.Config{
			Source:    &list{jobs: []simulate.Job{job(0, 10, 1), job(3, 4, 1), job(5, 2, 1)}},
			Sites:     []simulate.Site{{Processors: 1, Policy: &lifo{cost: 1, restart: test.restart}}},
			Observers: []simulate.Observer{got, tally, gantt},
		})
		for id, end := range test.ends {
			if got[int64(id)].finish != end || got[int64(id)].start != []float64{0, 3, 5}[id] {
				t.Errorf("restart %t: job %d: %+v, ends at %g", test.restart, id, got[int64(id)], end)
			}
		}
		if s := tally.Total(); s.Preemptions != 2 || s.Lost != test.lost || s.Delivered != test.ends[0] || s.Wait != 0 {
			t.Errorf("restart %t: %+v", test.restart, s)
		}
		var busy float64
		for _, p := range gantt.Pieces {
			busy += p.To - p.From
		}
		if len(gantt.Pieces) != 5 || busy != test.ends[0] {
			t.Errorf("restart %t: pieces %+v", test.restart, gantt.Pieces)
		}
	}
}

// fickle is a policy that preempts, resumes and drops jobs by lot.
type fickle struct {
	rnd           *rand.Rand
	idle, running []*simulate.Job
}

func (f *fickle) Arrive(_ *simulate.Cluster, j *simulate.Job) { f.idle = append(f.idle, j) }

func (f *fickle) Leave(_ *simulate.Cluster, j *simulate.Job) {
	f.idle = slices.DeleteFunc(f.idle, func(k *simulate.Job) bool { return k == j })
}

func (f *fickle) Finish(_ *simulate.Cluster, j *simulate.Job) {
	f.running = slices.DeleteFunc(f.running, func(k *simulate.Job) bool { return k == j })
}

func (f *fickle) Timer(c *simulate.Cluster, j *simulate.Job) {
	if f.Leave(c, j); j.Suspended() {
		c.Expire(j)
	} else {
		c.Reject(j, simulate.Lapsed)
	}
}

func (f *fickle) Schedule(c *simulate.Cluster) {
	f.running = slices.DeleteFunc(f.running, func(j *simulate.Job) bool {
		if j.Preemptions > 4 || f.rnd.IntN(3) > 0 {
			return false
		}
		if cost := float64(f.rnd.IntN(3)); f.rnd.IntN(2) == 0 {
			c.Suspend(j, cost)
		} else {
			c.Requeue(j, cost)
		}
		if f.rnd.IntN(8) == 0 {
			c.Timer(j, c.Now()+float64(f.rnd.IntN(5)))
		}
		f.idle = append(f.idle, j)
		return true
	})
	f.rnd.Shuffle(len(f.idle), func(i, j int) { f.idle[i], f.idle[j] = f.idle[j], f.idle[i] })
	f.idle = slices.DeleteFunc(f.idle, func(j *simulate.Job) bool {
		if j.Width > c.Free() {
			return false
		}
		left := j.Left(truth.Key{}, c.Now())
		c.Start(j)
		if math.Abs(j.Left(truth.Key{}, c.Now())-left) > 1e-9 || math.Abs(j.Served(c.Now())+left-j.Work-j.Lost) > 1e-9 {
			panic("the time left is wrong")
		}
		f.running = append(f.running, j)
		return true
	})
	if len(f.running) > 0 {
		c.WakeAt(c.Now() + 1 + f.rnd.Float64())
	}
}

// TestPreemptionAtRandom: the books are right whatever is preempted when. The
// audit sees to it, and all that was delivered is work of jobs or lost.
func TestPreemptionAtRandom(t *testing.T) {
	rnd := rand.New(rand.NewPCG(15, 5))
	preempted := 0.0
	for range 1000 {
		jobs := randomJobs(rnd)
		for i := range jobs {
			jobs[i].Width = min(jobs[i].Width, 4)
		}
		work := workOf{}
		tally := metric.NewTally(1)
		tally.UntilEnd = true
		run(t, simulate.Config{
			Source:    &list{jobs: jobs},
			Sites:     []simulate.Site{{Processors: 4, Policy: &fickle{rnd: rnd}}},
			Charging:  simulate.Charging(rnd.IntN(2)),
			Observers: []simulate.Observer{tally, &work},
		})
		s := tally.Total()
		preempted += float64(s.Preemptions)
		if math.Abs(s.Delivered-s.Lost-work.sum) > 1e-9*(1+s.Delivered) {
			t.Fatalf("%g delivered, %g lost, the jobs that ended had %g", s.Delivered, s.Lost, work.sum)
		}
	}
	if preempted < 5000 {
		t.Errorf("%g preemptions are too few", preempted)
	}
}

// workOf adds up the work of the jobs that completed.
type workOf struct{ sum float64 }

func (w *workOf) Observe(e simulate.Event) {
	if e.Kind == simulate.Completed {
		w.sum += e.Job.Work * float64(e.Job.Width)
	}
}
