package ask

import (
	"context"
	"maps"
	"path/filepath"
	"strings"

	"revopt/internal/safefile"
	"revopt/model"
	"revopt/model/scenario"
	"revopt/simulate/policy"
	"revopt/simulate/slurm"
	"revopt/simulate/subject"
	"revopt/simulate/waits"
)

// StateLimits adds the limits that files of the site state, by their options. The scenario goes to a file, "" for none.
func (d *Draft) StateLimits(ctx context.Context, out string, specs []policy.Spec, files map[string]string) error {
	if files["qos"] == "" && files["assoc"] == "" || model.Generated(d.Selection.File) {
		return nil
	}
	spec, err := policy.Lookup(specs, slurmName)
	if err != nil {
		return err
	}
	doc, err := scenario.Draft(out, d.Selection.File, d.YAML)
	if err != nil {
		return err
	}
	s, err := subject.Open(ctx, doc, 1, specs)
	if err != nil {
		return err
	}
	log, err := s.Waiting(ctx)
	if err != nil {
		return err
	}
	list, err := slurm.StatedLimits(spec, files, s.Unit(), s.Trace.Names(), onlyQOS(log.Jobs))
	if err != nil || list == nil {
		return err
	}
	d.line("\n# Limits that sacctmgr shows.\nlimits:")
	for _, l := range list {
		d.line("  - %s", l.YAML())
	}
	d.YAML = d.out.Bytes()
	return nil
}

// onlyQOS returns the QOS of the users who have no other.
func onlyQOS(jobs []waits.Job) map[string]string {
	list, several := map[string]string{}, map[string]bool{}
	for i := range jobs {
		j := &jobs[i]
		if qos, known := list[j.User]; known && qos != j.QOS {
			several[j.User] = true
		}
		list[j.User] = j.QOS
	}
	maps.DeleteFunc(list, func(user, _ string) bool { return several[user] })
	return list
}

// StatePolicies adds the policies. The files of the site, by their options, are those of the policy slurm, which then
// stands for today. Nothing is added to jobs that are generated. The scenario goes to a file, "" for none.
func (d *Draft) StatePolicies(out string, specs []policy.Spec, files map[string]string) error {
	if model.Generated(d.Selection.File) {
		return nil
	}
	if len(files) == 0 {
		d.writePolicies("easy", "easy")
		return nil
	}
	site, options := []string{slurmName}, []string{}
	for _, option := range slurm.SettingFiles() {
		if file := files[option]; file != "" {
			site = append(site, option+"="+file)
			options = append(options, option+": "+quoted(relativeTo(out, file)))
		}
	}
	if _, err := subject.ParsePolicy(specs, site); err != nil {
		return err
	}
	d.writePolicies(slurmName, slurmName+": {"+strings.Join(options, ", ")+"}")
	return nil
}

// relativeTo returns the path of a file as a scenario in another file states it.
func relativeTo(scenario, file string) string {
	if scenario == "" {
		return file
	}
	whole := filepath.Join(safefile.Followed(filepath.Dir(file)), filepath.Base(file))
	path, err := filepath.Rel(safefile.Followed(filepath.Dir(scenario)), whole)
	if err != nil {
		return file
	}
	return path
}

// TracePath returns the path of a trace as the scenario in a file states it; one that was imported has its name beside a
// scenario that is printed.
func TracePath(out, trace string, imported bool) string {
	switch {
	case out == "" && imported:
		return filepath.Base(trace)
	case model.Generated(trace):
		return trace
	}
	return relativeTo(out, trace)
}
