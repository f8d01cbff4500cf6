package policy

import (
	"context"
	"math"
	"testing"

	"revopt/simulate"
)

// impreciseJobs is a source of given jobs.
type impreciseJobs []simulate.Job

func (l *impreciseJobs) Next(j *simulate.Job) (bool, error) {
	if len(*l) == 0 {
		return false, nil
	}
	next := (*l)[0]
	*l = (*l)[1:]
	j.Submit, j.Work, j.Width, j.Value, j.Spec = next.Submit, next.Work, next.Width, next.Value, next.Spec
	j.Class, j.Expire, j.Chance = next.Class, next.Expire, next.Chance
	return true, nil
}

// icJob returns an imprecise job with its lengths in MI.
func icJob(submit, mandatory, optional, due, reward float64, bonus simulate.Bonus) simulate.Job {
	j := simulate.Job{Submit: submit, Work: mandatory + optional, Width: 1}
	j.Value = simulate.ByDeadline(reward+bonus.Of(optional), due-submit, 0, true)
	j.Spec.Imprecise = &simulate.Imprecise{Mandatory: mandatory, Optional: optional, Reward: reward, Bonus: bonus}
	return j
}

// outcome notes how the jobs of a run end.
type outcome struct {
	paid   map[int64]float64
	finish map[int64]float64
	reason map[int64]simulate.Reason
}

func (o *outcome) Observe(e simulate.Event) {
	switch e.Kind {
	case simulate.Completed:
		o.paid[e.Job.ID], o.finish[e.Job.ID] = e.Job.Revenue, e.Time
	case simulate.Rejected:
		o.reason[e.Job.ID] = e.Reason
	}
}

func (o *outcome) total() float64 {
	var sum float64
	for _, x := range o.paid {
		sum += x
	}
	return sum
}

// runImprecise runs jobs on sites of the given processors, of 1000 MIPS each,
// under both audits.
func runImprecise(t *testing.T, s Scheme, processors []int, jobs []simulate.Job, observers ...simulate.Observer) *outcome {
	t.Helper()
	o := &outcome{make(map[int64]float64), make(map[int64]float64), make(map[int64]simulate.Reason)}
	audit, books := &ImpreciseAudit{Scheme: s}, &simulate.Audit{}
	policies, broker := NewImpreciseGrid(s, len(processors))
	list := impreciseJobs(jobs)
	cfg := simulate.Config{Source: &list, Broker: broker, Observers: append([]simulate.Observer{books, audit, o}, observers...)}
	for i, n := range processors {
		machines := make([]simulate.Machine, n)
		for k := range machines {
			machines[k].Speed = 1000
		}
		cfg.Sites = append(cfg.Sites, simulate.Site{Processors: n, Policy: policies[i], Machines: machines})
	}
	if _, err := simulate.Run(context.Background(), cfg); err != nil {
		t.Fatal(err)
	}
	if err := books.Err(); err != nil {
		t.Error(err)
	}
	if err := audit.Err(); err != nil {
		t.Error(err)
	}
	return o
}

// quotes notes what the first site estimates when the second job comes.
type quotes struct {
	site          *imprecise
	before, after float64
	ok            bool
}

func (q *quotes) Route(j *simulate.Job, sites []*simulate.Cluster) *simulate.Cluster {
	c := sites[0]
	if j.ID == 1 {
		q.site.speed = c.Nodes()[0].Speed
		q.site.sync(c)
		q.before, _ = q.site.estimate(c, nil)
		q.after, q.ok = q.site.estimate(c, q.site.see(j))
	}
	return c
}

func TestImpreciseVectors(t *testing.T) {
	jobs := func() []simulate.Job {
		return []simulate.Job{
			icJob(0, 1e6, 1e6, 3000, 1000, simulate.Linear(0.0005)),
			icJob(500, 1e6, 1e6, 2600, 1000, simulate.Linear(0.0002)),
		}
	}
	for _, v := range []struct {
		name          string
		scheme        Scheme
		before, after float64
		feasible      bool
	}{
		{"mf-edf", MandatoryEDF, 1500, 2320, true},
		{"mf-hbf", MandatoryHBF, 1500, 2500, true},
		{"mf-timeshare", MandatoryTime, 1500, 2410, true},
		{"hard-mo", HardWhole, 1500, 0, false},
		{"hard-m", HardMandatory, 1000, 2000, true},
	} {
		t.Run(v.name, func(t *testing.T) {
			list := impreciseJobs(jobs())
			site := NewImprecise(v.scheme).(*imprecise)
			q := &quotes{site: site}
			_, err := simulate.Run(context.Background(), simulate.Config{
				Source: &list, Broker: q,
				Sites: []simulate.Site{{Processors: 1, Policy: site, Machines: []simulate.Machine{{Speed: 1000}}}},
			})
			if err != nil {
				t.Fatal(err)
			}
			if q.before != v.before || q.ok != v.feasible || v.feasible && math.Abs(q.after-v.after) > 1e-9 {
				t.Errorf("estimates %v, then %v (%v), want %v, %v (%v)", q.before, q.after, q.ok, v.before, v.after, v.feasible)
			}
			o := runImprecise(t, v.scheme, []int{1}, jobs())
			want := v.after
			if !v.feasible {
				want = v.before
				if o.reason[1] != simulate.Deadline {
					t.Errorf("B is refused for %v, want deadline", o.reason[1])
				}
			}
			if math.Abs(o.total()-want) > 1e-6 {
				t.Errorf("paid %v (%v), want the estimate %v", o.total(), o.paid, want)
			}
		})
	}
}
