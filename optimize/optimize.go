package optimize

import (
	"context"
	"math"

	"revopt/model"
)

// Method names a way to solve an admission problem.
type Method string

// The methods.
const (
	// MethodCertified is the global optimum of static admission with a proven gap.
	MethodCertified Method = "certified"
	// MethodCG is conjugate gradients from several starts: a local optimum.
	MethodCG Method = "cg"
)

// Settings control a solve. The zero value asks for the defaults.
type Settings struct {
	Gap      float64   // relative gap to prove; 0 means 1e-6
	MaxNodes int       // nodes of branch and bound after which to stop; 0 means 4000
	Starts   int       // local solves of a multi-start; 0 means 64, or 16 with a Start
	Seed     uint64    // of the random starts
	Start    []float64 // admission probabilities to start from, or nil
}

func (s Settings) gap() float64  { return positiveOr(s.Gap, 1e-6) }
func (s Settings) maxNodes() int { return positiveOr(s.MaxNodes, 4000) }

func (s Settings) starts() int {
	if s.Start != nil {
		return positiveOr(s.Starts, 16)
	}
	return positiveOr(s.Starts, 64)
}

// positiveOr returns x if it is positive, else the default.
func positiveOr[T int | float64](x, fallback T) T {
	if x > 0 {
		return x
	}
	return fallback
}

// Result is a static admission: a fixed probability for each class, its revenue,
// and the proof of its optimality. Admission that depends on the queue may earn more.
type Result struct {
	Method     Method
	Admit      []float64 // q, in the order of the system's classes
	Revenue    float64   // $/s
	UpperBound float64   // $/s: no static admission earns more; +Inf without a proof
	Gap        float64   // (UpperBound - Revenue)/UpperBound; +Inf without a proof
	Certified  bool      // Gap is at most the gap asked for
	Nodes      int       // nodes of branch and bound
	Tied       bool      // other admissions earn the same; Admit prefers the less urgent classes
	// StabilityBinds says that the optimum lies at the edge of stability:
	// the model sees no reason to stop admitting before the queue explodes.
	StabilityBinds bool
}

// Loose is the relative gap above which an optimum does not count as proven.
const Loose = 0.01

// Solve returns the certified optimum or, for several servers (model.Multiserver), which lack
// the structure that a proof needs, the best of many local solves. One server is the pooled one.
func Solve(ctx context.Context, sys model.System, settings Settings) (Result, error) {
	switch {
	case sys.Residual == model.Multiserver && sys.Parallel != 1:
		return ConjugateGradient(ctx, sys, settings)
	case sys.Residual == model.Multiserver:
		sys.Residual = model.Pooled
	}
	return Certified(ctx, sys, settings)
}

// finish sets all fields that follow from the admission and the bound.
func (r *Result) finish(hol *model.HOL, settings Settings) {
	if hol.System().Prices {
		stationary(hol, r.Admit)
	}
	r.Revenue = hol.Revenue(r.Admit)
	r.StabilityBinds = hol.Utilization(r.Admit) > 1-2*margin
	if math.IsInf(r.UpperBound, 1) {
		r.Gap = math.Inf(1)
		return
	}
	r.close(settings)
}

// close sets gap and verdict from the revenue and the bound.
func (r *Result) close(settings Settings) {
	r.UpperBound = math.Max(r.UpperBound, r.Revenue)
	if r.UpperBound > r.Revenue {
		r.Gap = (r.UpperBound - r.Revenue) / r.UpperBound
	}
	r.Certified = r.Gap <= settings.gap()
}

// Point is the optimum at one value of a parameter.
type Point struct {
	Value  float64
	System model.System
	Result Result
}

// Sweep solves the systems at the given values in turn. Each solve starts from the
// optimum of the one before: neighboring optima are close, and a good admission
// prunes branch and bound from the start. Sweep stops at the first error and returns
// the points solved before it.
func Sweep(
	ctx context.Context, values []float64, at func(x float64) (model.System, error), settings Settings,
) ([]Point, error) {
	points := make([]Point, 0, len(values))
	for _, x := range values {
		sys, err := at(x)
		if err != nil {
			return points, err
		}
		if len(settings.Start) != len(sys.Classes) {
			settings.Start = nil
		}
		r, err := Solve(ctx, sys, settings)
		if err != nil {
			return points, err
		}
		points = append(points, Point{Value: x, System: sys, Result: r})
		settings.Start = r.Admit
	}
	return points, nil
}
