package steer

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"revopt/internal/text"
	"revopt/simulate"
	"revopt/simulate/metric"
	"revopt/simulate/slurm"
	"revopt/simulate/slurm/queued"
	"revopt/simulate/slurm/switchback"
	"revopt/simulate/subject"
)

// Reasons why a waiting job is left alone.
const (
	LeftArray       = "array"       // tasks of its array were split off, and an update moves them too
	LeftRefused     = "refused"     // Slurm refuses to change it
	LeftUnreadable  = "unreadable"  // its row of squeue cannot be read
	LeftParts       = "parts"       // its parts start together
	LeftReservation = "reservation" // reservations win over any factor
	LeftFactor      = "factor"      // another party has set its factor
	LeftFixed       = "fixed"       // an operator has set its priority, which no factor changes
	LeftNobody      = "nobody"      // no customer of the scenario has it
	LeftPartitions  = "partitions"  // it is in several partitions: one factor, several priorities
	LeftIdle        = "idle"        // it is held, or waits for other jobs or a time
	LeftUnlisted    = "unlisted"    // sprio does not list it: it waits for something else than units
)

// farthest is the largest site factor that Slurm takes, and of priorities.
const (
	farthest        = 2147483645
	largestPriority = math.MaxUint32 - 1
)

// Steerer orders the queue of a cluster.
type Steerer struct {
	Settings Settings
	Slurm    Slurm
	Orderer  *Orderer
	Site     Site
	Units    int                   // of the machine that are up; 0: as many as the scenario says
	Journal  *Journal              // nil: a dry run
	Clock    func() time.Time      // nil: that of the machine
	Rest     func(d time.Duration) // waits between updates; nil: by the clock of the machine

	Reservations *Reservations // of the cluster, as Open finds them
	Relations    Relations     // of its QOS, likewise, see refresh

	configured float64         // when the configuration was last read, Unix seconds
	lacking    map[string]bool // QOS of jobs that the table did not have then

	pass    int
	calls   int
	writes  int // of these calls, with updates
	updates int // sent in this pass
	start   Start
	named   map[string]bool // jobs whose rows cannot be read, which were named
	debts   map[int64]*Debt
	refused map[int64]bool        // jobs of which Slurm has refused a change
	last    *listing              // of the last pass
	known   map[int64]*queued.Job // by number, as classified when they were first seen
	listed  map[int64]float64     // jobs of the last queue, with the time of it
	waited  map[int64]bool        // jobs that some pass has seen waiting
	started map[int64]bool
	trial   *switchback.Plan  // nil: the policy orders the queue all the time
	laid    []switchback.Pair // pairs of the trial that are in the journal
	busy    int               // passes in a row
	failed  int               // likewise
}

// waiting is a job that the policy orders.
type waiting struct {
	*queued.Job
	number int64
	standing
	own     float64 // the priority that Slurm would give it now, without the factor
	overdue bool
	given   bool
	target  int64 // priority
	alone   bool  // it is left alone, and keeps its priority
	// Priorities between which it may be placed, see bound.
	floor, ceiling int64
}

// behind returns by how much the priority of a job grows when its factor changes, as Slurm then computes its age.
func (w *waiting) behind() int64 { return int64(math.Ceil(max(w.own-float64(w.base), 0))) }

// Pass is what one pass sees and would change.
type Pass struct {
	Scenario  string
	Policy    string
	Now       metric.Number // Unix seconds
	Running   int
	Waiting   int            // jobs that the policy orders
	LeftAlone map[string]int // waiting jobs by reason
	Overdue   int
	GivenUp   int
	Pairs     int
	Agree     int // pairs that Slurm has in the order of the policy before the changes
	Changes   []Move
	Cut       int // changes that are left for later passes
	// Unreadable is the jobs whose rows cannot be read and that were not named before.
	Unreadable []string
	Beyond     int    // jobs that no factor within the span brings to their places
	After      *After // absent in a dry run
	Advice     *Advice

	Reservations *Reservations

	queue   []*waiting           // in the order of the policy
	alone   []*waiting           // waiting jobs that are left alone and have a priority
	all     map[*queued.Job]bool // jobs that run or wait for units
	ids     map[int64]bool       // all records that run or wait for anything
	listing *listing
	before  *listing // the list before this one
	sprio   map[int64]standing
}

// After is what a pass has done.
type After struct {
	Changed  int // jobs whose factors are those that were sent
	Pairs    int
	Agree    int
	Restored int // jobs to which their former factors were sent: they run, or a trial has a span without steering
	Requests int // to the controller: each call that reads, and each change
}

// Move is a job that gets another place.
type Move struct {
	Job      int64
	Customer string
	Width    int
	Waited   metric.Number // s
	From     int           // places from 1
	To       int
	Value    metric.Number // $ if it starts now
	Cost     metric.Number // $ that it loses by waiting for another hour
	Overdue  bool
	GivenUp  bool
	Former   int
	Factor   int
	Tasks    int // of an array that wait

	submit float64
}

// ForeignError says that another party has changed a factor that steer set.
type ForeignError struct {
	Job  int64
	Ours int
	Now  int
}

func (e *ForeignError) Error() string {
	return fmt.Sprintf("job %d: its site factor was set to %d by steer and is %d now: another party changes factors",
		e.Job, e.Ours, e.Now)
}

// BusyError says that the controller of the cluster is busy.
type BusyError struct{}

func (*BusyError) Error() string { return "the controller of the cluster is busy" }

// SiteError says that the configuration of a cluster does not let it be steered.
type SiteError struct{ Message string }

func (e *SiteError) Error() string { return e.Message }

func siteErrorf(format string, args ...any) error { return &SiteError{fmt.Sprintf(format, args...)} }

// now returns the time in Unix seconds.
func (s *Steerer) now() float64 {
	clock := s.Clock
	if clock == nil {
		clock = time.Now
	}
	return float64(clock().UnixMilli()) / 1000
}

// Call implements Slurm and counts the calls.
func (s *Steerer) Call(ctx context.Context, input, program string, args ...string) ([]byte, error) {
	s.calls++
	return s.Slurm.Call(ctx, input, program, args...)
}

// Open gets ready to order the queue by a policy: it reads the configuration and the nodes of the cluster. It is an
// error if the cluster cannot be steered.
func (s *Steerer) Open(ctx context.Context, on *subject.Subject, by subject.Policy, seed uint64) (err error) {
	if limit := by.Settings.Limit(); limit != nil && s.Settings.LongestWait == 0 {
		s.Settings.LongestWait = limit.After
	}
	s.Orderer, err = NewOrderer(ctx, on, Inside(by, s.Settings.OrderAll), seed)
	if err != nil {
		return err
	}
	s.Site, err = readSite(ctx, s.Slurm)
	if err != nil {
		return err
	}
	if err := s.checkSite(s.Site); err != nil {
		return err
	}
	s.configured = s.now()
	if err := s.readReservations(ctx); err != nil {
		return err
	}
	s.Relations, err = readRelations(ctx, s.Slurm, s.Site.Preempt)
	if err != nil {
		return err
	}
	nodes, err := readNodes(ctx, s.Slurm)
	if err != nil {
		return err
	}
	s.Units = unitsUp(nodes, on.Unit())
	return checkUnit(on, nodes)
}

// checkSite returns an error if the configuration of the cluster does not let it be steered.
func (s *Steerer) checkSite(site Site) error {
	switch {
	case site.Priorities != "" && site.Priorities != "priority/multifactor":
		return siteErrorf("steer: expected PriorityType=priority/multifactor, got %s: others ignore site factors",
			text.Quote([]byte(site.Priorities)))
	case site.Plugin != "":
		return siteErrorf("steer: expected no PrioritySiteFactorPlugin, got %s: it sets the factors itself",
			text.Quote([]byte(site.Plugin)))
	case s.Settings.LongestWait > 0 && site.Threshold > farthest/2:
		return siteErrorf("steer: expected bf_min_prio_reserve up to %d, such as %d, with --longest-wait, got %d: no "+
			"factor lifts an overdue job above it", farthest/2, aboveWaiting, site.Threshold)
	}
	return nil
}

// Look reads the queue and finds what to change.
func (s *Steerer) Look(ctx context.Context) (*Pass, error) {
	if s.known == nil {
		s.known = map[int64]*queued.Job{}
		s.waited, s.started, s.listed = map[int64]bool{}, map[int64]bool{}, map[int64]float64{}
		s.refused = map[int64]bool{}
		if s.debts == nil {
			s.debts = map[int64]*Debt{}
		}
	}
	priorities, err := readPriorities(ctx, s)
	if err != nil {
		return nil, err
	}
	p := &Pass{Scenario: s.Orderer.Subject.Scenario.Name, Policy: s.Orderer.Policy.Label(), LeftAlone: map[string]int{},
		Changes: []Move{}, Reservations: s.Reservations}
	list, err := s.read(ctx, p, priorities)
	if err != nil {
		return nil, err
	}
	if err := s.foreign(p); err != nil {
		return nil, err
	}
	if err := s.refresh(ctx, slices.Concat(list, p.alone)); err != nil {
		return nil, err
	}
	p.queue, err = s.sort(ctx, list, p.alone, float64(p.Now))
	if err != nil {
		return nil, err
	}
	p.Waiting = len(p.queue)
	s.target(p)
	p.Pairs, p.Agree = agreeing(p.queue, func(a, b *waiting) int { return before(a.number, b.number, a.priority, b.priority) })
	s.moves(p)
	return p, nil
}

// before orders two jobs as Slurm does: by priority, then by number.
func before(a, b, priorityA, priorityB int64) int {
	return cmp.Or(cmp.Compare(priorityB, priorityA), cmp.Compare(a, b))
}

// read reads the queue and returns the jobs that the policy orders.
func (s *Steerer) read(ctx context.Context, p *Pass, priorities map[int64]standing) (list []*waiting, err error) {
	p.sprio = priorities
	if err := s.list(ctx, p); err != nil {
		return nil, err
	}
	now := s.now()
	p.Now = metric.Number(now)
	p.ids = map[int64]bool{}
	jobs, err := s.classify(p.listing.Jobs, now)
	if err != nil {
		return nil, err
	}
	p.all = map[*queued.Job]bool{}
	for _, records := range p.listing.records {
		for _, x := range records {
			if x.waits || x.runs {
				p.ids[x.raw] = true
			}
		}
	}
	for _, j := range jobs {
		p.all[j] = true
		if j.Queued.Running {
			p.Running++
			continue
		}
		at, listed := priorities[j.Queued.Raw]
		if why := s.left(p, j, at, listed); why != "" {
			p.LeftAlone[why]++
			p.leave(j, at, listed)
			continue
		}
		list = append(list, &waiting{Job: j, number: j.Queued.Number, standing: at})
	}
	s.others(p)
	return list, nil
}

// list reads the queue. A run keeps the list of its last pass, and its first pass reads two: an array whose tasks are
// together in one list alone is left alone, as a row that is missing for once may be that of a task which was split off.
func (s *Steerer) list(ctx context.Context, p *Pass) (err error) {
	p.before = s.last
	if p.before == nil {
		p.before, err = readQueue(ctx, s)
		if err != nil {
			return err
		}
	}
	p.listing, err = readQueue(ctx, s)
	s.last = p.listing
	return err
}

// leave keeps a waiting job that is left alone, once for each priority that it has, if sprio lists it.
func (p *Pass) leave(j *queued.Job, at standing, listed bool) {
	if !listed {
		return
	}
	for _, priority := range append([]int64{at.priority}, at.lower...) {
		w := &waiting{Job: j, number: j.Queued.Number, standing: at, alone: true}
		w.priority = priority
		p.alone = append(p.alone, w)
	}
}

// left returns the reason why a waiting job is left alone, "" if it is not.
func (s *Steerer) left(p *Pass, j *queued.Job, at standing, listed bool) string {
	debt := s.debts[j.Queued.Number]
	if debt != nil && !debt.owns(j.Queued.Submit, j.Queued.Restarts) {
		debt = nil // another job has its number now
	}
	switch {
	case j.Unsized:
		return LeftUnreadable
	case j.Queued.Parts:
		return LeftParts
	case j.Queued.Array > 0 && !(p.listing.together(j.Queued) && p.before.together(j.Queued)):
		return LeftArray
	case j.Queued.Reservation != "":
		return LeftReservation
	case j.Stray || j.Homeless:
		return LeftNobody
	case !listed:
		return LeftUnlisted
	case at.fixed:
		return LeftFixed
	case debt == nil && at.factor != 0, debt != nil && debt.foreign:
		return LeftFactor
	case s.refused[j.Queued.Number]:
		return LeftRefused
	case at.several || strings.Contains(j.Queued.Partition, ","):
		return LeftPartitions
	}
	return ""
}

// together reports whether all waiting tasks of the array of a job share its record. An update by the number of the
// array moves those that were split off too, of which some are held, or have factors of other parties.
func (l *listing) together(x slurm.QueuedJob) bool {
	if len(l.records[x.Number]) == 0 {
		return false
	}
	for _, other := range l.records[x.Number] {
		if other.waits && other.raw != x.Raw {
			return false
		}
	}
	return x.Raw == x.Number
}

// others counts the jobs that are not in the queue of the policy: those that do not wait for units, and rows that cannot
// be read, each of which is named once.
func (s *Steerer) others(p *Pass) {
	if s.named == nil {
		s.named = map[string]bool{}
	}
	if p.listing.Idle > 0 {
		p.LeftAlone[LeftIdle] = p.listing.Idle
	}
	for _, id := range p.listing.Unreadable {
		p.LeftAlone[LeftUnreadable]++
		if !s.named[id] {
			s.named[id] = true
			p.Unreadable = append(p.Unreadable, id)
		}
	}
}

// foreign returns an error if another party has changed a factor of ours.
func (s *Steerer) foreign(p *Pass) error {
	for _, number := range sorted(s.debts) {
		d := s.debts[number]
		for _, x := range p.listing.records[number] {
			at, ok := p.sprio[x.raw]
			if ok && x.waits && !at.fixed && !d.foreign && d.owns(x.submit, x.restarts) && !slices.Contains(d.Ours, at.factor) {
				return &ForeignError{Job: number, Ours: d.Ours[len(d.Ours)-1], Now: at.factor}
			}
		}
	}
	return nil
}

// sorted returns the keys of a map in order.
func sorted[V any](m map[int64]V) []int64 {
	list := make([]int64, 0, len(m))
	for key := range m {
		list = append(list, key)
	}
	slices.Sort(list)
	return list
}

// moves lists the jobs that get another factor, from the head of the queue on, at most as many as a pass may change.
func (s *Steerer) moves(p *Pass) {
	present := slices.Clone(p.queue)
	slices.SortFunc(present, func(a, b *waiting) int { return before(a.number, b.number, a.priority, b.priority) })
	from := map[int64]int{}
	for i, w := range present {
		from[w.number] = i + 1
	}
	for i, w := range p.queue {
		p.Overdue += int(metric.Indicator(w.overdue))
		p.GivenUp += int(metric.Indicator(w.given))
		if w.target == w.priority {
			continue
		}
		if most := s.most(); most > 0 && len(p.Changes) == most {
			p.Cut++
			continue
		}
		now := float64(p.Now)
		end := now - w.Queued.Submit + w.Work
		value := w.Value.At(end)
		p.Changes = append(p.Changes, Move{
			Job: w.number, Customer: s.customer(w.Job), Width: w.Width, Waited: metric.Number(now - w.Queued.Submit),
			From: from[w.number], To: i + 1, Value: metric.Number(value),
			Cost:    metric.Number(value - w.Value.At(end+metric.Hour)),
			Overdue: w.overdue, GivenUp: w.given, Former: w.factor, Factor: int(w.target - w.base),
			Tasks: w.Queued.Tasks, submit: w.Queued.Submit,
		})
	}
}

// most returns how many changes a pass may make, 0 if any number: no more than can be sent until the next pass, which
// looks again at what is most urgent.
func (s *Steerer) most() int {
	most := s.Settings.Changes
	if s.Settings.Every > 0 && s.Journal != nil {
		paced := int(max(math.Ceil(updatesSecond*s.Settings.Every), updatesSecond))
		if most == 0 || paced < most {
			most = paced
		}
	}
	return most
}

// customer returns the name of the customer of a job, "" if it has none.
func (s *Steerer) customer(j *queued.Job) string {
	if j.Stray {
		return ""
	}
	return s.Orderer.Subject.Workload.Customers()[j.Class].Name
}

// classify returns the jobs of a queue as jobs of the scenario. A job stays what it was when it was first seen, since
// some customers get their jobs by lot.
func (s *Steerer) classify(queue []slurm.QueuedJob, now float64) ([]*queued.Job, error) {
	var fresh []slurm.QueuedJob
	for _, x := range queue {
		if s.known[x.Raw] == nil {
			fresh = append(fresh, x)
		}
	}
	reader := &queued.Queue{Command: "steer", Subject: s.Orderer.Subject, Seed: s.Orderer.Seed, File: "squeue",
		Now: now, At: now, Lenient: true}
	made, err := reader.Jobs(fresh, func(j *simulate.Job) float64 { return cmp.Or(j.Spec.Details.Estimate, s.Orderer.mean) })
	if err != nil {
		return nil, err
	}
	for i := range made {
		s.known[made[i].Queued.Raw] = &made[i]
	}
	list := make([]*queued.Job, 0, len(queue))
	for _, x := range queue {
		j := s.known[x.Raw]
		j.Queued = x
		list = append(list, j)
	}
	return list, nil
}
