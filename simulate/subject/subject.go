package subject

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"sync"

	"revopt/internal/memo"
	"revopt/internal/text"
	"revopt/model"
	"revopt/model/scenario"
	"revopt/simulate"
	"revopt/simulate/policy"
	"revopt/simulate/workload"
)

// Logged reports whether the jobs are those of a log.
func (s *Subject) Logged() bool { return s.Trace != nil && !model.Generated(s.Scenario.Trace.File) }

// OneProvider refuses several providers for a command that knows one.
func (s *Subject) OneProvider(what string) error {
	if s.Scenario.Providers == nil {
		return nil
	}
	return s.Document.Blame(what+" knows one provider alone; simulate and solve know several", "providers")
}

// Subject is a scenario and its workload.
type Subject struct {
	Document *scenario.Document
	Scenario *scenario.Scenario
	Workload workload.Workload

	Kind  string          // of the workload, for readers: classes, trace or grid
	Trace *workload.Trace // nil where the jobs come from none
	Usual string          // the policy that is simulated unless another is asked for
	Axis  string          // path of the number by which the load is usually varied; "" where there is none
	Value float64         // its value

	Shares []float64 // of the jobs of each class to admit, where Priced chose prices

	Opener   *Opener
	Specs    []policy.Spec // that the scenario may name
	Seed     uint64        // of the trace, where it is generated
	Recorded *Subject      // before its jobs were resampled; nil where they are not
	Whole    *Subject      // of which it is a pool; nil where it is none
}

// Resample returns the subject with jobs that are drawn from those of its trace, by
// weeks and users; the subject itself for nil. Models are still of the trace as
// recorded. Where there is no recorded trace of two weeks the error is a
// *workload.Error.
func (s *Subject) Resample(ctx context.Context, r *workload.Resampling) (*Subject, error) {
	if r == nil {
		return s, nil
	}
	w, ok := s.Workload.(*workload.Replay)
	if !ok {
		return nil, s.Misfit("cannot resample weeks: expected a recorded trace, " +
			"every replication of other workloads draws new jobs already")
	}
	drawn, err := w.Resample(ctx, *r)
	if err != nil {
		return nil, err
	}
	c := *s
	c.Workload, c.Recorded = drawn, cmp.Or(s.Recorded, s)
	return &c, nil
}

// Misfit is the error about a workload that does not have what is asked of it.
func (s *Subject) Misfit(message string) error {
	return &workload.Error{File: s.Document.File(), Message: message}
}

// Opener opens scenarios. Traces that several of them share are read once. Its methods may
// be called by several goroutines.
type Opener struct {
	Seed     uint64
	Policies []policy.Spec // that scenarios may name; nil is Standard
	Workers  int           // that open the points of a plan; 0: one per processor
	Kept     int           // traces that are kept at most; 0 is no limit

	files  memo.Memo[traceKey, *workload.Trace] // as they were first read
	traces memo.Memo[traceKey, *workload.Trace]
	Sums   memo.Memo[string, string]               // SHA-256 of trace files
	last   memo.Memo[*scenario.Document, *Subject] // that was opened

	once  sync.Once // of specs and known
	specs []policy.Spec
	known []scenario.KnownPolicy
}

// traceKey is what the jobs of a trace depend on.
type traceKey struct {
	file, cleaning string
	width, depend  string
	jobs           model.Subset
	nodes          int
}

// Open opens a scenario. Faults are a *scenario.Error, those of its trace a *workload.Error.
func Open(ctx context.Context, doc *scenario.Document, seed uint64, policies []policy.Spec) (*Subject, error) {
	return (&Opener{Seed: seed, Policies: policies}).Open(ctx, doc)
}

// Open opens a scenario. No other place looks at what a workload is made of.
func (o *Opener) Open(ctx context.Context, doc *scenario.Document) (*Subject, error) {
	return o.last.Get(doc, 1, func() (*Subject, error) { return o.open(ctx, doc) })
}

func (o *Opener) open(ctx context.Context, doc *scenario.Document) (*Subject, error) {
	o.once.Do(func() { o.specs, o.known = standard(o.Policies), Known(o.Policies) })
	sc, err := doc.Scenario(o.known)
	if err != nil {
		return nil, err
	}
	s := &Subject{Opener: o, Document: doc, Scenario: sc, Usual: UsualPolicy(sc), Specs: o.specs}
	switch {
	case sc.Trace != nil:
		s.Trace, err = o.load(ctx, sc.Trace)
		if err == nil {
			s.Seed = o.Seed
			err = s.laid(ctx)
		}
	case sc.Grid != nil:
		err = s.grid()
	default:
		err = s.classes()
	}
	if err != nil {
		return nil, blamed(doc, sc, err)
	}
	return s, nil
}

// blamed returns an error about a workload as one about the field of the scenario
// that asks for it. Faults in the lines of a trace stay as they are.
func blamed(doc *scenario.Document, sc *scenario.Scenario, err error) error {
	var bad *workload.Error
	var party *workload.SelectorError
	switch {
	case errors.As(err, &party):
		list := "classes"
		if party.Pool {
			list = "pools"
		}
		return doc.Blame(party.Words(), list, party.Customer, "of", party.What)
	case errors.As(err, &bad) && bad.File != doc.File() && errors.As(bad.Cause, new(*fs.PathError)):
		for _, c := range sc.Classes {
			if c.Arrivals.File == bad.File {
				return doc.Blame(bad.Error(), "classes", c.Name, "arrivals", "profile")
			}
		}
		return doc.Blame(bad.Error(), "trace", "file")
	case errors.As(err, &bad), errors.Is(err, context.Canceled), errors.As(err, new(*scenario.Error)):
		return err
	}
	return &scenario.Error{File: doc.File(), Message: strings.TrimPrefix(err.Error(), "workload: ")}
}

func (s *Subject) classes() error {
	sc := s.Scenario
	s.Kind = "classes"
	s.Axis = "load"
	s.Value = sc.Load
	w, err := workload.NewClasses(sc.Classes, sc.Nodes, workload.Length{
		Jobs: int64(sc.Simulation.Jobs), Horizon: sc.Simulation.Horizon,
		WarmupFraction: sc.Simulation.Warmup.Fraction, WarmupSeconds: sc.Simulation.Warmup.Seconds,
	})
	if err == nil && sc.Waiting != nil {
		w = w.WithWaiting(*sc.Waiting)
	}
	if err == nil && sc.Pools != nil {
		w, err = w.WithPools(pools(sc))
	}
	s.Workload = w
	if err == nil && sc.Down != nil {
		down, err := s.down(1)
		s.Workload = w.WithDown(down)
		return err
	}
	return err
}

// Check reports why there is nothing to simulate: no jobs arrive.
func (s *Subject) Check() error {
	if c, ok := s.Workload.(*workload.Classes); ok && c.Stream() == 0 {
		return &scenario.Error{File: s.Document.File(), Message: "no jobs arrive, so there is nothing to simulate"}
	}
	return nil
}

// laid lays the customers over the trace.
func (s *Subject) laid(ctx context.Context) error {
	sc, t := s.Scenario, s.Scenario.Trace
	options := workload.ReplayOptions{
		Delay: t.Delay, Load: t.Load, LoadOn: t.LoadNodes, Exact: t.Estimates == "exact",
		Classes: sc.Classes, Of: sc.Selectors, QoS: t.QoS, Split: t.IC, Pools: pools(sc),
		Machines: text.Each(t.Machines, func(m scenario.Machine) simulate.Machine { return simulate.Machine(m) }),
	}
	w, err := workload.NewReplay(ctx, s.Trace, options, s.Seed)
	if err != nil {
		return err
	}
	if t.Window > 0 {
		w, err = w.Windows(ctx, t.Window)
		if err != nil {
			return err
		}
	}
	s.Workload = w
	s.Kind = "trace"
	s.Axis = "trace.arrival_delay_factor"
	s.Value = w.Delay()
	if sc.Down != nil {
		down, err := s.down(w.Delay())
		w = w.WithDown(down)
		s.Workload = w
		if err != nil {
			return err
		}
	}
	if sc.Limits != nil {
		return s.limit(ctx, w)
	}
	return nil
}

// pools returns the parts of the machine, nil if it is one.
func pools(sc *scenario.Scenario) []model.Pool {
	return text.Each(sc.Pools, func(p scenario.Pool) model.Pool { return p.Pool })
}

// Pooled returns the policies that pools have of their own, nil if there are none.
func (s *Subject) Pooled() ([]*Policy, error) {
	var list []*Policy
	for i, p := range s.Scenario.Pools {
		if p.Policy == nil {
			continue
		}
		chosen, err := NewPolicy(s.Specs, p.Policy.Name, p.Policy.Options)
		if err != nil {
			return nil, err
		}
		if list == nil {
			list = make([]*Policy, len(s.Scenario.Pools))
		}
		list[i] = &chosen
	}
	return list, nil
}

// load reads a trace once.
func (o *Opener) load(ctx context.Context, t *scenario.Trace) (*workload.Trace, error) {
	key := traceKey{t.File, t.Cleaning, t.Width, t.Depend, chosen(t), t.Nodes}
	return o.traces.Get(key, o.Kept, func() (*workload.Trace, error) {
		unsized := key
		unsized.nodes = 0
		first, err := o.files.Get(unsized, o.Kept, func() (*workload.Trace, error) { return o.read(ctx, t) })
		if err != nil {
			return nil, err
		}
		if same := first.On(t.Nodes); same != nil {
			return same, nil
		}
		return o.read(ctx, t)
	})
}

// chosen returns the jobs of a trace that are read. A generator makes those of a window.
func chosen(t *scenario.Trace) model.Subset {
	if t.Window > 0 && model.Generated(t.File) {
		return model.Subset{First: int64(t.Window)}
	}
	return t.Jobs
}

// read reads a trace and the sum of its file.
func (o *Opener) read(ctx context.Context, t *scenario.Trace) (*workload.Trace, error) {
	rule, err := workload.ParseRule(t.Cleaning)
	if err != nil {
		return nil, err
	}
	s := workload.Selection{
		File: t.File, Subset: chosen(t), Rule: rule, Width: workload.WidthRule(t.Width), Nodes: t.Nodes,
		Free: t.Depend == "ignore",
	}
	trace, err := workload.Load(ctx, s, o.Seed)
	if err == nil && trace.Sum() != "" {
		o.Sums.Put(t.File, trace.Sum())
	}
	return trace, err
}

func (s *Subject) grid() error {
	g := s.Scenario.Grid
	s.Kind = "grid"
	var err error
	switch {
	case g.Batch != nil:
		s.Workload, err = workload.NewBatch(g.Sites[0], *g.Batch)
	case g.Listed != nil:
		s.Workload = workload.NewListedGrid(g.Sites, g.Listed)
	default:
		s.Axis, s.Value = "applications.interarrival", g.Applications.Gap
		s.Workload, err = workload.NewGrid(g.Sites, *g.Applications)
	}
	return err
}

// UsualPolicy returns the policy that is simulated unless another is asked for.
func UsualPolicy(sc *scenario.Scenario) string {
	switch {
	case sc.Trace != nil:
		return "easy"
	case sc.Grid != nil && sc.Grid.Batch != nil:
		return "fcfs"
	case sc.Grid != nil:
		return "mf-edf"
	}
	return "hol"
}

// Nodes returns how many processors all sites have together.
func (s *Subject) Nodes() int {
	return text.Sum(s.Workload.Sites(), func(site workload.Site) int { return site.Processors })
}

// Unit returns the word for one unit of the machine, which widths and unit-hours count.
func (s *Subject) Unit() string {
	switch pools := s.Scenario.Pools; {
	case len(pools) > 0:
		if s.Unlike() {
			return "unit"
		}
		return pools[0].Unit
	case s.Trace != nil:
		return cmp.Or(s.Scenario.Trace.Unit, s.Trace.Unit())
	case s.Scenario.Grid != nil:
		return "processor"
	}
	return "node"
}

// Unlike reports whether pools count in different units: sums of them mean nothing.
func (s *Subject) Unlike() bool {
	return text.Differ(s.Scenario.Pools, func(p scenario.Pool) string { return p.Unit })
}

// Names returns the names of the customers as listed.
func (s *Subject) Names() []string { return ClassNames(workload.Listed(s.Workload)) }

func ClassNames(classes []model.Class) []string {
	return text.Each(classes, func(c model.Class) string { return c.Name })
}

// Policies returns the policies that a scenario lists, or the usual one, but for recorded.
func (s *Subject) Policies() ([]Policy, error) {
	recorded := func(p scenario.Policy) bool { return p.Name == Recorded }
	given := slices.DeleteFunc(slices.Clone(s.Scenario.Policies), recorded)
	if len(given) == 0 {
		given = []scenario.Policy{{Name: s.Usual}}
	}
	return text.Try(given, func(g scenario.Policy) (Policy, error) { return NewPolicy(s.Specs, g.Name, g.Options) })
}

// FileSum returns the SHA-256 of a regular file. A fault is a *scenario.Error.
func FileSum(path string) (string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", &scenario.Error{File: path, Message: text.Cause(err)}
	}
	if !info.Mode().IsRegular() {
		return "", &scenario.Error{File: path, Message: "expected a regular file"}
	}
	f, err := os.Open(path)
	if err != nil {
		return "", &scenario.Error{File: path, Message: text.Cause(err)}
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", &scenario.Error{File: path, Message: text.Cause(err)}
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// Sum returns the SHA-256 of the file of a trace, "" without one. It reads a file once.
func (o *Opener) Sum(t *scenario.Trace) (string, error) {
	if t == nil || model.Generated(t.File) {
		return "", nil
	}
	return o.Sums.Get(t.File, 0, func() (string, error) { return FileSum(t.File) })
}

// resampledSpans is the usual number of spans: enough for the quantiles of the range.
const resampledSpans = 100

// Replications returns how many there are unless it is said how many.
func (s *Subject) Replications() int {
	if n := s.Scenario.Simulation.Replications; s.Recorded == nil || n > resampledSpans {
		return n
	}
	return resampledSpans
}

func (s *Subject) With(ctx context.Context, list ...scenario.Override) (*Subject, error) {
	doc, err := s.Document.With(list...)
	if err != nil {
		return nil, err
	}
	return s.Opener.open(ctx, doc)
}
