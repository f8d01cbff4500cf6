package analytic

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"revopt/internal/text"
	"revopt/model"
	"revopt/model/scenario"
	"revopt/simulate"
	"revopt/simulate/fit"
	"revopt/simulate/subject"
	"revopt/simulate/warn"
	"revopt/simulate/workload"
)

// Analysis is a workload as the queueing model sees it: the job classes of a
// scenario or, of a trace, those fitted to its jobs.
type Analysis struct {
	File     string // of the scenario
	System   model.System
	Customer []int          // of each class
	Tariffs  []model.Tariff // of the customer of each class, as stated
	Units    int            // of the machine
	UnitName string         // the word for one of them, see Subject.Unit
	Fit      *fit.Result    // nil where the scenario states the classes
	Ignored  []warn.Warning // about parts of the scenario that the model does not look at
	Pool     string         // whose analysis it is; "" of a machine
	Pools    []*Analysis    // of a machine with pools, whose System is then its classes alone

	places []int                             // of the classes among those of the machine
	by     func(model.Residual) model.System // the system by any convention for delays

	// after solves the further providers, which get the jobs that an admission
	// refuses; nil where these are lost.
	After func(ctx context.Context, admit []float64) ([]ProviderAnswer, error)
}

// NoModelError is a workload that no queueing model describes.
type NoModelError struct{ Kind string }

func (e *NoModelError) Error() string {
	return "a " + e.Kind + " can be simulated, not solved: no queueing model has partial results, or a batch"
}

// Analyze returns the analysis of a subject. The seed and the replication are
// those of the jobs to which classes are fitted.
func Analyze(ctx context.Context, s *subject.Subject, seed uint64, replication int) (*Analysis, error) {
	if err := Modeled(s); err != nil {
		return nil, err
	}
	if s.Scenario.Pools != nil {
		return analyzePools(ctx, s, seed, replication)
	}
	switch w := s.Workload.(type) {
	case *workload.Replay:
		return analyzeTrace(ctx, s, w, seed, replication)
	default:
		a := &Analysis{
			File: s.Document.File(), Units: s.Nodes(), UnitName: s.Unit(), System: s.Scenario.System(), by: s.Scenario.SystemBy,
			Ignored: append(warn.Scenario(s.Scenario, true), Ignored(s.Scenario.Classes)...),
		}
		if s.Scenario.Providers != nil {
			a.After = func(ctx context.Context, admit []float64) ([]ProviderAnswer, error) {
				return furtherProviders(ctx, s, admit)
			}
			limited := func(p scenario.Provider) bool { return p.Waiting != nil }
			if i := slices.IndexFunc(s.Scenario.Providers, limited); i >= 0 {
				a.Ignored = append(a.Ignored, warn.Ignored("waiting",
					warn.Words("provider", s.Scenario.Providers[i].Name)))
			}
		}
		for i, c := range s.Scenario.Classes {
			a.Customer = append(a.Customer, i)
			a.places = append(a.places, i)
			a.Tariffs = append(a.Tariffs, c.Price)
		}
		return a, nil
	}
}

// Use replaces the convention for delays.
func (a *Analysis) Use(r model.Residual) {
	for _, part := range a.Parts() {
		part.System = part.By(r)
	}
	a.gather()
}

// By returns the system by a convention for delays.
func (a *Analysis) By(r model.Residual) model.System {
	switch {
	case r == a.System.Residual:
		return a.System
	case a.System.Prices:
		return a.by(r).Priced()
	}
	return a.by(r)
}

// Modeled returns a *NoModelError where no queueing model describes the workload.
func Modeled(s *subject.Subject) error {
	switch s.Workload.(type) {
	case *workload.Classes, *workload.Replay:
		return nil
	}
	return &NoModelError{s.Kind}
}

// analyzeTrace fits classes to the jobs of a replication, by customer.
func analyzeTrace(ctx context.Context, s *subject.Subject, w *workload.Replay, seed uint64,
	replication int) (*Analysis, error) {
	all, err := s.AtStated(ctx)
	if err != nil {
		return nil, err
	}
	f, err := Fit(ctx, all, fit.Options{Seed: seed}, replication)
	if err != nil {
		return nil, err
	}
	a := &Analysis{
		File: s.Document.File(), Fit: f, Units: s.Nodes(), UnitName: s.Unit(),
	}
	a.by = func(r model.Residual) model.System {
		sys := f.System(r)
		for i, c := range f.Classes {
			sys.Classes[i] = demanding(sys.Classes[i], w.Customers()[c.Customer])
		}
		return sys
	}
	a.System = a.by(f.Residual)
	for i, c := range f.Classes {
		a.Customer, a.places = append(a.Customer, c.Customer), append(a.places, i)
		a.Tariffs = append(a.Tariffs, w.Customers()[c.Customer].Price)
	}
	a.Ignored = append(Ignored(a.System.Classes), warn.Sentence("FIT", fmt.Sprintf("the formulas are those of %d classes fitted to the trace, with Poisson arrivals", len(f.Classes))))
	for _, doubt := range f.Doubts {
		a.Ignored = append(a.Ignored, warn.Sentence("FIT", doubt))
	}
	a.Ignored = append(a.Ignored, warn.Scenario(s.Scenario, true)...)
	return a, nil
}

// demanding gives a class that is fitted to all jobs of a customer the customer's
// demand, and moves it to the customer's price.
func demanding(class model.Class, customer model.Class) model.Class {
	d := customer.Demand
	if d == nil || class.Rate == 0 {
		return class
	}
	price := class.StatedPrice()
	scale := price / d.Price
	class.Demand = &model.Demand{
		Curve: d.Curve, Elasticity: d.Elasticity, Price: price, Rate: class.Rate, Max: d.Max * scale, Scarce: true,
	}
	if customer.Rate == 1 {
		return class
	}
	all := class.Rate
	class = class.At(scale * customer.Price.Of(1, 1))
	class.Rate = all * math.Min(1, customer.Rate)
	return class
}

// Fit fits job classes to the jobs of a replication of a trace. The seed of the
// options is that of the jobs; customers are the
// subject's, and so is the name. A subject without a
// trace, or jobs that cannot be fitted, are a *workload.Error.
func Fit(ctx context.Context, s *subject.Subject, o fit.Options, replication int) (*fit.Result, error) {
	w, ok := s.Workload.(*workload.Replay)
	if !ok {
		return nil, s.Misfit("expected a trace or a scenario with one, got one without")
	}
	jobs, err := w.Jobs(o.Seed, replication)
	if err != nil {
		return nil, err
	}
	defer jobs.(io.Closer).Close()
	o.Customers = w.Customers()
	if known, ok := jobs.(workload.Spanned); ok && s.Whole != nil {
		o.Span = known.Span // all pools have that of the trace
	}
	o.Name = s.Scenario.Name + "-fit"
	f, err := fit.Jobs(ctx, jobs, s.Nodes(), o)
	var bad *fit.Error
	switch {
	case errors.As(err, &bad):
		return nil, &workload.Error{File: s.Scenario.Trace.File, Message: bad.Message, Cause: bad}
	case err != nil:
		return nil, err
	case slices.ContainsFunc(w.Sites()[0].Machines, func(m simulate.Machine) bool {
		return m.Speed != 1 || m.Memory != 0 || m.Disk != 0 // not a node of the machine of the trace
	}):
		f.Doubts = append(f.Doubts, "nodes have speeds or limits of their own: the classes take them all for nodes of the "+
			"machine of the trace")
	}
	f.Unit = s.Unit()
	return f, fitPools(ctx, s, f, o, replication)
}

// fitPools gives a fit the classes of each pool, if there are pools.
func fitPools(ctx context.Context, s *subject.Subject, f *fit.Result, o fit.Options, replication int) error {
	subjects, err := s.Pools()
	if err != nil || len(subjects) == 0 {
		return err
	}
	parts := make([]*fit.Result, len(subjects))
	for i, part := range subjects {
		if part.Workload.Size() == 0 {
			continue
		}
		parts[i], err = Fit(ctx, part, o, replication)
		if err != nil {
			return err
		}
	}
	f.Divide(s.Scenario.Pools, parts)
	return nil
}

// ByCustomer turns admission probabilities of classes into those of customers. A customer without a class is
// admitted.
func (a *Analysis) ByCustomer(admit []float64, customers int) []float64 {
	if a.Fit != nil {
		return a.weighted(admit, customers)
	}
	all := slices.Repeat([]float64{1}, customers)
	for i, q := range admit { // a class is a customer, or one in its pool
		all[a.Customer[i]] = q
	}
	return all
}

// weighted is ByCustomer where a customer may have several classes, weighted by their rates.
func (a *Analysis) weighted(admit []float64, customers int) []float64 {
	sum, rate := make([]float64, customers), make([]float64, customers)
	for i, q := range admit {
		c := a.Customer[i]
		sum[c] += q * a.System.Classes[i].Rate
		rate[c] += a.System.Classes[i].Rate
	}
	for i := range sum {
		switch {
		case rate[i] == 0:
			sum[i] = 1
			// A class without jobs still has a probability.
			if k := slices.Index(a.Customer, i); k >= 0 {
				sum[i] = admit[k]
			}
		default:
			sum[i] = math.Min(1, sum[i]/rate[i])
		}
	}
	return sum
}

// Ignored warns of properties of classes that the queueing model does not look at.
func Ignored(classes []model.Class) []warn.Warning {
	return slices.Concat(
		IgnoredOf("max_penalty", classes, func(c model.Class) bool { return c.MeanDecay() > 0 && !c.Floor.None }),
		IgnoredOf("expire", classes, Expires),
		IgnoredOf("slo", classes, func(c model.Class) bool { return c.SLO != nil }),
	)
}

// IgnoredOf says that the formulas ignore a field of the classes for which is holds, if there are such classes.
func IgnoredOf(field string, classes []model.Class, is func(model.Class) bool) (list []warn.Warning) {
	names := ClassesWhere(classes, is)
	warn.AddIf(&list, names != nil, warn.Ignored(field, warn.Words("classes", names...)))
	return list
}

func Expires(c model.Class) bool {
	return c.MeanDecay() > 0 && c.Expire != model.ExpireNever || c.Patience > 0
}

// ClassesWhere names the classes for which is holds.
func ClassesWhere(classes []model.Class, is func(model.Class) bool) []string {
	return subject.ClassNames(text.Where(classes, is))
}
