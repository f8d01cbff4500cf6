package ask

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"revopt/internal/text"
	"revopt/simulate/policy"
	"revopt/simulate/policy/catalog"
	"revopt/simulate/slurm"
)

// TestSample: the stretches of a sample have the decisions that the replay of the whole log has.
func TestSample(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	var jobs []slurm.LoggedJob
	var free []float64 // times at which units become free, one for each unit
	for range 16 {
		free = append(free, 0)
	}
	for n := range 1500 {
		i := n/10*10 + n*7%10 // not in the order of submission
		j := slurm.LoggedJob{Number: int64(i + 1), Submit: float64(60 * i), Width: 1 + rng.IntN(6)}
		slices.Sort(free)
		j.Start = max(j.Submit, free[j.Width-1]+float64(rng.IntN(30)))
		j.End = j.Start + float64(1+rng.IntN(700))
		j.Estimate = 2 * (j.End - j.Start)
		for k := range j.Width {
			free[k] = j.End
		}
		jobs = append(jobs, j)
	}
	for _, name := range []string{"easy", "fcfs"} {
		spec, err := policy.Lookup(catalog.Standard(), name)
		if err != nil {
			t.Fatal(err)
		}
		settings, _ := spec.Resolve(nil)
		r := slurm.LogReplay{Jobs: jobs, Nodes: 16, Policy: spec, Settings: settings, Tolerance: 2}
		all, err := r.Run(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		compared, stretches := Stretches(len(jobs))
		want := compared
		for _, d := range all.Denied {
			k := text.Count(text.Numbers(stretches), func(k int) bool {
				first := int64(k*(len(jobs)-compared/stretches)/(stretches-1)) + 1
				return first <= d.Job.Number && d.Job.Number < first+int64(compared/stretches)
			})
			want -= k
		}
		got, err := Sample(context.Background(), r)
		if err != nil || got.Starts != compared || got.Allowed != want || want == 0 || want == compared {
			t.Errorf("%s: %d of %d starts, %v, want %d of %d", name, got.Allowed, got.Starts, err, want, compared)
		}
		if whole, err := r.Waits(context.Background()); err != nil || whole != got.Waits {
			t.Errorf("%s: waits %v, want %v, %v", name, got.Waits, whole, err)
		}
	}
}
