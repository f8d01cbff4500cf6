package workload

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"revopt/internal/heap"
	"revopt/simulate"
)

// Like is a model of the users of one trace, from which traces like it are
// drawn. Users come and go; while they are there they start sessions, in a
// session they submit jobs, and a job is mostly a repetition of the one before.
//
//   - A user of the trace comes once in every span as long as the trace, at any
//     time, and stays as long as in the trace; one that stayed for nine tenths of it or
//     more is always there.
//   - A session is jobs of one user no more than an hour apart (Zakay & Feitelson
//     2012). A new one resembles one of the user's: as many jobs, of its kinds, at its
//     mean gap, and the break after it; mostly the one that followed in the trace.
//   - Breaks are in a time that passes as the sessions of all users begin over the
//     hours of the week, and the slower the more work was submitted in the last week:
//     users see the queue. Damping is fitted to how evenly days and weeks are loaded.
//   - Jobs of one user, width and estimate are of one kind. The next job of a session
//     is of the kind of the last with a fitted chance, else of one of the session's.
//   - The length of a job is drawn from those of its kind; kinds of few jobs share
//     the accuracies (length over estimate) of jobs of about as large an estimate.
//
// Gaps, and the lengths of a kind, are chains with the rank correlation of neighbors in
// the trace: quantiles of a sample at Phi(z), z an autoregression of first order.
// Quantiles lie between order statistics, so that no length is copied.
//
// A trace without users takes its groups for them; without those all jobs are of a
// crowd. A user whose sessions last more than half of its stay is a crowd too, not a
// person, and each job of a crowd is a session.
type Like struct {
	Header   Header  // of the trace
	Nodes    int     // of the machine, 0 where nothing says
	Jobs     int64   // of the trace
	Users    int     // of the trace, or groups, or one crowd
	By       string  // user, group or crowd
	Sessions int     // of all users
	Kinds    int     // of jobs
	Span     float64 // s, from the first submission to the last
	Chain    LikeChain
	Repeat   float64      // chance that a job of a session is of the kind of the one before, beyond that of its share
	Damping  float64      // by which the speed of time falls where a week has more work than the mean: exp(-Damping (work/mean - 1)), from 1/4 to 4
	Hours    [168]float64 // sessions begun by hour of the week from Monday, mean 1

	users  []likeUser
	clock  float64 // s of the week at time 0 of the trace
	work   float64 // mean submitted per second
	whole  [2]bool // submit times, run times are whole seconds
	exact  bool    // estimates are run times, of most jobs: they say nothing of the kind
	number float64 // the largest of the users' numbers
	seen   *likeSample
	window float64 // s over which submitted work is remembered: a week, a day in short traces
}

// LikeChain is the rank correlation of neighbors.
type LikeChain struct{ Gaps, Lengths float64 }

// likeUser is what a user of the trace does.
type likeUser struct {
	kinds    []likeKind
	jobs     []int32   // the kinds of its jobs, in order
	gaps     []float64 // between jobs of a session, over their mean in it, sorted
	sessions []likeSession
	repeat   float64 // as Like.Repeat
	stay     float64 // in the time of sessions, 0 of users with one session
}

// likeSession is a session of the trace.
type likeSession struct {
	to    int32   // place after its last job
	gap   float64 // mean, s
	pause float64 // to the next, in the time of sessions
}

// likeKind is jobs alike.
type likeKind struct {
	record  Record    // what they have in common
	lengths []float64 // s, sorted, at most 0 where they never ran; of estimates if shared
	unit    float64   // s
}

const (
	sessionGap   = 3600 // s, the longest gap in a session (Zakay & Feitelson 2012)
	rareKind     = 4    // kinds of fewer jobs share lengths
	priorTurns   = 10   // by which the chance of repetition of all users weighs in that of one
	resident     = 0.9  // share of the span from which on a user is taken to stay for ever
	fewScales    = 8    // windows that a variation takes
	hourSessions = 20   // sessions an hour of the week needs to count as much as the product of hour and day
	hour         = 3600
	day          = 86400
	week         = 7 * day
)

// FitLike reads a selection of a trace and fits a model to it. Jobs that never ran
// are part of it, whatever the rule.
func FitLike(ctx context.Context, sel Selection) (*Like, error) {
	st, err := sel.Open(ctx, 1, 0)
	if err != nil {
		return nil, err
	}
	defer st.Close()
	_, accounts := st.Header.Names()["account"] // in the field of the executable
	var all []Record
	for {
		var r Record
		ok, err := st.Next(&r)
		if err != nil {
			return nil, err
		}
		if !ok {
			break
		}
		if r[Requested] <= 0 {
			r[Requested] = r[Allocated]
		}
		if !accounts {
			r[Executable] = -1
		}
		if r[Undated] == 0 && r[Requested] > 0 {
			all = append(all, r)
		}
	}
	if len(all) < 2 || !(all[len(all)-1][SubmitTime] > all[0][SubmitTime]) {
		return nil, &Error{File: sel.File, Message: "expected jobs at two times or more, to fit a model of their users"}
	}
	m := &Like{Header: st.Header, Nodes: st.Nodes, Jobs: int64(len(all)), Span: all[len(all)-1][SubmitTime] - all[0][SubmitTime], whole: [2]bool{true, true}}
	m.clock = math.Mod(st.Header.weekClock()+all[0][SubmitTime], week)
	first := all[0][SubmitTime]
	var ran, equal int
	for i := range all {
		if r := &all[i]; r[RunTime] > 0 {
			ran++
			if r[RunTime] == r[RequestedTime] {
				equal++
			}
		}
	}
	m.exact = 2*equal > ran
	for i := range all {
		r := &all[i]
		if m.exact {
			r[RequestedTime] = -1
		}
		m.whole[0] = m.whole[0] && r[SubmitTime] == math.Trunc(r[SubmitTime])
		m.whole[1] = m.whole[1] && r[RunTime] == math.Trunc(r[RunTime])
		m.work += max(r[RunTime], 0) * r[Requested] / m.Span
		m.number = max(m.number, r[User])
		r[SubmitTime] -= first
	}
	m.fit(all)
	if m.window = week; m.Span < fewScales*week {
		m.window = day
	}
	list := recorded(all)
	if m.seen, err = m.sample(ctx, &list, m.Span); err != nil {
		return nil, err
	}
	return m, m.fitDamping(ctx)
}

// likeKey is the kind of a job.
type likeKey [7]float64

func kindOf(r *Record) likeKey {
	return likeKey{r[Requested], r[RequestedTime], r[User], r[Group], r[Queue], r[Partition], r[Executable]}
}

// owners returns the jobs of each user, and what stands for one.
func owners(all []Record) (places [][]int32, by string) {
	for _, way := range []struct {
		by string
		of func(*Record) likeKey
	}{
		{"user", func(r *Record) likeKey { return likeKey{r[User]} }},
		{"group", func(r *Record) likeKey { return likeKey{r[Group]} }},
		{"crowd", func(*Record) likeKey { return likeKey{} }},
	} {
		index := map[likeKey]int{}
		places, by = nil, way.by
		for i := range all {
			key := way.of(&all[i])
			k, ok := index[key]
			if !ok {
				k = len(places)
				index[key] = k
				places = append(places, nil)
			}
			places[k] = append(places[k], int32(i))
		}
		if len(places) > 1 {
			break
		}
	}
	return places, by
}

// fit sets all but the damping.
func (m *Like) fit(all []Record) {
	places, by := owners(all)
	m.By, m.Users = by, len(places)
	limits := make([]float64, len(places)) // the longest gap in a session
	var starts []float64
	for u, list := range places {
		limits[u] = sessionGap
		if by == "crowd" || inSessions(all, list) > (all[list[len(list)-1]][SubmitTime]-all[list[0]][SubmitTime])/2 && inSessions(all, list) > day {
			limits[u] = 0
		}
		last := math.Inf(-1)
		for _, i := range list {
			if t := all[i][SubmitTime]; t-last > limits[u] {
				starts = append(starts, t)
			}
			last = all[i][SubmitTime]
		}
	}
	m.fitHours(starts)
	shared := sharedLengths(all, places)
	var gaps, lengths correlation
	var repeat repeats
	of := make([]repeats, len(places))
	m.users = make([]likeUser, len(places))
	for u, list := range places {
		user := &m.users[u]
		index := map[likeKey]int32{}
		var series [][]float64
		var inside []float64 // gaps of the session
		for n, i := range list {
			r := &all[i]
			k, ok := index[kindOf(r)]
			if !ok {
				k = int32(len(series))
				index[kindOf(r)] = k
				user.kinds = append(user.kinds, likeKind{record: *r, unit: 1})
				series = append(series, nil)
			}
			series[k] = append(series[k], r[RunTime])
			user.jobs = append(user.jobs, k)
			if n > 0 {
				before := all[list[n-1]][SubmitTime]
				if gap := r[SubmitTime] - before; gap <= limits[u] {
					inside = append(inside, gap)
				} else {
					user.session(inside, m.passed(r[SubmitTime])-m.passed(before))
					inside = inside[:0]
				}
			}
		}
		user.session(inside, 0)
		user.wrap(m.passed(all[list[len(list)-1]][SubmitTime]) - m.passed(all[list[0]][SubmitTime]))
		of[u] = user.repeats()
		repeat.same += of[u].same
		repeat.all += of[u].all
		gaps.add(user.gaps)
		slices.Sort(user.gaps)
		for k, x := range series {
			lengths.add(x)
			kind := &user.kinds[k]
			if kind.lengths = slices.Sorted(slices.Values(x)); len(x) < rareKind {
				kind.lengths, kind.unit = shared[lengthClass(&kind.record)], cmp.Or(max(kind.record[RequestedTime], 0), 1)
			}
		}
	}
	for u := range m.users {
		m.Sessions += len(m.users[u].sessions)
		m.Kinds += len(m.users[u].kinds)
	}
	m.Chain = LikeChain{gaps.value(), lengths.value()}
	if repeat.all > 0 {
		m.Repeat = max(repeat.same/repeat.all, 0)
	}
	for u := range m.users {
		m.users[u].repeat = min(max((of[u].same+priorTurns*m.Repeat)/(of[u].all+priorTurns), 0), 1)
	}
}

// session adds a session with its gaps and the break after it.
func (u *likeUser) session(gaps []float64, pause float64) {
	s := likeSession{to: int32(len(gaps) + 1), pause: pause}
	if n := len(u.sessions); n > 0 {
		s.to += u.sessions[n-1].to
	}
	for _, gap := range gaps {
		s.gap += gap / float64(len(gaps))
	}
	for _, gap := range gaps {
		if s.gap > 0 {
			u.gaps = append(u.gaps, gap/s.gap)
		}
	}
	u.sessions = append(u.sessions, s)
}

// wrap closes the sessions of a user of the given time from the first job to the
// last to a ring: the break after the last is the mean of the others.
func (u *likeUser) wrap(time float64) {
	n := len(u.sessions) - 1
	if n == 0 {
		return
	}
	for _, s := range u.sessions[:n] {
		u.sessions[n].pause += s.pause / float64(n)
	}
	u.stay = time + u.sessions[n].pause
}

// repeats counts jobs of the kind of the one before in the same session, beyond
// those that chance brings.
func (u *likeUser) repeats() (r repeats) {
	var from int32
	for _, s := range u.sessions {
		count := map[int32]float64{}
		for _, k := range u.jobs[from:s.to] {
			count[k]++
		}
		n := float64(s.to - from)
		for i := from + 1; i < s.to; i++ {
			share := count[u.jobs[i-1]] / n
			r.all += 1 - share
			r.same -= share
			if u.jobs[i] == u.jobs[i-1] {
				r.same++
			}
		}
		from = s.to
	}
	return r
}

// inSessions returns the time that the sessions of a user last.
func inSessions(all []Record, list []int32) (sum float64) {
	for k := 1; k < len(list); k++ {
		if gap := all[list[k]][SubmitTime] - all[list[k-1]][SubmitTime]; gap <= sessionGap {
			sum += gap
		}
	}
	return sum
}

// repeats is repetitions, and how many there can be.
type repeats struct{ same, all float64 }

// lengthClass is the class of jobs that share lengths: by twice the logarithm of
// their estimates, and by that of their widths.
func lengthClass(r *Record) [2]int {
	estimate := -1
	if r[RequestedTime] > 0 {
		estimate = int(math.Round(2 * math.Log2(1+r[RequestedTime])))
	}
	return [2]int{estimate, int(math.Round(math.Log2(r[Requested])))}
}

// sharedLengths returns the lengths of the jobs of rare kinds by class, over their
// estimates where they have any.
func sharedLengths(all []Record, places [][]int32) map[[2]int][]float64 {
	shared := map[[2]int][]float64{}
	for _, list := range places {
		count := map[likeKey]int{}
		for _, i := range list {
			count[kindOf(&all[i])]++
		}
		for _, i := range list {
			if r := &all[i]; count[kindOf(r)] < rareKind {
				class := lengthClass(r)
				shared[class] = append(shared[class], r[RunTime]/cmp.Or(max(r[RequestedTime], 0), 1))
			}
		}
	}
	for _, x := range shared {
		slices.Sort(x)
	}
	return shared
}

// fitHours sets the hours of the week from the starts of sessions: between their
// own rates and the product of the rates of the hour and of the day, the nearer to
// their own the more sessions there are. Days are told apart from two weeks on,
// hours from two days on.
func (m *Like) fitHours(starts []float64) {
	var n, time [168]float64
	for _, t := range starts {
		n[m.hour(t)]++
	}
	for t := 0.0; t < m.Span; {
		end := min(m.Span, (math.Floor((t+m.clock)/hour)+1)*hour-m.clock)
		if end <= t { // rounding
			end = t + hour
		}
		time[m.hour(t)] += end - t
		t = end
	}
	rate := func(in func(i int) bool) float64 {
		var jobs, s float64
		for i := range n {
			if in(i) {
				jobs, s = jobs+n[i], s+time[i]
			}
		}
		if s == 0 {
			return 0
		}
		return jobs / s
	}
	all := rate(func(int) bool { return true })
	// relative returns the rates of parts of the week over the mean, drawn to it as far as
	// chance explains their differences (James & Stein 1961).
	relative := func(parts int, part func(k int) int) []float64 {
		r := make([]float64, parts)
		var spread float64
		for p := range r {
			r[p] = rate(func(k int) bool { return part(k) == p })/all - 1
			spread += r[p] * r[p]
		}
		keep := max(1-float64(parts*parts)/(float64(len(starts))*spread), 0)
		for p := range r {
			if r[p] = 1 + keep*r[p]; spread == 0 {
				r[p] = 1
			}
		}
		return r
	}
	hours, days := relative(24, func(k int) int { return k % 24 }), relative(7, func(k int) int { return k / 24 })
	var sum float64
	own := float64(len(starts)) / (float64(len(starts)) + 168*hourSessions)
	for i := range m.Hours {
		r := 1.0
		if m.Span >= 2*day {
			r = hours[i%24]
		}
		if m.Span >= 2*week {
			r *= days[i/24]
			r += own * (n[i]/time[i]/all - r)
		}
		m.Hours[i] = r
		sum += r
	}
	for i := range m.Hours {
		m.Hours[i] *= 168 / sum
	}
}

// hour returns the hour of the week at a time of the model.
func (m *Like) hour(t float64) int {
	return int(math.Mod(math.Mod(t+m.clock, week)+week, week)/hour) % 168
}

// passed returns how much of the time of sessions has passed by a time since the
// last Monday before the trace.
func (m *Like) passed(t float64) float64 {
	t += m.clock
	weeks := math.Floor(t / week)
	sum, rest := weeks*week, t-weeks*week
	for i := 0; rest > 0 && i < 168; i++ {
		sum += m.Hours[i] * min(rest, hour)
		rest -= hour
	}
	return sum
}

// correlation is that of neighbors' normal scores, over several series.
type correlation struct{ product, square float64 }

// add adds a series. Of short ones the mean tells too little.
func (c *correlation) add(series []float64) {
	const least = 10
	n := len(series)
	if n < least {
		return
	}
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(series[a], series[b]) })
	z := make([]float64, n)
	for from := 0; from < n; {
		to := from + 1
		for to < n && series[order[to]] == series[order[from]] {
			to++
		}
		for _, i := range order[from:to] {
			z[i] = math.Sqrt2 * math.Erfinv(float64(from+to)/float64(n)-1)
		}
		from = to
	}
	for i := 1; i < n; i++ {
		c.product += z[i] * z[i-1]
		c.square += (z[i]*z[i] + z[i-1]*z[i-1]) / 2
	}
}

func (c *correlation) value() float64 {
	if c.square == 0 {
		return 0
	}
	return min(max(c.product/c.square, 0), 0.999)
}

// chain is an autoregression of first order whose values are standard normal.
type chain struct {
	z     float64
	begun bool
}

// next returns the next value as a share of the values below it.
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
	g := &LikeJobs{m: m, span: span, busy: 1, at: -m.Span}
	for u := range m.users {
		phases := simulate.Stream(seed, replication, "like phase", u)
		phase := phases.Float64()
		for k := 0; float64(k-1)*m.Span < span; k++ {
			if k > 0 && m.users[u].stay < resident*m.Span {
				phase = phases.Float64()
			}
			r := simulate.Stream(seed, replication, "like "+strconv.Itoa(k), u)
			v := &visitor{user: &m.users[u], copy: k, r: r, lengths: make([]chain, len(m.users[u].kinds)), kind: -1}
			g.ends.push((float64(k-1)+phase)*m.Span, v)
		}
	}
	return g
}

// LikeJobs is generated jobs. It goes from hour to hour.
type LikeJobs struct {
	m      *Like
	span   float64
	at     float64         // the hour that begins
	now    float64         // in the time of sessions
	cycle  float64         // in the time of sessions, undamped
	busy   float64         // work submitted lately over its mean
	ends   queue[*visitor] // by the time at which they come, or their last session ends
	starts queue[*visitor] // by the time of sessions at which the next one begins
	jobs   queue[likeJob]
	number int64
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
		for g.jobs.before(g.at) {
			t, j := g.jobs.pop()
			if t < 0 {
				continue
			}
			g.number++
			g.m.record(r, t, &j)
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
	speed := rate * min(max(math.Exp(-m.Damping*(g.busy-1)), 0.25), 4)
	passed := speed * (end - g.at)
	for {
		if g.ends.before(end) {
			t, v := g.ends.pop()
			if v.kind < 0 {
				v.until = g.cycle + rate*(t-g.at) + v.user.stay
			}
			g.starts.push(g.now+speed*(t-g.at)+v.pause(), v)
		} else if g.starts.before(g.now + passed) {
			at, v := g.starts.pop()
			t := g.at + max(at-g.now, 0)/speed
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

// pause chooses the session of the trace that the next one resembles, mostly the
// one after the last (the stationary bootstrap of Politis & Romano 1994, with blocks
// of n^(1/3) of n sessions on average), and returns the time until it begins. The first
// begins after the rest of a break, so that a stay has as many as in the trace on average.
func (v *visitor) pause() float64 {
	list := v.user.sessions
	if v.kind < 0 {
		var all float64
		for _, s := range list {
			all += s.pause
		}
		rest := v.r.Float64() * all
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

// session submits the jobs of a session.
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
		length := quantile(u.kinds[v.kind].lengths, v.lengths[v.kind].next(m.Chain.Lengths, v.r)) * u.kinds[v.kind].unit
		if m.work > 0 {
			g.busy += max(length, 0) * u.kinds[v.kind].record[Requested] / (m.work * m.window)
		}
		if t < g.span {
			g.jobs.push(t, likeJob{&u.kinds[v.kind], length, v.copy})
		}
	}
	if u.stay > 0 {
		g.ends.push(max(t, g.at), v)
	}
}

// record writes a job as a record of a trace.
func (m *Like) record(r *Record, t float64, j *likeJob) {
	*r = j.kind.record
	if m.whole[0] {
		t = math.Floor(t)
	}
	r[SubmitTime], r[WaitTime], r[CPUTime], r[UsedMemory], r[Preceding], r[ThinkTime] = t, -1, -1, -1, -1, -1
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

// queue is a heap of values by time.
type queue[T any] struct{ heap.Heap[timed[T]] }

type timed[T any] struct {
	at    float64
	value T
}

func (q *queue[T]) push(at float64, value T) {
	q.Less = func(a, b *timed[T]) bool { return a.at < b.at }
	q.Push(timed[T]{at, value})
}

func (q *queue[T]) pop() (float64, T) {
	first := q.Pop()
	return first.at, first.value
}

// before reports whether the first time comes before another.
func (q *queue[T]) before(at float64) bool { return q.Len() > 0 && q.First().at < at }

// fitDamping sets the damping with which the work of days, three days and weeks varies
// as much as in the trace (see spread), by bisection on generated traces; 0 where even undamped it varies
// no more, and in traces of less than eight days. Damping that brings many more jobs than
// in the trace, as users with rare sessions answer late, is too strong.
func (m *Like) fitDamping(ctx context.Context) error {
	const traces, steps, strongest, most = 3, 6, 8, 1.25
	if !(m.seen.spread > 0) {
		return nil
	}
	low, high := 0.0, float64(strongest)
	for range steps {
		m.Damping = (low + high) / 2
		var sum, jobs float64
		for k := range traces {
			s, err := m.sample(ctx, m.Generate(m.Span, 1, -1-k), m.Span)
			if err != nil {
				return err
			}
			sum, jobs = sum+s.spread, jobs+s.jobs
		}
		if sum/traces > m.seen.spread && jobs/traces < most*m.seen.jobs {
			low = m.Damping
		} else {
			high = m.Damping
		}
	}
	if low == 0 {
		m.Damping = 0
	}
	return nil
}

// Take returns so many jobs of one replication, and the time they take.
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
			return Part(m.Generate(span, seed, replication), Subset{First: jobs}), r[SubmitTime], nil
		}
	}
}

// recorded is records in memory.
type recorded []Record

// Next implements Records.
func (l *recorded) Next(r *Record) (bool, error) {
	if len(*l) == 0 {
		return false, nil
	}
	*r, *l = (*l)[0], (*l)[1:]
	return true, nil
}

// NewHeader returns the header of generated traces: that of the trace, which they
// are not. They begin at the hour of the week at which the trace begins.
func (m *Like) NewHeader() Header {
	h := Header{Lines: []string{"; Version: 2.2", "; Computer: " + strings.TrimSpace("none (generated) like "+m.Header.Get("Computer"))}}
	const monday = 946857600 // 3 January 2000
	h.Lines = append(h.Lines, "; UnixStartTime: "+strconv.FormatInt(monday+int64(m.clock), 10), "; TimeZone: 0")
	if m.Nodes > 0 {
		h.Lines = append(h.Lines, "; MaxNodes: "+strconv.Itoa(m.Nodes), "; MaxProcs: "+strconv.Itoa(m.Nodes))
	}
	for _, line := range m.Header.Lines {
		key, _, _ := strings.Cut(strings.TrimLeft(line, "; \t"), ":")
		if slices.Contains([]string{"user", "group", "queue", "partition", "account"}, strings.ToLower(strings.TrimSpace(key))) {
			h.Lines = append(h.Lines, line)
		}
	}
	return h
}
