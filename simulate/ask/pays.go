package ask

import (
	"context"

	"revopt/simulate/run"
	"revopt/simulate/warn"
	"revopt/simulate/workload"
)

// The histories of a log that decide what pays. They are drawn from its weeks, see workload.Resampling: they cover other
// orders of such weeks, weeks that come more often or not at all and other users. They do not cover a trend, nor weeks
// unlike all of the log.
const (
	historyCount  = 100
	historyWeeks  = 8            // that a log has at least
	historyLeast  = 14 * 86400.0 // s, of a history
	historyBudget = 6.5          // s of one processor for the histories of a change, about
	historyMost   = 60.0         // s for those of all changes
)

// pays counts the histories in which a change gains more than it costs.
type pays struct{ in, of int }

// payHistories counts the histories in which changes pay: those that the answer is about, else those that are drawn from
// the weeks of a log. There are none if the log is too short, or if they are not wanted.
func (w *whatIf) payHistories(ctx context.Context) error {
	if w.Resample {
		w.count(w.frame, func(c run.Case) run.Case { return c })
		return nil
	}
	span, ok := w.historySpan(ctx)
	if !ok {
		return nil
	}
	drawn := func(c run.Case) run.Case {
		e, err := w.Lab.Experiment(ctx, c)
		if err == nil && e.Admission.Admit != nil { // it was found on the log
			c.Admission = run.Admission{Name: c.Admission.Name, Admit: e.Admission.Admit}
		}
		c.Detail, c.Jobs = run.Detail{}, run.Jobs{Weeks: true, Span: span}
		return c
	}
	var cases []run.Case
	for _, r := range w.drawable() {
		cases = append(cases, drawn(r.Case))
	}
	f, err := w.Lab.Frame(ctx, cases, historyCount)
	switch {
	case f != nil && ctx.Err() != nil:
		w.noted = append(w.noted, warn.New(warn.Interrupted, "resample").With(float64(f.Replications()), historyCount))
		return ctx.Err()
	case ctx.Err() != nil:
		return ctx.Err()
	case f == nil: // a change that cannot be drawn anew has no histories
		return nil
	case err != nil:
		return err
	}
	w.span = span
	w.count(f, drawn)
	return nil
}

// historySpan returns the length of a history, s, that of the log, or less if all histories would take longer than
// historyBudget for each change, and historyMost in all.
func (w *whatIf) historySpan(ctx context.Context) (span float64, ok bool) {
	s := w.Lab.Subject()
	rows := w.drawable()
	if w.Alone || !s.Logged() || len(rows) == 0 || !w.isPresent(rows[0]) {
		return 0, false
	}
	drawn, err := s.Resample(ctx, &workload.Resampling{})
	if err != nil { // shorter than two weeks
		return 0, false
	}
	replay, ok := drawn.Workload.(*workload.Replay)
	if !ok {
		return 0, false
	}
	span, weeks, _ := replay.Resampled()
	cost := 0.0
	for _, r := range rows {
		cost += historyCount * r.e.Cost()
	}
	if most := min(historyBudget*float64(len(rows)), historyMost); cost > most {
		span = max(min(span, historyLeast*replay.Delay()), span*most/cost)
	}
	return span, weeks >= historyWeeks
}

// drawable returns the rows that histories can be simulated for: rules and prices that were chosen on the log cannot be
// given to other jobs.
func (w *whatIf) drawable() (list []Row) {
	for _, r := range w.Rows {
		if a := r.e.Admission; a.Rule == nil && !a.Priced() && !r.Policy.RepeatsLog() {
			list = append(list, r)
		}
	}
	return list
}

// count counts in how many histories of a frame changes pay. The case of a row there is that which drawn returns.
func (w *whatIf) count(f *run.Frame, drawn func(run.Case) run.Case) {
	now := drawn(w.Rows[w.Present].Case)
	for _, r := range w.Rows {
		then := drawn(r.Case)
		if w.isPresent(r) || !r.compared || !f.Has(now) || !f.Has(then) {
			continue
		}
		column := func(c run.Case) run.Series { return f.Series(c, run.All, w.objective.Column) }
		gain := w.objective.Gain(column(then), column(now))
		lost := f.NotCompleted(then).Less(f.NotCompleted(now))
		p := &pays{of: gain.Len()}
		for k := range p.of {
			x, known := gain.At(k)
			more, _ := lost.At(k)
			partly := w.objective.Smaller && more > 1e-9 // a mean of fewer jobs is no gain
			if known && x > w.of[r.Label].cost && !partly {
				p.in++
			}
		}
		w.of[r.Label].pays = p
	}
}
