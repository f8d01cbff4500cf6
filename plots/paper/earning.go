package paper

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"revopt/model/scenario"
	"revopt/plots"
	plans "revopt/simulate/plan"
)

// estimated are the estimates of the panels, as scenarios and readers know them.
var estimated = [2]struct{ value, words string }{{"exact", "exact estimates"}, {"users", "estimates of users"}}

// earnings draws the efficiency of every policy for whole jobs against the load, with
// exact estimates and with those of users: scenario sp2-like, 4000 jobs cleaned by
// drop, penalties on late jobs with soft deadlines.
func earnings() Recipe {
	return Recipe{ID: "earning", Title: "What share of the possible every policy earns", build: buildEarnings}
}

func buildEarnings(ctx context.Context, o Options) (Result, error) {
	jobs, factors := "last:4000", []float64{0.1, 0.2, 0.3, 0.5, 1}
	if o.Quick {
		jobs, factors = "last:400", []float64{0.1, 0.3, 1}
	}
	base := sp2Plan(o, o.replications(5, 2), factors,
		scenario.Override{Path: "trace.cleaning", Value: "drop"}, scenario.Override{Path: "trace.jobs", Value: jobs})
	var panels [2]*validation
	for k, e := range estimated {
		p := base
		p.set = append(slices.Clone(p.set), scenario.Override{Path: "qos.estimates", Value: e.value})
		whole, _, err := p.rowsFor(ctx, o)
		if err != nil {
			return Result{}, err
		}
		p.rows = whole
		panels[k], err = p.bounded(ctx, o.part(k, len(estimated)), plans.Bounds{Gap: sp2Gap})
		if err != nil {
			return Result{}, err
		}
	}
	workload := capital(jobsOf(o.Trace, panels[0].Points[0].Jobs[0]))
	remarks := []string{workload + drawnAnew(o.Trace) +
		". Efficiency: value delivered, the budgets less penalties of the jobs that end, " +
		"as a share of the clairvoyant bound"}
	for k, e := range estimated {
		remarks = append(remarks, e.words+", "+panels[k].closest("arrival delay factor"))
	}
	return Result{
		Picture:    earningSheet(panels, workload),
		Provenance: panels[0].provenance(o, base, workload, fmt.Sprintf("%.3g", panels[0].gap())),
		Remarks:    append(remarks, panels[0].foresight()),
	}, nil
}

// earningSheet draws the two panels. The axis begins a little below the better half
// of the policies: between the others there is nothing to choose.
func earningSheet(panels [2]*validation, workload string) plots.Sheet {
	span, interval := ", from an empty start to the end of the last job", "share, of policies that lead somewhere"
	sheet := plots.Sheet{Height: 12, Notes: []string{
		workload + " on 128 nodes; policies that leave the figure at the bottom deliver less, or lose",
		bands(panels[0].replications, span, interval),
	}}
	lowest := math.Min(panels[0].median(), panels[1].median())
	lowest = math.Max(0, math.Floor(20*lowest-0.4)/20)
	for k, e := range estimated {
		v := panels[k]
		fig := plots.Figure{
			Title: capital(e.words), X: plots.Axis{Label: "Arrival delay factor", Max: 1},
			Y:       plots.Axis{Label: "Efficiency", Percent: true, Min: lowest, Max: 1 + 0.05*(1-lowest)},
			Regions: allThereIs(v.values),
		}
		for i := range v.rows {
			s := v.shares(i)
			if !slices.ContainsFunc(v.Points, func(p plans.BoundedPoint) bool { return p.Order()[0] == i }) {
				s.Low, s.High = nil, nil
			}
			fig.Series = append(fig.Series, s)
		}
		sheet.Panels = append(sheet.Panels, fig)
	}
	return sheet
}

// median returns the least efficiency of the middle policy over the points.
func (b *validation) median() float64 {
	least := 1.0
	for i := range b.Points {
		p := &b.Points[i]
		order := p.Order()
		least = math.Min(least, p.Efficiency(order[(len(order)-1)/2]).Mean)
	}
	return least
}

// foresight says how much of the bound a schedule has that knows the future.
func (b *validation) foresight() string {
	var words []string
	for i := range b.Points {
		p := &b.Points[i]
		most := p.Best()
		for _, t := range p.Bounds {
			if t.Limits() != plans.UnpreemptedPolicies {
				continue
			}
			var earned, limit float64
			n := float64(len(most))
			for k := range most {
				earned += t.Found[k] / most[k] / n
				limit += t.Total[k] / most[k] / n
			}
			words = append(words, fmt.Sprintf("%g: %.1f to %.1f %%", b.values[i], 100*earned, 100*limit))
		}
	}
	return "whole jobs that run once earn, with knowledge of the future, from what a schedule was found for " +
		"to the bound for such schedules, as a share of the clairvoyant bound, by arrival delay factor: " +
		strings.Join(words, "; ")
}
