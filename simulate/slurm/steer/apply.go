package steer

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"revopt/internal/text"
	"revopt/simulate/slurm/queued"
)

// undoTime is how long the restoring of factors may take after a run was told to end.
const undoTime = 30 * time.Second

// busyPasses is the number of passes in a row that meet a busy controller before a run ends.
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

// Begin notes that the run begins.
func (s *Steerer) Begin(start Start) error {
	start.Cluster, start.Reservations = s.Site.Cluster, s.Reservations
	return s.note(Record{Kind: KindStart, Start: &start})
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
// factors. A single pass leaves its changes: they are what was asked for.
func (s *Steerer) Run(ctx context.Context, tell func(*Pass)) error {
	err := s.passes(ctx, tell)
	if s.Settings.Every == 0 && err == nil {
		return s.End("one pass")
	}
	reason := "stopped"
	if err != nil && ctx.Err() == nil {
		reason = err.Error()
	}
	if ctx.Err() != nil {
		err = nil
	}
	within, stop := context.WithTimeout(context.WithoutCancel(ctx), undoTime)
	defer stop()
	_, failed := s.Undo(within)
	if failed != nil { // without the record of an end, the next start and the watchdog restore the factors
		return errors.Join(err, failed)
	}
	return errors.Join(err, s.End(reason))
}

// passes makes passes.
func (s *Steerer) passes(ctx context.Context, tell func(*Pass)) error {
	for {
		p, err := s.Step(ctx)
		var busy *BusyError
		switch {
		case errors.As(err, &busy) && s.Settings.Every > 0 && s.busy < busyPasses:
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

// Step makes one pass.
func (s *Steerer) Step(ctx context.Context) (*Pass, error) {
	begin := time.Now()
	s.pass++
	s.calls = 0
	beat := &Beat{}
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
	if err := s.follow(p, beat); err != nil {
		return nil, err
	}
	after := &After{Pairs: p.Pairs, Agree: p.Agree}
	if len(p.Changes) > 0 {
		after, err = s.apply(ctx, p)
		if err != nil {
			return nil, err
		}
	}
	p.After = after
	beat.Waiting, beat.Overdue, beat.Given = p.Waiting, p.Overdue, p.GivenUp
	for _, n := range p.LeftAlone {
		beat.Left += n
	}
	beat.Changed, beat.Cut, beat.Pairs, beat.Agree = after.Changed, p.Cut, after.Pairs, after.Agree
	beat.Seconds = time.Since(begin).Seconds()
	beat.Calls = s.calls
	return p, s.note(Record{Kind: KindPass, Beat: beat})
}

// apply makes the changes of a pass: the journal has them before they are sent, and what came of them afterwards.
func (s *Steerer) apply(ctx context.Context, p *Pass) (*After, error) {
	changes := make([]Change, len(p.Changes))
	for i, m := range p.Changes {
		changes[i] = Change{Job: m.Job, Former: m.Former, Factor: m.Factor, Hold: m.Hold, Submit: m.submit}
		if d := s.debts[m.Job]; d != nil {
			changes[i].Submit = d.Submit
		}
	}
	if err := s.note(Record{Kind: KindIntent, Changes: changes}); err != nil {
		return nil, err
	}
	s.owe(changes)
	sent := send(ctx, s, changes)
	var call *CallError
	if sent != nil && (!errors.As(sent, &call) || call.Late || ctx.Err() != nil) {
		return nil, sent
	}
	priorities, err := readPriorities(ctx, s)
	if err != nil {
		return nil, err
	}
	var made []Change
	for _, c := range changes {
		at, waits := priorities[c.Job]
		if waits && at.factor == c.Factor || c.Hold && !waits {
			made = append(made, c)
			s.debts[c.Job].Ours = []int{c.Factor}
		}
	}
	if len(made) == 0 && sent != nil { // all failed: it may not set factors
		return nil, sent
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
	return after, s.note(Record{Kind: KindResult, Changes: made})
}

// owe notes changes as debts.
func (s *Steerer) owe(changes []Change) {
	for _, d := range Debts([]Record{{Kind: KindIntent, Changes: changes}}) {
		old := s.debts[d.Job]
		if old == nil {
			s.debts[d.Job] = &d
			continue
		}
		old.Ours = append(old.Ours, d.Ours...)
		old.Held = old.Held || d.Held
	}
}

// follow writes what became of jobs since the last pass: those that are new, those that run, those that are gone.
func (s *Steerer) follow(p *Pass, beat *Beat) error {
	var seen []Seen
	var began, gone []Moment
	now := float64(p.Now)
	left := map[*queued.Job]bool{}
	for _, w := range p.queue {
		left[w.Job] = true
	}
	oldest := map[[2]int]*waiting{} // of a family, of those seen before
	for _, w := range p.queue {
		family := [2]int{w.Class, w.Width}
		if s.waited[w.number] && !w.given && (oldest[family] == nil || older(w, oldest[family]) < 0) {
			oldest[family] = w
		}
	}
	for number, j := range s.known {
		if !p.all[j] {
			continue
		}
		if s.listed[number] == 0 && !s.waited[number] && !s.started[number] {
			seen = append(seen, s.seen(number, j, left[j]))
		}
		if j.Queued.Running && !s.started[number] {
			began = append(began, Moment{Job: number, At: j.Queued.Start})
			s.started[number] = true
			first := oldest[[2]int{j.Class, j.Width}]
			if first != nil && older(first, &waiting{Job: j, number: number}) < 0 {
				if s.waited[number] {
					beat.Overtook++
				} else {
					beat.Newer++
				}
			}
		}
		if !j.Queued.Running {
			s.waited[number] = true
			delete(s.started, number) // it may have been requeued
		}
	}
	for number := range p.ids {
		if s.known[number] != nil {
			s.listed[number] = now
		}
	}
	for number, at := range s.listed {
		if !p.ids[number] {
			gone = append(gone, Moment{Job: number, At: at})
			delete(s.listed, number)
			delete(s.known, number)
			delete(s.waited, number)
			delete(s.started, number)
			delete(s.debts, number)
		}
	}
	byNumber := func(a, b Moment) int { return int(a.Job - b.Job) }
	slices.SortFunc(seen, func(a, b Seen) int { return int(a.Job - b.Job) })
	slices.SortFunc(began, byNumber)
	slices.SortFunc(gone, byNumber)
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

// Undo restores the factors that this run or an earlier one set, where they are still those that it set, and releases
// the jobs that it held. It returns what it found of each.
func (s *Steerer) Undo(ctx context.Context) ([]Change, error) {
	if len(s.debts) == 0 {
		return nil, nil
	}
	priorities, err := readPriorities(ctx, s)
	if err != nil {
		return nil, err
	}
	pending, err := pendingJobs(ctx, s)
	if err != nil {
		return nil, err
	}
	var list, sent []Change
	for _, number := range sorted(s.debts) {
		d := s.debts[number]
		c := Change{Job: number, Former: d.Former, Factor: d.Ours[len(d.Ours)-1]}
		at, listed := priorities[number]
		job, waits := pending[number]
		restore := Change{Job: number, Former: c.Factor, Factor: d.Former, Release: d.Held && job.held}
		switch {
		case !waits || !d.owns(job.submit, job.restarts): // another job may have its number
			c.Ended = true
			restore.Release = false
		case at.fixed: // sprio does not show its factor
			sent = append(sent, restore)
		case listed && at.factor == d.Former:
			c.Factor = at.factor
		case listed && !slices.Contains(d.Ours, at.factor):
			c.Foreign = true
			c.Factor = at.factor
		default: // a job that sprio does not list has the factor still, as nothing but an operator changes it
			sent = append(sent, restore)
		}
		c.Release = restore.Release
		list = append(list, c)
	}
	if err := s.restore(ctx, sent); err != nil {
		return list, err
	}
	clear(s.debts)
	return list, s.note(Record{Kind: KindUndone, Changes: list})
}

// RestoreError says that factors could not be restored.
type RestoreError struct{ Jobs []int64 }

func (e *RestoreError) Error() string {
	return fmt.Sprintf("site factors of %s could not be restored, first that of job %d: steer --undo tries again",
		text.Plural(len(e.Jobs), "job"), e.Jobs[0])
}

// restore sends former factors, and looks whether they are there.
func (s *Steerer) restore(ctx context.Context, changes []Change) error {
	if len(changes) == 0 {
		return nil
	}
	err := send(ctx, s, changes)
	var call *CallError
	if err != nil && (!errors.As(err, &call) || call.Late) {
		return err
	}
	priorities, failed := readPriorities(ctx, s)
	if failed != nil {
		return failed
	}
	var wrong []int64
	for _, c := range changes {
		if at, waits := priorities[c.Job]; waits && !at.fixed && at.factor != c.Factor {
			wrong = append(wrong, c.Job)
		}
	}
	if len(wrong) > 0 {
		return errors.Join(&RestoreError{Jobs: wrong}, err)
	}
	return nil
}
