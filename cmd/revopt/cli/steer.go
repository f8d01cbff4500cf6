package cli

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"revopt/internal/meter"
	"revopt/internal/text"
	"revopt/model/scenario"
	"revopt/plots/answer"
	"revopt/simulate/ask"
	"revopt/simulate/slurm/steer"
	"revopt/simulate/subject"
	"revopt/simulate/workload"
)

func steerFlags() []cli.Flag {
	return slices.Concat([]cli.Flag{
		listFlag("policy", "`P` policy that orders the queue, such as value-bf, hol, edf-bf or exec:PROGRAM "+
			"(default the scenario's first)"),
		boolFlag("apply", "set the site factors (default: only say what would change)"),
		boolFlag("once", "make one pass (the default without --every)"),
		stringFlag("every", "`T` make a pass every T, such as 10s, until a signal ends it; then restore all factors"),
		presetFlag("journal", "steer.journal", "`FILE` journal of what is done, from which it is undone"),
		boolFlag("undo", "restore the factors that the journal says were set, and end"),
		boolFlag("anyway", "do not ask first whether steering adds "+text.PlainPercent(steer.Worthwhile)+
			" or more to the best static rule"),
		stringFlag("longest-wait", "`T` put jobs that have waited for T, such as 2d, before all others"),
		boolFlag("order-all", "order the jobs inside a customer by the policy too (default: as Slurm orders them itself)"),
		wholeFlag("changes", 0, math.MaxInt, 0, "`N` change at most N jobs in a pass (0: any number)"),
		jsonFlag(),
	}, allUnder(methodGroup,
		stringFlag("switch", "`T` steer in one of two spans of T, such as 1d, and leave the other to the site; a coin says in "+
			"which. Steer report then measures the gain"),
		stringFlag("margin", "`T` leave jobs out that are submitted so close to a switch (default the wait that nine of ten "+
			"jobs do not exceed)"),
		boolFlag("plan", "simulate what --switch would show, without a Slurm")),
		allUnder(resultGroup, boolFlag("explain", "list all changes"), quietFlag("progress and passes")), steerReportFlags(),
		[]cli.Flag{seedFlag("what is simulated")}, scenarioFlags(), execFlags())
}

// A program of Slurm has this time to answer, and site factors lie between these numbers.
const (
	slurmTimeout = 30 * time.Second
	mostFactor   = 100_000_000
)

// steer orders the queue of a real Slurm, or says how it would.
func (p *program) steer(c *cli.Context) error {
	if c.Args().First() == "report" {
		return p.steerReport(c)
	}
	programs := steer.Programs{Timeout: slurmTimeout}
	if c.Bool("undo") {
		return p.steerUndo(c, programs)
	}
	if err := exactly(c, "SCENARIO"); err != nil {
		return err
	}
	asked, err := switching(c)
	if err != nil {
		return err
	}
	if c.Bool("plan") {
		return p.steerPlan(c, asked)
	}
	s, q, err := p.steerer(c, programs)
	if err != nil {
		return err
	}
	if c.Bool("apply") {
		return p.steerApply(c, s, q, asked)
	}
	var records []steer.Record
	if _, err := os.Stat(c.String("journal")); err == nil {
		records, err = steer.ReadJournal(c.String("journal"))
		if err != nil {
			return err
		}
	}
	if err := s.Owe(c.Context, records); err != nil {
		return err
	}
	advice, err := p.steerAdvice(c, s, q, records)
	if err != nil {
		return err
	}
	from, err := steeredFrom(c, q)
	if err != nil {
		return err
	}
	site, err := q.Present(c.Context)
	if err != nil {
		return err
	}
	return p.steerDry(c, s, ask.Steering{Site: site, Command: from.StaticRule(advice)}, advice)
}

// steeredFrom returns what was typed of a scenario, with the files of today's settings.
func steeredFrom(c *cli.Context, q *ask.Question) (ask.Typed, error) {
	today, err := ask.SlurmPolicy(q.Subject)
	return typed(c).WithFiles(today, true), err
}

// steerAdvice says what steering adds to the best static rule: as the journal has it, else by tune and simulations. It is
// nil if nobody asks.
func (p *program) steerAdvice(
	c *cli.Context, s *steer.Steerer, q *ask.Question, records []steer.Record,
) (*steer.Advice, error) {
	kept := steer.KeptAdvice(records, c.Args().First(), s.Orderer.Policy.Label(), build().Version, s.Reservations)
	if c.Bool("anyway") || kept != nil {
		return kept, nil
	}
	show := meter.New(p.stderr, c.Bool("quiet"), false)
	defer show.Clear()
	return ask.SteerAdvice(c.Context, q, s, func(done, total int) { show.Show("advising", done, total) })
}

// steerer returns what orders the queue, as the command line asks for it.
func (p *program) steerer(c *cli.Context, programs steer.Slurm) (*steer.Steerer, *ask.Question, error) {
	s := &steer.Steerer{Slurm: programs}
	if c.Bool("once") && c.IsSet("every") {
		return nil, nil, usagef("steer: expected --once or --every T")
	}
	s.Settings = steer.Settings{Span: mostFactor, Changes: c.Int("changes"),
		OrderAll: c.Bool("order-all")}
	err := times(c, map[string]*float64{"every": &s.Settings.Every, "longest-wait": &s.Settings.LongestWait})
	if err != nil {
		return nil, nil, err
	}
	q, by, err := p.steering(c)
	if err != nil {
		return nil, nil, err
	}
	return s, q, s.Open(c.Context, q.Subject, by, c.Uint64("seed"))
}

// times reads times above 0 that flags state.
func times(c *cli.Context, flags map[string]*float64) (err error) {
	for flag, to := range flags {
		if !c.IsSet(flag) {
			continue
		}
		*to, err = parsed(flag, c.String(flag), scenario.ParseTime)
		if err != nil {
			return err
		}
		if !(*to > 0) {
			return usagef("--%s: expected a time above 0, got %q", flag, c.String(flag))
		}
	}
	return nil
}

// steering returns the scenario with the policy that orders its queue.
func (p *program) steering(c *cli.Context) (q *ask.Question, by subject.Policy, err error) {
	q, err = ask.Open(c.Context, p.asked(c).WithDefaults(), p.answering(c))
	if err != nil {
		return nil, by, err
	}
	list, err := q.Subject.Policies()
	if err == nil && c.IsSet("policy") {
		list, err = ask.ParsePolicies(q.Specs, c.StringSlice("policy")...)
	}
	if err != nil {
		return nil, by, err
	}
	if len(list) != 1 && c.IsSet("policy") {
		return nil, by, usagef("--policy: expected one policy, got %d", len(list))
	}
	return q, list[0], nil
}

// switching reads the trial that is asked for.
func switching(c *cli.Context) (asked steer.Switching, err error) {
	err = times(c, map[string]*float64{"switch": &asked.Span, "margin": &asked.Margin})
	asked.Seed, asked.Seeded = c.Uint64("seed"), c.IsSet("seed")
	switch {
	case err != nil:
	case asked.Span == 0 && (c.Bool("plan") || c.IsSet("margin")):
		err = usagef("--plan and --margin: expected --switch T with them")
	case asked.Span > 0 && c.Bool("plan") == c.Bool("apply"):
		err = usagef("--switch: expected one of --apply and --plan with it")
	}
	return asked, err
}

// steerPlan simulates a trial.
func (p *program) steerPlan(c *cli.Context, asked steer.Switching) error {
	q, by, err := p.steering(c)
	if err != nil {
		return err
	}
	a, err := ask.PlanSwitching(c.Context, q, steer.Inside(by, c.Bool("order-all")), asked)
	if err != nil {
		return err
	}
	return p.tell(c, p.sign(a))
}

// steerDry says what would change.
func (p *program) steerDry(c *cli.Context, s *steer.Steerer, view ask.Steering, advice *steer.Advice) error {
	for {
		pass, err := s.Look(c.Context)
		if err != nil {
			return err
		}
		pass.Advice = advice
		view.Pass = pass
		if err := p.tell(c, p.sign(view.Answer())); err != nil || s.Settings.Every == 0 {
			return err
		}
		select {
		case <-c.Context.Done():
			return nil
		case <-time.After(time.Duration(s.Settings.Every * float64(time.Second))):
		}
	}
}

// steerApply orders the queue.
func (p *program) steerApply(c *cli.Context, s *steer.Steerer, q *ask.Question, asked steer.Switching) error {
	journal, records, err := steer.OpenJournal(c.String("journal"))
	if err != nil {
		return err
	}
	defer journal.Close()
	s.Journal = journal
	undone, err := s.Recover(c.Context, records)
	if err != nil {
		return err
	}
	if len(undone) > 0 {
		if err := p.remark(c, ask.Undone(undone)); err != nil {
			return err
		}
	}
	site, err := p.steerBegin(c, s, q, records, asked)
	if err != nil {
		return err
	}
	var failed error
	undone, err = s.Run(c.Context, func(pass *steer.Pass) {
		switch {
		case s.Settings.Every == 0:
			failed = p.tell(c, p.sign(ask.Steering{Pass: pass, Applied: true, Site: site}.Answer()))
		case (len(pass.Changes) > 0 || pass.After.Restored > 0 || len(pass.Unreadable) > 0) && !c.Bool("quiet"):
			fmt.Fprintln(p.stderr, ask.PassLine(pass))
		}
	})
	switch {
	case c.Bool("quiet"):
	case s.Settings.Every > 0 && err == nil:
		failed = p.remark(c, ask.Undone(undone))
	case err == nil && failed == nil:
		fmt.Fprintf(p.stderr, "revopt: to undo: revopt steer --undo --journal %s\n", text.OneLine(c.String("journal")))
	}
	return cmp.Or(err, failed)
}

// steerBegin notes that a run begins, unless there are reasons not to steer. A trial needs no predicted gain: it exists to
// find out. It returns how the simulated present resembles the site.
func (p *program) steerBegin(
	c *cli.Context, s *steer.Steerer, q *ask.Question, records []steer.Record, asked steer.Switching,
) (site *ask.Present, err error) {
	var advice *steer.Advice
	if asked.Span == 0 {
		advice, err = p.steerAdvice(c, s, q, records)
		if err != nil {
			return nil, err
		}
	}
	from, err := steeredFrom(c, q)
	if err != nil {
		return nil, err
	}
	site, err = q.Present(c.Context)
	if err != nil {
		return nil, err
	}
	doubts := ask.Advised(advice, s.Reservations, s.Orderer.Policy.Label(), from.StaticRule(advice))
	refusal := ""
	if advice != nil && !advice.Steer {
		refusal = advice.Refusal()
	}
	if site.Foreign() {
		refusal = site.Refusal().String()
		doubts = append([]answer.Fact{site.Refusal()}, doubts...)
	}
	p.doubt(c, doubts)
	anyway := ""
	if c.Bool("anyway") {
		anyway = steer.Overridden(advice, s.Reservations)
		if site.Foreign() {
			anyway = strings.TrimSuffix(refusal+" "+anyway, " ")
		}
	}
	if anyway != "" && !c.Bool("quiet") {
		fmt.Fprintf(p.stderr, "revopt: --anyway overrides: %s\n", anyway)
	}
	unit := s.Orderer.Subject.Unit()
	start := steer.Start{Version: build().Version, Scenario: c.Args().First(), Policy: s.Orderer.Policy.Label(),
		Unit: unit, Units: s.Units, Settings: s.Settings, Process: os.Getpid(), Advice: advice, Anyway: anyway}
	refused := refusal != "" && !c.Bool("anyway")
	if !refused {
		err = s.Switch(records, asked)
	}
	if err == nil {
		err = s.Begin(start)
	}
	if err != nil {
		return nil, err
	}
	if refused {
		short := &shortError{"steer: nothing was changed: --anyway does it all the same"}
		return nil, cmp.Or(s.End(refusal), error(short))
	}
	return site, nil
}

// doubt prints reasons not to steer, unless the command line asks for silence.
func (p *program) doubt(c *cli.Context, list []answer.Fact) {
	for _, f := range list {
		if !c.Bool("quiet") {
			fmt.Fprintf(p.stderr, "revopt: warning %s: %s\n", f.Code, text.OneLine(f.String()))
		}
	}
}

// steerUndo restores what the journal says was changed.
func (p *program) steerUndo(c *cli.Context, programs steer.Slurm) error {
	if err := exactly(c); err != nil {
		return err
	}
	if _, err := os.Stat(c.String("journal")); err != nil { // it is not created
		return &workload.Error{File: c.String("journal"), Message: text.Cause(err), Cause: err}
	}
	journal, records, damaged, err := steer.SalvageJournal(c.String("journal"))
	if err != nil {
		return err
	}
	defer journal.Close()
	s := &steer.Steerer{Slurm: programs, Journal: journal}
	if err := s.Owe(c.Context, records); err != nil {
		return err
	}
	undone, err := s.Undo(context.WithoutCancel(c.Context))
	if err != nil {
		return err
	}
	err = p.tell(c, p.sign(ask.Undone(undone)))
	if missing := ask.Missing(undone); missing > 0 && err == nil {
		err = fmt.Errorf("steer: Slurm does not list %s of the journal, and does not call them gone: run steer --undo again",
			text.Plural(missing, "job"))
	}
	if damaged != nil {
		return cmp.Or(err, error(&steer.JournalError{Path: damaged.File, Cause: damaged, Message: fmt.Sprintf(
			"line %d is damaged: %s; factors that no other line has are not restored", damaged.Line, damaged.Message)}))
	}
	return err
}
