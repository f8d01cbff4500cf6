package main

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"revopt/internal/text"
	"revopt/model"
	"revopt/model/scenario"
	"revopt/optimize"
	"revopt/plots"
	"revopt/plots/report"
	"revopt/simulate/study"
	"revopt/simulate/workload"
)

func (p *program) waitCommand() *cli.Command {
	return &cli.Command{
		Name:      "wait",
		Usage:     "how long jobs wait: the distribution, by class",
		ArgsUsage: "SCENARIO [flags]",
		Description: `Computes the waiting time of every class: how many wait longer than some time, by
how much, and within which time a share of them starts. It is that of a real
queue, one server as fast as all together (pooled), whatever the scenario's
residual, and exact up to the error that --json reports. --queue multiserver
approximates as many real servers instead. The classes of a trace are fitted to it.

Examples:
  revopt wait nist-four --load 0.9 --at 10m,1h
  revopt wait mine.yaml --admission analytic --quantiles 0.5,0.9,0.99 -o tails.svg
  revopt wait mine.yaml --class urgent --simulate --json`,
		Flags: append([]cli.Flag{
			&cli.StringFlag{Name: "class", Usage: "`NAME` of the only class to print"},
			&cli.StringFlag{Name: "at", Usage: "`TIMES` whose tails to print, such as 60,10m,1h (default 0, graces and promised times)"},
			&cli.StringFlag{Name: "quantiles", Value: "0.5,0.9,0.99", Usage: "`LIST` shares of jobs, such as 0.5,0.9 or 50%,90%"},
			&cli.StringFlag{Name: "admission", Value: scenario.AdmitAll, Usage: "`A` all, analytic (what solve finds) or probabilities as in 1,0.5"},
			&cli.StringFlag{Name: "queue", Value: study.QueuePooled, Usage: "`Q` pooled (exact) or multiserver (approximate)"},
			&cli.BoolFlag{Name: "simulate", Usage: "simulate the same queue and print what it gives beside"},
			seedFlag("the random numbers"), workersFlag("replications"),
			outFlag("`DIR|FILE` write a figure: in all formats to a directory, or one .png, .svg, .pdf or .csv"),
		}, append(scenarioFlags(), jsonFlag(), csvFlag("all numbers"), saveFlag(), quietFlag("warnings"))...),
		Action: p.wait,
	}
}

func (p *program) wait(c *cli.Context) error {
	o, err := waitOptions(c)
	if err != nil {
		return err
	}
	where, err := parseTarget(c)
	if err != nil {
		return err
	}
	in, err := p.open(c)
	if err != nil {
		return err
	}
	sim := in.Scenario.Simulation
	o.Curves, o.Replications = where.path != "" || c.IsSet("save"), sim.Replications
	o.Length = workload.Length{Jobs: int64(sim.Jobs), Horizon: sim.Horizon, WarmupFraction: sim.Warmup.Fraction, WarmupSeconds: sim.Warmup.Seconds}
	analysis, err := in.Analyze(c.Context, o.Seed, 0)
	if err != nil {
		return err
	}
	if err := admitWaits(c, analysis, &o); err != nil {
		return err
	}
	// Some waits take long, and no step of theirs looks at the context.
	found, err := await(c.Context, func() (*study.WaitAnswer, error) { return study.Waits(c.Context, analysis, o) })
	if err != nil {
		return err
	}
	found.Overrides = in.overrides
	found.Command, found.Build = p.origin(c)
	return p.deliverWaits(c, found, where, saveFile(c, found))
}

// deliverWaits prints waits and writes their files.
func (p *program) deliverWaits(c *cli.Context, found *study.WaitAnswer, where target, files ...func() error) error {
	a := waitAnswer{found}
	prov := plots.Provenance{Version: a.Version, Scenario: a.Scenario, Command: a.Command, Extra: []plots.Pair{
		{Key: "overrides", Value: strings.Join(a.Overrides, ", ")}, {Key: "queue", Value: a.Queue}, {Key: "admission", Value: a.Admission.Name},
	}}
	return p.deliver(c, found, a.print, found.Warnings, append(files, csvFile(c, prov, a.records), func() error {
		if where.path == "" {
			return nil
		}
		return where.save(prov, a.picture(), a.picture())
	})...)
}

func waitOptions(c *cli.Context) (study.WaitOptions, error) {
	o := study.WaitOptions{
		Class: c.String("class"), Queue: c.String("queue"), Simulate: c.Bool("simulate"), Seed: c.Uint64("seed"), Version: build().Version,
	}
	var err error
	if o.Workers, err = workers(c); err != nil {
		return o, err
	}
	if o.Queue != study.QueuePooled && o.Queue != study.QueueMultiserver {
		return o, usagef("--queue: expected pooled or multiserver, got %q", o.Queue)
	}
	if c.IsSet("at") {
		for part := range strings.SplitSeq(c.String("at"), ",") {
			t, err := scenario.ParseTime(strings.TrimSpace(part))
			if err != nil {
				return o, usagef("--at: %v", err)
			}
			o.At = append(o.At, t)
		}
	}
	for part := range strings.SplitSeq(c.String("quantiles"), ",") {
		q, ok := probability(part)
		if !ok {
			return o, usagef("--quantiles: expected shares from 0 to 1 such as 0.5,0.9, got %q", part)
		}
		o.Quantiles = append(o.Quantiles, q)
	}
	return o, nil
}

// admitWaits reads --class and --admission, which speak of the classes of the
// analysis.
func admitWaits(c *cli.Context, a *study.Analysis, o *study.WaitOptions) error {
	names := classNames(a.System.Classes)
	if o.Class != "" && !slices.Contains(names, o.Class) {
		return usagef("--class: unknown class %q%s", o.Class, expectedOne(o.Class, names))
	}
	chosen, err := parseAdmission(c.String("admission"), names)
	if err != nil {
		return err
	}
	if len(chosen) != 1 || slices.Contains([]string{scenario.AdmitSimulated, scenario.AdmitPromise, study.ControlThreshold, study.ControlState, scenario.AdmitPrices, scenario.AdmitPricesSimulated}, chosen[0].Name) {
		return usagef("--admission: expected all, analytic or probabilities, got %q", c.String("admission"))
	}
	if n := a.System.Parallel; o.Simulate && o.Queue == study.QueueMultiserver && math.Abs(n-math.Round(n)) > 1e-9 {
		return usagef("--simulate: expected a whole number of servers, got %s", strconv.FormatFloat(n, 'g', -1, 64))
	}
	if o.Admission = chosen[0]; o.Admission.Name == scenario.AdmitAnalytic {
		best, err := optimize.Solve(c.Context, a.System, optimize.Settings{})
		if err != nil {
			return err
		}
		o.Admission.Admit = best.Admit
	}
	return nil
}

func classNames(classes []model.Class) []string {
	names := make([]string, len(classes))
	for i, c := range classes {
		names[i] = c.Name
	}
	return names
}

// waitAnswer is waits as they are printed and drawn.
type waitAnswer struct {
	*study.WaitAnswer
}

// print writes the waits for a person to read.
func (a waitAnswer) print(w io.Writer) {
	fitted := ""
	if a.Fitted > 0 {
		fitted = "; " + report.Fitted(a.Fitted)
	}
	fmt.Fprintf(w, "%s at load %s, admission %s: waits in %s%s\n\n", text.OneLine(a.Scenario), text.Rounded(float64(a.Load)), text.OneLine(a.Admission.Name), a.queueWords(), fitted)
	header := []string{"class", "mean"}
	for _, t := range a.Classes[0].Tail {
		header = append(header, "> "+text.Duration(float64(t.T)))
	}
	for _, q := range a.Classes[0].Quantiles {
		header = append(header, text.Plain(100*float64(q.Q))+" %")
	}
	t := text.NewTable(header...)
	for _, c := range a.Classes {
		cells := []string{c.Name, text.Duration(float64(c.Mean))}
		for _, x := range c.Tail {
			cells = append(cells, text.Percent(float64(x.P)))
		}
		for _, q := range c.Quantiles {
			cells = append(cells, text.Duration(float64(q.T)))
		}
		t.Row(cells...)
		if c.Simulated != nil {
			t.Row(simulatedCells(c)...)
		}
	}
	t.Print(w)
	if len(a.Classes[0].Tail) > 0 {
		fmt.Fprintf(w, "\nColumns > T: the share of admitted jobs that wait longer.\n")
	}
	if len(a.Classes[0].Quantiles) > 0 {
		fmt.Fprintf(w, "Columns in %%: the time within which that share starts.\n")
	}
	if a.Replications > 0 {
		fmt.Fprintf(w, "%s\n", a.simulatedWords())
	}
}

// simulatedWords says what was simulated: the same queue, unless the formulas
// take arrivals for Poisson that are not.
func (a waitAnswer) simulatedWords() string {
	words := "Simulated: " + text.Plural(a.Replications, "replication") + " of the same queue"
	if a.Arrivals != "" {
		words = "Computed: Poisson arrivals; simulated: " + a.Arrivals + ", " + text.Plural(a.Replications, "replication")
	}
	if a.Replications > 1 {
		words += ", with 95 % intervals"
	}
	return words + "."
}

// simulatedCells are the row of a simulation.
func simulatedCells(c study.ClassWait) []string {
	cells := []string{"  simulated", seconds(c.Simulated.Mean)}
	for _, x := range c.Tail {
		share, half := 100*float64(x.Simulated.Mean), 100*float64(x.Simulated.HalfWidth)
		if math.IsNaN(share) { // no job of the class was simulated
			cells = append(cells, "-")
			continue
		}
		if math.IsInf(half, 0) { // one replication
			cells = append(cells, text.Fixed(share, 1)+" %")
			continue
		}
		cells = append(cells, fmt.Sprintf("%s ± %s %%", text.Fixed(share, 1), text.Fixed(half, 1)))
	}
	for range c.Quantiles {
		cells = append(cells, "")
	}
	return cells
}

// queueWords says whose waits they are.
func (a waitAnswer) queueWords() string {
	if a.Queue == study.QueueMultiserver {
		return text.Rounded(a.Parallel) + " real servers (approximate)"
	}
	return "one pooled server, " + text.Rounded(a.Parallel) + " times as fast"
}

// records are the rows of the CSV file, one for each number.
func (a waitAnswer) records() [][]string {
	rows := [][]string{{"class", "measure", "at", "value", "error", "simulated", "half_width"}}
	nan := study.Number(math.NaN())
	add := func(name, measure string, values ...study.Number) {
		rows = append(rows, append([]string{name, measure}, fields(values...)...))
	}
	for _, c := range a.Classes {
		mean := study.Estimate{Mean: nan, HalfWidth: nan}
		if c.Simulated != nil {
			mean = c.Simulated.Mean
		}
		add(c.Name, "mean", nan, c.Mean, nan, mean.Mean, mean.HalfWidth)
		for _, t := range c.Tail {
			simulated := study.Estimate{Mean: nan, HalfWidth: nan}
			if t.Simulated != nil {
				simulated = *t.Simulated
			}
			add(c.Name, "tail", t.T, t.P, t.PError, simulated.Mean, simulated.HalfWidth)
			add(c.Name, "excess", t.T, t.Excess, t.ExcessError, nan, nan)
		}
		for _, q := range c.Quantiles {
			add(c.Name, "quantile", q.Q, q.T, nan, nan, nan)
		}
	}
	return rows
}

// picture draws P(W > t): all classes in one figure, or, with simulated shares
// on top, each in its own.
func (a waitAnswer) picture() plots.Picture {
	notes := []string{"Waits in " + a.queueWords() + "."}
	id := report.FileName(a.Scenario, "wait")
	if a.Replications == 0 {
		fig := waitAxes("Jobs that wait longer")
		fig.ID, fig.Notes = id, notes
		for _, c := range a.Classes {
			line, _ := waitSeries(c)
			line.Name = c.Name
			fig.Series = append(fig.Series, line)
		}
		return fig
	}
	sheet := plots.Sheet{ID: id, Title: "Jobs that wait longer", Notes: append(notes, a.simulatedWords())}
	for _, c := range a.Classes {
		fig := waitAxes(c.Name)
		line, points := waitSeries(c)
		line.Name, line.Look = "Computed", 1
		points.Name, points.Look = "Simulated", 2
		fig.Series = []plots.Series{line, points}
		sheet.Panels = append(sheet.Panels, fig)
	}
	return sheet
}

// waitAxes returns a figure without series.
func waitAxes(title string) plots.Figure {
	return plots.Figure{
		Title: title, X: plots.Axis{Label: "Wait", Time: true},
		Y: plots.Axis{Label: "Share of jobs", Log: true, Min: study.Faintest, Max: 1},
	}
}

// waitSeries returns the curve of a class, and some of its simulated shares as
// points.
func waitSeries(c study.ClassWait) (line, points plots.Series) {
	points.Kind = plots.Points
	for n, t := range c.Curve {
		x := float64(t.T)
		line.X, line.Y = append(line.X, x), append(line.Y, float64(t.P))
		if s := t.Simulated; s != nil && n%4 == 2 {
			points.X, points.Y = append(points.X, x), append(points.Y, float64(s.Mean))
			points.Low = append(points.Low, float64(s.Mean-s.HalfWidth))
			points.High = append(points.High, float64(s.Mean+s.HalfWidth))
		}
	}
	return line, points
}
