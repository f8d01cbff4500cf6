package paper

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"revopt/internal/text"
	"revopt/model"
	"revopt/model/scenario"
	"revopt/optimize/control"
	"revopt/plots"
)

// memoryless returns nist-four with exponential lengths of the same mean on one pooled server.
func memoryless(overrides ...scenario.Override) builtin {
	f := open("nist-four", scenario.Override{Path: "server.residual", Value: "pooled"})
	for _, class := range clusterClasses {
		f = f.with(scenario.Override{Path: "classes." + class + ".length", Value: "{dist: exponential, mean: 4400}"})
	}
	return f.with(overrides...)
}

// A gain is the revenue of admissions in one queue, in dollars per hour: of the best
// static one, of the best thresholds found, and the proven upper bound.
type gain struct{ static, threshold, most float64 }

// Losses are against the proven bound, so that they are never negative.
func (g gain) staticLoss() float64    { return 1 - g.static/g.most }
func (g gain) thresholdLoss() float64 { return 1 - g.threshold/g.most }

func newGain(ctx context.Context, sys model.System) (gain, error) {
	settings := control.Settings{Waiting: -1}
	rule, err := control.Thresholds(ctx, sys, settings)
	if err != nil {
		return gain{}, err
	}
	best, err := control.Solve(ctx, sys, settings)
	if err != nil {
		return gain{}, err
	}
	return gain{perHour * rule.Static, perHour * rule.Revenue, perHour * best.UpperBound}, nil
}

// controlGains draws the losses of admissions that do not know all of the queue:
// scenario nist-four with exponential lengths of 4400 s and one pooled server, n = 1,
// 5 and 25. The best static admission, the best thresholds found on the number
// waiting, and the best of all admissions that know the queue.
func controlGains() Recipe {
	return Recipe{ID: "control-gain", Title: "Losses of static admission and of thresholds", build: buildControlGains}
}

func buildControlGains(ctx context.Context, o Options) (Result, error) {
	slots := []float64{1, 5, 25}
	all := slices.Concat(grid(5, 9, 10), []float64{0.95}, grid(10, 20, 10))
	loads := finer(o.Quick, []float64{0.5, 0.95, 1, 1.2, 2}, all)
	n := len(loads)
	gains, err := computed(ctx, o, len(slots)*n, func(ctx context.Context, i int) (gain, error) {
		sys, err := memoryless(scenario.Set("server.parallel", slots[i/n]), scenario.Set("load", loads[i%n])).system()
		if err != nil {
			return gain{}, err
		}
		return newGain(ctx, sys)
	})
	if err != nil {
		return Result{}, err
	}
	sheet := gainSheet(slots, loads, slices.Collect(slices.Chunk(gains, n)))
	return Result{
		Picture:    sheet,
		Provenance: memoryless().provenance(list("server.parallel", slots), list("load", loads)),
		Remarks:    gainRemarks(sheet),
	}, nil
}

// gainSheet draws money for the most jobs at a time, and losses for all.
func gainSheet(slots, loads []float64, gains [][]gain) plots.Sheet {
	line := func(name string, slot int, number func(gain) float64) plots.Series {
		return plots.Series{Name: name, X: loads, Y: text.Each(gains[slot], number)}
	}
	x := plots.Axis{Label: "Offered load", Percent: true, Min: loads[0], Max: 2}
	loss := plots.Axis{Label: "Loss against the optimum", Percent: true}
	last := len(slots) - 1
	most := line("", last, func(g gain) float64 { return g.most }).Y
	money := plots.Figure{
		Title: fmt.Sprintf("Revenue at n = %g", slots[last]), X: x,
		Y:       plots.Axis{Label: "Revenue", Unit: "$/h", Min: 2e5, Max: 6.5e5},
		Regions: []plots.Region{plots.Ceiling("State-dependent optimum, proven", loads, most)},
		Series: []plots.Series{
			line("Thresholds", last, func(g gain) float64 { return g.threshold }),
			line("Static admission", last, func(g gain) float64 { return g.static }),
		},
	}
	static := plots.Figure{Title: "Static admission", X: x, Y: loss}
	threshold := plots.Figure{Title: "Admission by thresholds", X: x, Y: loss}
	for i, n := range slots {
		name := fmt.Sprintf("n = %g", n)
		static.Series = append(static.Series, line(name, i, gain.staticLoss))
		threshold.Series = append(threshold.Series, line(name, i, gain.thresholdLoss))
	}
	return plots.Sheet{
		Panels: []plots.Figure{money, static, threshold}, Columns: 3, Height: 8.5,
		Notes: []string{
			"n: jobs at a time. Static admission: a probability for each class. " +
				"Thresholds: a number of waiting jobs from which on a class is refused",
		},
	}
}

// gainRemarks say how much is lost at most.
func gainRemarks(s plots.Sheet) []string {
	remarks := []string{
		"four classes, exponential lengths of 4400 s, n jobs at a time by one pooled server",
		"the state-dependent optimum is proven to within 10⁻⁶, the static one to within 10⁻⁹; " +
			"thresholds are the best that a search finds",
		"thresholds on the number waiting do not tell an idle server from a busy one without a queue: " +
			"with one job at a time nearly all of their loss is that",
	}
	for _, p := range s.Panels[1:] {
		for _, line := range p.Series {
			top := slices.Max(line.Y)
			remarks = append(remarks, fmt.Sprintf("%s at %s loses up to %.2g %%, at a load of %.0f %%",
				strings.ToLower(p.Title), line.Name, 100*top, 100*line.X[slices.Index(line.Y, top)]))
		}
	}
	return remarks
}

// mapSize is how many waiting jobs of a class the map of decisions shows.
const mapSize = 12

// controlThresholds draws which of two classes the best table of decisions admits while
// a job is in service, proven to within 10⁻¹¹: scenario nist-four with the two classes
// of low value alone, half of the jobs each, exponential lengths, n = 5. A class that
// is refused is refused too where more jobs wait.
func controlThresholds() Recipe {
	return Recipe{
		ID: "control-threshold", Title: "Admission of two classes by the jobs that wait", build: buildControlThresholds,
	}
}

func buildControlThresholds(ctx context.Context, o Options) (Result, error) {
	loads := []float64{0.8, 1.2, 2}
	f := memoryless(scenario.Set("classes.HvHu.share", 0), scenario.Set("classes.HvLu.share", 0),
		scenario.Set("classes.LvHu.share", 0.5), scenario.Set("classes.LvLu.share", 0.5),
		scenario.Set("server.parallel", 5))
	sheet := plots.Sheet{Columns: len(loads), Height: 8.5, Notes: []string{"Decisions while the server is busy"}}
	remarks := []string{
		"high urgency: $20,000, loses 1 $/s of waiting; low urgency: $10,000, loses 0.25 $/s of waiting; " +
			"half of the jobs each; five jobs at a time by one pooled server, exponential lengths of 4400 s",
		"in the table of numbers a square reaches half a job beyond its own",
	}
	tables, err := computed(ctx, o, len(loads), func(ctx context.Context, i int) (*control.Result, error) {
		sys, err := f.varying("load")(loads[i])
		if err != nil {
			return nil, err
		}
		return control.Solve(ctx, sys, control.Settings{Waiting: -1, Gap: 1e-11})
	})
	if err != nil {
		return Result{}, err
	}
	for i, best := range tables {
		load := loads[i]
		urgent, patient := switching(best.Table, urgentClass), switching(best.Table, patientClass)
		sheet.Panels = append(sheet.Panels, controlMap(fmt.Sprintf("Load %.0f %%", 100*load), urgent, patient))
		remarks = append(remarks, fmt.Sprintf("at a load of %.0f %% the table earns %.0f $/h, "+
			"static admission %.1f %% less",
			100*load, perHour*best.Revenue, 100*(1-best.Static/best.Revenue)))
	}
	return Result{Picture: sheet, Provenance: f.provenance(list("load", loads)), Remarks: remarks}, nil
}

// The classes of the map in nist-four: LvHu and LvLu.
const (
	urgentClass = iota + 2
	patientClass
)

// switching returns the least number of patient jobs waiting at which a class is
// refused, by the number of urgent ones.
func switching(t *control.Table, class int) []float64 {
	curve := make([]float64, mapSize+2)
	for x := range curve {
		for curve[x] <= mapSize && t.Admit(class, []int{0, 0, x, int(curve[x])}, []int{0, 0, 1, 0}) {
			curve[x]++
		}
	}
	return curve
}

// controlMap draws decisions in squares about whole numbers of waiting jobs, from
// the curves below which the urgent and the patient class are admitted. The axes
// end within squares, so that no edge lies along them.
func controlMap(title string, urgent, patient []float64) plots.Figure {
	axis := plots.Axis{Unit: "jobs", Min: -0.4, Max: mapSize + 0.4, Clip: true, Whole: true}
	fig := plots.Figure{Title: title, X: axis, Y: axis}
	fig.X.Label, fig.Y.Label = "High urgency, waiting", "Low urgency, waiting"
	var x, u, p, low, high []float64
	for i := range urgent {
		x = append(x, float64(i)-0.5)
		u = append(u, urgent[i]-0.5)
		p = append(p, patient[i]-0.5)
		low = append(low, min(u[i], p[i]))
		high = append(high, max(u[i], p[i]))
	}
	fig.Regions = []plots.Region{
		{Name: "Both classes admitted", X: x, Y: low, Side: plots.Below, Step: true, Tint: 1, Edge: true},
		{Name: "High urgency only", X: x, Y: p, Y2: high, Side: plots.Between, Step: true, Tint: 2},
		{Name: "Low urgency only", X: x, Y: u, Y2: high, Side: plots.Between, Step: true, Tint: 3},
		{Name: "Both refused", X: x, Y: high, Side: plots.Above, Step: true, Edge: true},
	}
	return fig
}
