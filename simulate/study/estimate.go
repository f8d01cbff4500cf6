package study

import (
	"math"
	"revopt/model"
	"revopt/simulate/metric"
	"revopt/simulate/subject"
)

// Estimate is a mean over replications and its interval.
type Estimate struct {
	Mean      metric.Number `json:"mean"`
	HalfWidth metric.Number `json:"half_width"`
	Level     metric.Number `json:"level"`
	N         int           `json:"n"`
	// how many times, by control variates; absent where there are none
	Reduced metric.Number `json:"variance_reduced,omitempty"`

	// The range of resampled spans, twice half_width wide; absent where the interval
	// is mean +- half_width.
	Low  *metric.Number `json:"low,omitempty"`
	High *metric.Number `json:"high,omitempty"`
}

// NewEstimate returns an interval as results state it.
func NewEstimate(i metric.Interval) Estimate {
	e := Estimate{
		Mean: metric.Number(i.Mean), HalfWidth: metric.Number(i.HalfWidth), Level: metric.Number(i.Level), N: i.N,
		Reduced: metric.Number(i.Reduced),
	}
	if i.Range {
		low, high := metric.Number(i.Low), metric.Number(i.High)
		e.Low, e.High = &low, &high
	}
	return e
}

// Interval is the inverse of NewEstimate.
func (e Estimate) Interval() metric.Interval {
	i := metric.Interval{
		Mean: float64(e.Mean), HalfWidth: float64(e.HalfWidth), Level: float64(e.Level), N: e.N,
		Reduced: float64(e.Reduced),
	}
	if e.Low != nil && e.High != nil {
		i.Range = true
		i.Low = float64(*e.Low)
		i.High = float64(*e.High)
	}
	return i
}

// PromiseState returns whether a promise is "kept", "not kept", "undecided" as its
// level lies within the interval, or "void" as no job was submitted.
func PromiseState(kept Estimate, level float64, once bool) string {
	i := kept.Interval()
	if once {
		i = metric.Interval{Mean: i.Mean}
	}
	low, high := i.Bounds()
	switch {
	case math.IsNaN(i.Mean):
		return "void"
	case low >= level:
		return "kept"
	case high < level:
		return "not kept"
	}
	return "undecided"
}

// Negative returns the estimate of the negative.
func (e Estimate) Negative() Estimate {
	e.Mean = -e.Mean
	if e.Low != nil && e.High != nil {
		low, high := -*e.High, -*e.Low
		e.Low, e.High = &low, &high
	}
	return e
}

// The random parts of a workload, which intervals cover.
const (
	DrawnNothing = "nothing" // one replication is all there is
	DrawnClasses = "classes" // jobs are drawn from the classes
	DrawnSpans   = "spans"   // spans are drawn from the weeks and users of a trace
	DrawnLots    = "lots"    // lots are drawn for the jobs of a trace
	DrawnWindows = "windows" // jobs in a row are drawn from a trace
	DrawnJobs    = "jobs"    // jobs are drawn
)

func Drawn(s *subject.Subject, once bool) string {
	switch {
	case once:
		return DrawnNothing
	case s.Workload.Stream() > 0:
		return DrawnClasses
	case s.Recorded != nil:
		return DrawnSpans
	case s.Windows() > 0:
		return DrawnWindows
	case s.Trace != nil && !model.Generated(s.Scenario.Trace.File):
		return DrawnLots
	}
	return DrawnJobs
}
