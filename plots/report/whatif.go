package report

import (
	"fmt"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"

	"revopt/internal/text"
	"revopt/simulate/study"
)

// WhatIf is what changes bring, as tables, figures and pages show it.
type WhatIf struct{ *study.WhatIfResult }

// Facts returns the result.
func (r *WhatIf) Facts() (any, []study.Warning) { return r.WhatIfResult, r.Warnings }

// Head says what was compared, and what intervals cover.
func (r *WhatIf) Head() []string {
	words := text.Plural(r.Replications, "replication") + fmt.Sprintf(", seed %d", r.Seed)
	switch {
	case r.Once:
		words = "1 replication"
	case r.Resampled || r.Replications > 1:
		words += levelWords(float64(r.Level), r.Replications, r.Resampled) + ", gains are paired"
	}
	if r.Per != "hour" {
		words += "; $/h is by " + r.Per
	}
	under := ", under " + r.Policy
	if r.Admission != "all" {
		under += ", admission " + r.Admission
	}
	return append([]string{text.OneLine(r.Scenario + ": " + r.What + under), words}, text.Wrapped(r.Covers, lineWidth)...)
}

// cells are those of a row of the table; without gains of the scenario as it is.
func (r *WhatIf) cells(c *study.ChangeResult) []string {
	once := func(e study.Estimate) study.Estimate {
		if r.Once || math.IsInf(float64(e.HalfWidth), 0) {
			e.HalfWidth = 0
		}
		return e
	}
	simulated := signedShort(float64(c.Simulation.Difference.Mean))
	if d := once(c.Simulation.Difference); d.HalfWidth != 0 {
		simulated = plus(float64(d.Mean)) + amount(d.Interval(), 1)
	}
	cells := []string{
		r.shortName(c.Name), text.Rounded(float64(c.Load[1])), text.Short(float64(c.Formula.After)), signedShort(c.Formula.Difference()),
		text.Short(float64(c.Simulation.After.Mean)), simulated, text.Short(float64(c.Bound.After)), signedShort(float64(c.Bound.Difference.Mean)),
		text.Duration(float64(c.MeanWait.After.Mean)),
	}
	if c == r.Before {
		cells[3], cells[5], cells[7] = "", "", ""
		if e := once(c.Simulation.After); e.HalfWidth != 0 {
			cells[4] = amount(e.Interval(), 1)
		}
	}
	return cells
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

// rows are those of the table, its headings first.
func (r *WhatIf) rows() [][]string {
	list := [][]string{
		{"$/h", "load", "formula", "gain", "simulation", "gain", "bound", "gain", "mean wait"}, r.cells(r.Before),
	}
	for i := range r.Changes {
		list = append(list, r.cells(&r.Changes[i]))
	}
	return list
}

// Table writes the result for a person to read: the table, then the verdicts.
func (r *WhatIf) Table(w io.Writer) {
	fmt.Fprintf(w, "%s\n\n", strings.Join(r.Head(), "\n"))
	text.Align(w, r.rows(), 1)
	for _, s := range r.Sentences() {
		fmt.Fprintf(w, "\n%s\n", wrapped(s))
	}
}

// Sentences are the verdicts: of the scenario as it is, of every change, and of
// all changes.
func (r *WhatIf) Sentences() []string {
	list := []string{"As it is: " + r.Before.Verdict + "."}
	for _, c := range r.Changes {
		list = append(list, c.Name+": "+c.Verdict+".")
	}
	if r.Verdict != "" {
		list = append(list, r.Verdict+".")
	}
	for i := range list {
		list[i] = text.OneLine(list[i])
	}
	return list
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
		list("formula", "", "revenue_per_hour", c.Formula.Before, c.Formula.After, formula)
		list("simulation", "", "revenue_per_hour", s.Before.Mean, s.After.Mean, s.Difference)
		list("bound", "", "revenue_per_hour", c.Bound.Before, c.Bound.After, c.Bound.Difference)
		list("simulation", "", "mean_wait", wait.Before.Mean, wait.After.Mean, wait.Difference)
		for _, p := range c.Promises {
			list("simulation", p.Name, "promise_kept", p.Before.Mean, p.After.Mean, p.Difference)
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
