package workload

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"revopt/internal/text"
)

// Like is a model of the users of one trace, from which similar traces are drawn.
// Users come and go; while they are there they start sessions, in a session they
// submit jobs, and a job is mostly a repetition of the job before.
//
//   - A user of the trace comes once in every span as long as the trace, at a
//     random time, and stays as long as in the trace. A user that stayed for nine
//     tenths of the trace or more is always there.
//   - A session is jobs of one user no more than an hour apart (Zakay & Feitelson
//     2012). A new session resembles a session of the user: as many jobs, of its
//     kinds, at its mean gap, with the break after it; mostly the session that
//     followed in the trace.
//   - Breaks are measured in a time that passes as the sessions of all users begin
//     over the hours of the week. It passes more slowly the more work was submitted
//     in the last week, as users see the queue. The damping is fitted to the
//     variation of the work of days and weeks.
//   - Jobs of one user, width and estimate are of one kind. The next job of a
//     session is of the kind of the last with a fitted chance, else of a kind of the
//     session.
//   - The length of a job is drawn from those of its kind. Kinds of few jobs share
//     the accuracies (length over estimate) of jobs with a similar estimate.
//
// Gaps, and the lengths of a kind, are chains with the rank correlation of
// neighbors in the trace: quantiles of a sample at Phi(z), where z is an
// autoregression of first order. Quantiles lie between order statistics, so that no
// length is copied.
//
// In a trace without users, groups take their place; without groups all jobs are of
// a crowd. A user whose sessions last more than half of its stay is a crowd too, not
// a person. Each job of a crowd is a session.
type Like struct {
	Header   Header  // of the trace
	Nodes    int     // of the machine, 0 if unknown
	Jobs     int64   // of the trace
	Users    int     // of the trace, or groups, or one crowd
	By       string  // user, group or crowd
	Sessions int     // of all users
	Kinds    int     // of jobs
	Span     float64 // s, from the first submission to the last
	Chain    LikeChain
	Repeat   float64      // chance that a job repeats the kind of the job before, beyond chance
	Damping  float64      // speed of time by the work of the last week: exp(-Damping (work/mean - 1)), from 1/4 to 4
	Hours    [168]float64 // sessions begun by hour of the week from Monday, mean 1

	users  []likeUser
	clock  float64 // s of the week at time 0 of the trace
	work   float64 // mean submitted per second
	whole  [2]bool // submit times, run times are whole seconds
	exact  bool    // the estimates of most jobs are their run times, which say nothing of the kind
	number float64 // the largest number of a user
	sample *likeSample
	window float64 // s over which submitted work is remembered: a week, a day in short traces
}

// LikeChain is the rank correlation of neighbors.
type LikeChain struct{ Gaps, Lengths float64 }

// likeUser is the behavior of a user of the trace.
type likeUser struct {
	kinds    []likeKind
	jobs     []int32   // the kinds of its jobs, in order
	gaps     []float64 // between jobs of a session, over their mean in it, sorted
	sessions []likeSession
	repeat   float64 // as Like.Repeat
	stay     float64 // in the time of sessions, 0 for users with one session
}

// likeSession is a session of the trace.
type likeSession struct {
	to    int32   // place after its last job
	gap   float64 // mean, s
	pause float64 // to the next, in the time of sessions
}

// likeKind is similar jobs of one user.
type likeKind struct {
	record  Record    // the fields that they have in common
	lengths []float64 // s, sorted, at most 0 for jobs that never ran; over the estimates if shared
	unit    float64   // s
}

const (
	sessionGap   = 3600 // s, the longest gap in a session (Zakay & Feitelson 2012)
	rareKind     = 4    // kinds of fewer jobs share lengths
	priorTurns   = 10   // by which the chance of repetition of all users weighs in that of one
	resident     = 0.9  // share of the span from which on a user stays for ever
	fewScales    = 8    // windows that a variation takes
	hourSessions = 20   // sessions at which the rate of an hour of the week weighs as much as hour times day
	hour         = 3600
	day          = 86400
	week         = 7 * day
	longest      = 50 * 365.25 * day // s, of a trace: its hours are counted
)

// FitLike reads a selection of a trace and fits a model to it. Jobs that never ran
// are part of it under every rule.
func FitLike(ctx context.Context, sel Selection) (*Like, error) {
	st, err := sel.Open(ctx, 1, 0)
	if err != nil {
		return nil, err
	}
	defer st.Close()
	all, err := likeRecords(st)
	if err != nil {
		return nil, err
	}
	if len(all) < 2 || !(all[len(all)-1][SubmitTime] > all[0][SubmitTime]) {
		const message = "expected jobs at two times or more, to fit a model of their users"
		return nil, &Error{File: sel.File, Message: message}
	}
	first := all[0][SubmitTime]
	m := &Like{
		Header: st.Header, Nodes: st.Nodes, Jobs: int64(len(all)), Span: all[len(all)-1][SubmitTime] - first,
		whole: [2]bool{true, true}, clock: math.Mod(st.Header.weekClock()+first, week), window: week,
	}
	if m.Span < fewScales*week {
		m.window = day
	}
	var ran, equal int
	for i := range all {
		if r := all[i]; r[RunTime] > 0 {
			ran++
			if r[RunTime] == r[RequestedTime] {
				equal++
			}
		}
	}
	m.exact = 2*equal > ran
	for i := range all {
		r := all[i]
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
	if m.sample, err = m.measure(ctx, &all, m.Span); err != nil {
		return nil, err
	}
	return m, m.fitDamping(ctx)
}

// likeRecords reads the records with a submit time and a width. The executable
// stays only if it is an account.
func likeRecords(st *Stream) (kept, error) {
	_, accounts := st.Header.Names()["account"]
	var all kept
	for {
		var r Record
		ok, err := st.Next(&r)
		if !ok || err != nil {
			return all, err
		}
		if r[Requested] <= 0 {
			r[Requested] = r[Allocated]
		}
		if !accounts {
			r[Executable] = -1
		}
		if r[Undated] != 0 || r[Requested] <= 0 {
			continue
		}
		all = append(all, &r)
		if after := r[SubmitTime] - all[0][SubmitTime]; after > longest {
			bad := &Error{Field: SubmitTime + 1, Message: fmt.Sprintf("expected a time at most 50 years after the first job, "+
				"got %.17g s after it", after)}
			if st.reader != nil {
				bad.File, bad.Line = st.reader.lines.File, st.reader.lines.Line
			}
			return nil, bad
		}
	}
}

// likeKey is the kind of a job.
type likeKey [7]float64

func kindOf(r *Record) likeKey {
	return likeKey{r[Requested], r[RequestedTime], r[User], r[Group], r[Queue], r[Partition], r[Executable]}
}

// owners returns the places of the jobs of each user, and the field that names
// users: user, group, or crowd if all jobs are of one.
func owners(all kept) (places [][]int32, by string) {
	split := func(field int) [][]int32 {
		index := map[float64]int{}
		var places [][]int32
		for i := range all {
			k, ok := index[all[i][field]]
			if !ok {
				k = len(places)
				index[all[i][field]] = k
				places = append(places, nil)
			}
			places[k] = append(places[k], int32(i))
		}
		return places
	}
	if places = split(User); len(places) > 1 {
		return places, "user"
	}
	if places = split(Group); len(places) > 1 {
		return places, "group"
	}
	return split(Undated), "crowd" // which is the same for all
}

// fit sets all but the damping.
func (m *Like) fit(all kept) {
	places, by := owners(all)
	m.By, m.Users = by, len(places)
	limits := make([]float64, len(places)) // the longest gap in a session
	var starts []float64
	for u, list := range places {
		limits[u] = sessionGap
		active, stay := inSessions(all, list), all[list[len(list)-1]][SubmitTime]-all[list[0]][SubmitTime]
		if by == "crowd" || active > stay/2 && active > day {
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
	byUser := make([]repeats, len(places))
	m.users = make([]likeUser, len(places))
	for u, list := range places {
		user := &m.users[u]
		index := map[likeKey]int32{}
		var series [][]float64
		var inside []float64 // gaps of the session
		for n, i := range list {
			r := all[i]
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
		byUser[u] = user.repeats()
		repeat.same += byUser[u].same
		repeat.all += byUser[u].all
		gaps.add(user.gaps)
		slices.Sort(user.gaps)
		for k, x := range series {
			lengths.add(x)
			kind := &user.kinds[k]
			if kind.lengths = slices.Sorted(slices.Values(x)); len(x) < rareKind {
				kind.lengths = shared[lengthClass(&kind.record)]
				kind.unit = cmp.Or(max(kind.record[RequestedTime], 0), 1)
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
		m.users[u].repeat = min(max((byUser[u].same+priorTurns*m.Repeat)/(byUser[u].all+priorTurns), 0), 1)
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

// wrap closes the sessions of a user to a ring: the break after the last is the mean
// of the others. The time is that from the first job to the last.
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

// repeats counts jobs of the same kind as the job before in the session, beyond
// those expected by chance.
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
func inSessions(all kept, list []int32) (sum float64) {
	for k := 1; k < len(list); k++ {
		if gap := all[list[k]][SubmitTime] - all[list[k-1]][SubmitTime]; gap <= sessionGap {
			sum += gap
		}
	}
	return sum
}

// repeats is repetitions, and the largest number of them.
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
// estimates if they have any.
func sharedLengths(all kept, places [][]int32) map[[2]int][]float64 {
	shared := map[[2]int][]float64{}
	for _, list := range places {
		count := map[likeKey]int{}
		for _, i := range list {
			count[kindOf(all[i])]++
		}
		for _, i := range list {
			if r := all[i]; count[kindOf(r)] < rareKind {
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

// fitHours sets the hours of the week from the starts of sessions: between the rate
// of each hour of the week and the product of the rates of the hour and of the day,
// nearer to the former the more sessions there are. Days differ from two weeks on,
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
	// relative returns the rates of parts of the week over the mean, shrunk towards 1 as
	// far as chance explains their differences (James & Stein 1961).
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
	weight := float64(len(starts)) / (float64(len(starts)) + 168*hourSessions)
	for i := range m.Hours {
		r := 1.0
		if m.Span >= 2*day {
			r = hours[i%24]
		}
		if m.Span >= 2*week {
			r *= days[i/24]
			r += weight * (n[i]/time[i]/all - r)
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

// passed returns the time of sessions from the last Monday before the trace to a
// time.
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

// correlation is the correlation of the normal scores of neighbors in several series.
type correlation struct{ product, square float64 }

// add adds a series. The mean of a short series tells too little.
func (c *correlation) add(series []float64) {
	const least = 10
	n := len(series)
	if n < least {
		return
	}
	order := text.Numbers(n)
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

// fitDamping sets the damping with which the work of days, three days and weeks
// varies as much as in the trace (see spread), by bisection on generated traces. It is
// 0 if the work varies no more without damping, and in traces of less than eight days.
// Damping that brings many more jobs than the trace has, as users with rare sessions
// react late, is too strong.
func (m *Like) fitDamping(ctx context.Context) error {
	const traces, steps, strongest, most = 3, 6, 8, 1.25
	if !(m.sample.spread > 0) {
		return nil
	}
	low, high := 0.0, float64(strongest)
	for range steps {
		m.Damping = (low + high) / 2
		var sum, jobs float64
		for k := range traces {
			s, err := m.measure(ctx, m.Generate(m.Span, 1, -1-k), m.Span)
			if err != nil {
				return err
			}
			sum, jobs = sum+s.spread, jobs+s.jobs
		}
		if sum/traces > m.sample.spread && jobs/traces < most*m.sample.jobs {
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
