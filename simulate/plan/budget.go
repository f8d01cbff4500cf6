package plan

// The needs of the parts of a plan, in bytes, about.
const (
	boundBytes = 4000 // a job that is bounded
	cellBytes  = 100  // a cell of work, beside its numbers
)
