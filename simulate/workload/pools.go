package workload

import (
	"fmt"
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
	next    []int         // by pool: the pool of its overflow; negative: there is none
	hops    []int         // by pool: how often a job that comes there may move on
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
func newPools(list []model.Pool, customers []model.Class, occurs func(customer, pool int) bool) (*Pools, error) {
	p := &Pools{List: list, Customers: customers, choices: [][]int{nil}, at: slices.Repeat([]int{-1}, len(customers)*(len(list)+1))}
	p.next, p.hops = slices.Repeat([]int{-1}, len(list)), make([]int, len(list))
	p.Notes.Wide = make([]int64, len(list))
	for i, pool := range list {
		if pool.Units < 1 {
			return nil, fmt.Errorf("workload: pool %s has %d units", pool.Name, pool.Units)
		}
		if pool.Overflow != nil {
			if p.next[i] = p.Index(pool.Overflow.To); p.next[i] < 0 {
				return nil, fmt.Errorf("workload: pool %s overflows to %s, which is not listed", pool.Name, pool.Overflow.To)
			}
		}
	}
	for i := range list {
		seen := map[int]bool{i: true}
		for k := p.next[i]; k >= 0 && !seen[k]; k = p.next[k] {
			seen[k] = true
			p.hops[i]++
		}
	}
	for c := range customers {
		found := make([]bool, len(list)+1)
		for k := range found {
			if pool := k; k < len(list) && occurs(c, pool) {
				for hop := 0; hop <= p.hops[k]; hop++ {
					found[pool], pool = true, p.next[pool]
				}
			}
		}
		if found[len(list)] = occurs(c, -1); !slices.Contains(found, true) {
			found[0] = true // a customer without jobs
		}
		for k, yes := range found {
			if yes {
				p.at[c*(len(list)+1)+k] = len(p.Sections)
				s := Section{c, k}
				if k == len(list) {
					s.Pool = -1
				}
				p.Sections, p.own = append(p.Sections, s), append(p.own, occurs(c, s.Pool))
			}
		}
	}
	for _, s := range p.Sections {
		class := customers[s.Customer]
		if s.Pool >= 0 {
			class = class.In(s.Pool)
		} else { // its jobs never run
			class.Price, class.SLO, class.Terms = model.Tariff{}, nil, nil
		}
		p.terms = append(p.terms, class)
	}
	return p, nil
}

// Index returns the index of a pool by its name, -1 if there is none.
func (p *Pools) Index(name string) int {
	return slices.IndexFunc(p.List, func(pool model.Pool) bool { return pool.Name == name })
}

// section returns the section of a customer in a pool, which may be -1.
func (p *Pools) section(customer, pool int) int {
	if pool < 0 {
		pool = len(p.List)
	}
	return p.at[customer*(len(p.List)+1)+pool]
}

// sites returns a site for each pool.
func (p *Pools) sites() []simulate.Site {
	list := make([]simulate.Site, len(p.List))
	for i, pool := range p.List {
		list[i].Processors = pool.Units
	}
	return list
}

// Units returns how many units some pools have together.
func (p *Pools) Units(pools []int) int {
	sum := 0
	for _, i := range pools {
		sum += p.List[i].Units
	}
	return sum
}

// All returns the indices of all pools.
func (p *Pools) All() []int {
	list := make([]int, len(p.List))
	for i := range list {
		list[i] = i
	}
	return list
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
	for i, pool := range p.List {
		o := simulate.Overflow{To: p.next[i], Hops: p.hops[i]}
		if pool.Overflow != nil {
			o.After = pool.Overflow.After
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
	group := p.All() // of each pool: its first one
	join := func(a, b int) {
		from, to := max(group[a], group[b]), min(group[a], group[b])
		for i, g := range group {
			if g == from {
				group[i] = to
			}
		}
	}
	for i, k := range p.next {
		if k >= 0 {
			join(i, k)
		}
	}
	for _, list := range p.choices[1:] {
		for _, k := range list[1:] {
			join(list[0], k)
		}
	}
	var list [][]int
	place := map[int]int{}
	for i, g := range group {
		if _, ok := place[g]; !ok {
			place[g] = len(list)
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
