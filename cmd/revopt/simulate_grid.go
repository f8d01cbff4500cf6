package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"revopt/model/scenario"
	"revopt/plots"
	"revopt/simulate/metric"
	"revopt/simulate/policy"
	"revopt/simulate/sweep"
)

// gridSimReport is what simulate prints of a grid.
type gridSimReport struct {
	Scenario     string          `json:"scenario"`
	Version      string          `json:"version"`
	Overrides    []string        `json:"overrides"`
	Sites        []scenario.Site `json:"sites"`
	Seed         uint64          `json:"seed"`
	Replications int             `json:"replications"`
	Level        number          `json:"level"`
	Interrupted  bool            `json:"interrupted"`
	Policies     []traceRow      `json:"policies"`
	Warnings     []string        `json:"warnings"`

	sc *scenario.Grid
}

// simulateGrid runs simulate on a grid scenario.
func (p *program) simulateGrid(c *cli.Context, in *input) error {
	if c.IsSet("admission") {
		return usagef("--admission: expected none with a grid, whose policies admit jobs by themselves")
	}
	o, err := simulateOptions(c, metric.TraceFigures())
	if err != nil {
		return err
	}
	sc, err := in.doc.Grid(sweep.KnownPolicies())
	if err != nil {
		return err
	}
	if o.policies, err = gridPolicies(c, sc); err != nil {
		return err
	}
	compared, err := p.runGrid(c, sc, o)
	if err != nil && (!errors.Is(err, context.Canceled) || compared.Replications() == 0) {
		return err
	}
	report := newGridSimReport(sc, o, compared, in.overrides)
	report.Interrupted = err != nil
	if err != nil {
		err = fmt.Errorf("simulate: stopped after %d of %s: %w", compared.Replications(), plural(sc.Replications, "replication"), err)
		return errors.Join(p.printGridSim(c, report), err)
	}
	rows := gridRecorded(sc, o)
	if err := errors.Join(writeRecords(c, rows), p.writeGantt(c, sc.Name, o.seed, rows)); err != nil {
		return err
	}
	return p.printGridSim(c, report)
}

// gridRecorded returns the policies for --records and --gantt.
func gridRecorded(sc *scenario.Grid, o simulateSettings) []recorded {
	var list []recorded
	for _, chosen := range o.policies {
		e := sweep.NewGridExperiment(sc, chosen.name, chosen.options, o.seed)
		list = append(list, recorded{chosen.label, []string{"all"}, e.Run})
	}
	return list
}

// gridPolicies returns those of the command line, else those of the scenario,
// else the first that there is.
func gridPolicies(c *cli.Context, sc *scenario.Grid) ([]chosenPolicy, error) {
	lookup := func(name string) (policy.Spec, error) { return sweep.LookupGridPolicy(sc, name) }
	if c.IsSet("policy") {
		return parsePolicies(c.String("policy"), lookup)
	}
	given := sc.Policies
	if len(given) == 0 {
		given = []scenario.Policy{{Name: "mf-edf"}}
	}
	var chosen []chosenPolicy
	for _, g := range given {
		spec, err := lookup(g.Name)
		if err != nil {
			return nil, usagef("%s: %s", sc.Name, bare(err))
		}
		options, err := spec.Resolve(policy.Settings(g.Options))
		if err != nil {
			return nil, err
		}
		chosen = append(chosen, chosenPolicy{spec.Name, options, policyLabel(spec, options)})
	}
	return chosen, nil
}

// runGrid simulates the policies side by side.
func (p *program) runGrid(c *cli.Context, sc *scenario.Grid, o simulateSettings) (sweep.Compared, error) {
	comparison := &sweep.GridComparison{Replications: sc.Replications, Stop: o.stop, Workers: o.workers, Level: o.level}
	for _, chosen := range o.policies {
		comparison.Experiments = append(comparison.Experiments, sweep.NewGridExperiment(sc, chosen.name, chosen.options, o.seed))
	}
	most := sc.Replications
	if stop := comparison.Stop; stop != nil {
		if o.capped {
			stop.Precision.Max, stop.Precision.First = max(2, most), min(10, max(2, most))
		}
		most = stop.Precision.Most()
	}
	show := &pace{meter: progress(p.stderr, "simulating", c.Bool("quiet"))}
	defer show.clear()
	comparison.Progress = func(finished int) { show.step(finished, most) }
	return comparison.Run(c.Context)
}

// newGridSimReport estimates everything from the samples of a run.
func newGridSimReport(sc *scenario.Grid, o simulateSettings, compared sweep.Compared, overrides []string) *gridSimReport {
	s := &gridSimReport{
		Scenario: sc.Name, Version: build().Version, Overrides: append([]string{}, overrides...), Sites: sc.Sites,
		Seed: o.seed, Replications: compared.Replications(), Level: number(o.level), Warnings: []string{}, sc: sc,
	}
	if o.stop != nil && !compared.Met {
		s.Warnings = append(s.Warnings, fmt.Sprintf("%d replications do not make the interval of %s as narrow as %s of its mean",
			s.Replications, o.stop.Figure.Name, percent(o.stop.Precision.Relative)))
	}
	for i, chosen := range o.policies {
		s.Policies = append(s.Policies, traceRow{policy: chosen, total: traceEstimates(compared.Outcomes[i], -1)})
	}
	return s
}

// printGridSim writes what the command line asks for.
func (p *program) printGridSim(c *cli.Context, s *gridSimReport) error {
	if path := c.String("csv"); path != "" {
		if err := writeTable(path, s.provenance(p.args), s.records()); err != nil {
			return err
		}
	}
	if c.Bool("json") {
		return p.printJSON(s)
	}
	s.print(p.stdout)
	return p.warn(c, s.Warnings)
}

// print writes the report for a person to read.
func (s *gridSimReport) print(w io.Writer) {
	processors := 0
	for _, site := range s.Sites {
		processors += site.Processors
	}
	var what string
	if a := s.sc.Applications; a != nil {
		what = plural(a.Count, "application")
	} else if b := s.sc.Batch; b != nil {
		what = plural(b.Jobs, "job")
	} else {
		what = plural(len(s.sc.Listed), "application")
	}
	fmt.Fprintf(w, "%s: %s on %s with %s\n", oneLine(s.Scenario), what, plural(len(s.Sites), "site"), plural(processors, "processor"))
	fmt.Fprintf(w, "%s, seed %d; ± is %s confidence\n\n", plural(s.Replications, "replication"), s.Seed, percentOf(float64(s.Level)))
	t := newTable("policy", "accepted", "in time", "value $", "of all budgets", "used", "mean wait")
	for _, p := range s.Policies {
		f := p.total
		t.row(p.policy.label, f.get("acceptance").percent(), f.get("job_qos_satisfaction").percent(), f.get("utility").times(1),
			f.get("cluster_profitability").percent(), f.get("utilization").percent(), f.get("mean_wait").duration())
	}
	t.print(w)
}

// provenance says where the numbers of the report come from.
func (s *gridSimReport) provenance(args []string) plots.Provenance {
	return plots.Provenance{
		Version: s.Version, Scenario: s.Scenario, Seed: &s.Seed, Command: commandLine(args),
		Extra: []plots.Pair{
			{Key: "overrides", Value: strings.Join(s.Overrides, ", ")},
			{Key: "replications", Value: strconv.Itoa(s.Replications)},
		},
	}
}

// records are the rows of the CSV file, one for each figure.
func (s *gridSimReport) records() [][]string {
	return (&traceSimReport{Policies: s.Policies}).records()
}
