package paper

import (
	"context"
	"regexp"
	"slices"
	"strings"
	"testing"

	"revopt/plots"
)

// decide decides claims under the default reading and checks that they hold, but
// for the given ones.
func decide(t *testing.T, o Options, list []Claim, other map[string]Outcome) {
	t.Helper()
	e := NewEvidence(context.Background(), o)
	for _, c := range list {
		v, err := e.Decide(c)
		if err != nil {
			t.Fatal(err)
		}
		want, ok := other[c.ID]
		if !ok {
			want = Holds
		}
		if v.Outcome != want {
			t.Errorf("%s: %v (%s), want %v", c.ID, v.Outcome, v.Got, want)
		}
	}
}

// claimsOn returns the claims of a paper on figures that are drawn by formulas, or on
// those that are simulated, or on inputs.
func claimsOn(paper, what string) []Claim {
	return slices.DeleteFunc(claimsOf(paper), func(c Claim) bool {
		kind := "inputs"
		if c.Figure != "" {
			if kind = "formulas"; planned(c.Figure) != nil {
				kind = "simulations"
			}
		}
		return kind != what
	})
}

// TestClaimsAreComplete checks that every claim is stated once, with a criterion on
// figures that there are, and that readings name scenarios and claims.
func TestClaimsAreComplete(t *testing.T) {
	seen := make(map[string]bool)
	for _, c := range Claims() {
		if seen[c.ID] {
			t.Errorf("two claims %s", c.ID)
		}
		seen[c.ID] = true
		if !slices.Contains([]string{"number", "order", "direction"}, c.Kind) || c.Place == "" || c.Says == "" || len(c.Quote) > 132 || c.Criterion == "" {
			t.Errorf("claim %s is incomplete: %+v", c.ID, c)
		}
		if strings.Contains(c.Criterion, "~") && c.Why == "" {
			t.Errorf("claim %s: nothing says why its tolerance is %g", c.ID, c.Tolerance)
		}
		for _, ref := range regexp.MustCompile(`\{([a-z0-9-]+):`).FindAllStringSubmatch(c.Criterion, -1) {
			if ref[1] != "inputs" {
				planned(ref[1]) // panics where there is no such figure
			}
		}
		if name, _, _ := strings.Cut(c.On, "/"); name != "" {
			open(name) // panics where there is no such scenario
		}
	}
	if len(seen) != 123 {
		t.Errorf("%d claims", len(seen))
	}
	for _, p := range Papers() {
		names := make(map[string]bool)
		for i, r := range Readings(p.Name) {
			if names[r.Name] || r.Reads == "" || r.Means == "" ||
				(len(r.Free) > 0) != (r.Tried > 0) || i > 0 && r.Changes == "" && r.Name != JointReading {
				t.Errorf("reading %s of %s is incomplete or doubled: %+v", r.Name, p.Name, r)
			}
			names[r.Name] = true
			for id, other := range r.Criteria {
				if !seen[id] || other.Says == "" || other.Criterion == "" {
					t.Errorf("reading %s of %s decides no claim %s, or not by a sentence of its own", r.Name, p.Name, id)
				}
			}
		}
	}
}

// TestTogether lays readings over each other: each keeps its fields in the scenarios that it changes.
// Two that set a field, an option or a criterion differently are refused.
func TestTogether(t *testing.T) {
	r, err := FindReading("nist", "no-grace + hourly+of-capacity")
	if err != nil {
		t.Fatal(err)
	}
	if got := len(r.overrides("nist-cluster")); got != 3 || r.overrides("nist-cluster")[0].Path != "phi" {
		t.Errorf("%d fields of nist-cluster", got)
	}
	if got := r.overrides("nist-four"); len(got) != 2 || got[1].Path != "server.parallel" {
		t.Errorf("fields of nist-four: %v", got)
	}
	if r.Tried != 41 || len(r.Free) != 1 || len(r.Criteria) != 1 || !r.concerns("nist-two/low") ||
		r.Caption() != "Reading no-grace + hourly+of-capacity: no-grace + hourly + of-capacity. "+
			"Fitted: phi = 1.525; settings tried: 41" {
		t.Errorf("%+v", r)
	}
	joint := must(FindReading("nist", JointReading))
	for figure, want := range map[string]string{
		"nist-02/": "", "nist-13/nist-four": "begins-at-90", "nist-14/nist-four": "",
		"nist-16/nist-cluster": "no-grace + two-curves", "nist-widths/nist-cluster-widths": "no-grace + widths-same-tau",
	} {
		id, scenario, _ := strings.Cut(figure, "/")
		if got := joint.on(id, scenario); got.Means != want || (got.Name == "") != (want == "") {
			t.Errorf("figure %s is read by %q, want %q", figure, got.Means, want)
		}
	}
	if got := must(FindReading("sla", JointReading)).on("sla-02b", "sp2-sla"); got.Name != "" {
		t.Errorf("the default reading is named %s", got.Caption())
	}
	for _, c := range []struct{ paper, names, differ string }{
		{"nist", "no-grace+pooled", ""}, {"nist", "hourly+thirty", "load"}, {"nist", "pooled+hourly", ""},
		{"nist", "phi-fine+phi-from-90", "the criterion of nist-phi-value"}, {"nist", "deadline+no-grace", ""},
		{"nist", "thirty+thirty-grace", ""}, {"libra", "spare-none+spare-proportional", "option spare of libra"},
		{"libra", "from-start+spare-none+mips-80", ""}, {"libra", "mips-80+mips-100", "sites.0.mips"},
		{"pricing", "window+nominal", "option free of libra+$"}, {"pricing", "joint+joint", ""},
		{"pricing", "from-0.02+from-0.05", "the least arrival delay factor"},
	} {
		_, err := FindReading(c.paper, c.names)
		if (err == nil) != (c.differ == "") || err != nil && !strings.HasSuffix(err.Error(), "differ in "+c.differ) {
			t.Errorf("%s: %v", c.names, err)
		}
	}
}

// TestInputs checks the numbers that the papers state of their workloads.
func TestInputs(t *testing.T) {
	for _, p := range Papers() {
		list := slices.DeleteFunc(claimsOn(p.Name, "inputs"), func(c Claim) bool { return !strings.HasPrefix(c.Criterion, "{inputs:") })
		decide(t, Options{Seed: 1}, list, map[string]Outcome{"sla-trace": Undetermined})
	}
	half := slices.DeleteFunc(claimsOf("libra"), func(c Claim) bool { return c.ID != "libra-share" })
	decide(t, Options{Seed: 1}, half, nil)
}

// TestNISTFormulas decides the claims on the analytic figures of Marbukh and Mills,
// and draws figure 15 with the same numbers.
func TestNISTFormulas(t *testing.T) {
	o := Options{Quick: true, Seed: 1, Workers: 2}
	e := NewEvidence(context.Background(), o)
	for _, c := range claimsOn("nist", "formulas") {
		fails := slices.Contains([]string{
			"nist-10-low-share", "nist-10-low-gone", "nist-13-LvLu", "nist-13-HvHu", "nist-14-linear", "nist-15-start", "nist-15-high-only",
		}, c.ID)
		if v, err := e.Decide(c); err != nil || (v.Outcome == Fails) != fails || v.Outcome == Undetermined {
			t.Errorf("%s: %v (%s), %v", c.ID, v.Outcome, v.Got, err)
		}
	}
	checkCluster(t, e.picture("nist-15").(plots.Sheet))
}

// checkCluster: the printed formula rejects no job up to a load of 96.4 % and no
// low-value job is left at 480 %; two better estimates of the delay admit the same
// jobs.
func checkCluster(t *testing.T, sheet plots.Sheet) {
	if len(sheet.Panels) != 3 {
		t.Fatalf("%d panels, want 3", len(sheet.Panels))
	}
	first := 5.0
	for _, s := range sheet.Panels[0].Series {
		first = min(first, lastFull(s.X, s.Y))
	}
	within(t, "last load without a rejected job", first, 0.964, 0.01)
	for _, class := range []string{"Low value, high", "Low value, low"} {
		s := seriesOf(t, sheet.Panels[0], class)
		gone, _ := firstGone(s.X, s.Y)
		within(t, s.Name+": gone", gone, 4.8, 0.05)
	}
	pooled, servers := sheet.Panels[1], sheet.Panels[2]
	for i, s := range pooled.Series {
		for j, x := range s.X {
			within(t, s.Name, servers.Series[i].Y[j], s.Y[j], 0.02)
			if x <= 0.95 && s.Y[j] < admittedAll || x == 4.5 && strings.HasPrefix(s.Name, "High") && s.Y[j] < admittedAll {
				t.Errorf("%s: only %g admitted at load %g", s.Name, s.Y[j], x)
			}
		}
	}
}

// TestLibraTable holds Table 1 against a prototype, and decides the claims on it.
func TestLibraTable(t *testing.T) {
	o := Options{Seed: 1, Workers: 2, Replications: 200, Shared: new(Shared)}
	fig := drawn(t, "libra-table1", o).Picture.(plots.Figure)
	for p, want := range [][]float64{{74, 87, 100, 156}, {83, 94, 109, 178}} {
		for i, w := range want {
			within(t, fig.Series[2*p].Name, fig.Series[2*p].Y[i], w, 2.5)
		}
	}
	if len(fig.Series) != 4 || len(fig.X.Categories) != 4 {
		t.Errorf("%d series, categories %v", len(fig.Series), fig.X.Categories)
	}
	decide(t, o, claimsOn("libra", "simulations"), map[string]Outcome{"libra-table1-grows": Undetermined})
}

// TestImprecise draws the figures of Kim, Buyya and Kim and decides the claims on
// them; that of acceptance by the mandatory-first schemes fails.
func TestImprecise(t *testing.T) {
	o := Options{Quick: true, Seed: 1, Replications: 3, Shared: new(Shared)}
	res := drawn(t, "ic-05b", o)
	says(t, "ic-05b", res, "claim ic-05b-mandatory: Hard-M has low profit: holds: MF-EDF against Hard-M +")
	decide(t, o, claimsOn("ic", "simulations"), map[string]Outcome{
		"ic-05a-flexible": Fails, "ic-05b-more": Undetermined, "ic-05b-mandatory": Holds, "ic-06-more": Undetermined,
	})
}

// TestSummary checks what all readings together say.
func TestSummary(t *testing.T) {
	verdicts := func(list ...Outcome) (row []Verdict) {
		for _, o := range list {
			row = append(row, Verdict{Outcome: o})
		}
		return row
	}
	m := Matrix{Verdicts: [][]Verdict{
		verdicts(Holds, Fails), verdicts(Fails, Holds), verdicts(Fails, Undetermined), verdicts(Undetermined, Fails), verdicts(Fails, Unconcerned),
	}}
	for i, want := range []string{"reproduced", "as read", "undetermined", "undetermined", "contradicted"} {
		if got := m.Summary(i); got != want {
			t.Errorf("claim %d: %s, want %s", i, got, want)
		}
	}
}

// TestOverlay checks that curves which a reading does not touch are drawn once, and
// the others under the name of their reading.
func TestOverlay(t *testing.T) {
	r, err := Find("libra-table1")
	if err != nil {
		t.Fatal(err)
	}
	other, err := FindReading("libra", "best-fit")
	if err != nil {
		t.Fatal(err)
	}
	result, err := r.Overlay(context.Background(), Options{Replications: 2, Shared: new(Shared)}, []Reading{{}, other})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, s := range result.Picture.(plots.Figure).Series {
		names = append(names, s.Name)
	}
	want := "FCFS|FCFS, the paper's draw|Libra|Libra, the paper's draw|Libra, best-fit"
	if got := strings.Join(names, "|"); got != want {
		t.Errorf("curves %s, want %s", got, want)
	}
	p := withPanels(plots.Sheet{Columns: 3, Panels: make([]plots.Figure, 3)}, make([]plots.Figure, 1), "").(plots.Sheet)
	if p.Columns != 1 || len(p.Panels) != 1 {
		t.Errorf("a sheet that lost panels has %d in %d columns", len(p.Panels), p.Columns)
	}
}
