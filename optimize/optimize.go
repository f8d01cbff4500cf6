package optimize

import (
	"context"
	"math"
	"slices"

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

func (s Settings) gap() float64 {
	if s.Gap > 0 {
		return s.Gap
	}
	return 1e-6
}

func (s Settings) maxNodes() int {
	if s.MaxNodes > 0 {
		return s.MaxNodes
	}
	return 4000
}

func (s Settings) starts() int {
	if s.Starts > 0 {
		return s.Starts
	}
	if s.Start != nil {
		return 16
	}
	return 64
}

// Result is a static admission, a fixed probability for each class, and what is
// known about it. Admission that looks at the queue may earn more.
type Result struct {
	Method     Method
	Admit      []float64 // q, in the order of the system's classes
	Revenue    float64   // $/s
	UpperBound float64   // $/s: no static admission earns more; +Inf where nothing is proven
	Gap        float64   // (UpperBound - Revenue)/UpperBound; +Inf where nothing is proven
	Certified  bool      // Gap is at most the gap asked for
	Nodes      int       // nodes of branch and bound
	Solves     int       // concave problems or local runs solved
	Tied       bool      // other admissions earn the same: this one has most of the less urgent classes
	// StabilityBinds says that the optimum lies at the edge of stability:
	// the model sees no reason to stop admitting before the queue explodes.
	StabilityBinds bool
}

// Status says how much of an optimum is proven.
type Status uint8

// The states of a proof.
const (
	// NoProof: nothing is known but the admission.
	NoProof Status = iota
	// Open: the optimum lies between Revenue and UpperBound, which are more
	// than Loose apart.
	Open
	// Close: Revenue and UpperBound are at most Loose apart, but more than the
	// gap asked for.
	Close
	// Closed: the gap asked for is proven.
	Closed
)

// Loose is the relative gap above which an optimum does not count as proven.
const Loose = 0.01

// Status returns how much of the optimum is proven.
func (r Result) Status() Status {
	switch {
	case math.IsInf(r.UpperBound, 1):
		return NoProof
	case r.Certified:
		return Closed
	case r.Gap <= Loose:
		return Close
	}
	return Open
}

// Proven reports whether the optimum is proven to the gap asked for, or to
// Loose.
func (r Result) Proven() bool { return r.Status() >= Close }

// Solve returns the certified optimum where the residual convention has the
// structure that a proof needs, and the best of many local solves, which
// proves nothing, for model.Multiserver.
func Solve(ctx context.Context, sys model.System, settings Settings) (Result, error) {
	if sys.Residual == model.Multiserver {
		return ConjugateGradient(ctx, sys, settings)
	}
	return Certified(ctx, sys, settings)
}

// finish fills in what follows from the admission found.
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
	r.UpperBound = math.Max(r.UpperBound, r.Revenue)
	if r.UpperBound > r.Revenue {
		r.Gap = (r.UpperBound - r.Revenue) / r.UpperBound
	}
	r.Certified = r.Gap <= settings.gap()
}

// Candidates returns admissions from which a search for the one that earns most
// on a simulator starts: everybody, the optimum of the system as it is, and that
// with the delays of n servers, which simulated ones resemble most.
func Candidates(ctx context.Context, sys model.System) ([][]float64, error) {
	own, err := Solve(ctx, sys, Settings{})
	if err != nil {
		return nil, err
	}
	sys.Residual = model.Multiserver
	servers, err := Solve(ctx, sys, Settings{})
	if err != nil {
		return nil, err
	}
	everybody := slices.Repeat([]float64{1}, len(sys.Classes))
	return [][]float64{everybody, own.Admit, servers.Admit}, nil
}

// Point is the optimum at one value of a parameter.
type Point struct {
	Value  float64
	System model.System
	Result Result
}

// Sweep solves the systems that at returns for the given values, in turn, each
// starting from the optimum of the one before. Neighboring optima are close,
// so that branch and bound has a good admission to prune with from the start.
// It stops at the first error, and returns the points solved before it.
func Sweep(ctx context.Context, values []float64, at func(x float64) (model.System, error), settings Settings) ([]Point, error) {
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
