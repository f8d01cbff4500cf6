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
		Headline: answer.New("CLASSES", count(len(f.Classes)).As("classes"), count(f.Jobs).As("jobs"),
			answer.Maybe(out).As("file"), ratio(worst).As("distance")),
		Tables: []answer.Table{f.classes(), f.dispersion(), cleaning(f.Subject.Trace.Cleaning())},
		Warnings: text.Each(f.Warnings, func(w fit.Warning) answer.Fact {
			return answer.New("FIT", answer.Word(string(w.Kind)).As("kind"), answer.Word(w.String()).As("text"))
		}),
	}
}

// values are those of the whole trace.
func (f *Fit) values() []answer.Named {
	a, done := &f.Arrivals, f.Subject.Trace.Cleaning()
	list := []answer.Named{count(f.Jobs).As("jobs"), seconds(f.Span).As("span"), count(f.Nodes).As("units"),
		answer.Word(text.Unit(f.Unit)).As("unit"), ratio(f.Load).As("load"), answer.Word(string(f.By)).As("by"),
		ratio(f.Parallel).As("parallel"), count(f.Void).As("jobs_void"), count(f.Wide).As("jobs_too_wide"),
		ratio(f.Rate).As("rate"), seconds(a.Gaps.Mean).As("interarrival_mean"),
		seconds(a.Gaps.SD).As("interarrival_sd"), ratio(a.Gaps.SCV()).As("interarrival_scv"),
		share(a.Daily).As("daily_cycle"), share(a.DailyP).As("daily_cycle_p"), share(a.Weekly).As("weekly_cycle"),
		share(a.WeeklyP).As("weekly_cycle_p"), ratio(f.LengthSCV).As("length_scv"), ratio(f.WorkSCV).As("work_scv"),
		ratio(f.Correlation).As("width_length_rank_correlation"), share(f.Half).As("work_in_jobs_wider_than_half"),
		share(f.TopWork).As("work_in_largest_hundredth"), share(f.Overrun).As("overrun"),
		share(f.Accuracy).As("run_time_over_estimate"),
		ratio(f.Subject.Value).As("arrival_delay_factor"), answer.Word(string(done.Rule)).As("cleaning"),
		count(done.Read).As("read"), count(done.Left).As("left")}
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

// fitField is a column of the table of classes.
type fitField = answer.Field[*fit.Class]

// classes is the table of the classes: as the trace has them, and as they were fitted.
func (f *Fit) classes() answer.Table {
	list := text.EachAt(f.Classes, func(i int, _ fit.Class) *fit.Class { return &f.Classes[i] })
	return answer.TableOf("classes", list, append(jobFields(), fittedFields()...)...)
}

// fitRatio is a column of numbers without a unit.
func fitRatio(name, means string, of func(c *fit.Class) float64) fitField {
	return answer.Numbered(name, answer.Ratio, means, of)
}

// jobFields are the columns that the jobs of the trace have.
func jobFields() []fitField {
	return slices.Concat([]fitField{
		answer.Texts("class", "name", func(c *fit.Class) string { return c.Model.Name }),
		answer.Texts("pool", "name; none: there is one machine", func(c *fit.Class) string { return c.Model.Pool }),
		answer.Numbered("jobs", answer.Count, "of the trace", func(c *fit.Class) int64 { return c.Jobs }),
		fitRatio("rate", "arrivals per second", func(c *fit.Class) float64 { return c.Model.Rate }).Hidden(),
		answer.Numbered("share", answer.Share, "of the jobs", func(c *fit.Class) float64 { return c.Share }).Hidden(),
		fitRatio("load", "work over the capacity of the machine", func(c *fit.Class) float64 { return c.Load }),
		answer.Truths("hard", "deadlines are hard", func(c *fit.Class) bool { return c.Hard }).Hidden(),
		fitRatio("width_length_rank_correlation", "of width and length",
			func(c *fit.Class) float64 { return c.Correlation }).Hidden(),
	},
		momentFields("interarrival", "", answer.Time, func(c *fit.Class) fit.Moments { return c.Gaps }),
		momentFields("run_time", "run time", answer.Time, func(c *fit.Class) fit.Moments { return c.Length }),
		momentFields("processors", "width", answer.Ratio, func(c *fit.Class) fit.Moments { return c.Width }),
		momentFields("work", "", answer.Ratio, func(c *fit.Class) fit.Moments { return c.Work }),
		momentFields("budget", "", answer.Amount, func(c *fit.Class) fit.Moments { return c.Budget }),
		momentFields("slack", "", answer.Time, func(c *fit.Class) fit.Moments { return c.Slack }))
}

// momentFields are mean, standard deviation and squared coefficient of variation. A text has the mean under a title.
func momentFields(name, title string, unit answer.Unit, of func(c *fit.Class) fit.Moments) []fitField {
	mean := answer.Numbered(name+"_mean", unit, "mean", func(c *fit.Class) float64 { return of(c).Mean }).Titled(title)
	mean.Quiet = title == ""
	return []fitField{mean,
		answer.Numbered(name+"_sd", unit, "standard deviation", func(c *fit.Class) float64 { return of(c).SD }).Hidden(),
		fitRatio(name+"_scv", "squared coefficient of variation",
			func(c *fit.Class) float64 { return of(c).SCV() }).Hidden(),
	}
}

// fittedFields are the columns that the scenario has, and how far they are from the trace.
func fittedFields() []fitField {
	distance := "Kolmogorov-Smirnov distance to the trace: "
	return append(
		momentFields("length", "length", answer.Time, func(c *fit.Class) fit.Moments { return c.Equivalent }),
		answer.Texts("dist", "distribution of the length", func(c *fit.Class) string { return string(c.Kind) }),
		fitRatio("ks_length", distance+"of the length", (*fit.Class).LengthKS).Titled("KS length"),
		fitRatio("ks_work", distance+"of the work", func(c *fit.Class) float64 { return c.WorkKS }).Titled("KS work"),
		answer.Numbered("price", answer.Amount, "mean price of a job",
			func(c *fit.Class) float64 { return c.Model.MeanPrice() }).Titled("price $"),
		fitRatio("decay", "$ that a job loses in a second", func(c *fit.Class) float64 { return c.Model.Decay }).Hidden(),
		answer.Numbered("grace", answer.Time, "mean grace",
			func(c *fit.Class) float64 { return c.Model.MeanGrace() }).Hidden(),
		fitRatio("length_over_run_time", "means", func(c *fit.Class) float64 { return c.Correction }).Hidden(),
		answer.Truths("work_second_moment_preserved", "by the length",
			func(c *fit.Class) bool { return c.Second }).Hidden(),
		answer.Texts("arrivals", "arrival process",
			func(c *fit.Class) string { return c.Model.Arrivals.String() }).Hidden())
}
