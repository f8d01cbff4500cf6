package simulate

import (
	"fmt"
	"iter"
	"math"
)

// Machine describes a node. A job of Work seconds runs for Work/Speed seconds
// on it, and an estimate is translated alike.
type Machine struct {
	Speed  float64 // rating over that of the reference on which runtimes are stated
	Memory float64 // in the unit of Requirements; 0 is no limit
	Disk   float64 // likewise
	Price  float64 // $ for a second of processing, for policies that price nodes; 0 is their base price
}

// Node is a named processor of a cluster with a Sharing, or several in the same state,
// see Cluster.Group.
type Node struct {
	Machine
	ID      int     // index in its cluster
	Members []int32 // processors, in order
	Tasks   []Task  // of each processor

	site    *Cluster
	index   int32 // among the nodes of all sites
	last    float64
	due     float64 // next completion or review
	review  float64
	spends  bool // its Sharing wants to know of spent estimates
	pending bool // an event is in the heap
	version uint32
	dirty   bool
	taken   int // of the members, for the job that starts
}

// Task is the part of a job that runs on one node.
type Task struct {
	Job      *Job
	left     float64 // s of work at rate 1, when the rates were set
	Rate     float64 // work done per second
	work     float64 // s of work at rate 1 on this node, in all
	Estimate float64 // of the work, s at rate 1 on this node, as stated and translated to it
	Due      float64 // time of the deadline as stated, see Job.Stated; the time of submission where there is none
	Allowed  float64 // s from the submission to it
	Hard     bool    // the deadline is hard
	class    int32

	// Note is the policy's own, to be set after StartOn.
	Note [2]float64
}

// rounding is the part of a task's work that counts as none. Tasks whose ends agree in
// exact arithmetic then end together, even if the rounding error of one would keep it
// running for long at its later rate.
const rounding = 1e-12

// Left returns what is left of the estimate so long after the work left was noted, see Node.Elapsed, s of work. It is
// negative if the task needs more.
func (t *Task) Left(elapsed float64) float64 { return t.left - t.Rate*elapsed + (t.Estimate - t.work) }

// over reports whether the given work left is zero up to rounding.
func (t *Task) over(left float64) bool { return left <= rounding*t.work }

// spent reports whether a task with the given work left at the given time has
// used up its estimate, up to rounding, and is not done.
func (t *Task) spent(left, now float64) bool {
	beyond := t.work - t.Estimate
	return beyond > rounding*t.work && !t.over(left) && left-beyond <= rounding*t.work+t.Rate*epsilon*now
}

// addNodes describes the nodes of a cluster with a Sharing. They are made one by
// one, by Node: memory follows the nodes that are used.
func (c *Cluster) addNodes(machines []Machine) error {
	if machines == nil {
		return nil
	}
	if c.sharing == nil || len(machines) != 1 && len(machines) != c.processors {
		return fmt.Errorf("simulate: site %d has %d machines for %d processors, or does not share them",
			c.index, len(machines), c.processors)
	}
	c.machines, c.speed = machines, machines[0].Speed
	for i, m := range machines {
		if !(m.Speed > 0) || math.IsInf(m.Speed, 1) || !(m.Memory >= 0) || !(m.Disk >= 0) || !(m.Price >= 0) ||
			math.IsInf(m.Price, 1) {
			return fmt.Errorf("simulate: node %d of site %d is %+v", i, c.index, m)
		}
		c.speed = max(c.speed, m.Speed)
	}
	return nil
}

// Shared reports whether the cluster has a Sharing, and so nodes.
func (c *Cluster) Shared() bool { return c.sharing != nil }

// Machine describes a node of a cluster with a Sharing, without making it.
func (c *Cluster) Machine(node int) Machine {
	switch len(c.machines) {
	case 0:
		return Machine{Speed: 1}
	case 1:
		return c.machines[0]
	}
	return c.machines[node]
}

// Alike reports whether all nodes are of one machine.
func (c *Cluster) Alike() bool { return len(c.machines) < 2 }

// Group joins processors in the same state into one Node: processors of one machine that
// are idle when a job starts on them, until a job starts on some of them only. Rates,
// completions and searches then cost as much as the nodes, not as the processors. It is
// called before the first start. StartOn must take the processors of a node from the first
// on.
func (c *Cluster) Group() { c.grouped = true }

// NodeOf returns the node of a processor of a grouped cluster, nil if it is idle.
func (c *Cluster) NodeOf(processor int) *Node {
	if processor >= len(c.nodeOf) {
		return nil
	}
	return c.nodeOf[processor]
}

// Node returns a node of a cluster with a Sharing, and makes it if need be.
func (c *Cluster) Node(i int) *Node {
	if i >= len(c.nodes) {
		c.nodes = append(c.nodes, make([]*Node, i+1-len(c.nodes))...)
	}
	n := c.nodes[i]
	if n == nil {
		k := c.kernel
		n = &Node{ID: i, site: c, index: int32(len(k.nodes))}
		if !c.grouped {
			n.Machine, n.Members = c.Machine(i), []int32{int32(i)}
		}
		c.nodes[i] = n
		c.made++
		k.nodes = append(k.nodes, n)
	}
	return n
}

// Nodes returns all nodes of a cluster with a Sharing that is not grouped, otherwise nil.
// It makes every node: if few are in use, Node is cheaper.
func (c *Cluster) Nodes() []*Node {
	if c.sharing == nil || c.grouped {
		return nil
	}
	if c.made < c.processors {
		for i := range c.processors {
			c.Node(i)
		}
	}
	return c.nodes
}

// Touched yields the nodes whose list of tasks has changed since SetRates was
// called, see Node.Changed.
func (c *Cluster) Touched() iter.Seq[*Node] {
	return func(yield func(*Node) bool) {
		for _, n := range c.kernel.dirty {
			if n.site == c && !yield(n) {
				return
			}
		}
	}
}

// Left returns what is left of the estimate of task i at the given time, s of work. It is negative if the task needs
// more.
func (n *Node) Left(i int, now float64) float64 { return n.Tasks[i].Left(now - n.last) }

// left returns the work left of task i now.
func (n *Node) left(i int) float64 {
	t := &n.Tasks[i]
	return t.left - t.Rate*(n.site.kernel.now-n.last)
}

// Over reports whether task i is done now, up to rounding: it ends at this instant.
func (n *Node) Over(i int) bool { return n.Tasks[i].over(n.left(i)) }

// Spent reports whether task i has used up its estimate by now, up to rounding, and is not done.
func (n *Node) Spent(i int) bool { return n.Tasks[i].spent(n.left(i), n.site.kernel.now) }

// Elapsed returns the time since the work left of the tasks was noted.
func (n *Node) Elapsed(now float64) float64 { return now - n.last }

// Changed reports whether the list of tasks has changed since SetRates was
// called, so that notes which a Sharing made then are out of date.
func (n *Node) Changed() bool { return n.dirty }

// ReviewAt asks for SetRates at the given time even if the list of tasks has
// not changed by then. It is called by SetRates and holds until the next.
func (n *Node) ReviewAt(at float64) { n.review = at }

// ReviewSpent is ReviewAt for the first time at which a task has used up its estimate and is not done.
func (n *Node) ReviewSpent() { n.spends = true }

// firstSpent returns that time, +Inf if it never comes.
func (n *Node) firstSpent(now float64) float64 {
	at := math.Inf(1)
	for i := range n.Tasks {
		t := &n.Tasks[i]
		if beyond := t.work - t.Estimate; beyond > 0 && t.Rate > 0 {
			left := t.left - beyond
			if left > 0 && !t.spent(t.left, now) {
				at = min(at, now+left/t.Rate)
			}
		}
	}
	return at
}

// StartOn runs a waiting job as one task of Work/Speed seconds on each of the
// given processors. The tasks advance independently; the job ends with the last of them.
func (c *Cluster) StartOn(j *Job, processors []int) {
	if c.sharing == nil || len(processors) != j.Width {
		panic(fmt.Sprintf("simulate: job %d of width %d started on %d processors, or the cluster is not shared",
			j.ID, j.Width, len(processors)))
	}
	c.begin(j)
	j.tasks = int32(len(processors))
	for _, i := range processors {
		j.Nodes = append(j.Nodes, int32(i))
	}
	for _, n := range c.divide(j.Nodes) {
		n.touch()
		if len(n.Tasks) == 0 {
			c.free -= len(n.Members)
		}
		work := j.work / n.Speed
		due := j.Stated(j.Spec.Details.Estimate).Due
		n.Tasks = append(n.Tasks, Task{
			Job: j, left: work, work: work,
			Estimate: j.Spec.Details.Estimate / n.Speed, Due: j.Submit + due, Allowed: due,
			Hard: j.Value.Hard, class: int32(j.Class),
		})
	}
	c.kernel.observer.Start(c, j, c.kernel.now)
}

// divide returns the nodes of the given processors. If a node has other processors too, the
// given ones become a new node.
func (c *Cluster) divide(processors []int32) []*Node {
	c.chosen = c.chosen[:0]
	if !c.grouped {
		for _, i := range processors {
			c.chosen = append(c.chosen, c.Node(int(i)))
		}
		return c.chosen
	}
	var fresh *Node // the last one that was idle
	for _, i := range processors {
		for int(i) >= len(c.nodeOf) {
			c.nodeOf = append(c.nodeOf, nil)
		}
		n := c.nodeOf[i]
		switch {
		case n != nil:
		case fresh == nil || !c.Alike() && fresh.Machine != c.machines[i]:
			fresh = c.vacant()
			fresh.Machine, fresh.Members = c.Machine(int(i)), append(make([]int32, 0, len(processors)), i)
			n = fresh
		default:
			fresh.Members = append(fresh.Members, i)
			n = fresh
		}
		if n.taken == 0 {
			c.chosen = append(c.chosen, n)
		}
		if n.Members[n.taken] != i {
			panic(fmt.Sprintf("simulate: processor %d taken before %d, which is alike", i, n.Members[n.taken]))
		}
		c.nodeOf[i] = n
		n.taken++
	}
	for at, n := range c.chosen {
		taken := n.taken
		n.taken = 0
		if taken == len(n.Members) {
			continue
		}
		part := c.vacant()
		part.Machine, part.last, part.Tasks = n.Machine, n.last, append(part.Tasks[:0], n.Tasks...)
		part.Members, n.Members = n.Members[:taken:taken], n.Members[taken:]
		for _, i := range part.Members {
			c.nodeOf[i] = part
		}
		c.chosen[at] = part
		if c.kernel.spectators {
			c.kernel.notify(Event{Kind: Rated, Site: c, Node: n})
		}
	}
	return c.chosen
}

// vacant returns a node without processors.
func (c *Cluster) vacant() *Node {
	if last := len(c.vacancies) - 1; last >= 0 {
		n := c.vacancies[last]
		c.vacancies = c.vacancies[:last]
		return n
	}
	return c.Node(len(c.nodes))
}

// touch brings the tasks up to date and files the node for new rates.
func (n *Node) touch() {
	k := n.site.kernel
	n.advance(k.now)
	if !n.dirty {
		n.dirty = true
		k.dirty = append(k.dirty, n)
	}
}

// advance does the work since the last update.
func (n *Node) advance(now float64) {
	dt := now - n.last
	n.last = now
	if dt == 0 {
		return
	}
	use, members := n.site.use, float64(len(n.Members))
	for i := range n.Tasks {
		t := &n.Tasks[i]
		if t.Rate == 0 {
			continue
		}
		done := t.Rate * dt
		t.left -= done
		use[t.class].area += done * members
	}
}

// delivering returns the work done for a class since the last update.
func (n *Node) delivering(class int, now float64) float64 {
	var sum float64
	for i := range n.Tasks {
		if t := &n.Tasks[i]; int(t.class) == class {
			sum += t.Rate * (now - n.last) * float64(len(n.Members))
		}
	}
	return sum
}

// reach ends the tasks that are done. There may be none, if the event is a review.
func (n *Node) reach(k *kernel) {
	n.pending = false
	n.touch()
	kept := 0
	for i := range n.Tasks {
		t := &n.Tasks[i]
		if t.left > t.Rate*epsilon*k.now && !t.over(t.left) {
			if kept < i {
				n.Tasks[kept] = *t
			}
			kept++
			continue
		}
		n.site.stir()
		if t.Job.pieces {
			n.site.finished(t)
			continue
		}
		t.Job.tasks -= int32(len(n.Members))
		if t.Job.tasks == 0 {
			k.complete(t.Job)
		}
	}
	if kept == 0 && len(n.Tasks) > 0 {
		n.site.free += len(n.Members)
	}
	n.Tasks = n.Tasks[:kept]
}

// least returns the time until the first task is done, +Inf if none ever is.
func (n *Node) least() float64 {
	left, rate := 1.0, 0.0 // of the first one: the least quotient
	for i := range n.Tasks {
		t := &n.Tasks[i]
		if t.over(t.left) {
			return 0
		}
		if t.left*rate < left*t.Rate {
			left, rate = t.left, t.Rate
		}
	}
	return left / rate
}

// rerate sets the rates of the tasks and schedules the node's next event.
func (n *Node) rerate(k *kernel) {
	n.dirty = false
	n.review = math.Inf(1)
	n.spends = false
	n.site.sharing.SetRates(n, k.now)
	if n.spends {
		n.review = min(n.review, n.firstSpent(k.now))
	}
	n.due = min(n.review, k.now+n.least())
	if n.pending {
		k.stale++
	}
	n.version++
	n.pending = !math.IsInf(n.due, 1)
	if n.pending {
		k.events.push(early(n.due), completion, ^n.index, n.version)
	}
	if k.spectators {
		k.notify(Event{Kind: Rated, Site: n.site, Node: n})
	}
	if n.site.grouped && len(n.Tasks) == 0 {
		for _, i := range n.Members {
			n.site.nodeOf[i] = nil
		}
		n.Members = nil
		n.site.vacancies = append(n.site.vacancies, n)
	}
}
