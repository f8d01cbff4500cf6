package share

import (
	"math"
	"slices"

	"revopt/simulate"
	"revopt/simulate/policy"
)

// placement finds the nodes for jobs that start when they arrive: of all nodes that can
// take a job, those with the least keys. It looks at every node for every job.
type placement struct {
	used int           // processors from this one on have never been used
	idle simulate.Node // stands for the idle processors of a machine

	// Working memory.
	keys       []float64 // by processor
	sorted     []float64
	processors []int
	value      simulate.Value // of the job at hand, by its estimate
}

// keyer computes the keys of nodes for the job at hand.
type keyer interface {
	// key returns the key of a node, impossible if the node cannot take the job.
	key(n *simulate.Node) float64
}

// impossible is larger than all keys.
var impossible = math.Inf(1)

// tolerance says which keys are equal. Keys are sums of floating-point numbers: two are
// equal if they differ by at most the tolerance, or if keys between them connect them.
type tolerance struct {
	relative   bool // the tolerance is slack times the largest key taken
	difference float64
}

// Schedule implements simulate.Policy: everything is decided on arrival.
func (p *placement) Schedule(*simulate.Cluster) {}

// receive reports whether a cluster may take a job. It rejects a job that is too large,
// and one without a deadline or runtime.
func (p *placement) receive(c *simulate.Cluster, j *simulate.Job) bool {
	c.Group()
	switch {
	case isTooLarge(c, j):
		c.Reject(j, simulate.Resources)
	case !p.binds(j):
		c.Reject(j, simulate.Deadline)
	default:
		return true
	}
	return false
}

// binds makes a job the job at hand, and reports whether it has a runtime and a deadline, and so a share.
func (p *placement) binds(j *simulate.Job) bool {
	p.value = j.Stated(j.Spec.Details.Estimate)
	return j.Spec.Details.Estimate > 0 && p.value.Dated && p.value.Due > 0
}

// isTooLarge reports whether the cluster has fewer nodes with the memory and the disk that
// a job needs than the job is wide.
func isTooLarge(c *simulate.Cluster, j *simulate.Job) bool {
	return countMachines(c, func(m *simulate.Machine) bool { return suits(m, &j.Spec.Requirements) }) < j.Width
}

// countMachines returns the number of machines with a property.
func countMachines(c *simulate.Cluster, has func(m *simulate.Machine) bool) int {
	if c.Alike() {
		m := c.Machine(0)
		if has(&m) {
			return c.Processors()
		}
		return 0
	}
	count := 0
	for i := range c.Processors() {
		m := c.Machine(i)
		if has(&m) {
			count++
		}
	}
	return count
}

// search returns the given number of processors with the least keys, in order; nil if too
// few can take the job. Among equal keys the lower processor is taken. The result holds
// until the next call.
func (p *placement) search(c *simulate.Cluster, width int, k keyer, t tolerance) []int {
	p.setKeys(c, width, k)
	return p.choose(width, t)
}

// start starts a job on processors.
func (p *placement) start(c *simulate.Cluster, j *simulate.Job, processors []int) {
	p.used = max(p.used, processors[len(processors)-1]+1)
	c.StartOn(j, processors)
}

// setKeys computes the keys of all processors that a job of the given width may get.
func (p *placement) setKeys(c *simulate.Cluster, width int, k keyer) {
	reach := c.Processors()
	if c.Alike() {
		reach = min(reach, p.used+width) // further processors are idle as well
	}
	p.keys = slices.Grow(p.keys[:0], reach)[:reach]
	p.idle = simulate.Node{}
	var idleKey float64
	var last *simulate.Node
	for i := range reach {
		n := c.NodeOf(i)
		switch {
		case n == nil:
			if p.idle.ID == 0 || !c.Alike() && c.Machine(i) != p.idle.Machine {
				idleKey = k.key(p.idleNode(c.Machine(i)))
			}
			p.keys[i] = idleKey
		case n != last && int(n.Members[0]) == i:
			key := k.key(n)
			for _, member := range n.Members {
				p.keys[member] = key
			}
		}
		last = n
	}
}

// idleNode returns a node without tasks, until the next call.
func (p *placement) idleNode(m simulate.Machine) *simulate.Node {
	p.idle = simulate.Node{Machine: m, ID: -1}
	return &p.idle
}

// choose returns the given number of processors by their keys. See search.
func (p *placement) choose(width int, t tolerance) []int {
	p.sorted = p.sorted[:0]
	for _, key := range p.keys {
		if key < impossible {
			p.sorted = append(p.sorted, key)
		}
	}
	if len(p.sorted) < width {
		return nil
	}
	slices.Sort(p.sorted)
	first, last := width-1, width-1 // the keys that equal the last one taken
	difference := t.difference
	if t.relative {
		difference = policy.Slack * max(math.Abs(p.sorted[0]), math.Abs(p.sorted[last]))
	}
	for first > 0 && p.sorted[first]-p.sorted[first-1] <= difference {
		first--
	}
	for last+1 < len(p.sorted) && p.sorted[last+1]-p.sorted[last] <= difference {
		last++
	}
	least, largest := p.sorted[first], p.sorted[last]
	equals := width - first // places left for them
	p.processors = p.processors[:0]
	for i, key := range p.keys {
		switch {
		case key < least:
			p.processors = append(p.processors, i)
		case key <= largest && equals > 0:
			p.processors = append(p.processors, i)
			equals--
		}
	}
	return p.processors
}

// suits reports whether a job could run on a machine that is otherwise empty.
func suits(m *simulate.Machine, need *simulate.Requirements) bool {
	return within(need.Memory, m.Memory) && within(need.Disk, m.Disk)
}

// within reports whether an amount is at most a limit; 0 is no limit.
func within(amount, limit float64) bool { return limit == 0 || amount <= limit*(1+policy.Slack) }

// limited reports whether a machine has limits at all.
func limited(m *simulate.Machine) bool { return m.Memory != 0 || m.Disk != 0 }

// hasRoom reports whether a node has the memory and the disk that a job needs beside those
// of its tasks.
func hasRoom(n *simulate.Node, need simulate.Requirements) bool {
	if !limited(&n.Machine) {
		return true
	}
	for i := range n.Tasks {
		used := &n.Tasks[i].Job.Spec.Requirements
		need.Memory += used.Memory
		need.Disk += used.Disk
	}
	return suits(&n.Machine, &need)
}
