package paper

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"revopt/model/scenario"
	"revopt/optimize"
	"revopt/plots"
	"revopt/simulate/metric"
	"revopt/simulate/study"
	"revopt/simulate/workload"
)

// A validation is the outcome of a validation, in the unit of a figure.
type validation struct {
	*study.Validated
	contenders []contender
	x          []float64 // values of the axis
	// amount returns amounts of money by replication in the unit of the figure.
	amount func(p *study.ValidatedPoint, money []float64) []float64
}

// line draws the value that a contender delivers, see addDelivered.
func (b *validation) line(contender int) plots.Series {
	s := plots.Series{Name: b.contenders[contender].name, X: b.x, Look: b.contenders[contender].look}
	for i := range b.Points {
		b.addDelivered(&s, contender, i, math.Inf(1))
	}
	return s
}

// addDelivered appends the value that a contender delivers at the i-th point.
// Its band is the interval of the distance to the best proven bound on the same
// jobs, up to the bound and to top: the luck of which jobs come moves both and is
// left out.
func (b *validation) addDelivered(s *plots.Series, contender, i int, top float64) {
	p := &b.Points[i]
	most, got := b.amount(p, p.Best()), b.amount(p, p.Rows[contender].Delivered)
	v, short := metric.Estimate(got, metric.DefaultLevel), metric.Difference(most, got, metric.DefaultLevel)
	v.HalfWidth = short.HalfWidth
	addBelow(s, v, math.Min(v.Mean+short.Mean, top))
}

// shares draws what a contender delivers as a share of the clairvoyant bound.
func (b *validation) shares(contender int) plots.Series {
	line := plots.Series{Name: b.contenders[contender].name, X: b.x, Look: b.contenders[contender].look}
	for i := range b.Points {
		addBelow(&line, b.Points[i].Efficiency(contender), 1)
	}
	return line
}

// delivered returns the value that a contender delivers at the i-th point.
func (b *validation) delivered(contender, i int) metric.Interval {
	p := &b.Points[i]
	return metric.Estimate(b.amount(p, p.Rows[contender].Delivered), metric.DefaultLevel)
}

// bound returns the mean of a bound at every point.
func (b *validation) bound(name string) []float64 {
	var y []float64
	for i := range b.Points {
		p := &b.Points[i]
		for _, t := range p.Bounds {
			if t.Name == name {
				y = append(y, metric.Estimate(b.amount(p, t.Total), metric.DefaultLevel).Mean)
			}
		}
	}
	return y
}

// gap returns the largest gap of the clairvoyant bound at any point.
func (b *validation) gap() float64 {
	var widest float64
	for _, p := range b.Points {
		for _, t := range p.Bounds {
			if t.Name == study.ClairvoyantBound {
				widest = math.Max(widest, t.WidestGap())
			}
		}
	}
	return widest
}

// ceilings are the proven bounds to draw: the clairvoyant one, which is never
// above the fluid one.
func (b *validation) ceilings() []plots.Region {
	return []plots.Region{
		plots.Ceiling("Proven bound", b.x, b.bound(study.ClairvoyantBound)),
	}
}

// closest says which contender comes closest to the best proven bound at each
// point, and how far it is.
func (b *validation) closest(axis string) string {
	var words []string
	for i := range b.Points {
		p := &b.Points[i]
		best := p.Order()[0]
		words = append(words, fmt.Sprintf("%g: %s %s %%", b.x[i], b.contenders[best].name, inPercent(p.Efficiency(best))))
	}
	return "closest to the best proven bound, value delivered as a share of it, by " + axis + ": " + strings.Join(words, "; ")
}

// tightness says how far the bound is above the best contender at two points.
func (b *validation) tightness(light, heavy int, words [2]string) string {
	ratio := func(i int) float64 {
		p := &b.Points[i]
		return 1 / p.Efficiency(p.Order()[0]).Mean
	}
	return fmt.Sprintf("proven bound over the best policy: %.3f %s, %.3f %s; the clairvoyant bound is within %.2g %% of the best relaxed schedule",
		ratio(light), words[0], ratio(heavy), words[1], 100*b.gap())
}

// boundNote says what is drawn of so many replications.
func boundNote(replications int) string {
	return bands(replications, ", from an empty start to the end of the last job", "distance to the bound")
}

// A boundStudy is a study of policies under bounds.
type boundStudy interface {
	run(ctx context.Context, o Options) error
	sheet() plots.Sheet
	provenance(o Options) plots.Provenance
	remarks() []string
}

// boundFigure carries out a study.
func boundFigure(ctx context.Context, o Options, s boundStudy) (Result, error) {
	if err := s.run(ctx, o); err != nil {
		return Result{}, err
	}
	return Result{Picture: s.sheet(), Provenance: s.provenance(o), Remarks: s.remarks()}, nil
}

// nistBounds is the cluster of section VI under model and proven bounds.
func nistBounds() Recipe {
	return Recipe{
		ID: "bound-nist", Title: "Policies and admissions under model and proven bounds",
		Source: "Marbukh and Mills, On Maximizing Provider Revenue in Market-Based Compute Grids (NIST), section VI, against bounds of our own",
		Parameters: "scenario nist-cluster, load to 5, eight days of arrivals from an empty start, served to the end of the last job; by urgency (HOL) and in order of arrival (FCFS), " +
			"each admitting all, by the optimum of (30), and as tuned on the simulator; the optimum by the model, and the proven clairvoyant and fluid bounds",
		Claim:  "nothing earns more than a proven bound allows; the optimum of the model is a prediction and may be passed",
		Sweeps: func(o Options) ([]*study.SweepSpec, error) { return newNISTStudy(o).sweeps(o) },
		Build:  func(ctx context.Context, o Options) (Result, error) { return boundFigure(ctx, o, newNISTStudy(o)) },
	}
}

// A nistStudy is a validation of two policies under three admissions, which a
// sweep finds first.
type nistStudy struct {
	validation
	loads    []float64
	replicas int
	days     string
	search   scenario.SearchEffort
	model    []float64 // $/s, the optimum by the model
}

// nistPolicies are the policies in the order of the figure.
func nistPolicies() []contender { return compared("hol", "fcfs") }

// shortAdmissions are what the admissions are called beside a policy.
var shortAdmissions = [admissionCount]string{"admit all", "optimum of (30)", "tuned"}

func newNISTStudy(o Options) *nistStudy {
	s := &nistStudy{loads: grid(1, 10, 2), replicas: o.replications(5, 4), days: "8d", search: searchEffort(Options{Quick: true})}
	if o.Quick {
		s.loads, s.days = grid(1, 5, 1), "2d"
	}
	return s
}

// sweeps returns the sweep that finds the admissions.
func (s *nistStudy) sweeps(o Options) ([]*study.SweepSpec, error) {
	return specs(o, design{
		scenario: "nist-cluster", path: "load", values: s.loads, policies: policies(nistPolicies()), replications: 1,
		set:        []scenario.Override{{Path: "simulation.horizon", Value: "30d"}},
		admissions: []scenario.Admission{{Name: scenario.AdmitAnalytic}, {Name: scenario.AdmitSimulated, Search: &s.search}},
		metrics:    []metric.Measure{metric.RevenuePerSecond()},
	})
}

// run carries out the study.
func (s *nistStudy) run(ctx context.Context, o Options) error {
	list, err := s.sweeps(o)
	if err != nil {
		return err
	}
	found, err := o.part(0, 2).runSweeps(ctx, list)
	if err != nil {
		return err
	}
	v := study.Validation{
		Plain:    true,
		Scenario: open("nist-cluster").doc, Set: []scenario.Override{{Path: "simulation.horizon", Value: s.days}}, Seed: o.Seed, Replications: s.replicas,
		Vary: scenario.Axis{Path: "load", Values: s.loads},
	}
	for k, c := range nistPolicies() {
		v.Contenders = append(v.Contenders,
			study.Contender{Policy: c.policy, Admission: scenario.AdmitAll},
			study.Contender{Policy: c.policy, Admission: scenario.AdmitAnalytic, Admit: s.found(found[0], 0, k)},
			study.Contender{Policy: c.policy, Admission: scenario.AdmitSimulated, Admit: s.found(found[0], 1, k)})
		for _, a := range shortAdmissions {
			s.contenders = append(s.contenders, contender{name: c.name + ", " + a, look: len(s.contenders) + 1})
		}
	}
	s.x, s.amount = s.loads, perSecond
	if s.Validated, err = o.part(1, 2).validate(ctx, &v); err != nil {
		return err
	}
	return s.predict(ctx)
}

// found returns an admission at every load.
func (s *nistStudy) found(r *study.SweepResults, admission, policy int) [][]float64 {
	var admit [][]float64
	for i := range s.loads {
		admit = append(admit, r.Admit(study.Case{Point: i, Admission: admission, Policy: policy}))
	}
	return admit
}

// perSecond returns amounts per second of arrivals.
func perSecond(p *study.ValidatedPoint, money []float64) []float64 {
	rates := make([]float64, len(money))
	for k := range money {
		rates[k] = money[k] / p.Seconds[k]
	}
	return rates
}

// predict solves the model at every load.
func (s *nistStudy) predict(ctx context.Context) error {
	f := open("nist-cluster")
	at := f.along("load")
	for _, load := range s.loads {
		sys, err := at(load)
		if err != nil {
			return err
		}
		best, err := optimize.Solve(ctx, sys, optimize.Settings{})
		if err != nil {
			return err
		}
		s.model = append(s.model, best.Revenue)
	}
	return nil
}

// sheet draws the study: in money, and near the top as shares of the bound.
func (s *nistStudy) sheet() plots.Sheet {
	top := slices.Max(append(s.bound(study.ClairvoyantBound), s.model...))
	x := plots.Axis{Label: "Aggregate load", Percent: true, Max: 5}
	money := plots.Figure{
		X: x, Y: plots.Axis{Label: "Revenue", Unit: "$/s of arrivals", Max: 1.12 * top}, Regions: s.ceilings(),
		Series: []plots.Series{{Name: "Model: optimum of (30)", X: s.loads, Y: s.model, Bound: true}},
	}
	ones := slices.Repeat([]float64{1}, len(s.loads))
	shares := plots.Figure{
		X: x, Y: plots.Axis{Label: "Share of the proven bound", Percent: true, Min: 0.86, Max: 1.01},
		Regions: []plots.Region{plots.Ceiling("Proven bound", s.loads, ones)},
	}
	for i := range s.contenders {
		money.Series = append(money.Series, s.line(i))
		shares.Series = append(shares.Series, s.shares(i))
	}
	return plots.Sheet{
		Panels: []plots.Figure{money, shares}, Height: 11,
		Notes: []string{"Ten jobs at a time; jobs expire at value zero and cost 5 %; " + s.days[:1] + " days of arrivals", boundNote(s.replicas)},
	}
}

// provenance says how the numbers were made.
func (s *nistStudy) provenance(o Options) plots.Provenance {
	p := o.provenance("nist-cluster", s.replicas, plots.Pair{Key: "simulation.horizon", Value: s.days}, varied("load", s.loads))
	p.Extra = append(p.Extra, plots.Pair{Key: "search", Value: searchWords(s.search)}, plots.Pair{Key: "clairvoyant gap", Value: fmt.Sprintf("%.3g", s.gap())})
	return p
}

// remarks say what the figure shows.
func (s *nistStudy) remarks() []string {
	last := len(s.loads) - 1
	list := []string{
		s.closest("load"),
		s.tightness(0, last, [2]string{fmt.Sprintf("at load %g", s.loads[0]), fmt.Sprintf("at load %g", s.loads[last])}),
	}
	passed := ""
	for i, load := range s.loads {
		best := s.Points[i].Order()[0]
		if v := s.delivered(best, i); v.Mean-v.HalfWidth > s.model[i] {
			passed += fmt.Sprintf(" %g", load)
		}
	}
	if passed == "" {
		passed = " none"
	}
	fluid, rate, best := s.bound(study.FluidBound), s.bound(study.FluidRateBound), s.bound(study.ClairvoyantBound)
	return append(list,
		"loads at which the best policy earns significantly more than the optimum of the model, which is no bound on it:"+passed,
		fmt.Sprintf("at load %g the clairvoyant bound is %.4g $/s, the fluid one %.4g; of a stream without end nothing earns more than %.4g on average",
			s.loads[last], best[last], fluid[last], rate[last]))
}

// sp2Contenders are all policies whose needs the jobs meet: those that return
// whole jobs, and those that return partial results. Those that a figure of
// Yeo and Buyya compares look as there.
func sp2Contenders(jobs workload.Workload) (whole, partial []contender) {
	five := fivePolicies()
	look := len(five)
	for _, spec := range study.Standard() {
		if spec.Check(jobs.Has()) != nil {
			continue
		}
		c := contender{name: spec.Title, policy: spec.Name}
		if i := slices.IndexFunc(five, func(f contender) bool { return f.policy == spec.Name }); i >= 0 {
			c.look = five[i].look
		} else {
			look++
			c.look = look
		}
		if spec.Needs.Optional {
			partial = append(partial, c)
			continue
		}
		whole = append(whole, c)
		if spec.Also != nil {
			look++
			whole = append(whole, contender{name: spec.Heading(spec.Also), policy: spec.Name, options: spec.Also, look: look})
		}
	}
	return whole, partial
}

// sp2Bounds is every policy on the SP2 under the proven bounds.
func sp2Bounds() Recipe {
	return Recipe{
		ID: "bound-sp2", Title: "Every policy on the SP2 under proven bounds",
		Source: "the policies of Yeo and Buyya (2005, 2007), Kim, Buyya and Kim (2007) and backfilling, against bounds of our own",
		Parameters: "scenario sp2-like, 5000 jobs, penalties of 0.02 and 0.08 $/s on late jobs with soft deadlines, jobs split into a mandatory part and an optional one of 0.5 to 4 times " +
			"its length for the IC schemes, arrival delay factor from 0.1 to 1, 5 replications",
		Claim: "no policy delivers more value than a proven bound allows",
		Build: func(ctx context.Context, o Options) (Result, error) { return boundFigure(ctx, o, newSP2Study(o)) },
	}
}

// An sp2Study is two validations on the same jobs: one of the policies that
// return whole jobs, under the bound for those, one of the IC schemes, under the
// bound for whole or partial results.
type sp2Study struct {
	base     study.Validation // without contenders
	trace    string
	whole    validation
	partial  validation // the IC schemes, then the policies of whole
	schemes  int        // how many they are
	replicas int
}

func newSP2Study(o Options) *sp2Study {
	s := &sp2Study{trace: o.Trace, replicas: o.replications(5, 3)}
	s.base = study.Validation{
		Plain:    true,
		Scenario: open("sp2-like").doc, Seed: o.Seed, Replications: s.replicas, Gap: 0.005,
		Set: []scenario.Override{
			{Path: "qos.penalty", Value: "{low_mean: 0.02, ratio: 4, sd: 0.5}"},
			{Path: "ic", Value: "{optional: [0.5, 4], rate: 0.2}"},
		},
		Vary: scenario.Axis{Path: "trace.arrival_delay_factor", Values: []float64{0.1, 0.25, 0.5, 0.75, 1}},
	}
	if o.Quick {
		s.base.Set = append(s.base.Set, scenario.Override{Path: "trace.jobs", Value: "last:500"})
	}
	if o.Trace != "" {
		s.base.Set = append(s.base.Set, scenario.Override{Path: "trace.file", Value: yamlText(o.Trace)})
	}
	return s
}

// run carries out the study.
func (s *sp2Study) run(ctx context.Context, o Options) error {
	doc, err := s.base.At(0)
	if err != nil {
		return err
	}
	subject, err := study.Open(ctx, doc, o.Seed, nil)
	if err != nil {
		return err
	}
	whole, partial := sp2Contenders(subject.Workload)
	v := s.base
	if s.whole, err = s.validated(ctx, o.part(0, 2), v, whole); err != nil {
		return err
	}
	v.WholeOrPartial = true
	if s.partial, err = s.validated(ctx, o.part(1, 2), v, partial); err != nil {
		return err
	}
	s.join()
	return nil
}

// join lets the policies for whole jobs take part under the bound for whole jobs
// and partial results: their jobs and replications are the same.
func (s *sp2Study) join() {
	s.schemes = len(s.partial.contenders)
	s.partial.contenders = append(s.partial.contenders, s.whole.contenders...)
	for i := range s.partial.Points {
		p := &s.partial.Points[i]
		p.Rows = append(p.Rows, s.whole.Points[i].Rows...)
	}
}

// validated runs one of the validations.
func (s *sp2Study) validated(ctx context.Context, o Options, v study.Validation, list []contender) (validation, error) {
	for _, c := range list {
		v.Contenders = append(v.Contenders, study.Contender{Policy: c.policy, Options: c.options})
	}
	found, err := o.validate(ctx, &v)
	return validation{Validated: found, contenders: list, x: v.Points(), amount: func(_ *study.ValidatedPoint, money []float64) []float64 {
		millions := make([]float64, len(money))
		for k := range money {
			millions[k] = money[k] / 1e6
		}
		return millions
	}}, err
}

// best draws, at each point, the policy for whole jobs that delivers most, with a
// band that ends at the bound for partial results beside which it is shown: that
// may lie a hair below the other, by the gaps of both.
func (s *sp2Study) best() plots.Series {
	line := plots.Series{Name: "Best whole-job policy", X: s.whole.x, Look: len(s.partial.contenders) + 1}
	for i, most := range s.partial.bound(study.ClairvoyantBound) {
		s.whole.addDelivered(&line, s.whole.Points[i].Order()[0], i, most)
	}
	return line
}

// sheet draws the two panels.
func (s *sp2Study) sheet() plots.Sheet {
	x := plots.Axis{Label: "Arrival delay factor", Max: 1}
	y := plots.Axis{Label: "Value delivered", Unit: "M$", Max: 1.12 * slices.Max(s.partial.bound(study.ClairvoyantBound))}
	whole := plots.Figure{Title: "Whole jobs", X: x, Y: y, Regions: s.whole.ceilings()}
	for i := range s.whole.contenders {
		whole.Series = append(whole.Series, s.whole.line(i))
	}
	partial := plots.Figure{Title: "Partial results", X: x, Y: y, Regions: s.partial.ceilings()}
	for i := range s.schemes {
		partial.Series = append(partial.Series, s.partial.line(i))
	}
	partial.Series = append(partial.Series, s.best())
	return plots.Sheet{
		Panels: []plots.Figure{whole, partial}, Height: 11,
		Notes: []string{s.workload() + " on 128 nodes; penalties may make the value negative (not drawn)", boundNote(s.replicas)},
	}
}

// workload says which jobs were simulated.
func (s *sp2Study) workload() string {
	return capital(jobsOf(s.trace, s.whole.Points[0].Jobs[0]))
}

// provenance says how the numbers were made.
func (s *sp2Study) provenance(o Options) plots.Provenance {
	p := o.provenance("sp2-like", s.replicas, append(fields(s.base.Set), list(s.base.Vary.Path, s.base.Vary.Values))...)
	p.Extra = append(p.Extra, plots.Pair{Key: "workload", Value: s.workload()},
		plots.Pair{Key: "clairvoyant gap", Value: fmt.Sprintf("%.3g, %.3g", s.whole.gap(), s.partial.gap())})
	for _, c := range s.partial.contenders {
		p.Extra = append(p.Extra, plots.Pair{Key: "policy", Value: c.policy})
	}
	return p
}

// remarks say what the figure shows.
func (s *sp2Study) remarks() []string {
	last := len(s.whole.x) - 1
	ends := [2]string{"in light load (delay factor 1)", "in heavy load (0.1)"}
	return []string{
		s.workload() + drawnAnew(s.trace) + ". Value delivered: the budgets less penalties of the jobs that end, for partial results what is paid",
		"whole jobs, " + s.whole.closest("arrival delay factor"),
		"whole jobs or partial results, " + s.partial.closest("arrival delay factor"),
		"whole jobs, " + s.whole.tightness(last, 0, ends),
		"whole jobs or partial results, " + s.partial.tightness(last, 0, ends),
	}
}
