package cli

import (
	"errors"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"revopt/model"
	"revopt/model/scenario"
	"revopt/optimize"
	"revopt/plots/answer"
	"revopt/simulate/ask"
)

func solveFlags() []cli.Flag {
	return slices.Concat(scenarioFlags(), []cli.Flag{
		stringFlag("vary", "`PATH=VALUES` solve along a field, such as load=0.05:1.4:0.05"),
		boolFlag("check", "with --vary, check the admission at every value by simulation"),
		boolFlag("waits", "the distribution of waits, by class, instead of the best admission"),
		choiceFlag("method", string(optimize.MethodCertified), "`METHOD` certified (proven global optimum) or cg "+
			"(fast local search)",
			optimize.MethodCertified, optimize.MethodCG),
		under(methodGroup, choiceFlag("utility", "", "`UTILITY` linear (loss by the mean wait) or exact (job by "+
			"job; default where that matters)",
			"linear", "exact")),
		under(methodGroup, choiceFlag("residual", "", "`R` how delays are computed: pooled (one fast server) or "+
			"multiserver (default: as the scenario says; of --waits pooled)",
			model.Pooled.String(), model.Multiserver.String())),
		boolFlag("no-check", "do not check the admission by simulation"),
		boolFlag("prices", "choose prices too, for classes that state a demand"),
		under(methodGroup, gapFlag()), seedFlag("the jobs of checks, those to which classes are fitted, and those of --simulate"),
		quietFlag("warnings"), workersFlag("replications"),
	}, answerFlags("the table"), waitsFlags(),
		drawFlags("`DIR|FILE` write figures of --vary or --waits: all to a directory, or one .png, .svg, .pdf or .csv"))
}

// waitsFlags are those of --waits.
func waitsFlags() []cli.Flag {
	return allUnder(waitsGroup,
		stringFlag("at", "`TIMES` times for which to print the share that waits longer, such as 60,10m,1h "+
			"(default 0, graces and promised times)"),
		presetFlag("quantiles", "0.5,0.9,0.99", "`LIST` shares of jobs, such as 0.5,0.9 or 50%,90%"),
		stringFlag("class", "`NAME` print this class only"),
		boolFlag("simulate", "simulate the same queue and print the results beside the formulas"),
		presetFlag("admission", scenario.AdmitAll, "`A` all, analytic (what solve finds) or probabilities as in 1,0.5"),
	)
}

// The forms of solve: the best admission, along a field, and waits.
const (
	solveBest  = ""
	solveVary  = "vary"
	solveWaits = "waits"
)

// solveForms are the forms that a flag belongs to, for flags that do not belong to all.
var solveForms = []struct {
	flag  string
	forms []string
}{
	{"method", []string{solveBest}}, {"utility", []string{solveBest}}, {"no-check", []string{solveBest}},
	{"prices", []string{solveBest, solveVary}}, {"gap", []string{solveBest, solveVary}},
	{"check", []string{solveVary}},
	{"out", []string{solveVary, solveWaits}},
	{"at", []string{solveWaits}}, {"quantiles", []string{solveWaits}}, {"class", []string{solveWaits}},
	{"simulate", []string{solveWaits}}, {"admission", []string{solveWaits}},
}

// solve answers the form of the command that its flags ask for.
func (p *program) solve(c *cli.Context) error {
	form := solveBest
	switch {
	case c.Bool("waits"):
		form = solveWaits
	case c.IsSet("vary"):
		form = solveVary
	}
	for _, f := range solveForms {
		switch {
		case !c.IsSet(f.flag) || slices.Contains(f.forms, form):
		case form != solveBest:
			return usagef("--%s: expected none with --%s", f.flag, form)
		default:
			return usagef("--%s: expected --%s with it", f.flag, strings.Join(f.forms, " or --"))
		}
	}
	if _, err := parseTarget(c); err != nil {
		return err
	}
	switch form {
	case solveVary:
		return p.solveAlong(c)
	case solveWaits:
		return p.solveWaits(c)
	}
	return p.solveBest(c)
}

// solveBest finds the best admission.
func (p *program) solveBest(c *cli.Context) error {
	q, err := p.question(c)
	if err != nil {
		return err
	}
	a, err := ask.Solve(c.Context, q)
	return p.told(c, a, err)
}

// told delivers an answer of formulas, which is there beside the error that a proof did not close or that the run was
// stopped.
func (p *program) told(c *cli.Context, a answer.Answer, err error) error {
	if a.Tables == nil {
		return err
	}
	a.Line, a.Commit = commandLine(p.args), build().Commit
	if ask.IsOpenProof(err) {
		err = &shortError{err.Error()}
	}
	return errors.Join(p.tell(c, a, p.figures(c, a)), err)
}

// solveAlong finds the best admission at each value of a field.
func (p *program) solveAlong(c *cli.Context) error {
	if c.String("vary") == "" {
		return usagef("--vary: expected PATH=VALUES, such as --vary load=0.05:1.4:0.05")
	}
	if err := exactly(c, "SCENARIO"); err != nil {
		return err
	}
	q, err := ask.Read(c.Context, p.asked(c), p.answering(c))
	if err != nil {
		return err
	}
	a, err := ask.Along(c.Context, q)
	return p.told(c, a, err)
}

// solveWaits computes the distribution of waits.
func (p *program) solveWaits(c *cli.Context) error {
	q, err := p.question(c)
	if err != nil {
		return err
	}
	// Some waits take long and do not check the context.
	a, err := await(c.Context, func() (answer.Answer, error) { return ask.Waits(c.Context, q, c.IsSet("out")) })
	return p.told(c, a, err)
}
