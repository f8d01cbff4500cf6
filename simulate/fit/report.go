package fit

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"revopt/internal/text"
	"revopt/model"
	"revopt/model/scenario"
)

// Scenario returns the classes as a scenario.
func (f *Result) Scenario() *scenario.Scenario {
	return &scenario.Scenario{
		Name: f.Name, Nodes: f.Nodes, Parallel: f.Parallel, Residual: f.Residual,
		Load: f.Load, Phi: 1, Pools: f.Pools,
		Classes: text.Each(f.Classes, func(c Class) model.Class { return c.Model }),
	}
}

// WriteYAML writes the classes as a scenario file. The given lines, how well the
// classes fit, and the warnings stand at its top as comments.
func (f *Result) WriteYAML(w io.Writer, head ...string) error {
	var b bytes.Buffer
	for _, line := range append(head, f.Figures()...) {
		fmt.Fprintln(&b, strings.TrimRight("# "+text.OneLine(line), " "))
	}
	for _, w := range f.Warnings {
		fmt.Fprintln(&b, "# warning:", text.OneLine(w.String()))
	}
	if err := f.Scenario().WriteYAML(&b); err != nil {
		return err
	}
	_, err := w.Write(b.Bytes())
	return err
}

// Figures describes the fit in lines of text, pool by pool.
func (f *Result) Figures() []string {
	if f.Pools != nil {
		var all []string
		for i, part := range f.Parts {
			all = append(all, "pool "+f.Pools[i].Name+":")
			if part != nil {
				all = append(all, part.Figures()...)
			}
		}
		return all
	}
	list := []string{
		fmt.Sprintf("%d jobs in %.4g days on %s: %.4g jobs/s, load %.4g, %.3g jobs of the mean width at a time",
			f.Jobs, f.Span/86400, text.Plural(f.Nodes, text.Unit(f.Unit)), f.Rate, f.Load, f.Parallel),
		fmt.Sprintf("arrivals, where Poisson has 1: SCV of gaps %s, index of dispersion %s", figure(f.Arrivals.SCV),
			strings.Join(text.Each(f.Arrivals.Dispersion, dispersionWords), ", ")),
		fmt.Sprintf("arrivals, where Poisson has 0: daily cycle %s, weekly cycle %s", figure(f.Arrivals.Daily),
			figure(f.Arrivals.Weekly)),
		fmt.Sprintf("SCV of lengths %s, of work %s; rank correlation of width and length %s", figure(f.LengthSCV),
			figure(f.WorkSCV), figure(f.Correlation)),
	}
	if !math.IsNaN(f.Silhouette) {
		list = append(list, "mean silhouette of the clusters "+figure(f.Silhouette))
	}
	return append(list, f.table()...)
}

func dispersionWords(d Dispersion) string { return "by " + d.Name + " " + figure(d.Index) }

// table has a line for every class: figures of the trace, then the length of the
// class and its distance to the trace.
func (f *Result) table() []string {
	t := text.NewTable("class", "jobs", "load", "gaps SCV", "run time", "SCV", "width", "work SCV",
		"length", "KS length", "KS work", "budget $", "slack s")
	t.Left, t.Whole = 0, true
	for i := range f.Classes {
		c := &f.Classes[i]
		t.Row(c.Model.Name, strconv.FormatInt(c.Jobs, 10), fmt.Sprintf("%.4f", c.Load), figure(c.Gaps.SCV()),
			amountText(c.Length.Mean), figure(c.Length.SCV()), amountText(c.Width.Mean), figure(c.Work.SCV()),
			amountText(c.Equivalent.Mean), figure(c.LengthKS()), figure(c.WorkKS),
			amountText(c.Budget.Mean), amountText(c.Slack.Mean))
	}
	lines := strings.Split(strings.TrimSuffix(t.String(), "\n"), "\n")
	return text.Each(lines, func(line string) string { return "  " + line })
}

// figure writes a number with three digits, - if there is none.
func figure(x float64) string {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return "-"
	}
	return strconv.FormatFloat(x, 'g', 3, 64)
}

// amountText writes a quantity with at least three digits.
func amountText(x float64) string {
	if x >= 1000 && x < 1e15 {
		return strconv.FormatFloat(x, 'f', 0, 64)
	}
	return figure(x)
}
