package paper

import (
	_ "embed"
	"maps"
	"slices"
	"sync"

	"github.com/goccy/go-yaml"

	"revopt/model/scenario"
)

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
