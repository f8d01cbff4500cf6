package run

import (
	"iter"
	"math"
	"slices"
	"strings"

	"revopt/internal/text"
	"revopt/model"
	"revopt/simulate/analytic"
	"revopt/simulate/subject"
	"revopt/simulate/workload"
)

// Machine is a part of a workload that is bounded on its own, because it shares
// neither units nor jobs with others: a pool, or pools that jobs move between.
type Machine struct {
	workload.Workload
	Group []int
}

// machinesOf returns the parts of a workload, all of it where the machine is one.
func machinesOf(w workload.Workload) []Machine {
	if w.Pools() == nil {
		return []Machine{{Workload: w}}
	}
	return text.Each(w.Pools().Groups(), func(group []int) Machine { return Machine{subject.Part(w, group), group} })
}

// Overloaded reports whether the machine or some pool has no steady state.
func (e *Experiment) Overloaded() bool {
	for _, part := range e.Parts() {
		if part.Unstable() {
			return true
		}
	}
	return false
}

// Parts yields the experiment or, with pools, each group of pools as one machine.
func (e *Experiment) Parts() iter.Seq2[[]string, *Experiment] {
	return func(yield func([]string, *Experiment) bool) {
		for _, p := range machinesOf(e.Workload) {
			part, where := *e, []string(nil)
			part.Workload = p.Workload
			if p.Group != nil {
				all := e.Workload.Pools()
				where, part.Admission.Admit = []string{strings.Join(subject.PoolNames(all, p.Group), " and ")}, nil
				for i, q := range e.Admission.Admit {
					s := all.Sections[i]
					if slices.Contains(p.Group, s.Pool) && all.List[s.Pool].Name == all.Customers[s.Customer].Pool {
						part.Admission.Admit = append(part.Admission.Admit, q)
					}
				}
			}
			if !yield(where, &part) {
				return
			}
		}
	}
}

// Unstable reports whether admitted jobs that never give up are more than the
// nodes can serve, so that there is no steady state: by themselves or, under
// hol, together with all jobs that are served before them, which hardly wait and
// so hardly give up.
func (e *Experiment) Unstable() bool { return len(e.starved()) > 0 }

// Endless reports whether jobs that never give up lose value without end, because they are more than the
// machine, or some pool, can serve.
func (e *Experiment) Endless() bool {
	for _, part := range e.Parts() {
		classes := part.Workload.Customers()
		unbounded := func(i int) bool { return classes[i].MeanDecay() > 0 && classes[i].Floor.None }
		if slices.ContainsFunc(part.starved(), unbounded) {
			return true
		}
	}
	return false
}

// starved returns the classes whose jobs never give up and wait longer and longer.
func (e *Experiment) starved() []int {
	busy, nodes := e.admittedNodes()
	if busy == nil {
		return nil
	}
	classes := e.Workload.Customers()
	var list, ranked []int
	var before, patient float64 // nodes kept busy by the ranks above; by jobs that never give up
	for _, i := range slices.Backward(model.ServiceOrder(model.ByWidth(classes))) {
		before += busy[i]
		if analytic.Expires(classes[i]) || busy[i] == 0 {
			continue
		}
		patient += busy[i]
		list = append(list, i)
		if before >= nodes {
			ranked = append(ranked, i)
		}
	}
	switch {
	case e.Policy.Spec.Ranked && len(ranked) > 0:
		return ranked
	case patient >= nodes:
		return list
	}
	return nil
}

// AdmittedLoad returns the share of the machine that admitted jobs of a stream need, NaN
// where admittedNodes has none. A short run may be cut off below 1 as well: its last jobs
// are still there when arrivals end.
func (e *Experiment) AdmittedLoad() float64 {
	busy, nodes := e.admittedNodes()
	sum := text.Sum(busy, func(x float64) float64 { return x })
	return sum / nodes
}

// admittedNodes returns how many nodes the admitted jobs of each class of a stream keep
// busy, and how many there are. It has none where the queue is bounded: by finitely many
// jobs or places to wait.
func (e *Experiment) admittedNodes() (busy []float64, nodes float64) {
	c, ok := e.Workload.(*workload.Classes)
	if !ok || c.Waiting() >= 0 {
		return nil, 0
	}
	busy = text.EachAt(c.Customers(), func(i int, class model.Class) float64 {
		return e.Admission.share(i) * class.Rate * class.Length.Mean() * class.Width.Mean()
	})
	return busy, float64(c.Sites()[0].Processors)
}

// ExpectedVariation returns the coefficient of variation of the mean wait of a
// replication of a stream with lengths S at load r, roughly, NaN if there is no steady
// state:
//
//	c^2 = (E[S^4]/E[S^2]^2 + 4 r/(1-r)^2 E[S^2]/E[S]^2) / jobs.
//
// The first part is how well the jobs determine E[S^2], to which waits are proportional;
// the second counts the times in which the queue forgets its state (Whitt 1989).
func (e *Experiment) ExpectedVariation() float64 {
	busy, _ := e.admittedNodes()
	load := e.AdmittedLoad()
	if busy == nil || !(load < 1) {
		return math.NaN()
	}
	var m [5]float64 // sums over jobs per second
	for i, class := range e.Workload.Customers() {
		for k := range m {
			if busy[i] > 0 {
				m[k] += busy[i] / (class.Length.Mean() * class.Width.Mean()) * class.Length.Moment(k)
			}
		}
	}
	jobs := m[0] * measuredSeconds(e.Workload.(*workload.Classes))
	tail, memory := m[4]*m[0]/(m[2]*m[2]), 4*load/((1-load)*(1-load))*m[2]*m[0]/(m[1]*m[1])
	return math.Sqrt((tail + memory) / jobs)
}

// measuredSeconds returns how long the jobs that are measured arrive, on average.
func measuredSeconds(c *workload.Classes) float64 {
	switch w := c.Window(); {
	case w.Jobs > 0:
		return float64(w.Jobs-w.WarmupJobs) / c.Stream()
	case w.Horizon > 0:
		return w.Horizon - w.WarmupTime
	}
	return c.Size() / c.Stream() // all jobs are
}
