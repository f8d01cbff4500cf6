package simulate

// Kind is a transition that observers see.
type Kind uint8

// The transitions. A job is Submitted, then either Rejected, or Admitted and
// then Started and Completed, or Expired. Between its start and its end it may be
// Preempted, and is then Resumed or Expired. Before it is admitted it may be
// Forwarded from site to site. A job that waits may be Moved to another site, where it is
// Submitted again.
const (
	Submitted Kind = iota // the job arrived; Site is nil if the router refuses it
	Admitted              // the policy admitted the job
	Rejected              // the router, the admission or the policy refused the job, for Reason
	Started               // service began
	Completed             // the last task ended
	Expired               // a waiting or preempted job gave up
	Preempted             // a running job gave its processors back
	Resumed               // a preempted job has processors again
	Rated                 // the rates of Node were set, or some of its processors left it
	Opened                // the measured window opened; once per site
	Closed                // the measured window closed; once per site
	Ended                 // the run is over; once per site
	Forwarded             // Site refused the job, for Reason, and the next site decides; see Router
	Moved                 // a waiting job leaves Site, and is Submitted to another one; see Cluster.Transfer
)

// String returns the name of the transition.
func (k Kind) String() string {
	return [...]string{
		"submitted", "admitted", "rejected", "started", "completed", "expired", "preempted",
		"resumed", "rated", "opened", "closed", "ended", "forwarded", "moved",
	}[k]
}

// Reason says why a job was rejected.
type Reason uint8

// The reasons of rejection.
const (
	NoReason  Reason = iota // the event is not a rejection
	Refused                 // admission control refused it
	Resources               // the job is wider than the cluster
	Unrouted                // the router knew no site for it
	Deadline                // too few nodes could meet the deadline
	Budget                  // too few nodes cost no more than the budget
	Return                  // too few nodes would earn by it
	NeverRan                // the trace says that it never ran, see Job.Void
	Lapsed                  // its deadline came, or could no longer be kept, while it waited
	NoPool                  // no pool takes it

	Reasons // their number
)

// String returns the name of the reason.
func (r Reason) String() string {
	return [...]string{
		"none", "admission", "resources", "unrouted", "deadline", "budget", "return", "never ran", "lapsed", "no pool",
	}[r]
}

// Event is a transition. Job and Node are only valid while the event is
// observed.
type Event struct {
	Kind   Kind
	Reason Reason
	Time   float64
	Site   *Cluster
	Job    *Job  // nil for the window's events and Rated
	Node   *Node // of Rated
}

// Killed reports whether the event ends a started job without a result: at its estimate, by
// an outage, or because the policy drops it while it is preempted. A preempted job whose time of
// expiry has come is not killed: its customer leaves.
func (e Event) Killed() bool {
	switch e.Kind {
	case Completed:
		return e.Job.Killed
	case Expired:
		return e.Job.Preemptions > 0 && !e.Job.Gone(e.Time) || e.Job.felled
	}
	return false
}
