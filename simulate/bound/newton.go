package bound

import "math"

// newton makes the steps of an indexed program. With D = x/lack, the steps of the prices solve
//
//	(A D A' + left/price - sum_j G_j G_j'/N_j) dprice = right,  G_jk = sum of D_c units_kc,  N_j = sum of D_c
//
// over the starts c of job j: what jobs earn is eliminated first. Cells stand in the order of time, so that the matrix is
// 0 far from its diagonal where jobs have windows.
type newton struct {
	*indexed
	low    []int       // by cell: the first cell in its line of the matrix that is not 0
	window [][2]int    // by job: first cell, and one after the last
	matrix [][]float64 // by cell, up to the diagonal; then its factor
	square [][]float64 // differences of the matrix of the cells, both ways
	share  [][]float64 // by job: G by cell
	sum    []float64   // N

	xAim, leftAim                   []float64
	job, right                      []float64 // right sides
	dx, dlack, dleft, dprice, dbest []float64
}

func newNewton(p *indexed) *newton {
	rows, starts := len(p.supply), len(p.list)
	list := func(n int) []float64 { return make([]float64, n) }
	n := &newton{
		indexed: p, low: make([]int, rows), sum: list(p.jobs), job: list(p.jobs), dbest: list(p.jobs),
		xAim: list(starts), dx: list(starts), dlack: list(starts),
		leftAim: list(rows), dleft: list(rows), dprice: list(rows), right: list(rows),
	}
	n.setWindows()
	for range rows {
		n.matrix = append(n.matrix, list(rows))
	}
	for range p.grid {
		n.square = append(n.square, list(len(p.grid)))
	}
	for range p.jobs {
		n.share = append(n.share, list(rows))
	}
	return n
}

// setWindows sets where the matrix is not 0.
func (n *newton) setWindows() {
	n.window = make([][2]int, n.jobs)
	for j := range n.window {
		n.window[j][0] = len(n.low)
	}
	for i := range n.list {
		c := &n.list[i]
		if c.from < c.to {
			w := &n.window[c.job]
			w[0], w[1] = min(w[0], c.from), max(w[1], c.to)
		}
	}
	for r := range n.low {
		n.low[r] = r
	}
	for _, w := range n.window {
		for r := w[0]; r < w[1]; r++ {
			n.low[r] = min(n.low[r], w[0])
		}
	}
}

// work returns how many multiplications a step takes, about.
func (n *newton) work() (sum float64) {
	for r, low := range n.low {
		sum += float64((r - low) * (r - low) / 2)
	}
	for i := range n.list {
		c := &n.list[i]
		sum += float64(8 * (c.to - c.from))
	}
	return sum
}

// step moves the iterate, and returns whether it could.
func (n *newton) step() bool {
	n.collect()
	if !n.factor() {
		return false
	}
	pairs := float64(len(n.x) + len(n.left))
	before := n.product(0, 0) / pairs
	n.aim(0, false)
	n.direct()
	primal, dual := n.room()
	after := n.product(primal, dual) / pairs
	n.aim(before*math.Pow(after/before, 3), true)
	n.direct()
	primal, dual = n.room()
	const near = 0.995
	primal, dual = math.Min(1, near*primal), math.Min(1, near*dual)
	move(n.x, n.dx, primal)
	move(n.left, n.dleft, primal)
	move(n.price, n.dprice, dual)
	move(n.best, n.dbest, dual)
	return primal > 1e-8 || dual > 1e-8
}

func move(list, by []float64, part float64) {
	for i := range list {
		list[i] += part * by[i]
	}
}

// product returns the sum of x lack and left price after parts of a step.
func (n *newton) product(primal, dual float64) (sum float64) {
	for i, x := range n.x {
		sum += (x + primal*n.dx[i]) * (n.lack[i] + dual*n.dlack[i])
	}
	for k, s := range n.left {
		sum += (s + primal*n.dleft[k]) * (n.price[k] + dual*n.dprice[k])
	}
	return sum
}

// room returns the largest parts of a step at which nothing is below 0, 1.1 at most.
func (n *newton) room() (primal, dual float64) {
	return math.Min(until0(n.x, n.dx), until0(n.left, n.dleft)),
		math.Min(until0(n.lack, n.dlack), until0(n.price, n.dprice))
}

func until0(list, by []float64) float64 {
	part := 1.1
	for i, d := range by {
		if d < 0 {
			part = math.Min(part, -list[i]/d)
		}
	}
	return part
}

// aim sets by how much x lack and left price are to change so that all are the same, corrected for what the last
// direction would add.
func (n *newton) aim(to float64, corrected bool) {
	for i, x := range n.x {
		n.xAim[i] = to - x*n.lack[i]
		if corrected {
			n.xAim[i] -= n.dx[i] * n.dlack[i]
		}
	}
	for k, s := range n.left {
		n.leftAim[k] = to - s*n.price[k]
		if corrected {
			n.leftAim[k] -= n.dleft[k] * n.dprice[k]
		}
	}
}

// collect sums the matrix up.
func (n *newton) collect() {
	for _, list := range [][][]float64{n.square, n.matrix, n.share, {n.sum}} {
		for _, line := range list {
			clear(line)
		}
	}
	for i := range n.list {
		c := &n.list[i]
		d := n.x[i] / n.lack[i]
		n.sum[c.job] += d
		if c.from < c.to {
			share := n.share[c.job]
			c.each(func(k int, units float64) { share[k] += d * units })
			n.addCells(c, d)
		}
	}
	n.addSquares()
	for k, s := range n.left {
		n.matrix[k][k] += s / n.price[k]
	}
	for j, share := range n.share {
		w := n.window[j]
		for r := w[0]; r < w[1]; r++ {
			if share[r] != 0 {
				subtract(n.matrix[r][w[0]:r+1], share[r]/n.sum[j], share[w[0]:])
			}
		}
	}
}

// addCells adds a start of some weight to the matrix of the cells: a square of equal numbers, by its corners, less
// what the start takes less of its first and its last cell.
func (n *newton) addCells(c *column, d float64) {
	all := d * c.width * c.width
	n.square[c.from][c.from] += all
	n.square[c.from][c.to] -= all
	n.square[c.to][c.from] -= all
	n.square[c.to][c.to] += all
	n.lower(c, d, c.from, c.head)
	last := c.to - 1
	if last > c.from {
		n.lower(c, d, last, c.tail)
		n.matrix[last][c.from] += all * (1 - c.head) * (1 - c.tail)
	}
}

// lower takes off what a start takes less of a cell than of its others.
func (n *newton) lower(c *column, d float64, cell int, part float64) {
	if part == 1 {
		return
	}
	less := c.width * (1 - part)
	for k := c.from; k < c.to; k++ {
		n.matrix[max(k, cell)][min(k, cell)] -= d * less * c.width
	}
	n.matrix[cell][cell] -= d * less * (c.width - less)
}

// addSquares sums the differences up.
func (n *newton) addSquares() {
	for r := range n.cells() {
		sum := 0.0
		line, into := n.square[r], n.matrix[r]
		for k := range n.cells() {
			sum += line[k]
			line[k] = sum
			if r > 0 {
				line[k] += n.square[r-1][k]
			}
			if k <= r {
				into[k] += line[k]
			}
		}
	}
}

// factor makes the matrix its factor (Cholesky).
func (n *newton) factor() bool {
	for r, line := range n.matrix {
		low := n.low[r]
		for k := low; k < r; k++ {
			from := max(low, n.low[k])
			line[k] = (line[k] - dot(line[from:k], n.matrix[k][from:k])) / n.matrix[k][k]
		}
		d := line[r] - dot(line[low:r], line[low:r])
		if !(d > 0) {
			return false
		}
		line[r] = math.Sqrt(d)
	}
	return true
}

// dot returns the inner product of two lists.
func dot(a, b []float64) float64 {
	var s, t, u, v float64
	b = b[:len(a)]
	i := 0
	for ; i+3 < len(a); i += 4 {
		s += a[i] * b[i]
		t += a[i+1] * b[i+1]
		u += a[i+2] * b[i+2]
		v += a[i+3] * b[i+3]
	}
	for ; i < len(a); i++ {
		s += a[i] * b[i]
	}
	return s + t + (u + v)
}

// subtract takes a multiple of a list off another.
func subtract(from []float64, f float64, list []float64) {
	list = list[:len(from)]
	for k, x := range list {
		from[k] -= f * x
	}
}

// direct finds the direction of the aims.
func (n *newton) direct() {
	for j := range n.job {
		n.job[j] = -1 // less what jobs have in all
	}
	for k, s := range n.supply {
		n.right[k] = n.leftAim[k]/n.price[k] + n.left[k] - s
	}
	for i := range n.list {
		c := &n.list[i]
		v := n.x[i] + n.xAim[i]/n.lack[i]
		n.job[c.job] += v
		c.each(func(k int, units float64) { n.right[k] += units * v })
	}
	for j, share := range n.share {
		subtract(n.right, n.job[j]/n.sum[j], share)
	}
	n.substitute()
	for j, share := range n.share {
		n.dbest[j] = (n.job[j] - dot(share, n.right)) / n.sum[j]
	}
	copy(n.dprice, n.right)
	for k := range n.dprice {
		n.dleft[k] = (n.leftAim[k] - n.left[k]*n.dprice[k]) / n.price[k]
	}
	upTo := sums(n.dprice)
	for i := range n.list {
		c := &n.list[i]
		n.dlack[i] = n.dbest[c.job] + c.paid(n.dprice, upTo)
		n.dx[i] = (n.xAim[i] - n.x[i]*n.dlack[i]) / n.lack[i]
	}
}

// substitute solves for the right side, which becomes the solution.
func (n *newton) substitute() {
	for r, line := range n.matrix {
		low := n.low[r]
		n.right[r] = (n.right[r] - dot(line[low:r], n.right[low:r])) / line[r]
	}
	for r := len(n.matrix) - 1; r >= 0; r-- {
		line, low := n.matrix[r], n.low[r]
		n.right[r] /= line[r]
		subtract(n.right[low:r], n.right[r], line[low:r])
	}
}
