package study

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"revopt/simulate/metric"
	"revopt/simulate/policy"
)

// pooledJob is a job of a trace of the partitions a, b and either.
type pooledJob struct{ submit, length, width, group, partition int }

// pooledTrace writes the jobs of some partitions as a trace.
func pooledTrace(t testing.TB, jobs []pooledJob, units int, partitions ...int) string {
	t.Helper()
	words := fmt.Sprintf("; MaxNodes: %[1]d\n; MaxProcs: %[1]d\n; Partition: 1 a\n; Partition: 2 b\n; Partition: 3 a,b\n", units)
	for i, j := range jobs {
		if slices.Contains(partitions, j.partition) {
			words += fmt.Sprintf("%d %d 0 %d %d -1 -1 %d %d -1 1 1 %d 1 1 %d -1 -1\n",
				i+1, j.submit, j.length, j.width, j.width, 2*j.length, j.group, j.partition)
		}
	}
	path := filepath.Join(t.TempDir(), "jobs.swf")
	if err := os.WriteFile(path, []byte(words), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// validation validates policies on a scenario of the given text.
func validation(t testing.TB, text string, policies ...string) *Result {
	t.Helper()
	r, err := (&Validation{Subject: opened(t, text), Policies: named(t, policies...)}).Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Two pools are two traces: the measures of a pool are those of its jobs alone on a machine of
// its size, its bounds are theirs, and both add up to the whole.
func TestPoolsAreTraces(t *testing.T) {
	random := rand.New(rand.NewPCG(30, 4))
	var jobs []pooledJob
	for i := range 60 {
		part := 1 + random.IntN(2)
		jobs = append(jobs, pooledJob{40 * i, 30 + random.IntN(600), 1 + random.IntN(8/part), 1 + random.IntN(2), part})
	}
	jobs[0].partition, jobs[1].partition, jobs[1].submit = 1, 2, 0 // so that both traces begin at the same time
	const classes = `classes:
  - {name: x, of: {group: [1]}, price: {per_unit_hour: %s}, decay: 0.001, max_penalty: {of_price: 0.5}}
  - {name: y, price: {per_unit_hour: %s}, grace: 5m, decay: 0.01, max_penalty: none}
`
	both := validation(t, "trace: {file: "+pooledTrace(t, jobs, 12, 1, 2)+"}\n"+`pools:
  - {name: a, units: 8, unit: core, of: {partition: [a]}}
  - {name: b, units: 4, unit: gpu, of: {partition: [b]}}
`+fmt.Sprintf(classes, "{a: 9, b: 40}", "7"), "easy", "value-bf", "fcfs")
	prices := []string{"9", "40"}
	same := []string{"utility", "price_total", "mean_wait", "mean_bounded_slowdown", metric.QuantileNames()[1], "jobs_submitted", "jobs_completed",
		"jobs_given_up", "jobs_rejected", "jobs_late", "acceptance"}
	sums := map[string]float64{}
	for i, pool := range both.Pools {
		alone := validation(t, fmt.Sprintf("trace: {file: %s, nodes: %d}\n", pooledTrace(t, jobs, pool.Units, i+1), pool.Units)+
			fmt.Sprintf(classes, prices[i], "7"), "easy", "value-bf", "fcfs")
		if math.Abs(float64(pool.Jobs-alone.Jobs)) > 1e-9 || len(pool.Bounds) != 4 {
			t.Errorf("%s: %g jobs, want %g; %d bounds", pool.Name, pool.Jobs, alone.Jobs, len(pool.Bounds))
		}
		for k, b := range pool.Bounds {
			sums[b.Name] += float64(b.Total)
			if want := alone.Validated.Bounds[k]; b.Name != want.Name || math.Abs(float64(b.Total/want.Total-1)) > 1e-9 {
				t.Errorf("%s: %s bound of $%g, alone %s of $%g", pool.Name, b.Name, b.Total, want.Name, want.Total)
			}
		}
		for _, row := range both.Policies {
			want := alone.Policies[slices.IndexFunc(alone.Policies, func(r Row) bool { return r.Label == row.Label })]
			for _, name := range same {
				got, want := float64(row.InPools[i].Get(name).Mean), float64(want.Total.Get(name).Mean)
				if math.Abs(got-want) > 1e-9*(1+math.Abs(want)) {
					t.Errorf("%s, %s: %s is %g, alone %g", row.Label, pool.Name, name, got, want)
				}
			}
			if got, want := row.Pools[i].Efficiency.Mean, want.Validated.Efficiency.Mean; math.Abs(float64(got-want)) > 1e-9 {
				t.Errorf("%s, %s: efficiency %g, alone %g", row.Label, pool.Name, got, want)
			}
			for k, c := range row.Customers {
				in := row.InPools[slices.IndexFunc(row.InPools, func(s CustomerRow) bool { return s.Name == c.Name && s.Pool == pool.Name })]
				if got, want := in.Get("utility").Mean, want.Customers[k].Get("utility").Mean; math.Abs(float64(got-want)) > 1e-9 {
					t.Errorf("%s, %s: $%g, alone $%g", row.Label, in.Label(), got, want)
				}
			}
		}
	}
	for _, b := range both.Validated.Bounds {
		if b.Kind == Proven && math.Abs(float64(b.Total)/sums[b.Name]-1) > 1e-9 {
			t.Errorf("%s bound of $%g, of the pools together $%g", b.Name, b.Total, sums[b.Name])
		}
	}
	for _, row := range both.Policies {
		for _, name := range []string{"utility", "jobs_submitted", "jobs_completed", "jobs_given_up", "jobs_late"} {
			sum := float64(row.InPools[0].Get(name).Mean + row.InPools[1].Get(name).Mean)
			if all := float64(row.Total.Get(name).Mean); math.Abs(sum-all) > 1e-9*(1+math.Abs(all)) {
				t.Errorf("%s: %s is %g, in the pools %g", row.Label, name, all, sum)
			}
		}
	}
}

// The bound of a group of pools is never below a policy, and on few jobs never below the best
// schedule. Jobs of pool a may overflow to b, or some jobs may run in either. A pool that no jobs
// leave is a group of its own.
func TestGroupBounds(t *testing.T) {
	random := rand.New(rand.NewPCG(30, 5))
	for round := range 24 {
		var jobs []pooledJob
		for range 2 + random.IntN(3) {
			jobs = append(jobs, pooledJob{60 * random.IntN(6), 60 * (1 + random.IntN(9)), 1 + random.IntN(2), 1, 1 + random.IntN(2)})
		}
		slices.SortFunc(jobs, func(a, b pooledJob) int { return a.submit - b.submit })
		joined, after := round%3 > 0, 60*random.IntN(3)
		overflow := ""
		if round%3 == 1 {
			overflow = fmt.Sprintf(", overflow: {to: b, after: %ds}", after)
		} else if joined {
			jobs[random.IntN(len(jobs))].partition = 3
		}
		text := "trace: {file: " + pooledTrace(t, jobs, 4, 1, 2, 3) + "}\npools:\n  - {name: a, units: 2, of: {partition: [a]}" +
			overflow + "}\n  - {name: b, units: 2, of: {partition: [b]}}\nclasses: [{name: x, price: {per_unit_hour: {a: 60, b: 90}}, decay: 0.004, max_penalty: none}]\n"
		var rows []PlanRow
		s := opened(t, text)
		for _, spec := range policy.Standard() {
			if spec.Check(s.Workload.Has()) == nil && !spec.Needs.Recorded {
				rows = append(rows, PlanRow{Policy: PolicyOf(spec)})
			}
		}
		found := sampled(t, s, func(p *Plan) { p.Bounds = &PlanBounds{} }, rows...)
		groups := found.BoundedGroups(0, 1)
		if want := map[bool]int{true: 1, false: 2}[joined]; len(groups) != want {
			t.Fatalf("%d groups", len(groups))
		}
		var sum, best float64
		for _, g := range groups {
			for i, row := range g.Rows {
				if most := g.BestFor(i)[0]; row.Delivered[0] > most*(1+1e-9)+1e-9 {
					t.Errorf("round %d, pools %v: %s delivers $%g, bound $%g", round, g.Pools, rows[i].Label(), row.Delivered[0], most)
				}
			}
			for _, b := range g.Bounds {
				if b.Name == UnpreemptedBound {
					sum += b.Total[0]
				}
			}
		}
		best = bestSchedule(jobs, overflow != "", float64(after))
		if sum < best-1e-9 {
			t.Errorf("round %d: bounds of $%g, a schedule earns $%g", round, sum, best)
		}
		whole := found.Bounded(0, 1)
		if got := whole.Bounds[3]; got.Name != UnpreemptedBound || math.Abs(got.Total[0]-sum) > 1e-9*(1+sum) {
			t.Errorf("round %d: in sum $%v, by group $%g", round, got.Total, sum)
		}
	}
}

// bestSchedule tries every order, every pool and every refusal of jobs that run once on two
// units of pool a at 60 or b at 90 $ per unit-hour and lose $0.004 per second of wait. With
// overflow a job may leave a for b after some time.
func bestSchedule(jobs []pooledJob, overflow bool, after float64) float64 {
	const units = 2
	best := 0.0
	var place func(left []int, done []pooledStart, earned float64)
	place = func(left []int, done []pooledStart, earned float64) {
		best = math.Max(best, earned)
		for k, i := range left {
			j := jobs[i]
			rest := append(slices.Clone(left[:k]), left[k+1:]...)
			for pool := 1; pool <= 2; pool++ {
				from := float64(j.submit)
				switch {
				case pool == j.partition || j.partition == 3:
				case j.partition == 1 && overflow:
					from += after
				default:
					continue
				}
				start := earliest(done, pool, j.width, units, from, float64(j.length))
				price := []float64{60, 90}[pool-1] * float64(j.width*j.length) / 3600
				worth := price - 0.004*(start-float64(j.submit))
				place(rest, append(slices.Clone(done), pooledStart{pool, j.width, start, start + float64(j.length)}), earned+worth)
			}
		}
	}
	all := make([]int, len(jobs))
	for i := range all {
		all[i] = i
	}
	place(all, nil, 0)
	return best
}

// pooledStart is a job that runs in a pool.
type pooledStart struct {
	pool, width int
	from, to    float64
}

// earliest returns the first time from which a job finds so many units of a pool free.
func earliest(done []pooledStart, pool, width, units int, from, length float64) float64 {
	times := []float64{from}
	for _, d := range done {
		if d.to > from {
			times = append(times, d.to)
		}
	}
	slices.Sort(times)
	for _, start := range times {
		free := true
		for _, at := range append([]pooledStart{{from: start}}, done...) { // use grows at starts alone
			used := 0
			for _, d := range done {
				if d.pool == pool && d.from <= at.from && at.from < d.to {
					used += d.width
				}
			}
			free = free && (at.from < start || at.from >= start+length || used+width <= units)
		}
		if free {
			return start
		}
	}
	return math.Inf(1)
}

// One pool may have more work than it can serve although the machine as a whole does not.
func TestPoolOverload(t *testing.T) {
	const text = `
load: 0.5
pools: [{name: big, units: 30}, {name: small, units: 2}]
simulation: {jobs: 500, replications: 2}
classes:
  - {name: x, pool: big, share: 50%, length: {dist: deterministic, mean: 10}, price: 1, decay: 0.001, max_penalty: none}
  - {name: y, pool: small, share: 50%, length: {dist: deterministic, mean: 10}, price: 1, decay: 0.001, max_penalty: none}
`
	r := run(t, &Simulation{Subject: opened(t, text), Policies: named(t, "fcfs")})
	if i := slices.IndexFunc(r.Warnings, func(w Warning) bool { return w.Kind == WarnOverload }); i < 0 ||
		strings.Join(r.Warnings[i].Names, " ") != "fcfs small" {
		t.Errorf("warnings %v", r.Warnings)
	}
	if got := []float64{float64(r.Pools[0].Load), float64(r.Pools[1].Load)}; math.Abs(got[0]-8./30) > 1e-9 || math.Abs(got[1]-4) > 1e-9 {
		t.Errorf("loads %v", got)
	}
	if u := r.Policies[0].InPools[1].Get("utilization").Mean; u < 0.99 {
		t.Errorf("the small pool is used to %g", u)
	}
}

// TestPolicyOfPool: a pool shows the policy that it has of its own, and a change that names the
// unit of a pool is refused with the way to name the pool.
func TestPolicyOfPool(t *testing.T) {
	s := opened(t, "load: 0.5\npools: [{name: a, units: 4, unit: gpu, policy: conservative}, "+
		"{name: b, units: 4, unit: core}]\n"+
		"simulation: {jobs: 50}\nclasses: [{name: x, pool: a, length: {mean: 10, sd: 1}, price: 1}]\n")
	if list := newResult(s, 1, false).Pools; list[0].Policy != "conservative" || list[1].Policy != "" {
		t.Errorf("pools %+v", list)
	}
	for _, arg := range []string{"nodes=+16", "gpus=+16", "cores=+16"} {
		if _, err := ParseChange(s, arg); err == nil || !strings.Contains(err.Error(), "as in pools.a=+16") {
			t.Errorf("%s: %v", arg, err)
		}
	}
}
