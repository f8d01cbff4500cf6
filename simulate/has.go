package simulate

// Has is what the jobs and machines of a workload have. The needs of a policy
// are compared with it.
type Has struct {
	Deadlines bool     // every job that pays has a deadline
	Undated   []string // paying customers without a deadline
	Optional  bool     // jobs have optional parts
	Alike     bool     // the nodes of a site are alike and without limits
	Sites     int
	Exact     bool // the estimates of all jobs are their run times, as nobody states others
	Outages   bool // parts of the machine are down at times

	Recorded   bool   // jobs, times and machine are those of a log, with a start for every job that ran
	Unrecorded string // why not, if jobs have recorded starts
}
