package scenario

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"revopt/model"
)

// Trace is a machine and the trace of jobs offered to it.
type Trace struct {
	File      string // path of an SWF file, or SP2Like
	Jobs      model.Subset
	Cleaning  string       // keep, reject or drop
	Delay     float64      // arrival delay factor, scales every time between arrivals; 1 where Load is stated
	Load      float64      // offered load to reach by a delay factor; 0 where none is stated
	LoadNodes int          // of the machine that Load is stated for; 0: as the trace's header says
	Nodes     int          // of the machine; 0: as the trace's header says
	Machines  []Machine    // one per node; nil where all are alike and without limits
	Estimates string       // of run times: users or exact; "" where the scenario does not say
	QoS       *model.QoS   // nil: classes say what jobs are worth, or jobs are worth nothing
	IC        *model.Split // nil: jobs are not split into a mandatory and an optional part
}

// SP2Like is the name, in place of a file, of the embedded generator.
const SP2Like = "sp2-like"

// traceScenario decodes a scenario with a trace.
func (d *decoder) traceScenario(root *cursor, s *Scenario) {
	for _, key := range []string{"server", "phi", "arrivals"} {
		if c := root.get(key); c.given() {
			c.fail("expected no %s beside a trace, which has its machine and arrivals", key)
			return
		}
	}
	if !root.mapping("a trace scenario", "name", "trace", "load", "growth", "nodes", "classes", "qos", "ic", "policies", "simulation") {
		return
	}
	t := &Trace{}
	s.Trace = t
	d.jobs(root.get("trace"), t)
	d.machines(root, t)
	if d.err != nil {
		return
	}
	s.Nodes = t.Nodes
	d.traceLoad(root, s)
	classes, qos := root.get("classes"), root.get("qos")
	if classes.given() && qos.given() {
		blame(classes, qos, classes).fail("expected qos or classes, got both: qos is short for two classes of urgency")
		return
	}
	if t.QoS = d.qos(qos); t.QoS != nil && t.Estimates != "" && qos.get("estimates").given() {
		qos.get("estimates").fail("expected estimates in trace or in qos, got both")
	}
	if classes.given() {
		d.customers(classes.list("a list of classes"), s)
	}
	dated, _ := s.Deadlines()
	t.IC = d.imprecise(root.get("ic"), dated)
	s.Simulation = d.replications(root.get("simulation"))
}

var nodeCount = quantity{want: "a whole number of nodes from 1 to 1073741824", unit: plain, least: 1, most: 1 << 30, whole: true}

// jobs reads the section trace.
func (d *decoder) jobs(c *cursor, t *Trace) {
	if !c.mapping("a trace such as {file: sp2.swf, jobs: last:5000}", "file", "jobs", "cleaning", "arrival_delay_factor", "nodes", "speed", "estimates") {
		return
	}
	if t.File = c.get("file").n.plainText(); t.File != SP2Like {
		t.File = d.path(c.get("file"), "the path of an SWF file, or "+SP2Like)
	}
	t.Jobs = d.subset(c.get("jobs"))
	t.Cleaning = c.get("cleaning").choice("keep", "reject", "drop")
	if estimates := c.get("estimates"); estimates.given() {
		t.Estimates = estimates.choice("users", "exact")
	}
	if nodes := c.get("nodes"); nodes.given() {
		t.Nodes = int(nodes.number(nodeCount))
	} else {
		nodes.isNumeric()
	}
}

// traceLoad reads how densely the jobs of a trace arrive: a delay factor or a
// load, and growth. A load of the file is that of the machine of the file.
func (d *decoder) traceLoad(root *cursor, s *Scenario) {
	t, load, delay := s.Trace, root.get("load"), root.get("trace").get("arrival_delay_factor")
	t.Delay = 1
	if latest(delay, load) == load {
		delay.isNumeric()
		t.Load, t.LoadNodes = load.number(offeredLoad), t.Nodes
		if base := d.base.scenario(); base != nil && base.Trace != nil && !load.overridden() {
			t.LoadNodes = base.Trace.Nodes
		}
	} else {
		load.isNumeric()
		t.Delay = delay.numberOr(factor, 1)
	}
	s.Growth = root.get("growth").growth()
	if t.Load > 0 {
		t.Load *= 1 + s.Growth
	} else {
		t.Delay /= 1 + s.Growth
	}
	s.Load = t.Load
}

// maxTime is the largest time of a trace, s.
const maxTime = 1 << 53

// path reads the name of a file: relative to the scenario, or to the working
// directory where it comes from the command line.
func (d *decoder) path(c *cursor, want string) string {
	name := c.text(want)
	if filepath.IsAbs(name) || c.overridden() || d.err != nil {
		return name
	}
	return filepath.Join(filepath.Dir(d.file), name)
}

// maxLast bounds the jobs that are kept in memory to find the last.
const maxLast = 1 << 22

const subsetWant = "all, last:N, first:N or from:T1:T2 (submit times)"

// subset reads which jobs of a trace are meant.
func (d *decoder) subset(c *cursor) model.Subset {
	if !c.given() {
		return model.Subset{}
	}
	if c.n.kind != scalar {
		c.expected(subsetWant)
		return model.Subset{}
	}
	s, err := ParseSubset(c.n.text)
	if err != nil {
		c.expected(subsetWant)
	}
	return s
}

// ParseSubset reads all, last:N, first:N or from:T1:T2, where the times are
// submit times of the trace, in seconds or with a unit, as in from:30d:60d.
func ParseSubset(text string) (model.Subset, error) {
	word, rest, _ := strings.Cut(text, ":")
	switch word {
	case "all":
		if text == word {
			return model.Subset{}, nil
		}
	case "first", "last":
		n, err := strconv.ParseInt(rest, 10, 64)
		switch {
		case err != nil || n < 1:
		case word == "first":
			return model.Subset{First: n}, nil
		case n <= maxLast:
			return model.Subset{Last: n}, nil
		}
	case "from":
		begin, end, _ := strings.Cut(rest, ":")
		from, ok := duration.parse(begin)
		to, also := duration.parse(end)
		if ok && also && from >= 0 && from < to {
			return model.Subset{From: from, To: to}, nil
		}
	}
	return model.Subset{}, &Error{Message: "expected " + subsetWant + ", got " + quote(text)}
}

// Machine describes a node.
type Machine struct {
	Speed  float64 // over that of the machine whose runtimes the trace records
	Memory float64 // in the unit of the trace, kB per node; 0 is no limit
	Disk   float64 // 0 is no limit
	Price  float64 // $ for a second of processing; 0 is the base price of the policy
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
		c.up.get("trace").get("nodes").fail("missing, expected how many nodes have this speed, memory, disk or price")
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
	if !c.mapping("a kind of node such as {speed: 168}", append(more, "speed", "memory", "disk", "price")...) {
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
	if price := c.get("price"); price.given() {
		m.Price = price.number(quantity{want: "a price above 0, $ per second", unit: plain, open: true})
	}
	return m, d.err == nil
}

// The defaults are those of Yeo and Buyya (2007), Table I.
const (
	defaultHighUrgency = 0.2
	defaultLowMean     = 2
	defaultRatio       = 4
	defaultSpread      = 0.25
)

var underestimate = quantity{want: "a fraction of at least 0 and below 1 such as 0.2 or 20%", unit: percent, most: 1}

// qos reads the section of that name.
func (d *decoder) qos(c *cursor) *model.QoS {
	if !c.given() || d.err != nil {
		return nil
	}
	if !c.mapping("a mapping such as {high_urgency: 0.2, deadline: {low_mean: 2, ratio: 4}}",
		"high_urgency", "deadline", "budget", "penalty", "hard", "inaccuracy", "estimates") {
		return nil
	}
	q := &model.QoS{
		HighUrgency: c.get("high_urgency").numberOr(fraction, defaultHighUrgency),
		Deadline:    d.contrast(c.get("deadline"), defaultLowMean, 1),
		Budget:      d.contrast(c.get("budget"), defaultLowMean, 1),
		Penalty:     d.contrast(c.get("penalty"), 0, 0),
		Inaccuracy:  c.get("inaccuracy").numberOr(underestimate, 0),
	}
	if q.Inaccuracy == 1 {
		c.get("inaccuracy").expected(underestimate.want)
	}
	q.OfUsers = c.get("estimates").choice("exact", "users") == "users"
	if q.OfUsers && q.Inaccuracy > 0 {
		c.get("inaccuracy").fail("expected none where estimates are those of the users")
	}
	q.Hard = d.hard(c.get("hard"))
	return q
}

// contrast reads the two means of a quantity that must exceed a limit.
func (d *decoder) contrast(c *cursor, lowMean, limit float64) model.Spread {
	if c.given() && !c.mapping("a mapping such as {low_mean: 2, ratio: 4, sd: 0.25}", "low_mean", "ratio", "sd") {
		return model.Spread{}
	}
	s := model.Spread{
		LowMean: c.get("low_mean").numberOr(amount, lowMean),
		Ratio:   c.get("ratio").numberOr(amount, defaultRatio),
		SD:      c.get("sd").numberOr(multiple, defaultSpread),
	}
	if d.err != nil {
		return s
	}
	place := blame(c, c.get("low_mean"), c.get("ratio"), c.get("sd"))
	if s.LowMean > maxTime || s.LowMean*s.Ratio*(1+s.SD) > maxTime {
		place.fail("expected means of at most 2^53, got %g and %g", s.LowMean, s.LowMean*s.Ratio)
		return s
	}
	for _, mean := range []float64{s.LowMean, s.LowMean * s.Ratio} {
		if !model.Drawable(mean, s.SD*mean, limit) {
			place.fail("expected a mean of which draws exceed %g now and then, got mean %g and sd %g", limit, mean, s.SD*mean)
		}
	}
	return s
}

// hard reads whose deadlines are hard: high, all, none or a share of all jobs. It
// returns the shares by urgency.
func (d *decoder) hard(c *cursor) [2]float64 {
	if !c.given() {
		return [2]float64{0, 1}
	}
	if c.n.kind == scalar {
		switch c.n.text {
		case "high":
			return [2]float64{0, 1}
		case "all":
			return [2]float64{1, 1}
		case "none":
			return [2]float64{}
		}
	}
	share := fraction
	share.want = "high, all, none, or the share of jobs with hard deadlines such as 0.2 or 20%"
	p := c.number(share)
	return [2]float64{p, p}
}

// imprecise reads the section ic, which needs deadlines and budgets.
func (d *decoder) imprecise(c *cursor, dated bool) *model.Split {
	if !c.given() || d.err != nil {
		return nil
	}
	if !c.mapping("a mapping such as {optional: [0.5, 4], rate: 0.2}", "optional", "rate", "budget") {
		return nil
	}
	if !dated {
		c.fail("expected a section qos, or classes with deadlines, beside ic: parts are paid by the budget, by the deadline")
		return nil
	}
	return &model.Split{
		Optional: d.interval(c.get("optional"), multiple, model.Interval{Low: 0.5, High: 4}),
		Rate:     c.get("rate").numberOr(multiple, 0.2),
		Budget:   d.budgetShape(c.get("budget")),
	}
}
