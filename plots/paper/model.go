package paper

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"

	"revopt/internal/text"
	"revopt/model"
	"revopt/model/scenario"
	"revopt/optimize"
	"revopt/plots"
	"revopt/simulate/metric"
	"revopt/simulate/subject"
)

// perHour turns dollars per second into dollars per hour.
const perHour = 3600

// A builtin is a built-in scenario with the overrides of a recipe.
type builtin struct {
	name      string
	doc       *scenario.Document
	overrides []scenario.Override
}

// open returns a built-in scenario with overrides. It panics if the name is unknown.
func open(name string, overrides ...scenario.Override) builtin {
	doc, err := scenario.Builtin(name)
	if err != nil {
		panic("paper: " + err.Error())
	}
	return builtin{name, doc, overrides}
}

// open returns a built-in scenario under a reading, with overrides.
func (o Options) open(name string, overrides ...scenario.Override) builtin {
	return open(name).with(o.Reading.overrides(name)...).with(overrides...)
}

// with returns the scenario with more overrides, which replace those of the same fields.
func (f builtin) with(overrides ...scenario.Override) builtin {
	f.overrides = slices.DeleteFunc(slices.Clone(f.overrides), func(old scenario.Override) bool {
		return slices.ContainsFunc(overrides, func(v scenario.Override) bool { return v.Path == old.Path })
	})
	f.overrides = append(f.overrides, overrides...)
	return f
}

func (f builtin) scenario() (*scenario.Scenario, error) {
	doc, err := f.doc.With(f.overrides...)
	if err != nil {
		return nil, err
	}
	return doc.Scenario(subject.Known(nil))
}

func (f builtin) system() (model.System, error) {
	s, err := f.scenario()
	if err != nil {
		return model.System{}, err
	}
	return s.System(), nil
}

// varying returns its systems as the number at path varies.
func (f builtin) varying(path string) func(x float64) (model.System, error) {
	return func(x float64) (model.System, error) { return f.with(scenario.Set(path, x)).system() }
}

// provenance names a built-in scenario and the values given to its fields.
func provenance(name string, fields ...plots.Pair) plots.Provenance {
	set := func(f plots.Pair) plots.Pair { return plots.Pair{Key: "set", Value: f.Key + "=" + f.Value} }
	return plots.Provenance{Scenario: name, Extra: text.Each(fields, set)}
}

// fields returns overrides as fields of a scenario.
func fields(overrides []scenario.Override) []plots.Pair {
	return text.Each(overrides, func(o scenario.Override) plots.Pair { return plots.Pair{Key: o.Path, Value: o.Value} })
}

// provenance says how the numbers of simulations were made.
func (o Options) provenance(name string, replications int, fields ...plots.Pair) plots.Provenance {
	p := provenance(name, fields...)
	p.Seed = &o.Seed
	p.Extra = append(p.Extra, plots.Pair{Key: "replications", Value: fmt.Sprint(replications)})
	return p
}

// list is the field of a scenario that takes the given values in turn.
func list(path string, values []float64) plots.Pair {
	words := text.Each(values, func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) })
	return plots.Pair{Key: path, Value: strings.Join(words, ", ")}
}

// varied is the field of a scenario that takes evenly spaced values.
func varied(path string, values []float64) plots.Pair {
	first, last := values[0], values[len(values)-1]
	return plots.Pair{Key: path, Value: fmt.Sprintf("%.6g to %.6g in %d steps", first, last, len(values)-1)}
}

// indexOf returns the place of a value that is among the given ones.
func indexOf(values []float64, x float64) int {
	for i, v := range values {
		if math.Abs(v-x) < 1e-9 {
			return i
		}
	}
	panic(fmt.Sprintf("paper: no value %g", x))
}

// grid returns the multiples of 1/per from first/per to last/per.
func grid(first, last, per int) []float64 {
	values := make([]float64, 0, last-first+1)
	for i := first; i <= last; i++ {
		values = append(values, float64(i)/float64(per))
	}
	return values
}

// finer returns the coarse values of a quick look, or all.
func finer(quick bool, coarse, all []float64) []float64 {
	if quick {
		return coarse
	}
	return all
}

// A curve is the optimum of a system along one of its parameters.
type curve struct {
	values   []float64
	at       func(x float64) (model.System, error)
	settings optimize.Settings
}

// optimum returns the optimum at one value.
func (c curve) optimum(ctx context.Context, x float64) (p optimize.Point, err error) {
	p.Value = x
	p.System, err = c.at(x)
	if err != nil {
		return p, err
	}
	p.Result, err = optimize.Solve(ctx, p.System, c.settings)
	return p, err
}

// piece is how many neighboring points one worker solves in a row, each from the one before. It is fixed,
// so that points do not depend on the workers.
const piece = 8

// solve returns the points of each curve.
func solve(ctx context.Context, o Options, curves ...curve) ([][]optimize.Point, error) {
	type job struct{ curve, from, to int }
	var jobs []job
	points := make([][]optimize.Point, len(curves))
	for c, cv := range curves {
		n := len(cv.values)
		for from := 0; from < n; from += piece {
			jobs = append(jobs, job{c, from, min(from+piece, n)})
		}
	}
	solved, err := computed(ctx, o, len(jobs), func(ctx context.Context, i int) ([]optimize.Point, error) {
		j, c := jobs[i], curves[jobs[i].curve]
		return optimize.Sweep(ctx, c.values[j.from:j.to], c.at, c.settings)
	})
	if err != nil {
		return nil, err
	}
	for i, list := range solved {
		points[jobs[i].curve] = append(points[jobs[i].curve], list...)
	}
	return points, nil
}

// computed runs n computations on the workers of the options and tells the progress.
func computed[T any](
	ctx context.Context, o Options, n int, run func(ctx context.Context, i int) (T, error),
) ([]T, error) {
	var mu sync.Mutex
	done := 0
	return metric.Replicate(ctx, 0, n, max(1, o.Workers), func(ctx context.Context, i int) (T, error) {
		result, err := run(ctx, i)
		mu.Lock()
		defer mu.Unlock()
		done++
		if o.Progress != nil {
			o.Progress(done, n)
		}
		return result, err
	})
}

// admissions returns the optimal admission probability of a class along a curve.
func admissions(points []optimize.Point, class int) []float64 {
	return text.Each(points, func(p optimize.Point) float64 { return p.Result.Admit[class] })
}

// revenues returns the optimal revenue along a curve in dollars per hour.
func revenues(points []optimize.Point) []float64 {
	return text.Each(points, func(p optimize.Point) float64 { return perHour * p.Result.Revenue })
}

// admittedAll is the admission from which on a class counts as admitted entirely:
// closer to 1 than the width of a line, and further than the optimizer's error.
const admittedAll = 1 - 1e-4

// lastFull returns the largest x up to which all jobs are admitted: q is 1 at
// it and at every smaller one. It is 0 if q starts below 1.
func lastFull(x, q []float64) float64 {
	last := 0.0
	for i := range x {
		if q[i] < admittedAll {
			break
		}
		last = x[i]
	}
	return last
}

// className returns the name of a class of a built-in scenario in figures.
func className(class string) string {
	switch class {
	case "high", "HvHu":
		return "High value, high urgency"
	case "HvLu":
		return "High value, low urgency"
	case "LvHu":
		return "Low value, high urgency"
	case "low", "LvLu":
		return "Low value, low urgency"
	}
	return class
}

// seconds writes a delay as the paper does: 1.5·10⁴ s.
func seconds(s float64) string {
	power := int(math.Floor(math.Log10(s) + 1e-9))
	digits := strconv.FormatFloat(s/math.Pow10(power), 'g', 3, 64)
	if digits == "1" {
		return fmt.Sprintf("10%s s", raised(power))
	}
	return fmt.Sprintf("%s·10%s s", digits, raised(power))
}

// raised writes a number in superscript digits.
func raised(n int) string {
	return strings.Map(func(r rune) rune { return []rune("⁰¹²³⁴⁵⁶⁷⁸⁹")[r-'0'] }, strconv.Itoa(n))
}
