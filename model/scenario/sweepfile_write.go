package scenario

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// WriteYAML writes the sweep file that ReadSweep reads as this sweep. The
// scenario is named where it is a built-in one; else its text stands in the
// file, and the path of its trace, if that is relative, is then relative to the
// sweep file.
func (s *Sweep) WriteYAML(w io.Writer) error {
	var b bytes.Buffer
	s.writeScenario(&b)
	writeMapping(&b, "set", len(s.Set), func(i int) (string, string) { return s.Set[i].Path, word(s.Set[i].Value) })
	writeMapping(&b, "vary", len(s.Vary), func(i int) (string, string) { return s.Vary[i].Path, numbers(s.Vary[i].Values) })
	writeList(&b, "policies", len(s.Policies), func(i int) string { return s.Policies[i].yaml() })
	if len(s.Admissions) != 1 || !s.Admissions[0].same(Admission{Name: AdmitAll}) { // the default, which traces do not take
		writeList(&b, "admissions", len(s.Admissions), func(i int) string { return s.Admissions[i].yaml() })
	}
	fmt.Fprintf(&b, "seed: %d\n", s.Seed)
	switch {
	case s.Precision != nil:
		fmt.Fprintf(&b, "seeds: %s\n", s.Precision.yaml())
	case s.Replications != 0:
		fmt.Fprintf(&b, "seeds: %d\n", s.Replications)
	}
	writeList(&b, "metrics", len(s.Metrics), func(i int) string { return word(s.Metrics[i]) })
	if s.Classes {
		b.WriteString("classes: true\n")
	}
	_, err := w.Write(b.Bytes())
	return err
}

// writeScenario writes the name of a built-in scenario, or the text of another.
func (s *Sweep) writeScenario(b *bytes.Buffer) {
	text := s.Scenario.source
	for _, name := range builtinNames() {
		if bytes.Equal(text, builtinSource(name)) {
			fmt.Fprintf(b, "scenario: %s\n", name)
			return
		}
	}
	if !literal(string(text)) {
		fmt.Fprintf(b, "scenario: %s\n", quoted(string(text)))
		return
	}
	b.WriteString("scenario: |\n")
	for line := range strings.Lines(string(text)) {
		if line != "\n" {
			line = "  " + line
		}
		b.WriteString(line)
	}
}

// literal reports whether a text may stand in a literal block of YAML as it is.
func literal(text string) bool {
	return strings.HasSuffix(text, "\n") && !strings.HasSuffix(text, "\n\n") && strings.Trim(text[:1], " \n\t") != "" &&
		!strings.ContainsFunc(text, func(r rune) bool { return r != '\n' && (r < ' ' || r > '~') }) && !strings.Contains(text, " \n")
}

// writeMapping writes a field that is a mapping, unless that is empty.
func writeMapping(b *bytes.Buffer, name string, n int, entry func(i int) (key, value string)) {
	if n == 0 {
		return
	}
	fmt.Fprintf(b, "%s:\n", name)
	for i := range n {
		key, value := entry(i)
		fmt.Fprintf(b, "  %s: %s\n", word(key), value)
	}
}

// writeList writes a field that is a list, unless that is empty.
func writeList(b *bytes.Buffer, name string, n int, item func(i int) string) {
	if n == 0 {
		return
	}
	var items []string
	for i := range n {
		items = append(items, item(i))
	}
	fmt.Fprintf(b, "%s: [%s]\n", name, strings.Join(items, ", "))
}

func (p Policy) yaml() string {
	if len(p.Options) == 0 {
		return word(p.Name)
	}
	var options []string
	for _, name := range slices.Sorted(maps.Keys(p.Options)) {
		options = append(options, word(name)+": "+word(p.Options[name]))
	}
	return fmt.Sprintf("{%s: {%s}}", word(p.Name), strings.Join(options, ", "))
}

func (a Admission) yaml() string {
	if a.Admit != nil {
		return numbers(a.Admit)
	}
	if a.Search == nil || *a.Search == (SearchEffort{}) {
		return word(a.Name)
	}
	var words []string
	for _, f := range []numberField{{"jobs", float64(a.Search.Jobs)}, {"replications", float64(a.Search.Replications)}, {"step", a.Search.Step}} {
		words = f.add(words)
	}
	return fmt.Sprintf("{%s: {%s}}", word(a.Name), strings.Join(words, ", "))
}

func (p SweepPrecision) yaml() string {
	words := []string{"precision: " + formatNumber(p.Relative)}
	if p.Metric != "" {
		words = append(words, "metric: "+word(p.Metric))
	}
	words = numberField{"least", float64(p.Least)}.add(words)
	words = numberField{"most", float64(p.Most)}.add(words)
	return "{" + strings.Join(words, ", ") + "}"
}

// numberField is a field of which 0 means that it is not given.
type numberField struct {
	name  string
	value float64
}

// add appends the field to others where it is given.
func (f numberField) add(words []string) []string {
	if f.value == 0 {
		return words
	}
	return append(words, f.name+": "+formatNumber(f.value))
}

func numbers(x []float64) string {
	words := make([]string, len(x))
	for i := range x {
		words[i] = formatNumber(x[i])
	}
	return "[" + strings.Join(words, ", ") + "]"
}

// formatNumber writes a number that is read back as it was.
func formatNumber(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

// word writes a text as a scalar: as it is where that is safe, else quoted.
func word(text string) string {
	safe := func(r rune) bool {
		return r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || strings.ContainsRune("._-+%$", r)
	}
	if text != "" && !strings.ContainsFunc(text, func(r rune) bool { return !safe(r) }) && !strings.ContainsAny(text[:1], "-+%.") {
		return text
	}
	return quoted(text)
}

func quoted(text string) string {
	q, err := json.Marshal(text)
	if err != nil {
		panic("scenario: " + err.Error())
	}
	return string(q)
}
