package cli

import (
	"math"
	"path/filepath"
	"strings"
	"testing"

	"revopt/plots/answer"
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

// TestTraceFit: solve and simulate take the classes of a trace, with and without customers of its own.
func TestTraceFit(t *testing.T) {
	for file, extra := range map[string]string{
		"ai-site":  "",
		"sp2-like": "--set qos.hard=high",
		"sp2-sla":  "--set qos.hard=30%",
	} {
		args := append([]string{file, "--set", "trace.jobs=last:400"}, strings.Fields(extra)...)
		solvable(t, commandLine(args), fitted(t, args...))
	}
}

// TestTraceFitPools: every class has its pool.
func TestTraceFitPools(t *testing.T) {
	r := fitted(t, "ai-site", "--set", "trace.jobs=last:1000")
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
