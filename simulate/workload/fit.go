package workload

import (
	"fmt"
	"math"

	"revopt/model"
	"revopt/simulate"
)

// FitBy says which jobs of a trace make a class.
type FitBy string

// The ways to make classes.
const (
	ByUrgency FitBy = "urgency" // Job.Class: the urgencies of jobs with QoS
	ByQueue   FitBy = "queue"   // the queue of the trace
	ByUser    FitBy = "user"    // the users that ask for most work, the others together
	ByGroup   FitBy = "group"   // the same with groups
	ByCluster FitBy = "cluster" // k-means on the logarithms of width and length
)

// FitKinds returns the ways to make classes.
func FitKinds() []FitBy { return []FitBy{ByUrgency, ByQueue, ByUser, ByGroup, ByCluster} }

// FitOptions say how classes are made of jobs. The zero value is by urgency.
type FitOptions struct {
	Name        string   // of the scenario; "" is fit
	By          FitBy    // "" is ByUrgency
	Classes     int      // at most so many before hard and soft deadlines part; 0: 8, or for clusters what the silhouette says
	Names       []string // of the classes of ByUrgency
	OwnWidths   bool     // every class keeps the widths of its own jobs, where else all get those of the trace
	Multiserver bool     // the residual convention of the server is multiserver, not pooled
	Fall        float64  // of a hard deadline: its value falls to nothing within so many mean slacks after the deadline; 0 is 1
	Day         float64  // s of the workload that a day of the trace takes: 86400 times the arrival delay factor; 0 is 86400
	Seed        uint64   // of the clusters
}

// Fitted is job classes with the load of a trace, and how well they fit it.
type Fitted struct {
	Name     string
	By       FitBy
	Nodes    int
	Residual model.Residual
	Fall     float64 // see FitOptions

	Jobs     int64   // that were fitted
	Void     int64   // left out: rejected at once, or without work
	Wide     int64   // left out: wider than the machine
	Span     float64 // s from the first submission to the last
	Rate     float64 // jobs/s
	Load     float64 // sum of work / (nodes span), which the classes offer too
	Arrivals ArrivalFit

	Parallel    float64 // jobs at a time: nodes over the mean width of the classes' work
	Correlation float64 // of the ranks of width and length
	LengthSCV   float64 // squared coefficient of variation of all lengths
	WorkSCV     float64 // and of all work, length times width
	Half        float64 // share of the work in jobs wider than half the machine
	TopWork     float64 // share of the work in the hundredth of the jobs with most
	Overrun     float64 // share of jobs that run longer than their estimate
	Accuracy    float64 // mean of length over estimate, NaN where there are none
	Split       bool    // jobs have mandatory and optional parts, fitted as one
	Silhouette  float64 // of the clusters, NaN where there are none

	Classes  []FittedClass
	Warnings []string // where the queueing model will be far off, in plain words
}

// FittedClass is one class, as fitted and as the trace has it.
type FittedClass struct {
	Model      model.Class // as the scenario has it
	Kind       model.Kind  // of its length
	Equivalent FitMoments  // of its length as drawn, s
	Correction float64     // its mean length over that of the trace
	Second     bool        // the second moment of the work is preserved
	Tried      []FittedTry // the families with the two moments, that with the least distance, the class's, first
	WorkKS     float64     // Kolmogorov-Smirnov distance of its work to the trace's

	Jobs        int64      // of the trace
	Share       float64    // of the jobs
	Load        float64    // its part of Fitted.Load
	Gaps        FitMoments // between arrivals, s
	Length      FitMoments // run time, s
	Width       FitMoments // nodes
	Work        FitMoments // node-seconds
	Correlation float64    // of the ranks of width and length
	Budget      FitMoments // $
	Slack       FitMoments // deadline less run time, s
	Hard        bool       // deadlines are hard
}

// LengthKS returns the Kolmogorov-Smirnov distance of the class's length to the
// run times times Correction.
func (c *FittedClass) LengthKS() float64 { return c.Tried[0].KS }

// FittedTry is a family of distributions with the two moments, and its distance
// to the lengths of the trace.
type FittedTry struct {
	Kind model.Kind
	KS   float64
}

// FitMoments is a mean and a standard deviation.
type FitMoments struct{ Mean, SD float64 }

// SCV returns the squared coefficient of variation.
func (m FitMoments) SCV() float64 { return m.SD / m.Mean * (m.SD / m.Mean) }

// System returns what the analytic half sees of the classes.
func (f *Fitted) System() model.System {
	s := model.System{Parallel: f.Parallel, Residual: f.Residual, Phi: 1}
	for _, c := range f.Classes {
		s.Classes = append(s.Classes, c.Model)
	}
	return s
}

// Fit makes job classes of the jobs of a trace, as they are submitted to a
// machine of the given nodes, for the model of Marbukh & Mills: Poisson
// arrivals, lengths independent of widths, a value that falls linearly with
// the wait after a grace.
//
// Every class preserves (to the twelve digits that are written) the rate of its
// jobs, jobs/span; their mean work E[L W]; their mean budget; and their mean
// slack, deadline less run time. In a class widths and lengths are drawn
// independently of each other, in a trace wide jobs run longer or shorter. So
// widths are weighted by the time that jobs run, with mean E[L W] / E[L], and
//
//	E[length] = E[L W] / E[width],   E[length^2] = E[(L W)^2] / E[width^2],
//
// which preserves the second moment of the work as well, wherever that leaves
// a variance of at least 0. All classes draw from the widths of the whole
// trace: the analytic half counts every job as one of the mean width, so that
// only a width common to all makes rate E[length] / n the utilisation by each
// class. The lengths of a class whose jobs are wider than others are longer
// than its run times, on average over all jobs they are the same. With
// OwnWidths the lengths are the run times, and only the sum of the utilisations
// is right.
//
// Jobs that no policy can run (void, or wider than the machine) are left out
// and counted. Classes in which some deadlines are hard and others are not
// become two.
func Fit(jobs simulate.Source, nodes int, o FitOptions) (*Fitted, error) {
	if o.By == "" {
		o.By = ByUrgency
	}
	if o.Name == "" {
		o.Name = "fit"
	}
	if o.Fall == 0 {
		o.Fall = 1
	}
	if o.Day == 0 {
		o.Day = 86400
	}
	if nodes < 1 || !(o.Fall > 0) || !(o.Day > 0) || o.Classes < 0 || math.IsInf(o.Fall+o.Day, 0) {
		return nil, fmt.Errorf("workload: cannot fit classes on %d nodes with %+v", nodes, o)
	}
	f := &Fitted{Name: o.Name, By: o.By, Nodes: nodes, Residual: model.Pooled, Fall: o.Fall, Silhouette: math.NaN()}
	if o.Multiserver {
		f.Residual = model.Multiserver
	}
	all, err := f.collect(jobs)
	if err != nil {
		return nil, err
	}
	groups, err := f.group(all, o)
	if err != nil {
		return nil, err
	}
	f.describe(all, o)
	if err := f.fitClasses(all, groups, o); err != nil {
		return nil, err
	}
	f.Warnings = f.warnings()
	return f, nil
}
