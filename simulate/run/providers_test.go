package run

import (
	"context"
	"testing"

	"revopt/internal/fixture"
	"revopt/simulate"
)

// TestPolicyForwards: a job that Libra has no room for goes to the next provider,
// and every job is somewhere, once.
func TestPolicyForwards(t *testing.T) {
	s := fixture.Opened(t, `
server: {nodes: 4}
load: 1.5
simulation: {jobs: 2000, warmup: 0%, replications: 1}
classes: [{name: all, length: {dist: exponential, mean: 100}, price: 10, deadline: {lengths: 3}, max_penalty: 0, expire: never}]
providers: [{name: second, nodes: 2}, {name: third, nodes: 1, policy: sjf-bf}]
`)
	list, err := Providers(s)
	if err != nil {
		t.Fatal(err)
	}
	e := under(t, s.Workload, "libra", nil, nil, 1)
	e.Providers = list
	audit := new(simulate.Audit)
	sample, err := e.Run(context.Background(), 0, audit)
	if err != nil || audit.Err() != nil {
		t.Fatal(err, audit.Err())
	}
	p := sample.Providers
	if p[0].Rejected == 0 || p[1].Submitted != p[0].Rejected || p[2].Submitted != p[1].Rejected || p[2].Admitted == 0 || p[2].Rejected != sample.Total.Rejected {
		t.Errorf("providers %+v", p)
	}
	if got := p[0].Admitted + p[1].Admitted + p[2].Admitted; got != sample.Total.Admitted || sample.Total.Submitted != p[0].Submitted {
		t.Errorf("%d admitted, in all %d", got, sample.Total.Admitted)
	}
	runs := NewRuns(e, []Sample{sample})
	if got, _ := runs.Series(AtProvider("third"), ColumnCompleted).At(0); got != float64(p[2].Completed) {
		t.Error("the records lose a provider")
	}
}
