package cli

import (
	"path/filepath"

	"github.com/urfave/cli/v2"

	"revopt/model"
	"revopt/model/scenario"
	"revopt/simulate/ask"
	"revopt/simulate/slurm"
	"revopt/simulate/subject"
)

// addPolicyNow adds the policies to a scenario of a trace: first the one that reproduces its log best, then others to
// compare it with. A trace without starts gets none.
func (p *program) addPolicyNow(c *cli.Context, out, trace string, d *ask.Draft) error {
	if model.Generated(trace) {
		return nil
	}
	doc, err := scenario.Draft(out, trace, d.YAML)
	if err != nil {
		return err
	}
	s, err := subject.Open(c.Context, doc, 1, p.specs)
	if err != nil {
		return err
	}
	candidates, err := ask.ParsePolicies(p.specs, "easy", "fcfs", "conservative")
	if err != nil {
		return err
	}
	queues, ok, err := ask.QueuePriority(c.Context, s)
	if err != nil {
		return err
	}
	if ok {
		candidates = append(candidates, queues)
	}
	site := []string{"slurm"}
	for _, option := range slurm.SettingFiles() {
		if file := c.String(option); file != "" {
			site = append(site, option+"="+file)
		}
	}
	if len(site) > 1 {
		scheduler, err := subject.ParsePolicy(p.specs, site)
		if err != nil {
			return err
		}
		candidates = append(candidates, scheduler)
	}
	list, err := ask.Reproductions(c.Context, s, candidates)
	if err != nil || list == nil {
		return err
	}
	relative := func(file string) string {
		path, err := filepath.Rel(followed(filepath.Dir(out)), filepath.Join(followed(filepath.Dir(file)), filepath.Base(file)))
		if err != nil || out == "" {
			return file
		}
		return path
	}
	d.Compared(list, relative)
	return nil
}
