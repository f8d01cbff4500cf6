package slurm

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"revopt/internal/hostlist"
	"revopt/internal/text"
	"revopt/simulate"
	"revopt/simulate/policy"
	"revopt/simulate/policy/slurm"
	"revopt/simulate/workload"
)

// LogPool is nodes that some of the jobs of a log share, such as those of a partition.
type LogPool struct {
	Name  string
	Nodes int
	Down  []simulate.Outage // at times like those of jobs
}

// ParsePool reads a pool such as big=40 or, with its nodes, big=40:n[1-40], and takes its
// outages from a list. The base is the Unix time of time 0.
func ParsePool(word string, down []NodeOutage, base int64) (LogPool, error) {
	name, value, _ := strings.Cut(word, "=")
	units, list, named := strings.Cut(value, ":")
	n, err := strconv.Atoi(units)
	names, ok := hostlist.Expand(list, hostlist.Most)
	if name == "" || err != nil || n < 1 || n > workload.MaxNodes || named != ok {
		return LogPool{}, fmt.Errorf("expected a name, units and nodes, such as big=40:n[1-40], got %q", word)
	}
	p := LogPool{Name: name, Nodes: n}
	for _, o := range down {
		hit := text.Count(o.Nodes, func(name string) bool { return slices.Contains(names, name) })
		if hit > 0 {
			p.Down = append(p.Down, simulate.Outage{
				From: float64(o.From - base), To: float64(o.To - base), Units: hit * n / len(names),
				Planned: o.Planned, Drain: o.Drain,
			})
		}
	}
	return p, nil
}

// recalled is a policy that starts jobs when the log did, and decides from a time on, by the past of all
// pools: usage, limits, and the last calculation of priorities.
type recalled struct {
	*slurm.Slurmctld
	from float64
	look func(p *slurm.Slurmctld, now float64) // in place of decisions; may be nil
}

// Arrive implements simulate.Policy.
func (p recalled) Arrive(c *simulate.Cluster, j *simulate.Job) {
	p.Slurmctld.Arrive(c, j)
	if at := j.Spec.Recorded.At; j.Waiting() && (at < p.from || !j.Spec.Recorded.Ran) {
		c.Timer(j, at)
	}
}

// Timer implements simulate.Timed. A job that does not fit, as the log has more jobs than
// nodes, is left out. Timers of jobs that have started are those of the policy.
func (p recalled) Timer(c *simulate.Cluster, j *simulate.Job) {
	if !j.Waiting() {
		p.Slurmctld.Timer(c, j)
		return
	}
	if j.Spec.Recorded.Ran && j.Width <= c.Free() {
		p.Began(c, j)
		return
	}
	p.Leave(c, j)
	c.Expire(j)
}

// Schedule implements simulate.Policy.
func (p recalled) Schedule(c *simulate.Cluster) {
	if c.Now() < p.from {
		c.WakeAt(p.from)
		return
	}
	if p.look != nil {
		p.look(p.Slurmctld, c.Now())
		return
	}
	p.Slurmctld.Schedule(c)
}

// sites returns the pools with their policies, for a run that begins at the given time.
func (r *LogReplay) sites(zero float64) ([]workload.Site, error) {
	pools := r.pools()
	f := policy.Context{Names: r.Names, Customers: make([]string, len(pools))}
	for _, p := range pools {
		f.Processors, f.Pools = append(f.Processors, p.Nodes), append(f.Pools, p.Name)
	}
	policies, _, err := r.Policy.Build(r.Settings, f)
	var sites []workload.Site
	for i, p := range policies {
		s := workload.Site{Site: simulate.Site{Processors: pools[i].Nodes, Policy: p}}
		for _, o := range pools[i].Down {
			o.From, o.To = max(o.From-zero, 0), o.To-zero
			if o.To > o.From {
				s.Down = append(s.Down, o)
			}
		}
		sites = append(sites, s)
	}
	return sites, err
}

func (r *LogReplay) pools() []LogPool {
	if len(r.Pools) > 0 {
		return r.Pools
	}
	return []LogPool{{Nodes: r.Nodes}}
}

// byPool returns the sum of the replays of all pools.
func (r LogReplay) byPool(ctx context.Context) (*LogDecisions, error) {
	sum := new(LogDecisions)
	for i, p := range r.Pools {
		part := r
		part.Nodes, part.Pools, part.Jobs = p.Nodes, nil, nil
		part.Limits = simulate.LimitsAt(r.Limits, i)
		for _, j := range r.Jobs {
			if j.Pool == i {
				j.Pool = 0
				part.Jobs = append(part.Jobs, j)
			}
		}
		for _, o := range p.Down {
			part.Jobs = append(part.Jobs, LoggedJob{Submit: o.From, Start: o.From, End: o.To, Width: o.Units,
				outage: true})
		}
		d, err := part.Run(ctx)
		if err != nil {
			return nil, err
		}
		sum.Starts, sum.Allowed = sum.Starts+d.Starts, sum.Allowed+d.Allowed
		sum.Overfull, sum.Denied = sum.Overfull+d.Overfull, append(sum.Denied, d.Denied...)
	}
	return sum, nil
}

// secondOrder is an order of the events of a second, which a log does not show.
type secondOrder struct {
	slip   float64 // part of a second by which jobs that run end later
	only   []int   // these jobs; nil is all
	fresh  int64   // jobs with higher numbers that are submitted in the second come later; 0: they do not
	second float64 // of the start
}

func (o *secondOrder) slipOf(k int) float64 {
	if o.only == nil || slices.Contains(o.only, k) {
		return o.slip
	}
	return 0
}

func (o *secondOrder) same(p secondOrder) bool {
	return o.slip == p.slip && slices.Equal(o.only, p.only) && o.fresh == p.fresh
}

// orders returns the orders of events that are tried for a start, from the state at a time: all
// jobs that end in that second are gone, or none, and in a replay with pools also some of
// up to four. A policy that does not order jobs by their submission may have decided before
// the jobs that were submitted next.
func (m *logMoment) orders(at float64, target int) []secondOrder {
	list := []secondOrder{{}, {slip: 0.5}}
	var ending []int
	for _, k := range m.running {
		if j := &m.jobs[k]; m.replay.mixed && j.Start < at && j.End == at {
			ending = append(ending, k)
		}
	}
	for set := 1; len(ending) <= 4 && set < 1<<len(ending)-1; set++ {
		o := secondOrder{slip: 0.5}
		for i, k := range ending {
			if set>>i&1 > 0 {
				o.only = append(o.only, k)
			}
		}
		list = append(list, o)
	}
	if !m.replay.Policy.Joint {
		return list
	}
	j := &m.jobs[target]
	for _, o := range list {
		o.fresh, o.second = j.Number, j.Start
		list = append(list, o)
	}
	return list
}

// recollection is the whole log up to a time as a source, and the run of a policy from its
// state at an earlier time as an observer.
type recollection struct {
	*logRun
	zero    float64
	pool    int
	slipped bool // a job came later in its second
}

// recall makes the run with a policy that knows the past. If there is a function, it gets
// the policies at the time of the state, and they decide nothing.
func (r *LogReplay) recall(
	ctx context.Context, run *logRun, pool int, look func(p *slurm.Slurmctld, now float64),
) error {
	x := &recollection{logRun: run, zero: r.zero(), pool: pool}
	sites, err := r.sites(x.zero)
	if err != nil {
		return err
	}
	for i := range sites {
		p := sites[i].Policy.(*slurm.Slurmctld)
		p.FirstPass(run.at - x.zero) // a log does not say when passes took place
		sites[i].Policy = recalled{p, run.at - x.zero, look}
		sites[i].Logged = true
	}
	err = r.run(ctx, sites, x, x)
	if err == errPassed {
		err = nil
	}
	return err
}

// zero returns the time at which runs with the past begin: a whole number of periods from
// the known calculation of priorities, before all jobs.
func (r *LogReplay) zero() float64 {
	first := math.Inf(1)
	for _, j := range r.Jobs {
		first = min(first, j.Submit)
	}
	const option = "PriorityCalcPeriod"
	minutes, err := strconv.ParseFloat(cmp.Or(r.Settings[option], r.Settings[policy.FromFile+option], "5"), 64)
	if !r.Policy.Joint || err != nil || minutes <= 0 {
		return first
	}
	at := math.Floor(r.Calculated) // Slurm counts whole seconds
	return at - 60*minutes*max(math.Ceil((at-first)/(60*minutes)), 0)
}

// Next implements simulate.Source.
func (x *recollection) Next(job *simulate.Job) (bool, error) {
	if x.ended {
		return false, errPassed
	}
	i, submit := x.next, math.Inf(1)
	x.next++
	if i < len(x.jobs) {
		submit = x.jobs[i].Submit
		if x.fresh > 0 && submit == x.second && (x.slipped || x.jobs[i].Number > x.fresh) {
			x.slipped = true // and so are those behind it in the log, such as a requeued job with an older number
			submit += 0.5
		}
	}
	if submit > x.last { // a job that the policy does not see
		x.ended = true
		job.Submit, job.Width, job.Void = x.last+past-x.zero, 1, true
		return true, nil
	}
	j := &x.jobs[i]
	*job = j.job()
	job.Submit = submit - x.zero
	job.Exempt = j.Start < x.at
	job.Spec.Recorded = simulate.Recorded{Ran: !math.IsNaN(j.Start), At: j.Start - x.zero}
	switch {
	case math.IsNaN(j.Start):
		job.Spec.Recorded.At = j.End - x.zero
	case j.runs(x.at, x.slipOf(i)):
		job.Work += x.slipOf(i)
	}
	return true, nil
}

func (x *recollection) Observe(e simulate.Event) {
	if e.Time < x.at-x.zero || e.Time > x.last+past-x.zero || e.Job == nil || e.Job.Class != x.pool {
		return
	}
	if e.Kind == simulate.Started {
		x.started = append(x.started, int(e.Job.ID))
	}
}
