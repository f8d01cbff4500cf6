package simulate

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync/atomic"
)

// Config is a run.
type Config struct {
	Source    Source
	Sites     []Site    // one cluster, or the sites of a grid
	Broker    Broker    // nil sends every job to the first site
	Admission Admission // nil lets every job in
	Forward   *Forward  // in place of Broker and Admission: a refused job goes to the next site; nil does without
	Charging  Charging  // who decides what a job pays
	Window    Window
	Observers []Observer
}

// Charging says who decides what a job pays.
type Charging uint8

const (
	// ByPolicy leaves it to the policy, by Cluster.Charge: the price rules of
	// the papers.
	ByPolicy Charging = iota
	// ByValue charges a job that ends its Worth, and one that gives up minus
	// its floor. Cluster.Charge counts for jobs in pieces alone.
	ByValue
)

// Result says how a run ended. The observers have what was measured.
type Result struct {
	Time       float64 // at the end of the run
	Submitted  int64   // jobs, in all
	Unfinished int64   // jobs submitted after the close that had not ended
	Cut        bool    // arrivals after the close were cut off, see Window
}

// epsilon is the relative difference of time below which completions fire
// together.
const epsilon = 1e-14

// An event in the phase of arrivals that is none does one of these.
const (
	toOpen  int32 = iota // end the warm-up
	toClose              // close the window
)

// kernel is a run in progress.
type kernel struct {
	canceled  atomic.Bool
	now       float64
	events    agenda
	stale     int // events on the agenda that will be ignored
	revoked   int // of these, completions of jobs that were preempted
	jobs      slots
	next      *Job  // fetched, not yet submitted
	arrival   event // of next
	alive     int64
	gate      gate
	source    Source
	broker    Broker
	admission Admission
	forward   *Forward
	byValue   bool
	patient   []waiter // jobs that give up after the horizon
	horizon   float64  // up to it, expiries are on the agenda
	fresh     []waiter // jobs that came at this instant and give up before the horizon
	observers []Observer
	sites     []*Cluster
	nodes     []*Node // of all sites
	dirty     []*Node // rates are out of date
	err       error   // of the source
}

// Run simulates until every job submitted by the close of the window has
// ended. A canceled context ends it early with the context's error.
func Run(ctx context.Context, cfg Config) (Result, error) {
	if cfg.Source == nil {
		return Result{}, errors.New("simulate: no source")
	}
	if err := cfg.Window.validate(); err != nil {
		return Result{}, err
	}
	if f := cfg.Forward; f != nil && (cfg.Broker != nil || cfg.Admission != nil || len(f.Rules) != len(cfg.Sites) || len(f.Lots) != len(cfg.Sites)) {
		return Result{}, errors.New("simulate: forwarding takes a rule and lots for each site, and neither a broker nor an admission")
	}
	k := &kernel{
		source: cfg.Source, broker: cfg.Broker, admission: cfg.Admission, forward: cfg.Forward, byValue: cfg.Charging == ByValue,
		observers: cfg.Observers, gate: gate{Window: cfg.Window}, arrival: event{time: never}, horizon: math.Inf(-1),
	}
	if err := k.build(cfg.Sites); err != nil {
		return Result{}, err
	}
	err := k.run(ctx)
	return Result{Time: k.now, Submitted: k.gate.submitted, Unfinished: k.alive, Cut: k.gate.cut}, err
}

// run is the main loop. It learns of the end of the context by a flag, which
// costs nothing to look at before every event, however long one takes.
func (k *kernel) run(ctx context.Context) error {
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
			return fmt.Errorf("simulate: %d jobs wait at %g s and nothing is left to happen", k.gate.outstanding, k.now)
		}
	}
	if k.err == nil {
		k.announce(Ended)
	}
	return k.err
}

// step lets everything at the next instant happen, then the policies decide.
// It reports whether there was anything.
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
	k.fire(e)
	for until := math.Float64bits(at); k.arrival.time <= until || !k.events.after(until); k.fire(e) {
		if e = k.first(); e.time > until {
			break
		}
		if k.canceled.Load() { // run ends with the context's error
			return true
		}
	}
	k.decide()
	if k.stale > 64 {
		k.compact()
	}
	return true
}

// first returns the first event that is not stale; its time is never if there is
// none. Of the events to come just one is a submission, which is not on the
// agenda.
func (k *kernel) first() event {
	for {
		top := k.events.top()
		if top == nil || k.arrival.before(top) == 1 {
			return k.arrival
		}
		finish := top.order < uint64(arrival)<<phaseShift && top.target >= 0
		if finish && k.revoked == 0 || !k.isStale(*top) {
			return *top
		}
		k.events.pop()
		k.stale--
		if finish {
			k.revoked--
		}
	}
}

// decide lets the policies of all sites concerned decide, and sets the rates
// where the list of tasks changed.
func (k *kernel) decide() {
	for _, c := range k.sites {
		if c.restless {
			c.restless = false
			c.policy.Schedule(c)
		}
	}
	if len(k.dirty)+len(k.fresh) == 0 {
		return
	}
	for _, n := range k.dirty {
		n.rerate(k)
	}
	k.dirty = k.dirty[:0]
	for _, w := range k.fresh {
		k.expect(w)
	}
	k.fresh = k.fresh[:0]
}

// waiter is a job that may give up. Its slot may hold another by now, which has
// another number or, before its submission, no site.
type waiter struct {
	*Job
	id int64
}

// waits reports whether the job still waits and its expiry is on no agenda.
func (w waiter) waits() bool {
	return w.ID == w.id && w.state == waiting && w.site != nil && !w.expiring
}

// approach puts the expiries of waiting jobs on the agenda up to a new horizon,
// the mean of all: most jobs of a light load never need one, and a job is looked
// at twice on average.
func (k *kernel) approach() {
	all := k.patient
	k.patient = all[:0]
	sum, least := 0.0, math.Inf(1)
	for _, w := range all {
		if w.waits() {
			k.patient = append(k.patient, w)
			sum += w.Expire
			least = min(least, w.Expire)
		}
	}
	if len(k.patient) > 0 {
		k.horizon = max(sum/float64(len(k.patient)), least) // rounding may leave the mean below all
		k.patient = slices.DeleteFunc(k.patient, k.expect)
	}
}

// expect puts the expiry of a job on the agenda unless that is after the horizon
// or the job does not wait. It reports whether the job needs no more attention.
func (k *kernel) expect(w waiter) bool {
	if !w.waits() {
		return true
	}
	if w.Expire > k.horizon {
		return false
	}
	if w.site.leaver == nil {
		k.err = fmt.Errorf("simulate: job %d gives up at %g s, and policy %T has no Leave method", w.id, w.Expire, w.site.policy)
		return true
	}
	w.expiring = true
	k.events.add(event{time: math.Float64bits(max(w.Expire, k.now)), order: uint64(expiry)<<phaseShift | uint64(w.id), target: w.slot, version: w.expiry})
	return true
}

// expires reports whether the job gives up at some time.
func (j *Job) expires() bool { return j.Expire > 0 && j.Expire <= math.MaxFloat64 }

// expire lets a job give up that has waited for too long. It was taken on in
// effect, if not in words.
func (k *kernel) expire(j *Job) {
	c := j.site
	j.expiring = false
	c.restless = true
	c.leaver.Leave(c, j)
	if !j.admitted {
		c.Admit(j)
	}
	if k.byValue {
		j.Revenue = j.Value.Forsaken()
	}
	c.Expire(j)
}

// A completion is filed earlier than it is due by a relative epsilon, so that
// it comes before arrivals and wakes that are simultaneous but for rounding.
func early(due float64) float64 { return due - epsilon*due }

// due returns the exact time of an event.
func (k *kernel) due(e event) float64 {
	switch {
	case e.phase() != completion:
		return e.at() // NaN of an event that never comes
	case e.target >= 0:
		return k.jobs.all[e.target].Finish
	default:
		return k.nodes[^e.target].due
	}
}

// fire lets the first event happen. A target from 0 on is a job's slot; a negative
// one is the complement of a node's or a site's index.
func (k *kernel) fire(e event) {
	if e.order == k.arrival.order {
		k.arrival.time = never
		k.submit()
		return
	}
	k.events.pop()
	switch p := e.phase(); {
	case p == completion && e.target >= 0:
		j := k.jobs.all[e.target]
		j.site.vacate(j)
		k.complete(j)
	case p == completion:
		k.nodes[^e.target].reach(k)
	case p == expiry:
		k.expire(k.jobs.all[e.target])
	case p == wake && e.target >= 0:
		j := k.jobs.all[e.target]
		j.timed = false
		j.site.restless = true
		j.site.timed.Timer(j.site, j)
	case p == wake:
		c := k.sites[^e.target]
		c.waking = false
		c.restless = true
	case e.target == toOpen:
		k.gate.warm = true
		k.open()
	default:
		k.close()
	}
}

// isStale reports whether an event was overtaken by a later decision.
func (k *kernel) isStale(e event) bool {
	switch p := e.phase(); {
	case p == arrival:
		return false
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

// compact rids the agenda of stale events when they are the larger part, so
// that its size follows the jobs alive.
func (k *kernel) compact() {
	if 2*k.stale > k.events.len() {
		k.events.purge(k.isStale)
		k.stale, k.revoked = 0, 0
	}
}

// complete ends a job whose last task is done.
func (k *kernel) complete(j *Job) {
	j.Finish = k.now
	j.site.restless = true
	j.site.use[j.Class].running--
	if f := j.site.finisher; f != nil {
		f.Finish(j.site, j)
	}
	if k.byValue && !j.pieces {
		j.Revenue = j.Worth(k.now)
	}
	k.notify(Event{Kind: Completed, Site: j.site, Job: j})
	k.end(j)
}

// end forgets a job.
func (k *kernel) end(j *Job) {
	j.state = ended
	if !j.late {
		k.gate.outstanding--
	}
	k.alive--
	k.jobs.release(j)
}

// notify tells the observers.
func (k *kernel) notify(e Event) {
	e.Time = k.now
	for _, o := range k.observers {
		o.Observe(e)
	}
}

// announce tells the observers of something that concerns every site.
func (k *kernel) announce(kind Kind) {
	for _, c := range k.sites {
		k.notify(Event{Kind: kind, Site: c})
	}
}
