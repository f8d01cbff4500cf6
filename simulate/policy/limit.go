package policy

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"revopt/simulate"
)

// LongestWait is the option that limits waits, see Limit.
const LongestWait = "longest_wait"

// limitOption is the limit as an option of a policy: a time, or none. A time is written in the largest unit of
// which it is a whole number.
func limitOption() Option {
	return ReadOption(LongestWait, "none", func(value string) (string, string) {
		seconds, want := readTime(value)
		switch {
		case value == "none":
			return value, ""
		case want != "" || seconds == "0":
			return "", "a time above 0 such as 12h or 7d, or none"
		}
		x := Settings{LongestWait: seconds}.Number(LongestWait)
		for _, unit := range []struct {
			seconds float64
			word    string
		}{{86400, "d"}, {3600, "h"}, {60, "m"}} {
			if math.Mod(x, unit.seconds) == 0 {
				return strconv.FormatFloat(x/unit.seconds, 'f', -1, 64) + unit.word, ""
			}
		}
		return seconds + "s", ""
	})
}

// readTime reads seconds, or a number with the unit s, m, h or d.
func readTime(value string) (canonical, want string) {
	unit := 1.0
	for i, word := range []string{"s", "m", "h", "d"} {
		if number, ok := strings.CutSuffix(value, word); ok {
			value, unit = number, []float64{1, 60, 3600, 86400}[i]
			break
		}
	}
	x, err := strconv.ParseFloat(value, 64)
	x *= unit
	if err != nil || !(x >= 0) || math.IsInf(x, 1) {
		return "", "a time such as 900, 15m or 2h"
	}
	return strconv.FormatFloat(x, 'g', -1, 64), ""
}

// unlimited says why a policy that has no option of this name does not limit waits; "" if it is another option.
func (s Spec) unlimited(option string) string {
	switch {
	case option != LongestWait:
		return ""
	case s.Program:
		return "the program has its own queue"
	case s.Needs.Recorded:
		return "the starts are those of the log"
	case s.Needs.Shared || s.Needs.Optional:
		return "jobs share nodes and do not wait in a queue"
	}
	return "it has no queue"
}

// Limit returns the limit on waiting of a policy, nil if there is none.
func (s Settings) Limit() *Limit {
	seconds, want := readTime(s[LongestWait])
	if want != "" {
		return nil
	}
	return &Limit{After: Settings{LongestWait: seconds}.Number(LongestWait), asked: math.Inf(1)}
}

// Limit is a limit on waiting for any policy with a queue: a job that has waited for the time After is overdue.
//
// The policy keeps its queue. It tells the limit of every job that comes to wait, takes jobs out of its queue when
// they are overdue, and decides around the reservations that the limit holds in its profile, as it does around
// outages. A job that an outage stops has waited since its submission.
//
// # All policies: a limit on waiting
//
// Every policy on dedicated processors with a queue has the option longest_wait (a time such as 7d, a plain number is
// seconds; the default is none). A job that has waited so long since its submission is overdue.
//
//   - Overdue jobs go before all others, by submission. The first 64 that cannot start hold reservations that no other
//     job delays, as far as run times are known. A policy without backfilling starts nothing before the first overdue
//     job.
//   - An overdue job is not given up: it neither lapses nor waits for a better price, and runs even at a loss. A job
//     that lapses before is given up as without the limit. A customer whose patience ends still leaves.
//   - The limit is no promise: an overdue job waits for those before it.
//
// Policies that preempt (also by the option preempt), share nodes, repeat a log or are programs of a user refuse it.
type Limit struct {
	After float64 // s, above 0

	watched  []watch // jobs that wait, or did, by submission; from head on
	head     int
	front    []entry // the first overdue jobs that wait, by submission, which hold reservations
	later    waiting // the others
	reserved bool    // the reservations are in the profile
	asked    float64 // the time of the wake that was asked for
}

// watch is a job that waits.
type watch struct {
	job    *simulate.Job
	id     int64 // the slot of the job may hold another one later
	submit float64
}

// lateReservations is the number of overdue jobs, the first by submission, that hold reservations. It
// bounds the time of a decision.
const lateReservations = 64

// Watch takes note of a job that comes to wait.
func (l *Limit) Watch(j *simulate.Job) {
	if l.head > 64 && 2*l.head > len(l.watched) {
		l.watched = l.watched[:copy(l.watched, l.watched[l.head:])]
		l.head = 0
	}
	at := len(l.watched)
	for at > l.head && l.watched[at-1].submit > j.Submit { // it has moved here, or an outage has stopped it
		at--
	}
	l.watched = slices.Insert(l.watched, at, watch{j, j.ID, j.Submit})
}

// Next returns the time at which the next job will be overdue, +Inf if none waits.
func (l *Limit) Next(c *simulate.Cluster) float64 {
	for ; l.head < len(l.watched); l.head++ {
		if w := &l.watched[l.head]; c.Knows(w.job, w.id) || w.job.ID == w.id && w.job.Suspended() {
			return w.submit + l.After
		}
	}
	return math.Inf(1)
}

// Pop returns a job that is overdue, each once and by submission, nil if there is none. A job that an outage
// has stopped may be returned again.
func (l *Limit) Pop(c *simulate.Cluster) *simulate.Job {
	if Before(c.Now(), l.Next(c)) {
		return nil
	}
	l.head++
	return l.watched[l.head-1].job
}

// due makes the jobs overdue that have waited for the limit: take takes a job out of the queue of the
// policy. It reports whether any overdue job waits.
func (l *Limit) due(c *simulate.Cluster, take func(j *simulate.Job) entry) bool {
	for j := l.Pop(c); j != nil; j = l.Pop(c) {
		if l.has(j) {
			continue // it was watched twice
		}
		e := take(j)
		e.key = float64(j.ID)
		if last := len(l.front) - 1; last < 0 || e.key > l.front[last].key {
			l.later.insert(e, c.Processors())
			continue
		}
		at, _ := l.find(j)
		l.front = slices.Insert(l.front, at, e)
	}
	return l.waits()
}

// waits reports whether any overdue job waits.
func (l *Limit) waits() bool { return len(l.front)+l.later.length > 0 }

// find returns the place of an overdue job among the first ones, and whether it is there.
func (l *Limit) find(j *simulate.Job) (at int, ok bool) {
	return slices.BinarySearchFunc(l.front, j.ID, func(e entry, id int64) int { return cmp.Compare(e.job.ID, id) })
}

// has reports whether a job is overdue and waits.
func (l *Limit) has(j *simulate.Job) bool {
	_, ok := l.find(j)
	if !ok && l.later.length > 0 {
		n, i := l.later.leafOf(mark{float64(j.ID), j.ID})
		ok = i > 0 && n.leaf[i-1].job == j
	}
	return ok
}

// leave takes out an overdue job that leaves, and reports whether it is one.
func (l *Limit) leave(j *simulate.Job) bool {
	if l == nil || !l.has(j) {
		return false
	}
	if at, ok := l.find(j); ok {
		l.front = slices.Delete(l.front, at, at+1)
	} else {
		l.later.remove(mark{float64(j.ID), j.ID})
	}
	return true
}

// serve starts the overdue jobs that can start, by submission, and holds places in the profile for the
// first that cannot. The processors of running jobs are in the profile, and start puts those of a job
// there. Plan returns a job as it is planned now. In order, none starts before an earlier one, and no place is held. It
// reports whether any is left.
func (l *Limit) serve(c *simulate.Cluster, p *Profile, inOrder bool, plan func(e entry) entry, start func(e *entry)) bool {
	kept := 0
	for i := 0; i < len(l.front) || kept < lateReservations && l.later.length > 0; i++ {
		if i == len(l.front) {
			n := l.later.head()
			l.front = append(l.front, n.leaf[0])
			l.later.cut(n, 0, 1)
		}
		e := plan(l.front[i])
		blocked := inOrder && kept > 0
		if !blocked && int(e.width) <= c.Free() && p.Room(int(e.width), e.estimate) {
			start(&e)
			continue
		}
		if !inOrder {
			p.hold(&e, p.Earliest(int(e.width), e.estimate))
		}
		l.front[kept] = e
		kept++
	}
	clear(l.front[kept:])
	l.front = l.front[:kept]
	l.reserved = !inOrder
	if !inOrder && l.later.length > 0 {
		p.each(&l.later, first(), func(e *entry) (leaves bool) {
			planned := plan(*e)
			leaves = int(e.width) <= c.Free() &&
				(planned.estimate == e.estimate || p.Room(int(e.width), planned.estimate))
			if leaves {
				start(&planned)
			}
			return leaves
		})
	}
	return l.waits()
}

// release gives the places back.
func (l *Limit) release(p *Profile) {
	for i := len(l.front) - 1; i >= 0 && l.reserved; i-- {
		p.give(&l.front[i])
	}
	l.reserved = false
}

// wake asks for the decision at which the next job will be overdue, for a policy that asks for no
// decisions itself.
func (l *Limit) wake(c *simulate.Cluster) {
	if at := l.Next(c); at != l.asked {
		l.asked = at
		c.WakeAt(at)
	}
}

// stated returns a job with the user's estimate.
func stated(j *simulate.Job) entry {
	return entry{estimate: Terms{}.RunTime(j), width: int32(j.Width), job: j}
}

// asStated plans a job with its estimate.
func asStated(e entry) entry { return e }

// before starts the overdue jobs of a policy without a profile that can start. It returns the profile
// with the places of those that wait, nil if there are none.
func (l *Limit) before(c *simulate.Cluster, inOrder bool, take func(j *simulate.Job) entry) *Profile {
	if !l.due(c, take) {
		return nil
	}
	if c.Free() <= 0 {
		return new(Profile)
	}
	profile := occupied(c)
	left := l.serve(c, profile, inOrder, asStated, func(e *entry) { startIn(profile, c, e.job) })
	l.reserved = false // the profile is not kept
	if !left {
		return nil
	}
	return profile
}
