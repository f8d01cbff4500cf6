package ask

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"revopt/internal/text"
	"revopt/model"
	"revopt/model/scenario"
	"revopt/plots/answer"
	"revopt/simulate/run"
	"revopt/simulate/subject"
	"revopt/simulate/warn"
	"revopt/simulate/workload"
)

// Row is a line of a comparison.
type Row struct {
	Label  string
	Policy subject.Policy
	Case   run.Case
	Bound  *run.Case // bounds on its jobs; nil: none
	At     float64   // of a point: the number that is varied

	harmed   []run.Affected // against the present
	compared bool           // it may be ranked: it is no log, and runs all jobs where that matters
	e        *run.Experiment
}

// Comparison is rows on the same jobs.
type Comparison struct {
	settings
	Lab     *run.Lab
	Subject *subject.Subject // whose jobs run
	Rows    []Row
	Present int      // the row that others are judged against; -1: none
	Points  []Row    // policies along an axis
	Table   string   // name of the table of rows; "" is policies
	Keys    []Column // that tell rows apart in other tables
	Columns []Column
	Answer  answer.Answer // once it is asked

	axis scenario.Axis // of a validation: a field and its values; none: the scenario as it is

	beside    []run.Case       // bounds and models
	residuals []model.Residual // conventions of the models, that of the scenario first; nil: there is no model
	frame     *run.Frame
	noted     []warn.Warning // of the question itself
	wanted    int            // replications
	imprecise *run.ImpreciseError
	broken    error // the end of the run
}

// run carries the comparison out. After an interruption it goes on with the replications that are whole.
func (c *Comparison) run(ctx context.Context) error {
	cases := text.Each(slices.Concat(c.Rows, c.Points), func(r Row) run.Case { return r.Case })
	var err error
	if c.stop.Relative > 0 {
		c.frame, err = c.Lab.Until(ctx, cases, c.beside, c.stop)
	} else {
		c.wanted = c.replications(c.Subject)
		c.frame, err = c.Lab.Frame(ctx, append(cases, c.beside...), c.wanted)
	}
	if c.frame == nil {
		return err
	}
	c.frame.Level = c.level
	c.settle()
	if !errors.As(err, &c.imprecise) {
		c.broken = err
	}
	return c.judge(context.WithoutCancel(ctx))
}

// judge says of each row whom it harms and whether it is ranked. Rows without replications are left out.
func (c *Comparison) judge(ctx context.Context) error {
	var now run.Case
	if c.Present >= 0 {
		now = c.Rows[c.Present].Case
	}
	var failed error
	kept := c.Rows[:0:0]
	for _, r := range c.Rows {
		if err := c.frame.Failed(r.Case); err != nil {
			failed = err
		}
		if !c.frame.Has(r.Case) || r.Bound != nil && !c.frame.Has(*r.Bound) {
			continue
		}
		var err error
		r.e, err = c.Lab.Experiment(ctx, r.Case)
		if err != nil {
			return err
		}
		kept = append(kept, r)
	}
	c.Rows = kept
	switch {
	case len(kept) > 0:
	case c.broken != nil && !errors.Is(c.broken, context.Canceled): // it was refused before anything ran
		return c.broken
	default:
		return &NoReplicationError{cmp.Or(c.broken, failed)}
	}
	c.Present = slices.IndexFunc(c.Rows, func(r Row) bool { return r.Case.Row() == now.Row() })
	fewest := math.Inf(1)
	for _, r := range c.Rows {
		fewest = math.Min(fewest, c.notRun(r))
	}
	for i := range c.Rows {
		r := &c.Rows[i]
		_, ok := c.series(*r).Mean()
		r.compared = ok && !r.Policy.RepeatsLog() && !(c.objective.Smaller && c.notRun(*r) > fewest+1e-9)
		if c.Present >= 0 && r.Case.Detail.Waits {
			_, r.harmed = c.frame.Affected(r.Case, now, c.Lab.Groups())
		}
	}
	return nil
}

// failed returns the errors of the policies that are left out.
func (c *Comparison) failed() error {
	var list []error
	for _, err := range c.frame.Failures() {
		list = append(list, err)
	}
	return errors.Join(list...)
}

// Experiment is what a row simulates.
func (r Row) Experiment() *run.Experiment { return r.e }

// notRun returns the share of jobs that are not completed. Jobs that never ran in a log do not count.
func (c *Comparison) notRun(r Row) float64 { return c.frame.NotRun(r.Case) }

// series returns the objective of a row. Where it is bounded, it is that of the jobs as they came, as the bound is.
func (c *Comparison) series(r Row) run.Series {
	switch {
	case r.Bound != nil && c.objective.Smaller && r.Policy.Spec.Needs.Optional: // jobs may end with a part of their work
		return run.Series{}
	case r.Bound != nil:
		return c.frame.Delivered(c.objective, r.Case, *r.Bound, nil)
	}
	return c.frame.Series(r.Case, run.All, c.objective.Column)
}

// gain returns by how much a row is better than the present.
func (c *Comparison) gain(r Row) run.Series {
	return c.objective.Gain(c.series(r), c.series(c.Rows[c.Present]))
}

// isPresent reports whether a row is the present.
func (c *Comparison) isPresent(r Row) bool {
	if c.Present < 0 {
		return false
	}
	now := c.Rows[c.Present]
	return r.Label == now.Label && r.Case.Row() == now.Case.Row()
}

// estimate returns a series as a value.
func (c *Comparison) estimate(unit answer.Unit, s run.Series) answer.Value {
	return answer.Estimated(unit, c.frame.Estimate(s))
}

// unit returns the unit of the objective.
func (c *Comparison) unit() answer.Unit { return unitOf(c.objective.Unit) }

// ranked returns the rows that are compared, the best first.
func (c *Comparison) ranked() []Row {
	list := text.Where(c.Rows, func(r Row) bool { return r.compared })
	slices.SortStableFunc(list, func(a, b Row) int { return cmp.Compare(c.merit(b), c.merit(a)) })
	return list
}

// merit is the mean of the objective, of which more is better.
func (c *Comparison) merit(r Row) float64 {
	mean, _ := c.series(r).Mean()
	return c.objective.Merit(mean)
}

// best returns the row that delivers most of those that harm nobody and that the site runs, which is what runs where its
// present does; of equal rows it is the present. There is none if all rows harm somebody. Without a present there is no
// site and no harm.
func (c *Comparison) best() (best Row, ok bool) {
	list := text.Where(c.ranked(), func(r Row) bool { return len(r.harmed) == 0 && c.here(r) })
	if len(list) == 0 {
		return Row{}, false
	}
	if i := slices.IndexFunc(list, c.isPresent); i >= 0 && c.merit(list[i]) == c.merit(list[0]) {
		return list[i], true
	}
	return list[0], true
}

// here reports whether the scheduler of the site runs a row: what the present runs on, or less.
func (c *Comparison) here(r Row) bool {
	return c.Present < 0 || r.e.Where() >= c.Rows[c.Present].e.Where()
}

// site names the scheduler of the site where another one has a better row that harms nobody.
func (c *Comparison) site(best Row) answer.Value {
	elsewhere := func(r Row) bool { return len(r.harmed) == 0 && !c.here(r) && c.merit(r) > c.merit(best) }
	if !slices.ContainsFunc(c.ranked(), elsewhere) {
		return answer.Value{}
	}
	return answer.Word(c.Rows[c.Present].e.Where().String())
}

// facts are what a headline says of a row.
func (c *Comparison) facts(r Row) []answer.Named {
	mean, _ := c.series(r).Mean()
	list := []answer.Named{answer.Word(r.Label).As("policy"), answer.Exactly(c.unit(), mean).As("value")}
	if r.Bound != nil {
		share, _ := c.share(r).Mean()
		list = append(list, answer.Exactly(answer.Share, share).As("share"))
	}
	return list
}

// extremes names the rows with the largest and the least number, and recommends nothing.
func (c *Comparison) extremes() answer.Fact {
	list := c.ranked()
	switch len(list) {
	case 0:
		return answer.New("NOTHING_DONE")
	case 1:
		return answer.New("ONE_POLICY", c.facts(list[0])...)
	}
	least, most := list[len(list)-1], list[0]
	if c.objective.Smaller {
		least, most = most, least
	}
	smallest, _ := c.series(least).Mean()
	largest, _ := c.series(most).Mean()
	f := answer.New("EXTREMES", answer.Word(c.objective.Name).As("objective"), answer.Word(most.Label).As("most"),
		answer.Exactly(c.unit(), largest).As("largest"))
	if smallest < largest {
		f.Values = append(f.Values, answer.Word(least.Label).As("least"), answer.Exactly(c.unit(), smallest).As("smallest"))
	}
	return f
}

// headline names the best row that harms nobody.
func (c *Comparison) headline() answer.Fact {
	if c.Present < 0 || len(c.Rows) == 1 || len(c.ranked()) == 0 {
		return c.extremes()
	}
	best, ok := c.best()
	if !ok {
		return answer.New("NO_WINNER")
	}
	values := c.facts(best)
	values = append(values, answer.Named{Name: "runs_on", Value: c.site(best)})
	if c.isPresent(best) {
		return answer.New("PRESENT_IS_BEST", values...)
	}
	gain, _ := c.gain(best).Mean()
	more := answer.Exactly(c.unit(), gain)
	if present, _ := c.series(c.Rows[c.Present]).Mean(); present > 0 {
		more = answer.Exactly(answer.Share, gain/present)
	}
	values = append(values, answer.Named{Name: "gain", Value: more},
		answer.Named{Name: "present", Value: answer.Word(c.Rows[c.Present].Label)})
	if i := c.frame.Estimate(c.gain(best)); i.N > 1 && i.Contains(0) {
		values = append(values, answer.Named{Name: "chance", Value: c.estimate(c.unit(), c.gain(best))})
	}
	return answer.New("BEST_WITHOUT_HARM", values...)
}

// answer makes the answer.
func (c *Comparison) answer(ctx context.Context, more ...answer.Table) answer.Answer {
	a := answer.Answer{
		Version: c.Version, Commit: c.Commit, Command: c.Command, Line: c.Line, Scenario: c.Subject.Scenario.Name,
		Seed: c.Rows[0].Case.Seed, Replications: c.frame.Replications(), Level: c.level, Ranges: c.Resample,
		Headline: c.headline(), Values: c.values(), Source: string(c.Subject.Document.Source()),
		Tables: append([]answer.Table{c.table()}, more...),
	}
	a.Warnings = c.warnings(ctx)
	return a
}

// values are jobs, machine and load.
func (c *Comparison) values() []answer.Named {
	s := c.Subject
	first := c.Rows[0].Case
	mean := func(column string) float64 {
		x, ok := c.frame.Series(first, run.All, column).Mean()
		if !ok {
			return math.NaN()
		}
		return x
	}
	load := s.Workload.Load()
	if s.Trace != nil && !s.Logged() { // generated jobs reach the load on average alone
		load = mean(run.ColumnLoad)
	}
	list := []answer.Named{
		{Name: "jobs", Value: answer.Exactly(answer.Count, mean(run.ColumnSubmitted))},
		{Name: "span", Value: answer.Exactly(answer.Time, mean(run.ColumnSpan))},
		{Name: "units", Value: answer.Exactly(answer.Count, float64(s.Nodes()))},
		{Name: "unit", Value: answer.Word(text.Unit(s.Unit()))},
		{Name: "load", Value: answer.Exactly(answer.Ratio, load)},
	}
	if s.Workload.Has().Exact {
		list = append(list, answer.Named{Name: "estimates", Value: answer.Word("exact")})
	}
	if best, ok := c.best(); ok && c.Command != "simulate" {
		list = append(list, answer.Named{Name: "best", Value: answer.Word(best.Label)})
	}
	return append(list, ofTrace(s)...)
}

// ofTrace are the trace and how it is replayed.
func ofTrace(s *subject.Subject) []answer.Named {
	file := s.TraceFile()
	if file == nil {
		return nil
	}
	list := []answer.Named{{Name: "trace", Value: answer.Word(file.Name)}}
	if file.SHA256 != "" {
		list = append(list, answer.Named{Name: "trace_sha256", Value: answer.Word(file.SHA256)})
	}
	if w, replayed := s.Workload.(*workload.Replay); replayed {
		list = append(list, answer.Named{Name: "arrival_delay_factor", Value: answer.Exactly(answer.Ratio, w.Delay())},
			answer.Named{Name: "sample", Value: answer.Word(s.Trace.Subset().String())})
	}
	return list
}

func unitOf(unit string) answer.Unit {
	if unit == run.Count {
		return answer.Count
	}
	return answer.Unit(unit)
}

// NoReplicationError is a question of which no replication was finished.
type NoReplicationError struct{ Err error }

func (e *NoReplicationError) Error() string {
	return fmt.Sprintf("no replication was finished: %v", e.Err)
}

func (e *NoReplicationError) Unwrap() error { return e.Err }
