package plan

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"revopt/internal/cells"
	"revopt/internal/text"
	"revopt/model/scenario"
	"revopt/simulate/analytic"
	"revopt/simulate/metric"
	"revopt/simulate/run"
	"revopt/simulate/subject"
)

// Samples are what a plan yields: for every point, row and replication the measures
// of all jobs and of each customer, for every point and replication the bounds.
type Samples struct {
	work   *Execution
	all    *cells.Results
	failed []*run.RunError // of the policies that are left out
	left   []int           // see Given

	Version string // of the program
}

// NewSamples returns the samples of a plan whose cells were run by an engine.
func NewSamples(x *Execution, all *cells.Results, version string) *Samples {
	return &Samples{work: x, all: all, Version: version}
}

// Models returns the admissions that the queueing model knows at a point, with the subject
// that rows without chosen prices run on.
func (s *Samples) Models(ctx context.Context, point int) (*run.Admissions, error) {
	at, err := s.work.ready(ctx, point)
	if err != nil {
		return nil, err
	}
	return at.models, nil
}

// Clairvoyant returns the clairvoyant bound at a point by replication, $.
func (s *Samples) Clairvoyant(point int) []float64 {
	cells := readBounds(s.bounds(point), 0, readValueBounds)
	return text.Each(cells, func(b valueBounds) float64 { return b.clairvoyant })
}

// Plan returns the plan of the samples.
func (s *Samples) Plan() *Plan { return s.work.Plan }

// Measures returns the measures that are kept.
func (s *Samples) Measures() []metric.Measure { return s.work.measures }

// Policy returns the policy of a row at a point.
func (s *Samples) Policy(point, row int) subject.Policy {
	choice, err := s.Plan().policyAt(point, row)
	if err != nil {
		panic("plan: " + err.Error()) // Open has checked it
	}
	return choice
}

// Names returns the names of the customers whose measures are kept.
func (s *Samples) Names() []string {
	whole := text.Where(s.Sections(), func(section subject.Section) bool { return section.Pool == "" })
	return text.Each(whole, func(section subject.Section) string { return section.Name })
}

// Pooled reports whether the machine has pools.
func (s *Samples) Pooled() bool { return s.work.groups > 0 }

// Sections returns what the columns of an outcome are of, from that of index 0 on.
func (s *Samples) Sections() []subject.Section {
	if !s.Plan().Classes {
		return nil
	}
	return s.work.sections
}

// Providers returns the names of the providers at a point; nil where there is one.
func (s *Samples) Providers(point int) []string {
	if s.work.columns.providers == 0 { // no point has several
		return nil
	}
	at, err := s.work.ready(context.Background(), point)
	if err != nil || at.providers == nil {
		return nil
	}
	return append([]string{scenario.ServerName}, text.Each(at.providers,
		func(p run.Provider) string { return p.Name })...)
}

// Builds returns the builds that wrote the journals.
func (s *Samples) Builds() []Build { return s.all.Builds }

// Finished returns how many cells are finished.
func (s *Samples) Finished() int { return s.all.Finished }

// Row returns the replications of a row up to the first that is not finished, or the only one.
func (s *Samples) Row(point, row int) Outcome {
	o := Outcome{columns: s.work.columns, Level: s.work.level, Spread: s.Plan().Resample != nil,
		Looked: s.Plan().Stop != nil}
	n := s.Plan().Replications
	if s.work.deterministic(point, row, s.all.Numbers) {
		n = 1
	}
	first := s.work.cell(point, row, 0)
	for _, x := range s.all.Numbers[first : first+n] {
		if x == nil {
			break
		}
		o.numbers = append(o.numbers, x)
	}
	return o
}

// Load returns the load that is offered at a point: that of generated jobs is the mean over the first n replications.
func (s *Samples) Load(point, n int) (float64, error) {
	row := s.Plan().RowsAt(point)[0]
	subject, err := s.Subject(point, row)
	if err != nil {
		return 0, err
	}
	if subject.Trace == nil || subject.Logged() {
		return subject.Workload.Load(), nil
	}
	return s.Row(point, row).Stretched(n).Load(), nil
}

// Replications returns after how many replications of a point something is missing,
// and whether nothing there is random, so that one stands for all.
func (s *Samples) Replications(point int) (n int, once bool) {
	n, once = s.Plan().Replications, true
	for _, row := range s.Plan().RowsAt(point) {
		switch finished := s.Row(point, row).N(); {
		case finished == 0:
			return 0, false
		case !s.work.deterministic(point, row, s.all.Numbers):
			n, once = min(n, finished), false
		}
	}
	switch wanted := s.work.boundsAt(point, s.all.Numbers); {
	case wanted > 0 && len(s.bounds(point)) == 0:
		return 0, false
	case wanted > 1:
		n = min(n, len(s.bounds(point)))
	}
	if once {
		n = 1
	}
	return n, once
}

// Common returns how many replications all random points have, and whether no point is random. It returns
// 0 if some point has none.
func (s *Samples) Common() (n int, once bool) {
	n, once = s.Plan().Replications, true
	for point := range s.Plan().Points() {
		switch finished, constant := s.Replications(point); {
		case finished == 0:
			return 0, false
		case !constant:
			n, once = min(n, finished), false
		}
	}
	return n, once
}

// bounds returns the numbers of the bounds at a point by replication, up to the first that is missing, or
// one if all replications have the same jobs.
func (s *Samples) bounds(point int) [][]float64 {
	var list [][]float64
	for k := range s.work.boundsAt(point, s.all.Numbers) {
		x := s.all.Numbers[s.work.boundCell(point, k)]
		if x == nil {
			break
		}
		list = append(list, x)
	}
	return list
}

// Complete reports whether all cells are finished.
func (s *Samples) Complete() bool { return len(s.work.Progress(Shard{}, 1, s.all.Numbers).Ready) == 0 }

// Progress returns how many cells are finished and how many there are, as far as is
// known: with a Stop there may turn out to be more.
func (s *Samples) Progress() (finished, total int) {
	now := s.work.Progress(Shard{}, 1, s.all.Numbers)
	return now.Finished, now.Total
}

// Settled returns at how many points all cells are finished.
func (s *Samples) Settled() int {
	open := map[int]bool{}
	for _, cell := range s.work.Progress(Shard{}, 1, s.all.Numbers).Ready {
		open[s.work.place(cell).point] = true
	}
	return s.Plan().Points() - len(open)
}

// Met reports whether the intervals at a point are as narrow as the plan asks for.
func (s *Samples) Met(point int) bool {
	if s.Plan().Stop == nil {
		return true
	}
	_, met, err := s.work.look(point, s.all.Numbers)
	return err == nil && met
}

// Imprecise returns at how many finished points intervals are still too wide.
func (s *Samples) Imprecise() int {
	if s.Plan().Stop == nil {
		return 0
	}
	return text.Count(text.Numbers(s.Plan().Points()), func(point int) bool {
		_, met, err := s.work.look(point, s.all.Numbers)
		return err == nil && !met
	})
}

// Admission returns the admission of a row at a point: the one that was found where
// it had to be found. Its Admit is nil where all jobs are admitted or a rule decides.
func (s *Samples) Admission(point, row int) run.Gate {
	a, _ := s.work.known(point, row, s.all.Numbers)
	return a
}

// FoundAdmission is an admission that was found at a point.
type FoundAdmission struct {
	Point, Row int
	Shared     bool     // all rows with the same admission use it
	Names      []string // of the customers
	run.Gate
	Thresholds []analytic.ClassThreshold // of an admission that depends on the queue
}

// Probability returns the probability of a customer; NaN where there is none.
func (f FoundAdmission) Probability(customer int) float64 {
	if f.Thresholds != nil {
		return metric.Float(f.Thresholds[customer].Admit)
	}
	return f.Admit[customer]
}

// Found returns the admissions that were found, by point.
func (s *Samples) Found() []FoundAdmission {
	var list []FoundAdmission
	for point := range s.Plan().Points() {
		for k, f := range s.work.finders {
			numbers := s.all.Numbers[s.work.finderCell(point, k)]
			if numbers == nil {
				continue
			}
			a := s.work.decode(f.row, numbers)
			list = append(list, FoundAdmission{
				Point: point, Row: f.row, Shared: f.shared, Names: s.work.names, Gate: a, Thresholds: a.Limits,
			})
		}
	}
	return list
}

// BoundTotals returns the bounds at a point as they were computed: on all jobs, where Pool
// is "", then in each group of pools, named as in a+b. A bound that was not computed has no
// totals.
func (s *Samples) BoundTotals(point int) (list []Bound) {
	if s.Plan().Bounds == nil {
		return nil
	}
	groups := []string{""}
	if jobs, err := s.work.boundedJobs(point, s.all.Numbers); err == nil && jobs.Pools() != nil {
		for _, group := range jobs.Pools().Groups() {
			groups = append(groups, strings.Join(subject.PoolNames(jobs.Pools(), group), "+"))
		}
	}
	for g, pool := range groups {
		if s.Plan().Objective() != "" {
			cells := readBounds(s.bounds(point), g, readDelayBounds)
			totals := text.Each(cells, func(b delayBounds) float64 { return b.least / b.tasks })
			once := text.Each(cells, func(b delayBounds) float64 { return b.once / b.tasks })
			list = append(list, Bound{Name: BusyTimeBound, Pool: pool, Total: totals},
				Bound{Name: UnpreemptedBound, Pool: pool, Total: once})
			continue
		}
		cells := readBounds(s.bounds(point), g, readValueBounds)
		add := func(name string, total func(valueBounds) float64) {
			list = append(list, Bound{Name: name, Pool: pool, Total: text.Each(cells, total)})
		}
		add(FluidBound, func(b valueBounds) float64 { return b.fluid })
		add(ClairvoyantBound, func(b valueBounds) float64 { return b.clairvoyant })
		add(IndivisibleBound, func(b valueBounds) float64 { return b.indivisible })
		add(UnpreemptedBound, func(b valueBounds) float64 { return b.unpreempted })
	}
	return list
}

// Case is a policy behind an admission at a point, by their positions in a sweep file.
type Case struct{ Point, Admission, Policy int }

// place returns the row of a case, a measure by its name and the customer of a class,
// which is -1 for "". It panics where the samples do not have them.
func (s *Samples) place(at Case, measure, class string) (Outcome, metric.Measure, int) {
	i := slices.IndexFunc(s.work.measures, func(m metric.Measure) bool { return m.Name == measure })
	customer := slices.Index(s.Names(), class)
	if i < 0 || customer < 0 && class != "" || at.Point >= s.Plan().Points() || at.Policy >= s.Plan().grid[1] {
		panic(fmt.Sprintf("plan: the samples do not have %q of class %q at %+v", measure, class, at))
	}
	return s.Row(at.Point, s.Plan().Row(at.Admission, at.Policy)), s.work.measures[i], customer
}

// Values returns a measure of each replication of a case, for one class or for all jobs
// where the class is "", less what control variates explain of it.
func (s *Samples) Values(at Case, measure, class string) []float64 {
	o, m, customer := s.place(at, measure, class)
	return o.Values(m, customer)
}

// Interval returns the interval of Values.
func (s *Samples) Interval(at Case, measure, class string) metric.Interval {
	o, m, customer := s.place(at, measure, class)
	return o.Interval(m, customer)
}

// Admit returns the admission probability of each class in a case; nil where all are
// admitted, where the admission depends on the queue or where it is not found yet.
func (s *Samples) Admit(at Case) []float64 {
	return s.Admission(at.Point, s.Plan().Row(at.Admission, at.Policy)).Admit
}

func (s *Samples) Experiment(point, row int) (*run.Experiment, error) {
	return s.work.Experiment(point, row, s.all.Numbers)
}

func (s *Samples) Subject(index, row int) (*subject.Subject, error) {
	at, err := s.work.ready(context.Background(), index)
	if err != nil {
		return nil, err
	}
	return at.subjectOf(s.Admission(index, row)), nil
}
