package run

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"revopt/internal/fixture"
	"revopt/model"
	"revopt/simulate/metric"
	"revopt/simulate/subject"
	"revopt/simulate/workload"
)

// sameAsAlone compares a pool of a run with a run of its jobs alone, in all and by customer.
func sameAsAlone(t *testing.T, what string, whole *Experiment, got Sample, pool int, alone workload.Workload) {
	t.Helper()
	e := *whole
	e.Workload, e.Pooled = alone, nil
	e.Policy = whole.policyIn(pool)
	want, err := e.Run(context.Background(), 0)
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	p := whole.Workload.Pools()
	if alone.Stream() > 0 {
		want.Total.Delivered = 0
	}
	for i, c := range p.Columns() {
		switch {
		case c.Pool != pool:
		case c.Customer < 0 && sums(got.Customers[i]) != sums(want.Total):
			t.Errorf("%s: pool %d\n%s, alone\n%s", what, pool, sums(got.Customers[i]), sums(want.Total))
		case c.Customer >= 0:
			k := slices.Index(subject.ClassNames(alone.Customers()), p.Customers[c.Customer].Name)
			if k < 0 && got.Customers[i].Submitted > 0 || k >= 0 && sums(got.Customers[i]) != sums(want.Customers[k]) {
				t.Errorf("%s: customer %d in pool %d differs", what, c.Customer, pool)
			}
		}
	}
}

// shareAccounts names the policies whose pools share accounts, so that pools are no simulations of their own.
var shareAccounts = map[string]bool{"slurm": true, "exec": true}

// TestTwoPoolsAreTwoSimulations compares pools with runs of the jobs of each pool alone,
// from a trace of its own and as a part of the workload, up to rounding, under all policies
// whose pools share nothing.
func TestTwoPoolsAreTwoSimulations(t *testing.T) {
	rnd := rand.New(rand.NewPCG(30, 1))
	runs := map[string]int{}
	for split := range 10 {
		d := newDivided(t, rnd, 60)
		stated := split%3 < 2
		if stated {
			d.customers(rnd)
		} else {
			d.options.QoS = &model.QoS{
				HighUrgency: 0.4, Deadline: model.Spread{LowMean: 1.5, Ratio: 2, SD: 0.2},
				Budget:  model.Spread{LowMean: 2, Ratio: 4, SD: 0.25},
				Penalty: model.Spread{LowMean: 0.3, Ratio: 4, SD: 0.5}, Hard: [2]float64{0.5, 0.5},
			}
			d.options.Split = &model.Split{Optional: model.Interval{Low: 0, High: 4}, Rate: 1000}
		}
		w := d.replay(t, d.whole, d.options)
		for _, spec := range subject.Standard() {
			e := &Experiment{Workload: w, Policy: someOptions(rnd, spec), Seed: 5}
			if split%2 == 1 { // the second pool under a policy of its own
				e.Pooled = make([]*subject.Policy, len(d.options.Pools))
				e.Pooled[1] = &fixture.Named(t, "easy")[0]
			}
			if e.Check() != nil || shareAccounts[spec.Name] {
				continue
			}
			got, err := e.Run(context.Background(), 0)
			if err != nil {
				t.Fatal(err)
			}
			runs[spec.Name]++
			for pool := range d.options.Pools {
				what := fmt.Sprintf("split %d, %s", split, e.Policy.Label())
				part, err := workload.Part(w, []int{pool})
				if err != nil {
					t.Fatal(err)
				}
				sameAsAlone(t, what+", part", e, got, pool, part)
				if stated {
					sameAsAlone(t, what+", trace", e, got, pool, d.alone(t, pool))
				}
			}
		}
	}
	for _, spec := range subject.Standard() {
		if runs[spec.Name] == 0 && !shareAccounts[spec.Name] {
			t.Errorf("no split under %s", spec.Name)
		}
	}
}

// recordsOf returns the records of a replication without the column of pools.
func recordsOf(t *testing.T, w workload.Workload, p subject.Policy) string {
	t.Helper()
	var b bytes.Buffer
	records := metric.NewRecords(&b)
	e := &Experiment{Workload: w, Policy: p, Seed: 1}
	if _, err := e.Run(context.Background(), 0, e.Recorder(records, "p", 0)); err != nil || records.Flush() != nil {
		t.Fatal(p.Label(), err)
	}
	text := strings.ReplaceAll(b.String(), ",pool\n", "\n")
	return strings.ReplaceAll(text, ",all\n", "\n")
}
