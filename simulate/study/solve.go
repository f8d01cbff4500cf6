package study

import (
	"cmp"
	"context"
	"math"
	"slices"

	"revopt/internal/text"
	"revopt/model"
	"revopt/model/scenario"
	"revopt/optimize"
)

// Solution is an admission and what follows from it in the queueing model.
type Solution struct {
	RevenuePerSecond    Number          `json:"revenue_per_second"`
	RevenuePerHour      Number          `json:"revenue_per_hour"`
	UpperBoundPerSecond Number          `json:"upper_bound_per_second"` // null where nothing is proven
	RelativeGap         Number          `json:"relative_gap"`           // null where nothing is proven
	Method              string          `json:"method"`
	Certified           bool            `json:"certified"` // the gap asked for is proven
	Tied                bool            `json:"tied"`      // other admissions earn the same
	Load                Number          `json:"load"`      // offered
	Utilization         Number          `json:"utilization"`
	MeanDelay           Number          `json:"mean_delay"` // s, over admitted jobs; null where there are none
	Classes             []ClassSolution `json:"classes"`
	Rent                *RentAnswer     `json:"rent,omitempty"`

	binds bool // the optimum lies at the edge of stability
}

// ClassSolution is that of one class.
type ClassSolution struct {
	Name             string `json:"name"`
	Pool             string `json:"pool,omitempty"`
	Admit            Number `json:"admit"`
	OfferedRate      Number `json:"offered_rate"`  // jobs/s
	AdmittedRate     Number `json:"admitted_rate"` // jobs/s
	Utilization      Number `json:"utilization"`
	MeanWait         Number `json:"mean_wait"` // s, of a job that is, or were, admitted
	RevenuePerSecond Number `json:"revenue_per_second"`
	RentedRate       Number `json:"rented_rate,omitempty"` // jobs/s, refused and run on rented units
	*PriceAnswer
}

// PriceAnswer is the price that was chosen for a class and its consequences.
type PriceAnswer struct {
	Price       Number `json:"price"`            // $ per job, on average
	Rate        Number `json:"rate"`             // jobs/s that come at this price
	Marginal    Number `json:"marginal_revenue"` // $ that the last job sold brings; null where none is sold
	Externality Number `json:"externality"`      // $: the cost that one more job imposes on all others
}

// newSolution evaluates the system at the admission that was found.
func newSolution(sys model.System, r optimize.Result) (*Solution, error) {
	hol, err := model.NewHOL(sys)
	if err != nil {
		return nil, err
	}
	n := hol.Len()
	waits := hol.Waits(make([]float64, n), r.Admit)
	earns := hol.ClassRevenue(make([]float64, n), r.Admit)
	rented := sys.Outside()
	if r.Revenue, r.UpperBound = r.Revenue+rented, r.UpperBound+rented; rented > 0 && !math.IsInf(r.UpperBound, 1) {
		r.Gap = (r.UpperBound - r.Revenue) / r.UpperBound
	}
	s := &Solution{
		RevenuePerSecond: Number(r.Revenue), RevenuePerHour: Number(r.Revenue * 3600),
		UpperBoundPerSecond: Number(r.UpperBound), RelativeGap: Number(r.Gap),
		Method: string(r.Method), Certified: r.Certified, Tied: r.Tied, binds: r.StabilityBinds,
		Load: Number(sys.Load()), Utilization: Number(hol.Utilization(r.Admit)), Classes: make([]ClassSolution, n),
	}
	var costs, pays []float64
	if sys.Prices {
		pays = hol.Marginals(make([]float64, n), r.Admit)
		if costs, err = optimize.Externalities(sys, r); err != nil {
			return nil, err
		}
		s.Load = 0
	}
	for i, c := range sys.Classes {
		admitted := r.Admit[i] * c.Rate
		s.Classes[i] = ClassSolution{
			Name: c.Name, Pool: c.Pool, Admit: Number(r.Admit[i]),
			OfferedRate: Number(c.Rate), AdmittedRate: Number(admitted),
			Utilization: Number(admitted * c.Length.Mean() / sys.Parallel),
			MeanWait:    Number(waits[i]), RevenuePerSecond: Number(earns[i] + c.Rate*c.Outside.Worth),
		}
		s.rent(i, c)
		if sys.Prices {
			sale, k := c.Sale(r.Admit[i]), &s.Classes[i]
			k.Admit, k.OfferedRate = Number(sale.Admit), Number(sale.Rate)
			k.PriceAnswer = &PriceAnswer{
				Price: Number(sale.Price), Rate: Number(sale.Rate), Marginal: Number(pays[i]), Externality: Number(costs[i]),
			}
			if admitted == 0 {
				k.Marginal = Number(math.NaN())
			}
			s.Load += Number(sale.Rate * c.Length.Mean() / sys.Parallel)
		}
	}
	s.MeanDelay = Number(s.meanDelay())
	return s, nil
}

// Best finds the static admission that earns most, with the given convention for delays.
func (a *Analysis) Best(ctx context.Context, r model.Residual) (*Solution, error) {
	list, err := overParts(a, func(part *Analysis) (*Solution, error) {
		sys := part.System
		sys.Residual = r
		best, err := optimize.Solve(ctx, sys, optimize.Settings{})
		if err != nil {
			return nil, err
		}
		return newSolution(sys, best)
	})
	if err != nil {
		return nil, err
	}
	return a.sum(list), nil
}

// Admit returns the probabilities by class.
func (s *Solution) Admit() []float64 {
	return text.Each(s.Classes, func(c ClassSolution) float64 { return float64(c.Admit) })
}

// Rates returns how many jobs arrive and are admitted per second.
func (s *Solution) Rates() (offered, admitted float64) {
	for _, c := range s.Classes {
		offered += float64(c.OfferedRate)
		admitted += float64(c.AdmittedRate)
	}
	return offered, admitted
}

// meanDelay returns the mean wait over admitted jobs, NaN where there are none.
func (s *Solution) meanDelay() float64 {
	var sum float64
	for _, c := range s.Classes {
		if c.AdmittedRate > 0 {
			sum += float64(c.AdmittedRate * c.MeanWait)
		}
	}
	_, admitted := s.Rates()
	return sum / admitted
}

// Proven reports whether there is a bound.
func (s *Solution) Proven() bool { return !math.IsInf(float64(s.UpperBoundPerSecond), 0) }

// doubts returns warnings about a solution, other than that it is unproven.
func (s *Solution) doubts() []Warning {
	var list []Warning
	addIf(&list, s.binds, fact(WarnEdge))
	for _, c := range s.Classes {
		addIf(&list, c.AdmittedRate > 0 && math.IsInf(float64(c.MeanWait), 0), fact(WarnInfiniteWait, c.Name))
	}
	return list
}

// SolveOptions say what to solve; the zero value is the proven linear optimum to 1e-6.
type SolveOptions struct {
	Method  optimize.Method // "" is MethodCertified
	Control string          // ControlState or ControlThreshold: admission that looks at the queue, besides; "" is none
	Prices  bool            // prices are chosen too, where classes state a demand
	Exact   bool            // the exact utility, job by job, instead of the loss by the mean wait
	Gap     float64         // relative; 0 is 1e-6
	Version string          // of the program
	Runner  *Runner         // of SolveCurve: its journal holds the points; may be nil
	Name    string          // of the curve in a journal: all that it depends on
}

// Answer is the admission that earns most, with its bound and shadow prices.
type Answer struct {
	Scenario  string     `json:"scenario"`
	Version   string     `json:"version"`
	Overrides []string   `json:"overrides"`
	TraceFile *TraceFile `json:"trace_file,omitempty"`
	Optimum
	Providers []ProviderAnswer `json:"providers,omitempty"` // the further ones, of the jobs that those before them refuse
	Pools     []PoolOptimum    `json:"pools,omitempty"`     // whose sum it is
	Warnings  []Warning        `json:"warnings"`
	Fitted    bool             `json:"fitted,omitempty"` // the classes are fitted to a trace
}

// Optimum is the best admission to a machine or a pool, and the prices of more.
type Optimum struct {
	Solution
	Prices  ShadowPrices   `json:"shadow_prices"`
	Stated  *Number        `json:"stated_prices_per_second,omitempty"` // of the best admission at the stated prices
	Control *ControlAnswer `json:"control,omitempty"`
	Exact   *ExactAnswer   `json:"exact,omitempty"`
	System  model.System   `json:"-"`
}

// PoolOptimum is the best admission to a pool.
type PoolOptimum struct {
	PoolHead
	ShadowPrice Number `json:"shadow_price"` // $/s per extra unit
	Optimum
}

// ShadowPrices are prices at fixed offered rates.
type ShadowPrices struct {
	Capacity Number       `json:"capacity"` // $/s per extra parallel slot; null beside pools
	Classes  []ClassPrice `json:"classes"`
}

// ClassPrice is the shadow price of the demand of a class.
type ClassPrice struct {
	Name   string `json:"name"`
	Demand Number `json:"demand"` // $ per extra arriving job
}

// Solve finds the admission that earns most in the queueing model.
func Solve(ctx context.Context, a *Analysis, o SolveOptions) (*Answer, error) {
	o.Gap = cmp.Or(o.Gap, 1e-6)
	if a.Pools != nil {
		return solvePools(ctx, a, o)
	}
	if o.Exact {
		return solveExact(ctx, a, o)
	}
	settings := optimize.Settings{Gap: o.Gap}
	solve := optimize.Solve
	if o.Method == optimize.MethodCG {
		solve = optimize.ConjugateGradient
	}
	stated := a.System
	if o.Prices {
		priced, err := a.priced()
		if err != nil {
			return nil, err
		}
		a = priced
	}
	r, err := solve(ctx, a.System, settings)
	if err != nil {
		return nil, err
	}
	s, err := newSolution(a.System, r)
	if err != nil {
		return nil, err
	}
	err = a.rentGain(s, func(sys model.System) (float64, error) {
		without, err := solve(ctx, sys, settings)
		return without.Revenue, err
	})
	if err != nil {
		return nil, err
	}
	shadow, err := optimize.ShadowPrices(ctx, a.System, r)
	if err != nil {
		return nil, err
	}
	answer := newAnswer(a, s, shadow, o)
	if a.after != nil && !o.Prices {
		if answer.Providers, err = a.after(ctx, r.Admit); err != nil {
			return nil, err
		}
	}
	if o.Prices {
		fixed, err := solve(ctx, stated, settings)
		if err != nil {
			return nil, err
		}
		x := Number(fixed.Revenue)
		answer.Stated = &x
	}
	if o.Control != "" {
		if answer.Control, err = SolveControl(ctx, a, o.Control, o.Gap); err != nil {
			return nil, err
		}
	}
	doubts := append(s.unproven(a.System.Residual, o.Gap), s.doubts()...)
	answer.Warnings = append(answer.Warnings, slices.Concat(a.Ignored, doubts)...)
	return answer, nil
}

func solvePools(ctx context.Context, a *Analysis, o SolveOptions) (*Answer, error) {
	for i, c := range a.System.Classes {
		across := func(d model.Class) bool { return d.SLO == c.SLO && d.Pool != c.Pool }
		if o.Exact && c.SLO != nil && slices.ContainsFunc(a.System.Classes[:i], across) {
			return nil, &scenario.Error{File: a.File, Message: "the exact utility keeps the promise to " + c.Name +
				" in each pool, not over all pools: state one for each (slo: {POOL: {within, level}})"}
		}
	}
	if o.Prices {
		if _, err := a.priced(); err != nil {
			return nil, err
		}
	}
	answers, err := overParts(a, func(part *Analysis) (*Answer, error) { return Solve(ctx, part, o) })
	if err != nil {
		return nil, err
	}
	none := optimize.Prices{Capacity: math.NaN(), Demand: make([]float64, len(a.System.Classes))}
	all := newAnswer(a, a.sum(text.Each(answers, func(one *Answer) *Solution { return &one.Solution })), none, o)
	for i, one := range answers {
		part := a.Pools[i]
		price := one.Prices.Capacity * Number(part.System.Parallel/float64(part.Units))
		all.Pools = append(all.Pools, PoolOptimum{part.head(), price, one.Optimum})
		if one.Stated != nil {
			all.Stated = cmp.Or(all.Stated, new(Number))
			*all.Stated += *one.Stated
		}
	}
	all.Warnings = a.poolWarnings(text.Each(answers, func(one *Answer) []Warning { return one.Warnings }))
	all.Prices.Classes = gather(a, text.Each(answers, func(one *Answer) []ClassPrice { return one.Prices.Classes }))
	if o.Control != "" {
		all.Control = sumControl(a, text.Each(answers, func(one *Answer) *ControlAnswer { return one.Control }))
	}
	if o.Exact {
		all.Exact = sumExact(text.Each(answers, func(one *Answer) *ExactAnswer { return one.Exact }))
	}
	return all, nil
}

// sumControl adds up the admissions that look at the queue of their pool.
func sumControl(a *Analysis, list []*ControlAnswer) *ControlAnswer {
	sum := &ControlAnswer{Kind: list[0].Kind}
	for _, c := range list {
		sum.RevenuePerSecond += c.RevenuePerSecond
		sum.UpperBoundPerSecond += c.UpperBoundPerSecond
		sum.StaticRevenuePerSecond += c.StaticRevenuePerSecond
		sum.States += c.States
		sum.Prices = append(sum.Prices, c.Prices...)
	}
	sum.Gain = sum.RevenuePerSecond/sum.StaticRevenuePerSecond - 1
	bound := sum.UpperBoundPerSecond // infinite without a proof, and the gap is NaN
	sum.RelativeGap = Number(math.Max(0, float64((bound-sum.RevenuePerSecond)/bound)))
	sum.Thresholds = gather(a, text.Each(list, func(c *ControlAnswer) []ClassThreshold { return c.Thresholds }))
	return sum
}

// sumExact adds up the exact answers of pools. Each of them says what refusing brings.
func sumExact(list []*ExactAnswer) *ExactAnswer {
	sum := *list[0]
	for _, e := range list[1:] {
		sum.RevenueError, sum.PromiseCost = sum.RevenueError+e.RevenueError, sum.PromiseCost+e.PromiseCost
		sum.Promises, sum.Refusing = slices.Concat(sum.Promises, e.Promises), nil
	}
	return &sum
}

// NoDemandError says that no class states how many jobs come at which price.
type NoDemandError struct {
	File  string
	Trace bool // whose classes without jobs do not count
}

func (e *NoDemandError) Error() string {
	class := "class"
	if e.Trace {
		class = "class with jobs in the trace"
	}
	return e.File + ": no " + class + " states a demand, such as demand: {curve: linear, elasticity: 1.5}, " +
		"so that there is no price to choose"
}

// priced returns the analysis in which admission chooses prices.
func (a *Analysis) priced() (*Analysis, error) {
	if a.Pool == "" && !slices.ContainsFunc(a.System.Classes, func(c model.Class) bool { return c.Demand != nil }) {
		return nil, &NoDemandError{a.File, a.Fit != nil}
	}
	if a.Rented {
		return nil, &scenario.Error{File: a.File, Message: "prices are chosen for one machine alone: " +
			"set machine.rent=off, or the rent of its pools"}
	}
	p := *a
	if p.Pools = slices.Clone(a.Pools); p.Pools == nil {
		p.System = a.System.Priced()
	}
	var err error
	for i, part := range p.Pools { // a class of another pool may be the one with a demand
		if p.Pools[i], err = part.priced(); err != nil {
			return nil, err
		}
	}
	return &p, nil
}

func newAnswer(a *Analysis, s *Solution, shadow optimize.Prices, o SolveOptions) *Answer {
	answer := &Answer{
		Scenario: a.Name, Version: o.Version, Overrides: []string{}, Fitted: a.Fit != nil, Warnings: []Warning{},
		Optimum: Optimum{Solution: *s, System: a.System, Prices: ShadowPrices{Capacity: Number(shadow.Capacity)}},
	}
	answer.Prices.Classes = each(a.System.Classes, func(i int, c model.Class) ClassPrice {
		return ClassPrice{c.Name, Number(shadow.Demand[i] + c.Outside.Worth)}
	})
	return answer
}

// solveExact maximizes the exact revenue, of real servers if the scenario has these.
func solveExact(ctx context.Context, a *Analysis, o SolveOptions) (*Answer, error) {
	stated := a.System.Residual
	exact := *a
	if stated != model.Multiserver {
		exact.System.Residual = model.Pooled
	}
	r, err := optimize.Exact(ctx, exact.System, optimize.Settings{Gap: o.Gap})
	if err != nil {
		return nil, err
	}
	s, err := newSolution(exact.System, r.Result)
	if err != nil {
		return nil, err
	}
	err = exact.rentGain(s, func(sys model.System) (float64, error) {
		without, err := optimize.Exact(ctx, sys, optimize.Settings{Gap: o.Gap})
		return without.Revenue, err
	})
	if err != nil {
		return nil, err
	}
	waits, err := model.NewWaits(exact.System, r.Admit, model.WaitOptions{Multiserver: stated == model.Multiserver})
	if err != nil {
		return nil, err
	}
	for i, c := range exact.System.Classes {
		s.Classes[i].RevenuePerSecond = Number(r.Earns[i] + c.Rate*c.Outside.Worth)
		s.Classes[i].MeanWait = Number(waits.Mean(i))
	}
	s.MeanDelay = Number(s.meanDelay())
	answer := newAnswer(&exact, s, r.Prices, o)
	answer.Exact = newExactAnswer(exact.System.Classes, r)
	answer.Warnings = append(answer.Warnings, slices.Concat(exactWarnings(a, stated, r), s.doubts())...)
	return answer, nil
}

// newExactAnswer says what becomes of the promises of classes.
func newExactAnswer(classes []model.Class, r optimize.ExactResult) *ExactAnswer {
	a := &ExactAnswer{RevenueError: Number(r.Error), Promises: []PromiseAnswer{}, PromiseCost: Number(r.Free - r.Revenue)}
	if r.Refusing != nil {
		rented := model.System{Classes: classes}.Outside()
		a.Refusing = &RefusalAnswer{RevenuePerSecond: Number(r.Refusing.Revenue + rented)}
	}
	for i, c := range classes {
		if c.SLO != nil {
			a.Promises = append(a.Promises, PromiseAnswer{
				Name: c.Name, Within: Number(c.SLO.Within), Level: Number(c.SLO.Level),
				Kept: Number(r.Kept[i]), Admitted: r.Admit[i] > 0, Cost: Number(r.Costs[i]),
			})
		}
		if a.Refusing != nil && r.Refusing.Closed[i] {
			a.Refusing.Classes = append(a.Refusing.Classes, c.Name)
		}
	}
	return a
}

// exactWarnings say what the exact utility does not look at or prove.
func exactWarnings(a *Analysis, stated model.Residual, r optimize.ExactResult) []Warning {
	list := text.Where(a.Ignored, func(w Warning) bool { // it knows floors and promises
		return w.Kind != WarnFloor && w.Kind != WarnPromise
	})
	addIf(&list, stated == model.Multiserver, fact(WarnApproximate))
	addIf(&list, stated == model.Printed, fact(WarnPooled, stated.String()))
	list = append(list, warnOf(WarnScaled, a.System.Classes, scaled)...)
	addIf(&list, !r.Certified, fact(WarnUnprovenExact))
	return list
}

// scaled reports whether the loss of a job of the class depends on its length.
func scaled(c model.Class) bool {
	floor := !c.Floor.None && (c.Price.PerSecond > 0 || c.Price.PerNodeSecond > 0)
	byLength := c.Grace.Lengths > 0 || c.Deadline != (model.Grace{}) || floor
	return c.MeanDecay() > 0 && byLength && model.SD(c.Length) > 0
}
