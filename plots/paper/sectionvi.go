package paper

import (
	"fmt"
	"slices"

	"revopt/internal/text"
	"revopt/model/scenario"
	"revopt/plots"
	"revopt/simulate/metric"
)

// The admissions that section VI compares, in the order of its figures.
const (
	admitEverybody = iota
	paperOptimum
	simulatorTuned
	admissionCount
)

// admissionNames are the names of the admissions in figures.
var admissionNames = [admissionCount]string{"Admit all", "Optimum of the model", "Tuned on the simulator"}

// admissionPlan is three admissions along the load, under each of the policies.
func admissionPlan(name string, loads []float64, replications int, e scenario.SearchEffort, policies ...row) plan {
	p := plan{
		scenario: name, path: "load", values: loads, replications: replications,
	}
	if len(policies) == 0 {
		policies = []row{{}}
	}
	for _, r := range policies {
		for a, admission := range []scenario.Admission{
			{Name: scenario.AdmitAll}, {Name: scenario.AdmitAnalytic}, {Name: scenario.AdmitSimulated, Search: &e},
		} {
			r.name, r.look, r.admission = admissionNames[a], a+1, &admission
			p.rows = append(p.rows, r)
		}
	}
	return p
}

// sectionVI is the experiment behind figures 16 to 19. The paper's whole
// experiment is this one with 500 replications.
func sectionVI(o Options) plan {
	loads := finer(o.Quick, grid(1, 10, 2), grid(1, 20, 4))
	return admissionPlan("nist-cluster", loads, o.replications(20, 8), searchEffort(o))
}

// searchEffort is the length of the search for the best admission on the simulator.
func searchEffort(o Options) scenario.SearchEffort {
	if o.Quick {
		return scenario.SearchEffort{Jobs: 5000, Replications: 8, Step: 1.0 / 32}
	}
	return scenario.SearchEffort{Jobs: 20000, Replications: 8, Step: 1.0 / 64}
}

// searchWords says how an admission is searched for; see run.Maximize.
func searchWords(e scenario.SearchEffort) string {
	return fmt.Sprintf("compass search to steps of %.2g on %d replications of %d jobs, "+
		"best of it and its starts on %d others",
		e.Step, e.Replications, e.Jobs, 2*e.Replications)
}

// loadAxis is the axis of section VI.
var loadAxis = plots.Axis{Label: "Aggregate load", Percent: true, Max: 5}

// halfYears says what the bands of a figure are.
func halfYears(t *table) string { return bands(t.replications, " of half a year", "mean") }

// tuned says how the numbers of a study of admissions were made.
func tuned(o Options, t *table) plots.Provenance {
	p := o.provenance(t.scenario, t.replications, varied("load", t.values))
	p.Extra = append(p.Extra, plots.Pair{Key: "tuning", Value: searchWords(*t.rows[simulatorTuned].admission.Search)})
	return p
}

// sectionVIRecipes are figures 16 to 19: the scenario nist-cluster at loads to 5,
// half a year per replication less a tenth of warm-up. All jobs are admitted, those
// of the optimum of (30) as printed, or those of the admission that earns most on
// the simulator, searched on one seed and reported on another.
func sectionVIRecipes() []Recipe {
	var list []Recipe
	for _, f := range []struct {
		figure         int
		title, measure string
		mean           float64 // of the jobs' prices, where it is drawn
		remark         string
	}{
		{16, "Revenue under bounded penalties", "revenue_per_second", 0,
			"where (30) leaves open how many of each low-value class to admit, the optimizer's choice is simulated; " +
				"other choices earn the same within the intervals"},
		{17, "Revenue per admitted job", "revenue_per_job", 1800,
			"high-value jobs cost $5000 on average; those that expire lose"},
		{18, "Mean queueing delay", "mean_wait", 0,
			"the delay is that of jobs that start; " +
				"jobs that expire waited for as long as they could and are not counted"},
		{19, "Utilization of the cluster", "utilization", 0,
			"the tuned admission is no part of the paper"},
	} {
		s := &simulated{plan: sectionVI, x: loadAxis, y: measureAxes[f.measure], measure: f.measure, provenance: tuned}
		s.notes = func(t *table) []string { return []string{halfYears(t)} }
		s.finish = func(fig *plots.Figure, _ *table) {
			if f.mean > 0 {
				fig.HLines = []plots.Rule{{At: f.mean, Text: fmt.Sprintf("mean price: $%g", f.mean)}}
			}
		}
		list = append(list, Recipe{
			ID: fmt.Sprintf("nist-%d", f.figure), Title: f.title, remarks: []string{f.remark}, simulated: s,
		})
	}
	return list
}

// measureAxes are the axes of measures.
var measureAxes = map[string]plots.Axis{
	"revenue_per_second": {Label: "Revenue", Unit: "$/s", Max: 7},
	"revenue_per_job":    {Label: "Revenue per admitted job", Unit: "$", Max: 5000},
	"mean_wait":          {Label: "Mean queueing delay", Unit: "h", Max: 5},
	"utilization":        {Label: "Utilization", Percent: true, Max: 1},
	"expired_share":      {Label: "Jobs that expire", Percent: true},
}

// simulatedGain is what the tuned admission earns more than the two others, on
// common random numbers. The paper has no such figure.
func simulatedGain() Recipe {
	return Recipe{
		ID: "nist-gain", Title: "What tuning on the simulator gains",
		simulated: &simulated{plan: sectionVI, measure: "revenue_per_second", provenance: tuned, draw: drawGains},
	}
}

func drawGains(_ Options, t *table) plots.Picture {
	sheet := plots.Sheet{
		Columns: 2, Height: 8, Notes: []string{"Differences on common random numbers; " + halfYears(t)},
	}
	earned := func(row, i int) []float64 { return t.numbers(row, i, "revenue_per_second") }
	for over, title := range []string{"Over admitting all", "Over the optimum of the model"} {
		s := plots.Series{Name: admissionNames[simulatorTuned], X: t.values, Look: simulatorTuned + 1}
		for i := range t.values {
			addInterval(&s, metric.Difference(earned(simulatorTuned, i), earned(over, i), metric.DefaultLevel))
		}
		sheet.Panels = append(sheet.Panels, plots.Figure{
			Title: title, X: loadAxis, Y: plots.Axis{Label: "Gain", Unit: "$/s"}, Series: []plots.Series{s},
		})
	}
	return sheet
}

// variableWidths is the scenario that the end of section VI mentions: jobs of several widths, without
// backfilling and with it, the admission tuned anew.
func variableWidths() Recipe {
	return Recipe{
		ID: "nist-widths", Title: "Jobs of 250, 750 and 1500 processors",
		remarks: []string{
			"the paper leaves open whether its shares of 50, 30 and 20 % are of jobs or of work; here they are of jobs",
			"the paper did not simulate backfilling",
		},
		simulated: &simulated{
			plan: widthPlan, x: loadAxis, y: measureAxes["revenue_per_second"], measure: "revenue_per_second",
			provenance: tuned, draw: drawWidths,
		},
	}
}

func drawWidths(_ Options, t *table) plots.Picture {
	sheet := plots.Sheet{Columns: 2, Height: 14, Notes: []string{halfYears(t)}}
	for k, words := range []string{", no backfilling", ", with backfilling"} {
		for _, name := range []string{"revenue_per_second", "utilization"} {
			fig := plots.Figure{Title: measureAxes[name].Label + words, X: loadAxis, Y: measureAxes[name]}
			fig.Series = text.Each(t.lines(name)[k*admissionCount:(k+1)*admissionCount], line.series)
			sheet.Panels = append(sheet.Panels, fig)
		}
	}
	return sheet
}

// widthPlan is jobs of several widths, without and with backfilling.
func widthPlan(o Options) plan {
	loads, effort := grid(1, 10, 2), searchEffort(o)
	if o.Quick {
		loads = grid(1, 5, 1)
		effort.Jobs, effort.Replications = 4000, 4
	}
	return admissionPlan("nist-cluster-widths", loads, o.replications(20, 5), effort,
		row{policy: "hol"}, row{policy: "hol", options: map[string]string{"backfill": "true"}})
}

// paperPhi is the delay coefficient that the paper found and put into (30).
const paperPhi = 0.56

// delayCoefficient computes the coefficient Φ of (30) as section VI defines it: the
// mean delay where jobs expire over the one where no job does and penalties are
// unbounded, on the same jobs, by replication. All jobs are admitted. Φ is the mean
// at loads of 0.85, 0.90, 0.95 and 1.00.
func delayCoefficient() Recipe {
	return Recipe{
		ID: "nist-phi", Title: "Delay with bounded over delay with unbounded penalties",
		remarks: []string{
			"at a load of 100 % the queue without expiry has no steady state: " +
				"its mean delay grows with the horizon, and the ratio falls",
			"a tenth of each half year is left out as warm-up; the paper does not say whether it leaves out any, " +
				"nor whether it counts the wait of expired jobs (here only jobs that start count)",
		},
		simulated: &simulated{
			plan: phiPlan, x: plots.Axis{Label: "Aggregate load", Percent: true, Min: 0.7, Max: 1},
			y: plots.Axis{Label: "Ratio of mean delays", Max: 1}, measure: "mean_wait",
			lines: delayRatios, notes: phiNotes, finish: markPhi,
			provenance: func(o Options, t *table) plots.Provenance {
				p := o.provenance("nist-cluster", t.replications, varied("load", t.values))
				unbounded := "max_penalty=none, expire=never for every class"
				p.Extra = append(p.Extra, plots.Pair{Key: "unbounded", Value: unbounded})
				return p
			},
		},
	}
}

func phiNotes(t *table) []string {
	at := text.Each(grid(17, 20, 20), func(load float64) int { return indexOf(t.values, load) })
	phi := estimate(delayRatios(t, "")[0].over(at...))
	return []string{
		fmt.Sprintf("Φ = %s, the mean at loads of 85, 90, 95 and 100 %%", plusMinus(phi, 3)),
		fmt.Sprintf("Everybody admitted; %d replications of half a year; band: 95 %% interval of the mean",
			t.replications),
	}
}

// markPhi marks where the mean begins.
func markPhi(fig *plots.Figure, t *table) {
	fig.X.Min = t.values[0]
	fig.VLines = []plots.Rule{{At: 0.85, Text: "averaged from here on"}}
}

// phiPlan is the queue with bounded and with unbounded penalties: values without
// floor, and no job that gives up.
func phiPlan(o Options) plan {
	var endless []scenario.Override
	for _, class := range slices.Backward(clusterClasses) {
		endless = append(endless, scenario.Override{Path: "classes." + class + ".expire", Value: "never"},
			scenario.Override{Path: "classes." + class + ".max_penalty", Value: "none"})
	}
	return plan{
		scenario: "nist-cluster", path: "load", values: finer(o.Quick, grid(14, 20, 20), grid(28, 40, 40)),
		rows: []row{{name: "bounded"}, {name: "unbounded", set: endless}}, replications: o.replications(500, 20),
	}
}

// delayRatios returns the ratio of the delays, by replication.
func delayRatios(t *table, _ string) []line {
	return []line{{name: "Simulated", x: t.values, over: averages(len(t.values), func(i int) []float64 {
		ratios := scaled(t.numbers(0, i, "mean_wait"), 1)
		for k, without := range t.numbers(1, i, "mean_wait") {
			ratios[k] /= without
		}
		return ratios
	})}}
}
