package control_test

import (
	"context"
	"testing"

	"revopt/model"
	"revopt/optimize/control"
	"revopt/simulate"
	"revopt/simulate/agent"
	"revopt/simulate/metric"
	"revopt/simulate/policy"
	"revopt/simulate/workload"
)

// jobs is how many a replication has.
const jobs = 8000

// inQueue returns the table as the simulator's admission.
func inQueue(table *control.Table, classes int) simulate.Admission {
	waiting, running := make([]int, classes), make([]int, classes)
	return agent.AdmitFunc(func(j *simulate.Job, sites []*simulate.Cluster) bool {
		for s := range waiting {
			waiting[s], running[s] = sites[0].WaitingOf(s), sites[0].Running(s)
		}
		return table.Admit(j.Class, waiting, running)
	})
}

// simulated returns the revenue of classes on so many processors, in replications.
func simulated(t *testing.T, classes []model.Class, processors int, admission func() simulate.Admission) metric.Interval {
	t.Helper()
	load := must(workload.NewClasses(classes, processors, workload.Length{Jobs: jobs, WarmupFraction: 0.05}))
	got := must(metric.Replicate(context.Background(), 0, 8, 0, func(ctx context.Context, replication int) (float64, error) {
		source, err := load.Jobs(5, replication)
		if err != nil {
			return 0, err
		}
		tally := metric.NewTally(len(classes))
		_, err = simulate.Run(ctx, simulate.Config{
			Source:    source,
			Sites:     []simulate.Site{{Processors: processors, Policy: policy.NewHOL(false)}},
			Admission: admission(),
			Charging:  simulate.ByValue,
			Window:    load.Window(),
			Observers: []simulate.Observer{tally},
		})
		total := tally.Total()
		return metric.PerSecond(total.Revenue, total.Span), err
	}))
	return metric.Estimate(got, 0.999)
}

// TestControlSimulated runs tables of decisions and rules on the event simulator:
// one server and several, classes of one mean length and of three.
func TestControlSimulated(t *testing.T) {
	alike := markov(1, [4]float64{0.7, 1, 2, 0.2}, [4]float64{0.3, 1, 3, 0.7}, [4]float64{0.2, 1, 5, 2})
	unlike := markov(1, [4]float64{0.7, 1, 2, 0.2}, [4]float64{0.6, 0.5, 3, 0.7}, [4]float64{0.1, 2, 9, 5})
	for name, sys := range map[string]model.System{"alike": alike, "unlike": unlike} {
		for _, n := range []int{1, 3} {
			scaled := sys
			scaled.Parallel = float64(n)
			scaled.Classes = append([]model.Class(nil), sys.Classes...)
			for i := range scaled.Classes {
				scaled.Classes[i].Rate *= float64(n)
			}
			s := control.Settings{Waiting: -1, Servers: n > 1, Gap: 1e-4}
			r := solve(t, scaled, s)
			classes := len(sys.Classes)
			got := simulated(t, scaled.Classes, n, func() simulate.Admission { return inQueue(r.Table, classes) })
			t.Logf("%s, n = %d: simulated %.5g +- %.2g, proven %.5g to %.5g, static %.5g",
				name, n, got.Mean, got.HalfWidth, r.Revenue, r.UpperBound, r.Static)
			if got.Mean+got.HalfWidth < r.Revenue || got.Mean-got.HalfWidth > r.UpperBound {
				t.Errorf("%s, n = %d: simulated %g +- %g, proven %g to %g", name, n, got.Mean, got.HalfWidth, r.Revenue, r.UpperBound)
			}
			for _, limits := range [][]int{{3, 6, -1}, {0, 0, 3}} {
				rule := control.Rule{Share: []float64{0.9, 1, 1}, Waiting: limits}
				want := ruleRevenue(t, scaled, s, rule)
				got = simulated(t, scaled.Classes, n, func() simulate.Admission {
					return agent.Thresholds{Share: rule.Share, Waiting: rule.Waiting}
				})
				if !got.Contains(want) {
					t.Errorf("%s, n = %d, limits %v: %g +- %g, want %g", name, n, limits, got.Mean, got.HalfWidth, want)
				}
			}
		}
	}
}
