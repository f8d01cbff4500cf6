package study

import (
	"revopt/simulate/metric"
	"revopt/simulate/subject"
	"revopt/simulate/workload"
)

// PoolResult is a pool and the jobs that it is offered.
type PoolResult struct {
	subject.PoolHead
	Load   metric.Number `json:"load"`             // offered
	Jobs   metric.Number `json:"jobs"`             // of a replication, mean
	Group  []string      `json:"group"`            // the pools that jobs move between, this one among them
	Policy string        `json:"policy,omitempty"` // of this pool alone
}

// poolResults describes the pools of a workload, nil where the machine is one.
func poolResults(w workload.Workload) []PoolResult {
	p := w.Pools()
	if p == nil {
		return nil
	}
	list := make([]PoolResult, len(p.List))
	for _, group := range p.Groups() {
		for _, i := range group {
			pool, part := p.List[i], subject.Part(w, []int{i})
			list[i] = PoolResult{subject.PoolHead{Name: pool.Name, Unit: pool.Unit, Units: pool.Units},
				metric.Number(part.Load()), metric.Number(part.Size()),
				subject.PoolNames(p, group), ""}
		}
	}
	return list
}

// SubjectPools describes the pools with the policies that replace others there.
func SubjectPools(s *subject.Subject) []PoolResult {
	list := poolResults(s.Workload)
	policies, _ := s.Pooled() // an error is that of every plan
	for i, p := range policies {
		if p != nil {
			list[i].Policy = p.Label()
		}
	}
	return list
}
