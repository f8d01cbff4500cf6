package scenario

import (
	"fmt"
	"math"

	"revopt/model"
)

// tolerance is how far from 1 a sum of shares may be.
const tolerance = 1e-6

// width reads the nodes that a job occupies: a number, or values and weights.
func (d *decoder) width(c *cursor, srv server) model.Width {
	if !c.given() {
		return model.FixedWidth(c.numberOr(count, 1))
	}
	nodes := count
	if !srv.parallel {
		nodes.most = srv.slots
		nodes.want = fmt.Sprintf("a whole number of nodes from 1 to %.0f", srv.slots)
	}
	if c.n.kind == mapping {
		return d.widths(c, nodes)
	}
	return model.FixedWidth(c.number(nodes))
}

// widths reads {values: [...], weights: [...]}.
func (d *decoder) widths(c *cursor, nodes quantity) model.Width {
	const want = "a width such as 500 or {values: [250, 750], weights: [0.6, 0.4]}"
	if !c.mapping(want, "values", "weights") {
		return model.Width{}
	}
	var w model.Width
	for _, v := range c.get("values").list("a list of widths") {
		w.Values = append(w.Values, v.number(nodes))
	}
	weights := c.get("weights").list("a list of weights")
	for _, v := range weights {
		w.Weights = append(w.Weights, v.number(fraction))
	}
	if len(w.Weights) != len(w.Values) {
		blame(c.get("weights"), c.get("values")).fail("expected %d weights, one for each width, got %d", len(w.Values), len(w.Weights))
		return w
	}
	if sum, ok := normalise(w.Weights); !ok {
		blame(c.get("weights"), weights...).fail("expected weights that sum to 1, got a sum of %g", sum)
	}
	return w
}

// normalise scales shares to sum to 1 and returns their sum. It leaves them
// alone, and says so, where they are further from it than the tolerance.
func normalise(shares []float64) (sum float64, ok bool) {
	for _, x := range shares {
		sum += x
	}
	if !(math.Abs(sum-1) <= tolerance) {
		return sum, false
	}
	for i := range shares {
		shares[i] /= sum
	}
	return sum, true
}

// meanWidth returns the mean width weighted by work, see System.
func meanWidth(classes []model.Class) float64 {
	var work, nodes, plain float64
	for _, c := range classes {
		work += c.Rate * c.Length.Mean()
		nodes += c.Rate * c.Length.Mean() * c.Width.Mean()
		plain += c.Width.Mean() / float64(len(classes))
	}
	if work == 0 {
		return plain
	}
	return nodes / work
}
