package simulation

import (
	"bufio"
	"compress/gzip"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"revopt/internal/fixture"
	"revopt/model/scenario"
	"revopt/simulate/experiment"
	"revopt/simulate/subject"
	"revopt/simulate/warn"
)

// TestRecordedLeftOut: with other times, jobs or machines there is no such row, which is
// said once.
func TestRecordedLeftOut(t *testing.T) {
	lines := []string{fixture.LoggedJob(0, 5, 60, 4, 4, 1, 1), fixture.LoggedJob(10, 5, 60, 4, 4, 1, 1)}
	left := func(s *subject.Subject) {
		t.Helper()
		r := run(t, &Simulation{Subject: s, Seed: 1})
		said := slices.DeleteFunc(slices.Clone(r.Warnings), func(w warn.Warning) bool { return w.Kind != warn.Unrecorded })
		if len(r.Policies) != 1 || len(said) != 1 {
			t.Errorf("%d rows, %v", len(r.Policies), r.Warnings)
		}
	}
	left(fixture.Logged(t, ", arrival_delay_factor: 0.5", lines))
	left(fixture.Logged(t, ", nodes: 9", lines))
	left(fixture.Logged(t, "", lines, scenario.Set("growth", 0.2)))
	guess := append([]string{"; Guess: MaxProcs and MaxNodes are the most that were busy"}, lines...)
	left(fixture.Logged(t, ", nodes: 7", guess))
	if r := run(t, &Simulation{Subject: fixture.Logged(t, ", nodes: 9", guess), Seed: 1}); len(r.Policies) != 2 ||
		slices.ContainsFunc(r.Warnings, func(w warn.Warning) bool { return w.Kind == warn.OtherMachine }) {
		t.Errorf("a larger machine than was busy: %d rows, %v", len(r.Policies), r.Warnings)
	}
	left(fixture.Logged(t, "", append(lines, fixture.LoggedJob(20, -1, 60, 4, 4, 1, 1))))
	s := fixture.Logged(t, "", lines)
	analytic := []experiment.Admission{{Name: scenario.AdmitAnalytic}}
	if r := run(t, &Simulation{Subject: s, Admissions: analytic, Seed: 1}); len(r.Policies) != 1 || len(r.Warnings) == 1 {
		t.Errorf("behind an admission: %v, %v", r.Policies, r.Warnings)
	}
	if _, err := (&Simulation{Subject: s, Policies: fixture.Named(t, subject.Recorded), Admissions: analytic, Seed: 1}).Run(t.Context()); err == nil {
		t.Error("recorded runs behind an admission")
	}
}

// TestRecordedSP2 prices three months of the SDSC SP2 by the lines of its log.
func TestRecordedSP2(t *testing.T) {
	path, err := filepath.Abs("../../../../shared/traces/SDSC-SP2-1998-4.2-cln.swf.gz")
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
	s := fixture.Opened(t, "trace: {file: "+path+", jobs: 'from:248d:340d'}\nclasses: [{name: all, price: {per_unit_hour: 2}, decay: {per_hour: 10%}, deadline: {lengths: 3},"+
		" max_penalty: {of_price: 20%}, slo: {within: 600, level: 0.9}}]\n")
	row := run(t, &Simulation{Subject: s, Policies: fixture.Named(t, subject.Recorded), Seed: 1}).Policies[0].Total
	for name, want := range map[string]float64{
		"utility": value, "mean_wait": waits / ran, "promise_kept": punctual / submitted, "jobs_completed": ran, "jobs_expired": submitted - ran,
	} {
		if got := float64(row.Get(name).Mean); !fixture.Near(got, want, 1e-9) {
			t.Errorf("%s: %.10g, want %.10g", name, got, want)
		}
	}
}
