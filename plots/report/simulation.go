package report

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"revopt/internal/text"
	"revopt/model/scenario"
	"revopt/plots/wording"
	"revopt/simulate/metric"
	"revopt/simulate/study"
	"revopt/simulate/subject"
	"revopt/simulate/warn"
)

// Simulation shows the result of a simulation.
type Simulation struct{ *study.Result }

func (s Simulation) Facts() (any, []warn.Warning) { return s.Result, s.Warnings }

// Table writes the rows, their differences, and the classes of each row if there is
// one policy, perhaps beside the log, or if the result asks for them.
func (s Simulation) Table(w io.Writer) {
	printFirst(w, s.First())
	fmt.Fprintf(w, "%s: %s%s\n", text.OneLine(s.Scenario), text.OneLine(s.What), s.under())
	for _, words := range poolLine(s.Pools) {
		text.Print(w, words, 0)
	}
	if s.Cleaning != nil {
		fmt.Fprintf(w, "cleaning %s\n", text.OneLine(s.Cleaning.Words()))
	}
	fmt.Fprintf(w, "%s\n", s.runWords())
	if s.Once || s.Replications > 1 {
		text.Print(w, text.OneLine(s.Covers), 0)
	}
	for _, words := range clockWords(s.Result) {
		fmt.Fprintln(w, words)
	}
	measure, name := s.money().measure, s.money().heading
	if p := s.Precision; p != nil && p.Metric != measure {
		measure, name = p.Metric, p.Metric
	}
	if words := variates(s.Result, measure, name); words != "" {
		fmt.Fprintln(w, words)
	}
	fmt.Fprintln(w)
	s.rowTable().print(w)
	for _, list := range [][]string{s.differences(), promiseWords(s.Result)} {
		for i, words := range list {
			if i == 0 {
				fmt.Fprintln(w)
			}
			text.Print(w, text.OneLine(words), 0)
		}
	}
	s.printAdmissions(w)
	for _, row := range s.Policies {
		if row.Providers != nil {
			parts := text.Each(row.Providers, func(p study.ProviderRow) part { return part{p.Name, p.Estimates} })
			s.printParts(w, "provider", row, parts)
		}
	}
	for _, row := range s.Policies {
		if len(row.Pools) > 1 {
			s.printParts(w, "pool", row, pools(row))
		}
	}
	simulated := text.Count(s.Policies, func(row study.Row) bool { return row.Policy.Name != subject.Recorded })
	for _, row := range s.Policies {
		if s.ByClass || simulated == 1 && len(row.Customers) != 1 {
			s.printParts(w, partyWord(s.Trace != ""), row, s.customers(row))
		}
	}
	for _, row := range s.Policies {
		s.printUsers(w, row)
	}
}

// Answer says what the best row brings, how others differ, and which promises are kept.
func (s Simulation) Answer() []string {
	best := s.Policies[s.best()]
	get, money := best.Total.Get, s.columns([]study.Estimates{best.Total})[0]
	shown, verb := money.format(get(money.measure)), s.money().verb
	earns := verb + " " + shown + " $/h"
	switch {
	case money.measure != s.money().measure: // no job pays
		earns = "completes " + shown + " jobs"
	case slices.ContainsFunc(s.Policies, func(row study.Row) bool { // another one to compare with
		return row.Label != best.Label && s.exceeded(row.Label) == ""
	}):
		earns = verb + " most, " + shown + " $/h"
	}
	time, measure := "mean wait", "mean_wait"
	if best.Stretched {
		time, measure = "mean response", "mean_response_time"
	}
	first := fmt.Sprintf("%s %s; the %s is %s", text.OneLine(best.Label), earns, time, wording.Duration(get(measure)))
	if !s.Unlike() {
		first += fmt.Sprintf(", and %s of the machine is used", wording.Percentage(get("utilization")))
	}
	more := append(append([]string{first}, s.differences()...), promiseWords(s.Result)...)
	return text.Each(more, func(line string) string { return line + "." })
}

// best returns the row that earns most, the first of several. The schedule of a log that used more
// units than a pool has is not compared.
func (s Simulation) best() int {
	best, money := 0, s.money().measure
	for i, row := range s.Policies {
		more := row.Total.Get(money).Mean > s.Policies[best].Total.Get(money).Mean
		if s.exceeded(row.Label) == "" && (more || s.exceeded(s.Policies[best].Label) != "") {
			best = i
		}
	}
	return best
}

// Rows is the table of the rows, its headings first. For one row it is that of its customers.
func (s Simulation) Rows() [][]string {
	if row := s.Policies[0]; len(s.Policies) == 1 && len(row.Customers) > 0 {
		return s.partTable(partyWord(s.Trace != ""), row, s.customers(row)).whole().Rows()
	}
	return s.rowTable().whole().Rows()
}

// printUsers writes the users of a row that submit most work.
func (s Simulation) printUsers(w io.Writer, row study.Row) {
	const most = 20
	shown := row.Users[:min(most, len(row.Users))]
	if len(shown) == 0 {
		return
	}
	heading := "user"
	if n := len(row.Users); n > most {
		heading = fmt.Sprintf("user (%d of %d)", most, n)
	}
	fmt.Fprintln(w)
	if len(s.Policies) > 1 {
		fmt.Fprintf(w, "%s\n", text.OneLine(row.Label))
	}
	t := text.NewTable()
	add := func(heading string, cell func(u study.UserRow) string) { t.Column(heading, text.Each(shown, cell)) }
	add(heading, func(u study.UserRow) string { return u.User })
	add("submitted", func(u study.UserRow) string { return wording.Count(u.Jobs) })
	add("mean wait", func(u study.UserRow) string { return wording.Duration(u.Wait) })
	add("slowdown", func(u study.UserRow) string { return wording.Ratio(u.Slowdown) })
	if slices.ContainsFunc(shown, func(u study.UserRow) bool { return u.Value.Mean != 0 }) {
		add("value $", func(u study.UserRow) string { return wording.Scaled(1)(u.Value) })
	}
	t.Print(w)
}

// clockWords says which times the rates of finitely many jobs are over, if they pay.
func clockWords(r *study.Result) []string {
	pays := func(row study.Row) bool { return row.Total.Get("utility").Mean != 0 }
	if r.Stream || !slices.ContainsFunc(r.Policies, pays) {
		return nil
	}
	all := func(of func(study.Row) float64) string {
		times := text.Each(r.Policies, of)
		least, most := text.Duration(slices.Min(times)), text.Duration(slices.Max(times))
		if least == most {
			return least
		}
		return least + " to " + most
	}
	return []string{fmt.Sprintf("$/h is over the %s of arrivals; used is over the %s until the last job has left",
		all(func(row study.Row) float64 { return row.Span }), all(func(row study.Row) float64 { return row.Observed }))}
}

// under names the policy, if all rows have the same.
func (s Simulation) under() string {
	label := s.Policies[0].Policy.Label
	if slices.ContainsFunc(s.Policies, func(row study.Row) bool { return row.Policy.Label != label }) {
		return ""
	}
	return ", under " + text.OneLine(label)
}

// runWords says how many replications of which length were simulated.
func (s Simulation) runWords() string {
	words := text.Plural(s.Replications, "replication")
	if s.Horizon != nil {
		words += " of " + text.Duration(float64(*s.Horizon))
	}
	if warmup := s.warmupWords(); warmup != "" {
		words += ", " + warmup + " left out as warm-up"
	}
	words += fmt.Sprintf(", seed %d", s.Seed)
	if s.Replications > 1 {
		words += levelSuffix(s.Result)
	}
	return words
}

func (s Simulation) warmupWords() string { return warmupWords(s.Warmup) }

// warmupWords says how much is left out as warm-up, "" if nothing is.
func warmupWords(w *study.WarmupResult) string {
	switch {
	case w == nil:
		return ""
	case w.Seconds != 0:
		return text.Duration(float64(w.Seconds))
	default:
		return text.PlainPercent(float64(w.Fraction))
	}
}

// column is a measure in some unit.
type column struct {
	heading, measure string
	format           func(e study.Estimate) string
	shown            bool
}

// columns returns the columns for which rows have something to show.
func (s Simulation) columns(rows []study.Estimates) []column {
	known := func(x float64) bool { return !math.IsNaN(x) }
	money := s.money()
	pays := some(rows, money.measure, func(x float64) bool { return x != 0 })
	charges := s.ByPolicy && some(rows, "cluster_profitability", func(x float64) bool { return x != 0 && known(x) })
	list := []column{
		{money.heading, money.measure, wording.Scaled(3600), pays},
		{"completed", "jobs_completed", wording.Count, !pays},
		// A grid may run much longer than its applications arrive: the sum says more than a rate.
		{"value $", "utility", wording.Scaled(1), pays && !s.Stream && s.Trace == ""},
		{"QoS kept", "job_qos_satisfaction", wording.Percentage, some(rows, "job_qos_satisfaction", known)},
		{"profit", "cluster_profitability", wording.Percentage, charges}, // charged in time, of all budgets
		{"used", "utilization", wording.Percentage, !s.Unlike() || some(rows, "utilization", known)},
		{"mean wait", "mean_wait", wording.Duration, !s.stretched()},
		{"response", "mean_response_time", wording.Duration, s.stretched()},
		{"slowdown", "mean_bounded_slowdown", wording.Ratio, true},
		{"admitted", "acceptance", wording.Percentage, some(rows, "acceptance", func(x float64) bool { return x < 1 })},
	}
	return append(slices.DeleteFunc(list, func(c column) bool { return !c.shown }), lossColumns(rows)...)
}

// stretched reports whether a policy suspends jobs or lets them share units. The time until their first start tells
// little then, and the response takes its place.
func (s Simulation) stretched() bool {
	return slices.ContainsFunc(s.Policies, func(row study.Row) bool { return row.Stretched })
}

// lossColumns returns the columns for jobs that did not end as they should, if there are any.
func lossColumns(rows []study.Estimates) (list []column) {
	for _, name := range []string{"given up", "expired", "killed", "late"} {
		measure := "jobs_" + strings.ReplaceAll(name, " ", "_")
		if some(rows, measure, func(x float64) bool { return x > 0 }) {
			list = append(list, column{name, measure, wording.Count, true})
		}
	}
	return list
}

// some reports whether the mean of a measure is such in some row.
func some(rows []study.Estimates, measure string, is func(mean float64) bool) bool {
	return slices.ContainsFunc(rows, func(e study.Estimates) bool { return is(float64(e.Get(measure).Mean)) })
}

// moneyShown is the measure of money that is shown, in $/h.
type moneyShown struct{ heading, measure, verb string }

// money returns the value delivered.
func (s Simulation) money() moneyShown {
	return moneyShown{"value $/h", "value_per_second", "delivers"}
}

// rowTable returns the table of the rows, named by policy, admission or both.
func (s Simulation) rowTable() *estimateTable {
	names := map[string]bool{}
	for _, row := range s.Policies {
		names[row.Admission.Name] = true
	}
	admissions := len(names) > 1
	policies := s.under() == "" || !admissions
	named := func(policy, admission string) (cells []string) {
		if policies {
			cells = append(cells, policy)
		}
		if admissions {
			cells = append(cells, admission)
		}
		return cells
	}
	t := &estimateTable{left: named("policy", "admission")}
	for _, row := range s.Policies {
		t.rows = append(t.rows, named(row.Policy.Label, row.Admission.Name))
		t.values = append(t.values, s.together(row.Total))
	}
	t.columns = s.columns(t.values)
	return t
}

// together returns the estimates of jobs in all pools: without the share of units in use if these are
// unlike, such as cores and GPUs.
func (s Simulation) together(e study.Estimates) study.Estimates {
	if s.Unlike() {
		return e.Without("utilization")
	}
	return e
}

// part is a class or a provider.
type part struct {
	name string
	study.Estimates
}

// printParts writes the parts of a row and their total, where a forwarded job counts once.
func (s Simulation) printParts(w io.Writer, kind string, row study.Row, parts []part) {
	fmt.Fprintln(w)
	if len(s.Policies) > 1 {
		fmt.Fprintf(w, "%s\n", text.OneLine(row.Label))
	}
	s.partTable(kind, row, parts).print(w)
}

func (s Simulation) partTable(kind string, row study.Row, parts []part) *estimateTable {
	t := &estimateTable{left: []string{kind, "submitted"}}
	total := "total"
	if slices.ContainsFunc(parts, func(p part) bool { return p.name == total }) {
		total = "(total)"
	}
	for _, p := range append(parts, part{total, s.together(row.Total)}) {
		submitted := text.Fixed(float64(p.Get("jobs_submitted").Mean), 0)
		t.rows, t.values = append(t.rows, []string{p.name, submitted}), append(t.values, p.Estimates)
	}
	t.columns = s.columns(t.values)
	return t
}

func partyWord(trace bool) string {
	if trace {
		return "customer"
	}
	return "class"
}

func (s Simulation) customers(row study.Row) []part {
	return text.Each(row.Customers, func(c study.CustomerRow) part { return part{c.Name, s.together(c.Estimates)} })
}

func pools(row study.Row) []part {
	return text.Each(row.InPools[:len(row.Pools)], func(p study.CustomerRow) part { return part{p.Pool, p.Estimates} })
}

// poolLine says how large and loaded pools are, in a line; none where the machine is one.
func poolLine(list []study.PoolResult) []string {
	if list == nil {
		return nil
	}
	words := text.Each(list, func(p study.PoolResult) string {
		under := ""
		if p.Policy != "" {
			under = " under " + p.Policy
		}
		return fmt.Sprintf("%s, %s%s at load %s", p.Name, text.Plural(p.Units, text.Unit(p.Unit)), under,
			text.Rounded(float64(p.Load)))
	})
	return []string{text.OneLine("pools: " + strings.Join(text.Few(words), "; "))}
}

// estimateTable makes tables of estimates.
type estimateTable struct {
	left    []string // headings of the columns that name rows
	columns []column
	rows    [][]string // the names of the rows
	values  []study.Estimates
}

// print writes the table. If it is too wide, columns from the right lose their half
// widths; the first keeps it. Ranges have their own lines.
func (t *estimateTable) print(w io.Writer) {
	whole := t.whole()
	shown := whole
	for wide := len(t.columns) - 1; wide > 0 && shown.Width() > text.Columns(w); wide-- {
		shown = t.table(wide)
	}
	shown.Print(w)
	if !slices.EqualFunc(shown.Rows(), whole.Rows(), slices.Equal) {
		fmt.Fprintln(w, "Columns without ±: --json and --csv have it.")
	}
}

// whole returns the table with all half widths, for a page.
func (t *estimateTable) whole() *text.Table { return t.table(len(t.columns)) }

// table returns the table. The first wide columns have half widths.
func (t *estimateTable) table(wide int) *text.Table {
	headings := text.Each(t.columns, func(c column) string { return c.heading })
	table := text.NewTable(slices.Concat(t.left, headings)...)
	for i, names := range t.rows {
		cells := slices.Clone(names)
		low, high := make([]string, len(names)), make([]string, len(names))
		low[0], high[0] = "  from", "  to"
		ranged := false
		for k, c := range t.columns {
			e, from, to := t.values[i].Get(c.measure), "", ""
			if e.Low != nil {
				ranged = true
				from, to = c.format(study.Estimate{Mean: *e.Low}), c.format(study.Estimate{Mean: *e.High})
			}
			if k >= wide || e.Low != nil {
				e = study.Estimate{Mean: e.Mean}
			}
			cells = append(cells, c.format(e))
			low, high = append(low, from), append(high, to)
		}
		table.Row(cells...)
		if ranged {
			table.Row(low...)
			table.Row(high...)
		}
	}
	return table
}

// differences says how much more or less than the first row each other row delivers.
func (s Simulation) differences() (list []string) {
	money := s.money()
	pays := func(r study.Row) bool { return r.Total.Get(money.measure).Mean != 0 }
	if len(s.Differences) > 0 && !slices.ContainsFunc(s.Policies, pays) {
		return []string{"no job pays"}
	}
	for i, d := range s.Differences {
		e, how := d.Total.Get(money.measure), ""
		dust := 1e-12 * math.Abs(float64(s.Policies[i+1].Total.Get(money.measure).Mean))
		if math.Abs(float64(e.Mean)) <= dust && (s.Once || float64(e.HalfWidth) <= dust) {
			e = study.Estimate{} // the same amounts, added up in another order
		}
		if low, high := e.Interval().Bounds(); !s.Once && e.HalfWidth != 0 && !(low > 0 || high < 0) {
			how = ", perhaps by chance"
		}
		switch {
		case s.Replications == 1:
		case e.HalfWidth == 0 && e.Mean == 0:
			how = " in every replication"
		case e.HalfWidth == 0:
			how = ", the same in every replication"
		default:
			how += " (paired, " + text.PlainPercent(float64(s.Level)) + ")"
		}
		if pool := cmp.Or(s.exceeded(d.Label), s.exceeded(d.Versus)); pool != "" {
			how += "; " + subject.Recorded + " used more units than pool " + pool + " has"
		}
		list = append(list, text.OneLine(fmt.Sprintf("%s %s %s %s%s", d.Label, money.verb, compared(e), d.Versus, how)))
	}
	return list
}

// exceeded returns the pool that the schedule of the log used more units of than there are, if the row
// is this schedule, else "".
func (s Simulation) exceeded(label string) string {
	for _, w := range s.Warnings {
		if w.Kind == warn.Overcommitted && len(w.Names) > 1 && label == subject.Recorded {
			return w.Names[1]
		}
	}
	return ""
}

// compared puts a difference of money per second into words.
func compared(e study.Estimate) string {
	switch amount := wording.Scaled(3600); {
	case e.Mean == 0 && (e.HalfWidth == 0 || math.IsInf(float64(e.HalfWidth), 0)):
		return "the same as"
	case e.Mean < 0:
		return amount(e.Negative()) + " $/h less than"
	default:
		return amount(e) + " $/h more than"
	}
}

// printAdmissions lists the probabilities of admission and says where they come from.
// An admission is the same under every policy, unless it was searched.
func (s Simulation) printAdmissions(w io.Writer) {
	var headings []string
	var columns []study.Row
	for _, row := range s.Policies {
		if row.Admission.Name == scenario.AdmitAll || !row.Searched && row.Policy.Label != s.Policies[0].Policy.Label {
			continue
		}
		name := row.Admission.Name
		if row.Searched {
			name = row.Label
		}
		headings, columns = append(headings, name), append(columns, row)
	}
	if len(columns) == 0 {
		return
	}
	table := text.NewTable()
	table.Column("admits", columns[0].Admission.Parties)
	for k, row := range columns {
		cell := func(i int, _ string) string { return admitted(row.Admission, i, "below %d") }
		table.Column(headings[k], text.EachAt(columns[0].Admission.Parties, cell))
	}
	fmt.Fprintln(w)
	table.Print(w)
	if lines := s.originWords(); len(lines) > 0 {
		fmt.Fprintf(w, "\n%s\n", strings.Join(lines, "\n"))
	}
}

func (s Simulation) originWords() []string {
	used, searched := map[string]bool{}, map[string]bool{}
	for _, row := range s.Policies {
		used[row.Admission.Name] = true
		searched[row.Admission.Name] = searched[row.Admission.Name] || row.Searched
	}
	var lines []string
	if used[scenario.AdmitAnalytic] {
		lines = append(lines, "analytic   the optimum of revopt solve: "+
			cmp.Or(wording.DelayWords(s.Residual), "for the job classes fitted to the trace"))
	}
	if used[scenario.AdmitSimulated] {
		origin := "found by search on the simulator, measured here on fresh random numbers"
		switch {
		case s.Resampled != nil:
			origin = "found by search on other spans of the trace, measured here on fresh ones"
		case recorded(s.Result):
			origin = "found by search on these jobs, measured on the same jobs with other lots (in-sample)"
		}
		lines = append(lines, "simulated  the admission that delivers most, "+origin)
	}
	if used[scenario.AdmitThreshold] {
		origin := "best by the model"
		lines = append(lines, "threshold  a share of the jobs, while fewer wait than the limit: "+origin)
	}
	if used[scenario.AdmitState] {
		lines = append(lines, "state      by who waits and who runs, the best of all admissions by the model of "+
			"these servers")
	}
	if words := ResultPrices(s.Result); words != "" {
		lines = append(lines, text.OneLine("prices: "+words))
	}
	return lines
}

// admitted says which jobs of a class an admission lets in; limit is as in "below %d".
func admitted(a study.AdmissionResult, class int, limit string) string {
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
		return words + " " + fmt.Sprintf(limit, *t.Waiting)
	}
}

func (s Simulation) Provenance() text.Provenance {
	prov := wording.Provenance(s.Version, s.Scenario, s.Command, s.Overrides, s.TraceFile, s.Warnings, "workload",
		s.What, "replications", strconv.Itoa(s.Replications), "warmup", s.warmupWords(), "trace", s.Trace,
		"jobs", s.Subset, "intervals", s.Covers)
	prov.Seed, prov.Cleaning = &s.Seed, s.Cleaning.Words()
	for _, row := range s.Policies {
		prov.Extra = append(prov.Extra, text.Pair{Key: "admission " + row.Label, Value: s.admitWords(row.Admission)})
	}
	return prov
}

// admitWords writes probabilities as --admission takes them, and rules in words.
func (s Simulation) admitWords(a study.AdmissionResult) string {
	words := make([]string, len(a.Parties))
	for i := range words {
		if a.ByState || a.Thresholds != nil {
			words[i] = admitted(a, i, "below %d")
		} else {
			words[i] = text.Field(a.Admit[i])
		}
	}
	return strings.Join(words, ",")
}

// Records yields a row for each measure, of all jobs where no class or pool is named, and
// one for each difference from the row under versus.
func (s Simulation) Records(add func(cells ...any)) {
	ranged := s.Resampled != nil
	names := rowOptions(s.Policies)
	add("policy", "options", "admission", "versus", wording.ClassCells(s.Pools != nil, "class", "pool"), "metric",
		wording.EstimateColumns(ranged), "unit", optionHeadings(names))
	list := func(row study.RowID, versus, class, pool string, all study.Estimates) {
		id := wording.ClassCells(s.Pools != nil, class, pool)
		for i, m := range metric.Measures() {
			options := optionWords(row.Policy.Settings)
			add(row.Policy.Label, options, row.Admission.Name, versus, id, m.Name,
				wording.EstimateCells(all[i], ranged), m.Unit, optionCells(names, row.Policy.Settings))
		}
	}
	for _, row := range s.Policies {
		for _, p := range row.Parts() {
			list(row.RowID, "", p.Name, p.Pool, p.Estimates)
		}
		for _, p := range row.Providers {
			list(row.RowID, "", "provider "+p.Name, "", p.Estimates)
		}
	}
	for _, d := range s.Differences {
		list(d.RowID, d.Versus, "", "", d.Total)
	}
}
