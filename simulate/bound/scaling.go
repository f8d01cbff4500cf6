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
	most    []float64 // limits of the edges
	queue   ring
	arcs    arcs
}

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
		most:    make([]float64, len(n.flow)),
	}
	if n.cost == nil {
		n.cost = make([]float64, len(n.flow))
	}
	copy(s.scale, n.capacity)
	for j := range n.items {
		for k, e := int(n.first[j]), n.base[j]; e < n.base[j+1]; k, e = k+1, e+1 {
			s.most[e] = n.limit(j, k)
		}
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
		if s.epsilon <= epsilon || s.stopped() {
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
			switch r := s.cost[e] + s.price[k] - s.lambda[j]; {
			case r < -s.epsilon:
				s.set(j, k, e, s.most[e])
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

// discharge pushes on until no node has too much.
func (s *scaling) discharge() {
	cells := len(s.capacity)
	if s.queue.size == 0 {
		for node := range s.more {
			s.activate(node)
		}
	}
	for !s.stopped() {
		node, ok := s.queue.pop()
		switch {
		case !ok:
			if !s.dischargeSink() {
				return
			}
		case s.more[node] <= tiny*s.scale[node]:
		case int(node) < cells:
			s.dischargeCell(int(node))
		default:
			s.dischargeItem(int(node) - cells)
		}
	}
}

// dischargeItem sends away what item j has too much.
func (s *scaling) dischargeItem(j int) {
	s.arcs = s.arcs[:0]
	node := len(s.capacity) + j
	// The first layer can always take all back that the item has.
	top := s.items[j].layers[0].value + s.sink
	from, to, first := s.base[j], s.base[j+1], int(s.first[j])
	price, flow, most := s.price[first:first+to-from], s.flow[from:to], s.most[from:to]
	for i, loss := range s.cost[from:to] {
		c := loss + price[i]
		if c < top && most[i]-flow[i] > tiny*most[i] {
			s.arcs = append(s.arcs, arc{c, int32(first + i), toCell})
		}
	}
	for i, l := range s.items[j].layers {
		if at := s.layer[j] + i; s.back[at] < l.work {
			s.arcs = append(s.arcs, arc{l.value + s.sink, int32(i), toBack})
		}
	}
	s.arcs.order()
	for s.more[node] > tiny*s.scale[node] {
		a, ok := s.arcs.pop()
		if !ok {
			s.more[node] = 0 // what rounding left over
			return
		}
		if a.head == toBack {
			at := s.layer[j] + int(a.to)
			amount := min(s.more[node], s.items[j].layers[a.to].work-s.back[at])
			s.back[at] += amount
			s.more[node] -= amount
			s.over += amount
			s.debts.add(s, arc{0, int32(at), toBack})
		} else {
			k := int(a.to)
			e := s.edge(j, k)
			amount := min(s.more[node], s.most[e]-s.flow[e])
			s.flow[e] += amount
			s.list(j, k, e)
			s.more[node] -= amount
			s.more[k] += amount
			s.activate(k)
		}
		s.lambda[j] = max(s.lambda[j], a.cost+s.epsilon)
	}
}

// dischargeCell sends away what cell k has too much: to the sink, or back to the
// items that lose least.
func (s *scaling) dischargeCell(k int) {
	s.arcs = s.arcs[:0]
	cells := len(s.capacity)
	for _, u := range s.clean(k) {
		s.arcs = append(s.arcs, arc{s.lambda[u.item] - s.cost[u.edge], u.item, toItem})
	}
	if s.sent[k] < s.capacity[k] {
		s.arcs = append(s.arcs, arc{s.sink, 0, toSink})
	}
	s.arcs.order()
	for s.more[k] > tiny*s.scale[k] {
		a, ok := s.arcs.pop()
		if !ok {
			s.more[k] = 0
			return
		}
		if a.head == toSink {
			amount := min(s.more[k], s.capacity[k]-s.sent[k])
			s.sent[k] += amount
			s.more[k] -= amount
			s.over += amount
			s.debts.add(s, arc{0, int32(k), toCell})
		} else {
			j := int(a.to)
			e := s.edge(j, k)
			amount := min(s.more[k], s.flow[e])
			s.flow[e] -= amount
			s.more[k] -= amount
			s.more[cells+j] += amount
			s.activate(cells + j)
		}
		s.price[k] = max(s.price[k], a.cost+s.epsilon)
	}
}

// debts are the edges into the sink that have flow, which the sink can send
// back, by rising cost. Within a phase potentials never fall, so that the costs
// noted are at most the true ones: the cheapest is looked at again before it is
// used.
type debts struct {
	arcs
	in    []bool // by cell, then layer
	built bool
}

// debtOf returns the index of an arc in debts.in.
func (s *scaling) debtOf(a arc) int {
	if a.head == toCell {
		return int(a.to)
	}
	return len(s.capacity) + int(a.to)
}

// add notes an edge that has got flow, at its present cost.
func (d *debts) add(s *scaling, a arc) {
	if i := s.debtOf(a); d.built && !d.in[i] {
		d.in[i] = true
		a.cost, _ = s.debt(a)
		d.push(a)
	}
}

// build notes all edges that have flow.
func (d *debts) build(s *scaling) {
	d.built = true
	d.in = append(d.in[:0], make([]bool, len(s.sent)+len(s.back))...)
	d.arcs = d.arcs[:0]
	for k := range s.sent {
		d.arcs = append(d.arcs, arc{s.price[k], int32(k), toCell})
	}
	for at := range s.back {
		a := arc{0, int32(at), toBack}
		a.cost, _ = s.debt(a)
		d.arcs = append(d.arcs, a)
	}
	for i := range d.in {
		d.in[i] = true
	}
	d.order()
}

// debt returns the true cost and the flow of an edge into the sink.
func (s *scaling) debt(a arc) (cost, flow float64) {
	if a.head == toCell {
		return s.price[a.to], s.sent[a.to]
	}
	j := s.owner[a.to]
	return s.lambda[j] - s.items[j].layers[int(a.to)-s.layer[j]].value, s.back[a.to]
}

// dischargeSink sends back what the sink has too much, because cells were promised
// more work than came, and reports whether there was any.
func (s *scaling) dischargeSink() bool {
	if s.over <= tiny*s.total {
		return false
	}
	d := &s.debts
	if !d.built {
		d.build(s)
	}
	for s.over > tiny*s.total {
		if len(d.arcs) == 0 || s.stopped() {
			return false
		}
		a := d.arcs[0]
		cost, flow := s.debt(a)
		switch {
		case flow <= 0:
			d.in[s.debtOf(a)] = false
			d.pop()
		case cost > a.cost:
			d.arcs[0].cost = cost
			d.sink(0)
		default:
			s.pull(a, min(s.over, flow))
			s.sink = max(s.sink, cost+s.epsilon)
		}
	}
	return true
}

// pull sends work back from the sink along one edge.
func (s *scaling) pull(a arc, amount float64) {
	node := int(a.to)
	if a.head == toCell {
		s.sent[a.to] -= amount
	} else {
		s.back[a.to] -= amount
		node = len(s.capacity) + int(s.owner[a.to])
	}
	s.over -= amount
	s.more[node] += amount
	s.activate(node)
}

// ring is a queue of nodes, each at most once.
type ring struct {
	nodes []int32
	in    []bool
	head  int
	size  int
}

func newRing(n int) ring { return ring{nodes: make([]int32, n), in: make([]bool, n)} }

func (r *ring) push(node int32) {
	if r.in[node] {
		return
	}
	r.in[node] = true
	last := r.head + r.size
	if last >= len(r.nodes) {
		last -= len(r.nodes)
	}
	r.nodes[last] = node
	r.size++
}

func (r *ring) pop() (int32, bool) {
	if r.size == 0 {
		return 0, false
	}
	node := r.nodes[r.head]
	r.head++
	if r.head == len(r.nodes) {
		r.head = 0
	}
	r.size--
	r.in[node] = false
	return node, true
}
