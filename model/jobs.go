package model

import (
	"fmt"
	"math"
	"strconv"
)

// Interval is the range of a uniform number.
type Interval struct{ Low, High float64 }

// At returns the number of the interval for u in [0, 1).
func (i Interval) At(u float64) float64 { return i.Low + u*(i.High-i.Low) }

// Valid reports whether the interval is finite, ordered and at least least.
func (i Interval) Valid(least float64) bool {
	return i.Low >= least && i.High >= i.Low && !math.IsInf(i.High, 1)
}

// Subset is a part of a trace, in the order of the file. The zero value is the whole
// trace. Cleaning comes after: the last 5000 jobs are those of the file, also those that
// did not run.
type Subset struct {
	First, Last int64   // number of jobs; 0 is no limit
	From, To    float64 // s: jobs with From <= submit time < To; To 0 is no limit
	Begin, End  int64   // jobs with Begin <= place in the file < End, from 0; End 0 is no limit
}

// String returns the subset as scenarios write it.
func (s Subset) String() string {
	switch {
	case s.First > 0:
		return fmt.Sprintf("first:%d", s.First)
	case s.Last > 0:
		return fmt.Sprintf("last:%d", s.Last)
	case s.End > 0:
		return fmt.Sprintf("index:%d:%d", s.Begin, s.End)
	case s.From > 0 || s.To > 0:
		return "from:" + strconv.FormatFloat(s.From, 'f', -1, 64) + ":" + strconv.FormatFloat(s.To, 'f', -1, 64)
	}
	return "all"
}

// The urgencies of jobs with QoS.
const (
	LowUrgency = iota
	HighUrgency
)

// QoS describes deadlines, budgets and penalties of the jobs of a trace, which records
// none (Yeo and Buyya 2007, section VII.B; 2005, section 5.1).
//
// It is a shorthand for two customers: a random job has high urgency. With R its true run
// time its deadline is d R, its budget b f(R) and its penalty rate p g(R), where d, b and
// p are spread about the mean of its urgency, drawn until d > 1, b > 1 and p >= 0. High
// urgency means the short deadline, the large budget and the large penalty. By default
// f(R) = R and g(R) = 1; see Spread.
type QoS struct {
	HighUrgency float64    // share of jobs
	Deadline    Spread     // of d
	Budget      Spread     // of b; $ per second of R, f(R) being R (R/Scale)^Curve
	Penalty     Spread     // of p; $ per second of delay, g(R) being (R/Scale)^Curve
	Hard        [2]float64 // share of jobs whose deadline is hard, by urgency
	Inaccuracy  float64    // u: the estimate is RE = R (1 - u)
	Scatter     float64    // standard deviation of 1 - u, normal about 1 - Inaccuracy, drawn until above 0
	Over        float64    // share of random jobs with the estimate R (1 + u) instead
	OfUsers     bool       // the estimate is that of the user, as the trace records it
}

// Validate returns an error if a quantity cannot be drawn.
func (q *QoS) Validate() error {
	for _, p := range []float64{q.HighUrgency, q.Hard[LowUrgency], q.Hard[HighUrgency], q.Over} {
		if !(p >= 0 && p <= 1) {
			return fmt.Errorf("share %g of jobs", p)
		}
	}
	if !(q.Inaccuracy >= 0 && q.Inaccuracy < 1) {
		return fmt.Errorf("inaccuracy %g of run times", q.Inaccuracy)
	}
	if !(q.Scatter >= 0) || math.IsInf(q.Scatter, 1) {
		return fmt.Errorf("inaccuracy of standard deviation %g", q.Scatter)
	}
	for _, s := range []struct {
		Spread
		least float64
	}{{q.Deadline, 1}, {q.Budget, 1}, {q.Penalty, 0}} {
		if !(s.LowMean >= 0 && s.Ratio >= 0 && s.SD >= 0) || math.IsInf(s.LowMean*s.Ratio*(1+s.SD), 0) ||
			!(math.Abs(s.Curve) <= 9) || !(s.Scale >= 0) {
			return fmt.Errorf("spread %+v", s.Spread)
		}
		for _, mean := range s.Means(LowUrgency) {
			if _, err := s.Draws(mean, s.least); err != nil {
				return err
			}
		}
	}
	return nil
}

// Split splits the jobs of a trace into a mandatory and an optional part, for the schemes
// of Kim, Buyya and Kim (2007). Other policies run the whole job.
type Split struct {
	Optional Interval // the optional part as a multiple of the mandatory one
	Rate     float64  // mean slope of the optional budget: share of the mandatory one per million MI
	Budget   BudgetShape
}

// BudgetShape is the payment for an optional length as a function of the executed share,
// from 0 to the whole budget (Kim, Buyya and Kim 2007, figure 1: a function that does not
// fall). The zero value is linear.
type BudgetShape struct {
	Exponent float64      // in (0, 1): (executed share)^Exponent; 0 and 1 are linear
	Steps    []BudgetStep // in ascending order, in place of Exponent
}

// BudgetStep pays once a share of the optional length is executed.
type BudgetStep struct {
	At  float64 // share of the length
	Pay float64 // share of the whole budget, besides that of the earlier steps
}

// Linear reports whether every second executed pays the same.
func (b BudgetShape) Linear() bool { return b.Steps == nil && (b.Exponent == 0 || b.Exponent == 1) }

// Site is a cluster of a grid.
type Site struct {
	Processors int
	MIPS       float64 // of each; 0 if jobs state seconds
}

// Applications is the workload of Kim, Buyya and Kim (2007), section 4: a
// Poisson stream of applications of independent parts with a mandatory and an
// optional length. Lengths are in MI, so that the speed of a machine is its
// MIPS.
type Applications struct {
	Count     int
	Gap       float64  // s, mean time between arrivals
	Parts     Interval // p, whole numbers
	Mandatory Interval // m, MI
	Optional  Interval // o as a multiple of m
	Reward    float64  // b^m, $ per MI of m
	Laxity    Interval // by how much the deadline exceeds the mean execution time
	Execution Execution
	Rate      float64 // mean slope of the optional budget, as a share of b^m per million MI
	Spread    float64 // the slope is drawn from Rate (1 - Spread) to Rate (1 + Spread)
	Budget    BudgetShape
}

// Execution selects the mean execution time of applications that sets their deadlines.
type Execution string

const (
	OverSites      Execution = "sites"      // both lengths, mean over the sites; also the zero value
	OverProcessors Execution = "processors" // both lengths, mean over the processors
	AtMeanSpeed    Execution = "speed"      // both lengths, at the mean speed of the processors
	OfMandatory    Execution = "mandatory"  // the mandatory length alone, mean over the sites
)

// Executions returns all of them, the default first.
func Executions() []Execution {
	return []Execution{OverSites, OverProcessors, AtMeanSpeed, OfMandatory}
}

// Mean returns the mean execution time of a MI on some sites, s.
func (e Execution) Mean(sites []Site) float64 {
	var processors, speed, bySite, byProcessor float64
	for _, s := range sites {
		n := float64(s.Processors)
		processors, speed = processors+n, speed+n*s.MIPS
		bySite, byProcessor = bySite+1/s.MIPS/float64(len(sites)), byProcessor+n/s.MIPS
	}
	switch e {
	case OverProcessors:
		return byProcessor / processors
	case AtMeanSpeed:
		return processors / speed
	}
	return bySite
}

// Application is an explicit application, not a random one.
type Application struct {
	At        float64 // time of submission, s
	Parts     int
	Mandatory float64 // MI of each part
	Optional  float64 // MI of each part
	Deadline  float64 // s after submission
	Reward    float64 // $ for the mandatory length of a part
	Slope     float64 // $ per MI of the optional length
	Budget    BudgetShape
}

// Batch is a workload of Sherwani et al. (2004), section "Performance
// evaluation": a number of jobs of one processor whose arrivals, lengths and
// deadlines are drawn evenly.
type Batch struct {
	Jobs     int
	Arrivals Interval // s
	Lengths  Interval // MI
	Deadline Interval // s after arrival
	Clock    bool     // deadlines are times since the start of the batch; a job may come after its deadline
	Budget   float64  // $, of most jobs
	Random   float64  // share of the jobs whose budget is drawn from Budgets
	Budgets  Interval // $
}
