package scenario

import (
	"strings"
	"testing"
)

const changed = `
server: {parallel: 8}
load: 0.5
classes:
  - {name: a, share: 0.5, length: {mean: 10m, sd: 60}, price: {per_unit_hour: 1.5}, decay: 0.1, slo: {within: 600, level: 90%}}
  - {name: b, share: 0.5, length: {mean: 100, sd: 10}, price: 3}
`

// TestChange: relative values worked by hand.
func TestChange(t *testing.T) {
	doc, err := Parse("test.yaml", []byte(changed))
	if err != nil {
		t.Fatal(err)
	}
	now := map[string]float64{"trace.nodes": 128}
	for _, tt := range []struct{ arg, want string }{
		{"server.parallel=12", "12"}, {"server.parallel=+4", "12"}, {"server.parallel=-2", "6"}, {"server.parallel=+25%", "10"},
		{"classes.a.price.per_unit_hour=+10%", "1.65"}, {"classes.a.decay=+0.2", "0.3"}, {"classes.0.decay=-50%", "0.05"},
		{"classes.a.slo.level=+5%", "94.5%"}, {"classes.a.slo.within=+5m", "900"}, {"classes.a.length.mean=+5m", "15m"},
		{"classes.a.length.mean=+30s", "630"},
		{"classes.a.price=+10%", "1.65"}, {"trace.nodes=+10%", "141"}, {"trace.nodes=-10%", "115"}, {"server.parallel=+5%", "8.4"},
		{"classes.b.price=+0%", "3"}, {"classes.b.price=-4", "-1"}, {"trace.nodes=+16", "144"},
		{"classes.a.slo={within: 1h, level: 80%}", "{within: 1h, level: 80%}"},
	} {
		o, err := doc.Change(tt.arg, now)
		if err != nil || o.Value != tt.want {
			t.Errorf("%s: %q, %v, want %q", tt.arg, o.Value, err, tt.want)
		}
	}
	for _, tt := range []struct{ arg, want string }{
		{"server.parallel", "--change server.parallel: expected path=value, such as nodes=+16, growth=20%, policy=value-bf or admission=simulated"},
		{"server.nodes=+4", "--change server.nodes=+4: nothing to add to: the scenario has no number at server.nodes, give a value without a sign"},
		{"classes.a.name=+4", `--change classes.a.name=+4: expected a number to add to, the scenario has "a"`},
		{"server.parallel=+x", `--change server.parallel=+x: expected a number after the sign, as in +16 or +10%, got "+x"`},
		{"server.parallel=+4x", `--change server.parallel=+4x: expected the unit of "8" or a percentage, got "+4x"`},
		{"classes.z.price=+1", `--change classes.z.price=+1: classes: no element "z" in the list, there is a, b`},
		{"classes.a.prise=+1", "--change classes.a.prise=+1: classes.a.prise: unknown field, expected name, pool, share, rate, length, width, arrivals, price, demand, price_max, decay, grace, deadline, hard, max_penalty, expire, patience or slo; did you mean price?"},
		{"pools.gpu=+1", "--change pools.gpu=+1: the scenario has no pools"},
	} {
		_, err := doc.Change(tt.arg, now)
		checkError(t, err, tt.want)
	}
}

// TestChangePool: a pool stands for its units, and a percentage changes at least one.
func TestChangePool(t *testing.T) {
	doc, err := Parse("test.yaml", []byte(divided))
	if err != nil {
		t.Fatal(err)
	}
	for arg, want := range map[string]string{
		"pools.gpu=+8": "24", "pools.gpu=72": "72", "pools.gpu.units=-50%": "8", "pools.0=+10%": "53",
		"pools.gpu=+1%": "17", "pools.gpu=-1%": "15", "pools.gpu=+0%": "16", "pools.cpu=+1%": "49",
		"pools.cpu=+4%": "50", "pools.cpu=-4%": "46",
	} {
		o, err := doc.Change(arg, nil)
		if err != nil || o.Value != want || !strings.HasSuffix(o.Path, ".units") {
			t.Errorf("%s: %+v, %v, want %s", arg, o, err, want)
		}
	}
	if o, err := doc.Change("pools.gpu.policy=fcfs", nil); err != nil || o.Path != "pools.gpu.policy" {
		t.Errorf("%+v, %v", o, err)
	}
	_, err = doc.Change("pools.gup=+8", nil)
	checkError(t, err,
		`--change pools.gup=+8: pools: no element "gup" in the list, there is cpu, gpu; did you mean gpu?`)
	_, err = doc.Change("pools.gpu=", nil)
	checkError(t, err, "--change pools.gpu=: expected units to add or to have, such as pools.gpu=+8")
	less, err := doc.Change("pools.gpu=-100%", nil)
	if err == nil {
		_, err = decodeText(divided, less)
	}
	checkError(t, err,
		"--change pools.gpu=-100%: pools.gpu.units: expected a whole number from 1 to 1073741824, got 0")
}

// TestSettled: a load that an override gave is that of the machine before later
// overrides, which bring no customers.
func TestSettled(t *testing.T) {
	doc, err := Parse("test.yaml", []byte(changed))
	if err != nil {
		t.Fatal(err)
	}
	if doc.Settled() != doc {
		t.Error("a document without an overridden load is not itself")
	}
	total := func(d *Document, overrides ...Override) (sum float64) {
		d, err := d.With(overrides...)
		if err != nil {
			t.Fatal(err)
		}
		s, err := d.Scenario(nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range s.Classes {
			sum += c.Rate
		}
		return sum
	}
	loaded, err := doc.With(Set("load", 0.9))
	if err != nil {
		t.Fatal(err)
	}
	before := total(loaded)
	if got := total(loaded.Settled(), Set("server.parallel", 16)); !near(got, before) {
		t.Errorf("%g jobs/s on more nodes, %g before", got, before)
	}
	if got := total(loaded, Set("server.parallel", 16)); !near(got, 2*before) {
		t.Errorf("%g jobs/s where the load is of the machine as overridden, want %g", got, 2*before)
	}
}
