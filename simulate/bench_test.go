package simulate_test

import (
	"context"
	"fmt"
	"testing"

	"revopt/model"
	"revopt/simulate"
	"revopt/simulate/metric"
	"revopt/simulate/policy"
)

// table2 returns the classes of Marbukh & Mills, Tables 1 and 2, at a load of
// 10 jobs of 500 processors at a time.
func table2(load float64) []model.Class {
	length := must(model.New(model.Normal, 7200, 2400, 300))
	rate := load * 10 / 7200
	class := func(name string, share, dollars, decay float64) model.Class {
		return model.Class{
			Name: name, Rate: share * rate, Length: length, Width: model.FixedWidth(500),
			Price: model.Tariff{PerNodeSecond: dollars / 3600}, Decay: decay,
			Grace: model.Grace{Lengths: 3}, Floor: model.Floor{OfPrice: 0.05}, Expire: model.ExpireZero,
		}
	}
	return []model.Class{
		class("LvLu", 0.64, 1, 0.1), class("LvHu", 0.16, 1, 1),
		class("HvLu", 0.16, 5, 0.5), class("HvHu", 0.04, 5, 5),
	}
}

// runTable2 simulates the cluster of Table 1 under HOL and returns its tally.
func runTable2(tb testing.TB, load float64, jobs int64, replication int) *metric.Tally {
	return runUnder(policy.NewHOL(false), load, jobs, replication)
}

// runUnder simulates the cluster of Table 1 under a policy and returns its tally.
func runUnder(p simulate.Policy, load float64, jobs int64, replication int) *metric.Tally {
	classes := table2(load)
	source := must(drawn(classes, 1, replication))
	tally := metric.NewTally(len(classes))
	must(simulate.Run(context.Background(), simulate.Config{
		Source:    source,
		Sites:     []simulate.Site{{Processors: 5000, Policy: p}},
		Window:    simulate.Window{WarmupJobs: jobs / 10, Jobs: jobs},
		Charging:  simulate.ByValue,
		Observers: []simulate.Observer{tally},
	}))
	return tally
}

func BenchmarkTable2(b *testing.B) {
	for _, load := range []float64{0.9, 3} {
		b.Run(fmt.Sprintf("load=%g", load), func(b *testing.B) {
			b.ReportAllocs()
			runTable2(b, load, int64(b.N)+10, 0)
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "jobs/s")
		})
	}
}
