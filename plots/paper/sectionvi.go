package paper

import (
	"fmt"
	"strings"

	"revopt/model/scenario"
	"revopt/plots"
	"revopt/simulate/metric"
	"revopt/simulate/study"
)

// The admissions that a study compares, in the order of its figures.
const (
	admitEverybody = iota
	paperOptimum
	simulatorTuned
	admissionCount
)

// admissionNames are what the admissions are called in figures.
var admissionNames = [admissionCount]string{"Admit all", "The paper's optimum, (30)", "Tuned on the simulator"}

// A loadPlan is what a study simulates: three admissions along the load.
type loadPlan struct {
	scenario     string // built in
	policies     []scenario.Policy
	loads        []float64
	replications int // of each admission at each load
	search       scenario.SearchEffort
}

// sweeps returns the one sweep of the plan.
func (p loadPlan) sweeps(o Options) ([]*study.SweepSpec, error) { return specs(o, p.design()) }

// design returns the plan as a sweep.
func (p loadPlan) design() design {
	return design{
		scenario: p.scenario, path: "load", values: p.loads, policies: p.policies, replications: p.replications,
		admissions: []scenario.Admission{
			admitEverybody: {Name: scenario.AdmitAll}, paperOptimum: {Name: scenario.AdmitAnalytic}, simulatorTuned: {Name: scenario.AdmitSimulated, Search: &p.search},
		},
		metrics: []metric.Measure{metric.RevenuePerSecond(), measure("revenue_per_job"), metric.MeanWait(), measure("utilization"), measure("expired_share")},
	}
}

// A study is the outcome of each admission at each load under one policy.
type loadStudy struct {
	results // by admission and load
	loadPlan
	policy int // of the plan
}

// study returns what the sweep of the plan found under one of its policies.
func (p loadPlan) study(found []*study.SweepResults, policy int) *loadStudy {
	s := &loadStudy{loadPlan: p, policy: policy, results: results{found: found, cases: make([][]sweepCase, admissionCount)}}
	for a := range s.cases {
		for i := range p.loads {
			s.cases[a] = append(s.cases[a], sweepCase{Case: study.Case{Point: i, Admission: a, Policy: policy}})
		}
	}
	return s
}

// series draws a measure of an admission along the load.
func (s *loadStudy) series(admission int, f metric.Measure) plots.Series {
	line := s.line(admission, s.loads, f)
	line.Name, line.Look = admissionNames[admission], admission+1
	return line
}

// note says what the bands of a figure are.
func (s *loadStudy) note() string { return bands(s.replications, " of half a year", "mean") }

// provenance says how the numbers of a study were made.
func (s *loadStudy) provenance(o Options) plots.Provenance {
	p := o.provenance(s.scenario, s.replications, varied("load", s.loads))
	p.Extra = append(p.Extra, plots.Pair{Key: "tuning", Value: searchWords(s.search)})
	return p
}

// searchEffort is how long the admission that earns most on the simulator is
// searched for.
func searchEffort(o Options) scenario.SearchEffort {
	if o.Quick {
		return scenario.SearchEffort{Jobs: 5000, Replications: 8, Step: 1.0 / 32}
	}
	return scenario.SearchEffort{Jobs: 20000, Replications: 8, Step: 1.0 / 64}
}

// searchWords says how an admission is searched for; see study.Maximize.
func searchWords(e scenario.SearchEffort) string {
	return fmt.Sprintf("compass search to steps of %.2g on %d replications of %d jobs, best of it and its starts on %d others",
		e.Step, e.Replications, e.Jobs, 2*e.Replications)
}

const (
	simulatedParameters = "scenario nist-cluster, load from 0.25 to 5, half a year per replication less a tenth of warm-up; everybody admitted, the optimum of (30) as printed, " +
		"and the admission that earns most on the simulator, searched on one seed and reported on another"
	simulatedNote = "Ten jobs at a time, priorities by urgency; jobs expire at value zero and cost 5 %"
)

// A simulatedView is one of the figures drawn from the experiment of section VI.
type simulatedView struct {
	figure  int // of the paper
	title   string
	claim   string
	measure string // name of the measure
	y       plots.Axis
	scale   float64    // of the measure in the unit of the axis
	rule    plots.Rule // a number of the paper's text; none where At is 0
	words   func(*loadStudy) []string
}

// simulatedRecipes are figures 16 to 19.
func simulatedRecipes() []Recipe {
	views := []simulatedView{{
		figure: 16, title: "Revenue under bounded penalties", measure: "revenue_per_second", scale: 1,
		claim: "admitting all earns most between loads of 250 and 300 % and loses beyond; optimal admission earns more and more up to 500 %; " +
			"the admission tuned on the simulator earns at least as much as either at every load",
		y: plots.Axis{Label: "Revenue", Unit: "$/s", Max: 7}, words: revenueWords,
	}, {
		figure: 17, title: "Revenue per admitted job", measure: "revenue_per_job", scale: 1,
		claim: "$1800 per admitted job up to a load of 90 % whoever is admitted; beyond, it falls when all are admitted and rises with optimal admission, " +
			"to about $5000 when only high-value jobs are left",
		y: plots.Axis{Label: "Revenue per admitted job", Unit: "$", Max: 5000}, words: perJobWords,
		rule: plots.Rule{At: 1800, Text: "mean price: $1800"},
	}, {
		figure: 18, title: "Mean queueing delay", measure: "mean_wait", scale: 1.0 / perHour,
		claim: "admission control keeps delay low; when all are admitted, expiry makes it fall again under growing overload",
		y:     plots.Axis{Label: "Mean queueing delay", Unit: "h", Max: 5}, words: delayWords,
	}, {
		figure: 19, title: "Utilization of the cluster", measure: "utilization", scale: 1,
		claim: "admitting all uses the whole cluster given enough load; optimal admission leaves part of it idle",
		y:     plots.Axis{Label: "Utilization", Percent: true, Max: 1}, words: utilizationWords,
		rule: plots.Rule{At: 0.69, Text: "the paper's optimum: 69 %"},
	}}
	var list []Recipe
	for _, v := range views {
		list = append(list, Recipe{
			ID: fmt.Sprintf("nist-%d", v.figure), Title: v.title, Source: nist(v.figure), Parameters: simulatedParameters, Claim: v.claim, Sweeps: sectionVISweeps,
			draw: func(o Options, found []*study.SweepResults) Result {
				s := sectionVI(o).study(found, 0)
				return Result{Picture: v.draw(s), Provenance: s.provenance(o), Remarks: v.words(s)}
			},
		})
	}
	return list
}

func sectionVISweeps(o Options) ([]*study.SweepSpec, error) { return sectionVI(o).sweeps(o) }

// sectionVI is the experiment behind figures 16 to 19. The paper's whole
// experiment is this one with 500 replications.
func sectionVI(o Options) loadPlan {
	return loadPlan{
		scenario: "nist-cluster", loads: finer(o.Quick, grid(1, 10, 2), grid(1, 20, 4)), replications: o.replications(20, 8), search: searchEffort(o),
	}
}

// draw draws the view of a study.
func (v simulatedView) draw(s *loadStudy) plots.Figure {
	fig := plots.Figure{
		X: plots.Axis{Label: "Aggregate load", Percent: true, Max: 5}, Y: v.y,
		Notes: []string{simulatedNote, s.note()},
	}
	for a := range admissionCount {
		line := s.series(a, measure(v.measure))
		for _, values := range [][]float64{line.Y, line.Low, line.High} {
			for i := range values {
				values[i] *= v.scale
			}
		}
		fig.Series = append(fig.Series, line)
	}
	if v.rule.At > 0 {
		fig.HLines = []plots.Rule{v.rule}
	}
	return fig
}

// surely returns the loads at which one admission earns less than another by
// more than chance.
func (s *loadStudy) surely(less, than int) []float64 {
	var loads []float64
	for i, load := range s.loads {
		if d := s.lead(than, less, i, metric.RevenuePerSecond()); d.N > 1 && d.Mean > d.HalfWidth {
			loads = append(loads, load)
		}
	}
	return loads
}

// atLoads writes a list of loads.
func atLoads(loads []float64) string {
	if len(loads) == 0 {
		return "at no load"
	}
	words := make([]string, len(loads))
	for i, load := range loads {
		words[i] = fmt.Sprintf("%.0f", 100*load)
	}
	return "at a load of " + strings.Join(words, ", ") + " %"
}

func revenueWords(s *loadStudy) []string {
	f := metric.RevenuePerSecond()
	last := len(s.loads) - 1
	top := s.top(admitEverybody, f)
	return []string{
		"the paper finds that its optimum earns less than admitting all between loads of 65 and 300 %; by (30) as it is printed that is so, beyond chance, only " +
			atLoads(s.surely(paperOptimum, admitEverybody)) + ": the paper's probabilities came from another delay estimate than the (30) it prints (see nist-15)",
		fmt.Sprintf("admitting all earns most at a load of %s, %s $/s, and %s $/s at %s", percent(s.loads[top]),
			plusMinus(s.interval(admitEverybody, top, f), 3), plusMinus(s.interval(admitEverybody, last, f), 3), percent(s.loads[last])),
		fmt.Sprintf("the tuned admission earns %s $/s more than the better of the two others at the load where it gains most (%s); "+
			"less than either, beyond chance, %s", plusMinus(s.margin(s.widest()), 3), percent(s.loads[s.widest()]),
			atLoads(append(s.surely(simulatorTuned, admitEverybody), s.surely(simulatorTuned, paperOptimum)...))),
		"where (30) leaves open how many of each low-value class to admit, the optimizer's choice is simulated; other choices earn the same within the intervals",
	}
}

// margin returns what the tuned admission earns more than the better of the two
// others at the i-th load.
func (s *loadStudy) margin(i int) metric.Interval {
	f := metric.RevenuePerSecond()
	over := admitEverybody
	if s.interval(paperOptimum, i, f).Mean > s.interval(over, i, f).Mean {
		over = paperOptimum
	}
	return s.lead(simulatorTuned, over, i, f)
}

// widest returns the place of the largest margin.
func (s *loadStudy) widest() int {
	best := 0
	for i := range s.loads {
		if s.margin(i).Mean > s.margin(best).Mean {
			best = i
		}
	}
	return best
}

func perJobWords(s *loadStudy) []string {
	f := measure("revenue_per_job")
	last := len(s.loads) - 1
	return []string{
		fmt.Sprintf("the paper sees only high-value jobs from a load of 285 %% on; by (30) as printed the low-value ones are gone at 482 %%, and a job earns $%s at %s",
			plusMinus(s.interval(paperOptimum, last, f), 0), percent(s.loads[last])),
		fmt.Sprintf("the price of high-value jobs is $5000 on average, less what %.1f %% of them lose that expire at the heaviest load",
			100*s.interval(paperOptimum, last, measure("expired_share")).Mean),
	}
}

func delayWords(s *loadStudy) []string {
	f := metric.MeanWait()
	top := s.top(admitEverybody, f)
	last := len(s.loads) - 1
	hours := func(admission, i int) string { return plusMinus(scaled(s.interval(admission, i, f), 1.0/perHour), 2) }
	return []string{
		"the delay is that of jobs that start; jobs that expire waited for as long as they could and are not counted",
		fmt.Sprintf("admitting all, the delay is longest at a load of %s, %s h, and %s h at %s", percent(s.loads[top]), hours(admitEverybody, top), hours(admitEverybody, last), percent(s.loads[last])),
		fmt.Sprintf("the tuned admission lets jobs wait longer than (30) does, up to %s h: within the grace of three lengths delay costs nothing", hours(simulatorTuned, s.top(simulatorTuned, f))),
	}
}

func utilizationWords(s *loadStudy) []string {
	low, high := s.overloaded(paperOptimum)
	tunedLow, tunedHigh := s.overloaded(simulatorTuned)
	return []string{
		fmt.Sprintf("the paper reports a utilization of about 69 %% with its optimum; by (30) as printed it is between %.1f and %.1f %% from a load of 100 %% on", 100*low, 100*high),
		fmt.Sprintf("the tuned admission uses between %.1f and %.1f %%: revenue does not ask for an idle cluster here", 100*tunedLow, 100*tunedHigh),
	}
}

// overloaded returns the smallest and the largest utilization under overload.
func (s *loadStudy) overloaded(admission int) (low, high float64) {
	low = 1
	for i, load := range s.loads {
		if load >= 1 {
			u := s.interval(admission, i, measure("utilization")).Mean
			low, high = min(low, u), max(high, u)
		}
	}
	return low, high
}

// simulatedGain is what the tuned admission earns more than the two others. The
// paper has no such figure.
func simulatedGain() Recipe {
	return Recipe{
		ID: "nist-gain", Title: "What tuning on the simulator gains", Source: nist(16) + ", as paired differences", Parameters: simulatedParameters,
		Claim:  "the tuned admission earns at least as much as admitting all and as the paper's optimum at every load",
		Sweeps: sectionVISweeps,
		draw: func(o Options, found []*study.SweepResults) Result {
			s := sectionVI(o).study(found, 0)
			y := plots.Axis{Label: "Gain", Unit: "$/s"}
			sheet := plots.Sheet{
				Columns: 2, Height: 8, Notes: []string{"Differences on common random numbers; " + s.note()},
				Panels: []plots.Figure{s.gainPanel(admitEverybody, "Over admitting all", y), s.gainPanel(paperOptimum, "Over the paper's optimum, (30)", y)},
			}
			return Result{Picture: sheet, Provenance: s.provenance(o), Remarks: gainWords(s)}
		},
	}
}

// gainPanel draws the gain over another admission.
func (s *loadStudy) gainPanel(over int, title string, y plots.Axis) plots.Figure {
	line := plots.Series{Name: admissionNames[simulatorTuned], X: s.loads, Look: simulatorTuned + 1}
	for i := range s.loads {
		addInterval(&line, s.lead(simulatorTuned, over, i, metric.RevenuePerSecond()))
	}
	return plots.Figure{Title: title, X: plots.Axis{Label: "Aggregate load", Percent: true, Max: 5}, Y: y, Series: []plots.Series{line}}
}

func gainWords(s *loadStudy) []string {
	f := metric.RevenuePerSecond()
	var remarks []string
	for over, name := range []string{admitEverybody: "admitting all", paperOptimum: "the paper's optimum"} {
		worst := 0
		for i := range s.loads {
			if s.lead(simulatorTuned, over, i, f).Mean < s.lead(simulatorTuned, over, worst, f).Mean {
				worst = i
			}
		}
		remarks = append(remarks, fmt.Sprintf("over %s the gain is least at a load of %s: %s $/s", name, percent(s.loads[worst]), plusMinus(s.lead(simulatorTuned, over, worst, f), 4)))
	}
	return remarks
}
