package ask

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"revopt/internal/text"
	"revopt/plots/answer"
	"revopt/simulate/subject"
	"revopt/simulate/warn"
	"revopt/simulate/workload"
)

// Trace is a trace with its customers.
type Trace struct {
	*workload.Summary
	Customers  *workload.Customers // nil if the trace cannot be read twice
	Partitions *workload.Customers // nil if there are fewer than two

	sizeDoubt string         // of a draft: why the machine may have another size
	doubts    []warn.Warning // of a draft: about the jobs
}

// OpenTrace reads a trace. Its customers are those of a kind; "" is the usual kind, with partitions beside it.
func OpenTrace(ctx context.Context, selection workload.Selection, seed uint64, by string) (*Trace, error) {
	summary, err := workload.Summarize(ctx, selection, seed)
	if err != nil {
		return nil, err
	}
	t := &Trace{Summary: summary}
	return t, t.divide(ctx, by)
}

// divide finds the customers of a kind and the partitions.
func (t *Trace) divide(ctx context.Context, by string) (err error) {
	t.Customers, err = t.Summary.Customers(ctx, by)
	if err != nil || t.Customers == nil || by != "" || len(t.Header.Names()["partition"]) < 2 {
		return err
	}
	t.Partitions, err = t.Summary.Partitions(ctx)
	return err
}

// unit is the word for one unit of the machine.
func (t *Trace) unit() string { return text.Unit(t.Header.Unit()) }

// Answer says what the trace has.
func (t *Trace) Answer(seed uint64) answer.Answer {
	a := answer.Answer{
		Command: "trace info", Scenario: filepath.Base(t.Selection.File), Seed: seed, Values: t.values(),
		Headline: answer.New("TRACE", seconds(t.RunTimes.Mean()).As("run_time"), ratio(t.Widths.Mean()).As("width"),
			answer.Word(t.unit()).As("unit"), seconds(t.Gaps.Mean()).As("gap")),
		Tables: []answer.Table{t.quantities()},
	}
	if t.Customers != nil {
		a.Tables = append(a.Tables, t.customers())
	}
	if t.Partitions != nil {
		a.Tables = append(a.Tables, t.partitions())
	}
	a.Tables = append(a.Tables, t.hours(), cleaning(t.Cleaning))
	if t.Moved > 0 {
		a.Warnings = append(a.Warnings, answer.New("LOG",
			word("text", text.Plural(int(t.Moved), "job")+" submitted before the job in front: sorted")))
	}
	return a
}

// values are jobs, machine and load, and which file has them.
func (t *Trace) values() []answer.Named {
	list := machineValues(t.Cleaning.Left, t.Span, t.Nodes, t.Header)
	list = append(list, ratio(t.Load()).As("load"),
		share(float64(t.PowersOfTwo)/float64(t.Cleaning.Left)).As("powers_of_two"), count(t.Moved).As("out_of_order"),
		count(t.Cleaning.Read).As("read"), count(t.Cleaning.Left).As("left"),
		answer.Word(string(t.Cleaning.Rule)).As("cleaning"))
	file := t.TraceFile()
	return append(list, fileValues(file, t.Selection.Subset.String())...)
}

// TraceFile describes the file that was read.
func (t *Trace) TraceFile() *subject.TraceFile {
	return subject.NewTraceFile(t.Selection.File, t.Header.Unit(), t.Nodes)
}

// machineValues are jobs, their span and the machine, as far as it is known.
func machineValues(jobs int64, span float64, units int, header workload.Header) []answer.Named {
	list := []answer.Named{count(jobs).As("jobs"), seconds(span).As("span")}
	if units > 0 {
		list = append(list, count(units).As("units"), answer.Word(text.Unit(header.Unit())).As("unit"))
	}
	if hosts := header.Hosts(units); hosts > 0 {
		list = append(list, count(hosts).As("nodes"))
	}
	return list
}

// fileValues name a file of jobs and those of its jobs that were read.
func fileValues(file *subject.TraceFile, subset string) []answer.Named {
	list := []answer.Named{answer.Word(file.Name).As("trace")}
	if file.SHA256 != "" {
		list = append(list, answer.Word(file.SHA256).As("trace_sha256"))
	}
	return append(list, answer.Word(subset).As("sample"))
}

// count, seconds, share and ratio return numbers that nothing random touches.
func count[N int | int64](n N) answer.Value { return answer.Exactly(answer.Count, float64(n)) }

func seconds(x float64) answer.Value { return answer.Exactly(answer.Time, x) }

func share(x float64) answer.Value { return answer.Exactly(answer.Share, x) }

func ratio(x float64) answer.Value { return answer.Exactly(answer.Ratio, x) }

// quantities is the table of what the jobs are like.
func (t *Trace) quantities() answer.Table {
	table := answer.Table{Name: "quantities", Columns: []answer.Column{
		{Name: "quantity", Unit: answer.Text, Means: "of a job"}, {Name: "mean", Unit: answer.Own, Means: "mean"},
		{Name: "min", Title: "least", Unit: answer.Own, Means: "smallest"},
		{Name: "q1", Title: "quartile 1", Unit: answer.Own, Means: "quantile 25 %"},
		{Name: "median", Unit: answer.Own, Means: "quantile 50 %"},
		{Name: "q3", Title: "quartile 3", Unit: answer.Own, Means: "quantile 75 %"},
		{Name: "max", Title: "most", Unit: answer.Own, Means: "largest"},
	}}
	for _, row := range []struct {
		name string
		of   *workload.Distribution
		unit answer.Unit
	}{
		{"interarrival", &t.Gaps, answer.Time}, {"run time", &t.RunTimes, answer.Time},
		{"width", &t.Widths, answer.Count}, {"estimate", &t.Estimates, answer.Time},
		{"run time over estimate", &t.Accuracy, answer.Share},
	} {
		values := []answer.Value{answer.Word(row.name), answer.Exactly(row.unit, row.of.Mean())}
		for _, p := range []float64{0, 0.25, 0.5, 0.75, 1} {
			values = append(values, answer.Exactly(row.unit, row.of.Quantile(p)))
		}
		table.Rows = append(table.Rows, values)
	}
	return table
}

// partyColumns are the facts of a party of a trace. Work counts units of a word.
func partyColumns(unit string) []answer.Column {
	waits := "recorded wait of the jobs that ran: "
	return []answer.Column{
		{Name: "jobs", Unit: answer.Count, Means: "submitted"},
		{Name: "unit_hours", Title: unit + "-hours", Unit: answer.Ratio, Means: "work, in hours of one unit"},
		{Name: "share_of_work", Title: "of work", Unit: answer.Share, Means: "of the work of all jobs"},
		{Name: "recorded_waits", Unit: answer.Count, Means: "jobs that ran and have a start", Quiet: true},
		{Name: "mean_wait", Unit: answer.Time, Means: waits + "mean"},
		{Name: "wait_median", Title: "median", Unit: answer.Time, Means: waits + "quantile 50 %"},
		{Name: "wait_90", Title: "90 % within", Unit: answer.Time, Means: waits + "quantile 90 %"},
	}
}

// partyValues are those of these columns.
func partyValues(x *workload.Customer, work float64) []answer.Value {
	return []answer.Value{count(x.Jobs), ratio(x.Work / 3600), share(x.Work / work), count(x.Waits.N),
		seconds(x.Waits.Mean()), seconds(x.Waits.Within(0.5)), seconds(x.Waits.Within(0.9))}
}

// customers is the table of the parties with most work.
func (t *Trace) customers() answer.Table {
	title := cmp.Or(t.Customers.By, "customer")
	first := answer.Column{Name: "customer", Title: title, Unit: answer.Text, Means: "name; of others, all together"}
	table := answer.Table{Name: "customers", Columns: append([]answer.Column{first}, partyColumns(t.unit())...)}
	for i := range t.Customers.List {
		x := &t.Customers.List[i]
		table.Rows = append(table.Rows, append([]answer.Value{answer.Word(x.Label)},
			partyValues(x, t.Customers.Work)...))
	}
	return table
}

// partitions is the table of the partitions, with the most units in use at one time.
func (t *Trace) partitions() answer.Table {
	first := answer.Column{Name: "partition", Unit: answer.Text, Means: "name"}
	table := answer.Table{Name: "partitions", Columns: append(append([]answer.Column{first},
		partyColumns(t.unit())...), answer.Column{Name: "most_in_use", Title: "in use", Unit: answer.Count,
		Means: "units at one time, at most; if no job waits, where starts are unknown"},
		answer.Column{Name: "unit", Unit: answer.Text, Means: "word for one of them"})}
	numbers, units := t.Header.Names()["partition"], t.Header.PoolUnits()
	for i := range t.Partitions.List {
		x := &t.Partitions.List[i]
		name := x.Label
		if x.Several() {
			name = fmt.Sprintf("%d others", t.Partitions.Parties+1-len(t.Partitions.List))
		}
		party, _, _ := strings.Cut(x.Label, ",")
		unit := cmp.Or(units[numbers[party]], t.Header.Unit())
		row := append([]answer.Value{answer.Word(name)}, partyValues(x, t.Partitions.Work)...)
		table.Rows = append(table.Rows, append(row, count(x.Peak), answer.Word(text.Unit(unit))))
	}
	return table
}

// hours is the table of submissions over the day.
func (t *Trace) hours() answer.Table {
	table := answer.Table{Name: "hours", Columns: []answer.Column{
		{Name: "hour", Unit: answer.Count, Means: "of the day, by the clock of the trace"},
		{Name: "jobs", Unit: answer.Count, Means: "submitted in it"}}}
	for hour, jobs := range t.Hours {
		table.Rows = append(table.Rows, []answer.Value{count(hour), count(jobs)})
	}
	return table
}

// cleaning is the table of what jobs of a trace lack.
func cleaning(k workload.Cleaning) answer.Table {
	t := answer.Table{Name: "cleaning", Columns: []answer.Column{
		{Name: "reason", Unit: answer.Text, Means: "what jobs of the trace lack"},
		{Name: "jobs", Unit: answer.Count, Means: "that lack it"}}}
	for _, line := range []struct {
		reason string
		jobs   int64
	}{
		{"no_submit_time", k.NoSubmit}, {"no_run_time", k.NoRunTime}, {"no_processors", k.NoProcessors},
		{"allocated_processors", k.Allocated}, {"no_estimate", k.NoEstimate}, {"overrun", k.Overrun},
		{"too_wide", k.Wide}, {"no_start", k.NoStart},
		{"held", k.Held}, {"unrelated", k.Unrelated},
	} {
		if line.jobs > 0 {
			t.Rows = append(t.Rows, []answer.Value{answer.Word(line.reason), count(line.jobs)})
		}
	}
	return t
}

// Cleaned says what cleaning has left in a file.
func (t *Trace) Cleaned(out string) answer.Answer {
	a := t.Answer(0)
	a.Command = "trace clean"
	a.Headline = answer.New("WRITTEN", answer.Word(out).As("file"), count(t.Cleaning.Left).As("jobs"))
	a.Tables = []answer.Table{cleaning(t.Cleaning)}
	return a
}

// CleanHeader returns the header of the trace after cleaning, with notes on the changes that a version made.
func (t *Trace) CleanHeader(version string) []string {
	var lines []string
	for _, line := range t.Header.Lines {
		key, _, _ := strings.Cut(strings.TrimLeft(line, "; \t"), ":")
		key = strings.TrimSpace(key)
		if key != "MaxJobs" && key != "MaxRecords" {
			lines = append(lines, line)
		}
	}
	lines = append(lines, fmt.Sprintf("; MaxJobs: %d", t.Cleaning.Left),
		fmt.Sprintf("; MaxRecords: %d", t.Cleaning.Left))
	if t.Nodes > 0 && t.Header.Nodes() == 0 {
		lines = append(lines, fmt.Sprintf("; MaxProcs: %d", t.Nodes))
	}
	lines = append(lines, fmt.Sprintf("; Note: revopt %s: jobs %s, cleaning %s, %d read, %d left",
		version, t.Selection.Subset, t.Cleaning.Rule, t.Cleaning.Read, t.Cleaning.Left))
	for _, line := range t.Cleaning.Notes() {
		lines = append(lines, "; Note: revopt: "+line)
	}
	if t.Moved > 0 {
		lines = append(lines, fmt.Sprintf("; Note: revopt: sorted, %d were out of order", t.Moved))
	}
	return lines
}
