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
	"revopt/simulate/study"
)

// WhatIf is what changes bring, as tables, figures and pages show it.
type WhatIf struct {
	*study.WhatIfResult
	Formula bool // shows the formula where there is one; on traces it is always shown
	Explain bool // says which method to believe
}

// Facts returns the result.
func (r *WhatIf) Facts() (any, []study.Warning) { return r.WhatIfResult, r.Warnings }

// Head says what was compared, and what intervals cover.
func (r *WhatIf) Head() []string {
	title := r.Scenario + ": " + r.What + ", under " + r.Policy
	if r.Admission != "all" {
		title += ", admission " + r.Admission
	}
	list := []string{text.OneLine(title)}
	if !r.Once {
		words := text.Plural(r.Replications, "replication")
		if r.Resampled || r.Replications > 1 {
			words += levelWords(float64(r.Level), r.Replications, r.Resampled)
		}
		list = append(list, words)
	}
	switch r.Drawn {
	case study.DrawnNothing:
		return append(list, "nothing is random: no intervals")
	case study.DrawnClasses, study.DrawnJobs: // as expected
		return list
	}
	return append(list, text.Wrapped(r.Covers, lineWidth)...)
}

// shortName is the name of a change without what goes without saying, unless another
// change has the same.
func (r *WhatIf) shortName(name string) string {
	short := func(name string) string {
		return text.OneLine(strings.NewReplacer(".per_node_hour=", "=", ".per_unit_hour=", "=", ".per_hour=", "=").Replace(classPath.ReplaceAllString(name, "$1")))
	}
	for _, c := range r.Changes {
		if c.Name != name && short(c.Name) == short(name) {
			return text.OneLine(name)
		}
	}
	return short(name)
}

var classPath = regexp.MustCompile(`\bclasses\.(\D)`)

// plus is the sign of a gain that text formats leave out.
func plus(x float64) string {
	if x > 0 {
		return "+"
	}
	return ""
}

// rows are those of the table, its headings first. Loads are shown where a change moves
// them, the formula where it was asked for, and promises unless there are many.
func (r *WhatIf) rows() [][]string {
	moved := func(c study.ChangeResult) bool { return c.Load[1] != c.Load[0] }
	loads := slices.ContainsFunc(r.Changes, moved)
	formula := r.Before.Formula != nil && (r.Formula || r.Workload == "trace")
	promises := r.Before.Promises[:min(4, len(r.Before.Promises))]
	heading := []string{"$/h"}
	if loads {
		heading = append(heading, "load")
	}
	if formula {
		heading = append(heading, "formula", "gain")
	}
	heading = append(heading, "earns", "gain", "% of possible", "mean wait")
	for _, p := range promises {
		heading = append(heading, fmt.Sprintf("%s, %s promised", text.OneLine(p.Name), plainPercent(float64(p.Level))))
	}
	list := [][]string{heading}
	add := func(c *study.ChangeResult) {
		cells := []string{r.shortName(c.Name)}
		if c == r.Before && r.Recorded != nil { // it is simulated
			cells[0] += " (" + text.OneLine(r.Policy) + ")"
		}
		if loads {
			cells = append(cells, text.Rounded(float64(c.Load[1])))
		}
		if formula && c.Formula == nil {
			cells = append(cells, "", "")
		} else if formula {
			cells = append(cells, text.Short(float64(c.Formula.After)), r.gain(c, study.Estimate{Mean: study.Number(c.Formula.Difference())}))
		}
		earns := text.Short(float64(c.Simulation.After.Mean))
		if c == r.Before {
			earns = r.amount(c.Simulation.After)
		}
		cells = append(cells, earns, r.gain(c, c.Simulation.Difference),
			text.Fixed(100*float64(c.Simulation.After.Mean/c.Bound.After), 1), text.Duration(float64(c.MeanWait.After.Mean)))
		for i := range promises {
			cells = append(cells, text.Fixed(100*float64(c.Promises[i].After.Mean), 1))
		}
		list = append(list, cells)
	}
	if r.Recorded != nil {
		add(r.Recorded)
	}
	add(r.Before)
	all, _ := r.order()
	for _, i := range all {
		add(&r.Changes[i])
	}
	return list
}

// amount formats money with its interval, where there is one.
func (r *WhatIf) amount(e study.Estimate) string {
	if r.Once || e.HalfWidth == 0 || math.IsInf(float64(e.HalfWidth), 0) {
		return text.Short(float64(e.Mean))
	}
	return amount(e.Interval(), 1)
}

// gain formats a gain, which changes alone have.
func (r *WhatIf) gain(c *study.ChangeResult, d study.Estimate) string {
	if c == r.Before || c == r.Recorded {
		return ""
	}
	return plus(float64(d.Mean)) + r.amount(d)
}

// mostOfChoice is how many changes that exclude each other have a verdict of their own.
const mostOfChoice = 3

// order returns the changes as the table lists them, and those with a verdict: of many
// that exclude each other, best first, the first few.
func (r *WhatIf) order() (all, told []int) {
	seen := map[string]bool{}
	for i, c := range r.Changes {
		group := []int{i}
		if c.Choice != "" {
			group = nil
			for k, other := range r.Changes {
				if other.Choice == c.Choice && !seen[c.Choice] {
					group = append(group, k)
				}
			}
			seen[c.Choice] = true
		}
		if len(group) > mostOfChoice {
			slices.SortStableFunc(group, func(a, b int) int {
				return cmp.Compare(r.Changes[b].Gain().Mean, r.Changes[a].Gain().Mean)
			})
		}
		all, told = append(all, group...), append(told, group[:min(len(group), mostOfChoice)]...)
	}
	return all, told
}

// Verdict is a headline and the lines below it.
type Verdict struct {
	Headline string
	Lines    []string
}

// Verdicts are those of the log, of the scenario as it is and of the changes.
func (r *WhatIf) Verdicts() []Verdict {
	var list []Verdict
	add := func(c *study.ChangeResult) {
		v := Verdict{text.OneLine(c.Headline) + ".", nil}
		for _, words := range c.Lines {
			v.Lines = append(v.Lines, text.OneLine(words)+".")
		}
		if r.Explain && c.Explained != "" {
			v.Lines = append(v.Lines, text.OneLine(c.Explained)+".")
		}
		list = append(list, v)
	}
	if r.Recorded != nil {
		add(r.Recorded)
	}
	add(r.Before)
	if before := &list[len(list)-1]; len(before.Lines) == 0 { // the table says it
		list = list[:len(list)-1]
	} else {
		*before = Verdict{r.Before.Name + ": " + strings.Join(before.Lines, " "), nil}
	}
	_, told := r.order()
	for _, i := range told {
		add(&r.Changes[i])
		if all := &list[len(list)-1]; r.Changes[i].Choice == "" && !r.Explain && len(all.Lines) > 1 { // changes have told the rest
			all.Lines = all.Lines[:1]
		}
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
	fmt.Fprintf(w, "%s\n\n", strings.Join(r.Head(), "\n"))
	text.Align(w, r.rows(), 1)
	fmt.Fprintln(w)
	for _, v := range r.Verdicts() {
		fmt.Fprintln(w, wrapped(v.Headline))
		for _, line := range v.Lines {
			fmt.Fprintln(w, "  "+strings.Join(text.Wrapped(line, lineWidth-2), "\n  "))
		}
	}
	if words := r.Ranking(); words != "" {
		fmt.Fprintf(w, "\n%s\n", wrapped(words))
	}
}

// Records yields a row for every change, method and measure.
func (r *WhatIf) Records(add func(cells ...any)) {
	add("change", "method", "class", "metric", "before", "after", "difference", "half_width",
		"low", "high", "level", "n", "verdict")
	none := study.Number(math.NaN())
	unknown := study.Estimate{Mean: none, HalfWidth: none}
	for _, c := range r.Changes {
		list := func(method, class, measure string, before, after study.Number, d study.Estimate) {
			low, high, level, n := none, none, none, ""
			if d.Low != nil && d.High != nil {
				low, high = *d.Low, *d.High
			}
			if d.N > 0 {
				level, n = d.Level, strconv.Itoa(d.N)
			}
			add(c.Name, method, class, measure, before, after, d.Mean, d.HalfWidth, low, high, level, n, c.Verdict)
		}
		formula := study.Estimate{Mean: study.Number(c.Formula.Difference()), HalfWidth: none}
		s, wait := c.Simulation, c.MeanWait
		if c.Formula != nil {
			list("formula", "", "revenue_per_hour", c.Formula.Before, c.Formula.After, formula)
		}
		list("simulation", "", "revenue_per_hour", s.Before.Mean, s.After.Mean, s.Difference)
		list("bound", "", "revenue_per_hour", c.Bound.Before, c.Bound.After, c.Bound.Difference)
		list("simulation", "", "mean_wait", wait.Before.Mean, wait.After.Mean, wait.Difference)
		for _, p := range c.Promises {
			list("simulation", p.Name, "promise_kept", p.Before.Mean, p.After.Mean, p.Difference)
		}
		for _, l := range c.GivenUp {
			list("simulation", l.Name, "given_up", l.Before, l.Jobs, unknown)
		}
		for _, t := range c.Admission.Classes {
			list("simulation", t.Name, "refused", none, t.Refused, unknown)
		}
		if c.BreakEven != nil {
			list("simulation", "", "break_even_per_node_hour", none, none, *c.BreakEven)
		}
		if c.Net != nil {
			list("simulation", "", "net_per_hour", none, none, *c.Net)
		}
	}
}

// Provenance says where the numbers come from.
func (r *WhatIf) Provenance() text.Provenance {
	p := provenance(r.Version, r.Scenario, r.Command, r.Overrides, r.Warnings, "workload", r.What, "policy", r.Policy,
		"replications", strconv.Itoa(r.Replications), "intervals", r.Covers)
	p.Seed = &r.Seed
	return p
}
