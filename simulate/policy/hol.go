package policy

import (
	"cmp"
	"slices"

	"revopt/simulate"
)

// hol holds queues of waiting jobs, one per rank: the highest rank is served
// first, and within a rank the job that came first. Service is not preempted.
//
// # Policies hol, fcfs
//
// hol serves the customer of the highest rank first, and within a rank the job that came first. The rank is the
// urgency, decay / mean length (Marbukh & Mills, (14)-(15)), of drawn jobs also over the mean width; of equal classes
// the last in the file comes first. On traces the length is that which the class states, else the mean run time of its jobs
// that have ended in the pool so far, and a decay that is a share of the price is the mean of theirs; a customer without an ended job
// has urgency 0. Waiting jobs change their ranks with those of their customers. Under qos, high urgency comes first. fcfs serves jobs in order of arrival. While the first job does not fit, nothing starts. With backfill=true
// any later job that fits starts meanwhile, without a reservation for the first, so a wide job may wait forever.
type hol struct {
	ranking
	limit   *Limit
	queues  []simulate.Queue // by rank
	top     int              // no higher rank has waiting jobs
	waiting int
}

// NewHOL returns the head-of-the-line policy: when processors become free, the waiting
// job of the highest rank starts, within a rank by arrival. While it does not fit, no
// other job starts, as in Marbukh & Mills, section VI. With backfill, later jobs that
// fit start before it, without a reservation for it. A job wider than the cluster is
// rejected.
func NewHOL(backfill bool) simulate.Leaver { return newHOL(ranking{ranked: true}, backfill, nil) }

// NewFCFS returns first come, first served: as HOL, but all jobs are of one
// rank.
func NewFCFS(backfill bool) simulate.Leaver { return newHOL(ranking{}, backfill, nil) }

func newHOL(by ranking, backfill bool, limit *Limit) simulate.Leaver {
	var p ordered = &hol{ranking: by, limit: limit}
	if backfill {
		p = &holFill{ranking: by, limit: limit}
	}
	if by.ranks != nil {
		return &learned{p, by.ranks}
	}
	return p
}

// ranking says whether jobs have ranks, and where they are not stated. Otherwise all are of rank 0.
type ranking struct {
	ranked bool
	ranks  Ranks // nil: Job.Rank
}

func (r ranking) rank(j *simulate.Job) int {
	switch {
	case !r.ranked:
		return 0
	case r.ranks != nil:
		return r.ranks.Rank(j.Class)
	}
	return j.Rank
}

// ordered is hol or holFill.
type ordered interface {
	simulate.Leaver
	simulate.Stopper
	// empty takes all waiting jobs out of the queue.
	empty() []*simulate.Job
	// put queues a job by its rank.
	put(j *simulate.Job)
}

// learned is a policy by ranks that change when jobs end.
type learned struct {
	ordered
	ranks Ranks
}

// Finish implements simulate.Finisher. If ranks have changed, the waiting jobs are queued anew.
func (l *learned) Finish(_ *simulate.Cluster, j *simulate.Job) {
	if l.ranks.Ended(j) {
		for _, waiting := range l.empty() {
			l.put(waiting)
		}
	}
}

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
	l.put(j)
	if l.limit != nil {
		l.limit.Watch(j)
	}
}

// put implements ordered.
func (l *hol) put(j *simulate.Job) {
	rank := l.rank(j)
	for rank >= len(l.queues) {
		l.queues = append(l.queues, simulate.Queue{})
	}
	l.queues[rank].Push(j)
	l.top = max(l.top, rank)
	l.waiting++
}

// empty implements ordered.
func (l *hol) empty() (jobs []*simulate.Job) {
	for i := range l.queues {
		for q := &l.queues[i]; q.Head() != nil; q.Pop() {
			jobs = append(jobs, q.Head())
		}
	}
	l.waiting, l.top = 0, 0
	return jobs
}

// Schedule starts jobs in order until the first that does not fit.
func (l *hol) Schedule(c *simulate.Cluster) {
	if l.limit == nil {
		l.serve(c)
		return
	}
	if l.limit.before(c, true, l.take) == nil {
		l.serve(c)
	}
	l.limit.wake(c)
}

func (l *hol) serve(c *simulate.Cluster) {
	if l.waiting == 0 {
		return
	}
	var profile *Profile
	if c.Ahead() {
		profile = occupied(c)
	}
	for ; l.waiting > 0; l.top-- {
		queue := &l.queues[l.top]
		for j := queue.Head(); j != nil; j = queue.Head() {
			if j.Width > c.Free() || profile != nil && !profile.Room(j.Width, Terms{}.RunTime(j)) {
				return
			}
			queue.Pop()
			l.waiting--
			startIn(profile, c, j)
		}
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
	if !l.limit.leave(j) {
		l.take(j)
	}
}

// take takes a job out of the queue.
func (l *hol) take(j *simulate.Job) entry {
	l.queues[l.rank(j)].Remove(j)
	l.waiting--
	return stated(j)
}

// occupied returns the profile of one decision around outages and overdue jobs.
func occupied(c *simulate.Cluster) *Profile {
	profile := Outlook(c)
	if profile == nil {
		profile = new(Profile)
		profile.reset(c.Now(), c.Processors())
	}
	for j := range c.Served() {
		profile.Reserve(c.Now(), j.Since()+Terms{}.RunTime(j), j.Width)
	}
	return profile
}

// startIn starts a job and, if there are outages, reserves its time in the profile.
func startIn(profile *Profile, c *simulate.Cluster, j *simulate.Job) {
	c.Start(j)
	if !c.ByValue() {
		Terms{}.Charge(c, j)
	}
	if profile != nil {
		profile.Reserve(c.Now(), c.Now()+Terms{}.RunTime(j), j.Width)
	}
}

// holFill is hol with backfill.
type holFill struct {
	ranking
	limit   *Limit
	list    []widths // by rank
	waiting int
}

// Arrive queues a job, or rejects it if it is wider than the cluster.
func (l *holFill) Arrive(c *simulate.Cluster, j *simulate.Job) {
	if j.Width > c.Processors() {
		c.Reject(j, simulate.Resources)
		return
	}
	c.Admit(j)
	l.push(j)
}

func (l *holFill) push(j *simulate.Job) {
	l.put(j)
	if l.limit != nil {
		l.limit.Watch(j)
	}
}

// put implements ordered.
func (l *holFill) put(j *simulate.Job) {
	rank := l.rank(j)
	for rank >= len(l.list) {
		l.list = append(l.list, nil)
	}
	l.list[rank].queue(j.Width).Push(j)
	l.waiting++
}

// empty implements ordered.
func (l *holFill) empty() (jobs []*simulate.Job) {
	for _, rank := range l.list {
		for i := range rank {
			for q := &rank[i].queue; q.Head() != nil; q.Pop() {
				jobs = append(jobs, q.Head())
			}
		}
	}
	l.waiting = 0
	return jobs
}

// Schedule starts every job, in order, that fits when its turn comes. Processors only become
// fewer meanwhile, so that a job which did not fit needs no second look.
func (l *holFill) Schedule(c *simulate.Cluster) {
	if l.limit == nil {
		l.serve(c, nil)
		return
	}
	l.serve(c, l.limit.before(c, false, l.take))
	l.limit.wake(c)
}

// serve is Schedule around the places in a profile, if there is one.
func (l *holFill) serve(c *simulate.Cluster, profile *Profile) {
	if l.waiting == 0 {
		return
	}
	if c.Ahead() && profile == nil {
		profile = occupied(c)
	}
	for r := len(l.list) - 1; r >= 0 && c.Free() > 0; r-- {
		if profile != nil {
			l.fillAround(c, profile, r)
			continue
		}
		for j := l.list[r].first(c.Free()); j != nil; j = l.list[r].first(c.Free()) {
			l.remove(j)
			startIn(nil, c, j)
		}
	}
}

// fillAround starts the jobs of a rank that fit between outages.
func (l *holFill) fillAround(c *simulate.Cluster, profile *Profile, rank int) {
	for _, j := range l.list[rank].list(c.Free()) {
		if j.Width <= c.Free() && profile.Room(j.Width, Terms{}.RunTime(j)) {
			l.remove(j)
			startIn(profile, c, j)
		}
	}
}

// Stop implements simulate.Stopper.
func (l *holFill) Stop(_ *simulate.Cluster, j *simulate.Job, again bool) {
	if again {
		l.push(j)
	}
}

// Leave implements simulate.Leaver.
func (l *holFill) Leave(_ *simulate.Cluster, j *simulate.Job) {
	if !l.limit.leave(j) {
		l.take(j)
	}
}

// take takes a job out of the queue.
func (l *holFill) take(j *simulate.Job) entry {
	l.remove(j)
	return stated(j)
}

func (l *holFill) remove(j *simulate.Job) {
	l.list[l.rank(j)].queue(j.Width).Remove(j)
	l.waiting--
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
