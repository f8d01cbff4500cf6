package workload

import (
	"revopt/simulate"
)

// Work returns the work of the jobs of each customer that a workload lists, in unit-seconds.
func Work(w Workload, seed uint64) ([]float64, error) {
	source, err := w.Jobs(seed, 0)
	if err != nil {
		return nil, err
	}
	work, pools := make([]float64, len(w.Customers())), w.Pools()
	for {
		var j simulate.Job
		ok, err := source.Next(&j)
		if err != nil {
			return nil, err
		}
		if !ok {
			break
		}
		work[j.Class] += j.Work * float64(j.Width)
	}
	if pools == nil {
		return work, nil
	}
	listed := make([]float64, len(pools.Customers))
	for i, x := range work {
		listed[pools.Sections[i].Customer] += x
	}
	return listed, nil
}
