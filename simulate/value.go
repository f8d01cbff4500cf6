package simulate

import "math"

// Value is what a job is worth as a function of when it ends: with r the time
// from submission to end,
//
//	value(r) = Price - min(Decay (r - Due)^+, Price + Floor)
//
// for a soft job. A hard job is worth Price until it is due. Then it is worth nothing,
// or minus the floor if that is finite.
//
// One definition serves the utilities of Marbukh and Mills (2)-(4), where Due is
// the grace and the job's own length, the budgets, deadlines and penalties of
// Yeo and Buyya (2005), (1)-(2), and those of Sherwani et al. (2004), whose
// deadlines are hard.
//
// The zero value is a job that is worth nothing.
type Value struct {
	Price float64 // $ for an end in time
	Due   float64 // s from submission to end that the customer allows
	Decay float64 // $/s lost after that
	Floor float64 // $, the largest penalty; +Inf where there is none
	Hard  bool    // a late result is worth nothing
	Dated bool    // Due is a deadline that policies may plan by; otherwise it is only the start of the decay
}

// ByDeadline returns the value of a job with a deadline and without a floor.
func ByDeadline(price, due, decay float64, hard bool) Value {
	return Value{Price: price, Due: due, Decay: decay, Floor: math.Inf(1), Hard: hard, Dated: true}
}

// At returns the value of a job that ends so many seconds after its submission.
func (v Value) At(response float64) float64 { return v.late(response - v.Due) }

// late returns the value of a job that ends so many seconds after it was due.
func (v *Value) late(by float64) float64 {
	switch {
	case by <= 0:
		return v.Price
	case v.Hard && math.IsInf(v.Floor, 1):
		return 0
	case v.Hard:
		return 0 - v.Floor // never minus zero
	case v.Decay == 0:
		return v.Price
	}
	return v.Price - min(v.Decay*by, v.Price+v.Floor)
}

// Tariff says what jobs are worth by their lengths.
type Tariff interface {
	// Value returns the value that a job would have if it ran for the given time, s. Of the job it reads all but its
	// Work and its price, decay and due time.
	Value(j *Job, length float64) Value
}

// Stated returns what its customer expects a job to be worth that runs for the given time, s. Amounts in dollars
// and times stay. This, with an estimate, is what policies may know; the account is by Value.
func (j *Job) Stated(length float64) Value {
	if j.Tariff == nil {
		return j.Value
	}
	return j.Tariff.Value(j, length)
}

// Forsaken returns the value of a job that never ends: minus the floor, and 0 for a
// hard job without a floor.
func (v Value) Forsaken() float64 {
	if v.Hard && math.IsInf(v.Floor, 1) || v.Floor == 0 {
		return 0
	}
	return -v.Floor
}

// Forsaken returns the value of a job that ends without a result: nothing if an outage kills
// it or its patience ends, otherwise that of a job that never ends.
func (j *Job) Forsaken() float64 {
	if j.felled || j.Preemptions == 0 && j.Impatient() {
		return 0
	}
	return j.Value.Forsaken()
}

// Deadline returns the time by which the job should end, +Inf where its
// customer states none.
func (j *Job) Deadline() float64 { return j.Value.Deadline(j.Submit) }

// Deadline is that of a job with this value.
func (v *Value) Deadline(submit float64) float64 {
	if !v.Dated {
		return math.Inf(1)
	}
	return submit + v.Due
}

// Lateness returns by how much the given time is past the job's deadline, s, and
// 0 for a job without one:
//
//	(at - Submit - Due)^+
//
// Yeo and Buyya (2005), (2).
func (j *Job) Lateness(at float64) float64 {
	if !j.Value.Dated {
		return 0
	}
	return j.overdue(at)
}

// overdue returns by how much the given time is past the time allowed.
func (j *Job) overdue(at float64) float64 { return j.Value.overdue(j.Submit, at) }

// overdue is that of a job. An excess of a relative 1e-8, which rounding and the slack in sums of shares can cause,
// counts as 0.
func (v *Value) overdue(submit, at float64) float64 {
	by := at - submit - v.Due
	if by <= 1e-8*v.Due+epsilon*at {
		return 0
	}
	return by
}

// From is At for a job that is submitted and ends at the given times, as the account computes it.
func (v *Value) From(submit, end float64) float64 { return v.late(v.overdue(submit, end)) }

// Worth returns what the job is worth if it ends at the given time. A job that
// was killed has no result and is worth nothing. A job run in pieces is worth its
// charge for the executed work.
func (j *Job) Worth(end float64) float64 {
	switch {
	case j.pieces:
		return j.Revenue
	case j.Killed:
		return 0
	}
	return j.Value.From(j.Submit, end)
}
