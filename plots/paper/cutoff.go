package paper

// nobody and everybody are the admissions below and above which a class counts
// as shut out and as admitted entirely: less than the width of a line apart
// from 0 and 1, and more than the optimiser's error.
const (
	nobody    = 1e-4
	everybody = 1 - 1e-4
)

// lastFull returns the largest x up to which all jobs are admitted: q is 1 at
// it and at every smaller one. It is 0 if q starts below 1.
func lastFull(x, q []float64) float64 {
	last := 0.0
	for i := range x {
		if q[i] < everybody {
			break
		}
		last = x[i]
	}
	return last
}

// firstGone returns the smallest x from which on no job is admitted. ok is
// false if the last still admits some.
func firstGone(x, q []float64) (first float64, ok bool) {
	for i := len(x) - 1; i >= 0 && q[i] <= nobody; i-- {
		first, ok = x[i], true
	}
	return first, ok
}
