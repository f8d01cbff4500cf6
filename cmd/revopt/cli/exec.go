package cli

import (
	"time"

	"github.com/urfave/cli/v2"

	"revopt/model/scenario"
	"revopt/simulate/policy"
)

// execFlags say how programs run that are policies.
func execFlags() []cli.Flag {
	return []cli.Flag{
		boolFlag("allow-exec", "run the programs that exec policies of the scenario or sweep file name"),
		presetFlag("exec-timeout", "60s", "`T` time that a program of an exec policy has for a reply"),
	}
}

// setExec reads the flags about programs.
func (p *program) setExec(c *cli.Context) error {
	o := policy.ExecOptions{Stdin: p.stdin, Stdout: p.raw}
	if given := c.String("exec-timeout"); given != "" {
		seconds, err := scenario.ParseTime(given)
		if err != nil || !(seconds > 0 && seconds <= 1e9) {
			return usagef("--exec-timeout: expected a time above 0 such as 60s, got %q", given)
		}
		o.Timeout = time.Duration(seconds * float64(time.Second))
	}
	p.specs = policy.Replace(p.specs, policy.ExecSpec(o))
	return nil
}

// filed returns the policies that a file may name. Those that run a program are barred, unless
// the command line allows them.
func (p *program) filed(c *cli.Context) []policy.Spec {
	if c.Bool("allow-exec") {
		return p.specs
	}
	return policy.Replace(p.specs, policy.ExecSpec(policy.ExecOptions{Barred: true}))
}
