package study

import (
	"bufio"
	"compress/gzip"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"revopt/model/scenario"
	"revopt/simulate"
	"revopt/simulate/policy"
)

// logged opens a scenario of a log with two customers by user. %d in a line is the number
// of the job.
func logged(t testing.TB, more string, lines []string, overrides ...scenario.Override) *Subject {
	t.Helper()
	text := "; MaxProcs: 8\n"
	for i, line := range lines {
		if line[0] == ';' {
			text += line + "\n"
			continue
		}
		text += fmt.Sprintf("%d %s\n", i+1, line)
	}
	path := filepath.Join(t.TempDir(), "log.swf")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return opened(t, "trace: {file: "+path+more+`}
classes:
  - {name: industry, of: {user: 1}, price: {per_unit_hour: 2}, decay: {per_hour: 20%}, deadline: {lengths: 1.5}, slo: {within: 10m, level: 90%}}
  - {name: students, price: {per_unit_hour: 1}, decay: {per_hour: 100%}, grace: 10m, max_penalty: 0, expire: zero}
`, overrides...)
}

// job writes the fields of a job after its number.
func job(submit, wait, run float64, allocated, requested, status, user int) string {
	return fmt.Sprintf("%g %g %g %d -1 -1 %d 7200 -1 %d %d 1 1 1 1 -1 -1", submit, wait, run, allocated, requested, status, user)
}

// TestRecorded prices a log by hand. Job 2 ends 900 s late, which costs a twentieth of
// its price; job 3 was canceled while it waited; job 4 failed, and is wider than the
// machine, of which it makes 16 nodes busy; job 5 ran for less than a second, which counts
// as one, after its customer's patience was over: it is 2400 s late.
func TestRecorded(t *testing.T) {
	lines := []string{
		job(1000, 0, 3600, 4, 4, 1, 1), job(1100, 1800, 1800, 6, 6, 1, 1), job(1200, 600, -1, -1, 2, 5, 1),
		job(1300, 100, 360, 12, 12, 0, 2), job(5000, 3000, 0, -1, 1, 1, 2),
	}
	r := run(t, &Simulation{Subject: logged(t, "", lines), Seed: 1})
	if len(r.Policies) != 2 || r.Policies[1].Label != Recorded || r.Policies[1].Policy.Name != Recorded {
		t.Fatalf("rows %v", r.Policies)
	}
	total, industry := r.Policies[1].Total, r.Policies[1].Customers[0]
	value := 8 + 5.7 + 1.2 + 1./3600/3
	for name, want := range map[string]float64{
		"jobs_submitted": 5, "jobs_completed": 4, "jobs_expired": 1, "jobs_rejected": 0, "jobs_given_up": 0, "utility": value,
		"value_per_second": value / 4000, "revenue_per_second": value / 4000, "mean_wait": (1800 + 100 + 3000) / 4.,
	} {
		if got := float64(total.Get(name).Mean); !near(got, want, 1e-12) {
			t.Errorf("%s: %g, want %g", name, got, want)
		}
	}
	if got := float64(industry.Get("promise_kept").Mean); !near(got, 1./3, 1e-12) {
		t.Errorf("promise kept: %g", got)
	}
	if k := slices.IndexFunc(r.Warnings, func(w Warning) bool { return w.Kind == WarnOvercommitted }); k < 0 || !slices.Equal(r.Warnings[k].Numbers, []float64{16, 8}) {
		t.Errorf("warnings %v", r.Warnings)
	}
	v, err := (&Validation{Subject: logged(t, "", lines), Seed: 1, Vary: scenario.Axis{Path: "trace.arrival_delay_factor", Values: []float64{0.5, 1}}}).Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	last := len(v.Policies) - 1
	share := value / float64(v.Validated.Bounds[slices.IndexFunc(v.Validated.Bounds, func(b BoundResult) bool { return b.Best })].Total)
	if row := v.Policies[last]; row.Label != Recorded || !near(float64(row.Validated.Efficiency.Mean), share, 1e-12) || v.Validated.Closest.Label == Recorded {
		t.Errorf("%s earns %v of the bound, want %g; closest %v", row.Label, row.Validated.Efficiency, share, v.Validated.Closest)
	}
	half, own := v.Validated.Points[0].Policies[last], v.Validated.Points[1].Policies[last]
	if half.Label != Recorded || !math.IsNaN(float64(half.Efficiency.Mean)) || own.Label != Recorded || !near(float64(own.Efficiency.Mean), share, 1e-12) {
		t.Errorf("along the axis: %+v, %+v", half, own)
	}
	alone := &Validation{Subject: logged(t, "", lines), Policies: []Policy{PolicyOf(policy.RecordedSpec())}, Seed: 1,
		Vary: scenario.Axis{Path: "trace.arrival_delay_factor", Values: []float64{0.5, 1}}}
	if v, err = alone.Run(t.Context()); err != nil || len(v.Validated.Points) != 1 || v.Validated.Points[0].Value != 1 {
		t.Errorf("alone: %v", err)
	}
}

// TestRecordedLeftOut: with other times, jobs or machines there is no such row, which is
// said once.
func TestRecordedLeftOut(t *testing.T) {
	lines := []string{job(0, 5, 60, 4, 4, 1, 1), job(10, 5, 60, 4, 4, 1, 1)}
	left := func(s *Subject) {
		t.Helper()
		r := run(t, &Simulation{Subject: s, Seed: 1})
		said := slices.DeleteFunc(slices.Clone(r.Warnings), func(w Warning) bool { return w.Kind != WarnUnrecorded })
		if len(r.Policies) != 1 || len(said) != 1 {
			t.Errorf("%d rows, %v", len(r.Policies), r.Warnings)
		}
	}
	left(logged(t, ", arrival_delay_factor: 0.5", lines))
	left(logged(t, ", nodes: 9", lines))
	left(logged(t, "", lines, scenario.Set("growth", 0.2)))
	guess := append([]string{"; Guess: MaxProcs and MaxNodes are the most that were busy"}, lines...)
	left(logged(t, ", nodes: 7", guess))
	if r := run(t, &Simulation{Subject: logged(t, ", nodes: 9", guess), Seed: 1}); len(r.Policies) != 2 ||
		slices.ContainsFunc(r.Warnings, func(w Warning) bool { return w.Kind == WarnOtherMachine }) {
		t.Errorf("a larger machine than was busy: %d rows, %v", len(r.Policies), r.Warnings)
	}
	left(logged(t, "", append(lines, job(20, -1, 60, 4, 4, 1, 1))))
	s := logged(t, "", lines)
	analytic := []Admission{{Name: scenario.AdmitAnalytic}}
	if r := run(t, &Simulation{Subject: s, Admissions: analytic, Seed: 1}); len(r.Policies) != 1 || len(r.Warnings) == 1 {
		t.Errorf("behind an admission: %v, %v", r.Policies, r.Warnings)
	}
	if _, err := (&Simulation{Subject: s, Policies: named(t, Recorded), Admissions: analytic, Seed: 1}).Run(t.Context()); err == nil {
		t.Error("recorded runs behind an admission")
	}
}

// TestRecordedTimes compares the starts and ends of random logs with their lines, under
// all rules of cleaning, and audits the runs.
func TestRecordedTimes(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 7))
	for _, rule := range []string{"keep", "reject", "drop"} {
		lines := []string{job(0, 0, 60, 1, 1, 1, 1)} // so that times begin with it
		want := map[int64][2]float64{0: {0, 60}}     // start and end; the end of a job that never ran is NaN
		submit, id := 0.0, int64(1)
		for range 300 {
			wait, length, status := float64(random.IntN(500)), float64(random.IntN(300)), 1
			never := random.IntN(5) == 0
			if never {
				length, status = -1, 5
			}
			lines = append(lines, job(submit, wait, length, map[bool]int{true: -1, false: 2}[never], 1+random.IntN(10), status, 1+random.IntN(3)))
			times := [2]float64{submit + wait, submit + wait + max(1, length)}
			if never || length == 0 && rule == "reject" {
				times[1] = math.NaN()
			}
			if length > 0 || rule != "drop" {
				want[id] = times
				id++
			}
			submit += float64(random.IntN(60))
		}
		e := under(t, logged(t, ", cleaning: "+rule, lines).Workload, Recorded, nil, nil, 1)
		var audit simulate.Audit
		got := map[int64][2]float64{}
		if _, err := e.Run(t.Context(), 0, &audit, observer(func(e simulate.Event) {
			switch e.Kind {
			case simulate.Completed:
				got[e.Job.ID] = [2]float64{e.Job.Start, e.Time}
			case simulate.Expired:
				got[e.Job.ID] = [2]float64{e.Time, math.NaN()}
			}
		})); err != nil || audit.Err() != nil {
			t.Fatal(err, audit.Err())
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s: got %v, want %v", rule, got, want)
		}
	}
}

// TestRecordedSP2 prices three months of the SDSC SP2 by the lines of its log.
func TestRecordedSP2(t *testing.T) {
	path, err := filepath.Abs("../../../shared/traces/SDSC-SP2-1998-4.2-cln.swf.gz")
	if err != nil {
		t.Fatal(err)
	}
	file, err := os.Open(path)
	if err != nil {
		t.Skip("the trace is absent: ", err)
	}
	defer file.Close()
	unzipped, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	var value, waits, ran, punctual, submitted float64
	for lines := bufio.NewScanner(unzipped); lines.Scan(); {
		var number, submit, wait, length, allocated, cpu, memory, width float64
		if n, _ := fmt.Sscan(lines.Text(), &number, &submit, &wait, &length, &allocated, &cpu, &memory, &width); n < 8 || submit < 248*86400 || submit >= 340*86400 {
			continue
		}
		if submitted++; length <= 0 {
			continue
		}
		price, late := 2*width*length/3600, max(0, wait+length-3*length)
		value += price - min(price*late/36000, 1.2*price)
		waits, ran = waits+wait, ran+1
		if wait <= 600 {
			punctual++
		}
	}
	s := opened(t, "trace: {file: "+path+", jobs: 'from:248d:340d'}\nclasses: [{name: all, price: {per_unit_hour: 2}, decay: {per_hour: 10%}, deadline: {lengths: 3},"+
		" floor: {of_price: 20%}, slo: {within: 600, level: 0.9}}]\n")
	row := run(t, &Simulation{Subject: s, Policies: named(t, Recorded), Seed: 1}).Policies[0].Total
	for name, want := range map[string]float64{
		"utility": value, "mean_wait": waits / ran, "promise_kept": punctual / submitted, "jobs_completed": ran, "jobs_expired": submitted - ran,
	} {
		if got := float64(row.Get(name).Mean); !near(got, want, 1e-9) {
			t.Errorf("%s: %.10g, want %.10g", name, got, want)
		}
	}
}

// observer is a function that observes.
type observer func(simulate.Event)

// Observe implements simulate.Observer.
func (f observer) Observe(e simulate.Event) { f(e) }
