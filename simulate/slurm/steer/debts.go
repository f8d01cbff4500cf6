package steer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"revopt/internal/text"
)

// undoTime returns how long the restoring of factors may take after a run was told to end, at the pace of updates.
func (s *Steerer) undoTime() time.Duration {
	return time.Minute + 2*time.Duration(len(s.debts))*time.Second/updatesSecond
}

// mostAsked is the number of debts in a pass that are asked for one by one, as Slurm does not list their jobs.
const mostAsked = 50

// state is what Slurm says of the job of a debt.
type state int

const (
	absent  state = iota // the queue does not list it
	other                // another job has its number
	foreign              // another party has set its factor, or those of some tasks, and no other task has ours
	mixed                // another party has set the factors of some tasks, and others have ours
	former               // it waits with its former factor
	ours                 // it waits, and has a factor of ours, or no program shows which
	runs                 // it runs, and no task of it waits; no program shows its factor
	spent                // it has ended, and Slurm knows it still; no program shows or changes its factor
)

// factorOf returns the state of one record of the job of a debt.
func (d *Debt) factorOf(r record, priorities map[int64]standing) state {
	at, listed := priorities[r.raw]
	shown := r.waits && listed && !at.fixed
	switch {
	case !r.waits && !r.runs:
		return spent
	case shown && at.factor == d.Former:
		return former
	case shown && slices.Contains(d.Ours, at.factor):
		return ours
	case shown, d.strange(r.raw):
		return foreign
	case r.runs:
		return runs
	}
	return ours
}

// strange reports whether another party has set the factor of a record, as a look before this one has found. A task that
// was split off has the factor of its array.
func (d *Debt) strange(raw int64) bool {
	return d.foreign && (len(d.others) == 0 || slices.Contains(d.others, raw) || slices.Contains(d.others, d.Job))
}

// own returns the records of the job of a debt.
func (d *Debt) own(l *listing) (list []record) {
	for _, r := range l.records[d.Job] {
		if d.owns(r.submit, r.restarts) {
			list = append(list, r)
		}
	}
	return list
}

// look returns the state of a debt. Of an array it is that of all tasks together.
func (d *Debt) look(l *listing, priorities map[int64]standing) (x state, held bool) {
	own := d.own(l)
	switch {
	case len(l.records[d.Job]) == 0:
		return absent, false
	case len(own) == 0:
		return other, false
	}
	count := map[state]int{}
	waits := false
	for _, r := range own {
		count[d.factorOf(r, priorities)]++
		waits, held = waits || r.waits, held || r.waits && r.held
	}
	switch {
	case count[foreign] > 0 && count[ours]+count[runs] > 0:
		return mixed, held
	case count[foreign] > 0:
		return foreign, held
	case count[former] == len(own):
		return former, held
	case waits:
		return ours, held
	case count[runs] > 0:
		return runs, false
	}
	return spent, false
}

// divide notes which records have factors of another party, and returns what to update so that the others get their
// former factor.
func (d *Debt) divide(v view) (targets []string) {
	var others []int64
	for _, r := range d.own(v.listing) {
		switch d.factorOf(r, v.sprio) {
		case foreign:
			others = append(others, r.raw)
		case ours, runs:
			targets = append(targets, r.targets(d.Job)...)
		}
	}
	d.foreign, d.others = true, others
	return targets
}

// settle restores the factors of jobs that have started since, and ends debts whose jobs are gone. A job that is
// requeued is taken up again. It returns the number of jobs to which former factors were sent.
func (s *Steerer) settle(ctx context.Context, p *Pass) (int, error) {
	var send, ended []Change
	var missing []*Debt
	for _, number := range sorted(s.debts) {
		d := s.debts[number]
		x, _ := d.look(p.listing, p.sprio)
		d.miss(x, p.listing)
		if x != runs {
			d.restored = false
		}
		switch {
		case x == other:
			ended = append(ended, d.gone())
		case x == runs && !d.restored && !d.foreign:
			send = append(send, Change{Job: number, Former: d.Ours[len(d.Ours)-1], Factor: d.Former, Submit: d.Submit})
		case d.absent >= 2 && len(missing) < mostAsked:
			missing = append(missing, d)
		}
	}
	missing, err := s.gone(ctx, missing)
	if err != nil {
		return 0, err
	}
	for _, d := range missing {
		ended = append(ended, d.gone())
	}
	if err := s.close(ended); err != nil || len(send) == 0 {
		return 0, err
	}
	if err := s.note(Record{Kind: KindIntent, Changes: send}); err != nil {
		return 0, err
	}
	err = s.send(ctx, send)
	var call *CallError
	if err != nil && (!errors.As(err, &call) || call.Late || unentitled(err)) {
		return 0, err
	}
	for _, c := range send {
		s.debts[c.Job].restored = err == nil // else the next pass sends it again
	}
	return len(send), nil
}

// miss counts the whole answers in a row that lack the job.
func (d *Debt) miss(x state, l *listing) {
	switch {
	case x != absent:
		d.absent = 0
	case l.whole:
		d.absent++
	}
}

// gone returns the record of a debt whose job is gone.
func (d *Debt) gone() Change {
	return Change{Job: d.Job, Former: d.Former, Factor: d.Former, Gone: true}
}

// gone returns the debts of a list whose jobs are provably gone. Two whole answers of squeue lack all jobs of the list.
// A job is gone if the controller also calls its number invalid and, on a cluster with accounting, sacct does not say
// that the job runs or waits. Where a program does not answer, nothing is proven and the debts stay: accounting that is
// away ends no run.
func (s *Steerer) gone(ctx context.Context, list []*Debt) (ended []*Debt, err error) {
	var ask []*Debt
	for _, d := range list {
		invalid, err := unknown(ctx, s, d.Job)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if invalid && err == nil {
			ask = append(ask, d)
		}
	}
	if !s.Site.Accounting || len(ask) == 0 {
		return ask, nil
	}
	for part := range slices.Chunk(ask, 10*mostAsked) {
		open, err := unended(ctx, s, text.Each(part, func(d *Debt) int64 { return d.Job }))
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			break
		}
		ended = append(ended, slices.DeleteFunc(part, func(d *Debt) bool { return open[d.Job] })...)
	}
	return ended, nil
}

// close ends debts: their factors were seen to be the former ones, or their jobs are gone.
func (s *Steerer) close(list []Change) error {
	if len(list) == 0 {
		return nil
	}
	if err := s.note(Record{Kind: KindUndone, Changes: list}); err != nil {
		return err
	}
	for _, c := range list {
		switch {
		case c.Late:
			s.debts[c.Job].looked = c.Looked
		case !c.Foreign:
			delete(s.debts, c.Job)
		}
	}
	return nil
}

// Undo restores the factors that this run or an earlier one set, where they are still those that it set, and releases
// the jobs that an earlier version held. It returns what it found of each. Of a job that runs, is held or has ended no
// program shows the factor: its debt stays in the journal until it is seen or the job is gone.
func (s *Steerer) Undo(ctx context.Context) (list []Change, err error) {
	if len(s.debts) == 0 {
		return nil, nil
	}
	views, err := s.views(ctx)
	if err != nil {
		return nil, err
	}
	var send []Change
	var missing []*Debt
	for _, number := range sorted(s.debts) {
		d := s.debts[number]
		c, found := s.plan(d, views)
		if !found {
			missing = append(missing, d)
			continue
		}
		if c.Sent || c.Release {
			send = append(send, c)
		}
		list = append(list, c)
	}
	wrong, err := s.restore(ctx, send, list, views[0].listing)
	if err != nil {
		return list, err
	}
	list, err = s.search(ctx, missing, list)
	done := slices.DeleteFunc(slices.Clone(list), func(c Change) bool {
		return c.Unseen || c.Missing || c.Spent || c.Late && c.Looked == s.debts[c.Job].looked
	})
	err = cmp.Or(s.close(done), err)
	if len(wrong) > 0 {
		err = errors.Join(&RestoreError{Jobs: wrong}, err)
	}
	return list, err
}

// plan returns what is to be done about a debt as some views show its job; false if none has it.
func (s *Steerer) plan(d *Debt, views []view) (c Change, found bool) {
	x, held, at := absent, false, views[0]
	d.arrive(views)
	for _, v := range views {
		if x == absent {
			at = v
			x, held = d.look(v.listing, v.sprio)
		}
		d.miss(x, v.listing)
	}
	c = Change{Job: d.Job, Former: d.Ours[len(d.Ours)-1], Factor: d.Former}
	switch x {
	case absent:
		return c, false
	case other:
		c.Gone = true
	case foreign, mixed:
		c.targets = d.divide(at)
		c.Foreign, c.Others, c.Sent = true, d.others, len(c.targets) > 0
	case spent:
		c.Spent = true
	case ours, runs:
		c.Sent, c.Unseen = true, true // until it is seen below
		c.Release = d.Held && held
	case former:
		c.Release = d.Held && held
		c.wait(d, s.now())
	}
	return c, true
}

// lateTime is how long Slurm may take for an update that it has not answered, s.
const lateTime = 60

// arrive notes that an update without an answer was made: a program shows its factor.
func (d *Debt) arrive(views []view) {
	for _, v := range views {
		for _, r := range d.own(v.listing) {
			at, listed := v.sprio[r.raw]
			if listed && !at.fixed && at.factor == d.Ours[len(d.Ours)-1] && at.factor != d.Former {
				d.late = false
			}
		}
	}
}

// wait keeps a debt that was seen with its former factor, if an update without an answer may still be made.
func (c *Change) wait(d *Debt, now float64) {
	if d.late && (d.looked == 0 || now-d.looked < lateTime) {
		c.Late, c.Looked = true, cmp.Or(d.looked, now)
	}
}

// view is what Slurm says at a time.
type view struct {
	sprio   map[int64]standing
	listing *listing
}

// views returns what Slurm says, and says again where the first answer lacks a job or has one row of several of an array:
// one answer may lack a row. The last comes first, and has the rows of arrays that only the first one has.
func (s *Steerer) views(ctx context.Context) ([]view, error) {
	first, err := s.ask(ctx)
	if err != nil {
		return nil, err
	}
	for number := range s.debts {
		list := first.listing.records[number]
		if len(list) > 0 && list[0].tasks == "" {
			continue
		}
		second, err := s.ask(ctx)
		if err != nil {
			return nil, err
		}
		second.listing.keep(first.listing)
		return []view{second, first}, nil
	}
	return []view{first}, nil
}

// keep adds the rows of arrays that an answer before this one has.
func (l *listing) keep(before *listing) {
	for number, list := range before.records {
		for _, r := range list {
			same := func(x record) bool { return x.raw == r.raw }
			if r.tasks != "" && !slices.ContainsFunc(l.records[number], same) {
				l.add(number, r)
			}
		}
	}
}

// ask returns what Slurm says now.
func (s *Steerer) ask(ctx context.Context) (v view, err error) {
	v.sprio, err = readPriorities(ctx, s)
	if err != nil {
		return v, err
	}
	v.listing, err = readQueue(ctx, s)
	return v, err
}

// restore sends former factors and looks which of them are there; it returns the jobs whose factors are not. Before is the
// answer by which they were found.
func (s *Steerer) restore(ctx context.Context, send, list []Change, before *listing) (wrong []int64, err error) {
	if len(send) == 0 {
		return nil, nil
	}
	sent := s.send(ctx, send)
	var call *CallError
	if sent != nil && (!errors.As(sent, &call) || call.Late || unentitled(sent)) {
		return nil, sent
	}
	v, err := s.ask(ctx)
	if err != nil {
		return nil, errors.Join(err, sent)
	}
	v.listing.keep(before)
	for i := range list {
		c := &list[i]
		if !c.Sent {
			continue
		}
		d := s.debts[c.Job]
		x, _ := d.look(v.listing, v.sprio)
		c.Unseen = c.Unseen && x != former
		if x == former {
			d.looked = 0
			c.wait(d, s.now())
		}
		for _, r := range d.own(v.listing) {
			_, shown := v.sprio[r.raw]
			if shown && !v.sprio[r.raw].fixed && d.factorOf(r, v.sprio) == ours && !slices.Contains(wrong, c.Job) {
				wrong = append(wrong, c.Job)
			}
		}
	}
	return wrong, nil
}

// search asks for jobs that the answers of squeue lack, one by one. Those that are not provably gone stay debts.
func (s *Steerer) search(ctx context.Context, missing []*Debt, list []Change) ([]Change, error) {
	ask := slices.DeleteFunc(slices.Clone(missing), func(d *Debt) bool { return d.absent < 2 })
	ended, err := s.gone(ctx, ask)
	for _, d := range missing {
		c := Change{Job: d.Job, Former: d.Ours[len(d.Ours)-1], Factor: d.Former, Missing: true}
		if slices.Contains(ended, d) {
			c = d.gone()
		}
		list = append(list, c)
	}
	return list, err
}

// RestoreError says that factors could not be restored.
type RestoreError struct{ Jobs []int64 }

func (e *RestoreError) Error() string {
	return fmt.Sprintf("site factors of %s could not be restored, first that of job %d: steer --undo tries again",
		text.Plural(len(e.Jobs), "job"), e.Jobs[0])
}
