package study

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"sync"

	"revopt/internal/budget"
	"revopt/internal/cells"
	"revopt/internal/text"
	"revopt/model/scenario"
	"revopt/simulate/metric"
)

// maxCells is how many cells a sweep may have.
const maxCells = 10_000_000

// Sweep is a sweep taken apart into cells. A cell is one replication of a policy
// and an admission at a point of the grid, and a pure function of these and the
// seed. Cells are numbered: points in the order of the axes, the first slowest;
// then admissions, policies and replications, the last fastest. The admissions
// that have to be found at a point are cells too, see listUnknown; they come last.
//
// A Sweep is Work, and may be used by several goroutines once it is made.
type Sweep struct {
	Spec     *SweepSpec
	doc      *scenario.Document
	measures []metric.Measure
	options  bool     // axes vary options of policies
	groups   []string // classes whose measures are wanted; the first is "", all jobs
	costs    []float64
	random   []bool   // by point: jobs differ between replications
	names    []string // of all classes
	controls bool     // some cells have control variates
	unknowns []Case   // admissions to be found at each point
	watch    int      // number of a cell whose precision counts
	helpers  int      // workers of a search

	opening sync.Mutex
	opener  Opener // locked by opening
	mu      sync.Mutex
	admits  map[int]func() (Admission, error) // by cell, of those that find one
	held    int                               // states of the tables of decisions among them
	points  map[int]func() (*point, error)    // some of them, ready to run
}

// Scenario returns the sweep's scenario, with what is set everywhere.
func (p *Sweep) Scenario() *scenario.Document { return p.doc }

// NewSweep checks every point of a sweep and plans it. A fault of
// the scenario at a point is a *scenario.Error.
func NewSweep(ctx context.Context, s *SweepSpec) (*Sweep, error) {
	doc, err := s.document()
	if err != nil {
		return nil, err
	}
	p := &Sweep{Spec: s, doc: doc, opener: Opener{Seed: s.Seed, Policies: s.specs}, admits: map[int]func() (Admission, error){}, points: map[int]func() (*point, error){}}
	if err := p.findMeasures(); err != nil {
		return nil, err
	}
	points := 1
	for _, a := range s.Vary {
		points *= max(1, len(a.Values))
		_, _, option := a.Option()
		p.options = p.options || option
		if points > maxCells {
			return nil, p.tooMany()
		}
	}
	p.costs, p.random = make([]float64, points), make([]bool, points)
	p.listUnknown()
	if perPoint := p.perPoint() + len(p.unknowns); s.Replications > maxCells || perPoint > maxCells || perPoint*points > maxCells {
		return nil, p.tooMany()
	}
	for i := range p.costs {
		if err := p.checkPoint(ctx, i); err != nil {
			return nil, err
		}
	}
	p.groups = []string{""}
	if s.Classes {
		p.groups = append(p.groups, p.names...)
	}
	return p, budget.Memory(ctx, float64(p.Cells())*float64(cellBytes+8*p.Values()), "%d cells of %d numbers ask for", p.Cells(), p.Values())
}

func (p *Sweep) tooMany() error {
	return &scenario.Error{Message: fmt.Sprintf("expected a sweep of at most %d cells", maxCells)}
}

// findMeasures looks up the measures by their names.
func (p *Sweep) findMeasures() error {
	for _, name := range p.Spec.Metrics {
		m, ok := metric.Lookup(name)
		if !ok {
			return fmt.Errorf("study: unknown measure %q", name)
		}
		p.measures = append(p.measures, m)
	}
	if p.Spec.Precision != nil {
		p.watch = max(0, slices.Index(p.Spec.Metrics, p.Spec.Precision.Metric))
	}
	return nil
}

// checkPoint opens the scenario at a point, reports what would stop a cell before
// it starts, and estimates what a cell costs.
func (p *Sweep) checkPoint(ctx context.Context, i int) error {
	b, err := p.setup(ctx, i)
	if err != nil {
		return p.blame(i, err)
	}
	p.random[i] = b.subject.Workload.Random()
	// Customers are those of the file at every point, and the others where there
	// are jobs of theirs.
	if list := b.subject.Names(); len(list) > len(p.names) {
		p.names = list
	}
	for k := range b.policies {
		for _, a := range p.Spec.Admissions {
			if err := b.subject.computable(Admission{Name: a.Name, Admit: a.Admit}); err != nil {
				words := err.Error()
				if list := p.overrides(i); len(list) > 0 {
					words = "at " + overrideWords(list) + ": " + words
				}
				return a.Blame(words)
			}
			e := b.experiment(k, Admission{Name: a.Name, Admit: a.Admit})
			p.costs[i] = max(p.costs[i], e.cost())
			p.controls = p.controls || e.variates() != nil
			if err := e.Check(); err != nil {
				return err
			}
		}
	}
	return nil
}

// perPoint returns the number of cells at a point.
func (p *Sweep) perPoint() int { return p.rowsPerPoint() * p.Spec.Replications }

func (p *Sweep) rowsPerPoint() int { return len(p.Spec.Admissions) * len(p.Spec.Policies) }

// Cells returns the number of cells: the replications, as many as there may be,
// and the admissions that have to be found.
func (p *Sweep) Cells() int { return len(p.costs) * (p.perPoint() + len(p.unknowns)) }

// replications returns the number of cells that are replications.
func (p *Sweep) replications() int { return len(p.costs) * p.perPoint() }

// Name implements Work: the JSON of the Spec.
func (p *Sweep) Name() string { return p.Spec.work() }

// Values implements Work: every measure of all jobs, then of each class where
// classes are wanted; with control variates then the controls, and both again
// without each batch.
func (p *Sweep) Values() int {
	if p.controls {
		return (1 + metric.Batches) * (p.numbers() + maxControls)
	}
	return p.numbers()
}

// numbers returns how many measures of how many classes there are.
func (p *Sweep) numbers() int { return len(p.groups) * len(p.measures) }

// Cost implements Work. A search is hundreds of runs.
func (p *Sweep) Cost(cell int) float64 {
	cost := p.costs[p.caseOf(cell).Point]
	if p.isUnknown(cell) {
		if p.searches(p.found(cell)) {
			cost *= searchedRuns
		}
	}
	return cost
}

// Run implements Work.
func (p *Sweep) Run(ctx context.Context, cell int) ([]float64, error) {
	if p.isUnknown(cell) {
		return p.runUnknown(ctx, cell)
	}
	c, replication := p.of(cell)
	at, err := p.ready(ctx, c.Point)
	if err != nil {
		return nil, err
	}
	admission, err := p.admit(ctx, at, c)
	if err != nil {
		return nil, err
	}
	sample, err := at.experiment(c.Policy, admission).Run(ctx, replication)
	if err != nil {
		return nil, err
	}
	values := p.append(make([]float64, 0, p.Values()), sample.Part)
	for _, part := range sample.Without {
		values = p.append(values, part)
	}
	for len(values) < p.Values() { // no controls here
		values = append(values, math.NaN())
	}
	return values, nil
}

// append adds the measures of a part of a replication and its controls.
func (p *Sweep) append(values []float64, part metric.Part) []float64 {
	for g := range p.groups {
		sum := part.Total
		if g > 0 {
			sum = metric.Sum{} // no job is of the others here
			if g <= len(part.Customers) {
				sum = part.Customers[g-1]
			}
		}
		for _, m := range p.measures {
			values = append(values, m.Of(sum))
		}
	}
	if part.Controls != nil {
		values = append(append(values, part.Controls...), make([]float64, maxControls-len(part.Controls))...)
	}
	return values
}

// controlled returns the k-th number of cells, plain and less what control variates
// explain of it.
func (p *Sweep) controlled(cells [][]float64, k int) (values, plain []float64) {
	size := p.numbers()
	without, controls := make([][]float64, len(cells)), make([]metric.Controls, len(cells))
	for i, x := range cells {
		plain = append(plain, x[k])
		if !p.controls {
			continue
		}
		controls[i].Whole = x[size:][:maxControls]
		for range metric.Batches {
			x = x[size+maxControls:]
			without[i], controls[i].Without = append(without[i], x[k]), append(controls[i].Without, x[size:][:maxControls])
		}
	}
	if !p.controls || p.measures[k%len(p.measures)].Plain {
		return plain, plain
	}
	return metric.Controlled(plain, without, controls), plain
}

// of returns the case and the replication of a cell.
func (p *Sweep) of(cell int) (at Case, replication int) {
	row := cell / p.Spec.Replications
	policies, admissions := len(p.Spec.Policies), len(p.Spec.Admissions)
	return Case{row / policies / admissions, row / policies % admissions, row % policies}, cell % p.Spec.Replications
}

// first returns the first cell of a case.
func (p *Sweep) first(at Case) int {
	policies, admissions := len(p.Spec.Policies), len(p.Spec.Admissions)
	if at.Point < 0 || at.Point >= p.Points() || at.Admission < 0 || at.Admission >= admissions || at.Policy < 0 || at.Policy >= policies {
		panic(fmt.Sprintf("study: no case %+v", at))
	}
	return ((at.Point*admissions+at.Admission)*policies + at.Policy) * p.Spec.Replications
}

// Points returns how many points the axes have together, one where nothing
// varies.
func (p *Sweep) Points() int { return len(p.costs) }

// Point returns the point at the given values of the axes, and whether there is
// one.
func (p *Sweep) Point(values ...float64) (int, bool) {
	point := 0
	if len(values) != len(p.Spec.Vary) {
		return 0, false
	}
	for i, a := range p.Spec.Vary {
		k := slices.Index(a.Values, values[i])
		if k < 0 {
			return 0, false
		}
		point = point*len(a.Values) + k
	}
	return point, true
}

// Classes returns the names of the classes whose measures are measured; none
// where the sweep measures all jobs together only.
func (p *Sweep) Classes() []string { return p.groups[1:] }

// point is a point of the grid ready to run.
type point struct {
	subject   *Subject
	providers []Provider
	priced    *Subject // at the best prices, nil where no admission asks for them
	policies  []Policy
	models    *Admissions
	seed      uint64
	plain     bool
}

// experiment returns a policy with an admission at the point, where fewer jobs may
// have no customer than elsewhere.
func (b *point) experiment(policy int, a Admission) *Experiment {
	if a.Name == scenario.AdmitPrices {
		return &Experiment{Workload: b.priced.Workload, Policy: b.policies[policy], Admission: Admission{Admit: b.priced.Shares}, Providers: b.providers, Seed: b.seed, Plain: b.plain}
	}
	n := len(b.subject.Workload.Customers())
	a.Admit = completed(a.Admit, n)
	a.Admit = a.Admit[:min(n, len(a.Admit))]
	return &Experiment{Workload: b.subject.Workload, Policy: b.policies[policy], Admission: a, Providers: b.providers, Seed: b.seed, Plain: b.plain}
}

// setup opens the scenario at a point.
func (p *Sweep) setup(ctx context.Context, index int) (*point, error) {
	doc, err := p.document(index)
	if err != nil {
		return nil, err
	}
	p.opening.Lock()
	subject, err := p.opener.Open(ctx, doc)
	p.opening.Unlock()
	if err == nil {
		err = subject.Check()
	}
	var providers []Provider
	if err == nil {
		providers, err = subject.Providers()
	}
	if err == nil && slices.ContainsFunc(subject.Scenario.Providers, func(p scenario.Provider) bool { return p.Analytic }) {
		err = doc.Blame("a sweep knows providers that admit all or by stated probabilities; simulate computes admission: analytic", "providers")
	}
	if err != nil {
		return nil, err
	}
	at := &point{subject: subject, providers: providers, seed: p.Spec.Seed, plain: p.Spec.Plain, models: &Admissions{Subject: subject, Seed: p.Spec.Seed}}
	if slices.ContainsFunc(p.Spec.Admissions, func(a scenario.Admission) bool { return a.Name == scenario.AdmitPrices }) {
		if at.priced, err = subject.Priced(ctx); err == nil {
			err = at.priced.Check()
		}
		if err != nil {
			return nil, err
		}
	}
	for i := range p.Spec.Policies {
		choice, err := p.choice(index, i)
		if err != nil {
			return nil, err
		}
		at.policies = append(at.policies, choice)
	}
	return at, nil
}

// keptPoints is how many points are kept ready to run. Cells of a point mostly
// run one after the other.
const keptPoints = 64

// ready returns a point ready to run.
func (p *Sweep) ready(ctx context.Context, index int) (*point, error) {
	p.mu.Lock()
	once := p.points[index]
	if once == nil {
		if len(p.points) >= keptPoints {
			clear(p.points)
		}
		once = sync.OnceValues(func() (*point, error) { return p.setup(ctx, index) })
		p.points[index] = once
	}
	p.mu.Unlock()
	return once()
}

// At returns the values of the axes at a point.
func (p *Sweep) At(point int) []float64 {
	values := make([]float64, len(p.Spec.Vary))
	for i, k := range p.places(point) {
		values[i] = p.Spec.Vary[i].Values[k]
	}
	return values
}

// places returns which value each axis has at a point.
func (p *Sweep) places(point int) []int {
	places := make([]int, len(p.Spec.Vary))
	for i := len(places) - 1; i >= 0; i-- {
		n := len(p.Spec.Vary[i].Values)
		places[i] = point % n
		point /= n
	}
	return places
}

// overrides returns what the axes set at a point.
func (p *Sweep) overrides(point int) []scenario.Override {
	var list []scenario.Override
	for i, k := range p.places(point) {
		if _, _, ok := p.Spec.Vary[i].Option(); !ok {
			list = append(list, p.Spec.Vary[i].Override(k))
		}
	}
	return list
}

// document returns the scenario at a point.
func (p *Sweep) document(point int) (*scenario.Document, error) {
	return p.doc.With(p.overrides(point)...)
}

// blame names the point in an error that is not about a value of an axis itself,
// but about what such a value makes wrong elsewhere in the scenario. It gives the
// place of the axis that varies fastest.
func (p *Sweep) blame(point int, err error) error {
	list := p.overrides(point)
	bad := &scenario.Error{}
	if len(list) == 0 || !errors.As(err, &bad) {
		return err
	}
	if slices.ContainsFunc(list, func(o scenario.Override) bool { return bad.File == o.Source }) {
		return err
	}
	place, _, _ := strings.Cut(list[len(list)-1].Source, "vary ")
	c := *bad
	c.File = place + "vary " + overrideWords(list) + ": " + c.File
	return &c
}

// overrideWords names a point by what its axes set.
func overrideWords(list []scenario.Override) string {
	var words []string
	for _, o := range list {
		words = append(words, o.Path+"="+o.Value)
	}
	return strings.Join(words, ", ")
}

// choice returns a policy at a point, where axes may vary its options.
func (p *Sweep) choice(point, index int) (Policy, error) {
	choice := p.Spec.Policies[index]
	given := maps.Clone(choice.Options)
	for i, x := range p.At(point) {
		if name, option, ok := p.Spec.Vary[i].Option(); ok && name == choice.Name {
			given[option] = text.Field(x)
		}
	}
	return NewPolicy(p.Spec.specs, choice.Name, given)
}

// An admission that has to be found is found at every point: by the model, for
// all policies alike, or by a search on the simulator under one policy. It is a
// cell of its own at each point, which yields the probabilities, or the limits of
// an admission that looks at the queue; these cells follow those of the
// replications. Searched rows wait for theirs. Analytic ones do not, as solving
// costs little, and those by state neither, as no cell holds a table of decisions:
// theirs say what was used.

// listUnknown lists the admissions that have to be found at every point, with
// policy -1 where all policies share one.
func (p *Sweep) listUnknown() {
	for a, admission := range p.Spec.Admissions {
		switch admission.Name {
		case scenario.AdmitAnalytic, ControlState:
			p.unknowns = append(p.unknowns, Case{Admission: a, Policy: -1})
		case scenario.AdmitSimulated, scenario.AdmitPromise, ControlThreshold:
			for k := range p.Spec.Policies {
				p.unknowns = append(p.unknowns, Case{Admission: a, Policy: k})
			}
		}
	}
}

// finder returns the cell that finds the admission of a case, and whether there
// is one.
func (p *Sweep) finder(at Case) (int, bool) {
	for k, f := range p.unknowns {
		if f.Admission == at.Admission && (f.Policy == at.Policy || f.Policy < 0) {
			return p.replications() + at.Point*len(p.unknowns) + k, true
		}
	}
	return 0, false
}

// found returns the case whose admission a cell finds.
func (p *Sweep) found(cell int) Case {
	cell -= p.replications()
	at := p.unknowns[cell%len(p.unknowns)]
	at.Point = cell / len(p.unknowns)
	return at
}

// isUnknown reports whether a cell computes an admission.
func (p *Sweep) isUnknown(cell int) bool { return cell >= p.replications() }

// searches reports whether a case waits for a search.
func (p *Sweep) searches(at Case) bool {
	name := p.Spec.Admissions[at.Admission].Name
	return name == scenario.AdmitSimulated || name == scenario.AdmitPromise || name == ControlThreshold
}

// looks reports whether the admission of a case looks at the queue.
func (p *Sweep) looks(at Case) bool {
	name := p.Spec.Admissions[at.Admission].Name
	return name == ControlState || name == ControlThreshold
}

// keeps reports whether the admission of a case is to keep promises.
func (p *Sweep) keeps(at Case) bool {
	return p.Spec.Admissions[at.Admission].Name == scenario.AdmitPromise
}

// mostHeld is how many states the tables of decisions that are kept may have
// together. A table that is dropped is computed again when it is needed.
const mostHeld = 20_000_000

// admit returns the admission of a case. One that has to be found is found once.
func (p *Sweep) admit(ctx context.Context, b *point, at Case) (Admission, error) {
	cell, ok := p.finder(at)
	if !ok {
		given := p.Spec.Admissions[at.Admission]
		return Admission{Name: given.Name, Admit: given.Admit}, nil
	}
	p.mu.Lock()
	once := p.admits[cell]
	if once == nil {
		once = sync.OnceValues(func() (Admission, error) { return p.search(ctx, b, at) })
		p.admits[cell] = once
	}
	p.mu.Unlock()
	a, err := once()
	if err != nil { // the next caller tries again
		p.mu.Lock()
		delete(p.admits, cell)
		p.mu.Unlock()
	}
	return a, err
}

// recall takes over the admissions that were found before.
func (p *Sweep) recall(numbers [][]float64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for cell := p.replications(); cell < len(numbers); cell++ {
		if numbers[cell] != nil && p.Spec.Admissions[p.found(cell).Admission].Name != ControlState {
			a := Admission{Name: p.Spec.Admissions[p.found(cell).Admission].Name}
			var limits []ClassThreshold
			if a.Admit, limits = p.decode(cell, numbers[cell]); limits != nil {
				a.Rule = thresholdRule(limits)
			}
			p.admits[cell] = func() (Admission, error) { return a, nil }
		}
	}
}

// search computes an admission.
func (p *Sweep) search(ctx context.Context, b *point, at Case) (Admission, error) {
	asked := p.Spec.Admissions[at.Admission]
	a, _, err := b.models.compute(ctx, b.experiment(max(0, at.Policy), Admission{Name: asked.Name}), asked.Search, max(1, p.helpers), nil)
	if rule, ok := a.Rule.(*tableRule); ok {
		p.hold(at, rule.table.States())
	}
	return a, err
}

// hold keeps the table of decisions of a case, and drops the others where that is
// too much.
func (p *Sweep) hold(at Case, states int) {
	own, _ := p.finder(at)
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.held += states; p.held > mostHeld {
		maps.DeleteFunc(p.admits, func(cell int, _ func() (Admission, error)) bool {
			return cell != own && p.Spec.Admissions[p.found(cell).Admission].Name == ControlState
		})
		p.held = states
	}
}

// runUnknown runs a cell that computes an admission.
func (p *Sweep) runUnknown(ctx context.Context, cell int) ([]float64, error) {
	at := p.found(cell)
	b, err := p.ready(ctx, at.Point)
	if err != nil {
		return nil, err
	}
	a, err := p.admit(ctx, b, at)
	if err != nil {
		return nil, err
	}
	return a.numbers(p.names), nil
}

// numbers returns an admission that was found as the numbers of a cell: the
// probability of each customer, where it is to keep promises then the share to which
// that of each can be kept, or where it looks at the queue three numbers of each, see
// ClassThreshold, NaN being none. More customers than it knows are let
// in.
func (a Admission) numbers(names []string) []float64 {
	rule := a.thresholds(names)
	if rule == nil {
		list := completed(a.Admit, len(names))
		if a.Name != scenario.AdmitPromise {
			return list
		}
		possible := slices.Repeat([]float64{math.NaN()}, len(names))
		for _, s := range a.Short() {
			possible[slices.Index(names, s.Name)] = float64(s.Kept)
		}
		return append(slices.Clone(list), possible...)
	}
	var list []float64
	for _, t := range rule {
		list = append(list, numberOf(t.Admit), numberOf(t.Waiting), numberOf(t.Surely))
	}
	for len(list) < 3*len(names) {
		list = append(list, 1, math.NaN(), math.NaN())
	}
	return list
}

// numberOf returns a number that there may be, else NaN.
func numberOf[T int | Number](x *T) float64 {
	if x == nil {
		return math.NaN()
	}
	return float64(*x)
}

// optional is the inverse of numberOf.
func optional[T int | Number](x float64) *T {
	if math.IsNaN(x) {
		return nil
	}
	y := T(x)
	return &y
}

// decode returns the admission that a cell has found: probabilities, or limits.
func (p *Sweep) decode(cell int, numbers []float64) (admit []float64, rule []ClassThreshold) {
	if numbers == nil || !p.looks(p.found(cell)) {
		return numbers[:min(len(numbers), len(p.names))], nil
	}
	for i, name := range p.names {
		x := numbers[3*i:]
		rule = append(rule, ClassThreshold{Name: name, Admit: optional[Number](x[0]), Waiting: optional[int](x[1]), Surely: optional[int](x[2])})
	}
	return nil, rule
}

// admissionName names an admission in tables.
func admissionName(a scenario.Admission) string {
	var words []string
	if a.Admit == nil {
		words = append(words, a.Name)
		if e := a.Search; e != nil {
			words = appendEffort(words, "jobs", float64(e.Jobs))
			words = appendEffort(words, "replications", float64(e.Replications))
			words = appendEffort(words, "step", e.Step)
		}
		return strings.Join(words, " ")
	}
	for _, q := range a.Admit {
		words = append(words, text.Field(q))
	}
	return strings.Join(words, ",")
}

// appendEffort appends what is given of the effort of a search.
func appendEffort(words []string, name string, x float64) []string {
	if x == 0 {
		return words
	}
	return append(words, name+"="+text.Field(x))
}

// ValuesOf implements cells.Staged.
func (p *Sweep) ValuesOf(cell int) int {
	switch {
	case !p.isUnknown(cell):
		return p.Values()
	case p.looks(p.found(cell)):
		return 3 * len(p.names)
	case p.keeps(p.found(cell)):
		return 2 * len(p.names)
	}
	return len(p.names)
}

// Unit implements cells.Staged. Where a precision is asked for, the cells of a point
// belong together; else those of a row with its search or its table of decisions,
// and rows are numbered by these, so that they are spread evenly; every other cell is on its
// own.
func (p *Sweep) Unit(cell int) int {
	if p.Spec.Precision != nil {
		return p.caseOf(cell).Point
	}
	at := p.caseOf(cell)
	if !p.searches(at) && !p.looks(at) {
		return cell
	}
	finder, _ := p.finder(at)
	return finder - p.replications()
}

// Units implements cells.Staged.
func (p *Sweep) Units() int {
	if p.Spec.Precision != nil {
		return p.Points()
	}
	return p.Cells()
}

// caseOf returns the case of a cell, whose admission it may find.
func (p *Sweep) caseOf(cell int) Case {
	if p.isUnknown(cell) {
		return p.found(cell)
	}
	at, _ := p.of(cell)
	return at
}

// Progress implements cells.Staged.
func (p *Sweep) Progress(shard Shard, workers int, numbers [][]float64) cells.Progress {
	p.recall(numbers)
	var now cells.Progress
	for cell := p.replications(); cell < p.Cells(); cell++ {
		if shard.Has(p.Unit(cell)) {
			now.Add(cell, numbers[cell], false)
		}
	}
	// Few searches share the workers.
	p.helpers = workers / max(1, len(now.Ready))
	for point := range p.Points() {
		if p.Spec.Precision == nil || shard.Has(point) {
			p.progressAt(point, shard, numbers, &now)
		}
	}
	return now
}

// progressAt adds the replications of a point that are wanted as far as is known.
func (p *Sweep) progressAt(point int, shard Shard, numbers [][]float64, now *cells.Progress) {
	most := p.wanted(point, numbers)
	for row := range p.rowsPerPoint() {
		first := point*p.perPoint() + row*p.Spec.Replications
		at := p.caseOf(first)
		finder, waits := p.finder(at)
		waits = waits && p.searches(at) && numbers[finder] == nil
		wanted := most
		if p.once(at, numbers) {
			wanted = 1
		}
		for cell := first; cell < first+wanted; cell++ {
			if shard.Has(p.Unit(cell)) {
				now.Add(cell, numbers[cell], waits)
			}
		}
	}
}

// admission returns the admission of a case as far as it is known.
func (p *Sweep) admission(at Case, numbers [][]float64) (admit []float64, rule []ClassThreshold) {
	if finder, ok := p.finder(at); ok {
		return p.decode(finder, numbers[finder])
	}
	return p.Spec.Admissions[at.Admission].Admit, nil
}

// once reports whether all replications of a case are the same as far as is
// known: neither its jobs nor its admission are drawn. An admission that is not
// found yet may turn out to be drawn.
func (p *Sweep) once(at Case, numbers [][]float64) bool {
	admit, limits := p.admission(at, numbers)
	a := Admission{Admit: admit}
	if limits != nil {
		a.Rule = thresholdRule(limits)
	}
	return !p.random[at.Point] && !a.random()
}

var errUnfinished = errors.New("not finished")

// wanted returns how many replications of the rows of a point are wanted: as
// many as there are or, where a precision is asked for, those up to the next
// look at the intervals. Every look depends on the replications before it only,
// so that the number they end at is the same however the work is cut up.
func (p *Sweep) wanted(point int, numbers [][]float64) int {
	if p.Spec.Precision == nil {
		return p.Spec.Replications
	}
	rule := p.rule()
	n, _, err := p.look(rule, point, numbers)
	if err == nil {
		return n
	}
	next := rule.First
	for next <= n {
		next = min(2*next, rule.Max)
	}
	return next
}

// rule is when replications end.
func (p *Sweep) rule() metric.Precision {
	return metric.Precision{Relative: p.Spec.Precision.Relative, First: p.Spec.Precision.Least, Max: p.Spec.Replications}
}

// look applies the rule to what is finished at a point: after how many
// replications it ends, and whether as precise as asked for; or an error and
// after how many replications the first is missing.
func (p *Sweep) look(rule metric.Precision, point int, numbers [][]float64) (n int, met bool, err error) {
	rows, met, err := metric.Until(context.Background(), rule, 1, func(_ context.Context, k int) ([][]float64, error) {
		return p.watched(point, k, numbers)
	}, func(rows [][][]float64) [][]float64 {
		list := make([][]float64, p.rowsPerPoint())
		for i := range list {
			var cells [][]float64
			for _, row := range rows {
				cells = append(cells, row[i])
			}
			list[i], _ = p.controlled(cells, p.watch)
		}
		return list
	})
	return len(rows), met, err
}

// watched returns the cells of every row of a point in one replication.
func (p *Sweep) watched(point, replication int, numbers [][]float64) ([][]float64, error) {
	row := make([][]float64, p.rowsPerPoint())
	for i := range row {
		first := point*p.perPoint() + i*p.Spec.Replications
		x := numbers[first+replication]
		if p.once(p.caseOf(first), numbers) {
			x = numbers[first]
		}
		if x == nil {
			return nil, errUnfinished
		}
		row[i] = x
	}
	return row, nil
}
