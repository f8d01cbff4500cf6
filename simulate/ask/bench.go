package ask

import (
	"math"
	"slices"

	"revopt/internal/text"
	"revopt/plots/answer"
	"revopt/simulate/bench"
	"revopt/simulate/metric"
	"revopt/simulate/run"
)

// answered is an answer about the benchmark.
func answered(what string, headline answer.Fact, tables ...answer.Table) answer.Answer {
	return answer.Answer{Command: "bench " + what, Scenario: "benchmark", Level: metric.DefaultLevel, Headline: headline,
		Tables: tables}
}

// reached returns a value of an objective. The value of all jobs of an instance is an amount.
func reached(o run.Objective, x float64) answer.Value {
	if o == run.Value() {
		return answer.Exactly(answer.Amount, x)
	}
	return answer.Exactly(unitOf(o.Unit), x)
}

func textColumn(name, means string) answer.Column {
	return answer.Column{Name: name, Unit: answer.Text, Means: means}
}

func ownColumn(name, means string) answer.Column {
	return answer.Column{Name: name, Unit: answer.Own, Means: means}
}

func countOf(name string, n int) answer.Named {
	return answer.Named{Name: name, Value: answer.Exactly(answer.Count, float64(n))}
}

func wordOf(name, word string) answer.Named {
	return answer.Named{Name: name, Value: answer.Word(word)}
}

// shareOf is the column of shares of bounds.
func shareOf() answer.Column {
	return answer.Column{Name: "share", Unit: answer.Share, Means: "of the bound; of a mean, the bound over it"}
}

// BenchScores answers what policies reach on instances of the benchmark.
func BenchScores(list []bench.Score) answer.Answer {
	t := answer.Table{Name: "scores", Columns: []answer.Column{textColumn("instance", "of the benchmark"),
		textColumn("objective", "what is scored"), textColumn("table", "whole: jobs run once, on own units; any"),
		textColumn("policy", "label"), ownColumn("value", "reached"), ownColumn("bound", "that no schedule passes"),
		shareOf(), textColumn("why", "there is no share")}}
	scored, best := 0, -1
	for i, s := range list {
		t.Rows = append(t.Rows, []answer.Value{answer.Word(s.Name), answer.Word(s.Objective.Name), named(s.Table),
			answer.Word(s.Policy), reached(s.Objective, s.Value), reached(s.Objective, s.Bound),
			answer.Exactly(answer.Share, s.Share), named(s.Why)})
		if math.IsNaN(s.Share) {
			continue
		}
		scored++
		if best < 0 || s.Share > list[best].Share {
			best = i
		}
	}
	values := []answer.Named{countOf("scored", scored), countOf("rows", len(list))}
	if best >= 0 {
		values = append(values, wordOf("policy", list[best].Policy), wordOf("instance", list[best].Name),
			answer.Named{Name: "share", Value: answer.Exactly(answer.Share, list[best].Share)})
	}
	return answered("run", answer.New("BENCH_SCORES", values...), t)
}

// BenchProofs answers whether the stored bounds and jobs hold.
func BenchProofs(list []bench.Score) answer.Answer {
	t := answer.Table{Name: "proofs", Columns: []answer.Column{textColumn("instance", "of the benchmark"),
		textColumn("policy", "bound:NAME, or jobs: their hash"), ownColumn("value", "proven now"),
		ownColumn("bound", "stored"), shareOf(), textColumn("why", "it does not hold")}}
	wrong := 0
	for _, s := range list {
		t.Rows = append(t.Rows, []answer.Value{answer.Word(s.Name), answer.Word(s.Policy), reached(s.Objective, s.Value),
			reached(s.Objective, s.Bound), answer.Exactly(answer.Share, s.Share), named(s.Why)})
		if s.Why == bench.Differs {
			wrong++
		}
	}
	values := []answer.Named{countOf("wrong", wrong), countOf("checked", len(list))}
	return answered("verify", answer.New("BENCH_PROOFS", values...), t)
}

// BenchList answers what the best known schedules of the instances are.
func BenchList(list []bench.Best) answer.Answer {
	t := instances(list)
	t.Whole = true
	about := answer.Table{Name: "about", Columns: []answer.Column{textColumn("instance", "of the benchmark"),
		textColumn("jobs", "of the instance")}}
	for _, b := range list {
		if n := len(about.Rows); n == 0 || about.Rows[n-1][0].Word != b.Name {
			about.Rows = append(about.Rows, []answer.Value{answer.Word(b.Name), answer.Word(b.About)})
		}
	}
	return answered("list", answer.New("BENCH_LIST", countOf("instances", len(about.Rows))), t, about)
}

// instances is the table of the best schedules.
func instances(list []bench.Best) answer.Table {
	t := answer.Table{Name: "instances", Columns: []answer.Column{textColumn("instance", "of the benchmark"),
		textColumn("objective", "what is scored"), textColumn("table", "whole: jobs run once, on own units; any"),
		ownColumn("bound", "that no schedule passes"), textColumn("built_in", "the best policy of revopt"),
		ownColumn("built_in_value", "that it reaches"), shareOf()}}
	for _, b := range list {
		t.Rows = append(t.Rows, []answer.Value{answer.Word(b.Name), answer.Word(b.Objective.Name), answer.Word(b.Table),
			reached(b.Objective, b.Bound), answer.Word(b.Policy), reached(b.Objective, b.Value),
			answer.Exactly(answer.Share, b.Share)})
	}
	return t
}

// BenchCheck answers whether a schedule is valid and what it scores.
func BenchCheck(c *bench.Checked) answer.Answer {
	t := answer.Table{Name: "faults", Columns: []answer.Column{
		{Name: "line", Unit: answer.Count, Means: "of the file"}, {Name: "job", Unit: answer.Count, Means: "number"},
		textColumn("fault", "unknown job; early start; wrong length or work; empty piece; overlap of pieces; units in use"),
		{Name: "got", Unit: answer.Ratio, Means: "time, seconds of work, or units"},
		{Name: "limit", Unit: answer.Ratio, Means: "that it passes"}}}
	for _, f := range c.Faults {
		t.Rows = append(t.Rows, []answer.Value{answer.Exactly(answer.Count, float64(f.Line)),
			answer.Exactly(answer.Count, float64(f.Job)), answer.Word(f.Kind), answer.Exactly(answer.Ratio, f.Got),
			answer.Exactly(answer.Ratio, f.Limit)})
	}
	values := []answer.Named{wordOf("instance", c.Name), {Name: "valid", Value: answer.Yes(c.Valid)},
		wordOf("table", c.Table), {Name: "value", Value: reached(c.Objective, c.Value)},
		{Name: "bound", Value: reached(c.Objective, c.Bound)},
		{Name: "share", Value: answer.Exactly(answer.Share, c.Share)}, countOf("not_run", c.NotRun)}
	code := "SCHEDULE_VALID"
	if !c.Valid {
		code = "SCHEDULE_INVALID"
		values = append(values, countOf("faults", len(c.Faults)))
	}
	a := answered("check", answer.New(code, values...), t)
	a.Values = values
	return a
}

// ReadScores returns the scores of an answer of the benchmark. It believes values and no shares.
func ReadScores(a answer.Answer) ([]bench.Score, error) {
	t, known := a.Table("scores")
	if !known || len(t.Rows) == 0 {
		return nil, &answer.ReadError{Why: "expected scores, a file of revopt bench run --save"}
	}
	var list []bench.Score
	for _, row := range t.Rows {
		at := func(name string) answer.Value {
			i := slices.IndexFunc(t.Columns, func(c answer.Column) bool { return c.Name == name })
			if i < 0 {
				return answer.Value{}
			}
			return row[i]
		}
		number := func(name string) float64 {
			if v := at(name); v.Numeric() {
				return v.Number
			}
			return math.NaN()
		}
		s := bench.Score{Name: at("instance").Word, Policy: at("policy").Word, Table: at("table").Word,
			Value: number("value"), Bound: number("bound"), Why: at("why").Word}
		for _, o := range run.Objectives() {
			if o.Name == at("objective").Word {
				s.Objective = o
			}
		}
		list = append(list, s)
	}
	return bench.Rated(list)
}

// BenchTable answers how policies rank over many scores.
func BenchTable(s *bench.Standings) answer.Answer {
	best := s.Tables[len(s.Tables)-1]
	first := best.Policies[0]
	headline := answer.New("BENCH_RANKS", wordOf("policy", first.Policy), wordOf("table", best.Table),
		answer.Named{Name: "rank", Value: answer.Exactly(answer.Ratio, first.Rank)},
		countOf("instances", len(best.Instances)))
	a := answered("table", headline)
	for _, t := range slices.Backward(s.Tables) {
		a.Tables = append(a.Tables, ranking(t))
		if t.Missing != "" {
			a.Warnings = append(a.Warnings, answer.New("NO_BASELINE", wordOf("policy", t.Missing),
				wordOf("table", t.Table), wordOf("against", t.Against)))
		}
	}
	a.Tables = append(a.Tables, instances(s.Best))
	return a
}

// ranking is the table of the policies with a mean share for each objective.
func ranking(t *bench.Table) answer.Table {
	list := answer.Table{Name: t.Table, Columns: []answer.Column{textColumn("policy", "label"),
		{Name: "mean_rank", Unit: answer.Ratio, Means: "over instances; without a share the last places are shared"},
		{Name: "scored", Unit: answer.Count, Means: "instances with a share"}}}
	for _, objective := range t.Objectives {
		list.Columns = append(list.Columns,
			answer.Column{Name: objective + "_share", Unit: answer.Share, Means: "mean over the instances, if all have one"},
			answer.Column{Name: objective + "_difference", Unit: answer.Share, Signed: true,
				Means: "of mean shares to " + t.Against + "; the interval is for other instances like these"})
	}
	for _, p := range t.Policies {
		row := []answer.Value{answer.Word(p.Policy), answer.Exactly(answer.Ratio, p.Rank),
			answer.Exactly(answer.Count, float64(p.Scored))}
		for _, r := range p.Objectives {
			difference := answer.Value{}
			if p.Policy != t.Against && r.Difference.N > 1 {
				difference = answer.Estimated(answer.Share, r.Difference)
			}
			row = append(row, answer.Exactly(answer.Share, r.Share), difference)
		}
		list.Rows = append(list.Rows, row)
	}
	return list
}

// BenchMarkdown returns the tables of a ranking for a document, without differences.
func BenchMarkdown(a answer.Answer) string {
	document := ""
	for _, t := range slices.Backward(a.Tables) {
		shown := text.Where(text.Numbers(len(t.Columns)), func(i int) bool { return !t.Columns[i].Signed })
		document += t.Markdown(shown) + "\n"
	}
	return document
}
