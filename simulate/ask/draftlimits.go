package ask

import (
	"context"
	"maps"

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
