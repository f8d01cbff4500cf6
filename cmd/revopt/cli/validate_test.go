package cli

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"testing"

	"revopt/plots/answer"
	"revopt/simulate/policy"
	"revopt/simulate/subject"
)

// validated runs validate and returns its JSON object.
func validated(t *testing.T, args ...string) map[string]any {
	t.Helper()
	var v map[string]any
	decode(t, &v, append([]string{"validate", "--json"}, args...)...)
	return v
}

// members returns the objects of a list.
func members(t *testing.T, list any) []map[string]any {
	t.Helper()
	var out []map[string]any
	for _, x := range list.([]any) {
		out = append(out, x.(map[string]any))
	}
	return out
}

func mean(t *testing.T, object map[string]any, key string) float64 {
	t.Helper()
	e, ok := object[key].(map[string]any)
	if !ok {
		t.Fatalf("no estimate %s in %v", key, object["label"])
	}
	for _, field := range []string{"mean", "half_width", "level", "n"} {
		if _, ok := e[field]; !ok {
			t.Errorf("no %s of %s", field, key)
		}
	}
	x, _ := e["mean"].(float64)
	return x
}

func floats(list any) []float64 {
	var out []float64
	for _, x := range list.([]any) {
		out = append(out, x.(float64))
	}
	return out
}

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-9*math.Max(1, math.Abs(a)) }

// wantShares checks the efficiencies of a validation: they follow from what was
// delivered and from the bounds, which nothing exceeds, and fall from row to
// row.
func wantShares(t *testing.T, v map[string]any) {
	t.Helper()
	least := map[string][]float64{} // of the proven bounds that limit a kind, and of those that efficiencies are shares of, by replication
	note := func(kind string, k int, x float64) {
		if len(least[kind]) <= k {
			least[kind] = append(least[kind], math.Inf(1))
		}
		least[kind][k] = math.Min(least[kind][k], x)
	}
	for _, b := range members(t, v["bounds"]) {
		totals := floats(b["total_by_replication"])
		var sum float64
		for k, x := range totals {
			sum += x
			if b["name"] == "fluid" || b["name"] == "clairvoyant" {
				note("", k, x)
			}
			if b["limits"] == "any" {
				note("any", k, x)
			}
			if b["kind"] == "proven" {
				note("unpreempted", k, x)
			}
		}
		if !near(b["total"].(float64), sum/float64(len(totals))) || b["n"] != float64(len(totals)) {
			t.Errorf("%v: total %v of %v", b["name"], b["total"], totals)
		}
	}
	last := math.Inf(1)
	for _, p := range members(t, v["policies"]) {
		var want, ofKind float64
		delivered, limits := floats(p["delivered_by_replication"]), least[p["kind"].(string)]
		for k, x := range delivered {
			if x > limits[k] {
				t.Errorf("%v delivers %g, the bound is %g", p["label"], x, limits[k])
			}
			want += x / least[""][k] / float64(len(delivered))
			ofKind += x / limits[k] / float64(len(delivered))
		}
		if got := mean(t, p, "efficiency"); !near(got, want) || got > 1 || !near(mean(t, p, "efficiency_of_kind"), ofKind) {
			t.Errorf("%v: efficiency %g and %g, want %g and %g", p["label"], got, mean(t, p, "efficiency_of_kind"), want,
				ofKind)
		}
		if got := mean(t, p, "delivered"); got > last {
			t.Errorf("%v with %g stands below %g", p["label"], got, last)
		} else {
			last = got
		}
		for _, figure := range append(contract, "charged_efficiency") {
			mean(t, p, figure)
		}
	}
}

func TestValidateClasses(t *testing.T) {
	v := validated(t, shellWords("nist-cluster --policy all --load 3 --jobs 100 --replications 2 "+
		"--admission all,analytic --seed 5")...)
	wantShares(t, v)
	if v["scenario"] != "nist-cluster" || v["seed"] != 5.0 || v["replications"] != 2.0 || v["jobs"] != 100.0 ||
		v["cleaning"] != nil {
		t.Errorf("%v %v %v %v %v", v["scenario"], v["seed"], v["replications"], v["jobs"], v["cleaning"])
	}
	rows := members(t, v["policies"])
	whole := slices.DeleteFunc(subject.Standard(), func(s policy.Spec) bool { return s.Needs.Optional || s.Needs.Recorded })
	also := len(slices.DeleteFunc(slices.Clone(whole), func(s policy.Spec) bool { return s.Also == nil }))
	if len(rows) != 2*(len(whole)+also) { // two admissions
		t.Errorf("%d rows for %d policies", len(rows), len(whole))
	}
	for _, p := range rows {
		// Class workloads book what they deliver.
		delivered, charged := mean(t, p, "efficiency"), mean(t, p, "charged_efficiency")
		if delivered != charged || !near(mean(t, p, "utility"), mean(t, p, "delivered")) {
			t.Errorf("%v: %v, %v", p["label"], p["efficiency"], p["charged_efficiency"])
		}
		if len(p["classes"].([]any)) != 4 || len(p["admission"].(map[string]any)["admit"].([]any)) != 4 {
			t.Errorf("%v: classes %v", p["label"], p["classes"])
		}
	}
	best := rows[0]["label"].(string)
	closest := v["closest"].(map[string]any)
	if closest["label"] != best || !strings.HasPrefix(closest["text"].(string), best+" comes closest: it delivers ") {
		t.Errorf("closest %v", closest)
	}
	for i, d := range members(t, v["differences"]) {
		want := mean(t, rows[i+1], "efficiency") - mean(t, rows[0], "efficiency")
		if d["versus"] != best || d["label"] != rows[i+1]["label"] || !near(mean(t, d, "efficiency"), want) {
			t.Errorf("difference %v, want %g", d, want)
		}
	}
}

// TestValidateBest: the headline has the first row that Slurm runs, the first of all, and what
// that delivers more in 730 hours, by replication.
func TestValidateBest(t *testing.T) {
	args := shellWords("validate site --jobs 200 --replications 3 -q --policy easy,hol:backfill=true,value-bf,libra")
	var v struct {
		Best struct {
			Runnable, Overall, Unit string
			Difference              struct{ Mean float64 }
			Harmful                 []struct{ Label string }
		}
		Policies []struct {
			Label  string
			Harm   []any
			RunsOn string                 `json:"runs_on"`
			Value  struct{ Mean float64 } `json:"value_per_second"`
		}
	}
	decode(t, &v, append(args, "--json")...)
	where := map[string]string{
		"easy": "slurm", "hol:backfill=true": "slurm", "value-bf": "plugin", "libra": "research",
	}
	overall, runnable := "", "" // the first without harm
	value := map[string]float64{}
	for i, p := range v.Policies {
		if p.RunsOn != where[p.Label] {
			t.Errorf("%s runs on %q", p.Label, p.RunsOn)
		}
		value[p.Label] = 730 * 3600 * p.Value.Mean
		if len(p.Harm) == 0 {
			overall = cmp.Or(overall, p.Label)
			if p.RunsOn == "slurm" {
				runnable = cmp.Or(runnable, p.Label)
			}
		} else if overall == "" && v.Best.Harmful[i].Label != p.Label {
			t.Errorf("%s earns more by harm, got %+v", p.Label, v.Best.Harmful)
		}
	}
	more := value[overall] - value[runnable]
	if v.Best.Overall != overall || v.Best.Runnable != runnable || !near(v.Best.Difference.Mean, more) || v.Best.Unit != "$/month" {
		t.Errorf("%+v, want %s, %s, %g", v.Best, overall, runnable, more)
	}
	if v.Best.Harmful[0].Label != "value-bf" {
		t.Errorf("value-bf gives up jobs of urgent: %+v", v.Best)
	}
	wantWords(t, must(t, args...), []string{"Value delivered, $/h: today ", "without harm", "(" + v.Best.Runnable,
		"\nDelivers more, with harm: value-bf (plug-in), ", "  runs on\n", " plug-in\n"})
}

// The model bounds of job classes are what solve proves, and are marked as
// what they are.
func TestValidateModelBounds(t *testing.T) {
	v := validated(t, shellWords("nist-four --jobs 200 --replications 2 --policy hol --admission analytic")...)
	kinds := map[string]int{}
	for _, b := range members(t, v["bounds"]) {
		kinds[b["kind"].(string)]++
		name, found := strings.CutPrefix(b["name"].(string), "static optimum (")
		if !found {
			continue
		}
		residual := strings.TrimSuffix(name, ")")
		solved := told(t, "solve", "nist-four", "--no-check", "--set", "server.residual="+residual)
		bound := answer.Fact{Values: solved.Values}.Value("bound")
		if !bound.Known() {
			bound = known(t, solved, "value")
		}
		want := bound.Number / 3600
		if b["kind"] != "model" || !near(b["revenue_per_second"].(float64), want) {
			t.Errorf("%v: %v $/s, solve says %g", b["name"], b["revenue_per_second"], want)
		}
	}
	if kinds["proven"] != 4 || kinds["model"] != 3 {
		t.Errorf("bounds %v", kinds)
	}
}

func TestValidateGrid(t *testing.T) {
	v := validated(t, "ic-grid", "--policy", "all", "--set", "applications.count=60", "--replications", "2")
	wantShares(t, v)
	if n := len(v["policies"].([]any)); n != 5 {
		t.Errorf("%d schemes, want 5", n)
	}
	if n := len(v["left_out"].([]any)); n == 0 {
		t.Error("nothing is left out")
	}
}

// The axis has what is asked for; without --vary five values about the
// scenario's own, which is the table's.
func TestValidatePoints(t *testing.T) {
	t.Chdir(t.TempDir())
	short := shellWords("nist-one --jobs 100 --replications 2 --policy hol --admission all")
	v := validated(t, append(short, "--vary", "load=1.5,0.5")...)
	points := members(t, v["points"])
	if v["vary"] != "load" || len(points) != 2 || points[0]["value"] != 0.5 || points[1]["value"] != 1.5 {
		t.Errorf("points %v", points)
	}
	v = validated(t, append(short, "--load", "0.8", "--html", "page.html")...)
	own := members(t, v["policies"])[0]["efficiency"]
	var values []float64
	for _, p := range members(t, v["points"]) {
		values = append(values, p["value"].(float64))
		got := members(t, p["policies"])[0]["efficiency"]
		if p["value"] == 0.8 && mean(t, members(t, p["policies"])[0], "efficiency") != own.(map[string]any)["mean"] {
			t.Errorf("at the scenario's own point %v, in the table %v", got, own)
		}
	}
	if len(values) != 5 || values[0] != 0.4 || values[2] != 0.8 || values[4] != 1.6 {
		t.Errorf("values %v", values)
	}
	if v = validated(t, short...); len(v["points"].([]any)) != 0 {
		t.Error("points that nobody asked for")
	}
}

// The figures show the first replications of all points, so that no curve bends
// because others have other jobs.
func TestValidateCurveReplications(t *testing.T) {
	args := shellWords("nist-one --jobs 100 --policy hol --admission all --vary load=0.5,0.9 --load 0.9")
	v := validated(t, append(args, "--set", "simulation.replications=7")...)
	own := floats(members(t, v["policies"])[0]["delivered_by_replication"])
	if len(own) != 7 {
		t.Fatalf("%d replications, want 7", len(own))
	}
	var sum float64
	for _, x := range own[:5] {
		sum += x
	}
	for _, p := range members(t, v["points"]) {
		if p["replications"] != 5.0 {
			t.Errorf("%v replications at %v, want 5", p["replications"], p["value"])
		}
		if got := mean(t, members(t, p["policies"])[0], "delivered"); p["value"] == 0.9 && !near(got, sum/5) {
			t.Errorf("the figures show %g, want %g", got, sum/5)
		}
	}
}

// TestOverloadWarned: without a steady state, warnings do not ask for more jobs. A load that is likely a percentage is told.
func TestOverloadWarned(t *testing.T) {
	for args, want := range map[string]string{
		"validate nist-four --load 1.5 --jobs 200 --replications 3 --policy fcfs": "warning: more is admitted",
		"whatif nist-four --jobs 100 --replications 2 --change load=1.5":          "in 1 of 2 rows more is admitted",
		"solve nist-four --load 80 --no-check":                                    "write 80% for a percentage",
	} {
		if o := try(strings.Fields(args)...); o.code != exitDone || !strings.Contains(o.stderr, want) {
			t.Errorf("%s: %s", args, o.stderr)
		}
	}
	o := try("validate", "nist-four", "--load", "1.5", "--jobs", "500", "--replications", "3", "--policy", "hol,fcfs")
	if strings.Contains(o.stderr, "jobs would do") {
		t.Error(o.stderr)
	}
	if o := try("solve", "nist-four", "--load", "8", "--no-check"); strings.Contains(o.stderr, "percentage") {
		t.Error(o.stderr)
	}
}
