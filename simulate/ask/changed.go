package ask

import (
	"slices"
	"strings"

	"revopt/internal/text"
	"revopt/model"
	"revopt/model/scenario"
	"revopt/plots/answer"
	"revopt/simulate/metric"
	"revopt/simulate/run"
	"revopt/simulate/subject"
	"revopt/simulate/warn"
)

// changeColumn names the change of a row.
func changeColumn() Column {
	return answer.Texts("change", "against the scenario as it is", func(r Row) string { return r.Label })
}

// columns are those of the table of changes.
func (w *whatIf) columns() []Column {
	shown, quiet := w.measureColumns()
	gain, admission := w.gainColumn(), w.admissionColumn().Hidden()
	gain.Drawn = true
	list := slices.Concat([]Column{changeColumn(), shown[0], gain}, w.costColumns(), []Column{w.harmsColumn(), runsOnColumn()},
		shown[1:])
	return append(append(list, policyColumn().Hidden(), admission, w.presentColumn()), quiet...)
}

// costColumns are what added units cost, and what is left of the gain.
func (w *whatIf) costColumns() []Column {
	column := func(name, means string, of func(r Row) answer.Value) Column {
		return answer.Valued(name, answer.Money, means, func(r Row) answer.Value {
			if !w.of[r.Label].costed || !r.compared {
				return answer.Value{}
			}
			return of(r)
		})
	}
	net := column("net", "gain less the cost", func(r Row) answer.Value { return w.estimate(answer.Money, w.worth(r)) })
	net.Signed = true
	return []Column{column("cost", "of the units that are added",
		func(r Row) answer.Value { return answer.Exactly(answer.Money, w.of[r.Label].cost) }), net}
}

// ofChanges are the warnings about the scenarios of changes.
func (w *whatIf) ofChanges() (list []warn.Warning) {
	for _, r := range w.Rows {
		for _, x := range SubjectWarnings(w.of[r.Label].subject) {
			if x.Code != "OTHER_MACHINE" { // that is the change
				list = append(list, x)
			}
		}
	}
	loses := func(c model.Class) bool { return c.Decay > 0 || c.DecayOfPrice > 0 || c.Hard > 0 }
	classes := w.Subject.Scenario.Classes
	patient := !w.objective.Smaller && classes != nil && !slices.ContainsFunc(classes, loses)
	warn.AddIf(&list, patient, warn.Sentence("NO_LOSS",
		"no customer loses anything by lateness (decay, hard): policies can differ little in money"))
	return append(list, run.Unrecorded(w.unrecorded)...)
}

// named are the warnings that name changes.
func (w *whatIf) named() (list []answer.Fact) {
	add := func(code string, is func(r Row) bool) {
		names := text.Each(text.Where(w.Rows, is), func(r Row) string { return r.Label })
		if names != nil {
			all := answer.Word(strings.Join(names, ", "))
			list = append(list, answer.New(code, answer.Named{Name: "changes", Value: all}))
		}
	}
	add("BROKEN_PROMISE", w.breaks)
	add("IN_SAMPLE", func(r Row) bool { return w.searched(r) && w.of[r.Label].subject.Logged() })
	add("INELASTIC", func(r Row) bool { return inelastic(w.Lab.Subject(), w.of[r.Label].subject) })
	return append(list, w.excluded...)
}

// searched reports whether the admission of a row was searched on its jobs.
func (w *whatIf) searched(r Row) bool {
	return r.Case.Admission.Name == scenario.AdmitSimulated
}

// breaks reports whether a change breaks a promise that the present keeps, or may keep.
func (w *whatIf) breaks(r Row) bool {
	if w.isPresent(r) || r.Policy.RepeatsLog() {
		return false
	}
	broken := func(c run.Case, s subject.Section) bool {
		kept := w.frame.Estimate(w.frame.Series(c, groupOf(s), "promise_kept"))
		return brokenPromise(kept, s.Promise.Level)
	}
	now := w.Rows[w.Present].Case
	for _, s := range subject.Sections(r.e.Workload) {
		if s.Promise != nil && broken(r.Case, s) && !broken(now, s) {
			return true
		}
	}
	return false
}

// inelastic reports whether a price differs and no demand says how many jobs then come.
func inelastic(before, after *subject.Subject) bool {
	same := func(a, b model.Terms) bool { return a.PerNodeSecond == b.PerNodeSecond }
	list := after.Scenario.Classes
	for i, was := range before.Scenario.Classes {
		if i < len(list) && list[i].Demand == nil &&
			(was.Price != list[i].Price || !slices.EqualFunc(was.Terms, list[i].Terms, same)) {
			return true
		}
	}
	return false
}

// brokenPromise reports whether a promise is not kept: its level lies above the interval. One replication is exact.
func brokenPromise(kept metric.Interval, level float64) bool {
	_, high := kept.Bounds()
	if kept.N == 1 {
		high = kept.Mean
	}
	return high < level
}
