package bound

import (
	"math"
	"slices"
)

// scaling finds a flow in a network whose value is within epsilon x work of the
// best, and prices of the cells to match, by cost scaling (Goldberg and Tarjan
// 1990).
//
// Every item sends all its work somewhere: to cells, at the loss of the edge, or
// back, layer by layer, at the loss of the layer's value. A cell sends what it
// takes to the sink. Nodes have potentials: lambda of an item, the price of a
// cell, that of the sink. A flow is epsilon-optimal if no edge with capacity
// left has a reduced cost
//
//	loss + potential of the head - potential of the tail
//
// below -epsilon. From one such flow the next, for a smaller epsilon, is made
// by filling edges of lower reduced cost, which leaves some nodes with too much
// and others with too little, then discharging the former.
//
// Where a textbook alternates pushes along edges of negative reduced cost with
// relabels by epsilon, discharge takes the edges by rising cost until all
// is gone, and sets the potential once, epsilon above the cost of the last: the
// same pushes and relabels in the same order.
type scaling struct {
	*network
	epsilon float64
	price   []float64 // of cells
	lambda  []float64 // of items
	sink    float64   // potential of the sink
	sent    []float64 // by cell: work sent to the sink
	back    []float64 // by layer: work sent back
	layer   []int     // first layer of an item in back; one more for the end
	more    []float64 // excess of nodes, cells, then items; below 0 a deficit
	owner   []int32   // item of a layer
	over    float64   // excess of the sink
	total   float64   // scale of the excess of the sink
	debts   debts
	scale   []float64 // of the excess, by node
	queue   ring
	offers  []offer
}

// offer is an edge on which a node may push.
type offer struct {
	cost float64
	to   int32 // cell, item, or layer
	kind kind
}

type kind uint8

const (
	toCell kind = iota
	toItem
	toBack
	toSink
)

// newScaling returns the state in which all work is still at the items and
// nothing has a price.
func newScaling(n *network) *scaling {
	cells, items := len(n.capacity), len(n.items)
	s := &scaling{
		network: n,
		price:   make([]float64, cells),
		lambda:  make([]float64, items),
		sent:    make([]float64, cells),
		layer:   make([]int, items+1),
		more:    make([]float64, cells+items),
		scale:   make([]float64, cells+items),
	}
	copy(s.scale, n.capacity)
	for j := range n.items {
		s.layer[j+1] = s.layer[j] + len(n.items[j].layers)
		w := n.items[j].work()
		s.more[cells+j], s.scale[cells+j] = w, w
		s.over -= w
		s.total += w
		for range n.items[j].layers {
			s.owner = append(s.owner, int32(j))
		}
	}
	s.back = make([]float64, s.layer[items])
	s.queue = newRing(cells + items)
	return s
}

// solve scales epsilon down to the given one and leaves the flow in the
// network.
func (s *scaling) solve(epsilon float64) {
	for j := range s.items {
		s.epsilon = math.Max(s.epsilon, s.items[j].layers[0].value)
	}
	const factor = 8
	epsilon = math.Max(epsilon, 1e-12*s.epsilon) // or potentials would stand still
	for first := true; ; first = false {
		s.epsilon = math.Max(s.epsilon/factor, epsilon)
		if !first {
			s.tighten()
		}
		s.debts.built = false
		s.discharge()
		if s.epsilon <= epsilon {
			return
		}
	}
}

// prices returns the prices of the cells above that of the sink.
func (s *scaling) prices() []float64 {
	p := slices.Clone(s.price)
	for k := range p {
		p[k] = math.Max(0, p[k]-s.sink)
		if s.sent[k] < s.capacity[k]*(1-tiny) {
			p[k] = 0
		}
	}
	return p
}

// tighten fills edges of reduced cost below -epsilon and empties those above
// epsilon.
func (s *scaling) tighten() {
	cells := len(s.capacity)
	for j := range s.items {
		for k, e := int(s.first[j]), s.base[j]; e < s.base[j+1]; k, e = k+1, e+1 {
			switch r := s.lossOf(e) + s.price[k] - s.lambda[j]; {
			case r < -s.epsilon:
				s.set(j, k, e, s.limit(j, k))
			case r > s.epsilon && s.flow[e] > 0:
				s.set(j, k, e, 0)
			}
		}
		for i, l := range s.items[j].layers {
			at := s.layer[j] + i
			amount := s.back[at]
			switch r := l.value + s.sink - s.lambda[j]; {
			case r < -s.epsilon:
				amount = l.work
			case r > s.epsilon:
				amount = 0
			}
			s.more[cells+j] -= amount - s.back[at]
			s.over += amount - s.back[at]
			s.back[at] = amount
		}
		s.activate(cells + j)
	}
	for k := range s.capacity {
		amount := s.sent[k]
		switch r := s.sink - s.price[k]; {
		case r < -s.epsilon:
			amount = s.capacity[k]
		case r > s.epsilon:
			amount = 0
		}
		s.more[k] -= amount - s.sent[k]
		s.over += amount - s.sent[k]
		s.sent[k] = amount
		s.activate(k)
	}
}

// set gives an edge a flow.
func (s *scaling) set(j, k, e int, flow float64) {
	change := flow - s.flow[e]
	s.flow[e] = flow
	s.more[len(s.capacity)+j] -= change
	s.more[k] += change
	if flow > 0 {
		s.list(j, k, e)
	}
}

// activate queues a node that has too much.
func (s *scaling) activate(node int) {
	if s.more[node] > tiny*s.scale[node] {
		s.queue.push(int32(node))
	}
}
