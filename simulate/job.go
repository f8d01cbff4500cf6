package simulate

// Job is one job of a workload. The source fills the upper part, the kernel
// and the policy the lower. A source may assign a whole Job: the kernel clears the
// lower part. A Job lives in a slot that is used again after the job has ended:
// neither policies nor observers may keep a *Job beyond that. It fills six cache lines of a
// processor; the last one is for jobs that are preempted or share nodes.
type Job struct {
	Class  int     // index of the job's customer, from 0
	Submit float64 // s
	Work   float64 // s at rate 1, on each processor
	Width  int     // processors
	Rank   int     // priority from 0; a higher rank is served first

	Value  Value   // as a function of when the job ends
	Expire float64 // time at which a waiting job gives up; 0 and +Inf are never
	// Patience is the time, s, after which a waiting job leaves at no cost; 0 is never. It
	// is drawn, so that policies may not look at it. Expire is never later.
	Patience float64
	Chance   float64 // uniform on [0, 1), for admission by lot
	Spec     Spec    // details that the user stated
	Choice   int32   // for the router: number of a set of sites that the job may run in; 0: that of its class
	Void     bool    // rejected at once whatever the policy, as NeverRan

	Measured bool    // submitted while the window was open
	Killed   bool    // ended at its estimate: the policy cut Work short
	ID       int64   // number of the job in order of submission, from 0
	Start    float64 // time of the start of service
	Finish   float64 // time of the end of service
	Revenue  float64 // $ charged so far

	state    state
	admitted bool
	late     bool   // submitted after the close of the window
	timed    bool   // a timer is pending
	expiring bool   // its expiry is pending
	pieces   bool   // placed with Place
	felled   bool   // an outage kills it
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
	_           float64 // the rest of the last cache line
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
)

// Waiting reports whether the job has neither started nor left.
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
func (j *Job) Left(now float64) float64 {
	switch j.state {
	case waiting:
		return j.Work
	case suspended:
		return j.left
	}
	return max(j.Finish-now, 0)
}

// Spec is the user's description of a job beside its value. Together with Job.Width
// and Job.Value these are the segments of Yeo and Buyya (2007), (1)-(2): details,
// resource requirements and constraints. Jobs with partial results have one more.
type Spec struct {
	Details      Details
	Requirements Requirements
	Imprecise    *Imprecise // nil: the result is whole or nothing
	Recorded     Recorded   // if the workload has it, see Has
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
