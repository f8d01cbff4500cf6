package metric_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"revopt/simulate/metric"
)

// drawn returns controls of n replications of normal batches, the last the sum of
// the others, and a measure that is linear in them but for noise. Wholes are means
// over batches, as of a rate.
func drawn(n int, noise float64, slope ...float64) (values []float64, without [][]float64, controls []metric.Controls) {
	r := rand.New(rand.NewPCG(1, uint64(n)))
	for range n {
		var c metric.Controls
		var x [metric.Batches][]float64
		var y [metric.Batches]float64
		for b := range x {
			y[b] = 7 + noise*r.NormFloat64()
			var sum float64
			for i := range slope {
				x[b] = append(x[b], float64(i+1)*r.NormFloat64())
				y[b] += slope[i] * x[b][i]
				sum += x[b][i]
			}
			x[b] = append(x[b], sum)
		}
		mean := func(skip int, of func(b int) float64) (sum float64) {
			count := 0.0
			for b := range x {
				if b != skip {
					sum, count = sum+of(b), count+1
				}
			}
			return sum / count
		}
		part := func(skip int) (controls []float64) {
			for i := range x[0] {
				controls = append(controls, mean(skip, func(b int) float64 { return x[b][i] }))
			}
			return controls
		}
		var left []float64
		for b := range x {
			left = append(left, mean(b, func(b int) float64 { return y[b] }))
			c.Without = append(c.Without, part(b))
		}
		c.Whole = part(-1)
		values, without, controls = append(values, mean(-1, func(b int) float64 { return y[b] })), append(without, left), append(controls, c)
	}
	return values, without, controls
}

// The coefficients of a replication are those of least squares over the batches of
// the others.
func TestControlledReference(t *testing.T) {
	for n, size := range map[int]int{3: 8, 5: 8, 8: 8, 9: 4, 16: 4, 17: 2, 32: 2, 33: 1} {
		values, without, controls := drawn(n, 1, 2, -1)
		pseudo := func(whole float64, without func(b int) float64, at int) (sum float64) {
			each := metric.Batches / size
			for b := at * each; b < (at+1)*each; b++ {
				sum += (metric.Batches*whole - (metric.Batches-1)*without(b)) / float64(each)
			}
			return sum
		}
		got := metric.Controlled(values, without, controls)
		for k := range n {
			var a, y []float64
			for l := range n {
				for b := 0; b < size && l != k; b++ {
					y = append(y, pseudo(values[l], func(b int) float64 { return without[l][b] }, b))
					a = append(a, 1)
					for i := range 2 { // the third is their sum
						a = append(a, pseudo(controls[l].Whole[i], func(b int) float64 { return controls[l].Without[b][i] }, b))
					}
				}
			}
			var x mat.VecDense
			if err := x.SolveVec(mat.NewDense(len(y), 3, a), mat.NewVecDense(len(y), y)); err != nil {
				t.Fatal(err)
			}
			want := values[k] - 0.9*(x.AtVec(1)*controls[k].Whole[0]+x.AtVec(2)*controls[k].Whole[1])
			if math.Abs(got[k]-want) > 1e-9 {
				t.Errorf("%d replications: %g, want %g", n, got[k], want)
			}
		}
	}
}

// Few replications, and measures that are not defined everywhere, stay as they are.
func TestNotControlled(t *testing.T) {
	values, without, controls := drawn(5, 1, 2)
	if got := metric.Controlled(values[:2], without, controls); !slices.Equal(got, values[:2]) {
		t.Errorf("two replications: %v", got)
	}
	for _, undefined := range []*float64{&without[3][2], &controls[3].Without[2][0], &controls[3].Whole[0], &values[3]} {
		was := *undefined
		*undefined = math.NaN()
		got := metric.Controlled(values, without, controls)
		if got[0] != values[0] || got[4] != values[4] {
			t.Errorf("an undefined value: %v of %v", got, values)
		}
		*undefined = was
	}
}

func TestEstimateControlled(t *testing.T) {
	plain := []float64{1, 5, 3}
	for _, x := range [][]float64{plain, {1, math.NaN(), 3}} {
		if got := metric.EstimateControlled(slices.Clone(x), x, 0.9); got != metric.Estimate(x, 0.9) {
			t.Errorf("not controlled: %+v", got)
		}
	}
	got := metric.EstimateControlled([]float64{2, 4, 3}, plain, 0.9)
	if want := metric.Estimate([]float64{2, 4, 3}, 0.9); got.Reduced != 4 || got.HalfWidth != want.HalfWidth {
		t.Errorf("got %+v, want %+v reduced 4 times", got, want)
	}
}
