package simulate

// Outage is a time at which some units of a site cannot run jobs.
type Outage struct {
	From, To float64 // s
	Units    int
	Planned  bool // known from the start, so that policies keep the units free
}
