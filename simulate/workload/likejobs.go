package workload

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"revopt/internal/heap"
	"revopt/internal/text"
	"revopt/simulate"
)

// chain is an autoregression of first order whose values are standard normal.
type chain struct {
	z     float64
	begun bool
}

// next returns the probability of values below the next value.
func (c *chain) next(rho float64, r *rand.Rand) float64 {
	if e := r.NormFloat64(); c.begun {
		c.z = rho*c.z + math.Sqrt(1-rho*rho)*e
	} else {
		c.z, c.begun = e, true
	}
	return math.Erfc(-c.z/math.Sqrt2) / 2
}

// quantile returns the value at share u of a sorted sample, linear between order
// statistics above 0, so that the mean over all shares is that of the sample.
func quantile(sorted []float64, u float64) float64 {
	at := u*float64(len(sorted)) - 0.5
	i := min(max(int(math.Floor(at)), 0), len(sorted)-1)
	low, high := sorted[i], sorted[min(i+1, len(sorted)-1)]
	share := min(max(at-float64(i), 0), 1)
	switch {
	case low > 0:
		return low + (high-low)*share
	case share < 0.5:
		return low
	}
	return high
}

// Generate returns jobs of one replication for the given time, sorted by submit
// time, from time 0, at the hour of the week at which the trace begins.
func (m *Like) Generate(span float64, seed uint64, replication int) *LikeJobs {
	g := &LikeJobs{m: m, span: span, busy: 1, at: -m.Span, seed: seed, replication: replication}
	g.ends.Less, g.starts.Less, g.jobs.Less = earlier[*visitor], earlier[*visitor], earlier[likeJob]
	for u := range m.users {
		g.phases = append(g.phases, phases{r: simulate.Stream(seed, replication, "like phase", u)})
	}
	return g
}

// phases is when in a span of the trace a user comes.
type phases struct {
	r    *rand.Rand
	last float64
}

// invite lets every user come once in the next span of the trace.
func (g *LikeJobs) invite() {
	m, k := g.m, g.spans
	for u := range m.users {
		p := &g.phases[u]
		if k == 0 || m.users[u].stay < resident*m.Span {
			p.last = p.r.Float64()
		}
		r := simulate.Stream(g.seed, g.replication, "like "+strconv.Itoa(k), u)
		v := &visitor{user: &m.users[u], copy: k, r: r, kind: -1}
		v.lengths = make([]chain, len(v.user.kinds))
		g.ends.Push(timed[*visitor]{(float64(k-1) + p.last) * m.Span, v})
	}
	g.spans++
}

// LikeJobs is generated jobs. It goes from hour to hour.
type LikeJobs struct {
	m      *Like
	span   float64
	at     float64                    // the hour that begins
	now    float64                    // in the time of sessions
	cycle  float64                    // in the time of sessions, undamped
	busy   float64                    // work submitted lately over its mean
	ends   heap.Heap[timed[*visitor]] // by the time at which they come, or their last session ends
	starts heap.Heap[timed[*visitor]] // by the time of sessions at which the next one begins
	jobs   heap.Heap[timed[likeJob]]
	number int64

	seed        uint64
	replication int
	phases      []phases // by user
	spans       int      // in which users were invited
}

// likeJob is a job to come.
type likeJob struct {
	kind   *likeKind
	length float64
	copy   int
}

// visitor is one stay of a user.
type visitor struct {
	user    *likeUser
	copy    int
	r       *rand.Rand
	until   float64 // the end of the stay, in the time of sessions, undamped
	next    int     // of the sessions
	gaps    chain
	lengths []chain // by kind
	kind    int32   // -1 before the first
}

// Next implements Records.
func (g *LikeJobs) Next(r *Record) (bool, error) {
	for {
		for g.jobs.Len() > 0 && g.jobs.First().at < g.at {
			next := g.jobs.Pop()
			if next.at < 0 {
				continue
			}
			g.number++
			g.m.record(r, next.at, &next.it)
			r[JobNumber] = float64(g.number)
			return true, nil
		}
		if g.at >= g.span {
			return false, nil
		}
		g.step()
	}
}

// step lets an hour pass.
func (g *LikeJobs) step() {
	m := g.m
	end := min((math.Floor((g.at+m.clock)/hour+1e-9)+1)*hour-m.clock, g.span)
	rate := m.Hours[m.hour(g.at+(end-g.at)/2)]
	damping := min(max(math.Exp(-m.Damping*(g.busy-1)), 0.25), 4)
	if idle := g.idle(damping); idle > 0 {
		g.now, g.cycle, g.at = g.now+damping*idle, g.cycle+idle, g.at+idle
		return
	}
	speed := rate * damping
	passed := speed * (end - g.at)
	for float64(g.spans-1)*m.Span < end {
		g.invite()
	}
	for {
		if g.ends.Len() > 0 && g.ends.First().at < end {
			next := g.ends.Pop()
			t, v := next.at, next.it
			if v.kind < 0 {
				v.until = g.cycle + rate*(t-g.at) + v.user.stay
			}
			g.starts.Push(timed[*visitor]{g.now + speed*(t-g.at) + v.pause(), v})
		} else if g.starts.Len() > 0 && g.starts.First().at < g.now+passed {
			next := g.starts.Pop()
			t, v := g.at+max(next.at-g.now, 0)/speed, next.it
			if v.user.stay == 0 || g.cycle+rate*(t-g.at) <= v.until {
				g.session(v, t)
			}
		} else {
			break
		}
	}
	g.now, g.cycle, g.at = g.now+passed, g.cycle+rate*(end-g.at), end
	g.busy *= math.Exp(-hour / m.window)
}

// idle returns the whole weeks, in s, in which no user comes or submits jobs. They are
// skipped once the damping is constant.
func (g *LikeJobs) idle(damping float64) float64 {
	if g.busy > 1e-12 && g.m.Damping != 0 {
		return 0
	}
	until := min(g.span, float64(g.spans-1)*g.m.Span)
	if g.ends.Len() > 0 {
		until = min(until, g.ends.First().at)
	}
	if g.starts.Len() > 0 {
		until = min(until, g.at+(g.starts.First().at-g.now)/damping)
	}
	return max(math.Floor((until-g.at)/week)-1, 0) * week
}

// pause chooses the session of the trace that the next one resembles, mostly the
// session after the last (the stationary bootstrap of Politis & Romano 1994, with
// blocks of n^(1/3) of n sessions on average), and returns the time until it begins.
// The first session begins after the rest of a break, so that a stay has as many
// sessions as in the trace on average.
func (v *visitor) pause() float64 {
	list := v.user.sessions
	if v.kind < 0 {
		rest := v.r.Float64() * text.Sum(list, func(s likeSession) float64 { return s.pause })
		for rest > list[v.next].pause {
			rest -= list[v.next].pause
			v.next++
		}
		v.next = (v.next + 1) % len(list)
		return rest
	}
	pause := list[v.next].pause
	if v.next++; v.r.Float64() < math.Pow(float64(len(list)), -1./3) {
		v.next = v.r.IntN(len(list))
	}
	v.next %= len(list)
	return pause
}

func (g *LikeJobs) session(v *visitor, t float64) {
	m, u := g.m, v.user
	var from int32
	if v.next > 0 {
		from = u.sessions[v.next-1].to
	}
	jobs := u.jobs[from:u.sessions[v.next].to]
	for i := range jobs {
		if gap := u.sessions[v.next].gap; i > 0 && gap > 0 {
			t += gap * quantile(u.gaps, v.gaps.next(m.Chain.Gaps, v.r))
		}
		if i == 0 || v.r.Float64() >= u.repeat {
			v.kind = jobs[v.r.IntN(len(jobs))]
		}
		kind := &u.kinds[v.kind]
		length := quantile(kind.lengths, v.lengths[v.kind].next(m.Chain.Lengths, v.r)) * kind.unit
		if m.work > 0 {
			g.busy += max(length, 0) * kind.record[Requested] / (m.work * m.window)
		}
		if t < g.span {
			g.jobs.Push(timed[likeJob]{t, likeJob{kind, length, v.copy}})
		}
	}
	if u.stay > 0 {
		g.ends.Push(timed[*visitor]{max(t, g.at), v})
	}
}

// record writes a job as a record of a trace.
func (m *Like) record(r *Record, t float64, j *likeJob) {
	*r = j.kind.record
	if m.whole[0] {
		t = math.Floor(t)
	}
	for _, field := range []int{WaitTime, CPUTime, UsedMemory, Preceding, ThinkTime} {
		r[field] = -1
	}
	r[SubmitTime] = t
	r[Allocated], r[RunTime], r[Status] = r[Requested], j.length, 1
	switch {
	case j.length <= 0:
		r[Allocated], r[RunTime], r[Status] = -1, -1, 5
	case m.whole[1]:
		r[RunTime] = max(math.Round(j.length), 1)
	}
	if m.exact {
		r[RequestedTime] = r[RunTime]
	}
	if r[User] > 0 && j.copy > 1 {
		r[User] += float64(j.copy-1) * m.number
	}
}

// timed is a thing that happens at a time.
type timed[T any] struct {
	at float64
	it T
}

func earlier[T any](a, b *timed[T]) bool { return a.at < b.at }

// Take returns so many jobs of one replication, and the time of the last.
func (m *Like) Take(ctx context.Context, jobs int64, seed uint64, replication int) (Records, float64, error) {
	for span := m.Span * float64(jobs) / float64(m.Jobs); ; span *= 1.25 {
		var r Record
		var n int64
		for g := m.Generate(span, seed, replication); n < jobs; n++ {
			if n&0xffff == 0 && ctx.Err() != nil {
				return nil, 0, ctx.Err()
			}
			if ok, err := g.Next(&r); !ok || err != nil {
				break
			}
		}
		if n == jobs {
			return Take(m.Generate(span, seed, replication), Subset{First: jobs}), r[SubmitTime], nil
		}
	}
}

// NewHeader returns the header of generated traces. They begin at the hour of the
// week at which the trace begins.
func (m *Like) NewHeader() Header {
	const monday = 946857600 // 3 January 2000
	h := Header{Lines: []string{
		"; Version: 2.2",
		"; Computer: " + strings.TrimSpace("none (generated) like "+m.Header.Get("Computer")),
		fmt.Sprintf("; UnixStartTime: %d", monday+int64(m.clock)), "; TimeZone: 0",
	}}
	if m.Nodes > 0 {
		h.Lines = append(h.Lines, fmt.Sprintf("; MaxNodes: %d", m.Nodes), fmt.Sprintf("; MaxProcs: %d", m.Nodes))
	}
	for _, line := range m.Header.Lines {
		key, _, ok := keyValue(line)
		if key = strings.ToLower(key); ok && (strings.HasSuffix(key, "unit") || slices.Contains(namedParties, key)) {
			h.Lines = append(h.Lines, line)
		}
	}
	return h
}
