package report

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"revopt/internal/text"
	"revopt/plots/report/standing"
	"revopt/plots/wording"
	"revopt/simulate/metric"
	"revopt/simulate/plan"
	"revopt/simulate/policy"
	"revopt/simulate/served"
	"revopt/simulate/study"
	"revopt/simulate/study/tune"
	"revopt/simulate/warn"
)

// Tune is tuned settings, as the program prints them.
type Tune struct {
	*tune.Result
	Explain bool // shows who is affected
}

func (r *Tune) Facts() (any, []warn.Warning) { return r.Result, r.Warnings }

// Head says which numbers settings were tuned and tested on.
func (r *Tune) Head() []string {
	levels, n := "", r.TestedOn.Replications
	if n > 1 {
		levels = levelWords(float64(r.Level), n, r.AsRecorded != nil)
	}
	tuned := fmt.Sprintf("tuned on %s in %s", tunePart(r.TunedOn), text.Plural(r.Runs, "run"))
	if span := float64(r.TunedOn.Span); span != 0 {
		tuned += fmt.Sprintf(", each of %s drawn from its weeks", text.Duration(span))
	}
	if r.TunedOn.Replications == 1 {
		tuned += ", on one history: expect less of other weeks"
	}
	if r.Spent {
		tuned += "; --runs ended the search early"
	}
	tested := "tested on " + tunePart(r.TestedOn) + ", "
	switch {
	case r.AsRecorded != nil:
		tested += fmt.Sprintf("%d histories drawn from its weeks", n)
	case n > 1:
		tested += fmt.Sprintf("%d fresh replications", n)
	default:
		tested += "once, as it happened: no intervals"
	}
	if warmup := warmupWords(r.Warmup); warmup != "" {
		tested += ", " + warmup + " left out as warm-up"
	}
	today, _, _ := strings.Cut(r.Today, ":")
	scenario := fmt.Sprintf("%s: %s, policy %s", text.OneLine(r.Scenario), text.OneLine(r.What), text.OneLine(today))
	list := []string{scenario, tuned, tested + levels}
	if r.Objective != "" {
		list = append(list, aim(r.Objective).meaning())
	}
	return list
}

// tunePart says which jobs settings were tuned or tested on.
func tunePart(p tune.Part) string {
	jobs := text.Fixed(float64(p.Jobs), 0) + " jobs"
	if jobs == "1 jobs" {
		jobs = "1 job"
	}
	if p.Part == nil {
		return jobs
	}
	return fmt.Sprintf("%s to %s of the log (%s)", text.Plain(100*float64(p.Part[0])),
		text.PlainPercent(float64(p.Part[1])), jobs)
}

// passedOver names the best policy of Slurm that harms nobody and earns tune.FlatShare more in the test, and why it is not
// recommended; "" if there is none.
func (r Tune) passedOver() string {
	var best *tune.Row
	for i, v := range r.Versus {
		more := float64(-v.Gain.Mean) > tune.FlatShare*math.Abs(float64(v.Reached().Mean))
		if more && !v.Fewer && v.RunsOn == policy.Slurm.Key() && len(v.Harm) == 0 &&
			(best == nil || v.Gain.Mean < best.Gain.Mean) {
			best = &r.Versus[i]
		}
	}
	if best == nil {
		return ""
	}
	if a := aim(r.Objective); a != "" {
		return fmt.Sprintf(" The %s of %s was %s in the test, but it does not gain beyond chance both there and on the jobs "+
			"that settings were tuned on.", a.noun(), text.OneLine(best.Label), r.reached(best.Reached()))
	}
	return fmt.Sprintf(" %s delivered %s $/h in the test, but does not gain beyond chance both there and on the jobs "+
		"that settings were tuned on.", text.OneLine(best.Label), hourly(best.Value))
}

// reached formats what a policy reaches.
func (r Tune) reached(e study.Estimate) string {
	if a := aim(r.Objective); a != "" {
		return a.amount(e, false)
	}
	return hourly(e)
}

// gained formats a gain with its sign, $/h. Of an objective that is to be small it is by how much that changes, in
// the unit of tables.
func (r Tune) gained(e study.Estimate) string {
	if r.Objective == "" {
		return gained(e)
	}
	size, _ := r.shownUnit()
	e = study.NewEstimate(e.Negative().Interval().Times(1 / size))
	return text.Signed(float64(e.Mean), money(e, false))
}

// shownUnit returns the size and the name of the unit of tables.
func (r Tune) shownUnit() (size float64, name string) {
	return aim(r.Objective).unit(max(float64(r.Before.Mean), float64(r.After.Mean)))
}

// comma returns the unit of tables after a comma, "" if it has none.
func (r Tune) comma() string {
	if _, name := r.shownUnit(); name != "" {
		return ", " + name
	}
	return ""
}

// keptWords say that today's settings stay, and why.
func (r *Tune) keptWords() string {
	why := "no others gain more than chance"
	if slices.ContainsFunc(r.Versus, func(v tune.Row) bool {
		return v.Gain.Mean < 0 && v.RunsOn == policy.Slurm.Key() && len(v.Harm) > 0
	}) {
		why += " without harm"
	}
	return "Keep today's settings: " + why + "."
}

// chanceWords say after a gain how sure it is.
func (r *Tune) chanceWords() string {
	low := float64(r.Gain.Mean)
	if r.TestedOn.Replications > 1 {
		low, _ = r.Gain.Interval().Bounds()
	}
	switch {
	case r.Gain.Mean <= 0:
		return ""
	case r.AsRecorded != nil && low > 0:
		return ", and does so in nearly all histories"
	case r.AsRecorded != nil:
		return ", though not in all histories"
	case r.TestedOn.Replications > 1:
		return ", not by chance"
	}
	return ", in one history"
}

// smallAnswer is Answer for an objective that is to be small.
func (r *Tune) smallAnswer() string {
	a, efficiency := aim(r.Objective), ""
	if !math.IsNaN(float64(r.Efficiency.Mean)) {
		efficiency = ", efficiency " + wording.Percent(r.Efficiency.Interval())
	}
	if r.Kept {
		return r.keptWords() + " The " + a.noun() + " is " + r.reached(r.After) + efficiency + "." + r.passedOver()
	}
	who := "Tuned settings:"
	switch {
	case r.Other:
		who = text.OneLine(r.Label) + ", which Slurm runs by its settings, is the best:"
	case r.OneRule:
		who = "One rule is enough:"
	}
	if r.Gain.Mean <= 0 {
		who += " the rules hold better than today;"
	}
	words := fmt.Sprintf("%s %s%s. The %s is %s%s; with today's settings it is %s.", who,
		a.change(-float64(r.Gain.Mean)), r.chanceWords(), a.noun(), r.reached(r.After), efficiency, r.reached(r.Before))
	if happened := r.AsRecorded; happened != nil {
		words += fmt.Sprintf(" On the jobs as they were recorded: %s.", a.change(-float64(happened.Mean)))
	}
	return words
}

// Answer says what tuning brings.
func (r *Tune) Answer() string {
	if r.Objective != "" {
		return r.smallAnswer()
	}
	earn := fmt.Sprintf("deliver %s $/h, efficiency %s", hourly(r.After), wording.Percent(r.Efficiency.Interval()))
	who := "Tuned settings"
	switch {
	case r.Kept:
		return r.keptWords() + " They " + earn + "." + r.passedOver()
	case r.Other:
		who = text.OneLine(r.Label) + ", which Slurm runs by its settings, is the best:"
	case r.OneRule:
		who = "One rule is enough:"
	}
	gain := "gain "
	if r.Other || r.OneRule {
		gain = "it gains "
		earn = "It" + strings.Replace(earn, "deliver", " delivers", 1)
	} else {
		earn = "They " + earn
	}
	if r.Gain.Mean <= 0 {
		gain = "the rules hold better than today, and the value changes by "
	}
	words := who + " " + gain + monthly(3600*float64(r.Gain.Mean)) + r.chanceWords()
	words += ". " + earn + "; today's settings deliver " + hourly(r.Before) + " $/h."
	if r.AsRecorded != nil {
		words += " On the jobs as they were recorded, the gain is " + hourly(*r.AsRecorded) + " $/h."
	}
	return words
}

// settingTable has a row for each setting that changes, in the order in which they entered.
func (r *Tune) settingTable() *text.Table {
	tuned, tested := "gain, tuned $/h", "gain, tested $/h"
	if r.Objective != "" {
		tuned, tested = "change, tuned"+r.comma(), "change, tested"+r.comma()
	}
	t := text.NewTable("setting", "from", "to", tuned, tested, "lowest", "highest")
	t.Left, t.Whole = 3, true
	for _, c := range r.Contributions {
		lowest, highest := "", ""
		if c.Flat != nil {
			lowest, highest = cmp.Or(c.Flat[0], "-"), cmp.Or(c.Flat[1], "-")
		}
		t.Row(c.Setting, cmp.Or(c.From, "-"), cmp.Or(c.To, "-"), r.gained(c.Gain), r.gained(c.Tested), lowest, highest)
	}
	return t
}

// policyTable has a row for the tuned policy and one for each other.
func (r *Tune) policyTable() *text.Table {
	bound := func(e study.Estimate) string { return strings.TrimSuffix(wording.Percent(e.Interval()), " %") }
	name := r.Policy + ", tuned"
	switch {
	case r.Kept:
		name = r.Policy + ", today"
	case r.Other:
		name = r.Label
	}
	first := name
	if r.Other {
		first = "the first"
	}
	earns, of := "value $/h", "efficiency %"
	mean := hourly
	if a := aim(r.Objective); a != "" {
		earns = a.noun() + r.comma()
		size, _ := r.shownUnit()
		mean = func(e study.Estimate) string { return money(study.NewEstimate(e.Interval().Times(1/size)), false) }
	}
	t := text.NewTable("policy", earns, "against "+first, of, "runs on", "harms")
	t.Whole = true
	t.Row(name, mean(r.After), "", bound(r.Efficiency), standing.RanOn(r.RunsOn), harmedName(r.Harm))
	for _, v := range r.Versus {
		label := v.Label
		if strings.HasPrefix(label, "slurm:") { // settings that the search found
			label = "slurm, more settings"
		}
		against := r.gained(v.Gain.Negative())
		if v.Fewer {
			against = "not compared"
		}
		t.Row(label, mean(v.Reached()), against, bound(v.Efficiency), standing.RanOn(v.RunsOn),
			harmedName(v.Harm))
	}
	return t
}

// harmedName names the group that is harmed most, and how many others are; "" if none is.
func harmedName(list []served.Affected) string {
	if len(list) == 0 {
		return ""
	}
	name := groupName(list[0].Group)
	if more := len(list) - 1; more > 0 {
		name += fmt.Sprintf(" and %d more", more)
	}
	return name
}

// harmLines name those that are harmed by what is recommended, which rules allow, and by policies of Slurm that
// earn more.
func (r *Tune) harmLines() (list []string) {
	if len(r.Harm) > 0 {
		list = append(list, "Harm: "+HarmLine(r.Harm)+".")
	}
	for _, v := range r.Versus {
		if v.Gain.Mean < 0 && v.RunsOn == policy.Slurm.Key() && len(v.Harm) > 0 {
			more := map[string]string{"": "delivers more", plan.ObjectiveWait: "waits less",
				plan.ObjectiveSlowdown: "has a lower slowdown"}[r.Objective]
			on := map[tune.Numbers]string{tune.Histories: ", in histories of the tested weeks",
				tune.TunedPart: ", on the part that was tuned on"}[v.HarmOn]
			list = append(list, fmt.Sprintf("%s %s by harm%s: %s.", text.OneLine(v.Label), more, on,
				HarmLine(v.Harm)))
		}
	}
	return list
}

// RuleLines say whether rules hold on the numbers of the test.
func (r *Tune) RuleLines() []string {
	return text.Each(r.Rules, func(rule tune.RuleResult) string {
		format, holds := map[string]func(study.Estimate) string{"s": wording.Duration,
			"1": wording.Percentage}[rule.Unit], "holds"
		if format == nil {
			format = wording.Ratio
		}
		if !rule.Holds {
			holds = "does not hold"
		}
		words := text.OneLine(rule.Rule) + " " + holds
		return fmt.Sprintf("%s: %s, today %s.", words, format(rule.After), format(rule.Before))
	})
}

// Shortfalls says which rules the settings break, but for promises that today's break too.
func (r *Tune) Shortfalls() []string {
	broken := text.Where(r.Rules, func(rule tune.RuleResult) bool { return rule.Binds && !rule.Holds })
	return text.Each(broken, func(rule tune.RuleResult) string {
		return text.OneLine(rule.Rule) + " does not hold on the numbers of the test"
	})
}

// Table writes the result for a person to read.
func (r *Tune) Table(w io.Writer) {
	printFirst(w, r.First())
	for _, line := range r.Head() {
		text.Print(w, line, 0)
	}
	fmt.Fprintln(w)
	text.Print(w, r.Answer(), 0)
	fmt.Fprintln(w)
	if today := baselineWords(r.Baseline, aim(r.Objective)); today != "" {
		text.Print(w, today+".", 0)
		fmt.Fprintln(w)
	}
	if settings := r.settingTable(); !settings.Empty() {
		settings.Print(w)
		what := "gain: less if"
		if r.Objective != "" {
			what = "change: undone if"
		}
		fmt.Fprintf(w, "%s that setting alone is turned back; every value from the lowest to the highest does\n"+
			"as well, to within %s or the noise\n\n", what, text.PlainPercent(tune.FlatShare))
	}
	r.policyTable().Print(w)
	if slices.ContainsFunc(r.Versus, func(v tune.Row) bool { return v.Fewer }) {
		fmt.Fprintln(w, "not compared: it runs fewer of the jobs than today's settings")
	}
	lines := append(r.harmLines(), r.RuleLines()...)
	if !r.Kept && r.RunsOn == policy.Slurm.Key() && len(r.Shortfalls()) == 0 {
		lines = append(lines, r.next()...)
	}
	if lines != nil {
		fmt.Fprintln(w, "\n"+strings.Join(lines, "\n"))
	}
	if r.Explain {
		affected := newAffected()
		affected.Tables = []partTable{{text.OneLine(r.Label), AffectedTable(r.Affected)}}
		printAffected(w, affected)
	}
}

// next is the command that exports the settings, and the files that it needs and that are not known.
func (r *Tune) next() []string {
	command, make := Typed{Scenario: r.File, Flags: r.Flags, Files: r.Site}.Export(r.Label)
	lines := []string{"Next: " + command}
	if make != "" {
		lines = append(lines, "("+make+")")
	}
	return lines
}

// Records yields the estimates of policies, settings and rules.
func (r *Tune) Records(add func(cells ...any)) {
	ranged, value := r.AsRecorded != nil, plan.ObjectiveMeasure(r.Objective).Name
	add("kind", "name", "from", "to", "metric", wording.EstimateColumns(ranged), "unit")
	list := func(kind, name, from, to, metric string, e study.Estimate) {
		add(kind, name, from, to, metric, wording.EstimateCells(e, ranged), cmp.Or(r.unitOf(metric), unit(metric)))
	}
	list("today", r.Today, "", "", value, r.Before)
	tuned := tune.Row{Label: r.Label, Mean: &r.After, Gain: r.Gain, Efficiency: r.Efficiency}
	for i, v := range append([]tune.Row{tuned}, r.Versus...) {
		kind := map[bool]string{true: "tuned", false: "policy"}[i == 0]
		list(kind, v.Label, "", "", value, v.Reached())
		list(kind, v.Label, "", "", "gain", v.Gain)
		list(kind, v.Label, "", "", "efficiency", v.Efficiency)
	}
	for _, c := range r.Contributions {
		list("setting", c.Setting, c.From, c.To, "gain", c.Gain)
		list("setting", c.Setting, c.From, c.To, "tested", c.Tested)
	}
	for _, rule := range r.Rules {
		add("rule", rule.Rule, "", "", "after", wording.EstimateCells(rule.After, ranged), rule.Unit)
	}
}

// unitOf returns the unit of gains of an objective that is to be small, "" for other measures.
func (r *Tune) unitOf(measure string) string {
	if measure == "gain" || measure == "tested" {
		return r.Unit
	}
	return ""
}

func (r *Tune) Provenance() text.Provenance {
	p := wording.Provenance(r.Version, r.Scenario, r.Command, r.Overrides, r.TraceFile, r.Warnings,
		"workload", r.What, "policy", r.Policy, "replications", strconv.Itoa(r.TestedOn.Replications))
	p.Seed = &r.Seed
	return p
}

// TuneStep says what the best settings so far gain on the part that is tuned on.
func TuneStep(s tune.Step) string {
	if s.Gain == 0 {
		return "no gain so far"
	}
	if a := aim(s.Objective); a != "" {
		return fmt.Sprintf("best so far %s: %s", a.change(-s.Gain), text.OneLine(s.Best))
	}
	return fmt.Sprintf("best so far %s $/h: %s", signedShort(metric.Hour*s.Gain), text.OneLine(s.Best))
}
