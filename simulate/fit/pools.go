package fit

import (
	"slices"

	"revopt/internal/text"
	"revopt/model/scenario"
)

// Divide gives a fit to the jobs of all pools the classes that are fitted to the jobs of
// each pool, nil for a pool without jobs. Classes whose name several pools have are called
// after the pool too. The figures of arrivals, lengths and work stay those of all jobs.
func (f *Result) Divide(pools []scenario.Pool, parts []*Result) {
	f.Pools, f.Parts, f.Classes, f.Warnings = slices.Clone(pools), parts, nil, nil
	f.Jobs, f.Void, f.Wide, f.Rate, f.Load = 0, 0, 0, 0, 0
	count, seen := map[string]int{}, map[string]bool{}
	for i, part := range parts {
		if f.Pools[i].Of = nil; part == nil {
			continue
		}
		of := float64(part.Nodes) / float64(f.Nodes)
		f.Jobs, f.Void, f.Wide = f.Jobs+part.Jobs, f.Void+part.Void, f.Wide+part.Wide
		f.Rate, f.Load = f.Rate+part.Rate, f.Load+part.Load*of
		for _, w := range part.Warnings {
			w.Pool = pools[i].Name
			f.Warnings = append(f.Warnings, w)
		}
		for _, c := range part.Classes {
			count[c.Model.Name]++
			c.Model.Pool, c.Load = pools[i].Name, c.Load*of
			f.Classes = append(f.Classes, c)
		}
	}
	f.setParallel()
	for i := range f.Classes {
		c := &f.Classes[i]
		if count[c.Model.Name] > 1 {
			c.Model.Name += "-" + c.Model.Pool
		}
		c.Model.Name, c.Share = text.Distinct(c.Model.Name, seen), float64(c.Jobs)/float64(f.Jobs)
	}
}
