package ask

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"revopt/internal/text"
	"revopt/model"
	"revopt/optimize"
	"revopt/plots/answer"
	"revopt/simulate/analytic"
	"revopt/simulate/metric"
	"revopt/simulate/subject"
)

// OpenProofError is an optimum that is not proven to 1 %. Its answer is whole.
type OpenProofError struct {
	Low, High float64 // $/h between which the optimum lies
	Where     string  // the part of the answer that is not proven; "" is all of it
}

func (e *OpenProofError) Error() string {
	return fmt.Sprintf("the proof did not close to 1 %%%s: the optimum lies between %.6g and %.6g $/h", e.Where, e.Low,
		e.High)
}

// Solve asks for the admission that delivers most in the queueing model, and checks it by simulation. A proof that
// does not close is an *OpenProofError beside the answer.
func Solve(ctx context.Context, q *Question) (answer.Answer, error) {
	o, err := q.solveOptions()
	if err != nil {
		return answer.Answer{}, err
	}
	a, err := q.analyze(ctx, q.Subject)
	if err != nil {
		return answer.Answer{}, err
	}
	s, err := best(ctx, a, o)
	if err != nil {
		return answer.Answer{}, err
	}
	s.model = a
	if !q.NoCheck {
		s.Checked, err = q.checker().check(ctx, a, s)
		if err != nil {
			return answer.Answer{}, err
		}
	}
	return s.answer(q), s.open(o, "")
}

// answer says what to do about an optimum.
func (s *solved) answer(q *Question) answer.Answer {
	a := unanswered(q)
	a.Headline = s.advice()
	a.Values = append(s.values(), ofTrace(q.Subject)...)
	a.Tables = s.tables()
	a.Warnings = append(s.advised(), answer.WarnAll(s.Warnings)...)
	if s.Checked != nil {
		a.Replications = s.Checked.Replications
	}
	return a
}

// Advice says in a sentence whether the admission of the queueing model stands in a simulation of a subject.
func Advice(ctx context.Context, s *subject.Subject, seed uint64, workers int) (answer.Fact, error) {
	a, err := analytic.Analyze(ctx, s, seed, 0)
	if err != nil {
		return answer.Fact{}, err
	}
	found, err := best(ctx, a, solveOptions{})
	if err != nil {
		return answer.Fact{}, err
	}
	found.Checked, err = checker{s, seed, workers}.check(ctx, a, found)
	return found.advice(), err
}

// unanswered returns an answer without numbers.
func unanswered(q *Question) answer.Answer {
	return answer.Answer{Version: q.Version, Command: q.Command, Scenario: q.Subject.Scenario.Name, Seed: q.Seed,
		Level: metric.DefaultLevel, Source: string(q.Subject.Document.Source())}
}

// checkSolve finds faults of a request for the best admission or for waits.
func (r Request) checkSolve() error {
	switch {
	case r.Waits && r.Vary != "":
		return Usagef("--waits: expected no --vary with it")
	case r.Waits:
		_, err := r.waitOptions()
		return err
	}
	_, err := r.solveOptions()
	return err
}

// solveOptions reads what is to be solved.
func (r Request) solveOptions() (solveOptions, error) {
	o := solveOptions{Method: optimize.Method(cmp.Or(r.Method, string(optimize.MethodCertified))), Gap: r.Gap,
		Exact: r.Utility == "exact", Prices: r.Prices}
	o.Auto = r.Utility == "" && r.Method == "" && !r.Prices
	switch {
	case o.Exact && r.Method != "":
		return o, Usagef("--method: expected --utility linear with it, the exact utility has a method of its own")
	case o.Prices && o.Exact:
		return o, Usagef("--prices: expected --utility linear with it")
	}
	return o, nil
}

// analyze returns the model of a subject, with the convention for delays that the request asks for.
func (q *Question) analyze(ctx context.Context, s *subject.Subject) (*analytic.Analysis, error) {
	a, err := analytic.Analyze(ctx, s, q.Seed, 0)
	if err != nil || q.Residual == "" {
		return a, err
	}
	all := []model.Residual{model.Pooled, model.Multiserver}
	i := slices.IndexFunc(all, func(r model.Residual) bool { return r.String() == q.Residual })
	if i < 0 {
		return nil, Usagef("--residual: expected pooled or multiserver, got %q", q.Residual)
	}
	a.Use(all[i])
	return a, nil
}

// checker returns what simulates advice about the subject of a question.
func (q *Question) checker() checker { return checker{q.Subject, q.Seed, q.Workers} }

// hourly returns an amount per second as one per hour.
func hourly(x float64) answer.Value {
	return answer.Exactly(answer.Money, metric.Hour*x)
}

// hourlyEstimate returns an estimate per second as one per hour.
func hourlyEstimate(i metric.Interval) answer.Value {
	return answer.Estimated(answer.Money, i.Times(metric.Hour))
}

func word(name, word string) answer.Named { return answer.Word(word).As(name) }

// values are the machine, the optimum and its check.
func (s *solved) values() []answer.Named {
	list := []answer.Named{count(s.model.Units).As("units"),
		word("unit", text.Unit(s.model.UnitName)), ratio(s.Load).As("load"),
		word("residual", s.System.Residual.String()), word("method", s.Method), hourly(s.RevenuePerSecond).As("value"),
		hourly(s.UpperBoundPerSecond).As("bound"), share(s.RelativeGap).As("gap"),
		seconds(s.MeanDelay).As("mean_wait"), s.priced(s.slot(s.Prices.Capacity)).As("next_slot"),
		s.ofUnit(s.Prices.Capacity).As("next_unit")}
	if s.Prices.Last != s.Prices.Capacity && s.Pools == nil {
		list = append(list, s.priced(s.slot(s.Prices.Last)).As("last_slot"), s.ofUnit(s.Prices.Last).As("last_unit"))
	}
	list = append(list, s.used().As("utilization"))
	if s.Stated != nil {
		list = append(list, hourly(*s.Stated).As("stated"))
	}
	list = append(list, ofCheck(s.Checked)...)
	return slices.DeleteFunc(list, func(v answer.Named) bool { return !v.Known() })
}

// ofCheck are the values of a check by simulation; none if there is no check.
func ofCheck(k *verdict) []answer.Named {
	if k == nil {
		return nil
	}
	return []answer.Named{word("policy", k.Policy), answer.Exactly(answer.Count, k.Jobs).As("checked_jobs"),
		hourlyEstimate(k.Admission).As("checked"), hourlyEstimate(k.All).As("all"),
		hourlyEstimate(k.Best.Value).As("tried"), answer.Yes(k.Stands).As("stands")}
}

// sameUnits reports whether one unit can be said of all pools.
func (s *solved) sameUnits() bool {
	return !text.Differ(s.Pools, func(p poolOptimum) string { return p.Unit })
}

// used is the share of the units that admitted jobs use; pools of unlike units have none.
func (s *solved) used() answer.Value {
	if !s.sameUnits() {
		return answer.Value{}
	}
	return share(s.Utilization)
}

// slot is what room for one job of mean width delivers at a price of capacity.
func (o *optimum) slot(price float64) answer.Value {
	return hourly(price * o.System.Parallel / o.System.Slots())
}

// ofUnit is what a unit of the machine delivers at a price of capacity. It is not known of pools, which have their own.
func (s *solved) ofUnit(price float64) answer.Value {
	if s.Pools != nil {
		return answer.Value{}
	}
	return s.unit("", hourly(price*s.System.Parallel/float64(s.model.Units)))
}

// advice says in a sentence what to do about an optimum.
func (s *solved) advice() answer.Fact {
	what := word("what", s.name())
	value := hourly(s.RevenuePerSecond).As("value")
	k := s.Checked
	if k == nil {
		return answer.New("BY_FORMULA", what, value, hourly(s.UpperBoundPerSecond).As("bound"))
	}
	checked := hourlyEstimate(k.Admission).As("checked")
	if !k.Stands {
		return answer.New("DO_NOT_USE", word("instead", k.Best.Does), hourlyEstimate(k.Best.Value).As("tried"), what,
			checked)
	}
	values := []answer.Named{what, checked}
	if v := checked.Value; v.Random && (value.Number < v.Low || value.Number > v.High) {
		values = append(values, value)
	}
	if !slices.ContainsFunc(s.Admit(), func(q float64) bool { return q < 1 }) && s.Stated == nil {
		return answer.New("ADMIT_ALL", values...)
	}
	if !k.Endless {
		values = append(values, hourlyEstimate(k.All).As("all"))
	}
	return answer.New("BEST_ADMISSION", values...)
}

// name names what an optimum advises.
func (s *solved) name() string {
	if s.Stated != nil {
		return "these prices"
	}
	if s.Checked != nil && !s.Checked.Stands { // another one is named before it
		return "the formula's admission"
	}
	return "this admission"
}

// advised are warnings about the advice.
func (s *solved) advised() (list []answer.Fact) {
	k := s.Checked
	if k != nil && k.Endless {
		list = append(list, answer.New("OVERLOAD",
			word("text", "admitting all jobs overloads the machine: losses grow as long as jobs arrive")))
	}
	if s.Tied {
		list = append(list, answer.New("TIED"))
	}
	if names := s.scarce(); names != nil {
		list = append(list, answer.New("DEMAND", word("classes", strings.Join(names, ", "))))
	}
	return list
}

// scarce names the classes whose jobs in a trace are all sold.
func (s *solved) scarce() (names []string) {
	if s.Stated == nil {
		return nil
	}
	for i, c := range s.Classes {
		if d := s.model.System.Classes[i].Demand; d != nil && d.Scarce && c.Rate >= d.Rate*(1-1e-9) {
			names = append(names, text.OneLine(c.Name))
		}
	}
	return names
}

// open returns the first proof of a machine or a pool that did not close; where names the optimum in the error.
func (s *solved) open(o solveOptions, where string) error {
	for _, part := range append(slices.Clip(s.Pools), poolOptimum{optimum: s.optimum}) {
		if err := unclosed(o, s.System.Residual, &part.Solution, where+inPool(part.Name)); err != nil {
			return err
		}
	}
	return nil
}

// inPool names a pool in a message; "" is the whole machine.
func inPool(name string) string {
	if name == "" {
		return ""
	}
	return " in pool " + text.OneLine(name)
}

// unclosed reports a proof of the certified method that did not close.
func unclosed(o solveOptions, residual model.Residual, s *analytic.Solution, where string) error {
	if s.Method == string(optimize.MethodExact) || o.Method == optimize.MethodCG || residual == model.Multiserver ||
		s.RelativeGap <= optimize.Loose {
		return nil
	}
	return openProof(s.RevenuePerSecond, s.UpperBoundPerSecond, where)
}

func openProof(low, high float64, where string) error {
	return &OpenProofError{metric.Hour * low, metric.Hour * high, where}
}

// IsOpenProof reports whether an error is a proof that did not close.
func IsOpenProof(err error) bool {
	var open *OpenProofError
	return errors.As(err, &open)
}

// classLabel names a class of a machine that may have pools.
func classLabel(name, pool string) string { return subject.Section{Name: name, Pool: pool}.Label() }
