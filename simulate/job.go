package simulate

// Job is one job of a workload. The source fills the upper part, the kernel
// and the policy the lower. A Job lives in a slot that is used again after the
// job has ended: neither policies nor observers may keep a *Job beyond that.
type Job struct {
	Class  int     // index of the job's customer, from 0
	Submit float64 // s
	Work   float64 // s at rate 1, on each processor
	Width  int     // processors
	Rank   int     // priority from 0; a higher rank is served first

	Value  Value   // as a function of when the job ends
	Expire float64 // time at which a waiting job gives up; 0 and +Inf are never
	Chance float64 // uniform on [0, 1), for admission by lot
	Spec   Spec    // details that the user stated
	Void   bool    // rejected at once whatever the policy, as NeverRan

	ID       int64   // number of the job in order of submission, from 0
	Start    float64 // time of the start of service
	Finish   float64 // time of the end of service
	Revenue  float64 // $ charged so far
	Measured bool    // submitted while the window was open
	Killed   bool    // ended at its estimate: the policy cut Work short
	Nodes    []int32 // nodes of a job placed with StartOn

	state    state
	admitted bool
	late     bool // submitted after the close of the window
	timed    bool // a timer is pending
	expiring bool // its expiry is pending
	timer    uint32
	expiry   uint32
	slot     int32
	tasks    int     // still running
	pieces   bool    // placed with Place
	given    float64 // work at rate 1 done of pieces that no longer run
	site     *Cluster
	previous *Job
	next     *Job
}

type state uint8

const (
	waiting state = iota
	running
	ended
)

// Waiting reports whether the job has neither started nor left.
func (j *Job) Waiting() bool { return j.state == waiting }

// Spec is what a user states of a job beside its value. Together with Job.Width
// and Job.Value these are the four segments of Yeo and Buyya (2007), (1)-(2):
// details, resource requirements, constraints and optimization. Jobs whose
// result may be partial have a fifth segment.
type Spec struct {
	Details      Details
	Requirements Requirements
	Optimize     Objective
	Imprecise    *Imprecise // nil: the result is whole or nothing
}

// Details is the segment that describes the job.
type Details struct {
	Estimate  float64 // RE, s: estimated runtime on a processor of its own
	User      int     // of the trace, 0 where unknown, and so for the others
	Group     int
	Queue     int
	Partition int
}

// Requirements is the segment of resources needed on each node.
type Requirements struct {
	Memory float64 // MEM
	Disk   float64 // DISK
}

// Objective is the segment that says what to optimize within the constraints.
type Objective uint8

// The objectives.
const (
	FinishTime Objective = iota // the earliest finish within the budget
	LowestCost                  // the least cost within the deadline
)
