//go:build long

package simulation

import (
	"context"
	"fmt"
	"testing"

	"revopt/internal/fixture"
	"revopt/model/scenario"
	"revopt/simulate/metric"
	"revopt/simulate/study"
	"revopt/simulate/subject"
	"revopt/simulate/workload"
)

// TestResampledCoverage predicts spans of the SDSC SP2 trace from what came before
// them, and counts how often the interval covers what then came: that of resampled
// weeks, and that of replaying the past with other lots. Spans overlap, so that
// their successes are not independent. The table is that of docs/traces.md.
func TestResampledCoverage(t *testing.T) {
	const from, to, step = 2, 104, 4 // weeks; the machine was filling up before
	head := sp2Head(t)
	var waits, revenues [2]float64 // covered: resampled, today
	var spans float64
	opener := &subject.Opener{Seed: 1}
	for _, s := range []struct{ name, text string }{
		{"qos", head + "qos: {high_urgency: 0.2}\n"},
		{"one price", head + "classes: [{name: all, price: {per_unit_hour: 1}}]\n"},
		{"three groups", head + `classes:
  - {name: a, of: {group: [12]}, price: {per_unit_hour: 2.5}}
  - {name: b, of: {group: [35, 22, 52, 50, 20, 81, 5]}, price: {per_unit_hour: 1}}
  - {name: c, price: {per_unit_hour: 0.4}}
`},
	} {
		doc := fixture.Parsed(t, s.text)
		open := func(a, b float64) *subject.Subject {
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
					for k, r := range []*study.Result{drawn, today} {
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
