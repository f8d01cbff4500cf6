package steer

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

// errDisk is a full disk.
var errDisk = errors.New("no space left on device")

// smallDisk is a file on a disk that is full now and then.
type smallDisk struct {
	storage
	rng  *rand.Rand
	full float64 // chance of a write that fails after a part of it
}

// Write implements io.Writer.
func (d *smallDisk) Write(p []byte) (int, error) {
	if d.rng.Float64() >= d.full {
		return d.storage.Write(p)
	}
	n, _ := d.storage.Write(p[:d.rng.IntN(len(p))])
	return n, errDisk
}

// Sync implements storage. A process that dies here loses nothing that it has written.
func (d *smallDisk) Sync() error { return nil }

// liar makes a fake Slurm lie.
type liar struct {
	*fakeSlurm
	rng    *rand.Rand
	chance float64
	told   map[string]int
}

// Ways to lie, by program. Each changes an answer, or fails.
var lies = map[string][]string{
	"squeue": {"empty", "header", "hidden", "cut", "rows lost", "garbage", "huge", "fails", "late", "odd row"},
	"sprio":  {"empty", "header", "hidden", "cut", "garbage", "fails", "late"},
	"update": {"stops", "nothing", "late", "fails after"},
	"show":   {"known", "fails", "late"},
	"sacct":  {"empty", "running", "cut", "fails"},
	"sdiag":  {"empty", "fails"},
	"config": {"empty", "cut", "garbage", "fails"},
}

// Call implements Slurm.
func (l *liar) Call(ctx context.Context, input, program string, args ...string) ([]byte, error) {
	kind := program
	if program == "scontrol" && len(args) == 0 {
		kind = "update"
	} else if program == "scontrol" {
		kind = map[bool]string{true: "config", false: "show"}[args[len(args)-1] == "config"]
	}
	if l.chance > 0 && l.rng.IntN(3) == 0 {
		l.happen(l.rng)
	}
	ways, chance := lies[kind], l.chance
	if chance > 0 && (kind == "sacct" || kind == "show") { // they are asked seldom
		chance = map[string]float64{"sacct": 0.8, "show": 0.3}[kind]
	}
	if len(ways) == 0 || l.rng.Float64() >= chance {
		return l.fakeSlurm.Call(ctx, input, program, args...)
	}
	way := ways[l.told[kind]%len(ways)]
	l.told[kind]++
	l.told[kind+": "+way]++
	if kind == "update" {
		return nil, l.update(ctx, way, input)
	}
	out, err := l.fakeSlurm.Call(ctx, input, program, args...)
	if errors.Is(err, errKilled) {
		return nil, err
	}
	return l.answer(program, way, string(out), err)
}

// update makes some of the changes.
func (l *liar) update(ctx context.Context, way, input string) error {
	lines := strings.SplitAfter(input, "\n")
	switch way {
	case "stops":
		lines = lines[:l.rng.IntN(len(lines))]
	case "nothing":
		return nil
	}
	_, err := l.fakeSlurm.Call(ctx, strings.Join(lines, ""), "scontrol")
	switch {
	case errors.Is(err, errKilled) || way == "stops" && l.rng.IntN(2) == 0:
		return err
	case way == "late":
		return &CallError{Program: "scontrol", Late: true}
	}
	return &CallError{Program: "scontrol", Message: "signal: killed"}
}

// answer changes an answer.
func (l *liar) answer(program, way, out string, err error) ([]byte, error) {
	head, rows, _ := strings.Cut(out, "\n")
	lines := strings.SplitAfter(rows, "\n")
	switch way {
	case "empty":
		return nil, nil
	case "header":
		return []byte(head + "\n"), nil
	case "hidden":
		at := l.rng.IntN(len(lines))
		return []byte(head + "\n" + strings.Join(append(lines[:at:at], lines[min(at+1, len(lines)):]...), "")), nil
	case "rows lost":
		return []byte(head + "\n" + strings.Join(lines[:l.rng.IntN(len(lines))], "")), nil
	case "cut":
		return []byte(out[:l.rng.IntN(len(out)+1)]), nil
	case "odd row":
		_, end, _ := strings.Cut(head, "JOBID")
		end, _, _ = strings.Cut(end, "JOBID")
		odd := []string{"77777_[1-9,", "x", "88888_[1-70000:3,...]", "-5"}[l.rng.IntN(4)]
		row := strings.Repeat("?"+end, len(queueColumns)-2)
		return []byte(out + odd + end + "77777" + end + row + "\n"), nil
	case "garbage":
		return []byte("\x00\xff|||\n" + out[:len(out)/2] + "\n\x1b[2J"), nil
	case "huge":
		return nil, &CallError{Program: program, Message: (&outputError{}).Error(), Cause: &outputError{}}
	case "late":
		return nil, &CallError{Program: program, Late: true}
	case "known":
		return []byte("JobId=1\n"), nil
	case "running":
		return []byte("1|RUNNING\n"), nil
	}
	return nil, &CallError{Program: program, Message: "Unable to contact slurm controller"}
}

// happen lets something happen to a job between two calls: it starts, ends, is requeued, held or released, or a task of
// its array starts.
func (f *fakeSlurm) happen(rng *rand.Rand) {
	ids := sorted(f.jobs)
	id := ids[rng.IntN(len(ids))]
	j := f.jobs[id]
	if j.guard {
		return
	}
	switch {
	case j.array && j.listed() && rng.IntN(2) == 0: // a task starts
		task := *j
		task.array, task.of, task.running = false, id, true
		f.jobs[1000+int64(rng.IntN(1e9))] = &task
	case j.listed() && rng.IntN(3) > 0:
		j.running = true
	case j.running && rng.IntN(3) > 0:
		j.running, j.ended = false, true
	case j.running, j.ended && rng.IntN(3) == 0:
		j.running, j.ended = false, false
		j.restarts++
		j.submit = f.now
	case !j.ended:
		j.held = !j.held
	}
}

// forget lets the controller forget jobs that have ended; another job may get the number.
func (f *fakeSlurm) forget(rng *rand.Rand) {
	f.now += 300 // after so long
	for _, id := range sorted(f.jobs) {
		if !f.jobs[id].ended || rng.IntN(2) == 0 {
			continue
		}
		delete(f.jobs, id)
		f.purged[id] = true
		if rng.IntN(3) == 0 && len(f.recordsOf(id)) == 0 {
			f.jobs[id] = &fakeJob{account: "phys", width: 1, submit: f.now, base: 50, factor: 33, guard: true}
			delete(f.purged, id)
		}
	}
}

// TestLies lets Slurm lie in all ways, the disk fill up, jobs come and go between calls, and the process die, in 200
// random sequences. After an undo under an honest Slurm no job that exists has a factor of ours, also after it is
// requeued, and no job that is none of ours was ever touched. Every third sequence switches steering on and off.
func TestLies(t *testing.T) {
	base := newSteerer(t, randomQueue(rand.New(rand.NewPCG(1, 1)), 1), Settings{Every: 1})
	base.Orderer.past = base.Orderer.past[:20] // for speed
	told := map[string]int{}
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 77))
		f := randomQueue(rng, 15+rng.IntN(15))
		f.jobs[400] = &fakeJob{account: "phys", width: 1, submit: f.now - 50, fixed: 5000, guard: true}
		f.purged, f.account = map[int64]bool{}, seed%2 == 0
		former := map[int64]int{}
		for _, id := range sorted(f.jobs) {
			j := f.jobs[id]
			former[id] = j.factor
			if j.array && rng.IntN(2) == 0 { // its user holds a task
				f.jobs[500+id] = &fakeJob{account: j.account, width: j.width, submit: j.submit, of: id, held: true, guard: true}
				j.guard = true
			}
		}
		l := &liar{fakeSlurm: f, rng: rng, chance: 0.02 + 0.2*rng.Float64(), told: told}
		base.Slurm, base.Clock = l, func() time.Time { return time.Unix(f.now, 0) }
		base.Site.Accounting = f.account
		file := journalFile(t)
		for range 1 + rng.IntN(4) {
			l.process(t, base, file, seed)
			f.forget(rng)
		}
		l.chance, f.killAt = 0, 0
		for round := range 2 {
			undo(t, base, file)
			for id, j := range f.jobs {
				if want := wanted(j, former[id]); j.factor != want && (!j.ended || round > 0) {
					t.Errorf("seed %d, round %d: job %d has factor %d, want %d: %+v", seed, round, id, j.factor, want, j)
				}
				if j.ended && !j.guard {
					j.ended, j.submit = false, f.now
					j.restarts++
				}
			}
		}
		if len(f.touched) > 0 {
			t.Errorf("seed %d: guarded jobs %v were changed", seed, f.touched)
		}
	}
	for kind, ways := range lies {
		for _, way := range ways {
			if told[kind+": "+way] == 0 {
				t.Errorf("%s never lies so: %s", kind, way)
			}
		}
	}
}

// wanted returns the factor that a job should have after undo.
func wanted(j *fakeJob, former int) int {
	switch {
	case j.guard && j.factor == 33: // it came later
		return 33
	case j.of > 0:
		return 0
	}
	return former
}

// process runs steer for some passes, a third of them with a trial, until an error that may not pass or a kill.
func (l *liar) process(t *testing.T, base *Steerer, file string, seed uint64) {
	journal, records, err := OpenJournal(file)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { journal.Close() }()
	journal.most = 2000
	disk := &smallDisk{storage: journal.file, rng: l.rng}
	if l.rng.IntN(3) == 0 {
		disk.full = 0.1
	}
	journal.file = disk
	s := newSteererOn(base, journal)
	l.killAt = 0
	if l.rng.IntN(2) == 0 {
		l.killAt = l.steps + 1 + l.rng.IntN(100)
	}
	if _, err := s.Recover(t.Context(), records); err != nil {
		return
	}
	if seed%3 == 0 {
		if err := s.Switch(records, Switching{Span: 500, Seed: seed}); err != nil {
			t.Fatal(err)
		}
	}
	if s.Begin(Start{Policy: s.Orderer.Policy.Label()}) != nil {
		return
	}
	for range 5 {
		_, err := s.Step(t.Context())
		if errors.Is(err, errKilled) {
			return
		}
		if err != nil && !s.mayPass(err) {
			break
		}
		l.now += 30
		l.forget(l.rng)
	}
	if _, err := s.Undo(t.Context()); err == nil {
		s.End("stopped")
	}
}

// undo does what steer --undo does.
func undo(t *testing.T, base *Steerer, file string) {
	t.Helper()
	journal, records, err := OpenJournal(file)
	if err != nil {
		t.Fatal(err)
	}
	defer journal.Close()
	s := &Steerer{Slurm: base.Slurm, Journal: journal, Clock: base.Clock, Rest: base.Rest}
	if err := s.Owe(t.Context(), records); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Undo(t.Context()); err != nil {
		t.Fatal(fmt.Errorf("undo: %w", err))
	}
}
