package paper

import (
	"fmt"
	"strings"

	"revopt/plots"
	"revopt/simulate/metric"
	"revopt/simulate/study"
)

// pricingSource names a figure of Yeo and Buyya (2007) as the source of a
// recipe.
func pricingSource(figure int, part string) string {
	return fmt.Sprintf("Yeo and Buyya, Pricing for Utility-driven Resource Management and Allocation in Clusters (2007), figure %d(%s)", figure, part)
}

// The places of the policies that are compared where all five are.
const (
	fcfsBF = iota
	sjfBF
	edfBF
	libra
	libraDollar
)

// fivePolicies are the policies of the paper, Libra+$ with the defaults of its
// Table I.
func fivePolicies() []contender {
	return compared([]string{fcfsBF: "fcfs-bf", sjfBF: "sjf-bf", edfBF: "edf-bf", libra: "libra", libraDollar: "libra+$"}...)
}

// pricingFactors are the dynamic pricing factors β that are drawn as curves;
// they stand behind Libra in a study.
func pricingFactors() []float64 { return []float64{0.1, 0.3, 0.5, 1} }

// byFactor are Libra, and Libra+$ with each of the pricing factors.
func byFactor() []contender {
	list := []contender{fivePolicies()[libra]}
	for i, beta := range pricingFactors() {
		list = append(list, contender{
			name: fmt.Sprintf("Libra+$, β = %g", beta), policy: "libra+$", look: 5 + i,
			options: map[string]string{"beta": fmt.Sprint(beta)},
		})
	}
	return list
}

// ofFactor returns the place of a pricing factor among byFactor.
func ofFactor(beta float64) int {
	for i, b := range pricingFactors() {
		if b == beta {
			return 1 + i
		}
	}
	panic(fmt.Sprintf("paper: no curve of β = %g", beta))
}

// A pricingStudy is the experiment behind the two parts of a figure.
type pricingStudy struct {
	figure     int
	title      string // of what varies
	parameters string
	axis       axis
	contenders func() []contender
	claims     [2]string
	words      [2]func(*traceStudy) []string
}

// parts returns the recipes of both parts: Job QoS Satisfaction and Cluster
// Profitability.
func (p pricingStudy) parts() []Recipe {
	return []Recipe{
		p.part(0, "Job QoS Satisfaction", metric.JobQoSSatisfaction()),
		p.part(1, "Cluster Profitability", metric.ClusterProfitability()),
	}
}

func (p pricingStudy) part(i int, what string, f metric.Measure) Recipe {
	letter := string(rune('a' + i))
	return Recipe{
		ID: fmt.Sprintf("pricing-%02d%s", p.figure, letter), Title: what + " against " + p.title,
		Source: pricingSource(p.figure, letter), Claim: p.claims[i],
		Parameters: "scenario sp2-like (Table I), 5000 jobs, 10 replications, " + p.parameters,
		Sweeps:     func(o Options) ([]*study.SweepSpec, error) { return p.plan(o).sweeps(o) },
		draw: func(o Options, found []*study.SweepResults) Result {
			t := p.plan(o).study(found)
			fig := t.figure(f)
			fig.Y = plots.Axis{Label: what, Percent: true, Max: upTo(fig.Series)}
			return Result{Picture: fig, Provenance: t.provenance(o), Remarks: append([]string{t.remark()}, p.words[i](t)...)}
		},
	}
}

// plan returns what the study simulates.
func (p pricingStudy) plan(o Options) tracePlan {
	return tracePlan{
		scenario: "sp2-like", trace: o.Trace, axis: p.axis.in(o), contenders: p.contenders(), replications: o.replications(10, 3),
		metrics: []metric.Measure{metric.JobQoSSatisfaction(), metric.ClusterProfitability()},
	}
}

// figure draws a measure of all contenders.
func (t *traceStudy) figure(f metric.Measure) plots.Figure {
	fig := plots.Figure{X: t.axis.drawn(), Notes: t.notes()}
	for c := range t.contenders {
		fig.Series = append(fig.Series, t.series(c, f))
	}
	return fig
}

// drawn returns the axis as it is drawn.
func (a axis) drawn() plots.Axis {
	return plots.Axis{Label: a.label, Percent: a.share, Max: a.values[len(a.values)-1]}
}

// upTo returns the end of an axis of shares, a multiple of a tenth.
func upTo(series []plots.Series) float64 {
	end := 1
	for _, s := range series {
		for _, values := range [][]float64{s.Y, s.High} {
			for _, y := range values {
				for end < 10 && y > float64(end)/10 {
					end++
				}
			}
		}
	}
	return float64(end) / 10
}

// pricingRecipes are figures 2 to 6 of the paper.
func pricingRecipes() []Recipe {
	var list []Recipe
	for _, s := range []pricingStudy{workloadStudy(), factorStudy(), factorWorkloadStudy(), factorUrgencyStudy(), factorEstimateStudy()} {
		list = append(list, s.parts()...)
	}
	return list
}

// workloadAxis is the arrival delay factor.
func workloadAxis() axis {
	return axis{
		path: "trace.arrival_delay_factor", label: "Arrival delay factor",
		values: append([]float64{0.02}, grid(1, 20, 20)...), coarse: []float64{0.02, 0.1, 0.25, 0.5, 0.75, 1},
	}
}

// againstFactor is a figure of Libra, and of Libra+$ with each of the pricing
// factors.
func againstFactor(p pricingStudy) pricingStudy {
	p.title, p.parameters = p.title+" and pricing factor", "Libra, and Libra+$ with β of 0.1, 0.3, 0.5 and 1, "+p.parameters
	p.contenders = byFactor
	return p
}

// workloadStudy is figure 2.
func workloadStudy() pricingStudy {
	return pricingStudy{
		figure: 2, title: "workload", axis: workloadAxis(), contenders: fivePolicies,
		parameters: "five policies, arrival delay factor from 0.02 to 1, β = 0.1",
		claims: [2]string{
			"rises with the arrival delay factor; Libra and Libra+$ above FCFS-BF and EDF-BF, Libra+$ below Libra; SJF-BF and EDF-BF ahead of both while the workload is high",
			"rises with the arrival delay factor; Libra+$ ahead of all others; EDF-BF close to FCFS-BF",
		},
		words: [2]func(*traceStudy) []string{workloadWords, workloadProfitWords},
	}
}

// factorStudy is figure 3.
func factorStudy() pricingStudy {
	return pricingStudy{
		figure: 3, title: "pricing factor",
		axis: axis{label: "Dynamic pricing factor β", values: grid(1, 10, 10), coarse: []float64{0.1, 0.3, 0.5, 0.7, 1}},
		contenders: func() []contender {
			list := fivePolicies()
			list[libraDollar].option = "beta"
			return list
		},
		parameters: "β of Libra+$ from 0.1 to 1, the other policies beside it, arrival delay factor 0.5",
		claims: [2]string{
			"falls with β, in the end below EDF-BF and FCFS-BF",
			"rises with β, and falls again before β = 1",
		},
		words: [2]func(*traceStudy) []string{factorWords, factorProfitWords},
	}
}

// factorWorkloadStudy is figure 4.
func factorWorkloadStudy() pricingStudy {
	return againstFactor(pricingStudy{
		figure: 4, title: "workload", axis: workloadAxis(),
		parameters: "arrival delay factor from 0.02 to 1",
		claims: [2]string{
			"rises with the arrival delay factor; the higher β, the lower",
			"always above Libra; from delay factor 0.25 to 1 it rises from 23 to 40 % with β = 0.1, from 32 to 57 % with 0.5, from 31 to 44 % with 1",
		},
		words: [2]func(*traceStudy) []string{factorWorkloadWords, quotedWords},
	})
}

// factorUrgencyStudy is figure 5.
func factorUrgencyStudy() pricingStudy {
	return againstFactor(pricingStudy{
		figure: 5, title: "urgency",
		axis:       axis{path: "qos.high_urgency", label: "Jobs of high urgency", share: true, values: grid(0, 10, 10), coarse: []float64{0, 0.2, 0.5, 0.8, 1}},
		parameters: "share of high urgency jobs from 0 to 100 %, arrival delay factor 0.5",
		claims: [2]string{
			"with a high β it rises with the share of high urgency jobs, to almost that of a low β",
			"a high β earns more where there are many jobs of high urgency, and can earn less where there are few",
		},
		words: [2]func(*traceStudy) []string{urgencyWords, urgencyProfitWords},
	})
}

// factorEstimateStudy is figure 6.
func factorEstimateStudy() pricingStudy {
	return againstFactor(pricingStudy{
		figure: 6, title: "under-estimates",
		axis:       axis{path: "qos.inaccuracy", label: "Run times under-estimated by", share: true, values: grid(0, 8, 10), coarse: []float64{0, 0.2, 0.4, 0.6, 0.8}},
		parameters: "estimates from 0 to 80 % too short, arrival delay factor 0.5",
		claims: [2]string{
			"exact estimates: the higher β, the lower; with under-estimates the higher β is ahead and Libra last",
			"with under-estimates Libra earns least, and a higher β keeps more",
		},
		words: [2]func(*traceStudy) []string{estimateWords, estimateProfitWords},
	})
}

// eachFactor returns the words on every pricing factor that is drawn.
func eachFactor(words func(beta float64, contender int) string) string {
	var list []string
	for _, beta := range pricingFactors() {
		list = append(list, fmt.Sprintf("%s with β = %g", words(beta, ofFactor(beta)), beta))
	}
	return strings.Join(list, ", ")
}

func workloadWords(t *traceStudy) []string {
	f := metric.JobQoSSatisfaction()
	least, most := t.leads(libra, []int{libraDollar}, f)
	return []string{
		fmt.Sprintf("Libra+$ keeps the QoS of fewer jobs than Libra, by %s to %s points", inPercent(least), inPercent(most)),
		fmt.Sprintf("the paper has SJF-BF and EDF-BF ahead of Libra and Libra+$ while the workload is high; Libra is behind SJF-BF, beyond chance, %s and behind EDF-BF %s, "+
			"Libra+$ behind SJF-BF %s, behind EDF-BF %s and behind FCFS-BF %s", t.below(libra, sjfBF, f), t.below(libra, edfBF, f),
			t.below(libraDollar, sjfBF, f), t.below(libraDollar, edfBF, f), t.below(libraDollar, fcfsBF, f)),
	}
}

func workloadProfitWords(t *traceStudy) []string {
	f := metric.ClusterProfitability()
	least, most := t.leads(libraDollar, []int{fcfsBF, sjfBF, edfBF, libra}, f)
	i := t.of(0.5)
	return []string{
		fmt.Sprintf("Libra+$ is ahead of the next best by %s to %s points", inPercent(least), inPercent(most)),
		fmt.Sprintf("the paper has EDF-BF earn much as FCFS-BF does; at delay factor 0.5 EDF-BF earns %s %% and FCFS-BF %s %%; EDF-BF is behind, beyond chance, %s",
			inPercent(t.interval(edfBF, i, f)), inPercent(t.interval(fcfsBF, i, f)), t.below(edfBF, fcfsBF, f)),
	}
}

func factorWords(t *traceStudy) []string {
	f := metric.JobQoSSatisfaction()
	top, last := t.top(libraDollar, f), t.last()
	return []string{
		fmt.Sprintf("the paper has it fall with β all along; it is highest at β = %s, %s %%, against %s %% at %s and %s %% at %s", t.axis.word(top), inPercent(t.interval(libraDollar, top, f)),
			inPercent(t.interval(libraDollar, 0, f)), t.axis.word(0), inPercent(t.interval(libraDollar, last, f)), t.axis.word(last)),
		fmt.Sprintf("the paper has a high β fall below EDF-BF and FCFS-BF; Libra+$ is below EDF-BF, beyond chance, %s and below FCFS-BF %s", t.below(libraDollar, edfBF, f), t.below(libraDollar, fcfsBF, f)),
	}
}

func factorProfitWords(t *traceStudy) []string {
	f := metric.ClusterProfitability()
	top, last := t.top(libraDollar, f), t.last()
	return []string{fmt.Sprintf("most at β = %s, %s %%; %s %% at β = %s, %s points less", t.axis.word(top), inPercent(t.interval(libraDollar, top, f)), inPercent(t.interval(libraDollar, last, f)), t.axis.word(last),
		inPercent(metric.Difference(t.values(libraDollar, top, f), t.values(libraDollar, last, f), metric.DefaultLevel)))}
}

func factorWorkloadWords(t *traceStudy) []string {
	f := metric.JobQoSSatisfaction()
	low, high := ofFactor(0.1), ofFactor(1)
	return []string{fmt.Sprintf("the paper has a higher β keep the QoS of fewer jobs; β = 1 is below β = 0.1, beyond chance, %s, and above it %s", t.below(high, low, f), t.below(low, high, f))}
}

func quotedWords(t *traceStudy) []string {
	f := metric.ClusterProfitability()
	from, to := t.of(0.25), t.of(1)
	var remarks []string
	for _, q := range []struct{ beta, from, to float64 }{{0.1, 23, 40}, {0.5, 32, 57}, {1, 31, 44}} {
		c := ofFactor(q.beta)
		remarks = append(remarks, fmt.Sprintf("β = %g: from %s to %s %% between delay factors 0.25 and 1; the paper has %g to %g", q.beta, inPercent(t.interval(c, from, f)), inPercent(t.interval(c, to, f)), q.from, q.to))
	}
	low, middle, high := ofFactor(0.1), ofFactor(0.5), ofFactor(1)
	return append(remarks, fmt.Sprintf("β = 1 earns less than β = 0.5, beyond chance, %s, and less than β = 0.1 %s; Libra earns less than β = 0.1 %s",
		t.below(high, middle, f), t.below(high, low, f), t.below(0, low, f)))
}

func urgencyWords(t *traceStudy) []string {
	f := metric.JobQoSSatisfaction()
	last := t.last()
	return []string{
		"with " + t.axis.word(0) + " jobs of high urgency " + eachFactor(func(_ float64, c int) string { return inPercent(t.interval(c, 0, f)) + " %" }),
		"with " + t.axis.word(last) + " " + eachFactor(func(_ float64, c int) string { return inPercent(t.interval(c, last, f)) + " %" }),
	}
}

func urgencyProfitWords(t *traceStudy) []string {
	f := metric.ClusterProfitability()
	middle, high := ofFactor(0.5), ofFactor(1)
	return []string{
		fmt.Sprintf("β = 1 earns more than β = 0.5, beyond chance, %s, and less %s", t.below(middle, high, f), t.below(high, middle, f)),
		fmt.Sprintf("profitability is over the budgets of all jobs: as more of them are urgent, with budgets four times as large, it falls for Libra and β up to 0.5, for β = 0.1 from %s to %s %%",
			inPercent(t.interval(ofFactor(0.1), 0, f)), inPercent(t.interval(ofFactor(0.1), t.last(), f))),
	}
}

func estimateWords(t *traceStudy) []string {
	f := metric.JobQoSSatisfaction()
	low, high := ofFactor(0.1), ofFactor(1)
	return []string{
		"with exact estimates " + eachFactor(func(_ float64, c int) string { return inPercent(t.interval(c, 0, f)) + " %" }),
		fmt.Sprintf("β = 1 is ahead of β = 0.1, beyond chance, %s, and behind %s; Libra is behind β = 0.1 %s", t.below(low, high, f), t.below(high, low, f), t.below(0, low, f)),
	}
}

func estimateProfitWords(t *traceStudy) []string {
	f := metric.ClusterProfitability()
	i := t.of(0.2)
	return []string{
		fmt.Sprintf("estimates 20 %% too short: Libra %s %%, %s", inPercent(t.interval(0, i, f)), eachFactor(func(_ float64, c int) string { return inPercent(t.interval(c, i, f)) + " %" })),
		fmt.Sprintf("β = 1 is ahead of β = 0.5, beyond chance, %s; Libra is behind β = 0.1 %s", t.below(ofFactor(0.5), ofFactor(1), f), t.below(0, ofFactor(0.1), f)),
	}
}
