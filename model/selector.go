package model

// Selector selects the jobs of a trace that belong to a class. Every key that is given
// must hold. A nil *Selector takes all jobs that no other class takes.
type Selector struct {
	Users      []Party // empty: any
	Groups     []Party
	Queues     []Party
	Partitions []Party
	Accounts   []Party // only names
	Width      *Range  // nodes; nil: any
	Length     *Range  // s
	Estimate   *Range  // s
	Share      float64 // random share of the remaining jobs; 1 takes all
}

// Party is a user, group, queue, partition or account: its number in the trace, or its
// name if the header of the trace has names.
type Party struct {
	Name     string
	Number   int
	IsNumber bool
}

// Range is a range of numbers, its ends included.
type Range struct{ Least, Most float64 }

// Contains reports whether x is in the range. A nil range contains every x.
func (r *Range) Contains(x float64) bool { return r == nil || r.Least <= x && x <= r.Most }
