package cli

import (
	"errors"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v2"

	"revopt/internal/text"
	"revopt/simulate/ask"
	"revopt/simulate/policy"
	lab "revopt/simulate/run"
	"revopt/simulate/slurm"
)

func tuneFlags() []cli.Flag {
	return append([]cli.Flag{
		listFlag("policy", "`P` policy with today's settings, as in slurm:conf=slurm.conf "+
			"(default slurm, as the scenario lists it)"),
		stringFlag("vary", "`LIST` settings to vary: qos, age, size, fairshare, limits (default all), "+
			"or numeric options of another policy"),
		under(methodGroup, stringFlag("replications", "`N` replications of the test (default 40)")),
	}, except(runFlags("`N` jobs per replication, warm-up included"),
		"replications", "precision", "metric", "resample", "span", "plain")...)
}

func (p *program) tune(c *cli.Context) error {
	var broken []string
	err := p.compare(c, "tuning", func(q *ask.Question, l *lab.Lab) (*ask.Comparison, error) {
		t, err := ask.AskedTuning(q, l)
		if err != nil {
			return nil, err
		}
		if !c.IsSet("policy") {
			t.Near = fromHere(c.Args().First(), t.Policy.Settings)
		}
		tuned, err := ask.Tune(c.Context, l, t)
		if err != nil {
			return nil, err
		}
		broken = tuned.Broken
		return tuned.Comparison, nil
	}, nil)
	if broken != nil {
		err = errors.Join(err, &shortError{text.OneLine(strings.Join(broken, "; ")) + ": broken in the test"})
	}
	return err
}

// fromHere returns a function that writes the label of a policy as a command line takes it: it replaces the paths of files
// in settings, which are relative to the scenario, by paths that are relative to the current directory.
func fromHere(scenario string, settings policy.Settings) func(label string) string {
	var pairs []string
	for _, option := range slurm.SettingFiles() {
		if path := settings[option]; path != "" && !filepath.IsAbs(path) {
			pairs = append(pairs, ":"+option+"="+path, ":"+option+"="+filepath.Join(filepath.Dir(scenario), path))
		}
	}
	return strings.NewReplacer(pairs...).Replace
}
