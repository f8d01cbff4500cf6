package paper

import (
	"context"
	"fmt"

	"revopt/model/scenario"
	"revopt/optimize"
	"revopt/plots"
)

const (
	oneClassDecay = 0.001 // d, $/s
	oneClassPath  = "classes.all.decay"
	taus          = "scenario nist-one (n = 30, p0 = $1000, τmin = 13200 s), v1 = 0.001 k $/s for k = 1, 2, 5, 10, 20, 50, τ = p0/v1"
)

// oneClassRemarks hold for figures 6 to 8.
func oneClassRemarks() []string {
	return []string{
		"the paper does not say which factors k it drew; k = 1 to 50 keeps the curves apart",
		"the text speaks of $1000 per hour of computing and computes with $1000 a job, as here",
		"(28) subtracts the grace from T0 and not from the wait, so nothing is lost up to a utilization of 17.9 %, where T0 = τmin: " +
			"beyond k of about 60 all curves peak there",
	}
}

// uncontrolledRevenue is figure 6: what one class earns when all is admitted.
func uncontrolledRevenue() Recipe {
	return Recipe{
		ID:         "nist-06",
		Title:      "Revenue against utilization without admission control",
		Source:     nist(6),
		Parameters: taus + "; revenue (28) at q = 1",
		Claim: "each curve rises to a maximum and then drops steeply; shorter τ have a lower maximum and " +
			"begin to decline at a lower utilization",
		Build: func(ctx context.Context, o Options) (Result, error) {
			load := oneClassLoads(o, 1)
			fig := oneClassAxes("Utilization ρ", 1, plots.Axis{Label: "Revenue", Unit: "$/h", Max: 16000})
			list, err := oneClassCurves(o)
			if err != nil {
				return Result{}, err
			}
			for _, f := range list {
				s := plots.Series{Name: f.name, X: load}
				for _, rho := range load {
					sys, err := f.along("load")(rho)
					if err != nil {
						return Result{}, err
					}
					revenue, err := admitAll(sys)
					if err != nil {
						return Result{}, err
					}
					s.Y = append(s.Y, perHour*revenue)
				}
				fig.Series = append(fig.Series, s)
				if err := ctx.Err(); err != nil {
					return Result{}, err
				}
			}
			return Result{Picture: fig, Provenance: oneClassProvenance(load), Remarks: oneClassRemarks()}, nil
		},
	}
}

// oneClassAdmission is figure 7: which share of one class to admit.
func oneClassAdmission() Recipe {
	return Recipe{
		ID:         "nist-07",
		Title:      "Optimal admission against offered load",
		Source:     nist(7),
		Parameters: taus + "; optimum of (28)",
		Claim:      "all jobs are admitted up to the load at which the revenue of nist-06 peaks, which is lower for shorter τ, and ever fewer beyond",
		Build: func(ctx context.Context, o Options) (Result, error) {
			fig := oneClassAxes("Offered load β", 1.5, plots.Axis{Label: "Optimal admission", Percent: true, Max: 1})
			return oneClassOptimum(ctx, o, fig, func(ps []optimize.Point) []float64 { return admissions(ps, 0) })
		},
	}
}

// oneClassRevenue is figure 8: what one class earns at the optimal admission.
func oneClassRevenue() Recipe {
	return Recipe{
		ID:         "nist-08",
		Title:      "Revenue with optimal admission control",
		Source:     nist(8),
		Parameters: taus + "; optimum of (28)",
		Claim:      "with the admission of nist-07 revenue stays at the maximum of nist-06 under growing load",
		Build: func(ctx context.Context, o Options) (Result, error) {
			fig := oneClassAxes("Offered load β", 1.5, plots.Axis{Label: "Revenue", Unit: "$/h", Max: 16000})
			return oneClassOptimum(ctx, o, fig, revenues)
		},
	}
}

// oneClassOptimum draws what y makes of the optima of each decay rate.
func oneClassOptimum(ctx context.Context, o Options, fig plots.Figure, y func([]optimize.Point) []float64) (Result, error) {
	load := oneClassLoads(o, fig.X.Max)
	list, err := oneClassCurves(o)
	if err != nil {
		return Result{}, err
	}
	var curves []curve
	for _, f := range list {
		curves = append(curves, curve{values: load, at: f.along("load")})
	}
	points, err := solve(ctx, o, curves...)
	if err != nil {
		return Result{}, err
	}
	for i, f := range list {
		fig.Series = append(fig.Series, plots.Series{Name: f.name, X: load, Y: y(points[i])})
	}
	return Result{Picture: fig, Provenance: oneClassProvenance(load), Remarks: oneClassRemarks()}, nil
}

// A tauCurve is the one class with the decay of one curve.
type tauCurve struct {
	builtin
	name string // of the curve
}

// oneClassCurves returns one scenario for each curve, the longest tau first, as
// the curves lie from above.
func oneClassCurves(o Options) ([]tauCurve, error) {
	base := o.open("nist-one")
	sys, err := base.system()
	if err != nil {
		return nil, err
	}
	var list []tauCurve
	for _, v1 := range oneClassDecays() {
		name := fmt.Sprintf("τ = %s", seconds(sys.Classes[0].MeanPrice()/v1))
		list = append(list, tauCurve{base.with(scenario.Set(oneClassPath, v1)), name})
	}
	return list, nil
}

// oneClassDecays are the decays v1 = d k of the curves. The paper does not say
// which factors k it drew; these keep the curves apart.
func oneClassDecays() []float64 {
	decays := []float64{1, 2, 5, 10, 20, 50}
	for i := range decays {
		decays[i] *= oneClassDecay
	}
	return decays
}

// oneClassLoads are the loads up to the end of the axis. The last is below 1
// where the queue would not be stable.
func oneClassLoads(o Options, end float64) []float64 {
	per := 200
	if o.Quick {
		per = 50
	}
	last := int(end * float64(per))
	if end == 1 {
		last--
	}
	return grid(1, last, per)
}

func oneClassAxes(load string, end float64, y plots.Axis) plots.Figure {
	return plots.Figure{
		X: plots.Axis{Label: load, Percent: true, Max: end}, Y: y,
		Notes: []string{"30 jobs at a time, lengths of 4400 ± 1500 s, $1000 a job, grace of 13200 s"},
	}
}

func oneClassProvenance(load []float64) plots.Provenance {
	return provenance("nist-one", list(oneClassPath, oneClassDecays()), varied("load", load))
}
