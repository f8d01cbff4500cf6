package simulate

// Spec is what a user states when submitting a job, in the four segments of
// Yeo and Buyya (2007), (1)-(2). The number of processors, the remaining
// resource requirement, is Job.Width. Jobs whose result may be partial have a
// fifth segment.
type Spec struct {
	Details      Details
	Requirements Requirements
	Constraints  Constraints
	Optimize     Objective
	Imprecise    *Imprecise // nil: the result is whole or nothing
}

// Details is the segment that describes the job.
type Details struct {
	Estimate float64 // RE, s: estimated runtime on a processor of its own
	User     int     // of the trace, 0 where unknown
	Group    int
	Queue    int
}

// Requirements is the segment of resources needed on each node.
type Requirements struct {
	Memory float64 // MEM
	Disk   float64 // DISK
}

// Constraints is the segment of what the user asks for. Deadline 0 means that
// there is none.
type Constraints struct {
	Deadline float64 // D, s after submission
	Budget   float64 // B, $
	Penalty  float64 // $ lost per second of delay past the deadline
	Hard     bool    // late results are worth nothing
}

// Objective is the segment that says what to optimise within the constraints.
type Objective uint8

// The objectives.
const (
	FinishTime Objective = iota // the earliest finish within the budget
	LowestCost                  // the least cost within the deadline
)

// Delay returns by how much the given time is past the job's deadline, s, and
// 0 for a job without one:
//
//	(at - Submit - D)^+
//
// Yeo and Buyya (2005), (2). What rounding and the slack in sums of shares can
// make, a relative 1e-8 of the deadline, is no delay.
func (j *Job) Delay(at float64) float64 {
	d := j.Spec.Constraints.Deadline
	delay := at - j.Submit - d
	if d <= 0 || delay <= 1e-8*d+epsilon*at {
		return 0
	}
	return delay
}

// Utility returns what the result of the job is worth at the given time: the
// budget by the deadline; after it
//
//	B - penalty Delay(at)
//
// for a soft deadline, which falls below 0 in the end, and 0 for a hard one.
// Yeo and Buyya (2005), (1). A job run in pieces is worth what it was charged
// for what was executed.
func (j *Job) Utility(at float64) float64 {
	if j.pieces {
		return j.Revenue
	}
	q := &j.Spec.Constraints
	delay := j.Delay(at)
	if delay > 0 && q.Hard {
		return 0
	}
	return q.Budget - q.Penalty*delay
}
