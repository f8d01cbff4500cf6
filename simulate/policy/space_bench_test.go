package policy_test

import (
	"context"
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"testing"

	"revopt/simulate"
)

// spaceSharing are the policies on dedicated processors.
var spaceSharing = []string{"fifo", "fcfs-bf", "sjf-bf", "edf-bf", "easy", "conservative"}

// synthetic returns jobs for 128 processors at a load of about 0.7: widths are
// powers of two, runtimes lognormal, estimates up to ten times too long or,
// now and then, too short.
func synthetic(n int) []submission {
	rnd := rand.New(rand.NewPCG(1, 2))
	jobs := make([]submission, n)
	at := 0.0
	for i := range jobs {
		at += rnd.ExpFloat64() * 1000
		r := math.Round(1 + 1500*math.Exp(1.3*rnd.NormFloat64()))
		jobs[i] = submission{at: at, runtime: r, estimate: math.Round(r * (0.9 + 9*rnd.Float64()*rnd.Float64())), width: 1 << rnd.IntN(7)}
	}
	return withDeadlines(jobs)
}

// withDeadlines gives every job a deadline of 2 to 10 runtimes.
func withDeadlines(jobs []submission) []submission {
	rnd := rand.New(rand.NewPCG(3, 4))
	for i := range jobs {
		jobs[i].deadline = jobs[i].runtime * (2 + 8*rnd.Float64())
	}
	return jobs
}

// plainly runs jobs with no observer.
func plainly(tb testing.TB, name string, jobs []submission) {
	_, err := simulate.Run(context.Background(), simulate.Config{
		Source: &list{jobs: jobs},
		Sites:  []simulate.Site{{Processors: 128, Policy: named(tb, name, nil)}},
	})
	if err != nil {
		tb.Fatal(err)
	}
}

// BenchmarkSpace runs the whole SDSC SP2 trace, or as many synthetic jobs where
// it is missing.
func BenchmarkSpace(b *testing.B) {
	jobs, label := synthetic(54_034), "synthetic"
	if _, err := os.Stat(sp2Path); err == nil {
		jobs, label = withDeadlines(sp2(b, drop)), "sp2"
	}
	for _, name := range spaceSharing {
		b.Run(label+"/"+name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				plainly(b, name, jobs)
			}
			b.ReportMetric(float64(len(jobs)*b.N)/b.Elapsed().Seconds(), "jobs/s")
		})
	}
}

// TestSpaceNoAllocationPerJob compares a run with another that is five times as long.
func TestSpaceNoAllocationPerJob(t *testing.T) {
	jobs := synthetic(40_000)
	for _, name := range spaceSharing {
		count := func(n int) (objects, bytes uint64) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			plainly(t, name, jobs[:n])
			runtime.ReadMemStats(&after)
			return after.Mallocs - before.Mallocs, after.TotalAlloc - before.TotalAlloc
		}
		objects, bytes := count(8_000)
		more, larger := count(40_000)
		// A longer run meets a longer queue now and then and grows a table.
		if more > objects+50 || larger > bytes+100_000 {
			t.Errorf("%s: %d objects of %d bytes for 8,000 jobs, %d of %d for 40,000", name, objects, bytes, more, larger)
		}
	}
}
