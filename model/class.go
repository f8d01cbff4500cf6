package model

import (
	"cmp"
	"math"
	"slices"

	"revopt/internal/text"
)

// Tariff is the price of a job that does not wait:
// Fixed + PerSecond*length + PerNodeSecond*length*width.
type Tariff struct {
	Fixed         float64 // $ per job
	PerSecond     float64 // $ per second of the job's length
	PerNodeSecond float64 // $ per node and second
}

// Of returns the price of a job of the given length (s) and width (nodes).
func (t Tariff) Of(length, width float64) float64 {
	return t.Fixed + length*(t.PerSecond+width*t.PerNodeSecond)
}

// Grace is an allowed time: Fixed + Lengths*length. The grace of a class is the wait
// before a job loses value; its deadline is the time from submission to end.
type Grace struct {
	Fixed   float64 // s
	Lengths float64 // multiple of the job's length
}

// Of returns the allowed time of a job of the given length, in seconds.
func (g Grace) Of(length float64) float64 { return g.Fixed + g.Lengths*length }

// Floor is the largest penalty a provider pays for a late job, max_penalty of a
// scenario: Fixed + OfPrice*price. The value of a job never falls below minus this
// amount. The zero value is a largest penalty of $0.
type Floor struct {
	None    bool    // penalties are unbounded
	Fixed   float64 // $
	OfPrice float64 // share of the job's price
}

// Of returns the largest penalty of a job of the given price, +Inf if penalties are
// unbounded.
func (f Floor) Of(price float64) float64 {
	if f.None {
		return math.Inf(1)
	}
	return f.Fixed + f.OfPrice*price
}

// Expiry says when a waiting job gives up.
type Expiry int

// The rules of expiry. An expired job leaves the queue and costs its floor.
const (
	ExpireNever Expiry = iota // waits until it is served
	ExpireFloor               // leaves when its value has fallen to the floor
	ExpireZero                // leaves when its value has fallen to zero
)

// String returns the name of the rule in a scenario.
func (e Expiry) String() string { return [...]string{"never", "floor", "zero"}[e] }

// Width is the distribution of the number of nodes of a job. The zero value is one node.
type Width struct {
	Values  []float64 // nodes
	Weights []float64 // share of jobs, the same length as Values, sums to 1
}

// FixedWidth returns the width of jobs that all occupy the same number of nodes.
func FixedWidth(nodes float64) Width {
	return Width{Values: []float64{nodes}, Weights: []float64{1}}
}

// Mean returns the mean number of nodes of a job.
func (w Width) Mean() float64 {
	if len(w.Values) == 0 {
		return 1
	}
	var sum float64
	for i, v := range w.Values {
		sum += v * w.Weights[i]
	}
	return sum
}

// SLO is a promise on the waiting time: P(W <= Within) >= Level.
type SLO struct {
	Within float64 // s
	Level  float64 // probability
}

// Class is a class of jobs, or a customer: rate, length, width, price and loss by delay.
// On a trace, whose jobs are selected and not drawn, Rate is 0 and Length may be nil.
type Class struct {
	Name         string
	Rate         float64      // mu_s, offered jobs/s
	Length       Distribution // B_s, time a job occupies its nodes
	Width        Width
	Price        Tariff  // p_0s
	Decay        float64 // $ lost per second late
	DecayOfPrice float64 // share of the job's price lost per second late, besides
	Grace        Grace   // tau_min, the wait that costs nothing
	Deadline     Grace   // time from submission to end that costs nothing; replaces Grace unless zero
	Dated        bool    // a deadline, or a grace above 0, is given: policies may plan by it
	Hard         float64 // share of the jobs that are worth nothing once late
	Floor        Floor   // the most that a late job can cost
	Expire       Expiry
	Patience     float64  // mean of the exponential time after which a waiting job leaves at no cost, s; 0: none
	SLO          *SLO     // nil without a promise
	Arrivals     Arrivals // of class workloads
	Demand       *Demand  // rate by price; nil: Rate at any price
	Pool         string   // that its jobs run in; "" on traces, and where there are no pools
	Terms        []Terms  // by pool of a trace; nil: Price and SLO hold in all pools
}

// Due returns the time from submission to end that a job of the given length
// may take without loss, in seconds: its deadline, else its grace and length.
func (c *Class) Due(length float64) float64 {
	if c.Deadline != (Grace{}) {
		return c.Deadline.Of(length)
	}
	return c.Grace.Of(length) + length
}

// MeanPrice returns p_s, the mean price of a job of the class served at once, less the
// loss of a job with a deadline shorter than its length, and less its worth if refused.
func (c Class) MeanPrice() float64 {
	if c.Deadline != (Grace{}) {
		return c.Utility(c.Length.Mean(), c.Width.Mean()).At(0)
	}
	return c.StatedPrice()
}

// StatedPrice returns the tariff of a job of mean length and width.
func (c Class) StatedPrice() float64 { return c.Price.Of(c.Length.Mean(), c.Width.Mean()) }

// MeanDecay returns v_s, the mean loss of a job of the class per second late.
func (c Class) MeanDecay() float64 {
	if c.DecayOfPrice == 0 {
		return c.Decay
	}
	return c.Decay + c.DecayOfPrice*c.StatedPrice()
}

// MeanGrace returns tau_s, the wait that costs a job of mean length nothing: the grace,
// or the deadline less the length, at least 0.
func (c Class) MeanGrace() float64 {
	mean := c.Length.Mean()
	if c.Deadline != (Grace{}) {
		return math.Max(0, c.Deadline.Of(mean)-mean)
	}
	return c.Grace.Of(mean)
}

// Urgency returns f_s = v_s / b1_s, (14): the loss per second of delay and
// second of length. Serving the most urgent class first loses least, (15).
func (c Class) Urgency() float64 { return c.MeanDecay() / c.Length.Mean() }

// Utility returns the utility of a job of the class with the given length and
// width as a function of its wait. Its grace is negative if the deadline is shorter than
// the job.
func (c *Class) Utility(length, width float64) Utility {
	price := c.Price.Of(length, width)
	u := Utility{Base: price, Decay: c.Decay + c.DecayOfPrice*price, Penalty: c.Floor.Of(price)}
	u.Grace = c.Grace.Of(length)
	if c.Deadline != (Grace{}) {
		u.Grace = c.Deadline.Of(length) - length
	}
	return u
}

// ServiceOrder returns the indices of classes by ascending urgency, (14)-(15):
// the last is served first. See ByUrgency for equals.
func ServiceOrder(classes []Class) []int {
	return ByUrgency(text.Each(classes, Class.Urgency))
}

// ByUrgency returns the indices of urgencies in ascending order. Equals keep their
// order, so that of equal classes the one further down is served first. An urgency
// equals the least of its group if it exceeds it by less than a billionth: urgencies
// are computed, and rounding must not decide.
func ByUrgency(urgency []float64) []int {
	const equal = 1e-9
	order := text.Numbers(len(urgency))
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(urgency[a], urgency[b]) })
	first := 0
	for k, i := range order {
		if least := urgency[order[first]]; urgency[i]-least > equal*least {
			slices.Sort(order[first:k])
			first = k
		}
	}
	slices.Sort(order[first:])
	return order
}

// Ranks returns the place of each index in an order such as that of ByUrgency.
func Ranks(order []int) []int {
	ranks := make([]int, len(order))
	for rank, i := range order {
		ranks[i] = rank
	}
	return ranks
}
