package cli

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"revopt/internal/text"
	"revopt/model/scenario"
	"revopt/plots/report"
	"revopt/simulate/agent"
	"revopt/simulate/analytic"
	"revopt/simulate/experiment"
	"revopt/simulate/plan"
	"revopt/simulate/policy"
	"revopt/simulate/slurm"
	"revopt/simulate/study"
	"revopt/simulate/study/request"
	"revopt/simulate/study/simulation"
	"revopt/simulate/study/tune"
	"revopt/simulate/subject"
)

func (p *program) exportCommand() *cli.Command {
	return &cli.Command{
		Name: "export",
		Subcommands: []*cli.Command{{
			Name: "slurm",
			Flags: append([]cli.Flag{
				outFlag("`DIR` directory for the files; created if it does not exist"),
				choiceFlag("control", "static", "`KIND` static (probabilities) or threshold (how many wait)",
					"static", analytic.ControlThreshold),
				stringFlag("admission", "`A` analytic (default), simulated, promise, threshold, all or numbers; "+
					"with --policy all is the default"),
				listFlag("policy", "`P` write the settings of policy slurm, those given as in "+
					"slurm:PriorityWeightQOS=1000 or, for slurm alone, those of the scenario"),
				boolFlag("modify-existing", "let qos.sh change QOS that exist, too"),
				choiceFlag("by", "account", "`WHAT` class names are names of: account, partition or qos",
					"account", "partition", "qos"),
				choiceFlag("units", "cores", "`UNIT` unit of a job's width: cores, or whole nodes", "cores", "nodes"),
				boolFlag("dry-run", "write a script that only logs the jobs that it would refuse"),
				stringFlag("salt", "`S` salt of the hash that decides (default: derived from the scenario)"),
				seedFlag("searches and of the jobs to which classes are fitted"), workersFlag("runs of a search"),
			}, append(scenarioFlags(), quietFlag("progress and no warnings"))...),
			Action: p.exportSlurm,
		}},
	}
}

func (p *program) exportSlurm(c *cli.Context) error {
	o := slurm.Options{
		By: c.String("by"), Nodes: c.String("units") == "nodes", DryRun: c.Bool("dry-run"),
		Salt: c.String("salt"), Version: build().Version,
		Open: c.IsSet("policy") && firstSet(c, "control", "admission") == "",
	}
	dir := c.String("out")
	switch {
	case c.IsSet("control") && c.IsSet("admission"):
		return usagef("--control and --admission: expected one of them")
	case c.IsSet("salt") && o.Salt == "":
		return usagef("--salt: expected some characters, got none")
	}
	in, err := p.open(c)
	if err != nil {
		return err
	}
	guessed := func(w scenario.Warning) bool { return w.Kind == scenario.WarnGuess }
	info, err := os.Stat(dir)
	switch {
	case dir == "":
		return usagef("export slurm: expected -o DIR")
	case err == nil && !info.IsDir():
		return usagef("--out: expected a directory, and %s is a file", dir)
	case in.Trace != nil && c.IsSet("by"):
		return usagef("--by: expected none with a trace: the customers of %s say which jobs are theirs", in.doc.File())
	case slices.ContainsFunc(in.Scenario.Warnings, guessed):
		return usagef("export slurm: expected a scenario with your prices, %s is a trace: see revopt init --help",
			in.doc.File())
	}
	files, inputs := slurm.ExportFiles(), append(in.Scenario.Files(), c.Args().First())
	tuned, err := p.exportedPolicy(c, in)
	if err != nil {
		return err
	}
	if tuned != nil {
		files = append(files, "priorities.conf")
		for _, option := range slurm.SettingFiles() {
			inputs = append(inputs, tuned.Settings[option])
		}
	}
	if err := checkInside("export slurm", dir, files, inputs...); err != nil {
		return err
	}
	admission, err := exportedAdmission(c, in, o.Open)
	if err != nil {
		return err
	}
	x, err := slurm.NewExport(in.Document, in.Scenario, in.Workload, o)
	if err != nil {
		return err
	}
	show := newMeter(p.stderr, c.Bool("quiet"), false)
	defer show.clear()
	got, err := experiment.Admit(c.Context, in.Subject, admission, tuned, c.Uint64("seed"), c.Int("workers"), show.show)
	if err != nil {
		return err
	}
	if rule, ok := got.Rule.(agent.Thresholds); ok {
		x.Admit(report.Origin(got), rule.Share, rule.Waiting)
	} else if !o.Open {
		x.Admit(report.Origin(got), got.Admission.Admit, nil)
	}
	if tuned != nil {
		files, err = p.writeTuned(c, in, x, *tuned, got.Admission, dir, show)
		if err != nil {
			return err
		}
	} else {
		if err := x.Write(dir); err != nil {
			return err
		}
	}
	show.clear()
	for _, name := range files {
		fmt.Fprintln(p.stdout, text.OneLine(filepath.Join(dir, name)))
	}
	if err := p.flush(); err != nil || c.Bool("quiet") {
		return err
	}
	for _, w := range x.Warnings {
		fmt.Fprintf(p.stderr, "revopt: warning: %s\n", text.OneLine(w.Text))
	}
	return nil
}

// exportedPolicy returns the policy slurm with rounded settings; nil without --policy.
func (p *program) exportedPolicy(c *cli.Context, in *input) (*subject.Policy, error) {
	if !c.IsSet("policy") {
		if c.Bool("modify-existing") {
			return nil, usagef("--modify-existing: expected --policy slurm beside it")
		}
		return nil, nil
	}
	list, err := study.ParsePolicies(p.specs, c.StringSlice("policy")...)
	if err != nil {
		return nil, err
	}
	chosen := list[0]
	if len(list) > 1 || chosen.Spec.Name != "slurm" {
		return nil, usagef("--policy: expected one policy slurm, got %s", strings.Join(c.StringSlice("policy"), ","))
	}
	if chosen.Label() == "slurm" {
		chosen, err = tune.SlurmPolicy(in.Subject)
		if err != nil {
			return nil, err
		}
	}
	chosen.Settings = slurm.Rounded(chosen.Settings)
	return &chosen, nil
}

// writeTuned simulates the policy as it is and with the settings to export, writes these and
// says what they change. It returns the names of the files.
func (p *program) writeTuned(
	c *cli.Context, in *input, x *slurm.Export, after subject.Policy, a experiment.Admission, dir string, show *meter,
) ([]string, error) {
	t, err := slurm.NewTuned(x, in.doc.File(), after.Spec, after.Settings)
	if err != nil {
		return nil, err
	}
	before, err := policyInPlace(in, after)
	if err != nil {
		return nil, err
	}
	s := &simulation.Simulation{
		Subject: in.Subject, Policies: []subject.Policy{before, after}, Seed: c.Uint64("seed"),
		Runner: &plan.Runner{Workers: c.Int("workers"), Progress: show.show},
	}
	if !x.Options.Open {
		s.Admissions = []experiment.Admission{{Name: scenario.AdmitAll}, a}
	}
	result, err := s.Run(c.Context)
	if err != nil {
		return nil, err
	}
	t.Unit, t.Modify = in.Unit(), c.Bool("modify-existing")
	if x.Options.Nodes {
		t.Unit = "node"
	}
	t.Effects, t.Gain = report.Affected(result)
	t.Command, _ = p.origin(c)
	return t.Write(dir)
}

// policyInPlace returns the policy that settings are to replace: slurm as its files state it,
// else the first of the scenario, unless that is the new one.
func policyInPlace(in *input, after subject.Policy) (subject.Policy, error) {
	stated := maps.Clone(after.Settings)
	maps.DeleteFunc(stated, func(name, value string) bool {
		return value == "" || !strings.HasPrefix(name, policy.FromFile) && !slices.Contains(slurm.SettingFiles(), name)
	})
	listed, err := in.Policies()
	if err != nil {
		return subject.Policy{}, err
	}
	switch {
	case len(stated) > 0:
		return subject.NewPolicy(nil, "slurm", stated)
	case listed[0].Label() == after.Label():
		return subject.NewPolicy(nil, "easy", nil)
	}
	return listed[0], nil
}

// exportedAdmission returns the admission to export: all, if only settings are exported.
func exportedAdmission(c *cli.Context, in *input, open bool) (experiment.Admission, error) {
	a := experiment.Admission{Name: scenario.AdmitAnalytic}
	switch {
	case open:
		a.Name = scenario.AdmitAll
	case c.String("control") == analytic.ControlThreshold:
		a.Name = analytic.ControlThreshold
	case c.IsSet("admission"):
		given, err := request.OneAdmission(in.Subject, c.String("admission"))
		if err != nil {
			return a, err
		}
		a = given
	}
	if a.Name == scenario.AdmitAll {
		a.Admit = slices.Repeat([]float64{1}, len(in.Names()))
	}
	if a.Admit == nil {
		if a.Name == analytic.ControlThreshold && in.Scenario.Pools != nil {
			return a, &scenario.Error{File: in.doc.File(),
				Message: "limits on waiting jobs cannot be exported to Slurm" +
					" with pools: the script counts the jobs that wait for all of them"}
		}
		switch a.Name {
		case analytic.ControlState, scenario.AdmitPrices, scenario.AdmitPricesSimulated:
			return a, &scenario.Error{File: in.doc.File(), Message: "admission " + a.Name +
				" cannot be exported to Slurm: expected probabilities or limits on waiting jobs"}
		}
	}
	return a, nil
}
