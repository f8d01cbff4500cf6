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

// queueWithQOS returns a random queue whose jobs have QOS, some of them several partitions.
func queueWithQOS(rng *rand.Rand, n int) *fakeSlurm {
	f := randomQueue(rng, n)
	f.ageless = true
	for _, id := range sorted(f.jobs) {
		j := f.jobs[id]
		j.qos = []string{"normal", "normal", "normal", "high", "scav"}[rng.IntN(5)]
		j.base /= 1 + rng.Int64N(50) // some are equal
		if rng.IntN(15) == 0 {
			j.partitions = "batch,long"
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
	moved := 0
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
		if err != nil || p.After.Agree != p.After.Pairs {
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
			if there := max(f.jobs[own[i]].base, 1); f.preempt == "preempt/qos" && x.base+int64(x.factor) > there {
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
		for id, j := range f.jobs {
			if j.partitions != "" && j.factor != 0 && j.factor != 77 {
				t.Errorf("seed %d: job %d is in several partitions and has factor %d", seed, id, j.factor)
			}
		}
	}
	if moved < 500 {
		t.Errorf("only %d moves: the queues check little", moved)
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
