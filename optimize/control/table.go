package control

import (
	"context"
	"math"
	"slices"
)

// Table is a table of decisions.
type Table struct {
	process *process
	value   []float64
	place   []int // by class, -1: refused always
}

func newTable(q *process, classes int) *Table {
	t := &Table{process: q, place: slices.Repeat([]int{-1}, classes)}
	for p, list := range q.places {
		for _, i := range list {
			t.place[i] = p
		}
	}
	return t
}

// States returns the number of states.
func (t *Table) States() int { return len(t.value) }

// Admit decides on an arrival of a class, given the numbers of jobs of each class that
// wait and that are in service. One pooled server has at most one job in service. If
// all classes have the same mean length, the classes of jobs in service do not count.
func (t *Table) Admit(class int, waiting, running []int) bool {
	p := t.place[class]
	if p < 0 {
		return false
	}
	q := t.process
	var few [3][16]int // avoids allocation
	mix, x, out := few[0][:], few[1][:], few[2][:]
	if len(q.places) > len(few[0]) {
		mix, x, out = make([]int, len(q.places)), make([]int, len(q.places)), make([]int, len(q.places))
	}
	mix, x, out = mix[:len(q.speed)], x[:len(q.places)], out[:len(q.places)]
	jobs := 0
	for i, p := range t.place {
		if p >= 0 {
			mix[q.group[p]] += running[i]
			jobs += running[i]
			x[p] += waiting[i]
		}
	}
	if jobs > q.servers {
		return false // more jobs than servers: not a state of the process
	}
	m := q.mixes.index(mix)
	if jobs < q.servers {
		after := q.more[m*len(q.speed)+q.group[p]]
		return q.price[p]+t.value[q.at[after]]-t.value[q.at[m]] > 0
	}
	q.queue.project(x, out)
	now := t.value[q.at[m]+q.queue.index(x)]
	x[p]++
	q.queue.project(x, out)
	if slices.Max(out) > 0 {
		return false
	}
	return t.value[q.at[m]+q.queue.index(x)]-now > 0
}

// readOff sets the thresholds by the frequencies of the states. Near the limits a job may be refused only to keep room for
// others. Such a refusal does not count: values u, with jobs allowed outside, must
// refuse the job too.
func (r *Result) readOff(ctx context.Context, u []float64) error {
	const seldom = 1e-9
	t := r.Table
	q, h := t.process, t.value
	pi, err := q.stationary(ctx, nil, h, lower, 60)
	if err != nil {
		return err
	}
	const idle, nowhere = -1, -2 // numbers waiting
	places := len(q.places)
	refused, admitted := slices.Repeat([]int{math.MaxInt}, places), slices.Repeat([]int{nowhere}, places)
	// An arrival of place p in state x leads to y and earns extra at once.
	record := func(p, waiting int, extra float64, x, y int) {
		gain := extra + h[y] - h[x]
		switch {
		case pi[x] < seldom:
		case gain > 0 || extra+u[y]-u[x] > 0:
			admitted[p] = max(admitted[p], waiting)
		default:
			refused[p] = min(refused[p], waiting)
		}
	}
	for _, mix := range q.full {
		at := q.at[mix]
		for k := range q.queue.rows {
			row := &q.queue.rows[k]
			for i := range row.length {
				x, waiting := at+row.base+i, row.sum+i
				for p := range q.rate {
					if y, edge := q.queue.reach(row, k, p, i); edge == inside {
						record(p, waiting, 0, x, at+y)
					} else if q.physical() && i == row.length-1 {
						record(p, waiting, 0, x, x)
					}
				}
			}
		}
	}
	busy := slices.Clone(refused)
	for _, mix := range q.partial {
		for p := range q.rate {
			record(p, idle, q.price[p], q.at[mix], q.at[q.more[mix*len(q.speed)+q.group[p]]])
		}
	}
	for i, p := range t.place {
		s := Switch{Some: -1, All: -1}
		if p < 0 || admitted[p] == nowhere {
			s = Switch{Never: true}
		} else {
			s.Reserved = refused[p] == idle
			if busy[p] < math.MaxInt {
				s.Some, s.All = busy[p], max(busy[p], admitted[p]+1)
			}
		}
		r.Thresholds[i] = s
	}
	return nil
}
