package paper

import (
	"context"
	"fmt"
	"slices"

	"revopt/model/scenario"
	"revopt/optimize"
	"revopt/plots"
	"revopt/simulate/metric"
	"revopt/simulate/sweep"
)

// nistBounds is the cluster of section VI under model and proven bounds.
func nistBounds() Recipe {
	r := Recipe{
		ID: "bound-nist", Title: "Policies and admissions under model and proven bounds",
		Source: "Marbukh and Mills, On Maximizing Provider Revenue in Market-Based Compute Grids (NIST), section VI, against bounds of our own",
		Parameters: "scenario nist-cluster, load to 5, eight days of arrivals from an empty start, served to the end of the last job; by urgency (HOL) and in order of arrival (FCFS), " +
			"each admitting all, by the optimum of (30), and as tuned on the simulator; the optimum by the model, and the proven clairvoyant and fluid bounds",
		Claim: "nothing earns more than a proven bound allows; the optimum of the model is a prediction and may be passed",
	}
	r.Sweeps = func(o Options) ([]*sweep.Spec, error) { return newNISTStudy(o).sweeps(o) }
	r.Build = func(ctx context.Context, o Options) (Result, error) {
		s := newNISTStudy(o)
		if err := s.run(ctx, o); err != nil {
			return Result{}, err
		}
		return Result{Picture: s.sheet(r), Provenance: s.provenance(o), Remarks: s.remarks()}, nil
	}
	return r
}

// A nistStudy is a validation of two policies under three admissions, which a
// sweep finds first.
type nistStudy struct {
	underBounds
	loads    []float64
	replicas int
	days     string
	search   scenario.SearchEffort
	model    []float64 // $/s, the optimum by the model
}

// nistPolicies are the policies in the order of the figure.
func nistPolicies() []contender {
	return []contender{{name: "HOL", policy: "hol"}, {name: "FCFS", policy: "fcfs"}}
}

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
func (s *nistStudy) sweeps(o Options) ([]*sweep.Spec, error) {
	var policies []scenario.Policy
	for _, c := range nistPolicies() {
		policies = append(policies, scenario.Policy{Name: c.policy})
	}
	return specs(o, design{
		scenario: "nist-cluster", path: "load", values: s.loads, policies: policies, replications: 1,
		set:        []scenario.Override{{Path: "simulation.horizon", Value: "30d"}},
		admissions: []scenario.Admission{{Name: scenario.AdmitAnalytic}, {Name: scenario.AdmitSimulated, Search: &s.search}},
		metrics:    []metric.Figure{metric.RevenuePerSecond()},
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
	doc, err := scenario.Builtin("nist-cluster")
	if err != nil {
		return err
	}
	v := sweep.Validation{
		Scenario: doc, Set: []scenario.Override{{Path: "simulation.horizon", Value: s.days}}, Seed: o.Seed, Replications: s.replicas,
		Vary: scenario.Axis{Path: "load", Values: s.loads},
	}
	for k, c := range nistPolicies() {
		v.Contenders = append(v.Contenders,
			sweep.Contender{Policy: c.policy, Admission: scenario.AdmitAll},
			sweep.Contender{Policy: c.policy, Admission: scenario.AdmitAnalytic, Admit: s.found(found[0], 0, k)},
			sweep.Contender{Policy: c.policy, Admission: scenario.AdmitSimulated, Admit: s.found(found[0], 1, k)})
		for _, a := range shortAdmissions {
			s.names = append(s.names, c.name+", "+a)
		}
	}
	s.x, s.amount = s.loads, perSecond
	if s.Validated, err = o.part(1, 2).validate(ctx, &v); err != nil {
		return err
	}
	return s.predict(ctx)
}

// found returns an admission at every load.
func (s *nistStudy) found(r *sweep.Results, admission, policy int) [][]float64 {
	var admit [][]float64
	for i := range s.loads {
		admit = append(admit, r.Admit(sweep.Case{Point: i, Admission: admission, Policy: policy}))
	}
	return admit
}

// perSecond returns amounts per second of arrivals.
func perSecond(p *sweep.ValidatedPoint, money []float64) []float64 {
	rates := make([]float64, len(money))
	for k := range money {
		rates[k] = money[k] / p.Seconds[k]
	}
	return rates
}

// predict solves the model at every load.
func (s *nistStudy) predict(ctx context.Context) error {
	f, err := open("nist-cluster")
	if err != nil {
		return err
	}
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
func (s *nistStudy) sheet(r Recipe) plots.Sheet {
	top := 0.0
	for _, y := range append(s.bound(sweep.ClairvoyantBound), s.model...) {
		top = max(top, y)
	}
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
	for i := range s.Contenders {
		money.Series = append(money.Series, s.line(i, i+1))
		shares.Series = append(shares.Series, s.shares(i, i+1))
	}
	return plots.Sheet{
		ID: r.ID, Title: r.Title, Panels: []plots.Figure{money, shares}, Height: 11,
		Notes: boundNotes(s.replicas, "Ten jobs at a time; jobs expire at value zero and cost 5 %; "+s.days[:1]+" days of arrivals"),
	}
}

// shares draws what a contender earns as a share of the best proven bound.
func (s *nistStudy) shares(contender, look int) plots.Series {
	line := plots.Series{Name: s.names[contender], X: s.loads, Look: look}
	for i := range s.Points {
		addInterval(&line, s.Points[i].Efficiency(contender))
		if n := len(line.High); n > 0 {
			line.High[n-1] = min(line.High[n-1], 1)
		}
	}
	return line
}

// provenance says how the numbers were made.
func (s *nistStudy) provenance(o Options) plots.Provenance {
	p := provenance("nist-cluster", plots.Pair{Key: "simulation.horizon", Value: s.days}, varied("load", s.loads))
	p.Seed = &o.Seed
	p.Extra = append(p.Extra, plots.Pair{Key: "replications", Value: fmt.Sprint(s.replicas)},
		plots.Pair{Key: "search", Value: searchWords(s.search)}, plots.Pair{Key: "clairvoyant gap", Value: fmt.Sprintf("%.3g", s.gap())})
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
	fluid, rate, best := s.bound(sweep.FluidBound), s.bound(sweep.FluidRateBound), s.bound(sweep.ClairvoyantBound)
	return append(list,
		"loads at which the best policy earns significantly more than the optimum of the model, which is no bound on it:"+passed,
		fmt.Sprintf("at load %g the clairvoyant bound is %.4g $/s, the fluid one %.4g; of a stream without end nothing earns more than %.4g on average",
			s.loads[last], best[last], fluid[last], rate[last]))
}
