package paper

import (
	"context"
	"encoding/json"

	"revopt/optimize"
)

// clusterWork is the optima of figure 15, cut into cells: one for each load by
// each estimate. The better estimates take long enough to be worth keeping.
type clusterWork struct {
	name   string
	curves []curve
	places []clusterPlace
}

// A clusterPlace is a point of a curve.
type clusterPlace struct{ curve, point int }

// newClusterWork cuts the curves of the estimates into cells.
func newClusterWork(curves []curve, estimates []delayEstimate) (*clusterWork, error) {
	type words struct {
		Set   string `json:"set"`
		Loads int    `json:"loads"`
		Seed  uint64 `json:"seed"`
	}
	base, err := open("nist-cluster")
	if err != nil {
		return nil, err
	}
	name := struct {
		Work     string  `json:"work"`
		Scenario string  `json:"scenario"`
		Curves   []words `json:"curves"`
	}{Work: "nist-15", Scenario: string(base.doc.Source())}
	w := &clusterWork{curves: curves}
	for c, cv := range curves {
		name.Curves = append(name.Curves, words{overrideWords(estimates[c], cv), len(cv.values), cv.settings.Seed})
		for i := range cv.values {
			w.places = append(w.places, clusterPlace{c, i})
		}
	}
	text, err := json.Marshal(name)
	w.name = string(text)
	return w, err
}

// Name implements sweep.Work.
func (w *clusterWork) Name() string { return w.name }

// Cells implements sweep.Work.
func (w *clusterWork) Cells() int { return len(w.places) }

// Values implements sweep.Work: the admission of each class, the revenue and
// the gap.
func (w *clusterWork) Values() int { return clusterClasses + 2 }

// Cost implements sweep.Work: the estimate behind the literal one takes
// longest.
func (w *clusterWork) Cost(cell int) float64 { return float64(w.places[cell].curve) }

// Run implements sweep.Work.
func (w *clusterWork) Run(ctx context.Context, cell int) ([]float64, error) {
	p := w.places[cell]
	cv := w.curves[p.curve]
	sys, err := cv.at(cv.values[p.point])
	if err != nil {
		return nil, err
	}
	best, err := optimize.Solve(ctx, sys, cv.settings)
	if err != nil {
		return nil, err
	}
	return append(append([]float64(nil), best.Admit...), best.Revenue, best.Gap), nil
}

// clusterOptima solves the cluster at every load. Of the results it keeps what
// is drawn.
func clusterOptima(ctx context.Context, o Options, curves []curve, estimates []delayEstimate) ([][]optimize.Point, error) {
	w, err := newClusterWork(curves, estimates)
	if err != nil {
		return nil, err
	}
	numbers, err := o.run(ctx, w)
	if err != nil {
		return nil, err
	}
	points := make([][]optimize.Point, len(curves))
	for cell, p := range w.places {
		x, v := curves[p.curve].values[p.point], numbers[cell]
		sys, err := curves[p.curve].at(x)
		if err != nil {
			return nil, err
		}
		points[p.curve] = append(points[p.curve], optimize.Point{
			Value: x, System: sys, Result: optimize.Result{Admit: v[:clusterClasses], Revenue: v[clusterClasses], Gap: v[clusterClasses+1]},
		})
	}
	return points, nil
}
