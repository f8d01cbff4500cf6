package paper

import (
	_ "embed"
	"maps"
	"slices"
	"sync"

	"github.com/goccy/go-yaml"

	"revopt/model/scenario"
)

// A Reading is one way to read a paper. The zero value is that of the built-in scenarios.
type Reading struct {
	Reads string // the words that can be read otherwise, with their place
	Means string // the meaning that they then have

	Set     map[string]map[string]string // fields of built-in scenarios, by their names
	Options map[string]map[string]string // of policies, by their names
}

//go:embed readings.yaml
var readingData []byte

// alternatives are the other readings of the papers, by the names of the papers.
var alternatives = sync.OnceValue(func() map[string]Reading {
	var papers map[string]Reading
	err := yaml.UnmarshalWithOptions(readingData, &papers, yaml.Strict())
	if err != nil {
		panic("paper: readings.yaml: " + err.Error())
	}
	return papers
})

// Alternative returns the other reading of a paper; the zero value where there is none.
func Alternative(paper string) Reading { return alternatives()[paper] }

// overrides returns the fields that the reading sets in a built-in scenario.
func (r Reading) overrides(name string) []scenario.Override {
	var list []scenario.Override
	for _, path := range slices.Sorted(maps.Keys(r.Set[name])) {
		list = append(list, scenario.Override{Path: path, Value: r.Set[name][path]})
	}
	return list
}

// concerns reports whether the reading changes figures of a built-in scenario of its paper.
func (r Reading) concerns(name string) bool { return r.Set[name] != nil || r.Options != nil }

// apply returns policies with the options of the reading.
func (r Reading) apply(list []scenario.Policy) []scenario.Policy {
	list = slices.Clone(list)
	for i, p := range list {
		options := maps.Clone(p.Options)
		if options == nil {
			options = make(map[string]string)
		}
		maps.Copy(options, r.Options[p.Name])
		if len(options) > 0 {
			list[i].Options = options
		}
	}
	return list
}
