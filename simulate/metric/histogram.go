package metric

import "math"

// Histogram counts numbers of at least 0 in bounded memory. Its cells are the
// numbers that agree in the exponent and the first seven bits of the mantissa,
// so that a quantile is within 0.4 % of its value. The zero value is empty.
type Histogram struct {
	counts []uint32 // by cell; the first is of the numbers below the smallest cell and may overflow, so it is not read
	total  int64
}

const (
	histogramShift = 52 - 7
	smallestCell   = int64(0x3f1a36e2eb1c432d >> histogramShift) // of 1e-4
)

// Add counts a number.
func (h *Histogram) Add(x float64) {
	h.total++
	cell := cellOf(x)
	if cell >= int64(len(h.counts)) {
		h.counts = append(h.counts, make([]uint32, int(cell)+1-len(h.counts))...)
	}
	h.counts[cell]++
}

// Move counts a number in place of one that was added.
func (h *Histogram) Move(from, to float64) {
	h.counts[cellOf(from)]--
	h.total--
	h.Add(to)
}

func cellOf(x float64) int64 {
	return max(1+int64(math.Float64bits(x))>>histogramShift-smallestCell, 0) // without a branch
}

func (h *Histogram) merge(g *Histogram) {
	if n := len(g.counts); n > len(h.counts) {
		h.counts = append(h.counts, make([]uint32, n-len(h.counts))...)
	}
	for i, n := range g.counts {
		h.counts[i] += n
	}
	h.total += g.total
}

// Quantile returns the least number that a share p of all do not exceed, or
// rather the middle of its cell; NaN of no numbers.
func (h *Histogram) Quantile(p float64) float64 {
	if h.total == 0 {
		return math.NaN()
	}
	below := h.total // numbers below the smallest cell
	for _, n := range h.counts[1:] {
		below -= int64(n)
	}
	rank := max(int64(math.Ceil(p*float64(h.total))), 1) - 1 - below
	if rank < 0 {
		return 0
	}
	for i, n := range h.counts[1:] {
		rank -= int64(n)
		if rank < 0 {
			low := math.Float64frombits(uint64(smallestCell+int64(i)) << histogramShift)
			high := math.Float64frombits(uint64(smallestCell+int64(i)+1) << histogramShift)
			return (low + high) / 2
		}
	}
	return math.NaN()
}
