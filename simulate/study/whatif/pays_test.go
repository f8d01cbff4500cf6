package whatif

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"revopt/internal/fixture"
	"revopt/simulate/subject"
	"revopt/simulate/workload"
)

// pairedWeeks opens a log of so many weeks on one node. In some weeks 7 times two jobs of an hour come at once, in the others one.
// The second job waits an hour and loses 1 $, which another node saves: 7 $ a week.
func pairedWeeks(t *testing.T, weeks int, busy func(week int) bool) *subject.Subject {
	t.Helper()
	var text strings.Builder
	text.WriteString("; MaxProcs: 1\n")
	id := 0
	for week := range weeks {
		for k := range 7 {
			for range 1 + map[bool]int{true: 1}[busy(week)] {
				id++
				text.WriteString(fixture.SWFLine(id, week*7*86400+k*86400, 3600, 1, 3600, 1, 1))
			}
		}
	}
	path := filepath.Join(t.TempDir(), "pairs.swf")
	if err := os.WriteFile(path, []byte(text.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	return fixture.Opened(t, "name: pairs\ntrace: {file: "+path+"}\n"+
		"classes: [{name: all, price: {per_unit_hour: 2}, decay: {per_hour: 50%}, max_penalty: 0}]\npolicies: [fcfs]\n")
}

// A node that gains 7 $ in every week of a log pays in all histories at 4 $ a week, and in none at 10. If it gains in the
// first half of the weeks only, it pays at 3.2 $ a week by the log, and in some of the histories. A log of seven weeks has none.
func TestPays(t *testing.T) {
	always := func(int) bool { return true }
	half := func(week int) bool { return week < 5 }
	for _, c := range []struct {
		weeks  int
		busy   func(int) bool
		cost   float64 // $ a week
		want   Decision
		absent bool
	}{
		{10, always, 4, ItPays, false},
		{10, always, 10, DoesNotPay, false},
		{10, half, 3.2, Undecided, false},
		{7, always, 4, ItPays, true},
	} {
		run := func(set func(*WhatIf)) *Result {
			w := &WhatIf{Subject: pairedWeeks(t, c.weeks, c.busy), Seed: 1, Costs: Costs{{PerHour: c.cost / 168}}}
			set(w)
			return what(t, w, "trace.nodes=+1")
		}
		r := run(func(*WhatIf) {})
		change := r.Changes[0]
		if net := float64(change.Net.Mean); (net > 0) != (c.want != DoesNotPay) {
			t.Errorf("%+v: net %g $/h", c, net)
		}
		if c.absent {
			if change.Pays != nil || r.Histories != nil {
				t.Errorf("%d weeks have histories: %+v", c.weeks, r.Histories)
			}
			continue
		}
		if change.Pays == nil || change.Pays.Of != 100 || change.Decision() != c.want {
			t.Fatalf("%d weeks at %g $: %+v, want %v", c.weeks, c.cost, change.Pays, c.want)
		}
		if c.want != Undecided {
			continue
		}
		if alone := run(func(w *WhatIf) { w.Alone = true }); alone.Changes[0].Pays != nil {
			t.Errorf("the log alone has histories: %+v", alone.Changes[0].Pays)
		}
		drawn := run(func(w *WhatIf) { w.Resample, w.Replications = &workload.Resampling{}, 100 })
		in := 0
		for k, money := range drawn.Changes[0].Money {
			if float64(money-drawn.Before.Money[k])-c.cost/168 > 0 {
				in++
			}
		}
		if *change.Pays != (Pays{in, 100}) || *drawn.Changes[0].Pays != *change.Pays {
			t.Errorf("%+v, by resampling %d and %+v", change.Pays, in, drawn.Changes[0].Pays)
		}
	}
}

// Histories decide at 95 %.
func TestDecision(t *testing.T) {
	for _, c := range []struct {
		in, of int
		want   Decision
	}{
		{95, 100, ItPays}, {94, 100, Undecided}, {6, 100, Undecided}, {5, 100, DoesNotPay}, {0, 0, Undecided},
		{19, 20, ItPays},
	} {
		if got := (Pays{c.in, c.of}).Decision(); got != c.want {
			t.Errorf("%d of %d: %v, want %v", c.in, c.of, got, c.want)
		}
	}
}
