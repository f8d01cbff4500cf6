package ask

import (
	"fmt"
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

// shareOf is the column of shares of bounds.
func shareOf() answer.Column {
	return answer.Column{Name: "share", Unit: answer.Share, Means: "of the bound; of a mean, the bound over it"}
}

// BenchScores answers what policies reach on instances of the benchmark: means of families, then each instance.
func BenchScores(list []bench.Score) answer.Answer {
	scored, best := 0, -1
	for i, s := range list {
		if math.IsNaN(s.Share) {
			continue
		}
		scored++
		if best < 0 || s.Share > list[best].Share {
			best = i
		}
	}
	values := []answer.Named{count(bench.Version).As("benchmark"), count(scored).As("scored"), count(len(list)).As("rows")}
	if best >= 0 {
		values = append(values, word("policy", list[best].Policy), word("instance", list[best].Name),
			answer.Exactly(answer.Share, list[best].Share).As("share"))
	}
	a := answered("run", answer.New("BENCH_SCORES", values...), familyScores(bench.Means(list)), instanceScores(list))
	a.Values = values[:1]
	return a
}

// familyScores is the table of means over the instances of each family.
func familyScores(list []bench.Mean) answer.Table {
	t := answer.Table{Name: "scores", Columns: []answer.Column{textColumn("family", "of instances"),
		textColumn("objective", "what is scored"), textColumn("table", "whole: jobs run once, on own units; any"),
		textColumn("policy", "label"), ownColumn("value", "mean over the instances"),
		ownColumn("bound", "that no schedule passes; mean"), shareOf(),
		{Name: "difference", Unit: answer.Share, Signed: true, Means: "of shares to the first policy, paired by instance"},
		{Name: "found", Unit: answer.Share, Means: "share of the best known offline schedule of the first instance"},
		textColumn("why", "there is no share"),
		textColumn("causal", "whether a policy that is not of revopt knows the future, on a sample")}}
	for _, m := range list {
		t.Rows = append(t.Rows, []answer.Value{answer.Word(m.Family), answer.Word(m.Objective.Name), answer.Maybe(m.Table),
			answer.Word(m.Policy), answer.Estimated(reached(m.Objective, 0).Unit, m.Value), reached(m.Objective, m.Bound),
			answer.Estimated(answer.Share, m.Share).AtMostOne(), answer.Estimated(answer.Share, m.Difference),
			answer.Exactly(answer.Share, m.Found), answer.Maybe(m.Why), answer.Maybe(m.Causal)})
	}
	return t
}

// instanceScores is the table of single scores.
func instanceScores(list []bench.Score) answer.Table {
	t := answer.Table{Name: "instances", Columns: []answer.Column{textColumn("instance", "of the benchmark"),
		textColumn("policy", "label"), textColumn("table", "whole: jobs run once, on own units; any"),
		ownColumn("value", "reached"), textColumn("why", "there is no share"), textColumn("causal", "as in scores")}}
	for _, s := range list {
		t.Rows = append(t.Rows, []answer.Value{answer.Word(s.Name), answer.Word(s.Policy), answer.Maybe(s.Table),
			reached(s.Objective, s.Value), answer.Maybe(s.Why), answer.Maybe(s.Causal)})
	}
	return t
}

// BenchProofs answers whether the stored bounds and jobs hold.
func BenchProofs(list []bench.Score) answer.Answer {
	t := answer.Table{Name: "proofs", Columns: []answer.Column{textColumn("instance", "of the benchmark"),
		textColumn("policy", "bound:NAME, or jobs: their hash"), ownColumn("value", "proven now"),
		ownColumn("bound", "stored"), shareOf(), textColumn("why", "it does not hold")}}
	wrong := 0
	for _, s := range list {
		t.Rows = append(t.Rows, []answer.Value{answer.Word(s.Name), answer.Word(s.Policy), reached(s.Objective, s.Value),
			reached(s.Objective, s.Bound), answer.Exactly(answer.Share, s.Share), answer.Maybe(s.Why)})
		if s.Why == bench.Differs {
			wrong++
		}
	}
	values := []answer.Named{count(wrong).As("wrong"), count(len(list)).As("checked")}
	return answered("verify", answer.New("BENCH_PROOFS", values...), t)
}

// BenchFound answers what schedules that know the future were found.
func BenchFound(list []bench.Found) answer.Answer {
	t := answer.Table{Name: "found", Columns: []answer.Column{textColumn("instance", "of the benchmark"),
		textColumn("objective", "what is scored"), ownColumn("found", "that a schedule of whole jobs reaches"),
		ownColumn("bound", "that no schedule of whole jobs passes"), shareOf(),
		{Name: "gap", Unit: answer.Share, Means: "between both, as a share of the larger"},
		{Name: "moves", Unit: answer.Count, Means: "of the search: --found MOVES repeats it"}}}
	least := math.Inf(1)
	for _, f := range list {
		least = math.Min(least, f.Share)
		t.Rows = append(t.Rows, []answer.Value{answer.Word(f.Name), answer.Word(f.Objective.Name),
			reached(f.Objective, f.Value), reached(f.Objective, f.Bound), answer.Exactly(answer.Share, f.Share),
			answer.Exactly(answer.Share, 1-f.Share), answer.Exactly(answer.Count, float64(f.Moves))})
	}
	return answered("found", answer.New("BENCH_FOUND", count(len(list)).As("instances"),
		answer.Exactly(answer.Share, least).As("share")), t)
}

// BenchList answers what the families are, and what is known of their instances.
func BenchList(families []*bench.Family, known []bench.Best) answer.Answer {
	t := answer.Table{Name: "families", Whole: true, Columns: []answer.Column{textColumn("family", "of instances"),
		textColumn("objective", "what is scored"), {Name: "instances", Unit: answer.Count, Means: "one for each seed"},
		textColumn("jobs", "of each instance")}}
	n := 0
	for _, f := range families {
		n += len(f.Instances)
		t.Rows = append(t.Rows, []answer.Value{answer.Word(f.Name), answer.Word(f.Objective),
			answer.Exactly(answer.Count, float64(len(f.Instances))), answer.Word(f.About)})
	}
	values := []answer.Named{count(bench.Version).As("benchmark"), count(n).As("instances")}
	a := answered("list", answer.New("BENCH_LIST", values...), t, instances(known))
	a.Values = values[:1]
	return a
}

// instances is the table of the best schedules.
func instances(list []bench.Best) answer.Table {
	t := answer.Table{Name: "instances", Columns: []answer.Column{textColumn("instance", "of the benchmark"),
		textColumn("objective", "what is scored"), textColumn("table", "whole: jobs run once, on own units; any"),
		ownColumn("bound", "that no schedule passes"), textColumn("built_in", "best policy of revopt"),
		ownColumn("built_in_value", "that it reaches"), textColumn("online", "best known policy"),
		ownColumn("online_value", "that it reaches"), textColumn("offline", "best known, with all jobs known"),
		ownColumn("offline_value", "that it reaches")}}
	for _, b := range list {
		value := func(x float64) answer.Value { return reached(b.Objective, x) }
		t.Rows = append(t.Rows, []answer.Value{answer.Word(b.Name), answer.Word(b.Objective.Name), answer.Word(b.Table),
			value(b.Bound), answer.Word(b.Policy), value(b.Value), answer.Word(b.Online.Policy), value(b.Online.Value),
			answer.Word(b.Offline.Policy), value(b.Offline.Value)})
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
	values := []answer.Named{word("instance", c.Name), answer.Yes(c.Valid).As("valid"), word("table", c.Table),
		reached(c.Objective, c.Value).As("value"), reached(c.Objective, c.Bound).As("bound"),
		answer.Exactly(answer.Share, c.Share).As("share"), count(c.NotRun).As("not_run")}
	code := "SCHEDULE_VALID"
	if !c.Valid {
		code = "SCHEDULE_INVALID"
		values = append(values, count(len(c.Faults)).As("faults"))
	}
	known := c.Known()
	if n := len(known); n > 0 && c.Gain(known[n-1]) > 0 {
		values = append(values, answer.Exactly(answer.Share, c.Gain(known[n-1])).As("better"))
	}
	a := answered("check", answer.New(code, values...), t)
	if known != nil {
		a.Tables = append([]answer.Table{knownTable(c, known)}, a.Tables...)
	}
	a.Values = values
	return a
}

// knownTable is the best known schedules beside one that was checked.
func knownTable(c *bench.Checked, known []bench.Known) answer.Table {
	t := answer.Table{Name: "known", Columns: []answer.Column{
		textColumn("best_known", "online: by a policy; of all: also with all jobs known"),
		textColumn("policy", "that made it"), ownColumn("value", "that it reaches"),
		{Name: "better", Unit: answer.Share, Signed: true, Means: "by how much the schedule is better"}}}
	for i, k := range known {
		kind := [...]string{"online", "of all"}[i]
		t.Rows = append(t.Rows, []answer.Value{answer.Word(kind), answer.Word(k.Policy), reached(c.Objective, k.Value),
			answer.Exactly(answer.Share, c.Gain(k))})
	}
	return t
}

// BenchCausal answers whether policies know the future.
func BenchCausal(list []bench.Verdict, workloads, cuts int) answer.Answer {
	t := answer.Table{Name: "policies", Columns: []answer.Column{textColumn("policy", "label"),
		textColumn("causal", "whether it knows the future"),
		{Name: "workload", Unit: answer.Count, Means: "number of the random workload, with which the seed counts on"},
		{Name: "time", Unit: answer.Time, Means: "after which run times and jobs were changed"},
		{Name: "job", Unit: answer.Count, Means: "number of the first job that differs"},
		textColumn("was", "what happened to it before"), textColumn("is", "and with the changes")}}
	wrong := 0
	for _, v := range list {
		row := []answer.Value{answer.Word(v.Policy), answer.Word(v.Word)}
		if f := v.Found; f != nil {
			wrong++
			row = append(row, answer.Exactly(answer.Count, float64(f.Workload)), answer.Exactly(answer.Time, f.Time),
				answer.Exactly(answer.Count, float64(f.Job)), answer.Maybe(f.Was), answer.Maybe(f.Is))
		}
		for len(row) < len(t.Columns) {
			row = append(row, answer.Value{})
		}
		t.Rows = append(t.Rows, row)
	}
	code := "CAUSAL"
	if wrong > 0 {
		code = "SAW_FUTURE"
	}
	return answered("check", answer.New(code, count(len(list)).As("policies"), count(wrong).As("wrong"),
		count(workloads).As("workloads"), count(cuts).As("cuts")), t)
}

// ReadScores returns the scores of an answer of this version of the benchmark. It believes values and no shares.
func ReadScores(a answer.Answer) ([]bench.Score, error) {
	t, known := a.Table("instances")
	if version := (answer.Fact{Values: a.Values}).Value("benchmark"); version.Number != bench.Version {
		known = false
	}
	if !known || a.Command != "bench run" || len(t.Rows) == 0 {
		return nil, &answer.ReadError{Why: fmt.Sprintf(
			"expected scores of version %d of the benchmark, a file of revopt bench run --save", bench.Version)}
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
		s := bench.Score{Name: at("instance").Word, Policy: at("policy").Word, Table: at("table").Word,
			Value: math.NaN(), Why: at("why").Word, Causal: at("causal").Word}
		if v := at("value"); v.Numeric() {
			s.Value = v.Number
		}
		list = append(list, s)
	}
	return bench.Rated(list)
}

// BenchTable answers how policies rank over many scores.
func BenchTable(s *bench.Standings) answer.Answer {
	best := s.Tables[len(s.Tables)-1]
	first := best.Policies[0]
	headline := answer.New("BENCH_RANKS", word("policy", first.Policy), word("table", best.Table),
		answer.Exactly(answer.Ratio, first.Rank).As("rank"), count(len(best.Instances)).As("instances"))
	a := answered("table", headline)
	for _, t := range slices.Backward(s.Tables) {
		a.Tables = append(a.Tables, ranking(t))
		if t.Missing != "" {
			a.Warnings = append(a.Warnings, answer.New("NO_BASELINE", word("policy", t.Missing),
				word("table", t.Table), word("against", t.Against)))
		}
	}
	a.Tables = append(a.Tables, instances(s.Best))
	return a
}

// ranking is the table of the policies with a mean share for each objective.
func ranking(t *bench.Table) answer.Table {
	list := answer.Table{Name: t.Table, Columns: []answer.Column{
		{Name: "policy", Title: t.Table, Unit: answer.Text, Means: "label"},
		{Name: "mean_rank", Unit: answer.Ratio, Means: "over instances; without a share the last places are shared"},
		{Name: "scored", Unit: answer.Count, Means: "instances with a share"},
		{Name: "claimed", Unit: answer.Count, Means: "scores that are not those of a policy of this program"}}}
	for _, objective := range t.Objectives {
		list.Columns = append(list.Columns,
			answer.Column{Name: objective + "_share", Unit: answer.Share, Means: "mean over the instances, if all have one"},
			answer.Column{Name: objective + "_difference", Unit: answer.Share, Signed: true,
				Means: "of mean shares to " + t.Against + "; the interval is for other seeds"})
	}
	for _, p := range t.Policies {
		row := []answer.Value{answer.Word(p.Policy), answer.Exactly(answer.Ratio, p.Rank),
			answer.Exactly(answer.Count, float64(p.Scored)), answer.Exactly(answer.Count, float64(p.Claimed))}
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

// BenchMarkdown returns the first rows of a ranking for a document, without differences.
func BenchMarkdown(a answer.Answer) string {
	const rows = 10
	document := ""
	for _, t := range slices.Backward(a.Tables) {
		if t.Name == "instances" {
			continue
		}
		t.Rows = t.Rows[:min(rows, len(t.Rows))]
		shown := text.Where(text.Numbers(len(t.Columns)), func(i int) bool { return !t.Columns[i].Signed })
		document += t.Markdown(shown) + "\n"
	}
	return document
}
