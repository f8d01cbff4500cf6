package model

import "fmt"

// ArrivalKind is a family of arrival processes.
type ArrivalKind int

// The families of arrival processes.
const (
	ArrivePoisson ArrivalKind = iota
	ArriveRenewal             // independent gaps with a given coefficient of variation
	ArriveBursts              // a Poisson process whose rate switches between two levels
	ArriveProfile             // a Poisson process whose rate follows the hours of a day or week
)

// Arrivals describes how the jobs of a class arrive. The mean rate is that of
// the class in every family. The zero value is a Poisson process.
type Arrivals struct {
	Kind  ArrivalKind
	CV    float64 // of renewal gaps: standard deviation over mean
	On    float64 // s, mean time of a burst
	Off   float64 // s, mean time between bursts
	Ratio float64 // rate in a burst over the rate between bursts
	// Hours holds weights of the 24 hours of a day or the 168 hours of a week, from
	// midnight and from Monday: of a profile, or of the time of renewals and bursts.
	Hours []float64
	File  string // replaces Hours: a file of 24 or 168 numbers, or a trace to measure
}

// Poisson reports whether arrivals are a Poisson process of constant rate, as
// the formulas of this package assume.
func (a Arrivals) Poisson() bool { return a.Kind == ArrivePoisson }

// String returns a short description.
func (a Arrivals) String() string {
	profile := ""
	switch {
	case a.File != "":
		profile = "profile of " + a.File
	case a.Hours != nil:
		profile = fmt.Sprintf("profile of %d hours", len(a.Hours))
	}
	process := "poisson"
	switch a.Kind {
	case ArriveRenewal:
		process = fmt.Sprintf("renewal (cv %g)", a.CV)
	case ArriveBursts:
		process = fmt.Sprintf("bursts (on %g s, off %g s, ratio %g)", a.On, a.Off, a.Ratio)
	case ArriveProfile:
		return profile
	}
	if profile != "" {
		process += ", " + profile
	}
	return process
}
