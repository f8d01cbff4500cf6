package ask

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"revopt/internal/text"
	"revopt/plots/answer"
	"revopt/simulate/run"
	"revopt/simulate/warn"
)

// Swept is a comparison at every point of a grid.
type Swept struct {
	Comparison // of all points: its rows are not ranked
	Grid       *run.Grid

	wins   []winner // how often a row is best, in the order of their first points
	skewed skewed
	random bool // some row is random
}

// winner is a row that is best at some points.
type winner struct {
	label  string
	points int
}

// Sweep asks which policy is best at each point of a grid. The records of all points are in the store of the lab.
func Sweep(ctx context.Context, l *run.Lab, g *run.Grid, r Request) (*Swept, error) {
	r.Command, r.Resample = "sweep", g.Sweep.Resample
	q, err := r.settings()
	if err != nil {
		return nil, err
	}
	q.objective, q.count = g.Objective, g.Sweep.Replications
	frame, err := g.Run(ctx, l, g.All()...)
	s := &Swept{Grid: g, Comparison: Comparison{settings: q, Lab: l, Subject: l.Subject(),
		Present: -1, frame: frame}}
	if err != nil && !errors.As(err, &s.imprecise) {
		return nil, err
	}
	frame.Level = s.level
	var tables []answer.Table
	for point := range g.Points() {
		list, err := s.at(ctx, point)
		if err != nil {
			return nil, err
		}
		tables = joined(tables, list)
	}
	s.Answer = answer.Answer{
		Version: q.Version, Commit: q.Commit, Command: s.Command, Line: q.Line, Scenario: s.Subject.Scenario.Name,
		Seed: g.Sweep.Seed, Replications: frame.Replications(), Level: s.level, Ranges: q.Resample,
		Headline: s.headline(), Source: string(g.Document.Source()), Tables: tables,
		Values: append([]answer.Named{count(g.Points()).As("points")}, ofTrace(s.Subject)...),
	}
	s.Answer.Warnings = answer.WarnAll(s.warnings())
	return s, nil
}

// at returns the tables of a point, and adds its rows to those of all points.
func (s *Swept) at(ctx context.Context, point int) ([]answer.Table, error) {
	rows, err := s.rowsAt(point)
	if err != nil {
		return nil, err
	}
	bound, bounded, err := s.Grid.Bounds(s.Lab, point)
	if err != nil {
		return nil, err
	}
	if bounded {
		for i := range rows {
			rows[i].Bound = &bound
		}
	}
	c := s.Comparison
	c.Rows = rows
	c.Columns = s.columns(&c, bounded)
	if err := c.judge(ctx); err != nil {
		return nil, err
	}
	s.learn(&c)
	tables := []answer.Table{c.table()}
	tables[0].Name = "points"
	if s.Grid.Sweep.Classes {
		tables = append(tables, s.narrow(c.customers()))
	}
	tables = append(tables, c.admitted()...)
	if bounded {
		tables = append(tables, c.boundTable())
	}
	var axes []answer.Column
	for _, axis := range s.Grid.Sweep.Vary {
		axes = append(axes, answer.Column{Name: axis.Path, Unit: answer.Ratio, Means: "of the point", Axis: true})
	}
	for i := range tables {
		tables[i] = tables[i].Along(axes, text.Each(s.Grid.At(point), ratio)...)
	}
	for i := range c.Rows {
		c.Rows[i].e = nil // the jobs of a point are not kept
	}
	s.Rows = append(s.Rows, c.Rows...)
	return tables, nil
}

// rowsAt returns the rows of a point. An axis that varies an option does not change their labels.
func (s *Swept) rowsAt(point int) ([]Row, error) {
	cases, err := s.Grid.Cases(s.Lab, point)
	if err != nil {
		return nil, err
	}
	several := len(s.Grid.Sweep.Admissions) > 1
	return text.EachAt(cases, func(i int, c run.Case) Row {
		r := Row{Policy: s.Grid.Policies[i%len(s.Grid.Policies)], Case: c}
		r.Label = r.Policy.Label()
		if several {
			r.Label += ", " + r.admission()
		}
		return r
	}), nil
}

// columns returns those of the table of points, without the axes.
func (s *Swept) columns(c *Comparison, bounded bool) []Column {
	shown, quiet := c.measureColumns()
	metrics := s.Grid.Sweep.Metrics
	list := []Column{policyColumn(), c.admissionColumn(), c.rankColumn()}
	if bounded {
		list = append(list, c.shareColumn())
	}
	for _, column := range append(shown, quiet...) {
		if metrics != nil && !slices.Contains(metrics, column.Name) && column.Name != c.objective.Column {
			continue
		}
		if metrics != nil && column.Quiet { // what the file asks for is shown
			column.Quiet = false
			column.Title = measureTitle(column.Column)
		}
		column.Drawn = !column.Quiet
		list = append(list, column)
	}
	return append(list, runsOnColumn().Hidden())
}

// measureTitle is the name of a column, with the unit of money.
func measureTitle(c answer.Column) string {
	title := strings.ReplaceAll(c.Name, "_", " ")
	if c.Unit == answer.Money || c.Unit == answer.Amount {
		return title + " " + string(c.Unit)
	}
	return title
}

// rankColumn is the place of a row among those of its point that are compared, from 1.
func (c *Comparison) rankColumn() Column {
	return answer.Valued("rank", answer.Count, "place at its point; 1 is best", func(r Row) answer.Value {
		i := slices.IndexFunc(c.ranked(), func(o Row) bool { return o.Case.Row() == r.Case.Row() })
		if i < 0 {
			return answer.Value{}
		}
		return count(1 + i)
	})
}

// narrow leaves out the measures that the file does not ask for.
func (s *Swept) narrow(t answer.Table) answer.Table {
	if s.Grid.Sweep.Metrics == nil {
		return t
	}
	keep := func(c answer.Column) bool {
		_, measure := run.Lookup(c.Name)
		return !measure || slices.Contains(s.Grid.Sweep.Metrics, c.Name)
	}
	return t.Only(keep)
}

// joined appends the rows of tables to those of the same names.
func joined(all, more []answer.Table) []answer.Table {
	for _, t := range more {
		i := slices.IndexFunc(all, func(o answer.Table) bool { return o.Name == t.Name })
		if i < 0 {
			all = append(all, t)
		} else {
			all[i].Rows = append(all[i].Rows, t.Rows...)
		}
	}
	return all
}

// learn takes over from a point what the headline and the warnings say.
func (s *Swept) learn(c *Comparison) {
	s.skewed.add(c)
	s.random = s.random || slices.ContainsFunc(c.Rows, func(r Row) bool { return r.e.Random() })
	ranked := c.ranked()
	if len(ranked) == 0 {
		return
	}
	best := ranked[0].Label
	i := slices.IndexFunc(s.wins, func(w winner) bool { return w.label == best })
	if i < 0 {
		i = len(s.wins)
		s.wins = append(s.wins, winner{label: best})
	}
	s.wins[i].points++
}

// headline names the row that is best at most points.
func (s *Swept) headline() answer.Fact {
	if len(s.wins) == 0 {
		return answer.New("NOTHING_DONE")
	}
	best := slices.MaxFunc(s.wins, func(a, b winner) int { return cmp.Compare(a.points, b.points) })
	return answer.New("BEST_AT_POINTS", word("policy", best.label), word("objective", s.objective.Name),
		count(best.points).As("won"), count(s.Grid.Points()).As("points"))
}

// warnings say what makes the intervals of some points doubtful.
func (s *Swept) warnings() (list []warn.Warning) {
	n := s.frame.Replications()
	list = repeated(n, s.count, s.random)
	if s.imprecise != nil {
		list = append(list, imprecise(*s.Grid.Stop, s.Grid.Stop.Most))
	}
	return append(list, s.skewed.warnings(s.level)...)
}

// SweepStatus says how far a sweep is, whose records a lab has.
func SweepStatus(kept *run.Lab, g *run.Grid, missing int) answer.Answer {
	values := []answer.Named{count(g.Points() - missing).As("finished"), count(g.Points()).As("points"),
		count(kept.Store.Len()).As("records")}
	return answer.Answer{Command: "sweep", Scenario: g.Document.Name(), Seed: g.Sweep.Seed, Values: values,
		Headline: answer.New("SWEEP_STATUS", values...)}
}
