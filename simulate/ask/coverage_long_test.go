//go:build long

package ask

import (
	"context"
	"fmt"
	"math"
	"os"
	"testing"

	"gonum.org/v1/gonum/stat"

	"revopt/internal/fixture"
	"revopt/model/scenario"
	"revopt/plots/answer"
	"revopt/simulate/metric"
	"revopt/simulate/run"
)

// TestLoadCovers: intervals of generated jobs at a stated load cover the mean over seeds as often as they say: of 60
// intervals at 95 %, fewer than 53 do with a probability of 0.5 %.
func TestLoadCovers(t *testing.T) {
	const seeds, least = 60, 53
	measures := []string{run.ColumnValue, run.ColumnMeanWait, run.ColumnUtilization}
	list := make([][]metric.Interval, len(measures))
	var loads []float64
	for seed := range uint64(seeds) {
		doc, err := scenario.Builtin("site")
		if err == nil {
			doc, err = doc.With(scenario.Override{Path: "trace.jobs", Value: "last:300"})
		}
		if err != nil {
			t.Fatal(err)
		}
		c := covering(t, doc, seed+1, Request{Policies: []string{"easy"}, Replications: "30"})
		loads = append(loads, answer.Fact{Values: c.Answer.Values}.Value("load").Number)
		for i, name := range measures {
			list[i] = append(list[i], of(c, run.All, name))
		}
	}
	mean, sd := stat.MeanStdDev(loads, nil)
	if math.Abs(mean-0.8) > 0.008+3*sd/math.Sqrt(seeds) {
		t.Errorf("the mean load is %.4f", mean)
	}
	for i, name := range measures {
		sum := 0.0
		for _, e := range list[i] {
			sum += e.Mean
		}
		covered := 0
		for _, e := range list[i] {
			if e.Contains(sum / seeds) {
				covered++
			}
		}
		if t.Logf("%s: %d of %d", name, covered, seeds); covered < least {
			t.Errorf("%s: %d of %d intervals cover the mean", name, covered, seeds)
		}
	}
}

// TestSaturatedCovers: in overload most replications use all of the machine. Intervals of the utilization still cover the
// mean over all replications: of 60 at 95 %, fewer than 53 do with a probability of 0.5 %.
func TestSaturatedCovers(t *testing.T) {
	const seeds, least = 60, 53
	for _, load := range []float64{1.2, 1.5} {
		doc := fixture.Parsed(t, fmt.Sprintf(`
server: {nodes: 8}
load: %g
simulation: {jobs: 2000, warmup: 10%%, replications: 5}
classes:
  - {name: only, length: {dist: exponential, mean: 1h}, price: 1}
`, load))
		sum, short := 0.0, 0
		var list []answer.Value
		for seed := range uint64(seeds) {
			c := covering(t, doc, seed+1, Request{Policies: []string{"fcfs"}})
			sum += of(c, run.All, run.ColumnUtilization).Mean
			list = append(list, cell(t, c.Answer, 0, run.ColumnUtilization))
		}
		for _, v := range list {
			if v.Low > sum/seeds || v.High < sum/seeds {
				short++
			}
		}
		t.Logf("load %g: utilization %.5f, %d of %d intervals cover it", load, sum/seeds, seeds-short, seeds)
		if seeds-short < least {
			t.Errorf("load %g: %d of %d intervals cover %g", load, seeds-short, seeds, sum/seeds)
		}
	}
}

// covering simulates a scenario with a seed.
func covering(t *testing.T, doc *scenario.Document, seed uint64, q Request) *Comparison {
	t.Helper()
	l, err := run.NewLab(context.Background(), doc, run.Options{Seed: seed})
	if err != nil {
		t.Fatal(err)
	}
	c, err := Simulate(context.Background(), l, q)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

const week = 7 * 86400.0

// TestResampledCoverage predicts spans of the SDSC SP2 trace from what came before them, and counts how often the
// interval covers what then came: that of resampled weeks, and that of replaying the past with other lots. Spans
// overlap, so that their successes are not independent.
func TestResampledCoverage(t *testing.T) {
	const from, to, step, ahead = 2, 104, 4, 13 // weeks; the machine was filling up before
	const file = "../../../shared/traces/SDSC-SP2-1998-4.2-cln.swf.gz"
	if _, err := os.Stat(file); err != nil {
		t.Skip("the SDSC SP2 trace is not at ../shared/traces: get SDSC-SP2-1998-4.2-cln.swf.gz from the Parallel Workloads Archive")
	}
	head := "name: sp2\ntrace: {file: " + file + ", nodes: 128}\npolicies: [easy]\n"
	measures := []string{run.ColumnMeanWait, "revenue"}
	var covered [2][2]float64 // by measure: resampled, today
	spans := 0.0
	for _, text := range []string{"qos: {high_urgency: 0.2}\n", "classes: [{name: all, price: {per_unit_hour: 1}}]\n", `classes:
  - {name: a, of: {group: [12]}, price: {per_unit_hour: 2.5}}
  - {name: b, of: {group: [35, 22, 52, 50, 20, 81, 5]}, price: {per_unit_hour: 1}}
  - {name: c, price: {per_unit_hour: 0.4}}
`} {
		doc := fixture.Parsed(t, head+text)
		ask := func(a, b float64, q Request) *Comparison {
			at, err := doc.With(scenario.Override{Path: "trace.jobs", Value: fmt.Sprintf("from:%g:%g", a*week, b*week)})
			if err != nil {
				t.Fatal(err)
			}
			q.Policies = []string{"easy"}
			return covering(t, at, 1, q)
		}
		for _, history := range []float64{26, 52} {
			for a := float64(from); a+history+ahead <= to; a += step {
				came := ask(a+history, a+history+ahead, Request{})
				past := []*Comparison{ask(a, a+history, Request{Resample: true, Span: fmt.Sprint(ahead * week)}), ask(a, a+history, Request{})}
				spans++
				for m, name := range measures {
					for k, c := range past {
						i := of(c, run.All, name)
						if c.frame.Replications() == 1 { // a point: nothing is random
							i = metric.Interval{Mean: i.Mean}
						}
						if i.Contains(of(came, run.All, name).Mean) {
							covered[m][k]++
						}
					}
				}
			}
		}
	}
	// Far more often than today. How often depends on the trend of the trace, which no resampling knows: the shares are
	// logged, not promised.
	t.Logf("of %g spans, waits %g (today %g), revenues %g (today %g)", spans, covered[0][0], covered[0][1], covered[1][0],
		covered[1][1])
	if covered[0][0]-covered[0][1] < spans/2 || covered[1][0]-covered[1][1] < spans/3 {
		t.Errorf("resampling covers hardly more than today's intervals")
	}
}
