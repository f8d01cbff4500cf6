package optimize

import (
	"context"
	"fmt"
	"math"
	"slices"

	"revopt/model"
)

// ControlSettings describe the queue and the proof. The zero value is one pooled
// server without a waiting room.
type ControlSettings struct {
	Gap       float64 // relative gap to prove; 0 means 1e-6
	MaxStates int     // states beyond which not to go; 0 means 10^7
	Waiting   int     // most jobs that may wait; negative: no limit
	Servers   bool    // Parallel servers, a whole number; else one that is Parallel times as fast
}

func (s ControlSettings) gap() float64   { return positiveOr(s.Gap, 1e-6) }
func (s ControlSettings) maxStates() int { return positiveOr(s.MaxStates, 10_000_000) }

// NoControlError says why a system has no small Markov decision process.
type NoControlError struct {
	Class  string // empty if the reason is not a class
	Reason string
}

func (e *NoControlError) Error() string {
	subject := "the system"
	if e.Class != "" {
		subject = "class " + e.Class
	}
	return fmt.Sprintf("no state-dependent optimum: %s %s; "+
		"search thresholds on the simulator instead (admission threshold)", subject, e.Reason)
}

// ControlResult is the best admission that depends on the state of the queue.
type ControlResult struct {
	Revenue    float64 // $/s, at least, of the decisions of Table
	UpperBound float64 // $/s: no admission earns more, whatever it depends on
	Gap        float64 // (UpperBound - Revenue)/UpperBound
	Certified  bool    // Gap is at most the gap asked for
	// Static is the $/s of the best static admission found. On servers with jobs of
	// several mean lengths it is good to a thousandth, at the edge of stability the
	// limit that admissions below it reach.
	Static     float64
	States     int // of the process whose decisions are in Table
	Thresholds []Switch
	Table      *ControlTable
	// Asked holds the mean prices of a priced system, by class: while a server is
	// idle, and while 0, 1, ... jobs wait; NaN if none is sold.
	Asked [][]float64
	Idle  [][]float64 // likewise while 0, 1, ... servers, but not all, are busy
}

// Switch describes the decisions on a class by the number of waiting jobs alone, in
// states that the table visits for a billionth of the time or more. Admission is by a
// threshold on that number if Some equals All and nothing is reserved.
type Switch struct {
	Some     int  // least number waiting at which some busy state refuses the class, -1: none
	All      int  // least number waiting from which on every state refuses it, -1: none
	Reserved bool // some states with an idle server refuse the class
	Never    bool // every state refuses the class
}

// Control returns the best admission that knows the state of the queue, in the Markov
// model: Poisson arrivals, exponential lengths, service by urgency without preemption,
// prices booked when service begins, and a loss of the decay for every second of
// waiting.
//
// Value iteration brackets the optimum of a process with finitely many queues. If jobs
// are refused at its limits, its optimum is an admission that can be used. If jobs may
// stay outside, worth a constant each, its optimum is an upper bound for every
// admission: docs/theory.md has the proof. The limits are raised until the two meet.
//
// A system whose state is not small is refused with a *NoControlError.
func Control(ctx context.Context, sys model.System, s ControlSettings) (*ControlResult, error) {
	if err := controllable(sys, s); err != nil {
		return nil, err
	}
	if sys.Prices {
		var err error
		if sys, err = capped(ctx, sys); err != nil {
			return nil, err
		}
	}
	q := newProcess(sys, s, true)
	r := &ControlResult{Thresholds: make([]Switch, len(sys.Classes)), Table: newTable(q, len(sys.Classes))}
	if len(q.places) == 0 {
		for i := range r.Thresholds {
			r.Thresholds[i].Never = true
		}
		r.Certified = true
		return r, nil
	}
	c := climb{process: q, gap: s.gap(), most: s.maxStates()}
	if err := c.start(); err != nil {
		return nil, err
	}
	if err := c.prove(ctx); err != nil {
		return nil, err
	}
	slip := c.slip()
	r.Revenue, r.UpperBound, r.States = c.revenue-slip, c.bound+slip, q.states
	r.Gap = math.Max(0, (r.UpperBound-r.Revenue)/r.UpperBound)
	r.Certified = r.Gap <= s.gap()
	r.Table.value = c.h
	if err := r.readOff(ctx, c.u); err != nil {
		return nil, err
	}
	static, err := bestStatic(ctx, sys, s)
	if err != nil {
		return nil, err
	}
	r.Static = static.revenue
	if r.Static > r.Revenue && r.Static <= r.Revenue*(1+static.off) {
		r.Static = r.Revenue
	}
	return r, nil
}

// capped returns a priced system in which every price has an upper limit: that of the
// demand, the price at which no job comes, or ten times the larger of the stated and
// the best static price. A job pays the limit when its service begins, and gets the
// difference to its price when it arrives, so that jobs that are never served never
// pay. Rates have a limit as well, for the clock: four times the larger of the stated
// rate and that of a server full of the class.
func capped(ctx context.Context, sys model.System) (model.System, error) {
	const times, full = 10, 4
	formulas := sys
	formulas.Residual = model.Pooled
	static, err := Certified(ctx, formulas, Settings{})
	if err != nil {
		return sys, err
	}
	classes := slices.Clone(sys.Classes)
	for i := range classes {
		c := &classes[i]
		if c.Demand == nil || c.Demand.Rate == 0 {
			continue
		}
		price := c.Sale(static.Admit[i]).Price
		if math.IsInf(price, 1) { // at fixed prices nothing is sold
			price = c.Demand.Price
		}
		c.Rate = math.Min(c.Demand.Most(), full*math.Max(c.Demand.Rate, sys.Parallel/c.Length.Mean()))
		if c.Demand.Max > 0 {
			continue
		}
		d := *c.Demand
		if d.Max = times * math.Max(d.Price, price); d.Curve == model.LinearDemand {
			d.Max = d.PriceAt(0)
		}
		c.Demand = &d
	}
	sys.Classes = classes
	return sys, nil
}

// controllable returns the reason why a system is invalid or has no small process.
func controllable(sys model.System, s ControlSettings) error {
	if err := sys.Validate(); err != nil {
		return err
	}
	for _, c := range sys.Classes {
		reason := ""
		kind, _, _, _, _ := model.Stated(c.Length)
		switch {
		case kind != model.Exponential:
			reason = fmt.Sprintf("has lengths that are not exponential but %v", c.Length)
		case !c.Arrivals.Poisson():
			reason = fmt.Sprintf("has arrivals that are not Poisson but %v", c.Arrivals)
		case c.Deadline != (model.Grace{}):
			reason = "has a deadline"
		case c.Grace != (model.Grace{}):
			reason = "has a grace"
		case c.Hard > 0:
			reason = "has jobs that are worth nothing once late"
		case c.MeanDecay() > 0 && !c.Floor.None:
			reason = "has a max_penalty"
		case c.MeanDecay() > 0 && c.Expire == model.ExpireZero:
			reason = "has jobs that give up when their value is gone"
		case c.Patience > 0:
			reason = "has a patience"
		case s.Servers && mixedWidths(sys):
			reason = "has jobs of another width than others"
		}
		if reason != "" {
			return &NoControlError{Class: c.Name, Reason: reason}
		}
	}
	if n := sys.Parallel; s.Servers && (n < 1 || n != math.Trunc(n) || n > math.MaxInt32) {
		return &NoControlError{Reason: fmt.Sprintf("has %g servers, which is not a whole number", n)}
	}
	return nil
}

// mixedWidths reports whether jobs occupy different numbers of nodes.
func mixedWidths(sys model.System) bool {
	mean := sys.Classes[0].Width.Mean()
	other := func(v float64) bool { return v != mean }
	return slices.ContainsFunc(sys.Classes, func(c model.Class) bool {
		return other(c.Width.Mean()) || slices.ContainsFunc(c.Width.Values, other)
	})
}

// climb raises the limits of a process until its optimum is proven.
type climb struct {
	*process
	gap  float64
	most int       // states
	h    []float64 // values with jobs refused at the limits
	u    []float64 // values with jobs allowed outside
	pi   []float64 // frequencies under a rule; nil: not known

	revenue, bound float64
	loss           float64 // $/s, about, at the limits
	room           float64 // states, at most most
}

// Controllable returns a *NoControlError if the state of a system is not small. It
// solves nothing.
func Controllable(sys model.System, s ControlSettings) error {
	if err := controllable(sys, s); err != nil {
		return err
	}
	c := climb{process: newProcess(sys, s, true), most: s.maxStates()}
	if len(c.places) == 0 {
		return nil
	}
	_, err := c.first()
	return err
}

// start builds the process with its first limits.
func (c *climb) start() error {
	limit, err := c.first()
	if err != nil {
		return err
	}
	c.build(limit)
	c.h = make([]float64, c.states)
	c.room = float64(c.most)
	return nil
}

func (c *climb) first() ([]int, error) {
	if c.servers > c.most {
		return nil, &NoControlError{Reason: fmt.Sprintf("needs %d states or more, and %d are allowed", c.servers, c.most)}
	}
	for l := 6; ; l-- {
		limit := slices.Repeat([]int{l}, len(c.places))
		c.clip(limit)
		size := c.size(limit)
		if size <= float64(c.most)/100 || l == 1 && size <= float64(c.most) {
			return limit, nil
		}
		if l == 1 {
			return nil, &NoControlError{Reason: fmt.Sprintf("needs %.3g states or more, and %d are allowed", size, c.most)}
		}
	}
}

// prove raises the limits until the bracket of the optimum is narrow enough, or the
// states or the effort are used up. It keeps the limits and values that earn most.
func (c *climb) prove(ctx context.Context) error {
	const rough = 1e-4 // relative, of values by which to choose limits
	more := 6          // times that limits may be raised without a reason
	c.revenue, c.bound = math.Inf(-1), math.Inf(1)
	target := 0.4 * c.gap
	c.loss = math.Inf(1)
	var h, u []float64
	var kept []int // limits
	for {
		_, most, err := c.iterate(ctx, c.h, lower, func(least, most float64) bool {
			return most-least <= rough*most || c.work > 0.5*effort
		})
		if err != nil {
			return err
		}
		before := c.loss
		c.afford(effort / 6)
		limit, err := c.plan(ctx, lower, target*most)
		if err != nil {
			return err
		}
		if limit != nil && c.loss < 0.9*before {
			c.enlarge(limit)
			continue
		}
		// The limits are wide enough, or rough values do not show it.
		least, _, err := c.iterate(ctx, c.h, lower, func(least, most float64) bool {
			return most-least <= 0.25*c.gap*most || c.work > 0.7*effort
		})
		if err != nil {
			return err
		}
		c.u = slices.Clone(c.h)
		bound, err := c.above(ctx, c.u, least)
		if err != nil {
			return err
		}
		c.bound = math.Min(c.bound, bound)
		if least > c.revenue {
			c.revenue = least
			kept, h, u = c.queue.limit, c.h, c.u
		}
		target /= 100
		limit = nil
		if c.bound-c.revenue > c.gap*c.bound {
			c.afford(0.6 * (effort - c.work))
			if limit, err = c.plan(ctx, lower, target*most); err != nil {
				return err
			}
			if limit == nil && more > 0 { // nothing seems to be lost at the limits, and still the bounds are apart
				limit = c.wider()
				more--
			}
		}
		if limit == nil {
			c.build(kept)
			c.h, c.u = h, u
			return nil
		}
		c.loss = math.Inf(1)
		c.enlarge(limit)
	}
}

// afford sets the number of states for which the given work suffices: all smaller
// numbers together took about as much work for each state.
func (c *climb) afford(work float64) {
	c.room = min(float64(c.most), float64(c.states)*work/c.work)
}

// wider returns limits larger by half, or nil where there is no room for them.
func (c *climb) wider() []int {
	limit := slices.Clone(c.queue.limit)
	for p := range limit {
		limit[p] += max(2, limit[p]/2)
	}
	c.clip(limit)
	if slices.Equal(limit, c.queue.limit) || c.size(limit) > c.room {
		return nil
	}
	return limit
}

// slip bounds the rounding error of the gains of a step, $/s: they are differences of
// values, which are large if a decay is large.
func (c *climb) slip() float64 {
	var size float64
	for _, values := range [][]float64{c.h, c.u, c.edge} {
		for _, v := range values {
			size = math.Max(size, math.Abs(v))
		}
	}
	const ulp = 0x1p-52
	return 2 * ulp * size * c.total()
}

// above returns an upper bound of the optimum, from values u near it. It tries several
// values of jobs outside, each of which gives a bound: extrapolated values, the values
// u that follow from these, and 0, which is right if a queue never runs dry.
func (c *climb) above(ctx context.Context, u []float64, least float64) (float64, error) {
	best := math.Inf(1)
	const again, nothing = -1, 0
	for _, at := range []float64{0.75, again, again, nothing, 0.6, again, 0.9, again} {
		switch at {
		case again:
			c.slopes(u)
		case nothing:
			clear(c.edge)
			copy(u, c.h)
		default:
			c.extrapolate(c.h, at)
			copy(u, c.h)
		}
		stale, spread := 0, math.Inf(1) // steps since the bracket was so wide
		_, _, err := c.iterate(ctx, u, upper, func(low, high float64) bool {
			best = math.Min(best, high)
			if stale++; high-low < 0.95*spread {
				stale, spread = 0, high-low
			}
			return best-least <= c.gap*best || c.work > effort || stale > 150 ||
				low-least > math.Max(c.gap*low, 0.5*(best-(1+Loose)*least)) || high-low <= 0.1*c.gap*high
		})
		if err != nil || best-least <= c.gap*best {
			return best, err
		}
	}
	return best, nil
}

// plan returns limits at which no more than about the given $/s are lost, or nil if
// the present limits suffice or no others are possible.
func (c *climb) plan(ctx context.Context, m mode, allowed float64) ([]int, error) {
	pi := c.pi
	if m != given {
		var err error
		if pi, err = c.stationary(ctx, nil, c.h, m, 40); err != nil {
			return nil, err
		}
	}
	c.slopes(c.h)
	loss, shrink := c.edges(c.h, pi, m)

	places := len(c.places)
	grow := make([]int, places)
	c.loss = 0
	for p := range grow {
		c.loss += loss[p]
		if each := allowed / float64(places); loss[p] > each {
			jobs := int(math.Ceil(math.Log(0.2*each/loss[p]) / math.Log(shrink[p])))
			grow[p] = max(1, min(jobs, max(6, c.queue.limit[p]/2)))
		}
	}
	for part := 1.0; part > 0.05; part *= 0.8 {
		limit := slices.Clone(c.queue.limit)
		for p := places - 1; p >= 0; p-- {
			limit[p] += int(math.Ceil(part * float64(grow[p])))
			if p+1 < places {
				limit[p] = max(limit[p], limit[p+1])
			}
		}
		c.clip(limit)
		if slices.Equal(limit, c.queue.limit) {
			return nil, nil
		}
		if c.size(limit) <= c.room {
			return limit, nil
		}
	}
	return nil, nil
}

// enlarge raises the limits and carries the values over: jobs that were outside keep
// their assumed values.
func (c *climb) enlarge(limit []int) {
	old, oldH, oldPi, oldAt := c.queue, c.h, c.pi, slices.Clone(c.at)
	c.build(limit)
	c.h = make([]float64, c.states)
	if oldPi != nil {
		c.pi = make([]float64, c.states)
	}
	x, in, out := make([]int, len(limit)), make([]int, len(limit)), make([]int, len(limit))
	for k := range c.queue.rows {
		r := &c.queue.rows[k]
		for i := range r.length {
			copy(in, x)
			in[0] = i
			old.project(in, out)
			extra, share := 0.0, 1.0
			for p, n := range out {
				extra += float64(n) * c.edge[p]
				share *= math.Pow(0.8, float64(n))
			}
			from := old.index(in)
			for _, mix := range c.full {
				c.h[c.at[mix]+r.base+i] = oldH[oldAt[mix]+from] + extra
				if oldPi != nil {
					c.pi[c.at[mix]+r.base+i] = oldPi[oldAt[mix]+from] * share
				}
			}
		}
		c.queue.next(x)
	}
	for _, mix := range c.partial {
		c.h[c.at[mix]] = oldH[oldAt[mix]]
		if oldPi != nil {
			c.pi[c.at[mix]] = oldPi[oldAt[mix]]
		}
	}
}

// ControlTable is a table of decisions.
type ControlTable struct {
	process *process
	value   []float64
	place   []int // by class, -1: refused always
}

func newTable(q *process, classes int) *ControlTable {
	t := &ControlTable{process: q, place: slices.Repeat([]int{-1}, classes)}
	for p, list := range q.places {
		for _, i := range list {
			t.place[i] = p
		}
	}
	return t
}

// States returns the number of states.
func (t *ControlTable) States() int { return len(t.value) }

// Admit decides on an arrival of a class, given the numbers of jobs of each class that
// wait and that are in service. One pooled server has at most one job in service. If
// all classes have the same mean length, the classes of jobs in service do not count.
func (t *ControlTable) Admit(class int, waiting, running []int) bool {
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

// readOff sets the thresholds, and the mean prices of a priced system, by the
// frequencies of the states. Near the limits a job may be refused only to keep room for
// others. Such a refusal does not count: values u, with jobs allowed outside, must
// refuse the job too.
func (r *ControlResult) readOff(ctx context.Context, u []float64) error {
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
	rows := q.queue.limit[0] + 2 // of prices: by number waiting from idle on, then by busy servers
	sold, paid := make([][]float64, places), make([][]float64, places)
	for p, d := range q.demand {
		if d != nil {
			sold[p], paid[p] = make([]float64, rows+q.servers), make([]float64, rows+q.servers)
		}
	}
	// An arrival of place p in state x leads to y and earns extra at once.
	note := func(p, waiting int, extra float64, x, y int, at ...int) {
		gain := extra + h[y] - h[x]
		if d := q.demand[p]; d != nil {
			if rate := q.sold(p, gain); rate > 0 {
				value, _, _ := d.Revenue(rate)
				for _, k := range at {
					sold[p][k] += pi[x] * rate
					paid[p][k] += pi[x] * value
				}
			}
		}
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
						note(p, waiting, 0, x, at+y, waiting+1)
					} else if q.physical() && i == row.length-1 {
						note(p, waiting, 0, x, x)
					}
				}
			}
		}
	}
	busy := slices.Clone(refused)
	for _, mix := range q.partial {
		jobs := 0
		for _, n := range q.mix[mix] {
			jobs += n
		}
		for p := range q.rate {
			note(p, idle, q.price[p], q.at[mix], q.at[q.more[mix*len(q.speed)+q.group[p]]], 0, rows+jobs)
		}
	}
	r.Asked, r.Idle = make([][]float64, len(t.place)), make([][]float64, len(t.place))
	for i, p := range t.place {
		s := Switch{Some: -1, All: -1}
		if p < 0 || admitted[p] == nowhere {
			s = Switch{Never: true}
		} else if s.Reserved = refused[p] == idle; busy[p] < math.MaxInt {
			s.Some, s.All = busy[p], max(busy[p], admitted[p]+1)
		}
		r.Thresholds[i] = s
		if p >= 0 && q.demand[p] != nil {
			prices := make([]float64, len(paid[p]))
			for k, value := range paid[p] {
				prices[k] = value / sold[p][k]
			}
			r.Asked[i], r.Idle[i] = prices[:rows], prices[rows:]
		}
	}
	return nil
}
