package logs

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"revopt/internal/text"
	"revopt/plots/wording"
	"revopt/simulate/metric"
	"revopt/simulate/slurm"
	"revopt/simulate/study"
	"revopt/simulate/study/quote"
	"revopt/simulate/subject"
	"revopt/simulate/workload"
)

// LogImport is the facts of the import of a log.
type LogImport struct {
	File      string             `json:"file"`
	TraceFile *subject.TraceFile `json:"trace_file"`
	Format    workload.LogFormat `json:"format"`
	Out       string             `json:"out"`
	Version   string             `json:"version"`
	slurm.ImportFacts

	Scenario string `json:"-"` // the file that has the pools, "" if there is none
	unit     string
}

// NewLogImport returns the facts of an import from one file into another.
func NewLogImport(log *slurm.Imported, file, out, version string) *LogImport {
	return &LogImport{
		File: file, TraceFile: subject.NewTraceFile(file, log.Header.Unit(), log.Header.Nodes()),
		Format: log.Format, Out: out, Version: version, ImportFacts: log.ImportFacts, unit: log.Header.Unit(),
	}
}

// unlike reports whether pools count in different units: sums of them mean nothing.
func (r *LogImport) unlike() bool {
	return text.Differ(r.Pools, func(p slurm.Pool) string { return p.Unit })
}

// Table writes the counts, and the pools as a part of a scenario, unless there is one.
func (r *LogImport) Table(w io.Writer) {
	fmt.Fprintf(w, "%s of %s in %s of %s", text.Plural(int(r.Jobs), "job"), text.OneLine(r.File),
		text.Plural(int(r.Lines), "line"), r.Format)
	if !r.unlike() {
		fmt.Fprintf(w, "; at most %s busy at a time", text.Plural(r.Procs, text.Unit(r.unit)))
	}
	fmt.Fprintln(w)
	for _, c := range r.Counts {
		fmt.Fprintf(w, "%10s  %-8s  %s\n", text.Fixed(float64(c.N), 0), c.Fate, c.Text)
	}
	for _, x := range r.Warnings {
		fmt.Fprintf(w, "revopt: warning: %s\n", text.OneLine(x.Text))
	}
	if r.Scenario == "" {
		writePools(w, r.Pools)
	}
}

// LogReplay is the facts of the comparison of a log with policies.
type LogReplay struct {
	File      string             `json:"file"`
	TraceFile *subject.TraceFile `json:"trace_file"`
	Version   string             `json:"version"`
	Subset    string             `json:"subset"`
	Since     string             `json:"wait_since"` // the wait counts from here: submit or eligible
	Nodes     int                `json:"nodes"`
	Starts    int                `json:"starts"`
	Within    metric.Number      `json:"within_seconds"`
	MeanWait  metric.Number      `json:"mean_wait"`
	Policies  []ReplayedPolicy   `json:"policies"`

	Quotes *quote.QuoteScore `json:"quotes,omitempty"` // in place of policies

	Standing *study.Standing `json:"standing,omitempty"` // the answer in a line: mean waits

	Warnings []slurm.Warning `json:"warnings"`

	unit  string
	hosts int // nodes that hold the units, 0 if it is not known
}

// ReplayedPolicy is the starts of a log under a policy.
type ReplayedPolicy struct {
	Name     string         `json:"name"`
	RunsOn   string         `json:"runs_on"`
	Allowed  int            `json:"allowed"`
	Late     int            `json:"allowed_earlier"` // of them, by more than the tolerance
	Overfull int            `json:"overfull"`
	MeanWait metric.Number  `json:"mean_wait"` // simulated
	Never    int            `json:"never_start,omitempty"`
	Denied   []ReplayedDeny `json:"not_allowed"`

	// The order of priorities against those of sprio.
	Moments int `json:"moments,omitempty"`
	Pairs   int `json:"pairs,omitempty"` // of jobs that waited at a moment
	Same    int `json:"same_order,omitempty"`
}

// ReplayedDeny is a start that the policy would not make.
type ReplayedDeny struct {
	Job     int64         `json:"job"`
	Wait    metric.Number `json:"wait"`
	Width   int           `json:"width"`
	Free    int           `json:"free"`
	Running int           `json:"running"`
	Waiting int           `json:"waiting"`
	Reason  string        `json:"reason"` // taken or kept
}

// NewLogReplay returns the facts of a subset of a log, without policies. Jobs that had not
// ended are a warning. A trace has no other waits than those since submission.
func NewLogReplay(
	log *slurm.Imported, file, version, since string, jobs workload.Subset, nodes int, within float64,
) *LogReplay {
	if log.Format == workload.SWF {
		since = "submit"
	}
	r := &LogReplay{
		File: file, TraceFile: subject.NewTraceFile(file, log.Header.Unit(), nodes),
		Version: version, Subset: jobs.String(), Since: since, Nodes: nodes, Within: metric.Number(within),
		unit: text.Unit(log.Header.Unit()), hosts: log.Header.Hosts(nodes), Warnings: log.Warnings,
	}
	open := int64(0)
	for _, n := range log.Counts {
		if n.Name == "running" || n.Name == "waiting" {
			open += n.N
		}
	}
	if open > 0 {
		r.Warnings = append(r.Warnings, slurm.Warning{Kind: "open", Text: text.Plural(int(open), "job") +
			" still running or waiting: starts beside them are judged as if they were not there"})
	}
	return r
}

// Add adds the decisions of a policy, and the waits of the log and a simulation.
func (r *LogReplay) Add(p subject.Policy, d *slurm.LogDecisions, waits slurm.LogWaits) {
	r.Starts, r.MeanWait = d.Starts, metric.Number(waits.Logged)
	row := ReplayedPolicy{
		Name: p.Label(), RunsOn: p.Spec.RunsOn(p.Settings).Key(), Allowed: d.Allowed, Late: d.Late,
		Overfull: d.Overfull, MeanWait: metric.Number(waits.Simulated), Never: waits.Never, Denied: []ReplayedDeny{},
	}
	for _, d := range d.Denied {
		reason := "taken"
		if d.Left >= d.Job.Width {
			reason = "kept"
		}
		wait := metric.Number(d.Job.Start - d.Job.Submit)
		row.Denied = append(row.Denied, ReplayedDeny{d.Job.Number, wait, d.Job.Width, d.Free, d.Running, d.Waiting,
			reason})
	}
	r.Policies = append(r.Policies, row)
	r.setStanding()
}

// neverStart is what follows a number of jobs that never start.
func neverStart(jobs int) string {
	if jobs == 1 {
		return " job never starts"
	}
	return " jobs never start"
}

// Table writes the comparison for a terminal.
func (r *LogReplay) Table(w io.Writer) {
	for _, line := range r.First() {
		text.Print(w, line, 0)
	}
	fmt.Fprintln(w)
	if q := r.Quotes; q != nil {
		r.quotes(w, q)
		return
	}
	since := map[string]string{"submit": "since submission", "eligible": "since jobs were eligible"}[r.Since]
	subset := ""
	if r.Subset != "all" {
		subset = " of " + r.Subset
	}
	fmt.Fprintf(w, "%s: %s%s on %s, allowed within %s; waits are %s\n\n", text.OneLine(r.File),
		text.Plural(r.Starts, "start"),
		subset, text.Machine(r.Nodes, r.unit, r.hosts), text.Duration(float64(r.Within)), since)
	t := text.NewTable("", "allowed", "", "earlier", "taken", "kept", "overfull", "mean wait")
	t.Row("log", "", "", "", "", "", "", text.Duration(float64(r.MeanWait)))
	for _, p := range r.Policies {
		kept := text.Count(p.Denied, func(d ReplayedDeny) bool { return d.Reason == "kept" })
		count := func(n int) string { return text.Fixed(float64(n), 0) }
		t.Row(p.Name, count(p.Allowed), text.Percent(float64(p.Allowed)/float64(r.Starts)), count(p.Late),
			count(len(p.Denied)-kept), count(kept), count(p.Overfull), text.Duration(float64(p.MeanWait)))
	}
	t.Print(w)
	fmt.Fprintln(w)
	text.Print(w, fmt.Sprintf("earlier: allowed, and the policy would have made the start earlier; not allowed: the %ss "+
		"are taken by other jobs, kept for one, or overfull: more ran than there are %[1]ss, or it needs more",
		r.unit), 0)
	for _, p := range r.Policies {
		if p.Never > 0 {
			fmt.Fprintf(w, "\n%s: %s, since nodes are down without an end; its mean wait is of the others\n",
				text.OneLine(p.Name), text.Fixed(float64(p.Never), 0)+neverStart(p.Never))
		}
	}
	for _, p := range r.Policies {
		if name, _, _ := strings.Cut(p.Name, ":"); p.Pairs > 0 {
			fmt.Fprintf(w, "\nsprio at %s: %s has the same order for %s of %s of jobs, %s\n",
				text.Plural(p.Moments, "moment"),
				name, text.Fixed(float64(p.Same), 0), text.Plural(p.Pairs, "pair"),
				text.Percent(float64(p.Same)/float64(p.Pairs)))
		}
	}
	r.printDenied(w, r.Policies[0])
}

// printDenied lists the first starts that a policy does not allow.
func (r *LogReplay) printDenied(w io.Writer, p ReplayedPolicy) {
	const most = 20
	if len(p.Denied) == 0 {
		return
	}
	fmt.Fprintf(w, "\nnot allowed by %s\n", p.Name)
	t := text.NewTable("job", r.unit+"s", "waited", "free", "running", "waiting", "why")
	for _, d := range p.Denied[:min(len(p.Denied), most)] {
		t.Row(fmt.Sprint(d.Job), fmt.Sprint(d.Width), text.Duration(float64(d.Wait)), fmt.Sprint(d.Free),
			fmt.Sprint(d.Running), fmt.Sprint(d.Waiting), d.Reason)
	}
	t.Print(w)
	if more := len(p.Denied) - most; more > 0 {
		fmt.Fprintf(w, "and %d more: see --json\n", more)
	}
}

func (r *LogReplay) quotes(w io.Writer, q *quote.QuoteScore) {
	duration := func(x metric.Number) string { return text.Duration(float64(x)) }
	percent := func(x metric.Number) string { return text.Percent(float64(x)) }
	fmt.Fprintf(w, "%s: quotes of the starts of %s at submission, on %s\n\n", text.OneLine(r.File),
		text.Plural(q.N, "job"), text.Machine(r.Nodes, r.unit, r.hosts))
	text.NewList([][]string{
		{"inside the range of " + percent(q.Level), percent(q.Inside),
			"of starts; those at an end of their range count in part, in whole " + percent(q.InsideClosed)},
		{"mean width of the range", duration(q.Sharpness), "from the quantile 10 % to 90 %"},
		{"pinball loss", duration(q.Pinball), "mean of the quantiles 10, 50 and 90 %"},
		{"of the median", duration(q.MedianPinball), "half the mean absolute error"},
		{"of EASY's reservation", duration(q.ReservationPinball), "the same, for the start by all time limits"},
		{"of the last waits", duration(q.NaivePinball), "mean of the same quantiles of the last 300 known waits"},
	}).Print(w)
	if len(q.Blocks) > 1 {
		fmt.Fprintf(w, "\nin blocks of 500 quotes, %s to %s are inside\n", percent(slices.Min(q.Blocks)),
			percent(slices.Max(q.Blocks)))
	}
}

// QuoteRecords writes a line of CSV for every quoted job.
func QuoteRecords(w io.Writer, q *quote.QuoteScore) error {
	return wording.WriteCSV(w, text.Provenance{}, func(add func(cells ...any)) {
		add("id", "submit", "start", "low", "median", "high", "reservation", "naive")
		for _, r := range q.Records {
			add(strconv.FormatInt(r.ID, 10), r.Submit, r.Start, r.Quantiles[0], r.Quantiles[1], r.Quantiles[2],
				r.Reservation, r.Naive)
		}
	})
}
