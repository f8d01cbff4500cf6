package steer

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// threeAccounts returns a queue of jobs that hol orders otherwise than Slurm.
func threeAccounts() *fakeSlurm {
	f := &fakeSlurm{now: 1794965283, jobs: map[int64]*fakeJob{}, purged: map[int64]bool{}}
	for id := int64(1); id <= 6; id++ {
		f.jobs[id] = &fakeJob{account: []string{"bio", "phys"}[id%2], width: 1, submit: f.now - 10, base: 100}
	}
	return f
}

// TestStarted: the factor of a job goes back once it has started, so that it is requeued without it, and it is taken up
// again. The debt stays until the job is provably gone: one answer of squeue that lacks it ends nothing.
func TestStarted(t *testing.T) {
	f := threeAccounts()
	s := newSteerer(t, f, Settings{}, "hol")
	begin(t, s, journalFile(t))
	step := func() *Pass {
		t.Helper()
		p, err := s.Step(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		f.now += 10
		return p
	}
	step()
	if f.jobs[1].factor == 0 {
		t.Fatal("job 1 is not steered")
	}
	f.jobs[1].running = true
	if p := step(); f.jobs[1].factor != 0 || p.After.Restored != 1 {
		t.Errorf("a running job has factor %d, %+v", f.jobs[1].factor, p.After)
	}
	if p := step(); p.After.Restored != 0 {
		t.Error("it is restored twice")
	}
	f.jobs[1].running, f.jobs[1].restarts, f.jobs[1].submit = false, 1, f.now
	step()
	if f.jobs[1].factor == 0 {
		t.Error("a requeued job is not taken up")
	}
	hidden := f.jobs[1]
	delete(f.jobs, 1)
	step()
	if s.debts[1] == nil {
		t.Error("one answer ends a debt")
	}
	f.jobs[1] = hidden
	f.jobs[1].running = true
	if _, err := s.Undo(t.Context()); err != nil || hidden.factor != 0 || s.debts[1] == nil {
		t.Errorf("undo of a running job: factor %d, %v", hidden.factor, err)
	}
	delete(f.jobs, 1)
	if _, err := s.Undo(t.Context()); err != nil || s.debts[1] != nil {
		t.Errorf("a job that is gone is a debt still: %v", err)
	}
}

// TestArrays: an array moves by its number, with one update, and an array of which a task was split off is left alone.
// Rows that cannot be read end nothing.
func TestArrays(t *testing.T) {
	f := threeAccounts()
	f.jobs[7] = &fakeJob{account: "phys", width: 1, submit: f.now - 5, base: 10, array: true}
	f.jobs[8] = &fakeJob{account: "phys", width: 1, submit: f.now - 5, base: 10, array: true, guard: true}
	f.jobs[9] = &fakeJob{account: "phys", width: 1, submit: f.now - 5, of: 8, held: true, guard: true}
	for id, name := range map[int64]string{20: "20_[1-9,...]", 21: "x", 22: "22_[", 23: "23_[0-15:4%2]", 24: ""} {
		f.jobs[id] = &fakeJob{account: "phys", name: name, width: 1, submit: f.now - 5, base: 10}
	}
	f.jobs[24].name, f.jobs[24].width = "24", 0
	s := newSteerer(t, f, Settings{}, "hol")
	begin(t, s, journalFile(t))
	p, err := s.Step(t.Context())
	if err != nil || p.After.Agree != p.After.Pairs || f.jobs[7].factor == 0 || f.jobs[23].factor == 0 || len(f.touched) > 0 ||
		p.LeftAlone[LeftArray] != 1 || p.LeftAlone[LeftUnreadable] != 2 || len(p.Unreadable) != 2 {
		t.Fatalf("%+v, %v", p, err)
	}
	task := *f.jobs[7]
	task.array, task.of, task.running = false, 7, true
	f.jobs[30] = &task
	if p, err = s.Step(t.Context()); err != nil || task.factor == 0 || len(p.Unreadable) > 0 {
		t.Fatalf("%+v, %v", p, err)
	}
	if _, err := s.Undo(t.Context()); err != nil || f.jobs[7].factor != 0 || f.jobs[30].factor != 0 {
		t.Errorf("after undo: %+v, %+v, %v", f.jobs[7], f.jobs[30], err)
	}
}

// TestUnmade: a scontrol that does nothing, or that Slurm refuses, is an error, and without rights one update is sent.
func TestUnmade(t *testing.T) {
	f := threeAccounts()
	s := newSteerer(t, f, Settings{}, "hol")
	begin(t, s, journalFile(t))
	f.rights = true
	var rights *RightsError
	if _, err := s.Step(t.Context()); !errors.As(err, &rights) || f.updates != 1 {
		t.Errorf("without rights: %d updates, %v", f.updates, err)
	}
	f.rights = false
	f.lie = func(program string, out []byte, err error) ([]byte, error) {
		for _, j := range f.jobs {
			j.factor = 0
		}
		return out, err
	}
	var unmade *UnmadeError
	if _, err := s.Step(t.Context()); !errors.As(err, &unmade) || len(unmade.Jobs) != unmade.Sent {
		t.Errorf("nothing was made: %v", err)
	}
}

// TestPace: at most 50 updates go out in a second, the first alone, and the controller rests as long as it works.
func TestPace(t *testing.T) {
	f := &fakeSlurm{jobs: map[int64]*fakeJob{}}
	var rested time.Duration
	s := &Steerer{Slurm: f, Rest: func(d time.Duration) { rested += d }}
	changes := make([]Change, 501)
	for i := range changes {
		f.jobs[int64(i+1)] = &fakeJob{}
		changes[i].Job = int64(i + 1)
	}
	begin := time.Now()
	if err := s.send(t.Context(), changes); err != nil || f.updates != len(changes) || strings.Count(f.inputs[0], "\n") != 1 {
		t.Fatal(f.updates, err)
	}
	if all := rested + time.Since(begin); all < 9500*time.Millisecond {
		t.Errorf("%d updates take %v", len(changes), all)
	}
}

// TestFullDisk: a record that a full disk tears leaves nothing of itself, and what an earlier version glued is read.
func TestFullDisk(t *testing.T) {
	file := journalFile(t)
	journal, _, err := OpenJournal(file)
	if err != nil {
		t.Fatal(err)
	}
	whole := journal.file
	journal.Append(Record{Kind: KindIntent, Changes: []Change{{Job: 7, Factor: 9}}})
	journal.file = &tornDisk{whole}
	var full *JournalError
	if err := journal.Append(Record{Kind: KindIntent, Changes: []Change{{Job: 8, Factor: 9}}}); !errors.As(err, &full) {
		t.Fatal(err)
	}
	journal.file = whole
	journal.Append(Record{Kind: KindPass})
	journal.Close()
	records, err := ReadJournal(file)
	data, _ := os.ReadFile(file)
	if err != nil || len(records) != 2 || len(Debts(records)) != 1 || strings.Count(string(data), "{\"kind") != 2 {
		t.Errorf("got %+v, %v", records, err)
	}
	glued := `{"kind":"intent","time":1,"changes":[{"job":5,"former":0,"factor":7}]}` + "\n" +
		`{"kind":"pass","time":2,"be{"kind":"intent","time":3,"changes":[{"job":6,"former":1,"factor":8}]}` + "\n"
	os.WriteFile(file, []byte(glued), 0o600)
	if records, err = ReadJournal(file); err != nil || len(Debts(records)) != 2 {
		t.Errorf("got %+v, %v", records, err)
	}
}

// tornDisk writes half of what it should.
type tornDisk struct{ storage }

// Write implements io.Writer.
func (d *tornDisk) Write(p []byte) (int, error) {
	n, _ := d.storage.Write(p[:len(p)/2])
	return n, errDisk
}

// TestRotate: a journal that is begun anew has all debts in one record, and the file before it is read with it.
func TestRotate(t *testing.T) {
	f := threeAccounts()
	s := newSteerer(t, f, Settings{}, "hol")
	file := journalFile(t)
	begin(t, s, file)
	s.Journal.most = 1
	for range 3 {
		if _, err := s.Step(t.Context()); err != nil {
			t.Fatal(err)
		}
		f.jobs[2].running = true
	}
	if _, _, err := OpenJournal(file); err == nil {
		t.Error("another run has the new file")
	}
	s.Journal.Close()
	files, _ := filepath.Glob(file + "*")
	records, err := ReadJournal(file)
	if err != nil || len(files) != 4 || records[0].Kind != KindStart || records[len(records)-1].Kind != KindTaken {
		t.Fatalf("%v, %+v, %v", files, records, err)
	}
	begin(t, newSteererOn(s, nil), file)
	for id, j := range f.jobs {
		if j.factor != 0 {
			t.Errorf("job %d has factor %d", id, j.factor)
		}
	}
}

// TestManyFactors: of a job that was moved very often the last factors and the former one are known. A journal whose
// debts alone are longer than a journal should be is not begun anew after every record.
func TestManyFactors(t *testing.T) {
	journal, _, err := OpenJournal(journalFile(t))
	if err != nil {
		t.Fatal(err)
	}
	defer journal.Close()
	journal.most = 500
	d := &Debt{Job: 7, Former: 3}
	for factor := range 3 * mostOurs {
		d.set(d.Former, factor)
	}
	if len(d.Ours) != mostOurs || !slices.Contains(d.Ours, d.Former) || d.Ours[mostOurs-1] != 3*mostOurs-1 {
		t.Errorf("%d factors, the last %d", len(d.Ours), d.Ours[len(d.Ours)-1])
	}
	if err := journal.Rotate(Record{Kind: KindTaken, Changes: []Change{d.change()}}); err != nil {
		t.Fatal(err)
	}
	if journal.size < journal.most || journal.Full() {
		t.Errorf("a new journal of %d bytes, full: %v", journal.size, journal.Full())
	}
	journal.Append(Record{Kind: KindStop, Reason: strings.Repeat("x", 500)})
	if !journal.Full() {
		t.Error("500 bytes later it is not full")
	}
}

// TestEarlierJournals: debts of the journals of 0.3 and 0.4. Version 0.3 ended the debt of a job that started or was
// missing in one answer of squeue; such a job is restored if Slurm knows it still.
func TestEarlierJournals(t *testing.T) {
	for _, name := range []string{"0.3.journal", "0.4.journal"} {
		f := threeAccounts()
		for _, j := range f.jobs {
			j.submit = 1794965000
		}
		for id, factor := range map[int64]int{1: 4096, 2: 8192, 3: -4096, 4: 12288, 5: 777} {
			f.jobs[id].factor = factor
		}
		f.jobs[2].running = true
		f.jobs[4].held = true
		data, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		file := journalFile(t)
		os.WriteFile(file, data, 0o600)
		undo(t, &Steerer{Slurm: f, Rest: func(time.Duration) {}}, file)
		for id, want := range map[int64]int{1: 0, 2: 0, 3: 5, 4: 0, 5: 777} {
			if f.jobs[id].factor != want || f.jobs[id].held {
				t.Errorf("%s: job %d has factor %d, want %d: %+v", name, id, f.jobs[id].factor, want, f.jobs[id])
			}
		}
	}
}

// steered returns a queue that a run has ordered, its file, and the run.
func steered(t *testing.T, f *fakeSlurm) (*Steerer, string) {
	t.Helper()
	s, file := newSteerer(t, f, Settings{}, "hol"), journalFile(t)
	begin(t, s, file)
	if _, err := s.Step(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := s.End("one pass"); err != nil {
		t.Fatal(err)
	}
	s.Journal.Close()
	return s, file
}

// TestUnknownCluster: a journal that does not name its cluster is of the present one. The former factor is that before
// the first change, not one of ours.
func TestUnknownCluster(t *testing.T) {
	for _, clusters := range [][2]string{{"", "here"}, {"here", ""}, {"", ""}} {
		debts := Debts([]Record{
			{Kind: KindStart, Start: &Start{Cluster: clusters[0]}},
			{Kind: KindIntent, Changes: []Change{{Job: 2, Former: 0, Factor: 50}}},
			{Kind: KindStart, Start: &Start{Cluster: clusters[1]}},
			{Kind: KindIntent, Changes: []Change{{Job: 2, Former: 50, Factor: 70, Submit: 9}}},
			{Kind: KindIntent, Changes: []Change{{Job: 2, Former: 70, Factor: 90, Submit: 12}}},
		})
		if len(debts) != 1 || debts[0].Former != 0 || debts[0].Cluster != clusters[0]+clusters[1] || debts[0].Submit != 12 {
			t.Errorf("%q: %+v", clusters, debts)
		}
	}
}

// TestForeignTask: one task of an array gets a factor of another party. Undo restores the other tasks, those that wait
// and those that run, and leaves this one, also once no program shows its factor any more.
func TestForeignTask(t *testing.T) {
	f := threeAccounts()
	f.jobs[7] = &fakeJob{account: "phys", width: 1, submit: f.now - 5, base: 10, array: true}
	s, file := steered(t, f)
	if f.jobs[7].factor == 0 {
		t.Fatal("the array is not steered")
	}
	for id := int64(30); id < 33; id++ {
		task := *f.jobs[7]
		task.array, task.of = false, 7
		f.jobs[id] = &task
	}
	f.jobs[30].factor, f.jobs[32].running = 777, true
	for round := range 3 {
		undo(t, s, file)
		for id, want := range map[int64]int{7: 0, 30: 777, 31: 0, 32: 0} {
			if f.jobs[id].factor != want {
				t.Errorf("undo %d: record %d has factor %d, want %d", round, id, f.jobs[id].factor, want)
			}
		}
		f.jobs[30].held, f.jobs[30].running = round == 0, round == 1
	}
}

// TestForeignStays: a factor of another party stays when the job is held or runs, and no program shows it any more.
func TestForeignStays(t *testing.T) {
	f := threeAccounts()
	s, file := steered(t, f)
	f.jobs[1].factor = 777
	for round := range 3 {
		undo(t, s, file)
		if f.jobs[1].factor != 777 || f.jobs[3].factor != 0 {
			t.Errorf("undo %d: factors %d and %d", round, f.jobs[1].factor, f.jobs[3].factor)
		}
		f.jobs[1].held, f.jobs[1].running = round == 0, round == 1
	}
}

// TestRefused: a job that Slurm refuses to change is left alone, also if no other change is due, and if it is refused for
// want of rights after others were made. The run goes on.
func TestRefused(t *testing.T) {
	for _, words := range []string{"Cannot modify scrontab jobs", "Access/permission denied"} {
		f := threeAccounts()
		s := newSteerer(t, f, Settings{Every: 1}, "hol")
		begin(t, s, journalFile(t))
		f.refuses = map[int64]string{}
		if words == "Cannot modify scrontab jobs" {
			s.Step(t.Context())
			f.jobs[50] = &fakeJob{account: "phys", width: 1, submit: f.now, base: 100}
			f.refuses[50] = words
		} else {
			p, _ := s.Look(t.Context())
			f.refuses[p.Changes[len(p.Changes)-1].Job] = words
		}
		for range 2 * busyPasses {
			p, err := s.Step(t.Context())
			if err != nil {
				t.Fatalf("%s: %v", words, err)
			}
			if s.pass > 3 && p.LeftAlone[LeftRefused] != 1 {
				t.Errorf("%s: %v", words, p.LeftAlone)
			}
		}
	}
}

// TestRequeuedEarlier: a job that is requeued after the clock was set back is the same job.
func TestRequeuedEarlier(t *testing.T) {
	f := threeAccounts()
	s, file := steered(t, f)
	f.jobs[1].submit, f.jobs[1].restarts = f.jobs[1].submit-30, 1
	undo(t, s, file)
	if f.jobs[1].factor != 0 {
		t.Errorf("factor %d", f.jobs[1].factor)
	}
}

// TestEarlierGone: a journal of an earlier version says that a job is gone, and squeue lists nothing twice. The controller
// is asked too: the job waits, and the next undo restores it.
func TestEarlierGone(t *testing.T) {
	f := threeAccounts()
	f.jobs[2].factor = 50
	file := journalFile(t)
	os.WriteFile(file, []byte(`{"kind":"start","start":{"version":"0.3.0"}}
{"kind":"intent","changes":[{"job":2,"former":0,"factor":50}]}
{"kind":"gone","gone":[{"job":2,"at":1}]}
`), 0o600)
	f.lie = func(program string, out []byte, err error) ([]byte, error) {
		if head, _, found := strings.Cut(string(out), "\n"); found && program == "squeue" {
			return []byte(head + "\n"), err
		}
		return out, err
	}
	base := &Steerer{Slurm: f, Rest: func(time.Duration) {}}
	undo(t, base, file)
	f.lie = nil
	undo(t, base, file)
	if f.jobs[2].factor != 0 {
		t.Errorf("factor %d", f.jobs[2].factor)
	}
}

// TestLate: scontrol does not answer, and the controller makes the update after an undo has seen the former factor. The
// debt stays until two looks, a minute apart, have seen it.
func TestLate(t *testing.T) {
	f := threeAccounts()
	s, file := newSteerer(t, f, Settings{}, "hol"), journalFile(t)
	begin(t, s, file)
	f.lie = func(program string, out []byte, err error) ([]byte, error) {
		if program == "scontrol" {
			f.jobs[1].factor, f.jobs[2].factor = 0, 0
			return nil, &CallError{Program: program, Late: true}
		}
		return out, err
	}
	p, _ := s.Look(t.Context())
	if _, err := s.Step(t.Context()); err == nil || len(p.Changes) == 0 {
		t.Fatal("scontrol is not late")
	}
	f.lie = nil
	s.Journal.Close()
	first := p.Changes[0]
	for _, j := range f.jobs {
		j.factor = 0
	}
	undo(t, s, file)
	f.jobs[first.Job].factor = first.Factor
	undo(t, s, file)
	if f.jobs[first.Job].factor != 0 {
		t.Errorf("factor %d after a late update", f.jobs[first.Job].factor)
	}
	for _, want := range []bool{true, false} {
		records, err := ReadJournal(file)
		if err != nil || len(Debts(records)) > 0 != want {
			t.Errorf("debts %+v, want some: %v, %v", Debts(records), want, err)
		}
		f.now += lateTime
		undo(t, s, file)
	}
}

// TestNoJournal: a file that is no journal is refused and stays as it is. A damaged line costs what only it says.
func TestNoJournal(t *testing.T) {
	file := journalFile(t)
	for _, words := range []string{"precious text", "two\nlines", "\n", `{"kind":"Pod","name":"x"`, "\x00\x00"} {
		os.WriteFile(file, []byte(words), 0o600)
		_, _, err := OpenJournal(file)
		_, _, _, salvaged := SalvageJournal(file)
		if data, _ := os.ReadFile(file); string(data) != words || err == nil || salvaged == nil {
			t.Errorf("%q became %q, %v, %v", words, data, err, salvaged)
		}
	}
	intent := func(job string) string {
		return `{"kind":"intent","changes":[{"job":` + job + `,"former":0,"factor":9}]}` + "\n"
	}
	for _, words := range []string{intent("1") + "\x00{\"ki\n" + intent("2"), intent("1") + intent("2") + "{\"kind\"?"} {
		os.WriteFile(file, []byte(words), 0o600)
		if _, _, err := OpenJournal(file); err == nil {
			t.Errorf("%q is a journal", words)
		}
		for range 2 {
			journal, records, damaged, err := SalvageJournal(file)
			if err != nil || damaged == nil || damaged.Line < 2 || len(Debts(records)) != 2 {
				t.Fatalf("%q: %+v, %+v, %v", words, records, damaged, err)
			}
			journal.Append(Record{Kind: KindStop})
			journal.Close()
		}
	}
}

// TestHiddenTask: one answer lacks the row of a task that has ended with a factor of ours, while all others of its array
// have their former one. The debt stays, and the task is restored once it is requeued.
func TestHiddenTask(t *testing.T) {
	f := threeAccounts()
	f.jobs[7] = &fakeJob{account: "phys", width: 1, submit: f.now - 5, base: 10, array: true}
	s := newSteerer(t, f, Settings{}, "hol")
	begin(t, s, journalFile(t))
	if _, err := s.Step(t.Context()); err != nil || f.jobs[7].factor == 0 {
		t.Fatalf("%+v, %v", f.jobs[7], err)
	}
	task := *f.jobs[7]
	task.array, task.of, task.ended = false, 7, true
	f.jobs[30] = &task
	undo := func(hidden int) {
		t.Helper()
		f.lie = func(program string, out []byte, err error) ([]byte, error) {
			if program == "squeue" {
				hidden--
			}
			if program != "squeue" || hidden != 0 {
				return out, err
			}
			lines := strings.SplitAfter(string(out), "\n")
			return []byte(strings.Join(lines[:len(lines)-2], "")), nil // that of the task is the last
		}
		if _, err := s.Undo(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	for hidden := range 4 {
		undo(hidden)
	}
	task.ended, task.submit, task.restarts = false, f.now, 1
	undo(0)
	if task.factor != 0 || f.jobs[7].factor != 0 {
		t.Errorf("the task has factor %d, its array %d", task.factor, f.jobs[7].factor)
	}
}

// TestBegunAnew: no other run gets the journal while one that has it begins it anew.
func TestBegunAnew(t *testing.T) {
	file := journalFile(t)
	journal, _, err := OpenJournal(file)
	if err != nil {
		t.Fatal(err)
	}
	defer journal.Close()
	done := make(chan bool)
	go func() {
		defer close(done)
		for range 100 {
			if err := journal.Rotate(Record{Kind: KindTaken}); err != nil {
				t.Error(err)
				return
			}
		}
	}()
	for {
		if other, _, err := OpenJournal(file); err == nil {
			other.Close()
			t.Fatal("two runs have the journal")
		}
		select {
		case <-done:
			return
		default:
		}
	}
}

// TestHugeOutput: a program that prints more than mostOutput is an error.
func TestHugeOutput(t *testing.T) {
	file := filepath.Join(t.TempDir(), "squeue")
	if err := os.WriteFile(file, []byte("#!/bin/sh\nexec head -c 100000000 /dev/zero\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	out, err := Programs{Timeout: time.Minute}.Call(t.Context(), "", file)
	var call *CallError
	if !errors.As(err, &call) || call.Late || len(out) > mostOutput {
		t.Errorf("%d bytes, %v", len(out), err)
	}
}
