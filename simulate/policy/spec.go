package policy

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"revopt/internal/removed"
	"revopt/internal/text"
	"revopt/simulate"
)

// Spec is a policy as scenarios and commands know it.
type Spec struct {
	Name    string // in files and on command lines, such as easy
	Title   string // in legends and headings, such as EASY; "" is the name
	Summary string // one line
	Options []Option
	Needs   Needs
	Also    Settings // a second variant in comparisons of all policies; nil is none
	Ranked  bool     // jobs of a higher rank are always served first
	Runs    Where    // with the options that suit best, see RunsOn
	Limited bool     // it has the option longest_wait, see Limit
	// More returns the option of a name that contains names of customers, such as
	// qos.gold.Priority; nil: there are none.
	More func(name string) (Option, bool)
	// Preempting reports whether running jobs are preempted; nil: by the option preempt. The settings are complete.
	Preempting func(Settings) bool
	// Agree returns what is wrong with settings that are valid one by one; nil: nothing can be.
	Agree func(Settings) error
	// Program marks a policy that runs a program of the user. It takes part only if it is named.
	Program bool
	// Inputs returns the files that the settings of a program name; nil: there are none.
	Inputs func(Settings) []string
	Barred bool    // the program may not run, as only a file names it; see Check
	Cost   float64 // approximate seconds of CPU time per job, for estimates; 0 is 1e-6

	Grid bool // it serves several sites, with a router of its own

	// Make returns the policies of a run by site, and the router of a grid. The settings are
	// complete and valid, and those from files have replaced defaults. See PerSite and InContext.
	Make func(Settings, Context) ([]simulate.Policy, simulate.Router, error)
}

// Context is what a policy may know of the run that it is made for.
type Context struct {
	Seed        uint64
	Replication int
	Offset      float64 // time 0, the first submission of a trace, s since 1970 in UTC; 0 if the jobs have no dates

	Processors []int        // by site
	Pools      []string     // names by site; "" without pools
	Ranks      func() Ranks // for a policy of its own, before any job has ended; nil: Job.Rank is stated
	Customers  []string     // names by Job.Class; a customer in several pools has several classes

	// Names are those of numbers of Job.Spec.Details, by kind (user, group, queue, partition
	// or account) and number, as far as the log states them.
	Names map[string]map[int32]string
}

// Ranks are the ranks of customers by what the jobs that have ended tell of them.
type Ranks interface {
	// Ended takes note of a job that has ended, and reports whether a rank has changed.
	Ended(j *simulate.Job) bool
	// Rank returns the rank of a customer by Job.Class.
	Rank(class int) int
}

// Sites returns the context of so many sites of a grid, or of one machine, about which a policy
// learns nothing else.
func Sites(processors ...int) Context {
	return Context{Processors: processors, Pools: make([]string, len(processors))}
}

// Grid reports whether the sites are those of a grid, which has a router, and not the pools of
// one machine.
func (c Context) Grid() bool { return len(c.Processors) > 1 && len(c.Pools) > 0 && c.Pools[0] == "" }

// Needs says on which workloads a policy can run.
type Needs struct {
	Deadlines bool // every job that pays has a deadline
	Optional  bool // jobs have optional parts
	Alike     bool // the nodes of a site are alike and without limits of memory and disk
	Shared    bool // information, not a need: several jobs share a node at a time
	Recorded  bool // jobs, times and machine are those of a log that has the starts
	Prices    bool // information, not a need: jobs are chosen by what they pay
}

// NeedError says why a policy cannot run on a workload.
type NeedError struct {
	Policy string
	Need   string // the missing thing: deadlines, optional parts, a single site, nodes that are alike
	Hint   string // a remedy; may be empty
}

// Error names the policy and its need.
func (e *NeedError) Error() string {
	text := fmt.Sprintf("policy %s needs %s", e.Policy, e.Need)
	if e.Hint != "" {
		text += ": " + e.Hint
	}
	return text
}

// Check returns a *NeedError if the workload lacks something.
func (s Spec) Check(h simulate.Has) error {
	switch {
	case s.Barred:
		return &NeedError{s.Name, "--allow-exec", "a file names the program to run"}
	case s.Needs.Deadlines && !h.Deadlines && len(h.Undated) > 0:
		verb := " state"
		if len(h.Undated) == 1 {
			verb = " states"
		}
		return &NeedError{s.Name, "deadlines", strings.Join(h.Undated, ", ") + verb + " none (give deadline or grace)"}
	case s.Needs.Deadlines && !h.Deadlines:
		return &NeedError{s.Name, "deadlines", "the jobs state none (give qos, or classes with deadline or grace)"}
	case s.Needs.Optional && !h.Optional:
		return &NeedError{s.Name, "optional parts", "the jobs are whole (give ic)"}
	case !s.Grid && h.Sites > 1:
		return &NeedError{s.Name, "a single site", fmt.Sprintf("the grid has %d", h.Sites)}
	case s.Needs.Recorded && !h.Recorded:
		return &NeedError{s.Name, "the schedule of a log", cmp.Or(h.Unrecorded, "the jobs have no recorded starts")}
	case h.Outages && (s.Needs.Shared || s.Needs.Optional || s.Grid):
		return &NeedError{s.Name, "a machine without outages", "jobs share nodes, or return partial results"}
	case s.Needs.Alike && !h.Alike:
		return &NeedError{s.Name, "nodes of speed 1 without limits", ""}
	}
	return nil
}

// Unpreempted reports whether the policy, with the given settings, runs every job once,
// whole, on dedicated processors from its start to its end, so that bounds for such
// schedules hold. Policies do not if they share nodes, return partial results, preempt,
// have an option preempt that is set, or repeat a log, which may use more than the machine.
func (s Spec) Unpreempted(given Settings) bool {
	if s.Needs.Shared || s.Needs.Optional || s.Needs.Recorded {
		return false
	}
	if s.Preempting != nil {
		all, err := s.Resolve(given)
		return err == nil && !s.Preempting(all.merged())
	}
	for _, o := range s.Options {
		if value, ok := given[o.Name]; o.Name == "preempt" && ok && value != o.Values[0] {
			return false
		}
	}
	return true
}

// Build returns the policies of a run by site, and their router, which is nil except on a grid.
func (s Spec) Build(given Settings, c Context) ([]simulate.Policy, simulate.Router, error) {
	all, err := s.Resolve(given)
	if err != nil {
		return nil, nil, err
	}
	if c.Grid() && !s.Grid {
		return nil, nil, s.Check(simulate.Has{
			Deadlines: true, Optional: true, Alike: true, Sites: len(c.Processors), Recorded: true,
		})
	}
	return s.Make(all.merged(), c)
}

// PerSite makes one policy for each site, by the settings alone.
func PerSite(f func(Settings) simulate.Policy) func(Settings, Context) ([]simulate.Policy, simulate.Router, error) {
	return InContext(func(s Settings, _ Context) simulate.Policy { return f(s) })
}

// InContext makes one policy for each site, which knows the run.
func InContext(
	f func(Settings, Context) simulate.Policy,
) func(Settings, Context) ([]simulate.Policy, simulate.Router, error) {
	return func(s Settings, c Context) ([]simulate.Policy, simulate.Router, error) {
		return text.Each(c.Processors, func(int) simulate.Policy { return f(s, c) }), nil, nil
	}
}

// Option is a choice that a policy leaves open.
type Option struct {
	Name   string
	Values []string // the first is the default
	Number bool     // the value is a number of at least 0; Values holds only the default
	Below  float64  // an upper limit of the number, exclusive; 0 is no limit
	Least  float64  // a lower limit of a number other than 0

	// Read returns another kind of value in its one way of writing, or the expected values
	// if the value is invalid; Values holds only the default. Nil: one of Values, or a Number.
	Read func(value string) (canonical, want string)
	Rest bool // the value is the last part of a label, without the name of the option
}

// Canonical returns a value in the one way in which settings have it, so that 0.50 is 0.5, or
// describes the expected values if the value is invalid.
func (o Option) Canonical(value string) (canonical, want string) {
	switch {
	case o.Read != nil:
		return o.Read(value)
	case !o.Number && !slices.Contains(o.Values, value):
		return "", strings.Join(o.Values, " or ")
	case !o.Number:
		return value, ""
	}
	switch x, err := strconv.ParseFloat(value, 64); {
	case err != nil || !(x >= 0) || math.IsInf(x, 1):
		return "", "a number from 0 on"
	case o.Below > 0 && x >= o.Below:
		return "", fmt.Sprintf("a number from 0 on and below %.10g", o.Below)
	case x > 0 && x < o.Least:
		return "", fmt.Sprintf("0, or a number from %g on", o.Least)
	default:
		return strconv.FormatFloat(x, 'g', -1, 64), ""
	}
}

// NumberOption returns an option that is a number.
func NumberOption(name, byDefault string) Option {
	return Option{Name: name, Values: []string{byDefault}, Number: true}
}

// Settings are the options of a policy by name.
type Settings map[string]string

// OptionError is an unknown option of a policy, or an invalid value of one.
type OptionError struct {
	Policy, Option string
	Value, Want    string   // empty if the policy has no such option
	Known          []string // in that case the options that it has
	Why            string   // in that case the reason, if there is one to tell

	Removed removed.Entry // in that case the option that an earlier version had
}

// Error names the option and the expected values.
func (e *OptionError) Error() string {
	switch {
	case e.Removed.Name != "":
		return e.Removed.String()
	case e.Want == "":
		text := fmt.Sprintf("%s has no option %q", e.Policy, e.Option)
		if e.Why != "" {
			return text + ": " + e.Why
		}
		if e.Known != nil {
			text += ", but " + strings.Join(e.Known, ", ")
		}
		return text
	}
	return fmt.Sprintf("option %s of %s: expected %s, got %q", e.Option, e.Policy, e.Want, e.Value)
}

// Choices returns the options of the policy, longest_wait if it has a queue that a Limit can change, and the option
// charge of all policies for whole jobs, see Charge and Charging.
func (s Spec) Choices() []Option {
	charges := slices.ContainsFunc(s.Options, func(o Option) bool { return o.Name == Charge })
	if s.Needs.Optional || s.Needs.Recorded || charges {
		return s.Options
	}
	options := slices.Clip(s.Options)
	if s.Limited {
		options = append(options, limitOption())
	}
	return append(options, Option{Name: Charge, Values: []string{"auto", "value", "posted"}})
}

// Charge is the name of the option that says how the pay of a job is set.
//
// # All policies: what a job pays
//
// Every policy for whole jobs has the option charge. It changes the money charged (revenue), and the value delivered
// only through budgets.
//
//   - charge=auto, the default: the value of the job with classes; the posted price under qos, in batches and on
//     grids.
//   - charge=value: the value of the job at its end, which may be a penalty. Budgets are ignored, and a job that
//     expires costs its max_penalty.
//   - charge=posted: the price rule of the policy's paper, at the base price of 1 $/s of qos. libra and libra+$ reject
//     a job whose budget is below the price; others may charge more than the job is worth (jobs_overcharged).
//
// On dedicated processors the posted price of a job in time is its estimated run time times 1 $/s, once and not per
// processor; late jobs pay nothing, and budgets are ignored.
const Charge = "charge"

// Charging returns how the pay of jobs is set under the given settings. Auto is the rule of the
// workload.
func (s Spec) Charging(given Settings, auto simulate.Charging) simulate.Charging {
	switch given[Charge] {
	case "value":
		return simulate.ByValue
	case "posted":
		return simulate.ByPolicy
	}
	return auto
}

// Resolve checks the given settings and adds the defaults of the policy's options, except
// for options that come from a file.
// Numbers are written in one way, so that equal policies have equal settings.
func (s Spec) Resolve(given Settings) (Settings, error) {
	all, options := make(Settings), s.Choices()
	for _, o := range s.Options {
		if _, read := given[FromFile+o.Name]; !read {
			all[o.Name] = o.Values[0]
		}
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		value := given[name]
		o, ok := s.option(options, name)
		if !ok {
			known := text.Each(options, func(o Option) string { return o.Name })
			old, _ := removed.Find(removed.Option, name)
			return nil, &OptionError{Policy: s.Name, Option: name, Known: known, Why: s.unlimited(name), Removed: old}
		}
		canonical, want := o.Canonical(value)
		if want != "" {
			return nil, &OptionError{Policy: s.Name, Option: name, Value: value, Want: want}
		}
		if s.More != nil && strings.HasPrefix(name, FromFile) {
			o.Name = FromFile + o.Name
		}
		all[o.Name] = canonical
	}
	if s.Agree != nil {
		return all, s.Agree(all.merged())
	}
	return all, nil
}

// merged returns settings with those from files in the places of settings that are not given.
func (s Settings) merged() Settings {
	all := maps.Clone(s)
	for name, value := range s {
		if own, ok := strings.CutPrefix(name, FromFile); ok {
			if _, given := s[own]; !given {
				all[own] = value
			}
		}
	}
	return all
}

// FromFile is the beginning of the names of settings that were read from a file which
// another setting names, as file.PriorityWeightAge. They apply where the same setting
// without it is not given, and labels leave them out.
const FromFile = "file."

// Has reports whether the policy has an option.
func (s Spec) Has(option string) bool {
	_, ok := s.option(s.Choices(), option)
	return ok
}

// option returns the option of a name among those of Choices and More.
func (s Spec) option(choices []Option, name string) (Option, bool) {
	if s.More != nil {
		name = strings.TrimPrefix(name, FromFile)
	}
	if i := slices.IndexFunc(choices, func(o Option) bool { return o.Name == name }); i >= 0 {
		return choices[i], true
	}
	if s.More == nil {
		return Option{}, false
	}
	return s.More(name)
}

// Label names the policy with the settings that differ from the defaults, as on a
// command line: hol:backfill=true. Options are in the order of Choices, whatever the
// order in which they were given, so that a policy has one label.
func (s Spec) Label(given Settings) string { return s.label(s.Name, given) }

// Heading is Label with the title of the policy.
func (s Spec) Heading(given Settings) string {
	if s.Title == "" {
		return s.Label(given)
	}
	return s.label(s.Title, given)
}

func (s Spec) label(name string, given Settings) string {
	for _, o := range s.Choices() {
		_, read := given[FromFile+o.Name]
		if value, ok := given[o.Name]; ok && !o.Rest && (value != o.Values[0] || read) {
			name += ":" + o.Name + "=" + value
		}
	}
	for _, option := range slices.Sorted(maps.Keys(given)) {
		if s.More == nil || strings.HasPrefix(option, FromFile) {
			continue
		}
		if _, named := s.More(option); named {
			name += ":" + option + "=" + given[option]
		}
	}
	for _, o := range s.Options {
		if o.Rest && given[o.Name] != "" {
			name += ":" + given[o.Name]
		}
	}
	return name
}

func (s Settings) Is(name string) bool { return s[name] == "true" }

// Number returns a numeric option. It panics if the settings were not checked.
func (s Settings) Number(name string) float64 {
	x, err := strconv.ParseFloat(s[name], 64)
	if err != nil {
		panic("policy: option " + name + " was not checked")
	}
	return x
}

// UnknownError is an unknown name of a policy.
type UnknownError struct {
	Name    string
	Known   []string
	Removed removed.Entry // the policy that an earlier version had
}

// Error lists the known names.
func (e *UnknownError) Error() string {
	if e.Removed.Name != "" {
		return e.Removed.String()
	}
	return fmt.Sprintf("unknown policy %q, expected one of %s", e.Name, strings.Join(e.Known, ", "))
}

// Lookup returns the policy of the given name.
func Lookup(specs []Spec, name string) (Spec, error) {
	var names []string
	for _, s := range specs {
		if s.Name == name {
			return s, nil
		}
		names = append(names, s.Name)
	}
	old, _ := removed.Find(removed.Policy, name)
	return Spec{}, &UnknownError{name, names, old}
}

// Replace returns specs with s in the place of the spec of its name, else at the end.
func Replace(specs []Spec, s Spec) []Spec {
	specs = slices.Clone(specs)
	if i := slices.IndexFunc(specs, func(other Spec) bool { return other.Name == s.Name }); i >= 0 {
		specs[i] = s
		return specs
	}
	return append(specs, s)
}

// Reader is Option.Read.
type Reader = func(value string) (canonical, want string)

func ReadOption(name, byDefault string, read Reader) Option {
	return Option{Name: name, Values: []string{byDefault}, Read: read}
}

// AnyText reads any text.
func AnyText(value string) (string, string) { return value, "" }
