package workload_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"io"
	"os"
	"testing"

	"revopt/simulate"
	"revopt/simulate/workload"
)

func BenchmarkReader(b *testing.B) {
	data, err := os.ReadFile(sp2Trace(b))
	if err != nil {
		b.Fatal(err)
	}
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		b.Fatal(err)
	}
	plain, err := io.ReadAll(z)
	if err != nil {
		b.Fatal(err)
	}
	for name, data := range map[string][]byte{"gzip": data, "plain": plain} {
		b.Run(name, func(b *testing.B) {
			n := 0
			for b.Loop() {
				r, err := workload.NewReader(name, bytes.NewReader(data))
				if err != nil {
					b.Fatal(err)
				}
				var rec workload.Record
				for ok := true; ok; n++ {
					if ok, err = r.Next(&rec); err != nil {
						b.Fatal(err)
					}
				}
			}
			b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "jobs/s")
		})
	}
}

// BenchmarkJobs is the source of the last 5000 jobs with QoS.
func BenchmarkJobs(b *testing.B) {
	trace, err := workload.Load(context.Background(), workload.Selection{File: sp2Trace(b), Subset: workload.Subset{Last: 5000}}, 1)
	if err != nil {
		b.Fatal(err)
	}
	w, err := workload.NewReplay(context.Background(), trace, workload.ReplayOptions{Delay: 0.5, QoS: tableI()}, 1)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		jobs, err := w.Jobs(1, 0)
		if err != nil {
			b.Fatal(err)
		}
		var j simulate.Job
		for ok := true; ok; {
			ok, _ = jobs.Next(&j)
		}
	}
	b.ReportMetric(5000*float64(b.N)/b.Elapsed().Seconds(), "jobs/s")
}
