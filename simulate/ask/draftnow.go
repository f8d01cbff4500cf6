package ask

import (
	"cmp"
	"context"
	"path/filepath"

	"revopt/internal/safefile"
	"revopt/model"
	"revopt/model/scenario"
	"revopt/simulate/policy"
	"revopt/simulate/run"
	"revopt/simulate/slurm"
	"revopt/simulate/subject"
)

// Calibrate adds what the log shows of its present: outages, limits that simulations confirm, and first of the policies
// the one that waits most as the log did. The files are those of the site, by their options. Nothing is added to jobs that
// are generated; a log without starts has no present. The scenario goes to a file, "" for none. Holds are taken as given
// unless they are to be none.
func (d *Draft) Calibrate(ctx context.Context, out string, specs []policy.Spec, files map[string]string, held string) error {
	trace := d.Selection.File
	if model.Generated(trace) {
		return nil
	}
	doc, err := scenario.Draft(out, trace, d.YAML)
	if err != nil {
		return err
	}
	lab, err := run.NewLab(ctx, doc, run.Options{Seed: 1, Policies: specs})
	if err != nil {
		return err
	}
	if has := lab.Subject().Workload.Has(); !has.Recorded {
		d.unstarted = cmp.Or(has.Unrecorded, noStarts)
		d.line("# No policy can be held against the log: %s. Put that of the site first.", d.unstarted)
		d.YAML = d.out.Bytes()
		return nil
	}
	policies, err := presents(ctx, lab.Subject(), specs, files)
	if err != nil {
		return err
	}
	found, err := calibrate(ctx, lab, policies, held)
	if err != nil || found.nearest == nil { // no job that started in the log starts here
		return err
	}
	d.found = found
	d.writePresent(lab.Subject(), held, func(file string) string { return relativeTo(out, file) })
	return nil
}

// presents returns the policies that may be the present of a log.
func presents(ctx context.Context, s *subject.Subject, specs []policy.Spec, files map[string]string) ([]subject.Policy, error) {
	list, err := ParsePolicies(specs, "easy", "fcfs", "conservative")
	if err != nil {
		return nil, err
	}
	queues, ok, err := QueuePriority(ctx, s)
	if err != nil {
		return nil, err
	}
	if ok {
		list = append(list, queues)
	}
	if len(files) == 0 {
		return list, nil
	}
	site := []string{slurmName}
	for _, option := range slurm.SettingFiles() {
		if files[option] != "" {
			site = append(site, option+"="+files[option])
		}
	}
	scheduler, err := subject.ParsePolicy(specs, site)
	return append(list, scheduler), err
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
