package study

import (
	"cmp"
	"context"
	"math"
	"slices"

	"revopt/internal/text"
	"revopt/model/scenario"
	"revopt/optimize/control"
	"revopt/simulate"
)

// ExactAnswer is what only the exact utility knows.
type ExactAnswer struct {
	RevenueError Number          `json:"revenue_error"` // $/s, of the numerical inversion
	Promises     []PromiseAnswer `json:"promises"`
	PromiseCost  Number          `json:"promise_cost"`       // $/s that the promises cost
	Refusing     *RefusalAnswer  `json:"refusing,omitempty"` // absent where keeping the promises earns more
}

// RefusalAnswer is the revenue if some classes are refused, so that their promises are void.
type RefusalAnswer struct {
	Classes          []string `json:"classes"`
	RevenuePerSecond Number   `json:"revenue_per_second"`
}

// PromiseAnswer is what becomes of a promise.
type PromiseAnswer struct {
	Name     string `json:"name"`
	Within   Number `json:"within"` // s
	Level    Number `json:"level"`  // promised
	Kept     Number `json:"kept"`   // probability, of a job that is, or were, admitted
	Admitted bool   `json:"admitted"`
	Cost     Number `json:"cost"` // $/s: how much more is earned without it, and with all other promises
}

func computedAdmissions() []string {
	return []string{scenario.AdmitAnalytic, scenario.AdmitSimulated, scenario.AdmitPromise, ControlState, ControlThreshold, scenario.AdmitPricesSimulated}
}

// Check is how far an admission keeps a promise on numbers that no search has seen.
type Check struct {
	Name      string `json:"name"`
	Pool      string `json:"pool,omitempty"` // "": all of them
	Within    Number `json:"within"`         // s
	Level     Number `json:"level"`          // promised
	Kept      Number `json:"kept"`           // share of the admitted jobs
	HalfWidth Number `json:"half_width"`     // of its interval at 95 %

	first int // of the probabilities that are about its jobs
}

// Keeping says how an admission that is to keep promises was found. It is zero for others.
type Keeping struct {
	Checks  []Check      // of the promises to classes that it admits
	Formula bool         // it is that of Exact, which is of this very queue; else it was searched
	Exact   *ExactAnswer // by the model of real servers; nil where there is no model
}

// Short returns the checks of promises that an admission was to keep and does not.
func (k Keeping) Short() []Check {
	return text.Where(k.Checks, func(c Check) bool { return !k.Formula && c.Kept+c.HalfWidth < c.Level })
}

// AskedPrice is the price of a customer, in the unit in which it is stated.
type AskedPrice struct {
	Name  string `json:"name"`
	Price Number `json:"price"`
	Unit  string `json:"unit"`  // $, $/hour or $/node-hour
	Comes Number `json:"comes"` // jobs at this price over those at the stated one
}

// priced reports whether an admission goes with prices that are chosen.
func (a Admission) priced() bool {
	return a.Name == scenario.AdmitPrices || a.Name == scenario.AdmitPricesSimulated
}

// Admission decides which jobs are let in.
type Admission struct {
	Name   string             // all, analytic, ...; probabilities where it has none
	Admit  []float64          // probability by customer; nil admits all
	Rule   simulate.Admission // in place of Admit; nil: by Admit
	Prices []AskedPrice       // that it goes with, where prices were chosen

	Searched bool // on the simulator
	Keeping

	limits []ClassThreshold         // of a rule that was found, as far as a journal has it
	blame  func(words string) error // the error of an admission that cannot be had; nil outside sweeps
	change string                   // that asks for it, for messages
}

// rule returns the admission as the kernel takes it, nil where all are let in.
func (a Admission) rule() simulate.Admission {
	switch {
	case a.Rule != nil:
		return a.Rule
	case a.Admit == nil:
		return nil
	}
	return simulate.Lottery(a.Admit)
}

// random reports whether lots decide, as they may in a rule that is not known.
func (a Admission) random() bool {
	lots := a.Admit
	switch r := a.Rule.(type) {
	case nil, *tableRule:
	case simulate.Thresholds:
		lots = r.Share
	case simulate.Lottery:
		lots = r
	default:
		return true
	}
	return slices.ContainsFunc(lots, func(q float64) bool { return q > 0 && q < 1 })
}

// The numbers of a finder for each customer; then by formula or not, searched or not.
const (
	foundAdmit = iota
	foundWaiting
	foundSurely
	foundKept
	foundHalf
	foundNumbers
)

// numbers returns an admission that was found as the numbers of its cell. Customers
// that it does not know are admitted.
func (a Admission) numbers(names []string) []float64 {
	list := slices.Repeat([]float64{math.NaN()}, foundNumbers*len(names)+2)
	admit, rule := a.Admit, a.thresholds(names)
	if len(admit) < len(names) {
		admit = append(slices.Clone(admit), slices.Repeat([]float64{1}, len(names)-len(admit))...)
	}
	for i := range names {
		own := list[foundNumbers*i:][:foundNumbers]
		own[foundAdmit] = admit[i]
		if i < len(rule) {
			own[foundAdmit], own[foundWaiting], own[foundSurely] = numberOf(rule[i].Admit), numberOf(rule[i].Waiting), numberOf(rule[i].Surely)
		}
		for _, c := range a.Checks {
			if c.first == i {
				own[foundKept], own[foundHalf] = float64(c.Kept), float64(c.HalfWidth)
			}
		}
	}
	copy(list[len(list)-2:], []float64{flag(a.Formula), flag(a.Searched)})
	return list
}

// The kinds of admission that look at the queue.
const (
	ControlState     = scenario.AdmitState     // the best of all, as a table of decisions
	ControlThreshold = scenario.AdmitThreshold // the best limits on the jobs that wait, by customer
)

// ClassThreshold says when a class is refused: while so many jobs, of all
// classes together, wait. By a threshold rule a class with 0 is never let in; by a
// table of decisions it is let in where it can start at once.
type ClassThreshold struct {
	Name     string  `json:"name"`
	Admit    *Number `json:"admit,omitempty"`    // probability below the limit; of a table of decisions 0 where it is refused always
	Waiting  *int    `json:"waiting"`            // least number at which it is refused; null: never
	Surely   *int    `json:"surely,omitempty"`   // of a table of decisions: from here on it is refused in every state
	Reserved bool    `json:"reserved,omitempty"` // of a table of decisions: it is refused in some states where it could start at once
}

// limit returns a limit, nil where there is none.
func limit(waiting int) *int {
	if waiting < 0 {
		return nil
	}
	return &waiting
}

// tableRule lets a table of decisions admit jobs at a single site, or one for each pool.
type tableRule struct {
	tables  []*control.Table
	classes [][]int          // of jobs, that each table is about
	limits  []ClassThreshold // read off the tables
	states  int              // of all tables
}

func (t *tableRule) Admit(j *simulate.Job, sites []*simulate.Cluster) bool {
	own := -1
	table := slices.IndexFunc(t.classes, func(classes []int) bool {
		own = slices.Index(classes, j.Class)
		return own >= 0
	})
	n := len(t.classes[table])
	counts := make([]int, 2*n)
	waiting, running := counts[:n], counts[n:]
	for k, class := range t.classes[table] {
		waiting[k], running[k] = sites[0].WaitingOf(class), sites[0].Running(class)
	}
	return t.tables[table].Admit(own, waiting, running)
}

func classThresholds(names []string, rule simulate.Thresholds) []ClassThreshold {
	return each(rule.Share, func(i int, q float64) ClassThreshold {
		return ClassThreshold{Name: names[i], Admit: optional[Number](q), Waiting: limit(rule.Waiting[i])}
	})
}

// thresholdRule is the inverse of classThresholds.
func thresholdRule(limits []ClassThreshold) simulate.Thresholds {
	var r simulate.Thresholds
	for _, t := range limits {
		k := -1
		if t.Waiting != nil {
			k = *t.Waiting
		}
		r.Share, r.Waiting = append(r.Share, numberOf(t.Admit)), append(r.Waiting, k)
	}
	return r
}

// thresholds returns the limits of an admission that looks at the queue; nil for others.
func (a Admission) thresholds(names []string) []ClassThreshold {
	switch rule := a.Rule.(type) {
	case simulate.Thresholds:
		return classThresholds(names, rule)
	case *tableRule:
		return rule.limits
	}
	return nil
}

// Admitted is an admission whose numbers were computed, and their origin.
type Admitted struct {
	Admission
	Policy    Policy
	Fitted    int     // job classes that were fitted to a trace for the model; 0 without a fit
	Certified bool    // proven to be the best of the model
	Gap       float64 // of the proof, as a share of the revenue
}

// Admit computes an admission that is given by name, under a policy, or that of the
// scenario for nil. An admission with probabilities or a rule stays as it is.
func Admit(
	ctx context.Context, s *Subject, a Admission, under *Policy, seed uint64, workers int, progress Progress,
) (Admitted, error) {
	policies, err := s.Policies()
	if err != nil {
		return Admitted{}, err
	}
	got := Admitted{Admission: a, Policy: *cmp.Or(under, &policies[0])}
	if a.Admit != nil || a.Rule != nil {
		if p := s.Workload.Pools(); p != nil {
			got.Admission.Admit = inSections(p, a.Admit)
		}
		return got, nil
	}
	m := &Admissions{Subject: s, Seed: seed}
	e := &Experiment{Workload: s.Workload, Policy: got.Policy, Admission: a, Seed: seed}
	got.Admission, err = m.compute(ctx, e, &scenario.SearchEffort{}, max(1, workers), progress)
	if err == nil && m.best != nil {
		got.Certified, got.Gap = m.best.Certified, float64(m.best.RelativeGap)
	}
	if err == nil && m.own != nil && m.own.Fit != nil {
		got.Fitted = len(m.own.System.Classes)
	}
	return got, err
}
