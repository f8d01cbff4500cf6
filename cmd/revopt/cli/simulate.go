package cli

import (
	"errors"
	"io"
	"iter"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"revopt/internal/text"
	"revopt/model/scenario"
	"revopt/plots"
	"revopt/plots/report"
	"revopt/simulate/metric"
	"revopt/simulate/policy"
	"revopt/simulate/study"
	"revopt/simulate/workload"
)

func simulateFlags() []cli.Flag {
	return append([]cli.Flag{
		listFlag("policy", "`LIST` policies by commas, options as in hol:backfill=true, or a program as in "+
			"'exec:python3 my.py'; repeatable (default the scenario's)"),
		listFlag("admission", "`A` all (default), analytic, simulated, promise, threshold, state, prices or probabilities"),
		stringFlag("horizon", "`T` length of a replication as a time, such as 182d"),
		stringFlag("warmup", "`W` beginning of a run to leave out: a share such as 10%, a time such as 2h, "+
			"or mser (MSER-5)"),
		stringFlag("html", "`FILE` write one self-contained page: answer, customers, table, scenario"),
		stringFlag("records", "`FILE` write a line of CSV for every job of every replication"),
		stringFlag("gantt", "`FILE` draw which job runs where in the first replication"),
		choiceFlag("by", "", "`user` add a table of the 20 users with most work; --json has all; every replication runs twice", "user"),
		boolFlag("classes", "print the table of classes even if several rows are compared"),
	}, runFlags("`N` jobs per replication, warm-up included")...)
}

// policiesByScheduler lists the policies by the scheduler that can run them, on lines of a
// help text.
func policiesByScheduler(specs []policy.Spec) string {
	var groups [policy.Slurm + 1][]string
	for _, spec := range specs {
		where := spec.RunsOn(nil)
		groups[where] = append(groups[where], spec.Name)
	}
	var lines []string
	for where, names := range slices.Backward(groups[:]) {
		words := policy.Where(where).String() + ": " + strings.Join(names, ", ")
		lines = append(lines, "  "+strings.Join(text.Wrapped(words, 80), "\n    "))
	}
	return strings.Join(lines, "\n")
}

// runFlags are those that all simulations have, with the help of --jobs.
func runFlags(jobs string) []cli.Flag {
	return append([]cli.Flag{
		stringFlag("replications",
			"`N` replications (default 10; 100 with --resample); the upper limit if --precision is given (default 1280)"),
		stringFlag("jobs", jobs),
		stringFlag("precision", "`P` replicate until the half width is at most this share of the mean, such as 1%"),
		stringFlag("metric", "`M` the measure that --precision applies to (default revenue_per_second)"),
		choiceFlag("resample", "", "`weeks` draw other histories from the weeks and users of a trace; intervals are their range",
			"weeks"),
		stringFlag("span", "`T` length of each history of --resample, such as 12w (default the length of the trace)"),
		presetFlag("level", "0.95", "`L` confidence level of the intervals"),
		boolFlag("plain", "measure without control variates"),
		seedFlag("the random numbers"), workersFlag("replications"),
	}, slices.Concat(scenarioFlags(), []cli.Flag{
		jsonFlag(), csvFlag("all measures"), saveFlag(),
		stringFlag("cells", "`FILE` write every measure of every replication as CSV, for pandas and R"),
	},
		journalFlags("replications"), engineFlags(), execFlags(), []cli.Flag{quietFlag("progress and no warnings")})...)
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
	level      float64
}

// openRun reads the scenario and how to simulate it.
func (p *program) openRun(c *cli.Context) (*input, *runSettings) {
	o := need(p.runOptions(c))
	in := need(p.open(c, "replications", "jobs", "horizon", "warmup"))
	if c.IsSet("replications") {
		o.count = in.Scenario.Simulation.Replications
	}
	values := c.StringSlice("admission")
	end(checkPrices(c, values, in, o.policies))
	o.admissions = need(in.parseAdmissions(values))
	end(p.setParent(c, in, o))
	if n := in.Scenario.Simulation.Replications; o.stop != nil && c.IsSet("replications") {
		if n < 2 {
			end(usagef("--replications: expected at least 2 with --precision, got %d", n))
		}
		o.stop.Precision.Max = n
	}
	return in, o
}

// checkPrices refuses chosen prices beside other admissions, and searched prices where
// they cannot be searched.
func checkPrices(c *cli.Context, values []string, in *input, policies []study.Policy) error {
	if policies == nil {
		policies = need(in.Policies())
	}
	priced := func(name string) bool {
		return name == scenario.AdmitPrices || name == scenario.AdmitPricesSimulated
	}
	switch {
	case !slices.ContainsFunc(strings.Split(strings.Join(values, ","), ","), priced):
		return nil
	case len(values) > 1 || !priced(values[0]):
		return usagef("--admission: prices cannot be combined with other admissions")
	case values[0] == scenario.AdmitPricesSimulated && (len(policies) > 1 || c.Command.Name != "simulate"):
		return usagef("--admission %s: expected simulate or whatif, and one policy, for which prices are searched",
			values[0])
	}
	return nil
}

func (p *program) runOptions(c *cli.Context) (*runSettings, error) {
	o := &runSettings{}
	level, ok := fraction(c.String("level"))
	if !ok || level >= 1 {
		return nil, usagef("--level: expected a share above 0 and below 1 such as 0.95, got %q",
			c.String("level"))
	}
	o.level = level
	if c.IsSet("policy") {
		o.policies = need(p.parsePolicies(c.StringSlice("policy")...))
	}
	o.resample = need(resampling(c))
	if !c.IsSet("precision") {
		if c.IsSet("metric") {
			return nil, usagef("--metric: expected --precision with it, such as --precision 1%%")
		}
		return o, nil
	}
	relative, ok := fraction(c.String("precision"))
	if !ok {
		return nil, usagef("--precision: expected a share of the mean above 0 such as 1%%, got %q",
			c.String("precision"))
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
	switch {
	case !c.IsSet("resample") && c.IsSet("span"):
		return nil, usagef("--span: expected --resample weeks with it")
	case !c.IsSet("resample"):
		return nil, nil
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
	if near := text.DidYouMean(word, known); near != "" {
		return near + " (one of " + strings.Join(text.Few(known), ", ") + ")"
	}
	return ", expected one of " + strings.Join(text.Few(known), ", ")
}

// parsePolicies reads lists such as "hol,fcfs:backfill=true". A command of exec takes the rest of
// its list.
func (p *program) parsePolicies(lists ...string) ([]study.Policy, error) {
	var chosen []study.Policy
	for item := range policyItems(lists) {
		q, err := study.ParsePolicy(p.specs, strings.Split(strings.TrimSpace(item), ":"))
		var unknown *policy.UnknownError
		var option *policy.OptionError
		switch {
		case errors.As(err, &unknown):
			return nil, usagef("--policy: unknown policy %q%s", unknown.Name,
				expectedOne(unknown.Name, unknown.Known))
		case errors.As(err, &option) && option.Want == "":
			return nil, usagef("--policy: %s%s", err, text.DidYouMean(option.Option, option.Known))
		case err != nil:
			return nil, usagef("--policy: %s", err)
		}
		if slices.ContainsFunc(chosen, func(other study.Policy) bool { return other.Label() == q.Label() }) {
			return nil, usagef("--policy: %s is given twice", q.Label())
		}
		chosen = append(chosen, q)
	}
	return chosen, nil
}

// policyItems yields the policies of lists.
func policyItems(lists []string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, rest := range lists {
			for more := true; more; {
				item := rest
				if !strings.HasPrefix(strings.TrimSpace(rest), "exec:") {
					item, rest, more = strings.Cut(rest, ",")
				} else {
					more = false
				}
				if !yield(item) {
					return
				}
			}
		}
	}
}

// parseAdmissions reads the values of --admission, nil where there are none. They name
// the customers that the scenario lists, or all if it lists none.
func (in *input) parseAdmissions(values []string) ([]study.Admission, error) {
	names := in.Names()
	if listed := len(in.Scenario.Classes); listed > 0 {
		names = names[:min(listed, len(names))]
	}
	var chosen []study.Admission
	for _, value := range values {
		list, err := parseAdmission(value, names)
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

// oneAdmission reads --admission where only one is meant.
func oneAdmission(c *cli.Context, in *input) study.Admission {
	list := need(in.parseAdmissions([]string{c.String("admission")}))
	if len(list) != 1 {
		end(usagef("--admission: expected one admission, got %q", c.String("admission")))
	}
	return list[0]
}

// admissionNames returns the admissions that have a name.
func admissionNames() []string {
	return []string{scenario.AdmitAll, scenario.AdmitAnalytic, scenario.AdmitSimulated,
		scenario.AdmitPromise, study.ControlThreshold, study.ControlState, scenario.AdmitPrices, scenario.AdmitPricesSimulated}
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
		return nil, usagef("--admission: expected names or probabilities, got both in %q; give the flag several times",
			value)
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
			return nil, usagef("--admission: expected %s or probabilities from 0 to 1, got %q in %q%s",
				strings.Join(admissionNames(), ", "), part, value, text.DidYouMean(part, admissionNames()))
		}
		admit = append(admit, q)
	}
	if len(admit) != len(names) {
		return nil, usagef("--admission: expected %d probabilities, one for each class (%s), got %d in %q",
			len(names), strings.Join(names, ", "), len(admit), value)
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
	in, o := p.openRun(c)
	end(checkGantt(c, in.Subject))
	if c.IsSet("by") && !in.HasUsers() {
		end(usagef("--by user: expected jobs with users, from a trace that has them"))
	}
	s := &study.Simulation{
		Subject: in.Subject, Policies: o.policies, Admissions: o.admissions, Stop: o.stop, Resample: o.resample,
		Replications: o.count, Plain: c.Bool("plain"), MSER: c.String("warmup") == warmupMSER,
		Seed: c.Uint64("seed"), Level: o.level, Overrides: in.overrides,
	}
	result, err := ran(p, c, &s.Runner, s.Run)
	if result == nil {
		return err
	}
	result.Warnings = append(p.remarks(c, result.Once), result.Warnings...)
	result.Command, result.Build = p.origin(c)
	result.ByClass = c.Bool("classes")
	view := report.Simulation{Result: result}
	var files []func() error
	if err == nil {
		if c.IsSet("by") {
			end(result.AddUsers(c.Context))
		}
		files = append(files, recordsFile(c, result), func() error { return p.writeGantt(c, result) })
	}
	return p.finish(c, view, target{}, result.Samples, err, report.Shortfalls(result), files...)
}

// recordsFile writes the file of --records. It runs every replication of every row once
// more, and gets the same jobs as before.
func recordsFile(c *cli.Context, r *study.Result) func() error {
	return flagFile(c, "records", func(w io.Writer) error {
		records := metric.NewRecords(w)
		for i, e := range r.Experiments {
			for k := range r.Replications {
				if _, err := e.Run(c.Context, k, e.Recorder(records, r.Policies[i].Label, k)); err != nil {
					return err
				}
			}
		}
		return records.Flush()
	})
}

// checkGantt refuses a figure of more jobs than it could show.
func checkGantt(c *cli.Context, s *study.Subject) error {
	if jobs := s.Workload.Size(); c.String("gantt") != "" && jobs > report.MostBars {
		return usagef("--gantt: expected at most %d stretches of work, got about %s jobs: simulate fewer (--jobs)",
			report.MostBars, text.Fixed(jobs, 0))
	}
	return nil
}

// writeGantt draws the file of --gantt: the first replication of every row, run once
// more.
func (p *program) writeGantt(c *cli.Context, r *study.Result) error {
	path := c.String("gantt")
	if path == "" {
		return nil
	}
	if n := len(r.Experiments) * len(r.Pools); n > report.MostPanels {
		return usagef("--gantt: expected at most %d panels, got %d: pools times policies", report.MostPanels, n)
	}
	var panels []plots.Figure
	for i, e := range r.Experiments {
		g := metric.NewGantt()
		if _, err := e.Run(c.Context, 0, g); err != nil {
			return err
		}
		figures := report.Gantt(r.Policies[i].Label, r.UnitName, g, e.Workload.Sites(), r.Pools)
		n := text.Sum(figures, func(fig plots.Figure) int { return len(fig.Regions) })
		if n > report.MostBars {
			return usagef("--gantt: expected at most %d stretches of work, got %d under %s: simulate fewer jobs",
				report.MostBars, n, r.Policies[i].Label)
		}
		panels = append(panels, figures...)
	}
	prov := p.provenance(r.Scenario, r.Overrides, report.TraceSum(r.TraceFile.Sum()))
	prov.Seed = &r.Seed
	return plots.SaveFile(path, report.GanttSheet("Schedule: "+text.OneLine(r.Name()), panels), prov)
}
