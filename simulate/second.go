package simulate

import "slices"

// Second charges second prices: a job that ends pays for the work that it displaced,
// per node-second, at most its own worth. A job that gives up pays minus its floor.
// Second is the only observer that changes something, Job.Revenue. It must be the first
// observer of a run with Charging ByPolicy, and replaces the policy's charges. The zero
// value is ready for use, in one run of whole jobs.
//
// The value density of a job is its worth if it had run at once, over its node-seconds,
//
//	d = v(Work)^+ / (Width Work)
//
// A job displaces two kinds of jobs: those that still wait, and are worth something,
// when all jobs of its instant have started; and those that are lost while it runs,
// rejected for lack of room (Deadline, Return, Lapsed) or given up. The first kind
// matters on dedicated processors, the second on shared nodes, where no job waits. A job on
// rented units displaces none, and pays its rent.
//
// An instant with a start takes time linear in the jobs that wait. Every site has prices of
// its own.
type Second struct {
	sites []market // by index
}

// market is the jobs of a site.
type market struct {
	files   []displacement // by slot
	waiting []*Job
	begun   []*Job // started at the last instant
	at      float64
	lost    []loss // by time; densities fall
}

// displacement is the record of a job.
type displacement struct {
	place   int     // index in waiting
	density float64 // its own
	best    float64 // highest density of the jobs that waited when it started
}

// loss is a job that was rejected or gave up.
type loss struct{ time, density float64 }

// Observe implements Observer. Jobs without a site leave at once.
func (s *Second) Observe(e Event) {
	if e.Job == nil || e.Site != nil && e.Site.market {
		return
	}
	site := 0
	if e.Site != nil {
		site = e.Site.Index()
	}
	for site >= len(s.sites) {
		s.sites = append(s.sites, market{})
	}
	s.sites[site].observe(e)
}

func (s *market) observe(e Event) {
	if e.Time > s.at {
		s.settle()
		s.at = e.Time
	}
	j := e.Job
	switch e.Kind {
	case Submitted:
		for int(j.slot) >= len(s.files) {
			s.files = append(s.files, displacement{})
		}
		s.files[j.slot] = displacement{place: len(s.waiting), density: density(j)}
		s.waiting = append(s.waiting, j)
	case Moved, Ordered:
		s.leave(j)
	case Started:
		if !j.Rented {
			s.leave(j)
			s.begun = append(s.begun, j)
		}
	case Completed:
		if j.Revenue = min(j.Worth(e.Time), s.price(j)); j.Rented {
			j.Revenue = min(j.Worth(e.Time), 0)
		}
	case Rejected, Expired:
		if j.Revenue = 0; e.Kind == Expired && (j.Preemptions > 0 || j.Gone(e.Time)) {
			j.Revenue = j.Forsaken()
		}
		if j.Preemptions == 0 {
			s.leave(j)
		}
		if e.Kind == Rejected && e.Reason != Deadline && e.Reason != Return && e.Reason != Lapsed {
			break
		}
		d := s.files[j.slot].density
		for len(s.lost) > 0 && s.lost[len(s.lost)-1].density <= d {
			s.lost = s.lost[:len(s.lost)-1]
		}
		s.lost = append(s.lost, loss{e.Time, d})
	}
}

// density returns the value density of a job that has just come.
func density(j *Job) float64 {
	if worth := j.Value.At(j.Work); worth > 0 && j.Work > 0 {
		return worth / (j.Work * float64(j.Width))
	}
	return 0
}

// leave removes a job from waiting.
func (s *market) leave(j *Job) {
	last := len(s.waiting) - 1
	moved, place := s.waiting[last], s.files[j.slot].place
	s.waiting[place] = moved
	s.files[moved.slot].place = place
	s.waiting = s.waiting[:last]
}

// settle records, for the jobs that started at the last instant, the highest density of
// the jobs that still wait.
func (s *market) settle() {
	if len(s.begun) == 0 {
		return
	}
	best := 0.0
	for _, j := range s.waiting {
		if d := s.files[j.slot].density; d > best && j.Worth(s.at+j.Work) > 0 {
			best = d
		}
	}
	for _, j := range s.begun {
		s.files[j.slot].best = best
	}
	s.begun = s.begun[:0]
}

// price returns the density of the best job that it displaced times its node-seconds.
func (s *market) price(j *Job) float64 {
	s.settle()
	best := s.files[j.slot].best
	since, _ := slices.BinarySearchFunc(s.lost, j.Start, func(l loss, start float64) int {
		if l.time < start {
			return -1
		}
		return 1
	})
	if since < len(s.lost) {
		best = max(best, s.lost[since].density)
	}
	return best * j.Work * float64(j.Width)
}
