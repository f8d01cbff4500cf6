package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"time"

	"github.com/urfave/cli/v2"

	"revopt/internal/meter"
	"revopt/internal/text"
	"revopt/model/scenario"
	"revopt/plots/answer"
	"revopt/simulate/ask"
	"revopt/simulate/slurm/steer"
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
	}, allUnder(resultGroup, boolFlag("explain", "list all changes"), quietFlag("progress and passes")), allUnder(machineGroup,
		stringFlag("squeue", "`FILE` saved output of squeue in place of the queue now, for a dry run"),
		stringFlag("sprio", "`FILE` saved output of sprio beside it"),
		stringFlag("sinfo", "`FILE` saved output of sinfo beside it"),
		stringFlag("scontrol", "`FILE` saved output of scontrol show config beside it"),
	), allUnder(methodGroup,
		wholeFlag("span", 1000, 2147483645, 100000000, "`N` keep site factors between -N and N"),
		presetFlag("timeout", "30s", "`T` end when a program of Slurm takes longer"),
	), steerReportFlags(), []cli.Flag{seedFlag("what is simulated")}, scenarioFlags(), execFlags())
}

// steer orders the queue of a real Slurm, or says how it would.
func (p *program) steer(c *cli.Context) error {
	if c.Args().First() == "report" {
		return p.steerReport(c)
	}
	timeout, err := parsed("timeout", c.String("timeout"), scenario.ParseTime)
	if err != nil {
		return err
	}
	programs := steer.Programs{Timeout: time.Duration(timeout * float64(time.Second))}
	if c.Bool("undo") {
		return p.steerUndo(c, programs)
	}
	if err := exactly(c, "SCENARIO"); err != nil {
		return err
	}
	s, q, err := p.steerer(c, programs)
	if err != nil {
		return withoutSlurm(err)
	}
	if c.Bool("apply") {
		return p.steerApply(c, s, q)
	}
	var records []steer.Record
	if _, err := os.Stat(c.String("journal")); err == nil {
		records, err = steer.ReadJournal(c.String("journal"))
		if err != nil {
			return err
		}
	}
	if err := s.Owe(c.Context, records); err != nil {
		return withoutSlurm(err)
	}
	advice, err := p.steerAdvice(c, s, q, records)
	if err != nil {
		return withoutSlurm(err)
	}
	from, err := steeredFrom(c, q)
	if err != nil {
		return err
	}
	return withoutSlurm(p.steerDry(c, s, advice, from))
}

// steeredFrom returns what was typed of a scenario, with the files of today's settings.
func steeredFrom(c *cli.Context, q *ask.Question) (ask.Typed, error) {
	today, err := ask.SlurmPolicy(q.Subject)
	return typed(c).WithFiles(today, true), err
}

// withoutSlurm adds to a call of Slurm without an answer how to do without it.
func withoutSlurm(err error) error {
	var call *steer.CallError
	if !errors.As(err, &call) || !call.Silent {
		return err
	}
	return fmt.Errorf("no answer of Slurm here; try saved output with --squeue FILE --sprio FILE: %w", err)
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
	names := []string{"squeue", "sprio", "sinfo", "scontrol"}
	files := steer.Files{}
	for _, name := range names {
		files[name] = c.String(name)
	}
	saved := firstSet(c, names...) != ""
	switch {
	case saved && c.Bool("apply"):
		return nil, nil, usagef("--apply: expected the queue of a cluster, got --%s", firstSet(c, names...))
	case saved && (files["squeue"] == "" || files["sprio"] == ""):
		return nil, nil, usagef("steer: expected --squeue FILE and --sprio FILE together")
	case c.Bool("once") && c.IsSet("every"):
		return nil, nil, usagef("steer: expected --once or --every T")
	case saved:
		s.Slurm = files
	}
	s.Settings = steer.Settings{Span: c.Int("span"), Changes: c.Int("changes"),
		OrderAll: c.Bool("order-all")}
	var err error
	for flag, to := range map[string]*float64{"every": &s.Settings.Every, "longest-wait": &s.Settings.LongestWait} {
		if !c.IsSet(flag) {
			continue
		}
		*to, err = parsed(flag, c.String(flag), scenario.ParseTime)
		if err != nil {
			return nil, nil, err
		}
		if !(*to > 0) {
			return nil, nil, usagef("--%s: expected a time above 0, got %q", flag, c.String(flag))
		}
	}
	r := p.asked(c)
	r.Span = "" // of site factors, not of histories
	q, err := ask.Open(c.Context, r.WithDefaults(), p.answering(c))
	if err != nil {
		return nil, nil, err
	}
	list, err := q.Subject.Policies()
	if err == nil && c.IsSet("policy") {
		list, err = ask.ParsePolicies(q.Specs, c.StringSlice("policy")...)
	}
	if err != nil {
		return nil, nil, err
	}
	if len(list) != 1 && c.IsSet("policy") {
		return nil, nil, usagef("--policy: expected one policy, got %d", len(list))
	}
	return s, q, s.Open(c.Context, q.Subject, list[0], c.Uint64("seed"))
}

// steerDry says what would change.
func (p *program) steerDry(c *cli.Context, s *steer.Steerer, advice *steer.Advice, from ask.Typed) error {
	for {
		pass, err := s.Look(c.Context)
		if err != nil {
			return err
		}
		if err := s.Predict(c.Context, pass); err != nil {
			return err
		}
		pass.Advice = advice
		view := ask.Steering{Pass: pass, Command: from.StaticRule(advice)}
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
func (p *program) steerApply(c *cli.Context, s *steer.Steerer, q *ask.Question) error {
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
	advice, err := p.steerAdvice(c, s, q, records)
	if err != nil {
		return err
	}
	from, err := steeredFrom(c, q)
	if err != nil {
		return err
	}
	doubts := ask.Advised(advice, s.Reservations, s.Orderer.Policy.Label(), from.StaticRule(advice))
	p.doubt(c, doubts)
	anyway := ""
	if c.Bool("anyway") {
		anyway = steer.Overridden(advice, s.Reservations)
	}
	if anyway != "" && !c.Bool("quiet") {
		fmt.Fprintf(p.stderr, "revopt: --anyway overrides: %s\n", anyway)
	}
	unit := s.Orderer.Subject.Unit()
	start := steer.Start{Version: build().Version, Scenario: c.Args().First(), Policy: s.Orderer.Policy.Label(),
		Unit: unit, Units: s.Units, Settings: s.Settings, Process: os.Getpid(), Advice: advice, Anyway: anyway}
	if err := s.Begin(start); err != nil {
		return err
	}
	if advice != nil && !advice.Steer && !c.Bool("anyway") {
		refused := &shortError{"steer: nothing was changed: --anyway does it all the same"}
		return cmp.Or(s.End(advice.Refusal()), error(refused))
	}
	var failed error
	undone, err = s.Run(c.Context, func(pass *steer.Pass) {
		switch {
		case s.Settings.Every == 0:
			failed = p.tell(c, p.sign(ask.Steering{Pass: pass, Applied: true}.Answer()))
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
