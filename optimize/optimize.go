package optimize

import (
	"math"

	"revopt/model"
)

// Method names a way to solve an admission problem.
type Method string

// The methods.
const (
	// MethodCertified is the global optimum with a proven gap.
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

// Result is an admission and what is known about it.
type Result struct {
	Method     Method
	Admit      []float64 // q, in the order of the system's classes
	Revenue    float64   // $/s
	UpperBound float64   // $/s: no admission earns more; +Inf where nothing is proven
	Gap        float64   // (UpperBound - Revenue)/UpperBound; +Inf where nothing is proven
	Certified  bool      // Gap is at most the gap asked for
	Nodes      int       // nodes of branch and bound
	Solves     int       // concave problems or local runs solved
	// StabilityBinds says that the optimum lies at the edge of stability:
	// the model sees no reason to stop admitting before the queue explodes.
	StabilityBinds bool
}

// Solve returns the certified optimum where the residual convention has the
// structure that a proof needs, and the best of many local solves, which
// proves nothing, for model.Multiserver.
func Solve(sys model.System, settings Settings) (Result, error) {
	if sys.Residual == model.Multiserver {
		return ConjugateGradient(sys, settings)
	}
	return Certified(sys, settings)
}

// finish fills in what follows from the admission found.
func (r *Result) finish(hol *model.HOL, settings Settings) {
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
