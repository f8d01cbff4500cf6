package workload

import (
	"slices"

	"revopt/model"
	"revopt/simulate"
)

// Pools says how the customers and the machine of a workload are divided. A site of the
// workload is a pool. What Workload.Customers lists, and Job.Class counts, are the
// sections.
type Pools struct {
	List      []model.Pool
	Customers []model.Class // as the scenario lists them
	Sections  []Section     // customer by customer, pool by pool

	// Cut says that customers cut across pools, so that every section has measures of
	// its own. Otherwise a section is a customer.
	Cut bool
	// Notes count the jobs of a trace that need a word.
	Notes PoolNotes

	at      []int         // section by customer and pool, no pool last; negative: there is none
	paths   [][]int       // by pool: the pools that a job may be in which comes there, in their order
	choices [][]int       // pools that some jobs may all run in, none first
	own     []bool        // by section: jobs come there, others only move there
	terms   []model.Class // of the sections
	ranks   []int         // of the sections
}

// Section is the jobs of one customer in one pool, by their indices. The pool is negative
// for the jobs of a trace that no pool takes.
type Section struct{ Customer, Pool int }

// Column is jobs whose measures are kept, by indices: of a customer, of a pool, or of a
// customer in a pool. A negative index stands for all.
type Column struct{ Customer, Pool int }

// PoolNotes count jobs of the first replication of a trace.
type PoolNotes struct {
	Unplaced int64      // jobs that no pool takes
	Wanted   int64      // jobs that several pools would take; the first one has them
	Pair     [2]int     // two pools that want the first of these jobs
	Mixed    int64      // jobs that list pools of different units; those with the unit of the first have them
	Apart    [2]int     // two such pools of the first of these jobs
	Wide     []int64    // by pool: jobs that are wider
	Unpriced []Unpriced // customers with prices, but not for this pool
}

// Unpriced is the jobs of a section that pay nothing because the customer has no price
// for the pool.
type Unpriced struct {
	Section
	Jobs int64
}

// Listed returns the customers of a workload as its scenario lists them.
func Listed(w Workload) []model.Class {
	if p := w.Pools(); p != nil {
		return p.Customers
	}
	return w.Customers()
}

// newPools divides customers into the sections that occur, and those to which their jobs
// may move from there.
func newPools(list []model.Pool, customers []model.Class, occurs func(customer, pool int) bool) *Pools {
	p := &Pools{List: list, Customers: customers, choices: [][]int{nil}, paths: make([][]int, len(list))}
	p.Notes.Wide = make([]int64, len(list))
	index, seen := map[string]int{}, slices.Repeat([]int{-1}, len(list))
	for i, pool := range list {
		index[pool.Name] = i
	}
	for i := range list {
		for k, ok := i, true; ok && seen[k] != i; {
			seen[k], p.paths[i] = i, append(p.paths[i], k)
			if o := list[k].Overflow; o != nil {
				k, ok = index[o.To]
			}
		}
	}
	p.at = slices.Repeat([]int{-1}, len(customers)*(len(list)+1))
	for c, class := range customers {
		found := make([]bool, len(list))
		for k, path := range p.paths {
			for i := 0; i < len(path) && occurs(c, k); i++ {
				found[path[i]] = true
			}
		}
		none := occurs(c, -1)
		for k, yes := range found {
			if yes || k == 0 && !none && !slices.Contains(found, true) { // a customer without jobs
				p.add(Section{c, k}, class.In(k), occurs(c, k))
			}
		}
		if none { // jobs that never run
			class.Price, class.SLO, class.Terms = model.Tariff{}, nil, nil
			p.add(Section{c, -1}, class, true)
		}
	}
	return p
}

// add appends a section with its price and promise.
func (p *Pools) add(s Section, class model.Class, own bool) {
	*p.place(s.Customer, s.Pool) = len(p.Sections)
	p.Sections, p.terms, p.own = append(p.Sections, s), append(p.terms, class), append(p.own, own)
}

// place returns the place of the index of a section.
func (p *Pools) place(customer, pool int) *int {
	if pool < 0 {
		pool = len(p.List)
	}
	return &p.at[customer*(len(p.List)+1)+pool]
}

// section returns the section of a customer in a pool, which may be -1.
func (p *Pools) section(customer, pool int) int { return *p.place(customer, pool) }

// sites returns a site for each pool.
func (p *Pools) sites() []simulate.Site {
	list := make([]simulate.Site, len(p.List))
	for i, pool := range p.List {
		list[i].Processors = pool.Units
	}
	return list
}

// units returns how many units some pools have together; nil is all.
func (p *Pools) units(pools []bool) int {
	sum := 0
	for i, pool := range p.List {
		if pools == nil || pools[i] {
			sum += pool.Units
		}
	}
	return sum
}

// Columns returns the jobs whose measures are kept beside those of all: every customer,
// every pool and, if customers cut across pools, every customer in a pool.
func (p *Pools) Columns() []Column {
	var list []Column
	for c := range p.Customers {
		list = append(list, Column{c, -1})
	}
	for i := range p.List {
		list = append(list, Column{-1, i})
	}
	for _, s := range p.Sections {
		if p.Cut && s.Pool >= 0 {
			list = append(list, Column(s))
		}
	}
	return list
}

// Has reports whether the jobs of a section are among those of a column.
func (c Column) Has(s Section) bool {
	return (c.Customer < 0 || c.Customer == s.Customer) && (c.Pool < 0 || c.Pool == s.Pool)
}

// Run returns the pools as a simulation knows them.
func (p *Pools) Run() *simulate.Pools {
	r := &simulate.Pools{Site: make([]int, len(p.Sections)), Choices: p.choices}
	for i, s := range p.Sections {
		r.Site[i] = s.Pool
	}
	for i, path := range p.paths {
		o := simulate.Overflow{Hops: len(path) - 1}
		if o.Hops > 0 {
			o.To, o.After = path[1], p.List[i].Overflow.After
		}
		r.Overflow = append(r.Overflow, o)
	}
	r.Move = func(j *simulate.Job, pool int) {
		customer := p.Sections[j.Class].Customer
		j.Class = p.section(customer, pool)
		if j.Rank = p.ranks[j.Class]; p.Customers[customer].Terms != nil {
			setValue(j, &p.terms[j.Class], j.Value.Hard)
		}
	}
	return r
}

// Groups returns the pools that jobs join, by overflow or because they may run in several,
// in the order of the first pool of each group. Most pools are alone.
func (p *Pools) Groups() [][]int {
	group, place := make([]int, len(p.List)), make([]int, len(p.List)) // the first pool of its group
	for i := range group {
		group[i] = i
	}
	for _, joined := range slices.Concat(p.paths, p.choices[1:]) {
		for _, k := range joined[1:] {
			from, to := max(group[k], group[joined[0]]), min(group[k], group[joined[0]])
			for i := range group {
				if group[i] == from {
					group[i] = to
				}
			}
		}
	}
	var list [][]int
	for i, g := range group {
		if g == i {
			place[i] = len(list)
			list = append(list, nil)
		}
		list[place[g]] = append(list[place[g]], i)
	}
	return list
}

// rank ranks the sections of each pool by urgency.
func (p *Pools) rank(urgency []float64) {
	p.ranks = make([]int, len(p.Sections))
	for pool := range p.List {
		var own []int
		var of []float64
		for i, s := range p.Sections {
			if s.Pool == pool {
				own, of = append(own, i), append(of, urgency[i])
			}
		}
		for rank, k := range model.ByUrgency(of) {
			p.ranks[own[k]] = rank
		}
	}
}
