package steer

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"revopt/simulate/slurm/switchback"
)

// TestSwitch switches steering on and off while jobs come and go, processes are killed in the middle of a span, and the
// controller is away. After every pass of a span without steering all jobs have the factors that they had, after every
// other pass Slurm has the order of the policy; a restart goes on with the plan, and undo leaves nothing.
func TestSwitch(t *testing.T) {
	base := newSteerer(t, randomQueue(rand.New(rand.NewPCG(1, 1)), 1), Settings{Every: 30})
	base.Orderer.past = base.Orderer.past[:50] // for speed
	count := map[string]int{}
	for seed := range uint64(6) {
		rng := rand.New(rand.NewPCG(seed, 3))
		f := randomQueue(rng, 40)
		former := map[int64]int{}
		for id, j := range f.jobs {
			former[id] = j.factor
		}
		base.Slurm, base.Clock = f, func() time.Time { return time.Unix(f.now, 0) }
		file := journalFile(t)
		var plan *switchback.Plan
		for restart := range 4 {
			journal, records, err := OpenJournal(file)
			if err != nil {
				t.Fatal(err)
			}
			journal.most = 20000
			journal.file = &smallDisk{storage: journal.file, rng: rng} // which is never full
			s := newSteererOn(base, journal)
			f.killAt = 0
			if _, err := s.Recover(t.Context(), records); err != nil {
				t.Fatal(err)
			}
			if err := s.Switch(records, Switching{Span: 300, Seed: seed}); err != nil {
				t.Fatal(err)
			}
			if plan != nil && *s.trial != *plan {
				t.Fatalf("the plan was %+v and is %+v", *plan, *s.trial)
			}
			plan = s.trial
			if err := s.Begin(Start{Policy: s.Orderer.Policy.Label()}); err != nil {
				t.Fatal(err)
			}
			if restart < 3 {
				f.killAt = f.steps + 50 + rng.IntN(400)
			}
			for range 30 {
				f.change(rng)
				f.threads = 0
				if rng.IntN(10) == 0 {
					f.threads = busyThreads
				}
				on := plan.On(float64(f.now))
				p, err := s.Step(t.Context())
				if errors.Is(err, errKilled) {
					count["kills"]++
					break
				}
				var busy *BusyError
				if errors.As(err, &busy) {
					count["busy"]++
					continue
				}
				if err != nil {
					t.Fatal(err)
				}
				if on {
					count["on"] += len(p.Changes)
					if p.After.Agree != p.After.Pairs {
						t.Errorf("seed %d: %d of %d pairs in order", seed, p.After.Agree, p.After.Pairs)
					}
					continue
				}
				count["off"] += p.After.Restored
				for id, j := range f.jobs {
					if j.factor != former[id] && !j.ended {
						t.Errorf("seed %d: job %d has factor %d in a span without steering: %+v", seed, id, j.factor, j)
					}
				}
			}
			journal.Close()
			f.now += int64(rng.IntN(500))
			if restart == 1 {
				f.killAt = 0
				undo(t, base, file)
			}
		}
		f.killAt = 0
		undo(t, base, file)
		for id, j := range f.jobs {
			if j.factor != former[id] && !j.ended {
				t.Errorf("seed %d: job %d has factor %d after undo", seed, id, j.factor)
			}
		}
		count["pairs"] += checkLaid(t, file, *plan)
	}
	for what, least := range map[string]int{"kills": 8, "busy": 5, "on": 200, "off": 50, "pairs": 15} {
		if count[what] < least {
			t.Errorf("%s: %d", what, count[what])
		}
	}
}

// checkLaid checks that a journal has the pairs of the plan, each once and before it begins, and returns their number.
func checkLaid(t *testing.T, file string, plan switchback.Plan) int {
	t.Helper()
	records, err := ReadJournal(file)
	if err != nil {
		t.Fatal(err)
	}
	kept, list, _, err := LaidTrial(records)
	if err != nil || kept == nil || *kept != plan {
		t.Errorf("the journal has the plan %+v, want %+v; %v", kept, plan, err)
	}
	last := -1
	for _, p := range list {
		if p != plan.Pair(p.Number) || p.Number <= last {
			t.Errorf("%+v after pair %d", p, last)
		}
		last = p.Number
		written := slices.IndexFunc(records, func(r Record) bool { return slices.Contains(r.Pairs, p) })
		if records[written].Time > p.From {
			t.Errorf("%+v was written at %g", p, records[written].Time)
		}
	}
	return len(list)
}

// TestSwitchRefused: a journal has one trial, and spans have ten passes or more.
func TestSwitchRefused(t *testing.T) {
	f := randomQueue(rand.New(rand.NewPCG(2, 2)), 20)
	s := newSteerer(t, f, Settings{Every: 10})
	file := journalFile(t)
	journal, _, err := OpenJournal(file)
	if err != nil {
		t.Fatal(err)
	}
	defer journal.Close()
	s.Journal = journal
	var refused *SwitchError
	if err := s.Switch(nil, Switching{Span: 99}); !errors.As(err, &refused) {
		t.Errorf("short spans: %v", err)
	}
	var short *switchback.MarginError
	if err := s.Switch(nil, Switching{Span: 1000, Margin: 251}); !errors.As(err, &short) {
		t.Errorf("a long margin: %v", err)
	}
	if err := s.Switch(nil, Switching{}); err != nil || s.trial != nil {
		t.Errorf("none is asked for: %v", err)
	}
	ask := Switching{Span: 1000, Margin: 50, Seed: 3}
	if err := s.Switch(nil, ask); err != nil {
		t.Fatal(err)
	}
	if err := s.Begin(Start{Policy: s.Orderer.Policy.Label()}); err != nil {
		t.Fatal(err)
	}
	records, err := ReadJournal(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, other := range []Switching{{}, {Span: 500}, {Span: 1000, Margin: 60}, {Span: 1000, Seed: 4, Seeded: true}} {
		if err := s.Switch(records, other); !errors.As(err, &refused) {
			t.Errorf("%+v: %v", other, err)
		}
	}
	for _, same := range []Switching{ask, {Span: 1000, Seed: 4}} {
		if err := s.Switch(records, same); err != nil || s.trial.Seed != 3 || s.trial.Margin != 50 {
			t.Errorf("%+v: %+v, %v", same, s.trial, err)
		}
	}
	s.Orderer = newSteerer(t, f, Settings{}, "hol").Orderer
	if err := s.Switch(records, ask); !errors.As(err, &refused) {
		t.Errorf("another policy: %v", err)
	}
}
