package ask

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"revopt/internal/fixture"
	"revopt/internal/text"
	"revopt/simulate/run"
)

// threePools has three pools that count in two words.
const threePools = `pools:
  - {name: cpu, units: 64, unit: core}
  - {name: big, units: 6, unit: GPU}
  - {name: small, units: 30, unit: GPU}
load: 0.9
simulation: {jobs: 400, replications: 2}
classes:
  - {name: a, pool: cpu, share: 0.5, length: {dist: exponential, mean: 600}, width: 8, price: 2}
  - {name: b, pool: small, share: 0.5, length: {dist: exponential, mean: 600}, width: 4, price: 9}
`

// TestPoolChanges: pools.* is a change for each pool, and costs name the units of pools.
func TestPoolChanges(t *testing.T) {
	s := fixture.Opened(t, threePools)
	names := func(arg string) []string {
		list, err := parseFields(s, arg)
		if err != nil {
			return []string{err.Error()}
		}
		return text.Each(list, func(c change) string { return c.name + " " + c.set[0].Path + "=" + c.set[0].Value })
	}
	for arg, want := range map[string][]string{
		"pools.*=+10%": {"pools.cpu=+10% (70) pools.cpu.units=70", "pools.big=+10% (7) pools.big.units=7",
			"pools.small=+10% (33) pools.small.units=33"},
		"pools.*.units=-2": {"pools.cpu=-2 pools.cpu.units=62", "pools.big=-2 pools.big.units=4",
			"pools.small=-2 pools.small.units=28"},
		"cores=+8": {"cores=+8 pools.cpu.units=72"},
		"nodes=+8": {"--change nodes=+8: expected one of the pools, as in pools.cpu=+16, " +
			"or each of them, as in pools.*=+10%"},
		"pools.cpu.policy=hol": {"pools.cpu.policy=hol pools.cpu.policy=hol"},
	} {
		if got := names(arg); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", arg, got, want)
		}
	}
	for cost, want := range map[string]string{
		"2.10/gpu-hour": "", "0.2/core-hour 1/GPU": "", "0.2/core 0.3/core-hour": "expected one cost of a core",
		"0.2/node-hour": "expected $ per GPU or core", "0.2": "expected $ per GPU or core",
		"0.2/unit-hour": "expected $ per GPU or core", "-1/core-hour": "expected $ above 0",
	} {
		if _, err := parseCosts(s, strings.Fields(cost)); want == "" && err != nil ||
			want != "" && (err == nil || !strings.HasPrefix(err.Error(), want)) {
			t.Errorf("%s: %v, want %q", cost, err, want)
		}
	}
}

// TestPoolCosts: a change of a pool pays for its own units, all changes together for all. The cost of a unit without a
// stated one is not known.
func TestPoolCosts(t *testing.T) {
	l := openLab(t, threePools, run.Options{Workers: 2})
	costs := []string{"0.25/core-hour", "2/gpu-hour"}
	c := whatIfOn(t, l, Request{Costs: costs}, "pools.cpu=+8", "pools.small=+3")
	for change, cost := range map[string]float64{"pools.cpu=+8": 2, "pools.small=+3": 6, "all together": 8} {
		gain, net := changeOf(t, c, change, "gain"), changeOf(t, c, change, "net")
		if changeOf(t, c, change, "cost").Number != cost || !fixture.Near(gain.Number-net.Number, cost, 1e-9) {
			t.Errorf("%s: net %+v of %+v, want less %g", change, net, gain, cost)
		}
	}
	c = whatIfOn(t, l, Request{Costs: costs[:1]}, "pools.cpu=+8", "pools.small=+3")
	if changeOf(t, c, "pools.small=+3", "net").Known() || changeOf(t, c, "all together", "net").Known() {
		t.Error("a cost of units that have none")
	}
}

// pairedWeeks is a log of so many weeks on one node. In some weeks 7 times two jobs of an hour come at once, in the
// others one. The second job waits an hour and loses 1 $, which another node saves: 7 $ a week.
func pairedWeeks(t *testing.T, weeks int, busy func(week int) bool) string {
	t.Helper()
	var lines strings.Builder
	lines.WriteString("; MaxProcs: 1\n")
	id := 0
	for week := range weeks {
		for k := range 7 {
			for place := range 1 + map[bool]int{true: 1}[busy(week)] {
				id++
				lines.WriteString(fixture.Waited(place*3600, fixture.SWFLine(id, week*7*86400+k*86400, 3600, 1, 3600, 1, 1)))
			}
		}
	}
	path := filepath.Join(t.TempDir(), "pairs.swf")
	if err := os.WriteFile(path, []byte(lines.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return "name: pairs\ntrace: {file: " + path + "}\n" +
		"classes: [{name: all, price: {per_unit_hour: 2}, decay: {per_hour: 50%}, max_penalty: 0}]\npolicies: [fcfs]\n"
}

// TestPays: a node that gains 7 $ in every week of a log pays in all histories at 4 $ a week, and in none at 10, so that
// the first ten settle it. If it gains in the first half of the weeks only, it pays at 3.2 $ a week by the log, and in
// some of the histories, of which there are more. A log of seven weeks has none. Histories that are asked for are the
// same ones.
func TestPays(t *testing.T) {
	always := func(int) bool { return true }
	half := func(week int) bool { return week < 5 }
	for _, c := range []struct {
		weeks       int
		busy        func(int) bool
		cost        float64 // $ a week
		least, most float64 // share of the histories in which it pays
		of          float64 // histories, at least
		absent      bool
	}{
		{10, always, 4, 1, 1, 10, false}, {10, always, 10, 0, 0, 10, false}, {10, half, 3.2, 0.06, 0.94, 20, false},
		{7, always, 4, 0, 0, 0, true},
	} {
		source := pairedWeeks(t, c.weeks, c.busy)
		asked := func(q Request) *Comparison {
			q.Costs = []string{fmt.Sprintf("%.17g", c.cost/168)}
			return whatIfOn(t, openLab(t, source, run.Options{Workers: 2}), q, "trace.nodes=+1")
		}
		log := asked(Request{})
		in, all := changeOf(t, log, "trace.nodes=+1", "pays_in"), changeOf(t, log, "trace.nodes=+1", "pays_of")
		if net := changeOf(t, log, "trace.nodes=+1", "net").Number; (net > 0) != (c.cost < 7) {
			t.Errorf("%+v: net %g $/h", c, net)
		}
		if share := in.Number / all.Number; in.Known() == c.absent ||
			!c.absent && (all.Number < c.of || c.least == c.most && all.Number > c.of || share < c.least || share > c.most) {
			t.Errorf("%d weeks at %g $: %g of %g", c.weeks, c.cost, in.Number, all.Number)
		}
		if c.absent {
			continue
		}
		if changeOf(t, asked(Request{Alone: true}), "trace.nodes=+1", "pays_in").Known() {
			t.Error("the log alone has histories")
		}
		drawn := asked(Request{Resample: true, Replications: Number(int(all.Number))})
		if changeOf(t, drawn, "trace.nodes=+1", "pays_in") != in || changeOf(t, drawn, "trace.nodes=+1", "pays_of") != all {
			t.Errorf("%g of %g, by resampling %+v", in.Number, all.Number, changeOf(t, drawn, "trace.nodes=+1", "pays_in"))
		}
	}
}
