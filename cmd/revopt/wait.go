package main

import (
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"revopt/model"
	"revopt/model/scenario"
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
approximates as many real servers instead.

Examples:
  revopt wait nist-four --load 0.9 --at 10m,1h
  revopt wait mine.yaml --admission analytic --quantiles 0.5,0.9,0.99 -o tails.svg
  revopt wait mine.yaml --class urgent --simulate --json`,
		Flags: append([]cli.Flag{
			&cli.StringFlag{Name: "class", Usage: "`NAME` of the only class to print"},
			&cli.StringFlag{Name: "at", Usage: "`TIMES` whose tails to print, such as 60,10m,1h (default 0, graces and promised times)"},
			&cli.StringFlag{Name: "quantiles", Value: "0.5,0.9,0.99", Usage: "`LIST` shares of jobs, such as 0.5,0.9 or 50%,90%"},
			&cli.StringFlag{Name: "admission", Value: admitAll, Usage: "`A` all, analytic (what solve finds) or probabilities as in 1,0.5"},
			&cli.StringFlag{Name: "queue", Value: queuePooled, Usage: "`Q` pooled (exact) or multiserver (approximate)"},
			&cli.BoolFlag{Name: "simulate", Usage: "simulate the same queue and print what it gives beside"},
			&cli.Uint64Flag{Name: "seed", Value: 1, Usage: "`N` seed of the random numbers"},
			&cli.IntFlag{Name: "workers", Value: runtime.NumCPU(), Usage: "`N` how many replications to run at a time; changes no result"},
			&cli.StringFlag{Name: "out", Aliases: []string{"o"}, Usage: "`DIR|FILE` write a figure: in all formats to a directory, or one .png, .svg, .pdf or .csv"},
		}, append(scenarioFlags(), jsonFlag(), csvFlag("all numbers"), quietFlag("warnings"))...),
		Action: p.wait,
	}
}

// The queues whose waits there are.
const (
	queuePooled      = "pooled"
	queueMultiserver = "multiserver"
)

// waitWishes are the flags of wait.
type waitWishes struct {
	class     string
	at        []float64 // nil where the scenario decides
	quantiles []float64
	admission string
	queue     string
	simulate  bool
	seed      uint64
	workers   int
	target    target
}

func (p *program) wait(c *cli.Context) error {
	wishes, err := waitOptions(c)
	if err != nil {
		return err
	}
	in, err := p.open(c)
	if err != nil {
		return err
	}
	sc, err := in.doc.ClassScenario()
	if err != nil {
		return err
	}
	job, err := newWaitJob(sc, wishes)
	if err != nil {
		return err
	}
	a, err := await(c.Context, func() (*waitAnswer, error) { return job.run(c.Context) })
	if err != nil {
		return err
	}
	a.Overrides = append([]string{}, in.overrides...)
	prov := a.provenance(p.args)
	if path := c.String("csv"); path != "" {
		if err := writeTable(path, prov, a.records()); err != nil {
			return err
		}
	}
	if err := wishes.target.saveWaits(a, prov); err != nil {
		return err
	}
	if c.Bool("json") {
		return p.printJSON(a)
	}
	a.print(p.stdout)
	return p.warn(c, a.Warnings)
}

func waitOptions(c *cli.Context) (*waitWishes, error) {
	w := &waitWishes{
		class: c.String("class"), admission: c.String("admission"), queue: c.String("queue"),
		simulate: c.Bool("simulate"), seed: c.Uint64("seed"), workers: c.Int("workers"),
	}
	var err error
	if w.target, err = parseTarget(c.String("out")); err != nil {
		return nil, err
	}
	switch {
	case w.workers < 1:
		return nil, usagef("--workers: expected a whole number of at least 1, got %d", w.workers)
	case w.queue != queuePooled && w.queue != queueMultiserver:
		return nil, usagef("--queue: expected pooled or multiserver, got %q", w.queue)
	}
	if c.IsSet("at") {
		for part := range strings.SplitSeq(c.String("at"), ",") {
			t, err := scenario.ParseTime(strings.TrimSpace(part))
			if err != nil {
				return nil, usagef("--at: %v", err)
			}
			w.at = append(w.at, t)
		}
	}
	for part := range strings.SplitSeq(c.String("quantiles"), ",") {
		q, ok := probability(part)
		if !ok {
			return nil, usagef("--quantiles: expected shares from 0 to 1 such as 0.5,0.9, got %q", part)
		}
		w.quantiles = append(w.quantiles, q)
	}
	return w, nil
}

// waitJob is a scenario and what is wanted of it.
type waitJob struct {
	sc      *scenario.Scenario
	wishes  *waitWishes
	classes []int // to print
	admit   chosenAdmission
	at      []float64
}

func newWaitJob(sc *scenario.Scenario, wishes *waitWishes) (*waitJob, error) {
	j := &waitJob{sc: sc, wishes: wishes, at: wishes.at}
	for i, c := range sc.Classes {
		if wishes.class == "" || wishes.class == c.Name {
			j.classes = append(j.classes, i)
		}
	}
	if len(j.classes) == 0 {
		return nil, usagef("--class: unknown class %q, expected one of %s", wishes.class, strings.Join(classNames(sc.Classes), ", "))
	}
	chosen, err := parseAdmission(wishes.admission, sc.Classes)
	if err != nil {
		return nil, err
	}
	if len(chosen) != 1 || chosen[0].name == admitSimulated {
		return nil, usagef("--admission: expected all, analytic or probabilities, got %q", wishes.admission)
	}
	j.admit = chosen[0]
	if wishes.simulate && wishes.queue == queueMultiserver && sc.Parallel != float64(int(sc.Parallel)) {
		return nil, usagef("--simulate: expected a whole number of servers, got %s", strconv.FormatFloat(sc.Parallel, 'g', -1, 64))
	}
	if j.at == nil {
		j.at = defaultTimes(sc.Classes)
	}
	return j, nil
}

// defaultTimes are those that the classes speak of.
func defaultTimes(classes []model.Class) []float64 {
	times := []float64{0}
	for _, c := range classes {
		if c.Decay > 0 {
			times = append(times, c.MeanGrace())
		}
		if c.SLO != nil {
			times = append(times, c.SLO.Within)
		}
	}
	slices.Sort(times)
	times = slices.Compact(times)
	const most = 4
	return times[:min(len(times), most)]
}
