package ask

import (
	"bytes"
	"fmt"
	"path/filepath"
	"slices"

	"revopt/internal/text"
	"revopt/plots/answer"
	"revopt/simulate/fit"
	"revopt/simulate/subject"
)

// Fit is job classes that were fitted to the trace of a subject.
type Fit struct {
	*fit.Result
	Subject *subject.Subject
	Seed    uint64
}

// file returns the file of the trace.
func (f *Fit) file() string { return f.Subject.Scenario.Trace.File }

// YAML returns the scenario of the classes, below comments that name the version and the command that made it.
func (f *Fit) YAML(version, command string) ([]byte, error) {
	done := f.Subject.Trace.Cleaning()
	head := append([]string{
		fmt.Sprintf("Job classes of %s, jobs %s, arrival delay factor %s, cleaning %s, seed %d",
			filepath.Base(f.file()), f.Subject.Trace.Subset(), text.Plain(f.Subject.Value), done.Rule, f.Seed),
		fmt.Sprintf("revopt %s: %s", version, command),
	}, done.Notes()...)
	if !slices.ContainsFunc(f.Classes, func(c fit.Class) bool { return c.Model.MeanPrice() > 0 }) {
		head = append(head, "A trace states no prices, so that all are 0: state your own, here or with --price")
	}
	var b bytes.Buffer
	err := f.WriteYAML(&b, append(head, "")...)
	return b.Bytes(), err
}

// Answer says how well the classes fit. The file has the scenario, if there is one.
func (f *Fit) Answer(out string) answer.Answer {
	worst := 0.0
	for i := range f.Classes {
		worst = max(worst, f.Classes[i].LengthKS())
	}
	return answer.Answer{
		Command: "trace fit", Scenario: f.Name, Seed: f.Seed, Values: f.values(),
		Headline: answer.New("CLASSES", answer.Named{Name: "classes", Value: count(len(f.Classes))},
			answer.Named{Name: "jobs", Value: count(f.Jobs)}, answer.Named{Name: "file", Value: answer.Maybe(out)},
			answer.Named{Name: "distance", Value: ratio(worst)}),
		Tables: []answer.Table{f.classes(), f.dispersion(), cleaning(f.Subject.Trace.Cleaning())},
		Warnings: text.Each(f.Warnings, func(w fit.Warning) answer.Fact {
			return answer.New("FIT", answer.Named{Name: "kind", Value: answer.Word(string(w.Kind))},
				answer.Named{Name: "text", Value: answer.Word(w.String())})
		}),
	}
}

// values are those of the whole trace.
func (f *Fit) values() []answer.Named {
	a, done := &f.Arrivals, f.Subject.Trace.Cleaning()
	list := []answer.Named{
		{Name: "jobs", Value: count(f.Jobs)}, {Name: "span", Value: seconds(f.Span)},
		{Name: "units", Value: count(f.Nodes)}, {Name: "unit", Value: answer.Word(text.Unit(f.Unit))},
		{Name: "load", Value: ratio(f.Load)}, {Name: "by", Value: answer.Word(string(f.By))},
		{Name: "parallel", Value: ratio(f.Parallel)}, {Name: "jobs_void", Value: count(f.Void)},
		{Name: "jobs_too_wide", Value: count(f.Wide)}, {Name: "rate", Value: ratio(f.Rate)},
		{Name: "interarrival_mean", Value: seconds(a.Gaps.Mean)}, {Name: "interarrival_sd", Value: seconds(a.Gaps.SD)},
		{Name: "interarrival_scv", Value: ratio(a.Gaps.SCV())},
		{Name: "daily_cycle", Value: share(a.Daily)}, {Name: "daily_cycle_p", Value: share(a.DailyP)},
		{Name: "weekly_cycle", Value: share(a.Weekly)}, {Name: "weekly_cycle_p", Value: share(a.WeeklyP)},
		{Name: "length_scv", Value: ratio(f.LengthSCV)}, {Name: "work_scv", Value: ratio(f.WorkSCV)},
		{Name: "width_length_rank_correlation", Value: ratio(f.Correlation)},
		{Name: "work_in_jobs_wider_than_half", Value: share(f.Half)},
		{Name: "work_in_largest_hundredth", Value: share(f.TopWork)}, {Name: "overrun", Value: share(f.Overrun)},
		{Name: "run_time_over_estimate", Value: share(f.Accuracy)}, {Name: "silhouette", Value: ratio(f.Silhouette)},
		{Name: "arrival_delay_factor", Value: ratio(f.Subject.Value)},
		{Name: "cleaning", Value: answer.Word(string(done.Rule))},
		{Name: "read", Value: count(done.Read)}, {Name: "left", Value: count(done.Left)},
	}
	return append(list, fileValues(f.Subject.TraceFile(), f.Subject.Trace.Subset().String())...)
}

// dispersion is the table of how arrivals vary, where a Poisson process has an index of 1.
func (f *Fit) dispersion() answer.Table {
	t := answer.Table{Name: "dispersion", Columns: []answer.Column{
		{Name: "by", Unit: answer.Text, Means: "window in the time of the trace"},
		{Name: "window", Unit: answer.Time, Means: "its length"},
		{Name: "windows", Unit: answer.Count, Means: "how many there are"},
		{Name: "index", Unit: answer.Ratio, Means: "variance over mean of the arrivals in a window"},
	}}
	for _, d := range f.Arrivals.Dispersion {
		t.Rows = append(t.Rows, []answer.Value{answer.Word(d.Name), seconds(d.Window), count(d.Windows), ratio(d.Index)})
	}
	return t
}

// fitColumn is a column of the table of classes.
type fitColumn struct {
	answer.Column
	of func(c *fit.Class) answer.Value
}

// classes is the table of the classes: as the trace has them, and as they were fitted.
func (f *Fit) classes() answer.Table {
	columns := slices.Concat(jobColumns(), fittedColumns())
	t := answer.Table{Name: "classes"}
	for _, c := range columns {
		t.Columns = append(t.Columns, c.Column)
	}
	for i := range f.Classes {
		var row []answer.Value
		for _, c := range columns {
			row = append(row, c.of(&f.Classes[i]))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// jobColumns are the columns that the jobs of the trace have.
func jobColumns() []fitColumn {
	return slices.Concat([]fitColumn{
		{answer.Column{Name: "class", Unit: answer.Text, Means: "name"},
			func(c *fit.Class) answer.Value { return answer.Word(c.Model.Name) }},
		{answer.Column{Name: "pool", Unit: answer.Text, Means: "name; none: there is one machine"},
			func(c *fit.Class) answer.Value { return answer.Maybe(c.Model.Pool) }},
		{answer.Column{Name: "jobs", Unit: answer.Count, Means: "of the trace"},
			func(c *fit.Class) answer.Value { return count(c.Jobs) }},
		{answer.Column{Name: "rate", Unit: answer.Ratio, Means: "arrivals per second", Quiet: true},
			func(c *fit.Class) answer.Value { return ratio(c.Model.Rate) }},
		{answer.Column{Name: "share", Unit: answer.Share, Means: "of the jobs", Quiet: true},
			func(c *fit.Class) answer.Value { return share(c.Share) }},
		{answer.Column{Name: "load", Unit: answer.Ratio, Means: "work over the capacity of the machine"},
			func(c *fit.Class) answer.Value { return ratio(c.Load) }},
		{answer.Column{Name: "hard", Unit: answer.Truth, Means: "deadlines are hard", Quiet: true},
			func(c *fit.Class) answer.Value { return answer.Yes(c.Hard) }},
		{answer.Column{Name: "width_length_rank_correlation", Unit: answer.Ratio, Means: "of width and length", Quiet: true},
			func(c *fit.Class) answer.Value { return ratio(c.Correlation) }},
	},
		momentColumns("interarrival", "", answer.Time, func(c *fit.Class) fit.Moments { return c.Gaps }),
		momentColumns("run_time", "run time", answer.Time, func(c *fit.Class) fit.Moments { return c.Length }),
		momentColumns("processors", "width", answer.Ratio, func(c *fit.Class) fit.Moments { return c.Width }),
		momentColumns("work", "", answer.Ratio, func(c *fit.Class) fit.Moments { return c.Work }),
		momentColumns("budget", "", answer.Amount, func(c *fit.Class) fit.Moments { return c.Budget }),
		momentColumns("slack", "", answer.Time, func(c *fit.Class) fit.Moments { return c.Slack }))
}

// momentColumns are mean, standard deviation and squared coefficient of variation. A text has the mean under a title.
func momentColumns(name, title string, unit answer.Unit, of func(c *fit.Class) fit.Moments) []fitColumn {
	return []fitColumn{
		{answer.Column{Name: name + "_mean", Title: title, Unit: unit, Means: "mean", Quiet: title == ""},
			func(c *fit.Class) answer.Value { return answer.Exactly(unit, of(c).Mean) }},
		{answer.Column{Name: name + "_sd", Unit: unit, Means: "standard deviation", Quiet: true},
			func(c *fit.Class) answer.Value { return answer.Exactly(unit, of(c).SD) }},
		{answer.Column{Name: name + "_scv", Unit: answer.Ratio, Means: "squared coefficient of variation", Quiet: true},
			func(c *fit.Class) answer.Value { return ratio(of(c).SCV()) }},
	}
}

// fittedColumns are the columns that the scenario has, and how far they are from the trace.
func fittedColumns() []fitColumn {
	distance := "Kolmogorov-Smirnov distance to the trace: "
	return slices.Concat(
		momentColumns("length", "length", answer.Time, func(c *fit.Class) fit.Moments { return c.Equivalent }),
		[]fitColumn{
			{answer.Column{Name: "dist", Unit: answer.Text, Means: "distribution of the length"},
				func(c *fit.Class) answer.Value { return answer.Word(string(c.Kind)) }},
			{answer.Column{Name: "ks_length", Title: "KS length", Unit: answer.Ratio, Means: distance + "of the length"},
				func(c *fit.Class) answer.Value { return ratio(c.LengthKS()) }},
			{answer.Column{Name: "ks_work", Title: "KS work", Unit: answer.Ratio, Means: distance + "of the work"},
				func(c *fit.Class) answer.Value { return ratio(c.WorkKS) }},
			{answer.Column{Name: "price", Title: "price $", Unit: answer.Amount, Means: "mean price of a job"},
				func(c *fit.Class) answer.Value { return answer.Exactly(answer.Amount, c.Model.MeanPrice()) }},
			{answer.Column{Name: "decay", Unit: answer.Ratio, Means: "$ that a job loses in a second", Quiet: true},
				func(c *fit.Class) answer.Value { return ratio(c.Model.Decay) }},
			{answer.Column{Name: "grace", Unit: answer.Time, Means: "mean grace", Quiet: true},
				func(c *fit.Class) answer.Value { return seconds(c.Model.MeanGrace()) }},
			{answer.Column{Name: "length_over_run_time", Unit: answer.Ratio, Means: "means", Quiet: true},
				func(c *fit.Class) answer.Value { return ratio(c.Correction) }},
			{answer.Column{Name: "work_second_moment_preserved", Unit: answer.Truth, Means: "by the length", Quiet: true},
				func(c *fit.Class) answer.Value { return answer.Yes(c.Second) }},
			{answer.Column{Name: "arrivals", Unit: answer.Text, Means: "arrival process", Quiet: true},
				func(c *fit.Class) answer.Value { return answer.Word(c.Model.Arrivals.String()) }},
		})
}
