package paper

import (
	_ "embed"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/goccy/go-yaml"

	"revopt/internal/text"
	"revopt/model/scenario"
)

// find returns the member of a list that has a name. The error names all of them.
func find[T any](list []T, name, missing string, nameOf func(T) string) (t T, err error) {
	var known []string
	for _, t := range list {
		if nameOf(t) == name {
			return t, nil
		}
		known = append(known, nameOf(t))
	}
	return t, fmt.Errorf("%s %q: there are %s", missing, name, strings.Join(known, ", "))
}

// A Reading is one way to read a paper whose text leaves several open. The zero value is the reading of the
// built-in scenarios and of default options.
type Reading struct {
	Paper string // its name
	Name  string // unique within the paper

	Reads string // the sentence that it reads, in other words, with its place
	Means string // the meaning that it gives to it

	// Changes are the built-in scenarios that the reading changes, separated by spaces,
	// and those whose names begin like one of them.
	Changes string
	Set     []scenario.Override          `yaml:"-"` // fields of the scenario
	Options map[string]map[string]string // of policies, by their names

	// Points measures an improvement over another policy in points of all submitted
	// jobs, or of all budgets, instead of as a share of the other policy's total.
	Points bool

	// Free are the fields that were fitted to the claims of the paper, and Tried is how many settings were
	// tried for that; both are zero if nothing was fitted.
	Free  []string
	Tried int

	// Parts are the single readings that a joint one lays over each other. It has their
	// options; the fields that it sets are theirs, each in the scenarios that the part
	// changes.
	Parts []Reading
}

// Names of the reading of built-in scenarios and default options, and of the joint
// reading of a paper under which its figures are drawn.
const (
	DefaultReading = "default"
	JointReading   = "joint"
)

// Readings returns the readings of a paper, the default one first and the joint one last.
func Readings(paper string) []Reading {
	return append([]Reading{{
		Paper: paper, Name: DefaultReading, Reads: "the whole text",
		Means: "the built-in scenarios and the default options of the policies",
	}}, statedReadings()[paper]...)
}

func (r Reading) name() string { return r.Name }

// FindReading returns a reading of a paper by its name. The error names the known ones.
func FindReading(paper, name string) (Reading, error) {
	return find(Readings(paper), name, "paper "+paper+" has no reading", Reading.name)
}

// together lays single readings over each other. They must not contradict each other.
func together(name string, parts []Reading) Reading {
	joint := Reading{
		Name: name, Means: "the default reading", Reads: "the whole text", Parts: parts,
		Options: make(map[string]map[string]string),
	}
	var names, reads []string
	for _, part := range parts {
		for policy, options := range part.Options {
			if joint.Options[policy] == nil {
				joint.Options[policy] = make(map[string]string)
			}
			maps.Copy(joint.Options[policy], options)
		}
		joint.Paper = part.Paper
		joint.Changes += " " + part.Changes
		joint.Points = joint.Points || part.Points
		joint.Free = append(joint.Free, part.Free...)
		joint.Tried += part.Tried
		names = append(names, part.Name)
		reads = append(reads, fmt.Sprintf("%s (%s: %s)", part.Reads, part.Name, part.Means))
	}
	if len(parts) > 0 {
		joint.Means = strings.Join(names, " + ")
		joint.Reads = strings.Join(reads, "; ")
	}
	return joint
}

// single returns the parts of a joint reading, or the reading itself.
func (r Reading) single() []Reading {
	if r.Parts != nil {
		return r.Parts
	}
	return []Reading{r}
}

// overrides returns the fields that the reading sets in a built-in scenario.
func (r Reading) overrides(name string) []scenario.Override {
	var list []scenario.Override
	for _, part := range r.single() {
		if part.concerns(name) {
			list = append(list, part.Set...)
		}
	}
	return list
}

// concerns reports whether the reading changes a built-in scenario.
func (r Reading) concerns(name string) bool {
	begins := func(start string) bool { return strings.HasPrefix(name, start) }
	return slices.ContainsFunc(strings.Fields(r.Changes), begins)
}

// on returns the part of the reading that concerns a built-in scenario: of a joint one the single readings
// that change it.
func (r Reading) on(scenario string) Reading {
	if r.Parts == nil && r.Name != JointReading {
		return r
	}
	parts := text.Where(r.Parts, func(part Reading) bool { return part.concerns(scenario) })
	if len(parts) == 0 {
		return Reading{}
	}
	return together(r.Name, parts)
}

// apply returns policies with the options of the reading.
func (r Reading) apply(list []scenario.Policy) []scenario.Policy {
	list = slices.Clone(list)
	for i, p := range list {
		more := r.Options[p.Name]
		if more == nil {
			continue
		}
		options := make(map[string]string)
		maps.Copy(options, p.Options)
		maps.Copy(options, more)
		list[i].Options = options
	}
	return list
}

// Caption names the reading and its fitted numbers in a subtitle; "" for the zero reading.
func (r Reading) Caption() string {
	if r.Name == "" {
		return ""
	}
	words := fmt.Sprintf("Reading %s: %s", r.Name, r.Means)
	if len(r.Free) > 0 {
		words += fmt.Sprintf(". Fitted: %s; settings tried: %d", strings.Join(r.Free, ", "), r.Tried)
	}
	return words
}

// readingData is the readings of the papers.
//
//go:embed readings.yaml
var readingData []byte

// A statedReading is a reading as readings.yaml has it.
type statedReading struct {
	Reading `yaml:",inline"`
	Fields  map[string]string `yaml:"set"`
}

// stated returns the reading of a paper.
func (s statedReading) stated(paper string) Reading {
	r := s.Reading
	r.Paper = paper
	for _, path := range slices.Sorted(maps.Keys(s.Fields)) {
		r.Set = append(r.Set, scenario.Override{Path: path, Value: s.Fields[path]})
	}
	return r
}

// statedReadings are the readings of each paper, the joint one last.
var statedReadings = sync.OnceValue(func() map[string][]Reading {
	var papers map[string]struct {
		Joint    []string // names of the readings that are laid over each other
		Readings []statedReading
	}
	err := yaml.UnmarshalWithOptions(readingData, &papers, yaml.Strict())
	if err != nil {
		panic("paper: readings.yaml: " + err.Error())
	}
	all := make(map[string][]Reading)
	for paper, p := range papers {
		list := text.Each(p.Readings, func(s statedReading) Reading { return s.stated(paper) })
		var parts []Reading
		for _, name := range p.Joint {
			part, err := find(list, name, "no reading", Reading.name)
			if err != nil {
				panic("paper: readings.yaml: " + err.Error())
			}
			parts = append(parts, part)
		}
		joint := together(JointReading, parts)
		joint.Paper = paper
		all[paper] = append(list, joint)
	}
	return all
})
