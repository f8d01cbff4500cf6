package main

import (
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"revopt/model"
	"revopt/simulate/policy"
)

// chosenPolicy is a policy of the command line.
type chosenPolicy struct {
	name    string
	options policy.Settings // complete
	label   string          // as short as the command line may be
}

// parsePolicies reads a list such as "hol,fcfs:backfill=true" of policies that
// lookup knows.
func parsePolicies(list string, lookup func(name string) (policy.Spec, error)) ([]chosenPolicy, error) {
	var chosen []chosenPolicy
	for item := range strings.SplitSeq(list, ",") {
		p, err := parsePolicy(strings.TrimSpace(item), lookup)
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(chosen, func(q chosenPolicy) bool { return q.label == p.label }) {
			return nil, usagef("--policy: %s is given twice", p.label)
		}
		chosen = append(chosen, p)
	}
	return chosen, nil
}

func parsePolicy(item string, lookup func(name string) (policy.Spec, error)) (chosenPolicy, error) {
	parts := strings.Split(item, ":")
	spec, err := lookup(parts[0])
	if err != nil {
		return chosenPolicy{}, usagef("--policy: %s", bare(err))
	}
	given := policy.Settings{}
	for _, part := range parts[1:] {
		name, value, ok := strings.Cut(part, "=")
		if !ok {
			return chosenPolicy{}, usagef("--policy: expected options as in hol:backfill=true, got %q", item)
		}
		given[name] = value
	}
	options, err := spec.Resolve(given)
	if err != nil {
		return chosenPolicy{}, usagef("--policy: %s", bare(err))
	}
	return chosenPolicy{spec.Name, options, policyLabel(spec, options)}, nil
}

// policyLabel names a policy with the options that are not the defaults.
func policyLabel(spec policy.Spec, options policy.Settings) string {
	label := spec.Name
	for _, o := range spec.Options {
		if value := options[o.Name]; value != o.Values[0] {
			label += ":" + o.Name + "=" + value
		}
	}
	return label
}

// optionWords writes options on one line, in the order of their names.
func optionWords(options policy.Settings) string {
	var words []string
	for _, name := range slices.Sorted(maps.Keys(options)) {
		words = append(words, name+"="+options[name])
	}
	return strings.Join(words, " ")
}

// bare returns the message of an error without the package it comes from.
func bare(err error) string {
	message := err.Error()
	for _, prefix := range []string{"policy: ", "sweep: ", "workload: "} {
		message = strings.TrimPrefix(message, prefix)
	}
	return message
}

// The admissions that have names.
const (
	admitAll       = "all"
	admitAnalytic  = "analytic"
	admitSimulated = "simulated"
)

// chosenAdmission is an admission of the command line.
type chosenAdmission struct {
	name  string
	admit []float64 // of each class; nil where it is yet to be computed
}

// parseAdmissions reads the values of --admission.
func parseAdmissions(values []string, classes []model.Class) ([]chosenAdmission, error) {
	if len(values) == 0 {
		values = []string{admitAll}
	}
	var chosen []chosenAdmission
	for _, value := range values {
		list, err := parseAdmission(value, classes)
		if err != nil {
			return nil, err
		}
		for _, a := range list {
			if slices.ContainsFunc(chosen, func(b chosenAdmission) bool { return a.name == b.name }) {
				return nil, usagef("--admission: %s is given twice", a.name)
			}
			chosen = append(chosen, a)
		}
	}
	return chosen, nil
}

// parseAdmission reads names such as "all,analytic", or one admission by its
// probabilities.
func parseAdmission(value string, classes []model.Class) ([]chosenAdmission, error) {
	parts := strings.Split(value, ",")
	var named []chosenAdmission
	for i, part := range parts {
		parts[i] = strings.TrimSpace(part)
		switch parts[i] {
		case admitAll:
			named = append(named, chosenAdmission{admitAll, admitEverybody(classes)})
		case admitAnalytic, admitSimulated:
			named = append(named, chosenAdmission{name: parts[i]})
		}
	}
	switch {
	case len(named) == len(parts):
		return named, nil
	case len(named) > 0:
		return nil, usagef("--admission: expected names or probabilities, got both in %q; give the flag several times", value)
	}
	read := parseVector
	if strings.Contains(value, "=") {
		read = parsePairs
	}
	admit, err := read(value, parts, classes)
	return []chosenAdmission{{strings.Join(parts, ","), admit}}, err
}

func admitEverybody(classes []model.Class) []float64 {
	return slices.Repeat([]float64{1}, len(classes))
}

// parseVector reads one probability for each class.
func parseVector(value string, parts []string, classes []model.Class) ([]float64, error) {
	var admit []float64
	for _, part := range parts {
		q, ok := probability(part)
		if !ok {
			return nil, usagef("--admission: expected all, analytic, simulated or probabilities from 0 to 1, got %q in %q", part, value)
		}
		admit = append(admit, q)
	}
	if len(admit) != len(classes) {
		return nil, usagef("--admission: expected %d probabilities, one for each class (%s), got %d in %q",
			len(classes), strings.Join(classNames(classes), ", "), len(admit), value)
	}
	return admit, nil
}

// parsePairs reads name=probability for some of the classes. The others are
// admitted.
func parsePairs(value string, parts []string, classes []model.Class) ([]float64, error) {
	admit, names := admitEverybody(classes), classNames(classes)
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
			return nil, usagef("--admission: unknown class %q, expected one of %s", name, strings.Join(names, ", "))
		case seen[name]:
			return nil, usagef("--admission: class %s is given twice in %q", name, value)
		}
		admit[i], seen[name] = q, true
	}
	return admit, nil
}

func classNames(classes []model.Class) []string {
	names := make([]string, len(classes))
	for i, c := range classes {
		names[i] = c.Name
	}
	return names
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
