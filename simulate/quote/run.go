package quote

import (
	"cmp"
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"

	"revopt/internal/text"
	"revopt/simulate"
	"revopt/simulate/agent"
	"revopt/simulate/workload"
)

// pastRuns is the last runs that have ended, a ring. Run times are drawn from it.
type pastRuns struct {
	list []pastRun
	n    int
}

type pastRun struct{ estimate, run float64 }

const (
	day     = 86400 // s
	ownRuns = 32    // last jobs of a user
	allRuns = 1024  // last jobs of all users
)

func (r *pastRuns) add(j *simulate.Job, most int) {
	p := pastRun{j.Spec.Details.Estimate, j.Work}
	if len(r.list) < most {
		r.list = append(r.list, p)
	} else {
		r.list[r.n%most] = p
	}
	r.n++
}

// draw returns a run time above the time that the job has run, from the runs with the same estimate
// only or, in proportion to the estimates, from all. It is 0 if no run is long enough.
func (r *pastRuns) draw(estimate, ran float64, same bool, rng *rand.Rand) (run float64) {
	n := 0
	for _, p := range r.list {
		x := p.run
		if p.estimate != estimate {
			if same || p.estimate == 0 { // it says nothing of the estimate
				continue
			}
			if estimate > 0 {
				x *= estimate / p.estimate
			}
		}
		if x > ran {
			n++
			if rng.IntN(n) == 0 {
				run = x
			}
		}
	}
	return run
}

// quoter follows the history of a cluster and simulates from its states. The history is jobs with
// recorded starts, by submission.
type quoter struct {
	sites   func() ([]workload.Site, error) // with new policies
	pools   *agent.Pools
	limits  []simulate.Limit
	history []simulate.Job
	seed    uint64
	units   float64 // of all sites
	up      int     // units of a machine without pools that can run jobs now

	now              float64
	came             int                    // jobs of the history that were submitted
	active           []*simulate.Job        // that had not ended
	running, waiting []*simulate.Job        // of them
	homeless         map[*simulate.Job]bool // of a queue, that no pool takes
	users            map[int]*pastRuns
	all              pastRuns
	ranks            *workload.Learned // by the jobs that have ended; nil: Job.Rank is stated
}

// advance goes to a later time, by which the first n jobs have come. A job that starts at that time waits.
func (q *quoter) advance(now float64, n int) {
	q.now = now
	for ; q.came < n; q.came++ {
		q.active = append(q.active, &q.history[q.came])
	}
	q.running, q.waiting = q.running[:0], q.waiting[:0]
	q.active = slices.DeleteFunc(q.active, func(j *simulate.Job) bool {
		r := j.Spec.Recorded
		switch {
		case r.At > now || r.Ran && r.At == now:
			q.waiting = append(q.waiting, j)
		case !r.Ran:
			return true
		case r.At+j.Work > now:
			q.running = append(q.running, j)
		default:
			q.learn(j)
			return true
		}
		return false
	})
}

// learn notes a job that has ended.
func (q *quoter) learn(j *simulate.Job) {
	if q.users == nil {
		q.users = make(map[int]*pastRuns)
	}
	user := j.Spec.Details.User
	q.users[user] = cmp.Or(q.users[user], new(pastRuns))
	q.users[user].add(j, ownRuns)
	q.all.add(j, allRuns)
	if q.ranks != nil {
		q.ranks.Ended(j)
	}
}

// rank returns the rank of a job as it is known now.
func (q *quoter) rank(j *simulate.Job) int {
	if q.ranks != nil {
		return q.ranks.Rank(j.Class)
	}
	return j.Rank
}

// length draws the run time of a job that has run for a time already: that of an earlier job in
// proportion to the estimates, of the same user if there is one, with the same estimate if
// possible. One draw in n + 1 is from the jobs of all users if the user has n.
func (q *quoter) length(j *simulate.Job, ran float64, rng *rand.Rand) float64 {
	estimate, run := j.Spec.Details.Estimate, 0.0
	if user := q.users[j.Spec.Details.User]; user != nil && rng.IntN(len(user.list)+1) > 0 {
		run = user.draw(estimate, ran, true, rng)
		if run == 0 {
			run = user.draw(estimate, ran, false, rng)
		}
	}
	if run == 0 {
		run = q.all.draw(estimate, ran, false, rng)
	}
	if run == 0 {
		run = max(estimate, ran*(1+rng.Float64()))
	}
	return max(run, ran+1)
}

// meanRun is the mean of the last runs, s, the unit of times that are compared. It is an hour at first.
func (q *quoter) meanRun() float64 {
	if len(q.all.list) == 0 {
		return 3600
	}
	return max(text.Sum(q.all.list, func(p pastRun) float64 { return p.run })/float64(len(q.all.list)), 1)
}

// planned returns the estimate of a job, the mean run time if there is none.
func (q *quoter) planned(j *simulate.Job) float64 {
	return cmp.Or(j.Spec.Details.Estimate, q.meanRun())
}

// stateRun is a run from the state of a cluster. The machine is full at first, by the jobs that run
// and by blockers that end at the time of the state. The jobs that wait come at their own times and
// find no room, so any policy knows how long they have waited. Then come jobs of the history, from
// the same time of an earlier day on, at most 28 days ago.
type stateRun struct {
	*quoter
	from   float64        // the time of the state in the run
	list   []simulate.Job // that run and block, and then those that wait
	first  int            // the first that waits
	places []int          // by number of a job in the run: its place in the list, or the length of that

	target  int // of the jobs that wait: the run ends when it starts; negative: when all jobs have ended
	without int // of the list: a job that does not come; negative: all come
	later   int // next job of the history
	limit   int // of the history
	shift   float64
	rng     *rand.Rand

	next  int          // of the list
	worth []float64    // of the jobs that wait, $
	times [][2]float64 // start and end of the jobs that wait, s from the state; NaN: not at all
	value float64      // of all jobs that wait or come later, but that without, $
}

var errQuoted = errors.New("the job has started")

// prepare sets up a run from the state with given run times.
func (s *stateRun) prepare(q *quoter, sites []workload.Site, length func(j *simulate.Job, ran float64) float64) {
	if q.units == 0 {
		q.units = float64(text.Sum(sites, func(s workload.Site) int { return s.Processors }))
	}
	s.quoter = q
	s.from = 1
	s.list = s.list[:0]
	s.target = -1
	s.without = -1
	for _, j := range q.waiting {
		s.from = max(s.from, q.now-j.Submit+1)
	}
	for i := range sites {
		free, class := sites[i].Processors, 0
		for _, j := range q.running {
			if q.siteOf(j) != i || j.Width > free {
				continue
			}
			free -= j.Width
			ran := q.now - j.Spec.Recorded.At
			s.add(j, 0, s.from+max(length(j, ran)-ran, 1), s.from+max(q.planned(j)-ran, 1))
			s.list[len(s.list)-1].Value = simulate.Value{Price: 1}
			s.list[len(s.list)-1].Exempt = true
		}
		if q.pools != nil {
			class = slices.Index(q.pools.Site, i)
		}
		if free > 0 && class >= 0 {
			s.add(&simulate.Job{Width: free, Class: class, Value: simulate.Value{Price: 1}}, 0, s.from, s.from)
			s.list[len(s.list)-1].Exempt = true
		}
	}
	s.first = len(s.list)
	for _, j := range q.waiting {
		s.add(j, j.Submit-q.now+s.from, max(length(j, 0), 1), q.planned(j))
		s.list[len(s.list)-1].Expire += s.from - q.now
	}
}

// siteOf returns the site of a job.
func (q *quoter) siteOf(j *simulate.Job) int {
	if q.pools == nil {
		return 0
	}
	return q.pools.Site[j.Class]
}

// add puts a job into the list.
func (s *stateRun) add(j *simulate.Job, submit, work, estimate float64) {
	n := simulate.Job{Class: j.Class, Rank: s.rank(j), Width: j.Width, Value: j.Stated(work), Tariff: j.Tariff,
		Choice: j.Choice, Spec: j.Spec}
	n.Submit = submit
	n.Work = work
	n.Spec.Details.Estimate = estimate
	n.Expire = math.Inf(1)
	if j.Expire > 0 && submit > 0 {
		n.Expire = j.Expire
	}
	s.list = append(s.list, n)
}

// run runs the jobs. At most so many come later.
func (s *stateRun) run(ctx context.Context, sites []workload.Site, most int) error {
	s.next = 0
	s.places = s.places[:0]
	s.times = s.times[:0]
	s.worth = s.worth[:0]
	s.value = 0
	for range s.list[s.first:] {
		s.times, s.worth = append(s.times, [2]float64{math.NaN(), math.NaN()}), append(s.worth, 0)
	}
	s.later, s.limit = 0, 0
	if days := min(28, int((s.now-s.history[0].Submit)/day)); days > 0 {
		back := day * float64(1+s.rng.IntN(days))
		s.later, _ = slices.BinarySearchFunc(s.history[:s.came], s.now-back, func(j simulate.Job, at float64) int {
			return cmp.Compare(j.Submit, at)
		})
		s.shift, s.limit = back-s.now+s.from, min(s.came, s.later+most)
	}
	for i := range sites {
		sites[i].Down = slices.DeleteFunc(slices.Clone(sites[i].Down), func(o simulate.Outage) bool {
			return o.To <= s.now
		})
		for k := range sites[i].Down {
			o := &sites[i].Down[k]
			o.From, o.To = max(o.From-s.now, 0)+s.from, o.To-s.now+s.from
		}
	}
	config := simulate.Config{
		Source: s, Sites: workload.Clusters(sites), Agents: workload.Agents(sites), Observers: []simulate.Observer{s},
		Limits: s.limits,
	}
	if s.pools != nil {
		config.Router = s.pools.Router()
		config.Agents = append(config.Agents, s.pools.Agents()...)
	}
	_, err := simulate.Run(ctx, config)
	if err == errQuoted {
		return nil
	}
	return err
}

// Next implements simulate.Source.
func (s *stateRun) Next(j *simulate.Job) (bool, error) {
	if s.next == s.without {
		s.next++
	}
	if s.target >= 0 && !math.IsNaN(s.times[s.target][0]) {
		return false, errQuoted
	}
	if s.next < len(s.list) {
		*j = s.list[s.next]
		s.places = append(s.places, s.next)
		s.next++
		return true, nil
	}
	for ; s.later < s.limit; s.later++ {
		x := &s.history[s.later]
		if r := x.Spec.Recorded; r.Ran {
			*j = *x
			j.Rank = s.rank(x)
			j.Submit += s.shift
			if r.At+x.Work > s.now {
				j.Work = s.length(x, 0, s.rng)
			}
			if x.Expire > 0 {
				j.Expire += s.shift
			}
			j.Spec.Details.Estimate = s.planned(x)
			s.places = append(s.places, len(s.list))
			s.later++
			return true, nil
		}
	}
	return false, nil
}

// Observe implements simulate.Observer.
func (s *stateRun) Observe(e simulate.Event) {
	if e.Job == nil || s.places[e.Job.ID] < s.first {
		return
	}
	i, worth := s.places[e.Job.ID]-s.first, 0.0
	switch e.Kind {
	case simulate.Completed:
		worth = e.Job.Value.At(e.Time - e.Job.Submit)
	case simulate.Expired:
		worth = e.Job.Forsaken()
	}
	s.value += worth
	if i >= len(s.times) {
		return
	}
	s.worth[i] += worth
	switch e.Kind {
	case simulate.Started:
		s.times[i][0] = e.Time - s.from
	case simulate.Completed:
		s.times[i][1] = e.Time - s.from
	}
}
