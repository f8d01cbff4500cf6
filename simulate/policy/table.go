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
	Name    string
	Summary string
	Options []Option

	make func(Settings) simulate.Policy
}

// Option is a choice that a policy leaves open.
type Option struct {
	Name   string
	Values []string // the first is the default
	Number bool     // any number from 0 on will do; Values holds the default alone
}

// check returns what is wrong with a value.
func (o Option) check(value string) error {
	if o.Number {
		if x, err := strconv.ParseFloat(value, 64); err != nil || !(x >= 0) || math.IsInf(x, 1) {
			return fmt.Errorf("%q, want a number from 0 on", value)
		}
		return nil
	}
	if !slices.Contains(o.Values, value) {
		return fmt.Errorf("%q, want %s", value, strings.Join(o.Values, " or "))
	}
	return nil
}

// number returns an option that is a number.
func number(name, byDefault string) Option {
	return Option{Name: name, Values: []string{byDefault}, Number: true}
}

// Settings are the options of a policy by name, complete and valid.
type Settings map[string]string

// Table returns all policies, in the order in which they are listed.
func Table() []Spec {
	backfill := []Option{{Name: "backfill", Values: []string{"false", "true"}}}
	return append([]Spec{
		{"hol", "highest rank first, non-preemptive", backfill, func(s Settings) simulate.Policy { return NewHOL(s.is("backfill")) }},
		{"fcfs", "first come, first served", backfill, func(s Settings) simulate.Policy { return NewFCFS(s.is("backfill")) }},
		{"fifo", "first come, first served, no backfilling, no deadlines", nil, func(Settings) simulate.Policy { return NewFIFO() }},
		{"fcfs-bf", "EASY backfilling by arrival, lapsed jobs rejected", nil, func(Settings) simulate.Policy { return NewFCFSBF() }},
		{"sjf-bf", "EASY backfilling by estimated runtime, lapsed jobs rejected", nil, func(Settings) simulate.Policy { return NewSJFBF() }},
		{"edf-bf", "EASY backfilling by deadline, lapsed jobs rejected", nil, func(Settings) simulate.Policy { return NewEDFBF() }},
		{"easy", "EASY backfilling by arrival, no deadlines", termOptions(), func(s Settings) simulate.Policy { return NewEASY(s.terms()) }},
		{"conservative", "a reservation for every job, no deadlines", termOptions(), func(s Settings) simulate.Policy { return NewConservative(s.terms()) }},
		{"libra", "proportional share by deadline, Libra's cost", libraOptions(), func(s Settings) simulate.Policy { return NewLibra(s.libra()) }},
		{"libra+$", "proportional share by deadline, prices that follow demand", dollarOptions(), func(s Settings) simulate.Policy { return NewLibraDollar(s.dollar()) }},
		{"libra-sla", "proportional share by return, soft deadlines give way at a penalty", nil, func(Settings) simulate.Policy { return NewLibraSLA() }},
	}, schemeSpecs()...)
}

// Lookup returns the policy of the given name.
func Lookup(name string) (Spec, error) {
	var names []string
	for _, s := range Table() {
		if s.Name == name {
			return s, nil
		}
		names = append(names, s.Name)
	}
	return Spec{}, fmt.Errorf("policy: unknown policy %q, want one of %s", name, strings.Join(names, ", "))
}

// Resolve checks the settings given and adds the defaults of the others.
func (s Spec) Resolve(given Settings) (Settings, error) {
	all := make(Settings)
	for _, o := range s.Options {
		all[o.Name] = o.Values[0]
	}
	for name, value := range given {
		i := slices.IndexFunc(s.Options, func(o Option) bool { return o.Name == name })
		if i < 0 {
			return nil, fmt.Errorf("policy: %s has no option %q", s.Name, name)
		}
		if err := s.Options[i].check(value); err != nil {
			return nil, fmt.Errorf("policy: option %s of %s is %w", name, s.Name, err)
		}
		all[name] = value
	}
	return all, nil
}

// New returns the policy with the given settings, for one run.
func (s Spec) New(given Settings) (simulate.Policy, error) {
	all, err := s.Resolve(given)
	if err != nil {
		return nil, err
	}
	return s.make(all), nil
}

// is reports whether a yes-or-no option is set.
func (s Settings) is(name string) bool { return s[name] == "true" }

// number returns a number.
func (s Settings) number(name string) float64 {
	x, err := strconv.ParseFloat(s[name], 64)
	if err != nil {
		panic("policy: option " + name + " was not checked")
	}
	return x
}
