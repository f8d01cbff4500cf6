package bound

import "math"

// debts are the edges into the sink that have flow, which the sink can send
// back, by rising cost. Within a phase potentials never fall, so that the costs
// noted are at most the true ones: the cheapest is looked at again before it is
// used.
type debts struct {
	heap  []offer
	in    []bool // by cell, then layer
	built bool
}

// debtOf returns the index of an offer in debts.in.
func (s *scaling) debtOf(o offer) int {
	if o.kind == toCell {
		return int(o.to)
	}
	return len(s.capacity) + int(o.to)
}

// add notes an edge that has got flow, at its present cost.
func (d *debts) add(s *scaling, o offer) {
	if i := s.debtOf(o); d.built && !d.in[i] {
		d.in[i] = true
		o.cost, _ = s.debt(o)
		d.heap = insert(d.heap, o)
	}
}

// build notes all edges that have flow.
func (d *debts) build(s *scaling) {
	d.built = true
	d.in = append(d.in[:0], make([]bool, len(s.sent)+len(s.back))...)
	d.heap = d.heap[:0]
	for k := range s.sent {
		d.heap = append(d.heap, offer{s.price[k], int32(k), toCell})
	}
	for at := range s.back {
		o := offer{0, int32(at), toBack}
		o.cost, _ = s.debt(o)
		d.heap = append(d.heap, o)
	}
	for i := range d.in {
		d.in[i] = true
	}
	heapify(d.heap)
}

// debt returns the true cost and the flow of an edge into the sink.
func (s *scaling) debt(o offer) (cost, flow float64) {
	if o.kind == toCell {
		return s.price[o.to], s.sent[o.to]
	}
	j := s.owner[o.to]
	return s.lambda[j] - s.items[j].layers[int(o.to)-s.layer[j]].value, s.back[o.to]
}

// fromSink sends back what the sink has too much, because cells were promised
// more work than came, and reports whether there was any.
func (s *scaling) fromSink() bool {
	if s.over <= tiny*s.total {
		return false
	}
	d := &s.debts
	if !d.built {
		d.build(s)
	}
	for s.over > tiny*s.total {
		if len(d.heap) == 0 {
			return false
		}
		o := d.heap[0]
		cost, flow := s.debt(o)
		switch {
		case flow <= 0:
			d.in[s.debtOf(o)] = false
			d.heap = drop(d.heap)
		case cost > o.cost:
			d.heap[0].cost = cost
			sift(d.heap, 0)
		default:
			s.pull(o, math.Min(s.over, flow))
			s.sink = math.Max(s.sink, cost+s.epsilon)
		}
	}
	return true
}

// pull sends work back from the sink along one edge.
func (s *scaling) pull(o offer, amount float64) {
	node := int(o.to)
	if o.kind == toCell {
		s.sent[o.to] -= amount
	} else {
		s.back[o.to] -= amount
		node = len(s.capacity) + int(s.owner[o.to])
	}
	s.over -= amount
	s.more[node] += amount
	s.activate(node)
}
