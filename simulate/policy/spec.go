package policy

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"revopt/simulate"
)

// Spec is a policy as scenarios and commands know it.
type Spec struct {
	Name    string // in files and on command lines, such as easy
	Title   string // in legends and headings, such as EASY; "" is the name
	Summary string // one line
	Options []Option
	Needs   Needs
	Also    Settings // with which it takes part, beside the defaults, where all policies are compared; nil is none
	Ranked  bool     // jobs of a higher rank are served first, whatever comes
	Cost    float64  // seconds of processor time for a job, about, to plan with; 0 is 1e-6

	// New returns the policy of one site for one run. The settings are complete
	// and valid.
	New func(Settings) simulate.Policy
	// Grid returns the policies of so many sites and the broker that sends jobs
	// to them. Nil is a policy for one site.
	Grid func(s Settings, sites int) ([]simulate.Policy, simulate.Broker)
}

// Needs says on which workloads a policy can run.
type Needs struct {
	Deadlines bool // every job that pays has a deadline
	Optional  bool // jobs have optional parts
	Alike     bool // the nodes of a site are alike and without limits of memory and disk
	Shared    bool // for information: several jobs share a node at a time
	Preempts  bool // for information: running jobs give way, whatever the options
}

// NeedError says why a policy cannot run on a workload.
type NeedError struct {
	Policy string
	Need   string // what is missing: deadlines, optional parts, a single site, nodes that are alike
	Hint   string // what would help; may be empty
}

// Error names the policy and what it needs.
func (e *NeedError) Error() string {
	text := fmt.Sprintf("policy %s needs %s", e.Policy, e.Need)
	if e.Hint != "" {
		text += ": " + e.Hint
	}
	return text
}

// Check returns a *NeedError where the workload lacks something.
func (s Spec) Check(h simulate.Has) error {
	switch {
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
	case s.Grid == nil && h.Sites > 1:
		return &NeedError{s.Name, "a single site", fmt.Sprintf("the grid has %d", h.Sites)}
	case s.Needs.Alike && !h.Alike:
		return &NeedError{s.Name, "nodes that are all alike and without limits", ""}
	}
	return nil
}

// Unpreempted reports whether the policy, with the given settings, runs every job
// once, whole, on processors of its own from its start to its end. Bounds for such
// schedules hold for it. A policy that shares nodes, returns partial results,
// preempts, or has an option preempt that is set does not.
func (s Spec) Unpreempted(given Settings) bool {
	if s.Needs.Shared || s.Needs.Optional || s.Needs.Preempts {
		return false
	}
	for _, o := range s.Options {
		if value, ok := given[o.Name]; o.Name == "preempt" && ok && value != o.Values[0] {
			return false
		}
	}
	return true
}

// Make returns the policies of a run on so many sites, and their broker, nil for
// one site.
func (s Spec) Make(given Settings, sites int) ([]simulate.Policy, simulate.Broker, error) {
	all, err := s.Resolve(given)
	if err != nil {
		return nil, nil, err
	}
	if s.Grid != nil && (sites > 1 || s.New == nil) {
		policies, broker := s.Grid(all, sites)
		return policies, broker, nil
	}
	if sites != 1 {
		return nil, nil, s.Check(simulate.Has{Deadlines: true, Optional: true, Alike: true, Sites: sites})
	}
	return []simulate.Policy{s.New(all)}, nil, nil
}

// Option is a choice that a policy leaves open.
type Option struct {
	Name   string
	Values []string // the first is the default
	Number bool     // any number from 0 on will do; Values holds the default alone
	Below  float64  // a number must be below; 0 is no limit
	Least  float64  // a number that is not 0 must be at least this
}

// check returns what is expected where the value is not that, else nothing.
func (o Option) check(value string) string {
	if o.Number {
		if x, err := strconv.ParseFloat(value, 64); err != nil || !(x >= 0) || math.IsInf(x, 1) {
			return "a number from 0 on"
		} else if o.Below > 0 && x >= o.Below {
			return fmt.Sprintf("a number from 0 on and below %g", o.Below)
		} else if x > 0 && x < o.Least {
			return fmt.Sprintf("0, or a number from %g on", o.Least)
		}
		return ""
	}
	if !slices.Contains(o.Values, value) {
		return strings.Join(o.Values, " or ")
	}
	return ""
}

// NumberOption returns an option that is a number.
func NumberOption(name, byDefault string) Option {
	return Option{Name: name, Values: []string{byDefault}, Number: true}
}

// Settings are the options of a policy by name.
type Settings map[string]string

// OptionError is an option that a policy does not have, or a value that it does
// not take.
type OptionError struct {
	Policy, Option string
	Value, Want    string   // empty where the policy has no such option
	Known          []string // the options that it has, there
}

// Error names the option and what was expected.
func (e *OptionError) Error() string {
	if e.Want == "" {
		text := fmt.Sprintf("%s has no option %q", e.Policy, e.Option)
		if e.Known != nil {
			text += ", but " + strings.Join(e.Known, ", ")
		}
		return text
	}
	return fmt.Sprintf("option %s of %s: expected %s, got %q", e.Option, e.Policy, e.Want, e.Value)
}

// Choices returns the options of the policy and the one that all policies for
// whole jobs have: who decides what a job pays.
//
//	charge=auto    the value where customers are classes, else the posted price
//	charge=value   what the job is worth at its end
//	charge=posted  the price rule of the policy, which is its paper's
//	charge=second  the density of the best job it displaces times its node-seconds, at most its value
//
// See Charging. Policies with budgets look at them only where they set the price.
func (s Spec) Choices() []Option {
	if s.Needs.Optional || slices.ContainsFunc(s.Options, func(o Option) bool { return o.Name == charge }) {
		return s.Options
	}
	return append(slices.Clip(s.Options), Option{Name: charge, Values: []string{"auto", "value", "posted", "second"}})
}

// charge is the name of that option.
const charge = "charge"

// Charging returns who decides what jobs pay under the given settings, and the
// observer of a run that charges second prices, which is nil for the others. Auto
// is what the workload says.
func (s Spec) Charging(given Settings, auto simulate.Charging) (simulate.Charging, *simulate.Second) {
	switch given[charge] {
	case "value":
		return simulate.ByValue, nil
	case "posted":
		return simulate.ByPolicy, nil
	case "second":
		return simulate.ByPolicy, new(simulate.Second)
	}
	return auto, nil
}

// anyPrice reports whether jobs pay a second price, of which no budget is too
// small.
func (s Settings) anyPrice() bool { return s[charge] == "second" }

// Resolve checks the settings given and adds the defaults of the policy's own
// options.
func (s Spec) Resolve(given Settings) (Settings, error) {
	all, options := make(Settings), s.Choices()
	for _, o := range s.Options {
		all[o.Name] = o.Values[0]
	}
	for name, value := range given {
		i := slices.IndexFunc(options, func(o Option) bool { return o.Name == name })
		if i < 0 {
			var known []string
			for _, o := range options {
				known = append(known, o.Name)
			}
			return nil, &OptionError{Policy: s.Name, Option: name, Known: known}
		}
		if want := options[i].check(value); want != "" {
			return nil, &OptionError{Policy: s.Name, Option: name, Value: value, Want: want}
		}
		all[name] = value
	}
	return all, nil
}

// Label names the policy with the settings that are not the defaults, as a
// command line has it: hol:backfill=true.
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
		if value, ok := given[o.Name]; ok && value != o.Values[0] {
			name += ":" + o.Name + "=" + value
		}
	}
	return name
}

// is reports whether a yes-or-no option is set.
func (s Settings) is(name string) bool { return s[name] == "true" }

// Number returns an option that is a number. It panics where that was not
// checked.
func (s Settings) Number(name string) float64 {
	x, err := strconv.ParseFloat(s[name], 64)
	if err != nil {
		panic("policy: option " + name + " was not checked")
	}
	return x
}

// UnknownError is a name that no policy has.
type UnknownError struct {
	Name  string
	Known []string
}

// Error lists the names that there are.
func (e *UnknownError) Error() string {
	return fmt.Sprintf("unknown policy %q, expected one of %s", e.Name, strings.Join(e.Known, ", "))
}

// Lookup returns the policy of the given name. The name fifo, of the first
// edition, stands for fcfs.
func Lookup(specs []Spec, name string) (Spec, error) {
	wanted := name
	if name == "fifo" {
		wanted = "fcfs"
	}
	var names []string
	for _, s := range specs {
		if s.Name == wanted {
			return s, nil
		}
		names = append(names, s.Name)
	}
	return Spec{}, &UnknownError{name, names}
}

// Standard returns the policies of revopt, in the order in which they are
// listed.
func Standard() []Spec {
	backfill := []Option{{Name: "backfill", Values: []string{"false", "true"}}}
	lapsing := append(planOptions()[:1:1], Option{Name: "lapse", Values: []string{"deadline", "latest"}})
	queue := Needs{Alike: true}
	shares := Needs{Deadlines: true, Shared: true}
	return append([]Spec{
		{
			Name: "hol", Title: "HOL", Summary: "highest rank first, non-preemptive", Options: backfill, Needs: queue, Ranked: true, Cost: 1e-6,
			New: func(s Settings) simulate.Policy { return NewHOL(s.is("backfill")) },
		}, {
			Name: "fcfs", Title: "FCFS", Summary: "first come, first served", Options: backfill, Needs: queue, Cost: 1e-6,
			New: func(s Settings) simulate.Policy { return NewFCFS(s.is("backfill")) },
		}, {
			Name: "fcfs-bf", Title: "FCFS-BF", Summary: "EASY backfilling by arrival, lapsed jobs rejected", Options: lapsing, Needs: queue, Cost: 1e-6,
			New: func(s Settings) simulate.Policy {
				return &Backfill{Terms: s.terms(), Lapse: true, Latest: s["lapse"] == "latest"}
			},
		}, {
			Name: "sjf-bf", Title: "SJF-BF", Summary: "EASY backfilling by estimated runtime, lapsed jobs rejected", Options: lapsing, Needs: queue, Cost: 1e-6,
			New: func(s Settings) simulate.Policy {
				return &Backfill{Terms: s.terms(), Key: ByEstimate, Lapse: true, Latest: s["lapse"] == "latest"}
			},
		}, {
			Name: "edf-bf", Title: "EDF-BF", Summary: "EASY backfilling by deadline, lapsed jobs rejected", Options: lapsing, Needs: queue, Cost: 1e-6,
			New: func(s Settings) simulate.Policy {
				return &Backfill{Terms: s.terms(), Key: ByDeadline, Lapse: true, Latest: s["lapse"] == "latest"}
			},
		}, {
			Name: "easy", Title: "EASY", Summary: "EASY backfilling by arrival, no deadlines", Options: planOptions(), Needs: queue, Cost: 1e-6,
			New: func(s Settings) simulate.Policy { return &Backfill{Terms: s.terms()} },
		}, {
			Name: "conservative", Title: "Conservative", Summary: "a reservation for every job, no deadlines", Options: planOptions(), Needs: queue, Cost: 1e-5,
			New: func(s Settings) simulate.Policy { return NewConservative(s.terms()) },
		}, {
			Name: "value-bf", Title: "Value-BF", Summary: "backfilling by the value that a wait would cost", Options: valueOptions(), Needs: queue, Cost: 5e-6,
			Also: Settings{"preempt": "suspend"},
			New:  func(s Settings) simulate.Policy { return s.value() },
		}, {
			Name: "first-price", Title: "FirstPrice", Summary: "backfilling by value per processor-second", Options: valuePlan("1"), Needs: queue, Cost: 5e-6,
			New: func(s Settings) simulate.Policy { return s.valuePlan() },
		}, {
			Name: "first-reward", Title: "FirstReward", Summary: "backfilling by present value less what others lose", Options: rewardOptions(), Needs: queue, Cost: 1e-5,
			New: func(s Settings) simulate.Policy { return s.reward() },
		}, {
			Name: "qops", Title: "QoPS", Summary: "a job is taken only if a plan keeps its deadline and all others", Options: qopsOptions(), Needs: queue, Cost: 1e-5,
			New: func(s Settings) simulate.Policy { return s.qops() },
		}, {
			Name: "d-over", Title: "D-over", Summary: "earliest deadline first, preemptive; under overload by value", Options: doverOptions(), Needs: Needs{Alike: true, Preempts: true}, Cost: 1e-5,
			New: func(s Settings) simulate.Policy { return s.dover() },
		}, {
			Name: "libra", Title: "Libra", Summary: "proportional share by deadline, Libra's cost", Options: libraOptions(), Needs: shares, Cost: 2e-5,
			New: func(s Settings) simulate.Policy { return NewLibra(s.libra()) },
		}, {
			Name: "libra+$", Title: "Libra+$", Summary: "proportional share by deadline, prices that follow demand", Options: dollarOptions(), Needs: shares, Cost: 2e-5,
			New: func(s Settings) simulate.Policy { return NewLibraDollar(s.dollar()) },
		}, {
			Name: "libra-sla", Title: "LibraSLA", Summary: "proportional share by return, soft deadlines give way at a penalty", Options: slaOptions(), Needs: shares, Cost: 4e-5,
			New: func(s Settings) simulate.Policy { return NewLibraSLA(SLATerms{Last: s["return"] == "last"}) },
		}, {
			Name: "bid-share", Title: "Bid-Share", Summary: "nodes shared in proportion to bids", Needs: Needs{Shared: true}, Cost: 2e-5,
			New: func(Settings) simulate.Policy { return NewBidShare() },
		},
	}, impreciseSpecs()...)
}
