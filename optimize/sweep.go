package optimize

import "revopt/model"

// Point is the optimum at one value of a parameter.
type Point struct {
	Value  float64
	System model.System
	Result Result
}

// Sweep solves the systems that at returns for the given values, in turn, each
// starting from the optimum of the one before. Neighbouring optima are close,
// so that branch and bound has a good admission to prune with from the start.
// It stops at the first error, and returns the points solved before it.
func Sweep(values []float64, at func(x float64) (model.System, error), settings Settings) ([]Point, error) {
	points := make([]Point, 0, len(values))
	for _, x := range values {
		sys, err := at(x)
		if err != nil {
			return points, err
		}
		if len(settings.Start) != len(sys.Classes) {
			settings.Start = nil
		}
		r, err := Solve(sys, settings)
		if err != nil {
			return points, err
		}
		points = append(points, Point{Value: x, System: sys, Result: r})
		settings.Start = r.Admit
	}
	return points, nil
}
