package scenario

import (
	"errors"
	"strings"
	"testing"
)

// decodeText parses and decodes a scenario given as text.
func decodeText(text string, overrides ...Override) (*Scenario, error) {
	doc, err := Parse("s.yaml", []byte(text))
	if err != nil {
		return nil, err
	}
	if doc, err = doc.With(overrides...); err != nil {
		return nil, err
	}
	return doc.Scenario(nil)
}

// checkError checks the whole line of an error.
func checkError(t *testing.T, err error, want string) {
	t.Helper()
	var e *Error
	if !errors.As(err, &e) {
		t.Fatalf("error %v is a %T, want an *Error: %s", err, err, want)
	}
	if got := e.Error(); got != want {
		t.Errorf("error\n got %s\nwant %s", got, want)
	}
}

// good is the scenario that the bad ones differ from in one place.
const good = `name: test
server: {nodes: 100, residual: pooled}
load: 0.9
phi: 1
simulation: {jobs: 1000, warmup: 5%, replications: 3}
classes:
  - name: a
    share: 0.25
    length: {dist: normal, mean: 100, sd: 30, min: 10}
    width: 10
    price: 50
    decay: 1
    grace: 20
    floor: {of_price: 5%}
    expire: zero
    slo: {within: 1m, level: 0.9}
  - name: b
    share: 0.75
    length: {dist: exponential, mean: 60}
    price: {per_hour: 100}
`

func TestGood(t *testing.T) {
	if _, err := decodeText(good); err != nil {
		t.Fatal(err)
	}
}

func TestBadFields(t *testing.T) {
	for _, tt := range []struct{ name, old, new, want string }{
		{"unknown top field", "phi: 1", "ph: 1", `s.yaml:4:1: ph: unknown field, expected name, server, load, growth, phi, arrivals, simulation, classes, providers or policies; did you mean phi?`},
		{"unknown server field", "residual: pooled", "residua: pooled", `s.yaml:2:22: server.residua: unknown field, expected parallel, nodes, residual, grace or waiting; did you mean residual?`},
		{"unknown class field", "    decay: 1", "    delay: 1", `s.yaml:12:5: classes.a.delay: unknown field, expected name, share, rate, length, width, arrivals, price, demand, price_max, decay, grace, deadline, hard, floor, expire or slo; did you mean decay?`},
		{"unknown odd field", "phi: 1", `"f\n": 1`, `s.yaml:4:1: "f\n": unknown field, expected name, server, load, growth, phi, arrivals, simulation, classes, providers or policies`},
		{"name is a number", "name: test", "name: 5", `s.yaml:1:7: name: expected the name of the scenario, got 5: put it in quotes to make it text`},
		{"name is empty", "name: test", "name:", `s.yaml:1:1: name: expected the name of the scenario, got nothing`},
		{"server is a number", "server: {nodes: 100, residual: pooled}", "server: 5", `s.yaml:2:9: server: expected {parallel: n} or {nodes: n}, got 5`},
		{"server without size", "nodes: 100, ", "", `s.yaml:2:9: server: expected parallel (jobs at a time) or nodes, got neither`},
		{"server with both", "nodes: 100", "nodes: 100, parallel: 5", `s.yaml:2:17: server.nodes: expected parallel or nodes, got both`},
		{"nodes not whole", "nodes: 100", "nodes: 2.5", `s.yaml:2:17: server.nodes: expected a whole number of at least 1, got 2.5`},
		{"nodes 0", "nodes: 100", "nodes: 0", `s.yaml:2:17: server.nodes: expected a whole number of at least 1, got 0`},
		{"parallel 0", "nodes: 100", "parallel: 0", `s.yaml:2:20: server.parallel: expected a number of at least 0.000001 such as 25 or 7.5, got 0`},
		{"parallel below 0", "nodes: 100", "parallel: -2", `s.yaml:2:20: server.parallel: expected a number of at least 0.000001 such as 25 or 7.5, got -2`},
		{"parallel infinite", "nodes: 100", "parallel: 1e999", `s.yaml:2:20: server.parallel: expected a number of at least 0.000001 such as 25 or 7.5, got 1e999`},
		{"parallel is text", "nodes: 100", "parallel: many", `s.yaml:2:20: server.parallel: expected a number of at least 0.000001 such as 25 or 7.5, got "many"`},
		{"unknown residual", "pooled", "pulled", `s.yaml:2:32: server.residual: expected pooled, multiserver or printed, got "pulled"; did you mean pooled?`},
		{"load missing", "load: 0.9\n", "", `s.yaml:1:1: load: missing, expected a number above 0 such as 0.9 or 90%, or a rate in every class`},
		{"load 0", "load: 0.9", "load: 0", `s.yaml:3:7: load: expected a number above 0 such as 0.9 or 90%, got 0`},
		{"load is a list", "load: 0.9", "load: [1]", `s.yaml:3:7: load: expected a number above 0 such as 0.9 or 90%, got a list`},
		{"load is text", "load: 0.9", "load: high", `s.yaml:3:7: load: expected a number above 0 such as 0.9 or 90%, got "high"`},
		{"load in quotes", "load: 0.9", `load: "0.9"`, `s.yaml:3:7: load: expected a number above 0 such as 0.9 or 90%, got the text "0.9": leave out the quotes`},
		{"load with a space after it", "load: 0.9", "load: high  ", `s.yaml:3:7: load: expected a number above 0 such as 0.9 or 90%, got "high"`},
		{"load infinite", "load: 0.9", "load: .inf", `s.yaml:3:7: load: expected a number above 0 such as 0.9 or 90%, got .inf`},
		{"load too large", "load: 0.9", "load: 1e308", `s.yaml:3:7: load: expected a number above 0 such as 0.9 or 90%, from 1e-18 to 1e18 in size, got 1e308`},
		{"phi negative", "phi: 1", "phi: -1", `s.yaml:4:6: phi: expected a number of at least 0, got -1`},
		{"phi not a number", "phi: 1", "phi: .nan", `s.yaml:4:6: phi: expected a number of at least 0, got .nan`},
		{"phi overflows", "phi: 1", "phi: 1e999", `s.yaml:4:6: phi: expected a number of at least 0, got 1e999`},
		{"phi hexadecimal", "phi: 1", "phi: 0x10", `s.yaml:4:6: phi: expected a number of at least 0, got "0x10"`},
		{"phi with a unit", "phi: 1", "phi: 1s", `s.yaml:4:6: phi: expected a number of at least 0, got "1s"`},
		{"phi is true", "phi: 1", "phi: true", `s.yaml:4:6: phi: expected a number of at least 0, got true`},
		{"no jobs", "jobs: 1000", "jobs: 0", `s.yaml:5:20: simulation.jobs: expected a whole number of at least 1, got 0`},
		{"jobs and horizon", "jobs: 1000", "jobs: 1000, horizon: 1d", `s.yaml:5:35: simulation.horizon: expected jobs or horizon, got both`},
		{"horizon 0", "jobs: 1000", "horizon: 0", `s.yaml:5:23: simulation.horizon: expected a time above 0 such as 90, 90s, 15m, 2h, 182d or 1w, got 0`},
		{"simulation is a list", "{jobs: 1000, warmup: 5%, replications: 3}", "[]", `s.yaml:5:13: simulation: expected a mapping such as {jobs: 100000, warmup: 10%, replications: 10}, got a list`},
		{"warm-up of everything", "warmup: 5%", "warmup: 100%", `s.yaml:5:34: simulation.warmup: expected a percentage below 100% such as 10%, or a time such as 600 or 2h, got "100%"`},
		{"warm-up ambiguous", "warmup: 5%", "warmup: 0.1", `s.yaml:5:34: simulation.warmup: expected a percentage below 100% such as 10%, or a time such as 600 or 2h, got 0.1: write a percent sign or a unit`},
		{"warm-up too long", "jobs: 1000, warmup: 5%", "horizon: 1h, warmup: 1h", `s.yaml:5:35: simulation.warmup: expected a warm-up shorter than the horizon of 3600 s, got 1h`},
		{"no replications", "replications: 3", "replications: 0", `s.yaml:5:52: simulation.replications: expected a whole number of at least 1, got 0`},
		{"class name missing", "  - name: a\n    share", "  - share", `s.yaml:7:5: classes.0.name: missing, expected the name of the class`},
		{"class name empty", "name: b", `name: ""`, `s.yaml:17:11: classes.1.name: expected the name of the class, got the text ""`},
		{"class name of two lines", "name: b", `name: "b\nc"`, `s.yaml:17:11: classes.1.name: expected the name of the class without line breaks or outer spaces, got the text "b\nc"`},
		{"class name twice", "name: b", "name: a", `s.yaml:17:11: classes.1.name: expected a name of its own for every class, got "a" twice`},
		{"share missing", "    share: 0.25\n", "", `s.yaml:7:5: classes.a.share: missing, expected the share of arriving jobs that are of this class`},
		{"shares off 1", "share: 0.25", "share: 0.2", `s.yaml:7:3: classes: expected shares that sum to 1, got a sum of 0.95`},
		{"share above 1", "share: 0.25", "share: 25", `s.yaml:8:12: classes.a.share: expected a fraction from 0 to 1 such as 0.1 or 10%, got 25`},
		{"share negative", "share: 0.25", "share: -0.25", `s.yaml:8:12: classes.a.share: expected a fraction from 0 to 1 such as 0.1 or 10%, got -0.25`},
		{"share and rate", "share: 0.25", "share: 0.25\n    rate: 1", `s.yaml:9:11: classes.a.rate: expected share or rate, got both`},
		{"share here, rate there", "share: 0.75", "rate: 1", `s.yaml:18:11: classes.b.rate: expected a share, got a rate: give every class a share and the scenario a load, or every class a rate`},
		{"rate here, share there", "share: 0.25", "rate: 1", `s.yaml:18:12: classes.b.share: expected a rate, got a share: give every class a rate, or every class a share and the scenario a load`},
		{"length missing", "    length: {dist: exponential, mean: 60}\n", "", `s.yaml:17:5: classes.b.length: missing, expected a length such as {mean: 4400, sd: 1500}`},
		{"length is a number", "{dist: exponential, mean: 60}", "60", `s.yaml:19:13: classes.b.length: expected a length such as {mean: 4400, sd: 1500}, got 60`},
		{"mean missing", "mean: 100, ", "", `s.yaml:9:13: classes.a.length.mean: missing, expected a time above 0 such as 90, 90s, 15m, 2h, 182d or 1w`},
		{"mean 0", "mean: 100", "mean: 0", `s.yaml:9:34: classes.a.length.mean: expected a time above 0 such as 90, 90s, 15m, 2h, 182d or 1w, got 0`},
		{"sd missing", "sd: 30, ", "", `s.yaml:9:13: classes.a.length.sd: missing, expected a time of at least 0 such as 90, 90s, 15m, 2h, 182d or 1w`},
		{"sd too large", "sd: 30", "sd: 90", `s.yaml:9:13: classes.a.length: a normal truncated at 10 with mean 100 cannot have sd 90: sd must be below mean - min = 90, or take another dist such as gamma or lognormal`},
		{"sd of an exponential", "mean: 60", "mean: 60, sd: 50", `s.yaml:19:47: classes.b.length.sd: expected no sd, or the mean of 60, with dist: exponential, got 50`},
		{"sd of a deterministic", "exponential, mean: 60", "deterministic, mean: 60, sd: 1", `s.yaml:19:49: classes.b.length.sd: expected no sd, or 0, with dist: deterministic, got 1`},
		{"sd of a hyperexponential", "exponential, mean: 60", "hyperexponential, mean: 60, sd: 60", `s.yaml:19:13: classes.b.length: a hyperexponential needs sd > mean, not sd 60 and mean 60`},
		{"min of a gamma", "exponential, mean: 60", "gamma, mean: 60, sd: 6, min: 1", `s.yaml:19:49: classes.b.length.min: expected no min with dist: gamma, only a normal has one`},
		{"unknown dist", "exponential", "exponental", `s.yaml:19:20: classes.b.length.dist: expected normal, exponential, deterministic, gamma, lognormal or hyperexponential, got "exponental"; did you mean exponential?`},
		{"moments overflow", "exponential, mean: 60", "gamma, mean: 1e300, sd: 1", `s.yaml:19:33: classes.b.length.mean: expected a time above 0 such as 90, 90s, 15m, 2h, 182d or 1w, from 1e-18 to 1e18 in size, got 1e300`},
		{"too wide", "width: 10", "width: 101", `s.yaml:10:12: classes.a.width: expected a whole number of nodes from 1 to 100, got 101`},
		{"width 0", "width: 10", "width: 0", `s.yaml:10:12: classes.a.width: expected a whole number of nodes from 1 to 100, got 0`},
		{"weights missing", "width: 10", "width: {values: [1, 2]}", `s.yaml:10:12: classes.a.width.weights: missing, expected a list of weights`},
		{"weights too few", "width: 10", "width: {values: [1, 2], weights: [1]}", `s.yaml:10:38: classes.a.width.weights: expected 2 weights, one for each width, got 1`},
		{"weights off 1", "width: 10", "width: {values: [1, 2], weights: [1, 1]}", `s.yaml:10:38: classes.a.width.weights: expected weights that sum to 1, got a sum of 2`},
		{"weights negative", "width: 10", "width: {values: [1, 2], weights: [1.5, -0.5]}", `s.yaml:10:39: classes.a.width.weights.0: expected a fraction from 0 to 1 such as 0.1 or 10%, got 1.5`},
		{"no widths", "width: 10", "width: {values: [], weights: []}", `s.yaml:10:21: classes.a.width.values: expected a list of widths, got an empty list`},
		{"price missing", "    price: 50\n", "", `s.yaml:7:5: classes.a.price: missing, expected dollars per job, {per_hour: x} or {per_node_hour: x}`},
		{"price negative", "price: 50", "price: -50", `s.yaml:11:12: classes.a.price: expected a number of at least 0, got -50`},
		{"price of a wrong kind", "per_hour: 100", "per_day: 100", `s.yaml:20:13: classes.b.price.per_day: unknown field, expected per_hour or per_node_hour`},
		{"price of two kinds", "per_hour: 100", "per_hour: 100, per_node_hour: 1", `s.yaml:20:12: classes.b.price: expected dollars per job, {per_hour: x} or {per_node_hour: x}, got a mapping with 2 fields`},
		{"grace overflows", "grace: 20", "grace: {lengths: 1e308}", `s.yaml:13:22: classes.a.grace.lengths: expected a number of at least 0, from 1e-18 to 1e18 in size, got 1e308`},
		{"decay negative", "decay: 1", "decay: -1", `s.yaml:12:12: classes.a.decay: expected $ lost per second of delay, a number of at least 0, got -1`},
		{"grace in years", "grace: 20", "grace: 1y", `s.yaml:13:12: classes.a.grace: expected a time of at least 0 such as 90, 90s, 15m, 2h, 182d or 1w, got "1y"`},
		{"grace is a list", "grace: 20", "grace: [20]", `s.yaml:13:12: classes.a.grace: expected a time such as 90, 15m or 2h, or {lengths: k}, got a list`},
		{"grace of a wrong kind", "grace: 20", "grace: {length: 3}", `s.yaml:13:13: classes.a.grace.length: unknown field, expected lengths; did you mean lengths?`},
		{"grace is prose", "grace: 20", "grace: " + strings.Repeat("long ", 20), `s.yaml:13:12: classes.a.grace: expected a time of at least 0 such as 90, 90s, 15m, 2h, 182d or 1w, got "long long long long long long long long long long long long ..."`},
		{"widths of a wrong kind", "width: 10", "width: {mean: 10}", `s.yaml:10:13: classes.a.width.mean: unknown field, expected values or weights`},
		{"class name is an index", "name: a\n    share", "name: \"1\"\n    shape", `s.yaml:8:5: classes.0.shape: unknown field, expected name, share, rate, length, width, arrivals, price, demand, price_max, decay, grace, deadline, hard, floor, expire or slo; did you mean share?`},
		{"floor unknown", "floor: {of_price: 5%}", "floor: any", `s.yaml:14:12: classes.a.floor: expected none, dollars or {of_price: x}, got "any"`},
		{"expire unknown", "expire: zero", "expire: nil", `s.yaml:15:13: classes.a.expire: expected floor, zero or never, got "nil"`},
		{"expire without floor", "floor: {of_price: 5%}\n    expire: zero", "floor: none\n    expire: zero", `s.yaml:15:13: classes.a.expire: expected a floor beside expire: zero, as an expired job costs its floor (floor: 0 costs nothing)`},
		{"slo without level", ", level: 0.9", "", `s.yaml:16:10: classes.a.slo.level: missing, expected a fraction above 0 and below 1 such as 0.9 or 90%`},
		{"slo level 1", "level: 0.9", "level: 100%", `s.yaml:16:30: classes.a.slo.level: expected a fraction above 0 and below 1 such as 0.9 or 90%, got "100%"`},
		{"slo is a number", "{within: 1m, level: 0.9}", "600", `s.yaml:16:10: classes.a.slo: expected a promise such as {within: 600, level: 0.9}, got 600`},
		{"class is a number", "  - name: b\n", "  - 5\n  - name: b\n", `s.yaml:17:5: classes.1: expected a job class with a name, a length and a price, got 5`},
		{"field twice", "phi: 1", "load: 1", `s.yaml:4:1: load: given twice, first on line 3`},
		{"inner field twice", "decay: 1", "price: 1", `s.yaml:12:5: classes.0.price: given twice, first on line 11`},
		{"flow field twice", "sd: 30", "sd: 30, sd: 40", `s.yaml:9:47: classes.0.length.sd: given twice, first on line 9`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if strings.Count(good, tt.old) == 0 {
				t.Fatalf("%q is not in the good scenario", tt.old)
			}
			_, err := decodeText(strings.Replace(good, tt.old, tt.new, 1))
			checkError(t, err, tt.want)
		})
	}
}

func TestBadClasses(t *testing.T) {
	head, _, _ := strings.Cut(good, "classes:")
	for _, tt := range []struct{ name, text, want string }{
		{"missing", head, `s.yaml:1:1: classes: missing, expected a list of job classes`},
		{"empty", head + "classes: []\n", `s.yaml:6:10: classes: expected a list of job classes, got an empty list`},
		{"nothing", head + "classes:\n", `s.yaml:6:1: classes: expected a list of job classes, got nothing`},
		{"mapping", head + "classes: {a: 1}\n", `s.yaml:6:10: classes: expected a list of job classes, got a mapping`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := decodeText(tt.text)
			checkError(t, err, tt.want)
		})
	}
}
