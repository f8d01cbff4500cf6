package control

import (
	"context"
	"fmt"
	"math"
	"slices"

	"revopt/model"
	"revopt/optimize"
)

// Settings describe the queue and the proof. The zero value is one pooled
// server without a waiting room.
type Settings struct {
	Gap       float64 // relative gap to prove; 0 means 1e-6
	MaxStates int     // states beyond which not to go; 0 means 10^7
	Waiting   int     // most jobs that may wait; negative: no limit
	Servers   bool    // Parallel servers, a whole number; else one that is Parallel times as fast
}

func (s Settings) gap() float64 {
	if s.Gap > 0 {
		return s.Gap
	}
	return 1e-6
}

func (s Settings) maxStates() int {
	if s.MaxStates > 0 {
		return s.MaxStates
	}
	return 10_000_000
}

// UnsuitableError says why a system has no small Markov decision process.
type UnsuitableError struct {
	Class  string // empty if the reason is not a class
	Reason string
}

func (e *UnsuitableError) Error() string {
	subject := "the system"
	if e.Class != "" {
		subject = "class " + e.Class
	}
	return fmt.Sprintf("no state-dependent optimum: %s %s; "+
		"search thresholds on the simulator instead (revopt tune --over thresholds)", subject, e.Reason)
}

// Result is the best admission that depends on the state of the queue.
type Result struct {
	Revenue    float64 // $/s, at least, of the decisions of Table
	UpperBound float64 // $/s: no admission earns more, whatever it depends on
	Gap        float64 // (UpperBound - Revenue)/UpperBound
	Certified  bool    // Gap is at most the gap asked for
	// Static is the $/s of the best static admission found. On servers with jobs of
	// several mean lengths it is good to a thousandth, at the edge of stability the
	// limit that admissions below it reach.
	Static     float64
	States     int // of the process whose decisions are in Table
	Thresholds []Switch
	Table      *Table
}

// Switch describes the decisions on a class by the number of waiting jobs alone, in
// states that the table visits for a billionth of the time or more. Admission is by a
// threshold on that number if Some equals All and nothing is reserved.
type Switch struct {
	Some     int  // least number waiting at which some busy state refuses the class, -1: none
	All      int  // least number waiting from which on every state refuses it, -1: none
	Reserved bool // some states with an idle server refuse the class
	Never    bool // every state refuses the class
}

// ImpossibleError is a revenue above what the servers can earn without any wait: a defect
// of the program. Such a revenue is never returned.
type ImpossibleError struct{ Revenue, Fluid float64 } // $/s

func (e *ImpossibleError) Error() string {
	return fmt.Sprintf("this is a defect of revopt: an admission is computed to earn %g $/s, and at most %g $/s "+
		"are possible", e.Revenue, e.Fluid)
}

// fluid compares a revenue with the fluid bound.
func fluid(sys model.System, revenue float64) error {
	sys.Residual = model.Pooled
	most, err := optimize.Fluid(sys)
	if err == nil && revenue > most*(1+1e-6) {
		err = &ImpossibleError{Revenue: revenue, Fluid: most}
	}
	return err
}

// Solve returns the best admission that knows the state of the queue, in the Markov
// model: Poisson arrivals, exponential lengths, service by urgency without preemption,
// prices booked when service begins, and a loss of the decay for every second of
// waiting.
//
// Value iteration brackets the optimum of a process with finitely many queues. If jobs
// are refused at its limits, its optimum is an admission that can be used. If jobs may
// stay outside, worth a constant each, its optimum is an upper bound for every
// admission: docs/theory.md has the proof. The limits are raised until the two meet.
//
// A system whose state is not small is refused with a *UnsuitableError.
func Solve(ctx context.Context, sys model.System, s Settings) (*Result, error) {
	if err := controllable(sys, s); err != nil {
		return nil, err
	}
	if sys.Prices {
		priced, err := capped(ctx, sys)
		if err != nil {
			return nil, err
		}
		sys = priced
	}
	q := newProcess(sys, s, true)
	r := &Result{Thresholds: make([]Switch, len(sys.Classes)), Table: newTable(q, len(sys.Classes))}
	if len(q.places) == 0 {
		for i := range r.Thresholds {
			r.Thresholds[i].Never = true
		}
		r.Certified = true
		return r, nil
	}
	c := climb{process: q, gap: s.gap(), most: s.maxStates()}
	if err := c.start(); err != nil {
		return nil, err
	}
	if err := c.prove(ctx); err != nil {
		return nil, err
	}
	slip := c.slip()
	r.Revenue, r.UpperBound = c.revenue-slip, c.bound+slip
	if err := fluid(sys, r.Revenue); err != nil {
		return nil, err
	}
	r.States = q.states
	r.Gap = math.Max(0, (r.UpperBound-r.Revenue)/r.UpperBound)
	r.Certified = r.Gap <= s.gap()
	r.Table.value = c.h
	if err := r.readOff(ctx, c.u); err != nil {
		return nil, err
	}
	static, err := bestStatic(ctx, sys, s)
	if err != nil {
		return nil, err
	}
	r.Static = static.revenue
	if r.Static > r.Revenue && r.Static <= r.Revenue*(1+static.off) {
		r.Static = r.Revenue
	}
	return r, nil
}

// capped returns a priced system in which every price has an upper limit: that of the
// demand, the price at which no job comes, or ten times the larger of the stated and
// the best static price. A job pays the limit when its service begins, and gets the
// difference to its price when it arrives, so that jobs that are never served never
// pay. Rates have a limit as well, for the clock: four times the larger of the stated
// rate and that of a server full of the class.
func capped(ctx context.Context, sys model.System) (model.System, error) {
	const times, full = 10, 4
	formulas := sys
	formulas.Residual = model.Pooled
	static, err := optimize.Certified(ctx, formulas, optimize.Settings{})
	if err != nil {
		return sys, err
	}
	classes := slices.Clone(sys.Classes)
	for i := range classes {
		c := &classes[i]
		if c.Demand == nil || c.Demand.Rate == 0 {
			continue
		}
		price := c.Sale(static.Admit[i]).Price
		if math.IsInf(price, 1) { // at fixed prices nothing is sold
			price = c.Demand.Price
		}
		c.Rate = math.Min(c.Demand.Most(), full*math.Max(c.Demand.Rate, sys.Parallel/c.Length.Mean()))
		if c.Demand.Max > 0 {
			continue
		}
		d := *c.Demand
		d.Max = times * math.Max(d.Price, price)
		if d.Curve == model.LinearDemand {
			d.Max = d.PriceAt(0)
		}
		c.Demand = &d
	}
	sys.Classes = classes
	return sys, nil
}

// controllable returns the reason why a system is invalid or has no small process.
func controllable(sys model.System, s Settings) error {
	if err := sys.Validate(); err != nil {
		return err
	}
	for _, c := range sys.Classes {
		reason := ""
		kind, _, _ := model.Family(c.Length)
		switch {
		case kind != model.Exponential:
			reason = fmt.Sprintf("has lengths that are not exponential but %v", c.Length)
		case !c.Arrivals.Poisson():
			reason = fmt.Sprintf("has arrivals that are not Poisson but %v", c.Arrivals)
		case c.Deadline != (model.Grace{}):
			reason = "has a deadline"
		case c.Grace != (model.Grace{}):
			reason = "has a grace"
		case c.Hard > 0:
			reason = "has jobs that are worth nothing once late"
		case c.MeanDecay() > 0 && !c.Floor.None:
			reason = "has a max_penalty"
		case c.MeanDecay() > 0 && c.Expire == model.ExpireZero:
			reason = "has jobs that give up when their value is gone"
		case c.Patience > 0:
			reason = "has a patience"
		case s.Servers && mixedWidths(sys):
			reason = "has jobs of another width than others"
		}
		if reason != "" {
			return &UnsuitableError{Class: c.Name, Reason: reason}
		}
	}
	if n := sys.Parallel; s.Servers && (n < 1 || n != math.Trunc(n) || n > math.MaxInt32) {
		return &UnsuitableError{Reason: fmt.Sprintf("has %g servers, which is not a whole number", n)}
	}
	return nil
}

// mixedWidths reports whether jobs occupy different numbers of nodes.
func mixedWidths(sys model.System) bool {
	mean := sys.Classes[0].Width.Mean()
	other := func(v float64) bool { return v != mean }
	return slices.ContainsFunc(sys.Classes, func(c model.Class) bool {
		return other(c.Width.Mean()) || slices.ContainsFunc(c.Width.Values, other)
	})
}

// Check returns a *UnsuitableError if the state of a system is not small. It
// solves nothing.
func Check(sys model.System, s Settings) error {
	if err := controllable(sys, s); err != nil {
		return err
	}
	c := climb{process: newProcess(sys, s, true), most: s.maxStates()}
	if len(c.places) == 0 {
		return nil
	}
	_, err := c.first()
	return err
}
