package workload

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"revopt/internal/text"
	"revopt/model"
	"revopt/simulate"
)

// Resampling draws the jobs of every replication out of a recorded trace by weeks
// and users, so that replications differ as spans of the trace do. The jobs of one
// user in one calendar week stay together, at the same weekday and time of day:
// sessions and the cycles of the day and the week stay as they are.
//
// The idea is that of Zakay and Feitelson (Workload resampling for performance
// evaluation of parallel job schedulers, CCPE 26, 2014): a user that is present for
// most of the trace is always there and repeats its weeks; another user comes for a
// stay, at a random week and as often as such stays occur. They draw all users
// independently. Users of a busy machine make room for each other and have common
// holidays; independent draws lose that and overload the machine. So most users here
// repeat the same week as the others.
//
//   - A pool of weeks is drawn, as many as the trace has, with replacement: the trace
//     is one of the possible histories.
//   - Every week of the new span draws a week of the pool, and all users repeat their
//     jobs of it,
//   - except a share Own of the users, which are drawn independently, as above.
//
// The expected work of a week is that of the trace. A trend is not continued.
//
// Weeks begin on Monday at midnight, standard time, if the header gives the time, else
// with the trace. A first or last week that is not recorded whole is completed by the
// other, or left out if the two make no week. Silence no longer than the longest
// within the trace, up to half a week, counts as recorded. Jobs of unknown users
// belong to one user for each group.
type Resampling struct {
	Span float64 // s of a replication, after the arrival delay factor; 0 is that of the trace
	Own  float64 // share of the users that are drawn independently; 0 is 0.1, negative is none
}

// defaultOwn is chosen by the coverage of held-out spans of one trace, see
// docs/traces.md.
const defaultOwn = 0.1

const secondsOfWeek = 7 * 86400.0

// resampler is the weeks of a trace by user.
type resampler struct {
	entries []entry // their times of submission are those of the week
	weeks   int     // of the trace
	begin   float64 // time of the week at which a span begins
	span    float64 // s, as recorded
	single  float64 // share of the users that are drawn independently
	users   []residence
}

// residence is the jobs of a user.
type residence struct {
	weeks       [][]int32 // entries of every week of the trace
	first, last int       // weeks with jobs
}

// Resample returns the workload with jobs that are drawn from those of the trace.
// The trace must be a recorded one and have two whole weeks, else the error is a
// *Error.
func (w *Replay) Resample(ctx context.Context, o Resampling) (*Replay, error) {
	t := w.trace
	refuse := func(format string, args ...any) (*Replay, error) {
		return nil, &Error{File: t.selection.File, Message: "cannot resample weeks: " + fmt.Sprintf(format, args...)}
	}
	switch {
	case model.Generated(t.selection.File):
		return refuse("every replication of a generated trace has new jobs already")
	case w.windows != nil:
		return refuse("every replication draws a window of the trace already (trace.window)")
	case math.IsNaN(o.Span) || math.IsInf(o.Span, 0) || o.Span < 0 || !(o.Own <= 1):
		return refuse("expected a span above 0 and a share of users, got %g s and %g", o.Span, o.Own)
	}
	entries, err := t.all(ctx)
	if err != nil {
		return nil, err
	}
	entries = slices.Clone(entries)
	r := &resampler{entries: entries, span: o.Span / w.delay, single: cmp.Or(o.Own, defaultOwn)}
	if o.Span == 0 {
		r.span = t.span
	}
	r.cut(t.monday)
	if r.weeks < 2 {
		return refuse("expected a trace of two weeks or more, got %s", text.Duration(t.span))
	}
	const most = 1e7 // jobs of a span
	switch jobs := r.span / t.span * float64(len(entries)); {
	case r.span < secondsOfWeek*(1-1e-9):
		return refuse("expected a span of a week of the trace or more, got %s", text.Duration(r.span))
	case jobs > most:
		return refuse("expected a span of at most %s, in which 10 million jobs come, got %s",
			text.Duration(r.span*w.delay*most/jobs), text.Duration(r.span*w.delay))
	}
	c := *w
	c.weeks = r
	return &c, nil
}

// all returns the jobs of a recorded trace. It reads them again if they are too many to keep for a replay.
func (t *Trace) all(ctx context.Context) ([]entry, error) {
	if t.entries != nil {
		return t.entries, nil
	}
	var entries []entry
	all := &Summary{Selection: t.selection}
	err := all.each(ctx, func(_ *Record, e *entry) { entries = append(entries, *e) })
	return entries, err
}

// Resampled returns the length of the spans that are drawn from the trace, in the time
// of the simulation, and the number of weeks and users; zeros if the trace is replayed
// as it is.
func (w *Replay) Resampled() (span float64, weeks, users int) {
	if w.weeks == nil {
		return 0, 0, 0
	}
	return w.weeks.span * w.delay, w.weeks.weeks, len(w.weeks.users)
}

// cut cuts the trace into weeks and users. At its time 0 the week has the given age.
func (r *resampler) cut(age float64) {
	n := len(r.entries)
	if n == 0 {
		return
	}
	at := func(i int) (week int, time float64) {
		x := (r.entries[i].submit + age) / secondsOfWeek
		return int(math.Floor(x)), r.entries[i].submit + age - math.Floor(x)*secondsOfWeek
	}
	first, begin := at(0)
	last, end := at(n - 1)
	var silence float64
	for i := 1; i < n; i++ {
		silence = max(silence, r.entries[i].submit-r.entries[i-1].submit)
	}
	silence = min(silence, secondsOfWeek/2)
	head, tail := begin <= silence, secondsOfWeek-end <= silence // whole
	joined := !head && !tail && end >= begin && first < last
	from := first // of the first week that counts
	if !head && !joined {
		from++
	}
	r.begin, r.weeks = begin, last-from
	if tail {
		r.weeks++
	}
	if r.weeks < 1 {
		return
	}
	number := map[int64]int{}
	for i := range r.entries {
		e := &r.entries[i]
		k, x := at(i)
		if joined && k == last && x < begin {
			k = first
		}
		e.submit = x
		k -= from
		if k < 0 || k >= r.weeks {
			continue
		}
		key := int64(e.user)
		if key <= 0 {
			key = -1 - int64(e.group)
		}
		u, ok := number[key]
		if !ok {
			u, number[key] = len(r.users), len(r.users)
			r.users = append(r.users, residence{make([][]int32, r.weeks), k, k})
		}
		user := &r.users[u]
		user.weeks[k] = append(user.weeks[k], int32(i))
		user.first, user.last = min(user.first, k), max(user.last, k)
	}
}

// from draws so many weeks out of a pool, with replacement.
func from(lots *rand.Rand, pool []int, n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = pool[lots.IntN(len(pool))]
	}
	return list
}

// draw returns the jobs of a replication in the order of submission.
func (r *resampler) draw(seed uint64, replication int) []entry {
	lots := simulate.Stream(seed, replication, "weeks", 0)
	n := int((r.begin+r.span)/secondsOfWeek) + 1
	pool := text.Numbers(r.weeks)
	pool = from(lots, pool, r.weeks)
	common := from(lots, pool, n)
	var list []drawn
	copies := int32(0)
	for u := range r.users {
		user := &r.users[u]
		repeat := func(k, week int) {
			copies++
			for _, i := range user.weeks[k] {
				x := float64(week)*secondsOfWeek + r.entries[i].submit
				if week >= 0 && week < n && x >= r.begin && x <= r.begin+r.span {
					list = append(list, drawn{x, i, copies})
				}
			}
		}
		weeks := common
		if single := simulate.Stream(seed, replication, "users", u); single.Float64() < r.single {
			if stay := user.last - user.first + 1; 2*stay <= r.weeks {
				// Stays begin at the times of a Poisson process, one in the time of the trace.
				gap := func() float64 { return single.ExpFloat64() * float64(r.weeks) }
				for x := gap(); x < float64(n+stay-1); x += gap() {
					for k := range stay {
						repeat(user.first+k, int(x)-stay+1+k)
					}
				}
				continue
			}
			weeks = from(single, pool, n)
		}
		for week, k := range weeks {
			repeat(k, week)
		}
	}
	slices.SortFunc(list, func(a, b drawn) int {
		return cmp.Or(cmp.Compare(a.submit, b.submit), cmp.Compare(a.entry, b.entry))
	})
	jobs := make([]entry, len(list))
	for i, d := range list {
		jobs[i] = r.entries[d.entry]
		jobs[i].submit = d.submit
	}
	r.relate(jobs, list)
	return jobs
}

// drawn is a job of a replication, of one copy of a week of its user.
type drawn struct {
	submit      float64
	entry, copy int32
}

// relate makes jobs depend on those of the same copy.
func (r *resampler) relate(jobs []entry, list []drawn) {
	if !slices.ContainsFunc(jobs, func(e entry) bool { return e.after > 0 }) {
		return
	}
	type member struct{ entry, copy int32 }
	at := map[member]int{}
	for i, d := range list {
		at[member{d.entry, d.copy}] = i
		if jobs[i].after == 0 {
			continue
		}
		before, ok := at[member{d.entry - jobs[i].after, d.copy}]
		jobs[i].after = 0
		if ok {
			jobs[i].after = int32(i - before)
		}
	}
}
