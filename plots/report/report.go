package report

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"revopt/internal/text"
	"revopt/model/scenario"
	"revopt/plots/wording"
	"revopt/simulate/metric"
	"revopt/simulate/plan"
	"revopt/simulate/policy"
	"revopt/simulate/study"
	"revopt/simulate/subject"
	"revopt/simulate/warn"
)

// Report is the result of a validation as tables, figures and pages show it.
type Report struct {
	*study.Result
	Explain bool // shows who is affected
}

// New returns the report of a validation, with sentences and the command that made it.
func New(r *study.Result, command string) *Report {
	r.Command = command
	Fill(r)
	return &Report{Result: r}
}

func (r *Report) Facts() (any, []warn.Warning) { return r.Result, r.Warnings }

func (r *Report) Provenance() text.Provenance {
	prov := wording.Provenance(r.Version, r.Scenario, r.Command, r.Overrides, r.TraceFile, r.Warnings,
		"replications", text.Plural(r.Replications, "replication"), "closest", r.Closest())
	prov.Seed, prov.Cleaning = &r.Seed, r.Cleaning.Words()
	return prov
}

// share returns the efficiency of the i-th policy, NaN where nothing is to be earned.
func (r *Report) share(i int) metric.Interval { return r.Policies[i].Validated.Efficiency.Interval() }

// behind returns the efficiency of the best policy less that of the i-th, paired.
func (r *Report) behind(i int) metric.Interval { return r.Policies[i].Validated.Behind.Interval() }

// delivered returns what the i-th policy delivers, in the unit of the result.
func (r *Report) delivered(i int) metric.Interval { return r.Policies[i].Validated.Money.Interval() }

// money returns what to multiply amounts by to show them, and in which unit:
// much is shown in thousands, millions, ...
func (r *Report) money() (scale float64, unit string) {
	unit = plan.ObjectiveUnit(r.Validated.Objective)
	if unit != "" {
		return 1, unit
	}
	unit = "$"
	if r.Validated.Timed {
		unit = "$/h"
	}
	var most float64
	for _, b := range r.Validated.Bounds {
		most = math.Max(most, b.Money.Mean)
	}
	scale, prefix := text.MoneyUnit(most)
	return scale, prefix + unit
}

// best returns the proven bound that efficiencies are shares of.
func (r *Report) best() (study.BoundResult, bool) {
	for _, b := range r.Validated.Bounds {
		if b.Best {
			return b, true
		}
	}
	return study.BoundResult{}, false
}

func (r *Report) of(kind string) []study.BoundResult {
	return text.Where(r.Validated.Bounds, func(b study.BoundResult) bool { return b.Kind == kind })
}

// boundAt returns the bound of a name at a point, NaN if it does not apply there.
func boundAt(p study.PointResult, name string) metric.Interval {
	for _, b := range p.Bounds {
		if b.Name == name {
			return b.Money
		}
	}
	return metric.Interval{Mean: math.NaN()}
}

// Records yields, at the scenario's value of the axis, where the value is empty, every
// measure of every policy and class, and the bounds; at every value of the axis the
// shares of the policies and the bounds. The kind is proven or model for a bound, empty
// for a policy.
func (r *Report) Records(add func(cells ...any)) {
	ranged := r.Resampled != nil
	pooled := r.Pools != nil
	names := rowOptions(r.Policies)
	add("value", "kind", "name", "options", "admission", wording.ClassCells(pooled, "class", "pool"), "metric",
		wording.EstimateColumns(ranged), "unit", optionHeadings(names))
	settings := map[string]policy.Settings{} // by label
	listIn := func(value, kind string, id []string, class, pool, measure string, e study.Estimate) {
		measured := unit(measure)
		if r.Validated.Objective != "" && (measure == "total" || measure == "delivered") {
			_, measured = r.money()
		}
		add(value, kind, id, wording.ClassCells(pooled, class, pool), measure, wording.EstimateCells(e, ranged),
			measured, optionCells(names, settings[id[0]]))
	}
	list := func(value string, id []string, measure string, e study.Estimate) {
		listIn(value, "", id, "", "", measure, e)
	}
	bounds := func(value, pool string, bounds []study.BoundResult) {
		for _, b := range bounds {
			id := []string{b.Name, "", ""}
			total := study.Estimate{Mean: b.Total, HalfWidth: b.HalfWidth, Level: b.Level, N: b.N, Low: b.Low,
				High: b.High}
			listIn(value, b.Kind, id, "", pool, "total", total)
			listIn(value, b.Kind, id, "", pool, "gap", study.Estimate{Mean: b.Gap, Level: b.Level, N: b.N})
		}
	}
	shares := func(value string, row study.Row, efficiency, ofKind, charged, delivered study.Estimate) []string {
		id := []string{row.Policy.Label, optionWords(row.Policy.Settings), row.Admission.Name}
		settings[id[0]] = row.Policy.Settings
		list(value, id, "efficiency", efficiency)
		list(value, id, "efficiency_of_kind", ofKind)
		list(value, id, "charged_efficiency", charged)
		list(value, id, "delivered", delivered)
		return id
	}
	for _, row := range r.Policies {
		v := row.Validated
		id := shares("", row, v.Efficiency, v.OfKind, v.Charged, v.Delivered)
		for _, p := range row.Parts() {
			for i, m := range metric.Measures() {
				listIn("", "", id, p.Name, p.Pool, m.Name, p.Estimates[i])
			}
		}
		for _, p := range row.Pools {
			if p.Efficiency != nil {
				listIn("", "", id, "", p.Name, "efficiency", *p.Efficiency)
				listIn("", "", id, "", p.Name, "efficiency_of_kind", *p.OfKind)
			}
		}
	}
	bounds("", "", r.Validated.Bounds)
	for _, p := range r.Pools {
		if p.Name == p.Group[0] {
			bounds("", strings.Join(p.Group, "+"), p.Bounds)
		}
	}
	for _, point := range r.Validated.Points {
		value := text.Field(float64(point.Value))
		for k, s := range point.Policies {
			shares(value, r.Policies[k], s.Efficiency, s.EfficiencyOfKind, s.ChargedEfficiency, s.Delivered)
		}
		bounds(value, "", point.Bounds)
	}
}

// ByKind reports whether there is a bound for some policies alone.
func (r *Report) ByKind() bool {
	return slices.ContainsFunc(r.Validated.Bounds, func(b study.BoundResult) bool {
		return b.Limits == plan.UnpreemptedPolicies
	})
}

// Charges reports whether some policy charges another amount than it delivers.
func (r *Report) Charges() bool {
	for i, row := range r.Policies {
		charged, delivered := float64(row.Validated.Charged.Mean), r.share(i).Mean
		if math.Abs(charged-delivered) > wording.Rounding || math.IsNaN(charged) != math.IsNaN(delivered) {
			return true
		}
	}
	return false
}

// shown are the rows of the table: of a policy whose computed admission lets all
// jobs in, that which admits all stands for it.
func (r *Report) shown() []int {
	return text.Where(text.Numbers(len(r.Policies)), func(i int) bool { return r.sameAs(i) < 0 })
}

// sameAs returns the row that stands for the i-th one, -1 for itself.
func (r *Report) sameAs(i int) int {
	row := r.Policies[i]
	computed := slices.Contains([]string{scenario.AdmitAnalytic, scenario.AdmitSimulated}, row.Admission.Name)
	if !computed || slices.ContainsFunc(row.Admission.Admit, func(q float64) bool { return q < 1 }) {
		return -1
	}
	return slices.IndexFunc(r.Policies, func(other study.Row) bool {
		return other.Admission.Name == scenario.AdmitAll && other.Policy.Label == row.Policy.Label
	})
}

// Merged says which rows the table leaves out.
func (r *Report) Merged() []string {
	var list []string
	for i, row := range r.Policies {
		if k := r.sameAs(i); k >= 0 {
			list = append(list, fmt.Sprintf("%s admits all: its row is that of %s.", text.OneLine(row.Label),
				text.OneLine(r.Policies[k].Label)))
		}
	}
	return list
}

// boundTable has a row for each bound of the given kinds. Unless all are asked for, it has those that decide: the one
// that efficiencies are shares of, the one for policies of a kind, and the prediction of the first model.
func (r *Report) boundTable(all bool, kinds ...string) *text.Table {
	scale, _ := r.money()
	_, values := r.delivers()
	t := text.NewTable("bound", "kind", "limits", values, "gap")
	t.Left, t.Whole = 3, true
	for _, kind := range kinds {
		for i, b := range r.of(kind) {
			decides := b.Best || b.Limits == plan.UnpreemptedPolicies || b.Kind == study.Model && i == 0
			if !all && !decides {
				continue
			}
			name := b.Name
			if b.Best {
				name += " *"
			}
			limits := map[string]string{plan.AllPolicies: "any policy",
				plan.UnpreemptedPolicies: "whole jobs, run once"}[b.Limits]
			if r.Validated.Objective != "" && b.Limits == plan.AllPolicies {
				limits = "runs all jobs"
			}
			t.Row(name, b.Kind, cmp.Or(limits, "nothing"), wording.Amount(b.Money, scale),
				wording.Share(float64(b.Gap)))
		}
	}
	return t
}

// poolTable is the table of the pools: what is possible in each group of pools, which share of it the first
// policy delivers, and the policy that delivers most there. It is nil for a single pool.
func (r *Report) poolTable() *text.Table {
	if len(r.Pools) < 2 {
		return nil
	}
	scale, unit := r.money()
	t := text.NewTable("pool", "bound "+unit, "efficiency", "best there", "its efficiency")
	t.Whole = true
	for i, p := range r.Pools {
		if p.Name != p.Group[0] { // it is in the row of that one
			continue
		}
		share := func(k int) metric.Interval { return r.Policies[k].Pools[i].Efficiency.Interval() }
		best := 0
		for k, row := range r.Policies {
			if row.Policy.Name != subject.Recorded && share(k).Mean > share(best).Mean {
				best = k
			}
		}
		bound, _ := r.best()
		possible := boundAt(study.PointResult{Bounds: p.Bounds}, cmp.Or(bound.Name, plan.ClairvoyantBound))
		t.Row(strings.Join(p.Group, " + "), wording.Amount(possible, scale), wording.Percent(share(0)),
			r.Policies[best].Label, wording.Percent(share(best)))
	}
	return t
}

// Table prints the report for a person to read: the verdict, what was run, the policies, and a few sentences. Explain
// adds the rest.
func (r *Report) Table(w io.Writer) {
	for _, line := range r.Verdict() {
		text.Print(w, line, 0)
	}
	fmt.Fprintln(w)
	for _, line := range r.Head() {
		text.Print(w, line, 0)
	}
	fmt.Fprintln(w)
	policies, left := r.fittedTable(text.Columns(w))
	policies.Print(w)
	fmt.Fprintln(w)
	r.boundTable(r.Explain, study.Proven, study.Model).Print(w)
	if _, ok := r.best(); ok {
		fmt.Fprintln(w, r.starred())
	}
	if r.Explain {
		r.explain(w, left)
		return
	}
	fmt.Fprintln(w)
	for _, line := range r.below(left, text.Columns(w)) {
		text.Print(w, line, 0)
	}
}

// starred says what the bound with a star is.
func (r *Report) starred() string {
	switch {
	case r.Validated.Objective != "":
		return "* efficiency is it as a share of what a policy reaches"
	case r.Charges():
		return "* efficiency and charged are shares of it"
	}
	return "* efficiency is a share of it"
}

// explain prints what the table leaves out.
func (r *Report) explain(w io.Writer, left []policyColumn) {
	if len(left) > 0 {
		fmt.Fprintln(w)
		names := r.policyColumns()[:1]
		r.newTable(append(names, left...), plainCells).Print(w)
	}
	if pools := r.poolTable(); pools != nil {
		fmt.Fprintln(w)
		pools.Print(w)
		fmt.Fprintf(w, "efficiency is that of %s\n", text.OneLine(r.Policies[0].Label))
	}
	fmt.Fprintln(w)
	sentences := slices.Concat(r.Setting(), r.columnWords(), r.Foresight(), r.Kinds(), r.Predictions(), r.Merged(),
		r.Notes())
	for _, line := range sentences {
		text.Print(w, line, 0)
	}
	printAffected(w, r.affected())
}

// affected has who is affected by the policies that the headline names, against the policy now.
func (r *Report) affected() partTables {
	list, best := newAffected(), r.Validated.Best
	named := append([]string{best.Overall, best.Runnable}, text.Each(best.Harmful, func(h study.Harmful) string {
		return h.Label
	})...)
	for _, row := range r.Policies {
		if slices.Contains(named, row.Label) && row.Policy.Label != r.Validated.Now {
			list.Tables = append(list.Tables, partTable{text.OneLine(row.Label), AffectedTable(row.Validated.Affected)})
		}
	}
	return list
}
