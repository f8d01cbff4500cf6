package share_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"testing"

	"revopt/model"
	"revopt/simulate"
	"revopt/simulate/metric"
	"revopt/simulate/policy"
	"revopt/simulate/policy/policytest"
	"revopt/simulate/policy/share"
	"revopt/simulate/workload"
)

const sp2File = "../../../../shared/traces/SDSC-SP2-1998-4.2-cln.swf.gz"

// sp2Last returns the last n jobs of the SP2 trace.
func sp2Last(t testing.TB, n int64, rule workload.Rule) *workload.Trace {
	t.Helper()
	trace, err := workload.Load(context.Background(), workload.Selection{File: sp2File, Subset: workload.Subset{Last: n}, Rule: rule}, 1)
	if errors.Is(err, fs.ErrNotExist) {
		t.Skipf("the SP2 trace is not at %s", sp2File)
	}
	if err != nil {
		t.Fatal(err)
	}
	return trace
}

// table1 are the default settings of Yeo and Buyya (2007), Table I.
func table1() model.QoS {
	four := model.Spread{LowMean: 2, Ratio: 4, SD: 0.25}
	return model.QoS{HighUrgency: 0.2, Deadline: four, Budget: four}
}

// hardLate is an observer that counts jobs with hard deadlines that end late.
type hardLate int

func (h *hardLate) Observe(e simulate.Event) {
	if e.Kind == simulate.Completed && e.Job.Value.Hard && e.Job.Lateness(e.Time) > 0 {
		*h++
	}
}

// replayed returns the jobs of a trace in a replication.
func replayed(trace *workload.Trace, o workload.ReplayOptions, replication int) (simulate.Source, error) {
	w, err := workload.NewReplay(context.Background(), trace, o, 1)
	if err != nil {
		return nil, err
	}
	return w.Jobs(1, replication)
}

// onSP2 runs the trace under a policy and under audit. With exact estimates no
// hard deadline may be missed.
func onSP2(trace *workload.Trace, delay float64, qos model.QoS, p simulate.Policy, replication int) (metric.Sum, error) {
	source, err := replayed(trace, workload.ReplayOptions{Delay: delay, QoS: &qos}, replication)
	if err != nil {
		return metric.Sum{}, err
	}
	tally, audit, late := metric.NewTally(2), new(simulate.Audit), new(hardLate)
	_, err = simulate.Run(context.Background(), simulate.Config{
		Source:    source,
		Sites:     []simulate.Site{{Processors: trace.Nodes(), Policy: p}},
		Observers: []simulate.Observer{tally, audit, late},
	})
	if err == nil {
		err = audit.Err()
	}
	if err == nil && *late > 0 && qos.Inaccuracy == 0 {
		err = fmt.Errorf("%d hard deadlines were missed", *late)
	}
	return tally.Total(), err
}

// onSeeds runs replications of the trace under a policy.
func onSeeds(t testing.TB, seeds int, trace *workload.Trace, delay float64, qos model.QoS, fresh func() simulate.Policy) []metric.Sum {
	t.Helper()
	sums := policytest.Must(metric.Replicate(context.Background(), 0, seeds, 0, func(_ context.Context, k int) (metric.Sum, error) {
		return onSP2(trace, delay, qos, fresh(), k)
	}))
	return sums
}

// TestLibraDollarProfitability: Cluster Profitability at the default settings,
// against the percentages that Yeo and Buyya (2007) quote of Figure 4(b), and
// against what the readings chosen here gave an independent implementation.
func TestLibraDollarProfitability(t *testing.T) {
	trace := sp2Last(t, 5000, workload.Keep)
	for _, test := range []struct {
		beta, delay, paper, reading float64
	}{
		{0.1, 0.25, 23, 25.2}, {0.1, 1, 40, 44.0},
		{0.5, 0.25, 32, 31.9}, {0.5, 1, 57, 52.5},
		{1, 0.25, 31, 33.0}, {1, 1, 44, 44.5},
	} {
		terms := share.DollarTerms{Pricing: share.Pricing{Alpha: 1, Beta: test.beta}, Base: share.Prices{Processor: policy.PBase}}
		var x []float64
		for _, sum := range onSeeds(t, 5, trace, test.delay, table1(), func() simulate.Policy { return share.NewLibraDollar(terms) }) {
			x = append(x, 100*sum.Profit/sum.Offered)
		}
		got := metric.Estimate(x, metric.DefaultLevel)
		t.Logf("beta %g, delay factor %g: %.1f +- %.1f, paper %g, reading %g", test.beta, test.delay, got.Mean, got.HalfWidth, test.paper, test.reading)
		if math.Abs(got.Mean-test.paper) > 5 || math.Abs(got.Mean-test.reading) > 2 {
			t.Errorf("beta %g, delay factor %g: %.1f %%, want within 5 of %g and within 2 of %g", test.beta, test.delay, got.Mean, test.paper, test.reading)
		}
	}
}
