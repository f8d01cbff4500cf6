package slurm

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// tracedJob is a job of a random trace.
type tracedJob struct{ submit, wait, run, width, partition int }

// partitionTrace writes jobs as a trace whose header states the size of the machine and names partitions.
func partitionTrace(size int, names []string, jobs []tracedJob) string {
	var b strings.Builder
	fmt.Fprintf(&b, "; MaxProcs: %d\n", size)
	for i, name := range names {
		fmt.Fprintf(&b, "; Partition: %d %s\n", i+1, name)
	}
	for i, j := range jobs {
		fmt.Fprintf(&b, "%d %d %d %d %d -1 -1 %[5]d 9000 -1 1 1 1 1 1 %d -1 -1\n", i+1, j.submit, j.wait, j.run, j.width,
			j.partition+1)
	}
	return b.String()
}

// TestProposedMachine: proposed pools never have more units than the header states, and none is smaller than what its
// partitions had in use at one time, unless the log itself exceeds the header.
func TestProposedMachine(t *testing.T) {
	rng := rand.New(rand.NewPCG(44, 4))
	merged, apart := 0, 0
	for range 60 {
		partitions := 2 + rng.IntN(4)
		names := []string{"a", "b", "c", "d", "e"}[:partitions]
		var jobs []tracedJob
		for i := range 30 * partitions {
			jobs = append(jobs, tracedJob{100 * i, rng.IntN(50), 1 + rng.IntN(4000), 1 + rng.IntN(16), rng.IntN(partitions)})
		}
		peak := func(of []string) (most int) { // by the jobs that run at every start
			for _, j := range jobs {
				busy := 0
				for _, k := range jobs {
					from, at := k.submit+k.wait, j.submit+j.wait
					if slices.Contains(of, names[k.partition]) && from <= at && at < from+k.run {
						busy += k.width
					}
				}
				most = max(most, busy)
			}
			return most
		}
		sum := 0
		for _, name := range names {
			sum += peak([]string{name})
		}
		all := peak(names)
		size := all + rng.IntN(2*(sum-all)+1)
		m, _, _, err := imported(t, partitionTrace(size, names, jobs), ImportOptions{Pools: Proposed})
		if err != nil {
			t.Fatal(err)
		}
		total := 0
		for _, p := range m.Pools {
			parties := p.Parties
			if parties == nil {
				parties = []string{p.Party}
			}
			total += p.Units
			if want := peak(parties); p.Units != want {
				t.Errorf("pool %v has %d units, want %d", parties, p.Units, want)
			}
		}
		switch {
		case total > size || len(m.Pools) == 1:
			t.Errorf("%d pools of %d units on a machine of %d", len(m.Pools), total, size)
		case sum <= size && len(m.Pools) != partitions:
			t.Errorf("%d pools for %d partitions that fit side by side", len(m.Pools), partitions)
		case sum > size:
			merged++
		default:
			apart++
		}
	}
	if merged < 10 || apart < 10 {
		t.Errorf("%d machines with shared units, %d without", merged, apart)
	}
}

// TestProposedSharing: two partitions on the same nodes are one pool, one on its own nodes stays apart. A log that
// exceeds its header is not divided, and has the size of the header.
func TestProposedSharing(t *testing.T) {
	var jobs []tracedJob
	for i := range 90 { // normal and high take turns on 100 units, fat always has 20
		jobs = append(jobs, tracedJob{1000 * (i / 3), 0, 999, []int{100, 100, 20}[i%3], i % 3})
		if i%3 == 1 {
			jobs[i].submit += 30000
		}
	}
	slices.SortStableFunc(jobs, func(a, b tracedJob) int { return a.submit - b.submit })
	names := []string{"normal", "high", "fat"}
	m, _, _, err := imported(t, partitionTrace(120, names, jobs), ImportOptions{Pools: Proposed})
	want := "[normal=normal:100 core 60 fat=fat:20 core 30]"
	if got := strings.ReplaceAll(fmt.Sprint(facts(m)), "processor", "core"); err != nil || got != want ||
		!slices.Equal(m.Pools[0].Parties, []string{"normal", "high"}) {
		t.Errorf("got %s, %+v, %v, want %s", got, m.Pools, err, want)
	}
	if m, _, _, err = imported(t, partitionTrace(80, names, jobs), ImportOptions{Pools: Proposed}); err != nil ||
		len(m.Pools) > 0 || m.Header.Nodes() != 80 {
		t.Errorf("a log beyond its header: pools %v on %d, %v", facts(m), m.Header.Nodes(), err)
	}
}

// TestProposedSmall: the jobs of a partition with fewer than ten jobs or a thousandth of the work are in the largest pool,
// and so are a few jobs without a partition.
func TestProposedSmall(t *testing.T) {
	for _, tt := range []struct {
		jobs, run, width int
		own              bool
	}{{9, 10000, 4, false}, {10, 10000, 4, true}, {10, 1, 1, false}, {10, 100, 1, false}, {10, 200, 1, true}} {
		var jobs []tracedJob
		for i := range 100 {
			jobs = append(jobs, tracedJob{1000 * i, 0, 1000, 10, i % 2}) // 1e6 in all
		}
		for i := range tt.jobs {
			jobs = append(jobs, tracedJob{200000 + 100000*i, 0, tt.run, tt.width, 2})
		}
		jobs = append(jobs, tracedJob{9e6, 0, 1, 1, -2})
		m, _, _, err := imported(t, partitionTrace(100, []string{"a", "b", "c"}, jobs), ImportOptions{Pools: Proposed})
		if err != nil {
			t.Fatal(err)
		}
		own := slices.ContainsFunc(m.Pools, func(p Pool) bool { return p.Name == "c" })
		last := m.Pools[len(m.Pools)-1]
		if own != tt.own || last.By != "" || last.Jobs < 51 {
			t.Errorf("%+v: got %+v", tt, m.Pools)
		}
	}
}
