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
	if len(g.Sites) != 6 || total != 144 || g.Batch != nil || a.Count != 1000 || a.Gap != 300 ||
		a.Laxity != (model.Interval{Low: 0.1, High: 0.1}) || len(s.Policies) != 5 {
		t.Errorf("%+v, %+v", g, a)
	}
	if doc, err = Builtin("libra-2004"); err != nil {
		t.Fatal(err)
	}
	if s, err = doc.Scenario(nil); err != nil {
		t.Fatal(err)
	}
	if g = s.Grid; g.Applications != nil || g.Batch.Arrivals != (model.Interval{Low: 1, High: 102}) ||
		g.Sites[0] != (model.Site{Processors: 10, MIPS: 89}) {
		t.Errorf("%v, %+v", err, g)
	}
	paths, err := doc.NumericPaths()
	if err != nil || !strings.Contains(strings.Join(paths, " "), "sites.0.processors") {
		t.Errorf("%v, numeric fields %v", err, paths)
	}
}

func TestSplitTraces(t *testing.T) {
	s, err := decodeText("trace: {file: sp2-like}\nqos: {}\nic: {optional: 2}\n")
	if err != nil || s.Trace.IC.Optional != (model.Interval{Low: 2, High: 2}) || s.Trace.IC.Rate != 0.2 {
		t.Errorf("%v, %+v", err, s)
	}
}
