package cli

import (
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"revopt/plots/report"
	"revopt/simulate/study"
	"revopt/simulate/study/request"
	"revopt/simulate/study/whatif"
	"revopt/simulate/subject"
)

func whatIfFlags() []cli.Flag {
	return append([]cli.Flag{
		listFlag("change", "`CHANGE` such as nodes=+16 (units of the machine, also cores=, gpus=, processors=), "+
			"growth=20% or policy=best; repeatable (required)"),
		listFlag("policy", "`P` policy before the changes, options as in hol:backfill=true "+
			"(default the scenario's first)"),
		stringFlag("admission", "`A` admission before the changes, as in simulate (default all)"),
		listFlag("cost", "`C` cost of an added unit of the machine (node, core, gpu, processor): 0.30/node-hour, "+
			"or 9000/node with --life; repeatable, one for each unit of pools"),
		stringFlag("life", "`T` life of a unit that costs a price, such as 5y"),
		boolFlag("formula", "add the formula of revopt solve to the table; on traces it is fitted to the jobs"),
		boolFlag("explain", "add the method to believe, the doubts about the formula and the bound"),
		stringFlag("html", "`FILE` write one self-contained page: verdicts, table, figure, scenario"),
	}, append(figureFlags("`DIR|FILE` write the figure: to a directory, or one .png, .svg, .pdf or .csv"),
		except(runFlags("`N` jobs per replication, warm-up included"), "precision", "metric")...)...)
}

func (p *program) whatIf(c *cli.Context) error {
	where, err := parseTarget(c)
	if err != nil {
		return err
	}
	q, w, err := p.openWhatIf(c)
	if err != nil {
		return err
	}
	result, err := ran(p, c, &w.Runner, w.Run)
	if result == nil {
		return err
	}
	result.Warnings = append(q.Repeated(result.Once), result.Warnings...)
	result.Command, result.Build = p.origin(c)
	view := &report.WhatIf{
		Result: result, Formula: c.Bool("formula") || c.Bool("explain"), Explain: c.Bool("explain"),
	}
	return p.finish(c, view, where, result.Samples, err, view.Shortfalls())
}

func (p *program) openWhatIf(c *cli.Context) (*request.Question, *whatif.WhatIf, error) {
	if len(c.StringSlice("change")) == 0 {
		return nil, nil, usagef("whatif: expected --change, such as --change nodes=+16, growth=20%%, policy=value-bf " +
			"or admission=simulated")
	}
	q, err := p.openRun(c)
	if err != nil {
		return nil, nil, err
	}
	w := &whatif.WhatIf{
		Subject: q.Subject, Resample: q.Run.Resample, Plain: q.Plain, Seed: q.Seed, Level: q.Run.Level,
		Replications: q.Run.Count, Overrides: q.Overrides, Formula: c.Bool("formula"),
	}
	switch policies := q.Run.Policies; {
	case len(policies) > 1:
		return nil, nil, usagef("--policy: expected one policy, got %d: --change policy=A,B tries others", len(policies))
	case len(policies) == 1:
		w.Policy = &policies[0]
	}
	if c.IsSet("admission") {
		w.Admission, err = oneAdmission(c, q.Subject)
		if err != nil {
			return nil, nil, err
		}
	}
	if firstSet(c, "cost", "life") != "" {
		list := c.StringSlice("cost")
		if list == nil {
			list = []string{""}
		}
		costs, err := whatif.ParseCosts(q.Subject, list)
		if err != nil {
			return nil, nil, usagef("--cost: %s", err)
		}
		w.Costs, err = parsed("life", c.String("life"), costs.Over)
		if err != nil {
			return nil, nil, err
		}
	}
	for _, arg := range c.StringSlice("change") {
		list, err := p.parseChange(q.Subject, w, arg)
		if err != nil {
			return nil, nil, err
		}
		for _, change := range list {
			if slices.ContainsFunc(w.Changes, func(o whatif.Change) bool { return o.Name == change.Name }) {
				return nil, nil, usagef("--change: %s is given twice", change.Name)
			}
			w.Changes = append(w.Changes, change)
		}
	}
	has := func(what string) bool {
		return slices.ContainsFunc(w.Changes, func(o whatif.Change) bool { return o.Choice == what })
	}
	if has("load") && has("growth") {
		return nil, nil, usagef("--change load: expected no growth beside it, as both say how many jobs come")
	}
	return q, w, nil
}

// bestPolicy asks for every policy that applies.
const bestPolicy = "best"

// parseChange reads a value of --change: one change, or one for each policy or admission.
func (p *program) parseChange(s *subject.Subject, w *whatif.WhatIf, arg string) ([]whatif.Change, error) {
	what, value, _ := strings.Cut(arg, "=")
	var list []whatif.Change
	what = strings.TrimSpace(what)
	value = strings.TrimSpace(value)
	switch what {
	case whatif.ChoicePolicy:
		policies, err := s.Policies()
		if err != nil {
			return nil, err
		}
		before := policies[0]
		if w.Policy != nil {
			before = *w.Policy
		}
		if value == bestPolicy {
			policies, _ = s.Applying()
		} else {
			policies, err = study.ParsePolicies(p.specs, value)
			if err != nil {
				return nil, changeError(arg, err)
			}
		}
		for _, p := range policies {
			if value != bestPolicy || p.Label() != before.Label() {
				list = append(list, whatif.Change{Name: "policy=" + p.Label(), Policy: &p, Choice: what})
			}
		}
		if list == nil {
			return nil, usagef("--change policy=best: no other policy than %s applies", before.Label())
		}
		return list, nil
	case "admission":
		admissions, err := study.ParseAdmissions(s, []string{value})
		if err != nil {
			return nil, changeError(arg, err)
		}
		for _, a := range admissions {
			list = append(list, whatif.Change{Name: "admission=" + a.Name, Admission: &a, Choice: what})
		}
		return list, nil
	}
	return whatif.ParseChanges(s, arg)
}

// changeError says of an error about a flag that a change is to blame.
func changeError(arg string, err error) error {
	_, message, _ := strings.Cut(err.Error(), ": ")
	return usagef("--change %s: %s", arg, message)
}
