package paper

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"revopt/model/scenario"
	"revopt/plots"
	"revopt/simulate/study"
)

// earning is the efficiency of every policy over load, with exact estimates and
// with those of users.
func earning() Recipe {
	return Recipe{
		ID: "earning", Title: "What share of the possible every policy earns",
		Source: "all policies of revopt for whole jobs, against a bound of our own",
		Parameters: "scenario sp2-like, 4000 generated jobs (--trace FILE takes the last 4000 of a real trace, cleaned by drop), penalties of 0.02 and 0.08 $/s on late jobs with soft deadlines, " +
			"arrival delay factor from 0.1 to 1, estimates exact and as users state them, 5 replications",
		Claim: "a policy that orders jobs by value delivers most under load",
		Build: func(ctx context.Context, o Options) (Result, error) { return boundFigure(ctx, o, newEarningStudy(o)) },
	}
}

// An earningStudy is two validations of the same policies on the same jobs.
type earningStudy struct {
	base     study.Validation // without contenders
	trace    string
	panels   [2]validation // with exact estimates, with those of users
	replicas int
}

// estimated are the estimates of the panels, as scenarios and readers know them.
var estimated = [2]struct{ value, words string }{{"exact", "exact estimates"}, {"users", "estimates of users"}}

func newEarningStudy(o Options) *earningStudy {
	s := &earningStudy{trace: o.Trace, replicas: o.replications(5, 2)}
	jobs, factors := "last:4000", []float64{0.1, 0.2, 0.3, 0.5, 1}
	if o.Quick {
		jobs, factors = "last:400", []float64{0.1, 0.3, 1}
	}
	s.base = study.Validation{
		Plain:    true,
		Scenario: open("sp2-like").doc, Seed: o.Seed, Replications: s.replicas, Gap: 0.005,
		Set: []scenario.Override{
			{Path: "qos.penalty", Value: "{low_mean: 0.02, ratio: 4, sd: 0.5}"}, {Path: "trace.cleaning", Value: "drop"}, {Path: "trace.jobs", Value: jobs},
		},
		Vary: scenario.Axis{Path: "trace.arrival_delay_factor", Values: factors},
	}
	if o.Trace != "" {
		s.base.Set = append(s.base.Set, scenario.Override{Path: "trace.file", Value: yamlText(o.Trace)})
	}
	return s
}

// run carries out the study.
func (s *earningStudy) run(ctx context.Context, o Options) error {
	for k, e := range estimated {
		v := s.base
		v.Set = append(slices.Clone(v.Set), scenario.Override{Path: "qos.estimates", Value: e.value})
		doc, err := v.At(0)
		if err != nil {
			return err
		}
		subject, err := study.Open(ctx, doc, o.Seed, nil)
		if err != nil {
			return err
		}
		list, _ := sp2Contenders(subject.Workload)
		for _, c := range list {
			v.Contenders = append(v.Contenders, study.Contender{Policy: c.policy, Options: c.options})
		}
		found, err := o.part(k, len(estimated)).validate(ctx, &v)
		if err != nil {
			return err
		}
		s.panels[k] = validation{Validated: found, contenders: list, x: v.Points()}
	}
	return nil
}

// sheet draws the two panels. The axis begins a little below the better half of
// the policies: between the others there is nothing to choose.
func (s *earningStudy) sheet() plots.Sheet {
	sheet := plots.Sheet{Height: 12, Notes: []string{
		s.workload() + " on 128 nodes; policies that leave the figure at the bottom deliver less, or lose",
		bands(s.replicas, ", from an empty start to the end of the last job", "share, of policies that lead somewhere"),
	}}
	lowest := 1.0
	for k := range s.panels {
		lowest = math.Min(lowest, s.panels[k].median())
	}
	lowest = math.Max(0, math.Floor(20*lowest-0.4)/20)
	for k, e := range estimated {
		v := &s.panels[k]
		fig := plots.Figure{
			Title: capital(e.words), X: plots.Axis{Label: "Arrival delay factor", Max: 1},
			Y:       plots.Axis{Label: "Efficiency", Percent: true, Min: lowest, Max: 1 + 0.05*(1-lowest)},
			Regions: []plots.Region{plots.Ceiling("Proven bound", v.x, slices.Repeat([]float64{1}, len(v.x)))},
		}
		for i := range v.contenders {
			line := v.shares(i)
			if !v.leads(i) {
				line.Low, line.High = nil, nil
			}
			fig.Series = append(fig.Series, line)
		}
		sheet.Panels = append(sheet.Panels, fig)
	}
	return sheet
}

// leads reports whether a contender delivers most at some point.
func (b *validation) leads(contender int) bool {
	return slices.ContainsFunc(b.Points, func(p study.ValidatedPoint) bool { return p.Order()[0] == contender })
}

// median returns the least efficiency, over the points, of the policy in the
// middle.
func (b *validation) median() float64 {
	least := 1.0
	for i := range b.Points {
		p := &b.Points[i]
		order := p.Order()
		least = math.Min(least, p.Efficiency(order[(len(order)-1)/2]).Mean)
	}
	return least
}

// workload says which jobs were simulated.
func (s *earningStudy) workload() string {
	return capital(jobsOf(s.trace, s.panels[0].Points[0].Jobs[0]))
}

// provenance says how the numbers were made.
func (s *earningStudy) provenance(o Options) plots.Provenance {
	p := o.provenance("sp2-like", s.replicas, append(fields(s.base.Set), list(s.base.Vary.Path, s.base.Vary.Values))...)
	p.Extra = append(p.Extra, plots.Pair{Key: "workload", Value: s.workload()}, plots.Pair{Key: "clairvoyant gap", Value: fmt.Sprintf("%.3g", s.panels[0].gap())})
	for _, c := range s.panels[0].contenders {
		p.Extra = append(p.Extra, plots.Pair{Key: "policy", Value: c.policy})
	}
	return p
}

// remarks say what the figure shows.
func (s *earningStudy) remarks() []string {
	list := []string{s.workload() + drawnAnew(s.trace) + ". Efficiency: value delivered, the budgets less penalties of the jobs that end, as a share of the clairvoyant bound"}
	for k, e := range estimated {
		list = append(list, e.words+", "+s.panels[k].closest("arrival delay factor"))
	}
	return append(list, s.foresight())
}

// foresight says how much of the bound a schedule has that knows the future.
func (s *earningStudy) foresight() string {
	var words []string
	for i := range s.panels[0].Points {
		p := &s.panels[0].Points[i]
		most := p.Best()
		for _, b := range p.Bounds {
			if b.Limits() != study.UnpreemptedPolicies {
				continue
			}
			var found, limit float64
			for k := range most {
				found, limit = found+b.Found[k]/most[k]/float64(len(most)), limit+b.Total[k]/most[k]/float64(len(most))
			}
			words = append(words, fmt.Sprintf("%g: %.1f to %.1f %%", s.panels[0].x[i], 100*found, 100*limit))
		}
	}
	return "with knowledge of the future, whole jobs that run once earn of the clairvoyant bound, by arrival delay factor, as much as a schedule that was found and at most as much as the bound for such schedules: " + strings.Join(words, "; ")
}
