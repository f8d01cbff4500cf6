package ask

import (
	"context"
	"path/filepath"

	"revopt/internal/safefile"
	"revopt/model"
	"revopt/model/scenario"
	"revopt/simulate/policy"
	"revopt/simulate/slurm"
	"revopt/simulate/subject"
)

// AddPolicies adds the policies to the scenario of a trace: first the one that reproduces its log best, then others to
// compare it with. The files are those of the site, by their options. A trace without starts gets none. The scenario goes
// to a file, "" for none.
func (d *Draft) AddPolicies(ctx context.Context, out string, specs []policy.Spec, files map[string]string) error {
	trace := d.Selection.File
	if model.Generated(trace) {
		return nil
	}
	doc, err := scenario.Draft(out, trace, d.YAML)
	if err != nil {
		return err
	}
	s, err := subject.Open(ctx, doc, 1, specs)
	if err != nil {
		return err
	}
	candidates, err := ParsePolicies(specs, "easy", "fcfs", "conservative")
	if err != nil {
		return err
	}
	queues, ok, err := QueuePriority(ctx, s)
	if err != nil {
		return err
	}
	if ok {
		candidates = append(candidates, queues)
	}
	if len(files) > 0 {
		site := []string{slurmName}
		for _, option := range slurm.SettingFiles() {
			if files[option] != "" {
				site = append(site, option+"="+files[option])
			}
		}
		scheduler, err := subject.ParsePolicy(specs, site)
		if err != nil {
			return err
		}
		candidates = append(candidates, scheduler)
	}
	list, err := Reproductions(ctx, s, candidates)
	if err != nil || list == nil {
		return err
	}
	d.Compared(list, func(file string) string { return relativeTo(out, file) })
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
