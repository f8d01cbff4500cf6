package workload

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat"

	"revopt/model"
	"revopt/simulate"
)

// site writes a trace of a known process: users that are present in all weeks, with
// sessions by a profile of the week, a stated number of jobs in each, three kinds of
// job that repeat with a stated chance, and lognormal lengths with a stated correlation
// of neighbors of one kind.
func site(t testing.TB, users, jobs int, weeks, sessions, repeat, rho float64, seed uint64) (string, []float64) {
	t.Helper()
	hours := make([]float64, 168)
	for i := range hours {
		hours[i] = (1.2 + math.Cos(2*math.Pi*float64(i%24-14)/24)) * (1 - 0.1*float64(i/24))
	}
	var all []Record
	for u := range users {
		r := simulate.Stream(seed, 0, "site", u)
		p := process(t, model.Arrivals{Kind: model.ArriveProfile, Hours: hours}, sessions/week, u+int(seed)*1000)
		var z [3]float64
		for k := range z {
			z[k] = r.NormFloat64()
		}
		kind := 0
		for at := p.Next(0); at < weeks*week; at = p.Next(at) {
			submit := at
			for range jobs {
				if r.Float64() >= repeat {
					kind = r.IntN(3)
				}
				z[kind] = rho*z[kind] + math.Sqrt(1-rho*rho)*r.NormFloat64()
				all = append(all, Record{
					SubmitTime: submit, RunTime: 100 * math.Exp(z[kind]), Allocated: 1,
					Requested: float64(int(1) << kind), RequestedTime: 3600, Status: 1, User: float64(u + 1),
					Group: 1, Executable: -1, Queue: -1, Partition: -1,
				})
				submit += 10 * r.ExpFloat64()
			}
		}
	}
	slices.SortStableFunc(all, func(a, b Record) int {
		if a[SubmitTime] < b[SubmitTime] {
			return -1
		}
		return 1
	})
	return traceOf(t, all, "; MaxProcs: 64", "; UnixStartTime: 946857600", "; TimeZone: 0"), hours
}

func traceOf(t testing.TB, all []Record, header ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "site.swf")
	f := must(os.Create(path))
	var list kept
	for i := range all {
		list = append(list, &all[i])
	}
	if err := errors.Join(WriteSWF(t.Context(), f, header, &list, nil), f.Close()); err != nil {
		t.Fatal(err)
	}
	return path
}

func fitLike(t testing.TB, path string) *Like {
	t.Helper()
	return must(FitLike(t.Context(), Selection{File: path}))
}

// TestLikeOdd: traces of few jobs, without users, of one processor, in bursts, of a crowd, without
// estimates all have a model; its jobs are in order and within the span, there are
// as many as asked for, and they fit the machine.
func TestLikeOdd(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 1))
	make := func(n int, of func(i int, r *Record)) []Record {
		all := make([]Record, n)
		for i := range all {
			all[i] = Record{SubmitTime: float64(i * 700), RunTime: 100, Allocated: 1, Requested: 1, RequestedTime: 600, Status: 1, User: -1, Group: -1, Executable: -1, Queue: -1, Partition: -1}
			of(i, &all[i])
		}
		return all
	}
	for name, all := range map[string][]Record{
		"two":      make(2, func(int, *Record) {}),
		"serial":   make(500, func(i int, r *Record) { r[RunTime] = 1 + 1000*rnd.Float64() }),
		"widths":   make(500, func(i int, r *Record) { r[Requested], r[User] = float64(1+i%7), -1 }),
		"groups":   make(300, func(i int, r *Record) { r[Group] = float64(i % 5) }),
		"bursts":   make(400, func(i int, r *Record) { r[SubmitTime], r[User] = float64(i/100*86400*3), float64(i%3) }),
		"unrun":    make(300, func(i int, r *Record) { r[RunTime], r[User] = -1, float64(i%3) }),
		"blind":    make(300, func(i int, r *Record) { r[RequestedTime], r[User], r[RunTime] = -1, float64(i%9), 5.5 }),
		"hour":     make(60, func(i int, r *Record) { r[SubmitTime], r[User] = float64(i*50), float64(i%4) }),
		"decades":  make(4, func(i int, r *Record) { r[SubmitTime], r[User] = float64(i)*5e8, float64(i%3) }),
		"one user": make(3000, func(i int, r *Record) { r[User] = 7 }),
	} {
		m := fitLike(t, traceOf(t, all))
		for _, span := range []float64{m.Span, 3 * m.Span, m.Span / 10} {
			last, n := 0.0, 0
			g := m.Generate(span, 5, 0)
			for r := (Record{}); ; n++ {
				if ok, err := g.Next(&r); err != nil || !ok {
					break
				}
				if r[SubmitTime] < last || r[SubmitTime] >= span || r[Requested] < 1 || r[Requested] > 7 || r[RunTime] == 0 || math.IsNaN(r[RunTime]) || r[RunTime] > 1001 {
					t.Fatalf("%s: job %v after one at %g", name, r, last)
				}
				last = r[SubmitTime]
			}
			if want := float64(m.Jobs) * span / m.Span; name != "two" && (float64(n) < want/3-30 || float64(n) > want*3+30) {
				t.Errorf("%s: %d jobs in %g s, expected about %g", name, n, span, want)
			}
		}
		jobs, span, err := m.Take(t.Context(), 250, 5, 0)
		n := 0
		for r := (Record{}); err == nil; n++ {
			var ok bool
			if ok, err = jobs.Next(&r); !ok {
				break
			}
		}
		if err != nil || n != 250 || !(span > 0) {
			t.Errorf("%s: %d of 250 jobs in %g s: %v", name, n, span, err)
		}
		if _, err := m.Figures(t.Context(), m.Span, 3, 1); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		// Memory follows the jobs that come next, not the span.
		if ok, err := m.Generate(1e12*m.Span, 1, 0).Next(new(Record)); !ok || err != nil {
			t.Errorf("%s: no job in a long time: %v", name, err)
		}
	}
	far := func(i int, r *Record) { r[SubmitTime] = float64(i * i * i * 1e11) }
	if _, err := FitLike(t.Context(), Selection{File: traceOf(t, make(3, far))}); err == nil || !strings.HasSuffix(err.Error(),
		":2: field 2 (submit time): expected a time at most 50 years after the first job, got 100000000000 s after it") {
		t.Errorf("3000 years: %v", err)
	}
	if _, err := FitLike(t.Context(), Selection{File: traceOf(t, make(3, func(i int, r *Record) { r[SubmitTime] = 5 }))}); err == nil {
		t.Error("jobs at one time: no error")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := FitLike(ctx, Selection{File: traceOf(t, make(9, func(int, *Record) {}))}); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: %v", err)
	}
}

// TestLikeSeeds: the same seed and replication are the same jobs, others are others.
func TestLikeSeeds(t *testing.T) {
	path, _ := site(t, 5, 4, 9, 3, 0.5, 0.3, 3)
	m := fitLike(t, path)
	text := func(seed uint64, replication int) string {
		var all []Record
		g := m.Generate(m.Span, seed, replication)
		for r := (Record{}); ; {
			if ok, _ := g.Next(&r); !ok {
				return fmt.Sprint(all)
			}
			all = append(all, r)
		}
	}
	if a := text(1, 0); a != text(1, 0) || a == text(2, 0) || a == text(1, 1) {
		t.Error("seeds and replications do not tell traces apart, or do not repeat them")
	}
}

// TestTwoSample: the distance of two samples by its definition, at every point.
func TestTwoSample(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	for range 200 {
		a, b := make([]float64, 1+rnd.IntN(8)), make([]float64, 1+rnd.IntN(8))
		for _, x := range [][]float64{a, b} {
			for i := range x {
				x[i] = float64(rnd.IntN(5))
			}
			slices.Sort(x)
		}
		var want float64
		for at := -1.; at < 6; at++ {
			below := func(x []float64) (n float64) {
				for _, v := range x {
					if v <= at {
						n++
					}
				}
				return n / float64(len(x))
			}
			want = max(want, math.Abs(below(a)-below(b)))
		}
		if got := twoSample(a, b); math.Abs(got-want) > 1e-12 {
			t.Fatalf("%v and %v: %g, want %g", a, b, got, want)
		}
	}
	if got := autocorrelation([]float64{1, 2, 1, 2, 1, 2}, 1); math.Abs(got+1) > 1e-12 {
		t.Errorf("a series that alternates: %g", got)
	}
	if got := quantile([]float64{-1, 2, 4}, 0.5); got != 2 {
		t.Errorf("median %g", got)
	}
}

// TestPaced: bursts and renewals in the time of a profile keep the rate, and their jobs by
// hour follow the weights.
func TestPaced(t *testing.T) {
	hours := make([]float64, 24)
	for i := range hours {
		hours[i] = float64(i % 8)
	}
	for _, a := range []model.Arrivals{{Kind: model.ArriveRenewal, CV: 2, Hours: hours}, {Kind: model.ArriveBursts, On: 600, Off: 1800, Ratio: 9, Hours: hours}} {
		const rate, until = 0.02, 400 * day
		got, n := make([]float64, 24), 0.0
		p := process(t, a, rate, 0)
		for at := p.Next(0); at < until; at = p.Next(at) {
			got[int(at/hour)%24]++
			n++
		}
		if math.Abs(n/(rate*until)-1) > 0.02 {
			t.Errorf("%v: %g jobs, want %g", a, n, rate*until)
		}
		if c := stat.Correlation(got, hours, nil); c < 0.99 || got[0]+got[8]+got[16] > 0 {
			t.Errorf("%v: jobs by hour correlate by %g with the weights: %v", a, c, got)
		}
	}
}
