package cli

import (
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"revopt/model/scenario"
	"revopt/simulate/fit"
)

// fitted runs trace fit with --json.
func fitted(t *testing.T, args ...string) fitFacts {
	t.Helper()
	var r fitFacts
	decode(t, &r, append([]string{"trace", "fit", "--json"}, args...)...)
	return r
}

// solvable checks that solve takes the scenario of a fit, at the load of the
// trace, and simulate too.
func solvable(t *testing.T, what string, r fitFacts) {
	t.Helper()
	o := tryWith(t.Context(), r.YAML, "solve", "-", "--json", "--no-check", "--gap", "1e-3")
	if o.code != exitDone {
		t.Errorf("%s: %s\n%s", what, o.stderr, r.YAML)
		return
	}
	a := readAnswer(t, o.stdout)
	classes, earns := texts(t, a, "classes", "class"), known(t, a, "value").Number
	var load float64
	for i := range classes {
		load += number(t, a, "classes", i, "rate") * float64(r.Classes[i].Work.Mean) / float64(r.Nodes)
	}
	if math.Abs(load-float64(r.Load)) > 1e-9*load || !(earns > 0) || len(classes) != len(r.Classes) {
		t.Errorf("%s: solve sees load %g of %g, earns %g with %d classes", what, load, float64(r.Load), earns, len(classes))
	}
	o = tryWith(t.Context(), r.YAML, "simulate", "-", "--jobs", "200", "--replications", "1", "--warmup", "0", "--json")
	if o.code != exitDone {
		t.Errorf("%s: simulate: %s", what, o.stderr)
	}
}

// TestTraceFitKinds: whatever classes are made of, solve and simulate take the
// result.
func TestTraceFitKinds(t *testing.T) {
	for file, extra := range map[string]string{
		"ai-site":  "--jobs 400",
		"sp2-like": "--set qos.hard=high --jobs 400",
		"sp2-sla":  "--common-widths --arrivals poisson --residual multiserver --set qos.hard=30% --jobs 400",
	} {
		for _, by := range fit.Ways() {
			if by == fit.ByAccount { // they have none
				continue
			}
			args := append([]string{file, "--by", string(by)}, strings.Fields(extra)...)
			solvable(t, commandLine(args), fitted(t, args...))
		}
	}
}

// TestTraceFitPools: every class has its pool, and solve earns on the classes of the pools
// as much as on the trace, to which it fits classes itself.
func TestTraceFitPools(t *testing.T) {
	r := fitted(t, "ai-site", "--common-widths", "--arrivals", "poisson", "--jobs", "1000")
	a := readAnswer(t, tryWith(t.Context(), r.YAML, "solve", "-", "--json", "--no-check").stdout)
	b := told(t, "solve", "ai-site", "--no-check", "--set", "trace.jobs=last:1000")
	if x, want := known(t, a, "value").Number, known(t, b, "value").Number; math.Abs(x-want) > 1e-6*want {
		t.Errorf("%g $/h from the fitted classes, %g from the trace", x, want)
	}
	jobs := int64(0)
	for _, c := range r.Classes {
		if jobs += c.Jobs; c.Name != "batch" && !strings.HasSuffix(c.Name, "-"+c.Pool) {
			t.Errorf("class %s in pool %s", c.Name, c.Pool)
		}
	}
	if jobs != 1000 || len(r.Classes) != 7 {
		t.Errorf("%d jobs of %d classes", jobs, len(r.Classes))
	}
}

// TestTraceFitDefaults: a trace alone gets the QoS of the built-in scenario where it
// is asked for, and a scenario keeps its own.
func TestTraceFitDefaults(t *testing.T) {
	bare := fitted(t, "sp2-like", "--set", "qos.hard=high", "--set", "trace.arrival_delay_factor=0.5")
	doc, err := scenario.Builtin("sp2-like")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	writeText(t, "own.yaml", string(doc.Source()))
	own := fitted(t, "own.yaml")
	if fmt.Sprint(own.Classes) != fmt.Sprint(bare.Classes) || own.Delay != 0.5 || own.Nodes != 128 {
		t.Errorf("of the scenario %+v, of the trace %+v", own.Classes, bare.Classes)
	}
	if w := strings.Join(fitted(t, "own.yaml", "--set", "nodes=[{count: 64, speed: 168}, {count: 64, speed: 336}]").Warnings, "\n"); !strings.Contains(w, "speeds or limits of their own") || strings.Contains(strings.Join(own.Warnings, "\n"), "speeds") {
		t.Errorf("unlike nodes: %s", w)
	}
	sla := fitted(t, "sp2-sla")
	if sla.Delay != 0.02 || sla.Cleaning.Rule != "reject" || sla.Void != sla.Cleaning.NoRunTime || sla.Fitted+sla.Void != 1000 {
		t.Errorf("got %+v", sla)
	}
	// Twice the rate, twice the load; the cycle of a day is found all the same.
	full := fitted(t, "sp2-like", "--set", "qos.hard=high")
	if math.Abs(float64(bare.Load/full.Load)-2) > 1e-9 || math.Abs(float64(bare.Arrivals.Daily-full.Arrivals.Daily)) > 1e-9 {
		t.Errorf("load %g and %g, daily cycle %g and %g", float64(bare.Load), float64(full.Load), float64(bare.Arrivals.Daily), float64(full.Arrivals.Daily))
	}
}

// TestTraceFitOutput: YAML on stdout or in a file, warnings on stderr.
func TestTraceFitOutput(t *testing.T) {
	t.Chdir(t.TempDir())
	plain := try("trace", "fit", "sp2-like", "--jobs", "500", "--classes", "2")
	if plain.code != exitDone || !strings.HasPrefix(plain.stdout, "# Job classes of sp2-like, jobs last:500") || !strings.Contains(plain.stderr, "revopt: warning: arrivals are not Poisson") {
		t.Errorf("%+v", plain)
	}
	quiet := try("trace", "fit", "sp2-like", "--jobs", "500", "--quiet")
	if quiet.stderr != "" || !strings.Contains(quiet.stdout, "# warning: arrivals are not Poisson") {
		t.Errorf("%+v", quiet)
	}
	text := must(t, "trace", "fit", "sp2-like", "--jobs", "500", "--classes", "2", "-o", "out/fit.yaml")
	file, err := os.ReadFile("out/fit.yaml")
	if err != nil || !strings.HasPrefix(text, "out/fit.yaml: job classes of sp2-like: 2\n") || !strings.Contains(text, "KS length") {
		t.Errorf("%v: %s", err, text)
	}
	if _, body, _ := strings.Cut(string(file), "\nname: "); !strings.HasSuffix(plain.stdout, body) || body == "" {
		t.Errorf("the file differs from what is printed:\n%s", file)
	}
	must(t, "solve", "out/fit.yaml", "--no-check")
	must(t, "solve", "out/fit.yaml", "--no-check", "--utility", "exact", "--load", "0.5")
}

// TestTraceFitOdd: traces from which little can be learned still fit.
func TestTraceFitOdd(t *testing.T) {
	t.Chdir(t.TempDir())
	const tail = " 80 -1 1 1 1 1 1 -1 -1 -1\n"
	for name, text := range map[string]string{
		"zero.swf":     "; MaxProcs: 16\n1 100 -1 0 4 -1 -1 4" + tail + "2 110 -1 0 4 -1 -1 4" + tail,
		"sizeless.swf": "1 100 -1 50 4 -1 -1 4" + tail + "2 110 -1 60 4 -1 -1 4" + tail,
		": \"#'.swf":   "; MaxProcs: 16\n1 100 -1 50 4 -1 -1 4" + tail + "2 110 -1 60 4 -1 -1 4" + tail,
	} {
		writeText(t, name, text)
	}
	for _, args := range [][]string{{"zero.swf"}, {"sizeless.swf", "--nodes", "8"}, {": \"#'.swf", "--by", "cluster"}} {
		solvable(t, args[0], fitted(t, append(args, "--price", "2")...))
	}
}

// TestTraceFitPrices: a trace states no prices, and what is fitted works without;
// --price is what every class pays.
func TestTraceFitPrices(t *testing.T) {
	t.Chdir(t.TempDir())
	none := fitted(t, "sp2-like", "--jobs", "1000", "--classes", "2")
	if !strings.Contains(none.YAML, "all are 0: state your own") || strings.Count(none.YAML, "price: 0\n") != 2 {
		t.Errorf("%s", none.YAML)
	}
	for _, command := range []string{"solve", "solve --waits", "simulate --jobs 300 --replications 2 --policy easy,hol", "validate --jobs 200 --replications 1 --policy hol"} {
		args := strings.Fields(command)
		if o := tryWith(t.Context(), none.YAML, append([]string{args[0], "-"}, args[1:]...)...); o.code != exitDone {
			t.Errorf("%s: exit %d, %s", command, o.code, o.stderr)
		}
	}
	for _, c := range fitted(t, "sp2-like", "--jobs", "1000", "--classes", "2", "--price", "0.25").Classes {
		if math.Abs(float64(c.MeanPrice)/float64(c.Work.Mean)*3600-0.25) > 1e-9 {
			t.Errorf("%s pays %g for %g node-seconds", c.Name, float64(c.MeanPrice), float64(c.Work.Mean))
		}
	}
	if scenario := none.YAML; !strings.Contains(scenario, "arrivals: {") || strings.Contains(fitted(t, "sp2-like", "--jobs", "1000", "--arrivals", "poisson").YAML, "arrivals: {") {
		t.Errorf("arrivals: %s", scenario)
	}
}
