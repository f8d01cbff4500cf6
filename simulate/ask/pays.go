package ask

import (
	"context"

	"revopt/internal/text"
	"revopt/model/scenario"
	"revopt/simulate/metric"
	"revopt/simulate/run"
	"revopt/simulate/workload"
)

// The histories of a log that decide what pays. They are drawn from its weeks, see workload.Resampling: they cover other
// orders of such weeks, weeks that come more often or not at all and other users. They do not cover a trend, nor weeks
// unlike all of the log.
const (
	historyCount  = 100          // at most: histories of a change stop once they say whether it pays in most of them
	historyFirst  = 10           // before the first look at that
	historyWeeks  = 8            // that a log has at least
	historyLeast  = 14 * 86400.0 // s, of a history
	historyBudget = 6.5          // s of one processor for the histories of a change, about
	historyMost   = 60.0         // s for those of all changes
)

// pays counts the histories in which a change gains more than it costs.
type pays struct{ in, of int }

// histories are those that decide what pays and what can be promised.
type histories struct {
	*run.Frame                           // nil: there are none
	of         func(c run.Case) run.Case // the case of a row in them
	drawn      bool                      // from the weeks of a log: they count what pays
	span       float64                   // s, of each; 0: as asked for
}

// draw returns the histories: those that the answer is about, else those that are drawn from the weeks of a log. There
// are none if the log is too short, or if nobody asks for them. A promise has as many as it needs.
func (w *whatIf) draw(ctx context.Context) (histories, error) {
	as := func(c run.Case) run.Case { return c }
	h := histories{w.frame, as, w.Resample, 0}
	asked := w.promises != nil || !w.payless
	span, ok := w.historySpan(ctx)
	switch {
	case ok && asked && !w.Resample:
		w.doing("simulating other histories")
		return w.drawWeeks(ctx, span)
	case w.promises == nil:
		return h, nil
	}
	least := run.PromiseLeast(w.level)
	if n := w.frame.N(w.Rows[w.Present].Case); n > 1 && n < least {
		var err error
		h.Frame, err = w.Lab.Frame(ctx, text.Each(w.Rows, func(r Row) run.Case { return r.Case }), least)
		return h, err
	}
	return h, nil
}

// drawWeeks draws histories from the weeks of a log, of each change until the sign test says, as a rule to stop does, in
// which half of all histories it pays. A change that cannot be drawn anew has none.
func (w *whatIf) drawWeeks(ctx context.Context, span float64) (histories, error) {
	h := histories{drawn: true, span: span}
	h.of = func(c run.Case) run.Case {
		e, err := w.Lab.Experiment(ctx, c)
		if err == nil && e.Admission.Admit != nil { // it was found on the log
			c.Admission = run.Admission{Name: c.Admission.Name, Admit: e.Admission.Admit}
		}
		c.Detail = run.Detail{Waits: w.promises != nil, Promises: w.promises}
		c.Jobs = run.Jobs{Weeks: true, Span: span}
		return c
	}
	rows := map[string]Row{}
	cases := text.Each(w.drawable(), func(r Row) run.Case {
		c := h.of(r.Case)
		rows[c.Row()] = r
		return c
	})
	first := historyFirst
	if w.promises != nil {
		first = historyCount
	}
	now := cases[0]
	f, err := w.Lab.Settle(ctx, now, cases[1:], first, historyCount, func(f *run.Frame, then run.Case) bool {
		p := w.paid(f, rows[then.Row()], then, now)
		return metric.SignRisk(p.in, p.of) < 1-metric.LookLevel(w.level, p.of)
	})
	switch {
	case ctx.Err() != nil:
		if f != nil {
			w.noted = append(w.noted, interrupted("resample", f.Replications(), historyCount))
		}
		return histories{}, ctx.Err()
	case f == nil:
		return histories{}, nil
	case err != nil:
		return histories{}, err
	}
	h.Frame = f
	return h, nil
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
		if a := r.e.Admission; a.Rule == nil && a.Name != scenario.AdmitPrices && !r.Policy.RepeatsLog() {
			list = append(list, r)
		}
	}
	return list
}

// count counts in how many histories changes pay.
func (w *whatIf) count() {
	h := w.histories
	if h.Frame == nil || !h.drawn || w.payless {
		return
	}
	now := h.of(w.Rows[w.Present].Case)
	for _, r := range w.Rows {
		then := h.of(r.Case)
		if w.isPresent(r) || !r.compared || !h.Has(now) || !h.Has(then) {
			continue
		}
		p := w.paid(h.Frame, r, then, now)
		w.of[r.Label].pays = &p
	}
}

// paid counts the histories of a frame in which the change of a row pays: those of its case and of the present.
func (w *whatIf) paid(f *run.Frame, r Row, then, now run.Case) pays {
	column := func(c run.Case) run.Series { return f.Series(c, run.All, w.objective.Column) }
	gain := w.objective.Gain(column(then), column(now))
	lost := f.NotCompleted(then).Less(f.NotCompleted(now))
	p := pays{of: gain.Len()}
	for k := range p.of {
		x, known := gain.At(k)
		more, _ := lost.At(k)
		partly := w.objective.Smaller && more > 1e-9 // a mean of fewer jobs is no gain
		if known && x > w.of[r.Label].cost && !partly {
			p.in++
		}
	}
	return p
}
