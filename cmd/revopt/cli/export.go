package cli

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/urfave/cli/v2"

	"revopt/internal/meter"
	"revopt/internal/text"
	"revopt/model/scenario"
	"revopt/simulate/ask"
	"revopt/simulate/slurm"
)

func (p *program) exportCommand() *cli.Command {
	return &cli.Command{
		Name: "export",
		Subcommands: []*cli.Command{{
			Name: "slurm",
			Flags: append([]cli.Flag{
				outFlag("`DIR` directory for the files; created if it does not exist"),
				stringFlag("admission", "`A` analytic (default), simulated, all or numbers; "+
					"with --policy all is the default"),
				listFlag("policy", "`P` write the settings under which Slurm makes the schedule of a policy: hol, fcfs, easy, or "+
					"slurm with settings as in slurm:PriorityWeightQOS=1000 (slurm alone: those of the scenario)"),
				stringFlag("conf", "`FILE` slurm.conf of the site, whose weights the exported ones must outweigh"),
				stringFlag("qos", "`FILE` output of sacctmgr show qos -P, whose priorities the exported ones must exceed"),
				stringFlag("assoc", "`FILE` output of sacctmgr show assoc -P, with the accounts and users whose priorities order jobs"),
				boolFlag("modify-existing", "let qos.sh change QOS, accounts and users that exist, too"),
				choiceFlag("by", "account", "`WHAT` class names are names of: account, partition or qos",
					"account", "partition", "qos"),
				choiceFlag("units", "cores", "`UNIT` unit of a job's width: cores, or whole nodes", "cores", "nodes"),
				under(methodGroup, boolFlag("anyway", "write the files although their harm is known, as of an admission that solve advises against")),
				boolFlag("dry-run", "write a script that only logs the jobs that it would refuse"),
				seedFlag("searches and of the jobs to which classes are fitted"), workersFlag("runs of a search"),
			}, append(scenarioFlags(), quietFlag("progress and no warnings"))...),
			Action: p.exportSlurm,
		}},
	}
}

func (p *program) exportSlurm(c *cli.Context) error {
	in, err := p.open(c)
	if err != nil {
		return err
	}
	if err := checkExport(c, in); err != nil {
		return err
	}
	show := meter.New(p.stderr, c.Bool("quiet"), false)
	defer show.Clear()
	in.Policies, in.Line, in.Version = c.StringSlice("policy"), commandLine(p.args), build().Version
	x := &ask.Export{
		Question: in, Admission: c.String("admission"), Files: siteFiles(c), Anyway: c.Bool("anyway"),
		Slurm: slurm.Options{By: c.String("by"), Nodes: c.String("units") == "nodes", DryRun: c.Bool("dry-run"),
			Version: build().Version, Modify: c.Bool("modify-existing")},
		Progress: func(done, total int) { show.Show("simulating", done, total) },
	}
	dir := c.String("out")
	inputs, err := x.Check()
	if err != nil {
		return err
	}
	if err := checkInside("export slurm", dir, slurm.ExportFiles(), append(inputs, c.Args().First())...); err != nil {
		return err
	}
	if other := slurm.Foreign(dir); other != "" {
		return usagef("export slurm: %s is of no export and would be overwritten: expected another directory", other)
	}
	done, err := x.Write(c.Context, dir)
	show.Clear()
	if refused := (*ask.CautionError)(nil); errors.As(err, &refused) {
		text.Print(p.stdout, refused.Caution, 0)
		return cmp.Or(p.flush(), fmt.Errorf("export slurm: %w", err))
	}
	if err != nil {
		return err
	}
	if done.Overrides != "" {
		text.Print(p.stdout, done.Overrides, 0)
	}
	for _, name := range done.Files {
		fmt.Fprintln(p.stdout, text.OneLine(filepath.Join(dir, name)))
	}
	if err := p.flush(); err != nil || c.Bool("quiet") {
		return err
	}
	for _, w := range done.Warnings {
		fmt.Fprintf(p.stderr, "revopt: warning: %s\n", text.OneLine(w.Text))
	}
	return nil
}

// checkExport refuses what does not go with an export to Slurm.
func checkExport(c *cli.Context, in *ask.Question) error {
	dir := c.String("out")
	info, err := os.Stat(dir)
	guessed := func(w scenario.Warning) bool { return w.Kind == scenario.WarnGuess }
	switch {
	case dir == "":
		return usagef("export slurm: expected -o DIR")
	case err == nil && !info.IsDir():
		return usagef("--out: expected a directory, and %s is a file", dir)
	case in.Subject.Trace != nil && c.IsSet("by"):
		return usagef("--by: expected none with a trace: the customers of %s say which jobs are theirs", in.Document.File())
	case slices.ContainsFunc(in.Subject.Scenario.Warnings, guessed):
		return usagef("export slurm: expected a scenario with your prices, %s is a trace: see revopt init --help",
			in.Document.File())
	}
	return nil
}
