package cli

import (
	"cmp"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"revopt/internal/meter"
	"revopt/internal/text"
	"revopt/simulate/ask"
	"revopt/simulate/bench"
)

func (p *program) benchCommand() *cli.Command {
	traces := stringFlag("traces", "`DIR` directory of the public traces that some instances need")
	return &cli.Command{Name: "bench", Subcommands: []*cli.Command{
		{Name: "list", Action: p.benchList, Flags: append(answerFlags("the families"), quietFlag("progress"))},
		{Name: "jobs", Action: p.benchJobs, Flags: []cli.Flag{traces,
			outFlag("`FILE` write to a file, not to standard output")}},
		{Name: "run", Action: p.benchRun, Flags: append(answerFlags("the scores"), traces, workersFlag("policies"),
			quietFlag("progress"), listFlag("policy", "`LIST` policies by commas, as in simulate; repeatable"), execFlags()[1])},
		{Name: "check", Action: p.benchCheck, Flags: append(answerFlags("the faults"), traces,
			stringFlag("instance", "`NAME` instance (default the name of the file, without .csv or .csv.gz)"))},
	}}
}

// benchInstances returns the named instances and those of the named families, all where none is named.
func benchInstances(names []string) ([]*bench.Instance, error) {
	all := bench.Instances()
	var known []string
	for _, in := range all {
		if in == in.Instances[0] {
			known = append(known, in.Family.Name)
		}
		known = append(known, in.Name)
	}
	for _, name := range names {
		if !slices.Contains(known, name) {
			return nil, usagef("unknown instance %q%s", name, suggest(name, known, "revopt bench list"))
		}
	}
	wanted := func(in *bench.Instance) bool {
		return len(names) == 0 || slices.Contains(names, in.Name) || slices.Contains(names, in.Family.Name)
	}
	return text.Where(all, wanted), nil
}

func (p *program) openInstance(c *cli.Context, name string) (*bench.Instance, error) {
	list, err := benchInstances([]string{name})
	if err != nil {
		return nil, err
	}
	if len(list) > 1 {
		return nil, usagef("%s is a family; expected an instance, such as %s", name, list[0].Name)
	}
	in := list[0]
	err = in.Open(c.Context, p.specs, c.String("traces"))
	return in, traceUsage(err)
}

func (p *program) benchList(c *cli.Context) error {
	if err := exactly(c); err != nil {
		return err
	}
	return p.tell(c, p.sign(ask.BenchList(bench.Families())))
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
		return text.WriteCSV(w, p.provenance(in.Name, nil), func(add func(cells ...any)) {
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

// benchRun scores policies.
func (p *program) benchRun(c *cli.Context) error {
	instances, err := benchInstances(c.Args().Slice())
	if err != nil {
		return err
	}
	given, all := ask.WithoutAll(c.StringSlice("policy")...)
	if len(given) == 0 && !all {
		return usagef("bench run: expected --policy LIST")
	}
	r := &bench.Run{Instances: instances, All: all, Specs: p.specs, Traces: c.String("traces"), Workers: c.Int("workers")}
	if len(given) > 0 {
		r.Policies, err = ask.ParsePolicies(p.specs, given...)
		if err != nil {
			return err
		}
	}
	show := meter.New(p.stderr, c.Bool("quiet"), false)
	r.Progress = show.Show
	list, err := r.Run(c.Context)
	show.Clear()
	if list == nil {
		return traceUsage(err)
	}
	return errors.Join(p.tell(c, p.sign(ask.BenchScores(list))), err)
}

// benchCheck verifies and scores a schedule.
func (p *program) benchCheck(c *cli.Context) error {
	if err := exactly(c, "SCHEDULE.csv"); err != nil {
		return err
	}
	file := c.Args().First()
	name := strings.TrimSuffix(strings.TrimSuffix(filepath.Base(file), ".gz"), ".csv")
	in, err := p.openInstance(c, cmp.Or(c.String("instance"), name))
	if err != nil {
		return err
	}
	result, err := await(c.Context, func() (*bench.Checked, error) { // a pipe may never end
		f, err := os.Open(file)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		return in.Check(f)
	})
	if c.Context.Err() != nil {
		return err
	}
	if err != nil {
		return usagef("%s: %s", text.OneLine(file), text.Cause(err))
	}
	err = p.tell(c, p.sign(ask.BenchCheck(result)))
	if !result.Valid {
		err = errors.Join(err, &shortError{text.OneLine(file) + ": not a valid schedule of " + in.Name})
	}
	return err
}
