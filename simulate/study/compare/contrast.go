package compare

import (
	"revopt/internal/text"
	"revopt/simulate/metric"
	"revopt/simulate/served"
	"revopt/simulate/study"
	"revopt/simulate/subject"
	"revopt/simulate/warn"
)

// Contrast is one result against another. Differences are those of B less A.
type Contrast struct {
	A, B         *study.Result
	Paired       bool   // replication k has the same jobs in both, so that its luck cancels
	Pairing      string // the reason that differences are paired or not
	Why          string // the same as a sentence; "" until package report makes it
	Level        float64
	Replications int // pairs; of unpaired differences those of the result that has fewer
	Rows         []ContrastRow
	OnlyA, OnlyB []string // labels of rows that are in one result alone
	Warnings     []warn.Warning
}

// ContrastRow is a row of B against a row of A.
type ContrastRow struct {
	A, B       string // labels
	Total      []Versus
	Sections   []ContrastSection // customers and pools of both
	Efficiency *Versus           // nil unless both are validations

	Affected []served.Affected // customers and groups of width that both results measure, A before and B after
	Harm     []served.Affected // those of them that are served worse, the worst first
}

// ContrastSection is one customer, one pool, or one customer in one pool in two rows.
type ContrastSection struct {
	subject.Section
	Measures []Versus // in the order of metric.Measures
}

// Versus is a measure in two rows.
type Versus struct {
	A          study.Estimate `json:"a"`
	B          study.Estimate `json:"b"`
	Difference study.Estimate `json:"difference"`
}

func (r ContrastRow) MarshalJSON() ([]byte, error) {
	return study.Joined(struct {
		A string `json:"a"`
		B string `json:"b"`
	}{r.A, r.B}, measures(r.Total), struct {
		Efficiency *Versus           `json:"efficiency,omitempty"`
		Classes    []ContrastSection `json:"classes"`
		Affected   []served.Affected `json:"affected"`
		Harm       []served.Affected `json:"harm"`
	}{r.Efficiency, append([]ContrastSection{}, r.Sections...), r.Affected, r.Harm})
}

func (s ContrastSection) MarshalJSON() ([]byte, error) {
	return study.Joined(struct {
		Name string `json:"name"`
		Pool string `json:"pool,omitempty"`
	}{s.Name, s.Pool}, measures(s.Measures))
}

func measures(list []Versus) study.Keyed[Versus] {
	return study.Keyed[Versus]{Names: metric.Names(metric.Measures()), Values: list}
}

// sideJSON is one of the two results.
type sideJSON struct {
	Scenario     string   `json:"scenario"`
	Version      string   `json:"version"`
	Command      string   `json:"command"`
	Overrides    []string `json:"overrides"`
	Seed         uint64   `json:"seed"`
	Replications int      `json:"replications"`
}

func newSideJSON(r *study.Result) sideJSON {
	return sideJSON{r.Scenario, r.Version, r.Command, r.Overrides, r.Seed, r.Replications}
}

func (c *Contrast) MarshalJSON() ([]byte, error) {
	return study.Joined(struct {
		A        sideJSON       `json:"a"`
		B        sideJSON       `json:"b"`
		Paired   bool           `json:"paired"`
		Why      string         `json:"why"`
		Level    metric.Number  `json:"level"`
		Rows     []ContrastRow  `json:"rows"`
		OnlyA    []string       `json:"only_a"`
		OnlyB    []string       `json:"only_b"`
		Warnings []warn.Warning `json:"warnings"`
	}{
		newSideJSON(c.A), newSideJSON(c.B), c.Paired, c.Why, metric.Number(c.Level), c.Rows,
		append([]string{}, c.OnlyA...), append([]string{}, c.OnlyB...), append([]warn.Warning{}, c.Warnings...),
	})
}

// Compare returns result b against result a, row by row: rows of one policy and
// admission, where there are none those of one policy, else the first against the
// first.
//
// Where replication k has the same jobs in both results, whatever the machine,
// the prices, the customers and the policies are, differences are paired: the
// interval is that of the differences by replication, as in one simulation of
// both. Else it is Welch's, of two independent means. A result in which nothing is
// random is a constant.
func Compare(a, b *study.Result) *Contrast {
	c := &Contrast{
		A: a, B: b, Level: float64(a.Level), Replications: min(a.Replications, b.Replications), Rows: []ContrastRow{},
	}
	a.SumJobs()
	b.SumJobs()
	c.Paired, c.Pairing = pairing(a, b)
	warn.AddIf(&c.Warnings, a.Level != b.Level, warn.New(warn.Levels).With(float64(a.Level), float64(b.Level)))
	warn.AddIf(&c.Warnings, a.Stream != b.Stream, warn.New(warn.Stream))
	for i, r := range []*study.Result{a, b} {
		for _, w := range r.Warnings {
			warn.AddIf(&c.Warnings, w.Kind == warn.Builds || w.Kind == warn.Interrupted, w.About("AB"[i:i+1]))
		}
	}
	warn.AddIf(&c.Warnings, a.Build != b.Build && a.Build != "" && b.Build != "",
		warn.New(warn.Builds, a.Build, b.Build))
	pairs := matched(a.Policies, b.Policies)
	seenA, seenB := map[int]bool{}, map[int]bool{}
	for _, p := range pairs {
		seenA[p[0]], seenB[p[1]] = true, true
		c.Rows = append(c.Rows, c.row(&a.Policies[p[0]], &b.Policies[p[1]]))
	}
	c.OnlyA, c.OnlyB = without(a.Policies, seenA), without(b.Policies, seenB)
	return c
}

func without(rows []study.Row, seen map[int]bool) (labels []string) {
	for i, row := range rows {
		if !seen[i] {
			labels = append(labels, row.Label)
		}
	}
	return labels
}

// matched returns the positions of rows that belong together.
func matched(a, b []study.Row) [][2]int {
	exactly := func(r study.Row) string {
		name := r.Admission.Name
		if name == "" { // nothing to tell apart
			name = "all"
		}
		return r.Policy.Label + " " + name
	}
	for _, key := range []func(study.Row) string{exactly, func(r study.Row) string { return r.Policy.Label }} {
		var pairs [][2]int
		taken := map[int]bool{}
		for i, row := range a {
			for k, other := range b {
				if !taken[k] && key(row) == key(other) {
					pairs, taken[k] = append(pairs, [2]int{i, k}), true
					break
				}
			}
		}
		if pairs != nil {
			return pairs
		}
	}
	return [][2]int{{0, 0}}
}

// The reasons for which differences are paired or not.
const (
	PairedConstants = "constants" // nothing is random in either result
	PairedAll       = "all"       // replication k has the same jobs in both
	PairedFirst     = "first"     // the same, for the replications that both have
	UnpairedOne     = "one"       // nothing is random in one result
	UnpairedSeeds   = "seeds"
	UnpairedJobs    = "jobs"
	UnpairedWindows = "windows" // length or warm-up of replications differ
)

// pairing reports whether replications of two results have the same jobs, and why.
func pairing(a, b *study.Result) (bool, string) {
	switch {
	case a.Once && b.Once:
		return true, PairedConstants
	case a.Once || b.Once:
		return false, UnpairedOne
	case a.Seed != b.Seed:
		return false, UnpairedSeeds
	case a.JobsSum == "" || a.JobsSum != b.JobsSum:
		return false, UnpairedJobs
	case a.Window != b.Window:
		return false, UnpairedWindows
	case a.Replications != b.Replications:
		return true, PairedFirst
	}
	return true, PairedAll
}

func (c *Contrast) row(a, b *study.Row) ContrastRow {
	row := ContrastRow{A: a.Label, B: b.Label, Total: c.versus(a.Total, b.Total, a.Values[0], b.Values[0])}
	for i, x := range a.Parts() {
		for k, y := range b.Parts() {
			if i > 0 && x.Name == y.Name && x.Pool == y.Pool {
				both := c.versus(x.Estimates, y.Estimates, a.Values[i], b.Values[k])
				row.Sections = append(row.Sections, ContrastSection{x.Section, both})
			}
		}
	}
	row.Affected = served.Between(a.Groups, b.Groups)
	row.Harm = served.Harmed(row.Affected)
	if v, w := a.Validated, b.Validated; v != nil && w != nil {
		difference := c.difference(study.Values{Plain: v.Efficiencies}, study.Values{Plain: w.Efficiencies})
		row.Efficiency = &Versus{v.Efficiency, w.Efficiency, difference}
	}
	return row
}

func (c *Contrast) versus(a, b study.Estimates, x, y []study.Values) []Versus {
	return text.EachAt(a, func(i int, e study.Estimate) Versus { return Versus{e, b[i], c.difference(x[i], y[i])} })
}

// difference returns the interval of b less a.
func (c *Contrast) difference(a, b study.Values) study.Estimate {
	o, other := c.A.Outcome(), c.B.Outcome()
	o.Looked, o.Spread = o.Looked || other.Looked, o.Spread || other.Spread
	x, y := a.Best(), b.Best()
	switch n := c.Replications; {
	case c.Paired:
		return study.NewEstimate(o.Estimate(metric.Less(y[:n], x[:n]), metric.Less(b.Plain[:n], a.Plain[:n])))
	case c.A.Once:
		return study.NewEstimate(o.Estimate(shifted(y, -x[0]), shifted(b.Plain, -x[0])))
	case c.B.Once:
		return study.NewEstimate(o.Estimate(shifted(x, -y[0]), shifted(a.Plain, -y[0]))).Negative()
	}
	level := o.Confidence()
	if o.Looked {
		level = metric.LookLevel(level, c.Replications)
	}
	i := metric.Welch(x, y, level)
	i.Level = o.Confidence()
	return study.NewEstimate(i)
}

func shifted(list []float64, by float64) []float64 {
	return text.EachAt(list, func(_ int, x float64) float64 { return x + by })
}
