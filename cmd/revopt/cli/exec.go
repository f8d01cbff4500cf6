package cli

import (
	"io"
	"slices"
	"time"

	"github.com/urfave/cli/v2"

	"revopt/model/scenario"
	"revopt/simulate/ask"
	"revopt/simulate/policy"
	"revopt/simulate/policy/exec"
	"revopt/simulate/subject"
)

// execFlags say how programs that are policies run.
func execFlags() []cli.Flag {
	return allUnder(programGroup,
		boolFlag("allow-exec", "run the programs that exec policies of the scenario or sweep file name"),
		presetFlag("exec-timeout", "60s", "`T` time that a program of an exec policy has for a reply"),
	)
}

// setExec gives the flags about programs to the policy exec.
func (p *program) setExec(c *cli.Context) error {
	o := &p.exec
	if c.Command.Name == "simulate" {
		o.Parent = func() (io.Reader, io.Writer) {
			if p.parent.Swap(false) {
				return p.stdin, p.printer.w
			}
			return nil, nil
		}
	}
	if given := c.String("exec-timeout"); given != "" {
		seconds, err := scenario.ParseTime(given)
		if err != nil || !(seconds > 0 && seconds <= 1e9) {
			return usagef("--exec-timeout: expected a time above 0 such as 60s, got %q", given)
		}
		o.Timeout = time.Duration(seconds * float64(time.Second))
	}
	p.specs = policy.Replace(p.specs, exec.Spec(*o))
	return nil
}

// setParent gives standard input and output to the policy exec:- if it is among the policies.
// Then there is one run, and nothing else is printed.
func (p *program) setParent(c *cli.Context, q *ask.Question) error {
	parent := func(q subject.Policy) bool { return q.Spec.Program && q.Settings["command"] == "-" }
	if !slices.ContainsFunc(q.Named, parent) {
		return nil
	}
	replications := 1
	if q.Subject.Workload.Random() {
		replications = q.Subject.Scenario.Simulation.Replications
	}
	flag := firstSet(c, "json", "html", "records", "gantt", "precision", "resample")
	switch {
	case c.Command.Name != "simulate" || len(q.Named) > 1 || len(q.Admitted) > 1 || replications != 1 ||
		q.Subject.Workload.Pools() != nil || c.Args().First() == "-":
		return usagef("--policy exec:-: expected revopt simulate with one policy, one admission, one replication," +
			" no pools and a scenario file")
	case flag != "":
		return usagef("--policy exec:-: expected no --%s; results go to --cells and --csv", flag)
	}
	p.parent.Store(true)
	p.stdout.Reset(io.Discard)
	return nil
}

// filed returns the policies that a file may name. Those that run a program are barred without
// --allow-exec, and exec:- is refused.
func (p *program) filed(c *cli.Context) []policy.Spec {
	own := exec.Options{Timeout: p.exec.Timeout, Barred: !c.Bool("allow-exec")}
	return policy.Replace(p.specs, exec.Spec(own))
}
