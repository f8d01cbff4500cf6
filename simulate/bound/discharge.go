package bound

import "math"

// discharge pushes on until no node has too much.
func (s *scaling) discharge() {
	cells := len(s.capacity)
	if s.queue.size == 0 {
		for node := range s.more {
			s.activate(node)
		}
	}
	for {
		node, ok := s.queue.pop()
		switch {
		case !ok:
			if !s.fromSink() {
				return
			}
		case s.more[node] <= tiny*s.scale[node]:
		case int(node) < cells:
			s.fromCell(int(node))
		default:
			s.fromItem(int(node) - cells)
		}
	}
}

// fromItem sends away what item j has too much.
func (s *scaling) fromItem(j int) {
	s.offers = s.offers[:0]
	node := len(s.capacity) + j
	// The first layer can always take all back that the item has.
	most := s.items[j].layers[0].value + s.sink
	for k, e := int(s.first[j]), s.base[j]; e < s.base[j+1]; k, e = k+1, e+1 {
		if c := s.lossOf(e) + s.price[k]; c < most {
			if limit := s.limit(j, k); limit-s.flow[e] > tiny*limit {
				s.offers = append(s.offers, offer{c, int32(k), toCell})
			}
		}
	}
	for i, l := range s.items[j].layers {
		if at := s.layer[j] + i; s.back[at] < l.work {
			s.offers = append(s.offers, offer{l.value + s.sink, int32(i), toBack})
		}
	}
	heapify(s.offers)
	for s.more[node] > tiny*s.scale[node] {
		o, ok := s.next()
		if !ok {
			s.more[node] = 0 // what rounding left over
			return
		}
		if o.kind == toBack {
			at := s.layer[j] + int(o.to)
			amount := math.Min(s.more[node], s.items[j].layers[o.to].work-s.back[at])
			s.back[at] += amount
			s.more[node] -= amount
			s.over += amount
			s.debts.add(s, offer{0, int32(at), toBack})
		} else {
			k := int(o.to)
			e := s.edge(j, k)
			amount := math.Min(s.more[node], s.limit(j, k)-s.flow[e])
			s.flow[e] += amount
			s.list(j, k, e)
			s.more[node] -= amount
			s.more[k] += amount
			s.activate(k)
		}
		s.lambda[j] = math.Max(s.lambda[j], o.cost+s.epsilon)
	}
}

// fromCell sends away what cell k has too much: to the sink, or back to the
// items that lose least.
func (s *scaling) fromCell(k int) {
	s.offers = s.offers[:0]
	cells := len(s.capacity)
	for _, j := range s.clean(k) {
		s.offers = append(s.offers, offer{s.lambda[j] - s.lossOf(s.edge(int(j), k)), j, toItem})
	}
	if s.sent[k] < s.capacity[k] {
		s.offers = append(s.offers, offer{s.sink, 0, toSink})
	}
	heapify(s.offers)
	for s.more[k] > tiny*s.scale[k] {
		o, ok := s.next()
		if !ok {
			s.more[k] = 0
			return
		}
		if o.kind == toSink {
			amount := math.Min(s.more[k], s.capacity[k]-s.sent[k])
			s.sent[k] += amount
			s.more[k] -= amount
			s.over += amount
			s.debts.add(s, offer{0, int32(k), toCell})
		} else {
			j := int(o.to)
			e := s.edge(j, k)
			amount := math.Min(s.more[k], s.flow[e])
			s.flow[e] -= amount
			s.more[k] -= amount
			s.more[cells+j] += amount
			s.activate(cells + j)
		}
		s.price[k] = math.Max(s.price[k], o.cost+s.epsilon)
	}
}

// next takes the cheapest offer.
func (s *scaling) next() (offer, bool) {
	if len(s.offers) == 0 {
		return offer{}, false
	}
	o := s.offers[0]
	s.offers = drop(s.offers)
	return o, true
}
