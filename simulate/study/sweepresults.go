package study

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"revopt/internal/budget"
	"revopt/internal/cells"
	"revopt/internal/text"
	"revopt/simulate/metric"
	"revopt/simulate/policy"
)

// SweepResults are the numbers of the cells of a sweep that are finished.
type SweepResults struct {
	plan *Sweep
	all  *cells.Results
}

// results returns those of the plan.
func (p *Sweep) results(all *cells.Results, err error) (*SweepResults, error) {
	if all == nil {
		return nil, err
	}
	return &SweepResults{p, all}, err
}

// Sweep returns the sweep that the results are of.
func (r *SweepResults) Sweep() *Sweep { return r.plan }

// Finished returns how many cells are finished.
func (r *SweepResults) Finished() int { return r.all.Finished }

// Builds returns the builds of the program whose results were kept in journals:
// one, but where builds were mixed.
func (r *SweepResults) Builds() []Build { return r.all.Builds }

// cell returns the numbers of a cell, nil where it is not finished.
func (r *SweepResults) cell(i int) []float64 { return r.all.Numbers[i] }

// Case is a policy with an admission at a point, by their positions in the sweep
// file. All its replications make one interval.
type Case struct{ Point, Admission, Policy int }

// Values returns a measure of each replication of a case, in order, up to the
// first that is not finished: of one class, or of all jobs for "", less what control
// variates explain of it. Cases of a
// point have the same random numbers in the same replication, so they can be
// paired. It panics where the sweep has no such case, measure or class.
func (r *SweepResults) Values(at Case, measure, class string) []float64 {
	values, _ := r.numbersOf(at, measure, class)
	return values
}

// numbersOf returns the values of a measure and the plain ones.
func (r *SweepResults) numbersOf(at Case, measure, class string) (values, plain []float64) {
	f := slices.IndexFunc(r.plan.measures, func(f metric.Measure) bool { return f.Name == measure })
	g := slices.Index(r.plan.groups, class)
	if f < 0 || g < 0 {
		panic(fmt.Sprintf("study: no measure %q of class %q", measure, class))
	}
	return r.values(at, g*len(r.plan.measures)+f)
}

// values returns the k-th number of each replication of a case, less what control
// variates explain of it and plain.
func (r *SweepResults) values(at Case, k int) (values, plain []float64) {
	first := r.plan.first(at)
	n := r.plan.Spec.Replications
	if r.plan.once(at, r.all.Numbers) {
		n = 1
	}
	var cells [][]float64
	for i := range n {
		numbers := r.cell(first + i)
		if numbers == nil {
			break
		}
		cells = append(cells, numbers)
	}
	return r.plan.controlled(cells, k)
}

// Interval returns the interval of a measure of a case, at metric.DefaultLevel.
// See Values.
func (r *SweepResults) Interval(at Case, measure, class string) metric.Interval {
	return r.estimate(r.numbersOf(at, measure, class))
}

// estimate returns the interval of controlled values, at metric.DefaultLevel.
func (r *SweepResults) estimate(values, plain []float64) metric.Interval {
	return Outcome{Looked: r.plan.Spec.Precision != nil}.estimate(values, plain)
}

// Admit returns the admission probability of each class in a case, nil where all
// are admitted, where the admission looks at the queue or where it is not found
// yet.
func (r *SweepResults) Admit(at Case) []float64 {
	admit, _ := r.plan.admission(at, r.all.Numbers)
	return admit
}

// Thresholds returns the limits of an admission that looks at the queue, by class;
// nil of another one, or where it is not found yet.
func (r *SweepResults) Thresholds(at Case) []ClassThreshold {
	_, rule := r.plan.admission(at, r.all.Numbers)
	return rule
}

// Short returns for how many cases no admission was found that keeps all promises.
func (r *SweepResults) Short() int {
	count := 0
	for cell := r.plan.replications(); cell < r.plan.Cells(); cell++ {
		numbers := r.cell(cell)
		if numbers != nil && r.plan.keeps(r.plan.found(cell)) && slices.ContainsFunc(numbers[len(r.plan.names):], func(x float64) bool { return !math.IsNaN(x) }) {
			count++
		}
	}
	return count
}

// Progress returns how many cells are finished and how many there are, as far as
// is known: where a precision is asked for, there may turn out to be more.
func (r *SweepResults) Progress() (finished, total int) {
	now := r.plan.Progress(Shard{}, 1, r.all.Numbers)
	return now.Finished, now.Total
}

// Settled returns at how many points all cells are finished.
func (r *SweepResults) Settled() int {
	open := map[int]bool{}
	for _, cell := range r.plan.Progress(Shard{}, 1, r.all.Numbers).Ready {
		open[r.plan.caseOf(cell).Point] = true
	}
	return r.plan.Points() - len(open)
}

// Imprecise returns at how many points all replications that there may be are
// finished and are not as precise as the sweep asks for.
func (r *SweepResults) Imprecise() int {
	count := 0
	if r.plan.Spec.Precision != nil {
		for point := range r.plan.Points() {
			if _, met, err := r.plan.look(r.plan.rule(), point, r.all.Numbers); err == nil && !met {
				count++
			}
		}
	}
	return count
}

// Complete reports whether all cells are finished.
func (r *SweepResults) Complete() bool {
	return len(r.plan.Progress(Shard{}, 1, r.all.Numbers).Ready) == 0
}

// WriteTable writes the table of a complete sweep as CSV: a line for each
// measure of each point, admission, policy and class, all jobs where the class
// is empty, in the order of the cells.
func (r *SweepResults) WriteTable(w io.Writer) error {
	if !r.Complete() {
		finished, total := r.Progress()
		return fmt.Errorf("%d of %d cells are finished", finished, total)
	}
	out := r.table(w, "metric", "mean", "half_width", "level", "n", "variance_reduced")
	for row := range r.plan.replications() / r.plan.Spec.Replications {
		r.writeRow(out, row)
	}
	out.Flush()
	return out.Error()
}

// table starts a table whose last columns are given.
func (r *SweepResults) table(w io.Writer, columns ...string) *csv.Writer {
	out := csv.NewWriter(w)
	var header []string
	for _, a := range r.plan.Spec.Vary {
		header = append(header, a.Path)
	}
	out.Write(text.CSVRow(append(append(header, "admission", "policy", "options", "class"), columns...)))
	return out
}

// writeRow writes the measures of a policy with an admission at a point.
func (r *SweepResults) writeRow(out *csv.Writer, row int) {
	at := r.plan.caseOf(row * r.plan.Spec.Replications)
	head := r.plan.head(at)
	for g, class := range r.plan.groups {
		for f, measure := range r.plan.measures {
			e := newEstimate(r.estimate(r.values(at, g*len(r.plan.measures)+f)))
			out.Write(text.CSVRow(append(slices.Clone(head), class, measure.Name, text.Field(float64(e.Mean)), text.Field(float64(e.HalfWidth)), text.Field(float64(e.Level)), strconv.Itoa(e.N), e.ReducedField())))
		}
	}
}

// Searched reports whether the sweep has admissions that are found rather than
// given.
func (r *SweepResults) Searched() bool { return len(r.plan.unknowns) > 0 }

// WriteAdmissions writes the admissions that a complete sweep has found as CSV:
// a line for the probability of each class at each point. Where an admission looks
// at the queue, there are two columns more: the least number of waiting jobs at
// which the class is refused, empty where it never is, and that of a table of
// decisions from which on it is refused in every state. Where one is to keep promises,
// a last column has the largest share to which that of the class was found to be kept,
// empty where it is kept. The policy is empty where the admission is the same for all.
func (r *SweepResults) WriteAdmissions(w io.Writer) error {
	if !r.Complete() {
		return fmt.Errorf("the sweep is not finished")
	}
	columns, limits, shares := []string{"probability"}, slices.ContainsFunc(r.plan.unknowns, r.plan.looks), slices.ContainsFunc(r.plan.unknowns, r.plan.keeps)
	if limits {
		columns = append(columns, "waiting", "surely")
	}
	if shares {
		columns = append(columns, "possible")
	}
	out := r.table(w, columns...)
	for cell := r.plan.replications(); cell < r.plan.Cells(); cell++ {
		head := r.plan.head(r.plan.found(cell))
		admit, rule := r.plan.decode(cell, r.cell(cell))
		for i, class := range r.plan.names {
			t, possible := ClassThreshold{}, math.NaN()
			if rule != nil {
				t = rule[i]
			} else {
				t.Admit = optional[Number](admit[i])
			}
			if r.plan.keeps(r.plan.found(cell)) {
				possible = r.cell(cell)[len(r.plan.names)+i]
			}
			words := append(slices.Clone(head), class, text.Field(numberOf(t.Admit)))
			if limits {
				words = append(words, text.Field(numberOf(t.Waiting)), text.Field(numberOf(t.Surely)))
			}
			if shares {
				words = append(words, text.Field(possible))
			}
			out.Write(text.CSVRow(words))
		}
	}
	out.Flush()
	return out.Error()
}

// head returns the first columns of a case. The policy is empty where all share
// it.
func (p *Sweep) head(at Case) []string {
	var words []string
	for _, x := range p.At(at.Point) {
		words = append(words, text.Field(x))
	}
	words = append(words, admissionName(p.Spec.Admissions[at.Admission]))
	if at.Policy < 0 {
		return append(words, "", "")
	}
	choice, err := p.choice(at.Point, at.Policy)
	if err != nil {
		panic(err) // NewSweep has checked it
	}
	return append(words, choice.Spec.Name, OptionWords(choice.Settings))
}

// OptionWords writes options on one line, in the order of their names.
func OptionWords(options policy.Settings) string {
	var words []string
	for _, name := range slices.Sorted(maps.Keys(options)) {
		words = append(words, name+"="+options[name])
	}
	return strings.Join(words, " ")
}

// announce says how long a sweep takes, by what its costliest point is measured to
// take.
func (p *Sweep) announce(ctx context.Context, e Engine) {
	var rough, most, measured float64
	costliest := 0
	for i, cost := range p.costs {
		rough += cost * float64(p.perPoint())
		if cost > p.costs[costliest] {
			costliest = i
		}
	}
	if rough < pilotFrom {
		return
	}
	at, err := p.ready(ctx, costliest)
	if err != nil {
		return
	}
	for k := range at.policies {
		x := at.experiment(k, Admission{})
		most, measured = most+p.costs[costliest], measured+x.measured(ctx)
	}
	budget.Time(ctx, rough*measured/most/workPlan{workers: e.Workers}.side(p.Cells())/float64(max(1, e.Shard.Of)))
}

// RunOn runs the cells of a sweep that the engine's directory does not have yet,
// the longest first. After an error, or when the context is canceled, finished
// cells are kept, and the next one goes on from there. It returns all results
// there are, nil where the directory cannot be used.
//
// The results are the same at any number of workers and however often the work
// was interrupted.
func (p *Sweep) RunOn(ctx context.Context, e Engine) (*SweepResults, error) {
	p.announce(ctx, e)
	return p.results(e.Results(ctx, p))
}

// Slurm runs a sweep as array jobs of a Slurm cluster. Each task runs a shard
// into the directory, which the cluster's nodes must share with this machine.
type Slurm struct {
	Sweep     *Sweep
	Program   string   // absolute path of revopt
	File      string   // absolute path of the sweep file
	Dir       string   // absolute path
	Tasks     int      // shards; at most as many as there are cells, or points where a precision is asked for
	Args      []string // more arguments for sbatch
	Attempts  int      // how often shards are submitted before giving up; 0 is 3
	NoWait    bool     // submit and leave
	MixBuilds bool     // as that of Engine
	Log       func(line string)
}

// Run submits the shards that are not finished, waits for them, submits those
// that failed again, and returns the results.
func (s *Slurm) Run(ctx context.Context) (*SweepResults, error) {
	command := []string{s.Program, "sweep", s.File, "-o", s.Dir}
	if s.MixBuilds {
		command = append(command, "--mix-versions")
	}
	if s.Sweep.Spec.Plain {
		command = append(command, "--plain")
	}
	c := cells.Slurm{
		Work: s.Sweep, Name: "revopt-" + s.Sweep.Spec.Hash(), Command: command, Dir: s.Dir, Tasks: s.Tasks,
		Args: s.Args, Attempts: s.Attempts, NoWait: s.NoWait, MixBuilds: s.MixBuilds, Log: s.Log,
	}
	return s.Sweep.results(c.Run(ctx))
}

// CollectSweep reads the journals of a directory, also while others are at work
// on it. Results of another build of the program are an *OtherBuildError unless
// builds may be mixed.
func CollectSweep(ctx context.Context, dir string, specs []policy.Spec, mixBuilds bool) (*SweepResults, error) {
	name, err := cells.NameIn(dir)
	if err != nil {
		return nil, err
	}
	spec, err := parseSweep([]byte(name), specs)
	var plan *Sweep
	if err == nil {
		plan, err = NewSweep(ctx, spec)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	results, err := plan.results(cells.Read(dir, plan, mixBuilds))
	if errors.Is(err, cells.ErrOtherWork) {
		err = &ForgedError{Path: dir, Why: "it is of another sweep than one beside it"}
	}
	return results, err
}
