package paper

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"revopt/internal/text"
	"revopt/model/scenario"
	"revopt/plots"
	"revopt/simulate/metric"
	"revopt/simulate/policy"
	"revopt/simulate/subject"
)

// A plan is the simulation behind figures: rows at every value of an axis. A
// replication has the same jobs in all rows.
type plan struct {
	scenario     string              // built in
	set          []scenario.Override // of all rows
	trace        string              // SWF file; empty means the generated jobs
	path         string              // field that varies; empty where rows vary an option
	values       []float64           // of the axis
	rows         []row
	replications int
}

// A row is a policy behind an admission, in a scenario with overrides.
type row struct {
	name      string // in figures
	policy    string // empty means that of the scenario
	options   map[string]string
	option    string              // the option of the policy that takes the values of the axis
	admission *scenario.Admission // nil admits all
	admits    [][]float64         // by value of the axis, where the admission was found before; see plan.bounded
	set       []scenario.Override
	look      int  // see plots.Series
	behind    bool // see plots.Series
}

// compared returns policies by their names, with the titles that legends have.
func compared(names ...string) []row {
	list := make([]row, len(names))
	for i, name := range names {
		list[i] = row{name: named(name).Title, policy: name, look: i + 1}
	}
	return list
}

// policiesOf returns the policies that a built-in scenario names, with their options.
func policiesOf(name string) []row {
	s, err := open(name).scenario()
	if err != nil {
		panic("paper: " + err.Error())
	}
	list := compared(text.Each(s.Policies, func(p scenario.Policy) string { return p.Name })...)
	for i, p := range s.Policies {
		list[i].options = p.Options
	}
	return list
}

// named returns the policy of a name.
func named(name string) policy.Spec {
	spec, err := policy.Lookup(subject.Standard(), name)
	if err != nil {
		panic("paper: " + err.Error())
	}
	return spec
}

// String names a row with its options and overrides.
func (r row) String() string {
	words := r.policy
	for _, name := range slices.Sorted(maps.Keys(r.options)) {
		words += ":" + name + "=" + r.options[name]
	}
	for _, s := range r.set {
		words += fmt.Sprintf(", %s=%s", s.Path, s.Value)
	}
	return words
}

// A line is a curve with the replications behind it.
type line struct {
	name string
	look int
	x    []float64

	// over returns a number by replication, over some points of x together, all
	// where none is given.
	over func(at ...int) []float64
}

func (l line) series() plots.Series {
	s := plots.Series{Name: l.name, X: l.x, Look: l.look}
	for i := range l.x {
		addInterval(&s, estimate(l.over(i)))
	}
	return s
}

// estimate returns the mean of replications with its interval.
func estimate(values []float64) metric.Interval { return metric.Estimate(values, metric.DefaultLevel) }

// averages returns a function that averages numbers of replications over points.
func averages(points int, values func(i int) []float64) func(at ...int) []float64 {
	return func(at ...int) []float64 {
		switch len(at) {
		case 0:
			for i := range points {
				at = append(at, i)
			}
		case 1:
			return values(at[0])
		}
		sums := slices.Clone(values(at[0]))
		for _, i := range at[1:] {
			for k, v := range values(i) {
				sums[k] += v
			}
		}
		return scaled(sums, 1/float64(len(at)))
	}
}

func scaled(values []float64, by float64) []float64 {
	return text.Each(values, func(v float64) float64 { return v * by })
}

// lines returns a measure of all rows, in the unit in which it is drawn.
func (t *table) lines(measure string) []line {
	scale, ok := drawnIn[measure]
	if !ok {
		scale = 1
	}
	var list []line
	for k, r := range t.rows {
		list = append(list, line{name: r.name, look: r.look, x: t.values,
			over: averages(len(t.values), func(i int) []float64 { return scaled(t.numbers(k, i, measure), scale) })})
	}
	return list
}

// drawnIn are the units of figures in those of measures, where they differ: hours
// and millions of dollars.
var drawnIn = map[string]float64{"mean_wait": 1.0 / perHour, "utility": 1e-6}

// addInterval appends a point with its interval, where there is one.
func addInterval(s *plots.Series, v metric.Interval) {
	s.Y = append(s.Y, v.Mean)
	if v.N > 1 {
		s.Low = append(s.Low, v.Mean-v.HalfWidth)
		s.High = append(s.High, v.Mean+v.HalfWidth)
	}
}

// A simulated figure is drawn from the results of a plan.
type simulated struct {
	plan    func(o Options) plan
	x, y    plots.Axis
	measure string

	// lines returns the curves of a measure; nil stands for that of every row.
	lines func(t *table, measure string) []line

	notes  func(t *table) []string
	finish func(fig *plots.Figure, t *table)       // adds to the figure; may be nil
	draw   func(o Options, t *table) plots.Picture // in place of one figure of the lines
	remark func(t *table) string                   // on what was simulated; may be nil

	provenance func(o Options, t *table) plots.Provenance
}

// curves returns the lines of the figure or, of the same rows, of another measure.
func (s simulated) curves(t *table, measure string) []line {
	if s.lines != nil {
		return s.lines(t, measure)
	}
	return t.lines(measure)
}

// build runs the plan and draws the figure.
func (s simulated) build(ctx context.Context, o Options) (Result, error) {
	t, err := s.plan(o).run(ctx, o)
	if err != nil {
		return Result{}, err
	}
	result := Result{Picture: s.picture(o, t), Provenance: s.provenance(o, t)}
	if s.remark != nil {
		result.Remarks = []string{s.remark(t)}
	}
	return result, nil
}

func (s simulated) picture(o Options, t *table) plots.Picture {
	if s.draw != nil {
		return s.draw(o, t)
	}
	fig := plots.Figure{X: s.x, Y: s.y, Notes: s.notes(t), Series: text.Each(s.curves(t, s.measure), line.series)}
	if s.finish != nil {
		s.finish(&fig, t)
	}
	return fig
}

// bands says how often a point was simulated, and what its band is.
func bands(replications int, span, interval string) string {
	if replications < 2 {
		return "One replication" + span
	}
	return fmt.Sprintf("%d replications%s; bands: 95 %% intervals of the %s", replications, span, interval)
}

// plusMinus writes an interval with the given number of decimals.
func plusMinus(v metric.Interval, decimals int) string {
	if v.N < 2 {
		return fmt.Sprintf("%.*f", decimals, v.Mean)
	}
	return fmt.Sprintf("%.*f ± %.*f", decimals, v.Mean, decimals, v.HalfWidth)
}

func capital(words string) string { return strings.ToUpper(words[:1]) + words[1:] }

// jobsOf names so many jobs of a trace; without one, generated jobs stand in for them.
func jobsOf(trace string, jobs int) string {
	if trace == "" {
		return fmt.Sprintf("%d generated jobs (sp2-like) in place of the trace", jobs)
	}
	return fmt.Sprintf("the last %d jobs of %s", jobs, filepath.Base(trace))
}

// drawnAnew says how the jobs of replications differ.
func drawnAnew(trace string) string {
	if trace == "" {
		return ", new ones in every replication; --trace FILE or the variable REVOPT_TRACE takes those of the trace"
	}
	return ", in every replication with deadlines and budgets drawn anew"
}

// yamlText writes a text as YAML.
func yamlText(text string) string {
	plain := func(r rune) bool {
		return strings.ContainsRune("/.-_", r) || r < 128 && (unicode.IsLetter(r) || unicode.IsDigit(r))
	}
	if text[0] != '-' && !strings.ContainsFunc(text, func(r rune) bool { return !plain(r) }) {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", "''") + "'"
}
