package paper

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"revopt/internal/text"
	"revopt/model/scenario"
	"revopt/plots"
	"revopt/simulate/metric"
	"revopt/simulate/run"
	"revopt/simulate/subject"
	"revopt/simulate/workload"
)

// A validation is the rows of a plan under proven bounds, in the unit of a figure.
type validation struct {
	plan
	points []bounded
	amount func(p *bounded, money run.Series) run.Series // in the unit of the figure
}

// bounded is the rows of a plan at a value of the axis, and the bounds on the same jobs. Money is in $.
type bounded struct {
	delivered     []run.Series // by row
	clairvoyant   run.Series   // the bound
	gap           run.Series   // of the bound
	jobs, seconds run.Series
}

func (p plan) document() (*scenario.Document, error) {
	err := p.checkTrace()
	if err != nil {
		return nil, err
	}
	return open(p.scenario).doc.With(slices.Concat(p.set, traced(p.trace))...)
}

// underBounds runs the rows of a plan under bounds. Amounts are in millions of dollars.
func (p plan) underBounds(ctx context.Context, o Options, how run.Bound) (*validation, error) {
	doc, err := p.document()
	if err != nil {
		return nil, err
	}
	how.On = run.Value().Name
	b := &validation{plan: p, amount: millions}
	err = o.inLab(ctx, doc, func(l *run.Lab) error {
		cases, err := p.cases(l, Reading{})
		if err != nil {
			return err
		}
		var rows, limits []run.Case
		for i := range p.values {
			for k := range cases {
				cases[k][i].Jobs.Drained = true
				rows = append(rows, cases[k][i])
			}
			limit := cases[0][i]
			limit.Admission = run.Admission{}
			limit.Do = run.Action{Bound: &how}
			limits = append(limits, limit)
		}
		f, err := complete(l.Frame(ctx, slices.Concat(rows, limits), p.replications))
		if err != nil {
			return err
		}
		for i := range p.values {
			b.points = append(b.points, boundedAt(f, cases, limits[i], i))
		}
		return nil
	})
	return b, err
}

// boundedAt returns the rows at the i-th value of the axis, and the bounds.
func boundedAt(f *run.Frame, cases [][]run.Case, limit run.Case, i int) bounded {
	of := func(column string) run.Series { return f.Series(limit, run.All, column) }
	p := bounded{
		clairvoyant: of(run.BoundLimit), gap: of(run.BoundGap), jobs: of(run.BoundJobs), seconds: of(run.ColumnSpan),
	}
	for k := range cases {
		p.delivered = append(p.delivered, f.Series(cases[k][i], run.All, run.ColumnValueTotal))
	}
	return p
}

// share returns the share of the bound that a row delivers.
func (p *bounded) share(row int) metric.Interval {
	return interval(p.delivered[row].Over(p.clairvoyant))
}

// order returns the rows by the value that they deliver, the largest first.
func (p *bounded) order() []int {
	order := text.Numbers(len(p.delivered))
	means := text.Each(p.delivered, func(s run.Series) float64 { return interval(s).Mean })
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(means[b], means[a]) })
	return order
}

// interval returns the mean of a series with its interval.
func interval(s run.Series) metric.Interval { return new(run.Frame).Estimate(s) }

// millions returns amounts in millions of dollars.
func millions(_ *bounded, money run.Series) run.Series { return money.Scaled(1e-6) }

// series returns the value that a row delivers. Its band is the interval of the distance
// to the best proven bound on the same jobs, up to the bound. The chance of which jobs
// come moves both and is left out.
func (b *validation) series(k int) plots.Series {
	s := plots.Series{Name: b.rows[k].name, X: b.values, Look: b.rows[k].look, Behind: b.rows[k].behind}
	for i := range b.points {
		p := &b.points[i]
		most, got := b.amount(p, p.clairvoyant), b.amount(p, p.delivered[k])
		v, short := interval(got), interval(most.Less(got))
		v.HalfWidth = short.HalfWidth
		addBelow(&s, v, v.Mean+short.Mean)
	}
	return s
}

// addBelow appends an interval that ends at top, at the latest.
func addBelow(s *plots.Series, v metric.Interval, top float64) {
	addInterval(s, v)
	if n := len(s.High); n > 0 {
		s.High[n-1] = min(s.High[n-1], top)
	}
}

// shares returns what a row delivers as a share of the clairvoyant bound.
func (b *validation) shares(k int) plots.Series {
	s := plots.Series{Name: b.rows[k].name, X: b.values, Look: b.rows[k].look, Behind: b.rows[k].behind}
	for i := range b.points {
		addBelow(&s, b.points[i].share(k), 1)
	}
	return s
}

// clairvoyant returns the means of the clairvoyant bound.
func (b *validation) clairvoyant() []float64 {
	var y []float64
	for i := range b.points {
		p := &b.points[i]
		y = append(y, interval(b.amount(p, p.clairvoyant)).Mean)
	}
	return y
}

// gap returns the largest gap of the clairvoyant bound at any point.
func (b *validation) gap() float64 {
	var widest float64
	for _, p := range b.points {
		if gap, there := p.gap.Largest(); there {
			widest = math.Max(widest, gap)
		}
	}
	return widest
}

// jobs returns how many jobs the first replication has.
func (b *validation) jobs() int {
	n, _ := b.points[0].jobs.At(0)
	return int(n)
}

// ceiling is the proven bound to draw.
func (b *validation) ceiling(name string) plots.Region {
	return plots.Ceiling(name, b.values, b.clairvoyant())
}

// closest says which row comes closest to the best proven bound at each point.
func (b *validation) closest(axis string) string {
	var words []string
	for i := range b.points {
		p := &b.points[i]
		best := p.order()[0]
		share := p.share(best)
		share.Mean *= 100
		share.HalfWidth *= 100
		words = append(words, fmt.Sprintf("%g: %s %s %%", b.values[i], b.rows[best].name, plusMinus(share, 1)))
	}
	return "closest to the best proven bound, value delivered as a share of it, by " + axis + ": " +
		strings.Join(words, "; ")
}

// tightness says how far the bound is above the best row at two points.
func (b *validation) tightness(light, heavy int, words [2]string) string {
	ratio := func(i int) float64 {
		p := &b.points[i]
		return 1 / p.share(p.order()[0]).Mean
	}
	return fmt.Sprintf("proven bound over the best policy: %.3f %s, %.3f %s; "+
		"the clairvoyant bound is within %.2g %% of the best relaxed schedule",
		ratio(light), words[0], ratio(heavy), words[1], 100*b.gap())
}

// boundNote says what is drawn of so many replications.
func boundNote(replications int) string {
	return bands(replications, ", from an empty start to the end of the last job", "distance to the bound")
}

// admissionsToBound finds the admissions of the figure.
func admissionsToBound(o Options) plan {
	effort := searchEffort(Options{Quick: true})
	p := plan{
		scenario: "nist-cluster", path: "load", values: finer(o.Quick, grid(1, 5, 1), grid(1, 10, 2)), replications: 1,
		set: []scenario.Override{{Path: "simulation.horizon", Value: "30d"}},
	}
	admissions := []scenario.Admission{
		{Name: scenario.AdmitAnalytic}, {Name: scenario.AdmitSimulated, Search: &effort},
	}
	for _, r := range compared("hol", "fcfs") {
		for _, a := range admissions {
			r.admission = &a
			p.rows = append(p.rows, r)
		}
	}
	return p
}

// nistBounds draws the cluster of section VI of the NIST paper under the optimum of the
// model and under proven bounds: eight days of arrivals from an empty start, served
// to the end of the last job, by urgency (HOL) and in order of arrival (FCFS), with
// three admissions each. The model is a prediction, which policies may exceed.
func nistBounds() Recipe {
	return Recipe{
		ID: "bound-nist", Title: "Policies and admissions under model and proven bounds", build: buildNISTBounds,
	}
}

func buildNISTBounds(ctx context.Context, o Options) (Result, error) {
	t, err := admissionsToBound(o).run(ctx, o.part(0, 2))
	if err != nil {
		return Result{}, err
	}
	days, loads := "8d", t.values
	if o.Quick {
		days = "2d"
	}
	p := plan{
		scenario: "nist-cluster", set: []scenario.Override{{Path: "simulation.horizon", Value: days}},
		path: "load", values: loads, replications: o.replications(5, 4),
	}
	for k := 0; k < len(t.rows); k += 2 {
		for a, kind := range []struct{ words, name string }{
			{"admit all", scenario.AdmitAll},
			{"optimum of the model", scenario.AdmitAnalytic},
			{"tuned", scenario.AdmitSimulated},
		} {
			r := row{name: t.rows[k].name + ", " + kind.words, policy: t.rows[k].policy, look: len(p.rows) + 1}
			r.admission = &scenario.Admission{Name: kind.name}
			if a > 0 {
				r.admits, err = text.Try(text.Numbers(len(loads)), func(i int) ([]float64, error) {
					return t.admit(ctx, k+a-1, i)
				})
				if err != nil {
					return Result{}, err
				}
			}
			p.rows = append(p.rows, r)
		}
	}
	b, err := p.underBounds(ctx, o.part(1, 2), run.Bound{Gap: nistGap})
	if err != nil {
		return Result{}, err
	}
	b.amount = perSecond
	solved := curve{at: open("nist-cluster").varying("load")}
	model, err := text.Try(loads, func(load float64) (float64, error) {
		best, err := solved.optimum(ctx, load)
		if err != nil {
			return 0, err
		}
		return best.Result.Revenue, nil
	})
	if err != nil {
		return Result{}, err
	}
	horizon := plots.Pair{Key: "simulation.horizon", Value: days}
	prov := o.provenance("nist-cluster", p.replications, horizon, varied("load", loads))
	prov.Extra = append(prov.Extra, plots.Pair{Key: "search", Value: searchWords(*t.rows[1].admission.Search)},
		plots.Pair{Key: "clairvoyant gap", Value: fmt.Sprintf("%.3g", b.gap())})
	return Result{Picture: nistSheet(b, model), Provenance: prov, Remarks: nistRemarks(b, model)}, nil
}

// perSecond returns amounts per second of arrivals.
func perSecond(p *bounded, money run.Series) run.Series { return money.Over(p.seconds) }

// nistSheet draws money, and near the top shares of the bound.
func nistSheet(b *validation, model []float64) plots.Sheet {
	top := slices.Max(append(b.clairvoyant(), model...))
	money := plots.Figure{
		X: loadAxis, Y: plots.Axis{Label: "Revenue", Unit: "$/s of arrivals", Max: 1.12 * top},
		Regions: []plots.Region{b.ceiling("Proven bound")},
		Series:  []plots.Series{{Name: "Optimum of the model", X: b.values, Y: model, Bound: true}},
	}
	shares := plots.Figure{
		X: loadAxis, Y: plots.Axis{Label: "Share of the proven bound", Percent: true, Max: 1.05},
		Regions: []plots.Region{plots.Ceiling("Proven bound", b.values, slices.Repeat([]float64{1}, len(b.values)))},
	}
	for i := range b.rows {
		money.Series = append(money.Series, b.series(i))
		shares.Series = append(shares.Series, b.shares(i))
	}
	return plots.Sheet{Panels: []plots.Figure{money, shares}, Height: 11, Notes: []string{
		boundNote(b.replications),
	}}
}

// nistRemarks say what the figure shows.
func nistRemarks(b *validation, model []float64) []string {
	last := len(b.values) - 1
	passed := ""
	for i, load := range b.values {
		p := &b.points[i]
		if v := interval(perSecond(p, p.delivered[p.order()[0]])); v.Mean-v.HalfWidth > model[i] {
			passed += fmt.Sprintf(" %g", load)
		}
	}
	if passed == "" {
		passed = " none"
	}
	ends := [2]string{fmt.Sprintf("at load %g", b.values[0]), fmt.Sprintf("at load %g", b.values[last])}
	return []string{
		b.closest("load"),
		b.tightness(0, last, ends),
		"loads at which the best policy earns significantly more than the optimum of the model, " +
			"which is no bound on it:" + passed,
		fmt.Sprintf("at load %g the clairvoyant bound is %.4g $/s", b.values[last], b.clairvoyant()[last]),
	}
}

// sp2Rows are rows whose needs the jobs meet, for whole jobs and for partial results: the given ones and, where
// the options ask for all policies, behind them all others.
func (o Options) sp2Rows(jobs workload.Workload, shown []row) (whole, partial []row) {
	list := slices.Clone(shown)
	for _, spec := range subject.Standard() {
		if !o.AllPolicies || spec.Needs.Recorded || spec.Check(jobs.Has()) != nil {
			continue
		}
		others := []row{{name: spec.Title, policy: spec.Name, behind: true}}
		if spec.Also != nil && !spec.Ranked {
			others = append(others,
				row{name: spec.Heading(spec.Also), policy: spec.Name, options: spec.Also, behind: true})
		}
		for _, r := range others {
			same := func(s row) bool { return s.name == r.name || s.String() == r.String() }
			if !slices.ContainsFunc(shown, same) {
				list = append(list, r)
			}
		}
	}
	for _, r := range list {
		if named(r.policy).Needs.Optional {
			partial = append(partial, r)
		} else {
			whole = append(whole, r)
		}
	}
	return whole, partial
}

// sp2Plan is the SP2 with penalties of 0.02 and 0.08 $/s on late jobs with soft
// deadlines and with optional parts, without rows.
func sp2Plan(o Options) plan {
	p := plan{
		scenario: "sp2-like", trace: o.Trace, path: delayFactor, values: []float64{0.1, 0.25, 0.5, 0.75, 1},
		replications: o.replications(5, 3),
		set: []scenario.Override{{Path: "qos.penalty", Value: "{low_mean: 0.02, ratio: 4, sd: 0.5}"},
			{Path: "ic", Value: "{optional: [0.5, 4], rate: 0.2}"}},
	}
	if o.Quick {
		p.set = append(p.set, scenario.Override{Path: "trace.jobs", Value: "last:500"})
	}
	return p
}

// rowsFor returns the rows that the jobs of a plan allow, see sp2Rows.
func (p plan) rowsFor(ctx context.Context, o Options, shown []row) (whole, partial []row, err error) {
	doc, err := p.document()
	if err != nil {
		return nil, nil, err
	}
	doc, err = doc.With(scenario.Set(p.path, p.values[0]))
	if err != nil {
		return nil, nil, err
	}
	jobs, err := subject.Open(ctx, doc, o.Seed, nil)
	if err != nil {
		return nil, nil, err
	}
	whole, partial = o.sp2Rows(jobs.Workload, shown)
	return whole, partial, nil
}

// The gaps at which the clairvoyant bounds of the NIST cluster and of the SP2 stop improving.
const (
	nistGap = 0.003
	sp2Gap  = 0.005
)

// provenance says how a validation with the overrides of a plan was made.
func (b *validation) provenance(o Options, p plan, workload, gap string) plots.Provenance {
	set := fields(slices.Concat(p.set, traced(p.trace)))
	prov := o.provenance(p.scenario, p.replications, append(set, list(p.path, p.values))...)
	prov.Extra = append(prov.Extra,
		plots.Pair{Key: "workload", Value: workload}, plots.Pair{Key: "clairvoyant gap", Value: gap})
	for _, r := range b.rows {
		prov.Extra = append(prov.Extra, plots.Pair{Key: "policy", Value: r.String()})
	}
	return prov
}

// sp2Policies are the policies of the papers on the SP2: the five of Yeo and Buyya (2007), LibraSLA (2005), and the
// first scheme of Kim, Buyya and Kim (2007), which returns partial results.
func sp2Policies() []row {
	list := append(fivePolicies(), compared("libra-sla", "mf-edf")...)
	for i := range list {
		list[i].look = i + 1
	}
	return list
}

// sp2Bounds draws the policies of the papers on the SP2 under proven bounds. Jobs are split into a mandatory part and
// an optional one of 0.5 to 4 times its length for the schemes that return partial results. One bound holds for
// whole jobs, the other for whole jobs and partial results.
func sp2Bounds() Recipe {
	return Recipe{
		ID: "bound-sp2", Title: "Policies of the papers on the SP2 under proven bounds", build: buildSP2Bounds,
	}
}

func buildSP2Bounds(ctx context.Context, o Options) (Result, error) {
	p := sp2Plan(o)
	rows, schemes, err := p.rowsFor(ctx, o, sp2Policies())
	if err != nil {
		return Result{}, err
	}
	p.rows = rows
	whole, err := p.underBounds(ctx, o.part(0, 2), run.Bound{Gap: sp2Gap})
	if err != nil {
		return Result{}, err
	}
	p.rows = schemes
	partial, err := p.underBounds(ctx, o.part(1, 2), run.Bound{Gap: sp2Gap, Jobs: run.WholeOrPartial})
	if err != nil {
		return Result{}, err
	}
	// The policies for whole jobs take part under the bound for both: their jobs and
	// replications are the same.
	partial.rows = slices.Concat(schemes, rows)
	for i := range partial.points {
		partial.points[i].delivered = append(partial.points[i].delivered, whole.points[i].delivered...)
	}
	jobs := capital(jobsOf(o.Trace, whole.jobs()))
	last := len(whole.values) - 1
	ends := [2]string{"in light load (delay factor 1)", "in heavy load (0.1)"}
	return Result{
		Picture:    sp2Figure(whole, partial, len(schemes), jobs),
		Provenance: partial.provenance(o, p, jobs, fmt.Sprintf("%.3g, %.3g", whole.gap(), partial.gap())),
		Remarks: []string{
			jobs + drawnAnew(o.Trace) +
				". Value delivered: the budgets less penalties of the jobs that end, for partial results what is paid",
			"whole jobs, " + whole.closest("arrival delay factor"),
			"whole jobs or partial results, " + partial.closest("arrival delay factor"),
			"whole jobs, " + whole.tightness(last, 0, ends),
			"whole jobs or partial results, " + partial.tightness(last, 0, ends),
		},
	}, nil
}

// sp2Figure draws the value that policies deliver below both bounds.
func sp2Figure(whole, partial *validation, schemes int, jobs string) plots.Figure {
	fig := plots.Figure{
		X:       plots.Axis{Label: "Arrival delay factor (smaller: more load)", Max: 1},
		Y:       plots.Axis{Label: "Value delivered", Unit: "million $", Max: math.NaN()},
		Regions: []plots.Region{partial.ceiling("Proven bound: no policy is above")}, EndLabels: true,
		Series: []plots.Series{{
			Name: "Bound for whole jobs", X: whole.values, Y: whole.clairvoyant(), Bound: true,
		}},
		Width: 15, Height: 11, Notes: []string{jobs, boundNote(whole.replications)},
	}
	// Bands end at the ceiling, also those of whole jobs: within the gap the bound for both kinds can be the lower one.
	for i := range whole.rows {
		fig.Series = append(fig.Series, partial.series(schemes+i))
	}
	for i := range schemes {
		fig.Series = append(fig.Series, partial.series(i))
	}
	return fig
}
