package cli

import (
	"os"
	"strings"

	"github.com/urfave/cli/v2"

	"revopt/internal/text"
	"revopt/model/scenario"
	"revopt/simulate/ask"
	"revopt/simulate/slurm/service"
	"revopt/simulate/slurm/steer"
	"revopt/simulate/subject"
)

func exportSteerFlags() []cli.Flag {
	return append([]cli.Flag{
		outFlag("`DIR` directory for the files; created if it does not exist"),
		listFlag("policy", "`P` policy that orders the queue, such as value-bf"),
		stringFlag("every", "`T` time from one pass to the next (default 10s)"),
		stringFlag("program", "`PATH` of revopt on the cluster (default /usr/local/bin/revopt)"),
		boolFlag("force", "overwrite files that differ"),
		quietFlag("warnings"),
	}, scenarioFlags()...)
}

// exportSteer writes the files that run steer as a service.
func (p *program) exportSteer(c *cli.Context) error {
	in, err := p.open(c)
	if err != nil {
		return err
	}
	if err := checkDirectory(c); err != nil {
		return err
	}
	dir := c.String("out")
	if firstSet(c, "set", "load") != "" {
		return usagef("export steer: expected a scenario file with these fields, not --set: the service reads the file")
	}
	chosen, err := p.steeredPolicy(c)
	if err != nil {
		return err
	}
	if err := steer.Orders(in.Subject, chosen); err != nil {
		return err
	}
	s, err := newService(c, in, chosen)
	if err != nil {
		return err
	}
	if err := checkInside("export steer", dir, service.Files(), in.Subject.Scenario.Files()...); err != nil {
		return err
	}
	if other := s.Exists(dir); other != "" && !c.Bool("force") {
		return usagef("export steer: %s exists and would be overwritten: expected another directory or --force", other)
	}
	if err := s.Write(dir); err != nil {
		return err
	}
	p.listFiles(dir, service.Files())
	return p.flush()
}

// newService returns the service that the flags ask for.
func newService(c *cli.Context, in *ask.Question, chosen subject.Policy) (*service.Service, error) {
	s := &service.Service{Version: build().Version, Program: c.String("program"), Policy: chosen.Label(), Every: 10,
		Scenario: c.Args().First()}
	if s.Program == "" {
		s.Program = "/usr/local/bin/revopt"
	}
	if c.IsSet("every") {
		every, err := parsed("every", c.String("every"), scenario.ParseTime)
		if err != nil {
			return nil, err
		}
		s.Every = every
	}
	if _, err := os.Stat(s.Scenario); err == nil {
		if err := s.SetFiles(s.Scenario, in.Subject.Scenario.Files()); err != nil {
			return nil, err
		}
	}
	for _, value := range []string{s.Program, s.Policy, s.Scenario} {
		if !service.Plain(value) {
			return nil, usagef("export steer: expected a value without spaces and signs of shells, got %s",
				text.Quote([]byte(value)))
		}
	}
	return s, nil
}

// steeredPolicy returns the policy of --policy.
func (p *program) steeredPolicy(c *cli.Context) (subject.Policy, error) {
	if !c.IsSet("policy") {
		return subject.Policy{}, usagef("export steer: expected --policy P, such as value-bf")
	}
	list, err := ask.ParsePolicies(p.specs, c.StringSlice("policy")...)
	if err != nil {
		return subject.Policy{}, err
	}
	if len(list) > 1 {
		return subject.Policy{}, usagef("--policy: expected one policy, got %s", strings.Join(c.StringSlice("policy"), ","))
	}
	return list[0], nil
}
