package workload

import (
	"fmt"
	"io"
	"slices"

	"revopt/internal/text"
	"revopt/model"
	"revopt/simulate"
	"revopt/simulate/agent"
)

// Pools says how the customers and the machine of a workload are divided. A site of the
// workload is a pool. Workload.Customers lists the sections, and Job.Class counts them.
// A nil *Pools is one machine, whose sections are the customers.
type Pools struct {
	List      []model.Pool
	Customers []model.Class // as the scenario lists them
	Sections  []Section     // customer by customer, pool by pool

	// Cut says that customers cut across pools, so that every section has measures of
	// its own. Otherwise a section is a customer.
	Cut bool
	// Notes count the jobs of a trace that need a word.
	Notes PoolNotes

	run    agent.Pools   // as a simulation knows them
	at     []int         // section by customer and pool, no pool first
	paths  [][]int       // by pool: that pool, then those to which its jobs may move, in their order
	direct []bool        // by section: jobs come there, and not only from other pools
	terms  []model.Class // of the sections
	ranks  []int         // of the sections
}

// Section is the jobs of one customer in one pool, by their indices. The pool is negative
// for the jobs of a trace that no pool takes.
type Section struct{ Customer, Pool int }

// Column is jobs whose measures are kept, by indices: of a customer, of a pool, or of a
// customer in a pool. A negative index stands for all.
type Column struct{ Customer, Pool int }

// PoolNotes count jobs of the first replication of a trace.
type PoolNotes struct {
	Unplaced int64   // jobs that no pool takes
	Wanted   int64   // jobs that several pools would take; the first one has them
	Pair     [2]int  // two pools that want the first of these jobs
	Mixed    int64   // jobs that list pools of different units; those with the unit of the first have them
	Apart    [2]int  // two such pools of the first of these jobs
	Wide     []int64 // by pool: jobs that are wider
	Unpriced []int64 // by section: jobs of a customer that pays in other pools, and nothing in this one
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
	p := &Pools{List: list, Customers: customers, at: make([]int, len(customers)*(len(list)+1))}
	p.Notes.Wide = make([]int64, len(list))
	p.run.Choices, p.run.Move = [][]int{nil}, p.move
	index := map[string]int{}
	for i, pool := range list {
		index[pool.Name] = i
	}
	for i := range list {
		var path []int
		for k, ok := i, true; ok && !slices.Contains(path, k); {
			path = append(path, k)
			if o := list[k].Overflow; o != nil {
				k, ok = index[o.To]
			}
		}
		to := agent.Path{Hops: len(path) - 1}
		if to.Hops > 0 {
			to.To, to.After = path[1], list[i].Overflow.After
		}
		p.paths = append(p.paths, path)
		p.run.Overflow = append(p.run.Overflow, to)
	}
	for c := range customers {
		some, reached := false, make([]bool, len(list))
		for pool, path := range p.paths {
			for i := 0; i < len(path) && occurs(c, pool); i++ {
				some, reached[path[i]] = true, true
			}
		}
		none := occurs(c, -1)
		reached[0] = reached[0] || !some && !none // a customer without jobs
		for pool, yes := range reached {
			if yes {
				p.add(Section{c, pool}, customers[c].In(pool), occurs(c, pool))
			}
		}
		if none { // jobs that never run: they break a promise that is about all jobs of the customer
			class := customers[c]
			if slices.ContainsFunc(class.Terms, func(t model.Terms) bool { return t.SLO != class.SLO }) {
				class.SLO = nil
			}
			class.Price, class.Terms = model.Tariff{}, nil
			p.add(Section{c, -1}, class, true)
		}
	}
	return p
}

// add appends a section with its price and promise.
func (p *Pools) add(s Section, class model.Class, direct bool) {
	p.at[s.Customer*(len(p.List)+1)+s.Pool+1] = len(p.Sections)
	p.Sections = append(p.Sections, s)
	p.terms = append(p.terms, class)
	p.direct = append(p.direct, direct)
	p.run.Site = append(p.run.Site, s.Pool)
}

// section returns the section of a customer in a pool, which may be -1.
func (p *Pools) section(customer, pool int) int {
	if p == nil {
		return customer
	}
	return p.at[customer*(len(p.List)+1)+pool+1]
}

// customer returns the customer of a section.
func (p *Pools) customer(section int) int {
	if p == nil {
		return section
	}
	return p.Sections[section].Customer
}

// Has reports whether there are jobs of a section.
func (p *Pools) Has(s Section) bool { return p.Sections[p.section(s.Customer, s.Pool)] == s }

// Names are those of the pools.
func (p *Pools) Names() []string {
	return text.Each(p.List, func(p model.Pool) string { return p.Name })
}

// sites returns the pools as sites, or the whole machine.
func (p *Pools) sites(whole simulate.Site) []Site {
	if p == nil {
		return []Site{{Site: whole}}
	}
	list := make([]Site, len(p.List))
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

// Run returns the pools as a simulation knows them, nil if there are none.
func (p *Pools) Run() *agent.Pools {
	if p == nil {
		return nil
	}
	return &p.run
}

// move gives a job the section, rank and value that it has in another pool.
func (p *Pools) move(j *simulate.Job, pool int) {
	customer := p.customer(j.Class)
	j.Class = p.section(customer, pool)
	j.Rank = p.ranks[j.Class]
	if p.Customers[customer].Terms != nil {
		setValue(j, &p.terms[j.Class], j.Value.Hard)
	}
}

// Groups returns the pools that jobs join, by overflow or because they may run in several,
// in the order of the first pool of each group. Most pools are alone.
func (p *Pools) Groups() [][]int {
	first := text.Numbers(len(p.List)) // the first pool of the group, by pool
	for _, joined := range slices.Concat(p.paths, p.run.Choices[1:]) {
		for _, pool := range joined[1:] {
			a, b := first[joined[0]], first[pool]
			for i := range first {
				if first[i] == max(a, b) {
					first[i] = min(a, b)
				}
			}
		}
	}
	groups := make([][]int, len(first))
	for i, k := range first {
		groups[k] = append(groups[k], i)
	}
	return slices.DeleteFunc(groups, func(g []int) bool { return g == nil })
}

// rank ranks the sections of each pool by urgency.
func (p *Pools) rank(urgency []float64) {
	p.ranks = make([]int, len(p.Sections))
	for pool := range p.List {
		var list []int
		for i, s := range p.Sections {
			if s.Pool == pool {
				list = append(list, i)
			}
		}
		for rank, k := range model.ByUrgency(pick(list, urgency)) {
			p.ranks[list[k]] = rank
		}
	}
}

// Part returns the workload of some pools on one machine of their units together. Its jobs
// are those of the whole that come to these pools, drawn by the same random numbers. Its
// customers are the sections to which they come, and it has no pools itself. Each job has
// the best price of those pools of the part that it may run in.
func Part(w Workload, pools []int) (Workload, error) {
	p := w.Pools()
	if p == nil {
		return nil, fmt.Errorf("workload: a part of a workload without pools")
	}
	cut := &cut{pools: p, to: make([]int, len(p.Sections)), in: make([]bool, len(p.List))}
	for _, i := range pools {
		cut.in[i] = true
	}
	for i, s := range p.Sections {
		cut.to[i] = -1
		if s.Pool >= 0 && cut.in[s.Pool] && p.direct[i] {
			cut.to[i] = len(cut.from)
			cut.from = append(cut.from, i)
		}
	}
	switch w := w.(type) {
	case *Classes:
		return w.part(cut, p.units(cut.in)), nil
	case *Replay:
		return w.part(cut, p.units(cut.in)), nil
	}
	return nil, fmt.Errorf("workload: %T has no parts", w)
}

// cut is the part of a workload that some pools have.
type cut struct {
	pools *Pools
	in    []bool // by pool
	to    []int  // by section of the whole: its index in the part; negative: it is not there
	from  []int  // the inverse
	ranks []int  // by section of the part
}

// pick returns the entries of a list at some indices.
func pick[T any](at []int, list []T) []T {
	return text.Each(at, func(i int) T { return list[i] })
}

// source returns the jobs of the part out of those of the whole.
func (c *cut) source(jobs simulate.Source, err error) (simulate.Source, error) {
	return &cutSource{jobs, c}, err
}

// cutSource is the jobs of a part.
type cutSource struct {
	simulate.Source
	*cut
}

// Close closes the trace, if there is one.
func (s *cutSource) Close() error {
	if c, ok := s.Source.(io.Closer); ok {
		return c.Close()
	}
	return nil
}

// Span implements Spanned: it is that of the whole, 0 for classes.
func (s *cutSource) Span() float64 {
	if whole, ok := s.Source.(Spanned); ok {
		return whole.Span()
	}
	return 0
}

// Next implements simulate.Source.
func (s *cutSource) Next(j *simulate.Job) (bool, error) {
	for {
		ok, err := s.Source.Next(j)
		if !ok || err != nil {
			return ok, err
		}
		if i := s.to[j.Class]; i >= 0 {
			s.improve(j)
			j.Class, j.Rank, j.Choice = i, s.ranks[i], 0
			return true, nil
		}
	}
}

// improve gives a job the best price of the pools of the part that it may run in. If all are
// too small for it, it never runs.
func (s *cutSource) improve(j *simulate.Job) {
	p := s.pools
	at := p.Sections[j.Class]
	terms, best := p.Customers[at.Customer].Terms, -1
	for _, from := range append([]int{at.Pool}, p.run.Choices[j.Choice]...) {
		for _, pool := range p.paths[from] {
			if j.Width > p.List[pool].Units { // it is refused there, or stays where it is
				break
			}
			if s.in[pool] && (best < 0 || terms != nil && terms[pool].PerNodeSecond > terms[best].PerNodeSecond) {
				best = pool
			}
		}
	}
	switch {
	case best < 0 && j.Width <= p.units(s.in): // the one machine would have room
		j.Void = true
	case best >= 0 && best != at.Pool && terms != nil:
		setValue(j, &p.terms[p.section(at.Customer, best)], j.Value.Hard)
	}
}

// part returns the part of a workload of classes. A window of a number of jobs has the
// share of the jobs that come to the part.
func (w *Classes) part(c *cut, nodes int) *Classes {
	part := *w
	part.whole = w
	part.cut = c
	part.pools = nil
	part.nodes = nodes
	part.down = w.down.part(c.in)
	part.classes, part.widths, part.hours = pick(c.from, w.classes), pick(c.from, w.widths), pick(c.from, w.hours)
	part.ranks = model.Ranks(model.ServiceOrder(model.ByWidth(part.classes)))
	c.ranks = part.ranks
	return &part
}

func (w *Replay) part(c *cut, nodes int) *Replay {
	part := *w
	part.whole = w
	part.cut = c
	part.pools = nil
	part.jobs = nil
	part.others = 0
	part.limits = nil // a part is bounded, and bounds ignore limits
	part.down = w.down.part(c.in)
	part.classes, part.pays, part.ranks = pick(c.from, w.classes), pick(c.from, w.pays), pick(c.from, w.ranks)
	part.sections = pick(c.from, w.sections)
	if w.urgency != nil {
		part.ranks = model.Ranks(model.ByUrgency(pick(c.from, w.urgency)))
	}
	c.ranks = part.ranks
	if w.options.Classes != nil {
		part.options.Classes = part.classes
	}
	part.resize(nodes)
	part.trace.hosts, part.trace.other, part.trace.cleaning.Left = 0, false, 0
	for _, s := range part.sections {
		part.jobs = append(part.jobs, s.jobs)
		part.trace.cleaning.Left += s.seen
	}
	return &part
}
