package catalog_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"revopt/internal/truth"
	"revopt/simulate"
	"revopt/simulate/policy"
	"revopt/simulate/policy/catalog"
)

// TestCausal: no built-in policy sees the future. Each runs random jobs, and then again with another future after some
// time: other run times of the jobs that have not ended, other times at which waiting jobs leave, and other jobs that
// come later. All that happened to jobs before this time has to be the same. A policy that reads run times is caught.
func TestCausal(t *testing.T) {
	peek := policy.Spec{Name: "peek", Make: policy.PerSite(func(policy.Settings) simulate.Policy {
		return &policy.Backfill{Key: func(j *simulate.Job, _ float64) float64 { return j.Left(truth.Key{}, 0) }}
	})}
	for _, spec := range append(catalog.Standard(), peek) {
		if spec.Needs.Recorded { // it repeats a log, and decides nothing
			continue
		}
		t.Run(spec.Name, func(t *testing.T) {
			t.Parallel()
			caught := false
			for seed := range uint64(4) {
				caught = sawFuture(t, spec, seed) || caught
			}
			if caught != (spec.Name == peek.Name) {
				t.Errorf("the policy sees the future: %v", caught)
			}
		})
	}
}

// sawFuture reports whether what a policy does before some time depends on what happens after it.
func sawFuture(t *testing.T, spec policy.Spec, seed uint64) bool {
	t.Helper()
	w := world{rand.New(rand.NewPCG(seed, 1)), spec, []float64{5, 15, 40}[seed%3]}
	jobs := w.jobs(0, 60)
	was := run(t, spec, seed, jobs)
	for range 20 {
		cut := was.times[w.IntN(len(was.times))]
		if is := run(t, spec, seed, w.altered(jobs, was, cut)); was.differs(is, cut) {
			return true
		}
	}
	return false
}

const units = 8

// world makes random jobs for a policy. The gap between submissions has a mean, s.
type world struct {
	*rand.Rand
	spec policy.Spec
	gap  float64
}

// jobs returns so many jobs that are submitted after a time.
func (w world) jobs(after float64, n int) (list []simulate.Job) {
	for range n {
		after += w.gap * w.ExpFloat64()
		j := simulate.Job{Class: w.IntN(3), Submit: after, Width: 1 + w.IntN(units), Chance: w.Float64()}
		if w.spec.Needs.Shared { // tasks of a wide job would end one by one, and the first end tells the run time
			j.Width = 1
		}
		j.Rank = j.Class
		d := &j.Spec.Details
		d.User, d.Group, d.Queue, d.Partition, d.Account = 1+w.IntN(5), 1+w.IntN(2), 1+w.IntN(2), 1, 1+w.IntN(3)
		d.Estimate = 1 + 60*w.ExpFloat64()
		if w.IntN(2) == 0 {
			j.Patience = 60 * w.ExpFloat64()
			j.Expire = after + j.Patience
		}
		lasts(&j, d.Estimate*(0.1+1.2*w.Float64()))
		list = append(list, j)
	}
	return list
}

// lasts gives a job a run time, and the value and the parts that depend on it.
func lasts(j *simulate.Job, work float64) {
	j.Work = work
	j.Spec.Imprecise = &simulate.Imprecise{Mandatory: work / 3, Optional: work * 2 / 3, Reward: 5, Bonus: simulate.Linear(0.5)}
	j.Tariff = tariff{}
	j.Value = tariff{}.Value(j, work)
}

// tariff pays jobs by their run time.
type tariff struct{}

func (tariff) Value(j *simulate.Job, length float64) simulate.Value {
	v := simulate.ByDeadline((1+j.Chance)*length, (2+3*j.Chance)*length, j.Chance, j.Class == 0)
	v.Floor = 20 * j.Chance
	return v
}

// altered returns the jobs with another future after a time, of which the history tells until then.
func (w world) altered(jobs []simulate.Job, h *history, cut float64) (list []simulate.Job) {
	for i, j := range jobs {
		if j.Submit > cut {
			break
		}
		if f := h.jobs[i]; f.ended > cut {
			if !w.spec.Needs.Optional { // such policies know run times
				lasts(&j, max(0, cut-f.start)*(1+1e-6)+j.Spec.Details.Estimate*(0.05+1.2*w.Float64()))
			}
			if f.start > cut && j.Expire > cut {
				j.Expire = cut + (j.Expire-cut)*(0.1+2*w.Float64())
				j.Patience = j.Expire - j.Submit
			}
		}
		list = append(list, j)
	}
	return append(list, w.jobs(cut, 15)...)
}

// history is an observer of all that happens to jobs.
type history struct {
	jobs  []fate // by ID
	times []float64
}

// fate is what happens to a job. A time that has not come is +Inf.
type fate struct {
	steps        []step
	start, ended float64
}

type step struct {
	kind  simulate.Kind
	at    float64
	nodes []int32 // on which it starts
}

// Observe implements simulate.Observer.
func (h *history) Observe(e simulate.Event) {
	if e.Job == nil {
		return
	}
	if int(e.Job.ID) == len(h.jobs) {
		h.jobs = append(h.jobs, fate{start: math.Inf(1), ended: math.Inf(1)})
	}
	f, s := &h.jobs[e.Job.ID], step{kind: e.Kind, at: e.Time}
	switch e.Kind {
	case simulate.Started:
		f.start = min(f.start, e.Time)
		s.nodes = slices.Clone(e.Job.Nodes)
	case simulate.Completed, simulate.Rejected, simulate.Expired:
		f.ended = e.Time
	}
	f.steps, h.times = append(f.steps, s), append(h.times, e.Time)
}

// differs reports whether something else happened to a job before a time.
func (h *history) differs(other *history, before float64) bool {
	const rounding = 1e-9 // of sums of the same numbers in another order, as a share
	until := func(h *history, id int) []step {
		if id >= len(h.jobs) {
			return nil
		}
		return slices.DeleteFunc(slices.Clone(h.jobs[id].steps), func(s step) bool { return s.at >= before*(1-rounding) })
	}
	for id := range max(len(h.jobs), len(other.jobs)) {
		same := slices.EqualFunc(until(h, id), until(other, id), func(a, b step) bool {
			return a.kind == b.kind && math.Abs(a.at-b.at) <= rounding*(1+a.at) && slices.Equal(a.nodes, b.nodes)
		})
		if !same {
			return true
		}
	}
	return false
}

// run runs a policy on jobs.
func run(t *testing.T, spec policy.Spec, seed uint64, jobs []simulate.Job) *history {
	t.Helper()
	context := policy.Sites(units)
	context.Seed, context.Customers = seed, []string{"one", "two", "three"}
	policies, router, err := spec.Build(nil, context)
	if err != nil {
		t.Fatal(err)
	}
	h := new(history)
	_, err = simulate.Run(t.Context(), simulate.Config{
		Source: simulate.Slice(jobs), Router: router, Charging: spec.Charging(nil, simulate.ByValue),
		Observers: []simulate.Observer{h}, Sites: []simulate.Site{{Processors: units, Policy: policies[0]}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return h
}
