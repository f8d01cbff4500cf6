package main

import (
	"errors"
	"fmt"
	"slices"

	"github.com/urfave/cli/v2"

	"revopt/internal/text"
	"revopt/model/scenario"
	"revopt/plots/paper"
)

func (p *program) fitClaimsCommand() *cli.Command {
	return &cli.Command{
		Name:      "fit-claims",
		Usage:     "numbers that a paper does not state, fitted to its claims",
		ArgsUsage: "CLAIM... --free PATH=LOW:HIGH [flags]",
		Description: `Looks for numbers under which claims of a paper come out, and prints the best that it
tried as a reading, with how many settings it took. figure readings PAPER lists the
claims. PATH is a field of the scenario that they are decided on, or an option of a
policy (policies.NAME.OPTION). The loss is the sum of the squares of how far the claims
are off, in units of the distance at which they fail.

A fitted reading shows that the text can be read so, not that it has to be. It never
decides a default, and it is to be named with its free numbers and its tries.

The search is a grid, then steps along the axes. All settings have the same seed.

Examples:
  revopt fit-claims sla-02a-twenty sla-02b-ten --free qos.deadline.low_mean=1:4 --quick
  revopt fit-claims sla-02b-falls --reading points --free qos.penalty.low_mean=0.001:0.05`,
		Flags: []cli.Flag{
			&cli.StringSliceFlag{Name: "free", Usage: "`PATH=LOW:HIGH` number to choose, and its range; repeatable"},
			&cli.IntFlag{Name: "tries", Value: 40, Usage: "`N` settings to try at most"},
			&cli.StringFlag{Name: "reading", Value: paper.DefaultReading, Usage: "`NAME` reading of all else"},
			&cli.BoolFlag{Name: "quick", Usage: "coarser or shorter, for a first look"},
			&cli.IntFlag{Name: "replications", Usage: "`N` replications of each simulated point (default: the figure's own)"},
			&cli.StringFlag{Name: "trace", Usage: "`FILE` SWF trace for the figures of the SP2 (default: generated jobs)"},
			workersFlag("computations"), memoryFlag(), seedFlag("whatever is random"), quietFlag("progress"),
		},
		Action: p.fitClaims,
	}
}

func (p *program) fitClaims(c *cli.Context) error {
	f, err := parseFit(c)
	if err != nil {
		return err
	}
	o := paper.Options{Quick: c.Bool("quick"), Seed: c.Uint64("seed"), Replications: c.Int("replications"), Trace: c.String("trace")}
	if o.Workers, err = workers(c); err != nil {
		return err
	}
	if c.IsSet("replications") && o.Replications < 2 {
		return usagef("--replications: expected a whole number of at least 2, got %d", o.Replications)
	}
	show := p.meter(c)
	found, err := f.Run(c.Context, o, func(tried, tries int) { show.show("settings", tried, tries) })
	show.clear()
	var fault *scenario.Error
	switch {
	case c.Context.Err() != nil && found != nil:
		p.printFit(f, found)
		return errors.Join(p.flush(), fmt.Errorf("fit-claims: stopped after %d of at most %d settings: %w", found.Reading.Tried, f.Tries, c.Context.Err()))
	case c.Context.Err() != nil:
		return fmt.Errorf("fit-claims: %w", c.Context.Err())
	case errors.As(err, &fault) || errors.Is(err, paper.ErrFit):
		return usagef("fit-claims: %v", err)
	case err != nil:
		return fmt.Errorf("fit-claims: %w", err)
	}
	p.printFit(f, found)
	return p.flush()
}

// parseFit reads the targets and the free numbers.
func parseFit(c *cli.Context) (f paper.Fit, err error) {
	all := paper.Claims()
	for _, id := range c.Args().Slice() {
		i := slices.IndexFunc(all, func(c paper.Claim) bool { return c.ID == id })
		if i < 0 {
			return f, usagef("fit-claims: no claim %q: figure readings PAPER lists them", id)
		}
		f.Claims = append(f.Claims, all[i])
	}
	for _, words := range c.StringSlice("free") {
		v, err := paper.ParseFree(words)
		if err != nil {
			return f, usagef("--free: %v", err)
		}
		f.Free = append(f.Free, v)
	}
	if f.Tries = c.Int("tries"); len(f.Claims) == 0 || len(f.Free) == 0 || f.Tries < 2 {
		return f, usagef("fit-claims: expected claims, --free PATH=LOW:HIGH and at least 2 --tries")
	}
	if f.Base, err = paper.FindReading(f.Claims[0].Paper(), c.String("reading")); err != nil {
		return f, usagef("--reading: %v", err)
	}
	return f, nil
}

// printFit prints the targets before and after, and the reading.
func (p *program) printFit(f paper.Fit, found *paper.Fitted) {
	rows := [][]string{{"claim", f.Base.Name, "", "fitted", ""}}
	for i, c := range f.Claims {
		a, b := found.Before[i], found.Verdicts[i]
		rows = append(rows, []string{c.ID, a.Outcome.String(), a.Got, b.Outcome.String(), b.Got})
	}
	text.Align(p.stdout, rows, 5)
	fmt.Fprintf(p.stdout, "\nloss %.4g, the least of %d settings", found.Off, found.Reading.Tried)
	if !found.Ended {
		fmt.Fprint(p.stdout, "; more tries may find a lower one")
	}
	fmt.Fprintf(p.stdout, "\nof these %d come out like it on every claim: the claims do not tell them apart\n", found.Alike)
	if len(found.Reading.Free) == 0 {
		fmt.Fprintf(p.stdout, "no setting is better than the reading %s\n", f.Base.Name)
		return
	}
	fmt.Fprintf(p.stdout, "\n%s\n", found.Reading.Block())
}
