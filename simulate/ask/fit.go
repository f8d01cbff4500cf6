package ask

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"

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
	if guessed := f.Subject.Scenario.Guessed; guessed != nil {
		head = append(head, "A log states no "+strings.Join(guessed, ", ")+": these are guesses, state your own")
	}
	var b bytes.Buffer
	err := f.WriteYAML(&b, append(head, "")...)
	return b.Bytes(), err
}

// Answer says what the classes are. The file has the scenario, if there is one.
func (f *Fit) Answer(out string) answer.Answer {
	return answer.Answer{
		Command: "trace fit", Scenario: f.Name, Seed: f.Seed, Values: f.values(),
		Headline: answer.New("CLASSES", count(len(f.Classes)).As("classes"), count(f.Jobs).As("jobs"),
			answer.Maybe(out).As("file")),
		Tables: []answer.Table{f.classes(), cleaning(f.Subject.Trace.Cleaning())},
		Warnings: text.Each(f.Doubts, func(doubt string) answer.Fact {
			return answer.New("FIT", answer.Word(doubt).As("text"))
		}),
	}
}

// values are those of the whole trace.
func (f *Fit) values() []answer.Named {
	list := []answer.Named{count(f.Jobs).As("jobs"), seconds(f.Span).As("span"), count(f.Nodes).As("units"),
		answer.Word(text.Unit(f.Unit)).As("unit"), ratio(f.Load).As("load"),
		ratio(f.Parallel).As("parallel"), ratio(f.Rate).As("rate"), ratio(f.Gaps.SCV()).As("interarrival_scv"),
		ratio(f.Work.SCV()).As("work_scv"), share(f.Half).As("work_in_jobs_wider_than_half"),
		ratio(f.Subject.Value).As("arrival_delay_factor")}
	return append(list, fileValues(f.Subject.TraceFile(), f.Subject.Trace.Subset().String())...)
}

// classes is the table of the classes: as the trace has them, and as they were fitted.
func (f *Fit) classes() answer.Table {
	type class = *fit.Class
	ratio := func(name, means string, of func(c class) float64) answer.Field[class] {
		return answer.Numbered(name, answer.Ratio, means, of)
	}
	list := text.EachAt(f.Classes, func(i int, _ fit.Class) class { return &f.Classes[i] })
	return answer.TableOf("classes", list,
		answer.Texts("class", "name", func(c class) string { return c.Model.Name }),
		answer.Texts("pool", "name; none: there is one machine", func(c class) string { return c.Model.Pool }),
		answer.Numbered("jobs", answer.Count, "of the trace", func(c class) int64 { return c.Jobs }),
		ratio("rate", "arrivals per second", func(c class) float64 { return c.Model.Rate }).Hidden(),
		ratio("load", "work over the capacity of the machine", func(c class) float64 { return c.Load }),
		ratio("interarrival_scv", "squared coefficient of variation of the times between arrivals",
			func(c class) float64 { return c.Gaps.SCV() }).Titled("gaps scv"),
		answer.Numbered("run_time_mean", answer.Time, "mean", func(c class) float64 { return c.Length.Mean }).Titled("run time"),
		ratio("processors_mean", "mean width", func(c class) float64 { return c.Width.Mean }).Titled("width"),
		ratio("work_mean", "mean", func(c class) float64 { return c.Work.Mean }).Hidden(),
		answer.Numbered("length_mean", answer.Time, "mean", func(c class) float64 { return c.Drawn.Mean }).Titled("length"),
		answer.Numbered("length_sd", answer.Time, "standard deviation", func(c class) float64 { return c.Drawn.SD }).Titled("sd"),
		answer.Numbered("price", answer.Amount, "mean price of a job",
			func(c class) float64 { return c.Model.MeanPrice() }).Titled("price $"),
		ratio("decay", "$ that a job loses in a second", func(c class) float64 { return c.Model.Decay }).Hidden(),
		answer.Numbered("grace", answer.Time, "mean grace", func(c class) float64 { return c.Model.MeanGrace() }).Hidden(),
	)
}
