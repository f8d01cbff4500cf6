package ask

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"slices"
	"strings"

	"revopt/internal/text"
	"revopt/model/scenario"
	"revopt/simulate/policy"
	"revopt/simulate/run"
	"revopt/simulate/slurm"
	"revopt/simulate/slurm/conf"
	"revopt/simulate/slurm/weight"
	"revopt/simulate/subject"
)

// ToSlurm asks for the files with which Slurm admits jobs as an admission says, or makes the schedule of a policy. The
// zero values of what may be given ask for the admission of solve.
type ToSlurm struct {
	Document *scenario.Document
	Subject  *subject.Subject
	Opener   *subject.Opener
	Specs    []policy.Spec
	Options  slurm.Options

	Policies  []string          // lists; the settings make the schedule of one policy; nil: no settings
	Admission string            // as in a request
	Files     map[string]string // of the site, by their options: conf, qos, assoc
	Anyway    bool              // writes the files although their harm is known
	Seed      uint64
	Workers   int
	Line      string // the command
	Progress  func(what string, done, total int)

	site   policy.Settings // of the files of the site, nil without any
	chosen *subject.Policy // whose schedule the settings make, nil without settings
	export *slurm.Export
}

// CautionError is an export that is not written, as its harm is known.
type CautionError struct{ Caution string }

func (e *CautionError) Error() string { return "nothing was written: --anyway does it all the same" }

// Prepare checks what is asked for, before anything is computed. The files that Write would write must not replace its
// inputs; Prepare returns both.
func (x *ToSlurm) Prepare() (files, inputs []string, err error) {
	x.Options.Ordered = x.Policies != nil
	x.Options.Open = x.Policies != nil && x.Admission == ""
	if err := x.readSite(); err != nil {
		return nil, nil, err
	}
	if x.Policies != nil {
		chosen, err := x.policy()
		if err != nil {
			return nil, nil, err
		}
		x.chosen = &chosen
	}
	files, inputs = slurm.ExportFiles(), x.Subject.Scenario.Files()
	for _, option := range slurm.SettingFiles() {
		inputs = append(inputs, x.Files[option])
	}
	if x.chosen != nil {
		files = append(append(files, slurm.TunedFiles()...), "former.txt")
		for _, option := range slurm.SettingFiles() {
			inputs = append(inputs, x.chosen.Settings[option])
		}
	}
	return files, inputs, nil
}

// readSite reads the settings of the files of the site.
func (x *ToSlurm) readSite() error {
	if len(x.Files) == 0 {
		return nil
	}
	spec, err := policy.Lookup(subject.Standard(), slurmName)
	if err != nil {
		return err
	}
	x.site, err = slurm.ReadSettings(spec, x.Files)
	return err
}

// policy returns the policy to export, slurm with rounded settings.
func (x *ToSlurm) policy() (subject.Policy, error) {
	list, err := ParsePolicies(x.Specs, x.Policies...)
	if err != nil {
		return subject.Policy{}, err
	}
	chosen := list[0]
	switch where := chosen.Spec.RunsOn(chosen.Settings); {
	case len(list) > 1:
		return chosen, Usagef("--policy: expected one policy, got %s", strings.Join(x.Policies, ","))
	case where != policy.Slurm:
		return chosen, Usagef("--policy: expected a policy that Slurm runs by its settings, such as "+
			"hol:backfill=true, easy or slurm; %s runs on: %s", chosen.Label(), where)
	case chosen.Spec.Name != slurmName:
		return chosen, nil
	}
	for _, option := range slurm.SettingFiles() {
		if x.Files[option] != "" && chosen.Settings[option] != "" {
			return chosen, Usagef("--%s: expected none, %s states it", option, chosen.Label())
		}
	}
	if chosen.Label() == slurmName {
		chosen, err = SlurmPolicy(x.Subject)
		if err != nil {
			return chosen, err
		}
	}
	chosen.Settings = weight.Rounded(chosen.Settings)
	if x.site == nil {
		return chosen, nil
	}
	settings, byDefault := maps.Clone(x.site), subject.PolicyOf(chosen.Spec).Settings
	for name, value := range chosen.Settings {
		if value != byDefault[name] {
			settings[name] = value
		}
	}
	return subject.NewPolicy(x.Specs, slurmName, settings)
}

// Exported is what an export has written.
type Exported struct {
	Files     []string
	Overrides string // what Anyway overrides, "" without it
	Warnings  []slurm.Warning
}

// Write writes the files to a directory, after Prepare. A *CautionError says why it does not.
func (x *ToSlurm) Write(ctx context.Context, dir string) (Exported, error) {
	admission, err := x.admission()
	if err != nil {
		return Exported{}, err
	}
	x.export, err = slurm.NewExport(x.Document, x.Subject.Scenario, x.Subject.Workload, x.Options)
	if err != nil {
		return Exported{}, err
	}
	settings, tuned, err := x.settings()
	if err != nil {
		return Exported{}, err
	}
	x.warnIf(slices.Contains(strings.Split(x.site[policy.FromFile+"conf"], ","), "Include"), "include",
		"files that "+x.Files["conf"]+" includes are not read: if they have weights or SchedulerParameters, export with "+
			"a file that has these lines")
	lab, err := run.NewLab(ctx, x.Document, run.Options{Seed: x.Seed, Named: x.Specs, Opener: x.Opener, Workers: x.Workers,
		Progress: func(done, total int) { x.Progress("simulating", done, total) }})
	if err != nil {
		return Exported{}, err
	}
	found, err := x.admit(ctx, lab, admission, tuned)
	if err != nil {
		return Exported{}, err
	}
	overrides, err := x.caution(ctx, admission, settings)
	if err != nil {
		return Exported{}, err
	}
	done := Exported{Files: slurm.AdmissionFiles(), Overrides: overrides}
	if settings != nil {
		done.Files, err = x.writeSettings(ctx, lab, settings, *tuned, admission, found, dir)
	} else {
		err = x.export.Write(dir)
	}
	done.Warnings = x.export.Warnings
	return done, err
}

// admit exports an admission, found under a policy, nil being that of the scenario, and returns what was found.
func (x *ToSlurm) admit(ctx context.Context, l *run.Lab, a run.Admission, under *subject.Policy) (run.Gate, error) {
	policies, err := x.Subject.Policies()
	if err != nil {
		return run.Gate{}, err
	}
	p := *cmp.Or(under, &policies[0])
	c := l.Base()
	c.Admission = a
	c.Do, err = l.Policy(p)
	if err != nil {
		return run.Gate{}, err
	}
	e, err := l.Experiment(ctx, c)
	if err != nil {
		return run.Gate{}, err
	}
	models, err := l.Models(ctx, c)
	if err != nil {
		return run.Gate{}, err
	}
	origin := admissionOrigin(a.Name, p, models)
	if !x.Options.Open {
		x.export.Admit(origin, e.Admission.Admit)
	}
	return e.Admission, nil
}

func (x *ToSlurm) warnIf(is bool, kind, words string) {
	if is {
		x.export.Warnings = append(x.export.Warnings, slurm.Warning{Kind: kind, Text: words})
	}
}

// caution returns what Anyway overrides; without it, what speaks against the export is an error.
func (x *ToSlurm) caution(ctx context.Context, a run.Admission, settings *slurm.Tuned) (string, error) {
	words, err := x.unsound(ctx, a)
	if err != nil {
		return "", err
	}
	if settings != nil {
		words += " " + settings.Preempted()
	}
	words = strings.TrimSpace(words)
	overrides := ""
	switch {
	case words != "" && !x.Anyway:
		return "", &CautionError{words}
	case words != "":
		overrides = "--anyway overrides this: " + words
		x.export.Cautions = append(x.export.Cautions, overrides)
	case x.Anyway:
		overrides = "--anyway overrides nothing."
	}
	for _, w := range x.Subject.Scenario.Warnings {
		if w.Kind == scenario.WarnGuessed {
			x.export.Cautions = append(x.export.Cautions, "P"+w.String()[1:]+".")
		}
	}
	return overrides, nil
}

// unsound checks an admission by formula as solve does, and says that it is not to be installed if it does not stand;
// "" for another one.
func (x *ToSlurm) unsound(ctx context.Context, a run.Admission) (string, error) {
	if a.Name != scenario.AdmitAnalytic {
		return "", nil
	}
	advice, err := Advice(ctx, x.Subject, x.Seed, x.Workers)
	if err == nil && advice.Code == "DO_NOT_USE" {
		return advice.String() + " Export it with --admission all, or with probabilities.", nil
	}
	return "", err
}

// admission returns the admission to export: all, if only settings are exported.
func (x *ToSlurm) admission() (run.Admission, error) {
	a := run.Admission{Name: scenario.AdmitAnalytic}
	switch {
	case x.Options.Open:
		a.Name = scenario.AdmitAll
	case x.Admission != "":
		given, err := OneAdmission(x.Subject, x.Admission)
		if err != nil {
			return a, err
		}
		a = given
	}
	if a.Name == scenario.AdmitAll {
		a.Admit = slices.Repeat([]float64{1}, len(x.Subject.Names()))
	}
	if a.Admit == nil && a.Name == scenario.AdmitPrices {
		return a, &scenario.Error{File: x.Document.File(),
			Message: "admission prices cannot be exported to Slurm: expected probabilities"}
	}
	return a, nil
}

// settings returns the settings of the export with the policy slurm that has them, both nil if none are exported.
func (x *ToSlurm) settings() (*slurm.Tuned, *subject.Policy, error) {
	if x.chosen == nil {
		return nil, nil, nil
	}
	tuned, err := x.translated()
	if err != nil {
		return nil, nil, err
	}
	settings, err := slurm.NewTuned(x.export, x.Document.File(), tuned.Spec, tuned.Settings)
	if err != nil {
		return nil, nil, err
	}
	if changed := settings.Blind(); changed != "" {
		return nil, nil, Usagef("--conf: expected slurm.conf of the site, as this export sets %s; that a policy runs "+
			"on Slurm is checked with Slurm's default weights, which are 0", changed)
	}
	return settings, &tuned, nil
}

// translated returns the policy slurm with the settings that make the schedule of the policy.
func (x *ToSlurm) translated() (subject.Policy, error) {
	settings := x.chosen.Settings
	var err error
	switch {
	case x.chosen.Spec.Name != slurmName:
		settings, err = x.export.Translated(x.chosen.Spec.Name, settings, x.site)
	case settings.Limit() != nil:
		settings, err = weight.First(settings, weight.Overdue)
	}
	if err != nil {
		option := "conf"
		if way := (*weight.Obstacle)(nil); errors.As(err, &way) {
			option = way.File
		}
		return subject.Policy{}, &scenario.Error{File: cmp.Or(x.Files[option], x.Document.File()), Message: err.Error()}
	}
	for option, file := range x.Files {
		if settings[option] == "" {
			settings[option] = file
		}
	}
	return subject.NewPolicy(x.Specs, slurmName, settings)
}

// writeSettings simulates the policy as it is, the one to export, and slurm as it reads the files of the export. It
// writes these with what they change, and returns their names.
func (x *ToSlurm) writeSettings(
	ctx context.Context, lab *run.Lab, t *slurm.Tuned, after subject.Policy, admission run.Admission, found run.Gate,
	dir string,
) ([]string, error) {
	t.Label, t.Unit, t.Command = x.chosen.Label(), x.Subject.Unit(), x.Line
	if x.Options.Nodes {
		t.Unit = "node"
	}
	if file := cmp.Or(x.Files["conf"], after.Settings["conf"]); file != "" {
		var err error
		t.Now, err = conf.List(file, "SchedulerParameters")
		if err != nil {
			return nil, err
		}
		t.Flags, err = conf.List(file, "PriorityFlags")
		if err != nil {
			return nil, err
		}
	}
	read, err := x.readBack(t, after)
	if err != nil {
		return nil, err
	}
	before, err := x.inPlace(after)
	if err != nil {
		return nil, err
	}
	asked := Export{Now: before, Policy: *x.chosen, Written: read, Found: found}
	if !x.Options.Open {
		asked.Admission = &admission
	}
	effects, err := asked.Ask(ctx, lab)
	if err != nil {
		return nil, err
	}
	t.Effects, t.Gain, t.Who = wordTable(effects.Customers), effects.gains(), whoPays(effects.Affected)
	t.Check = effects.fidelity(x.chosen.Label())
	if math.Abs(effects.Off()) > unfaithful {
		if err := x.inTheWay(ctx, lab, asked, t.Check); err != nil {
			return nil, err
		}
		x.warnIf(true, "files", t.Check)
	}
	x.warn(t)
	return t.Write(dir)
}

// warn adds what the simulation of settings leaves out.
func (x *ToSlurm) warn(t *slurm.Tuned) {
	passed, limit, stay := t.Passed(), weight.Limit(x.site), t.Stay()
	x.warnIf(passed != "", "passed", "jobs of QOS that come before the default QOS today come after others then, by these "+
		"priorities: "+passed)
	x.warnIf(limit != "", "limits", "not every simulated job obeys the limits of the site, such as "+limit+
		": Slurm may deliver less than is simulated")
	x.warnIf(stay != nil, "exists", "QOS "+strings.Join(stay, ", ")+
		" exist: without --modify-existing they stay as they are, and Slurm does not make this schedule")
}

// unfaithful is how far the value of an export may be from that of its policy, as a share.
const unfaithful = 0.02

// inTheWay returns an error if weights of the site are why the files of an export deliver another value than their
// policy: if they deliver the same without these weights.
func (x *ToSlurm) inTheWay(ctx context.Context, lab *run.Lab, asked Export, words string) error {
	list := weight.Besides(x.site)
	if len(list) == 0 || x.chosen.Spec.Name == slurmName {
		return nil
	}
	settings := maps.Clone(asked.Written.Settings)
	for _, w := range list {
		name, _, _ := strings.Cut(w, "=")
		settings[name] = "0"
	}
	without, err := subject.NewPolicy(x.Specs, slurmName, settings)
	if err != nil {
		return err
	}
	asked.Now, asked.Written = asked.Policy, without
	again, err := asked.Ask(ctx, lab)
	if err != nil || math.Abs(again.Off()) > unfaithful {
		return err
	}
	return &scenario.Error{File: x.Files["conf"], Message: fmt.Sprintf(
		"%s is in the way: it orders the jobs of a customer, and %s, expected at most 2 %% off", list[0], words)}
}

// readBack returns the policy slurm as it reads the files of an export.
func (x *ToSlurm) readBack(t *slurm.Tuned, after subject.Policy) (subject.Policy, error) {
	dir, err := os.MkdirTemp("", "revopt-export-")
	if err != nil {
		return subject.Policy{}, err
	}
	defer os.RemoveAll(dir)
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
	return subject.NewPolicy(x.Specs, slurmName, options)
}

// inPlace returns the policy that settings are to replace: slurm as its files state it, else the first of the scenario,
// unless that is the new one.
func (x *ToSlurm) inPlace(after subject.Policy) (subject.Policy, error) {
	stated := maps.Clone(after.Settings)
	maps.DeleteFunc(stated, func(name, value string) bool {
		return value == "" || !strings.HasPrefix(name, policy.FromFile) && !slices.Contains(slurm.SettingFiles(), name)
	})
	listed, err := x.Subject.Policies()
	switch {
	case err != nil:
		return subject.Policy{}, err
	case len(stated) > 0:
		return subject.NewPolicy(nil, slurmName, stated)
	case listed[0].Label() == x.chosen.Label():
		return subject.NewPolicy(nil, "easy", nil)
	}
	return listed[0], nil
}

// admissionOrigin says where the probabilities of an exported admission come from.
func admissionOrigin(name string, p subject.Policy, models *run.Models) string {
	switch name {
	case scenario.AdmitSimulated:
		return fmt.Sprintf("the best %s admission that a search on the simulator found under %s; not proven", name, p.Label())
	case scenario.AdmitAnalytic:
	default:
		return "given: " + name
	}
	fitted, proven, gap := models.Proof()
	words := "the static admission that earns most in the queueing model (revopt solve)"
	switch {
	case fitted == 1:
		words += " of 1 job class fitted to the trace, by customer"
	case fitted > 1:
		words += fmt.Sprintf(" of %d job classes fitted to the trace, by customer", fitted)
	}
	if proven {
		return words + "; proven to within " + text.Gap(gap)
	}
	return words + "; not proven"
}
