package workload

import (
	"bytes"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"text/tabwriter"

	"revopt/model"
)

// Scenario returns the classes as a scenario file. The given lines, how well
// the classes fit, and the warnings stand at its top as comments.
func (f *Fitted) Scenario(head ...string) []byte {
	var b bytes.Buffer
	for _, line := range append(head, f.Figures()...) {
		fmt.Fprintln(&b, strings.TrimRight("# "+plainLine(line), " "))
	}
	for _, w := range f.Warnings {
		fmt.Fprintln(&b, "# warning:", plainLine(w))
	}
	fmt.Fprintf(&b, "name: %s\n", yamlText(f.Name))
	fmt.Fprintf(&b, "server: {nodes: %d, residual: %s}\n", f.Nodes, f.Residual)
	fmt.Fprintln(&b, "classes:")
	for i := range f.Classes {
		f.Classes[i].write(&b)
	}
	return b.Bytes()
}

// write writes a class.
func (c *FittedClass) write(b *bytes.Buffer) {
	fmt.Fprintf(b, "  - name: %s\n", yamlText(c.Model.Name))
	field := func(key, value string) { fmt.Fprintf(b, "    %s: %s\n", key, value) }
	field("rate", written(c.Model.Rate)) // jobs/s
	length := fmt.Sprintf("{dist: %s, mean: %s", c.Kind, written(c.Equivalent.Mean))
	if c.Kind != model.Deterministic {
		length += ", sd: " + written(c.Equivalent.SD)
	}
	field("length", length+"}")
	field("width", yamlWidth(c.Model.Width))
	const hour = 3600
	switch {
	case c.Model.Price.PerNodeSecond > 0:
		field("price", "{per_node_hour: "+written(c.Model.Price.PerNodeSecond*hour)+"}")
	case c.Model.Price.PerSecond > 0:
		field("price", "{per_hour: "+written(c.Model.Price.PerSecond*hour)+"}")
	default:
		field("price", written(c.Model.Price.Fixed))
	}
	field("decay", written(c.Model.Decay))
	if c.Model.Grace.Lengths > 0 {
		field("grace", "{lengths: "+written(c.Model.Grace.Lengths)+"}")
	} else {
		field("grace", written(c.Model.Grace.Fixed))
	}
	switch {
	case c.Model.Floor.None:
		field("floor", "none")
		return
	case c.Model.Floor.OfPrice > 0:
		field("floor", "{of_price: "+written(c.Model.Floor.OfPrice)+"}")
	default:
		field("floor", written(c.Model.Floor.Fixed))
	}
	if c.Model.Decay > 0 {
		field("expire", c.Model.Expire.String())
	}
}

// yamlWidth writes widths.
func yamlWidth(w model.Width) string {
	if len(w.Values) == 1 {
		return written(w.Values[0])
	}
	var values, weights []string
	for i, v := range w.Values {
		values = append(values, strconv.FormatFloat(v, 'f', -1, 64))
		weights = append(weights, strconv.FormatFloat(w.Weights[i], 'f', -1, 64))
	}
	return "{values: [" + strings.Join(values, ", ") + "], weights: [" + strings.Join(weights, ", ") + "]}"
}

// yamlText writes a name, in quotes unless it is a plain word.
func yamlText(s string) string {
	if regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_-]*$`).MatchString(s) && !regexp.MustCompile(`(?i)^(y|n|yes|no|on|off|true|false|null)$`).MatchString(s) {
		return s
	}
	return strconv.QuoteToASCII(s)
}

// plainLine replaces what would end a comment.
func plainLine(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r == 0x85 || r == 0x2028 || r == 0x2029 {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, "?"))
}

// Figures says in lines of text what was fitted and how well.
func (f *Fitted) Figures() []string {
	a := &f.Arrivals
	lines := []string{
		fmt.Sprintf("%d jobs in %.4g days on %d nodes: %.4g jobs/s, load %.4g, %.3g jobs of the mean width at a time", f.Jobs, f.Span/86400, f.Nodes, f.Rate, f.Load, f.Parallel),
		fmt.Sprintf("arrivals, where Poisson has 1: SCV of gaps %s, index of dispersion%s", figure(a.SCV), dispersions(a.Dispersion)),
		fmt.Sprintf("arrivals, where Poisson has 0: lag-1 autocorrelation %s, daily cycle %s, weekly cycle %s", figure(a.Lag1), figure(a.Daily), figure(a.Weekly)),
		fmt.Sprintf("gaps against the exponential: KS distance %s, 5 %% limit %s, p %s", figure(a.KS), figure(a.Critical), chance(a.P)),
		fmt.Sprintf("SCV of lengths %s, of work %s; rank correlation of width and length %s", figure(f.LengthSCV), figure(f.WorkSCV), figure(f.Correlation)),
	}
	if !math.IsNaN(f.Silhouette) {
		lines = append(lines, fmt.Sprintf("mean silhouette of the clusters %s", figure(f.Silhouette)))
	}
	return append(lines, f.table()...)
}

// table has a line for every class: what the trace has, then the class's
// length and how far it is off.
func (f *Fitted) table() []string {
	var b strings.Builder
	t := tabwriter.NewWriter(&b, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "class\tjobs\tload\tgaps SCV\trun time\tSCV\twidth\twork SCV\tlength\tKS length\tKS work\tbudget $\tslack s\t")
	for i := range f.Classes {
		c := &f.Classes[i]
		cells := []string{
			c.Model.Name, strconv.FormatInt(c.Jobs, 10), fmt.Sprintf("%.4f", c.Load), figure(c.Gaps.SCV()), amountText(c.Length.Mean), figure(c.Length.SCV()),
			amountText(c.Width.Mean), figure(c.Work.SCV()), amountText(c.Equivalent.Mean), figure(c.LengthKS()), figure(c.WorkKS), amountText(c.Budget.Mean), amountText(c.Slack.Mean),
		}
		fmt.Fprintln(t, strings.Join(cells, "\t")+"\t")
	}
	t.Flush()
	return strings.Split(strings.TrimRight(b.String(), "\n"), "\n")
}

func dispersions(list []Dispersion) string {
	var parts []string
	for _, d := range list {
		parts = append(parts, fmt.Sprintf(" by %s %s", d.Name, figure(d.Index)))
	}
	return strings.Join(parts, ",")
}

// figure writes a figure with three digits, - where there is none.
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

func chance(p float64) string {
	if p <= 0.0001 {
		return "at most 0.0001"
	}
	return figure(p)
}
