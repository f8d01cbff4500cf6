package bound

import (
	"cmp"
	"context"
	"math"
	"slices"
	"sort"
)

// Task is a job that has to be run, whatever it is worth. If it ends at time f, its delay is
//
//	(f - Release - Length - Grace)^+
type Task struct {
	Release float64 // s, no work is done earlier
	Length  float64 // s, on Width nodes of rate 1
	Width   int     // nodes
	Grace   float64 // s of waiting that count for nothing
	Weight  float64 // of the delay, per s
}

// Waits returns a lower bound on the sum of Weight x delay over all tasks, for any policy that knows the future and runs
// every task once, from its start to its end, on Width nodes of its own, on a machine of equal nodes of rate 1. With weights
// of 1 and no grace that is the sum of the waits: response less length. Tasks wider than the machine, which no policy
// runs, are left out.
//
// The bound is the larger one of two. The first one also holds for policies that preempt, migrate or share nodes.
// Proof. Take any schedule. Let x_j(t) be the rate at which the nodes work for task j, so that
// 0 <= x_j <= rate_j from the release on, sum_j x_j <= capacity, and integral x_j dt = A_j, all
// of its work. It ends at f_j. Let M_j = 1/A_j integral t x_j dt be its mean busy time. The work
// is done before f_j at a rate of at most rate_j, so the mean of f_j - t over it is least if it
// is done at full rate in the last A_j/rate_j seconds, and then half of these: f_j >= M_j +
// A_j/(2 rate_j) (Goemans 1997). Without grace the delay is therefore at least
//
//	1/A_j integral (t - release_j) x_j dt - length_j + A_j/(2 rate_j)
//
// and with it at least 1/A_j integral (t - release_j - length_j - grace_j)^+ x_j dt, since
// f_j >= t wherever x_j(t) > 0. The relaxed problem minimizes the sum of these over all x. By weak
// duality
//
//	sum_j max_lambda { lambda A_j - rate_j integral (lambda - g_j - pi)^+ dt } - integral capacity pi dt
//
// is at most its optimum for any prices pi >= 0, g_j being the loss per node-second at time t and
// lambda_j, free because all work has to be done, the price at which task j has bought its work. QED
//
// The second one is that of [turns], which starts from the prices of the first.
func Waits(ctx context.Context, tasks []Task, m Machine) (float64, error) {
	if m.Speed != 1 || m.Capacity != float64(m.Nodes) {
		return 0, invalid("machine", "nodes that are not equal and of rate 1", m)
	}
	d, err := newDelays(tasks, m)
	if err != nil || len(d.list) == 0 {
		return 0, err
	}
	d.relax(ctx)
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	bound := max(0, d.bound())
	if d.times == nil {
		return bound, nil
	}
	t := newTurns(ctx, tasks, m, d.times, true)
	if even := t.evenGrid(); even != nil {
		t = newTurns(ctx, tasks, m, even, false)
		bound = math.Max(bound, t.bound(t.solve()))
	}
	level := t.first(d)
	level = ascent(ctx, t, t.supply, level, t.natural(level), t.rounds(level))
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	return math.Max(bound, t.bound(level)), nil
}

// relax finds prices of the relaxed problem, which are linear between the times of a grid. It finds them by descent from
// 0, where the bound is 0, on finer and finer grids. The times are those of a list schedule of the relaxed problem whose
// priorities are what tasks would pay, lambda_j - g_j(t).
func (d *delays) relax(ctx context.Context) {
	// Work of a large weight comes first, and more so if it is long, because it cannot be done
	// faster than at its rate.
	var times []float64
	d.most = math.Inf(1)
	for _, power := range []float64{0.5, 0} {
		times = d.listed(ctx, func(s *stint, _ float64) float64 { return s.fall * math.Pow(s.seconds, power) })
	}
	times = cutEvery(times, (times[len(times)-1]-times[0])/finest)
	for cells := coarsest; len(times) > 1 && ctx.Err() == nil; cells *= 4 {
		d.setGrid(coarse(times, min(cells, len(times)-1)))
		d.level, _ = descent(ctx, d, d.supply, d.level, waitRounds, patience)
		d.listed(ctx, func(s *stint, t float64) float64 { return s.lambda - s.loss(t) })
		if cells >= len(times) || 4*d.read > mostRead*len(d.list) {
			break
		}
	}
}

const (
	coarsest   = 8   // cells of the first grid
	finest     = 64  // cells of the last one at least
	mostRead   = 64  // pieces of a grid that a task looks at, on average
	waitRounds = 150 // of descent on a grid
	patience   = 30  // rounds without success
)

// stint is a task made ready for the relaxation.
type stint struct {
	release, after float64 // the loss starts
	seconds        float64 // at full rate
	rate           float64 // node-seconds of work per second at most
	fall           float64 // weight per node-second of work and second of delay
	lambda         float64 // the best at the last prices, about
}

// loss returns g_j(t).
func (s *stint) loss(t float64) float64 { return s.fall * max(0, t-s.after) }

// delays is the relaxed problem, a response to prices.
type delays struct {
	machine Machine
	list    []stint // by release
	sure    float64 // sum of what the losses of all tasks exceed their delays by
	most    float64 // loss of some relaxed schedule
	times   []float64
	level   []float64 // price at the times
	supply  []float64 // node-seconds about the times, weighted by nearness
	pieces  []stretch
	read    int // pieces, in the last round
}

// stretch is a piece that knows when and where it starts.
type stretch struct {
	piece
	from float64
	cell int // of the grid, -1 after it
}

func newDelays(tasks []Task, m Machine) (*delays, error) {
	d := &delays{machine: m}
	if err := m.validate(); err != nil {
		return d, err
	}
	for i, t := range tasks {
		j := Job{Release: t.Release, Width: float64(t.Width), Late: Lateness{Rate: t.Weight}, Free: t.Length}
		if err := j.validate(i); err != nil || !(t.Grace >= 0) || math.IsInf(t.Grace, 1) {
			return d, invalidAt("task", i, "numbers", t)
		}
		work := t.Length * j.Width
		switch {
		case t.Width > m.Nodes, t.Length <= instant, t.Weight == 0: // never runs, runs at once, or may come last
			continue
		}
		s := stint{release: t.Release, after: t.Release, fall: t.Weight / work}
		s.rate = j.Width
		s.seconds = work / s.rate
		if t.Grace > 0 {
			s.after += t.Length + t.Grace
		} else {
			d.sure += t.Weight * (t.Length - s.seconds/2)
		}
		d.list = append(d.list, s)
	}
	slices.SortStableFunc(d.list, func(a, b stint) int { return cmp.Compare(a.release, b.release) })
	return d, nil
}

// setGrid takes over the prices to other times.
func (d *delays) setGrid(times []float64) {
	level := make([]float64, len(times))
	if d.level != nil {
		for i, t := range times {
			level[i] = d.price(t)
		}
	}
	d.times, d.level, d.supply = times, level, make([]float64, len(times))
	for k := range times[1:] {
		d.machine.cuts(times[k], times[k+1], func(a, b, capacity float64) {
			d.spread(k, (a+b)/2, capacity*(b-a), d.supply)
		})
	}
}

// price returns the price at a time within the grid.
func (d *delays) price(t float64) float64 {
	k := min(max(sort.SearchFloat64s(d.times, t), 1), len(d.times)-1) - 1
	part := (t - d.times[k]) / (d.times[k+1] - d.times[k])
	return d.level[k]*(1-part) + d.level[k+1]*part
}

// spread divides work with its middle in cell k between the two times of the cell.
func (d *delays) spread(k int, middle, work float64, to []float64) {
	part := (middle - d.times[k]) / (d.times[k+1] - d.times[k])
	to[k] += work * (1 - part)
	to[k+1] += work * part
}

// bound returns the bound of the prices on delays, less what rounding may have added.
func (d *delays) bound() float64 {
	paid := d.most - d.take(d.level, make([]float64, len(d.level)))
	sold := 0.0
	for k, s := range d.supply {
		sold += s * d.level[k]
	}
	const rounding = 1e-12
	return paid - sold - d.sure - rounding*(paid+sold+d.sure)
}

// take implements response, for the loss of a known schedule less the bound.
func (d *delays) take(level, used []float64) float64 {
	sum := d.most
	d.read = 0
	for j := range d.list {
		sum -= d.buy(&d.list[j], level, used)
	}
	return sum
}

// buy returns what all work of a task costs at its cheapest, losses and prices, and adds it to
// used. Lambda is bracketed: below it the task can do less than its work, above it more. Any
// lambda is valid, and one that is a little off costs little.
func (d *delays) buy(s *stint, level, used []float64) float64 {
	lo := s.loss(s.release + s.seconds) // with no prices
	hi := 1.05 * cmp.Or(max(lo, s.lambda), s.fall*s.seconds)
	d.look(s, level, hi)
	most, areaHi := d.under(hi)
	for ; most < s.seconds; most, areaHi = d.under(hi) {
		lo, hi = hi, 2*hi
		d.look(s, level, hi)
	}
	d.read += len(d.pieces)
	least, areaLo := d.under(lo)
	for turn := 1; turn <= 40 && most-least > 1e-3*s.seconds && hi-lo > 1e-6*hi; turn++ {
		mid := (lo + hi) / 2
		if turn%3 > 0 {
			mid = lo + (hi-lo)*(s.seconds-least)/(most-least)
		}
		if seconds, area := d.under(mid); seconds < s.seconds {
			lo, least, areaLo = mid, seconds, area
		} else {
			hi, most, areaHi = mid, seconds, area
		}
	}
	part := 1.0 // such that parts of both together are all work
	if most > least {
		part = min(1, (s.seconds-least)/(most-least))
	}
	d.use(lo, (1-part)*s.rate, used)
	d.use(hi, part*s.rate, used)
	s.lambda = hi
	return s.rate * max(lo*s.seconds-areaLo, hi*s.seconds-areaHi)
}

// under returns for how long work costs less than lambda, and the integral of how much less.
func (d *delays) under(lambda float64) (seconds, area float64) {
	for i := range d.pieces {
		t, a := d.pieces[i].under(lambda)
		seconds, area = seconds+t, area+a
	}
	return seconds, area
}

// use adds work at a rate wherever it costs less than lambda.
func (d *delays) use(lambda, rate float64, used []float64) {
	for i := range d.pieces {
		c := &d.pieces[i]
		t, _ := c.under(lambda)
		if t == 0 || c.cell < 0 {
			continue
		}
		middle := c.from + t/2
		if c.start > c.end {
			middle = c.from + c.length - t/2
		}
		d.spread(c.cell, middle, rate*t, used)
	}
}

// look notes where work for a task costs less than lambda.
func (d *delays) look(s *stint, level []float64, lambda float64) {
	d.pieces = d.pieces[:0]
	at, end := s.release, s.after+lambda/s.fall
	for k := max(sort.SearchFloat64s(d.times, at)-1, 0); at < end; k++ {
		to, cell := end, -1 // after the grid
		first, last := 0.0, 0.0
		if k+1 < len(d.times) {
			if d.times[k+1] <= at {
				continue
			}
			slope := (level[k+1] - level[k]) / (d.times[k+1] - d.times[k])
			to, cell = min(end, d.times[k+1]), k
			first, last = level[k]+slope*(at-d.times[k]), level[k]+slope*(to-d.times[k])
		}
		if at < s.after && s.after < to { // the loss bends
			middle := first + (last-first)*(s.after-at)/(to-at)
			d.add(stretch{piece{first, middle, s.after - at}, at, cell}, lambda)
			at, first = s.after, middle
		}
		d.add(stretch{piece{first + s.loss(at), last + s.loss(to), to - at}, at, cell}, lambda)
		at = to
	}
}

func (d *delays) add(c stretch, lambda float64) {
	if c.start < lambda || c.end < lambda {
		d.pieces = append(d.pieces, c)
	}
}
