package scenario

import (
	"slices"

	"revopt/internal/text"
	"revopt/model"
)

// parts are the classes and pools of a file as its lists state them, before the scenario
// completes them. Overrides leave the nodes of the file that they do not touch, so that a
// document with overrides takes such parts as they are and reads the others.
type parts struct {
	trace    bool     // the classes are laid over a trace
	arrivals *node    // of classes that state none
	pooled   []string // names of the pools
	classes  map[*node]keptClass
	pools    map[*node]Pool // without their policies
}

// keptClass is a class of a file.
type keptClass struct {
	class    model.Class
	selector *model.Selector
	open     bool // it loses value and states no largest penalty
}

// stated returns the parts of the file, nil if there are none to take.
func (d *decoder) stated() *parts {
	if d.base.scenario() == nil || d.numeric != nil {
		return nil
	}
	return d.base.parts
}

// like reports whether a class of the file means the same in a scenario that is being read.
func (p *parts) like(root *cursor, s *Scenario) bool {
	return p != nil && p.trace == (s.Trace != nil) && p.arrivals == root.n.get("arrivals") &&
		slices.Equal(p.pooled, s.poolNames())
}

func (s *Scenario) poolNames() []string {
	return text.Each(s.Pools, func(p Pool) string { return p.Name })
}

// keepClass keeps the class at a place, if this is the reading of a file.
func (d *decoder) keepClass(place *cursor, class model.Class, s *Scenario, open bool) {
	p := d.parts
	if p == nil {
		return
	}
	if p.classes == nil {
		p.classes = map[*node]keptClass{}
		p.trace = s.Trace != nil
		p.arrivals = place.up.up.n.get("arrivals")
		p.pooled = s.poolNames()
	}
	k := keptClass{class: class, open: open}
	if n := len(s.Classes); n < len(s.Selectors) {
		k.selector = s.Selectors[n]
	}
	if class.Demand != nil { // the scenario completes it
		k.class.Demand = new(*class.Demand)
	}
	p.classes[place.n] = k
}

// take returns the class of the file at a place, if it is the same in the scenario that is
// being read and fits on its machine.
func (p *parts) take(place *cursor, s *Scenario, fits func(*model.Class) bool) (class model.Class, ok bool) {
	if p == nil {
		return class, false
	}
	k, ok := p.classes[place.n]
	if !ok || !fits(&k.class) {
		return class, false
	}
	if s.Trace != nil {
		s.Selectors = append(s.Selectors, k.selector)
	}
	if k.open {
		place.d.open = append(place.d.open, k.class.Name)
	}
	if k.class.Demand != nil {
		k.class.Demand = new(*k.class.Demand)
	}
	return k.class, true
}

// keepPool keeps the pool at a place, if this is the reading of a file.
func (d *decoder) keepPool(place *cursor, p Pool, s *Scenario) {
	if d.parts == nil {
		return
	}
	if d.parts.pools == nil {
		d.parts.pools = map[*node]Pool{}
		d.parts.trace = s.Trace != nil
	}
	d.parts.pools[place.n] = p
}

// pool returns the pool of the file at a place, if the scenario that is being read has the
// same kind of jobs.
func (p *parts) pool(place *cursor, s *Scenario) (pool Pool, ok bool) {
	if p == nil || p.trace != (s.Trace != nil) {
		return pool, false
	}
	pool, ok = p.pools[place.n]
	return pool, ok
}

// holds reports whether the jobs of a class fit on a machine, or in their pool of it.
func (s *Scenario) holds(class *model.Class, machine *server) bool {
	slots := machine.slots
	if s.Pools != nil {
		slots = float64(s.Pools[s.pool(class.Pool)].Units)
	}
	return machine.parallel || slices.Max(class.Width.Values) <= slots
}
