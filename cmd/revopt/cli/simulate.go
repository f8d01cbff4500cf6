package cli

import (
	"io"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"
	"revopt/internal/text"
	"revopt/plots"
	"revopt/plots/report"
	"revopt/plots/report/schedule"
	"revopt/plots/wording"
	"revopt/simulate/metric"
	"revopt/simulate/policy"
	"revopt/simulate/study"
	"revopt/simulate/study/request"
	"revopt/simulate/subject"
)

func simulateFlags() []cli.Flag {
	return append([]cli.Flag{
		listFlag("policy", "`LIST` policies by commas, options as in hol:backfill=true, or a program as in "+
			"'exec:python3 my.py'; repeatable (default the scenario's)"),
		listFlag("admission",
			"`A` all (default), analytic, simulated, promise, threshold, state, prices or probabilities"),
		under(methodGroup, stringFlag("horizon", "`T` length of a replication as a time, such as 182d")),
		under(methodGroup, stringFlag("warmup",
			"`W` beginning of a run to leave out: a share such as 10%, or a time such as 2h")),
		stringFlag("html", "`FILE` write one self-contained page: answer, customers, table, scenario"),
		stringFlag("records", "`FILE` write a line of CSV for every job of every replication"),
		stringFlag("gantt", "`FILE` draw which job runs where in the first replication"),
		choiceFlag("by", "", "`user` add a table of the 20 users with most work; --json has all; every "+
			"replication runs twice", "user"),
		under(programGroup, boolFlag("episodes",
			"with --policy exec:-, run the replications that standard input asks for")),
		boolFlag("classes", "print the table of classes even if several rows are compared"),
	}, runFlags("`N` jobs per replication, warm-up included")...)
}

// policiesByScheduler lists the policies by the scheduler that can run them.
func policiesByScheduler(specs []policy.Spec) string {
	var groups [policy.Slurm + 1][]string
	for _, spec := range specs {
		where := spec.RunsOn(nil)
		groups[where] = append(groups[where], spec.Name)
	}
	var lines []string
	for where, names := range slices.Backward(groups[:]) {
		words := policy.Where(where).String() + ": " + strings.Join(names, ", ")
		lines = append(lines, "  "+strings.Join(text.Wrapped(words, 80), "\n    "))
	}
	return strings.Join(lines, "\n")
}

// runFlags are those that all simulations have, with the help of --jobs.
func runFlags(jobs string) []cli.Flag {
	return append([]cli.Flag{
		stringFlag("replications",
			"`N` replications (default 10; 100 with --resample); the upper limit if --precision is given "+
				"(default 1280)"),
		stringFlag("jobs", jobs),
	}, slices.Concat(allUnder(methodGroup,
		stringFlag("precision", "`P` replicate until the half width is at most this share of the mean, such as 1%"),
		stringFlag("metric", "`M` the measure that --precision applies to (default revenue_per_second)"),
		choiceFlag("resample", "", "`weeks` draw other histories from the weeks and users of a trace; intervals "+
			"are their range; none: the trace alone",
			"weeks", "none"),
		stringFlag("span", "`T` length of each history of --resample, such as 12w (default the length of the trace)"),
		presetFlag("level", "0.95", "`L` confidence level of the intervals"),
		boolFlag("plain", "measure without control variates"),
		seedFlag("the random numbers"),
	), []cli.Flag{workersFlag("replications")}, scenarioFlags(), []cli.Flag{
		jsonFlag(), csvFlag("all measures"), saveFlag(),
		under(resultGroup, stringFlag("cells",
			"`FILE` write every measure of every replication as CSV, for pandas and R")),
	},
		journalFlags("replications"), execFlags(), []cli.Flag{quietFlag("progress and no warnings")})...)
}

// openRun opens the scenario of a command that simulates.
func (p *program) openRun(c *cli.Context) (*request.Question, error) {
	q, err := p.question(c)
	if err != nil {
		return nil, err
	}
	return q, p.setParent(c, q)
}

func (p *program) simulate(c *cli.Context) error {
	if c.Bool("episodes") {
		return p.serveEpisodes(c)
	}
	q, err := p.openRun(c)
	if err != nil {
		return err
	}
	if err := checkGantt(c, q.Subject); err != nil {
		return err
	}
	if c.IsSet("by") && !study.HasUsers(q.Subject) {
		return usagef("--by user: expected jobs with users, from a trace that has them")
	}
	s := q.Simulation()
	// Tables do not show groups of width. A journal serves all forms of output.
	s.Groups = slices.ContainsFunc([]string{"json", "save", "journal"}, c.IsSet)
	result, err := ran(p, c, &s.Runner, s.Run)
	if result == nil {
		return err
	}
	q.Finish(result)
	result.Command, result.Build = p.origin(c)
	result.ByClass = c.Bool("classes")
	view := report.Simulation{Result: result}
	var files []func() error
	if err == nil || failed(err) {
		if c.IsSet("by") {
			if err := result.AddUsers(c.Context); err != nil {
				return err
			}
		}
		files = append(files, recordsFile(c, result), func() error { return p.writeGantt(c, result) })
	}
	return p.finish(c, view, target{}, result.Samples, err, report.Shortfalls(result), files...)
}

// recordsFile writes the file of --records: it runs every replication once more.
func recordsFile(c *cli.Context, r *study.Result) func() error {
	return flagFile(c, "records", func(w io.Writer) error {
		records := metric.NewRecords(w)
		for i, e := range r.Experiments {
			for k := range r.Replications {
				if _, err := e.Run(c.Context, k, e.Recorder(records, r.Policies[i].Label, k)); err != nil {
					return err
				}
			}
		}
		return records.Flush()
	})
}

// checkGantt refuses a figure of more jobs than it could show.
func checkGantt(c *cli.Context, s *subject.Subject) error {
	if jobs := s.Workload.Size(); c.String("gantt") != "" && jobs > schedule.MostBars {
		return usagef("--gantt: expected at most %d stretches of work, got about %s jobs: simulate fewer (--jobs)",
			schedule.MostBars, text.Fixed(jobs, 0))
	}
	return nil
}

// writeGantt draws the file of --gantt: the first replication of every row, run again.
func (p *program) writeGantt(c *cli.Context, r *study.Result) error {
	path := c.String("gantt")
	if path == "" {
		return nil
	}
	if n := len(r.Experiments) * len(r.Pools); n > schedule.MostPanels {
		return usagef("--gantt: expected at most %d panels, got %d: pools times policies", schedule.MostPanels, n)
	}
	var panels []plots.Figure
	for i, e := range r.Experiments {
		g := metric.NewGantt()
		if _, err := e.Run(c.Context, 0, g); err != nil {
			return err
		}
		figures := schedule.Gantt(r.Policies[i].Label, r.UnitName, g, e.Workload.Sites(), r.Pools)
		n := text.Sum(figures, func(fig plots.Figure) int { return len(fig.Regions) })
		if n > schedule.MostBars {
			return usagef("--gantt: expected at most %d stretches of work, got %d under %s: simulate fewer jobs",
				schedule.MostBars, n, r.Policies[i].Label)
		}
		panels = append(panels, figures...)
	}
	return p.saveDrawn(path, r, schedule.GanttSheet("Schedule: "+text.OneLine(r.Name()), panels))
}

func (p *program) saveDrawn(path string, r *study.Result, picture plots.Picture) error {
	prov := p.provenance(r.Scenario, r.Overrides, wording.TraceSum(r.TraceFile.Sum()))
	prov.Seed = &r.Seed
	return plots.SaveFile(path, picture, prov)
}
