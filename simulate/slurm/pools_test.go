package slurm

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"revopt/simulate/workload"
)

// plainJob is a job of a random log, in seconds of a day.
type plainJob struct {
	submit, start, end, cores, gpus int
	partition                       string
}

// poolLog makes a log of jobs. Partition c has mostly jobs with GPUs, the others few.
func poolLog(rng *rand.Rand, starts bool) (string, []plainJob) {
	var b strings.Builder
	fmt.Fprintln(&b, "JobID|Partition|Submit|Start|End|ElapsedRaw|ReqTRES|AllocTRES|State")
	var jobs []plainJob
	clock := func(t int) string { return fmt.Sprintf("2026-01-01T%02d:%02d:%02d", t/3600, t/60%60, t%60) }
	for i := range 60 {
		j := plainJob{submit: rng.IntN(3000), cores: 1 + rng.IntN(8), partition: string("abc"[rng.IntN(3)])}
		if holds := rng.IntN(10) < 2; holds != (j.partition == "c") {
			j.gpus = 1 + rng.IntN(4)
		}
		j.start = j.submit + rng.IntN(300)
		j.end = j.start + 1 + rng.IntN(2000)
		tres := fmt.Sprintf("cpu=%d,node=1", j.cores)
		if j.gpus > 0 {
			tres += fmt.Sprintf(",gres/gpu:x=%d", j.gpus)
		}
		start, end := clock(j.start), clock(j.end)
		if !starts {
			start, end, j.end, j.start = "", "", j.submit+j.end-j.start, j.submit
		}
		fmt.Fprintf(&b, "%d|%s|%s|%s|%s|%d|%s|%[7]s|COMPLETED\n",
			i+1, j.partition, clock(j.submit), start, end, j.end-j.start, tres)
		jobs = append(jobs, j)
	}
	return b.String(), jobs
}

// TestImportPools compares the pools of random logs with sums over all jobs at every start.
func TestImportPools(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	for i := range 12 {
		log, jobs := poolLog(rng, i%2 == 0)
		surplus := map[string]int{} // of the jobs with GPUs over those without
		for _, j := range jobs {
			surplus[j.partition] += 2*min(j.gpus, 1) - 1
		}
		for _, rule := range []PoolRule{PerPartition, PerGPU} {
			m, records, text, err := imported(t, log, ImportOptions{Pools: rule})
			if err != nil {
				t.Fatal(err)
			}
			poolOf := func(j plainJob) (name, unit string, units int) {
				switch {
				case rule == PerGPU && j.gpus > 0:
					return "gpu", "gpu", j.gpus
				case rule == PerGPU:
					return "cpu", "core", j.cores
				case surplus[j.partition] > 0:
					return j.partition, "gpu", max(j.gpus, 1)
				}
				return j.partition, "core", j.cores
			}
			want := map[string]Pool{}
			for _, j := range jobs {
				name, unit, _ := poolOf(j)
				p, busy := want[name], 0
				for _, k := range jobs {
					if other, _, units := poolOf(k); other == name && k.start <= j.start && j.start < k.end {
						busy += units
					}
				}
				want[name] = Pool{Units: max(p.Units, busy), Unit: unit, Jobs: p.Jobs + 1}
			}
			numbers := m.Header.Names()["partition"]
			mixed := slices.ContainsFunc(m.Pools, func(p Pool) bool { return p.Unit != m.Pools[0].Unit })
			for _, p := range m.Pools {
				w := want[p.Name]
				if p.Units != w.Units || p.Unit != w.Unit || p.Jobs != w.Jobs || p.Started != (i%2 == 0) {
					t.Errorf("--pools %s: got %+v, want %+v", rule, p, w)
				}
				line := fmt.Sprintf("; PoolUnit: %d %s\n", numbers[p.Name], p.Unit)
				if mixed != strings.Contains(text, line) {
					t.Errorf("the header has %s: %t, want %t", line, !mixed, mixed)
				}
			}
			if len(m.Pools) != len(want) {
				t.Errorf("--pools %s: %d pools, want %d", rule, len(m.Pools), len(want))
			}
			for _, r := range records {
				name, _, units := poolOf(jobs[int(r[workload.JobNumber])-1])
				if r[workload.Allocated] != float64(units) || numbers[name] != int(r[workload.Partition]) {
					t.Errorf("--pools %s: job %g has %g units, want %d in %s", rule, r[workload.JobNumber],
						r[workload.Allocated], units, name)
				}
			}
			// The trace has the same pools as the log.
			again, _, _, err := imported(t, text, ImportOptions{Pools: Proposed})
			if err != nil {
				t.Fatal(err)
			}
			if a, b := fmt.Sprint(facts(again)), fmt.Sprint(facts(m)); a != b {
				t.Errorf("got %s again, want %s", a, b)
			}
		}
	}
}

// facts returns the pools of an import.
func facts(m *Imported) (list []string) {
	for _, p := range m.Pools {
		list = append(list, fmt.Sprintf("%s=%s:%d %s %d", p.Name, p.Party, p.Units, p.Unit, p.Jobs))
	}
	return list
}

// TestImportPoolNames reads logs with lists of partitions, odd names and none.
func TestImportPoolNames(t *testing.T) {
	head := "JobID|Partition|Submit|Start|End|NCPUS|State\n"
	row := func(id int, partition string) string {
		return fmt.Sprintf("%d|%s|%[3]s:00|%[3]s:00|%[3]s:59|%[1]d|COMPLETED\n", id, partition, "2026-01-01T08:00")
	}
	log := head + row(1, "b,a.q") + row(2, "a.q") + row(4, "a-q") + row(8, "") + row(16, "b,z")
	for _, test := range []struct {
		options ImportOptions
		want    []string
		header  string
	}{
		{ImportOptions{Pools: PerPartition},
			[]string{"b=b:17 core 2", "a-q=a.q:2 core 1", "the a-q=a-q:4 core 1", "others=others:8 core 1"},
			"; Partition: 1 b\n; Partition: 2 b,a.q\n; Partition: 3 a.q\n; Partition: 4 a-q\n; Partition: 5 b,z\n"},
		{ImportOptions{Pools: PerPartition, Anonymize: true},
			[]string{"p1=p1:17 core 2", "p2=p2:2 core 1", "p3=p3:4 core 1", "others=others:8 core 1"},
			"; Partition: 1 p1\n; Partition: 2 p2\n; Partition: 3 p3\n1 0 "},
		{ImportOptions{Pools: PerPartition, Partition: "a-q"}, []string{"a-q=a-q:4 core 1"}, "; Partition: 4 a-q\n"},
		{ImportOptions{Pools: Proposed, Partition: "a-q"}, nil, "; Partition: 4 a-q\n"},
	} {
		m, _, text, err := imported(t, log, test.options)
		if err != nil {
			t.Fatal(err)
		}
		if got := facts(m); !slices.Equal(got, test.want) || !strings.Contains(text, test.header) {
			t.Errorf("got %v, want %v in\n%s", got, test.want, text)
		}
		if len(m.Warnings) > 0 {
			t.Errorf("warnings %v", m.Warnings)
		}
	}
	want := "log:6: expected jobs that hold GPUs, for --pools gpu, got none"
	if _, _, _, err := imported(t, log, ImportOptions{Pools: PerGPU}); err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// TestImportPoolLists reads a log in which jobs may run in several partitions, and its trace.
func TestImportPoolLists(t *testing.T) {
	log := "JobID|Partition|Submit|Start|End|AllocTRES|State\n"
	for i, row := range []string{"gpu|cpu=8,gres/gpu=2", "gpu|cpu=1", "gpu|cpu=8,gres/gpu=4", "gpu,cpu|cpu=3",
		"gpu,cpu|cpu=3", "cpu|cpu=5", "cpu,gpu|cpu=1,gres/gpu=1", "cpu,gpu|cpu=1,gres/gpu=1", "|cpu=7"} {
		partition, tres, _ := strings.Cut(row, "|")
		log += fmt.Sprintf("%d|%s|%[3]s:00|%[3]s:00|%[3]s:59|%[4]s|COMPLETED\n", i+1, partition, "2026-01-01T08:00", tres)
	}
	warning := "jobs that hold no GPU count as one GPU in pools that count GPUs: 3 in gpu"
	want := "[gpu=gpu:9 gpu 5 cpu=cpu:7 core 3 others=others:7 core 1]"
	m, _, trace, err := imported(t, log, ImportOptions{Pools: PerPartition})
	if err != nil || fmt.Sprint(facts(m)) != want || len(m.Warnings) == 0 || m.Warnings[0].Text != warning {
		t.Errorf("got %v, %v, %v, want %s", facts(m), m.Warnings, err, want)
	}
	if m, _, _, err = imported(t, trace, ImportOptions{Pools: PerPartition}); err != nil || fmt.Sprint(facts(m)) != want {
		t.Errorf("got %v of the trace, %v, want %s", facts(m), err, want)
	}
	hidden := strings.NewReplacer("gpu=gpu", "p1=p1", "cpu=cpu", "p2=p2").Replace(want)
	if m, _, _, err = imported(t, trace, ImportOptions{Pools: PerPartition, Anonymize: true}); err != nil ||
		fmt.Sprint(facts(m)) != hidden || len(m.Header.PoolUnits()) != 2 {
		t.Errorf("got %v without names, %v in %q, want %s", facts(m), err, m.Header.Lines, hidden)
	}
	for _, log := range []string{log, trace} {
		m, _, _, err := imported(t, log, ImportOptions{Pools: PerPartition, Partition: "cpu"})
		if err != nil || len(m.Pools) != 1 || m.Pools[0].Name != "cpu" || m.Pools[0].Jobs != 5 {
			t.Errorf("--partition cpu: got %v, %v, want 5 jobs in cpu", facts(m), err)
		}
	}
}
