package paper

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

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

// A Reading is one way to read a paper where its text leaves several open. The
// zero value changes nothing: it is the reading of the built-in scenarios and of
// the defaults of the policies.
type Reading struct {
	Paper string // its name
	Name  string // unique within the paper

	Reads string // the sentence that it reads, in other words, with its place
	Means string // the meaning that it gives to it

	// Changes are the built-in scenarios that the reading changes, separated by spaces,
	// and those whose names begin like one of them: claims on other scenarios are the
	// same under it. A reading of one number names it after a slash: "nist-cluster/phi".
	Changes string
	Set     []scenario.Override          // fields of the scenario
	Options map[string]map[string]string // of policies, by their names

	// Points measures an improvement over another policy in points of all submitted
	// jobs, or of all budgets, instead of as a share of the other policy's total.
	Points bool

	// Criteria replace the criteria of claims, by their IDs.
	Criteria map[string]string

	// From is the least arrival delay factor that claims on figures of Yeo and Buyya
	// (2007) use; 0 means 0.1.
	From float64

	// Free are the fields whose values were fitted to the claims of the paper, and
	// Tried is how many settings were tried to find them. Both are zero where
	// nothing was fitted.
	Free  []string
	Tried int
}

// DefaultReading is the name of the reading of built-in scenarios and default
// options.
const DefaultReading = "default"

// Readings returns the readings of a paper, the default one first.
func Readings(paper string) []Reading {
	list := []Reading{{
		Paper: paper, Name: DefaultReading, Reads: "the whole text",
		Means: "the built-in scenarios and the default options of the policies",
	}}
	readings := map[string]func() []Reading{
		"nist": nistReadings, "libra": libraReadings, "ic": impreciseReadings, "pricing": pricingReadings, "sla": slaReadings,
	}[paper]
	if readings == nil {
		return list // figures of our own
	}
	for _, r := range readings() {
		r.Paper = paper
		list = append(list, r)
	}
	return list
}

// FindReading returns a reading of a paper by its name. The error names the known
// ones.
func FindReading(paper, name string) (Reading, error) {
	return find(Readings(paper), name, "paper "+paper+" has no reading", func(r Reading) string { return r.Name })
}

// concerns reports whether the reading changes a built-in scenario.
func (r Reading) concerns(name string) bool {
	return slices.ContainsFunc(strings.Fields(r.Changes), func(start string) bool { return strings.HasPrefix(name, start) })
}

// changesJobs reports whether an override changes simulated jobs, not only formulas.
func changesJobs(v scenario.Override) bool {
	return v.Path != "phi" && v.Path != "server.residual" && v.Path != "server.grace"
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

// Caption names the reading below a figure, with the numbers that were fitted.
func (r Reading) Caption() string {
	words := fmt.Sprintf("Reading %s: %s", r.Name, r.Means)
	if len(r.Free) > 0 {
		words += fmt.Sprintf(". Fitted: %s, one of %d settings tried", strings.Join(r.Free, ", "), r.Tried)
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
		over.Picture = withPanels(over.Picture, first, reading.Caption())
		over.Provenance.Extra = append(over.Provenance.Extra, plots.Pair{Key: "reading", Value: reading.Name})
		over.Remarks = append(over.Remarks, reading.Caption(), "the text: "+reading.Reads)
	}
	return over, nil
}

// panelsOf returns the axes of a picture.
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
