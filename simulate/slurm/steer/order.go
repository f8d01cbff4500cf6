package steer

import (
	"cmp"
	"context"
	"io"
	"maps"
	"math"
	"slices"

	"revopt/internal/text"
	"revopt/simulate"
	"revopt/simulate/policy"
	"revopt/simulate/run"
	"revopt/simulate/slurm/queued"
	"revopt/simulate/subject"
)

// Orderer asks a policy for the order of a queue. The jobs that wait come, at their own times, to a machine that one
// job fills. When that ends, the machine has room for all of them: the policy starts them at one instant, in its
// order. It gives up the jobs that it does not start then. Before, jobs of the scenario have run there, from which the
// policy learns as it does in a simulation.
type Orderer struct {
	Subject *subject.Subject
	Policy  subject.Policy
	Seed    uint64

	past []simulate.Job
	mean float64 // run time of the past jobs, s: that of a job without a limit
}

// pastJobs is the number of jobs of the scenario that run before: the last ones of a log.
const pastJobs = 1000

// NewOrderer returns an orderer. It is an error if the policy has no queue.
func NewOrderer(ctx context.Context, s *subject.Subject, p subject.Policy, seed uint64) (*Orderer, error) {
	if err := Orders(s, p); err != nil {
		return nil, err
	}
	o := &Orderer{Subject: s, Policy: p, Seed: seed}
	e := o.experiment()
	source, err := e.Workload.Jobs(seed, 0)
	if err != nil {
		return nil, err
	}
	defer run.Close(source)
	stream := e.Workload.Stream() > 0
	for n := 0; !stream || n < pastJobs; n++ {
		var j simulate.Job
		ok, err := source.Next(&j)
		if err != nil || n&0xfff == 0 && ctx.Err() != nil {
			return nil, cmp.Or(err, ctx.Err())
		}
		if !ok {
			break
		}
		if stream || j.Spec.Details.Exact {
			j.Spec.Details.Estimate = 0 // run times are not known before they end
		}
		if j.Void {
			continue
		}
		if len(o.past) >= 2*pastJobs {
			o.past = o.past[:copy(o.past, o.past[pastJobs:])]
		}
		o.past = append(o.past, j)
	}
	o.past = o.past[max(0, len(o.past)-pastJobs):]
	o.mean = text.Sum(o.past, func(j simulate.Job) float64 { return j.Work }) / float64(max(len(o.past), 1))
	o.mean = max(o.mean, 1)
	return o, nil
}

// Orders returns an error if a policy has no queue on a subject that steer can order.
func Orders(s *subject.Subject, p subject.Policy) error {
	e := &run.Experiment{Workload: s.Workload, Policy: p}
	if err := e.Check(); err != nil {
		return err
	}
	n := p.Spec.Needs
	if n.Shared || n.Optional || n.Preempts || n.Recorded || !p.Unpreempted() || s.Workload.Has().Sites > 1 {
		return s.Misfit("steer: expected a policy that orders a queue of one site and preempts no job, " +
			"such as --policy value-bf")
	}
	return nil
}

// Inside returns a policy whose order inside a customer is that of arrival, as far as it has the option: of all jobs, or
// with all of those of one width. The cluster has Slurm's own order there, which is that of arrival where age decides.
// A policy without the option has its own order there where it is simulated, which most often is that of arrival too.
func Inside(p subject.Policy, all bool) subject.Policy {
	value := policy.WithinCustomer
	if all {
		value = policy.WithinFIFO
	}
	has := func(o policy.Option) bool { return o.Name == "within" && slices.Contains(o.Values, value) }
	if slices.ContainsFunc(p.Spec.Options, has) {
		p.Settings = maps.Clone(p.Settings)
		if p.Settings == nil {
			p.Settings = policy.Settings{}
		}
		p.Settings["within"] = value
	}
	return p
}

// experiment returns the policy on the workload.
func (o *Orderer) experiment() *run.Experiment {
	return &run.Experiment{Workload: o.Subject.Workload, Policy: o.Policy, Seed: o.Seed}
}

// site returns the pool of a class, 0 without pools.
func (o *Orderer) site(class int) int {
	if p := o.Subject.Workload.Pools(); p != nil {
		return p.Run().Site[class]
	}
	return 0
}

// Order returns the places of jobs in the order of the policy, and those that it gives up by submission. Now is the
// time on the clock of the jobs. Jobs of different pools have no order: those of one pool come after those of another.
func (o *Orderer) Order(ctx context.Context, jobs []*queued.Job, now float64) (order, given []int, err error) {
	sites, _, err := o.experiment().MakeSites(0)
	if err != nil {
		return nil, nil, err
	}
	for i := range sites {
		var list []int
		for k, j := range jobs {
			if o.site(j.Class) == i {
				list = append(list, k)
			}
		}
		r := o.prepare(jobs, list, i, now)
		if len(list) > 0 {
			err = cmp.Or(err, r.run(ctx, sites[i].Policy))
		}
		if c, ok := sites[i].Policy.(io.Closer); ok {
			err = cmp.Or(err, c.Close())
		}
		if err != nil {
			return nil, nil, err
		}
		if r.early {
			return nil, nil, o.Subject.Misfit("steer: expected a policy that orders a queue, and " + o.Policy.Label() +
				" starts jobs on units that another job has")
		}
		order = append(order, r.order...)
		for _, k := range list {
			if !r.started[k] {
				given = append(given, k)
			}
		}
	}
	slices.SortStableFunc(given, func(a, b int) int { return cmp.Compare(jobs[a].Submit, jobs[b].Submit) })
	return order, given, nil
}

// ordering is one question to a policy.
type ordering struct {
	list    []simulate.Job // in order of submission
	places  []int          // of the jobs that wait; negative: others
	machine int            // units
	from    float64        // when all may start
	order   []int
	started map[int]bool
	early   bool // some started before there was room for all
	next    int
	stop    context.CancelFunc
}

// prepare lays out the jobs of a run: past ones from time 0 on, the one that fills the machine, those that wait.
func (o *Orderer) prepare(jobs []*queued.Job, list []int, site int, now float64) *ordering {
	r := &ordering{started: map[int]bool{}}
	end, width := 0.0, 0
	for _, j := range o.past {
		if o.site(j.Class) != site {
			continue
		}
		past := simulate.Job{Class: j.Class, Rank: j.Rank, Width: j.Width, Work: j.Work, Value: j.Value, Spec: j.Spec}
		past.Expire = math.Inf(1)
		r.add(past, -1)
		end = max(end, j.Work)
		width += j.Width
	}
	r.machine = width
	width, wait := 0, 0.0
	slices.SortStableFunc(list, func(a, b int) int { return cmp.Compare(jobs[a].Submit, jobs[b].Submit) })
	for _, k := range list {
		width += jobs[k].Width
		wait = max(wait, now-jobs[k].Submit)
	}
	r.machine = max(r.machine, width, 1)
	begin := end + 1
	r.from = begin + wait + 1
	r.add(simulate.Job{Submit: begin, Width: r.machine, Work: r.from - begin, Expire: math.Inf(1),
		Value: simulate.Value{Price: 1, Due: math.Inf(1), Floor: math.Inf(1)},
		Spec:  simulate.Spec{Details: simulate.Details{Estimate: r.from - begin}}}, -1)
	for _, k := range list {
		j := jobs[k]
		n := simulate.Job{Class: j.Class, Rank: j.Rank, Width: j.Width, Work: j.Work, Value: j.Value, Spec: j.Spec}
		n.Submit = r.from - max(now-j.Submit, 0)
		n.Expire = math.Inf(1)
		n.Spec.Recorded = simulate.Recorded{}
		r.add(n, k)
	}
	return r
}

func (r *ordering) add(j simulate.Job, place int) {
	r.list, r.places = append(r.list, j), append(r.places, place)
}

// run asks the policy.
func (r *ordering) run(ctx context.Context, p simulate.Policy) error {
	within, stop := context.WithCancel(ctx)
	defer stop()
	r.stop = stop
	_, err := simulate.Run(within, simulate.Config{
		Source: r, Sites: []simulate.Site{{Processors: r.machine, Policy: p}}, Observers: []simulate.Observer{r},
	})
	if within.Err() != nil && ctx.Err() == nil {
		return nil
	}
	return err
}

// Next implements simulate.Source.
func (r *ordering) Next(j *simulate.Job) (bool, error) {
	if r.next == len(r.list) {
		return false, nil
	}
	*j = r.list[r.next]
	r.next++
	return true, nil
}

// Observe implements simulate.Observer.
func (r *ordering) Observe(e simulate.Event) {
	if e.Job == nil {
		return
	}
	place := r.places[e.Job.ID]
	switch {
	case place < 0 || e.Kind != simulate.Started && e.Kind != simulate.Completed:
	case e.Kind == simulate.Completed || policy.Before(r.from, e.Time):
		r.stop() // the order is known
	default:
		r.early = r.early || policy.Before(e.Time, r.from)
		r.order = append(r.order, place)
		r.started[place] = true
	}
}
