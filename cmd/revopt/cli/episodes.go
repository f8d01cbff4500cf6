package cli

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/urfave/cli/v2"

	"revopt/internal/child"
	"revopt/internal/text"
	"revopt/simulate/ask"
	"revopt/simulate/policy/exec"
	lab "revopt/simulate/run"
)

// episode is a run that the parent asks for.
type episode struct {
	Seed        *uint64 `json:"seed"` // nil: that of the command
	Replication int     `json:"replication"`
}

// serveEpisodes runs the replications that the parent asks for, one after another, until it closes the standard
// input. The trace is read once. Before each run a message {"episode":N} says how many runs there were, and the
// reply names the next one, as in {"seed":7,"replication":0}.
func (p *program) serveEpisodes(c *cli.Context) error {
	q, err := p.question(c)
	if err != nil {
		return err
	}
	if err := checkEpisodes(c, q); err != nil {
		return err
	}
	pooled, err := q.Subject.Pooled()
	if err != nil {
		return err
	}
	providers, err := lab.Providers(q.Subject)
	if err != nil {
		return err
	}
	for n := 0; ; n++ {
		line, err := p.exec.Episodes.Ask(fmt.Appendf(nil, "{\"episode\":%d}\n", n))
		if errors.Is(err, child.ErrParent) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("episode %d: %w", n, err)
		}
		asked := episode{Seed: &q.Seed}
		err = json.Unmarshal(line, &asked)
		if err != nil || asked.Seed == nil || asked.Replication < 0 {
			return usagef("episode %d: expected a run such as {\"seed\":7,\"replication\":0}, got %s", n, text.Quote(line))
		}
		run := lab.Experiment{Workload: q.Subject.Workload, Policy: q.Named[0], Pooled: pooled,
			Providers: providers, Seed: *asked.Seed}
		_, err = run.Run(c.Context, asked.Replication)
		if err != nil && !errors.Is(err, exec.ErrEnd) {
			return err
		}
	}
}

// checkEpisodes refuses what runs for a parent cannot have.
func checkEpisodes(c *cli.Context, q *ask.Question) error {
	policies := q.Named
	flag := firstSet(c, "json", "html", "records", "gantt", "precision", "resample",
		"cells", "csv", "journal", "admission", "replications")
	switch {
	case len(policies) != 1 || !policies[0].Spec.Program || policies[0].Settings["command"] != "-":
		return usagef("--episodes: expected --policy exec:- and no other policy")
	case c.Args().First() == "-":
		return usagef("--episodes: expected a scenario file, as standard input is for messages")
	case flag != "":
		return usagef("--episodes: expected no --%s", flag)
	}
	return nil
}
