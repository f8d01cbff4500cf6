package workload

import "revopt/model"

// Pools says how the customers and the machine of a workload are divided. A site of the
// workload is a pool. What Workload.Customers lists, and Job.Class counts, are the
// sections.
type Pools struct {
	List      []model.Pool
	Customers []model.Class // as the scenario lists them
	Sections  []Section
}

// Section is the jobs of one customer in one pool, by their indices.
type Section struct{ Customer, Pool int }

// Listed returns the customers of a workload as its scenario lists them.
func Listed(w Workload) []model.Class {
	if p := w.Pools(); p != nil {
		return p.Customers
	}
	return w.Customers()
}
