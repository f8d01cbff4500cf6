package workload_test

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"revopt/simulate"
	"revopt/simulate/workload"
)

const weekSeconds = 7 * 86400

// resampled loads a trace and draws from it.
func resampled(t testing.TB, path string, o workload.ReplayOptions, r workload.Resampling) (recorded, drawn *workload.Replay) {
	t.Helper()
	trace := must(workload.Load(context.Background(), workload.Selection{File: path}, 1))
	recorded = must(workload.NewReplay(context.Background(), trace, o, 1))
	drawn = must(recorded.Resample(context.Background(), r))
	return recorded, drawn
}

// jobsOf returns the jobs of a replication.
func jobsOf(t testing.TB, w *workload.Replay, replication int) []simulate.Job {
	t.Helper()
	s := must(w.Jobs(1, replication))
	return drain(t, s)
}

// userLine is a job of a user.
func userLine(submit, run, width float64, user, group int) string {
	r := workload.Record{1, submit, -1, run, width, -1, -1, width, 2 * run, -1, 1, float64(user), float64(group), 1, 1, -1, -1, -1}
	return string(r.AppendText(nil))
}

// userTrace is nine weeks and a half of jobs of a dozen users, two of them unknown,
// of whom some come for a few weeks. The length of a job tells it from all others.
// At time 0 it is Friday, four in the afternoon by local time.
func userTrace(t testing.TB) string {
	lots := rand.New(rand.NewPCG(1, 2))
	var submits []float64
	for range 1500 {
		submits = append(submits, float64(lots.IntN(19*weekSeconds/2)))
	}
	slices.Sort(submits)
	submits[0] = 0
	lines := []string{"; MaxProcs: 16", "; UnixStartTime: 946670400", "; TimeZone: -14400"} // December 31, 1999, 20:00 UTC
	for i, x := range submits {
		user, group := lots.IntN(12), 1+lots.IntN(2)
		if first := user % 6; user >= 6 && (x < float64(first)*weekSeconds || x > float64(first+2)*weekSeconds) {
			user = 3
		}
		if user == 0 {
			user = -1
		}
		lines = append(lines, userLine(x, float64(1+i), 1+float64(lots.IntN(16)), user, group))
	}
	return write(t, lines...)
}

// TestResampledJobs checks that every job that is drawn is one of the trace at the
// same time of the week, and that the jobs of a user in a calendar week come all
// together or not at all, but for the ends of the span.
func TestResampledJobs(t *testing.T) {
	const age = 4*86400 + 16*3600 // of the week at time 0
	for _, own := range []float64{-1, 0, 1} {
		recorded, drawn := resampled(t, userTrace(t), workload.ReplayOptions{}, workload.Resampling{Own: own})
		all := jobsOf(t, recorded, 0)
		type cell struct{ user, group, week int }
		user := func(j *simulate.Job) cell {
			if d := j.Spec.Details; d.User > 0 {
				return cell{user: d.User}
			}
			return cell{group: j.Spec.Details.Group}
		}
		sizes := map[cell]int{} // of the user-weeks of the trace
		at := func(j *simulate.Job, zero float64) (int, float64) {
			x := j.Submit + zero
			return int(math.Floor(x / weekSeconds)), x - math.Floor(x/weekSeconds)*weekSeconds
		}
		for i := range all {
			c := user(&all[i])
			c.week, _ = at(&all[i], age)
			sizes[c]++
		}
		last := all[len(all)-1].Submit
		for k := range 20 {
			jobs := jobsOf(t, drawn, k)
			source := func(j *simulate.Job) *simulate.Job { return &all[int(j.Work)-1] }
			_, begin := at(source(&jobs[0]), age)
			type instance struct{ from, to cell }
			seen := map[instance]int{}
			for i := range jobs {
				j, was := &jobs[i], source(&jobs[i])
				if user(j) != user(was) || j.Width != was.Width || j.Spec.Details.Estimate != was.Spec.Details.Estimate {
					t.Fatalf("replication %d: %+v is not the job %+v", k, j, was)
				}
				week, x := at(j, begin)
				from, y := at(was, age)
				if math.Abs(x-y) > 1e-6 {
					t.Fatalf("replication %d: job %g of time of week %g at %g", k, j.Work, y, x)
				}
				if i > 0 && j.Submit < jobs[i-1].Submit {
					t.Fatalf("replication %d: out of order", k)
				}
				a, b := user(was), user(j)
				a.week, b.week = from, week
				seen[instance{a, b}]++
			}
			if span := jobs[len(jobs)-1].Submit; span > last {
				t.Errorf("replication %d: %g s, the trace has %g", k, span, last)
			}
			end, _ := at(&jobs[len(jobs)-1], begin)
			for s, n := range seen {
				// The first and the last week of the trace make one, and so are not whole.
				if s.to.week > 0 && s.to.week < end && s.from.week > 0 && s.from.week < 10 && n%sizes[s.from] != 0 {
					t.Errorf("own %g, replication %d: %d jobs of %v in week %d, the trace has %d together", own, k, n, s.from, s.to.week, sizes[s.from])
				}
			}
		}
	}
}

// TestResampledRepetition checks that a trace of equal weeks is drawn as it is,
// with the arrival delay factor, and a longer span likewise.
func TestResampledRepetition(t *testing.T) {
	lines := []string{"; MaxProcs: 16"}
	for week := range 6 {
		for i := range 40 {
			lines = append(lines, userLine(float64(week*weekSeconds+9*3600+i*11000), 100+float64(i), 1+float64(i%16), 1+i%5, 1))
		}
	}
	options := workload.ReplayOptions{Delay: 0.5}
	recorded, drawn := resampled(t, write(t, lines...), options, workload.Resampling{})
	for _, own := range []float64{-1, 1} {
		if own > 0 {
			_, drawn = resampled(t, write(t, lines...), options, workload.Resampling{Own: own})
		}
		for k := range 3 {
			want, got := jobsOf(t, recorded, 0), jobsOf(t, drawn, k)
			if len(want) != len(got) {
				t.Fatalf("%d jobs, want %d", len(got), len(want))
			}
			for i := range want {
				if a, b := got[i], want[i]; a.Submit != b.Submit || a.Work != b.Work || a.Width != b.Width || a.Spec != b.Spec {
					t.Fatalf("job %d: %+v, want %+v", i, a, b)
				}
			}
		}
	}
	_, drawn = resampled(t, write(t, lines...), options, workload.Resampling{Span: 5 * weekSeconds}) // ten recorded weeks
	if n := len(jobsOf(t, drawn, 0)); n != 400 && n != 401 {
		t.Errorf("%d jobs in ten weeks, want 400", n)
	}
	if span, weeks, users := drawn.Resampled(); span != 5*weekSeconds || weeks != 6 || users != 5 {
		t.Errorf("%g s, %d weeks, %d users", span, weeks, users)
	}
}

// TestResampledWork checks that the expected work of a span is that of the trace,
// whoever lives on their own.
func TestResampledWork(t *testing.T) {
	lots := rand.New(rand.NewPCG(3, 4))
	lines := []string{"; MaxProcs: 16"}
	var want float64
	for week := range 8 {
		for day := range 7 {
			for hour := range 24 {
				user := 1 + lots.IntN(10)
				if user > 5 && week/2 != user%4 { // comes for two weeks
					continue
				}
				run := 1000 * lots.ExpFloat64()
				run = math.Ceil(run)
				lines = append(lines, userLine(float64(((week*7+day)*24+hour)*3600), run, 1+float64(user), user, 1))
				want += run * (1 + float64(user)) / 8
			}
		}
	}
	path := write(t, lines...)
	for _, own := range []float64{-1, 0, 1} {
		_, drawn := resampled(t, path, workload.ReplayOptions{}, workload.Resampling{Own: own, Span: 4*weekSeconds - 1})
		const n = 250
		var sum, squares float64
		for k := range n {
			var x float64
			for _, j := range jobsOf(t, drawn, k) {
				x += j.Work * float64(j.Width) / 4
			}
			sum += x
			squares += x * x
		}
		mean := sum / n
		if se := math.Sqrt((squares/n - mean*mean) / n); math.Abs(mean-want) > 4*se {
			t.Errorf("own %g: %g ± %g of work a week, want %g", own, mean, se, want)
		}
	}
}
