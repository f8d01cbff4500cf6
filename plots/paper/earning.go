package paper

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"revopt/model/scenario"
	"revopt/plots"
	"revopt/simulate/run"
	"revopt/simulate/subject"
)

// estimated are the estimates of the panels, as scenarios and readers know them.
var estimated = [2]struct{ value, words string }{{"exact", "exact estimates"}, {"users", "estimates of users"}}

// headline returns the policies of the figure: value-bf that suspends, the headline set, and Libra for the papers of these
// jobs.
func headline() []row {
	names := map[string]string{"suspend": "Value-BF, suspending", "true": "HOL, backfilling"} // by option
	var list []row
	suspending := scenario.Policy{Name: "value-bf", Options: map[string]string{"preempt": "suspend"}}
	for _, p := range append([]scenario.Policy{suspending}, subject.HeadlineSet()...) {
		if p.Name == "easy" { // the policies of sites follow
			list = append(list, row{policy: "libra"})
		}
		named := row{policy: p.Name, options: p.Options}
		for _, option := range p.Options {
			named.name = names[option]
		}
		list = append(list, named)
	}
	for i := range list {
		list[i].name, list[i].look = cmp.Or(list[i].name, named(list[i].policy).Title), i+1
	}
	return list
}

// earnings draws the efficiency of policies for whole jobs against the load, with exact estimates and with those of
// users: scenario sp2-like, 4000 jobs cleaned by drop, penalties on late jobs with soft deadlines.
func earnings() Recipe {
	return Recipe{ID: "earning", Title: "Share of the proven bound that policies earn", build: buildEarnings}
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
		whole, _, err := p.rowsFor(ctx, o, headline())
		if err != nil {
			return Result{}, err
		}
		p.rows = whole
		panels[k], err = p.underBounds(ctx, o.part(k, len(estimated)), run.Bound{Gap: sp2Gap, Once: true})
		if err != nil {
			return Result{}, err
		}
	}
	workload := capital(jobsOf(o.Trace, panels[0].jobs()))
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

// earningSheet draws the two panels. Below 0 penalties exceed payments, and it does not matter how far.
func earningSheet(panels [2]*validation, workload string) plots.Sheet {
	sheet := plots.Sheet{Width: 20, Height: 11, Notes: []string{
		workload,
		fmt.Sprintf("Means of %d replications, from an empty start to the end of the last job", panels[0].replications),
	}}
	loses := false
	for k, e := range estimated {
		v := panels[k]
		fig := plots.Figure{
			Title: capital(e.words), X: plots.Axis{Label: "Arrival delay factor", Max: 1},
			Y:       plots.Axis{Label: "Share of the proven bound", Percent: true, Max: 1.05, Clip: true},
			Regions: []plots.Region{allThereIs("Proven bound: no policy is above", v.values)}, EndLabels: true,
		}
		for i := range v.rows {
			s := v.shares(i)
			s.Bandless = true
			fig.Series = append(fig.Series, s)
			loses = loses || slices.ContainsFunc(s.Y, func(y float64) bool { return y < 0 })
		}
		sheet.Panels = append(sheet.Panels, fig)
	}
	if loses {
		sheet.Notes[0] += "; a curve leaves the figure where penalties exceed earnings"
	}
	return sheet
}

// foresight says how much of the bound the best policy reaches that runs whole jobs once.
func (b *validation) foresight() string {
	var words []string
	for i := range b.points {
		p := &b.points[i]
		var found run.Series
		for k, r := range b.rows {
			if (subject.Policy{Spec: named(r.policy), Settings: r.options}).Unpreempted() {
				found = found.Max(p.delivered[k])
			}
		}
		earned, limit := interval(found.Over(p.best)).Mean, interval(p.unpreempted.Over(p.best)).Mean
		words = append(words, fmt.Sprintf("%g: %.1f to %.1f %%", b.values[i], 100*earned, 100*limit))
	}
	return "whole jobs that run once earn from what the best policy reaches " +
		"to the bound for such schedules, as a share of the clairvoyant bound, by arrival delay factor: " +
		strings.Join(words, "; ")
}
