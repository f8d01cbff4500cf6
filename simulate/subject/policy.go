package subject

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"revopt/internal/text"
	"revopt/model/scenario"
	"revopt/simulate/policy"
	"revopt/simulate/policy/catalog"
	"revopt/simulate/slurm"
	"revopt/simulate/warn"
)

// standard returns the specs, Standard where there are none.
func standard(specs []policy.Spec) []policy.Spec {
	if specs == nil {
		return Standard()
	}
	return specs
}

// Known returns policies as scenarios check them.
func Known(specs []policy.Spec) []scenario.KnownPolicy {
	known := []scenario.KnownPolicy{}
	for _, spec := range standard(specs) {
		k := scenario.KnownPolicy{Name: spec.Name, NeedsQoS: spec.Needs.Deadlines,
			Check: func(option, value string) error {
				_, err := spec.Resolve(policy.Settings{option: value})
				return err
			}}
		k.Label = func(options map[string]string) string {
			all, _ := spec.Resolve(options)
			return spec.Label(all)
		}
		k.Options = text.Each(spec.Choices(), func(o policy.Option) string { return o.Name })
		if spec.More != nil {
			k.More = spec.Has
		}
		if spec.More != nil && !spec.Program {
			k.Files, k.Load = slurm.SettingFiles(), func(given, files map[string]string) (map[string]string, error) {
				return readFiles(spec, given, files)
			}
		}
		known = append(known, k)
	}
	return known
}

// ParsePolicy reads a policy such as "hol:backfill=true", divided at its colons.
func ParsePolicy(specs []policy.Spec, words []string) (Policy, error) {
	p, twice, ok := scenario.ParsePolicy(words)
	switch {
	case twice != "":
		return Policy{}, fmt.Errorf("option %s of %s: expected it once, got it twice", twice, p.Name)
	case !ok && p.Name == "exec":
		return Policy{}, errors.New("expected a command, as exec:python3 my.py")
	case !ok:
		return Policy{}, errors.New("expected options as in hol:backfill=true")
	}
	if spec, err := policy.Lookup(standard(specs), p.Name); err == nil && spec.More != nil && !spec.Program {
		more, err := readFiles(spec, p.Options, p.Options)
		if err != nil {
			return Policy{}, err
		}
		maps.Copy(p.Options, more)
	}
	return NewPolicy(specs, p.Name, p.Options)
}

// readFiles returns what files state, by the options of a policy that name them, unless
// the given options already have it.
func readFiles(spec policy.Spec, given, files map[string]string) (map[string]string, error) {
	for name := range given {
		if strings.HasPrefix(name, policy.FromFile) {
			return nil, nil
		}
	}
	return slurm.ReadSettings(spec, files)
}

// Unread names the settings of files that the policy does not simulate.
func (p Policy) Unread() (list []warn.Warning) {
	for _, option := range slurm.SettingFiles() {
		file := p.Settings[option]
		names := strings.FieldsFunc(p.Settings[policy.FromFile+option], func(r rune) bool { return r == ',' })
		if i := slices.Index(names, "ParentName"); i >= 0 {
			names, list = slices.Delete(names, i, i+1), append(list, warn.New("UNREAD", warn.Words("file", file),
				warn.Words("settings", "parents of accounts, as there is no column ParentName")))
		}
		if len(names) > 0 {
			list = append(list, warn.New("UNREAD", warn.Words("file", file), warn.Words("settings", names...),
				warn.Count("number", len(names))))
		}
	}
	return list
}

// Policy is a policy with its options.
type Policy struct {
	Spec     policy.Spec
	Settings policy.Settings // complete
}

// NewPolicy looks up a policy and checks its options. Nil specs are Standard.
func NewPolicy(specs []policy.Spec, name string, given map[string]string) (Policy, error) {
	spec, err := policy.Lookup(standard(specs), name)
	if err != nil {
		return Policy{}, err
	}
	all, err := spec.Resolve(given)
	return Policy{spec, all}, err
}

// PolicyOf returns a spec with the default options.
func PolicyOf(spec policy.Spec) Policy {
	all, err := spec.Resolve(nil)
	if err != nil {
		panic("subject: " + err.Error()) // it has nothing to complain of
	}
	return Policy{spec, all}
}

// Label names the policy with the options that are not the defaults.
func (p Policy) Label() string { return p.Spec.Label(p.Settings) }

// Unpreempted reports whether every job runs once, whole, on processors of its own.
func (p Policy) Unpreempted() bool { return p.Spec.Unpreempted(p.Settings) }

// Standard returns the policies of revopt: catalog.Standard and the schedule of a log.
func Standard() []policy.Spec { return append(catalog.Standard(), catalog.RecordedSpec()) }

// Recorded is the name of the policy that repeats the schedule of a log. It is compared
// with others and never recommended.
const Recorded = "recorded"

func (p Policy) RepeatsLog() bool { return p.Spec.Needs.Recorded }
