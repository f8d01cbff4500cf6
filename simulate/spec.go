package simulate

// Spec is what a user states when submitting a job, in the four segments of
// Yeo and Buyya (2007), (1)-(2). The number of processors, the remaining
// resource requirement, is Job.Width.
type Spec struct {
	Details      Details
	Requirements Requirements
	Constraints  Constraints
	Optimize     Objective
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
