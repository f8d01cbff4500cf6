package ask

import (
	"context"
	"testing"

	"revopt/internal/fixture"
	"revopt/model"
	"revopt/model/scenario"
	"revopt/simulate/analytic"
	"revopt/simulate/metric"
	"revopt/simulate/policy"
	"revopt/simulate/run"
	"revopt/simulate/subject"
	"revopt/simulate/workload"
)

// machine is a cluster of 100 nodes under jobs of four nodes each.
const machine = `
server: {nodes: 100, residual: printed}
load: 0.84
simulation: {jobs: 4000, warmup: 10%, replications: 5}
classes:
  - {name: urgent, share: 0.3, length: {mean: 3600, sd: 1200}, width: 4, price: 100, decay: 0.05, grace: 60, max_penalty: 50, expire: never}
  - {name: patient, share: 0.7, length: {mean: 3600, sd: 1200}, width: 4, price: 20, decay: 0.001, max_penalty: 0}
`

// under returns the experiment of a workload under a standard policy.
func under(t testing.TB, w workload.Workload, name string, options policy.Settings, admit []float64, seed uint64) *run.Experiment {
	t.Helper()
	p, err := subject.NewPolicy(nil, name, options)
	if err != nil {
		t.Fatal(err)
	}
	return &run.Experiment{Workload: w, Policy: p, Admission: run.Gate{Admit: admit}, Seed: seed}
}

// Replicate runs the given number of replications of an experiment on the given number
// of workers (0: one per processor). After an error, or when the context is canceled,
// it returns those before the first that did not finish.
func Replicate(ctx context.Context, e *run.Experiment, replications, workers int) (*run.Runs, error) {
	samples, err := metric.Replicate(ctx, 0, replications, workers, func(ctx context.Context, k int) (run.Sample, error) {
		return e.Run(ctx, k)
	})
	return run.NewRuns(e, samples), err
}

// modeled opens a scenario and returns its analysis.
func analyzed(t *testing.T, text string, overrides ...scenario.Override) *analytic.Analysis {
	t.Helper()
	a, err := analytic.Analyze(context.Background(), fixture.Opened(t, text, overrides...), 1, 0)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func length(kind model.Kind, mean, sd float64) model.Distribution {
	d, err := model.New(kind, mean, sd, 0)
	if err != nil {
		panic(err)
	}
	return d
}

// must returns a result that no error may come with.
func must[T any](x T, err error) T {
	if err != nil {
		panic(err)
	}
	return x
}
