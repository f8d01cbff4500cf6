package workload

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"revopt/internal/text"
	"revopt/model"
	"revopt/simulate"
)

// Replay is a workload that replays a trace, with customers laid over its jobs.
// There is no warm-up, and a run goes on until the last job has ended.
type Replay struct {
	trace    *Trace
	options  ReplayOptions
	delay    float64
	selected []selector    // by customer; nil with QoS
	classes  []model.Class // or sections
	ranks    []int
	pays     []bool     // by customer: some of its jobs have a price
	jobs     []int64    // of each customer in replication 0; nil with QoS
	came     float64    // expected share of the work of replication 0 that comes at the prices
	weeks    *resampler // nil replays the trace as it is
	windows  *windows   // likewise
	others   int64      // jobs in replication 0 that no listed customer takes

	pools    *Pools          // nil: one machine
	pooled   []selector      // by pool
	takers   map[int32][]int // pools by the partitions that they take
	lists    map[int32]bool  // partitions that are lists of several, such as "a,b"
	fallback int             // the pool that takes all other jobs; negative: none
	sections []firstJobs     // by customer or section
	urgency  []float64       // of the customers; nil with QoS
	whole    *Replay         // that this is a part of; nil: of none
	cut      *cut            // the part
	down     downtime
	limits   []simulate.Limit
	wider    []int // by limit, see Wider
}

// ReplayOptions are the arrivals of the jobs of a trace, their customers and the
// wishes of these.
type ReplayOptions struct {
	Delay    float64            // arrival delay factor: scales every time between arrivals; 0 is 1
	Load     float64            // offered load to scale to, in place of Delay; 0 is none
	LoadOn   int                // nodes that Load refers to; 0: those of the header, else of the machine
	Machines []simulate.Machine // one per node; nil: all are alike, without limits
	Exact    bool               // estimates are the run times, not those of the users

	// Classes are the customers, and Of their selectors: a job belongs to the
	// first customer whose selector holds; a nil selector always holds. The other
	// jobs belong to a last customer, Nobody, that pays nothing. Jobs pay their
	// value.
	Classes []model.Class
	Of      []*model.Selector

	// Pools are the parts of the machine; nil: it is one. Load refers to all units.
	Pools []model.Pool

	// QoS draws two customers by urgency, in place of Classes. The policy decides
	// the charges.
	QoS *model.QoS
	// Split splits jobs into a mandatory and an optional part; nil leaves them
	// whole. It needs deadlines.
	Split *model.Split
}

// Nobody is the name of the customer of the jobs that no customer takes; others is that of a proposed customer that is
// several parties; everybody is the name of the only customer of a trace without customers.
const (
	Nobody    = "no customer"
	others    = "others"
	everybody = "all"
)

// NewReplay returns the workload of a trace. The seed is that of the trace, if
// it is generated.
func NewReplay(ctx context.Context, t *Trace, o ReplayOptions, seed uint64) (*Replay, error) {
	w := &Replay{trace: t, options: o, delay: o.Delay, classes: o.Classes, came: 1}
	switch {
	case o.Load > 0:
		w.delay = t.loadOn(cmp.Or(o.LoadOn, t.header, t.nodes)) / o.Load // with pools a first guess
	case o.Delay == 0:
		w.delay = 1
	}
	if err := w.checkDelay(); err != nil {
		return nil, err
	}
	switch {
	case o.QoS != nil && o.Classes != nil:
		return nil, errors.New("workload: both qos and classes say whose the jobs are")
	case o.QoS != nil:
		if err := o.QoS.Validate(); err != nil {
			return nil, fmt.Errorf("workload: %w", err)
		}
		w.classes, w.pays = qosCustomers(o.QoS), []bool{true, true}
		w.ranks = []int{model.LowUrgency, model.HighUrgency}
	case o.Classes == nil:
		w.classes = []model.Class{{Name: everybody, Floor: model.Floor{None: true}}}
		w.ranks, w.pays = []int{0}, []bool{false}
	default:
		if err := w.selectors(); err != nil {
			return nil, err
		}
	}
	switch {
	case o.Pools != nil:
		return w, w.divide(ctx, seed)
	case o.Classes == nil:
		return w, w.check(seed)
	}
	return w, w.rank(ctx, seed)
}

// checkDelay refuses times between arrivals without meaning.
func (w *Replay) checkDelay() error {
	switch bad := !(w.delay > 0) || math.IsInf(w.delay, 0); {
	case bad && w.options.Load > 0:
		return fmt.Errorf("workload: load: expected jobs that arrive at different times and do some work, got none:"+
			" no arrival delay factor gives a load of %g", w.options.Load)
	case bad:
		return fmt.Errorf("workload: arrival delay factor %g", w.delay)
	}
	return nil
}

// check opens the jobs, so that errors are known before the simulation.
func (w *Replay) check(seed uint64) error {
	jobs, err := w.Jobs(seed, 0)
	if err != nil {
		return err
	}
	return jobs.(io.Closer).Close()
}

// firstJobs is the jobs of a customer or section in the first replication.
type firstJobs struct {
	jobs   int64   // that come at the prices
	ran    float64 // number of those of them that run
	length float64 // of these, in sum, s
	area   float64 // of these, in sum, node-seconds
	decay  float64 // of these, in sum, $/s

	// With pools or generated jobs only, and of these as a mean over replications:
	work float64 // unit-seconds of the jobs that ran and fit in the pool
	came float64 // expected part of it that comes at the prices

	// With pools only:
	seen   int64 // jobs of the trace
	listed bool  // jobs that list several pools may run there
}

// rank ranks the customers by urgency, their decay over their length as stated or as
// the mean of the trace, and notes which of them pay.
func (w *Replay) rank(ctx context.Context, seed uint64) error {
	n := len(w.classes)
	w.ranks, w.pays, w.sections = make([]int, n), make([]bool, n), make([]firstJobs, n)
	work, err := w.read(ctx, seed)
	if err != nil {
		return err
	}
	w.jobs = text.Each(w.sections, func(s firstJobs) int64 { return s.jobs })
	if w.drawn() && (w.pools != nil || w.priced()) {
		w.expect()
		work = text.Sum(w.sections, func(s firstJobs) float64 { return s.came })
	}
	if w.priced() {
		w.came = work / w.trace.work
	}
	if w.pools != nil {
		w.pools.lend(w.sections)
		return w.settle(w.urgencies())
	}
	w.ranks = model.Ranks(model.ByUrgency(w.urgencies()))
	w.leaveOthers()
	return nil
}

// read reads the first replication into the sections, and returns the work that comes at the prices and fits.
func (w *Replay) read(ctx context.Context, seed uint64) (work float64, err error) {
	source, err := w.Jobs(seed, 0)
	if err != nil {
		return 0, err
	}
	jobs := source.(*replay)
	defer jobs.Close()
	if w.pools != nil {
		jobs.notes = &w.pools.Notes
	}
	var j simulate.Job
	for n := 0; ; n++ {
		if n&0xffff == 0 && ctx.Err() != nil {
			return work, ctx.Err()
		}
		ok, err := jobs.next(&j)
		if !ok || err != nil {
			return work, err
		}
		if w.count(&j) && !j.Void {
			work += w.share(j.Class) * j.Work * float64(j.Width)
		}
		if !jobs.comes(&j) {
			continue
		}
		s := &w.sections[j.Class]
		s.jobs++
		w.pays[j.Class] = w.pays[j.Class] || j.Value.Price > 0
		if !j.Void {
			s.ran++
			s.length += j.Work
			s.area += j.Work * float64(j.Width)
			s.decay += j.Value.Decay
		}
	}
}

// urgencies returns the decay over the length of each customer or section.
func (w *Replay) urgencies() []float64 {
	urgency := make([]float64, len(w.classes))
	for i := range w.classes {
		urgency[i] = urgencyOf(&w.classes[i], &w.sections[i])
	}
	return urgency
}

// urgencyOf returns the decay over the length of a customer, as stated or as the mean of some of its jobs, 0 if it has none.
func urgencyOf(c *model.Class, s *firstJobs) float64 {
	mean := s.length / s.ran
	if c.Length != nil {
		mean = c.Length.Mean()
	}
	loss := c.Decay
	if c.DecayOfPrice > 0 {
		loss = s.decay / s.ran
	}
	if mean > 0 && loss >= 0 { // not where a customer without jobs does not state them
		return loss / mean
	}
	return 0
}

// leaveOthers leaves out the last customer, who takes the jobs that no other takes, if there are none.
func (w *Replay) leaveOthers() {
	if !w.hasOthers() {
		return
	}
	last := len(w.classes) - 1
	w.others = w.jobs[last]
	if w.others > 0 || w.lots() {
		return
	}
	empty := w.ranks[last]
	w.classes, w.ranks, w.pays = w.classes[:last], w.ranks[:last], w.pays[:last]
	for i, rank := range w.ranks {
		if rank > empty {
			w.ranks[i]--
		}
	}
}

// drawn reports whether a generator draws the jobs.
func (w *Replay) drawn() bool { return model.Generated(w.trace.selection.File) }

// lots reports whether the jobs or their customers differ between replications.
func (w *Replay) lots() bool {
	return w.drawn() ||
		slices.ContainsFunc(w.options.Of, func(s *model.Selector) bool { return s != nil && s.Share < 1 })
}

// priced reports whether some jobs do not come because the price of their customer is
// above that of the demand.
func (w *Replay) priced() bool {
	return slices.ContainsFunc(w.classes, func(c model.Class) bool { return c.Demand != nil && c.Rate < 1 })
}

// hasOthers reports whether the last customer takes the jobs that no other takes.
func (w *Replay) hasOthers() bool {
	return len(Listed(w)) > len(w.options.Classes) && w.options.Classes != nil
}

// Unmatched returns the listed customers without a job in the first replication.
func (w *Replay) Unmatched() []int {
	var list []int
	for i, n := range w.jobs {
		if n == 0 && i < len(w.options.Classes) {
			list = append(list, i)
		}
	}
	return list
}

// Others returns the number of jobs of the first replication that no customer takes.
func (w *Replay) Others() int64 { return w.others }

// Trace returns the trace.
func (w *Replay) Trace() *Trace { return w.trace }

// Delay returns the arrival delay factor.
func (w *Replay) Delay() float64 { return w.delay }

// Sites implements Workload.
func (w *Replay) Sites() []Site {
	return w.down.on(w.pools.sites(simulate.Site{Processors: w.trace.Nodes(), Machines: w.options.Machines}))
}

// Ranks returns the place of each customer in the service order; the largest is
// served first.
func (w *Replay) Ranks() []int { return w.ranks }

// Customers, Pools, Window, Drained and Stream implement Workload.
func (w *Replay) Customers() []model.Class { return w.classes }
func (w *Replay) Pools() *Pools            { return w.pools }
func (w *Replay) Window() simulate.Window  { return simulate.Window{} }
func (w *Replay) Drained(int) Workload     { return w }
func (w *Replay) Stream() float64          { return 0 }

// Has implements Workload.
func (w *Replay) Has() simulate.Has {
	h := simulate.Has{Alike: w.options.Machines == nil, Sites: 1, Optional: w.options.Split != nil}
	h.Outages, h.Exact = w.down != nil, w.exact()
	datedBy(&h, w.classes, func(i int) bool { return w.pays[i] })
	h.Unrecorded = w.unrecorded()
	h.Recorded = h.Unrecorded == "" && w.trace.starts[0] > 0
	return h
}

// exact reports whether the estimates of all jobs are their run times.
func (w *Replay) exact() bool {
	if q := w.options.QoS; q != nil && !q.OfUsers {
		return q.Inaccuracy == 0 && q.Scatter == 0
	}
	c := w.trace.Cleaning()
	return w.options.Exact || c.NoEstimate == c.Left
}

// unrecorded returns in what the jobs, times or machine are not those of the log, "" for
// a trace without starts.
func (w *Replay) unrecorded() string {
	t := w.trace
	switch {
	case t.starts[0] == 0:
		return ""
	case w.weeks != nil:
		return "the jobs are resampled"
	case w.windows != nil:
		return "the jobs are windows of the log (trace.window)"
	case w.delay != 1:
		return fmt.Sprintf("jobs arrive at other times than in the log: the arrival delay factor is %.6g", w.delay)
	case t.OtherMachine() && w.pools == nil: // units of pools differ, and are not compared
		return fmt.Sprintf("the machine has %s, that of the log %s", text.Plural(t.nodes, text.Unit(t.unit)),
			text.Fixed(float64(t.header), 0))
	case w.options.Machines != nil:
		return "the nodes have other speeds or limits than those of the log"
	case w.priced():
		return "fewer jobs are submitted at these prices than in the log"
	case w.options.Split != nil:
		return "the jobs have optional parts"
	case t.starts[1] > 0:
		return fmt.Sprintf("the log has no start for %d of %d jobs that ran", t.starts[1], t.starts[0]+t.starts[1])
	}
	return ""
}

// Charging implements Workload.
func (w *Replay) Charging() simulate.Charging {
	if w.options.Classes != nil {
		return simulate.ByValue
	}
	return simulate.ByPolicy
}

// Random implements Workload.
func (w *Replay) Random() bool {
	drawn := func(c model.Class) bool { return c.Hard > 0 && c.Hard < 1 || c.Patience > 0 }
	return w.weeks != nil || w.windows != nil || w.lots() || w.priced() ||
		w.options.QoS != nil || w.options.Split != nil || slices.ContainsFunc(w.classes, drawn)
}

// Size implements Workload.
func (w *Replay) Size() float64 {
	jobs := float64(w.trace.Cleaning().Left)
	if w.priced() {
		jobs = 0
		for _, n := range w.jobs {
			jobs += float64(n)
		}
	}
	if w.windows != nil {
		jobs *= float64(w.windows.jobs) / float64(len(w.windows.entries))
	}
	if w.weeks != nil && w.trace.span > 0 {
		jobs *= w.weeks.span / w.trace.span
	}
	return jobs
}

// Load implements Workload: the work of the jobs over the capacity of the machine
// between the first submission and the last, NaN for simultaneous jobs. That of generated
// jobs is its mean over replications.
func (w *Replay) Load() float64 { return w.came * w.trace.loadOn(w.trace.nodes) / w.delay }

// Jobs implements Workload. Time starts at the first job.
func (w *Replay) Jobs(seed uint64, replication int) (simulate.Source, error) {
	if w.whole != nil {
		return w.cut.source(w.whole.Jobs(seed, replication))
	}
	s := &replay{
		w: w, lots: simulate.Stream(seed, replication, "admission", 0), feed: &feed{kept: w.trace.entries},
		drawn: w.drawn(),
	}
	var err error
	if q := w.options.QoS; q != nil {
		s.decorator, err = newDecorator(*q, seed, replication)
		if err != nil {
			return nil, err
		}
	}
	for i := range w.selected {
		s.shares = append(s.shares, simulate.Stream(seed, replication, "customers", i))
		s.hard = append(s.hard, simulate.Stream(seed, replication, "hard", i))
		s.patience = append(s.patience, simulate.Stream(seed, replication, "patience", i))
	}
	if w.priced() {
		s.demand = simulate.Stream(seed, replication, "demand", 0)
	}
	if w.options.Split != nil {
		s.splitter, err = newSplitter(*w.options.Split, seed, replication)
		if err != nil {
			return nil, err
		}
	}
	switch {
	case w.weeks != nil:
		s.feed = &feed{kept: w.weeks.draw(seed, replication)}
	case w.windows != nil:
		s.feed = &feed{kept: w.windows.draw(seed, replication)}
	case w.trace.entries == nil:
		s.feed.cleaning = new(w.trace.selection.cleaning())
		s.feed.stream, err = w.trace.selection.Open(context.Background(), seed, replication)
	}
	return s, err
}

// replay is the jobs of one replication.
type replay struct {
	w         *Replay
	feed      *feed
	decorator *decorator // nil without QoS
	splitter  *splitter  // nil if jobs are whole
	lots      *rand.Rand
	shares    []*rand.Rand // by customer
	hard      []*rand.Rand
	patience  []*rand.Rand
	demand    *rand.Rand // nil if all jobs come
	pools     []int      // that take the job
	notes     *PoolNotes // nil: nothing is counted
	drawn     bool       // by a generator
	stray     bool       // no customer takes the job
	begun     bool
	place     int32 // of the job in the replication, from 1
	first     float64
	last      float64 // submission, from the first on
	work      float64 // processor-seconds of the generated jobs so far that run and fit
}

// Close closes the file, if there is one.
func (s *replay) Close() error { return s.feed.close() }

// Span implements Spanned. Jobs that do not come at the prices count, and resampled
// jobs have the length of the spans.
func (s *replay) Span() float64 {
	if s.w.weeks != nil {
		return s.w.weeks.span * s.w.delay
	}
	return s.last
}

// Next implements simulate.Source. A job of a customer with a demand comes if its lot
// is below the share that comes at the price: the same jobs at the same price, and
// fewer of them at a higher price, under every policy.
func (s *replay) Next(j *simulate.Job) (ok bool, err error) {
	for {
		ok, err = s.next(j)
		if !ok || err != nil {
			return ok, err
		}
		if s.comes(j) {
			break
		}
	}
	if s.drawn && !j.Void && s.w.fits(j) {
		s.work += j.Work * float64(j.Width)
	}
	return true, nil
}

// Load implements Loaded for generated jobs. The load of a log is that of its workload.
func (s *replay) Load() float64 {
	switch {
	case !s.drawn:
		return s.w.Load()
	case s.last == 0:
		return math.NaN()
	}
	return s.work / (float64(s.w.trace.nodes) * s.last)
}

// comes draws whether a job comes at the price of its customer.
func (s *replay) comes(j *simulate.Job) bool {
	return s.demand == nil || s.demand.Float64() < s.w.share(j.Class)
}

// share returns the share of the jobs of a customer that come at the price.
func (w *Replay) share(customer int) float64 {
	if c := &w.classes[customer]; c.Demand != nil {
		return math.Min(1, c.Rate)
	}
	return 1
}

func (s *replay) next(j *simulate.Job) (ok bool, err error) {
	var e entry
	if ok, err := s.feed.next(&e); !ok || err != nil {
		return false, err
	}
	if !s.begun {
		s.begun, s.first = true, e.submit
	}
	s.last = (e.submit - s.first) * s.w.delay
	// Other fields of the job belong to the kernel.
	j.Submit = s.last
	j.Work = e.runtime
	j.Width = int(e.width)
	j.Void = e.void
	j.Expire, j.Chance = math.Inf(1), s.lots.Float64()
	j.Spec = simulate.Spec{
		Recorded: simulate.Recorded{Ran: e.ran, At: j.Submit + max(e.wait, 0)},
		Details: simulate.Details{
			Estimate: e.estimate, Exact: e.exact, User: int(e.user), Group: int(e.group),
			Queue: int(e.queue), Partition: int(e.partition), Account: int(e.account),
		},
		Requirements: simulate.Requirements{Memory: e.memory},
	}
	if s.w.options.Exact {
		j.Spec.Details.Estimate, j.Spec.Details.Exact = e.runtime, true
	}
	if s.w.trace.holds {
		s.held(j, &e)
	}
	s.give(j, &e)
	if s.splitter != nil {
		s.splitter.split(j)
	}
	return true, nil
}

// give gives the job to its pool and customer.
func (s *replay) give(j *simulate.Job, e *entry) Section {
	pool := s.pool(j, e)
	if s.decorator == nil {
		return Section{s.assign(j, e, pool), pool}
	}
	s.decorator.decorate(j)
	at := Section{j.Class, pool}
	j.Class = s.w.pools.section(j.Class, pool)
	return at
}

// Own gives jobs that are not of the trace to the customers and pools, and returns the section of each and the jobs
// that no customer takes. If no job of the trace is of that section (see Pools.Has), the job is given to another section
// of its customer.
func (w *Replay) Own(jobs []simulate.Job, seed uint64) (wanted []Section, strays []int, err error) {
	source, err := w.Jobs(seed, 0)
	if err != nil {
		return nil, nil, err
	}
	s := source.(*replay)
	for i := range jobs {
		j := &jobs[i]
		d := &j.Spec.Details
		at := s.give(j, &entry{
			submit: j.Submit, runtime: j.Work, estimate: d.Estimate, width: int32(j.Width), user: int32(d.User),
			group: int32(d.Group), queue: int32(d.Queue), partition: int32(d.Partition), account: int32(d.Account),
		})
		wanted = append(wanted, at)
		if s.stray && w.options.Classes != nil {
			strays = append(strays, i)
		}
		if p := w.pools; p != nil && !p.Has(at) {
			j.Class = slices.IndexFunc(p.Sections, func(x Section) bool { return x.Customer == at.Customer })
			setValue(j, &w.classes[j.Class], j.Value.Hard)
		}
	}
	return wanted, strays, s.Close()
}

// assign gives a job to a customer, and returns it.
func (s *replay) assign(j *simulate.Job, e *entry, pool int) (owner int) {
	w := s.w
	// Every stream gives one number per job in all cases.
	owner = -1
	for i := range w.selected {
		lot := s.shares[i].Float64()
		if owner < 0 && w.selected[i].takes(e, lot) {
			owner = i
		}
	}
	s.stray = owner < 0
	if s.stray {
		owner = len(Listed(w)) - 1
	}
	j.Class = w.pools.section(owner, pool)
	c := &w.classes[j.Class]
	j.Rank = w.ranks[j.Class]
	hard := false
	j.Patience = 0
	if owner < len(s.hard) {
		hard = s.hard[owner].Float64() < c.Hard
		j.Patience = c.Patience * s.patience[owner].ExpFloat64()
	}
	setValue(j, c, hard)
	return owner
}

// selector is a selector with its parties as numbers of the trace.
type selector struct {
	*model.Selector                                     // nil takes all jobs
	users, groups, queues, partitions, accounts []int32 // nil is any
}

// takes reports whether a job belongs to the customer. The lot decides between
// customers with shares.
func (s *selector) takes(e *entry, lot float64) bool {
	if s.Selector == nil {
		return true
	}
	within := func(list []int32, n int32) bool { return list == nil || slices.Contains(list, n) }
	return within(s.users, e.user) && within(s.groups, e.group) && within(s.queues, e.queue) &&
		within(s.partitions, e.partition) && within(s.accounts, e.account) &&
		s.Width.Contains(float64(e.width)) && s.Length.Contains(e.runtime) && s.Estimate.Contains(e.estimate) &&
		(s.Share >= 1 || lot < s.Share)
}

// SelectorError is a party that a customer or a pool names but the trace does not.
type SelectorError struct {
	File     string
	Customer string // or pool
	Pool     bool
	What     string // user, group, queue, partition or account
	Name     string
	Known    []string // names of the header
}

// Error names the parties of the trace.
func (e *SelectorError) Error() string {
	if e.Pool {
		return "pool " + e.Customer + ": " + e.Words()
	}
	return "customer " + e.Customer + ": " + e.Words()
}

// Words is Error without the customer.
func (e *SelectorError) Words() string {
	text := fmt.Sprintf("the header of %s names no %s %q", e.File, e.What, e.Name)
	switch {
	case len(e.Known) > 0:
		text += ", expected " + strings.Join(e.Known, ", ")
	case e.What == "account":
		text += ": the trace names no accounts"
	default:
		text += ": give its number"
	}
	return text
}

// selectors reads the selectors, and adds the customer Nobody unless a selector takes
// all jobs.
func (w *Replay) selectors() error {
	catchAll := false
	if len(w.options.Of) < len(w.options.Classes) {
		return errors.New("workload: a customer without a selector")
	}
	for i, c := range w.options.Classes {
		if err := bounded(&c); err != nil {
			return err
		}
		s, err := w.selector(w.options.Of[i], c.Name, false)
		if err != nil {
			return err
		}
		w.selected, catchAll = append(w.selected, s), catchAll || s.Selector == nil
	}
	if !catchAll {
		nobody := model.Class{Name: Nobody, Floor: model.Floor{None: true}}
		for slices.ContainsFunc(w.options.Classes, func(c model.Class) bool { return c.Name == nobody.Name }) {
			nobody.Name += " at all"
		}
		w.classes = append(slices.Clone(w.options.Classes), nobody)
	}
	return nil
}

// selector reads the selector of a customer or a pool. A pool that names a partition also
// takes jobs that list it among others, as in "a,b".
func (w *Replay) selector(chosen *model.Selector, owner string, pool bool) (selector, error) {
	s := selector{Selector: chosen}
	if chosen == nil {
		return s, nil
	}
	for _, f := range []struct {
		what    string
		parties []model.Party
		to      *[]int32
	}{
		{"user", s.Users, &s.users}, {"group", s.Groups, &s.groups}, {"queue", s.Queues, &s.queues},
		{"partition", s.Partitions, &s.partitions}, {"account", s.Accounts, &s.accounts},
	} {
		for _, p := range f.parties {
			n, err := w.Party(f.what, p)
			*f.to = append(*f.to, n)
			if pool && f.what == "partition" && !p.IsNumber {
				for list, n := range w.trace.names[f.what] {
					if slices.Contains(strings.Split(list, ","), p.Name) && list != p.Name {
						*f.to, err = append(*f.to, int32(n)), nil
					}
				}
			}
			if unknown := (*SelectorError)(nil); errors.As(err, &unknown) {
				unknown.Customer, unknown.Pool = owner, pool
				return s, unknown
			}
		}
	}
	return s, nil
}

// Pays reports whether any job is worth something.
func (w *Replay) Pays() bool { return slices.Contains(w.pays, true) }
