package ask

import (
	"context"
	"errors"
	"strings"

	"revopt/internal/text"
	"revopt/model/scenario"
	"revopt/simulate/analytic"
	"revopt/simulate/policy"
	"revopt/simulate/run"
	"revopt/simulate/subject"
)

// Options say how requests are answered. They change no facts.
type Options struct {
	// Read reads the scenario; nil takes the text or the built-in that the request names.
	Read func(ctx context.Context) (*scenario.Document, error)
	// Opened checks a scenario once it is read; may be nil.
	Opened func(*subject.Subject) error

	Specs   []policy.Spec   // that requests may name; nil is subject.Standard
	Filed   []policy.Spec   // that scenarios may name; nil is subject.Standard
	Workers int             // 0: one per processor
	Opener  *subject.Opener // keeps traces for requests of its seed; nil: a new one
	Lenient bool            // settings of a run that the scenario cannot have are left out
}

// Question is a request with its scenario.
type Question struct {
	Request
	Options
	Subject   *subject.Subject   // nil until it is opened
	Document  *scenario.Document // with the overrides
	Overrides []string           // path=value, in the order in which they apply

	Named    []subject.Policy // policies that the request names, with all of them if it says so
	Admitted []run.Admission  // admissions that it names
}

// Read reads the scenario of a request and applies its overrides.
func Read(ctx context.Context, r Request, o Options) (*Question, error) {
	list, err := r.Overrides()
	if err != nil {
		return nil, err
	}
	read := o.Read
	if read == nil {
		read = func(context.Context) (*scenario.Document, error) { return r.document() }
	}
	doc, err := read(ctx)
	if err != nil {
		return nil, err
	}
	more, err := r.runOverrides(doc, o.Lenient)
	if err != nil {
		return nil, err
	}
	list = append(list, more...)
	doc, err = doc.With(list...)
	if err != nil {
		return nil, err
	}
	q := &Question{Request: r, Options: o, Document: doc, Overrides: []string{}}
	q.Overrides = append(q.Overrides, text.Each(list, scenario.Override.String)...)
	if q.Opener == nil || q.Opener.Seed != r.Seed {
		q.Opener = &subject.Opener{Seed: r.Seed, Workers: o.Workers, Policies: o.Filed}
	}
	return q, nil
}

// Open checks a request, reads its scenario and makes the workload.
func Open(ctx context.Context, r Request, o Options) (*Question, error) {
	if err := r.Check(o.Specs); err != nil {
		return nil, err
	}
	q, err := Read(ctx, r, o)
	if err != nil {
		return nil, err
	}
	q.Subject, err = q.OpenAt(ctx, q.Document)
	if err != nil || r.Command == "solve" {
		return q, err
	}
	return q, q.settle()
}

// Check finds faults of a request that need no scenario.
func (r Request) Check(specs []policy.Spec) error {
	switch r.Command {
	case "solve":
		return r.checkSolve()
	case "whatif":
		if err := r.checkWhatIf(); err != nil {
			return err
		}
	case "validate":
		if r.Warmup != "" {
			return Usagef("--warmup: expected none, a validation has no warm-up: against a bound every job counts")
		}
	}
	if _, _, err := r.named(specs); err != nil {
		return err
	}
	_, err := r.settings()
	return err
}

// settle reads what needs the scenario: policies, admissions and the number of replications.
func (q *Question) settle() error {
	list, all, err := q.named(q.Specs)
	if err != nil {
		return err
	}
	q.Named = list
	if all && q.Command == "simulate" {
		q.Named, _ = q.Subject.WithAll(list)
	}
	if q.Command != "whatif" { // it has one, of the time before the changes
		q.Admitted, err = ParseAdmissions(q.Subject, q.Admission)
		if err != nil {
			return err
		}
	}
	if q.Replications == "" {
		return nil
	}
	n := q.Subject.Scenario.Simulation.Replications
	if q.Precision != "" && n < 2 {
		return Usagef("--replications: expected at least 2 with --precision, got %d", n)
	}
	q.Replications = Number(n)
	return nil
}

// Lab returns the lab of a question whose scenario is open. It uses the policies and the traces of the question.
func (q *Question) Lab(ctx context.Context, store *run.Store, progress func(done, total int)) (*run.Lab, error) {
	return run.NewLab(ctx, q.Document, run.Options{Seed: q.Seed, Policies: q.Filed, Named: q.Specs, Opener: q.Opener,
		Store: store, Workers: q.Workers, Progress: progress})
}

// document returns the scenario that the request has in it, or the built-in that it names.
func (r Request) document() (*scenario.Document, error) {
	if !strings.ContainsAny(r.Scenario, ":\n") {
		return scenario.Builtin(r.Scenario)
	}
	name := r.Name
	if name == "" {
		name = "scenario"
	}
	return scenario.Parse(name, []byte(r.Scenario))
}

// Overrides returns those of Set and Load.
func (r Request) Overrides() ([]scenario.Override, error) {
	list, err := text.Try(r.Set, scenario.ParseOverride)
	if err != nil {
		return nil, err
	}
	if r.Load != "" {
		list = append(list, scenario.Override{Path: "load", Value: r.Load, Source: "--load " + r.Load})
	}
	return list, nil
}

// runOverrides returns those that change how long a scenario runs.
func (r Request) runOverrides(doc *scenario.Document, lenient bool) ([]scenario.Override, error) {
	var list []scenario.Override
	for _, setting := range []struct{ name, value string }{
		{"replications", string(r.Replications)}, {"jobs", string(r.Jobs)}, {"horizon", r.Horizon}, {"warmup", r.Warmup},
	} {
		if setting.value == "" {
			continue
		}
		o, err := doc.RunOverride(setting.name, setting.value)
		switch {
		case err == nil:
			list = append(list, o)
		case !lenient:
			return nil, err
		}
	}
	return list, nil
}

// OpenAt opens a document, again where another request was canceled while it read the trace for both.
func (q *Question) OpenAt(ctx context.Context, doc *scenario.Document) (*subject.Subject, error) {
	s, err := q.Opener.Open(ctx, doc)
	for errors.Is(err, context.Canceled) && ctx.Err() == nil {
		s, err = q.Opener.Open(ctx, doc)
	}
	if err == nil && q.Opened != nil {
		err = q.Opened(s)
	}
	return s, err
}

// AnalyzeAt opens a document for the queueing model. The subject is nil where it cannot be opened.
func (q *Question) AnalyzeAt(
	ctx context.Context, doc *scenario.Document,
) (*subject.Subject, *analytic.Analysis, error) {
	s, err := q.OpenAt(ctx, doc)
	if err != nil {
		return nil, nil, err
	}
	a, err := analytic.Analyze(ctx, s, q.Seed, 0)
	return s, a, err
}
