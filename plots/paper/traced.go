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
	"revopt/simulate/sweep"
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

// An axis is what varies along a figure of a trace.
type axis struct {
	path   string // of the field; empty where it is an option of policies
	values []float64
	label  string
	share  bool // printed as per cent
}

// A tracePlan is what a study of a trace simulates: every contender at every
// value of the axis.
type tracePlan struct {
	scenario     string // built in
	trace        string // SWF file; empty means the generated jobs
	axis         axis
	contenders   []contender
	replications int
	metrics      []metric.Figure
}

// designs returns a sweep for each set of overrides, and where they have the
// numbers of the contenders. One that is the same at all values of the axis is
// simulated once.
func (p tracePlan) designs() (list []design, spots [][]spot) {
	var sets [][]scenario.Override
	for _, c := range p.contenders {
		k := slices.IndexFunc(sets, func(set []scenario.Override) bool { return slices.Equal(set, c.set) })
		if k < 0 {
			k = len(sets)
			sets, list = append(sets, c.set), append(list, p.design(c.set))
		}
		first := spot{k, sweep.Case{Policy: len(list[k].policies)}}
		list[k].policies = append(list[k].policies, c.choices(p.axis)...)
		spots = append(spots, p.spread(first, c))
	}
	return list, spots
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
		return []scenario.Policy{{Name: c.policy, Options: c.options}}
	}
	var list []scenario.Policy
	for _, x := range a.values {
		options := map[string]string{c.option: fmt.Sprint(x)}
		maps.Copy(options, c.options)
		list = append(list, scenario.Policy{Name: c.policy, Options: options})
	}
	return list
}

// spread returns where the numbers of a contender are along the axis.
func (p tracePlan) spread(first spot, c contender) []spot {
	along := make([]spot, len(p.axis.values))
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
func (p tracePlan) sweeps(o Options) ([]*sweep.Spec, error) {
	list, _ := p.designs()
	return specs(o, list...)
}

// A traced is the outcome of a tracePlan. One replication has the same jobs
// under all contenders.
type traced struct {
	tracePlan
	outcomes     // by contender and value of the axis
	jobs     int // of a replication
	seed     uint64
}

// traced returns what the sweeps of the plan found.
func (p tracePlan) traced(o Options, found []*sweep.Results) *traced {
	_, spots := p.designs()
	t := &traced{tracePlan: p, outcomes: outcomes{found, spots}, seed: o.Seed}
	t.jobs = int(t.values(0, 0, submitted())[0]) // a trace may have fewer than are asked for
	return t
}

// submitted is how many jobs there are.
func submitted() metric.Figure { return merit("jobs_submitted") }

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

// series draws a figure of merit of a contender.
func (t *traced) series(contender int, f metric.Figure) plots.Series {
	line := t.line(contender, t.axis.values, f)
	line.Name, line.Look = t.contenders[contender].name, t.contenders[contender].look
	return line
}

// workload says which jobs were simulated.
func (t *traced) workload() string {
	if t.trace == "" {
		return fmt.Sprintf("%d generated jobs (sp2-like)", t.jobs)
	}
	return fmt.Sprintf("the last %d jobs of %s", t.jobs, filepath.Base(t.trace))
}

// notes say what is drawn.
func (t *traced) notes() []string {
	jobs := t.workload() + " on 128 nodes"
	if t.trace != "" {
		jobs = "T" + jobs[1:]
	}
	if t.replications < 2 {
		return []string{jobs, "One replication"}
	}
	return []string{jobs, fmt.Sprintf("%d replications; bands: 95 %% intervals of the mean", t.replications)}
}

// remark says which jobs were simulated and what that means.
func (t *traced) remark() string {
	if t.trace == "" {
		return "workload: " + t.workload() + ", new ones in every replication, that resemble the paper's trace; --trace FILE takes the real ones"
	}
	return "workload: " + t.workload() + ", in every replication with deadlines and budgets drawn anew"
}

// provenance says how the numbers were made.
func (t *traced) provenance() plots.Provenance {
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
	p := provenance(t.scenario, append(fields, varied(path, t.axis.values))...)
	seed := t.seed
	p.Seed = &seed
	p.Extra = append(p.Extra, plots.Pair{Key: "workload", Value: t.workload()}, plots.Pair{Key: "replications", Value: fmt.Sprint(t.replications)})
	for _, c := range t.contenders {
		p.Extra = append(p.Extra, plots.Pair{Key: "policy", Value: c.String()})
	}
	return p
}

// String names a contender with its options and overrides.
func (c contender) String() string {
	words := c.policy
	for _, o := range []string{"spare", "alpha", "beta"} {
		if v := c.options[o]; v != "" {
			words += fmt.Sprintf(":%s=%s", o, v)
		}
	}
	for _, s := range c.set {
		words += fmt.Sprintf(", %s=%s", s.Path, s.Value)
	}
	return words
}
