package simulate

import "revopt/internal/truth"

// Job is one job of a workload. The source fills the upper part, the kernel
// and the policy the lower. A source may assign a whole Job: the kernel clears the
// lower part. A Job lives in a slot that is used again after the job has ended:
// neither policies nor observers may keep a *Job beyond that. It fills eight cache lines of a
// processor; the last two are for jobs that are preempted or share nodes, and for what is hidden.
type Job struct {
	Class  int     // index of the job's customer, from 0
	Submit float64 // s
	Work   float64 // s at rate 1, on each processor; 0 where nobody but the kernel knows it yet, see Informed
	Width  int     // processors
	Rank   int     // priority from 0; a higher rank is served first

	Value  Value   // as a function of when the job ends. A policy sees that of a job that runs for its estimate
	Expire float64 // time at which a waiting job gives up; 0 and +Inf are never. A policy sees 0, see Cluster.Hide
	// Patience is the time, s, after which a waiting job leaves at no cost; 0 is never. It
	// is drawn, and policies see 0. Expire is never later.
	Patience float64
	Chance   float64 // uniform on [0, 1), for admission by lot
	Spec     Spec    // details that the user stated
	Choice   int32   // for the router: number of a set of sites that the job may run in; 0: that of its class
	Void     bool    // rejected at once whatever the policy, as NeverRan

	// Eligible is the time from which the policy sees the job; one before Submit is Submit. Nothing else counts from it.
	// A job with a predecessor is not eligible before that one has ended, however it ends, and Think seconds have passed.
	Eligible float64
	Think    float64 // s after the end of the predecessor
	After    int32   // Number of the predecessor; 0 is none. One that has not been submitted before is ignored
	Number   int32   // by which others depend on this job, about its place in the source, from 1; 0 is none

	Measured bool    // submitted while the window was open
	Killed   bool    // ended at its estimate: the policy cut Work short
	ID       int64   // number of the job in order of submission, from 0
	Start    float64 // time of the start of service
	Finish   float64 // time of the end of service, once it has ended
	Revenue  float64 // $ charged so far

	state    state
	admitted bool
	late     bool   // submitted after the close of the window
	timed    bool   // a timer is pending
	expiring bool   // its expiry is pending
	pieces   bool   // placed with Place
	felled   bool   // an outage kills it
	hidden   bool   // its run time, and what scales with that
	sealed   bool   // secrets are hidden
	cut      bool   // it is to end at its estimate
	tasks    int32  // still running
	fetch    uint32 // while the source fills the job, slots.asks; else 0
	seat
	since float64 // when the stint began
	site  *Cluster
	links [2]link // in a queue of the policy, and in a list of the cluster

	Nodes       []int32 // nodes of a job placed with StartOn
	Preemptions int     // how often it was preempted
	Lost        float64 // s on each of its processors: costs of preemption, and discarded work
	given       float64 // work at rate 1 done in pieces or stints that are over
	left        float64 // s that a suspended job has still to run
	Tariff      Tariff  // what the value would be for another length; nil: the same
	work        float64 // s, the true one
	finish      float64 // expected end of service on dedicated processors
	fee         float64 // $, due if it ends in time
	secrets
}

// link is the neighbors of a job in a queue.
type link struct{ previous, next *Job }

// seat is the place of a job on the agenda. Versions continue with the slot's next
// job, so that events of the previous job are recognized as stale.
type seat struct {
	timer  uint32
	expiry uint32
	stint  uint32 // version of the completion on dedicated processors
	slot   int32
}

type state uint8

const (
	waiting state = iota
	running
	suspended
	ending // the policy and the observers are told
	ended
	held // not eligible yet
)

// Waiting reports whether the job is eligible and has neither started nor left.
func (j *Job) Waiting() bool { return j.state == waiting }

// Admitted reports whether the policy has admitted the job.
func (j *Job) Admitted() bool { return j.admitted }

// Suspended reports whether the job was preempted and has not been resumed.
func (j *Job) Suspended() bool { return j.state == suspended }

// Served returns for how long the job has had its dedicated processors, s.
func (j *Job) Served(now float64) float64 {
	if j.state == running || j.state == ending {
		return j.given + (now - j.since)
	}
	return j.given
}

// Since returns when the job got its dedicated processors the last time.
func (j *Job) Since() float64 { return j.since }

// Left returns for how long the job has still to run on dedicated processors, s,
// with the costs of preemption.
func (j *Job) Left(_ truth.Key, now float64) float64 { return j.rest(now) }

func (j *Job) rest(now float64) float64 {
	switch j.state {
	case waiting, held:
		return j.length()
	case suspended:
		return j.left
	}
	return max(j.finish-now, 0)
}

// Spec is the user's description of a job beside its value. Together with Job.Width
// and Job.Value these are the segments of Yeo and Buyya (2007), (1)-(2): details,
// resource requirements and constraints. Jobs with partial results have one more.
type Spec struct {
	Details      Details
	Requirements Requirements
	Imprecise    *Imprecise // nil: the result is whole or nothing
	Recorded     Recorded   // if the workload has it, see Has; hidden from policies
}

// Recorded is the fate of a job in the log that it comes from.
type Recorded struct {
	Ran bool    // it started, and ended after its Work
	At  float64 // time of the start, or the time at which a job that never ran left the queue
}

// Details is the segment that describes the job.
type Details struct {
	Estimate  float64 // RE, s: estimated runtime on a processor of its own
	Exact     bool    // the estimate is the run time, as the user states none
	User      int     // of the trace, 0 if unknown; likewise the next four
	Group     int
	Queue     int
	Partition int
	Account   int
}

// Requirements is the segment of resources needed on each node.
type Requirements struct {
	Memory float64 // MEM
	Disk   float64 // DISK
}

// slots holds the jobs that exist now. Slots are allocated in blocks, so that
// a *Job stays valid while others come and go, and used again through a free
// list, so that memory is proportional to the jobs alive at once.
type slots struct {
	all  []*Job
	free []*Job
	asks uint32 // an odd number, so not 0, that changes with every job taken
}

const slotBlock = 64

// take returns a job for the source to fill. It is blank except for its seat, the memory of its nodes and the fields
// that submit sets in every job.
func (s *slots) take() *Job {
	if len(s.free) == 0 {
		s.grow()
	}
	last := len(s.free) - 1
	j := s.free[last]
	s.free = s.free[:last]
	j.Class = 0
	j.Submit = 0
	j.Work = 0
	j.Width = 0
	j.Rank = 0
	j.Value = Value{}
	j.Expire = 0
	j.Patience = 0
	j.Chance = 0
	j.Spec = Spec{}
	j.Choice = 0
	j.Void = false
	j.Eligible = 0
	j.Think = 0
	j.After = 0
	j.Number = 0
	j.Tariff = nil
	j.reset()
	s.asks = s.asks + 2 | 1
	j.fetch = s.asks
	return j
}

// reset clears the part of a job that the kernel and the policy fill.
func (j *Job) reset() {
	j.Killed = false
	j.Start = 0
	j.Finish = 0
	j.Revenue = 0
	j.state = waiting
	j.admitted = false
	j.timed = false
	j.expiring = false
	j.pieces = false
	j.felled = false
	j.hidden = false
	j.sealed = false
	j.cut = false
	j.finish = 0
	j.fee = 0
	j.tasks = 0
	j.since = 0
	j.site = nil
	j.links = [2]link{}
	j.Nodes = j.Nodes[:0]
	j.Preemptions = 0
	j.Lost = 0
	j.given = 0
	j.left = 0
}

func (s *slots) release(j *Job) { s.free = append(s.free, j) }

func (s *slots) grow() {
	block := make([]Job, max(slotBlock, len(s.all)/4))
	for i := range block {
		block[i].slot = int32(len(s.all))
		s.all = append(s.all, &block[i])
	}
	for i := len(block) - 1; i >= 0; i-- { // the lowest slot last: it is taken first
		s.free = append(s.free, &block[i])
	}
}

// Queue is a list of waiting jobs, linked through the jobs themselves, so that
// joining and leaving at any place allocate nothing. A job is in at most one
// queue. The zero value is an empty queue.
type Queue struct {
	head, tail *Job
	links      uint8 // of its jobs; 1 in the lists of a cluster
}

// Head returns the first job, nil if there is none.
func (q *Queue) Head() *Job { return q.head }

// Behind returns the job behind j in its queue, nil if there is none.
func (j *Job) Behind() *Job { return j.links[0].next }

// Push puts j behind the jobs that were submitted before it. That is the end unless j has
// moved here from another pool.
func (q *Queue) Push(j *Job) {
	before := q.tail
	for before != nil && before.ID > j.ID {
		before = before.links[q.links&1].previous
	}
	q.insert(before, j)
}

// insert puts j behind another job, nil: before all.
func (q *Queue) insert(before, j *Job) {
	next := &q.head
	if before != nil {
		next = &before.links[q.links&1].next
	}
	at := &j.links[q.links&1]
	at.previous, at.next = before, *next
	*next = j
	if at.next == nil {
		q.tail = j
	} else {
		at.next.links[q.links&1].previous = j
	}
}

// Pop takes the first job out of q, which must not be empty.
func (q *Queue) Pop() {
	at := &q.head.links[q.links&1]
	q.head = at.next
	if at.next == nil {
		q.tail = nil
	} else {
		at.next.links[q.links&1].previous = nil
	}
	at.next = nil
}

// Remove takes j, which must be in q, out of it.
func (q *Queue) Remove(j *Job) {
	at := &j.links[q.links&1]
	if at.previous == nil {
		q.head = at.next
	} else {
		at.previous.links[q.links&1].next = at.next
	}
	if at.next == nil {
		q.tail = at.previous
	} else {
		at.next.links[q.links&1].previous = at.previous
	}
	*at = link{}
}
