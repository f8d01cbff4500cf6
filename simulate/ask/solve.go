package ask

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"revopt/internal/text"
	"revopt/model"
	"revopt/optimize"
	"revopt/plots/answer"
	"revopt/simulate/analytic"
	"revopt/simulate/metric"
	"revopt/simulate/study"
	"revopt/simulate/study/request"
	"revopt/simulate/study/solve"
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
func Solve(ctx context.Context, q *request.Question) (answer.Answer, error) {
	found, err := q.Solve(ctx)
	if err != nil {
		return answer.Answer{}, err
	}
	s := solved{found.Answer, found.Analysis}
	a := asked(q, "solve")
	a.Headline = Advice(found.Answer)
	a.Values = append(s.values(), ofTrace(q.Subject)...)
	a.Tables = s.tables()
	a.Warnings = append(s.advised(), answer.WarnAll(found.Warnings)...)
	if k := found.Checked; k != nil {
		a.Replications = k.Replications
	}
	return a, s.open(found.Options)
}

// asked returns an answer without numbers.
func asked(q *request.Question, command string) answer.Answer {
	return answer.Answer{Version: q.Version, Command: command, Scenario: q.Subject.Scenario.Name, Seed: q.Seed,
		Level: metric.DefaultLevel, Source: string(q.Subject.Document.Source())}
}

// solved is an optimum and the model that it is of.
type solved struct {
	*solve.Answer
	model *analytic.Analysis
}

// exact returns an amount that nothing random touches.
func exact(name string, unit answer.Unit, x metric.Number) answer.Named {
	return answer.Named{Name: name, Value: answer.Exactly(unit, float64(x))}
}

// hourly returns an amount per second as one per hour.
func hourly(x metric.Number) answer.Value {
	return answer.Exactly(answer.Money, metric.Hour*float64(x))
}

// hourlyEstimate returns an estimate per second as one per hour.
func hourlyEstimate(e study.Estimate) answer.Value {
	i := e.Interval()
	i.Mean *= metric.Hour
	i.HalfWidth *= metric.Hour
	i.Low *= metric.Hour
	i.High *= metric.Hour
	return answer.Estimated(answer.Money, i)
}

func word(name, word string) answer.Named { return answer.Named{Name: name, Value: answer.Word(word)} }

// values are the machine, the optimum and its check.
func (s solved) values() []answer.Named {
	list := []answer.Named{
		exact("units", answer.Count, metric.Number(s.model.Units)), word("unit", text.Unit(s.model.UnitName)),
		exact("load", answer.Ratio, s.Load), word("residual", s.System.Residual.String()), word("method", s.Method),
		{Name: "value", Value: hourly(s.RevenuePerSecond)}, {Name: "bound", Value: hourly(s.UpperBoundPerSecond)},
		exact("gap", answer.Share, s.RelativeGap), exact("mean_wait", answer.Time, s.MeanDelay),
		{Name: "next_slot", Value: hourly(s.Prices.Capacity)}, {Name: "next_unit", Value: s.nextUnit()},
	}
	if s.sameUnits() {
		list = append(list, exact("utilization", answer.Share, s.Utilization))
	}
	if s.Stated != nil {
		list = append(list, answer.Named{Name: "stated", Value: hourly(*s.Stated)})
	}
	if s.Exact != nil && len(s.Exact.Promises) > 0 {
		list = append(list, answer.Named{Name: "promise_cost", Value: hourly(s.Exact.PromiseCost)})
	}
	if k := s.Control; k != nil {
		list = append(list, answer.Named{Name: "control", Value: hourly(k.RevenuePerSecond)},
			answer.Named{Name: "control_bound", Value: hourly(k.UpperBoundPerSecond)},
			answer.Named{Name: "static", Value: hourly(k.StaticRevenuePerSecond)})
		if k.Kind == analytic.ControlState {
			list = append(list, exact("states", answer.Count, metric.Number(k.States)))
		}
	}
	list = append(list, ofCheck(s.Checked)...)
	return slices.DeleteFunc(list, func(v answer.Named) bool { return !v.Known() })
}

// ofCheck are the values of a check by simulation; none if there is no check.
func ofCheck(k *solve.Checked) []answer.Named {
	if k == nil {
		return nil
	}
	tried, _ := better(k)
	return []answer.Named{
		word("policy", k.Policy), word("checks", k.Kind), exact("checked_jobs", answer.Count, k.Jobs),
		{Name: "checked", Value: hourlyEstimate(k.Admission)}, {Name: "all", Value: hourlyEstimate(k.All)},
		{Name: "checked_gain", Value: hourlyEstimate(k.Gain)}, {Name: "tried", Value: hourlyEstimate(tried)},
		{Name: "stands", Value: answer.Yes(k.Stands)},
	}
}

// better returns what the best other admission delivers that was simulated, and which one it is.
func better(k *solve.Checked) (study.Estimate, string) {
	if i := k.Instead; i != nil && !i.All {
		return i.Admission, "the admission of --residual " + i.Residual
	}
	return k.All, "all jobs admitted"
}

// sameUnits reports whether one unit can be said of all pools.
func (s solved) sameUnits() bool {
	return !text.Differ(s.Pools, func(p solve.PoolOptimum) string { return p.Unit })
}

// nextUnit is what one more unit of the machine delivers. It is not known of classes that are fitted to a trace, and
// of pools, which have their own.
func (s solved) nextUnit() answer.Value {
	if s.model.Fit != nil || s.Pools != nil {
		return answer.Value{}
	}
	return hourly(s.Prices.Capacity / metric.Number(meanWidth(s.System)))
}

// meanWidth returns the mean width of the jobs, weighted by the time they run; at least 1.
func meanWidth(sys model.System) float64 {
	var nodes, slots float64
	for _, c := range sys.Classes {
		run := c.Rate * c.Length.Mean()
		slots += run
		nodes += run * math.Max(1, c.Width.Mean())
	}
	return nodes / slots
}

// Advice says in a sentence what to do about an optimum.
func Advice(s *solve.Answer) answer.Fact {
	what := word("what", adviceName(s))
	value := answer.Named{Name: "value", Value: hourly(s.RevenuePerSecond)}
	k := s.Checked
	if k == nil {
		return answer.New("BY_FORMULA", what, value, answer.Named{Name: "bound", Value: hourly(s.UpperBoundPerSecond)})
	}
	if s.Control != nil && k.Kind == s.Control.Kind {
		value.Value = hourly(s.Control.RevenuePerSecond)
	}
	checked := answer.Named{Name: "checked", Value: hourlyEstimate(k.Admission)}
	if !k.Stands {
		tried, name := better(k)
		return answer.New("DO_NOT_USE", what, checked, word("better", name),
			answer.Named{Name: "tried", Value: hourlyEstimate(tried)})
	}
	values := []answer.Named{what, checked}
	if v := checked.Value; v.Random && (value.Number < v.Low || value.Number > v.High) {
		values = append(values, value)
	}
	if !slices.ContainsFunc(s.Admit(), func(q float64) bool { return q < 1 }) && k.Kind == "static" {
		return answer.New("ADMIT_ALL", values...)
	}
	if !k.Endless {
		values = append(values, answer.Named{Name: "all", Value: hourlyEstimate(k.All)})
	}
	return answer.New("BEST_ADMISSION", values...)
}

// adviceName names what an optimum advises.
func adviceName(s *solve.Answer) string {
	kind := "static"
	switch k := s.Checked; {
	case k != nil:
		kind = k.Kind
	case s.Stated != nil:
		kind = "prices"
	}
	names := map[string]string{"prices": "these prices", analytic.ControlThreshold: "these thresholds",
		analytic.ControlState: "these decisions by the state of the queue"}
	if name := names[kind]; name != "" {
		return name
	}
	return "this admission"
}

// advised are warnings about the advice.
func (s solved) advised() (list []answer.Fact) {
	k := s.Checked
	if k != nil && k.Endless {
		list = append(list, answer.New("ENDLESS"))
	}
	if k != nil && k.Stands && k.Instead != nil {
		tried, _ := better(k)
		list = append(list, answer.New("OTHER_RESIDUAL", word("residual", k.Instead.Residual),
			answer.Named{Name: "tried", Value: hourlyEstimate(tried)}))
	}
	if s.Tied {
		list = append(list, answer.New("TIED"))
	}
	if s.Exact != nil && s.Exact.Refusing != nil {
		r := s.Exact.Refusing
		list = append(list, answer.New("REFUSING", word("classes", strings.Join(r.Classes, ", ")),
			answer.Named{Name: "value", Value: hourly(r.RevenuePerSecond)}))
	}
	if names := s.scarce(); names != nil {
		list = append(list, answer.New("DEMAND", word("classes", strings.Join(names, ", "))))
	}
	return list
}

// scarce names the classes whose jobs in a trace are all sold.
func (s solved) scarce() (names []string) {
	if s.Stated == nil {
		return nil
	}
	for i, c := range s.Classes {
		if d := s.model.System.Classes[i].Demand; d != nil && d.Scarce && float64(c.Rate) >= d.Rate*(1-1e-9) {
			names = append(names, text.OneLine(c.Name))
		}
	}
	return names
}

// open returns the first proof of a machine or a pool that did not close.
func (s solved) open(o solve.Options) error {
	for _, part := range append(slices.Clip(s.Pools), solve.PoolOptimum{Optimum: s.Optimum}) {
		if k := part.Control; k != nil && k.Open() {
			return openProof(k.RevenuePerSecond, k.UpperBoundPerSecond,
				" for admission that looks at the queue"+inPool(part.Name))
		}
		if err := unclosed(o, s.System.Residual, &part.Solution, inPool(part.Name)); err != nil {
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
func unclosed(o solve.Options, residual model.Residual, s *analytic.Solution, where string) error {
	if o.Exact || o.Method == optimize.MethodCG || residual == model.Multiserver ||
		float64(s.RelativeGap) <= optimize.Loose {
		return nil
	}
	return openProof(s.RevenuePerSecond, s.UpperBoundPerSecond, where)
}

func openProof(low, high metric.Number, where string) error {
	return &OpenProofError{metric.Hour * float64(low), metric.Hour * float64(high), where}
}

// IsOpenProof reports whether an error is a proof that did not close.
func IsOpenProof(err error) bool {
	var open *OpenProofError
	return errors.As(err, &open)
}

// classLabel names a class of a machine that may have pools.
func classLabel(name, pool string) string { return subject.Section{Name: name, Pool: pool}.Label() }
