package study

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"revopt/internal/text"
	"revopt/model"
	"revopt/model/scenario"
	"revopt/optimize"
	"revopt/optimize/control"
	"revopt/simulate"
	"revopt/simulate/workload"
)

// ControlAnswer is an admission that looks at the queue, and its gain over the best static one.
type ControlAnswer struct {
	Kind                   string           `json:"kind"`
	RevenuePerSecond       Number           `json:"revenue_per_second"`
	UpperBoundPerSecond    Number           `json:"upper_bound_per_second"` // null where nothing is proven
	RelativeGap            Number           `json:"relative_gap"`           // of the two, over the bound; null where nothing is proven
	StaticRevenuePerSecond Number           `json:"static_revenue_per_second"`
	Gain                   Number           `json:"gain"` // over static admission, as a share of it
	Thresholds             []ClassThreshold `json:"thresholds"`
	States                 int              `json:"states"`
	Prices                 []StatePrices    `json:"prices,omitempty"` // where prices are chosen by the state
}

// StatePrices are the mean prices of a class by the number of jobs that wait.
type StatePrices struct {
	Name    string   `json:"name"`
	Idle    Number   `json:"idle"`    // $, while a server is idle
	Busy    []Number `json:"busy"`    // $, while 0, 1, ... servers are busy, and not all
	Waiting []Number `json:"waiting"` // $, while no server is idle and 0, 1, ... jobs wait; null: none is sold
}

// Open reports whether a proof was tried and did not close.
func (c *ControlAnswer) Open() bool { return float64(c.RelativeGap) > optimize.Loose }

// control returns the queue that an analysis is of.
func (a *Analysis) control() control.Settings {
	s := control.Settings{Waiting: -1, Servers: a.System.Residual == model.Multiserver}
	if a.Waiting != nil {
		s.Waiting = *a.Waiting
	}
	return s
}

// Controllable reports whether admissions that look at the queue can be found.
func (a *Analysis) Controllable() bool {
	_, err := overParts(a, func(part *Analysis) (any, error) {
		return nil, control.Check(part.System, part.control())
	})
	return err == nil
}

// SolveControl finds the admission that earns most of those that look at the
// queue: all of them for ControlState, with a proof, or those by thresholds. A
// system whose state is not small is an *control.UnsuitableError.
func SolveControl(ctx context.Context, a *Analysis, kind string, gap float64) (*ControlAnswer, error) {
	settings, rented := a.control(), a.System.Outside() // $/s
	settings.Gap = gap
	if kind == ControlThreshold {
		r, err := control.Thresholds(ctx, a.System, settings)
		if err != nil {
			return nil, err
		}
		r.Revenue, r.Static = r.Revenue+rented, r.Static+rented
		c := &ControlAnswer{
			Kind: kind, RevenuePerSecond: Number(r.Revenue), StaticRevenuePerSecond: Number(r.Static),
			UpperBoundPerSecond: Number(math.Inf(1)), RelativeGap: Number(math.NaN()),
		}
		c.Thresholds = classThresholds(names(a.System.Classes), simulate.Thresholds{Share: r.Share, Waiting: r.Waiting})
		c.Gain = c.RevenuePerSecond/c.StaticRevenuePerSecond - 1
		return c, nil
	}
	r, err := control.Solve(ctx, a.System, settings)
	if err != nil {
		return nil, err
	}
	r.Revenue, r.Static, r.UpperBound = r.Revenue+rented, r.Static+rented, r.UpperBound+rented
	// Static admission is one of them, where the table of decisions falls short.
	revenue := math.Max(r.Revenue, r.Static)
	c := &ControlAnswer{
		Kind: kind, RevenuePerSecond: Number(revenue), StaticRevenuePerSecond: Number(r.Static), Gain: Number(revenue/r.Static - 1),
		UpperBoundPerSecond: Number(r.UpperBound), RelativeGap: Number(math.Max(0, (r.UpperBound-revenue)/r.UpperBound)),
		States: r.States,
	}
	if r.UpperBound < r.Static*(1-1e-9) {
		return nil, &control.UnsuitableError{Reason: "has prices and decays that differ too much in size for a proof"}
	}
	c.Thresholds = readOff(a.System.Classes, r)
	for i, class := range a.System.Classes {
		if r.Asked == nil || r.Asked[i] == nil {
			continue
		}
		c.Prices = append(c.Prices, StatePrices{
			class.Name, Number(r.Asked[i][0]), numbersOf(r.Idle[i]), numbersOf(r.Asked[i][1:]),
		})
	}
	return c, nil
}

func readOff(classes []model.Class, r *control.Result) []ClassThreshold {
	var list []ClassThreshold
	for i, class := range classes {
		t := r.Thresholds[i]
		read := ClassThreshold{Name: class.Name, Waiting: limit(t.Some), Surely: limit(t.All), Reserved: t.Reserved}
		if t.Never {
			read.Admit = new(Number)
		}
		list = append(list, read)
	}
	return list
}

// thresholds searches for limits on waiting jobs, and the probabilities below
// them. It begins with the best static admission of a search, so that its result
// is worse by chance alone.
//
// A limit K is searched as the share k in K = scale k/(1 - k), where 1 is no
// limit, so that Maximize walks from few to all.
func (s Search) thresholds(ctx context.Context, starts [][]float64) (simulate.Thresholds, error) {
	static, err := s.Admission(ctx, starts)
	if err != nil {
		return simulate.Thresholds{}, err
	}
	n := len(static)
	scale := 4.0
	for _, site := range s.Experiment.Workload.Sites() {
		scale = math.Max(scale, math.Sqrt(float64(site.Processors)))
	}
	rule := func(x []float64) simulate.Thresholds {
		t := simulate.Thresholds{Share: slices.Clone(x[:n]), Waiting: make([]int, n)}
		for i, k := range x[n:] {
			t.Waiting[i] = -1
			if k < 1 {
				t.Waiting[i] = int(math.Round(scale * k / (1 - k)))
			}
		}
		return t
	}
	open := append(slices.Clone(static), slices.Repeat([]float64{1}, n)...)
	begin := [][]float64{open, slices.Repeat([]float64{1}, 2*n)}
	// A limit pays where it replaces a lottery, which takes more than one step: let
	// in up to a limit the classes that static admission refuses, or refuses in part.
	for _, least := range []float64{-1, 0} {
		for waiting := 1.0; waiting <= 1024; waiting *= 2 {
			x := slices.Clone(open)
			for i, q := range static {
				if q < 1 && q > least {
					x[i], x[n+i] = 1, waiting/(scale+waiting)
				}
			}
			if !slices.Equal(x, open) {
				begin = append(begin, x)
			}
		}
	}
	best, err := s.maximize(ctx, begin, func(_ context.Context, x []float64) (workload.Workload, Admission, error) {
		return s.Experiment.Workload, Admission{Rule: rule(x)}, nil
	})
	if err != nil {
		return simulate.Thresholds{}, err
	}
	return rule(best), nil
}

// simulated returns the queue of the simulator, whose nodes are real servers
// whatever the delays of the formulas are: the optimum of one pooled server would
// say nothing of states in which some of them are idle.
func (a *Analysis) simulated() (model.System, control.Settings) {
	sys, s := a.System, a.control()
	s.Servers = true
	sys.Parallel = math.Max(1, math.Floor(float64(a.Units)/sys.Classes[0].Width.Mean()))
	return sys, s
}

// computable reports why an admission cannot be computed, before anything runs: a *NoModelError, a
// *NoPromiseError or a *control.UnsuitableError.
func computable(s *Subject, a Admission) error {
	if a.Admit != nil || a.Rule != nil {
		return nil
	}
	switch a.Name {
	case scenario.AdmitPromise:
		if !slices.ContainsFunc(s.Workload.Customers(), func(c model.Class) bool { return c.SLO != nil }) {
			return &NoPromiseError{s.Scenario.Name}
		}
	case scenario.AdmitPrices, scenario.AdmitPricesSimulated:
		if p := s.Workload.Pools(); p != nil && p.Cut {
			return s.Document.Blame("prices are chosen only where the jobs of every class stay in one pool", "pools")
		}
		if !slices.ContainsFunc(s.Scenario.Classes, func(c model.Class) bool { return c.Demand != nil }) {
			return &NoDemandError{File: s.Document.File()}
		}
	case scenario.AdmitAnalytic:
		return modeled(s)
	case ControlState:
		if err := modeled(s); err != nil {
			return err
		}
		if s.Trace != nil {
			return &control.UnsuitableError{Reason: "is a fit to a trace, whose jobs do not say in which of its classes they are"}
		}
		a, err := Analyze(context.Background(), s, 0, 0)
		if err != nil {
			return err
		}
		for _, part := range a.Parts() {
			if err := control.Check(part.simulated()); err != nil {
				return err
			}
		}
	}
	return nil
}

// compute returns the admission of an experiment that its name asks for, searched on
// the simulator with the given effort where the model does not have it. Thresholds are
// those of the model where it has any.
func (m *Admissions) compute(ctx context.Context, e *Experiment, effort *scenario.SearchEffort, workers int, progress Progress) (a Admission, err error) {
	a = e.Admission
	switch a.Name {
	case scenario.AdmitAnalytic:
		a.Admit, err = m.Analytic(ctx)
		return a, err
	case ControlState:
		a.Rule, err = m.table(ctx)
		return a, err
	case ControlThreshold:
		if a.Rule, err = m.thresholds(ctx, e.Policy); err != nil || a.Rule != nil {
			return a, err
		}
	case scenario.AdmitSimulated, scenario.AdmitPromise:
	default:
		return a, nil
	}
	a.Searched = true
	what := "best admission under " + e.Policy.Label()
	if a.Name == scenario.AdmitPromise {
		what = "best admission that keeps the promises under " + e.Policy.Label()
	}
	search := Search{e, *effort, workers, func() { progress.tell("searching the "+what+", runs", 1, 0) }}
	starts, err := m.Starts(ctx)
	switch {
	case err != nil:
	case a.Name == scenario.AdmitPromise:
		var exact bool
		var grid [][]float64
		if starts, grid, exact, a.Exact, err = m.promiseStarts(ctx, e.Policy); err == nil {
			a.Admit, a.Checks, a.Formula, err = search.promises(ctx, starts, grid, exact)
		}
	case a.Name == ControlThreshold:
		a.Rule, err = search.thresholds(ctx, starts)
	default:
		a.Admit, err = search.Admission(ctx, starts)
		a.Admit = slices.Clone(a.Admit)
	}
	if err != nil {
		err = fmt.Errorf("search for the %s: %w", what, err)
	}
	return a, err
}

func (m *Admissions) table(ctx context.Context) (simulate.Admission, error) {
	if err := computable(m.Subject, Admission{Name: ControlState}); err != nil {
		return nil, err
	}
	a, err := m.Analysis(ctx)
	if err != nil {
		return nil, err
	}
	rule := &tableRule{}
	limits, err := overParts(a, func(part *Analysis) ([]ClassThreshold, error) {
		sys, settings := part.simulated()
		r, err := control.Solve(ctx, sys, settings)
		if err != nil {
			return nil, err
		}
		rule.tables, rule.classes = append(rule.tables, r.Table), append(rule.classes, share(part, a.Customer))
		rule.states += r.Table.States()
		return readOff(sys.Classes, r), nil
	})
	if err != nil {
		return nil, err
	}
	rule.limits = byCustomer(a, gather(a, limits), len(m.Subject.Workload.Customers()), ClassThreshold{})
	return rule, nil
}

// thresholds returns the best thresholds of the model, nil where it has none: for
// jobs of several mean lengths a search on the simulator takes less time.
func (m *Admissions) thresholds(ctx context.Context, p Policy) (simulate.Admission, error) {
	a, err := m.Analysis(ctx)
	if err != nil || a.Fit != nil || !m.ranked(p) {
		return nil, ctx.Err() // there is no model of the jobs, or of the policy
	}
	found, err := overParts(a, func(part *Analysis) (*control.ThresholdResult, error) {
		sys, settings := part.simulated()
		otherLength := func(c model.Class) bool { return c.Length.Mean() != sys.Classes[0].Length.Mean() }
		if slices.ContainsFunc(sys.Classes, otherLength) {
			return nil, &control.UnsuitableError{}
		}
		return control.Thresholds(ctx, sys, settings)
	})
	var none *control.UnsuitableError
	switch {
	case errors.As(err, &none):
		return nil, nil
	case err != nil:
		return nil, err
	}
	share := gather(a, text.Each(found, func(r *control.ThresholdResult) []float64 { return r.Share }))
	waiting := gather(a, text.Each(found, func(r *control.ThresholdResult) []int { return r.Waiting }))
	n := len(m.Subject.Workload.Customers())
	return simulate.Thresholds{Share: byCustomer(a, share, n, 1), Waiting: byCustomer(a, waiting, n, -1)}, nil
}

// ranked reports whether all pools are served in the order of the model.
func (m *Admissions) ranked(p Policy) bool {
	other := func(p *Policy) bool { return p != nil && !p.Spec.Ranked }
	pooled, err := m.Subject.pooled()
	return p.Spec.Ranked && err == nil && !slices.ContainsFunc(pooled, other)
}
