package policy

import (
	"cmp"
	"slices"

	"revopt/simulate"
)

// hol holds queues of waiting jobs, one per rank: the highest rank is served
// first, and within a rank the job that came first. Service is not preempted.
type hol struct {
	ranked   bool             // false: all jobs are of rank 0
	queues   []simulate.Queue // by rank; not used with backfill
	top      int              // no higher rank has waiting jobs; not used with backfill
	backfill bool
	ranks    []widths // by rank; used with backfill
	waiting  int
	profile  *Profile // of one decision, if there are outages
}

// NewHOL returns the head-of-the-line policy: when processors become free, the waiting
// job of the highest rank starts, within a rank by arrival. While it does not fit, no
// other job starts, as in Marbukh & Mills, section VI. With backfill, later jobs that
// fit start before it, without a reservation for it. A job wider than the cluster is
// rejected.
func NewHOL(backfill bool) simulate.Leaver { return &hol{ranked: true, backfill: backfill} }

// NewFCFS returns first come, first served: as HOL, but all jobs are of one
// rank.
func NewFCFS(backfill bool) simulate.Leaver { return &hol{backfill: backfill} }

// Arrive queues a job, or rejects it if it is wider than the cluster.
func (l *hol) Arrive(c *simulate.Cluster, j *simulate.Job) {
	if j.Width > c.Processors() {
		c.Reject(j, simulate.Resources)
		return
	}
	c.Admit(j)
	l.push(j)
}

func (l *hol) push(j *simulate.Job) {
	l.queue(j).Push(j)
	l.top = max(l.top, l.rank(j))
	l.waiting++
}

// Schedule starts every job that can start.
func (l *hol) Schedule(c *simulate.Cluster) {
	if l.waiting == 0 {
		return
	}
	l.profile = outlook(c)
	if l.profile != nil {
		for j := range c.Served() {
			l.profile.Reserve(c.Now(), j.Since()+Terms{}.RunTime(j), j.Width)
		}
	}
	if l.backfill {
		l.fill(c)
	} else {
		l.serve(c)
	}
}

// serve starts jobs in order until the first that does not fit.
func (l *hol) serve(c *simulate.Cluster) {
	for ; l.waiting > 0; l.top-- {
		queue := &l.queues[l.top]
		for j := queue.Head(); j != nil; j = queue.Head() {
			if !l.fits(c, j) {
				return
			}
			l.start(c, j)
		}
	}
}

// fill starts every job, in order, that fits when its turn comes. Processors only become
// fewer meanwhile, so that a job which did not fit needs no second look.
func (l *hol) fill(c *simulate.Cluster) {
	for r := len(l.ranks) - 1; r >= 0 && c.Free() > 0; r-- {
		if l.profile != nil {
			for _, j := range l.ranks[r].list(c.Free()) {
				if l.fits(c, j) {
					l.start(c, j)
				}
			}
			continue
		}
		for j := l.ranks[r].first(c.Free()); j != nil; j = l.ranks[r].first(c.Free()) {
			l.start(c, j)
		}
	}
}

func (l *hol) fits(c *simulate.Cluster, j *simulate.Job) bool {
	return j.Width <= c.Free() && (l.profile == nil || l.profile.Room(j.Width, Terms{}.RunTime(j)))
}

func (l *hol) start(c *simulate.Cluster, j *simulate.Job) {
	l.Leave(c, j)
	if (Terms{}).Start(c, j); l.profile != nil {
		l.profile.Reserve(c.Now(), c.Now()+Terms{}.RunTime(j), j.Width)
	}
}

// Stop implements simulate.Stopper.
func (l *hol) Stop(_ *simulate.Cluster, j *simulate.Job, again bool) {
	if again {
		l.push(j)
	}
}

// Leave implements simulate.Leaver.
func (l *hol) Leave(_ *simulate.Cluster, j *simulate.Job) {
	l.queue(j).Remove(j)
	l.waiting--
}

func (l *hol) rank(j *simulate.Job) int {
	if l.ranked {
		return j.Rank
	}
	return 0
}

// place implements placer.
func (l *hol) place(j *simulate.Job, _ float64) float64 { return -float64(l.rank(j)) }

func (l *hol) queue(j *simulate.Job) *simulate.Queue {
	rank := l.rank(j)
	if l.backfill {
		for rank >= len(l.ranks) {
			l.ranks = append(l.ranks, nil)
		}
		return l.ranks[rank].queue(j.Width)
	}
	for rank >= len(l.queues) {
		l.queues = append(l.queues, simulate.Queue{})
	}
	return &l.queues[rank]
}

// widths are the waiting jobs of one rank by width, the narrowest first. Within a width
// only the first job can be the next to start, so that backfilling examines only the
// heads, however long the queue is.
type widths []widthQueue

type widthQueue struct {
	width int
	queue simulate.Queue
}

// queue returns the queue of jobs of the given width.
func (s *widths) queue(width int) *simulate.Queue {
	i, found := slices.BinarySearchFunc(*s, width, func(e widthQueue, width int) int { return e.width - width })
	if !found {
		*s = slices.Insert(*s, i, widthQueue{width: width})
	}
	return &(*s)[i].queue
}

// first returns the earliest job that needs at most the given number of processors, nil
// if there is none.
func (s widths) first(free int) *simulate.Job {
	var first *simulate.Job
	for i := range s {
		if s[i].width > free {
			break
		}
		if j := s[i].queue.Head(); j != nil && (first == nil || j.ID < first.ID) {
			first = j
		}
	}
	return first
}

// list returns the jobs that need at most the given number of processors, by arrival.
func (s widths) list(free int) (jobs []*simulate.Job) {
	for i := range s {
		for j := s[i].queue.Head(); j != nil && s[i].width <= free; j = j.Behind() {
			jobs = append(jobs, j)
		}
	}
	slices.SortFunc(jobs, func(a, b *simulate.Job) int { return cmp.Compare(a.ID, b.ID) })
	return jobs
}
