package model

// Discipline is the order in which one server takes jobs.
type Discipline int

// The disciplines.
const (
	// NonPreemptive serves the most urgent class first and lets a job that
	// has started finish: head of the line (HOL).
	NonPreemptive Discipline = iota
	// PreemptiveResume lets a more urgent job interrupt, after which the
	// interrupted one goes on where it stopped. Its wait is the time in the
	// system less the job's own length: interruptions count.
	PreemptiveResume
	// FCFS serves all classes in the order of arrival.
	FCFS
)

// String returns the name of the discipline.
func (d Discipline) String() string {
	switch d {
	case NonPreemptive:
		return "non-preemptive"
	case PreemptiveResume:
		return "preemptive-resume"
	case FCFS:
		return "fcfs"
	}
	panic("model: unknown discipline")
}

// waitTransform is the transform of the wait of one class in M/G/1. For
// non-preemptive priorities, with the busy period of the classes served
// before, eta = s + a - a G(s),
//
//	W*(s) = [ (1-rho) eta + sum_below lambda_i (1 - B_i(eta)) ] /
//	        [ s - sum_own lambda_i (1 - B_i(eta)) ]
//
// (Kleinrock II, 3.26-3.31; Takagi 1991, section 3.2). The other disciplines
// are special cases: FCFS has all classes as its own and none above or below,
// which is Pollaczek and Khinchin's formula; with preemption the classes below
// do not exist, and B(eta - s) is a factor: the transform of the interruptions
// of the job's own service.
//
// Rates are grouped by equal lengths, which are evaluated only once.
type waitTransform struct {
	lengths           []*length
	above, own, below []float64 // rates by length
	idle, busy        float64   // 1 - rho and rho of the classes that matter
	self              int       // length of the class itself
	preempt           bool
	first             *length // of several servers: the time until the first is free
}

// waitPoint is the transform at one argument.
type waitPoint struct {
	root
	eta, tail   complex128 // tail is 1 - W*(s)
	denominator complex128
}

func newWaitPoint(lengths int) *waitPoint { return &waitPoint{root: *newRoot(lengths)} }

// at sets p to the transform at s. The complement 1 - W* is computed for
// itself, as [ rho s - (1-rho)(eta-s) - sum_own - sum_below ] over the same
// denominator, since W* is close to 1 where s is small.
func (w *waitTransform) at(p *waitPoint, s complex128) {
	p.eta = p.solve(s, w.lengths, w.above)
	var own, below complex128
	for i, l := range w.lengths {
		if w.above[i] == 0 {
			p.c[i], p.slope[i] = l.complement(p.eta)
		}
		own += complex(w.own[i], 0) * p.c[i]
		below += complex(w.below[i], 0) * p.c[i]
	}
	p.denominator = s - own
	extra := p.eta - s
	p.tail = (complex(w.busy, 0)*s - complex(w.idle, 0)*extra - own - below) / p.denominator
	switch {
	case w.preempt:
		c, _ := w.lengths[w.self].complement(extra)
		p.tail += (1 - p.tail) * c
	case w.first != nil:
		c, _ := w.first.complement(p.eta)
		p.tail += (1 - p.tail) * c
	}
}

// atom returns P(W = 0).
func (w *waitTransform) atom() float64 {
	switch {
	case w.first != nil:
		return 0
	case !w.preempt:
		return w.idle
	}
	var a float64
	for _, rate := range w.above {
		a += rate
	}
	return w.idle * real(w.lengths[w.self].dist.Transform(complex(a, 0)))
}

// gradient sets dst[j] to dW*/dlambda at the point p for an arrival above,
// of the class's own and below, for each length: three parts of dst of as many
// elements as there are lengths. From eta = s + sum_above lambda_i (1-B_i(eta)),
//
//	deta/dlambda_j = (1 - B_j(eta)) / (1 - sum_above lambda_i E[X_i exp(-eta X_i)]).
//
// It is that of non-preemptive priorities.
func (w *waitTransform) gradient(dst []complex128, p *waitPoint) {
	if w.preempt {
		panic("model: no gradient of preemptive waits")
	}
	n := len(w.lengths)
	above, own, below := dst[:n], dst[n:2*n], dst[2*n:3*n]
	root, lift, drag := complex(1, 0), complex(w.idle, 0), complex128(0)
	for i := range w.lengths {
		root -= complex(w.above[i], 0) * p.slope[i]
		lift += complex(w.below[i], 0) * p.slope[i]
		drag += complex(w.own[i], 0) * p.slope[i]
	}
	value := 1 - p.tail
	for i, l := range w.lengths {
		idle := complex(-l.mean, 0) * p.eta
		eta := p.c[i] / root
		above[i] = (idle + (lift+value*drag)*eta) / p.denominator
		own[i] = (idle + value*p.c[i]) / p.denominator
		below[i] = (idle + p.c[i]) / p.denominator
	}
}
