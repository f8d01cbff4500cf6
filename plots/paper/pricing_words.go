package paper

import (
	"fmt"
	"strings"

	"revopt/simulate/metric"
)

// eachFactor returns the words on every pricing factor that is drawn.
func eachFactor(words func(beta float64, contender int) string) string {
	var list []string
	for _, beta := range pricingFactors() {
		list = append(list, fmt.Sprintf("%s with β = %g", words(beta, ofFactor(beta)), beta))
	}
	return strings.Join(list, ", ")
}

func workloadWords(t *traced) []string {
	f := metric.JobQoSSatisfaction()
	least, most := t.leads(libra, []int{libraDollar}, f)
	return []string{
		fmt.Sprintf("Libra+$ keeps the QoS of fewer jobs than Libra, by %s to %s points", inPercent(least), inPercent(most)),
		fmt.Sprintf("the paper has SJF-BF and EDF-BF ahead of Libra and Libra+$ while the workload is high; Libra is behind SJF-BF, beyond chance, %s and behind EDF-BF %s, "+
			"Libra+$ behind SJF-BF %s, behind EDF-BF %s and behind FCFS-BF %s", t.below(libra, sjfBF, f), t.below(libra, edfBF, f),
			t.below(libraDollar, sjfBF, f), t.below(libraDollar, edfBF, f), t.below(libraDollar, fcfsBF, f)),
	}
}

func workloadProfitWords(t *traced) []string {
	f := metric.ClusterProfitability()
	least, most := t.leads(libraDollar, []int{fcfsBF, sjfBF, edfBF, libra}, f)
	i := t.of(0.5)
	return []string{
		fmt.Sprintf("Libra+$ is ahead of the next best by %s to %s points", inPercent(least), inPercent(most)),
		fmt.Sprintf("the paper has EDF-BF earn much as FCFS-BF does; at delay factor 0.5 EDF-BF earns %s %% and FCFS-BF %s %%; EDF-BF is behind, beyond chance, %s",
			inPercent(t.interval(edfBF, i, f)), inPercent(t.interval(fcfsBF, i, f)), t.below(edfBF, fcfsBF, f)),
	}
}

func factorWords(t *traced) []string {
	f := metric.JobQoSSatisfaction()
	top, last := t.top(libraDollar, f), t.last()
	return []string{
		fmt.Sprintf("the paper has it fall with β all along; it is highest at β = %s, %s %%, against %s %% at %s and %s %% at %s", t.axis.word(top), inPercent(t.interval(libraDollar, top, f)),
			inPercent(t.interval(libraDollar, 0, f)), t.axis.word(0), inPercent(t.interval(libraDollar, last, f)), t.axis.word(last)),
		fmt.Sprintf("the paper has a high β fall below EDF-BF and FCFS-BF; Libra+$ is below EDF-BF, beyond chance, %s and below FCFS-BF %s", t.below(libraDollar, edfBF, f), t.below(libraDollar, fcfsBF, f)),
	}
}

func factorProfitWords(t *traced) []string {
	f := metric.ClusterProfitability()
	top, last := t.top(libraDollar, f), t.last()
	return []string{fmt.Sprintf("most at β = %s, %s %%; %s %% at β = %s, %s points less", t.axis.word(top), inPercent(t.interval(libraDollar, top, f)), inPercent(t.interval(libraDollar, last, f)), t.axis.word(last),
		inPercent(metric.Difference(t.values(libraDollar, top, f), t.values(libraDollar, last, f), metric.DefaultLevel)))}
}

func factorWorkloadWords(t *traced) []string {
	f := metric.JobQoSSatisfaction()
	low, high := ofFactor(0.1), ofFactor(1)
	return []string{fmt.Sprintf("the paper has a higher β keep the QoS of fewer jobs; β = 1 is below β = 0.1, beyond chance, %s, and above it %s", t.below(high, low, f), t.below(low, high, f))}
}

func quotedWords(t *traced) []string {
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

func urgencyWords(t *traced) []string {
	f := metric.JobQoSSatisfaction()
	last := t.last()
	return []string{
		"with " + t.axis.word(0) + " jobs of high urgency " + eachFactor(func(_ float64, c int) string { return inPercent(t.interval(c, 0, f)) + " %" }),
		"with " + t.axis.word(last) + " " + eachFactor(func(_ float64, c int) string { return inPercent(t.interval(c, last, f)) + " %" }),
	}
}

func urgencyProfitWords(t *traced) []string {
	f := metric.ClusterProfitability()
	middle, high := ofFactor(0.5), ofFactor(1)
	return []string{
		fmt.Sprintf("β = 1 earns more than β = 0.5, beyond chance, %s, and less %s", t.below(middle, high, f), t.below(high, middle, f)),
		fmt.Sprintf("profitability is over the budgets of all jobs: as more of them are urgent, with budgets four times as large, it falls for Libra and β up to 0.5, for β = 0.1 from %s to %s %%",
			inPercent(t.interval(ofFactor(0.1), 0, f)), inPercent(t.interval(ofFactor(0.1), t.last(), f))),
	}
}

func estimateWords(t *traced) []string {
	f := metric.JobQoSSatisfaction()
	low, high := ofFactor(0.1), ofFactor(1)
	return []string{
		"with exact estimates " + eachFactor(func(_ float64, c int) string { return inPercent(t.interval(c, 0, f)) + " %" }),
		fmt.Sprintf("β = 1 is ahead of β = 0.1, beyond chance, %s, and behind %s; Libra is behind β = 0.1 %s", t.below(low, high, f), t.below(high, low, f), t.below(0, low, f)),
	}
}

func estimateProfitWords(t *traced) []string {
	f := metric.ClusterProfitability()
	i := t.of(0.2)
	return []string{
		fmt.Sprintf("estimates 20 %% too short: Libra %s %%, %s", inPercent(t.interval(0, i, f)), eachFactor(func(_ float64, c int) string { return inPercent(t.interval(c, i, f)) + " %" })),
		fmt.Sprintf("β = 1 is ahead of β = 0.5, beyond chance, %s; Libra is behind β = 0.1 %s", t.below(ofFactor(0.5), ofFactor(1), f), t.below(0, ofFactor(0.1), f)),
	}
}
