package steered

import (
	"slices"

	"revopt/simulate"
	"revopt/simulate/workload"
)

// history is a workload of given jobs, with the machine and the customers of another.
type history struct {
	workload.Workload
	jobs  []simulate.Job
	units int // of the machine; 0: as in the other
}

// Sites implements workload.Workload.
func (h *history) Sites() []workload.Site {
	sites := slices.Clone(h.Workload.Sites())
	if len(sites) == 1 && h.units > 0 {
		sites[0].Processors = h.units
	}
	for i := range sites {
		sites[i].Down = nil // planned ones of another time
	}
	return sites
}

// Jobs implements workload.Workload.
func (h *history) Jobs(uint64, int) (simulate.Source, error) {
	return simulate.Slice(slices.Clone(h.jobs)), nil
}

// Has implements workload.Workload. The starts of a journal are not those of a log.
func (h *history) Has() simulate.Has {
	has := h.Workload.Has()
	has.Recorded, has.Unrecorded, has.Outages = false, "", false
	return has
}

// Window, Random, Size, Stream and Drained implement workload.Workload.
func (h *history) Window() simulate.Window       { return simulate.Window{} }
func (h *history) Random() bool                  { return false }
func (h *history) Size() float64                 { return float64(len(h.jobs)) }
func (h *history) Stream() float64               { return 0 }
func (h *history) Drained(int) workload.Workload { return h }

// Load implements workload.Workload.
func (h *history) Load() float64 {
	work, units := 0.0, 0
	for _, j := range h.jobs {
		work += j.Work * float64(j.Width)
	}
	for _, s := range h.Sites() {
		units += s.Processors
	}
	return work / (h.jobs[len(h.jobs)-1].Submit - h.jobs[0].Submit) / float64(units)
}
