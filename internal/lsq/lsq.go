package lsq

import "math"

// Solve returns x with sum_j gram(i, j) x_j = right_i, by Cholesky's method, which
// reads gram for j <= i. The coefficient of a column is 0 if earlier columns leave no
// more than the share dependent of its square.
func Solve(gram func(i, j int) float64, right []float64, dependent float64) []float64 {
	n := len(right)
	lower, x := make([][]float64, n), make([]float64, n)
	for i := range n {
		lower[i] = make([]float64, n)
		left, z := gram(i, i), right[i]
		least := dependent * left
		for j := range i {
			if lower[j][j] == 0 {
				continue
			}
			v := gram(i, j)
			for k := range j {
				v -= lower[i][k] * lower[j][k]
			}
			lower[i][j] = v / lower[j][j]
			left -= lower[i][j] * lower[i][j]
			z -= lower[i][j] * x[j]
		}
		if left <= least { // NaN stays, and shows in x
			clear(lower[i])
			continue
		}
		lower[i][i] = math.Sqrt(left)
		x[i] = z / lower[i][i]
	}
	for i := n - 1; i >= 0; i-- {
		if lower[i][i] == 0 {
			continue
		}
		for k := i + 1; k < n; k++ {
			x[i] -= lower[k][i] * x[k]
		}
		x[i] /= lower[i][i]
	}
	return x
}
