package cli

import (
	"context"
	"math"
	"os"
	"strings"
	"testing"

	"revopt/model"
	"revopt/model/scenario"
	"revopt/optimize"
	"revopt/simulate/experiment"
	"revopt/simulate/metric"
	"revopt/simulate/plan"
	"revopt/simulate/study/solve"
	"revopt/simulate/subject"
	"revopt/simulate/workload"
)

func TestWaitJSON(t *testing.T) {
	v := fetch(t, shellWords("solve --waits nist-four --load 0.9 --at 0,5m,1h --quantiles 0.05,90% --admission 1,1,1,0.5")...)
	sys := load(t, "nist-four", scenario.Set("load", 0.9))
	w, err := model.NewWaits(sys, []float64{1, 1, 1, 0.5}, model.WaitOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if v["queue"] != "pooled" || len(v["classes"].([]any)) != 4 {
		t.Fatalf("got %v", v)
	}
	for i, c := range v["classes"].([]any) {
		class := c.(map[string]any)
		if class["name"] != sys.Classes[i].Name {
			t.Errorf("class %d is %v", i, class["name"])
		}
		wantNumber(t, class, "mean", w.Mean(i))
		for k, at := range []float64{0, 300, 3600} {
			p, x, _, _ := w.TailExcess(i, at)
			tail := class["tail"].([]any)[k]
			wantNumber(t, tail, "t", at)
			wantNumber(t, tail, "p", p)
			wantNumber(t, tail, "excess", x)
		}
		for k, q := range []float64{0.05, 0.9} {
			at, err := w.Quantile(i, q)
			if err != nil {
				t.Fatal(err)
			}
			wantNumber(t, class["quantiles"].([]any)[k], "q", q)
			wantNumber(t, class["quantiles"].([]any)[k], "t", at)
		}
	}
}

// A class that is never served has no mean, and its quantiles no time.
func TestWaitSaturated(t *testing.T) {
	o := try("solve", "--waits", "nist-four", "--load", "1.4", "--class", "LvLu")
	if o.code != exitDone || !strings.Contains(o.stdout, "infinite") ||
		!strings.Contains(o.stderr, "the waits of LvLu grow without end") {
		t.Errorf("got %+v", o)
	}
	class := fetch(t, shellWords("solve --waits nist-four --load 1.4 --class LvLu")...)["classes"].([]any)[0].(map[string]any)
	if mean, there := class["mean"]; !there || mean != nil {
		t.Errorf("mean %v", mean)
	}
	if at := class["quantiles"].([]any)[0].(map[string]any)["t"]; at != nil {
		t.Errorf("quantile %v", at)
	}
}

func TestWaitFiles(t *testing.T) {
	t.Chdir(t.TempDir())
	must(t, shellWords("solve --waits nist-two --at 60,600 --csv a.csv -o out --simulate --set simulation.jobs=2000")...)
	comments, rows := readTable(t, "a.csv")
	// Of each class: the mean, two tails, two excesses, three quantiles.
	if len(rows) != 1+2*8 || rows[0][1] != "measure" || rows[1][1] != "mean" || rows[1][5] == "" ||
		!strings.Contains(comments, "# queue: pooled") {
		t.Errorf("got %s%v", comments, rows)
	}
	for _, ext := range []string{"png", "svg", "pdf", "csv"} {
		if info, err := os.Stat("out/nist-two-wait." + ext); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", ext, err)
		}
	}
	must(t, "solve", "--waits", "nist-two", "-o", "one.svg", "--admission", "analytic")
	if _, err := os.Stat("one.svg"); err != nil {
		t.Error(err)
	}
}

func TestWaitQuantiles(t *testing.T) {
	// A quantile beyond what can be computed is not bad usage.
	if o := try(shellWords("solve --waits nist-two --quantiles 0.99999999999999")...); o.code != exitFailed ||
		strings.Count(o.stderr, "\n") != 1 || !strings.Contains(o.stderr, "known only to") {
		t.Errorf("got %+v", o)
	}
	for _, q := range []string{"0", "1"} {
		must(t, "solve", "--waits", "nist-two", "--quantiles", q)
	}
}

// promised is one server with a grace, a floor and a promise.
const promised = `server: {parallel: 1, residual: pooled}
load: 0.9
simulation: {jobs: 20000, replications: 10}
classes:
  - {name: urgent, share: 0.4, length: {mean: 10m, sd: 4m, dist: gamma}, price: 12, decay: 0.006, grace: 5m, max_penalty: 6, expire: never, slo: {within: 20m, level: 0.95}}
  - {name: batch, share: 0.6, length: {mean: 15m, sd: 5m}, price: 5, decay: 0.001, grace: 15m, max_penalty: 1, expire: never}
`

// outcomeOf returns the simulation of an admission under hol.
func outcomeOf(t *testing.T, sc *scenario.Scenario, admit []float64) plan.Outcome {
	t.Helper()
	w, err := workload.NewClasses(sc.Classes, sc.Nodes, lengthOf(sc))
	if err != nil {
		t.Fatal(err)
	}
	hol, err := subject.NewPolicy(nil, "hol", nil)
	if err != nil {
		t.Fatal(err)
	}
	e := &experiment.Experiment{Workload: w, Policy: hol, Admission: experiment.Admission{Admit: admit}, Seed: 9}
	outcome := replicated(t, e, sc.Simulation.Replications)
	outcome.Level = 0.999
	return outcome
}

func lengthOf(sc *scenario.Scenario) workload.Length {
	s := sc.Simulation
	return workload.Length{Jobs: int64(s.Jobs), Horizon: s.Horizon, WarmupFraction: s.Warmup.Fraction,
		WarmupSeconds: s.Warmup.Seconds}
}

func parse(t *testing.T, text string) *scenario.Scenario {
	t.Helper()
	doc, err := scenario.Parse("test.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	sc, err := doc.Scenario(nil)
	if err != nil {
		t.Fatal(err)
	}
	return sc
}

// TestExactAgainstSimulator: the exact revenue, and the promise, are what the
// event simulator finds.
func TestExactAgainstSimulator(t *testing.T) {
	sc := parse(t, promised)
	sys := sc.System()
	r, err := optimize.Exact(context.Background(), sys, optimize.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	if r.Free <= r.Revenue || r.Admit[0] == 0 {
		t.Fatalf("the promise does not bind: %+v", r)
	}
	e, err := model.NewExact(sys)
	if err != nil {
		t.Fatal(err)
	}
	for _, admit := range [][]float64{{1, 1}, {0.8, 0.9}, r.Admit} {
		want, _ := e.Revenue(admit)
		if got := outcomeOf(t, sc, admit).Interval(metric.RevenuePerSecond(), -1); !got.Contains(want) {
			t.Errorf("admit %v: exact %g, simulated %g ± %.2g", admit, want, got.Mean, got.HalfWidth)
		}
	}
	waiting := solve.WaitStudy{System: sys, Length: lengthOf(sc), Admit: r.Admit, At: []float64{sc.Classes[0].SLO.Within},
		Replications: 10, Level: 0.999, Seed: 4}
	waits, err := waiting.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if tail := waits[0].Tail[0]; !tail.Contains(1 - sc.Classes[0].SLO.Level) {
		t.Errorf("promised 0.95 within the time, simulated %g ± %.2g later", tail.Mean, tail.HalfWidth)
	}
}

func TestSolveExact(t *testing.T) {
	t.Chdir(t.TempDir())
	writeText(t, "p.yaml", promised)
	r, err := optimize.Exact(context.Background(), parse(t, promised).System(), optimize.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	v := fetch(t, "solve", "p.yaml", "--no-check", "--utility", "exact")
	wantNumber(t, v, "revenue_per_second", r.Revenue)
	wantNumber(t, v, "upper_bound_per_second", r.UpperBound)
	exact := v["exact"].(map[string]any)
	wantNumber(t, exact, "promise_cost", r.Free-r.Revenue)
	wantNumber(t, exact["promises"].([]any)[0], "kept", r.Kept[0])
	var sum float64
	for i, c := range v["classes"].([]any) {
		wantNumber(t, c, "admit", r.Admit[i])
		sum += c.(map[string]any)["revenue_per_second"].(float64)
	}
	wantNumber(t, v, "revenue_per_second", sum)
	if v["method"] != "exact" {
		t.Errorf("method %v", v["method"])
	}
	out := must(t, "solve", "p.yaml", "--no-check", "--utility", "exact")
	for _, want := range []string{"95.0 % of urgent start within 20.0 min; promised are 95.0 %", "the promises cost",
		"pooled server"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
}

// TestLiteralGrace keeps the numbers of docs/theory.md: what (28), which
// subtracts the grace from T0, costs those who follow it.
func TestLiteralGrace(t *testing.T) {
	text := readText(t, "../../../docs/theory.md")
	var sc *scenario.Scenario
	for _, b := range blocks(text) {
		if strings.HasPrefix(b.text, "# literal.yaml") {
			sc = parse(t, b.text)
		}
	}
	sys := sc.System()
	literal, err := optimize.Solve(context.Background(), sys, optimize.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	best, err := optimize.Exact(context.Background(), sys, optimize.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	e, err := model.NewExact(sys)
	if err != nil {
		t.Fatal(err)
	}
	really, _ := e.Revenue(literal.Admit)
	for _, x := range []struct{ got, want float64 }{{literal.Revenue, 31.32}, {really, 4.22}, {best.Revenue, 21.47}} {
		if math.Abs(3600*x.got-x.want) > 0.006 {
			t.Errorf("got %.3f $/h, the document says %.2f", 3600*x.got, x.want)
		}
	}
	if got := outcomeOf(t, sc, literal.Admit).Interval(metric.RevenuePerSecond(), -1); !got.Contains(really) {
		t.Errorf("exact %g $/h, simulated %g ± %.2g", 3600*really, 3600*got.Mean, 3600*got.HalfWidth)
	}
}
