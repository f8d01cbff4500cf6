package paper

import (
	"context"
	_ "embed"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/goccy/go-yaml"

	"revopt/internal/text"
	"revopt/model/scenario"
	"revopt/plots"
)

// A Paper is one of the five whose figures are reproduced.
type Paper struct {
	Name  string // short, the first part of the IDs of its figures: "nist"
	Title string // authors, title and year
}

// Papers returns the papers in the order of their figures.
func Papers() []Paper {
	return []Paper{
		{"nist", "Marbukh and Mills, On Maximizing Provider Revenue in Market-Based Compute Grids (NIST)"},
		{"libra", "Sherwani, Ali, Lotia, Hayat and Buyya, Libra: An Economy driven Job Scheduling System for Clusters (2004)"},
		{"ic", "Kim, Buyya and Kim, Imprecise Computation Grid Application Model for Flexible Market-based Resource Allocation (2007)"},
		{"pricing", "Yeo and Buyya, Pricing for Utility-driven Resource Management and Allocation in Clusters (2007)"},
		{"sla", "Yeo and Buyya, Service Level Agreement based Allocation of Cluster Resources: Handling Penalty to Enhance Utility (2005)"},
	}
}

// FindPaper returns the paper of a name. The error names the known ones.
func FindPaper(name string) (Paper, error) {
	return find(Papers(), name, "no paper", func(p Paper) string { return p.Name })
}

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
	// and those whose names begin like one of them: claims on other scenarios are the
	// same under it. A reading of one number names it after a slash: "nist-cluster/phi".
	Changes string
	Set     []scenario.Override          `yaml:"-"` // fields of the scenario
	Options map[string]map[string]string // of policies, by their names

	// Points measures an improvement over another policy in points of all submitted
	// jobs, or of all budgets, instead of as a share of the other policy's total.
	Points bool

	// Criteria decide other sentences in place of claims, by their IDs.
	Criteria map[string]Restated

	// From is the least arrival delay factor that claims on figures of Yeo and Buyya
	// (2007) use; 0 means 0.1.
	From float64

	// Free are the fields that were fitted to the claims of the paper, and Tried is how many settings were
	// tried for that; both are zero if nothing was fitted.
	Free  []string
	Tried int

	// Parts are the single readings that a joint one lays over each other. It has their
	// options and criteria; the fields that it sets are theirs, each in the scenarios that
	// the part changes. Combinations is how many joint readings were tried to find it.
	Parts        []Reading
	Combinations int
}

// A Restated claim is the sentence that a reading takes for it, and the criterion of that.
type Restated struct{ Says, Criterion string }

// states returns a claim in words, as it is or as the reading takes it.
func (r Reading) states(c Claim) string {
	if other, ok := r.Criteria[c.ID]; ok {
		return fmt.Sprintf("claim %s, read as: %s", c.ID, other.Says)
	}
	return fmt.Sprintf("claim %s: %s", c.ID, c.Says)
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

// FindReading returns a reading of a paper by its name, or several by their names with plus signs between
// them. The error names the known ones, or two that contradict each other.
func FindReading(paper, name string) (Reading, error) {
	var parts []Reading
	for part := range strings.SplitSeq(name, "+") {
		r, err := find(Readings(paper), strings.TrimSpace(part), "paper "+paper+" has no reading", Reading.name)
		if err != nil {
			return r, err
		}
		parts = append(parts, r)
	}
	if len(parts) == 1 {
		return parts[0], nil
	}
	return together(name, parts)
}

// together lays readings over each other. The error names two that contradict each other.
func together(name string, readings []Reading) (Reading, error) {
	r := Reading{
		Name: name, Means: "the default reading", Reads: "the whole text",
		Options: make(map[string]map[string]string), Criteria: make(map[string]Restated),
	}
	var names, reads []string
	for _, part := range slices.Concat(text.Each(readings, Reading.single)...) {
		if part.Changes == "" || slices.Contains(names, part.Name) {
			continue
		}
		for _, other := range r.Parts {
			if what := part.contradicts(other); what != "" {
				return Reading{}, fmt.Errorf("readings %s and %s cannot be laid over each other: they differ in %s",
					other.Name, part.Name, what)
			}
		}
		for policy, options := range part.Options {
			if r.Options[policy] == nil {
				r.Options[policy] = make(map[string]string)
			}
			maps.Copy(r.Options[policy], options)
		}
		maps.Copy(r.Criteria, part.Criteria)
		names, r.From = append(names, part.Name), max(r.From, part.From)
		reads = append(reads, fmt.Sprintf("%s (%s: %s)", part.Reads, part.Name, part.Means))
		r.Paper, r.Changes = part.Paper, r.Changes+" "+part.Changes
		r.Points, r.Parts = r.Points || part.Points, append(r.Parts, part)
		r.Free, r.Tried = append(r.Free, part.Free...), r.Tried+part.Tried
	}
	if len(names) > 0 {
		r.Means, r.Reads = strings.Join(names, " + "), strings.Join(reads, "; ")
	}
	return r, nil
}

// single returns the parts of a joint reading, or the reading itself.
func (r Reading) single() []Reading {
	if r.Parts != nil {
		return r.Parts
	}
	return []Reading{r}
}

// contradicts returns the setting in which two single readings differ, "" if they agree.
func (r Reading) contradicts(s Reading) string {
	inside := func(a, b string) bool { return a == b || strings.HasPrefix(a, b+".") }
	meet := slices.ContainsFunc(strings.Fields(s.Changes), r.concerns) ||
		slices.ContainsFunc(strings.Fields(r.Changes), s.concerns)
	for _, v := range r.Set {
		for _, w := range s.Set {
			if meet && v != w && (inside(v.Path, w.Path) || inside(w.Path, v.Path)) {
				return v.Path
			}
		}
	}
	for policy, options := range r.Options {
		if name := differ(options, s.Options[policy]); name != "" {
			return "option " + name + " of " + policy
		}
	}
	if claim := differ(r.Criteria, s.Criteria); claim != "" {
		return "the criterion of " + claim
	}
	if r.From != s.From && r.From*s.From > 0 {
		return "the least arrival delay factor"
	}
	return ""
}

// differ returns the first key to which both maps give a value, but not the same one.
func differ[V comparable](a, b map[string]V) string {
	for _, key := range slices.Sorted(maps.Keys(a)) {
		if other, ok := b[key]; ok && other != a[key] {
			return key
		}
	}
	return ""
}

// overrides returns the fields that the reading sets in a built-in scenario.
func (r Reading) overrides(name string) (list []scenario.Override) {
	for _, part := range r.single() {
		if part.concerns(name) {
			list = append(list, part.Set...)
		}
	}
	return list
}

// concerns reports whether the reading changes a built-in scenario.
func (r Reading) concerns(name string) bool {
	return slices.ContainsFunc(strings.Fields(r.Changes), func(start string) bool { return strings.HasPrefix(name, start) })
}

// on returns the part of the reading that concerns a figure: those single readings that change its scenario
// or a claim about it.
func (r Reading) on(figure, scenario string) Reading {
	if r.Parts == nil && r.Name != JointReading {
		return r
	}
	about := slices.DeleteFunc(Claims(), func(c Claim) bool { return c.Figure != figure })
	parts := slices.DeleteFunc(slices.Clone(r.Parts), func(part Reading) bool {
		return !part.concerns(scenario) && !slices.ContainsFunc(about, func(c Claim) bool { return part.concerns(c.On) })
	})
	if len(parts) == 0 {
		return Reading{}
	}
	return must(together(r.Name, parts))
}

// apply returns policies with the options of the reading.
func (r Reading) apply(list []scenario.Policy) []scenario.Policy {
	list = slices.Clone(list)
	for i, p := range list {
		if more := r.Options[p.Name]; more != nil {
			options := maps.Clone(p.Options)
			if options == nil {
				options = make(map[string]string)
			}
			maps.Copy(options, more)
			list[i].Options = options
		}
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

// Overlay builds a figure under several readings and lays their curves over each
// other, in the axes of the first. The name of a curve ends with its reading.
func (r Recipe) Overlay(ctx context.Context, o Options, readings []Reading) (Result, error) {
	var over Result
	for k, reading := range readings {
		under := o.part(k, len(readings))
		under.Reading = reading
		next, err := r.Build(ctx, under)
		if err != nil || len(readings) == 1 {
			return next, err
		}
		panels := panelsOf(next.Picture)
		if k == 0 {
			over, over.Remarks = next, nil
			for i := range panels {
				for j := range panels[i].Series {
					if s := &panels[i].Series[j]; reading.Changes != "" {
						s.Name += ", " + reading.Name
					}
				}
			}
			continue
		}
		first := panelsOf(over.Picture)
		if len(first) > len(panels) {
			first = first[:len(panels)] // the reading does not have the others
		}
		for i := range first {
			for _, s := range panels[i].Series {
				same := func(known plots.Series) bool { return slices.Equal(known.Y, s.Y) }
				if slices.ContainsFunc(first[i].Series, same) {
					continue // the reading does not touch it
				}
				s.Name, s.Look = s.Name+", "+reading.Name, 0
				first[i].Series = append(first[i].Series, s)
			}
		}
		if read := reading.on(r.ID, over.Provenance.Scenario); read.Name != "" {
			over.Picture = withPanels(over.Picture, first, read.Caption())
			over.Provenance.Extra = append(over.Provenance.Extra, plots.Pair{Key: "reading", Value: read.Name})
			over.Remarks = append(over.Remarks, read.Caption(), "the text: "+read.Reads)
		}
	}
	return over, nil
}

func panelsOf(p plots.Picture) []plots.Figure {
	switch p := p.(type) {
	case plots.Figure:
		return []plots.Figure{p}
	case plots.Sheet:
		return p.Panels
	}
	return nil
}

// withPanels returns the picture with other axes and one more note.
func withPanels(p plots.Picture, panels []plots.Figure, note string) plots.Picture {
	switch p := p.(type) {
	case plots.Figure:
		p = panels[0]
		p.Notes = append(slices.Clip(p.Notes), note)
		return p
	case plots.Sheet:
		p.Panels, p.Columns, p.Notes = panels, min(p.Columns, len(panels)), append(slices.Clip(p.Notes), note)
		return p
	}
	return p
}

// readingData is the readings of the papers.
//
//go:embed readings.yaml
var readingData []byte

// paperReadings are the ways to read one paper, and those that are laid over each other.
type paperReadings struct {
	Joint        []string // names of the readings under which together most claims hold
	Combinations int      // how many sets of readings were tried to find it
	Readings     []struct {
		Reading `yaml:",inline"`
		Fields  map[string]string `yaml:"set"`
	}
}

// statedReadings are the readings of each paper, the joint one last.
var statedReadings = sync.OnceValue(func() map[string][]Reading {
	var papers map[string]paperReadings
	if err := yaml.UnmarshalWithOptions(readingData, &papers, yaml.Strict()); err != nil {
		panic("paper: readings.yaml: " + err.Error())
	}
	all := make(map[string][]Reading)
	for paper, p := range papers {
		var list, parts []Reading
		for _, r := range p.Readings {
			for _, path := range slices.Sorted(maps.Keys(r.Fields)) {
				r.Set = append(r.Set, scenario.Override{Path: path, Value: r.Fields[path]})
			}
			r.Paper = paper
			list = append(list, r.Reading)
		}
		for _, name := range p.Joint {
			parts = append(parts, must(find(list, name, "no reading", Reading.name)))
		}
		joint := must(together(JointReading, parts))
		joint.Paper, joint.Combinations = paper, p.Combinations
		all[paper] = append(list, joint)
	}
	return all
})
