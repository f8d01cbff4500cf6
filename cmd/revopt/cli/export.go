package cli

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"revopt/internal/meter"
	"revopt/internal/text"
	"revopt/model/scenario"
	"revopt/simulate/agent"
	"revopt/simulate/analytic"
	"revopt/simulate/ask"
	"revopt/simulate/policy"
	lab "revopt/simulate/run"
	"revopt/simulate/slurm"
	"revopt/simulate/slurm/conf"
	"revopt/simulate/slurm/weight"
	"revopt/simulate/study"
	"revopt/simulate/study/request"
	"revopt/simulate/study/solve"
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
				under(methodGroup, stringFlag("salt",
					"`S` salt of the hash that decides (default: derived from the scenario)")),
				seedFlag("searches and of the jobs to which classes are fitted"), workersFlag("runs of a search"),
			}, append(scenarioFlags(), quietFlag("progress and no warnings"))...),
			Action: p.exportSlurm,
		}, {
			Name:   "steer",
			Flags:  exportSteerFlags(),
			Action: p.exportSteer,
		}},
	}
}

func (p *program) exportSlurm(c *cli.Context) error {
	o := slurm.Options{
		By: c.String("by"), Nodes: c.String("units") == "nodes", DryRun: c.Bool("dry-run"),
		Salt: c.String("salt"), Version: build().Version, Modify: c.Bool("modify-existing"),
		Ordered: c.IsSet("policy"),
		Open:    c.IsSet("policy") && firstSet(c, "control", "admission") == "",
	}
	dir := c.String("out")
	in, err := p.openExported(c)
	if err != nil {
		return err
	}
	site, err := p.siteSettings(c)
	if err != nil {
		return err
	}
	chosen, err := p.exportedPolicy(c, in, site)
	if err != nil {
		return err
	}
	if err := checkExported(c, in, chosen); err != nil {
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
	tuned := chosen
	var settings *slurm.Tuned
	if chosen != nil {
		tuned, err = p.translated(c, in, x, *chosen, site)
		if err != nil {
			return err
		}
		settings, err = slurm.NewTuned(x, in.doc.File(), tuned.Spec, tuned.Settings)
		if err != nil {
			return err
		}
		if changed := settings.Blind(); changed != "" {
			return usagef("--conf: expected slurm.conf of the site, as this export sets %s; that a policy runs on Slurm is "+
				"checked with Slurm's default weights, which are 0", changed)
		}
	}
	if slices.Contains(strings.Split(site[policy.FromFile+"conf"], ","), "Include") {
		x.Warnings = append(x.Warnings, slurm.Warning{Kind: "include", Text: "files that " + c.String("conf") +
			" includes are not read: if they have weights or SchedulerParameters, export with a file that has these lines"})
	}
	show := meter.New(p.stderr, c.Bool("quiet"), false)
	defer show.Clear()
	got, err := lab.Admit(c.Context, in.Subject, admission, tuned, c.Uint64("seed"), c.Int("workers"), show.Show)
	if err != nil {
		return err
	}
	if rule, ok := got.Rule.(agent.Thresholds); ok {
		x.Admit(admissionOrigin(got), rule.Share, rule.Waiting)
	} else if !o.Open {
		x.Admit(admissionOrigin(got), got.Gate.Admit, nil)
	}
	caution, err := cautionOf(c, in, got.Gate)
	if err != nil {
		return err
	}
	if settings != nil {
		caution = strings.TrimSpace(caution + " " + settings.Preempted())
	}
	if caution != "" && !c.Bool("anyway") {
		show.Clear()
		text.Print(p.stdout, caution, 0)
		return cmp.Or(p.flush(), errors.New("export slurm: nothing was written: --anyway does it all the same"))
	}
	overrides := ""
	if c.Bool("anyway") {
		overrides = "--anyway overrides nothing."
		if caution != "" {
			overrides = "--anyway overrides this: " + caution
			x.Cautions = append(x.Cautions, overrides)
		}
	}
	for _, w := range in.Scenario.Warnings {
		if w.Kind == scenario.WarnGuessed {
			x.Cautions = append(x.Cautions, "P"+w.String()[1:]+".")
		}
	}
	files := slurm.AdmissionFiles()
	if tuned != nil {
		e := &settingsExport{program: p, command: c, in: in, export: x, verdict: *chosen, site: site, show: show}
		files, err = e.write(settings, *tuned, admission, got.Gate, dir)
	} else {
		err = x.Write(dir)
	}
	if err != nil {
		return err
	}
	show.Clear()
	if overrides != "" {
		text.Print(p.stdout, overrides, 0)
	}
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

// cautionOf checks an admission by formula as solve does, and says that it is not to be installed if it does not stand;
// "" for another one.
func cautionOf(c *cli.Context, in *input, a lab.Gate) (string, error) {
	o := solve.Options{Version: build().Version}
	if a.Name == scenario.AdmitThreshold && !a.Searched {
		o.Control = analytic.ControlThreshold
	} else if a.Name != scenario.AdmitAnalytic {
		return "", nil
	}
	checker := solve.Checker{Subject: in.Subject, Seed: c.Uint64("seed"), Workers: c.Int("workers")}
	answer, _, err := checker.Solve(c.Context, o)
	if err != nil {
		return "", err
	}
	if advice := ask.Advice(answer); advice.Code == "DO_NOT_USE" {
		return advice.String() + " Export with --admission all, which admits all jobs.", nil
	}
	return "", nil
}

// openExported opens the scenario to export, and rejects flags that do not go together or not with it.
func (p *program) openExported(c *cli.Context) (*input, error) {
	switch {
	case c.IsSet("control") && c.IsSet("admission"):
		return nil, usagef("--control and --admission: expected one of them")
	case c.IsSet("salt") && c.String("salt") == "":
		return nil, usagef("--salt: expected some characters, got none")
	}
	in, err := p.open(c)
	if err != nil {
		return nil, err
	}
	guessed := func(w scenario.Warning) bool { return w.Kind == scenario.WarnGuess }
	dir := c.String("out")
	info, err := os.Stat(dir)
	switch {
	case dir == "":
		return nil, usagef("export slurm: expected -o DIR")
	case err == nil && !info.IsDir():
		return nil, usagef("--out: expected a directory, and %s is a file", dir)
	case in.Trace != nil && c.IsSet("by"):
		return nil, usagef("--by: expected none with a trace: the customers of %s say which jobs are theirs", in.doc.File())
	case slices.ContainsFunc(in.Scenario.Warnings, guessed):
		return nil, usagef("export slurm: expected a scenario with your prices, %s is a trace: see revopt init --help",
			in.doc.File())
	}
	return in, nil
}

// checkExported rejects a directory in which the export would overwrite one of its inputs, or a file of no export.
func checkExported(c *cli.Context, in *input, chosen *subject.Policy) error {
	dir, files := c.String("out"), slurm.ExportFiles()
	inputs := append(in.Scenario.Files(), c.Args().First(), c.String("conf"), c.String("qos"), c.String("assoc"))
	if chosen != nil {
		files = append(append(files, slurm.TunedFiles()...), "former.txt")
		for _, option := range slurm.SettingFiles() {
			inputs = append(inputs, chosen.Settings[option])
		}
	}
	if err := checkInside("export slurm", dir, files, inputs...); err != nil {
		return err
	}
	if other := slurm.Foreign(dir, files); other != "" {
		return usagef("export slurm: %s is of no export and would be overwritten: expected another directory", other)
	}
	return nil
}

// siteSettings returns the settings of the files of the site, nil if none is given.
func (p *program) siteSettings(c *cli.Context) (policy.Settings, error) {
	files := map[string]string{}
	for _, option := range slurm.SettingFiles() {
		if c.String(option) != "" {
			files[option] = c.String(option)
		}
	}
	if len(files) == 0 {
		return nil, nil
	}
	spec, err := policy.Lookup(subject.Standard(), "slurm")
	if err != nil {
		return nil, err
	}
	return slurm.ReadSettings(spec, files)
}

// exportedPolicy returns the policy to export, slurm with rounded settings; nil without --policy.
func (p *program) exportedPolicy(c *cli.Context, in *input, site policy.Settings) (*subject.Policy, error) {
	if !c.IsSet("policy") {
		return nil, nil
	}
	list, err := study.ParsePolicies(p.specs, c.StringSlice("policy")...)
	if err != nil {
		return nil, err
	}
	chosen := list[0]
	switch where := chosen.Spec.RunsOn(chosen.Settings); {
	case len(list) > 1:
		return nil, usagef("--policy: expected one policy, got %s", strings.Join(c.StringSlice("policy"), ","))
	case where != policy.Slurm:
		return nil, usagef("--policy: expected a policy that Slurm runs by its settings, such as hol:backfill=true, easy or "+
			"slurm; %s runs on: %s", chosen.Label(), where)
	case chosen.Spec.Name != "slurm":
		return &chosen, nil
	}
	for _, option := range slurm.SettingFiles() {
		if c.String(option) != "" && chosen.Settings[option] != "" {
			return nil, usagef("--%s: expected none, %s states it", option, chosen.Label())
		}
	}
	if chosen.Label() == "slurm" {
		chosen, err = ask.SlurmPolicy(in.Subject)
		if err != nil {
			return nil, err
		}
	}
	chosen.Settings = weight.Rounded(chosen.Settings)
	if site == nil {
		return &chosen, nil
	}
	settings, byDefault := maps.Clone(site), subject.PolicyOf(chosen.Spec).Settings
	for name, value := range chosen.Settings {
		if value != byDefault[name] {
			settings[name] = value
		}
	}
	chosen, err = subject.NewPolicy(p.specs, "slurm", settings)
	return &chosen, err
}

// translated returns the policy slurm with the settings that make the schedule of another policy.
func (p *program) translated(
	c *cli.Context, in *input, x *slurm.Export, chosen subject.Policy, site policy.Settings,
) (*subject.Policy, error) {
	settings := chosen.Settings
	var err error
	switch {
	case chosen.Spec.Name != "slurm":
		settings, err = x.Translated(chosen.Spec.Name, chosen.Settings, site)
	case settings.Limit() != nil:
		settings, err = weight.First(settings, weight.Overdue)
	}
	if err != nil {
		option := "conf"
		if way := (*weight.Obstacle)(nil); errors.As(err, &way) {
			option = way.File
		}
		return nil, &scenario.Error{File: cmp.Or(c.String(option), in.doc.File()), Message: err.Error()}
	}
	for _, option := range slurm.SettingFiles() {
		if file := c.String(option); file != "" && settings[option] == "" {
			settings[option] = file
		}
	}
	made, err := subject.NewPolicy(p.specs, "slurm", settings)
	return &made, err
}

// settingsExport is an export of settings.
type settingsExport struct {
	*program
	command *cli.Context
	in      *input
	export  *slurm.Export
	verdict subject.Policy // whose schedule the settings make
	site    policy.Settings
	show    *meter.Meter
}

// write simulates the policy as it is, the one to export, and slurm as it reads the files of the export. It writes
// these with what they change, and returns their names.
func (e *settingsExport) write(
	t *slurm.Tuned, after subject.Policy, admission, found lab.Gate, dir string,
) (names []string, err error) {
	t.Label = e.verdict.Label()
	t.Unit = e.in.Unit()
	if e.export.Options.Nodes {
		t.Unit = "node"
	}
	for _, option := range []string{e.command.String("conf"), after.Settings["conf"]} {
		if option != "" && t.Now == nil {
			t.Now, err = conf.List(option, "SchedulerParameters")
			if err != nil {
				return nil, err
			}
			t.Flags, err = conf.List(option, "PriorityFlags")
			if err != nil {
				return nil, err
			}
		}
	}
	files, err := os.MkdirTemp("", "revopt-export-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(files)
	read, err := e.readBack(t, after, files)
	if err != nil {
		return nil, err
	}
	before, err := policyInPlace(e.in, after, e.verdict)
	if err != nil {
		return nil, err
	}
	asked := ask.Export{Now: before, Policy: e.verdict, Written: read, Found: found}
	if !e.export.Options.Open {
		asked.Admission = &admission
	}
	bench, err := e.bench()
	if err != nil {
		return nil, err
	}
	effects, err := asked.Ask(e.command.Context, bench)
	if err != nil {
		return nil, err
	}
	t.Effects, t.Gain, t.Who = changes(effects), gains(effects), whoPays(effects)
	t.Check = fidelity(effects, e.verdict.Label())
	if math.Abs(effects.Off()) > unfaithful {
		if err := e.inTheWay(bench, asked, t.Check); err != nil {
			return nil, err
		}
		e.export.Warnings = append(e.export.Warnings, slurm.Warning{Kind: "files", Text: t.Check})
	}
	if passed := t.Passed(); passed != "" {
		e.export.Warnings = append(e.export.Warnings, slurm.Warning{Kind: "passed", Text: "jobs of QOS that come before the default " +
			"QOS today come after others then, by these priorities: " + passed})
	}
	if limit := weight.Limit(e.site); limit != "" {
		e.export.Warnings = append(e.export.Warnings, slurm.Warning{Kind: "limits", Text: "not every simulated job obeys the limits " +
			"of the site, such as " + limit + ": Slurm may deliver less than is simulated"})
	}
	if stay := t.Stay(); stay != nil {
		e.export.Warnings = append(e.export.Warnings, slurm.Warning{Kind: "exists", Text: "QOS " + strings.Join(stay, ", ") +
			" exist: without --modify-existing they stay as they are, and Slurm does not make this schedule"})
	}
	t.Command, _ = e.origin(e.command)
	return t.Write(dir)
}

// bench returns the lab of an export.
func (e *settingsExport) bench() (*lab.Lab, error) {
	return lab.NewLab(e.command.Context, e.in.doc, lab.Options{Seed: e.command.Uint64("seed"), Named: e.specs,
		Opener: &e.in.opener, Workers: e.command.Int("workers"),
		Progress: func(done, total int) { e.show.Show("simulating", done, total) }})
}

// unfaithful is how far the value of an export may be from that of its policy, as a share.
const unfaithful = 0.02

// inTheWay returns an error if weights of the site are why the files of an export deliver another value than their policy:
// if they deliver the same without these weights.
func (e *settingsExport) inTheWay(bench *lab.Lab, asked ask.Export, words string) error {
	list := weight.Besides(e.site)
	if len(list) == 0 || e.verdict.Spec.Name == "slurm" {
		return nil
	}
	settings := maps.Clone(asked.Written.Settings)
	for _, w := range list {
		name, _, _ := strings.Cut(w, "=")
		settings[name] = "0"
	}
	without, err := subject.NewPolicy(e.specs, "slurm", settings)
	if err != nil {
		return err
	}
	asked.Now, asked.Written = asked.Policy, without
	again, err := asked.Ask(e.command.Context, bench)
	if err != nil {
		return err
	}
	if math.Abs(again.Off()) > unfaithful {
		return nil
	}
	return &scenario.Error{File: e.command.String("conf"), Message: fmt.Sprintf("%s is in the way: it orders the jobs of a customer, "+
		"and %s, expected at most 2 %% off", list[0], words)}
}

// readBack returns the policy slurm as it reads the files of an export, which it writes to a directory.
func (e *settingsExport) readBack(t *slurm.Tuned, after subject.Policy, dir string) (subject.Policy, error) {
	if err := t.WriteSimulated(dir); err != nil {
		return subject.Policy{}, err
	}
	options, err := slurm.ReadSettings(after.Spec, t.Simulated(dir))
	if err != nil {
		return subject.Policy{}, err
	}
	maps.Copy(options, slurm.BesideFiles(after.Settings))
	for name, value := range after.Settings { // files do not have these
		if strings.HasPrefix(name, "nice.") || strings.HasPrefix(strings.TrimPrefix(name, policy.FromFile), "partition.") {
			options[name] = value
		}
	}
	maps.Copy(options, t.Simulated(dir))
	return subject.NewPolicy(e.specs, "slurm", options)
}

// policyInPlace returns the policy that settings are to replace: slurm as its files state it,
// else the first of the scenario, unless that is the new one.
func policyInPlace(in *input, after, verdict subject.Policy) (subject.Policy, error) {
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
	case listed[0].Label() == verdict.Label():
		return subject.NewPolicy(nil, "easy", nil)
	}
	return listed[0], nil
}

// exportedAdmission returns the admission to export: all, if only settings are exported.
func exportedAdmission(c *cli.Context, in *input, open bool) (lab.Gate, error) {
	a := lab.Gate{Name: scenario.AdmitAnalytic}
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
		case analytic.ControlState, scenario.AdmitPrices:
			return a, &scenario.Error{File: in.doc.File(), Message: "admission " + a.Name +
				" cannot be exported to Slurm: expected probabilities or limits on waiting jobs"}
		}
	}
	return a, nil
}
