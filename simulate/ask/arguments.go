package ask

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"revopt/internal/removed"
	"revopt/internal/text"
	"revopt/model/scenario"
	"revopt/simulate/policy"
	"revopt/simulate/run"
	"revopt/simulate/subject"
)

// UsageError is a question that cannot be understood.
type UsageError struct{ Message string }

func (e *UsageError) Error() string { return e.Message }

func Usagef(format string, args ...any) error {
	return &UsageError{fmt.Sprintf(format, args...)}
}

// ExpectedOne says which word was meant and which there are.
func ExpectedOne(word string, known []string) string {
	if near := text.DidYouMean(word, known); near != "" {
		return near + " (one of " + strings.Join(text.Few(known), ", ") + ")"
	}
	return ", expected one of " + strings.Join(text.Few(known), ", ")
}

// ParsePolicies reads lists such as "hol,fcfs:backfill=true". An exec command takes the rest.
func ParsePolicies(specs []policy.Spec, lists ...string) ([]subject.Policy, error) {
	var chosen []subject.Policy
	for _, item := range policyItems(lists) {
		q, err := subject.ParsePolicy(specs, strings.Split(strings.TrimSpace(item), ":"))
		var unknown *policy.UnknownError
		var option *policy.OptionError
		switch {
		case errors.As(err, &unknown) && unknown.Removed.Name == "":
			return nil, Usagef("--policy: unknown policy %q%s", unknown.Name,
				ExpectedOne(unknown.Name, unknown.Known))
		case errors.As(err, &option) && option.Want == "" && option.Removed.Name == "":
			return nil, Usagef("--policy: %s%s", err, text.DidYouMean(option.Option, option.Known))
		case err != nil:
			return nil, Usagef("--policy: %s", err)
		}
		if slices.ContainsFunc(chosen, func(other subject.Policy) bool { return other.Label() == q.Label() }) {
			return nil, Usagef("--policy: %s is given twice", q.Label())
		}
		chosen = append(chosen, q)
	}
	return chosen, nil
}

// WithoutAll returns the policies of lists without the word all, and whether it is among them.
func WithoutAll(lists ...string) (others []string, all bool) {
	for _, item := range policyItems(lists) {
		if strings.TrimSpace(item) == "all" {
			all = true
		} else {
			others = append(others, item)
		}
	}
	return others, all
}

// policyItems returns the policies of lists.
func policyItems(lists []string) (items []string) {
	for _, left := range lists {
		for more := true; more; {
			item := left
			more = !strings.HasPrefix(strings.TrimSpace(left), "exec:")
			if more {
				item, left, more = strings.Cut(left, ",")
			}
			items = append(items, item)
		}
	}
	return items
}

// ParseAdmissions reads the values of --admission, nil where there are none. They name
// the customers that the scenario lists, or all if it lists none.
func ParseAdmissions(s *subject.Subject, values []string) ([]run.Admission, error) {
	names := s.Names()
	if listed := len(s.Scenario.Classes); listed > 0 {
		names = names[:min(listed, len(names))]
	}
	var chosen []run.Admission
	for _, value := range values {
		list, err := ParseAdmission(value, names)
		if err != nil {
			return nil, err
		}
		for _, a := range list {
			if slices.ContainsFunc(chosen, func(b run.Admission) bool { return a.Name == b.Name }) {
				return nil, Usagef("--admission: %s is given twice", a.Name)
			}
			chosen = append(chosen, a)
		}
	}
	priced := func(a run.Admission) bool { return a.Name == scenario.AdmitPrices }
	if len(chosen) > 1 && slices.ContainsFunc(chosen, priced) {
		return nil, Usagef("--admission: prices cannot be combined with other admissions")
	}
	return chosen, nil
}

// OneAdmission reads an admission where only one is meant.
func OneAdmission(s *subject.Subject, value string) (run.Admission, error) {
	list, err := ParseAdmissions(s, []string{value})
	if err != nil {
		return run.Admission{}, err
	}
	if len(list) != 1 {
		return run.Admission{}, Usagef("--admission: expected one admission, got %q", value)
	}
	return list[0], nil
}

// AdmissionNames returns the admissions that have a name.
func AdmissionNames() []string {
	return []string{scenario.AdmitAll, scenario.AdmitAnalytic, scenario.AdmitSimulated, scenario.AdmitPrices}
}

// ParseAdmission reads names such as "all,analytic", or probabilities.
func ParseAdmission(value string, names []string) ([]run.Admission, error) {
	parts := strings.Split(value, ",")
	var named []run.Admission
	for i, part := range parts {
		parts[i] = strings.TrimSpace(part)
		if slices.Contains(AdmissionNames(), parts[i]) {
			named = append(named, run.Admission{Name: parts[i]})
		} else if old, gone := removed.Find(removed.Admission, parts[i]); gone {
			return nil, Usagef("--admission: %s", old)
		}
	}
	switch {
	case len(named) == len(parts):
		return named, nil
	case len(named) > 0:
		return nil, Usagef("--admission: expected names or probabilities, got both in %q; give the flag several times",
			value)
	}
	read := parseVector
	if strings.Contains(value, "=") {
		read = parsePairs
	}
	admit, err := read(value, parts, names)
	return []run.Admission{{Name: strings.Join(parts, ","), Admit: admit}}, err
}

func parseVector(value string, parts, names []string) ([]float64, error) {
	var admit []float64
	for _, part := range parts {
		q, ok := ParseProbability(part)
		if !ok {
			return nil, Usagef("--admission: expected %s or probabilities from 0 to 1, got %q in %q%s",
				strings.Join(AdmissionNames(), ", "), part, value, text.DidYouMean(part, AdmissionNames()))
		}
		admit = append(admit, q)
	}
	if len(admit) != len(names) {
		return nil, Usagef("--admission: expected %d probabilities, one for each class (%s), got %d in %q",
			len(names), strings.Join(names, ", "), len(admit), value)
	}
	return admit, nil
}

// parsePairs reads name=probability for some classes. The others are admitted.
func parsePairs(value string, parts, names []string) ([]float64, error) {
	admit := slices.Repeat([]float64{1}, len(names))
	seen := map[string]bool{}
	for _, part := range parts {
		at := max(strings.LastIndex(part, "="), 0)
		name := strings.TrimSpace(part[:at])
		q, ok := ParseProbability(strings.TrimPrefix(part[at:], "="))
		i := slices.Index(names, name)
		switch {
		case at == 0 || !ok:
			return nil, Usagef("--admission: expected class=probability from 0 to 1, got %q in %q", part, value)
		case i < 0:
			return nil, Usagef("--admission: unknown class %q%s", name, ExpectedOne(name, names))
		case seen[name]:
			return nil, Usagef("--admission: class %s is given twice in %q", name, value)
		}
		admit[i], seen[name] = q, true
	}
	return admit, nil
}

// ParseProbability reads a number from 0 to 1, such as 0.2 or 20%.
func ParseProbability(text string) (float64, bool) {
	x, err := ParseShare(text)
	return x, err == nil && x >= 0 && x <= 1
}

// ParseFraction reads a finite number above 0, such as 0.01 or 1%.
func ParseFraction(text string) (float64, bool) {
	x, err := ParseShare(text)
	return x, err == nil && x > 0 && !math.IsInf(x, 0)
}

// ParseShare reads a number, or a percentage.
func ParseShare(text string) (float64, error) {
	text, percent := strings.CutSuffix(strings.TrimSpace(text), "%")
	x, err := strconv.ParseFloat(text, 64)
	if percent {
		x /= 100
	}
	return x, err
}

// Variation is a parameter and the values that it takes.
type Variation struct {
	scenario.Axis
	Text string // as given
}

// ParseVariation reads --vary: path=from:to:step, path=from:to:xN or path=a,b,c, where the
// path leads to a number of a document.
func ParseVariation(text string, doc *scenario.Document) (*Variation, error) {
	path, list, ok := strings.Cut(text, "=")
	v := &Variation{Text: text}
	v.Path = strings.TrimSpace(path)
	if !ok || v.Path == "" {
		return nil, v.bad("a field and its values")
	}
	var err error
	v.Values, err = scenario.ParseValues(list)
	if err != nil {
		return nil, v.bad(err.Error())
	}
	err = doc.CheckNumeric(v.Path)
	if err == nil {
		return v, nil
	}
	// The file may leave the field out, so try the first value.
	if first, missing := v.At(doc, v.Values[0]); missing == nil && first.CheckNumeric(v.Path) == nil {
		return v, nil
	}
	return nil, err
}

func (v *Variation) bad(want string) error {
	return Usagef("--vary %s: expected %s, for example load=0.05:1.4:0.05 (from:to:step), "+
		"load=0.1:1:x50 (50 values) or load=0.3,0.6,0.9", v.Text, want)
}

// At returns the document with the parameter at x.
func (v *Variation) At(doc *scenario.Document, x float64) (*scenario.Document, error) {
	o := scenario.Set(v.Path, x)
	o.Source = "--vary " + v.Text
	return doc.With(o)
}
