package ask

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"revopt/internal/text"
	"revopt/model/scenario"
	"revopt/plots/answer"
	"revopt/simulate/policy"
	"revopt/simulate/run"
	"revopt/simulate/slurm"
	"revopt/simulate/slurm/conf"
	"revopt/simulate/slurm/weight"
	"revopt/simulate/subject"
)

// Export asks for the files with which Slurm admits jobs as an admission says, or makes the schedule of a policy. Without
// a policy or an admission it is the admission of solve.
type Export struct {
	*Question                   // Policies names the policy
	Slurm     slurm.Options     // how the files are written
	Admission string            // as in a request
	Files     map[string]string // of the site, by their options: conf, qos, assoc
	Anyway    bool              // writes the files although their harm is known
	Progress  func(done, total int)

	policy *subject.Policy // whose schedule the settings make; nil: no settings
	site   policy.Settings // of the files of the site
}

// CautionError is an export that is not written, as its harm is known.
type CautionError struct{ Caution string }

func (e *CautionError) Error() string { return "nothing was written: --anyway does it all the same" }

// Exported is what an export has written.
type Exported struct {
	Files     []string
	Overrides string // what Anyway overrides, "" without it
	Warnings  []slurm.Warning
}

// Check checks what is asked for, before anything is computed. It returns the paths of the files that are read.
func (x *Export) Check() (inputs []string, err error) {
	inputs = append(x.Subject.Scenario.Files(), slices.Collect(maps.Values(x.Files))...)
	if x.Policies == nil {
		return inputs, nil
	}
	list, err := ParsePolicies(x.Specs, x.Policies...)
	if err != nil {
		return nil, err
	}
	p := list[0]
	switch where := p.Spec.RunsOn(p.Settings); {
	case len(list) > 1:
		return nil, Usagef("--policy: expected one policy, got %s", strings.Join(x.Policies, ","))
	case where != policy.Slurm:
		return nil, Usagef("--policy: expected a policy that Slurm runs by its settings, such as hol:backfill=true, easy or "+
			"slurm; %s runs on: %s", p.Label(), where)
	case p.Label() == slurmName:
		p, err = SlurmPolicy(x.Subject)
		if err != nil {
			return nil, err
		}
	}
	x.Files = maps.Clone(x.Files)
	for _, option := range slurm.SettingFiles() {
		file := p.Settings[option]
		if file != "" && x.Files[option] != "" {
			return nil, Usagef("--%s: expected none, %s states it", option, p.Label())
		}
		if file != "" {
			x.Files[option] = file
			inputs = append(inputs, file)
		}
	}
	if x.Files["conf"] == "" {
		return nil, Usagef("--conf: expected slurm.conf of the site with --policy: its weights and limits stay in force beside " +
			"the settings")
	}
	x.policy = &p
	spec, err := policy.Lookup(subject.Standard(), slurmName)
	if err == nil {
		x.site, err = slurm.ReadSettings(spec, x.Files)
	}
	return inputs, err
}

// Write writes the files to a directory, after Check. A *CautionError says why it does not.
func (x *Export) Write(ctx context.Context, dir string) (Exported, error) {
	admission, err := x.admission()
	if err != nil {
		return Exported{}, err
	}
	x.Slurm.Ordered, x.Slurm.Open = x.policy != nil, x.policy != nil && x.Admission == ""
	export, err := slurm.NewExport(x.Document, x.Subject.Scenario, x.Subject.Workload, x.Slurm)
	if err != nil {
		return Exported{}, err
	}
	lab, err := x.Lab(ctx, nil, x.Progress)
	if err != nil {
		return Exported{}, err
	}
	under, err := x.Subject.Policies()
	if err != nil {
		return Exported{}, err
	}
	var rule *slurm.Rule
	then := under[0]
	if x.policy != nil {
		rule, then, err = x.rule(export)
		if err != nil {
			return Exported{}, err
		}
	}
	var found run.Gate
	if !x.Slurm.Open {
		found, err = admit(ctx, lab, export, admission, then)
		if err != nil {
			return Exported{}, err
		}
	}
	overrides, err := x.caution(ctx, export, rule, admission)
	if err != nil {
		return Exported{}, err
	}
	files := export.Files
	if rule != nil {
		rule.Effects, err = x.effects(ctx, lab, then, admission, found)
		if err != nil {
			return Exported{}, err
		}
		files = rule.Files
	}
	names, err := slurm.WriteFiles(dir, files())
	return Exported{names, overrides, export.Warnings}, err
}

// admission returns the admission to export: all, if only settings are exported.
func (x *Export) admission() (run.Admission, error) {
	a := run.Admission{Name: scenario.AdmitAnalytic}
	if x.policy != nil {
		a.Name = scenario.AdmitAll
	}
	if x.Admission != "" {
		var err error
		a, err = OneAdmission(x.Subject, x.Admission)
		if err != nil {
			return a, err
		}
	}
	if a.Name == scenario.AdmitAll {
		a.Admit = slices.Repeat([]float64{1}, len(x.Subject.Names()))
	}
	if a.Admit == nil && a.Name == scenario.AdmitPrices {
		return a, &scenario.Error{File: x.Document.File(), Message: "admission prices cannot be exported to Slurm: expected probabilities"}
	}
	return a, nil
}

// rule returns the settings of the export, and the policy slurm that has them.
func (x *Export) rule(export *slurm.Export) (*slurm.Rule, subject.Policy, error) {
	var none subject.Policy
	settings := maps.Clone(x.site)
	if x.policy.Spec.Name == slurmName {
		byDefault := subject.PolicyOf(x.policy.Spec).Settings
		for name, value := range x.policy.Settings {
			if value != byDefault[name] {
				settings[name] = value
			}
		}
	} else {
		var err error
		settings, err = export.Translated(x.policy.Spec.Name, x.policy.Settings, x.site)
		if err != nil {
			file := x.Document.File()
			if way := (*weight.Obstacle)(nil); errors.As(err, &way) {
				file = cmp.Or(x.Files[way.File], file)
			}
			return nil, none, &scenario.Error{File: file, Message: err.Error()}
		}
	}
	maps.Copy(settings, x.Files)
	then, err := subject.NewPolicy(x.Specs, slurmName, settings)
	if err != nil {
		return nil, none, err
	}
	rule, err := slurm.NewRule(export, x.Document.File(), then.Spec, then.Settings)
	if err != nil {
		return nil, none, err
	}
	rule.Label, rule.Unit, rule.Command = x.policy.Label(), x.Subject.Unit(), x.Line
	if x.Slurm.Nodes {
		rule.Unit = "node"
	}
	rule.Now, err = conf.List(x.Files["conf"], "SchedulerParameters")
	if err == nil {
		rule.Flags, err = conf.List(x.Files["conf"], "PriorityFlags")
	}
	if slices.Contains(strings.Split(x.site[policy.FromFile+"conf"], ","), "Include") {
		export.Warn("include", "files that "+x.Files["conf"]+" includes are not read: if they have weights or "+
			"SchedulerParameters, export with a file that has these lines")
	}
	if list := weight.Of(x.site); x.policy.Spec.Name == "hol" && len(list) > 0 && list[0].Name != "PriorityWeightAge" {
		export.Warn("order", fmt.Sprintf("%s=%.0f orders the jobs of a customer, which hol serves by submission: what changes for "+
			"whom is simulated with it", list[0].Name, list[0].Value))
	}
	return rule, then, err
}

// admit exports an admission as it is found under a policy, and returns what was found.
func admit(
	ctx context.Context, l *run.Lab, export *slurm.Export, a run.Admission, under subject.Policy,
) (found run.Gate, err error) {
	c := l.Base()
	c.Admission = a
	c.Do, err = l.Policy(under)
	if err != nil {
		return found, err
	}
	e, err := l.Experiment(ctx, c)
	if err != nil {
		return found, err
	}
	models, err := l.Models(ctx, c)
	if err != nil {
		return found, err
	}
	export.Admit(admissionOrigin(a.Name, under, models), e.Admission.Admit)
	return e.Admission, nil
}

// caution returns what Anyway overrides; without it, what speaks against the export is an error.
func (x *Export) caution(ctx context.Context, export *slurm.Export, rule *slurm.Rule, a run.Admission) (string, error) {
	words := ""
	if a.Name == scenario.AdmitAnalytic {
		advice, err := Advice(ctx, x.Subject, x.Seed, x.Workers)
		if err != nil {
			return "", err
		}
		if advice.Code == "DO_NOT_USE" {
			words = advice.String() + " Export it with --admission all, or with probabilities. "
		}
	}
	if rule != nil {
		words += rule.Preempted()
	}
	words = strings.TrimSpace(words)
	overrides := ""
	switch {
	case words != "" && !x.Anyway:
		return "", &CautionError{words}
	case words != "":
		overrides = "--anyway overrides this: " + words
		export.Cautions = append(export.Cautions, overrides)
	case x.Anyway:
		overrides = "--anyway overrides nothing."
	}
	for _, w := range x.Subject.Scenario.Warnings {
		if w.Kind == scenario.WarnGuessed {
			export.Cautions = append(export.Cautions, "P"+w.String()[1:]+".")
		}
	}
	return overrides, nil
}

// effects simulates the policy in place, slurm as the files of the site state it, and the settings behind the admission
// that was found, on the same jobs. It returns the answer as text.
func (x *Export) effects(
	ctx context.Context, l *run.Lab, then subject.Policy, a run.Admission, found run.Gate,
) (string, error) {
	q, err := Request{Command: "simulate", Line: x.Line, Version: x.Version}.settings()
	if err != nil {
		return "", err
	}
	settings := maps.Clone(x.site)
	maps.Copy(settings, x.Files)
	now, err := subject.NewPolicy(x.Specs, slurmName, settings)
	if err != nil {
		return "", err
	}
	detail := run.Detail{Customers: true, Waits: true}
	rows, err := q.rows(l, []subject.Policy{now}, []run.Admission{{Name: scenario.AdmitAll}}, detail)
	if err != nil {
		return "", err
	}
	more, err := q.rows(l, []subject.Policy{then}, []run.Admission{a}, detail)
	if err != nil {
		return "", err
	}
	if a.Admit == nil {
		if err := l.Found(more[0].Case, found); err != nil {
			return "", err
		}
	}
	c, err := compare(ctx, l, q, append(rows, more...), 0)
	if err != nil {
		return "", err
	}
	if err := errors.Join(c.broken, c.failed()); err != nil {
		return "", err
	}
	for i, t := range c.Answer.Tables {
		c.Answer.Tables[i].Shown = t.Name == "customers" || t.Name == "affected"
	}
	var page bytes.Buffer
	err = c.Answer.WriteText(&page, answer.TextOptions{})
	return page.String(), err
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
	if fitted > 0 {
		words += fmt.Sprintf(" of job classes fitted to the trace (%d), by customer", fitted)
	}
	if proven {
		return words + "; proven to within " + text.Gap(gap)
	}
	return words + "; not proven"
}
