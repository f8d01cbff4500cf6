package cli

import (
	"math"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"revopt/internal/text"
	"revopt/model/scenario"
	"revopt/plots/answer"
	"revopt/simulate/fit"
)

// fitting is the answer of trace fit with the scenario that it wrote.
type fitting struct {
	answer.Answer
	yaml string
}

// fitted runs trace fit.
func fitted(t *testing.T, args ...string) fitting {
	t.Helper()
	file := filepath.Join(t.TempDir(), "fit.yaml")
	a := told(t, append([]string{"trace", "fit", "-o", file}, args...)...)
	return fitting{a, readText(t, file)}
}

// solvable checks that solve takes the scenario of a fit, at the load of the
// trace, and simulate too.
func solvable(t *testing.T, what string, r fitting) {
	t.Helper()
	o := tryWith(t.Context(), r.yaml, "solve", "-", "--json", "--no-check", "--gap", "1e-3")
	if o.code != exitDone {
		t.Errorf("%s: %s\n%s", what, o.stderr, r.yaml)
		return
	}
	a := readAnswer(t, o.stdout)
	classes, earns := texts(t, a, "classes", "class"), known(t, a, "value").Number
	var load float64
	for i := range classes {
		load += number(t, a, "classes", i, "rate") * number(t, r.Answer, "classes", i, "work_mean") / fact(r.Answer, "units").Number
	}
	want := fact(r.Answer, "load").Number
	if math.Abs(load-want) > 1e-9*load || !(earns > 0) || len(classes) != len(r.Tables[0].Rows) {
		t.Errorf("%s: solve sees load %g of %g, earns %g with %d classes", what, load, want, earns, len(classes))
	}
	o = tryWith(t.Context(), r.yaml, "simulate", "-", "--jobs", "200", "--replications", "1", "--warmup", "0", "--json")
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
		"sp2-sla":  "--common-widths --arrivals poisson --set qos.hard=30% --jobs 400",
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
	a := readAnswer(t, tryWith(t.Context(), r.yaml, "solve", "-", "--json", "--no-check").stdout)
	b := told(t, "solve", "ai-site", "--no-check", "--set", "trace.jobs=last:1000")
	if x, want := known(t, a, "value").Number, known(t, b, "value").Number; math.Abs(x-want) > 1e-6*want {
		t.Errorf("%g $/h from the fitted classes, %g from the trace", x, want)
	}
	jobs := 0.0
	for i, name := range texts(t, r.Answer, "classes", "class") {
		jobs += number(t, r.Answer, "classes", i, "jobs")
		if pool := value(t, r.Answer, "classes", i, "pool").Word; name != "batch" && !strings.HasSuffix(name, "-"+pool) {
			t.Errorf("class %s in pool %s", name, pool)
		}
	}
	if jobs != 1000 || len(r.Tables[0].Rows) != 7 {
		t.Errorf("%g jobs of %d classes", jobs, len(r.Tables[0].Rows))
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
	if !reflect.DeepEqual(own.Tables[0], bare.Tables[0]) || fact(own.Answer, "arrival_delay_factor").Number != 0.5 ||
		fact(own.Answer, "units").Number != 128 {
		t.Errorf("of the scenario %+v, of the trace %+v", own.Tables[0], bare.Tables[0])
	}
	unlike := fitted(t, "own.yaml", "--set", "nodes=[{count: 64, speed: 168}, {count: 64, speed: 336}]")
	if !slices.Contains(doubts(unlike), "unlike-nodes") || slices.Contains(doubts(own), "unlike-nodes") {
		t.Errorf("unlike nodes: %v", unlike.Warnings)
	}
	sla := fitted(t, "sp2-sla").Answer
	never := slices.Index(texts(t, sla, "cleaning", "reason"), "no_run_time")
	if void := fact(sla, "jobs_void").Number; fact(sla, "arrival_delay_factor").Number != 0.02 ||
		fact(sla, "cleaning").Word != "reject" || void != number(t, sla, "cleaning", never, "jobs") ||
		fact(sla, "jobs").Number+void != 1000 {
		t.Errorf("got %+v", sla)
	}
	// Twice the rate, twice the load; the cycle of a day is found all the same.
	full := fitted(t, "sp2-like", "--set", "qos.hard=high")
	times := fact(bare.Answer, "load").Number / fact(full.Answer, "load").Number
	cycles := fact(bare.Answer, "daily_cycle").Number - fact(full.Answer, "daily_cycle").Number
	if math.Abs(times-2) > 1e-9 || math.Abs(cycles) > 1e-9 {
		t.Errorf("%g times the load, daily cycles differ by %g", times, cycles)
	}
}

// doubts are the kinds of warnings about a fit.
func doubts(f fitting) []string {
	return text.Each(f.Warnings, func(w answer.Fact) string { return w.Value("kind").Word })
}
