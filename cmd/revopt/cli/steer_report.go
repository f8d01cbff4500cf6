package cli

import (
	"encoding/json"
	"path/filepath"

	"github.com/urfave/cli/v2"

	"revopt/model/scenario"
	report "revopt/plots/report/steered"
	"revopt/simulate/slurm"
	"revopt/simulate/slurm/steer"
	"revopt/simulate/study"
	"revopt/simulate/study/steered"
	"revopt/simulate/subject"
	"revopt/simulate/workload"
)

// steerReportFlags are those of steer report alone.
func steerReportFlags() []cli.Flag {
	return []cli.Flag{
		stringFlag("sacct", "`FILE` output of sacct -aPX -o JobIDRaw,Start,End: when jobs ran, to the second"),
		stringFlag("today", "`P` the rule that steering is compared with in the report (default the first of the scenario "+
			"that did not steer, else easy)"),
		stringFlag("static", "`P` the static settings that it is compared with (default those of the advice in the journal)"),
		stringFlag("html", "`FILE` write the report as one self-contained page"),
	}
}

// steerReport prices what the journal of the second argument says happened.
func (p *program) steerReport(c *cli.Context) error {
	if c.NArg() < 2 || c.NArg() > 3 {
		return usagef("steer report: expected JOURNAL [SCENARIO], got %d arguments", c.NArg()-1)
	}
	path := c.Args().Get(1)
	records, err := steer.ReadJournal(path)
	if err != nil {
		return err
	}
	start := lastStart(records)
	if start == nil {
		return &workload.Error{File: path, Message: "expected a journal in which a run of steer starts"}
	}
	q := &steered.Question{Journal: path, Records: records, Level: 0.95}
	if c.IsSet("sacct") {
		zone, err := slurm.ParseZone("UTC")
		if err != nil {
			return err
		}
		q.Log, err = steered.ReadLog(c.String("sacct"), zone)
		if err != nil {
			return err
		}
	}
	q.Subject, err = p.steeredSubject(c, start.Scenario, path)
	if err != nil {
		return err
	}
	if err := p.steeredRules(c, q, start); err != nil {
		return err
	}
	result, err := q.Run(c.Context)
	if err != nil {
		return err
	}
	view := report.Report{Result: result}
	return p.deliver(c, result, view.Table, nil, flagFile(c, "html", view.Page))
}

// lastStart returns how steer was started last, nil if it never was.
func lastStart(records []steer.Record) (start *steer.Start) {
	for _, r := range records {
		if r.Start != nil {
			start = r.Start
		}
	}
	return start
}

// steeredSubject opens the scenario of the third argument, else that of a journal: as it was named, or beside the journal.
func (p *program) steeredSubject(c *cli.Context, name, journal string) (*subject.Subject, error) {
	if c.NArg() == 3 {
		name = c.Args().Get(2)
	} else if beside := filepath.Join(filepath.Dir(journal), filepath.Base(name)); !exists(name) && exists(beside) {
		name = beside
	}
	doc, err := scenario.Open(name)
	if err != nil {
		return nil, err
	}
	opener := subject.Opener{Seed: c.Uint64("seed"), Policies: p.filed(c)}
	return opener.Open(c.Context, doc)
}

// steeredRules sets the rules to compare: that of today, the static one of the advice, and the policy that steered.
func (p *program) steeredRules(c *cli.Context, q *steered.Question, start *steer.Start) error {
	parse := func(label string) (subject.Policy, error) {
		list, err := study.ParsePolicies(p.specs, label)
		if err != nil {
			return subject.Policy{}, err
		}
		return list[0], nil
	}
	var err error
	q.Policy, err = parse(start.Policy)
	if err != nil {
		return err
	}
	today := c.String("today")
	listed, _ := q.Subject.Policies()
	for _, l := range listed {
		if today == "" && l.Label() != q.Policy.Label() {
			today = l.Label()
		}
	}
	if today == "" || today == q.Policy.Label() {
		today = "easy"
	}
	q.Today, err = parse(today)
	if err != nil {
		return err
	}
	static := c.String("static")
	if static == "" {
		var advice struct {
			Static string `json:"static"`
		}
		_ = json.Unmarshal(start.Advice, &advice) // none: the report goes without
		static = advice.Static
	}
	if static == "" || static == today {
		return nil
	}
	rule, err := parse(static)
	q.Static = &rule
	return err
}
