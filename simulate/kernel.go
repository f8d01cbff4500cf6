package simulate

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"sync/atomic"
)

// Config is a run.
type Config struct {
	Source    Source
	Sites     []Site    // one cluster, or the sites of a grid
	Router    Router    // nil sends every job to the first site; one that is an Agent joins the run first
	Admission Admission // at the site of a job; nil admits every job
	Agents    []Agent   // that act on the run beside the policies
	Charging  Charging  // how the revenue of a job is set
	Limits    []Limit   // of what owners of jobs hold at one time
	Window    Window
	Observers []Observer
}

// Charging says how the revenue of a job is set.
type Charging uint8

const (
	// ByPolicy: the policy sets it with Cluster.Charge, by the price rules of the
	// papers.
	ByPolicy Charging = iota
	// ByValue: a job that ends pays its Worth, and a job that gives up pays minus its
	// floor. Cluster.Charge has an effect only on jobs in pieces.
	ByValue
)

// Result says how a run ended. The observers hold the measurements.
type Result struct {
	Time       float64 // at the end of the run
	Submitted  int64   // jobs, in all
	Unfinished int64   // jobs submitted after the close that had not ended
	Cut        bool    // arrivals after the close were cut off, see Window
}

// epsilon is the relative difference of time below which completions fire
// together.
const epsilon = 1e-14

// Targets of events in the phase of arrivals that are not arrivals. A negative one is the complement of the slot of a
// job that becomes eligible.
const (
	toOpen   int32 = iota // end the warm-up
	toClose               // close the window
	toAgents              // the first timer of agents, in the phase of moves as well
)

// kernel is a run in progress.
type kernel struct {
	canceled   atomic.Bool
	now        float64
	events     agenda
	stale      int // events on the agenda that will be ignored
	revoked    int // of these, completions of jobs that were preempted
	jobs       slots
	next       *Job  // fetched, not yet submitted
	arrival    event // of next
	fetching   bool  // the source is asked for a job
	current    int64 // the job that the kernel handled last
	alive      int64
	gate       gate
	source     Source
	router     Router
	admission  Admission
	entry      *Cluster // that every job enters unless it is Void; nil: route decides
	timers     Timers
	byValue    bool
	limits     *limits  // nil: there are none
	patient    []waiter // jobs that give up after the horizon
	horizon    float64  // up to it, expiries are on the agenda
	fresh      []waiter // jobs that came at this instant and give up before the horizon
	origins    []origin // by Job.Number
	observer   Follower // all observers
	spectators bool     // some of them are not followers
	sites      []*Cluster
	stirred    []uint64 // a bit for each site that is due for a turn; nil: there is one site
	nodes      []*Node  // of all sites
	dirty      []*Node  // rates are out of date
	err        error    // the first one, of the source, a policy or an agent
}

// Run simulates until every job submitted by the close of the window has
// ended. A canceled context ends it early with the context's error. A panic of a
// policy, source or observer is a *PanicError.
func Run(ctx context.Context, cfg Config) (Result, error) {
	if cfg.Source == nil {
		return Result{}, errors.New("simulate: no source")
	}
	if err := cfg.Window.validate(); err != nil {
		return Result{}, err
	}
	k := &kernel{
		source: cfg.Source, router: cfg.Router, admission: cfg.Admission,
		byValue: cfg.Charging == ByValue, gate: gate{Window: cfg.Window},
		arrival: event{time: never}, horizon: math.Inf(-1),
	}
	k.watch(cfg.Observers)
	if err := k.build(cfg.Sites); err != nil {
		return Result{}, err
	}
	k.limits = newLimits(cfg.Limits, k.sites)
	if c := k.sites[0]; k.router == nil && k.admission == nil && !c.recorded {
		k.entry = c
	}
	if err := k.join(cfg); err != nil {
		return Result{}, err
	}
	err := k.run(ctx)
	return Result{Time: k.now, Submitted: k.gate.submitted, Unfinished: k.alive, Cut: k.gate.cut}, err
}

// join lets the agents join the run.
func (k *kernel) join(cfg Config) error {
	k.timers.kernel = k
	if a, ok := cfg.Router.(Agent); ok {
		if err := a.Join(k.sites, &k.timers); err != nil {
			return err
		}
	}
	for _, a := range cfg.Agents {
		if err := a.Join(k.sites, &k.timers); err != nil {
			return err
		}
	}
	return nil
}

// run is the main loop. A flag tells it that the context has ended; checking the flag
// before every event costs next to nothing.
func (k *kernel) run(ctx context.Context) (err error) {
	defer k.recover(&err)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	defer context.AfterFunc(ctx, func() { k.canceled.Store(true) })()
	k.begin()
	for !(k.gate.closed && k.gate.outstanding == 0) {
		if k.canceled.Load() {
			return ctx.Err()
		}
		if k.err != nil {
			return k.err
		}
		if !k.step() {
			return k.starved()
		}
	}
	if k.err == nil {
		k.announce(Ended)
	}
	return k.err
}

// starved is the error of a run in which nothing is left to happen, of the first policy with waiting jobs.
func (k *kernel) starved() error {
	err := fmt.Errorf("%d jobs wait at %g s and nothing is left to happen", k.gate.outstanding, k.now)
	for _, c := range k.sites {
		if c.waiting > 0 {
			return Blame(c.policy, err)
		}
	}
	return fmt.Errorf("simulate: %w", err)
}

// step processes all events of the next instant, then lets the policies of the sites concerned decide. It
// reports whether there were events.
func (k *kernel) step() bool {
	e := k.first()
	at := k.due(e)
	for len(k.patient) > 0 && !(at <= k.horizon) {
		k.approach()
		e = k.first()
		at = k.due(e)
	}
	if e.time == never {
		return false
	}
	if at < k.now {
		panic("simulate: time runs backwards")
	}
	k.now = at
	for until := math.Float64bits(at); e.time <= until; e = k.first() {
		if e == &k.arrival {
			k.submit()
		} else {
			k.fire(e)
		}
		if k.arrival.time > until && k.events.after(until) {
			break
		}
		if k.canceled.Load() { // run ends with the context's error
			return true
		}
	}
	if k.limits != nil {
		k.limits.show()
	}
	if k.stirred == nil {
		k.sites[0].turn()
	} else {
		k.decide()
		for k.limits != nil && k.limits.beyond {
			k.limits.beyond = false
			k.decide()
		}
	}
	if len(k.dirty)+len(k.fresh) > 0 {
		k.settle()
	}
	if k.stale > 64 {
		k.compact()
	}
	return true
}

// decide gives each of the stirred sites its turn, in the order of the sites. A site that an earlier one stirs
// follows; one that a later one stirs waits for the next instant. Sites with agents have a turn at every instant.
func (k *kernel) decide() {
	for word := range k.stirred {
		for ahead := ^uint64(0); k.stirred[word]&ahead != 0; {
			bit := bits.TrailingZeros64(k.stirred[word] & ahead)
			ahead = ^uint64(1) << bit
			c := k.sites[64*word+bit]
			if c.decided == nil {
				k.stirred[word] &^= 1 << bit
			}
			c.turn()
		}
	}
}

// first returns the first event: the next submission, which is not on the agenda
// and never comes if there is none, or the first of the agenda that is not stale. It is valid until the
// agenda changes.
func (k *kernel) first() *event {
	for {
		top := k.events.top()
		if top == nil || k.arrival.precedes(top) {
			return &k.arrival
		}
		if k.stale == 0 || !k.discard(top) {
			return top
		}
	}
}

// discard removes the first event of the agenda if it is stale, and reports whether it is.
func (k *kernel) discard(top *event) bool {
	finish := top.phase() == completion && top.target >= 0
	if finish && k.revoked == 0 || !k.isStale(*top) {
		return false
	}
	k.events.pop()
	k.stale--
	if finish {
		k.revoked--
	}
	return true
}

// settle sets the rates of nodes and awaits the expiries of the jobs that have come, after the decisions.
func (k *kernel) settle() {
	for _, n := range k.dirty {
		n.rerate(k)
	}
	k.dirty = k.dirty[:0]
	for _, w := range k.fresh {
		k.expect(w)
	}
	k.fresh = k.fresh[:0]
}

// waiter is a job that may give up. Its slot may hold another job by now, with another
// number or, before its submission, without a site.
type waiter struct {
	*Job
	id int64
}

func (w waiter) waits() bool { return w.ID == w.id && w.state == waiting && w.site != nil }

// approach puts the expiries of waiting jobs on the agenda up to a new horizon, the
// mean of all expiries. Under a light load most jobs never need an event, and each job
// is examined twice on average.
func (k *kernel) approach() {
	all := k.patient
	k.patient = all[:0]
	sum, least := 0.0, math.Inf(1)
	for _, w := range all {
		if w.waits() && !w.expiring {
			k.patient = append(k.patient, w)
			sum += w.expire
			least = min(least, w.expire)
		}
	}
	if len(k.patient) > 0 {
		k.horizon = max(sum/float64(len(k.patient)), least) // rounding may leave the mean below all
		k.patient = slices.DeleteFunc(k.patient, k.expect)
	}
}

// expect puts the expiry of a job on the agenda unless it is after the horizon or the
// job does not wait. It reports whether the job is done with.
func (k *kernel) expect(w waiter) bool {
	if !w.waits() || w.expiring {
		return true
	}
	if w.expire > k.horizon {
		return false
	}
	if w.site.leaver == nil {
		k.err = fmt.Errorf("simulate: job %d gives up at %g s, and policy %T has no Leave method", w.id, w.expire,
			w.site.policy)
		return true
	}
	w.expiring = true
	k.events.add(event{
		time: math.Float64bits(max(w.expire, k.now)), order: uint64(expiry)<<phaseShift | uint64(w.id),
		target: w.slot, version: w.expiry,
	})
	return true
}

// expires reports whether the job gives up at some time.
func (j *Job) expires() bool { return j.Expire > 0 && j.Expire <= math.MaxFloat64 }

// Gone reports whether the job's time of expiry has come. A policy learns it when the job leaves.
func (j *Job) Gone(now float64) bool { return j.expires() && now >= j.Expire }

// Impatient reports whether the job, if it gives up, does so because its patience ends. A policy learns it likewise.
func (j *Job) Impatient() bool { return j.Patience > 0 && j.Expire >= j.Submit+j.Patience }

// expire removes a job that has waited for too long.
func (k *kernel) expire(j *Job) {
	c := j.site
	k.current = j.ID
	j.expiring = false
	c.stir()
	j.resign()
	c.release(j)
	k.forsake(j)
}

// forsake ends a job that gives up. If the policy has not admitted it explicitly, it counts
// as admitted.
func (k *kernel) forsake(j *Job) {
	c := j.site
	if !j.admitted {
		c.Admit(j)
	}
	j.reveal()
	if c.byValue {
		j.Revenue = j.Forsaken()
	}
	c.Expire(j)
}

// A completion is filed earlier than it is due by a relative epsilon, so that
// it precedes arrivals and wakes that differ only by rounding.
func early(due float64) float64 { return due - epsilon*due }

// due returns the exact time of an event.
func (k *kernel) due(e *event) float64 {
	switch {
	case e.phase() != completion:
		return e.at() // NaN of an event that never comes
	case e.target >= 0:
		return k.jobs.all[e.target].finish
	default:
		return k.nodes[^e.target].due
	}
}

// fire processes the first event of the agenda. In the phases of completions, expiries and wakes a target of
// 0 or more is the slot of a job, and a negative one is the complement of the index of a node or
// site.
func (k *kernel) fire(e *event) {
	target, p := e.target, e.phase()
	k.events.pop()
	switch {
	case p == completion && target >= 0:
		k.finish(k.jobs.all[target])
	case p == completion:
		k.nodes[^target].reach(k)
	case p == expiry:
		k.expire(k.jobs.all[target])
	case p == wake && target >= 0:
		j := k.jobs.all[target]
		k.current = j.ID
		j.timed = false
		j.site.stir()
		j.site.timed.Timer(j.site, j)
	case p == wake:
		c := k.sites[^target]
		c.waking = false
		if !c.restless {
			c.stir()
			c.woken()
		}
	case target == toOpen:
		k.gate.warm = true
		k.open()
	case target == toClose:
		k.close()
	case target < 0:
		k.release(k.jobs.all[^target])
	default:
		k.timers.fire(target)
	}
}

// finish ends a job on dedicated processors.
func (k *kernel) finish(j *Job) {
	j.site.vacate(j)
	k.complete(j)
}

// isStale reports whether an event was overtaken by a later decision.
func (k *kernel) isStale(e event) bool {
	switch p := e.phase(); {
	case p == arrival && e.target < 0:
		return k.jobs.all[^e.target].expiry != e.version
	case p == arrival && e.target < toAgents:
		return false
	case p == arrival, p == move:
		return k.timers.list[e.target-toAgents].version != e.version
	case p == completion && e.target >= 0:
		return k.jobs.all[e.target].stint != e.version
	case p == completion:
		return k.nodes[^e.target].version != e.version
	case p == expiry:
		return k.jobs.all[e.target].expiry != e.version
	case e.target >= 0:
		return k.jobs.all[e.target].timer != e.version
	default:
		return k.sites[^e.target].wakes != e.version
	}
}

// compact removes stale events from the agenda when they are the majority, so that its
// size follows the jobs alive.
func (k *kernel) compact() {
	if 2*k.stale > k.events.len() {
		k.events.purge(k.isStale)
		k.stale, k.revoked = 0, 0
	}
}

// complete ends a job whose last task is done.
func (k *kernel) complete(j *Job) {
	k.current = j.ID
	j.state = ending
	j.Finish = k.now
	j.Killed = j.Killed || j.cut
	j.reveal()
	c := j.site
	if j.fee != 0 {
		c.collect(j)
	}
	c.stir()
	c.running--
	if c.finisher != nil {
		c.finisher.Finish(c, j)
	}
	if c.watch[Finishes] != nil {
		c.tell(Finishes, j)
	}
	if c.byValue && !j.pieces {
		j.Revenue = j.Worth(k.now)
	}
	k.observer.Complete(c, j, k.now)
	k.end(j)
}

// end forgets a job.
func (k *kernel) end(j *Job) {
	if c := j.site; c != nil && c.listed {
		c.unlist(j)
	}
	if k.limits != nil {
		k.limits.end(j)
	}
	j.state = ended
	if !j.late {
		k.gate.outstanding--
	}
	k.alive--
	if j.Number > 0 {
		k.free(j)
	}
	k.jobs.release(j)
}
