package steer

import (
	"cmp"
	"errors"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"revopt/internal/text"
	"revopt/simulate/slurm/queued"
)

// TestPasses: on random queues Slurm has the order of the policy after a pass, a second pass sends nothing, jobs of a
// customer and width are in order of submission where the policy orders them, and all that is to be left alone is.
func TestPasses(t *testing.T) {
	for seed := range uint64(8) {
		rng := rand.New(rand.NewPCG(seed, 1))
		f := randomQueue(rng, 20+rng.IntN(200))
		former := f.factors()
		s := newSteerer(t, f, Settings{OrderAll: seed%2 == 0}, []string{"value-bf", "hol", "sjf-bf", "edf-bf", "first-price"}[seed%5])
		begin(t, s, journalFile(t))
		p, err := s.Step(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if p.After.Agree != p.After.Pairs || p.Beyond > 0 || p.After.Changed != len(p.Changes) {
			t.Errorf("%s: %d of %d pairs, %d beyond, %+v", p.Policy, p.After.Agree, p.After.Pairs, p.Beyond, p.After)
		}
		last := map[[2]int]*waiting{}
		for _, w := range p.queue {
			family := [2]int{w.Class, w.Width}
			if before := last[family]; s.Settings.OrderAll && before != nil && before.given == w.given && older(before, w) > 0 {
				t.Errorf("%s: job %d comes before job %d of its family", p.Policy, before.number, w.number)
			}
			last[family] = w
		}
		for id, j := range f.jobs {
			if (!j.listed() || j.parts || j.reserved || former[id] != 0 || j.account == "other") &&
				j.factor != former[id] {
				t.Errorf("job %d was to be left alone: %+v", id, j)
			}
		}
		updates, calls := f.updates, f.calls
		again, err := s.Step(t.Context())
		if err != nil || f.updates != updates || len(again.Changes) > 0 || f.calls != calls+3 {
			t.Errorf("%s: a second pass: %d updates, %d calls, %v", p.Policy, f.updates-updates, f.calls-calls, err)
		}
		if _, err := s.Undo(t.Context()); err != nil || !maps.Equal(f.factors(), former) {
			t.Errorf("%s: not restored: %v", p.Policy, err)
		}
	}
}

// change lets time pass: some jobs start, end, come or are held, and others age.
func (f *fakeSlurm) change(rng *rand.Rand) {
	f.now += 30
	for _, id := range sorted(f.jobs) {
		j := f.jobs[id]
		switch rng.IntN(12) {
		case 0:
			j.ended = j.running
			j.running = j.listed()
		case 1:
			j.held = !j.held && j.listed()
		}
		j.base += 7
	}
	next := int64(len(f.jobs) + 1)
	f.jobs[next] = &fakeJob{account: "phys", width: 1, submit: f.now - 5}
}

// TestKills kills the process at 50 random points. The next one restores all factors, whatever happened, and leaves
// those that another party has changed meanwhile.
func TestKills(t *testing.T) {
	base := newSteerer(t, randomQueue(rand.New(rand.NewPCG(1, 1)), 1), Settings{Every: 1})
	base.Orderer.past = base.Orderer.past[:50] // for speed
	for seed := range uint64(50) {
		rng := rand.New(rand.NewPCG(seed, 2))
		f := randomQueue(rng, 40)
		file := journalFile(t)
		s := newSteererOn(base, nil)
		s.Slurm = f
		s.Clock = func() time.Time { return time.Unix(f.now, 0) }
		begin(t, s, file)
		f.killAt = f.steps + 1 + rng.IntN(150)
		former := f.factors()
		for range 4 {
			_, err := s.Step(t.Context())
			if errors.Is(err, errKilled) {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			f.change(rng)
		}
		s.Journal.Close()
		f.killAt = f.steps + 1 + rng.IntN(60) // the next process is killed, too
		foreign := int64(0)
		for id, j := range f.jobs {
			if j.listed() && j.factor != 0 && j.factor != 77 && foreign == 0 {
				foreign = id
				j.factor = 123456789
				former[id] = j.factor
			}
		}
		for range 2 {
			journal, records, err := OpenJournal(file)
			if err != nil {
				t.Fatal(err)
			}
			next := newSteererOn(s, journal)
			_, err = next.Recover(t.Context(), records)
			if err != nil && !errors.Is(err, errKilled) {
				t.Fatal(err)
			}
			journal.Close()
			f.killAt = 0
		}
		for id, factor := range f.factors() {
			if factor != former[id] {
				t.Errorf("seed %d: job %d has factor %d, want %d: %+v", seed, id, factor, former[id], f.jobs[id])
			}
		}
	}
}

// newSteererOn returns the steerer of another process.
func newSteererOn(s *Steerer, journal *Journal) *Steerer {
	return &Steerer{Settings: s.Settings, Slurm: s.Slurm, Orderer: s.Orderer, Site: s.Site, Clock: s.Clock, Journal: journal,
		Relations: s.Relations}
}

// TestForeign: if another party changes a factor, the run ends, restores the others and leaves that one.
func TestForeign(t *testing.T) {
	f := randomQueue(rand.New(rand.NewPCG(3, 3)), 60)
	former := f.factors()
	s := newSteerer(t, f, Settings{Every: 1e-3})
	begin(t, s, journalFile(t))
	changed := int64(0)
	_, err := s.Run(t.Context(), func(p *Pass) {
		changed = p.Changes[0].Job
		f.jobs[changed].factor = 5
	})
	var other *ForeignError
	if !errors.As(err, &other) || other.Job != changed || other.Now != 5 {
		t.Fatalf("got %v", err)
	}
	former[changed] = 5
	if !maps.Equal(f.factors(), former) {
		t.Errorf("got %v, want %v", f.factors(), former)
	}
}

// TestBusy: a busy controller gets no change, and ends the run if it stays busy.
func TestBusy(t *testing.T) {
	f := randomQueue(rand.New(rand.NewPCG(4, 4)), 60)
	f.threads = busyThreads
	s := newSteerer(t, f, Settings{Every: 1e-3})
	begin(t, s, journalFile(t))
	var busy *BusyError
	if _, err := s.Run(t.Context(), func(*Pass) {}); !errors.As(err, &busy) || f.updates > 0 || s.pass != busyPasses {
		t.Errorf("got %v after %d passes and %d updates", err, s.pass, f.updates)
	}
}

// TestOverdue: overdue jobs are above the threshold of reservations by submission, and no other job is.
func TestOverdue(t *testing.T) {
	f := randomQueue(rand.New(rand.NewPCG(5, 5)), 100)
	s := newSteerer(t, f, Settings{LongestWait: 200})
	begin(t, s, journalFile(t))
	p, err := s.Step(t.Context())
	if err != nil || p.Overdue == 0 || p.Overdue == p.Waiting || p.After.Agree != p.After.Pairs {
		t.Fatalf("got %+v, %v", p, err)
	}
	for i, w := range p.queue {
		above := w.priority >= s.Site.Threshold
		if above != w.overdue || w.overdue != (i < p.Overdue) || i > 0 && i < p.Overdue && older(p.queue[i-1], w) > 0 {
			t.Errorf("place %d: %+v", i, w)
		}
	}
}

// TestGivenUp: a job that is worth nothing any more comes last, and is not held. Undo releases what an earlier version
// held, and not a job that its user holds.
func TestGivenUp(t *testing.T) {
	f := &fakeSlurm{now: 1794965283, jobs: map[int64]*fakeJob{}}
	for id := int64(1); id <= 6; id++ {
		f.jobs[id] = &fakeJob{account: "phys", width: 1, submit: f.now - 10*id, base: 100}
	}
	f.jobs[2].submit = f.now - 1e6 // 5 $ at 0.01 $/s are gone
	f.jobs[6].held = true
	s := newSteerer(t, f, Settings{OrderAll: true}, "value-bf")
	file := journalFile(t)
	begin(t, s, file)
	p, err := s.Step(t.Context())
	if err != nil || p.GivenUp != 1 || p.queue[len(p.queue)-1].number != 2 || f.jobs[2].held {
		t.Fatalf("%+v, %v", p, err)
	}
	s.Journal.Append(Record{Kind: KindIntent, Changes: []Change{{Job: 2, Factor: 9, Hold: true, Submit: float64(f.jobs[2].submit)}}})
	s.Journal.Close()
	f.jobs[2].held, f.jobs[2].factor = true, 9
	begin(t, newSteererOn(s, nil), file)
	if f.jobs[2].held || !f.jobs[6].held || f.jobs[2].factor != 0 {
		t.Errorf("after undo %+v", f.jobs[2])
	}
}

// TestWorthless: a job that pays nothing any more, however long it runs, comes after younger ones of its customer and
// width. The customer loses all of 10 $ within 500 s, after 600 s; time limits are 600 s.
func TestWorthless(t *testing.T) {
	f := &fakeSlurm{now: 1794965283, jobs: map[int64]*fakeJob{}}
	for id, waited := range map[int64]int64{1: 1101, 2: 1099, 3: 10} {
		f.jobs[id] = &fakeJob{account: "chem", width: 1, submit: f.now - waited, base: 100}
	}
	for label, want := range map[string][]int64{"value-bf": {2, 3, 1}, "first-price": {2, 3, 1}, "hol": {1, 2, 3}} {
		s := newSteerer(t, f, Settings{OrderAll: true}, label)
		p, err := s.Look(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if got := text.Each(p.queue, func(w *waiting) int64 { return w.number }); !slices.Equal(got, want) {
			t.Errorf("%s: %v, expected %v", label, got, want)
		}
	}
}

// TestChanges: a pass changes no more jobs than it may, from the head of the queue on, and later ones do the rest.
func TestChanges(t *testing.T) {
	f := randomQueue(rand.New(rand.NewPCG(6, 6)), 60)
	s := newSteerer(t, f, Settings{Changes: 7})
	begin(t, s, journalFile(t))
	for pass := 1; ; pass++ {
		p, err := s.Step(t.Context())
		switch {
		case err != nil || len(p.Changes) > 7 || pass > 30:
			t.Fatalf("pass %d: %d changes, %v", pass, len(p.Changes), err)
		case p.Cut == 0 && p.After.Agree == p.After.Pairs:
			return
		}
	}
}

// TestHostile: whatever users write, nothing but numbers reaches the input of scontrol: the fake panics at other lines.
// The other jobs are ordered as they are without it: no word makes columns or rows of its own.
func TestHostile(t *testing.T) {
	var want string
	for _, word := range []string{"nobody", "x\nupdate JobId=2 SiteFactor=9", "a|b|c", "\x00\r", "$(reboot)`reboot`", "-1", "'; exit",
		"chem\n3", "chem|batch|q|1|1", "x\n2|PENDING|u|chem|batch|q|1|1", "=\n=="} {
		f := randomQueue(rand.New(rand.NewPCG(7, 7)), 30)
		f.jobs[1] = &fakeJob{account: word, width: 1, submit: f.now - 9}
		s := newSteerer(t, f, Settings{})
		begin(t, s, journalFile(t))
		p, err := s.Step(t.Context())
		if err != nil || p.LeftAlone[LeftNobody] == 0 {
			t.Fatalf("%q: %+v, %v", word, p, err)
		}
		got := strings.Join(f.inputs, "")
		want = cmp.Or(want, got)
		if got != want {
			t.Errorf("%q: scontrol reads %q, want %q", word, got, want)
		}
	}
}

// TestNumbers: a number that another job has got meanwhile is of a job that is not ours: neither undo nor a pass changes
// it. A job that was requeued is ours still.
func TestNumbers(t *testing.T) {
	for _, held := range []bool{false, true} {
		f := &fakeSlurm{now: 1794965283, jobs: map[int64]*fakeJob{}}
		for id := int64(1); id <= 6; id++ {
			f.jobs[id] = &fakeJob{account: []string{"bio", "phys"}[id%2], width: 1, submit: f.now - 10, base: 100}
		}
		s := newSteerer(t, f, Settings{}, "hol")
		file := journalFile(t)
		begin(t, s, file)
		if _, err := s.Step(t.Context()); err != nil || f.jobs[1].factor == 0 || f.jobs[3].factor == 0 || f.jobs[5].factor == 0 {
			t.Fatalf("%+v, %v", f.jobs[1], err)
		}
		s.Journal.Close()
		f.jobs[1] = &fakeJob{account: "phys", width: 1, submit: f.now + 5, base: 100, factor: 33, held: held}
		f.jobs[3].submit, f.jobs[3].restarts, f.jobs[3].held = f.now+5, 1, held
		f.now += 20
		next := newSteererOn(s, nil)
		begin(t, next, file)
		for id, j := range f.jobs {
			if want := map[int64]int{1: 33}[id]; j.factor != want {
				t.Errorf("held %t: job %d has factor %d, want %d", held, id, j.factor, want)
			}
		}
		p, err := next.Step(t.Context())
		if err != nil || f.jobs[1].factor != 33 || !held && p.LeftAlone[LeftFactor] != 1 {
			t.Errorf("held %t: %+v, %v", held, p, err)
		}
	}
}

// TestCluster: a journal of another cluster changes nothing.
func TestCluster(t *testing.T) {
	f := randomQueue(rand.New(rand.NewPCG(11, 11)), 30)
	s := newSteerer(t, f, Settings{})
	file := journalFile(t)
	begin(t, s, file)
	if _, err := s.Step(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.Journal.Close()
	journal, records, err := OpenJournal(file)
	if err != nil {
		t.Fatal(err)
	}
	defer journal.Close()
	f.cluster = "other"
	updates := f.updates
	var other *ClusterError
	undone, err := (&Steerer{Slurm: f, Journal: journal}).Recover(t.Context(), records)
	if !errors.As(err, &other) || f.updates != updates || len(undone) > 0 {
		t.Errorf("got %v, %d updates", err, f.updates-updates)
	}
}

// TestFixed: a priority that an operator has set hides the factor. Such a job is left alone, and undo restores what it
// had before.
func TestFixed(t *testing.T) {
	f := &fakeSlurm{now: 1794965283, jobs: map[int64]*fakeJob{}}
	for id := int64(1); id <= 6; id++ {
		f.jobs[id] = &fakeJob{account: []string{"bio", "phys"}[id%2], width: 1, submit: f.now - 10, base: 100}
	}
	f.jobs[5].fixed = 5000
	s := newSteerer(t, f, Settings{}, "hol")
	begin(t, s, journalFile(t))
	if p, err := s.Step(t.Context()); err != nil || f.jobs[5].factor != 0 || p.LeftAlone[LeftFixed] != 1 {
		t.Fatalf("%+v, %v", p, err)
	}
	f.jobs[1].fixed = 7000
	if p, err := s.Step(t.Context()); err != nil || p.LeftAlone[LeftFixed] != 2 || f.jobs[1].factor == 0 {
		t.Fatalf("%+v, %v", p, err)
	}
	if _, err := s.Undo(t.Context()); err != nil || f.jobs[1].factor != 0 {
		t.Errorf("%+v, %v", f.jobs[1], err)
	}
}

// TestFailedUndo: a run that could not restore its factors has no end in the journal, and the next start restores them.
func TestFailedUndo(t *testing.T) {
	f := randomQueue(rand.New(rand.NewPCG(12, 12)), 30)
	former := f.factors()
	s := newSteerer(t, f, Settings{Every: 1e-3})
	file := journalFile(t)
	begin(t, s, file)
	if _, err := s.Run(t.Context(), func(*Pass) { f.killAt = f.steps }); !errors.Is(err, errKilled) {
		t.Fatal(err)
	}
	s.Journal.Close()
	f.killAt = 0
	begin(t, newSteererOn(s, nil), file)
	if !maps.Equal(f.factors(), former) {
		t.Errorf("got %v, want %v", f.factors(), former)
	}
}

// TestIdleJobs: jobs that do not wait for units are counted as left alone.
func TestIdleJobs(t *testing.T) {
	f := randomQueue(rand.New(rand.NewPCG(4, 4)), 200)
	want := 0
	for _, j := range f.jobs {
		if j.held || j.depends || j.later {
			want++
		}
	}
	p, err := newSteerer(t, f, Settings{}).Look(t.Context())
	if err != nil || want < 10 || p.LeftAlone[LeftIdle] != want {
		t.Errorf("%v, %v, want %d idle jobs", err, p.LeftAlone, want)
	}
}

// TestLongQueue: a pass over 5,000 jobs reads five answers, the queue twice as it is the first one, and its changes go out in small parts.
func TestLongQueue(t *testing.T) {
	f := randomQueue(rand.New(rand.NewPCG(8, 8)), 5000)
	s := newSteerer(t, f, Settings{})
	begin(t, s, journalFile(t))
	f.calls = 0
	p, err := s.Step(t.Context())
	parts := 1 + (len(p.Changes)-1+updatesSent-1)/updatesSent
	if err != nil || f.calls != 5+parts || p.After.Requests != 5+f.updates || p.After.Agree != p.After.Pairs || p.Waiting < 2000 {
		t.Fatalf("%d calls, %+v, %v", f.calls, p.After, err)
	}
}

// TestOrder: the order of a policy is that of its definition.
func TestOrder(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 9))
	for label, key := range map[string]func(a, b *queued.Job) int{
		"hol":    func(a, b *queued.Job) int { return cmp.Compare(b.Rank, a.Rank) },
		"sjf-bf": func(a, b *queued.Job) int { return cmp.Compare(a.Work, b.Work) },
		"easy":   func(a, b *queued.Job) int { return 0 },
	} {
		f := randomQueue(rng, 1)
		s := newSteerer(t, f, Settings{OrderAll: true}, label)
		jobs := make([]*queued.Job, 300)
		for i := range jobs {
			j := new(queued.Job)
			j.Class, j.Submit, j.Width = rng.IntN(3), float64(i), 1+rng.IntN(40)
			j.Work = float64(60 * (1 + rng.IntN(100)))
			j.Rank = []int{2, 1, 0}[j.Class]
			j.Spec.Details.Estimate = j.Work
			j.Value.Price = 1
			jobs[i] = j
		}
		order, given, err := s.Orderer.Order(t.Context(), jobs, 1000)
		if err != nil || len(given) > 0 || len(order) != len(jobs) {
			t.Fatalf("%s: %d jobs, %d given up, %v", label, len(order), len(given), err)
		}
		for i, k := range order[1:] {
			if before := order[i]; cmp.Or(key(jobs[before], jobs[k]), cmp.Compare(before, k)) > 0 {
				t.Errorf("%s: job %d comes before job %d", label, before, k)
			}
		}
	}
}

// TestRuns: priorities are in order and within their limits, and no longer run could keep its own.
func TestRuns(t *testing.T) {
	rng := rand.New(rand.NewPCG(10, 10))
	for range 300 {
		list := make([]slot, 1+rng.IntN(40))
		most := int64(10 + rng.IntN(200000))
		for i := range list {
			base := rng.Int64N(most)
			list[i] = slot{number: int64(rng.IntN(1000)), priority: max(base, 1), base: base, low: 1, high: 1 << 40}
		}
		out := place(list, 1, 1<<40)
		kept := 0
		for i := range list {
			if i > 0 && before(list[i-1].number, list[i].number, out[i-1], out[i]) > 0 || out[i] < 1 {
				t.Fatalf("%v: %v", list, out)
			}
			if out[i] == list[i].priority {
				kept++
			}
		}
		runs := make([]int, len(list)) // the longest run that ends at a slot, by trying all
		for i := range list {
			runs[i] = 1
			for k := range i {
				if before(list[k].number, list[i].number, list[k].priority, list[i].priority) < 0 {
					runs[i] = max(runs[i], runs[k]+1)
				}
			}
		}
		if got := countTrue(longestRun(list)); got != slices.Max(runs) || 2*got >= len(list) && most > 100000 && kept < got/2 {
			t.Fatalf("%d in order and %d kept, want %d", got, kept, slices.Max(runs))
		}
	}
}

func countTrue(list []bool) (n int) {
	for _, x := range list {
		if x {
			n++
		}
	}
	return n
}

// TestTornJournal: a last line that is not complete counts as not written, and the next record follows a whole one.
func TestTornJournal(t *testing.T) {
	file := journalFile(t)
	journal, _, err := OpenJournal(file)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := OpenJournal(file); err == nil {
		t.Error("two runs have one journal")
	}
	journal.Append(Record{Kind: KindIntent, Changes: []Change{{Job: 7, Former: 3, Factor: 9}}})
	journal.Close()
	whole, _ := os.ReadFile(file)
	os.WriteFile(file, append(whole, `{"kind":"undone","chan`...), 0o600)
	journal, records, err := OpenJournal(file)
	if err != nil || len(records) != 1 || Debts(records)[0].Former != 3 {
		t.Fatalf("got %+v, %v", records, err)
	}
	journal.Append(Record{Kind: KindUndone, Changes: []Change{{Job: 7}}})
	journal.Close()
	records, err = ReadJournal(file)
	if err != nil || len(records) != 2 || len(Debts(records)) > 0 {
		t.Errorf("got %+v, %v", records, err)
	}
}

// TestStable: while a long queue stands still, a pass changes little more than the jobs that the order needs: those
// outside of the longest part of the order of the pass before that is in order still. Most jobs of the queue are given
// up, in order of submission: those that follow find room among them.
func TestStable(t *testing.T) {
	const n = 1200
	f := &fakeSlurm{now: 1794965283, jobs: map[int64]*fakeJob{}}
	for id := int64(1); id <= n; id++ {
		f.jobs[id] = &fakeJob{account: []string{"phys", "chem", "bio"}[id%3], width: 1 << (id % 4), submit: f.now - 4*(n-id)}
	}
	s := newSteerer(t, f, Settings{})
	s.Orderer.past = s.Orderer.past[:50] // for speed
	begin(t, s, journalFile(t))
	places := map[int64]int64{}
	for pass := range 5 {
		for _, j := range f.jobs {
			j.base = 1000000 + min((f.now-j.submit)*5/3, 1000) // age
		}
		p, err := s.Step(t.Context())
		if err != nil || p.After.Agree != p.After.Pairs || p.GivenUp < n/4 {
			t.Fatalf("%+v, %v", p, err)
		}
		before := make([]slot, n)
		for i, w := range p.queue {
			before[i] = slot{number: w.number, priority: places[w.number], low: -n}
			places[w.number] = -int64(i)
		}
		need := n - countTrue(longestRun(before))
		if pass > 0 && len(p.Changes) > 2*need+20 {
			t.Errorf("pass %d changes %d jobs, and the order needs %d", pass, len(p.Changes), need)
		}
		f.now += 10
	}
}

// TestPlaceFew: an empty queue and one of a single job, wherever it stands, have places.
func TestPlaceFew(t *testing.T) {
	if got := place(nil, 2, largestPriority); len(got) != 0 {
		t.Errorf("no jobs have %v", got)
	}
	for _, priority := range []int64{1, 500, 5000} {
		got := place([]slot{{priority: priority, base: 1000, low: 2, high: 2000}}, 2, largestPriority)
		if len(got) != 1 || got[0] < 2 || got[0] > 2000 {
			t.Errorf("a job of priority %d has %v", priority, got)
		}
	}
}
