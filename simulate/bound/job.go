package bound

import (
	"fmt"
	"math"
)

// Job is what a job offers to whoever schedules it, apart from any simulator.
type Job struct {
	Release float64 // s, no work is done earlier
	End     float64 // s, no work is done later, or is worth anything; +Inf where there is no end
	Width   float64 // nodes at most at any time
	Free    float64 // $ earned without any work
	Parts   []Part  // in the order in which they are to be done
	Late    Lateness
	// Loose means that tasks are paid one by one and may follow one another on
	// one node, so that the job may be wider than the machine. The first part
	// then stands for the first parts of all tasks.
	Loose bool
}

// Part is a piece of a job's work. The first part of a job pays only when it is
// done in full. Later ones may be done in part, for at most their share of the
// value.
type Part struct {
	Work  float64 // node-seconds at rate 1
	Value float64 // $ for the whole part, before lateness
}

// Lateness is the value that a job loses by its finish time f:
//
//	min(Rate (f - After)^+, Most)
//
// The zero value loses nothing.
type Lateness struct {
	After float64 // s, on the clock of Release
	Rate  float64 // $/s
	Most  float64 // $, +Inf where there is no limit
}

// At returns the loss of a job that ends at time f.
func (l Lateness) At(f float64) float64 {
	if f <= l.After || l.Rate == 0 {
		return 0
	}
	return math.Min(l.Rate*(f-l.After), l.Most)
}

// Work returns the work of all parts, in node-seconds.
func (j *Job) Work() float64 {
	var sum float64
	for _, p := range j.Parts {
		sum += p.Work
	}
	return sum
}

// Validate reports what is not a job.
func (j *Job) Validate() error {
	switch {
	case math.IsNaN(j.Release) || math.IsInf(j.Release, 0) || math.IsNaN(j.End):
		return fmt.Errorf("bound: job from %g to %g", j.Release, j.End)
	case !(j.Width > 0) || math.IsInf(j.Width, 1):
		return fmt.Errorf("bound: job of width %g", j.Width)
	case !(j.Free >= 0) || math.IsInf(j.Free, 1):
		return fmt.Errorf("bound: job that earns %g without work", j.Free)
	}
	for _, p := range j.Parts {
		if !(p.Work > 0) || math.IsInf(p.Work, 1) || math.IsNaN(p.Value) || math.IsInf(p.Value, 0) {
			return fmt.Errorf("bound: part %+v", p)
		}
	}
	l := j.Late
	if math.IsNaN(l.After) || !(l.Rate >= 0) || math.IsInf(l.Rate, 1) || !(l.Most >= 0) {
		return fmt.Errorf("bound: lateness %+v", l)
	}
	return nil
}

// Machine is what the jobs run on. A job has Width tasks, each on a node of its
// own, so that one wider than the machine can never run, even if its tasks are
// done at different times, unless it is Loose.
type Machine struct {
	Nodes    int
	Capacity float64 // node-seconds of work at rate 1 per second
	Speed    float64 // the largest rate of a node
}

// Uniform returns a machine of equal nodes of rate 1.
func Uniform(nodes int) Machine {
	return Machine{Nodes: nodes, Capacity: float64(nodes), Speed: 1}
}

// Mixed returns the machine whose nodes have the given speeds. The bound lets
// work flow between all of them, so a grid of several clusters is the machine
// of all its nodes.
func Mixed(speeds []float64) Machine {
	m := Machine{Nodes: len(speeds)}
	for _, s := range speeds {
		m.Capacity += s
		m.Speed = math.Max(m.Speed, s)
	}
	return m
}

// Validate reports what is not a machine.
func (m Machine) Validate() error {
	if m.Nodes < 1 || !(m.Capacity > 0) || math.IsInf(m.Capacity, 1) || !(m.Speed > 0) || math.IsInf(m.Speed, 1) {
		return fmt.Errorf("bound: machine %+v", m)
	}
	return nil
}

// check validates a whole problem.
func check(jobs []Job, m Machine) error {
	if err := m.Validate(); err != nil {
		return err
	}
	for i := range jobs {
		if err := jobs[i].Validate(); err != nil {
			return fmt.Errorf("job %d: %w", i, err)
		}
	}
	return nil
}
