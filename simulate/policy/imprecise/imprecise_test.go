package imprecise

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"revopt/simulate"
)

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
func runImprecise(
	t *testing.T, s scheme, feasible bool, processors []int, jobs []simulate.Job, observers ...simulate.Observer,
) *outcome {
	t.Helper()
	o := &outcome{make(map[int64]float64), make(map[int64]float64), make(map[int64]simulate.Reason)}
	audit, books := &impreciseAudit{Scheme: s}, &simulate.Audit{}
	policies, broker := newGrid(s, feasible, len(processors))
	cfg := simulate.Config{Source: simulate.Slice(jobs), Router: broker, Observers: append([]simulate.Observer{books, audit, o}, observers...)}
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

func (q *quotes) Route(j *simulate.Job, sites []*simulate.Cluster) (*simulate.Cluster, simulate.Reason) {
	c := sites[0]
	if j.ID == 1 {
		gain, why := q.site.gain(c, q.site.see(j))
		q.before, _ = q.site.estimate(c)
		q.after, q.ok = q.before+gain, why != simulate.Deadline
	}
	return c, simulate.NoReason
}

func (q *quotes) Next(*simulate.Job, *simulate.Cluster, []*simulate.Cluster) *simulate.Cluster {
	return nil
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
		scheme        scheme
		before, after float64
		feasible      bool
	}{
		{"mf-edf", mandatoryEDF, 1500, 2320, true},
		{"mf-hbf", mandatoryHBF, 1500, 2500, true},
		{"mf-timeshare", mandatoryTime, 1500, 2410, true},
		{"hard-mo", hardWhole, 1500, 0, false},
		{"hard-m", hardMandatory, 1000, 2000, true},
	} {
		t.Run(v.name, func(t *testing.T) {
			site := newImprecise(v.scheme, false)
			q := &quotes{site: site}
			_, err := simulate.Run(context.Background(), simulate.Config{
				Source: simulate.Slice(jobs()), Router: q,
				Sites: []simulate.Site{{Processors: 1, Policy: site, Machines: []simulate.Machine{{Speed: 1000}}}},
			})
			if err != nil {
				t.Fatal(err)
			}
			if q.before != v.before || q.ok != v.feasible || v.feasible && math.Abs(q.after-v.after) > 1e-9 {
				t.Errorf("estimates %v, then %v (%v), want %v, %v (%v)", q.before, q.after, q.ok, v.before, v.after, v.feasible)
			}
			o := runImprecise(t, v.scheme, false, []int{1}, jobs())
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

// randomImprecise returns jobs with budget functions of every kind.
func randomImprecise(rng *rand.Rand, n int) []simulate.Job {
	var jobs []simulate.Job
	at := 0.0
	for range n {
		at += 200 * rng.ExpFloat64()
		m, o := 1e5+9e5*rng.Float64(), 2e6*rng.Float64()
		var bonus simulate.Bonus
		switch rng.IntN(3) {
		case 0:
			bonus = simulate.Linear(0.001 * rng.Float64())
		case 1:
			bonus = simulate.Concave{Top: 1000 * rng.Float64(), Length: o, Exponent: 0.5}
		case 2:
			bonus = simulate.Steps{{At: o / 4, Amount: 300 * rng.Float64()}, {At: o, Amount: 500 * rng.Float64()}}
		}
		j := icJob(at, m, o, at+m/1000+4000*rng.Float64(), m/1000, bonus)
		j.Width = 1 + rng.IntN(6)
		j.Work = m + o
		jobs = append(jobs, j)
	}
	return jobs
}

// TestImpreciseRandom runs random jobs, more parts than processors among them,
// under both audits: what is accepted is paid at least its mandatory budget.
func TestImpreciseRandom(t *testing.T) {
	for seed := range uint64(6) {
		for s := range scheme(len(schemes())) {
			jobs := randomImprecise(rand.New(rand.NewPCG(seed, 5)), 200)
			o := runImprecise(t, s, false, []int{1, 3, 4}, append([]simulate.Job(nil), jobs...))
			if len(o.paid)+len(o.reason) != len(jobs) {
				t.Fatalf("seed %d, %s: %d paid, %d rejected of %d", seed, schemes()[s], len(o.paid), len(o.reason), len(jobs))
			}
			for id, paid := range o.paid {
				j := jobs[id]
				if least := float64(j.Width) * j.Spec.Imprecise.Reward; paid < least*(1-1e-9) {
					t.Errorf("seed %d, %s: job %d pays %g, less than %g", seed, schemes()[s], id, paid, least)
				}
				if due := j.Deadline(); o.finish[id] > due*(1+1e-12) {
					t.Errorf("seed %d, %s: job %d ends at %g, due %g", seed, schemes()[s], id, o.finish[id], due)
				}
			}
		}
	}
}

// TestBrokerTakesTheFirstOfEqualSites and says why it takes none.
func TestBrokerTakesTheFirstOfEqualSites(t *testing.T) {
	var sites []int
	see := observe(func(e simulate.Event) {
		if e.Kind == simulate.Admitted {
			sites = append(sites, e.Site.Index())
		}
	})
	jobs := []simulate.Job{
		icJob(0, 1e6, 1e6, 3000, 1000, simulate.Linear(0.0005)),
		icJob(500, 1e6, 1e6, 2600, 1000, simulate.Linear(0.0002)),
		icJob(600, 1e6, 0, 1500, 1000, simulate.Linear(0)),
		icJob(700, 1.5e6, 0, 2700, 1, simulate.Linear(0)), // would cost the first 250,
	}
	o := runImprecise(t, mandatoryHBF, false, []int{1, 1}, slices.Clone(jobs), see)
	if len(sites) != 2 || sites[0] != 0 || sites[1] != 1 {
		t.Errorf("sites %v, want the first, then the idle one", sites)
	}
	if o.reason[2] != simulate.Deadline || o.reason[3] != simulate.Return {
		t.Errorf("reasons %v, want deadline for job 2 and return for job 3", o.reason)
	}
	// The text refuses for deadlines alone. Only the first site can keep all deadlines with job 3.
	sites = nil
	o = runImprecise(t, mandatoryHBF, true, []int{1, 1}, jobs, see)
	if len(sites) != 3 || sites[2] != 0 || o.reason[2] != simulate.Deadline || o.paid[3] != 1 {
		t.Errorf("sites %v, reasons %v, job 3 pays %g, want it at the first site for 1", sites, o.reason, o.paid[3])
	}
}

type observe func(simulate.Event)

func (f observe) Observe(e simulate.Event) { f(e) }

// TestShareEndsLateInARun checks that the estimate of MandatoryTime goes on
// where what is left of a part takes less time than the clock resolves: at ten
// million seconds that is two thousand-millionths of a second.
func TestShareEndsLateInARun(t *testing.T) {
	h := &contract{due: 2e7, terms: simulate.Imprecise{Optional: 0.5}}
	s := &imprecise{scheme: mandatoryTime, speed: 1, plan: plan{now: 1e7, slots: []slot{{1e7, 1}}}}
	w := &s.sharing
	*w = sharing{queue: []sharer{{contract: h, count: 1, goal: 0.7e-9}}, at: 1e7, given: 0.5 - 0.7e-9}
	w.join(0)
	w.goals = []moment{{w.queue[0].goal, 0}}
	for range 3 {
		if !w.queue[0].gone {
			s.step()
		}
	}
	if !w.queue[0].gone || w.active != 0 || w.at != 1e7 {
		t.Errorf("gone %v, %d active at %g: the part is done as good as now", w.queue[0].gone, w.active, w.at)
	}
}

// TestShareCountsAlikeParts sets parts that are planned as one against the same
// parts each in a job of its own.
func TestShareCountsAlikeParts(t *testing.T) {
	estimate := func(jobs, width int) float64 {
		s := newImprecise(mandatoryTime, false)
		s.speed = 2
		s.plan = plan{now: 10, slots: []slot{{10, 2}, {14, 1}}}
		for id := range jobs {
			h := &contract{job: &simulate.Job{ID: int64(id), Width: width}, due: 17, terms: simulate.Imprecise{Optional: 12 * s.speed, Reward: 5}}
			h.groups = []group{{count: width, left: [2]float64{0, 12}}}
			s.enlist(h)
		}
		s.share()
		return s.sharing.given
	}
	// Eight lengths share two processors of speed 2 for 4 s, then three for 3 s:
	// 16 + 18 processor-seconds, of which each has an eighth.
	for _, shape := range [][2]int{{8, 1}, {4, 2}, {1, 8}} {
		if got, want := estimate(shape[0], shape[1]), 17.0/8; got < want-1e-9 || got > want+1e-9 {
			t.Errorf("%d jobs of %d parts: each is given %g, want %g", shape[0], shape[1], got, want)
		}
	}
}
