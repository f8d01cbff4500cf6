package ask

import (
	"context"

	"revopt/internal/text"
	"revopt/model/scenario"
	"revopt/simulate/run"
	"revopt/simulate/workload"
)

// The histories of a log that decide what can be promised. They are drawn from its weeks, see workload.Resampling: they
// cover other orders of such weeks, weeks that come more often or not at all and other users. They do not cover a trend,
// nor weeks unlike all of the log.
const (
	historyCount  = 100          // of a log
	historyWeeks  = 8            // that a log has at least
	historyLeast  = 14 * 86400.0 // s, of a history
	historyBudget = 6.5          // s of one processor for the histories of a change, about
	historyMost   = 60.0         // s for those of all changes
)

// histories are those that decide what can be promised.
type histories struct {
	*run.Frame                           // nil: there are none
	of         func(c run.Case) run.Case // the case of a row in them
}

// draw returns the histories of promises: those that the answer is about, else those that are drawn from the weeks of a
// log. There are none if the log is too short, or if nobody asks for them.
func (w *whatIf) draw(ctx context.Context) (histories, error) {
	h := histories{w.frame, func(c run.Case) run.Case { return c }}
	if w.promises == nil {
		return histories{}, nil
	}
	if span, ok := w.historySpan(ctx); ok && !w.Resample {
		return w.drawWeeks(ctx, span)
	}
	least := run.PromiseLeast(w.level)
	if n := w.frame.N(w.Rows[w.Present].Case); n > 1 && n < least {
		var err error
		h.Frame, err = w.Lab.Frame(ctx, text.Each(w.Rows, func(r Row) run.Case { return r.Case }), least)
		return h, err
	}
	return h, nil
}

// drawWeeks draws histories from the weeks of a log. A change that cannot be drawn anew has none.
func (w *whatIf) drawWeeks(ctx context.Context, span float64) (h histories, err error) {
	h.of = func(c run.Case) run.Case {
		e, err := w.Lab.Experiment(ctx, c)
		if err == nil && e.Admission.Admit != nil { // it was found on the log
			c.Admission = run.Admission{Name: c.Admission.Name, Admit: e.Admission.Admit}
		}
		c.Detail = run.Detail{Waits: true, Promises: w.promises}
		c.Jobs = run.Jobs{Weeks: true, Span: span}
		return c
	}
	cases := text.Each(w.drawable(), func(r Row) run.Case { return h.of(r.Case) })
	h.Frame, err = w.Lab.Frame(ctx, cases, historyCount)
	return h, err
}

// historySpan returns the length of a history, s, that of the log, or less if all histories would take longer than
// historyBudget for each change, and historyMost in all.
func (w *whatIf) historySpan(ctx context.Context) (span float64, ok bool) {
	s := w.Lab.Subject()
	rows := w.drawable()
	if !s.Logged() || len(rows) == 0 || !w.isPresent(rows[0]) {
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
		if a := r.e.Admission; a.Rule == nil && a.Name != scenario.AdmitPrices && !r.Policy.RepeatsLog() {
			list = append(list, r)
		}
	}
	return list
}
