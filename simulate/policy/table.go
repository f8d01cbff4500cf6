package policy

import (
	"fmt"
	"slices"
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
}

// Settings are the options of a policy by name, complete and valid.
type Settings map[string]string

// Table returns all policies, in the order in which they are listed.
func Table() []Spec {
	backfill := []Option{{Name: "backfill", Values: []string{"false", "true"}}}
	return []Spec{
		{"hol", "highest rank first, non-preemptive", backfill, func(s Settings) simulate.Policy { return NewHOL(s.is("backfill")) }},
		{"fcfs", "first come, first served", backfill, func(s Settings) simulate.Policy { return NewFCFS(s.is("backfill")) }},
	}
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
		if values := s.Options[i].Values; !slices.Contains(values, value) {
			return nil, fmt.Errorf("policy: option %s of %s is %q, want %s", name, s.Name, value, strings.Join(values, " or "))
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
