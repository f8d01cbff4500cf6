package bound

// heapify puts the cheapest offer of every subtree at its root.
func heapify(h []offer) {
	for i := len(h)/2 - 1; i >= 0; i-- {
		sift(h, i)
	}
}

func sift(h []offer, i int) {
	for {
		c := 2*i + 1
		if c >= len(h) {
			return
		}
		if c+1 < len(h) && h[c+1].cost < h[c].cost {
			c++
		}
		if h[i].cost <= h[c].cost {
			return
		}
		h[i], h[c] = h[c], h[i]
		i = c
	}
}

// drop removes the cheapest offer.
func drop(h []offer) []offer {
	n := len(h) - 1
	h[0] = h[n]
	sift(h[:n], 0)
	return h[:n]
}

// insert adds an offer.
func insert(h []offer, o offer) []offer {
	h = append(h, o)
	for i := len(h) - 1; i > 0; {
		p := (i - 1) / 2
		if h[p].cost <= h[i].cost {
			break
		}
		h[p], h[i] = h[i], h[p]
		i = p
	}
	return h
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
	r.nodes[(r.head+r.size)%len(r.nodes)] = node
	r.size++
}

func (r *ring) pop() (int32, bool) {
	if r.size == 0 {
		return 0, false
	}
	node := r.nodes[r.head]
	r.head = (r.head + 1) % len(r.nodes)
	r.size--
	r.in[node] = false
	return node, true
}
