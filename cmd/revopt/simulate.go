package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"revopt/internal/safefile"
	"revopt/internal/text"
	"revopt/model/scenario"
	"revopt/plots"
	"revopt/plots/report"
	"revopt/simulate/metric"
	"revopt/simulate/policy"
	"revopt/simulate/study"
	"revopt/simulate/workload"
)

func (p *program) simulateCommand() *cli.Command {
	return &cli.Command{
		Name:      "simulate",
		Usage:     "what a cluster earns in replicated simulations, with confidence intervals",
		ArgsUsage: "SCENARIO [flags]",
		Description: `Simulates the jobs of a scenario one by one, with their floors and expiry, and
reports what the cluster earns and how long jobs wait, each with a confidence
interval. Several policies and admissions are compared on the same jobs. Policies:
` + indented(policyNames()) + `
A policy that needs something that the jobs do not have is refused.

An admission is all; analytic, what solve finds; simulated, searched on the
simulator itself and reported on fresh random numbers; promise, likewise, of those
that keep the promises (slo); probabilities, one per class as in 1,1,0.5,0 or by
name as in batch=0.5, the others being admitted; or one that looks at the queue:
threshold, limits on the jobs that wait, of the model or searched; and state, what
solve --control state finds for server.residual: multiserver. prices asks what
solve --prices finds, and fewer or more jobs come; prices-simulated searches the
prices on the simulator. A number for --jobs of a trace means its last ones.

Examples:
  revopt simulate nist-cluster --load 3 --admission all --admission analytic --admission simulated
  revopt simulate nist-cluster-widths --policy hol,hol:backfill=true,fcfs,easy
  revopt simulate sp2-like --policy easy,libra --admission all,analytic --growth 20%
  revopt simulate nist-cluster --precision 1% --metric utilization --json`,
		Flags: append([]cli.Flag{
			&cli.StringFlag{Name: "policy", Usage: "`LIST` policies by commas, options as in hol:backfill=true (default the scenario's)"},
			&cli.StringSliceFlag{Name: "admission", Usage: "`A` all (default), analytic, simulated, promise, threshold, state, prices, numbers"},
			&cli.StringFlag{Name: "horizon", Usage: "`T` length of a replication as a time, such as 182d"},
			&cli.StringFlag{Name: "warmup", Usage: "`W` to leave out: a share such as 10%, a time such as 2h, or mser (MSER-5)"},
			&cli.StringFlag{Name: "records", Usage: "`FILE` write a line of CSV for every job of the first replication"},
			&cli.StringFlag{Name: "gantt", Usage: "`FILE` draw which job runs where in the first replication"},
			&cli.BoolFlag{Name: "classes", Usage: "print the table of classes even where several are compared"},
		}, runFlags("`N` jobs per replication, warm-up included")...),
		Action: p.simulate,
	}
}

// indented puts words on lines of a help text.
func indented(words []string) string {
	return "  " + strings.Join(text.Wrapped(strings.Join(words, ", "), 80), "\n  ")
}

// runFlags are those that all simulations have, with the help of --jobs.
func runFlags(jobs string) []cli.Flag {
	return append([]cli.Flag{
		&cli.StringFlag{Name: "replications", Usage: "`N` replications (with --resample 100); with --precision at most, by default 1280"},
		&cli.StringFlag{Name: "jobs", Usage: jobs},
		&cli.StringFlag{Name: "precision", Usage: "`P` replicate until the interval is this share of the mean, such as 1%"},
		&cli.StringFlag{Name: "metric", Usage: "`M` whose interval --precision looks at (default revenue_per_second)"},
		&cli.StringFlag{Name: "resample", Usage: "`weeks` draw other spans out of a trace by weeks and users: intervals are their range"},
		&cli.StringFlag{Name: "span", Usage: "`T` length of the spans of --resample, such as 12w (default that of the trace)"},
		&cli.StringFlag{Name: "level", Value: "0.95", Usage: "`L` level of confidence of the intervals"},
		&cli.BoolFlag{Name: "plain", Usage: "measure without control variates"},
		seedFlag("the random numbers"), workersFlag("replications"),
	}, slices.Concat(scenarioFlags(), []cli.Flag{jsonFlag(), csvFlag("all measures"), saveFlag()}, journalFlags("replications"), []cli.Flag{quietFlag("progress and no warnings")})...)
}

// warmupMSER asks for the warm-up that MSER-5 finds.
const warmupMSER = "mser"

// runSettings are the flags that say how to simulate.
type runSettings struct {
	policies   []study.Policy // nil: as the scenario says
	admissions []study.Admission
	stop       *study.Stop          // nil runs the scenario's number of replications
	resample   *workload.Resampling // nil replays a trace as it is
	count      int                  // replications asked for, 0 where none are
	workers    int
	level      float64
	journal    *study.Journal
}

// openRun reads the scenario and how to simulate it.
func (p *program) openRun(c *cli.Context) (*input, *runSettings, error) {
	o, err := runOptions(c)
	if err != nil {
		return nil, nil, err
	}
	in, err := p.open(c, "replications", "jobs", "horizon", "warmup")
	if err != nil {
		return nil, nil, err
	}
	if o.journal, err = p.openJournal(c, in.doc, func() ([]string, error) { return in.Scenario.Files(), nil }); err != nil {
		return nil, nil, err
	}
	if c.IsSet("replications") {
		o.count = in.Scenario.Simulation.Replications
	}
	values := c.StringSlice("admission")
	if priced := func(name string) bool { return name == scenario.AdmitPrices || name == scenario.AdmitPricesSimulated }; slices.ContainsFunc(strings.Split(strings.Join(values, ","), ","), priced) {
		if len(values) > 1 || !priced(values[0]) {
			return nil, nil, usagef("--admission: expected prices alone: at other prices other jobs come")
		}
		if o.admissions, err = p.ask(c, in, o, values[0]); err != nil {
			return nil, nil, err
		}
	} else if o.admissions, err = parseAdmissions(values, in.Names(), len(in.Scenario.Classes)); err != nil {
		return nil, nil, err
	}
	if n := in.Scenario.Simulation.Replications; o.stop != nil && c.IsSet("replications") {
		if n < 2 {
			return nil, nil, usagef("--replications: expected at least 2 with --precision, got %d", n)
		}
		o.stop.Precision.Max = n
	}
	return in, o, nil
}

// ask gives the subject the prices that an admission names, and returns it with the
// shares to admit.
func (p *program) ask(c *cli.Context, in *input, o *runSettings, name string) ([]study.Admission, error) {
	policies, err := o.policies, error(nil)
	if policies == nil {
		if policies, err = in.Policies(nil); err != nil {
			return nil, err
		}
	}
	if searched := name == scenario.AdmitPricesSimulated; searched && (len(policies) > 1 || c.Command.Name != "simulate") {
		return nil, usagef("--admission %s: expected simulate or whatif, and one policy, for which prices are searched", name)
	}
	show := p.meter(c)
	defer show.clear()
	e := &study.Experiment{Workload: in.Workload, Policy: policies[0], Admission: study.Admission{Name: name}, Seed: c.Uint64("seed"), Plain: c.Bool("plain"), Journal: o.journal}
	priced, _, err := in.AskPrices(c.Context, e, o.workers, show.show)
	if err != nil {
		return nil, err
	}
	in.Subject = priced
	if !c.Bool("quiet") {
		show.clear()
		by := "by the model"
		if name == scenario.AdmitPricesSimulated {
			by = "in simulation"
		}
		fmt.Fprintf(p.stderr, "revopt: prices that earn most %s: %s\n", by, text.OneLine(report.Prices(in.Asked())))
	}
	return []study.Admission{{Name: name, Admit: in.Shares, Prices: in.Asked()}}, nil
}

func runOptions(c *cli.Context) (*runSettings, error) {
	o := &runSettings{}
	var err error
	if o.workers, err = workers(c); err != nil {
		return nil, err
	}
	level, ok := fraction(c.String("level"))
	if !ok || level >= 1 {
		return nil, usagef("--level: expected a share above 0 and below 1 such as 0.95, got %q", c.String("level"))
	}
	o.level = level
	if c.IsSet("policy") {
		if o.policies, err = parsePolicies(c.String("policy")); err != nil {
			return nil, err
		}
	}
	if o.resample, err = resampling(c); err != nil {
		return nil, err
	}
	if !c.IsSet("precision") {
		if c.IsSet("metric") {
			return nil, usagef("--metric: expected --precision with it, such as --precision 1%%")
		}
		return o, nil
	}
	relative, ok := fraction(c.String("precision"))
	if !ok {
		return nil, usagef("--precision: expected a share of the mean above 0 such as 1%%, got %q", c.String("precision"))
	}
	o.stop = &study.Stop{Measure: metric.RevenuePerSecond(), Precision: metric.Precision{Relative: relative}}
	if name := c.String("metric"); c.IsSet("metric") {
		if o.stop.Measure, ok = metric.Lookup(name); !ok {
			known := metric.Names(metric.Measures())
			return nil, usagef("--metric: unknown measure %q%s", name, expectedOne(name, known))
		}
	}
	return o, nil
}

// resampling reads --resample and --span.
func resampling(c *cli.Context) (*workload.Resampling, error) {
	switch how := c.String("resample"); {
	case !c.IsSet("resample") && c.IsSet("span"):
		return nil, usagef("--span: expected --resample weeks with it")
	case !c.IsSet("resample"):
		return nil, nil
	case how != "weeks":
		return nil, usagef("--resample: expected weeks, got %q", how)
	case c.IsSet("precision"):
		return nil, usagef("--precision: expected none with --resample: the range of spans does not shrink with replications")
	}
	r := &workload.Resampling{}
	if c.IsSet("span") {
		var err error
		if r.Span, err = scenario.ParseTime(c.String("span")); err != nil || !(r.Span > 0) {
			return nil, usagef("--span: expected a time above 0 such as 12w, got %q", c.String("span"))
		}
	}
	return r, nil
}

// expectedOne says which word was meant and which there are.
func expectedOne(word string, known []string) string {
	if near := didYouMean(word, known); near != "" {
		return near + " (one of " + strings.Join(known, ", ") + ")"
	}
	return ", expected one of " + strings.Join(known, ", ")
}

// parsePolicies reads a list such as "hol,fcfs:backfill=true".
func parsePolicies(list string) ([]study.Policy, error) {
	var chosen []study.Policy
	for item := range strings.SplitSeq(list, ",") {
		p, err := study.ParsePolicy(nil, strings.Split(strings.TrimSpace(item), ":"))
		var unknown *policy.UnknownError
		var option *policy.OptionError
		switch {
		case errors.As(err, &unknown):
			return nil, usagef("--policy: unknown policy %q%s", unknown.Name, expectedOne(unknown.Name, unknown.Known))
		case errors.As(err, &option) && option.Want == "":
			return nil, usagef("--policy: %s%s", err, didYouMean(option.Option, option.Known))
		case err != nil:
			return nil, usagef("--policy: %s", err)
		}
		if slices.ContainsFunc(chosen, func(q study.Policy) bool { return q.Label() == p.Label() }) {
			return nil, usagef("--policy: %s is given twice", p.Label())
		}
		chosen = append(chosen, p)
	}
	return chosen, nil
}

// parseAdmissions reads the values of --admission, nil where there are none. The
// names are those of the customers, of which the scenario lists the first ones.
func parseAdmissions(values, names []string, listed int) ([]study.Admission, error) {
	if listed == 0 {
		listed = len(names)
	}
	var chosen []study.Admission
	for _, value := range values {
		list, err := parseAdmission(value, names[:min(listed, len(names))])
		if err != nil {
			return nil, err
		}
		for _, a := range list {
			if slices.ContainsFunc(chosen, func(b study.Admission) bool { return a.Name == b.Name }) {
				return nil, usagef("--admission: %s is given twice", a.Name)
			}
			chosen = append(chosen, a)
		}
	}
	return chosen, nil
}

// admissionNames returns the admissions that have a name.
func admissionNames() []string {
	return []string{scenario.AdmitAll, scenario.AdmitAnalytic, scenario.AdmitSimulated, scenario.AdmitPromise, study.ControlThreshold, study.ControlState, scenario.AdmitPrices, scenario.AdmitPricesSimulated}
}

// parseAdmission reads names such as "all,analytic", or one admission by its
// probabilities.
func parseAdmission(value string, names []string) ([]study.Admission, error) {
	parts := strings.Split(value, ",")
	var named []study.Admission
	for i, part := range parts {
		parts[i] = strings.TrimSpace(part)
		if slices.Contains(admissionNames(), parts[i]) {
			named = append(named, study.Admission{Name: parts[i]})
		}
	}
	switch {
	case len(named) == len(parts):
		return named, nil
	case len(named) > 0:
		return nil, usagef("--admission: expected names or probabilities, got both in %q; give the flag several times", value)
	}
	read := parseVector
	if strings.Contains(value, "=") {
		read = parsePairs
	}
	admit, err := read(value, parts, names)
	return []study.Admission{{Name: strings.Join(parts, ","), Admit: admit}}, err
}

// parseVector reads one probability for each class.
func parseVector(value string, parts, names []string) ([]float64, error) {
	var admit []float64
	for _, part := range parts {
		q, ok := probability(part)
		if !ok {
			return nil, usagef("--admission: expected %s or probabilities from 0 to 1, got %q in %q%s", strings.Join(admissionNames(), ", "), part, value, didYouMean(part, admissionNames()))
		}
		admit = append(admit, q)
	}
	if len(admit) != len(names) {
		return nil, usagef("--admission: expected %d probabilities, one for each class (%s), got %d in %q", len(names), strings.Join(names, ", "), len(admit), value)
	}
	return admit, nil
}

// parsePairs reads name=probability for some of the classes. The others are
// admitted.
func parsePairs(value string, parts, names []string) ([]float64, error) {
	admit := slices.Repeat([]float64{1}, len(names))
	seen := map[string]bool{}
	for _, part := range parts {
		at := max(strings.LastIndex(part, "="), 0)
		name := strings.TrimSpace(part[:at])
		q, ok := probability(strings.TrimPrefix(part[at:], "="))
		i := slices.Index(names, name)
		switch {
		case at == 0 || !ok:
			return nil, usagef("--admission: expected class=probability from 0 to 1, got %q in %q", part, value)
		case i < 0:
			return nil, usagef("--admission: unknown class %q%s", name, expectedOne(name, names))
		case seen[name]:
			return nil, usagef("--admission: class %s is given twice in %q", name, value)
		}
		admit[i], seen[name] = q, true
	}
	return admit, nil
}

// probability reads a number from 0 to 1, such as 0.2 or 20%.
func probability(text string) (float64, bool) {
	x, err := share(text)
	return x, err == nil && x >= 0 && x <= 1
}

// fraction reads a finite number above 0, such as 0.01 or 1%.
func fraction(text string) (float64, bool) {
	x, err := share(text)
	return x, err == nil && x > 0 && !math.IsInf(x, 0)
}

// share reads a number, or a percentage.
func share(text string) (float64, error) {
	text, percent := strings.CutSuffix(strings.TrimSpace(text), "%")
	x, err := strconv.ParseFloat(text, 64)
	if percent {
		x /= 100
	}
	return x, err
}

func (p *program) simulate(c *cli.Context) error {
	in, o, err := p.openRun(c)
	if err != nil {
		return err
	}
	if err := checkGantt(c, in.Subject); err != nil {
		return err
	}
	show := p.meter(c)
	s := &study.Simulation{
		Subject: in.Subject, Policies: o.policies, Admissions: o.admissions, Stop: o.stop, Resample: o.resample, Plain: c.Bool("plain"), MSER: c.String("warmup") == warmupMSER,
		Seed: c.Uint64("seed"), Workers: o.workers, Level: o.level, Progress: show.show, Journal: o.journal, Version: build().Version, Overrides: in.overrides,
	}
	if o.resample != nil {
		s.Replications = o.count
	}
	result, err := s.Run(c.Context)
	show.clear()
	if result == nil || err != nil && !errors.Is(err, context.Canceled) {
		return p.stopped(c, nil, err)
	}
	result.Warnings = append(p.mixed(), result.Warnings...)
	result.Command, result.Build = p.origin(c)
	result.ByClass = c.Bool("classes")
	t := simulated{result}
	files := []func() error{saveFile(c, result)}
	if err == nil {
		files = append(files, func() error { return t.writeRecords(c) }, func() error { return p.writeGantt(c, result) })
	}
	return errors.Join(p.deliverSimulated(c, result, files...), p.stopped(c, result.Warnings, err), shortfall(result))
}

// deliverSimulated prints the result of a simulation and writes its files.
func (p *program) deliverSimulated(c *cli.Context, r *study.Result, files ...func() error) error {
	report.Fill(r)
	t := simulated{r}
	return p.deliver(c, r, t.print, r.Warnings, append([]func() error{csvFile(c, t.provenance(), t.records)}, files...)...)
}

// shortfall returns the promises that an admission was to keep and cannot.
func shortfall(r *study.Result) error {
	var words []string
	for _, row := range r.Policies {
		for _, s := range row.Admission.Short() {
			words = append(words, row.Label+": "+report.Shortfall(s))
		}
	}
	if words == nil {
		return nil
	}
	return &shortError{strings.Join(words, "; ")}
}

// simulated is the result of a simulation as it is printed.
type simulated struct{ *study.Result }

// writeRecords writes the file of --records. It runs the first replication of
// every row once more, and gets the same jobs as before.
func (t simulated) writeRecords(c *cli.Context) error {
	if c.String("records") == "" {
		return nil
	}
	return safefile.Write(c.String("records"), func(w io.Writer) error {
		records := metric.NewRecords(w)
		for i, e := range t.Experiments {
			if _, err := e.Run(c.Context, 0, records.Observer(t.Policies[i].Label, 0, t.Names())); err != nil {
				return err
			}
		}
		return records.Flush()
	})
}

// print writes the result for a person to read. The classes of each row follow
// where there is only one, or where they are asked for.
func (t simulated) print(w io.Writer) {
	fmt.Fprintf(w, "%s: %s%s%s\n", text.OneLine(t.Scenario), text.OneLine(t.What), t.span(), t.under())
	if t.Cleaning != nil {
		fmt.Fprintf(w, "cleaning %s\n", text.OneLine(report.Cleaning(t.Cleaning)))
	}
	fmt.Fprintf(w, "%s\n", t.runWords())
	if t.Once || t.Replications > 1 {
		fmt.Fprintf(w, "%s\n", text.OneLine(t.Covers))
	}
	measure, name := t.money().measure, t.money().heading
	if p := t.Precision; p != nil && p.Metric != measure {
		measure, name = p.Metric, p.Metric
	}
	if words := t.VariateWords(measure, name); words != "" {
		fmt.Fprintln(w, words)
	}
	fmt.Fprintln(w)
	t.table().print(w)
	t.printDifferences(w)
	for i, words := range report.Promises(t.Result) {
		if i == 0 {
			fmt.Fprintln(w)
		}
		fmt.Fprintln(w, strings.Join(text.Wrapped(text.OneLine(words), tableWidth), "\n"))
	}
	t.printAdmissions(w)
	for _, row := range t.Policies {
		if row.Providers == nil {
			break
		}
		fmt.Fprintln(w)
		if len(t.Policies) > 1 {
			fmt.Fprintf(w, "%s\n", text.OneLine(row.Label))
		}
		t.providerTable(row).print(w)
	}
	for _, row := range t.Policies {
		if !t.ByClass && (len(t.Policies) > 1 || len(row.Customers) == 1) {
			break
		}
		fmt.Fprintf(w, "\n")
		if len(t.Policies) > 1 {
			fmt.Fprintf(w, "%s\n", text.OneLine(row.Label))
		}
		t.classTable(row).print(w)
	}
}

// span says in which time finitely many jobs deliver their value.
func (t simulated) span() string {
	if t.Stream || !t.pays() {
		return ""
	}
	least, most := t.Policies[0].Span, t.Policies[0].Span
	for _, row := range t.Policies {
		least, most = min(least, row.Span), max(most, row.Span)
	}
	words := ", in " + text.Duration(least)
	if to := text.Duration(most); to != text.Duration(least) {
		words += " to " + to
	}
	return words
}

// pays reports whether some row has money to show.
func (t simulated) pays() bool {
	return slices.ContainsFunc(t.Policies, func(row study.Row) bool { return row.Total.Get(t.money().measure).Mean != 0 })
}

// under names the policy, where there is one.
func (t simulated) under() string {
	label := t.Policies[0].Policy.Label
	for _, row := range t.Policies {
		if row.Policy.Label != label {
			return ""
		}
	}
	return ", under " + label
}

// runWords says how often and how long was simulated.
func (t simulated) runWords() string {
	words := text.Plural(t.Replications, "replication")
	if t.Horizon != nil {
		words += " of " + text.Duration(float64(*t.Horizon))
	}
	if warmup := t.warmupWords(); warmup != "" {
		words += ", " + warmup + " left out as warm-up"
	}
	words += fmt.Sprintf(", seed %d", t.Seed)
	if t.Replications > 1 {
		words += report.Level(t.Result)
	}
	return words
}

// warmupWords says how much is left out of a replication, nothing where that is
// not possible.
func (t simulated) warmupWords() string {
	switch w := t.Warmup; {
	case w == nil:
		return ""
	case w.Method == warmupMSER:
		return text.Plural(int(w.Jobs), "job") + " (MSER-5)"
	case w.Seconds > 0:
		return text.Duration(float64(w.Seconds))
	default:
		return text.Plain(100*float64(w.Fraction)) + " %"
	}
}

// resultTable is a table of estimates.
type resultTable struct {
	left    []string // headings of the columns that name rows
	columns []measured
	rows    [][]string // that name rows
	values  []study.Estimates
}

// measured is a column of a table: a measure in some unit.
type measured struct {
	heading, measure string
	format           func(e study.Estimate) string
}

// columns returns the columns for which rows have something to show.
func (t simulated) columns(rows []study.Estimates) []measured {
	some := func(name string, is func(mean float64) bool) bool {
		return slices.ContainsFunc(rows, func(e study.Estimates) bool { return is(float64(e.Get(name).Mean)) })
	}
	known := func(x float64) bool { return !math.IsNaN(x) }
	money := t.money()
	list := []measured{{money.heading, money.measure, times(money.scale)}}
	switch {
	case !some(money.measure, func(x float64) bool { return x != 0 }):
		list[0] = measured{"completed", "jobs_completed", times(1)}
	case money.unit != perHour:
		list = append(list, measured{"value $/h", "value_per_second", times(3600)})
	}
	if some("job_qos_satisfaction", known) {
		list = append(list, measured{"QoS kept", "job_qos_satisfaction", percentage})
	}
	if t.ByPolicy && some("cluster_profitability", func(x float64) bool { return x != 0 && known(x) }) {
		list = append(list, measured{"profit", "cluster_profitability", percentage}) // charged in time, of all budgets
	}
	list = append(list, measured{"used", "utilization", percentage}, measured{"mean wait", "mean_wait", seconds}, measured{"slowdown", "mean_bounded_slowdown", ratio})
	if some("acceptance", func(x float64) bool { return x < 1 }) {
		list = append(list, measured{"admitted", "acceptance", percentage})
	}
	if some("expired_share", func(x float64) bool { return x > 0 }) {
		list = append(list, measured{"expired", "expired_share", percentage})
	}
	return list
}

// perHour is the unit of money that a stream earns.
const perHour = "$/h"

// moneyUnit is how money is shown: earned per hour of a stream, delivered in all
// by finitely many jobs.
type moneyUnit struct {
	heading, measure, verb, unit string
	scale                        float64
}

func (t simulated) money() moneyUnit {
	if t.Stream {
		return moneyUnit{"earns $/h", "revenue_per_second", "earns", perHour, 3600}
	}
	var most float64
	for _, row := range t.Policies {
		most = max(most, math.Abs(float64(row.Total.Get("utility").Mean)))
	}
	factor, prefix := text.MoneyUnit(most)
	return moneyUnit{"value " + prefix + "$", "utility", "delivers", prefix + "$", factor}
}

// table lists the rows.
func (t simulated) table() *resultTable {
	table := &resultTable{}
	policies, admissions := t.under() == "", t.admissions() > 1
	if policies || !admissions {
		table.left = append(table.left, "policy")
	}
	if admissions {
		table.left = append(table.left, "admission")
	}
	for _, row := range t.Policies {
		var cells []string
		if policies || !admissions {
			cells = append(cells, row.Policy.Label)
		}
		if admissions {
			cells = append(cells, row.Admission.Name)
		}
		table.rows, table.values = append(table.rows, cells), append(table.values, row.Total)
	}
	table.columns = t.columns(table.values)
	return table
}

// admissions counts the admissions that are compared.
func (t simulated) admissions() int {
	names := map[string]bool{}
	for _, row := range t.Policies {
		names[row.Admission.Name] = true
	}
	return len(names)
}

// classTable lists the customers of a row and their total.
func (t simulated) classTable(row study.Row) *resultTable {
	table := &resultTable{left: []string{"class", "submitted"}}
	for _, c := range row.Customers {
		table.add(c.Name, c.Estimates)
	}
	return table.total(t, row)
}

// providerTable lists the providers of a row and their total, in which a job that
// was forwarded counts once.
func (t simulated) providerTable(row study.Row) *resultTable {
	table := &resultTable{left: []string{"provider", "submitted"}}
	for _, p := range row.Providers {
		table.add(p.Name, p.Estimates)
	}
	return table.total(t, row)
}

// add appends a part of the jobs of a row.
func (t *resultTable) add(name string, e study.Estimates) {
	t.rows = append(t.rows, []string{name, text.Fixed(float64(e.Get("jobs_submitted").Mean), 0)})
	t.values = append(t.values, e)
}

// total appends all jobs of a row, and finds the columns.
func (t *resultTable) total(s simulated, row study.Row) *resultTable {
	t.add("total", row.Total)
	t.columns = s.columns(t.values)
	return t
}

// print writes the table. Where it would be too wide, columns from the right
// lose their half widths, down to the first. Ranges have lines of their own.
func (t *resultTable) print(w io.Writer) {
	for wide := len(t.columns); ; wide-- {
		rows := t.cells(wide)
		if wide > 1 && tableWidths(rows) > tableWidth {
			continue
		}
		text.PrintTable(w, rows)
		if wide < len(t.columns) && !slices.EqualFunc(rows, t.cells(len(t.columns)), slices.Equal) {
			fmt.Fprintln(w, "Columns without ±: --json and --csv have it.")
		}
		return
	}
}

// cells returns the rows of the table, the first so many columns with half
// widths.
func (t *resultTable) cells(wide int) [][]string {
	list := [][]string{slices.Clone(t.left)}
	for _, c := range t.columns {
		list[0] = append(list[0], c.heading)
	}
	for i, names := range t.rows {
		cells, low, high := slices.Clone(names), make([]string, len(names)), make([]string, len(names))
		ranged := false
		for k, c := range t.columns {
			e := t.values[i].Get(c.measure)
			if e.Low != nil {
				ranged = true
				low, high = append(low, c.format(study.Estimate{Mean: *e.Low})), append(high, c.format(study.Estimate{Mean: *e.High}))
			} else {
				low, high = append(low, ""), append(high, "")
			}
			if k >= wide || e.Low != nil {
				e = study.Estimate{Mean: e.Mean}
			}
			cells = append(cells, c.format(e))
		}
		if list = append(list, cells); ranged {
			low[0], high[0] = "  from", "  to"
			list = append(list, low, high)
		}
	}
	return list
}

// printDifferences says which row earns more than the first, and by how much.
func (t simulated) printDifferences(w io.Writer) {
	for i, d := range t.Differences {
		if i == 0 {
			fmt.Fprintln(w)
		}
		money := t.money()
		e, how := d.Total.Get(money.measure), ""
		if dust := 1e-12 * math.Abs(float64(t.Policies[i+1].Total.Get(money.measure).Mean)); math.Abs(float64(e.Mean)) <= dust && float64(e.HalfWidth) <= dust {
			e = study.Estimate{} // the same amounts, added up in another order
		}
		switch {
		case t.Replications == 1:
		case e.HalfWidth == 0 && e.Mean == 0:
			how = " in every replication"
		case e.HalfWidth == 0:
			how = ", the same in every replication"
		default:
			how = " (paired, " + text.Plain(100*float64(t.Level)) + " %)"
		}
		words := compared(e, d.Total.Get("value_per_second"), money, t.Once)
		fmt.Fprintf(w, "%s %s %s %s%s\n", text.OneLine(d.Label), money.verb, words, text.OneLine(d.Versus), how)
	}
}

// compared says in words how a difference of money, and of value per second of
// finitely many jobs, compares with its other side, which is to be named next.
func compared(e, rate study.Estimate, money moneyUnit, once bool) string {
	if e.Mean == 0 && (e.HalfWidth == 0 || once) {
		return "the same as"
	}
	more := "more"
	if e.Mean < 0 {
		more, e, rate = "less", e.Negative(), rate.Negative()
	}
	if low, _ := e.Interval().Bounds(); !(low > 0) && !once {
		more += ", perhaps by chance,"
	}
	amount := times(money.scale)(e) + " " + money.unit
	switch {
	case money.unit == perHour:
	case rate.Mean < 0: // a policy that leaves jobs out may end so much sooner
		rate = rate.Negative()
		other, ends := "more", "sooner"
		if strings.HasPrefix(more, "more") {
			other, ends = "less", "later"
		}
		more += " (" + times(3600)(rate) + " $/h " + other + ", as its last job ends " + ends + ")"
	default:
		amount += " (" + times(3600)(rate) + " $/h)"
	}
	return amount + " " + more + " than"
}

// printAdmissions lists the probabilities of admission and says where they
// come from.
func (t simulated) printAdmissions(w io.Writer) {
	heading, columns := []string{"admits"}, []study.Row{}
	origins := map[string]bool{}
	for _, row := range t.Policies {
		origins[row.Admission.Name] = true
		// The same under every policy, unless it was searched.
		if row.Admission.Name != scenario.AdmitAll && (row.Searched || row.Policy.Label == t.Policies[0].Policy.Label) {
			name := row.Admission.Name
			if row.Searched {
				name = row.Label
			}
			heading, columns = append(heading, name), append(columns, row)
		}
	}
	if len(columns) == 0 {
		return
	}
	table := text.NewTable(heading...)
	for i, name := range t.Names() {
		cells := []string{name}
		for _, row := range columns {
			cells = append(cells, admitted(row.Admission, i))
		}
		table.Row(cells...)
	}
	fmt.Fprintln(w)
	table.Print(w)
	var lines []string
	if origins[scenario.AdmitAnalytic] {
		lines = append(lines, "analytic   the optimum of revopt solve: "+report.Analytic(t.Result))
	}
	how := "found by search on the simulator, measured here on fresh random numbers"
	switch {
	case t.Resampled != nil:
		how = "found by search on other spans of the trace, measured here on fresh ones"
	case t.Trace != "" && t.Trace != scenario.SP2Like:
		how = "found by search on these jobs, measured on the same jobs with other lots (in-sample)"
	}
	if origins[scenario.AdmitSimulated] {
		lines = append(lines, "simulated  the admission that earns most, "+how)
	}
	if origins[study.ControlThreshold] {
		how := "best by the model"
		if slices.ContainsFunc(columns, func(r study.Row) bool { return r.Searched && r.Admission.Name == study.ControlThreshold }) {
			how = "found by search on the simulator"
		}
		lines = append(lines, "threshold  a share of the jobs, while fewer wait than the limit: "+how)
	}
	if origins[study.ControlState] {
		lines = append(lines, "state      by who waits and who runs, the best of all admissions by the model of these servers")
	}
	if words := report.ResultPrices(t.Result); words != "" {
		lines = append(lines, text.Wrapped(text.OneLine("prices: "+words), tableWidth)...)
	}
	for _, words := range report.PromiseOrigins(t.Result) {
		lines = append(lines, text.Wrapped(text.OneLine(words), tableWidth)...)
	}
	if len(lines) > 0 {
		fmt.Fprintf(w, "\n%s\n", strings.Join(lines, "\n"))
	}
}

// admitted says which jobs of a class an admission lets in.
func admitted(a study.AdmissionResult, class int) string {
	switch {
	case a.ByState:
		return "by state"
	case a.Thresholds == nil:
		return text.Percent(a.Admit[class])
	}
	t := a.Thresholds[class]
	switch words := text.Percent(float64(*t.Admit)); {
	case t.Waiting == nil || *t.Admit == 0 && *t.Waiting > 0:
		return words
	case *t.Waiting == 0:
		return text.Percent(0)
	default:
		return fmt.Sprintf("%s below %d", words, *t.Waiting)
	}
}

// times formats an estimate in another unit: two digits of the half width, but
// no more than five of the mean, and none of a half width that is too small to
// see beside it.
func times(scale float64) func(study.Estimate) string {
	return func(e study.Estimate) string {
		i := e.Interval().Times(scale)
		return report.Interval(i, min(text.Decimals(i.Mean)+1, 7))
	}
}

// ratio formats an estimate of a ratio, with about three digits.
func ratio(e study.Estimate) string {
	return inUnit(e, 1)
}

// inUnit is ratio in another unit.
func inUnit(e study.Estimate, size float64) string {
	i := e.Interval().Times(1 / size)
	return report.Interval(i, max(text.Decimals(i.Mean)-1, 0))
}

// percentage formats an estimate of a fraction.
func percentage(e study.Estimate) string {
	if half := 100 * float64(e.HalfWidth); half >= 0.05 && !math.IsInf(half, 0) && !math.IsNaN(float64(e.Mean)) {
		return report.Interval(e.Interval().Times(100), 1) + " %"
	}
	return text.Percent(float64(e.Mean))
}

// seconds formats an estimate of a time.
func seconds(e study.Estimate) string {
	x := float64(e.Mean)
	if !(x >= 0.001) || e.HalfWidth == 0 || math.IsInf(float64(e.HalfWidth), 0) {
		return text.Duration(x)
	}
	size, unit := text.TimeUnit(x)
	return inUnit(e, size) + " " + unit
}

// provenance says where the numbers of the result come from.
func (t simulated) provenance() plots.Provenance {
	prov := plots.Provenance{Version: t.Version, Scenario: t.Scenario, Command: t.Command, Seed: &t.Seed, Extra: []plots.Pair{
		{Key: "overrides", Value: strings.Join(t.Overrides, ", ")},
		{Key: "workload", Value: t.What},
		{Key: "replications", Value: strconv.Itoa(t.Replications)},
		{Key: "warmup", Value: t.warmupWords()},
		{Key: "trace", Value: t.Trace},
		{Key: "jobs", Value: t.Subset},
		{Key: "intervals", Value: t.Covers},
	}}
	if t.Cleaning != nil {
		prov.Cleaning = report.Cleaning(t.Cleaning)
	}
	prov.Extra = append(prov.Extra, report.Marks(t.Warnings)...)
	for _, row := range t.Policies {
		prov.Extra = append(prov.Extra, plots.Pair{Key: "admission " + row.Label, Value: admitWords(row.Admission, t.Names())})
	}
	return prov
}

// admitWords writes probabilities as --admission takes them, and a rule in words.
func admitWords(a study.AdmissionResult, names []string) string {
	words := make([]string, len(names))
	for i := range names {
		if a.ByState || a.Thresholds != nil {
			words[i] = admitted(a, i)
		} else {
			words[i] = text.Field(a.Admit[i])
		}
	}
	return strings.Join(words, ",")
}

// records are the rows of the CSV file: one for each measure, of all jobs where
// no class is named, and one for each difference from the row under versus.
func (t simulated) records() [][]string {
	rows := [][]string{{"policy", "options", "admission", "versus", "class", "metric", "mean", "half_width", "level", "n", "variance_reduced"}}
	rows[0] = append(rows[0], rangeHeadings(t.Result)...)
	add := func(row study.RowID, versus, class string, all study.Estimates) {
		for i, m := range metric.Measures() {
			rows = append(rows, append([]string{row.Policy.Name, study.OptionWords(row.Policy.Settings), row.Admission.Name, versus, class, m.Name}, estimateFields(t.Result, all[i])...))
		}
	}
	for _, row := range t.Policies {
		add(row.RowID, "", "", row.Total)
		for _, c := range row.Customers {
			add(row.RowID, "", c.Name, c.Estimates)
		}
		for _, p := range row.Providers {
			add(row.RowID, "", "provider "+p.Name, p.Estimates)
		}
	}
	for _, d := range t.Differences {
		add(d.RowID, d.Versus, "", d.Total)
	}
	return rows
}

// rangeHeadings are those of the ranges in a CSV file, where a result has them.
func rangeHeadings(r *study.Result) []string {
	if r.Resampled == nil {
		return nil
	}
	return []string{"low", "high"}
}

// estimateFields are the cells of an estimate in a CSV file.
func estimateFields(r *study.Result, e study.Estimate) []string {
	cells := append(fields(e.Mean, e.HalfWidth, e.Level), strconv.Itoa(e.N), e.ReducedField())
	switch {
	case r.Resampled == nil:
		return cells
	case e.Low == nil:
		return append(cells, "", "")
	}
	return append(cells, fields(*e.Low, *e.High)...)
}
