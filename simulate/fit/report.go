package fit

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"

	"revopt/internal/text"
	"revopt/model/scenario"
)

// The limits beyond which a fit has doubts.
const (
	fewJobs   = 100
	bursty    = 1.5  // squared coefficient of variation of gaps
	heavyWork = 10   // that of the work
	fragments = 0.05 // share of the work in jobs wider than half the machine
)

// doubt lists why the queueing model may be far off.
func (f *Result) doubt() {
	add := func(when bool, format string, args ...any) {
		if when {
			f.Doubts = append(f.Doubts, fmt.Sprintf(format, args...))
		}
	}
	classes := func(is func(c *Class) bool) string {
		var names []string
		for i := range f.Classes {
			if c := &f.Classes[i]; is(c) {
				names = append(names, c.Model.Name)
			}
		}
		return strings.Join(text.Few(names), ", ")
	}
	few, scv := f.Jobs < fewJobs, f.Gaps.SCV()
	add(f.Load >= 1, "the load is %.3g: not all jobs can be served, so that waits grow as long as jobs arrive, "+
		"and the model's optimum is that of a machine which has been full for ever", f.Load)
	add(few, "only %d jobs: too few to tell how they arrive, and all figures are uncertain", f.Jobs)
	add(!few && (scv > bursty || scv < 1/bursty), "arrivals are not Poisson: the squared coefficient of variation of the "+
		"gaps is %.3g and not 1, and real waits will be %s than the model's", scv, map[bool]string{true: "longer", false: "shorter"}[scv > 1])
	add(f.Half > fragments, "%.0f %% of the work is in jobs wider than half the machine: two of them cannot run side by "+
		"side, and nodes stay idle while one waits for room; the model packs them without loss", 100*f.Half)
	add(!few && f.Work.SCV() > heavyWork, "the work has a heavy tail (squared coefficient of variation %.3g): waits hang on "+
		"few jobs, and differ much between one trace and the next", f.Work.SCV())
	hard := classes(func(c *Class) bool { return c.Hard && c.Model.Decay > 0 })
	add(hard != "", "hard deadlines of %s: the value falls to nothing within the mean slack after the deadline, where in "+
		"truth it does at once", hard)
	free := classes(func(c *Class) bool { return c.Budget.Mean == 0 })
	add(free != "", "%s: jobs pay nothing", free)
	add(f.Void > 0, "left out, as they never ran: %s", text.Plural(int(f.Void), "job"))
	add(f.Wide > 0, "left out, as no policy can run what is wider than the machine: %s", text.Plural(int(f.Wide), "job"))
}

// Scenario returns the classes as a scenario.
func (f *Result) Scenario() *scenario.Scenario {
	return &scenario.Scenario{
		Name: f.Name, Nodes: f.Nodes, Parallel: f.Parallel, Residual: f.Residual,
		Load: f.Load, Phi: 1, Pools: f.Pools, Classes: f.models(),
	}
}

// WriteYAML writes the classes as a scenario file. The given lines and the doubts stand at its top as comments.
func (f *Result) WriteYAML(w io.Writer, head ...string) error {
	var b bytes.Buffer
	for _, line := range head {
		fmt.Fprintln(&b, strings.TrimRight("# "+text.OneLine(line), " "))
	}
	for _, doubt := range f.Doubts {
		fmt.Fprintln(&b, "# warning:", text.OneLine(doubt))
	}
	if err := f.Scenario().WriteYAML(&b); err != nil {
		return err
	}
	_, err := w.Write(b.Bytes())
	return err
}

// Divide gives a fit to the jobs of all pools the classes that are fitted to the jobs of
// each pool, nil for a pool without jobs. Classes whose name several pools have are called
// after the pool too. The figures of gaps and work stay those of all jobs.
func (f *Result) Divide(pools []scenario.Pool, parts []*Result) {
	f.Pools = slices.Clone(pools)
	f.Classes, f.Doubts = nil, nil
	f.Jobs, f.Void, f.Wide = 0, 0, 0
	f.Rate, f.Load = 0, 0
	count, seen := map[string]int{}, map[string]bool{}
	for i, part := range parts {
		f.Pools[i].Of = nil
		if part == nil {
			continue
		}
		share := float64(part.Nodes) / float64(f.Nodes)
		f.Jobs, f.Void, f.Wide = f.Jobs+part.Jobs, f.Void+part.Void, f.Wide+part.Wide
		f.Rate, f.Load = f.Rate+part.Rate, f.Load+part.Load*share
		for _, doubt := range part.Doubts {
			f.Doubts = append(f.Doubts, "pool "+pools[i].Name+": "+doubt)
		}
		for _, c := range part.Classes {
			count[c.Model.Name]++
			c.Model.Pool, c.Load = pools[i].Name, c.Load*share
			f.Classes = append(f.Classes, c)
		}
	}
	f.setParallel()
	for i := range f.Classes {
		c := &f.Classes[i]
		if count[c.Model.Name] > 1 {
			c.Model.Name += "-" + c.Model.Pool
		}
		c.Model.Name = text.Distinct(c.Model.Name, seen)
	}
}
