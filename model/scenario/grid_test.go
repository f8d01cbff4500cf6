package scenario

import (
	"strings"
	"testing"

	"revopt/model"
)

func TestGridBuiltins(t *testing.T) {
	doc, err := Builtin("ic-grid")
	if err != nil {
		t.Fatal(err)
	}
	s, err := doc.Scenario(nil)
	if err != nil || s.Grid == nil || s.Trace != nil {
		t.Fatal(err)
	}
	g := s.Grid
	total := 0
	for _, s := range g.Sites {
		total += s.Processors
	}
	a := g.Applications
	if len(g.Sites) != 6 || total != 144 || g.Batch != nil || a.Count != 1000 || a.Gap != 300 || a.Laxity != (model.Interval{Low: 0.1, High: 0.1}) || len(s.Policies) != 5 {
		t.Errorf("%+v, %+v", g, a)
	}
	if doc, err = Builtin("libra-2004"); err != nil {
		t.Fatal(err)
	}
	if s, err = doc.Scenario(nil); err != nil {
		t.Fatal(err)
	}
	if g = s.Grid; g.Applications != nil || g.Batch.Arrivals != (model.Interval{Low: 1, High: 102}) || g.Sites[0] != (model.Site{Processors: 10, MIPS: 89}) {
		t.Errorf("%v, %+v", err, g)
	}
	paths, err := doc.NumericPaths()
	if err != nil || !strings.Contains(strings.Join(paths, " "), "sites.0.processors") {
		t.Errorf("%v, numeric fields %v", err, paths)
	}
}

func TestBadGrids(t *testing.T) {
	const sites = "sites: [{processors: 2, mips: 10}]\n"
	for text, want := range map[string]string{
		sites:                                   "g.yaml:1:8: sites: expected applications or a batch beside the sites",
		sites + "applications: {}\nbatch: {}\n": "expected applications or a batch",
		"sites: [{processors: 0, mips: 10}]\napplications: {}\n":                            "g.yaml:1:22: sites.0.processors: expected a whole number of processors from 1 to 1000000, got 0",
		"sites: [{processors: 2}]\napplications: {}\n":                                      "a speed above 0 in MIPS",
		"sites: []\napplications: {}\n":                                                     "got an empty list",
		sites + "applications: {parts: [3, 2]}\n":                                           "g.yaml:2:23: applications.parts: expected the least number before the largest, got 3 and 2",
		sites + "applications: {parts: [1, 2, 3]}\n":                                        "expected one number or two",
		sites + "applications: {mandatory: [0, 2]}\n":                                       "a length above 0 in MI",
		sites + "applications: {budget: {concave: 2}}\n":                                    "g.yaml:2:34: applications.budget.concave: expected an exponent above 0 and below 1, got 2",
		sites + "applications: {budget: convex}\n":                                          `applications.budget: expected linear, {concave: 0.5} or {steps: {at: [25%, 100%], pay: [40%, 60%]}}, got "convex"`,
		sites + "applications: {budget: {steps: {at: [1, 0.5]}}}\n":                         "applications.budget.steps.at.1: expected shares in ascending order, got 0.5 after 1",
		sites + "applications: {budget: {steps: {at: [1], pay: [0.5]}}}\n":                  "applications.budget.steps.pay: expected shares of the budget that sum to 1, got a sum of 0.5",
		sites + "applications: {budget: {steps: {at: [0.5, 1], pay: [1]}}}\n":               "applications.budget.steps.pay: expected 2 shares of the budget, one for each step, got 1",
		sites + "applications: {laxness: 1}\n":                                              "laxness",
		sites + "load: 1\napplications: {}\n":                                               "load",
		"sites: [{processors: 2, mips: 10}, {processors: 2, mips: 10}]\nbatch: {jobs: 1}\n": "expected a batch for one site, got 2 sites",
	} {
		doc, err := Parse("g.yaml", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if _, err = doc.Scenario(nil); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: error %v, want %q", text, err, want)
		}
	}
}

func TestSplitTraces(t *testing.T) {
	const head = "trace: {file: sp2-like}\n"
	for text, want := range map[string]string{
		head + "ic: {rate: 0.2}\n":                           "expected a section qos, or classes with deadlines, beside ic",
		head + "qos: {}\nic: {optional: [1, 0.5]}\n":         "the least number before the largest",
		head + "qos: {}\nic: {optional: [0.5, 4], rat: 1}\n": "rat",
		head + "qos: {}\nic: {optional: 2}\n":                "",
		head + "qos: {}\nic: {budget: {concave: 0}}\n":       "ic.budget.concave: expected an exponent above 0 and below 1, got 0",
	} {
		doc, err := Parse("t.yaml", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		s, err := doc.Scenario(nil)
		if want == "" {
			if err != nil || s.Trace.IC.Optional != (model.Interval{Low: 2, High: 2}) || s.Trace.IC.Rate != 0.2 {
				t.Errorf("%v, %+v", err, s)
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %q", text, err, want)
		}
	}
}
