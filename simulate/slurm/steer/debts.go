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
	foreign              // another party has set its factor
	former               // it waits with its former factor
	ours                 // it waits, and has a factor of ours, or no program shows which
	runs                 // it runs, and no task of it waits; no program shows its factor
	spent                // it has ended, and Slurm knows it still; no program shows or changes its factor
)

// look returns the state of a debt. Of an array it is that of all tasks together.
func (d *Debt) look(l *listing, priorities map[int64]standing) (x state, held bool) {
	var own []record
	for _, r := range l.records[d.Job] {
		if d.owns(r.submit, r.restarts) {
			own = append(own, r)
		}
	}
	switch {
	case len(l.records[d.Job]) == 0:
		return absent, false
	case len(own) == 0:
		return other, false
	}
	waits, run, seen := false, false, len(own)
	for _, r := range own {
		waits, run, held = waits || r.waits, run || r.runs, held || r.waits && r.held
		at, listed := priorities[r.raw]
		switch {
		case !r.waits || !listed || at.fixed:
			seen--
		case at.factor == d.Former:
		case slices.Contains(d.Ours, at.factor):
			x = ours
		default:
			return foreign, held
		}
	}
	switch {
	case waits && x != ours && seen == len(own):
		return former, held
	case waits:
		return ours, held
	case run:
		return runs, false
	}
	return spent, false
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
	if err != nil && (!errors.As(err, &call) || call.Late || denied(err)) {
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
// that the job runs or waits. If a journal of an earlier version says that the queue did not list the job any more, the
// two answers are enough: such journals have thousands of these jobs. Where a program does not answer, nothing is proven
// and the debts stay: accounting that is away ends no run.
func (s *Steerer) gone(ctx context.Context, list []*Debt) (ended []*Debt, err error) {
	var ask []*Debt
	for _, d := range list {
		if d.left {
			ended = append(ended, d)
			continue
		}
		invalid, err := unknown(ctx, s, d.Job)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if invalid && err == nil {
			ask = append(ask, d)
		}
	}
	if !s.Site.Accounting || len(ask) == 0 {
		return append(ended, ask...), nil
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
		if !c.Foreign {
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
		x, held := absent, false
		for _, v := range views {
			if x == absent {
				x, held = d.look(v.listing, v.sprio)
			}
			d.miss(x, v.listing)
		}
		c := Change{Job: number, Former: d.Ours[len(d.Ours)-1], Factor: d.Former, Release: d.Held && held}
		switch x {
		case absent:
			missing = append(missing, d)
			continue
		case other:
			c.Gone = true
		case foreign:
			c.Foreign, c.Release, d.foreign = true, false, true
		case spent:
			c.Spent = true
		case ours, runs:
			c.Unseen = true // until it is seen below
			send = append(send, c)
		case former:
			if c.Release {
				send = append(send, c)
			}
		}
		list = append(list, c)
	}
	wrong, err := s.restore(ctx, send, list)
	if err != nil {
		return list, err
	}
	list, err = s.search(ctx, missing, list)
	done := slices.DeleteFunc(slices.Clone(list), func(c Change) bool { return c.Unseen || c.Missing || c.Spent })
	err = cmp.Or(s.close(done), err)
	if len(wrong) > 0 {
		err = errors.Join(&RestoreError{Jobs: wrong}, err)
	}
	return list, err
}

// view is what Slurm says at a time.
type view struct {
	sprio   map[int64]standing
	listing *listing
}

// views returns what Slurm says, and says again where the first answer lacks a job: one answer may be a wrong one. The
// last comes first.
func (s *Steerer) views(ctx context.Context) ([]view, error) {
	first, err := s.ask(ctx)
	if err != nil {
		return nil, err
	}
	for number := range s.debts {
		if len(first.listing.records[number]) == 0 {
			second, err := s.ask(ctx)
			return []view{second, first}, err
		}
	}
	return []view{first}, nil
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

// restore sends former factors and looks which of them are there; it returns the jobs whose factors are not.
func (s *Steerer) restore(ctx context.Context, send, list []Change) (wrong []int64, err error) {
	if len(send) == 0 {
		return nil, nil
	}
	sent := s.send(ctx, send)
	var call *CallError
	if sent != nil && (!errors.As(sent, &call) || call.Late || denied(sent)) {
		return nil, sent
	}
	v, err := s.ask(ctx)
	if err != nil {
		return nil, errors.Join(err, sent)
	}
	for i := range list {
		c := &list[i]
		if !c.Unseen {
			continue
		}
		d := s.debts[c.Job]
		x, _ := d.look(v.listing, v.sprio)
		c.Unseen = x != former
		for _, r := range v.listing.records[c.Job] {
			at, listed := v.sprio[r.raw]
			if x == ours && r.waits && listed && !at.fixed && at.factor != d.Former && !slices.Contains(wrong, c.Job) {
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
