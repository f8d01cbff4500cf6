package bound

import (
	"context"
	"math"
)

// network is the relaxed problem on a grid: items send work to the cells that
// their windows meet, at most rate x time in common, at the mean loss over that
// time; a cell takes at most capacity x length. On a grid of all events without
// losses this is the relaxed problem itself, since nothing changes within a
// cell. On any other it is an approximation whose prices are good ones.
type network struct {
	ctx      context.Context // of the computation
	calls    int             // of stopped
	canceled bool
	items    []item
	grid     []float64
	capacity []float64 // node-seconds of the cells
	length   []float64 // s, of the cells
	work     []float64 // node-seconds of the items
	first    []int32   // first cell of an item
	base     []int     // first edge of an item; one more for the end
	flow     []float64 // node-seconds, by edge
	cost     []float64 // mean loss, by edge; nil where there are no losses
	users    [][]user  // items that may have flow in a cell
	listed   []bool    // by edge: the item is among the users of the cell
}

// user is an item, and its edge to a cell.
type user struct{ item, edge int32 }

func newNetwork(ctx context.Context, items []item, grid []float64, m Machine) *network {
	cells := len(grid) - 1
	n := &network{
		ctx: ctx, items: items, grid: grid,
		capacity: make([]float64, cells),
		length:   make([]float64, cells),
		work:     make([]float64, len(items)),
		first:    make([]int32, len(items)),
		base:     make([]int, len(items)+1),
		users:    make([][]user, cells),
	}
	for k := range n.capacity {
		n.length[k] = grid[k+1] - grid[k]
		n.capacity[k] = m.supply(grid[k], grid[k+1])
	}
	for j := range items {
		first, last := cellsOf(&items[j], grid)
		n.first[j], n.work[j] = int32(first), items[j].work()
		n.base[j+1] = n.base[j] + last - first
	}
	edges := n.base[len(items)]
	n.flow = make([]float64, edges)
	n.listed = make([]bool, edges)
	if anyFall(items) {
		n.cost = make([]float64, edges)
		for j := range items {
			if n.stopped() {
				break
			}
			n.setCosts(j)
		}
	}
	return n
}

func (n *network) setCosts(j int) {
	it := &n.items[j]
	if it.fall == 0 {
		return
	}
	for k, e := int(n.first[j]), n.base[j]; e < n.base[j+1]; k, e = k+1, e+1 {
		n.cost[e] = it.meanLoss(n.span(j, k))
	}
}

// span returns the time that item j and cell k have in common.
func (n *network) span(j, k int) (a, b float64) {
	it := &n.items[j]
	return math.Max(it.release, n.grid[k]), math.Min(it.end, n.grid[k+1])
}

// limit returns the most work of item j in cell k, which is never more than the
// item has: flows much larger than that would drown it in rounding.
func (n *network) limit(j, k int) float64 {
	if e := n.edge(j, k); e > n.base[j] && e+1 < n.base[j+1] {
		return math.Min(n.items[j].rate*n.length[k], n.work[j])
	}
	a, b := n.span(j, k)
	return math.Min(n.items[j].rate*(b-a), n.work[j])
}

// edge returns the edge from item j to cell k.
func (n *network) edge(j, k int) int { return n.base[j] + k - int(n.first[j]) }

func (n *network) lossOf(e int) float64 {
	if n.cost == nil {
		return 0
	}
	return n.cost[e]
}

// list notes that item j has flow in cell k.
func (n *network) list(j, k, e int) {
	if !n.listed[e] {
		n.listed[e] = true
		n.users[k] = append(n.users[k], user{int32(j), int32(e)})
	}
}

// clean drops the items without flow from the users of cell k and returns the
// others.
func (n *network) clean(k int) []user {
	kept := n.users[k][:0]
	for _, u := range n.users[k] {
		if n.flow[u.edge] > 0 {
			kept = append(kept, u)
		} else {
			n.listed[u.edge] = false
		}
	}
	n.users[k] = kept
	return kept
}

// stopped reports whether the computation is canceled, which leaves the network
// half done. Of the calls, which come every microsecond or so, one in 64 looks.
func (n *network) stopped() bool {
	n.calls++
	if n.calls%64 == 1 {
		n.canceled = n.ctx.Err() != nil
	}
	return n.canceled
}

// replace gives the network the true items, which differ from those it has in
// value and loss alone.
func (n *network) replace(items []item) {
	n.items = items
	if n.cost == nil {
		return
	}
	for j := range items {
		if n.stopped() {
			return
		}
		n.setCosts(j)
	}
}
