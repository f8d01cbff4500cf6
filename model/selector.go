package model

// Selector says which jobs of a trace belong to a class. Every key that is
// given must hold. A nil *Selector takes all jobs that no other class takes.
type Selector struct {
	Users      []Party // any where empty
	Groups     []Party
	Queues     []Party
	Partitions []Party
	Accounts   []Party // names alone
	Width      *Range  // nodes; nil: any
	Length     *Range  // s
	Estimate   *Range  // s
	Share      float64 // of the jobs that are left, by lot; 1 takes them all
}

// Party is a user, group, queue, partition or account: its number in the
// trace, or its name where the header of the trace gives names.
type Party struct {
	Name     string
	Number   int
	IsNumber bool
}

// Range is a range of numbers, its ends included.
type Range struct{ Least, Most float64 }

// Contains reports whether x is in the range. A nil range has every x.
func (r *Range) Contains(x float64) bool { return r == nil || r.Least <= x && x <= r.Most }
