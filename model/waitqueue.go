package model

// queue is a system's classes in the order of service, with equal lengths
// gathered, for the transforms of waits at many admission probabilities. Time
// runs n times as fast as outside: rates are divided by n and lengths stay.
type queue struct {
	order    []int // by place; the last is served first
	place    []int // of each class
	rate     []float64
	length   []int // by place, index into lengths
	lengths  []*length
	parallel float64

	lambda    []float64 // by place, as served
	sigma     []float64 // by place, sigma[S] = 0
	saturated int       // place of the class that saturates the server, or -1
	several   bool      // servers, see servers
}

func newQueue(sys System) *queue {
	n := len(sys.Classes)
	q := &queue{
		order: ServiceOrder(sys.Classes), place: make([]int, n), rate: make([]float64, n), length: make([]int, n),
		lambda: make([]float64, n), sigma: make([]float64, n+1), parallel: sys.Parallel,
	}
	for k, i := range q.order {
		c := sys.Classes[i]
		q.place[i], q.rate[k] = k, c.Rate/sys.Parallel
		q.length[k] = -1
		for g, l := range q.lengths {
			if sameLength(l.dist, c.Length) {
				q.length[k] = g
			}
		}
		if q.length[k] < 0 {
			q.length[k] = len(q.lengths)
			q.lengths = append(q.lengths, newLength(c.Length))
		}
	}
	return q
}

// admit sets the rates at which classes are served at admission probabilities
// in class order, and reports whether the queue is stable.
func (q *queue) admit(admit []float64) bool {
	q.saturated = -1
	for k := len(q.order) - 1; k >= 0; k-- {
		b1 := q.lengths[q.length[k]].mean
		q.lambda[k] = admit[q.order[k]] * q.rate[k]
		q.sigma[k] = q.sigma[k+1] + q.lambda[k]*b1
		switch {
		case q.saturated >= 0:
			q.lambda[k], q.sigma[k] = 0, 1
		case q.sigma[k] >= 1:
			q.saturated = k
			q.lambda[k], q.sigma[k] = (1-q.sigma[k+1])/b1, 1
		}
	}
	return q.saturated < 0
}

// transform sets w to the transform of the wait of a class and reports whether
// the class is served at all.
func (q *queue) transform(w *waitTransform, class int, d Discipline) bool {
	place, n := q.place[class], len(q.lengths)
	if w.above == nil {
		buf := make([]float64, 3*n)
		w.above, w.own, w.below = buf[:n], buf[n:2*n], buf[2*n:]
	}
	clear(w.above)
	clear(w.own)
	clear(w.below)
	w.lengths, w.self, w.preempt = q.lengths, q.length[place], d == PreemptiveResume
	w.busy = q.sigma[0]
	// Where jobs below do not exist, or are part of the first delay, only the
	// class and those above it keep the server busy.
	alone := w.preempt || q.several
	if alone && d != FCFS {
		w.busy = q.sigma[place]
	}
	w.idle = 1 - w.busy
	for k, rate := range q.lambda {
		switch g := q.length[k]; {
		case k == place || d == FCFS:
			w.own[g] += rate
		case k > place:
			w.above[g] += rate
		case !alone:
			w.below[g] += rate
		}
	}
	served := place > q.saturated
	if d == FCFS {
		served = q.saturated < 0
	}
	if served && q.several {
		w.first = newLength(q.leastResidual(class, d))
	}
	return served
}
