package plan

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"

	"gonum.org/v1/gonum/floats"

	"revopt/internal/budget"
	"revopt/internal/cells"
	"revopt/internal/memo"
	"revopt/internal/text"
	"revopt/model/scenario"
	"revopt/simulate"
	"revopt/simulate/analytic"
	"revopt/simulate/bound"
	"revopt/simulate/metric"
	"revopt/simulate/run"
	"revopt/simulate/subject"
	"revopt/simulate/workload"
)

// maxCells is how many cells a plan may have.
const maxCells = 10_000_000

// The memory that parts of a plan need, in bytes, about.
const (
	boundBytes = 4000 // a job that is bounded
	cellBytes  = 100  // a cell of work, beside its numbers
)

// Execution is a plan whose points were checked, cut into cells. It is cells.Staged
// work, and may be used by several goroutines.
//
// The cells are, in this order:
//   - replications, by point, row and replication, the last fastest;
//   - bounds, by point and replication;
//   - findings, by point: the admissions that have to be found.
//
// A replication waits for a search at its own point. It does not wait for an
// admission of the model, because solving costs little: such a cell says what was
// used.
type Execution struct {
	Plan *Plan

	measures []metric.Measure
	columns  columns
	names    []string          // of the customers, or sections, of the point that has most
	sections []subject.Section // of the columns, likewise
	costs    []float64         // of a replication, s, by point and row; 0 where a point does not have the row
	total    float64           // of a replication of all points and rows with their bounds, s
	sizes    []float64         // jobs of a replication, by point
	active   []float64         // jobs that wait or run at a time, by point, at most
	mixed    bool              // some rows have no control variates
	random   []bool            // by point: jobs differ between replications
	finders  []finder
	finderOf []int   // by row; -1 where its admission is given
	first    int     // replications before the first look
	level    float64 // of the intervals of outcomes; 0 is metric.DefaultLevel
	watched  metric.Measure
	convert  func(*simulate.Job) bound.Job // jobs as bounds see them
	Serves   string                        // what the bounds allow a scheduler
	groups   int                           // of pools that are bounded apart, at most; 0 where the machine is one
	largest  int                           // sections and jobs of a trace of a point, at most; 0 until it is known
	helpers  int                           // workers of a search
	progress run.Progress                  // of searches

	opener *subject.Opener
	points memo.Memo[int, *point]   // some of them, ready to run
	admits memo.Memo[int, run.Gate] // by cell of a finder

	mu     sync.Mutex // of tabled and failed
	tabled int        // states of the tables of decisions in admits
	failed failures
}

// finder is a cell of each point that finds the admission of a row.
type finder struct {
	row    int  // the first that uses it
	shared bool // all rows with the same admission use it
}

// place is what a cell computes.
type place struct {
	kind                    int
	point, row, replication int
	finder                  int
}

// The kinds of cells.
const (
	replicationCell = iota
	boundCell
	finderCell
)

// Open checks every point of a plan and cuts it into cells. A fault of the scenario
// is a *scenario.Error, one of its trace a *workload.Error; a policy that cannot run
// there is a *policy.NeedError.
func (p *Plan) Open(ctx context.Context, opener *subject.Opener) (*Execution, error) {
	if len(p.Rows) == 0 {
		return nil, errors.New("plan: nothing to run")
	}
	if opener == nil {
		opener = &subject.Opener{Seed: p.Seed, Policies: p.specs}
	}
	c := *p
	x := &Execution{Plan: &c, opener: opener}
	for _, name := range p.Measures {
		m, ok := metric.Lookup(name)
		if !ok {
			return nil, fmt.Errorf("plan: unknown measure %q", name)
		}
		x.measures = append(x.measures, m)
	}
	for _, m := range p.comparing() {
		if !slices.Contains(p.Measures, m.Name) {
			x.measures = append(x.measures, m)
		}
	}
	points := 1
	for _, a := range p.Vary {
		points *= max(1, len(a.Values))
		if points > maxCells {
			return nil, x.tooMany()
		}
	}
	points = c.Points()
	x.costs = make([]float64, points*len(c.Rows))
	x.sizes = make([]float64, points)
	x.active = make([]float64, points)
	x.random = make([]bool, points)
	x.listFinders()
	x.setConversion()
	if x.tooLarge() {
		return nil, x.tooMany()
	}
	if err := x.checkPoints(ctx); err != nil {
		return nil, err
	}
	if x.tooLarge() {
		return nil, x.tooMany()
	}
	if p.Programs != nil { // as a journal has them: its results are those of these files
		x.Plan.Programs = p.Programs
	}
	x.setStop()
	return x, x.afford(ctx)
}

// tooLarge reports whether the plan has more cells than maxCells, as far as is known.
func (x *Execution) tooLarge() bool {
	rows := len(x.Plan.Rows)
	if x.Plan.Bounds != nil {
		rows++
	}
	perPoint := float64(rows)*float64(x.Plan.Replications) + float64(len(x.finders))
	return perPoint*float64(len(x.sizes)) > maxCells
}

func (x *Execution) tooMany() error {
	points := "more points"
	if n := len(x.sizes); n > 0 {
		points = text.Plural(n, "point")
	}
	return &scenario.Error{Message: fmt.Sprintf("expected at most %d cells, got %s of %s at %s", maxCells,
		text.Plural(x.Plan.Replications, "replication"), text.Plural(len(x.Plan.Rows), "row"), points)}
}

// checkPoints opens the scenario at every point, several at a time, reports what would stop
// a cell before it starts, and learns what cells need. If several points have faults, it
// reports the first.
func (x *Execution) checkPoints(ctx context.Context) error {
	const together = 1024 // points whose facts are in memory
	x.columns.measures = x.measures
	if x.Plan.Served != nil {
		x.columns.groups = len(x.Plan.Served.Groups())
	}
	for from := 0; from < len(x.sizes); from += together {
		to := min(from+together, len(x.sizes))
		list, err := metric.Replicate(ctx, from, to, x.opener.Workers, x.checkPoint)
		if err != nil && ctx.Err() == nil { // a later fault may have ended the check of an earlier point
			list, err = metric.Replicate(ctx, from, to, 1, x.checkPoint)
		}
		if err != nil {
			return err
		}
		for _, f := range list {
			x.learn(f)
		}
	}
	x.total = floats.Sum(x.costs)
	for i := range x.sizes {
		x.total += x.boundCost(i)
	}
	if x.Plan.Classes {
		x.columns.customers = len(x.sections)
	}
	if x.groups > 0 {
		x.columns.pooled = text.Each(x.sections, func(s subject.Section) workload.Column { return s.At })
	}
	return nil
}

// pointFacts is what the whole plan learns from a point.
type pointFacts struct {
	names        []string // of the customers, or sections
	sections     []subject.Section
	providers    int
	groups       int    // of pools
	parts        int    // sections, and jobs of a trace
	replications int    // of the scenario
	trace        string // SHA-256; "" where the jobs come from no file
	programs     []string
	plain        bool // a row has no control variates
	controls     bool // a row has some
}

func (x *Execution) checkPoint(ctx context.Context, i int) (f pointFacts, err error) {
	at, err := x.ready(ctx, i)
	if err != nil {
		return f, x.blame(i, err)
	}
	f.trace, err = at.subject.Opener.Sum(at.subject.Scenario.Trace)
	if err != nil {
		return f, err
	}
	x.random[i] = at.workload.Random()
	f.names, f.replications = subject.ClassNames(at.workload.Customers()), at.subject.Replications()
	f.sections, f.providers = subject.Sections(at.workload),
		(&run.Experiment{Providers: at.providers}).ProviderCount()
	f.parts = len(f.sections)
	if at.subject.Trace != nil {
		f.parts += int(at.workload.Size())
	}
	if p := at.workload.Pools(); p != nil {
		f.groups = len(p.Groups())
	}
	for _, row := range x.Plan.RowsAt(i) {
		a := x.Plan.Rows[row].admission(i)
		if err := run.Computable(at.subject, a); err != nil {
			return f, x.admissionError(i, row, err)
		}
		e := at.experiment(row, a)
		if err := e.Check(); err != nil {
			return f, err
		}
		for _, file := range e.Programs() {
			sum, err := x.opener.Sums.Get(file, 0, func() (string, error) { return subject.FileSum(file) })
			if err != nil {
				return f, err
			}
			f.programs = append(f.programs, file+" "+sum)
		}
		x.costs[i*len(x.Plan.Rows)+row], x.sizes[i] = e.Cost(), e.Workload.Size()
		x.active[i] = max(x.active[i], e.Active())
		without := e.Variates() == nil
		f.plain, f.controls = f.plain || without, f.controls || !without
	}
	return f, nil
}

// learn adds the facts of the next point. Customers are those of the file at every point,
// and the others where there are jobs of theirs.
func (x *Execution) learn(f pointFacts) {
	if len(f.names) > len(x.names) {
		x.names = f.names
	}
	if len(f.sections) > len(x.sections) {
		x.sections = f.sections
	}
	x.columns.providers, x.groups = max(x.columns.providers, f.providers), max(x.groups, f.groups)
	x.largest = max(x.largest, f.parts)
	if x.Plan.Replications == 0 {
		x.Plan.Replications = f.replications
	}
	if f.trace != "" && !slices.Contains(x.Plan.Traces, f.trace) {
		x.Plan.Traces = append(x.Plan.Traces, f.trace)
	}
	for _, program := range f.programs {
		if !slices.Contains(x.Plan.Programs, program) {
			x.Plan.Programs = append(x.Plan.Programs, program)
		}
	}
	x.mixed, x.columns.controls = x.mixed || f.plain, x.columns.controls || f.controls
}

// admissionError names the place of an admission that cannot be had.
func (x *Execution) admissionError(point, row int, err error) error {
	given := x.Plan.Rows[row].Admission
	if given.Blame == nil {
		if x.Plan.Changes != nil && given.Change != "" {
			return fmt.Errorf("%s: %w", given.Change, err)
		}
		return err
	}
	words := err.Error()
	if list := x.Plan.overrides(point); len(list) > 0 {
		words = "at " + overrideWords(list) + ": " + words
	}
	return given.Blame(words)
}

// blame names the point in an error that is not about a value of an axis itself, but
// about what such a value makes wrong elsewhere in the scenario. It gives the place
// of the axis that varies fastest.
func (x *Execution) blame(point int, err error) error {
	if x.Plan.Changes != nil {
		return err
	}
	list := x.Plan.overrides(point)
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

// overrideWords names a point by its overrides.
func overrideWords(list []scenario.Override) string {
	return strings.Join(text.Each(list, scenario.Override.String), ", ")
}

// listFinders lists what has to be found at every point.
func (x *Execution) listFinders() {
	x.finderOf = slices.Repeat([]int{-1}, len(x.Plan.Rows))
	for i, row := range x.Plan.Rows {
		a := row.Admission
		if a.Admit != nil || row.Admits != nil || a.Rule != nil ||
			!slices.Contains(run.ComputedAdmissions(), a.Name) {
			continue
		}
		shared := a.Name == scenario.AdmitAnalytic || a.Name == analytic.ControlState
		if shared {
			k := slices.IndexFunc(x.finders, func(f finder) bool { return x.Plan.Rows[f.row].Admission.Name == a.Name })
			if k >= 0 {
				x.finderOf[i] = k
				continue
			}
		}
		x.finderOf[i] = len(x.finders)
		x.finders = append(x.finders, finder{row: i, shared: shared})
	}
}

// searches reports whether the replications of a row wait for a search of its admission.
func (x *Execution) searches(row int) bool {
	k := x.finderOf[row]
	return k >= 0 && !x.finders[k].shared
}

// Cells and Name implement cells.Work.
func (x *Execution) Cells() int { return x.finderCell(x.Plan.Points(), 0) }

func (x *Execution) Name() string { return x.Plan.Name() }

func (x *Execution) cell(point, row, replication int) int {
	return (point*len(x.Plan.Rows)+row)*x.Plan.Replications + replication
}

func (x *Execution) boundCell(point, replication int) int {
	base := x.cell(x.Plan.Points(), 0, 0)
	if x.Plan.Bounds == nil {
		return base
	}
	if point < x.Plan.Points() {
		point = x.sameJobs(point)
	}
	return base + point*x.Plan.Replications + replication
}

func (x *Execution) finderCell(point, finder int) int {
	return x.boundCell(x.Plan.Points(), 0) + point*len(x.finders) + finder
}

func (x *Execution) place(cell int) place {
	n := x.Plan.Replications
	if bounds := x.boundCell(0, 0); cell < bounds {
		row := cell / n
		return place{replicationCell, row / len(x.Plan.Rows), row % len(x.Plan.Rows), cell % n, -1}
	} else if finders := x.finderCell(0, 0); cell >= finders {
		k := (cell - finders) % len(x.finders)
		return place{finderCell, (cell - finders) / len(x.finders), x.finders[k].row, 0, k}
	} else {
		return place{boundCell, (cell - bounds) / n, -1, (cell - bounds) % n, -1}
	}
}

// Values implements cells.Work: those of a replication.
func (x *Execution) Values() int { return x.columns.size() }

// ValuesOf implements cells.Staged.
func (x *Execution) ValuesOf(cell int) int {
	switch x.place(cell).kind {
	case boundCell:
		return boundNumbers * (1 + x.groups)
	case finderCell:
		return foundNumbers*len(x.names) + 1
	}
	return x.Values()
}

// Cost implements cells.Work. Without an axis, a cell costs its own and that of all later
// replications: replications run one after the other, each its longest cells first, and
// an interrupted study has whole ones.
func (x *Execution) Cost(cell int) float64 {
	at := x.place(cell)
	var cost float64
	switch at.kind {
	case boundCell:
		cost = x.boundCost(at.point)
	case finderCell:
		cost = x.costs[at.point*len(x.Plan.Rows)+at.row]
		if x.searches(at.row) {
			cost *= run.SearchedRuns
		}
		return cost
	default:
		cost = x.costs[at.point*len(x.Plan.Rows)+at.row]
	}
	if x.Plan.Vary == nil {
		cost += x.total * float64(x.Plan.Replications-1-at.replication)
	}
	return cost
}

// boundCost returns the seconds that the bounds of a replication take, about.
func (x *Execution) boundCost(point int) float64 {
	if x.Plan.Bounds == nil {
		return 0
	}
	return x.sizes[point] * boundCost
}

// Unit implements cells.Staged: cells of one unit go to one shard. With a Stop and several points, a unit is a point.
// Otherwise a finder and the replications that need its search or its table of decisions are a unit, numbered by point
// and finder, so that searches are spread evenly. Every other cell is a unit of its own.
func (x *Execution) Unit(cell int) int {
	at := x.place(cell)
	if x.byPoint() {
		return at.point
	}
	switch at.kind {
	case finderCell:
		return at.point*len(x.finders) + at.finder
	case replicationCell:
		tabled := x.Plan.Rows[at.row].Admission.Name == analytic.ControlState
		if x.searches(at.row) || tabled && x.finderOf[at.row] >= 0 {
			return at.point*len(x.finders) + x.finderOf[at.row]
		}
	}
	return cell
}

// byPoint reports whether the cells of a point go to one shard.
func (x *Execution) byPoint() bool {
	return x.Plan.Stop != nil && x.Plan.Points() > 1
}

// Units implements cells.Staged.
func (x *Execution) Units() int {
	if x.byPoint() {
		return x.Plan.Points()
	}
	return x.Cells()
}

// Progress implements cells.Staged.
func (x *Execution) Progress(shard Shard, workers int, numbers [][]float64) cells.Progress {
	x.recall(numbers)
	var now cells.Progress
	for point := range x.Plan.Points() {
		rows := x.rowsAt(point)
		for k := range x.finders {
			used := slices.ContainsFunc(rows, func(row int) bool { return x.finderOf[row] == k })
			if cell := x.finderCell(point, k); used && shard.Has(x.Unit(cell)) {
				now.Add(cell, numbers[cell], false)
			}
		}
	}
	// Few searches share the workers.
	x.helpers = max(1, workers/max(1, len(now.Ready)))
	for point := range x.Plan.Points() {
		if !x.byPoint() || shard.Has(point) {
			x.progressAt(point, shard, numbers, &now)
		}
	}
	return now
}

// progressAt adds the replications and bounds of a point that are wanted so far.
func (x *Execution) progressAt(point int, shard Shard, numbers [][]float64, now *cells.Progress) {
	add := func(cell int, waits bool) {
		if shard.Has(x.Unit(cell)) {
			now.Add(cell, numbers[cell], waits)
		}
	}
	replications := x.wanted(point, numbers)
	for _, row := range x.rowsAt(point) {
		waits := x.searches(row) && numbers[x.finderCell(point, x.finderOf[row])] == nil
		n := replications
		if x.deterministic(point, row, numbers) {
			n = 1
		}
		for k := range n {
			add(x.cell(point, row, k), waits)
		}
	}
	from := 0
	if first := x.sameJobs(point); first < point {
		// These cells serve both points and were added with the first.
		from = min(x.wanted(first, numbers), x.boundsAt(first, numbers))
	}
	to := min(replications, x.boundsAt(point, numbers))
	for k := from; k < to; k++ {
		add(x.boundCell(point, k), x.boundWaits(point, numbers))
	}
}

// deterministic reports whether all replications of a row are the same: neither its jobs nor its decisions of
// admission are drawn. Chosen prices change the jobs, so that such a row is asked at its prices.
func (x *Execution) deterministic(point, row int, numbers [][]float64) bool {
	if x.Plan.Rows[row].Admission.Priced() {
		e, err := x.Experiment(point, row, numbers)
		return err == nil && !e.Random()
	}
	a, _ := x.known(point, row, numbers)
	return !x.random[point] && !a.Random()
}

// Run implements cells.Work.
func (x *Execution) Run(ctx context.Context, cell int) ([]float64, error) {
	p := x.place(cell)
	if p.kind == replicationCell && x.lost(p.row) {
		return nil, cells.ErrLeftOut
	}
	values, err := x.runPlace(ctx, p)
	if err == nil || ctx.Err() != nil {
		return values, err
	}
	if p.kind == replicationCell {
		err = x.fail(p.row, err)
	}
	if list := x.Plan.overrides(p.point); len(list) > 0 && !errors.Is(err, cells.ErrLeftOut) {
		err = fmt.Errorf("%s: %w", overrideWords(list), err)
	}
	return nil, err
}

// runPlace returns the numbers of a cell.
func (x *Execution) runPlace(ctx context.Context, p place) ([]float64, error) {
	at, err := x.ready(ctx, p.point)
	if err != nil {
		return nil, err
	}
	if p.kind == boundCell {
		return x.runBounds(ctx, p.point, at, x.Plan.From+p.replication)
	}
	a, err := x.admit(ctx, p.point, at, p.row)
	if err != nil {
		return nil, err
	}
	if p.kind == finderCell {
		return newFinding(a, x.names).numbers(), nil
	}
	e, err := at.resolve(ctx, p.row, a)
	if err != nil {
		return nil, err
	}
	var watching []simulate.Observer
	var groups *run.WaitObserver
	if l := x.Plan.Served; l != nil {
		groups = l.Observer(placesOf(l, e.Workload))
		watching = append(watching, groups)
	}
	s, err := e.Run(ctx, x.Plan.From+p.replication, watching...)
	if err != nil {
		return nil, err
	}
	return x.columns.numbers(s, groups.Waits()), nil
}

// keptPoints is how many points are kept ready to run, and more if they have at most keptParts sections
// and jobs of a trace together. Cells of a point mostly run one after the other.
const (
	keptPoints = 64
	keptParts  = 1 << 17
)

// ready returns a point ready to run.
func (x *Execution) ready(ctx context.Context, index int) (*point, error) {
	kept := keptPoints
	if x.largest > 0 {
		kept = max(kept, keptParts/x.largest)
	}
	return x.points.Get(index, kept, func() (*point, error) { return x.setup(ctx, index) })
}

// mostTabled is how many states the tables of decisions that are kept may have
// together. A table that is dropped is computed again when it is needed.
const mostTabled = 20_000_000

// admit returns the admission of a row. One that has to be found is found once.
func (x *Execution) admit(ctx context.Context, index int, at *point, row int) (run.Gate, error) {
	k := x.finderOf[row]
	if k < 0 {
		return x.Plan.Rows[row].admission(index), nil
	}
	cell := x.finderCell(index, k)
	return x.admits.Get(cell, 0, func() (run.Gate, error) { return x.search(ctx, cell, at, row) })
}

// search computes an admission. Tables of decisions make room for each other.
func (x *Execution) search(ctx context.Context, cell int, at *point, row int) (run.Gate, error) {
	given := x.Plan.Rows[row]
	a, err := at.find(ctx, row, given, max(1, x.helpers), x.progress)
	if rule, ok := a.Rule.(*run.TableRule); ok {
		x.mu.Lock()
		defer x.mu.Unlock()
		x.tabled += rule.States
		if x.tabled > mostTabled {
			x.admits.Drop(func(other int) bool {
				return other != cell && x.Plan.Rows[x.place(other).row].Admission.Name == analytic.ControlState
			})
			x.tabled = rule.States
		}
	}
	return a, err
}

// recall takes over the admissions that were found before.
func (x *Execution) recall(numbers [][]float64) {
	for cell := x.finderCell(0, 0); cell < len(numbers); cell++ {
		p := x.place(cell)
		if numbers[cell] != nil && x.Plan.Rows[p.row].Admission.Name != analytic.ControlState {
			x.admits.Put(cell, x.decode(p.row, numbers[cell]))
		}
	}
}

// known returns the admission of a row at a point, and whether it is known.
func (x *Execution) known(point, row int, numbers [][]float64) (run.Gate, bool) {
	k := x.finderOf[row]
	if k < 0 {
		return x.Plan.Rows[row].admission(point), true
	}
	cell := numbers[x.finderCell(point, k)]
	if cell == nil {
		return run.Gate{Name: x.Plan.Rows[row].Admission.Name}, false
	}
	return x.decode(row, cell), true
}

// Experiment returns a row at a point with its admission, computed if it is not known.
func (x *Execution) Experiment(index, row int, numbers [][]float64) (*run.Experiment, error) {
	at, err := x.ready(context.Background(), index)
	if err != nil {
		return nil, err
	}
	a, ok := x.known(index, row, numbers)
	if !ok || a.Name == analytic.ControlState {
		a, err = x.admit(context.Background(), index, at, row)
		if err != nil {
			return nil, err
		}
	}
	return at.resolve(context.Background(), row, a)
}

// newFinding returns an admission that was found. Customers that it does not know are admitted.
func newFinding(a run.Gate, names []string) finding {
	f := finding{searched: a.Searched}
	limits := a.Thresholds(names)
	none := math.NaN()
	for i := range names {
		c := foundCustomer{admit: 1, waiting: none, surely: none}
		if i < len(a.Admit) {
			c.admit = a.Admit[i]
		}
		if i < len(limits) {
			c.admit = metric.Float(limits[i].Admit)
			c.waiting, c.surely = metric.Float(limits[i].Waiting), metric.Float(limits[i].Surely)
		}
		f.customers = append(f.customers, c)
	}
	return f
}

// decode is the inverse of newFinding.
func (x *Execution) decode(row int, numbers []float64) run.Gate {
	f := readFinding(numbers)
	a := run.Gate{Name: x.Plan.Rows[row].Admission.Name, Searched: f.searched}
	var limits []analytic.ClassThreshold
	for i, name := range x.names {
		c := f.customers[i]
		a.Admit = append(a.Admit, c.admit)
		limits = append(limits, analytic.ClassThreshold{
			Name: name, Admit: metric.Optional[metric.Number](c.admit),
			Waiting: metric.Optional[int](c.waiting), Surely: metric.Optional[int](c.surely),
		})
	}
	if a.Name == analytic.ControlState || a.Name == analytic.ControlThreshold {
		a.Admit, a.Limits = nil, limits
		if a.Name == analytic.ControlThreshold {
			a.Rule = run.ThresholdRule(limits)
		}
	}
	return a
}

func (x *Execution) setup(ctx context.Context, index int) (*point, error) {
	p := x.Plan
	doc, err := p.DocumentAt(index)
	err = cmp.Or(err, ctx.Err())
	if err != nil {
		return nil, err
	}
	at := &point{plan: p, chains: map[int][]run.Provider{}}
	at.recorded, err = x.opener.Open(ctx, doc)
	if err == nil {
		err = at.recorded.Check()
	}
	switch {
	case err != nil:
	case p.Changes != nil:
		err = at.recorded.OneProvider("whatif")
	case p.Bounds != nil:
		err = at.recorded.OneProvider("validate")
	}
	if err == nil {
		at.providers, err = run.Providers(at.recorded)
	}
	if err != nil {
		return nil, err
	}
	at.pooled, err = at.recorded.Pooled()
	if err != nil {
		return nil, err
	}
	if err := at.open(ctx, index); err != nil {
		return nil, err
	}
	for row := range p.Rows {
		choice, err := p.policyAt(index, row)
		if err != nil {
			return nil, err
		}
		at.policies = append(at.policies, choice)
	}
	return at, nil
}

// afford refuses a plan beyond the budget of memory, with a Stop by its first look.
func (x *Execution) afford(ctx context.Context) error {
	p := x.Plan
	n := p.Replications
	if p.Stop != nil {
		n = x.first
	}
	cells := 0.0
	for point := range p.Points() {
		cells += float64(len(p.RowsAt(point))) * float64(n)
	}
	const slack = 2 // of the garbage collector, and for what is estimated of them
	if err := budget.Memory(ctx, slack*cells*float64(cellBytes+8*x.Values()), "%s of %s at %s ask for",
		text.Plural(n, "replication"), text.Plural(len(p.Rows), "run"), text.Plural(p.Points(), "point")); err != nil {
		return err
	}
	for point := range x.sizes {
		if err := x.affordPoint(ctx, point, n); err != nil {
			return err
		}
	}
	return nil
}

// affordPoint refuses a point whose jobs do not fit into memory.
func (x *Execution) affordPoint(ctx context.Context, index, replications int) error {
	size, active := x.sizes[index], x.active[index]
	side := run.SideBySide(0, replications)
	if err := budget.Memory(ctx, active*run.JobBytes*side, "%s of %s jobs that wait at a time ask for",
		text.Fixed(active, 0), text.Fixed(size, 0)); err != nil {
		return err
	}
	if x.Plan.Bounds == nil {
		return nil
	}
	if at, err := x.ready(ctx, index); err != nil || x.Plan.Bounds.Quick && at.workload.Stream() > 0 {
		return err
	}
	return budget.Memory(ctx, size*boundBytes*side, "bounds on %s jobs ask for", text.Fixed(size, 0))
}
