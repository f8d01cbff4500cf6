package control

import (
	"context"
	"fmt"
	"math"
	"slices"

	"revopt/optimize"
)

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
		return nil, &UnsuitableError{Reason: fmt.Sprintf("needs %d states or more, and %d are allowed", c.servers,
			c.most)}
	}
	for l := 6; ; l-- {
		limit := slices.Repeat([]int{l}, len(c.places))
		c.clip(limit)
		size := c.size(limit)
		if size <= float64(c.most)/100 || l == 1 && size <= float64(c.most) {
			return limit, nil
		}
		if l == 1 {
			return nil, &UnsuitableError{Reason: fmt.Sprintf("needs %.3g states or more, and %d are allowed", size,
				c.most)}
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
			kept = c.queue.limit
			h, u = c.h, c.u
		}
		target /= 100
		limit = nil
		if c.bound-c.revenue > c.gap*c.bound {
			c.afford(0.6 * (effort - c.work))
			limit, err = c.plan(ctx, lower, target*most)
			if err != nil {
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
			stale++
			if high-low < 0.95*spread {
				stale, spread = 0, high-low
			}
			return best-least <= c.gap*best || c.work > effort || stale > 150 ||
				low-least > math.Max(c.gap*low, 0.5*(best-(1+optimize.Loose)*least)) || high-low <= 0.1*c.gap*high
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
		pi, err = c.stationary(ctx, nil, c.h, m, 40)
		if err != nil {
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
	old, oldAt := c.queue, slices.Clone(c.at)
	oldH, oldPi := c.h, c.pi
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
