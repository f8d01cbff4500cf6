package simulate_test

import (
	"context"
	"runtime"
	"testing"

	"revopt/model"
	"revopt/simulate"
	"revopt/simulate/agent"
	"revopt/simulate/metric"
	"revopt/simulate/policy"
	"revopt/simulate/policy/policytest"
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

// runSharing simulates M/M/1 with processor sharing.
func runSharing(tb testing.TB, jobs int64) {
	source := must(drawn(single(0.7, 1, length(model.Exponential, 1, 0)), 1, 0))
	must(simulate.Run(context.Background(), simulate.Config{
		Source: source,
		Sites:  []simulate.Site{{Processors: 1, Policy: new(everywhere), Sharing: equal{}}},
		Window: simulate.Window{Jobs: jobs},
	}))
}

// runPools runs jobs in two pools that overflow into each other. Each job has a choice.
func runPools(tb testing.TB, jobs int64) {
	source := must(drawn(single(1.4, 1, length(model.Exponential, 1, 0)), 1, 0))
	moves := 0
	pools := &agent.Pools{
		Site: []int{0, 1}, Choices: [][]int{nil, {0, 1}}, Overflow: []agent.Path{{To: 1, After: 0.5, Hops: 1}, {To: 0, After: 0.1, Hops: 1}},
		Move: func(j *simulate.Job, site int) { j.Class, moves = site, moves+1 },
	}
	_, err := simulate.Run(context.Background(), simulate.Config{
		Source: chooser{source},
		Sites: []simulate.Site{
			{Processors: 1, Policy: policy.NewFCFS(false)}, {Processors: 1, Policy: policy.NewFCFS(false)},
		},
		Router: pools.Router(), Agents: pools.Agents(),
		Window: simulate.Window{Jobs: jobs},
	})
	if err != nil || int64(moves) < 2*jobs {
		tb.Fatal(moves, err)
	}
}

// chooser lets jobs choose between two pools.
type chooser struct{ simulate.Source }

func (c chooser) Next(j *simulate.Job) (bool, error) {
	ok, err := c.Source.Next(j)
	j.Choice = 1
	return ok, err
}

// TestNoAllocationPerJob compares a run with one ten times as long: what the
// longer allocates more is what jobs cost, in objects and in bytes.
func TestNoAllocationPerJob(t *testing.T) {
	for name, simulation := range map[string]func(jobs int64){
		"load 0.9": func(jobs int64) { runTable2(t, 0.9, jobs, 0) },
		"load 3":   func(jobs int64) { runTable2(t, 3, jobs, 0) },
		"sharing":  func(jobs int64) { runSharing(t, jobs) },
		"pools":    func(jobs int64) { runPools(t, jobs) },
	} {
		checkAllocations(t, name, 20_000, 200_000, simulation)
	}
}

// TestNoAllocationPerEvent: in steady state the policies that most runs take allocate nothing, neither for a
// transition of a job nor for a decision.
func TestNoAllocationPerEvent(t *testing.T) {
	for _, name := range []string{"hol", "fcfs", "easy", "value-bf"} {
		checkAllocations(t, name, 4_000, 20_000, func(jobs int64) {
			runUnder(policytest.ByName(t, name, nil), 0.9, jobs, 0)
		})
	}
}

// checkAllocations compares what a short and a long simulation allocate.
func checkAllocations(t *testing.T, name string, short, long int64, simulation func(jobs int64)) {
	t.Helper()
	count := func(jobs int64) (objects, bytes uint64) {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		simulation(jobs)
		runtime.ReadMemStats(&after)
		return after.Mallocs - before.Mallocs, after.TotalAlloc - before.TotalAlloc
	}
	objects, bytes := count(short)
	more, larger := count(long)
	// A longer run meets a longer queue now and then and grows a table.
	if more > objects+50 || larger > bytes+100_000 {
		t.Errorf("%s: %d objects of %d bytes for %d jobs, %d of %d for %d", name, objects, bytes, short, more, larger, long)
	}
}
