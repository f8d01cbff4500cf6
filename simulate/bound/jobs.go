package bound

import (
	"context"
	"fmt"
	"math"

	"revopt/simulate"
)

// Job is what a job is worth to a scheduler, apart from any simulator.
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

// invalid returns the error about a number in a problem that makes it none, of one thing or of several, counted from 0.
func invalid(thing, field string, value any) error {
	return fmt.Errorf("bound: %s: %s %+v", thing, field, value)
}

func invalidAt(thing string, index int, field string, value any) error {
	return invalid(fmt.Sprint(thing, " ", index), field, value)
}

// validate returns an error where the numbers make no job.
func (j *Job) validate(index int) error {
	invalid := func(field string, value any) error { return invalidAt("job", index, field, value) }
	switch {
	case math.IsNaN(j.Release) || math.IsInf(j.Release, 0):
		return invalid("release", j.Release)
	case math.IsNaN(j.End):
		return invalid("end", j.End)
	case !(j.Width > 0) || math.IsInf(j.Width, 1):
		return invalid("width", j.Width)
	case !(j.Free >= 0) || math.IsInf(j.Free, 1):
		return invalid("money without work", j.Free)
	}
	for _, p := range j.Parts {
		if !(p.Work > 0) || math.IsInf(p.Work, 1) || math.IsNaN(p.Value) || math.IsInf(p.Value, 0) {
			return invalid("part", p)
		}
	}
	l := j.Late
	if math.IsNaN(l.After) || !(l.Rate >= 0) || math.IsInf(l.Rate, 1) || !(l.Most >= 0) {
		return invalid("lateness", l)
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

	// Up is the number of nodes that are up over time, if they are alike; nil: all, always.
	// It rises to Nodes in the end.
	Up []Level
}

// supply returns the node-seconds of work from one time to another.
func (m Machine) supply(a, b float64) float64 {
	var sum float64
	m.cuts(a, b, func(s, e, capacity float64) { sum += capacity * (e - s) })
	return sum
}

// cuts calls f for the pieces of [a, b] on which the capacity is constant.
func (m Machine) cuts(a, b float64, f func(a, b, capacity float64)) {
	now := m.Capacity // before the first change all nodes are up
	for _, l := range m.Up {
		if a < l.From && l.From < b {
			f(a, l.From, now)
			a = l.From
		}
		if l.From < b {
			now = m.Capacity * float64(l.Units) / float64(m.Nodes)
		}
	}
	f(a, b, now)
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

// validate returns an error where the numbers make no machine.
func (m Machine) validate() error {
	for i, l := range m.Up {
		if !(l.From >= 0) || l.Units < 0 || l.Units > m.Nodes || i > 0 && l.From <= m.Up[i-1].From ||
			i == len(m.Up)-1 && l.Units < m.Nodes {
			return invalid("machine", "nodes that are up", l)
		}
	}
	if m.Nodes < 1 || !(m.Capacity > 0) || math.IsInf(m.Capacity, 1) || !(m.Speed > 0) || math.IsInf(m.Speed, 1) {
		return invalid("machine", "size", m)
	}
	return nil
}

func check(jobs []Job, m Machine) error {
	if err := m.validate(); err != nil {
		return err
	}
	for i := range jobs {
		if err := jobs[i].validate(i); err != nil {
			return err
		}
	}
	return nil
}

// The simulator takes an end a little past a deadline for one in time. Windows
// are wider than stated by these parts of the time and of the deadline.
const (
	hair   = 1e-9
	leeway = 2e-8
)

// due returns the time up to which a job loses nothing, widened.
func due(j *simulate.Job) float64 {
	d := j.Value.Due
	return widen(j.Submit + d + leeway*math.Abs(d))
}

// widen returns a time a hair later.
func widen(t float64) float64 { return t + hair*math.Abs(t) }

// Whole returns a job whose result is whole or nothing. It pays what it is
// worth, Job.Value as a function of its end, and costs its floor if it gives up
// at Job.Expire. A scheduler may decline it, so that less than nothing counts as
// nothing. A job that is Void is worth nothing.
//
// A floor below 0 is money: late, the job is worth at least that, and if it may
// give up, Free is what it then pays without any work.
//
// The window does not end at Expire + Work. That is the last end of a job that
// runs without interruption at rate 1, as it starts before Expire, but on a
// shared node a job may start in time and end at any time later. Work for it is
// worth nothing from the time t on at which value(t) <= Free, whichever policy runs it,
// since the value does not rise again: there the window ends, for a hard job at
// its deadline, for a soft one at
//
//	Submit + Due + (Price - Free)/Decay
//
// (found with the loss, in newItem). By the rules of expiry of classes
// value(Expire + Work) <= Free, so that t is Expire + Work or earlier and the
// earlier start is no limit of its own: a hard job gives up when it can only end
// late, at Due - Work after its submission, and a soft one when a start would
// bring it no more than the floor, or than nothing. Where Expire is earlier
// than that, by another rule, the start would limit policies without
// interruptions alone, and the bound is for all.
func Whole(j *simulate.Job) Job {
	v := &j.Value
	b := Job{Release: j.Submit, End: math.Inf(1), Width: float64(j.Width)}
	if j.Void {
		return b
	}
	b.Free = forsaken(j)
	worth, most := v.Price, math.Max(0, v.Price+v.Floor)
	switch {
	case v.Hard && -v.Floor <= b.Free:
		b.End = due(j)
	case v.Hard: // a loss at once, but for a nanosecond
		worth = math.Max(worth, -v.Floor)
		b.Late = Lateness{After: due(j), Rate: most / hair, Most: most}
	case v.Decay > 0:
		worth = math.Max(worth, -v.Floor) // a floor above the price
		b.Late = Lateness{After: due(j), Rate: v.Decay, Most: most}
	}
	b.setWork(j.Work, worth-b.Free)
	return b
}

// forsaken returns what a job pays if it gives up: nothing, or more where its
// floor is below 0.
func forsaken(j *simulate.Job) float64 {
	if j.Expire > 0 && !math.IsInf(j.Expire, 1) {
		return math.Max(0, -j.Value.Floor)
	}
	return 0
}

// instant is a length, s, that is taken for none: values per node-second of
// shorter jobs may be beyond the range of numbers.
const instant = 1e-100

// setWork gives the job its only part. Work that takes no time is free, for the
// value at the release.
func (j *Job) setWork(length, value float64) {
	if length > instant {
		j.Parts = []Part{{Work: length * j.Width, Value: value}}
		return
	}
	if j.End >= j.Release {
		j.Free += math.Max(0, value-j.Late.At(j.Release))
	}
}

// Collect reads the jobs of a source and turns each into a job of this package, with [Whole], [Partial] or
// [WholeOrPartial].
//
// Where ctx ends before, Collect returns its error.
func Collect(ctx context.Context, source simulate.Source, from func(*simulate.Job) Job) (jobs []Job, err error) {
	for ctx.Err() == nil {
		var j simulate.Job
		ok, err := source.Next(&j)
		if err != nil || !ok {
			return jobs, err
		}
		jobs = append(jobs, from(&j))
	}
	return nil, ctx.Err()
}

// Partial returns the job of an imprecise computation, as in
// Job.Spec.Imprecise: Width tasks, each with a mandatory length that pays only
// when it is done and an optional length that is paid by what is done of it, by
// the deadline. A job that states no parts is mandatory as a whole and pays its
// budget, a share of it for each task.
//
// Tasks are alike, and the value of work on one is concave in the relaxed
// problem, so that equal shares are best: all tasks together are worth
// V(y) = Width V_1(y/Width). The bound need not tell them apart.
func Partial(j *simulate.Job) Job {
	w := float64(j.Width)
	i := j.Spec.Imprecise
	if i == nil {
		i = &simulate.Imprecise{Mandatory: j.Work, Reward: j.Value.Price / w}
	}
	b := Job{Release: j.Submit, End: math.Inf(1), Width: w, Loose: true}
	if j.Value.Dated {
		b.End = due(j)
	}
	if j.Void {
		return b
	}
	first, optional := bonus(i)
	var paid float64 // without any work, by the parts
	if i.Mandatory > 0 {
		b.Parts = append(b.Parts, Part{w * i.Mandatory, w * first})
	} else {
		paid = w * math.Max(0, first)
	}
	for _, p := range optional {
		if len(b.Parts) == 0 { // a first part is whole or nothing; this one is not
			b.Parts = append(b.Parts, Part{w * hair * p.Work, w * hair * p.Value})
			p.Work, p.Value = p.Work*(1-hair), p.Value*(1-hair)
		}
		b.Parts = append(b.Parts, Part{w * p.Work, w * p.Value})
	}
	b.free(paid, math.Max(paid, forsaken(j)))
	return b
}

// free raises what the job earns without work and takes the difference off its
// first part, so that all parts together are worth what they were.
func (j *Job) free(before, after float64) {
	j.Free = after
	if len(j.Parts) > 0 {
		j.Parts[0].Value -= after - before
	}
}

// bonus returns what a task pays for its mandatory length and for the pieces of
// its optional one, in seconds and $, so that the line through the sums lies
// nowhere below what the task pays.
//
// A linear bonus is one piece, and milestones are pieces between which the line
// lies above the steps. Any other is cut into pieces, short ones at its start,
// and a length within a piece counts as all of it: the line passes through
// (start of the piece, pay at its end), which is above since pay does not fall.
func bonus(i *simulate.Imprecise) (mandatory float64, optional []Part) {
	if i.Optional <= 0 || i.Bonus == nil {
		return i.Worth(0), nil
	}
	switch b := i.Bonus.(type) {
	case simulate.Linear:
		return i.Worth(0), []Part{{i.Optional, i.Worth(i.Optional) - i.Worth(0)}}
	case simulate.Steps:
		return steps(i, b)
	}
	const pieces = 64
	length := func(n int) float64 { return i.Optional * math.Pow(float64(n)/pieces, 3) }
	for n := 1; n <= pieces; n++ {
		more := i.Worth(length(min(n+1, pieces))) - i.Worth(length(n))
		optional = append(optional, Part{length(n) - length(n-1), more})
	}
	return i.Worth(length(1)), optional
}

// steps is bonus for milestones. One that is reached at once counts as
// mandatory, and all are a little nearer than stated, as the simulator rounds.
func steps(i *simulate.Imprecise, b simulate.Steps) (mandatory float64, optional []Part) {
	const rounding = 2e-9
	mandatory = i.Worth(0)
	at := 0.0
	for _, m := range b {
		next := m.At * (1 - rounding)
		switch {
		case m.At <= 0 || next > i.Optional: // paid with the mandatory length, or never
		case next <= at && len(optional) > 0:
			optional[len(optional)-1].Value += m.Amount
		default:
			optional = append(optional, Part{next - at, m.Amount})
			at = next
		}
	}
	return mandatory, optional
}

// WholeOrPartial returns a job that a scheduler may serve whole, for what Whole
// says, or in part, for what Partial says. A bound on such jobs holds for
// policies of both kinds, and for one that chooses between them job by job.
//
// The job has the window and the lateness of Whole and the parts of Partial,
// raised where the whole is worth more to the one than to the other. A part of
// a job without a deadline may be returned at any time: such a job has no loss.
//
// Proof. Served whole, all of its work A is done by its end f, and it pays
// budget - loss(f) <= V(A) - loss(f), as in the proof of Clairvoyant. Served in
// part by its deadline, it pays at most V(y) for y node-seconds of work, all of
// it within the window, which reaches to the deadline or beyond, and at a time
// at which the relaxed problem charges no loss yet: losses start at the
// deadline, or with the first part, without which nothing is paid.
func WholeOrPartial(j *simulate.Job) Job {
	whole, partial := Whole(j), Partial(j)
	b := whole
	b.Loose = true
	if j.Void {
		return b
	}
	if !j.Value.Dated {
		b.End, b.Late = partial.End, Lateness{}
	}
	b.Parts = partial.Parts
	b.free(partial.Free, math.Max(whole.Free, partial.Free))
	if len(whole.Parts) > 0 {
		b.Parts = raise(b.Parts, Part{whole.Parts[0].Work, whole.Parts[0].Value - (b.Free - whole.Free)})
	}
	return b
}

// raise returns parts that are worth no less than before, and no less than the
// whole's value for the whole's work.
func raise(parts []Part, whole Part) []Part {
	var raised []Part
	var work, value float64 // of the parts before
	for i, p := range parts {
		end := work + p.Work
		if whole.Work > end*(1+hair) || whole.Work <= work {
			raised = append(raised, p)
			work, value = end, value+p.Value
			continue
		}
		cut := math.Min((whole.Work-work)/p.Work, 1)
		if cut > 1-hair {
			cut = 1
		}
		first := Part{p.Work * cut, p.Value * cut}
		if i == 0 && cut < 1 {
			first.Value = 0 // a first part pays only in full
		}
		first.Value = math.Max(first.Value, whole.Value-value)
		raised = append(raised, first)
		if cut < 1 {
			raised = append(raised, Part{p.Work * (1 - cut), math.Max(0, p.Value-first.Value)})
		}
		work, value = end, value+math.Max(p.Value, first.Value)
		whole.Work = 0 // done with
	}
	if whole.Work > 0 {
		raised = append(raised, Part{whole.Work - work, math.Max(0, whole.Value-value)})
	}
	return raised
}
