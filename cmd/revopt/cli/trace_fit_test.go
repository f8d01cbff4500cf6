package cli

import (
	"math"
	"path/filepath"
	"strings"
	"testing"

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
