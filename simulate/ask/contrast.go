package ask

import (
	"encoding/json"
	"slices"
	"strings"

	"revopt/internal/text"
	"revopt/plots/answer"
	"revopt/simulate/run"
)

// side is one of two answers that are compared.
type side struct {
	answer.Answer
	rows   []run.Saved
	bounds []run.Saved
	frame  *run.Frame
}

// newSide reads the records of an answer.
func newSide(a answer.Answer, level float64) (side, error) {
	s := side{Answer: a}
	var all []run.Saved
	err := json.Unmarshal(a.Records, &all)
	s.bounds = text.Where(all, func(row run.Saved) bool { return row.Case.Do.Bound != nil })
	s.rows = text.Where(all, func(row run.Saved) bool { return row.Case.Do.Bound == nil })
	if err != nil || len(s.rows) == 0 {
		return s, &answer.ReadError{Why: "expected an answer with its records, as --save writes it"}
	}
	s.frame = run.Restore(all, level)
	return s, nil
}

// share returns which share of its bound a row delivers; no numbers where it has none.
func (s side) share(row run.Saved) run.Series {
	i := slices.IndexFunc(s.bounds, func(b run.Saved) bool { return b.Jobs == row.Jobs })
	if i < 0 {
		return run.Series{}
	}
	b := s.bounds[i].Case
	k := slices.IndexFunc(run.Objectives(), func(o run.Objective) bool { return o.Name == b.Do.Bound.On })
	if k < 0 {
		return run.Series{}
	}
	o := run.Objectives()[k]
	if !o.Smaller {
		o = run.Total()
	}
	return s.frame.Reached(o, s.frame.Delivered(o, row.Case, b, nil), s.frame.Most(o, b, nil))
}

// Contrast compares two saved answers, row by row: rows of one policy and admission, where there are none those of one
// policy, else the first against the first. Where replication k has the same jobs in both, whatever the machine, the
// prices and the policies are, differences are paired. Else they are those of two independent means.
func Contrast(first, second answer.Answer) (answer.Answer, error) {
	a, err := newSide(first, first.Level)
	if err != nil {
		return answer.Answer{}, err
	}
	b, err := newSide(second, first.Level)
	if err != nil {
		return answer.Answer{}, err
	}
	a.frame.Looked = a.frame.Looked || b.frame.Looked
	t := answer.Table{Name: "differences", Columns: []answer.Column{
		{Name: "policy", Unit: answer.Text, Means: "label of the policy, of A and B if they differ"},
		{Name: "admission", Unit: answer.Text, Means: "who is let in", Quiet: true},
		{Name: "group", Unit: answer.Text, Means: "of jobs"}, {Name: "column", Unit: answer.Text, Means: "measure"},
		{Name: "a", Title: "A", Unit: answer.Own, Means: "number of A"},
		{Name: "b", Title: "B", Unit: answer.Own, Means: "number of B"},
		{Name: "difference", Title: "B - A", Unit: answer.Own, Means: "B less A", Signed: true},
		{Name: "unit", Unit: answer.Text, Means: "of the numbers", Quiet: true},
		{Name: "paired", Unit: answer.Truth, Means: "replication k of A and B has the same jobs", Quiet: true},
	}}
	c := answer.Answer{Command: "show", Scenario: first.Scenario, Level: first.Level, Ranges: first.Ranges,
		Seed: first.Seed, Replications: min(first.Replications, second.Replications)}
	pairs := matched(a.rows, b.rows)
	var rest [][]answer.Value
	for _, p := range pairs {
		telling, others := differences(a, b, p[0], p[1])
		t.Rows = append(t.Rows, telling...)
		rest = append(rest, others...)
	}
	t.Rows = append(t.Rows, rest...)
	c.Headline = contrastHeadline(t)
	c.Tables = []answer.Table{t}
	c.Warnings = contrastWarnings(a, b, pairs)
	return c, nil
}

// rowName returns the name of a row, without the admission if that is not to count.
func rowName(c run.Case, whole bool) string {
	r := Row{Case: c}
	if whole && r.admission() != "all" {
		return c.Do.Policy + ", " + r.admission()
	}
	return c.Do.Policy
}

// matched returns the places of rows that belong together.
func matched(a, b []run.Saved) [][2]int {
	for _, whole := range []bool{true, false} {
		var pairs [][2]int
		taken := map[int]bool{}
		for i, row := range a {
			k := slices.IndexFunc(b, func(other run.Saved) bool {
				return rowName(row.Case, whole) == rowName(other.Case, whole)
			})
			if k >= 0 && !taken[k] {
				pairs = append(pairs, [2]int{i, k})
				taken[k] = true
			}
		}
		if pairs != nil {
			return pairs
		}
	}
	return [][2]int{{0, 0}}
}

// paired reports whether replication k of two rows has the same jobs, or nothing is random.
func paired(a, b run.Saved) bool {
	if a.Once || b.Once {
		return a.Once && b.Once
	}
	return a.Case.Seed == b.Case.Seed && a.Jobs == b.Jobs
}

// differences are the rows of the table for one row of each side: the most telling measures of all jobs, and others.
func differences(a, b side, i, k int) (telling, others [][]answer.Value) {
	x, y := a.rows[i], b.rows[k]
	label := rowName(x.Case, false)
	if other := rowName(y.Case, false); other != label {
		label += " / " + other
	}
	shown := titles(run.Value())
	add := func(group, column string, unit answer.Unit, p, q run.Series, shown bool) {
		before, after := a.frame.Estimate(p), b.frame.Estimate(q)
		if before.N == 0 || after.N == 0 {
			return
		}
		change := a.frame.Apart(q, p)
		if paired(x, y) {
			change = a.frame.Estimate(q.Less(p))
		}
		row := []answer.Value{answer.Word(label), answer.Word(Row{Case: x.Case}.admission()), answer.Word(group),
			answer.Word(column), answer.Estimated(unit, before), answer.Estimated(unit, after),
			answer.Estimated(unit, change), answer.Word(string(unit)), answer.Yes(paired(x, y))}
		if shown {
			telling = append(telling, row)
		} else {
			others = append(others, row)
		}
	}
	add(run.All, "share", answer.Share, a.share(x), b.share(y), true)
	for _, group := range x.Groups() {
		for _, m := range run.Measures() {
			p, q := a.frame.Series(x.Case, group, m.Name), b.frame.Series(y.Case, group, m.Name)
			add(group, m.Name, unitOf(m.Unit), p, q, group == run.All && shown[m.Name] != "")
		}
	}
	return telling, others
}

// contrastHeadline says how the value of the first row differs.
func contrastHeadline(t answer.Table) answer.Fact {
	for _, row := range t.Rows {
		if row[2].Word == run.All && row[3].Word == run.ColumnValue {
			f := answer.New("DIFFERENCE", answer.Named{Name: "policy", Value: row[0]}, answer.Named{Name: "a", Value: row[4]},
				answer.Named{Name: "b", Value: row[5]}, answer.Named{Name: "difference", Value: row[6]})
			if d := row[6]; d.Random && d.Low <= 0 && d.High >= 0 {
				f.Values = append(f.Values, answer.Named{Name: "chance", Value: answer.Word("perhaps by chance")})
			}
			return f
		}
	}
	return answer.New("NOTHING_DONE")
}

// contrastWarnings are what makes two answers hard to compare.
func contrastWarnings(a, b side, pairs [][2]int) (list []answer.Fact) {
	two := func(code string, x, y answer.Value) answer.Fact {
		return answer.New(code, answer.Named{Name: "a", Value: x}, answer.Named{Name: "b", Value: y})
	}
	if a.Version+a.Commit != b.Version+b.Commit {
		list = append(list, two("BUILDS", answer.Word(a.Version+" "+a.Commit), answer.Word(b.Version+" "+b.Commit)))
	}
	if a.Level != b.Level {
		list = append(list, two("LEVELS", answer.Exactly(answer.Share, a.Level), answer.Exactly(answer.Share, b.Level)))
	}
	first := pairs[0]
	if x, y := a.rows[first[0]], b.rows[first[1]]; !paired(x, y) && !x.Once && !y.Once {
		list = append(list, answer.New("UNPAIRED"))
	}
	for i, s := range []side{a, b} {
		name := answer.Named{Name: "side", Value: answer.Word("AB"[i : i+1])}
		var alone []string
		for k, row := range s.rows {
			if !slices.ContainsFunc(pairs, func(p [2]int) bool { return p[i] == k }) {
				alone = append(alone, rowName(row.Case, true))
			}
		}
		if alone != nil {
			names := answer.Named{Name: "policies", Value: answer.Word(strings.Join(alone, ", "))}
			list = append(list, answer.New("ONLY_IN", name, names))
		}
		stopped := text.Where(s.Warnings, func(f answer.Fact) bool { return f.Code == "INTERRUPTED" })
		for range stopped {
			list = append(list, answer.New("PARTIAL", name))
		}
	}
	return list
}
