package policy

import (
	"cmp"
	"slices"

	"revopt/simulate"
)

// Scheme is a way to serve imprecise jobs, those with a mandatory and an
// optional length.
type Scheme uint8

// The schemes of Kim, Buyya and Kim (2007). Whatever the scheme, mandatory
// lengths come first, the earliest deadline before the others.
const (
	MandatoryEDF  Scheme = iota // MF-EDF: optional lengths by deadline
	MandatoryHBF                // MF-HBF: optional lengths by budget rate, the highest first
	MandatoryTime               // MF-TimeShare: optional lengths share the processors that are left
	HardWhole                   // Hard-M+O: both lengths as one, whole or nothing
	HardMandatory               // Hard-M: nothing but the mandatory length
)

// imprecise serves the jobs of one site. See NewImprecise.
type imprecise struct {
	scheme Scheme
	speed  float64 // of each processor

	urgent  []*held         // jobs by deadline
	lavish  []*held         // jobs by budget rate, for MandatoryHBF
	parts   []*part         // by number, which tasks carry as their note
	free    []int           // numbers not in use
	ended   []*held         // jobs whose last part is done
	agreed  int64           // ID, from 1, of the job that the broker has asked about and sends here
	byJob   map[int64]*held // by ID
	plan    plan
	sharing sharing
	posts   posts
}

// held is a job that a site has taken on.
type held struct {
	job   *simulate.Job
	terms simulate.Imprecise // as the scheme sees them
	due   float64            // time of the deadline
	rate  float64            // see simulate.Imprecise.Rate
	parts []part
	open  int // parts that are not done
}

// part is one of the independent parts of a job.
type part struct {
	of        *held
	number    int
	mandatory float64 // left, s at rate 1 on the reference
	optional  float64 // likewise
	node      int     // on which it runs; nowhere
	now       float64 // what was left of the length that runs, at the last sync
	wanted    bool    // is to run
	ready     float64 // time at which a plan has its mandatory length done
	goal      float64 // optional length given to all at which it is done, see share
	entered   float64 // optional length that share found it with
	gone      bool    // share has planned its end
	alike     int     // further parts of the job that share plans as it does this one
}

const nowhere = -1

// NewImprecise returns a site that serves imprecise jobs by the given scheme:
// mandatory lengths first, earliest deadline first and preemptive; then optional
// ones as the scheme says, none before the mandatory length of its own part is
// done. At its deadline a job is returned with what it has, and pays for every
// part the mandatory budget and the budget function at the executed length.
//
// A job is taken if every mandatory length, those of earlier jobs included, ends
// by its deadline, and if the budget estimated with it exceeds the one without.
// It is rejected for its deadline or for want of a return. A job that states no
// lengths is mandatory as a whole and pays its budget. Lengths are known: what
// users estimate is not looked at.
//
// Kim, Buyya and Kim (2007), section 3.
func NewImprecise(s Scheme) simulate.Piecemeal {
	return &imprecise{scheme: s, byJob: make(map[int64]*held)}
}

// seen returns the terms of a job as a scheme sees them.
func seen(s Scheme, j *simulate.Job) simulate.Imprecise {
	t := simulate.Imprecise{Mandatory: j.Work, Reward: j.Value.Price / float64(j.Width)}
	if i := j.Spec.Imprecise; i != nil {
		t = *i
	}
	switch s {
	case HardWhole:
		return simulate.Imprecise{Mandatory: t.Mandatory + t.Optional, Reward: t.Worth(t.Optional)}
	case HardMandatory:
		return simulate.Imprecise{Mandatory: t.Mandatory, Reward: t.Worth(0)}
	}
	return t
}

// see returns the job as the scheme sees it.
func (s *imprecise) see(j *simulate.Job) *held {
	h := &held{job: j, due: j.Submit + j.Value.Due, terms: seen(s.scheme, j)}
	h.rate = h.terms.Rate()
	if h.terms.Mandatory+h.terms.Optional > 0 {
		h.open = j.Width
	}
	h.parts = make([]part, j.Width)
	for i := range h.parts {
		h.parts[i] = part{of: h, mandatory: h.terms.Mandatory, optional: h.terms.Optional, node: nowhere}
	}
	return h
}

// Arrive implements simulate.Policy.
func (s *imprecise) Arrive(c *simulate.Cluster, j *simulate.Job) {
	h := s.see(j)
	if s.agreed != j.ID+1 {
		if _, why := s.gain(c, h); why != simulate.NoReason {
			c.Reject(j, why)
			return
		}
	}
	s.agreed = 0
	c.Admit(j)
	s.take(h)
	c.Timer(j, h.due)
}

// take enters a job into the books.
func (s *imprecise) take(h *held) {
	s.urgent = insert(s.urgent, h, sooner)
	if s.scheme == MandatoryHBF {
		s.lavish = insert(s.lavish, h, richer)
	}
	s.byJob[h.job.ID] = h
	if h.open == 0 {
		s.ended = append(s.ended, h)
	}
	for i := range h.parts {
		p := &h.parts[i]
		if n := len(s.free); n > 0 {
			p.number = s.free[n-1]
			s.free = s.free[:n-1]
			s.parts[p.number] = p
		} else {
			p.number = len(s.parts)
			s.parts = append(s.parts, p)
		}
	}
}

// sooner orders jobs by deadline, then by submission.
func sooner(a, b *held) int {
	return cmp.Or(cmp.Compare(a.due, b.due), cmp.Compare(a.job.ID, b.job.ID))
}

// richer orders jobs by budget rate, the highest first, then by deadline.
func richer(a, b *held) int { return cmp.Or(cmp.Compare(b.rate, a.rate), sooner(a, b)) }

// insert puts a job in its place.
func insert(list []*held, h *held, order func(a, b *held) int) []*held {
	i, _ := slices.BinarySearchFunc(list, h, order)
	return slices.Insert(list, i, h)
}

// remove takes a job out.
func remove(list []*held, h *held, order func(a, b *held) int) []*held {
	i, found := slices.BinarySearchFunc(list, h, order)
	if !found {
		panic("policy: imprecise job is not on the list")
	}
	return slices.Delete(list, i, i+1)
}

// optionals returns the jobs in the order in which their optional lengths run.
func (s *imprecise) optionals() []*held {
	if s.scheme == MandatoryHBF {
		return s.lavish
	}
	return s.urgent
}
