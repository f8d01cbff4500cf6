package steer

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"revopt/internal/text"
	"revopt/simulate/slurm/queued"
)

// qosTables are tables of QOS; "" is an accounting that does not answer.
var qosTables = []string{
	"", "normal|\nhigh|\nscav|\n", "normal|scav\nhigh|scav\nscav|\n", "normal|scav\nhigh|normal,scav\nscav|\nother|\n",
}

// preempts reads a table: whether a QOS may preempt another. It is written apart from Relations.
func preempts(table, a, b string) bool {
	if table == "" {
		return a != b
	}
	for _, row := range strings.Fields(table) {
		name, list, _ := strings.Cut(row, "|")
		if name == a && slices.Contains(strings.Split(list, ","), b) {
			return true
		}
	}
	return false
}

// alike reports whether two QOS have the same relations to all.
func alike(table, a, b string) bool {
	for _, other := range []string{"normal", "high", "scav", "other"} {
		if preempts(table, a, other) != preempts(table, b, other) || preempts(table, other, a) != preempts(table, other, b) {
			return a == b
		}
	}
	return true
}

// queueWithQOS returns a random queue whose jobs have QOS, some of them several partitions, fixed priorities, or tasks of
// an array with records of their own.
func queueWithQOS(rng *rand.Rand, n int) *fakeSlurm {
	f := randomQueue(rng, n)
	f.ageless = true
	for _, id := range sorted(f.jobs) {
		j := f.jobs[id]
		j.qos = []string{"normal", "normal", "normal", "high", "scav"}[rng.IntN(5)]
		j.base /= 1 + rng.Int64N(50) // some are equal
		switch rng.IntN(20) {
		case 0:
			j.partitions = "batch,long"
		case 1:
			if !j.array && j.listed() {
				j.fixed, j.base, j.factor = 1+rng.Int64N(5000), 0, 0
			}
		case 2, 3:
			if j.array {
				f.jobs[1000+id] = &fakeJob{account: j.account, width: j.width, submit: j.submit, base: rng.Int64N(5000),
					of: id, qos: j.qos}
			}
		}
	}
	return f
}

// own returns whether Slurm has one job before another without factors.
func (f *fakeSlurm) own(a, b int64) bool {
	x, y := f.jobs[a], f.jobs[b]
	return x.base > y.base || x.base == y.base && a < b
}

// TestOrderInsideACustomer: on random queues, checked pair by pair on what Slurm has after a pass: jobs of a customer
// stand as Slurm has them without factors, wherever they may exchange places at all; no job passes one that may preempt
// it; the places of jobs with equal preemption relations stay theirs; a job in several partitions is not touched.
func TestOrderInsideACustomer(t *testing.T) {
	moved, seen := 0, 0
	for seed := range uint64(24) {
		rng := rand.New(rand.NewPCG(seed, 21))
		f := queueWithQOS(rng, 20+rng.IntN(120))
		table := qosTables[seed%4]
		f.table, f.preempt = table, "preempt/qos"
		if seed%8 >= 4 {
			f.preempt, table = "preempt/none", "normal|\n" // the table is filled regardless
		}
		s := newSteerer(t, f, Settings{}, []string{"value-bf", "hol", "sjf-bf"}[seed%3])
		begin(t, s, journalFile(t))
		p, err := s.Step(t.Context())
		if err != nil || p.After.Agree != p.After.Pairs && p.Beyond == 0 || p.Beyond > p.Waiting/10 {
			t.Fatalf("seed %d: %v, %+v", seed, err, p)
		}
		moved += len(p.Changes)
		var after []int64
		for _, w := range p.queue {
			after = append(after, w.number)
		}
		own := slices.Clone(after)
		slices.SortFunc(own, func(a, b int64) int {
			if f.own(a, b) {
				return -1
			}
			return 1
		})
		slices.SortFunc(after, func(a, b int64) int {
			x, y := f.jobs[a], f.jobs[b]
			return cmp.Or(cmp.Compare(y.base+int64(y.factor), x.base+int64(x.factor)), cmp.Compare(a, b))
		})
		for i, a := range after {
			x := f.jobs[a]
			if there := max(f.jobs[own[i]].base, 1); f.preempt == "preempt/qos" && p.Beyond == 0 && x.base+int64(x.factor) > there {
				t.Errorf("seed %d: place %d is worth %d, and job %d is lifted to %d: a newcomer that preempts may stand below it",
					seed, i, there, a, x.base+int64(x.factor))
			}
			if !alike(table, x.qos, f.jobs[own[i]].qos) {
				t.Errorf("seed %d: place %d of QOS %s has a job of %s", seed, i, f.jobs[own[i]].qos, x.qos)
			}
			for _, b := range after[i+1:] {
				y := f.jobs[b]
				related := preempts(table, x.qos, y.qos) || preempts(table, y.qos, x.qos)
				if (x.account == y.account && alike(table, x.qos, y.qos) || related && x.qos != y.qos) && f.own(b, a) {
					t.Errorf("seed %d: job %d (%s, %s) passes job %d (%s, %s)", seed, a, x.account, x.qos, b, y.account, y.qos)
				}
			}
		}
		passed, pairs := f.pastOthers(p, table)
		seen += pairs
		for _, words := range passed {
			t.Errorf("seed %d: %s", seed, words)
		}
		for id, j := range f.jobs {
			if j.partitions != "" && j.factor != 0 && j.factor != 77 {
				t.Errorf("seed %d: job %d is in several partitions and has factor %d", seed, id, j.factor)
			}
		}
	}
	if moved < 500 || seen < 500 {
		t.Errorf("only %d moves and %d pairs with jobs that are left alone: the queues check little", moved, seen)
	}
}

// pastOthers names the jobs that have passed one that is left alone although one may preempt the other, or were passed by
// it. It returns the number of such pairs too.
func (f *fakeSlurm) pastOthers(p *Pass, table string) (passed []string, pairs int) {
	steered := map[int64]bool{}
	for _, w := range p.queue {
		steered[w.number] = true
	}
	for _, w := range p.queue {
		x := f.jobs[w.number]
		for id, y := range f.jobs {
			related := x.qos != y.qos && (preempts(table, x.qos, y.qos) || preempts(table, y.qos, x.qos))
			if steered[id] || !y.listed() || !related {
				continue
			}
			pairs++
			other := y.base + int64(y.factor)
			if y.fixed > 0 {
				other = y.fixed
			}
			number := id
			if y.of > 0 {
				number = y.of
			}
			was, is := before(w.number, number, x.base, other), before(w.number, number, x.base+int64(x.factor), other)
			if was != is {
				passed = append(passed, fmt.Sprintf("job %d (%s, %d, now %d) passes job %d (%s, %d), or was passed by it",
					w.number, x.qos, x.base, x.base+int64(x.factor), id, y.qos, other))
			}
		}
	}
	return passed, pairs
}

// TestRelationsAgain: a QOS that the table lacked when steer began, and a list that changes later, count in the next pass
// and after ten minutes. A QOS that stays unknown is not asked for in each pass, and an accounting that does not answer
// takes no relation away.
func TestRelationsAgain(t *testing.T) {
	f := queueWithQOS(rand.New(rand.NewPCG(3, 23)), 40)
	f.table, f.preempt = "normal|\nhigh|\nscav|\n", "preempt/qos"
	asked := 0
	f.lie = func(program string, out []byte, err error) ([]byte, error) {
		if program == "sacctmgr" {
			asked++
		}
		return out, err
	}
	s := newSteerer(t, f, Settings{Every: 30})
	begin(t, s, journalFile(t))
	step := func(seconds int64, want int) {
		t.Helper()
		f.now += seconds
		asked = 0
		if _, err := s.Step(t.Context()); err != nil || asked != want {
			t.Fatalf("asked %d times, expected %d: %v", asked, want, err)
		}
	}
	step(30, 0)
	f.jobs[900] = &fakeJob{account: "bio", width: 1, submit: f.now, base: 9, qos: "fresh"}
	f.table = "normal|\nhigh|\nscav|\nfresh|scav\n"
	step(30, 1)
	if !s.Relations.related("fresh", "scav") || s.Relations.related("fresh", "normal") {
		t.Errorf("a new QOS: %v", s.Relations)
	}
	f.jobs[901] = &fakeJob{account: "bio", width: 1, submit: f.now, base: 9, qos: "(null)"}
	step(30, 1)
	step(30, 0)
	f.table = "normal|scav\nhigh|\nscav|\nfresh|scav\n"
	step(refreshTime, 1)
	if !s.Relations.related("normal", "scav") {
		t.Errorf("a new list: %v", s.Relations)
	}
	f.table = ""
	step(refreshTime, 1)
	if !s.Relations.related("normal", "scav") || s.Relations.related("high", "scav") {
		t.Errorf("without an answer: %v", s.Relations)
	}
	f.preempt = "preempt/none"
	step(refreshTime, 0)
	if s.Relations.related("normal", "scav") {
		t.Errorf("no preemption any more: %v", s.Relations)
	}
}

// TestPlacesOfCustomers: without preemption the customers have the places that the policy gives them, whatever the order
// inside a customer.
func TestPlacesOfCustomers(t *testing.T) {
	for seed := range uint64(9) {
		label := []string{"value-bf", "hol", "first-price"}[seed%3]
		var want string
		for _, all := range []bool{true, false} {
			f := randomQueue(rand.New(rand.NewPCG(seed, 22)), 80)
			p, err := newSteerer(t, f, Settings{OrderAll: all, LongestWait: float64(seed%2) * 200}, label).Look(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			var customers []string
			for _, w := range p.queue {
				customers = append(customers, f.jobs[w.number].account)
			}
			got := fmt.Sprint(customers)
			want = cmp.Or(want, got)
			if got != want {
				t.Errorf("seed %d, %s: %s\nexpected %s", seed, label, got, want)
			}
		}
	}
}

// TestStaleAges: jobs whose ages Slurm has just computed do not pass older ones, whose ages are of the last period; a
// higher fair share still counts, and so does an age that the time since submission does not explain.
func TestStaleAges(t *testing.T) {
	site := Site{stated: map[string]string{
		"PriorityWeightAge": "1000", "PriorityMaxAge": "00:10:00", "PriorityCalcPeriod": "1",
	}}
	const now = 10000
	job := func(number int64, waited float64, age, rest int64) *waiting {
		w := &waiting{Job: new(queued.Job), number: number, standing: standing{age: age, base: age + rest}}
		w.Queued.Submit = now - waited
		w.own = site.aging().now(w, now)
		return w
	}
	list := []*waiting{
		job(4, 58, 97, 50),  // just computed
		job(3, 60, 10, 50),  // computed 54 s ago
		job(2, 300, 0, 100), // its age does not accrue
		job(5, 20, 0, 500),  // its user has a higher share
	}
	slices.SortFunc(list, slurmOrder)
	if got := text.Each(list, func(w *waiting) int64 { return w.number }); !slices.Equal(got, []int64{5, 3, 4, 2}) {
		t.Errorf("got %v", got)
	}
}
