package paper

import (
	"context"
	"slices"

	"revopt/model"
	"revopt/model/scenario"
	"revopt/optimize"
	"revopt/plots"
)

// A delayEstimate is one way to estimate the delays of section VI.
type delayEstimate struct {
	title     string
	overrides []scenario.Override
	per       int // points per unit of load
	settings  optimize.Settings
}

// delayEstimates are the panels of figure 15. The better estimates cost a
// thousand times the literal one, hence fewer points.
func delayEstimates(o Options) []delayEstimate {
	residual := func(name string) []scenario.Override {
		return []scenario.Override{{Path: "server.residual", Value: name}, scenario.Set("phi", 1)}
	}
	per := 20
	if o.Quick {
		per = 4
	}
	if set := o.Reading.overrides("nist-cluster"); set != nil {
		return []delayEstimate{{title: "(30) without the grace", overrides: set, per: 100}}
	}
	return []delayEstimate{
		{title: "The paper's estimate", per: 200},
		{title: "One pooled server", overrides: residual("pooled"), per: per},
		{title: "Ten servers (M/G/10)", overrides: residual("multiserver"), per: per,
			settings: optimize.Settings{Seed: o.Seed}},
	}
}

// clusterAdmission is figure 15 of the NIST paper: which jobs the cluster of section VI
// should admit. Scenario nist-cluster (n = 10, grace of 3 lengths), load to 5; T0 as
// printed with Φ = 0.56, and the pooled and multiserver estimates with Φ = 1.
func clusterAdmission() Recipe {
	return Recipe{
		ID: "nist-15", Title: "Optimal admission of the classes of Table 2", build: clusterPanels,
		remarks: []string{
			"by (30) nothing is lost while Φ T0 is within the grace, so there only the sum of the low-value classes " +
				"is determined, and that of the high-value ones: the same share of each is drawn",
			"the better estimates charge only the loss of the mean wait beyond the grace, so that a class is kept " +
				"within its grace or refused: near a load of 270 % they exchange which of the low-value classes " +
				"that is",
		},
	}
}

func clusterPanels(ctx context.Context, o Options) (Result, error) {
	base := open("nist-cluster")
	estimates := delayEstimates(o)
	curves := make([]curve, len(estimates))
	for i, e := range estimates {
		curves[i] = curve{grid(1, 5*e.per, e.per), base.with(e.overrides...).varying("load"), e.settings}
	}
	points := make([][]optimize.Point, len(curves))
	for i, c := range curves {
		solve := func(ctx context.Context, k int) (optimize.Point, error) { return c.optimum(ctx, c.values[k]) }
		solved, err := computed(ctx, o.part(i, len(curves)), len(c.values), solve)
		if err != nil {
			return Result{}, err
		}
		points[i] = solved
	}
	sheet := plots.Sheet{Columns: len(estimates), Height: 8}
	prov := provenance("nist-cluster")
	prov.Seed = &o.Seed
	for i, e := range estimates {
		panel, err := clusterPanel(e, points[i])
		if err != nil {
			return Result{}, err
		}
		sheet.Panels = append(sheet.Panels, panel)
		prov.Extra = append(prov.Extra, plots.Pair{Key: e.title, Value: overrideWords(e, curves[i])})
	}
	return Result{Picture: sheet, Provenance: prov}, nil
}

// clusterClasses are the classes of Table 2, and of section V.
var clusterClasses = []string{"HvHu", "HvLu", "LvHu", "LvLu"}

// clusterPanel draws the optimal admission by one estimate.
func clusterPanel(e delayEstimate, points []optimize.Point) (plots.Figure, error) {
	fig := plots.Figure{
		Title: e.title,
		X:     plots.Axis{Label: "Aggregate load", Percent: true, Max: 5},
		Y:     plots.Axis{Label: "Optimal admission", Percent: true, Max: 1},
	}
	for i, c := range points[0].System.Classes {
		fig.Series = append(fig.Series, plots.Series{Name: className(c.Name), Look: len(clusterClasses) - i})
	}
	for _, p := range points {
		q, err := evenTies(p)
		if err != nil {
			return fig, err
		}
		for i := range fig.Series {
			fig.Series[i].X = append(fig.Series[i].X, p.Value)
			fig.Series[i].Y = append(fig.Series[i].Y, q[i])
		}
	}
	// From the most valuable class down.
	slices.Reverse(fig.Series)
	return fig, nil
}

// evenTies returns an optimal admission in which classes that can stand in for each other have the same
// share: their common mean wherever that earns as much.
func evenTies(p optimize.Point) ([]float64, error) {
	hol, err := model.NewHOL(p.System)
	if err != nil {
		return nil, err
	}
	q := slices.Clone(p.Result.Admit)
	enough := p.Result.Revenue * (1 - 1e-9)
	for i, a := range p.System.Classes {
		for j, b := range p.System.Classes[:i] {
			even := slices.Clone(q)
			mean := (q[i]*a.Rate + q[j]*b.Rate) / (a.Rate + b.Rate)
			even[i], even[j] = mean, mean
			if hol.Revenue(even) >= enough {
				q = even
			}
		}
	}
	return q, nil
}

// overrideWords names the overrides of a panel for its provenance.
func overrideWords(e delayEstimate, c curve) string {
	load := varied("load", c.values)
	words := load.Key + "=" + load.Value
	for _, v := range e.overrides {
		words = v.String() + ", " + words
	}
	return words
}
