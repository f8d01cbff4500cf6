package policy

import (
	"cmp"
	"math"
	"math/bits"
	"slices"

	"revopt/simulate"
)

// roster holds the processors of a grouped cluster by kind of machine. Idle processors are
// counted. The others are in nodes. These are in blocks by rank, a bound on their keys, so
// that the search for the processors of a job examines few of them. Memory follows the
// processors that have been used.
type roster struct {
	site   *simulate.Cluster
	kinds  []machineKind
	kindOf []int32     // by processor; nil where all are alike
	places []nodePlace // by node
	moved  []listing   // to be put elsewhere
	byLow  bool        // the rank is minus the load
	dear   int         // nodes that were too expensive
	shortlist
}

// machineKind is the nodes of one machine.
type machineKind struct {
	simulate.Machine
	processors []int32 // in order; nil where all are alike
	count      int     // of processors
	idle       idleNodes
	busy       int     // nodes
	drift      float64 // the fall of a node's load after which it is listed again
	blocks     []*nodeBlock
	heads      []blockHead // of the blocks
	demands
}

// blockHead bounds the entries of a block. Their ranks are at most its top, which is
// +Inf for the last block, and at least the top of the block before.
type blockHead struct {
	top   float64
	low   float64 // a lower bound on the loads
	until float64 // the time at which the first entry expires
}

// nodeBlock is a set of nodes of similar rank.
type nodeBlock struct {
	at      int // its index
	entries []listing
}

// listing bounds a busy node until some time: its rank, +Inf if it has none; and its
// load, which is at least
//
//	low + fall (until - now)
//
// and at most that plus the spread.
type listing struct {
	rank, low, until, fall, spread float64
	node                           int32
}

// nodePlace is the place of a node's listing; the zero value is none.
type nodePlace struct {
	block *nodeBlock
	at    int32
}

// capacity is the size above which a block is split.
const capacity = 160

// demands are the requirements of a job on the nodes of a kind.
type demands struct {
	room   float64 // nodes with a higher load cannot take the job
	sure   float64 // nodes with at most this load can, if the rank is the load or minus the load
	most   float64 // nodes with a higher rank cannot
	dear   float64 // nodes with a higher rank are too expensive
	share  float64 // of a node
	offset float64 // a node's key is at least this minus its rank
	empty  float64 // the key of an idle node, +Inf if it cannot take the job
}

// seeker is a policy that looks for nodes for a job.
type seeker interface {
	keyer
	// bound lists a busy node whose rates hold.
	bound(k *machineKind, node int) listing
	// demands returns the requirements of the job on a kind of nodes.
	demands(k *machineKind) demands
	// look nominates a busy node if it can take the job. The node is passed if its list
	// of tasks has changed.
	look(k *machineKind, node int, changed *simulate.Node)
	// scan calls look for the candidates of a block.
	scan(k *machineKind, entries []listing)
}

// open sorts the processors of a cluster by kind, the first time it is called.
func (r *roster) open(c *simulate.Cluster) {
	if r.kinds != nil {
		return
	}
	r.site = c
	c.Group()
	if c.Alike() {
		r.kinds = []machineKind{{Machine: c.Machine(0), count: c.Processors()}}
		return
	}
	index := make(map[simulate.Machine]int32)
	for i := range c.Processors() {
		m := c.Machine(i)
		k, ok := index[m]
		if !ok {
			k = int32(len(r.kinds))
			index[m] = k
			r.kinds = append(r.kinds, machineKind{Machine: m})
		}
		r.kinds[k].processors = append(r.kinds[k].processors, int32(i))
		r.kinds[k].count++
		r.kindOf = append(r.kindOf, k)
	}
}

func (r *roster) kind(processor int) *machineKind {
	if r.kindOf == nil {
		return &r.kinds[0]
	}
	return &r.kinds[r.kindOf[processor]]
}

func (r *roster) kindAt(node int) *machineKind { return r.kind(int(r.site.Node(node).Members[0])) }

// number returns the number of a processor of the kind, in their order.
func (k *machineKind) number(processor int) int {
	if k.processors == nil {
		return processor
	}
	number, _ := slices.BinarySearch(k.processors, int32(processor))
	return number
}

// isTooLarge reports whether the cluster has fewer nodes with the memory and
// the disk that a job needs than the job is wide.
func (r *roster) isTooLarge(j *simulate.Job) bool {
	return r.count(func(k *machineKind) bool { return suits(&k.Machine, &j.Spec.Requirements) }) < j.Width
}

// count returns the number of nodes of such kinds.
func (r *roster) count(such func(k *machineKind) bool) (nodes int) {
	for i := range r.kinds {
		if k := &r.kinds[i]; such(k) {
			nodes += k.count
		}
	}
	return nodes
}

// receive opens a cluster and reports whether it may take a job. It rejects a job that is
// too large, and one without a deadline or runtime.
func (r *roster) receive(c *simulate.Cluster, j *simulate.Job) bool {
	r.open(c)
	switch {
	case r.isTooLarge(j):
		c.Reject(j, simulate.Resources)
	case !isBound(j):
		c.Reject(j, simulate.Deadline)
	default:
		return true
	}
	return false
}

// Schedule implements simulate.Policy: everything is decided on arrival.
func (r *roster) Schedule(*simulate.Cluster) {}

// search returns the given number of processors with the least keys among those that can
// take the job, and whether there are that many; see shortlist. It goes through the blocks
// from the highest rank down, until the keys of the others are too high.
func (r *roster) search(c *simulate.Cluster, width int, s seeker) (processors []int, ok bool) {
	r.reset()
	r.dear = 0
	for i := range r.kinds {
		r.kinds[i].demands = s.demands(&r.kinds[i])
	}
	for n := range c.Touched() {
		if n.ID < len(r.places) && r.places[n.ID].block != nil {
			e := &r.places[n.ID].block.entries[r.places[n.ID].at]
			e.low, e.fall = math.Inf(1), 0
		}
		s.look(r.kind(int(n.Members[0])), n.ID, n)
	}
	now := c.Now()
	enough := width // the number of processors for the next choice
	for i := range r.kinds {
		k := &r.kinds[i]
		d := &k.demands
		if idle := k.count - k.idle.taken; d.empty < math.Inf(1) && idle > 0 {
			r.nominate(d.empty, ^i, min(width, idle), false)
		}
		if len(k.blocks) > 1 {
			r.refresh(k, s, now)
		}
		for at := len(k.heads) - 1; at >= 0; at-- {
			h := &k.heads[at]
			if d.offset-h.top > r.bar {
				break
			}
			if h.low > d.room && len(k.blocks) > 1 {
				continue
			}
			if bottom := k.bottom(at); bottom > d.dear && h.top < math.Inf(1) { // nodes without a rank may be cheap
				if bottom <= d.most {
					r.dear += len(k.blocks[at].entries)
				}
				continue
			}
			s.scan(k, k.blocks[at].entries)
			if n := r.total; n >= enough { // a choice lowers the bar: seldom if it costs much
				r.choose(width, s)
				enough = n + n/4 + 1
			}
		}
	}
	return r.pick(width, s)
}

// scanLoads is scan for nodes that are listed by their loads.
func (r *roster) scanLoads(k *machineKind, entries []listing, s seeker, now float64) {
	d := &k.demands
	room, sure, reach, top := d.room, d.sure, d.offset-r.bar, d.dear
	for i := range entries {
		e := &entries[i]
		low := e.low + e.fall*(e.until-now)
		high, rank := low+e.spread, e.rank
		if r.byLow {
			rank = -low
		}
		switch {
		case e.until <= now || e.rank == math.Inf(1) || low == math.Inf(-1): // the bounds do not help
			s.look(k, int(e.node), nil)
		case low > room || rank < reach:
		case high <= sure && r.byLow:
			r.suggest(d.offset+low, int(e.node))
		case high <= sure:
			r.suggest(d.offset-high, int(e.node))
		case rank <= top:
			s.look(k, int(e.node), nil)
		case rank <= d.most:
			r.dear++
		}
	}
}

// propose nominates a node by its key.
func (r *roster) propose(key float64, node int) {
	if key <= r.bar {
		r.nominate(key, node, len(r.site.Node(node).Members), false)
	}
}

// suggest nominates a node by a floor.
func (r *roster) suggest(floor float64, node int) {
	if floor <= r.bar {
		r.nominate(floor, node, len(r.site.Node(node).Members), true)
	}
}

// members implements keyer.
func (r *roster) members(to []int, node, n int) []int {
	if node >= 0 {
		members := r.site.Node(node).Members
		for _, i := range members[:min(n, len(members))] {
			to = append(to, int(i))
		}
		return to
	}
	k := &r.kinds[^node]
	for number := range k.idle.first(n, k.count) {
		to = append(to, k.processor(number))
	}
	return to
}

// processor returns the processor of a kind with a number.
func (k *machineKind) processor(number int) int {
	if k.processors == nil {
		return number
	}
	return int(k.processors[number])
}

// bottom returns the least rank in a block.
func (k *machineKind) bottom(at int) float64 {
	if at == 0 {
		return math.Inf(-1)
	}
	return k.heads[at-1].top
}

// take marks processors as busy.
func (r *roster) take(processors []int) {
	for _, i := range processors {
		k := r.kind(i)
		k.idle.take(k.number(i))
	}
}

// tally adds to the number of busy nodes.
//
// With a larger drift, loads are refreshed less often and more nodes are examined in
// vain. With n nodes both are balanced if the drift is proportional to 1/sqrt(n).
func (k *machineKind) tally(by int) {
	k.busy += by
	k.drift = 4 / math.Sqrt(float64(k.busy))
}

// file puts a node whose rates were just set in its place.
func (r *roster) file(n *simulate.Node, s seeker) {
	for n.ID >= len(r.places) {
		r.places = append(r.places, nodePlace{})
	}
	k, p := r.kind(int(n.Members[0])), &r.places[n.ID]
	if len(n.Tasks) == 0 {
		for _, i := range n.Members {
			k.idle.put(k.number(int(i)))
		}
		if p.block == nil {
			return
		}
		r.remove(p)
		if k.tally(-1); k.isSparse() {
			r.cut(k, 0, len(k.blocks))
		}
		return
	}
	if p.block == nil {
		k.tally(1)
	}
	e := s.bound(k, n.ID)
	if p.block != nil {
		at := p.block.at
		if h := &k.heads[at]; k.bottom(at) <= e.rank && e.rank <= h.top {
			h.low, h.until = min(h.low, e.low), min(h.until, e.until)
			p.block.entries[p.at] = e
			return
		}
		r.remove(p)
	}
	r.insert(k, e)
}

// insert puts a listing into the block for its rank.
func (r *roster) insert(k *machineKind, e listing) {
	if len(k.blocks) == 0 {
		k.blocks, k.heads = []*nodeBlock{{}}, []blockHead{{math.Inf(1), math.Inf(1), math.Inf(1)}}
	}
	at, _ := slices.BinarySearchFunc(k.heads, e.rank, func(h blockHead, rank float64) int { return cmp.Compare(h.top, rank) })
	h, b := &k.heads[at], k.blocks[at]
	h.low, h.until = min(h.low, e.low), min(h.until, e.until)
	r.add(b, e)
	switch {
	case len(b.entries) <= capacity:
	case k.isSparse():
		r.cut(k, 0, len(k.blocks))
	default:
		r.cut(k, at, at+1)
	}
}

// isSparse reports whether the busy nodes are spread over far more blocks than
// they need.
func (k *machineKind) isSparse() bool { return len(k.blocks) > 1 && len(k.blocks)*capacity > 8*k.busy }

func (r *roster) add(b *nodeBlock, e listing) {
	r.places[e.node] = nodePlace{b, int32(len(b.entries))}
	b.entries = append(b.entries, e)
}

func (r *roster) remove(p *nodePlace) {
	b, last := p.block, len(p.block.entries)-1
	moved := b.entries[last]
	b.entries[p.at] = moved
	r.places[moved.node].at = p.at
	b.entries = b.entries[:last]
	*p = nodePlace{}
}

// cut replaces a range of blocks by blocks that are half full.
func (r *roster) cut(k *machineKind, from, to int) {
	var all []listing
	for _, b := range k.blocks[from:to] {
		all = append(all, b.entries...)
	}
	const size = capacity / 2
	slices.SortFunc(all, func(a, b listing) int { return cmp.Compare(a.rank, b.rank) })
	top := k.heads[to-1].top
	var blocks []*nodeBlock
	var heads []blockHead
	for first := true; first || len(all) > 0; first = false {
		n := min(size, len(all))
		b, h := new(nodeBlock), blockHead{top: top, low: math.Inf(1), until: math.Inf(1)}
		b.entries = make([]listing, 0, capacity+1)
		for _, e := range all[:n] {
			r.add(b, e)
			h.low, h.until = min(h.low, e.low), min(h.until, e.until)
		}
		if all = all[n:]; len(all) > 0 {
			h.top = b.entries[n-1].rank
		}
		blocks, heads = append(blocks, b), append(heads, h)
	}
	k.blocks = slices.Replace(k.blocks, from, to, blocks...)
	k.heads = slices.Replace(k.heads, from, to, heads...)
	for at := from; at < len(k.blocks); at++ {
		k.blocks[at].at = at
	}
}

// refresh lists expired entries again.
func (r *roster) refresh(k *machineKind, s seeker, now float64) {
	r.moved = r.moved[:0]
	for at := range k.heads {
		h := &k.heads[at]
		if h.until > now {
			continue
		}
		b, bottom := k.blocks[at], k.bottom(at)
		h.low, h.until = math.Inf(1), math.Inf(1)
		for i := 0; i < len(b.entries); {
			e := &b.entries[i]
			if e.until <= now {
				*e = s.bound(k, int(e.node))
				if e.rank < bottom || e.rank > h.top {
					r.moved = append(r.moved, *e)
					r.remove(&r.places[e.node])
					continue
				}
			}
			h.low, h.until = min(h.low, e.low), min(h.until, e.until)
			i++
		}
	}
	for _, e := range r.moved {
		r.insert(k, e)
	}
}

// idleNodes is the set of idle processors of a kind, by number. Numbers from fresh on have
// never been taken.
type idleNodes struct {
	words []uint64 // of those below fresh
	low   int      // all words before are 0
	fresh int
	taken int // processors that are not idle
}

// first yields the n least numbers, or all, of a kind with the given count.
func (s *idleNodes) first(n, count int) func(yield func(int) bool) {
	return func(yield func(int) bool) {
		for s.low < len(s.words) && s.words[s.low] == 0 {
			s.low++
		}
		for i := s.low; i < len(s.words) && n > 0; i++ {
			for w := s.words[i]; w != 0 && n > 0; w &= w - 1 {
				if n--; !yield(64*i + bits.TrailingZeros64(w)) {
					return
				}
			}
		}
		for i := s.fresh; i < count && n > 0; i++ {
			if n--; !yield(i) {
				return
			}
		}
	}
}

// take removes a number if it is in the set. Numbers that were never taken must be taken
// in order.
func (s *idleNodes) take(number int) {
	if number >= s.fresh {
		if number > s.fresh {
			panic("policy: a processor is taken before one that is as good")
		}
		s.fresh++
		s.taken++
		if number/64 == len(s.words) {
			s.words = append(s.words, 0)
		}
		return
	}
	bit := uint64(1) << (number % 64)
	if s.words[number/64]&bit != 0 {
		s.words[number/64] &^= bit
		s.taken++
	}
}

func (s *idleNodes) put(number int) {
	s.taken--
	s.words[number/64] |= 1 << (number % 64)
	s.low = min(s.low, number/64)
}
