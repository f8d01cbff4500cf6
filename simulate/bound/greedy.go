package bound

import (
	"cmp"
	"math"
	"slices"
)

// greedy fills a network without losses by falling value of the layers, and
// leaves the best flow in it. It returns the optimal prices of the cells.
//
// The works that layers can have together in one flow form a polymatroid, so
// the most valuable layer may take all it can, then the next, and so on, each
// keeping its work (though not its place) when later ones come: the greedy
// choice is optimal (Edmonds 1970). A layer grows by augmenting paths, which
// move earlier work from full cells to others.
//
// Paths are the shortest to the sink by labels that never fall (Ahuja and Orlin
// 1991). They stay valid from one layer to the next, because a new item only
// adds edges that leave it. A node from which the sink cannot be reached never
// reaches it again, since no later path enters it: a cell that is cut off so
// while layers of value v grow gets the price v. No work of a lower value has
// any use for it, and all work of a higher value has what it wants, so that the
// bound of these prices equals the value of the flow.
func (n *network) greedy() []float64 {
	g := newGreedy(n)
	for _, l := range layersOf(n.items) {
		if g.stopped() {
			break
		}
		g.grow(l)
	}
	return g.price
}

// ranked is a layer of an item.
type ranked struct {
	layer
	item int
}

func layersOf(items []item) []ranked {
	var all []ranked
	for j := range items {
		for _, l := range items[j].layers {
			all = append(all, ranked{l, j})
		}
	}
	slices.SortStableFunc(all, func(a, b ranked) int { return cmp.Compare(b.value, a.value) })
	return all
}

// greedy is the state of network.greedy. Nodes are cells, then items.
type greedy struct {
	*network
	room    []float64 // node-seconds left in the cells
	price   []float64
	label   []int32 // least number of steps to the sink; dead where there is no way
	count   []int32 // nodes by label
	current []int32 // by item: cells before this one are not admissible
	value   float64 // of the layer that grows
	path    []int32 // nodes, item and cell in turn
}

const (
	dead  = math.MaxInt32
	tiny  = 1e-12 // of a capacity is taken for nothing
	apart = -1    // label of an item that is not yet in the network
)

func newGreedy(n *network) *greedy {
	cells, nodes := len(n.capacity), len(n.capacity)+len(n.items)
	g := &greedy{
		network: n,
		room:    slices.Clone(n.capacity),
		price:   make([]float64, cells),
		label:   make([]int32, nodes),
		count:   make([]int32, nodes+3),
		current: make([]int32, len(n.items)),
	}
	for k := range cells {
		g.label[k] = 1
	}
	g.count[1] = int32(cells)
	for j := range n.items {
		g.label[cells+j] = apart
	}
	return g
}

// grow sends as much of a layer to the sink as there is a way for.
func (g *greedy) grow(l ranked) {
	g.value = l.value
	source := int32(len(g.capacity) + l.item)
	if g.label[source] == apart {
		g.label[source] = 2
		g.count[2]++
	}
	g.path = append(g.path[:0], source)
	for left, scale := l.work, l.work; left > tiny*scale; {
		if g.stopped() || len(g.path) == 0 || g.label[source] == dead {
			return
		}
		node := g.path[len(g.path)-1]
		next, ok := g.advance(node)
		switch {
		case ok && next < 0: // the sink
			left -= g.augment(left)
			g.path = g.path[:1]
		case ok:
			g.path = append(g.path, next)
		default:
			g.relabel(node)
			if len(g.path) > 1 {
				g.path = g.path[:len(g.path)-1]
			}
		}
	}
}

// advance returns a node one step nearer to the sink, -1 for the sink itself.
func (g *greedy) advance(node int32) (next int32, ok bool) {
	cells := int32(len(g.capacity))
	if node >= cells {
		return g.advanceItem(node - cells)
	}
	if g.room[node] > 0 {
		return -1, g.label[node] == 1
	}
	want := g.label[node] - 1
	for _, u := range g.users[node] {
		if g.label[cells+u.item] == want && g.flow[u.edge] > 0 {
			return cells + u.item, true
		}
	}
	return 0, false
}

// advanceItem is advance from item j.
func (g *greedy) advanceItem(j int32) (next int32, ok bool) {
	want := g.label[int32(len(g.capacity))+j] - 1
	first, edges := g.first[j], int32(g.base[j+1]-g.base[j])
	for ; g.current[j] < edges; g.current[j]++ {
		k := first + g.current[j]
		if g.label[k] == want && g.residual(int(j), int(k)) > 0 {
			return k, true
		}
	}
	return 0, false
}

// residual returns how much more work item j can do in cell k.
func (g *greedy) residual(j, k int) float64 {
	most := g.limit(j, k)
	left := most - g.flow[g.edge(j, k)]
	if left <= tiny*most {
		return 0
	}
	return left
}

// augment moves work along the path and returns how much.
func (g *greedy) augment(most float64) float64 {
	cells := int32(len(g.capacity))
	last := g.path[len(g.path)-1]
	amount := math.Min(most, g.room[last])
	for i := 1; i < len(g.path); i++ {
		if i%2 == 1 {
			amount = math.Min(amount, g.residual(int(g.path[i-1]-cells), int(g.path[i])))
		} else {
			amount = math.Min(amount, g.flow[g.edge(int(g.path[i]-cells), int(g.path[i-1]))])
		}
	}
	for i := 1; i < len(g.path); i++ {
		if i%2 == 1 {
			j, k := int(g.path[i-1]-cells), int(g.path[i])
			e := g.edge(j, k)
			g.flow[e] += amount
			g.list(j, k, e)
		} else {
			j, k := int(g.path[i]-cells), int(g.path[i-1])
			e := g.edge(j, k)
			g.flow[e] -= amount
			if g.flow[e] <= tiny*g.limit(j, k) {
				g.flow[e] = 0
			}
		}
	}
	g.room[last] -= amount
	if g.room[last] <= tiny*g.capacity[last] {
		g.room[last] = 0
	}
	return amount
}

// relabel raises the label of a node without admissible edge. If no node is
// left of its old label, all above it are cut off from the sink.
func (g *greedy) relabel(node int32) {
	old := g.label[node]
	least := g.nearest(node)
	g.count[old]--
	if g.count[old] == 0 {
		g.kill(old)
		least = dead
	}
	g.setLabel(node, least)
}

// setLabel labels a node, which is no longer counted.
func (g *greedy) setLabel(node, label int32) {
	cells := int32(len(g.capacity))
	if label != dead && int(label) < len(g.count) {
		g.label[node] = label
		g.count[label]++
		if node >= cells {
			g.current[node-cells] = 0
		}
		return
	}
	g.label[node] = dead
	if node < cells {
		g.price[node] = g.value
	}
}

// kill takes all nodes above a label out of the network.
func (g *greedy) kill(label int32) {
	for node, l := range g.label {
		if l > label && l != dead {
			g.count[l]--
			g.setLabel(int32(node), dead)
		}
	}
}

// nearest returns the least label that the edges of a node allow.
func (g *greedy) nearest(node int32) int32 {
	cells := int32(len(g.capacity))
	least := int32(dead)
	if node < cells {
		if g.room[node] > 0 {
			return 1
		}
		for _, u := range g.clean(int(node)) {
			least = min(least, g.label[cells+u.item])
		}
	} else {
		j := node - cells
		for i := range int32(g.base[j+1] - g.base[j]) {
			if k := g.first[j] + i; g.label[k] < least && g.residual(int(j), int(k)) > 0 {
				least = g.label[k]
			}
		}
	}
	if least == dead {
		return dead
	}
	return least + 1
}
