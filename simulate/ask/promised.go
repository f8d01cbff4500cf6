package ask

import (
	"slices"
	"strings"

	"revopt/plots/answer"
	"revopt/simulate/run"
	"revopt/simulate/subject"
	"revopt/simulate/warn"
)

// parsePromise reads a customer and a share of its jobs, such as CUSTOMER=90%.
func parsePromise(s *subject.Subject, arg string) (run.Promise, error) {
	at := max(strings.LastIndex(arg, "="), 0)
	p := run.Promise{Customer: strings.TrimSpace(arg[:at])}
	level, ok := ParseFraction(strings.TrimPrefix(arg[at:], "="))
	names := s.Names()
	switch {
	case at == 0 || !ok || level >= 1:
		return p, Usagef("--promise: expected CUSTOMER=SHARE with a share between 0 and 1 such as 90%%, got %q", arg)
	case !slices.Contains(names, p.Customer):
		return p, Usagef("--promise: unknown customer %q%s", p.Customer, ExpectedOne(p.Customer, names))
	}
	p.Level = level
	return p, nil
}

// promiseRow is a wait that a customer can be promised after a change.
type promiseRow struct {
	Row
	run.Promise
	within answer.Value // none: no wait
}

// promise returns the shortest wait that a customer can be promised after a change.
func (w *whatIf) promise(r Row, p run.Promise) answer.Value {
	h := w.histories
	if h.Frame == nil {
		return answer.Value{}
	}
	within, ok := h.Promised(h.of(r.Case), p, w.level)
	if !ok {
		return answer.Value{}
	}
	return answer.Exactly(answer.Time, within)
}

// kept is the table of the waits that can be promised, if they are asked for.
func (w *whatIf) kept() []answer.Table {
	if w.promises == nil {
		return nil
	}
	var rows []promiseRow
	for _, r := range w.Rows {
		for _, p := range w.promises {
			if !r.Policy.RepeatsLog() {
				rows = append(rows, promiseRow{r, p, w.promise(r, p)})
			}
		}
	}
	if !slices.ContainsFunc(rows, func(r promiseRow) bool { return r.within.Known() }) {
		return nil // a warning says why
	}
	t := answer.TableOf("promises", rows,
		answer.Texts("change", "against the scenario as it is", func(r promiseRow) string { return r.Label }),
		answer.Texts("customer", "to whom", func(r promiseRow) string { return r.Customer }),
		answer.Numbered("level", answer.Share, "of the submitted jobs", func(r promiseRow) float64 { return r.Level }),
		answer.Valued("within", answer.Time, "shortest wait that a further history keeps, with the confidence of --level",
			func(r promiseRow) answer.Value { return r.within }))
	return []answer.Table{t.Visible()}
}

// promised is the headline on a promise without a change.
func (w *whatIf) promised() answer.Fact {
	p := w.promises[0]
	within := w.promise(w.Rows[w.Present], p).As("within")
	if !within.Value.Known() {
		within = answer.Word("nothing").As("nothing")
	}
	return answer.New("PROMISE", answer.Exactly(answer.Share, p.Level).As("level"), answer.Word(p.Customer).As("customer"),
		answer.Exactly(answer.Share, w.level).As("confidence"), within)
}

// fewHistories warns of histories that are too few for a promise.
func (w *whatIf) fewHistories() []answer.Fact {
	n, least := 1, run.PromiseLeast(w.level)
	if h := w.histories; h.Frame != nil {
		n = h.N(h.of(w.Rows[w.Present].Case))
	}
	if w.promises == nil || n >= least {
		return nil
	}
	return answer.WarnAll([]warn.Warning{fewSpans(n, least, w.level, "a promise")})
}
