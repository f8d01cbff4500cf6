package study

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"revopt/model/scenario"
	"revopt/simulate"
	"revopt/simulate/bound"
	"revopt/simulate/metric"
	"revopt/simulate/policy"
	"revopt/simulate/workload"
)

// Validation sets policies against bounds that are proven for the very jobs
// they serve: contenders on the same jobs and random numbers, at one point or
// at several along an axis, in several replications, on any workload whose jobs
// are worth something.
//
// A replication starts empty, has no warm-up whatever the scenario says, and
// goes on until the last of finitely many jobs has ended, so that all the money
// of all jobs is counted on both sides.
//
// Open makes a Validating of it, which is Work.
type Validation struct {
	Scenario     *scenario.Document  // without what is set
	Set          []scenario.Override // what holds at every point
	Vary         scenario.Axis       // any numeric path; without values there is one point
	Contenders   []Contender
	Policies     []policy.Spec // that contenders are looked up in; nil is policy.Standard
	Seed         uint64
	Replications int // 0: as many as the scenario says

	// Jobs is how many jobs a replication of a stream has; 0 means its own
	// length, up to workload.DrainedJobs. A trace or a grid has the jobs it has.
	Jobs int

	// Gap is the relative gap at which the clairvoyant bound stops improving, 0
	// means the default of bound.Options. The gap that is reached is reported.
	Gap float64

	// WholeOrPartial makes the bounds hold for policies that return whole jobs
	// and for those that return partial results, whatever policies take part.
	// Without it they hold for the kinds that do, and are tighter where all are
	// of one.
	WholeOrPartial bool

	Level float64 // of confidence; 0 is metric.DefaultLevel

	// Resample draws the jobs of a trace anew, so that intervals are ranges of
	// spans; nil replays them.
	Resample *workload.Resampling

	// Plain measures without control variates. Amounts that are set against bounds
	// always are: a bound is on the jobs as they came.
	Plain bool
}

// Contender is a policy with its options and an admission.
type Contender struct {
	Policy    string          `json:"policy"`
	Options   policy.Settings `json:"options,omitempty"`   // the missing ones are the defaults
	Admission string          `json:"admission,omitempty"` // the name of the admission: all, analytic, ...

	// Admit is the admission probability of each customer, by point; one entry
	// serves all points, and none admits all.
	Admit [][]float64 `json:"admit,omitempty"`

	// Rule decides in place of Admit. A journal knows it by the name of the
	// admission alone.
	Rule simulate.Admission `json:"-"`

	rules    []simulate.Admission // those that were computed, by point
	computed Admission            // at the first point
}

// rule returns the rule of admission at a point.
func (c Contender) rule(point int) simulate.Admission {
	if c.rules != nil {
		return c.rules[point]
	}
	return c.Rule
}

// admit returns the admission at a point.
func (c Contender) admit(point int) []float64 {
	switch len(c.Admit) {
	case 0:
		return nil
	case 1:
		return c.Admit[0]
	}
	return c.Admit[point]
}

// Points returns the values of the axis; a single 0 where there is none.
func (v *Validation) Points() []float64 {
	if len(v.Vary.Values) == 0 {
		return []float64{0}
	}
	return v.Vary.Values
}

// At returns the scenario at a point.
func (v *Validation) At(point int) (*scenario.Document, error) {
	list := slices.Clone(v.Set)
	if len(v.Vary.Values) > 0 {
		o := scenario.Set(v.Vary.Path, v.Vary.Values[point])
		o.Source = "vary " + o.Path + "=" + o.Value
		list = append(list, o)
	}
	return v.Scenario.With(list...)
}

func (v *Validation) level() float64 { return Outcome{Level: v.Level}.level() }

// validationFormat changes when the same validation no longer gives the same
// journal.
const validationFormat = 4

// name returns JSON of all that the numbers depend on. sum is the checksum of
// the trace.
func (v *Validation) name(replications int, sums []string) string {
	spec := struct {
		Format         int                  `json:"validation"`
		Scenario       string               `json:"scenario"`
		Set            []scenario.Override  `json:"set,omitempty"`
		Vary           scenario.Axis        `json:"vary"`
		Contenders     []Contender          `json:"contenders"`
		Seed           uint64               `json:"seed"`
		Replications   int                  `json:"replications"`
		Jobs           int                  `json:"jobs"`
		Gap            float64              `json:"gap"`
		WholeOrPartial bool                 `json:"whole_or_partial"`
		Plain          bool                 `json:"plain,omitempty"`
		Traces         []string             `json:"trace_sha256,omitempty"`
		Resample       *workload.Resampling `json:"resample,omitempty"`
	}{
		validationFormat, string(v.Scenario.Source()), v.Set, v.Vary, v.Contenders, v.Seed, replications, v.Jobs, v.Gap, v.WholeOrPartial, v.Plain, sums, v.Resample,
	}
	text, err := json.Marshal(spec)
	if err != nil {
		panic(fmt.Sprintf("study: %v", err))
	}
	return string(text)
}

// Validating is a validation ready to run. Its cells are, at each point, each
// contender and then the bounds, in each replication.
type Validating struct {
	Validation
	subjects []*Subject          // by point
	drained  []workload.Workload // by point
	policies []Policy            // of the contenders
	convert  func(*simulate.Job) bound.Job
	serves   string // what the bound allows a scheduler
	work     string
	perPoint int // cells
}

// The numbers of a cell of bounds.
const (
	cellFluid = iota
	cellClairvoyant
	cellGap
	cellIndivisible
	cellUnpreempted // NaN where it does not apply
	cellFound       // by a schedule, likewise
	cellSeconds
	cellJobs
	boundNumbers
)

// NoValueError is a workload whose jobs are worth nothing, so that there is
// nothing to bound.
type NoValueError struct{ File string }

// Error says how to give them value.
func (e *NoValueError) Error() string {
	return e.File + ": expected jobs with prices: without budgets there is no value to bound (give qos, or classes with prices)"
}

// Open opens the scenario at every point, reads traces, and reports what would
// stop a cell before it starts. A fault of the scenario is a
// *scenario.Error, with a trace a *workload.Error; a policy that cannot run
// there is a *policy.NeedError.
func (v *Validation) Open(ctx context.Context) (*Validating, error) {
	if len(v.Contenders) == 0 {
		return nil, errors.New("study: nothing to compare")
	}
	w := &Validating{Validation: *v}
	for _, c := range v.Contenders {
		if (c.Admission == scenario.AdmitPrices) != (v.Contenders[0].Admission == scenario.AdmitPrices) {
			return nil, errors.New("study: expected prices as the admission of all contenders or of none: at other prices other jobs come")
		}
		p, err := NewPolicy(v.Policies, c.Policy, c.Options)
		if err != nil {
			return nil, err
		}
		w.policies = append(w.policies, p)
		if n := len(c.Admit); n > 1 && n != len(v.Points()) {
			return nil, fmt.Errorf("study: %s has %d admissions for %d points", p.Label(), n, len(v.Points()))
		}
	}
	w.setConversion()
	opener := Opener{Seed: v.Seed, Policies: v.Policies}
	var sums []string
	for i := range v.Points() {
		if err := w.open(ctx, &opener, i); err != nil {
			return nil, err
		}
		sum, err := traceSum(w.subjects[i].Scenario)
		if err != nil {
			return nil, err
		}
		if sum != "" && !slices.Contains(sums, sum) {
			sums = append(sums, sum)
		}
	}
	if w.Replications < 1 {
		w.Replications = w.subjects[len(w.subjects)-1].replications()
	}
	w.settle()
	if w.Replications > maxCells || w.perPoint > maxCells || w.perPoint*len(w.subjects) > maxCells {
		return nil, &scenario.Error{Message: fmt.Sprintf("expected a validation of at most %d cells, got %d replications", maxCells, w.Replications)}
	}
	w.work = v.name(w.Replications, sums)
	return w, w.afford(ctx)
}

// afford refuses a validation beyond the budget.
func (w *Validating) afford(ctx context.Context) error {
	for point := range w.subjects {
		p := workPlan{experiments: w.experiments(point), replications: w.Replications * len(w.subjects), bounds: w.Replications * len(w.subjects)}
		if err := p.afford(ctx); err != nil {
			return err
		}
	}
	return nil
}

// computable reports why an admission that is to be computed has none at some
// point.
func (w *Validating) computable() error {
	for point, s := range w.subjects {
		for _, e := range w.experiments(point) {
			if err := s.computable(e.Admission); err != nil {
				return err
			}
		}
	}
	return nil
}

// asked returns the prices of a point, where a contender goes with chosen ones.
func (w *Validating) asked(point int, c Contender) []AskedPrice {
	if c.Admission != scenario.AdmitPrices {
		return nil
	}
	return w.subjects[point].Asked()
}

// random reports whether replications differ, as they may as long as an
// admission is not computed.
func (w *Validating) random() bool {
	for point := range w.subjects {
		for _, e := range w.experiments(point) {
			computed := slices.Contains(computedAdmissions(), e.Admission.Name)
			if e.Random() || computed && e.Admission.Admit == nil && e.Admission.Rule == nil {
				return true
			}
		}
	}
	return false
}

// settle leaves one replication where nothing is random.
func (w *Validating) settle() {
	if !w.random() {
		w.Replications = 1
	}
	w.perPoint = (len(w.Contenders) + 1) * w.Replications
}

// open makes a point ready.
func (w *Validating) open(ctx context.Context, o *Opener, point int) error {
	doc, err := w.At(point)
	if err != nil {
		return err
	}
	s, err := o.Open(ctx, doc)
	if err == nil && w.Contenders[0].Admission == scenario.AdmitPrices {
		s, err = s.Priced(ctx)
	}
	if err == nil {
		err = s.Check()
	}
	if err == nil {
		err = s.unforwarded("validate")
	}
	if err == nil {
		s, err = s.Resample(ctx, w.Resample)
	}
	if err != nil {
		return err
	}
	w.subjects, w.drained = append(w.subjects, s), append(w.drained, s.Workload.Drained(w.Jobs))
	if r, ok := s.Workload.(*workload.Replay); ok && !r.Pays() {
		return &NoValueError{doc.File()}
	}
	for _, e := range w.experiments(point) {
		if err := e.Check(); err != nil {
			return err
		}
	}
	return nil
}

// experiments returns the contenders at a point.
func (w *Validating) experiments(point int) []*Experiment {
	var list []*Experiment
	for i, c := range w.Contenders {
		admit := completed(c.admit(point), len(w.drained[point].Customers()))
		if c.Admission == scenario.AdmitPrices {
			admit = w.subjects[point].Shares
		}
		list = append(list, &Experiment{Workload: w.drained[point], Policy: w.policies[i], Admission: Admission{Name: c.Admission, Admit: admit, Rule: c.rule(point), Prices: w.asked(point, c)}, Seed: w.Seed, Plain: w.Plain})
	}
	return list
}

const wholeJobs = "whole jobs"

// setConversion chooses the tightest view of the jobs for which a bound holds
// for all contenders, or for those of both kinds.
func (w *Validating) setConversion() {
	partial := 0
	for _, p := range w.policies {
		if p.Partial() {
			partial++
		}
	}
	switch {
	case partial == 0 && !w.WholeOrPartial:
		w.convert, w.serves = bound.Whole, wholeJobs
	case partial == len(w.policies) && !w.WholeOrPartial:
		w.convert, w.serves = bound.Partial, "partial results by the deadline"
	default:
		w.convert, w.serves = bound.WholeOrPartial, "whole jobs, also late, or partial results by the deadline"
	}
}

// Subject returns the scenario at a point.
func (w *Validating) Subject(point int) *Subject { return w.subjects[point] }

// Label names a contender in tables: the policy with the options that are not
// the defaults, and the admission where it has a name, as in
// "fcfs:backfill=true, analytic".
func (w *Validating) Label(contender int) string {
	label := w.policies[contender].Label()
	if a := w.Contenders[contender].Admission; a != "" {
		label += ", " + a
	}
	return label
}

// Name implements Work.
func (w *Validating) Name() string { return w.work }

// Cells implements Work.
func (w *Validating) Cells() int { return len(w.subjects) * w.perPoint }

// Values implements Work.
func (w *Validating) Values() int {
	most := boundNumbers
	for point := range w.drained {
		for _, e := range w.experiments(point) {
			most = max(most, e.numbers())
		}
	}
	return most
}

// place returns the coordinates of a cell; row is that of the bounds where it
// is past the contenders.
func (w *Validating) place(cell int) (point, row, replication int) {
	return cell / w.perPoint, cell % w.perPoint / w.Replications, cell % w.Replications
}

// boundCost is what a job costs to bound, in about seconds.
const boundCost = 4e-4

// Cost implements Work: a cell's own and that of all later replications, so that
// these run one after the other, each the longest cells first, and an
// interrupted validation has whole ones.
func (w *Validating) Cost(cell int) float64 {
	point, row, replication := w.place(cell)
	var own, all float64
	for i, jobs := range w.drained {
		for r := range len(w.Contenders) + 1 {
			cost := jobs.Size() * boundCost
			if r < len(w.Contenders) {
				cost = jobs.Size() * w.policies[r].Spec.Cost
			}
			if all += cost; i == point && r == row {
				own = cost
			}
		}
	}
	return own + all*float64(w.Replications-1-replication)
}

// Run implements Work.
func (w *Validating) Run(ctx context.Context, cell int) ([]float64, error) {
	point, row, replication := w.place(cell)
	numbers := make([]float64, 0, w.Values())
	if row == len(w.Contenders) {
		var err error
		if numbers, err = w.bounds(ctx, point, replication, numbers); err != nil {
			return nil, err
		}
	} else {
		s, err := w.experiments(point)[row].Run(ctx, replication)
		if err != nil {
			return nil, err
		}
		numbers = s.numbers(numbers)
	}
	return slices.Grow(numbers, w.Values())[:w.Values()], nil
}

// boundSlack is the share by which bounds are widened. A policy that collects
// all there is adds the same amounts in another order, and may end a rounding
// error above the bound otherwise.
const boundSlack = 1e-12

// jobs returns those of a replication as bounds see them.
func (w *Validating) jobs(ctx context.Context, point, replication int, convert func(*simulate.Job) bound.Job) ([]bound.Job, error) {
	source, err := w.drained[point].Jobs(w.Seed, replication)
	if err != nil {
		return nil, err
	}
	if c, ok := source.(io.Closer); ok {
		defer c.Close()
	}
	return bound.Collect(ctx, source, 0, convert)
}

// unpreempted reports whether any contender runs whole jobs once on processors of
// their own.
func (w *Validating) unpreempted() bool {
	return slices.ContainsFunc(w.policies, Policy.Unpreempted)
}

// once returns the bound for whole jobs that run once. It starts from the
// clairvoyant one, that for whole jobs where the other is for partial results as
// well.
func (w *Validating) once(ctx context.Context, point, replication int, jobs []bound.Job, best bound.Result) (bound.Result, error) {
	m := machineOf(w.drained[point])
	if w.serves != wholeJobs {
		var err error
		if jobs, err = w.jobs(ctx, point, replication, bound.Whole); err != nil {
			return best, err
		}
		if best, err = bound.Clairvoyant(ctx, jobs, m, bound.Options{Gap: w.Gap}); err != nil {
			return best, err
		}
	}
	return bound.Unpreempted(ctx, jobs, m, best)
}

// bounds appends the numbers of the bounds on a replication's jobs. They take
// seconds.
func (w *Validating) bounds(ctx context.Context, point, replication int, numbers []float64) ([]float64, error) {
	jobs, err := w.jobs(ctx, point, replication, w.convert)
	if err != nil {
		return nil, err
	}
	m := machineOf(w.drained[point])
	fluid, err := bound.Fluid(jobs, m)
	if err != nil {
		return nil, err
	}
	best, err := bound.Clairvoyant(ctx, jobs, m, bound.Options{Gap: w.Gap})
	if err != nil {
		return nil, err
	}
	whole, err := bound.Indivisible(ctx, jobs, m, best)
	if err != nil {
		return nil, err
	}
	once := bound.Result{Bound: math.NaN(), Feasible: math.NaN()}
	if w.unpreempted() && m.Capacity == float64(m.Nodes)*m.Speed {
		if once, err = w.once(ctx, point, replication, jobs, best); err != nil {
			return nil, err
		}
	}
	var seconds float64
	if w.drained[point].Stream() > 0 {
		if seconds = w.drained[point].Window().Horizon; seconds == 0 && len(jobs) > 0 {
			seconds = jobs[len(jobs)-1].Release
		}
	}
	all := [boundNumbers]float64{
		cellFluid: fluid * (1 + boundSlack), cellClairvoyant: best.Bound * (1 + boundSlack), cellGap: best.Gap + boundSlack,
		cellIndivisible: whole.Bound * (1 + boundSlack), cellUnpreempted: once.Bound * (1 + boundSlack), cellFound: once.Feasible, cellSeconds: seconds, cellJobs: float64(len(jobs)),
	}
	return append(numbers, all[:]...), nil
}

// machineOf returns the machine of all sites together.
func machineOf(w workload.Workload) bound.Machine {
	sites := w.Sites()
	if !slices.ContainsFunc(sites, func(s simulate.Site) bool { return s.Machines != nil }) {
		nodes := 0
		for _, s := range sites {
			nodes += s.Processors
		}
		return bound.Uniform(nodes)
	}
	var speeds []float64
	for _, s := range sites {
		for i := range s.Processors {
			speed := 1.0
			if s.Machines != nil {
				speed = s.Machines[i].Speed
			}
			speeds = append(speeds, speed)
		}
	}
	return bound.Mixed(speeds)
}

// Validate runs the validation and collects what came of it. After an error, or
// when it is interrupted, it returns the replications before the first that is
// not finished everywhere, with the error; nil where there are none.
func (w *Validating) Validate(ctx context.Context, e Engine) (*Validated, error) {
	numbers, err := e.Run(ctx, w)
	if numbers == nil {
		return nil, err
	}
	return w.Collect(numbers), err
}

// Collect makes of the numbers of the cells what they mean. It takes the
// replications before the first that lacks a cell at any point; without any it
// returns nil.
func (w *Validating) Collect(numbers [][]float64) *Validated {
	return w.collect(numbers, w.Replications)
}

// collect takes so many replications at most.
func (w *Validating) collect(numbers [][]float64, replications int) *Validated {
	for cell, values := range numbers {
		if _, _, replication := w.place(cell); values == nil {
			replications = min(replications, replication)
		}
	}
	if replications == 0 {
		return nil
	}
	v := &Validated{Work: w, numbers: numbers, Names: w.subjects[0].Names(), Timed: w.drained[0].Stream() > 0, Serves: w.serves}
	for i := range w.subjects {
		p := ValidatedPoint{X: w.Points()[i], level: w.level(), spread: w.Resample != nil}
		cells := numbers[i*w.perPoint : (i+1)*w.perPoint]
		for r := range w.Contenders {
			p.Rows = append(p.Rows, w.row(w.experiments(i)[r], cells[r*w.Replications:][:replications]))
		}
		for _, policy := range w.policies {
			p.unpreempted = append(p.unpreempted, policy.Unpreempted())
		}
		p.setBounds(w.drained[i], cells[len(w.Contenders)*w.Replications:][:replications])
		v.Points = append(v.Points, p)
	}
	return v
}

// row reads the cells of a contender.
func (w *Validating) row(e *Experiment, cells [][]float64) ContenderRow {
	row := ContenderRow{Outcome: Outcome{Level: w.level(), Spread: w.Resample != nil}}
	for _, values := range cells {
		s := e.newSample(values)
		row.Samples = append(row.Samples, s)
		row.Charged = append(row.Charged, s.Total.Revenue)
		row.Delivered = append(row.Delivered, s.Total.Value)
	}
	return row
}

// setBounds reads the cells of the bounds.
func (p *ValidatedPoint) setBounds(jobs workload.Workload, cells [][]float64) {
	fluid, best := Bound{Name: FluidBound}, Bound{Name: ClairvoyantBound}
	whole, once := Bound{Name: IndivisibleBound}, Bound{Name: UnpreemptedBound}
	timed := jobs.Stream() > 0
	for _, values := range cells {
		fluid.Total = append(fluid.Total, values[cellFluid])
		best.Total = append(best.Total, values[cellClairvoyant])
		best.Gap = append(best.Gap, values[cellGap])
		whole.Total = append(whole.Total, values[cellIndivisible])
		if most, found := values[cellUnpreempted], values[cellFound]; !math.IsNaN(most) {
			for i, row := range p.Rows { // a policy's schedule is one as well
				if p.unpreempted[i] {
					found = math.Max(found, row.Delivered[len(once.Total)])
				}
			}
			once.Total, once.Found = append(once.Total, most), append(once.Found, found)
			once.Gap = append(once.Gap, math.Max(0, (most-found)/math.Max(most, math.SmallestNonzeroFloat64)))
		}
		p.Jobs = append(p.Jobs, int(values[cellJobs]))
		if timed {
			p.Seconds = append(p.Seconds, values[cellSeconds])
		}
	}
	p.Bounds = []Bound{fluid, best, whole}
	if once.Total != nil {
		p.Bounds = append(p.Bounds, once)
	}
	if timed {
		if r, err := bound.FluidRate(jobs.Customers(), float64(jobs.Sites()[0].Processors)); err == nil {
			rate := Bound{Name: FluidRateBound, MeanOnly: true}
			for _, t := range p.Seconds {
				rate.Total = append(rate.Total, r.Bound*t)
			}
			p.Bounds = append(p.Bounds, rate)
		}
	}
}

// Validated is what came of a validation.
type Validated struct {
	Work   *Validating
	Names  []string // of the customers of a Sample
	Timed  bool     // a stream: amounts per second mean something, see ValidatedPoint.Seconds
	Serves string   // what the bounds allow a scheduler: "whole jobs", ...
	Points []ValidatedPoint

	numbers [][]float64 // of the cells
}

// ValidatedPoint is the outcome at a point: of every contender and bound in the
// same replications.
type ValidatedPoint struct {
	X       float64        // the value of the axis; 0 where there is none
	Rows    []ContenderRow // in the order of the contenders
	Bounds  []Bound        // from loose to tight; those that hold for means alone come last
	Jobs    []int          // offered in each replication
	Seconds []float64      // of each replication in which jobs arrive; nil unless Timed

	level       float64
	spread      bool   // intervals are ranges
	unpreempted []bool // by contender
}

// ContenderRow is a contender at a point.
type ContenderRow struct {
	Outcome           // samples of all replications, for all measures
	Charged []float64 // $ by replication, charged by the policy in all
	// Delivered is the value delivered by replication, $. No bound is ever
	// exceeded by it.
	//
	// Charged stays below the bounds as well wherever a job is charged no more
	// than its price, and nothing if it ends late. Under the price rules of the
	// papers the policies with queues (fcfs, easy, ...) charge a second of
	// estimated runtime a dollar and do not look at budgets: where these are
	// smaller, they charge more than is delivered.
	Delivered []float64
}

// The names of the bounds.
const (
	FluidBound       = "fluid"       // best packing into all of the machine's time
	ClairvoyantBound = "clairvoyant" // best relaxed schedule of a scheduler that knows the future
	IndivisibleBound = "indivisible" // the same where a job pays only as a whole
	UnpreemptedBound = "unpreempted" // the same where a job runs once, on processors of its own
	FluidRateBound   = "fluid-rate"  // best packing of a stream without end; bounds means alone
)

// Bound is a proven bound at a point.
type Bound struct {
	Name  string
	Total []float64 // $ by replication
	// Gap is the proven tightness by replication, (bound - a relaxed schedule's
	// value)/bound; nil where none is known. No bound of the same relaxation can
	// be lower by more.
	Gap []float64
	// Found is what a schedule of the bound's kind earns, with knowledge of the
	// future, by replication; nil where none was looked for.
	Found []float64
	// MeanOnly is a bound on long-run means: one replication may exceed it by
	// luck, and a short one because its last jobs are served after the last
	// arrival.
	MeanOnly bool
}

// Limits names the kind of policy that the bound limits, in a word or two.
func (b Bound) Limits() string {
	if b.Name == UnpreemptedBound {
		return UnpreemptedPolicies
	}
	return AllPolicies
}

// The kinds of policies that bounds tell apart.
const (
	AllPolicies         = "any"
	UnpreemptedPolicies = "unpreempted" // whole jobs, each once, on processors of its own
)

// WidestGap returns the largest gap of a bound in any replication, NaN where
// none is known.
func (b Bound) WidestGap() float64 {
	widest := math.NaN()
	for _, g := range b.Gap {
		if !(g <= widest) {
			widest = g
		}
	}
	return widest
}

// BoundPerSecond returns the interval of a bound per second; its mean is NaN
// unless Timed.
func (p *ValidatedPoint) BoundPerSecond(b int) metric.Interval {
	if p.Seconds == nil {
		return p.estimate(nil)
	}
	return p.estimate(perSecond(p.Bounds[b].Total, p.Seconds))
}

// perSecond returns amounts over the time in which jobs arrive.
func perSecond(totals, seconds []float64) []float64 {
	rates := make([]float64, len(totals))
	for k, t := range totals {
		rates[k] = t / seconds[k]
	}
	return rates
}

// Best returns the bound of each replication that efficiencies are shares of: the
// clairvoyant one, or the fluid one where that is lower by a hair.
func (p *ValidatedPoint) Best() []float64 {
	return p.least(func(b *Bound) bool { return b.Name == FluidBound || b.Name == ClairvoyantBound })
}

// BestFor returns the least bound of each replication that holds for the kind of
// policy of contender i.
func (p *ValidatedPoint) BestFor(i int) []float64 {
	return p.least(func(b *Bound) bool {
		return !b.MeanOnly && (b.Limits() == AllPolicies || p.Kind(i) == UnpreemptedPolicies)
	})
}

// Kind names the kind of policy of contender i, as Bound.Limits does.
func (p *ValidatedPoint) Kind(i int) string {
	if i < len(p.unpreempted) && p.unpreempted[i] {
		return UnpreemptedPolicies
	}
	return AllPolicies
}

// least returns the least of some bounds, by replication.
func (p *ValidatedPoint) least(of func(*Bound) bool) []float64 {
	best := make([]float64, len(p.Jobs))
	for k := range best {
		best[k] = math.Inf(1)
		for _, b := range p.Bounds {
			if of(&b) {
				best[k] = math.Min(best[k], b.Total[k])
			}
		}
	}
	return best
}

// shares returns amounts as shares of a bound, by replication; NaN where that is
// 0.
func shares(amounts, bound []float64) []float64 {
	shares := make([]float64, len(amounts))
	for k, most := range bound {
		shares[k] = math.NaN()
		if most > 0 {
			shares[k] = amounts[k] / most
		}
	}
	return shares
}

// Efficiencies returns the value delivered by contender i as a share of the
// best proven bound, by replication.
func (p *ValidatedPoint) Efficiencies(i int) []float64 { return shares(p.Rows[i].Delivered, p.Best()) }

// Efficiency returns the interval of Efficiencies.
func (p *ValidatedPoint) Efficiency(i int) metric.Interval {
	return p.estimate(p.Efficiencies(i))
}

// EfficiencyOfKind returns the interval of the value delivered by contender i as
// a share of the least bound that holds for its kind of policy.
func (p *ValidatedPoint) EfficiencyOfKind(i int) metric.Interval {
	return p.estimate(shares(p.Rows[i].Delivered, p.BestFor(i)))
}

// ChargedEfficiency returns the interval of what contender i charged as a share
// of the best proven bound.
func (p *ValidatedPoint) ChargedEfficiency(i int) metric.Interval {
	return p.estimate(shares(p.Rows[i].Charged, p.Best()))
}

// Difference returns the interval of the paired difference of efficiencies,
// that of contender i less that of contender j.
func (p *ValidatedPoint) Difference(i, j int) metric.Interval {
	return p.estimate(metric.Less(p.Efficiencies(i), p.Efficiencies(j)))
}

// Delivered returns the interval of the value that contender i delivered, $.
func (p *ValidatedPoint) Delivered(i int) metric.Interval {
	return p.estimate(p.Rows[i].Delivered)
}

// estimate returns the interval of a number of each replication.
func (p *ValidatedPoint) estimate(x []float64) metric.Interval {
	return Outcome{Level: p.level, Spread: p.spread}.estimate(x, x)
}

// Order returns the contenders from the one that delivers most value to the one
// that delivers least, or loses most, equals in their order.
func (p *ValidatedPoint) Order() []int {
	order := make([]int, len(p.Rows))
	values := make([]float64, len(p.Rows))
	for i := range order {
		if order[i], values[i] = i, p.Delivered(i).Mean; math.IsNaN(values[i]) {
			values[i] = math.Inf(-1)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(values[b], values[a]) })
	return order
}

// Replications returns how many replications there are.
func (p *ValidatedPoint) Replications() int { return len(p.Jobs) }
