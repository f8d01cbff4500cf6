package cli

import (
	"cmp"
	"errors"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/urfave/cli/v2"
	"revopt/internal/safefile"
	"revopt/internal/text"
	"revopt/plots"
	"revopt/plots/report"
	"revopt/plots/report/scores"
	"revopt/plots/wording"
	"revopt/simulate/bench"
	"revopt/simulate/study"
)

func (p *program) benchCommand() *cli.Command {
	traces := stringFlag("traces", "`DIR` directory of the public traces that some instances need")
	common := []cli.Flag{traces, workersFlag("instances"), jsonFlag(), quietFlag("progress")}
	return &cli.Command{Name: "bench", Subcommands: []*cli.Command{
		{Name: "list", Action: p.benchList, Flags: []cli.Flag{jsonFlag()}},
		{Name: "jobs", Action: p.benchJobs, Flags: []cli.Flag{traces,
			outFlag("`FILE` write to a file, not to standard output")}},
		{Name: "run", Action: p.benchRun, Flags: append(slices.Concat(common, journalFlags("instances"), engineFlags()),
			listFlag("policy", "`LIST` policies by commas, as in simulate; repeatable"), execFlags()[1],
			csvFlag("the scores"),
			stringFlag("schedule",
				"`DIR` write schedules for bench check: DIR/INSTANCE.csv, by policy if there are several"),
			under(resultGroup, stringFlag("cells",
				"`FILE` write every measure as CSV; its points are instances, see its comments")),
			outFlag("`FILE` write the scores as JSON, for revopt bench table"))},
		{Name: "check", Action: p.benchCheck, Flags: []cli.Flag{traces, jsonFlag(),
			stringFlag("instance", "`NAME` instance (default the name of the file, without .csv)")}},
		{Name: "verify", Action: p.benchRun, Flags: common},
		{Name: "table", Action: p.benchTable, Flags: []cli.Flag{
			presetFlag("against", "easy", "`P` policy that differences are to"), jsonFlag(),
			stringFlag("html", "`FILE` write one self-contained page"),
			outFlag("`FILE` document to write the tables to, between <!-- bench --> and <!-- end -->")}},
	}}
}

// benchInstances returns the named instances, all where none is named.
func benchInstances(names []string) ([]*bench.Instance, error) {
	all := bench.Instances()
	known := text.Each(all, func(in *bench.Instance) string { return in.Name })
	for _, name := range names {
		if !slices.Contains(known, name) {
			return nil, usagef("unknown instance %q%s", name, suggest(name, known, "revopt bench list"))
		}
	}
	wanted := func(in *bench.Instance) bool { return len(names) == 0 || slices.Contains(names, in.Name) }
	return text.Where(all, wanted), nil
}

func (p *program) openInstance(c *cli.Context, name string) (*bench.Instance, error) {
	list, err := benchInstances([]string{name})
	if err != nil {
		return nil, err
	}
	in := list[0]
	err = in.Open(c.Context, p.specs, c.String("traces"))
	return in, traceUsage(err)
}

func (p *program) benchList(c *cli.Context) error {
	if err := exactly(c); err != nil {
		return err
	}
	list := scores.BenchList{Bests: bench.Known()}
	return p.deliver(c, list.Bests, list.Table, nil)
}

// traceUsage makes a trace that is missing, or another one, an error of use.
func traceUsage(err error) error {
	var trace *bench.TraceError
	if errors.As(err, &trace) {
		return usagef("%s", err)
	}
	return err
}

func (p *program) benchJobs(c *cli.Context) error {
	if err := exactly(c, "NAME"); err != nil {
		return err
	}
	in, err := p.openInstance(c, c.Args().First())
	if err != nil {
		return err
	}
	write := func(w io.Writer) error {
		return wording.WriteCSV(w, p.provenance(in.Name, nil), func(add func(cells ...any)) {
			for _, row := range in.Table() {
				add(row)
			}
		})
	}
	if c.IsSet("out") {
		return flagFile(c, "out", write)()
	}
	return write(p.stdout)
}

// benchRun scores policies, or proves bounds again.
func (p *program) benchRun(c *cli.Context) error {
	instances, err := benchInstances(c.Args().Slice())
	if err != nil {
		return err
	}
	run := &bench.Run{Instances: instances, Specs: p.specs, Traces: c.String("traces")}
	run.Prove = c.Command.Name != "run"
	given, all := study.WithoutAll(c.StringSlice("policy")...)
	run.All = all
	if !run.Prove && len(given) == 0 && !run.All {
		return usagef("bench run: expected --policy LIST")
	}
	if len(given) > 0 {
		run.Policies, err = study.ParsePolicies(p.specs, given...)
		if err != nil {
			return err
		}
	}
	result, err := ran(p, c, &run.Runner, run.Run)
	if result == nil {
		return traceUsage(err)
	}
	result.Command = commandLine(p.args)
	var short []string
	for _, s := range result.Instances {
		if s.Why == bench.Differs {
			short = append(short, s.Name+" "+s.Policy+" differs from what is stored")
		}
	}
	rows := flagFile(c, "out", func(w io.Writer) error { return wording.JSON(w, result) })
	schedules := func() error { return p.writeSchedules(c, run, result) }
	return p.finish(c, scores.Bench{Result: result}, target{}, result.Samples, err, short, rows, schedules)
}

// writeSchedules writes the schedules of a result to the directory of --schedule.
func (p *program) writeSchedules(c *cli.Context, run *bench.Run, result *bench.Result) error {
	dir := c.String("schedule")
	if dir == "" {
		return nil
	}
	folders := map[string]string{} // by label
	return run.Schedules(c.Context, result, func(s bench.Score, list []bench.Piece) error {
		folder, known := folders[s.Policy]
		if !known && (run.All || len(run.Policies) > 1) {
			folder = folderName(s.Policy)
			for taken := slices.Collect(maps.Values(folders)); slices.Contains(taken, folder); {
				folder += "-2"
			}
		}
		folders[s.Policy] = folder
		if err := os.MkdirAll(filepath.Join(dir, folder), 0o777); err != nil {
			return err
		}
		extra := plots.Pair{Key: "policy", Value: s.Policy}
		return safefile.Write(filepath.Join(dir, folder, s.Name+".csv"), func(w io.Writer) error {
			return wording.WriteCSV(w, p.provenance(s.Name, nil, extra), func(add func(cells ...any)) {
				add("job", "start", "end")
				for _, x := range list {
					add(x.Job, x.Start, x.End)
				}
			})
		})
	})
}

// folderName returns a label as the name of a folder.
func folderName(label string) string {
	name := strings.Map(func(r rune) rune {
		if strings.ContainsRune("+$=.,:-_", r) || unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return '_'
	}, label)
	return strings.TrimLeft(name[:min(len(name), 100)], ".-")
}

func (p *program) benchCheck(c *cli.Context) error {
	if err := exactly(c, "SCHEDULE.csv"); err != nil {
		return err
	}
	file := c.Args().First()
	in, err := p.openInstance(c, cmp.Or(c.String("instance"), strings.TrimSuffix(filepath.Base(file), ".csv")))
	if err != nil {
		return err
	}
	result, err := loaded(c.Context, file, in.Check)
	if err != nil {
		return err
	}
	words := scores.BenchChecked(result)
	err = p.deliver(c, result, func(w io.Writer) { io.WriteString(w, words) }, nil)
	if !result.Valid {
		err = errors.Join(err, &shortError{text.OneLine(file) + ": not a valid schedule of " + in.Name})
	}
	return err
}

func (p *program) benchTable(c *cli.Context) error {
	var list []bench.Score
	for _, file := range c.Args().Slice() {
		more, err := loaded(c.Context, file, bench.ReadScores)
		if err != nil {
			return err
		}
		list = append(list, more...)
	}
	facts, err := bench.NewStandings(list, c.String("against"))
	if err != nil {
		return usagef("%s", err)
	}
	t, short := scores.BenchTable{Standings: facts}, scores.BenchTable{Standings: facts, Short: true}
	document := func() error {
		path := c.String("out")
		if path == "" {
			return nil
		}
		data, _ := os.ReadFile(path)
		before, rest, marked := strings.Cut(string(data), "<!-- bench -->")
		_, after, ended := strings.Cut(rest, "<!-- end -->")
		if !marked || !ended {
			return usagef("--out: expected a document with <!-- bench --> and <!-- end -->")
		}
		return writeFile(path, []byte(before+"<!-- bench -->\n"+short.Markdown()+"<!-- end -->"+after))
	}
	markdown := func(w io.Writer) {
		text.KeepLines(w)
		io.WriteString(w, t.Markdown())
	}
	return p.deliver(c, facts, markdown, nil, flagFile(c, "html", report.BenchPage{BenchTable: t}.Page), document)
}
