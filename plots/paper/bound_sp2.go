package paper

import (
	"context"
	"fmt"
	"path/filepath"

	"revopt/model/scenario"
	"revopt/plots"
	"revopt/simulate/sweep"
)

// spNames are what the policies for traces are called in figures, with their
// looks.
func spNames() map[string]contender {
	names := map[string]contender{
		"libra-sla": {name: "LibraSLA", look: 6}, "easy": {name: "EASY", look: 7}, "conservative": {name: "Conservative", look: 8}, "fifo": {name: "FIFO", look: 9},
	}
	for _, c := range fivePolicies() {
		names[c.policy] = c
	}
	for i, r := range gridRows() {
		names[r.policy] = contender{name: r.name, look: 10 + i}
	}
	return names
}

// sp2Bounds is every policy on the SP2 under the proven bounds.
func sp2Bounds() Recipe {
	r := Recipe{
		ID: "bound-sp2", Title: "Every policy on the SP2 under proven bounds",
		Source: "the policies of Yeo and Buyya (2005, 2007), Kim, Buyya and Kim (2007) and backfilling, against bounds of our own",
		Parameters: "scenario sp2-like, 5000 jobs, penalties of 0.02 and 0.08 $/s on late jobs with soft deadlines, jobs split into a mandatory part and an optional one of 0.5 to 4 times " +
			"its length for the IC schemes, arrival delay factor from 0.1 to 1, 5 replications",
		Claim: "no policy delivers more value than a proven bound allows",
	}
	r.Build = func(ctx context.Context, o Options) (Result, error) {
		s, err := newSP2Study(o)
		if err != nil {
			return Result{}, err
		}
		if err := s.run(ctx, o); err != nil {
			return Result{}, err
		}
		return Result{Picture: s.sheet(r), Provenance: s.provenance(), Remarks: s.remarks()}, nil
	}
	return r
}

// An sp2Study is two validations on the same jobs: one of the policies that
// return whole jobs, under the bound for those, one of the IC schemes, under the
// bound for whole or partial results.
type sp2Study struct {
	validation sweep.Validation // without contenders
	trace      string
	whole      underBounds
	partial    underBounds // the IC schemes, then the policies of whole
	schemes    int         // how many they are
	replicas   int
}

func newSP2Study(o Options) (*sp2Study, error) {
	doc, err := scenario.Builtin("sp2-like")
	if err != nil {
		return nil, err
	}
	s := &sp2Study{trace: o.Trace, replicas: o.replications(5, 3)}
	s.validation = sweep.Validation{
		Scenario: doc, Seed: o.Seed, Replications: s.replicas, Gap: 0.005,
		Set: []scenario.Override{
			{Path: "qos.penalty", Value: "{low_mean: 0.02, ratio: 4, sd: 0.5}"},
			{Path: "ic", Value: "{optional: [0.5, 4], rate: 0.2}"},
		},
		Vary: scenario.Axis{Path: "trace.arrival_delay_factor", Values: []float64{0.1, 0.25, 0.5, 0.75, 1}},
	}
	if o.Quick {
		s.validation.Set = append(s.validation.Set, scenario.Override{Path: "trace.jobs", Value: "last:500"})
	}
	if o.Trace != "" {
		s.validation.Set = append(s.validation.Set, scenario.Override{Path: "trace.file", Value: yamlText(o.Trace)})
	}
	return s, nil
}

// run carries out the study.
func (s *sp2Study) run(ctx context.Context, o Options) error {
	doc, err := s.validation.At(0)
	if err != nil {
		return err
	}
	all, _, err := sweep.DefaultContenders(doc, nil)
	if err != nil {
		return err
	}
	whole, partial := s.validation, s.validation
	for _, c := range all {
		if c.Imprecise() {
			partial.Contenders = append(partial.Contenders, c)
		} else {
			whole.Contenders = append(whole.Contenders, c)
		}
	}
	partial.Either = true
	if s.whole, err = s.validated(ctx, o.part(0, 2), &whole); err != nil {
		return err
	}
	if s.partial, err = s.validated(ctx, o.part(1, 2), &partial); err != nil {
		return err
	}
	s.join()
	return nil
}

// join lets the policies for whole jobs take part under the bound for either
// kind: their jobs and replications are the same.
func (s *sp2Study) join() {
	s.schemes = len(s.partial.Contenders)
	s.partial.Contenders = append(s.partial.Contenders, s.whole.Contenders...)
	s.partial.names = append(s.partial.names, s.whole.names...)
	for i := range s.partial.Points {
		p := &s.partial.Points[i]
		p.Rows = append(p.Rows, s.whole.Points[i].Rows...)
	}
}

// validated runs one of the validations.
func (s *sp2Study) validated(ctx context.Context, o Options, v *sweep.Validation) (underBounds, error) {
	found, err := o.validate(ctx, v)
	b := underBounds{Validated: found, x: v.Points(), amount: func(_ *sweep.ValidatedPoint, money []float64) []float64 {
		millions := make([]float64, len(money))
		for k := range money {
			millions[k] = money[k] / 1e6
		}
		return millions
	}}
	for _, c := range v.Contenders {
		b.names = append(b.names, spNames()[c.Policy].name)
	}
	return b, err
}

// best draws, at each point, the policy for whole jobs that delivers most, with a
// band that ends at the bound for partial results beside which it is shown: that
// may lie a hair below the other, by the gaps of both.
func (s *sp2Study) best() plots.Series {
	line := plots.Series{Name: "Best whole-job policy", X: s.whole.x, Look: 15}
	for i, most := range s.partial.bound(sweep.ClairvoyantBound) {
		s.whole.addDelivered(&line, s.whole.Points[i].Order()[0], i)
		if n := len(line.High); n > 0 {
			line.High[n-1] = min(line.High[n-1], most)
		}
	}
	return line
}

// sheet draws the two panels.
func (s *sp2Study) sheet(r Recipe) plots.Sheet {
	x := plots.Axis{Label: "Arrival delay factor", Max: 1}
	y := plots.Axis{Label: "Value delivered", Unit: "M$", Max: s.top()}
	whole := plots.Figure{Title: "Whole jobs", X: x, Y: y, Regions: s.whole.ceilings()}
	for i, c := range s.whole.Contenders {
		whole.Series = append(whole.Series, s.whole.line(i, spNames()[c.Policy].look))
	}
	partial := plots.Figure{Title: "Partial results", X: x, Y: y, Regions: s.partial.ceilings()}
	for i, c := range s.partial.Contenders[:s.schemes] {
		partial.Series = append(partial.Series, s.partial.line(i, spNames()[c.Policy].look))
	}
	partial.Series = append(partial.Series, s.best())
	return plots.Sheet{
		ID: r.ID, Title: r.Title, Panels: []plots.Figure{whole, partial}, Height: 11,
		Notes: boundNotes(s.replicas, s.workload()+" on 128 nodes; penalties may make the value negative (not drawn)"),
	}
}

// top returns the end of the axis of value, a little above the bounds.
func (s *sp2Study) top() float64 {
	var most float64
	for _, y := range s.partial.bound(sweep.ClairvoyantBound) {
		most = max(most, y)
	}
	return 1.12 * most
}

// workload says which jobs were simulated.
func (s *sp2Study) workload() string {
	jobs := s.whole.Points[0].Jobs[0]
	if s.trace == "" {
		return fmt.Sprintf("%d generated jobs (sp2-like)", jobs)
	}
	return fmt.Sprintf("The last %d jobs of %s", jobs, filepath.Base(s.trace))
}

// provenance says how the numbers were made.
func (s *sp2Study) provenance() plots.Provenance {
	var fields []plots.Pair
	for _, o := range s.validation.Set {
		fields = append(fields, plots.Pair{Key: o.Path, Value: o.Value})
	}
	p := provenance("sp2-like", append(fields, list(s.validation.Vary.Path, s.validation.Vary.Values))...)
	seed := s.validation.Seed
	p.Seed = &seed
	p.Extra = append(p.Extra, plots.Pair{Key: "workload", Value: s.workload()}, plots.Pair{Key: "replications", Value: fmt.Sprint(s.replicas)},
		plots.Pair{Key: "clairvoyant gap", Value: fmt.Sprintf("%.3g, %.3g", s.whole.gap(), s.partial.gap())})
	for _, c := range s.partial.Contenders {
		p.Extra = append(p.Extra, plots.Pair{Key: "policy", Value: c.Label()})
	}
	return p
}

// remarks say what the figure shows.
func (s *sp2Study) remarks() []string {
	last := len(s.whole.x) - 1
	ends := [2]string{"in light load (delay factor 1)", "in heavy load (0.1)"}
	jobs := s.workload() + ", new ones in every replication; --trace FILE takes real ones"
	if s.trace != "" {
		jobs = s.workload() + ", in every replication with deadlines and budgets drawn anew"
	}
	return []string{
		jobs + ". Value delivered: the budgets less penalties of the jobs that end, for partial results what is paid",
		"whole jobs, " + s.whole.closest("arrival delay factor"),
		"whole jobs or partial results, " + s.partial.closest("arrival delay factor"),
		"whole jobs, " + s.whole.tightness(last, 0, ends),
		"whole jobs or partial results, " + s.partial.tightness(last, 0, ends),
	}
}
