package logs

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"revopt/internal/text"
	"revopt/model/scenario"
	"revopt/plots/wording"
	"revopt/simulate/metric"
	"revopt/simulate/slurm"
	"revopt/simulate/warn"
	"revopt/simulate/workload"
)

// TraceCustomers is the parties with most of the work of a trace, and the rest.
type TraceCustomers struct {
	By      string          `json:"by"` // "" if nothing divides the jobs
	Parties int             `json:"parties"`
	List    []TraceCustomer `json:"customers"`
}

// TraceCustomer is the facts of a customer.
type TraceCustomer struct {
	Name       string        `json:"name"`
	Rest       bool          `json:"rest"` // all jobs of no other customer
	Jobs       int64         `json:"jobs"`
	UnitHours  metric.Number `json:"unit_hours"`
	Share      metric.Number `json:"share_of_work"`
	Waits      int64         `json:"recorded_waits"` // of jobs that ran
	MeanWait   metric.Number `json:"mean_wait"`
	MedianWait metric.Number `json:"median_wait"`
	Q90Wait    metric.Number `json:"q90_wait"`
	Peak       int           `json:"most_in_use,omitempty"` // units, of partitions
	Unit       string        `json:"unit,omitempty"`        // word for one of them

	Of      string `json:"-"` // selector of a scenario
	Several bool   `json:"-"` // parties, or unknown ones
}

// Divide adds the customers of a kind, "" for the usual one with partitions too.
func (r *TraceInfo) Divide(ctx context.Context, by string) (err error) {
	customers, err := r.Summary.Customers(ctx, by)
	if err != nil || customers == nil {
		return err
	}
	r.Customers = newTraceCustomers(customers)
	numbers, units := r.Header.Names()["partition"], r.Header.PoolUnits()
	if by != "" || len(numbers) < 2 {
		return nil
	}
	partitions, err := r.Summary.Partitions(ctx)
	if err != nil {
		return err
	}
	r.Partitions = newTraceCustomers(partitions)
	for i, x := range partitions.List {
		first, _, _ := strings.Cut(x.Name, ",")
		r.Partitions.List[i].Unit = cmp.Or(units[numbers[first]], r.Header.Unit())
	}
	return nil
}

func newTraceCustomers(c *workload.Customers) *TraceCustomers {
	list := &TraceCustomers{By: c.By, Parties: c.Parties}
	for _, x := range c.List {
		party := fmt.Sprint(x.Number)
		if x.Name != "" {
			party = scenario.Quote(x.Name)
		}
		list.List = append(list.List, TraceCustomer{
			Name: x.Label, Rest: x.Rest, Jobs: x.Jobs, Of: fmt.Sprintf("{%s: [%s]}", c.By, party), Several: x.Several(),
			UnitHours: metric.Number(x.Work / 3600), Share: metric.Number(x.Work / c.Work),
			Waits: x.Waits.N, MeanWait: metric.Number(x.Waits.Mean()),
			MedianWait: metric.Number(x.Waits.Within(0.5)), Q90Wait: metric.Number(x.Waits.Within(0.9)),
			Peak: x.Peak,
		})
	}
	return list
}

// Joined reports whether the last customer is several parties, or unknown ones.
func (r *TraceCustomers) Joined() bool { return r.List[len(r.List)-1].Several }

// Heading says which parties the customers are.
func (r *TraceCustomers) Heading() string {
	switch last := len(r.List) - 1; {
	case r.By == "":
		return "Customers: no accounts, groups, queues or users divide the jobs"
	case r.Joined():
		return fmt.Sprintf("Customers: the largest %d of %s, and the others", last, text.Plural(r.Parties, r.By))
	}
	return "Customers: " + text.Plural(r.Parties, r.By)
}

// Table writes the customers for a terminal, with their work in units of a word.
func (r *TraceCustomers) Table(w io.Writer, unit string) {
	head := []string{r.By, "jobs", unit + "-hours", "of work", "mean wait", "median", "90 % within"}
	heading := r.Heading()
	if r.By == "partition" {
		heading = "Partitions, with the most units in use at one time (if no job waits, where starts are unknown)"
		head = append(head, "in use")
	}
	fmt.Fprintf(w, "\n%s\n", heading)
	t := text.NewTable(head...)
	for _, c := range r.List {
		if c.Several && r.By == "partition" {
			c.Name = fmt.Sprintf("%d others", r.Parties+1-len(r.List))
		}
		row := []string{c.Name, text.Fixed(float64(c.Jobs), 0), text.Grouped(float64(c.UnitHours)),
			text.Percent(float64(c.Share)), text.Duration(float64(c.MeanWait)), text.Duration(float64(c.MedianWait)),
			atMost(float64(c.Q90Wait)), text.Plural(c.Peak, text.Unit(c.Unit))}
		t.Row(row[:len(head)]...)
	}
	t.Print(w)
}

// atMost formats a time that is not exceeded. Unlike text.Duration it rounds up.
func atMost(seconds float64) string {
	if size, _ := text.TimeUnit(seconds); seconds > 0 {
		step := size * math.Pow10(int(math.Floor(math.Log10(seconds/size)))-2) // of the last digit shown
		seconds = step * math.Ceil(seconds/step-1e-9)
	}
	return text.Duration(seconds)
}

// Draft returns a scenario to begin with, and the facts of its trace: the trace under a
// path relative to the scenario, the customers of a kind, prices, and the pools of the log
// that the trace comes from. Comments state the origin, the jobs, the recorded waits and
// the warnings about that log, and mark numbers that the trace does not have as guesses.
func Draft(
	ctx context.Context, trace workload.Selection, by, path, origin, version string, log *LogImport,
) ([]byte, *TraceInfo, error) {
	trace.Rule = workload.Drop
	if text.OneLine(path) != path || !utf8.ValidString(path) || strings.TrimSpace(path) != path {
		return nil, nil, &scenario.Error{File: path,
			Message: "expected a path that a scenario can state, without control characters"}
	}
	s, err := workload.Summarize(ctx, trace, 1)
	if err != nil {
		return nil, nil, err
	}
	s.Unlike = log.unlike()
	r := &TraceInfo{Summary: s, Version: version}
	if err := r.Divide(ctx, by); err != nil {
		return nil, nil, err
	}
	unit := text.Unit(r.Header.Unit())
	size := "the header says so"
	switch {
	case r.Selection.Nodes > 0:
		size = "as stated"
	case r.Header.Guessed():
		size = "guess: the most " + unit + "s that were busy at a time"
	}
	widths := append(make([]int64, 5), r.Sizes...) // jobs, by powers of 2
	switch last := len(widths) - 1; {
	case len(log.Pools) > 0:
	case r.Cleaning.Wide > 0 && r.Cleaning.Wide >= r.Cleaning.Left:
		return nil, nil, &scenario.Error{File: path, Message: fmt.Sprintf("every job is wider than the machine of %s: "+
			"state its size with --nodes", text.Plural(r.Nodes, unit))}
	case r.Cleaning.Wide > 0:
		r.SizeDoubt = ": " + text.Plural(int(r.Cleaning.Wide), "wider job") + " rejected"
	case widths[last] == 1 && slices.Max(widths[last-4:last]) == 0 && r.Cleaning.Left > 1:
		r.SizeDoubt = ": one job is over 10 times as wide as any other"
	}
	price, per := "1", "$ per "+unit+"-hour"
	if log.unlike() {
		list := text.Each(log.Pools, func(p slurm.Pool) string { return scenario.Quote(p.Name) + ": 1" })
		price, per = "{"+strings.Join(list, ", ")+"}", "$ per hour of one unit of each pool"
	}
	r.Doubts = r.widths()
	warn.AddIf(&r.Doubts, r.NoStart > 0, warn.New(warn.NoStart).With(float64(r.NoStart)))
	best := by == "" && !slices.Contains([]string{"", "user"}, r.Customers.By)
	d := draft{TraceInfo: r, log: log, unit: unit, best: best, price: price, per: per}
	return d.write(origin, path, size), r, nil
}

// widths says by how much the work differs by the other rule for widths.
func (r *TraceInfo) widths() []warn.Warning {
	if r.Selection.Width == workload.ByAllocated {
		return warn.Widths(string(workload.ByAllocated), string(workload.ByAsked), r.Held, r.Asked)
	}
	return warn.Widths(string(workload.ByAsked), string(workload.ByAllocated), r.Asked, r.Held)
}

// draft is what a scenario to begin with is written of.
type draft struct {
	*TraceInfo
	log        *LogImport
	unit       string
	best       bool   // the kind of customers was not asked for
	price, per string // of a class, and its unit in words
	out        bytes.Buffer
}

// write writes the scenario. Size says where the number of nodes comes from.
func (d *draft) write(origin, path, size string) []byte {
	d.line("# %s (%s)", text.OneLine(origin), d.Version)
	d.line("# %s in %s", text.Plural(int(d.Cleaning.Left), "job"), text.Duration(d.Span))
	d.line("# %s", d.Customers.Heading())
	if d.Customers.Joined() {
		every := ""
		if d.Unlike {
			every = " in every pool"
		}
		d.line("# (the largest until they have 90 %% of the work%s, at most 12 classes)", every)
	}
	if d.best {
		d.line("# Of account, group and queue this one splits the work best; init --by KIND divides otherwise.")
	}
	for _, w := range d.log.Warnings {
		d.line("# Warning: %s", text.OneLine(w.Text))
	}
	for _, w := range d.Doubts {
		d.line("# Warning: %s", text.OneLine(wording.Sentence(w)))
	}
	d.line("# A log has no prices: numbers marked as a guess are invented, the same for all. Replace them.")
	d.noted("guessed: ["+strings.Join(scenario.Guesses(), ", ")+"]", "delete what you have replaced")
	d.line("trace:")
	d.line("  file: %s", scenario.Quote(path))
	if d.Nodes > 0 && len(d.log.Pools) == 0 {
		d.noted(fmt.Sprintf("  nodes: %d", d.Nodes), size+d.SizeDoubt)
	}
	never := text.Plural(int(d.Cleaning.Read-d.Cleaning.Left), "job")
	d.noted("  cleaning: "+string(d.Cleaning.Rule), "leaves out "+never+" that never ran; keep runs them for 1 s")
	switch d.Selection.Width {
	case workload.ByAsked:
		d.noted("  width: asked", "units that the user asked for (field 8), as in the literature")
	case workload.ByAllocated:
		d.noted("  width: allocated", "units that the job held, which the log billed")
	}
	writePools(&d.out, d.log.Pools)
	d.line("classes:")
	for _, c := range d.Customers.List {
		d.class(c)
	}
	return d.out.Bytes()
}

func (d *draft) line(format string, args ...any) { fmt.Fprintf(&d.out, format+"\n", args...) }

// noted writes a field with a comment behind it.
func (d *draft) noted(field, comment string) { d.line("%-36s # %s", field, comment) }

// writePools writes pools as a scenario states them, if there are some.
func writePools(w io.Writer, pools []slurm.Pool) {
	if len(pools) == 0 {
		return
	}
	if !slices.ContainsFunc(pools, func(p slurm.Pool) bool { return p.Stated }) {
		fmt.Fprint(w, "# A log has no sizes: replace the units by the real ones. Partitions that share nodes are "+
			"one pool,\n", "# such as of: {partition: [a, b]}.\n")
	}
	fmt.Fprint(w, "pools:\n")
	for _, p := range pools {
		jobs := ""
		if p.By != "" {
			parties := p.Parties
			if parties == nil {
				parties = []string{p.Party}
			}
			if !p.Numbered {
				parties = text.Each(parties, scenario.Quote)
			}
			jobs = fmt.Sprintf(", of: {%s: [%s]}", p.By, strings.Join(parties, ", "))
		}
		guess := "guess: enough that no job waits, as the log has no starts"
		switch {
		case p.Stated:
			guess = "as the configuration says"
		case p.Started:
			guess = fmt.Sprintf("guess: at most %d in use at once", p.Units)
		}
		fmt.Fprintf(w, "  - {name: %s, units: %d, unit: %s%s} # %s; %s\n", scenario.Quote(p.Name), p.Units,
			p.Unit, jobs, guess, text.Plural(int(p.Jobs), "job"))
	}
}

// class writes a customer with its recorded waits, and guesses of prices and lateness.
func (d *draft) class(c TraceCustomer) {
	d.line("  - name: %s", scenario.Quote(c.Name))
	d.line("    # %s, %s %s-hours, %s of the work", text.Plural(int(c.Jobs), "job"), text.Grouped(float64(c.UnitHours)),
		d.unit, text.Percent(float64(c.Share)))
	if c.Waits > 0 {
		d.line("    # recorded waits of %s that ran: mean %s, median %s, 90 %% within %s",
			text.Plural(int(c.Waits), "job"),
			text.Duration(float64(c.MeanWait)), text.Duration(float64(c.MedianWait)), atMost(float64(c.Q90Wait)))
	}
	if !c.Rest {
		d.line("    of: %s", c.Of)
	}
	d.noted("    price: {per_unit_hour: "+d.price+"}", "guess: "+d.per)
	d.noted("    grace: {lengths: 1}", "guess: waiting as long as it runs costs nothing")
	d.noted("    decay: {per_hour: 10%}", "guess: of the price, for every hour later")
	d.noted("    max_penalty: 0", "guess: a late job pays nothing at worst")
	if c.Waits > 0 {
		size, unit := text.TimeUnit(float64(c.Q90Wait)) // in whole units
		within := fmt.Sprintf("%.0f%s", max(math.Ceil(float64(c.Q90Wait)/size), 1), unit[:1])
		d.noted("    # slo: {within: "+within+", level: 90%}", "a promise on the wait")
	}
}
