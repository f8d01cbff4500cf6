package paper

import (
	"context"
	"fmt"

	"revopt/internal/text"
	"revopt/model"
	"revopt/model/scenario"
	"revopt/optimize"
	"revopt/plots"
)

// oneClassDecays are the decays v1 = 0.001 k $/s of the curves.
var oneClassDecays = []float64{0.001, 0.002, 0.005, 0.01, 0.02, 0.05}

// numbersOf computes numbers of the systems of curves along the load, by curve.
type numbersOf func(ctx context.Context, o Options, loads []float64, at []builtin) ([][]float64, error)

// oneClassRecipes are figures 6 to 8 of the NIST paper: scenario nist-one (n = 30,
// p0 = $1000, τmin = 13200 s), τ = p0/v1. Figure 6 is the revenue (28) where all jobs
// are admitted, figures 7 and 8 are admission and revenue of its optimum.
func oneClassRecipes() []Recipe {
	revenue := plots.Axis{Label: "Revenue", Unit: "$/h", Max: 16000}
	falling := plots.Axis{Label: "Revenue", Unit: "$/h", Min: -4000, Max: 16000, Clip: true} // without limit
	recipe := func(id, title string, x, y plots.Axis, draw numbersOf) Recipe {
		return Recipe{
			ID: id, Title: title,
			remarks: []string{
				"30 jobs at a time, lengths of 4400 ± 1500 s, $1000 a job, grace of 13200 s",
				"the paper does not say which factors k it drew; k = 1 to 50 keeps the curves apart",
				"the text speaks of $1000 per hour of computing and computes with $1000 a job, as here",
				"(28) subtracts the grace from T0 and not from the wait, so nothing is lost up to a utilization " +
					"of 17.9 %, where T0 = τmin: beyond k of about 60 all curves peak there",
			},
			build: func(ctx context.Context, o Options) (Result, error) {
				base, loads := o.open("nist-one"), oneClassLoads(o, x.Max)
				sys, err := base.system()
				if err != nil {
					return Result{}, err
				}
				fig := plots.Figure{X: x, Y: y}
				if y.Clip {
					fig.HLines = []plots.Rule{{At: 0}}
				}
				var curves []builtin
				for _, v1 := range oneClassDecays {
					curves = append(curves, base.with(scenario.Set("classes.all.decay", v1)))
					name := fmt.Sprintf("τ = %s", seconds(sys.Classes[0].MeanPrice()/v1))
					fig.Series = append(fig.Series, plots.Series{Name: name, X: loads})
				}
				drawn, err := draw(ctx, o, loads, curves)
				if err != nil {
					return Result{}, err
				}
				for i, y := range drawn {
					fig.Series[i].Y = y
				}
				prov := provenance("nist-one", list("classes.all.decay", oneClassDecays), varied("load", loads))
				return Result{Picture: fig, Provenance: prov}, nil
			},
		}
	}
	best := func(y func([]optimize.Point) []float64) numbersOf {
		return func(ctx context.Context, o Options, loads []float64, at []builtin) ([][]float64, error) {
			along := func(f builtin) curve { return curve{values: loads, at: f.varying("load")} }
			solved, err := solve(ctx, o, text.Each(at, along)...)
			return text.Each(solved, y), err
		}
	}
	load := plots.Axis{Label: "Offered load β", Percent: true, Max: 1.5}
	return []Recipe{
		recipe("nist-06", "Revenue against utilization without admission control",
			plots.Axis{Label: "Utilization ρ", Percent: true, Max: 1}, falling, uncontrolled),
		recipe("nist-07", "Optimal admission against offered load", load, admissionAxis,
			best(func(ps []optimize.Point) []float64 { return admissions(ps, 0) })),
		recipe("nist-08", "Revenue with optimal admission control", load, revenue, best(revenues)),
	}
}

// uncontrolled returns the revenue in $/h where all jobs are admitted.
func uncontrolled(ctx context.Context, _ Options, loads []float64, at []builtin) ([][]float64, error) {
	return text.Try(at, func(f builtin) ([]float64, error) {
		return text.Try(loads, func(rho float64) (float64, error) {
			sys, err := f.varying("load")(rho)
			if err != nil {
				return 0, err
			}
			hol, err := model.NewHOL(sys)
			if err != nil {
				return 0, err
			}
			return perHour * hol.Revenue([]float64{1}), ctx.Err()
		})
	})
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
