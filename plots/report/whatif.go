package report

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"revopt/internal/text"
	"revopt/plots/report/standing"
	"revopt/plots/wording"
	"revopt/simulate/metric"
	"revopt/simulate/plan"
	"revopt/simulate/study"
	"revopt/simulate/study/whatif"
	"revopt/simulate/warn"
)

// WhatIf is what changes bring, as tables, figures and pages show it.
type WhatIf struct {
	*whatif.Result
	Formula bool // shows the formula; on traces it is shown wherever it was computed
	Explain bool // says which method to believe
}

func (r *WhatIf) Facts() (any, []warn.Warning) { return r.Result, r.Warnings }

// Head says what was compared, and what intervals cover.
func (r *WhatIf) Head() []string {
	title := r.Scenario + ": " + r.What + ", under " + r.Policy
	if r.Admission != "all" {
		title += ", admission " + r.Admission
	}
	levels := ""
	if r.Resampled || r.Replications > 1 {
		levels = levelWords(float64(r.Level), r.Replications, r.Resampled)
	}
	lines := append([]string{text.OneLine(title)}, poolLine(r.Pools)...)
	if !r.Once {
		runs := text.Plural(r.Replications, "replication")
		if r.Drawn == "lots" {
			runs += " of lots"
		}
		lines = append(lines, runs+levels)
	}
	if r.Objective != "" {
		lines = append(lines, aim(r.Objective).meaning(), noMoney)
	}
	switch r.Drawn {
	case "nothing":
		lines = append(lines, "nothing is random: no intervals")
	case "spans":
		lines = append(lines, "ranges cover weeks like these and no trend; on the SDSC SP2 they contained half of the "+
			"following revenues")
	}
	return append(lines, r.historyLine()...)
}

// shortName is the shortest name of a change that no other change has.
func shortName(r *whatif.Result, name string) string {
	short := func(name string) string {
		return text.OneLine(strings.NewReplacer(".per_unit_hour=", "=", ".per_hour=",
			"=").Replace(classPath.ReplaceAllString(name, "$1$2")))
	}
	for _, c := range r.Changes {
		if c.Name != name && short(c.Name) == short(name) {
			return text.OneLine(name)
		}
	}
	return short(name)
}

// label is the short name of a change in its headline. That of a machine whose units are not
// nodes says how many units nodes are, or how many nodes the units.
func label(r *whatif.Result, c *whatif.ChangeResult) string {
	path, _, _ := strings.Cut(c.Name, "=")
	more, name := max(c.Nodes[1]-c.Nodes[0], c.Nodes[0]-c.Nodes[1]), shortName(r, c.Name)
	switch nodes := more * r.Hosts; {
	case r.UnitName == "node":
	case path == "nodes":
		name += " (" + text.Plural(more, text.Unit(r.UnitName)) + ")"
	case path == r.UnitName+"s" && nodes > 0 && nodes%r.Nodes == 0:
		name += " (" + text.Plural(nodes/r.Nodes, "node") + ")"
	}
	return name
}

var classPath = regexp.MustCompile(`\bclasses\.(\D)|\bpools\.(\d*[^\d.=])`)

// mostPromises is how many have columns; a page has all in its table of customers.
const mostPromises = 2

// changeTable has a row for each situation. The formula is shown where it was asked for, jobs lost where some
// are; a page also has loads where a change moves them, and pages and machines with pools what is left after
// costs.
func (r *WhatIf) changeTable(page bool) *text.Table { return r.changes(page, mostPromises) }

// changes is changeTable with columns for so many promises.
func (r *WhatIf) changes(page bool, promises int) *text.Table {
	t := &changeColumns{WhatIf: r, page: page, rows: r.shown(), table: text.NewTable()}
	if page {
		t.rows = r.listed()
	}
	t.table.Whole = true
	size, unit := r.shownUnit(t.rows)
	t.add(unit, func(c *whatif.ChangeResult) string { return shortName(r.Result, c.Name) })
	t.addFormula()
	t.addSimulation(size)
	t.addCosts()
	t.addService(promises)
	if r.rivals() != nil {
		t.add("runs on", func(c *whatif.ChangeResult) string {
			if c.Policy != r.Before.Policy || c == r.Before || c.Choice == whatif.ChoicePolicy {
				return standing.RanOn(c.RunsOn)
			}
			return ""
		})
	}
	return t.table
}

// changeColumns adds columns to the table of changes.
type changeColumns struct {
	*WhatIf
	page  bool
	rows  []*whatif.ChangeResult
	table *text.Table
}

func (t *changeColumns) add(heading string, cell func(c *whatif.ChangeResult) string) {
	t.table.Column(heading, text.Each(t.rows, cell))
}

// some reports whether a row is such.
func (t *changeColumns) some(is func(*whatif.ChangeResult) bool) bool {
	return slices.ContainsFunc(t.rows, is)
}

// addFormula adds loads that a change moves, and what the formulas say.
func (t *changeColumns) addFormula() {
	moves := func(c whatif.ChangeResult) bool { return math.Abs(float64(c.Load[1]-c.Load[0])) > 0 }
	if t.page && slices.ContainsFunc(t.Changes, moves) {
		t.add("load", func(c *whatif.ChangeResult) string { return text.Rounded(float64(c.Load[1])) })
	}
	if t.Before.Formula == nil || !t.Formula && t.Workload != "trace" {
		return
	}
	t.add("formula", func(c *whatif.ChangeResult) string {
		if c.Formula == nil {
			return ""
		}
		return text.Short(float64(c.Formula.After))
	})
	t.add("gain", func(c *whatif.ChangeResult) string {
		if c.Formula == nil {
			return ""
		}
		return t.gain(c, study.Estimate{Mean: metric.Number(c.Formula.Difference())})
	})
}

// addSimulation adds what is simulated, in a unit of some size, and the gain.
func (t *changeColumns) addSimulation(size float64) {
	earns, gain := "value", "gain"
	if t.Objective != "" {
		earns, gain = "slowdown", "change"
	}
	if t.Objective == plan.ObjectiveWait {
		earns = "waits"
	}
	t.add(earns, func(c *whatif.ChangeResult) string { return text.Short(float64(c.Simulation.After.Mean) / size) })
	t.add(gain, func(c *whatif.ChangeResult) string {
		if c.Unlike {
			return "-"
		}
		return t.gain(c, study.NewEstimate(c.Simulation.Difference.Interval().Times(1/size)))
	})
}

// addCosts adds what is left after costs, and the gain of each $ or unit.
func (t *changeColumns) addCosts() {
	if t.Costed() && (t.page || t.Pools != nil) {
		t.add("net", func(c *whatif.ChangeResult) string {
			if c.Net == nil && c.Units != nil {
				return ""
			}
			return t.gain(c, c.Gain())
		})
	}
	score := func(c *whatif.ChangeResult, per *study.Estimate) string {
		if per == nil {
			return ""
		}
		return money(*per, c.Once)
	}
	if t.page && t.Grow != nil && t.Grow.By == whatif.GainPerDollar {
		t.add("net per $", func(c *whatif.ChangeResult) string { return score(c, c.GainPerDollar) })
	}
	if t.Grow != nil && t.Grow.By == whatif.GainPerUnit {
		t.add("per unit", func(c *whatif.ChangeResult) string { return score(c, c.GainPerUnit) })
	}
}

// addService adds the efficiency, waits, so many promises and jobs that are lost.
func (t *changeColumns) addService(promises int) {
	wait := func(c *whatif.ChangeResult) float64 { return float64(c.MeanWait.After.Mean) }
	longest := slices.MaxFunc(t.rows, func(a, b *whatif.ChangeResult) int { return cmp.Compare(wait(a), wait(b)) })
	second, long := text.TimeUnit(wait(longest))
	share := func(c *whatif.ChangeResult) string { return text.Hundredths(c.Share()) }
	if t.Objective == "" || t.some(func(c *whatif.ChangeResult) bool { return c.Share() >= 0 }) {
		t.add("efficiency %", share)
	}
	if t.Objective != plan.ObjectiveWait {
		t.add("wait, "+long, func(c *whatif.ChangeResult) string { return text.Fixed(wait(c)/second, 2) })
	}
	for _, p := range t.Before.Promises[:min(promises, len(t.Before.Promises))] {
		heading := fmt.Sprintf("%s≥%s%%", p.Name, text.Plain(100*float64(p.Level)))
		t.add(heading, func(c *whatif.ChangeResult) string { return promiseKept(c, p.Name) })
	}
	if t.some(func(c *whatif.ChangeResult) bool { return c.Lost() > 0 }) {
		t.add("lost", func(c *whatif.ChangeResult) string { return meanJobs(c.Lost()) })
	}
}

// TableCaption says what the table of changes has.
func (r *WhatIf) TableCaption() string {
	if r.Objective != "" {
		return "Each change alone and all together. Changes are against the scenario as it is: less is better."
	}
	return "Each change alone and all together, in $/h. Gains are against the scenario as it is."
}

// shownUnit returns the size and the name of the unit of what changes reach.
func (r *WhatIf) shownUnit(changes []*whatif.ChangeResult) (size float64, name string) {
	if r.Objective == "" {
		return 1, r.Unit
	}
	largest := 0.0
	for _, c := range changes {
		largest = max(largest, float64(c.Simulation.After.Mean))
	}
	return aim(r.Objective).unit(largest)
}

// customerTable is the table of the customers in each situation: jobs served of those
// submitted or kept away, mean wait and promise kept.
func (r *WhatIf) customerTable() *text.Table {
	t := text.NewTable()
	t.Column(partyWord(r.Workload == "trace"),
		text.Each(r.Before.Customers, func(s whatif.CustomerServed) string { return s.Name }))
	for _, c := range r.shown() {
		served := c.Customers[:min(len(c.Customers), len(r.Before.Customers))]
		t.Column(shortName(r.Result, c.Name), text.Each(served, func(s whatif.CustomerServed) string {
			from := s.Submitted
			for _, l := range c.KeptAway {
				if l.Name == s.Name {
					from = l.Of
				}
			}
			cell := fmt.Sprintf("%s of %s, %s", text.Fixed(float64(s.Completed), 0), text.Fixed(float64(from), 0),
				text.Duration(float64(s.MeanWait)))
			if kept := promiseKept(c, s.Name); kept != "" {
				cell += ", " + kept + " %"
			}
			return cell
		}))
	}
	return t
}

// promiseKept is the share of jobs for which a promise is kept, in per cent; "" without one.
func promiseKept(c *whatif.ChangeResult, name string) string {
	for _, p := range c.Promises {
		if p.Name == name {
			return text.Hundredths(float64(p.After.Mean))
		}
	}
	return ""
}

// gain formats a gain, which changes alone have.
func (r *WhatIf) gain(c *whatif.ChangeResult, d study.Estimate) string {
	if c == r.Before || c == r.Recorded {
		return ""
	}
	return text.Signed(float64(d.Mean), money(d, r.Once))
}

// mostOfChoice is how many changes that exclude each other all have a row and a verdict; of
// more the bestOfChoice have.
const mostOfChoice, bestOfChoice = 3, 2

// shown returns those listed, without most changes that exclude each other: those that harm nobody come first.
func (r *WhatIf) shown() []*whatif.ChangeResult {
	list := r.listed()
	best := slices.Clone(list)
	slices.SortStableFunc(best, func(a, b *whatif.ChangeResult) int {
		harm := cmp.Compare(min(len(a.Harm), 1), min(len(b.Harm), 1))
		return cmp.Or(harm, cmp.Compare(b.Gain().Mean, a.Gain().Mean))
	})
	policies := func(c *whatif.ChangeResult) bool { return c.Choice == whatif.ChoicePolicy && c.RunsOn != "" }
	runnable := func(c *whatif.ChangeResult) bool { return policies(c) && c.Policy == r.Result.Best.Runnable }
	if i, first := slices.IndexFunc(best, runnable), slices.IndexFunc(best, policies); i > first { // it comes second
		c := best[i]
		best = slices.Insert(slices.Delete(best, i, i+1), first+1, c)
	}
	// Changes such as priority=CUSTOMER were asked for one by one, also beside policy=best.
	best = slices.DeleteFunc(best, func(c *whatif.ChangeResult) bool {
		return c.Choice == whatif.ChoicePolicy && !strings.HasPrefix(c.Name, whatif.ChoicePolicy+"=")
	})
	all, count := map[string]int{}, map[string]int{}
	for _, c := range best {
		all[c.Choice]++
	}
	for _, c := range best {
		count[c.Choice]++
		most := bestOfChoice
		if now := r.Before.Policy; c.Choice == whatif.ChoicePolicy && now != "" && r.Result.Best.Runnable == now {
			most-- // as it is has a row
		}
		if c.Choice != "" && all[c.Choice] > mostOfChoice && count[c.Choice] > most {
			list = slices.DeleteFunc(list, func(o *whatif.ChangeResult) bool { return o == c })
		}
	}
	return list
}

// listed returns the log, the scenario as it is and the changes, many of them by their gain.
func (r *WhatIf) listed() []*whatif.ChangeResult {
	var list []*whatif.ChangeResult
	for i := range r.Changes {
		list = append(list, &r.Changes[i])
	}
	if len(list) > 2*mostOfChoice {
		slices.SortStableFunc(list, func(a, b *whatif.ChangeResult) int {
			if r.Objective != "" {
				return cmp.Compare(b.Gain().Mean, a.Gain().Mean)
			}
			return cmp.Compare(b.Simulation.Difference.Mean, a.Simulation.Difference.Mean)
		})
	}
	rank := func(c *whatif.ChangeResult) int { return cmp.Or(c.Rank, len(list)) }
	slices.SortStableFunc(list, func(a, b *whatif.ChangeResult) int { return cmp.Compare(rank(a), rank(b)) })
	list = slices.Insert(list, 0, r.Before)
	if r.Recorded != nil {
		list = slices.Insert(list, 0, r.Recorded)
	}
	return list
}

// Verdict is a headline and the lines below it.
type Verdict struct {
	Headline string
	Lines    []string
}

// mostLines is how many a verdict has in JSON.
const mostLines = 3

// Verdicts are those of the log and of the changes, a few of those that exclude each other.
// Each tells the jobs that are lost, and at most one line more.
func (r *WhatIf) Verdicts() []Verdict {
	var list []Verdict
	for _, c := range r.shown() {
		if c == r.Before {
			continue
		}
		told := verdict{c, r.Result}
		lines := text.Each(told.lines(), remark.String)
		if r.Explain && c.Explained != "" {
			lines = append(lines, c.Explained)
		} else if !r.Explain {
			lines = lines[:min(len(lines), 1+len(told.harmsAndLoses()))]
		}
		list = append(list, Verdict{text.OneLine(c.Headline) + ".", text.Each(lines, func(words string) string {
			return text.OneLine(words) + "."
		})})
	}
	return list
}

// Ranking lists the changes, best first; "" where there is one.
func (r *WhatIf) Ranking() string {
	if r.Verdict == "" {
		return ""
	}
	return text.OneLine(r.Verdict) + "."
}

// Table writes the result for a person to read: the table, then the verdicts.
func (r *WhatIf) Table(w io.Writer) {
	printFirst(w, r.First())
	fmt.Fprintf(w, "%s\n\n", strings.Join(r.Head(), "\n"))
	table := r.changeTable(false)
	for n := mostPromises - 1; n >= 0 && table.Width() > text.Columns(w); n-- { // verdicts tell the others
		table = r.changes(false, n)
	}
	table.Print(w)
	if more := len(r.listed()) - len(r.shown()); more > 0 {
		fmt.Fprintf(w, "%d more in --json\n", more)
	}
	fmt.Fprintln(w)
	for _, v := range r.Verdicts() {
		text.Print(w, v.Headline, 0)
		for _, line := range v.Lines {
			fmt.Fprint(w, "  ")
			text.Print(w, line, 2)
		}
	}
	if words := r.Ranking(); words != "" {
		fmt.Fprintln(w)
		text.Print(w, words, 0)
	}
	if !r.Explain {
		return
	}
	printAffected(w, r.affected())
}

// affected has who is affected by each change that is shown.
func (r *WhatIf) affected() partTables {
	list := newAffected()
	for _, c := range r.shown() {
		if c != r.Before && c != r.Recorded {
			list.Tables = append(list.Tables, partTable{shortName(r.Result, c.Name), AffectedTable(c.Affected)})
		}
	}
	return list
}

// Records yields a row for every change, method and measure.
func (r *WhatIf) Records(add func(cells ...any)) {
	add("change", "method", "class", "metric", "before", "after", "difference", "half_width",
		"low", "high", "level", "n", "verdict", "unit")
	none := metric.Number(math.NaN())
	unknown := study.Estimate{Mean: none, HalfWidth: none}
	for _, c := range r.listed() {
		if c == r.Before {
			continue
		}
		list := func(method, class, measure string, before, after metric.Number, d study.Estimate) {
			low, high := none, none
			level := none
			n := ""
			if d.Low != nil && d.High != nil {
				low, high = *d.Low, *d.High
			}
			if d.N > 0 {
				level, n = d.Level, strconv.Itoa(d.N)
			}
			add(c.Name, method, class, measure, before, after, d.Mean, d.HalfWidth, low, high, level, n, c.Verdict,
				unit(measure))
		}
		formula := study.Estimate{Mean: metric.Number(c.Formula.Difference()), HalfWidth: none}
		s, wait := c.Simulation, c.MeanWait
		if c.Formula != nil {
			list("formula", "", "revenue_per_hour", c.Formula.Before, c.Formula.After, formula)
		}
		reached := "revenue_per_hour"
		if r.Objective != "" {
			reached = plan.ObjectiveMeasure(r.Objective).Name
		}
		list("simulation", "", reached, s.Before.Mean, s.After.Mean, s.Difference)
		list("bound", "", reached, c.Bound.Before, c.Bound.After, c.Bound.Difference)
		list("simulation", "", "mean_wait", wait.Before.Mean, wait.After.Mean, wait.Difference)
		for _, p := range c.Promises {
			list("simulation", p.Name, "promise_kept", p.Before.Mean, p.After.Mean, p.Difference)
		}
		for _, s := range c.Customers {
			before := r.Before.Customer(s.Name)
			list("simulation", s.Name, "submitted", before.Submitted, s.Submitted, unknown)
			list("simulation", s.Name, "completed", before.Completed, s.Completed, unknown)
			list("simulation", s.Name, "refused", before.Refused, s.Refused, unknown)
			list("simulation", s.Name, "given_up", before.GivenUp, s.GivenUp, unknown)
			list("simulation", s.Name, "expired", before.Expired, s.Expired, unknown)
			list("simulation", s.Name, "killed", before.Killed, s.Killed, unknown)
		}
		if c.BreakEven != nil {
			list("simulation", "", "break_even_per_unit_hour", none, none, *c.BreakEven)
		}
		if c.GainPerUnit != nil {
			list("simulation", "", whatif.GainPerUnit, none, none, *c.GainPerUnit)
		}
		if c.GainPerDollar != nil {
			list("simulation", "", whatif.GainPerDollar, none, none, *c.GainPerDollar)
		}
		if c.Net != nil {
			list("simulation", "", "net_per_hour", none, none, *c.Net)
		}
	}
}

func (r *WhatIf) Provenance() text.Provenance {
	p := wording.Provenance(r.Version, r.Scenario, r.Command, r.Overrides, r.TraceFile, r.Warnings,
		"workload", r.What, "policy", r.Policy, "replications", strconv.Itoa(r.Replications), "intervals", r.Covers)
	p.Seed = &r.Seed
	return p
}
