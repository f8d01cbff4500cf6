package steer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"revopt/internal/text"
	"revopt/simulate/slurm/queued"
)

// busyPasses is the number of passes in a row that meet a busy controller, or get no whole answer, before a run ends.
const busyPasses = 3

// Recover takes over what the journal says of earlier runs. Where the last one did not end in order, it restores what
// that left; where that was a single pass, this run goes on from there.
func (s *Steerer) Recover(ctx context.Context, records []Record) (undone []Change, err error) {
	if err := s.Owe(ctx, records); err != nil {
		return nil, err
	}
	if n := len(records); n > 0 && records[n-1].Kind != KindStop {
		undone, err = s.Undo(ctx)
	}
	return undone, err
}

// Begin notes that the run begins, and the next pair of its trial.
func (s *Steerer) Begin(start Start) error {
	start.Cluster, start.Reservations, start.Format = s.Site.Cluster, s.Reservations, journalFormat
	start.Trial = s.trial
	s.start = start
	return cmp.Or(s.note(Record{Kind: KindStart, Start: &start}), s.lay())
}

// End notes that the run ends.
func (s *Steerer) End(reason string) error { return s.note(Record{Kind: KindStop, Reason: reason}) }

// ClusterError says that a journal has factors of another cluster.
type ClusterError struct{ Journal, Now string }

func (e *ClusterError) Error() string {
	return fmt.Sprintf("the journal has site factors of the cluster %s, and this is %s: nothing was changed",
		text.Quote([]byte(e.Journal)), text.Quote([]byte(e.Now)))
}

// Owe takes over the debts of a journal. It is an error if they are of another cluster.
func (s *Steerer) Owe(ctx context.Context, records []Record) (err error) {
	s.debts = map[int64]*Debt{}
	for _, d := range Debts(records) {
		if d.Cluster != "" && s.Site.Cluster == "" {
			s.Site, err = readSite(ctx, s.Slurm)
			if err != nil {
				return err
			}
		}
		if d.Cluster != "" && s.Site.Cluster != "" && d.Cluster != s.Site.Cluster {
			clear(s.debts)
			return &ClusterError{Journal: d.Cluster, Now: s.Site.Cluster}
		}
		s.debts[d.Job] = &d
	}
	return nil
}

// note writes a record.
func (s *Steerer) note(r Record) error {
	r.Time = s.now()
	r.Pass = s.pass
	return s.Journal.Append(r)
}

// Run makes passes until the context ends, one if there is no time between them. It tells of each. Then it restores all
// factors, and returns what it found of each. A single pass leaves its changes: they are what was asked for.
func (s *Steerer) Run(ctx context.Context, tell func(*Pass)) (undone []Change, err error) {
	err = s.loop(ctx, tell)
	if s.Settings.Every == 0 && err == nil {
		return nil, s.End("one pass")
	}
	reason := "stopped"
	if err != nil && ctx.Err() == nil {
		reason = err.Error()
	}
	if ctx.Err() != nil {
		err = nil
	}
	within, stop := context.WithTimeout(context.WithoutCancel(ctx), s.undoTime())
	defer stop()
	undone, failed := s.Undo(within)
	if failed != nil { // without the record of an end, the next start and the watchdog restore the factors
		return undone, errors.Join(err, failed)
	}
	return undone, errors.Join(err, s.End(reason))
}

// loop makes passes.
func (s *Steerer) loop(ctx context.Context, tell func(*Pass)) error {
	for {
		p, err := s.Step(ctx)
		switch {
		case err != nil && s.mayPass(err) && ctx.Err() == nil:
		case err != nil:
			return err
		default:
			tell(p)
		}
		if s.Settings.Every == 0 {
			return nil
		}
		pause := time.NewTimer(time.Duration(s.Settings.Every * float64(time.Second)))
		select {
		case <-ctx.Done():
			pause.Stop()
			return ctx.Err()
		case <-pause.C:
		}
	}
}

// mayPass reports whether a run goes on after an error of a pass. A busy controller, and a program that gives no whole
// answer, may be over at the next pass; after busyPasses of them in a row the run ends.
func (s *Steerer) mayPass(err error) bool {
	var busy *BusyError
	var call *CallError
	var rights *RightsError
	var unmade *UnmadeError
	var unrestored *RestoreError
	switch {
	case s.Settings.Every == 0 || errors.As(err, &rights):
		return false
	case errors.As(err, &busy):
		return s.busy < busyPasses
	case errors.As(err, &call), errors.As(err, &unmade), errors.As(err, &unrestored):
		s.failed++
		return s.failed < busyPasses && s.note(Record{Kind: KindPass, Beat: &Beat{Failed: true}}) == nil
	}
	return false
}

// Step makes one pass.
func (s *Steerer) Step(ctx context.Context) (*Pass, error) {
	begin := time.Now()
	s.pass++
	s.calls, s.writes, s.updates = 0, 0, 0
	beat := &Beat{}
	if err := s.lay(); err != nil {
		return nil, err
	}
	tooBusy, err := busy(ctx, s)
	if err != nil {
		return nil, err
	}
	if tooBusy {
		s.busy++
		beat.Busy = true
		beat.Calls = s.calls
		return nil, errors.Join(&BusyError{}, s.note(Record{Kind: KindPass, Beat: beat}))
	}
	s.busy = 0
	p, err := s.Look(ctx)
	if err != nil {
		return nil, err
	}
	if err := s.follow(p); err != nil {
		return nil, err
	}
	beat.Restored, err = s.settle(ctx, p)
	if err != nil {
		return nil, err
	}
	after := &After{Pairs: p.Pairs, Agree: p.Agree}
	beat.Off = s.off(float64(p.Now))
	switch {
	case beat.Off:
		restored := 0
		restored, err = s.release(ctx, p)
		beat.Restored += restored
		p.Changes, p.Cut, after = nil, 0, &After{}
	case len(p.Changes) > 0:
		after, err = s.apply(ctx, p)
	}
	if err != nil {
		return nil, err
	}
	p.After = after
	beat.Waiting, beat.Overdue, beat.Given = p.Waiting, p.Overdue, p.GivenUp
	for _, n := range p.LeftAlone {
		beat.Left += n
	}
	beat.Changed, beat.Cut, beat.Pairs, beat.Agree = after.Changed, p.Cut, after.Pairs, after.Agree
	beat.Seconds = time.Since(begin).Seconds()
	beat.Calls, beat.Requests = s.calls, s.requests()
	after.Restored, after.Requests = beat.Restored, beat.Requests
	s.failed = 0
	if err := s.note(Record{Kind: KindPass, Beat: beat}); err != nil {
		return nil, err
	}
	return p, s.rotate()
}

// requests returns what the controller was asked in this pass: each call that reads is one, and so is each update.
func (s *Steerer) requests() int { return s.calls - s.writes + s.updates }

// rotate begins the journal anew if it is long: its first record has how the run was started, and all debts.
func (s *Steerer) rotate() error {
	if !s.Journal.Full() {
		return nil
	}
	start := s.start
	first := Record{Kind: KindTaken, Time: s.now(), Pass: s.pass, Start: &start, Pairs: s.laid[max(len(s.laid)-1, 0):]}
	for _, number := range sorted(s.debts) {
		first.Changes = append(first.Changes, s.debts[number].change())
	}
	return s.Journal.Rotate(first)
}

// UnmadeError says that Slurm did not make changes and did not say so.
type UnmadeError struct {
	Jobs  []int64
	Sent  int   // changes
	Cause error // what scontrol said; nil: nothing
}

func (e *UnmadeError) Error() string {
	words := fmt.Sprintf("scontrol has not made %d of %s, first that of job %d", len(e.Jobs),
		text.Plural(e.Sent, "change"), e.Jobs[0])
	if e.Cause != nil {
		words += ": " + e.Cause.Error()
	}
	return words
}

func (e *UnmadeError) Unwrap() error { return e.Cause }

// apply makes the changes of a pass: the journal has them before they are sent, and what came of them afterwards.
func (s *Steerer) apply(ctx context.Context, p *Pass) (*After, error) {
	changes := make([]Change, len(p.Changes))
	for i, m := range p.Changes {
		changes[i] = Change{Job: m.Job, Former: m.Former, Factor: m.Factor, Submit: m.submit}
		if d := s.debts[m.Job]; d != nil {
			changes[i].Submit = d.Submit
		}
	}
	if err := s.note(Record{Kind: KindIntent, Changes: changes}); err != nil {
		return nil, err
	}
	s.owe(changes)
	sent := s.send(ctx, changes)
	var call *CallError
	if sent != nil && (!errors.As(sent, &call) || call.Late || ctx.Err() != nil || unentitled(sent)) {
		return nil, sent
	}
	priorities, err := readPriorities(ctx, s)
	if err != nil {
		return nil, err
	}
	var made, not []Change
	for _, c := range changes {
		at, waits := priorities[c.Job]
		switch {
		case waits && !at.fixed && at.factor == c.Factor:
			made = append(made, c)
		case waits && !at.fixed:
			not = append(not, c)
		}
	}
	if sent != nil {
		not, err = s.retry(ctx, not)
		if err != nil {
			return nil, err
		}
	}
	after := &After{Changed: len(made)}
	var order []*waiting
	for _, w := range p.queue {
		if at, waits := priorities[w.number]; waits {
			w.priority = at.priority
			order = append(order, w)
		}
	}
	after.Pairs, after.Agree = agreeing(order, func(a, b *waiting) int {
		return before(a.number, b.number, a.priority, b.priority)
	})
	if err := s.note(Record{Kind: KindResult, Changes: made}); err != nil {
		return nil, err
	}
	for _, c := range changes {
		s.debts[c.Job].late = false
	}
	if len(not) > 0 {
		return nil, &UnmadeError{Jobs: text.Each(not, func(c Change) int64 { return c.Job }), Sent: len(changes), Cause: sent}
	}
	return after, nil
}

// mostRetried is the number of changes that are sent again one by one.
const mostRetried = 10

// retry sends changes again one by one, if they are few, and returns those that are left. Slurm refuses to change some
// jobs, such as those of scrontab: these are left alone from then on, and do not end the run.
func (s *Steerer) retry(ctx context.Context, changes []Change) (left []Change, err error) {
	if len(changes) > mostRetried {
		return changes, nil
	}
	for _, c := range changes {
		err := s.sendPart(ctx, []Change{c})
		var call *CallError
		switch {
		case err == nil:
		case !errors.As(err, &call) || call.Late:
			return nil, err
		default:
			s.refused[c.Job] = true
		}
	}
	return nil, nil
}

// owe notes changes as debts.
func (s *Steerer) owe(changes []Change) {
	for _, d := range Debts([]Record{{Kind: KindIntent, Changes: changes}}) {
		old := s.debts[d.Job]
		if old == nil {
			d.Cluster = s.Site.Cluster
			s.debts[d.Job] = &d
			continue
		}
		old.set(d.Ours[len(d.Ours)-1])
		old.restored, old.late, old.looked = false, d.late, 0
	}
}

// follow writes what became of jobs since the last pass: those that are new, those that run, those that are gone.
func (s *Steerer) follow(p *Pass) error {
	var seen []Seen
	var began []Moment
	steered := map[*queued.Job]bool{}
	for _, w := range p.queue {
		steered[w.Job] = true
	}
	for number, j := range s.known {
		if !p.all[j] {
			continue
		}
		if s.listed[number] == 0 && !s.waited[number] && !s.started[number] {
			seen = append(seen, s.seen(number, j, steered[j]))
		}
		if j.Queued.Running && !s.started[number] {
			began = append(began, Moment{Job: number, At: j.Queued.Start})
			s.started[number] = true
		}
		if !j.Queued.Running {
			s.waited[number] = true
			delete(s.started, number) // it may have been requeued
		}
	}
	slices.SortFunc(seen, func(a, b Seen) int { return cmp.Compare(a.Job, b.Job) })
	slices.SortFunc(began, byJob)
	gone := s.vanished(p)
	var err error
	if len(seen) > 0 {
		err = s.note(Record{Kind: KindSeen, Seen: seen})
	}
	if len(began) > 0 && err == nil {
		err = s.note(Record{Kind: KindStarted, Started: began})
	}
	if len(gone) > 0 && err == nil {
		err = s.note(Record{Kind: KindGone, Gone: gone})
	}
	return err
}

// byJob orders moments by the numbers of jobs.
func byJob(a, b Moment) int { return cmp.Compare(a.Job, b.Job) }

// vanished forgets the jobs that the queue does not list any more, and returns when it listed them last.
func (s *Steerer) vanished(p *Pass) (gone []Moment) {
	for number := range p.ids {
		if s.known[number] != nil {
			s.listed[number] = float64(p.Now)
		}
	}
	for number, at := range s.listed {
		if !p.ids[number] {
			gone = append(gone, Moment{Job: number, At: at})
			delete(s.listed, number)
			delete(s.known, number)
			delete(s.waited, number)
			delete(s.started, number)
		}
	}
	slices.SortFunc(gone, byJob)
	return gone
}

// seen returns a job as the journal describes it.
func (s *Steerer) seen(number int64, j *queued.Job, steered bool) Seen {
	q := j.Queued
	for _, word := range []*string{&q.User, &q.Account, &q.QOS, &q.Partition} {
		if *word == "(null)" || *word == "N/A" {
			*word = ""
		}
	}
	x := Seen{Job: number, Customer: s.customer(j), Width: j.Width, Submit: q.Submit, Limit: q.Limit, User: q.User,
		Account: q.Account, QOS: q.QOS, Partition: q.Partition}
	if !steered && !q.Running {
		x.LeftAlone = true
	}
	return x
}
