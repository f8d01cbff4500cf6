package paper

import (
	"context"
	"fmt"
	"math"

	"revopt/plots"
	"revopt/simulate/metric"
	"revopt/simulate/sweep"
	"revopt/simulate/workload"
)

const impreciseParameters = "six resources of 144 processors, 1000 applications, one every 300 s on average (figure 4); "

// laxityAcceptance is figure 5(a).
func laxityAcceptance() Recipe {
	return impreciseView{
		id: "ic-05a", title: "Applications accepted against laxity", figure: "5(a)",
		parameters: impreciseParameters + "laxity 10 to 80 %, optional budget rate uniform from 0.1 to 0.3",
		claim:      "Hard-M+O accepts less than half of the applications, the mandatory-first schemes about 80 %, Hard-M all",
		x:          plots.Axis{Label: "Deadline laxity", Percent: true}, y: plots.Axis{Label: "Applications accepted", Percent: true, Max: 1},
		merit: gridAcceptance, shared: "ic laxity", study: laxityStudy, words: acceptanceRemarks,
	}.recipe()
}

// laxityProfit is figure 5(b).
func laxityProfit() Recipe {
	return impreciseView{
		id: "ic-05b", title: "Profit against laxity", figure: "5(b)",
		parameters: impreciseParameters + "laxity 10 to 80 %, optional budget rate uniform from 0.1 to 0.3",
		claim:      "the mandatory-first schemes earn most, above all at a laxity of 10 and 20 %; Hard-M earns least",
		x:          plots.Axis{Label: "Deadline laxity", Percent: true}, y: plots.Axis{Label: "Total profit", Unit: "million $"},
		merit: gridProfit, shared: "ic laxity", study: laxityStudy, words: profitRemarks,
	}.recipe()
}

// rateProfit is figure 6.
func rateProfit() Recipe {
	return impreciseView{
		id: "ic-06", title: "Profit against the optional budget rate", figure: "6",
		parameters: impreciseParameters + "laxity uniform from 10 to 50 %, mean optional budget rate from 0.05 to 0.3, each ±50 %",
		claim:      "at low rates Hard-M+O earns less than Hard-M; the mandatory-first schemes earn more than either",
		x:          plots.Axis{Label: "Mean optional budget rate"}, y: plots.Axis{Label: "Total profit", Unit: "million $"},
		merit: gridProfit, shared: "ic rate", study: rateStudy, words: crossingRemarks,
	}.recipe()
}

// An impreciseView is a figure drawn from a grid study.
type impreciseView struct {
	id, title, figure, parameters, claim string
	shared                               string // name of the study
	x, y                                 plots.Axis
	merit                                func() metric.Figure
	study                                func(ctx context.Context, o Options) (*gridStudy, error)
	words                                func([]plots.Series) []string
}

// A gridStudy is the outcomes of every scheme along a parameter.
type gridStudy struct {
	path         string // of the parameter in the scenario
	x            []float64
	replications int
	outcomes     [][]sweep.Outcome // by scheme, then along the parameter
}

func (v impreciseView) recipe() Recipe {
	r := Recipe{ID: v.id, Title: v.title, Source: imprecisePaper(v.figure), Parameters: v.parameters, Claim: v.claim}
	r.Build = func(ctx context.Context, o Options) (Result, error) {
		s, err := common(ctx, o, v.shared, v.study)
		if err != nil {
			return Result{}, err
		}
		fig := plots.Figure{
			ID: v.id, Title: v.title, X: v.x, Y: v.y,
			Notes: []string{fmt.Sprintf("%d replications of 1000 applications; bands: 95 %% intervals of the mean", s.replications)},
		}
		for i, row := range gridRows() {
			line := plots.Series{Name: row.name, X: s.x, Look: i + 1}
			for k := range s.x {
				addInterval(&line, s.outcomes[i][k].Interval(v.merit(), -1))
			}
			fig.Series = append(fig.Series, line)
		}
		return Result{Picture: fig, Provenance: gridProvenance(o, s.replications, list(s.path, s.x)), Remarks: v.words(fig.Series)}, nil
	}
	return r
}

// laxityStudy is the experiment of figure 5.
func laxityStudy(ctx context.Context, o Options) (*gridStudy, error) {
	s := &gridStudy{path: "applications.laxity", x: []float64{0.1, 0.2, 0.4, 0.6, 0.8}}
	return s, s.run(ctx, o, func(a *workload.Applications, x float64) { a.Laxity = workload.Range{Low: x, High: x} })
}

// rateStudy is the experiment of figure 6.
func rateStudy(ctx context.Context, o Options) (*gridStudy, error) {
	s := &gridStudy{path: "applications.rate", x: []float64{0.05, 0.1, 0.15, 0.2, 0.25, 0.3}}
	return s, s.run(ctx, o, func(a *workload.Applications, x float64) { a.Laxity, a.Rate = workload.Range{Low: 0.1, High: 0.5}, x })
}

// run simulates every scheme along the parameter.
func (s *gridStudy) run(ctx context.Context, o Options, set func(a *workload.Applications, x float64)) error {
	s.replications = o.replications(20, 4)
	var experiments []*sweep.GridExperiment
	for _, row := range gridRows() {
		for _, x := range s.x {
			a := workload.PaperApplications()
			set(&a, x)
			experiments = append(experiments, &sweep.GridExperiment{Sites: sweep.PaperGrid(), Workload: a, Policy: row.policy, Seed: o.Seed})
		}
	}
	outcomes, err := gridRuns(ctx, o, experiments, s.replications)
	if err != nil {
		return err
	}
	for i := range gridRows() {
		s.outcomes = append(s.outcomes, outcomes[i*len(s.x):(i+1)*len(s.x)])
	}
	return nil
}

// acceptanceRemarks says what share each scheme takes.
func acceptanceRemarks(lines []plots.Series) []string {
	words := "accepted, least to most over the laxities:"
	for _, line := range lines {
		least, most := math.Inf(1), math.Inf(-1)
		for _, y := range line.Y {
			least, most = math.Min(least, y), math.Max(most, y)
		}
		words += fmt.Sprintf(" %s %.0f to %.0f %%,", line.Name, 100*least, 100*most)
	}
	return []string{words[:len(words)-1]}
}

// profitRemarks compares the best scheme with Hard-M+O.
func profitRemarks(lines []plots.Series) []string {
	var list []string
	whole := lines[3]
	for i, x := range whole.X {
		best := math.Max(lines[0].Y[i], math.Max(lines[1].Y[i], lines[2].Y[i]))
		list = append(list, fmt.Sprintf("laxity %.0f %%: the best mandatory-first scheme earns %.0f %% more than Hard-M+O", 100*x, 100*(best/whole.Y[i]-1)))
	}
	return list
}

// crossingRemarks says where Hard-M+O overtakes Hard-M.
func crossingRemarks(lines []plots.Series) []string {
	if x, ok := crossing(lines[3], lines[4]); ok {
		return []string{fmt.Sprintf("Hard-M+O earns less than Hard-M below a rate of %.3f and more above", x)}
	}
	return []string{"Hard-M+O and Hard-M do not cross"}
}

// crossing returns where the first line rises above the second, between two
// points by straight lines.
func crossing(a, b plots.Series) (x float64, ok bool) {
	for i := 1; i < len(a.X); i++ {
		before, after := a.Y[i-1]-b.Y[i-1], a.Y[i]-b.Y[i]
		if before < 0 && after >= 0 {
			return a.X[i-1] + (a.X[i]-a.X[i-1])*before/(before-after), true
		}
	}
	return 0, false
}
