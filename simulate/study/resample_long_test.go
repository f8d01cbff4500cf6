//go:build long

package study

import (
	"context"
	"fmt"
	"os"
	"testing"

	"gonum.org/v1/gonum/stat"

	"revopt/model/scenario"
	"revopt/simulate"
	"revopt/simulate/metric"
	"revopt/simulate/workload"
)

const week = 7 * 86400.0

// sp2Head is the beginning of a scenario of the SDSC SP2 trace under EASY.
func sp2Head(t *testing.T) string {
	const file = "../../../shared/traces/SDSC-SP2-1998-4.2-cln.swf.gz"
	if _, err := os.Stat(file); err != nil {
		t.Skip("the SDSC SP2 trace is not at ../shared/traces: get SDSC-SP2-1998-4.2-cln.swf.gz from the Parallel Workloads Archive")
	}
	return "name: sp2\ntrace: {file: " + file + ", nodes: 128}\npolicies: [easy]\n"
}

// TestResampledCoverage predicts spans of the SDSC SP2 trace from what came before
// them, and counts how often the interval covers what then came: that of resampled
// weeks, and that of replaying the past with other lots. Spans overlap, so that
// their successes are not independent. The table is that of docs/traces.md.
func TestResampledCoverage(t *testing.T) {
	const from, to, step = 2, 104, 4 // weeks; the machine was filling up before
	head := sp2Head(t)
	var waits, revenues [2]float64 // covered: resampled, today
	var spans float64
	opener := &Opener{Seed: 1}
	for _, s := range []struct{ name, text string }{
		{"qos", head + "qos: {high_urgency: 0.2}\n"},
		{"one price", head + "classes: [{name: all, price: {per_node_hour: 1}}]\n"},
		{"three groups", head + `classes:
  - {name: a, of: {group: [12]}, price: {per_node_hour: 2.5}}
  - {name: b, of: {group: [35, 22, 52, 50, 20, 81, 5]}, price: {per_node_hour: 1}}
  - {name: c, price: {per_node_hour: 0.4}}
`},
	} {
		doc := parsed(t, s.text)
		open := func(a, b float64) *Subject {
			at, err := doc.With(scenario.Override{Path: "trace.jobs", Value: fmt.Sprintf("from:%g:%g", a*week, b*week)})
			if err != nil {
				t.Fatal(err)
			}
			subject, err := opener.Open(context.Background(), at)
			if err != nil {
				t.Fatal(err)
			}
			return subject
		}
		for _, history := range []float64{26, 52} {
			const ahead = 13
			var n float64
			covered := map[string]*[2]float64{"mean_wait": {}, "revenue_per_second": {}}
			width := map[string]float64{}
			for a := float64(from); a+history+ahead <= to; a += step {
				past := open(a, a+history)
				came := run(t, &Simulation{Subject: open(a+history, a+history+ahead), Seed: 1})
				drawn := run(t, &Simulation{Subject: past, Resample: &workload.Resampling{Span: ahead * week}, Seed: 1})
				today := run(t, &Simulation{Subject: past, Seed: 1})
				n++
				for name, c := range covered {
					x := float64(came.Policies[0].Total.Get(name).Mean)
					for k, r := range []*Result{drawn, today} {
						i := r.Policies[0].Total.Get(name).Interval()
						if r.Once { // a point
							i = metric.Interval{Mean: i.Mean}
						}
						if i.Contains(x) {
							c[k]++
						}
					}
					i := drawn.Policies[0].Total.Get(name).Interval()
					width[name] += (i.High - i.Low) / i.Mean
				}
			}
			w, r := covered["mean_wait"], covered["revenue_per_second"]
			t.Logf("%-12s %2.0f weeks predict %d, %2.0f spans: wait %3.0f %% (today %3.0f %%), range %.2f of the mean; revenue %3.0f %% (today %3.0f %%), range %.2f",
				s.name, history, ahead, n, 100*w[0]/n, 100*w[1]/n, width["mean_wait"]/n, 100*r[0]/n, 100*r[1]/n, width["revenue_per_second"]/n)
			for k := range waits {
				waits[k], revenues[k] = waits[k]+w[k], revenues[k]+r[k]
			}
			spans += n
		}
	}
	// Far more often than today. How often depends on the trend of the trace, which
	// no resampling knows: the shares are logged, not promised.
	t.Logf("all: of %g spans, waits %g (today %g), revenues %g (today %g)", spans, waits[0], waits[1], revenues[0], revenues[1])
	if waits[0]-waits[1] < spans/2 || revenues[0]-revenues[1] < spans/3 {
		t.Errorf("resampling covers hardly more than today's intervals")
	}
}

// TestResampledShares shows by what the share of users who live on their own is
// chosen: the coverage of every other span of TestResampledCoverage, and the spread
// of the work of a week and of 13 weeks, which the trace has as well. Independent
// users cover as much, but their work varies about twice as much as that of the trace,
// and they wait longer than the jobs that they are drawn from.
func TestResampledShares(t *testing.T) {
	doc := parsed(t, sp2Head(t)+"classes: [{name: all, price: {per_node_hour: 1}}]\n")
	opener := &Opener{Seed: 1}
	open := func(a, b float64) *Subject {
		at, err := doc.With(scenario.Override{Path: "trace.jobs", Value: fmt.Sprintf("from:%g:%g", a*week, b*week)})
		if err != nil {
			t.Fatal(err)
		}
		subject, err := opener.Open(context.Background(), at)
		if err != nil {
			t.Fatal(err)
		}
		return subject
	}
	// spread returns the coefficients of variation of the work of weeks and of 13 weeks.
	spread := func(w workload.Workload, replications int) (float64, float64) {
		var weeks, quarters []float64
		for k := range replications {
			jobs, err := w.Jobs(1, k)
			if err != nil {
				t.Fatal(err)
			}
			work := make([]float64, 104)
			var j simulate.Job
			for {
				if ok, _ := jobs.Next(&j); !ok {
					break
				}
				if i := int(j.Submit / week); i < len(work) {
					work[i] += j.Work * float64(j.Width)
				}
			}
			work = work[2:102]
			weeks = append(weeks, work...)
			for i := 0; i+13 <= len(work); i++ {
				var sum float64
				for _, x := range work[i : i+13] {
					sum += x
				}
				quarters = append(quarters, sum)
			}
		}
		cv := func(x []float64) float64 { return stat.StdDev(x, nil) / stat.Mean(x, nil) }
		return cv(weeks), cv(quarters)
	}
	all := open(0, 1000)
	a, b := spread(all.Workload, 1)
	t.Logf("trace     : work of a week varies by %.3f, of 13 weeks by %.3f", a, b)
	for _, own := range []float64{-1, 0.1, 0.2, 0.5, 1} {
		r := &workload.Resampling{Span: 13 * week, Own: own}
		var n, waits, revenues, width, longer float64
		for a := 2.0; a+39 <= 104; a += 8 {
			came := run(t, &Simulation{Subject: open(a+26, a+39), Seed: 1}).Policies[0].Total
			past := run(t, &Simulation{Subject: open(a, a+26), Seed: 1}).Policies[0].Total
			drawn := run(t, &Simulation{Subject: open(a, a+26), Resample: r, Seed: 1}).Policies[0].Total
			longer += float64(drawn.Get("mean_wait").Mean / past.Get("mean_wait").Mean)
			n++
			i := drawn.Get("mean_wait").Interval()
			width += (i.High - i.Low) / i.Mean
			if i.Contains(float64(came.Get("mean_wait").Mean)) {
				waits++
			}
			if drawn.Get("revenue_per_second").Interval().Contains(float64(came.Get("revenue_per_second").Mean)) {
				revenues++
			}
		}
		drawn, err := all.Resample(context.Background(), &workload.Resampling{Own: own})
		if err != nil {
			t.Fatal(err)
		}
		a, b := spread(drawn.Workload, 30)
		t.Logf("own %4.1f  : work of a week varies by %.3f, of 13 weeks by %.3f; %g spans: wait %3.0f %%, range %.2f of the mean, which is %.2f times that of the past; revenue %3.0f %%", own, a, b, n, 100*waits/n, width/n, longer/n, 100*revenues/n)
	}
}
