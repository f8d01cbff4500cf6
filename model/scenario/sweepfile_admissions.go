package scenario

import "slices"

// Admission is a way to admit jobs: one of the names, or a probability for
// each class.
type Admission struct {
	Name   string
	Admit  []float64     // nil where Name says how
	Search *SearchEffort `json:",omitempty"` // of AdmitSimulated; nil is the default
}

// The admissions that have names.
const (
	AdmitAll       = "all"
	AdmitAnalytic  = "analytic"  // best by the model
	AdmitSimulated = "simulated" // best on the simulator, found by a search
)

// SearchEffort is how much a search for the best admission simulates. What is 0
// is the default of the search.
type SearchEffort struct {
	Jobs         int     // per replication, at most
	Replications int     // of each admission tried
	Step         float64 // of a probability, at the end of the search
}

// same reports whether two admissions are the same.
func (a Admission) same(b Admission) bool {
	effort := func(a Admission) SearchEffort {
		if a.Search == nil {
			return SearchEffort{}
		}
		return *a.Search
	}
	return a.Name == b.Name && slices.Equal(a.Admit, b.Admit) && effort(a) == effort(b)
}

// admissions reads the ways to admit jobs, all of them where none is given.
func (d *decoder) admissions(c *cursor, base *Document) []Admission {
	if !c.given() || d.err != nil {
		return []Admission{{Name: AdmitAll}}
	}
	switch {
	case base.IsTrace():
		c.fail("expected none with a trace, whose policies admit jobs by themselves")
	case base.IsGrid():
		c.fail("expected none with a grid, whose policies admit jobs by themselves")
	}
	classes := -1 // not known where the scenario is only valid with what varies
	if sc, err := base.Scenario(); err == nil {
		classes = len(sc.Classes)
	}
	var list []Admission
	for _, item := range c.list("a list of admissions such as [all, analytic, [1, 1, 0.5, 0]]") {
		a := d.admission(item)
		if a.Admit != nil && classes >= 0 && len(a.Admit) != classes {
			item.fail("expected a probability for each of %d classes, got %d", classes, len(a.Admit))
		}
		if slices.ContainsFunc(list, a.same) {
			item.fail("expected every admission once")
		}
		list = append(list, a)
	}
	return list
}

// admission reads a name, probabilities, or a search and its effort.
func (d *decoder) admission(c *cursor) Admission {
	var a Admission
	switch c.n.kind {
	case sequence:
		for _, q := range c.list("a probability for each class") {
			a.Admit = append(a.Admit, q.number(fraction))
		}
	case mapping:
		if !c.mapping("a search such as {simulated: {jobs: 5000}}", AdmitSimulated) {
			return a
		}
		a.Name, a.Search = AdmitSimulated, d.effort(c.get(AdmitSimulated))
	default:
		a.Name = c.choice(AdmitAll, AdmitAnalytic, AdmitSimulated)
	}
	return a
}

// effort reads how much a search simulates.
func (d *decoder) effort(c *cursor) *SearchEffort {
	if !c.mapping("the effort of a search such as {jobs: 5000, replications: 4, step: 0.05}", "jobs", "replications", "step") {
		return nil
	}
	e := SearchEffort{
		Jobs:         int(c.get("jobs").numberOr(count, 0)),
		Replications: int(c.get("replications").numberOr(searchReplications, 0)),
		Step:         c.get("step").numberOr(searchStep, 0),
	}
	if e == (SearchEffort{}) {
		return nil
	}
	return &e
}

var (
	searchReplications = quantity{want: "a whole number from 1 to 100000", unit: plain, least: 1, most: 1e5, whole: true}
	searchStep         = quantity{want: "a step of at least 0.0001 and at most 0.25", unit: percent, least: 1e-4, most: 0.25}
)
