package paper

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"revopt/model/scenario"
	"revopt/plots"
	"revopt/simulate/metric"
	"revopt/simulate/policy"
	"revopt/simulate/study"
)

// A contender is a policy with its options, in a scenario with overrides of its
// own.
type contender struct {
	name    string // in figures
	policy  string
	options map[string]string
	set     []scenario.Override
	look    int // see plots.Series

	// option, if not empty, is the option of the policy that takes the values
	// of the axis in place of a field of the scenario.
	option string
}

// compared returns policies by their names, with the titles that legends have.
func compared(names ...string) []contender {
	list := make([]contender, len(names))
	for i, name := range names {
		spec, err := policy.Lookup(study.Standard(), name)
		if err != nil {
			panic("paper: " + err.Error())
		}
		list[i] = contender{name: spec.Title, policy: name, look: i + 1}
	}
	return list
}

// policies returns contenders as a sweep lists them.
func policies(list []contender) []scenario.Policy {
	var all []scenario.Policy
	for _, c := range list {
		all = append(all, scenario.Policy{Name: c.policy, Options: c.options})
	}
	return all
}

// An axis is what varies along a figure of a trace.
type axis struct {
	path   string // of the field; empty where it is an option of policies
	values []float64
	coarse []float64 // values of a quick look
	label  string
	share  bool // printed as per cent
}

// in returns the axis with the values to simulate.
func (a axis) in(o Options) axis {
	a.values = finer(o.Quick, a.coarse, a.values)
	return a
}

// A tracePlan is what a study of a trace simulates: every contender at every
// value of the axis.
type tracePlan struct {
	scenario     string // built in
	trace        string // SWF file; empty means the generated jobs
	axis         axis
	contenders   []contender
	replications int
	metrics      []metric.Measure
	points       bool // improvements are in points, see Reading
}

// designs returns a sweep for each set of overrides, and where they have the
// numbers of the contenders. One that is the same at all values of the axis is
// simulated once.
func (p tracePlan) designs() (list []design, cases [][]sweepCase) {
	var sets [][]scenario.Override
	for _, c := range p.contenders {
		k := slices.IndexFunc(sets, func(set []scenario.Override) bool { return slices.Equal(set, c.set) })
		if k < 0 {
			k = len(sets)
			sets, list = append(sets, c.set), append(list, p.design(c.set))
		}
		first := sweepCase{k, study.Case{Policy: len(list[k].policies)}}
		list[k].policies = append(list[k].policies, c.choices(p.axis)...)
		cases = append(cases, p.along(first, c))
	}
	return list, cases
}

// design returns a sweep without policies.
func (p tracePlan) design(set []scenario.Override) design {
	d := design{scenario: p.scenario, set: set[:len(set):len(set)], replications: p.replications, metrics: append(slices.Clip(p.metrics), submitted())}
	if p.trace != "" {
		d.set = append(d.set, scenario.Override{Path: "trace.file", Value: yamlText(p.trace)})
	}
	if p.axis.path != "" {
		d.path, d.values = p.axis.path, p.axis.values
	}
	return d
}

// choices returns the policies of a contender: one, or one for each value of
// the axis where that is an option.
func (c contender) choices(a axis) []scenario.Policy {
	if c.option == "" {
		return policies([]contender{c})
	}
	var list []scenario.Policy
	for _, x := range a.values {
		options := map[string]string{c.option: fmt.Sprint(x)}
		maps.Copy(options, c.options)
		list = append(list, scenario.Policy{Name: c.policy, Options: options})
	}
	return list
}

// along returns where the numbers of a contender are along the axis.
func (p tracePlan) along(first sweepCase, c contender) []sweepCase {
	along := make([]sweepCase, len(p.axis.values))
	for i := range along {
		along[i] = first
		if p.axis.path != "" {
			along[i].Point = i
		}
		if c.option != "" {
			along[i].Policy += i
		}
	}
	return along
}

// sweeps returns the sweeps of the plan.
func (p tracePlan) sweeps(o Options) ([]*study.SweepSpec, error) {
	list, _ := p.designs()
	return specs(o, list...)
}

// A traceStudy is the outcome of a tracePlan. One replication has the same jobs
// under all contenders.
type traceStudy struct {
	tracePlan
	results     // by contender and value of the axis
	jobs    int // of a replication
}

// traceStudy returns what the sweeps of the plan found.
func (p tracePlan) study(found []*study.SweepResults) *traceStudy {
	_, cases := p.designs()
	t := &traceStudy{tracePlan: p, results: results{found, cases}}
	t.jobs = int(t.values(0, 0, submitted())[0]) // a trace may have fewer than are asked for
	return t
}

// submitted is how many jobs there are.
func submitted() metric.Measure { return measure("jobs_submitted") }

// yamlText writes a text as YAML.
func yamlText(text string) string {
	plain := func(r rune) bool {
		return r == '/' || r == '.' || r == '-' || r == '_' || r < 128 && (unicode.IsLetter(r) || unicode.IsDigit(r))
	}
	if text[0] != '-' && !strings.ContainsFunc(text, func(r rune) bool { return !plain(r) }) {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", "''") + "'"
}

// series draws a measure of a contender.
func (t *traceStudy) series(contender int, f metric.Measure) plots.Series {
	line := t.line(contender, t.axis.values, f)
	line.Name, line.Look = t.contenders[contender].name, t.contenders[contender].look
	return line
}

// workload says which jobs were simulated.
func (t *traceStudy) workload() string {
	return jobsOf(t.trace, t.jobs)
}

// jobsOf names so many jobs of a trace, "" being generated ones.
func jobsOf(trace string, jobs int) string {
	if trace == "" {
		return fmt.Sprintf("%d generated jobs (sp2-like)", jobs)
	}
	return fmt.Sprintf("the last %d jobs of %s", jobs, filepath.Base(trace))
}

// drawnAnew says how the jobs of replications differ.
func drawnAnew(trace string) string {
	if trace == "" {
		return ", new ones in every replication; --trace FILE takes real ones"
	}
	return ", in every replication with deadlines and budgets drawn anew"
}

// capital returns words with a capital at the start.
func capital(words string) string { return strings.ToUpper(words[:1]) + words[1:] }

// notes say what is drawn.
func (t *traceStudy) notes() []string {
	return []string{capital(t.workload()) + " on 128 nodes", bands(t.replications, "", "mean")}
}

// remark says which jobs were simulated and what that means.
func (t *traceStudy) remark() string {
	return "workload: " + t.workload() + drawnAnew(t.trace)
}

// provenance says how the numbers were made.
func (t *traceStudy) provenance(o Options) plots.Provenance {
	var fields []plots.Pair
	if t.trace != "" {
		fields = append(fields, plots.Pair{Key: "trace.file", Value: t.trace})
	}
	path := t.axis.path
	for _, c := range t.contenders {
		if c.option != "" {
			path = "policies." + c.policy + "." + c.option
		}
	}
	p := o.provenance(t.scenario, t.replications, append(fields, varied(path, t.axis.values))...)
	p.Extra = append(p.Extra, plots.Pair{Key: "workload", Value: t.workload()})
	for _, c := range t.contenders {
		p.Extra = append(p.Extra, plots.Pair{Key: "policy", Value: c.String()})
	}
	return p
}

// String names a contender with its options and overrides.
func (c contender) String() string {
	words := c.policy
	for _, name := range slices.Sorted(maps.Keys(c.options)) {
		words += ":" + name + "=" + c.options[name]
	}
	for _, s := range c.set {
		words += fmt.Sprintf(", %s=%s", s.Path, s.Value)
	}
	return words
}

// of returns the place of a value on the axis.
func (t *traceStudy) of(x float64) int { return indexOf(t.axis.values, x) }

// last returns the place of the last value on the axis.
func (t *traceStudy) last() int { return len(t.axis.values) - 1 }

// below writes where a figure of one contender is less than that of another
// beyond chance.
func (t *traceStudy) below(less, than int, f metric.Measure) string {
	return t.where(func(i int) bool {
		d := t.lead(than, less, i, f)
		return d.N > 1 && d.Mean > d.HalfWidth
	})
}

// where writes at which values of the axis something holds.
func (t *traceStudy) where(holds func(i int) bool) string {
	var places []int
	for i := range t.axis.values {
		if holds(i) {
			places = append(places, i)
		}
	}
	switch n := len(places); {
	case n == 0:
		return "nowhere"
	case n == len(t.axis.values):
		return "everywhere"
	case n == 1:
		return "at " + t.axis.word(places[0])
	case places[n-1]-places[0] == n-1:
		return "from " + t.axis.word(places[0]) + " to " + t.axis.word(places[n-1])
	}
	words := make([]string, len(places))
	for k, i := range places {
		words[k] = t.axis.word(i)
	}
	return "at " + strings.Join(words, ", ")
}

// word writes a value of the axis.
func (a axis) word(i int) string {
	if a.share {
		return percent(a.values[i])
	}
	return fmt.Sprint(a.values[i])
}

// leads returns the smallest and the largest lead of a contender over the best
// of the others given, along the axis.
func (t *traceStudy) leads(contender int, others []int, f metric.Measure) (least, most metric.Interval) {
	for i := range t.axis.values {
		best := others[0]
		for _, o := range others {
			if t.interval(o, i, f).Mean > t.interval(best, i, f).Mean {
				best = o
			}
		}
		d := t.lead(contender, best, i, f)
		if i == 0 || d.Mean < least.Mean {
			least = d
		}
		if i == 0 || d.Mean > most.Mean {
			most = d
		}
	}
	return least, most
}
