package quote

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"revopt/internal/text"
	"revopt/simulate"
	"revopt/simulate/metric"
	"revopt/simulate/run"
	"revopt/simulate/slurm"
	"revopt/simulate/slurm/queued"
	"revopt/simulate/subject"
	"revopt/simulate/workload"
)

// Quote asks when jobs that wait start and end, and what they should cost: by simulations from the
// state of a cluster, corrected by how quotes over the trace of the scenario did.
type Quote struct {
	Subject      *subject.Subject
	Policy       subject.Policy
	Seed         uint64
	Replications int

	At        float64           // the moment of the workload, s from its first job; not used with a queue
	Queue     []slurm.QueuedJob // the state; nil: the moment
	QueueFile string            // that has it
	Now       float64           // of the queue, Unix seconds
	Machine   *Machine          // as it is now; nil: that of the scenario

	Width    int // of one more job to quote, in place of those that wait; 0: there is none
	Estimate float64
	Class    string // its customer; "": by the selectors of the scenario
	Pool     string // where it runs, of a scenario with pools
	QOS      string // that it asks for; "": that of most jobs of its customer

	reader  *queued.Queue
	strays  map[*simulate.Job]string // accounts of the jobs that no customer takes
	unknown map[*simulate.Job]string // accounts that no customer has, of jobs of a customer that takes all others
}

// Machine is the units of a machine without pools.
type Machine struct {
	Up  int // that can run jobs
	All int
}

// Result is the quotes of some jobs.
type Result struct {
	Scenario     string
	Policy       string
	Seed         uint64
	Replications int
	Now          metric.Number // s from the first job, or Unix seconds
	Running      int           // jobs
	Waiting      int
	Learned      int // quotes over the trace that the ranges are corrected by
	Jobs         []QuotedJob
}

// QuotedJob is the quote of a job. Times are seconds from now, null if it may well not be served.
type QuotedJob struct {
	ID             string
	Class          string
	QOS            string // "": the log states none
	Width          int
	NoCustomer     bool                     // no class takes it: it pays nothing
	Account        string                   // that no customer has
	Never          string                   // why it cannot start: it has no times
	Units          int                      // that it could have, if it is too wide
	Start          map[string]metric.Number // by level
	End            map[string]metric.Number
	Deadline       metric.Number // chance; null: it has none
	Promise        metric.Number
	Price          metric.Number // $ that other jobs lose by it
	PriceHalfWidth metric.Number
}

// Reasons why a job cannot start.
const (
	NoNode    = "no node is up"
	TooWide   = "too wide"
	NoPool    = "no pool takes it"
	NotServed = "not served" // in no simulation: the policy gives it up, or its customer leaves
)

const (
	quotesLearned = 400  // jobs of the history that are quoted to learn
	quotesLater   = 300  // jobs that come after the moment
	quoteLevel    = 0.95 // of the interval of a price
)

// Run returns the quotes.
func (q *Quote) Run(ctx context.Context) (*Result, error) {
	e := &run.Experiment{Workload: q.Subject.Workload, Policy: q.Policy, Seed: q.Seed}
	q.reader = &queued.Queue{Command: "quote", Subject: q.Subject, Seed: q.Seed, File: q.QueueFile, Now: q.Now,
		Class: q.Class, Pool: q.Pool}
	q.strays, q.unknown = map[*simulate.Job]string{}, map[*simulate.Job]string{}
	e.Names = q.reader.Names()
	if err := q.check(e); err != nil {
		return nil, err
	}
	history, err := history(ctx, e)
	if err != nil {
		return nil, err
	}
	at := &quoter{history: history, seed: q.Seed, pools: e.Workload.Pools().Run(), homeless: map[*simulate.Job]bool{},
		limits: workload.Limits(e.Workload)}
	at.sites = func() ([]workload.Site, error) {
		sites, _, err := e.MakeSites(0)
		return sites, err
	}
	if w, ok := e.Workload.(*workload.Replay); ok {
		at.ranks = w.Learned()
	}
	end := len(history)
	if end == 0 || q.Queue == nil && q.At > history[end-1].Submit+day {
		return nil, q.Subject.Misfit("quote: expected a moment between the first job and a day after the last")
	}
	if q.Queue == nil {
		end, _ = slices.BinarySearchFunc(history, math.Nextafter(q.At, math.Inf(1)),
			func(j simulate.Job, t float64) int { return cmp.Compare(j.Submit, t) })
	}
	learned := new(calibration)
	if err := at.quoteAll(ctx, learned, end, quotesLearned, nil); err != nil {
		return nil, err
	}
	ids, err := q.arrive(at, end)
	if err != nil {
		return nil, err
	}
	r := &Result{
		Scenario: q.Subject.Scenario.Name, Policy: q.Policy.Label(), Seed: q.Seed, Replications: q.Replications,
		Now: metric.Number(cmp.Or(q.Now, q.At)), Running: len(at.running), Waiting: len(at.waiting),
		Jobs: []QuotedJob{},
	}
	first := 0
	if q.Width > 0 {
		first = len(at.waiting)
		if err := q.submit(at); err != nil {
			return nil, err
		}
		ids = append(ids, "new")
	}
	learned.follow(at.now)
	r.Learned = int(text.Sum(learned.quotes, func(q pastQuote) float64 { return metric.Indicator(q.settled) }))
	if err := q.setMachine(at); err != nil {
		return nil, err
	}
	r.Jobs, err = q.quoteAsked(ctx, at, learned, ids, first)
	return r, err
}

// check refuses what cannot be quoted.
func (q *Quote) check(e *run.Experiment) error {
	n := q.Policy.Spec.Needs
	if err := e.Check(); err != nil {
		return err
	} else if n.Shared || n.Optional || n.Preempts || n.Recorded || e.Workload.Has().Sites > 1 {
		return q.Subject.Misfit("quote: expected a policy that runs jobs on dedicated units of one site, " +
			"such as --policy easy")
	}
	if q.QOS != "" && q.reader.Number("queue", q.QOS) < 0 && !q.knowsQOS() {
		return q.Subject.Misfit("quote: expected a QOS of the trace or the policy, got " + text.Quote([]byte(q.QOS)))
	}
	p := e.Workload.Pools()
	if q.Pool != "" && (p == nil || !slices.Contains(p.Names(), q.Pool)) {
		return q.Subject.Misfit("quote: expected a pool of the scenario, got " + text.Quote([]byte(q.Pool)))
	} else if p != nil && q.Width > 0 && q.Class == "" {
		return q.Subject.Misfit("quote: expected a job with a class, as the scenario has pools")
	}
	return nil
}

// knowsQOS reports whether the policy has settings of the QOS that is asked for.
func (q *Quote) knowsQOS() bool {
	for name := range q.Policy.Settings {
		if strings.HasPrefix(name, "qos."+q.QOS+".") {
			return true
		}
	}
	return false
}

// arrive brings the machine and its queue to the moment of the quotes, after the first jobs of the history. It returns
// names of the waiting jobs.
func (q *Quote) arrive(at *quoter, end int) (ids []string, err error) {
	if q.Queue != nil {
		at.now = at.history[end-1].Submit
		q.reader.At = at.now
		return q.load(at)
	}
	q.reader.At = q.At
	at.advance(q.At, end)
	for _, j := range at.waiting {
		ids = append(ids, fmt.Sprint(j.ID+1))
	}
	return ids, nil
}

// submit adds the job that is asked about to the queue.
func (q *Quote) submit(at *quoter) error {
	jobs := []simulate.Job{{Submit: at.now, Width: q.Width, Work: q.Estimate, ID: int64(at.came)}}
	d := &jobs[0].Spec.Details
	d.Estimate, d.Queue = q.Estimate, q.reader.Number("queue", q.QOS)
	list, err := q.reader.Classify(jobs, []string{q.Class})
	if err != nil {
		return err
	}
	if !list[0].Stray {
		at.liken(&list[0].Job)
	}
	q.note(at, &list[0])
	at.waiting = append(at.waiting, &list[0].Job)
	return nil
}

// liken gives a job what most jobs of its customer have had so far, as a scheduler may look at it: QOS, unless the job
// has one, account and partition, and the user if the customer has only one.
func (at *quoter) liken(j *simulate.Job) {
	type asked struct{ queue, account, partition int }
	jobs := map[asked]int{}
	var most asked
	var user int
	alone := true
	for i := range at.history[:at.came] {
		if at.history[i].Class != j.Class {
			continue
		}
		d := &at.history[i].Spec.Details
		alone = alone && (len(jobs) == 0 || d.User == user)
		user = d.User
		x := asked{d.Queue, d.Account, d.Partition}
		jobs[x]++
		if jobs[x] >= jobs[most] {
			most = x
		}
	}
	d := &j.Spec.Details
	d.Queue = cmp.Or(d.Queue, most.queue)
	d.Account, d.Partition = most.account, most.partition
	if alone {
		d.User = user
	}
}

// setMachine makes the machine as large as it is now. Units that are up no more and still have jobs leave
// when these end.
func (q *Quote) setMachine(at *quoter) error {
	sites, err := at.sites()
	if err != nil {
		return err
	}
	used := make([]int, len(sites))
	for _, j := range at.running {
		if i := at.siteOf(j); i >= 0 {
			used[i] += j.Width
		}
	}
	for i, s := range sites {
		all := s.Processors
		if q.Machine != nil {
			all = q.Machine.All
		}
		if q.Queue != nil && used[i] > all {
			unit := text.Unit(q.Subject.Unit())
			return &workload.Error{File: q.QueueFile, Message: fmt.Sprintf(
				"expected running jobs on at most %s, got %d", text.Plural(all, unit), used[i])}
		}
	}
	if at.pools != nil {
		return nil
	}
	whole := at.sites
	at.up = sites[0].Processors
	if q.Machine != nil {
		at.up = q.Machine.Up
	}
	at.sites = func() ([]workload.Site, error) {
		sites, err := whole()
		if err != nil {
			return nil, err
		}
		s := &sites[0]
		s.Processors = max(at.up, used[0])
		if _, stops := s.Policy.(simulate.Stopper); stops && q.Machine != nil && used[0] > at.up {
			const ages = 100 * 366 * day
			s.Down = append(slices.Clone(s.Down), simulate.Outage{From: at.now, To: at.now + ages,
				Units: used[0] - at.up, Drain: true})
		}
		return sites, nil
	}
	return nil
}

// never returns why a waiting job cannot start, "" if it may, and the most units that it could have.
func (at *quoter) never(j *simulate.Job, sites []workload.Site) (why string, most int) {
	home := at.siteOf(j)
	switch {
	case at.pools == nil:
		most = at.up
	case home < 0 || at.homeless[j]:
		return NoPool, 0
	case j.Choice == 0 && at.pools.Overflow[home].Hops == 0:
		most = sites[home].Processors
	default: // it may run in another pool
		for _, s := range sites {
			most = max(most, s.Processors)
		}
	}
	switch {
	case most == 0:
		return NoNode, 0
	case j.Width > most:
		return TooWide, most
	}
	return "", most
}

// quoteAsked returns the quotes of the jobs that wait, from the first one asked for on. Jobs that cannot start
// keep no other job waiting.
func (q *Quote) quoteAsked(
	ctx context.Context, at *quoter, learned *calibration, ids []string, first int,
) ([]QuotedJob, error) {
	sites, err := at.sites()
	if err != nil {
		return nil, err
	}
	list := make([]QuotedJob, len(at.waiting)-first)
	var waiting []*simulate.Job
	var places []int // in the list, negative: not asked for
	for i, j := range at.waiting {
		why, most := at.never(j, sites)
		if why == "" {
			waiting, places = append(waiting, j), append(places, i-first)
		} else if i >= first {
			list[i-first] = q.neverStarts(j, why)
			list[i-first].Units = most
		}
	}
	at.waiting = waiting
	asked := text.Count(places, func(place int) bool { return place >= 0 })
	if asked > 0 {
		quotes, err := q.quote(ctx, at, learned, len(waiting)-asked)
		if err != nil {
			return nil, err
		}
		for i, x := range quotes {
			list[places[len(waiting)-asked+i]] = x
		}
	}
	for i := range list {
		list[i].ID = ids[first+i]
	}
	return list, nil
}

// neverStarts returns the quote of a job that cannot start: it misses its deadline and its promise.
func (q *Quote) neverStarts(j *simulate.Job, why string) QuotedJob {
	f := q.newQuote(j)
	f.Never = why
	f.Start, f.End = nil, nil
	if j.Value.Dated {
		f.Deadline = 0
	}
	if _, stray := q.strays[j]; !stray && q.Subject.Workload.Customers()[j.Class].SLO != nil {
		f.Promise = 0
	}
	return f
}

// newQuote returns a quote without numbers.
func (q *Quote) newQuote(j *simulate.Job) QuotedJob {
	nan := metric.Number(math.NaN())
	name := q.Subject.Workload.Customers()[j.Class].Name
	account, stray := q.strays[j]
	if stray {
		name = workload.Nobody
	} else {
		account = q.unknown[j]
	}
	return QuotedJob{Class: name, QOS: q.reader.Names()["queue"][int32(j.Spec.Details.Queue)], Width: j.Width, NoCustomer: stray, Account: account,
		Start: map[string]metric.Number{}, End: map[string]metric.Number{},
		Deadline: nan, Promise: nan, Price: nan, PriceHalfWidth: nan}
}

// history returns the jobs of the first replication: with the schedule of the log or, without one,
// that of a simulation.
func history(ctx context.Context, e *run.Experiment) (list []simulate.Job, err error) {
	if !e.Workload.Has().Recorded {
		h := historian{}
		_, err := e.Run(ctx, 0, &h)
		if e.Workload.Stream() > 0 { // estimates of classes are the run times, which are not known yet
			for i := range h {
				h[i].Spec.Details.Estimate = 0
			}
		}
		return slices.DeleteFunc(h, func(j simulate.Job) bool { return j.Width == 0 }), err
	}
	source, err := e.Workload.Jobs(e.Seed, 0)
	if err != nil {
		return nil, err
	}
	if c, ok := source.(io.Closer); ok {
		defer c.Close()
	}
	for n := int64(0); ; n++ {
		j := simulate.Job{ID: n}
		ok, err := source.Next(&j)
		if !ok || err != nil || n&0xfff == 0 && ctx.Err() != nil {
			return list, cmp.Or(err, ctx.Err())
		}
		j.ID = n
		if j.Spec.Details.Exact {
			j.Spec.Details.Estimate = 0 // the run time is not known yet
		}
		if !j.Void {
			list = append(list, j)
		}
	}
}

// historian is the jobs of a run, by number, with their starts as recorded ones.
type historian []simulate.Job

// Observe implements simulate.Observer.
func (h *historian) Observe(e simulate.Event) {
	if e.Job == nil {
		return
	}
	for int(e.Job.ID) >= len(*h) {
		*h = append(*h, simulate.Job{})
	}
	j := &(*h)[e.Job.ID]
	switch e.Kind {
	case simulate.Submitted:
		*j = *e.Job
		j.Nodes, j.Spec.Recorded = nil, simulate.Recorded{At: math.Inf(1)}
	case simulate.Started:
		j.Spec.Recorded = simulate.Recorded{Ran: true, At: e.Time}
	case simulate.Rejected, simulate.Expired:
		if !j.Spec.Recorded.Ran {
			j.Spec.Recorded.At = e.Time
		}
	}
}

// load takes the state from the queue, and returns the names of the jobs that wait.
func (q *Quote) load(at *quoter) (ids []string, err error) {
	list, err := q.reader.Jobs(q.Queue, at.planned)
	at.running, at.waiting = nil, nil
	for i := range list {
		j := &list[i]
		q.note(at, j)
		switch {
		case !j.Queued.Running:
			at.waiting, ids = append(at.waiting, &j.Job), append(ids, j.Queued.ID)
		case !j.Homeless:
			at.running = append(at.running, &j.Job)
		}
	}
	return ids, err
}

// note keeps what is special about a job.
func (q *Quote) note(at *quoter, j *queued.Job) {
	at.homeless[&j.Job] = j.Homeless
	if j.Stray {
		q.strays[&j.Job] = j.Queued.Account
	}
	if j.Unknown {
		q.unknown[&j.Job] = j.Queued.Account
	}
}

// quote simulates and returns the quotes of the jobs that wait, from the first one asked for on.
func (q *Quote) quote(
	ctx context.Context, at *quoter, learned *calibration, first int,
) (list []QuotedJob, err error) {
	jobs, n := at.waiting[first:], q.Replications
	starts, ends := make([][]float64, len(jobs)), make([][]float64, len(jobs))
	costs := make([][]float64, len(jobs))
	priced := min(n, max(4, 2*n/max(1, len(jobs)))) // replications; of the first n jobs only
	var s stateRun
	for k := range n {
		run := func(without int) (float64, error) {
			sites, err := at.sites()
			if err != nil {
				return 0, err
			}
			s.rng = simulate.Stream(q.Seed, k, "quote lengths", 0)
			s.prepare(at, sites, func(j *simulate.Job, ran float64) float64 { return at.length(j, ran, s.rng) })
			if without >= 0 {
				s.without = s.first + without
			}
			s.rng = simulate.Stream(q.Seed, k, "quote arrivals", 0)
			err = s.run(ctx, sites, quotesLater)
			return s.value, err
		}
		all, err := run(-1)
		if err != nil {
			return nil, err
		}
		worth := slices.Clone(s.worth)
		for i := range jobs {
			starts[i], ends[i] = append(starts[i], s.times[first+i][0]), append(ends[i], s.times[first+i][1])
		}
		for i := 0; i < min(n, len(jobs)) && k < priced && all != 0; i++ {
			without, err := run(first + i)
			if err != nil {
				return nil, err
			}
			cost := without - (all - worth[first+i])
			known := math.Abs(cost) > 1e-9*math.Abs(all) // less is a rounding error of the sums
			costs[i] = append(costs[i], cost*metric.Indicator(known))
		}
	}
	for i := range jobs {
		list = append(list, q.facts(at, learned, first+i, starts[i], ends[i], costs[i]))
	}
	return list, nil
}

// facts returns the quote of a job from its simulated starts and ends, and costs to others.
func (q *Quote) facts(
	at *quoter, learned *calibration, target int, starts, ends, costs []float64,
) QuotedJob {
	j := at.waiting[target]
	c := q.Subject.Workload.Customers()[j.Class]
	f := q.newQuote(j)
	if f.NoCustomer { // it has no promise
		c.SLO = nil
	}
	at.corrected(learned, target, starts, ends)
	var intime, kept float64
	for k, start := range starts {
		due := j.Stated(ends[k] - start).Due // what scales with the run time is not known
		intime += metric.Indicator(at.now+ends[k] <= j.Submit+due)
		if c.SLO != nil {
			kept += metric.Indicator(at.now+start <= j.Submit+c.SLO.Within)
		}
	}
	if j.Value.Dated {
		f.Deadline = metric.Number(intime / float64(len(starts)))
	}
	if c.SLO != nil {
		f.Promise = metric.Number(kept / float64(len(starts)))
	}
	slices.Sort(starts)
	slices.Sort(ends)
	if math.IsInf(starts[0], 1) {
		return q.neverStarts(j, NotServed)
	}
	for _, level := range quoteLevels() {
		k := int(math.Ceil(level*float64(len(starts)))) - 1
		f.Start[fmt.Sprint(level)], f.End[fmt.Sprint(level)] = metric.Number(starts[k]), metric.Number(ends[k])
	}
	if len(costs) > 1 {
		x := metric.Estimate(costs, quoteLevel)
		f.Price, f.PriceHalfWidth = metric.Number(x.Mean), metric.Number(x.HalfWidth)
	}
	return f
}

// corrected replaces simulated starts by those of the same ranks in the corrected distribution, and
// moves the ends with them. Jobs that are not served have infinite times.
func (at *quoter) corrected(c *calibration, target int, starts, ends []float64) {
	for k := range starts {
		if math.IsNaN(ends[k]) {
			starts[k], ends[k] = math.Inf(1), math.Inf(1)
		}
	}
	served := text.Where(starts, func(x float64) bool { return !math.IsInf(x, 1) })
	if len(served) == 0 {
		return
	}
	like := at.likeness(target)
	like.mean = text.Sum(served, func(x float64) float64 { return x / float64(len(served)) })
	unit := at.meanRun()
	d, _ := c.correct(&like, served, at.now, unit)
	levels := c.of(like.queue)
	order := text.Numbers(len(starts))
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(starts[a], starts[b]) })
	for rank, k := range order[:len(served)] {
		p := (float64(rank) + 0.5) / float64(len(served))
		start, _ := d.read(levels.level(p), math.NaN(), unit)
		starts[k], ends[k] = start, ends[k]+start-starts[k]
	}
}
