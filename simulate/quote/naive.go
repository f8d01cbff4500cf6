package quote

import (
	"cmp"
	"math"
	"slices"

	"revopt/simulate"
)

// naiveWaits is the number of waits of the naive forecast.
const naiveWaits = 300

// knownWaits is the naive forecast that quotes are compared with: the quantiles of the last waits that
// are known, that is, of the jobs of all users that started last, before the time of the quote.
type knownWaits struct {
	jobs []*simulate.Job // that ran, by start
	n    int             // that have started
	last []float64       // s, a ring
}

func newKnownWaits(history []simulate.Job) *knownWaits {
	w := new(knownWaits)
	for i := range history {
		if j := &history[i]; j.Spec.Recorded.Ran && j.Spec.Recorded.At >= j.Submit {
			w.jobs = append(w.jobs, j)
		}
	}
	slices.SortStableFunc(w.jobs, func(a, b *simulate.Job) int {
		return cmp.Compare(a.Spec.Recorded.At, b.Spec.Recorded.At)
	})
	return w
}

// follow learns the starts before a time.
func (w *knownWaits) follow(now float64) {
	for ; w.n < len(w.jobs) && w.jobs[w.n].Spec.Recorded.At < now; w.n++ {
		j := w.jobs[w.n]
		wait := j.Spec.Recorded.At - j.Submit
		if len(w.last) < naiveWaits {
			w.last = append(w.last, wait)
		} else {
			w.last[w.n%naiveWaits] = wait
		}
	}
}

// quantiles returns the quantiles of the levels of a quote, between two waits by their distances, 0 s if
// no start is known.
func (w *knownWaits) quantiles() (list [3]float64) {
	sorted := slices.Sorted(slices.Values(w.last))
	if len(sorted) == 0 {
		return list
	}
	for k, level := range quoteLevels() {
		whole, part := math.Modf(level * float64(len(sorted)-1))
		low := sorted[int(whole)]
		high := sorted[min(int(whole)+1, len(sorted)-1)]
		list[k] = low + part*(high-low)
	}
	return list
}
