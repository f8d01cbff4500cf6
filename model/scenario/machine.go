package scenario

import "fmt"

// Machine describes a node.
type Machine struct {
	Speed  float64 // over that of the machine whose runtimes the trace records
	Memory float64 // in the unit of the trace, kB per node; 0 is no limit
	Disk   float64 // 0 is no limit
}

var rating = quantity{want: "a speed rating above 0 such as 168", unit: plain, open: true}

// machines reads the section nodes: one kind for all, or a list of groups with
// a count each.
func (d *decoder) machines(root *cursor, t *Trace) {
	c, reference := root.get("nodes"), root.get("trace").get("speed")
	switch {
	case !c.given() && reference.given():
		reference.fail("expected nodes with a speed of their own beside it")
	case !c.given() || d.err != nil:
	case c.n.kind == sequence:
		d.groups(c, reference, t)
	default:
		m, ok := d.machine(c)
		if !ok {
			return
		}
		m.Speed /= reference.numberOr(rating, m.Speed)
		if m != (Machine{Speed: 1}) {
			d.alike(c, m, t)
		}
	}
}

// alike makes all nodes of one kind.
func (d *decoder) alike(c *cursor, m Machine, t *Trace) {
	if t.Nodes == 0 {
		c.up.get("trace").get("nodes").fail("missing, expected how many nodes have this speed, memory or disk")
		return
	}
	for range t.Nodes {
		t.Machines = append(t.Machines, m)
	}
}

// groups reads a list of unlike nodes. Speeds are over that of the first group
// unless the trace gives another.
func (d *decoder) groups(c, reference *cursor, t *Trace) {
	var all []Machine
	var base float64
	for i, place := range c.list("groups of nodes such as [{count: 64, speed: 168}, {count: 64, speed: 84}]") {
		m, ok := d.machine(place, "count")
		if !ok {
			return
		}
		if i == 0 {
			base = reference.numberOr(rating, m.Speed)
		}
		m.Speed /= base
		n := int(place.get("count").number(nodeCount))
		if len(all)+n > maxMachines {
			place.get("count").fail("expected at most %d nodes in groups", maxMachines)
			return
		}
		for range n {
			all = append(all, m)
		}
	}
	if nodes := c.up.get("trace").get("nodes"); t.Nodes > 0 && t.Nodes != len(all) {
		blame(nodes, c).fail("expected %d, as many nodes as the groups count, got %d", len(all), t.Nodes)
	}
	t.Nodes, t.Machines = len(all), all
}

// maxMachines bounds a machine whose nodes are described one by one.
const maxMachines = 1 << 20

// machine reads the fields of a kind of node.
func (d *decoder) machine(c *cursor, more ...string) (Machine, bool) {
	if !c.mapping("a kind of node such as {speed: 168}", append(more, "speed", "memory", "disk")...) {
		return Machine{}, false
	}
	m := Machine{Speed: c.get("speed").numberOr(rating, 1)}
	for _, limit := range []struct {
		key string
		to  *float64
	}{{"memory", &m.Memory}, {"disk", &m.Disk}} {
		if field := c.get(limit.key); field.given() {
			*limit.to = field.number(quantity{want: fmt.Sprintf("a size of %s above 0", limit.key), unit: plain, open: true})
		}
	}
	return m, d.err == nil
}
