package ask

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"revopt/internal/text"
	"revopt/model/scenario"
	"revopt/plots/answer"
	"revopt/simulate/slurm"
	"revopt/simulate/workload"
)

// Draft is a scenario to begin with: the trace, its customers, prices to fill in, and the pools of the log that the
// trace comes from.
type Draft struct {
	*Trace
	Log     *Import
	By      string // the kind of customers that was asked for; ""
	Path    string // of the trace, as the scenario states it
	Origin  string // the command that made the scenario
	Version string
	YAML    []byte

	today      string // the policy that stands for today; "" for jobs that are generated
	price, per string // of a class, and its unit in words
	out        bytes.Buffer
}

// quoted returns a name as YAML states it.
func quoted(name string) string { return scenario.Quote(name) }

// Write reads the trace and writes the scenario. Comments state the origin, the jobs, the recorded waits and the
// warnings about the log, and mark numbers that the trace does not have as guesses.
func (d *Draft) Write(ctx context.Context, selection workload.Selection) error {
	selection.Rule = workload.Drop
	if text.OneLine(d.Path) != d.Path || !utf8.ValidString(d.Path) || strings.TrimSpace(d.Path) != d.Path {
		return &scenario.Error{File: d.Path, Message: "expected a path that a scenario can state, without control characters"}
	}
	summary, err := workload.Summarize(ctx, selection, 1)
	if err != nil {
		return err
	}
	summary.Unlike = d.Log.unlike()
	d.Trace = &Trace{Summary: summary}
	if err := d.divide(ctx, d.By); err != nil {
		return err
	}
	if err := d.doubtSize(); err != nil {
		return err
	}
	d.price, d.per = "1", "$ per "+d.unit()+"-hour"
	if d.Log.unlike() {
		list := text.Each(d.Log.Pools, func(p slurm.Pool) string { return quoted(p.Name) + ": " + guessedPrice(p.Unit) })
		d.price, d.per = "{"+strings.Join(list, ", ")+"}", "$ per hour of one unit of each pool"
	}
	d.doubts = logWarnings(d.Selection.Width, d.Asked, d.Held, d.Cleaning)
	d.YAML = d.write()
	return nil
}

// guessedPrice returns a price of an hour of a unit, in $. A GPU is about as dear as ten cores.
func guessedPrice(unit string) string {
	if unit == "gpu" {
		return "10"
	}
	return "1"
}

// doubtSize says why the machine may have another size. A machine that is too small for every job is an error.
func (d *Draft) doubtSize() error {
	widths := append(make([]int64, 5), d.Sizes...) // jobs, by powers of 2
	switch last := len(widths) - 1; {
	case len(d.Log.Pools) > 0:
	case d.Cleaning.Wide > 0 && d.Cleaning.Wide >= d.Cleaning.Left:
		return &scenario.Error{File: d.Path, Message: fmt.Sprintf("every job is wider than the machine of %s: "+
			"state its size with --nodes", text.Plural(d.Nodes, d.unit()))}
	case d.Cleaning.Wide > 0:
		d.sizeDoubt = text.Plural(int(d.Cleaning.Wide), "wider job") + " rejected"
	case widths[last] == 1 && slices.Max(widths[last-4:last]) == 0 && d.Cleaning.Left > 1:
		d.sizeDoubt = "one job is over 10 times as wide as any other"
	}
	return nil
}

// sized says where the number of units comes from, and whether it is in doubt.
func (d *Draft) sized() string {
	words := "the header says so"
	switch {
	case d.Selection.Nodes > 0:
		words = "as stated"
	case d.Header.Guessed():
		words = "guess: the most " + d.unit() + "s that were busy at a time"
	}
	if d.sizeDoubt != "" {
		words += ": " + d.sizeDoubt
	}
	return words
}

// write writes the scenario.
func (d *Draft) write() []byte {
	d.head()
	d.noted("guessed: ["+strings.Join(scenario.Guesses(), ", ")+"]", "delete what you have replaced")
	d.line("trace:")
	d.line("  file: %s", quoted(d.Path))
	if d.Nodes > 0 && len(d.Log.Pools) == 0 {
		d.noted(fmt.Sprintf("  nodes: %d", d.Nodes), d.sized())
	}
	never := text.Plural(int(d.Cleaning.Read-d.Cleaning.Left), "job")
	d.noted("  cleaning: "+string(d.Cleaning.Rule), "leaves out "+never+" that never ran; keep runs them for 1 s")
	switch d.Selection.Width {
	case workload.ByAsked:
		d.noted("  width: asked", "units that the user asked for (field 8), as in the literature")
	case workload.ByAllocated:
		d.noted("  width: allocated", "units that the job held, which the log billed")
	}
	d.writePools()
	d.line("classes:")
	for i := range d.Customers.List {
		d.class(&d.Customers.List[i])
	}
	return d.out.Bytes()
}

// head writes the comments above the scenario.
func (d *Draft) head() {
	d.line("# %s (%s)", text.OneLine(d.Origin), d.Version)
	d.line("# %s in %s", text.Plural(int(d.Cleaning.Left), "job"), text.Duration(d.Span))
	c := d.Customers
	joined := c.List[len(c.List)-1].Several()
	switch {
	case c.By == "":
		d.line("# Customers: no accounts, groups, queues or users divide the jobs")
	case joined:
		d.line("# Customers: the largest %d of %s, and the others", len(c.List)-1, text.Plural(c.Parties, c.By))
	default:
		d.line("# Customers: %s", text.Plural(c.Parties, c.By))
	}
	if joined {
		every := ""
		if d.Unlike {
			every = " in every pool"
		}
		d.line("# (the largest until they have 90 %% of the work%s, at most 12 classes)", every)
	}
	if d.By == "" && c.By != "" && c.By != "user" {
		d.line("# Of account, group and queue this one splits the work best; init --by KIND divides otherwise.")
	}
	for _, f := range append(d.Log.warnings(), answer.WarnAll(d.doubts)...) {
		d.line("# Warning: %s", text.OneLine(f.String()))
	}
	d.line("# A log has no prices: numbers marked as a guess are invented, the same for all. Replace them.")
}

func (d *Draft) line(format string, args ...any) { fmt.Fprintf(&d.out, format+"\n", args...) }

// noted writes a field with a comment behind it.
func (d *Draft) noted(field, comment string) { d.line("%-36s # %s", field, comment) }

// writePools writes the pools, if there are some.
func (d *Draft) writePools() {
	pools := d.Log.Pools
	if len(pools) == 0 {
		return
	}
	if !slices.ContainsFunc(pools, func(p slurm.Pool) bool { return p.Stated }) {
		d.line("# A log has no sizes: replace the units by the real ones. Partitions that share nodes are one pool,")
		d.line("# such as of: {partition: [a, b]}.")
	}
	d.line("pools:")
	for _, p := range pools {
		jobs := ""
		if of := selectorOf(p); of != "" {
			jobs = ", of: " + of
		}
		guess := "guess: enough that no job waits, as the log has no starts"
		switch {
		case p.Stated:
			guess = "as the configuration says"
		case p.Started:
			guess = fmt.Sprintf("guess: at most %d in use at once", p.Units)
		}
		d.line("  - {name: %s, units: %d, unit: %s%s} # %s; %s", quoted(p.Name), p.Units, p.Unit, jobs, guess,
			text.Plural(int(p.Jobs), "job"))
	}
}

// class writes a customer with its recorded waits, and guesses of prices and lateness.
func (d *Draft) class(c *workload.Customer) {
	d.line("  - name: %s", quoted(c.Label))
	d.line("    # %s, %s %s-hours, %s of the work", text.Plural(int(c.Jobs), "job"), text.Grouped(c.Work/3600),
		d.unit(), text.Percent(c.Work/d.Customers.Work))
	within := c.Waits.Within(0.9)
	if c.Waits.N > 0 {
		d.line("    # recorded waits of %s that ran: mean %s, median %s, 90 %% within %s",
			text.Plural(int(c.Waits.N), "job"),
			text.Duration(c.Waits.Mean()), text.Duration(c.Waits.Within(0.5)), atMost(within))
	}
	if !c.Rest {
		party := fmt.Sprint(c.Number)
		if c.Name != "" {
			party = quoted(c.Name)
		}
		d.line("    of: {%s: [%s]}", d.Customers.By, party)
	}
	d.noted("    price: {per_unit_hour: "+d.price+"}", "guess: "+d.per)
	d.noted("    grace: {lengths: 1}", "guess: waiting as long as it runs costs nothing")
	d.noted("    decay: {per_hour: 10%}", "guess: of the price, for every hour later")
	d.noted("    max_penalty: 0", "guess: a late job pays nothing at worst")
	if c.Waits.N > 0 {
		size, unit := text.TimeUnit(within) // in whole units
		promise := fmt.Sprintf("%.0f%s", max(math.Ceil(within/size), 1), unit[:1])
		d.noted("    # slo: {within: "+promise+", level: 90%}", "a promise on the wait")
	}
}

// atMost formats a time that is not exceeded. Unlike text.Duration it rounds up.
func atMost(seconds float64) string {
	if size, _ := text.TimeUnit(seconds); seconds > 0 {
		step := size * math.Pow10(int(math.Floor(math.Log10(seconds/size)))-2) // of the last digit shown
		seconds = step * math.Ceil(seconds/step-1e-9)
	}
	return text.Duration(seconds)
}

// writePolicies adds the policies: first the one that stands for today, then some to compare it with.
func (d *Draft) writePolicies(today, yaml string) {
	d.today = today
	d.line("# The first policy stands for today: put the one that the site runs there.")
	d.line("policies:")
	d.line("  - %s", yaml)
	for _, label := range []string{"easy", slurmName, "hol:backfill=true", "value-bf"} {
		if label != today {
			d.line("  - %s", quoted(label))
		}
	}
	d.YAML = d.out.Bytes()
}

// Answer says what was found in the log. The file has the scenario; "" is standard output.
func (d *Draft) Answer(file string) answer.Answer {
	a := answer.Answer{Command: "init", Scenario: filepath.Base(d.Selection.File), Values: d.values(),
		Tables: []answer.Table{d.customers()}}
	if len(d.Log.Pools) > 0 { // which may count different units
		a.Values = slices.DeleteFunc(a.Values, func(v answer.Named) bool {
			return slices.Contains([]string{"units", "unit", "nodes", "load"}, v.Name)
		})
	}
	facts := []answer.Named{{Name: "file", Value: answer.Maybe(file)},
		{Name: "customers", Value: answer.Word(text.Plural(len(d.Customers.List), "customer"))},
		{Name: "guessed", Value: answer.Word(strings.Join(scenario.Guesses(), ", "))},
		{Name: "policy", Value: answer.Maybe(d.today)}}
	a.Headline = answer.New("DRAFT_WRITTEN", facts...)
	a.Tables = append(a.Tables, d.Log.pools()...)
	if d.Log.File != "" {
		a.Tables = append(a.Tables, d.Log.counts())
	}
	a.Tables = append(a.Tables, cleaning(d.Cleaning))
	if d.sizeDoubt != "" {
		words := fmt.Sprintf("the machine may have another size than %s: %s; state it with --nodes",
			text.Plural(d.Nodes, d.unit()), d.sizeDoubt)
		a.Warnings = stated("LOG", []slurm.Warning{{Kind: "size", Text: words}})
	}
	a.Warnings = slices.Concat(a.Warnings, answer.WarnAll(d.doubts), d.Log.warnings())
	return a
}
