package ask

import (
	"slices"
	"strings"

	"revopt/internal/text"
	"revopt/model"
	"revopt/model/scenario"
	"revopt/plots/answer"
	"revopt/simulate/analytic"
	"revopt/simulate/metric"
	"revopt/simulate/run"
	"revopt/simulate/subject"
	"revopt/simulate/warn"
)

// changeColumn names the change of a row.
func changeColumn() Column {
	return Column{answer.Column{Name: "change", Unit: answer.Text, Means: "against the scenario as it is"},
		func(c *Comparison, r Row) answer.Value { return answer.Word(r.Label) }}
}

// columns are those of the table of changes.
func (w *whatIf) columns() []Column {
	shown, quiet := measureColumns(w.objective)
	policies, gain := policyColumn(), gainColumn(w.objective)
	policies.Quiet = true
	shown[0].Drawn, gain.Drawn = true, true
	list := []Column{changeColumn(), shown[0], gain}
	list = append(list, w.costColumns()...)
	list = append(list, w.payColumns()...)
	list = append(list, harmsColumn(), runsOnColumn())
	list = append(list, shown[1:]...)
	list = append(list, w.boundColumn(), w.formulaColumn(), policies, admissionColumn(true), presentColumn())
	return append(list, quiet...)
}

// costColumns are what added units cost, and what is left of the gain.
func (w *whatIf) costColumns() []Column {
	column := func(name, means string, signed bool, of func(r Row) answer.Value) Column {
		return Column{answer.Column{Name: name, Unit: answer.Money, Means: means, Signed: signed},
			func(c *Comparison, r Row) answer.Value {
				if !w.of[r.Label].costed || !r.compared {
					return answer.Value{}
				}
				return of(r)
			}}
	}
	return []Column{
		column("cost", "of the units that are added", false, func(r Row) answer.Value {
			return answer.Exactly(answer.Money, w.of[r.Label].cost)
		}),
		column("net", "gain less the cost", true, func(r Row) answer.Value {
			return w.estimate(answer.Money, w.worth(r))
		}),
	}
}

// payColumns count the histories in which a change pays.
func (w *whatIf) payColumns() []Column {
	column := func(name, title, means string, of func(p pays) int) Column {
		return Column{answer.Column{Name: name, Title: title, Unit: answer.Count, Means: means},
			func(c *Comparison, r Row) answer.Value {
				if p := w.of[r.Label].pays; p != nil {
					return answer.Exactly(answer.Count, float64(of(*p)))
				}
				return answer.Value{}
			}}
	}
	drawn := "histories that were simulated"
	if w.span > 0 {
		drawn = "histories of " + text.Duration(w.span) + ", drawn from the weeks of the log"
	}
	return []Column{
		column("pays_in", "pays in", "histories in which the gain exceeds the cost", func(p pays) int { return p.in }),
		column("pays_of", "of", drawn, func(p pays) int { return p.of }),
	}
}

// boundColumn is what no policy exceeds after a change, or goes below.
func (w *whatIf) boundColumn() Column {
	means := "what no policy exceeds"
	if w.objective.Smaller {
		means = "what no policy that runs every job goes below"
	}
	return Column{answer.Column{Name: "bound", Unit: w.unit(), Means: means, Quiet: true},
		func(c *Comparison, r Row) answer.Value { return w.estimate(w.unit(), w.bound(r)) }}
}

// bound returns the bound on the jobs of a row. One on delays is that of all jobs, and only rows that run all of them
// have it.
func (w *whatIf) bound(r Row) run.Series {
	at := w.of[r.Label].bound
	if at.Do.Bound.On == run.Rate {
		return w.frame.Series(at, run.All, run.BoundRate)
	}
	most := w.frame.Most(w.objective, at, nil)
	if w.objective.Smaller {
		ran := w.frame.Series(r.Case, run.All, run.ColumnCompleted)
		left := w.frame.Series(at, run.All, run.DelayTasks).Less(ran)
		lost, _ := left.Largest()
		if lost > 0 || r.Policy.Spec.Needs.Optional {
			return run.Series{}
		}
	}
	return most
}

// formulaColumn is what the queueing model predicts.
func (w *whatIf) formulaColumn() Column {
	column := answer.Column{Name: "formula", Unit: answer.Money, Means: "by the queueing model", Quiet: !w.Formula}
	return Column{column, func(c *Comparison, r Row) answer.Value {
		p := w.of[r.Label].formula
		if p.subject == nil {
			return answer.Value{}
		}
		return answer.Exactly(answer.Money, p.value)
	}}
}

// cutFormula cuts a prediction for a trace at the bound: the model knows less of the jobs.
func (w *whatIf) cutFormula(row *changed) {
	i := slices.IndexFunc(w.Rows, func(r Row) bool { return r.Label == row.name })
	most, known := w.bound(w.Rows[i]).Mean()
	if row.subject.Trace == nil || !known || !(row.formula.value > most) {
		return
	}
	cut := warn.New(warn.ModelCut, "$/h").With(row.formula.value, most)
	row.formula.doubts = append([]warn.Warning{cut}, row.formula.doubts...)
	row.formula.value = most
}

// ofChanges are the warnings about the scenarios of changes, and about the formula where it is shown.
func (w *whatIf) ofChanges() (list []warn.Warning) {
	for _, r := range w.Rows {
		row := w.of[r.Label]
		for _, x := range SubjectWarnings(row.subject) {
			if x.Kind != warn.OtherMachine { // that is the change
				list = append(list, x)
			}
		}
		if w.Formula {
			list = append(list, row.formula.doubts...)
		}
	}
	loses := func(c model.Class) bool { return c.Decay > 0 || c.DecayOfPrice > 0 || c.Hard > 0 }
	classes := w.Subject.Scenario.Classes
	patient := !w.objective.Smaller && classes != nil && !slices.ContainsFunc(classes, loses)
	warn.AddIf(&list, patient, warn.New(warn.Patient))
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
	list = append(list, w.unlike()...)
	add("BROKEN_PROMISE", w.breaks)
	add("IN_SAMPLE", func(r Row) bool { return w.searched(r) && w.of[r.Label].subject.Logged() })
	add("INELASTIC", func(r Row) bool { return inelastic(w.Lab.Subject(), w.of[r.Label].subject) })
	alone := w.changes()
	choice := w.of[alone[0].Label].choice
	fields := choice != changePolicy && choice != changeAdmission
	excluded := fields && len(alone) > 1 && !slices.ContainsFunc(alone, func(r Row) bool {
		return w.of[r.Label].choice != choice
	})
	add("EXCLUDED", func(r Row) bool { return excluded && w.of[r.Label].choice == choice })
	return list
}

// searched reports whether the admission of a row was searched on its jobs.
func (w *whatIf) searched(r Row) bool {
	return r.Case.Admission.Name == scenario.AdmitSimulated || r.Case.Admission.Name == analytic.ControlThreshold
}

// The simulated present and the log are alike if their mean waits are within this factor or this time, s.
const (
	likeFactor = 1.5
	likeTime   = 600
)

// unlike says that the simulated present waits otherwise than the log.
func (w *whatIf) unlike() []answer.Fact {
	i := slices.IndexFunc(w.Rows, func(r Row) bool { return r.Policy.RepeatsLog() && !w.isPresent(r) })
	if i < 0 {
		return nil
	}
	wait := func(r Row) float64 {
		mean, _ := w.frame.Series(r.Case, run.All, run.ColumnMeanWait).Mean()
		return mean
	}
	now, log := wait(w.Rows[w.Present]), wait(w.Rows[i])
	if max(now, log) <= likeFactor*min(now, log) || max(now, log)-min(now, log) <= likeTime {
		return nil
	}
	policy := answer.Word(w.Rows[w.Present].Policy.Label())
	return []answer.Fact{answer.New("PRESENT", answer.Named{Name: "policy", Value: policy},
		answer.Named{Name: "wait", Value: answer.Exactly(answer.Time, now)},
		answer.Named{Name: "recorded", Value: answer.Exactly(answer.Time, log)})}
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
