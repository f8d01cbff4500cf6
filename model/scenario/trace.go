package scenario

import (
	"cmp"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"revopt/model"
)

// Trace is a machine and the trace of jobs offered to it.
type Trace struct {
	File      string // path of an SWF file, or a generator
	Jobs      model.Subset
	Window    int          // jobs in a row that every replication draws from Jobs; 0: all of them
	Cleaning  string       // keep, reject or drop
	Width     string       // of a job: asked or allocated; "" is asked
	Depend    string       // whether jobs wait to be eligible: obey or ignore; "" is obey
	Delay     float64      // arrival delay factor, scales every time between arrivals; 1 where Load is stated
	Load      float64      // offered load to reach by a delay factor; 0 if none is stated
	LoadNodes int          // of the machine that Load is stated for; 0: as the trace's header says
	Nodes     int          // of the machine; 0: as the trace's header says
	Unit      string       // the word for one of Nodes; "": as the trace's header says
	Machines  []Machine    // one per node; nil if all are alike and without limits
	Estimates string       // of run times: users or exact; "" if the scenario does not say
	QoS       *model.QoS   // nil: classes say what jobs are worth, or jobs are worth nothing
	IC        *model.Split // nil: jobs are not split into a mandatory and an optional part
}

func (s *Scenario) traceTable() table {
	t := s.Trace
	return table{
		s.nameRow(),
		mapped("trace", "a trace such as {file: sp2.swf, jobs: last:5000}", t.table(s.Pools == nil)),
		s.poolsRow(),
		{key: "load", write: t.writeLoad}, // see traceLoad
		{key: "growth"},                   // see traceLoad
		{key: "nodes", read: t.readMachines, write: t.writeMachines},
		s.machineRow(),
		s.customerRow(),
		section("qos", "a mapping such as {high_urgency: 0.2, deadline: {low_mean: 2, ratio: 4}}", &t.QoS, qosTable).
			then(func(c *cursor) {
				if c.given() && t.Estimates != "" && c.get("estimates").given() {
					c.get("estimates").fail("expected estimates in trace or in qos, got both")
				}
			}),
		section("ic", "a mapping such as {optional: [0.5, 4], rate: 0.2}", &t.IC, splitTable).
			then(func(c *cursor) {
				if dated, _ := s.Deadlines(); c.given() && !dated {
					c.fail("expected a section qos, or classes with deadlines, beside ic: " +
						"parts are paid by the budget, by the deadline")
				}
			}),
		s.limitsRow(),
		s.policiesRow(),
		s.guessedRow(),
		s.Simulation.replicationsOnly(),
	}
}

func (d *decoder) traceScenario(root *cursor, s *Scenario) {
	for _, key := range []string{"server", "phi", "arrivals"} {
		if c := root.get(key); c.given() {
			c.fail("expected no %s beside a trace, which has its machine and arrivals", key)
			return
		}
	}
	if classes, qos := root.get("classes"), root.get("qos"); classes.given() && qos.given() {
		blame(classes, qos, classes).fail("expected qos or classes, got both: qos is short for two classes of urgency")
		return
	}
	s.Trace = new(Trace)
	if s.traceTable().read(root, "a trace scenario") {
		s.Nodes = s.Trace.Nodes
		d.traceLoad(root, s)
	}
}

var nodeCount = quantity{want: "a whole number from 1 to 1073741824", unit: plain, least: 1, most: 1 << 30, whole: true}

// table lists the fields of a trace, with the size of the machine unless it has pools.
func (t *Trace) table(sized bool) table {
	file := func(c *cursor) {
		t.File = c.n.plainText()
		if !model.Generated(t.File) {
			t.File = c.file("the path of an SWF file, " + strings.Join(model.Generators(), " or "))
		}
	}
	return table{
		row{key: "file", read: file}.written(func() string { return word(t.File) }),
		row{key: "jobs", read: func(c *cursor) { t.Jobs = c.subset() }}.written(t.Jobs.String),
		number("window", &t.Window, windowJobs).ifGiven(t.Window > 0),
		choice("cleaning", &t.Cleaning, "drop", "keep", "reject"),
		choice("width", &t.Width, "asked", "allocated").ifGiven(t.Width != ""),
		choice("dependencies", &t.Depend, "obey", "ignore").ifGiven(t.Depend == "ignore"),
		row{key: "arrival_delay_factor"}. // see traceLoad
							written(func() string { return formatNumber(t.Delay) }).when(t.Load == 0),
		number("nodes", &t.Nodes, nodeCount, 0).when(sized),
		choice("unit", &t.Unit, "node", "core", "gpu", "processor").ifGiven(true),
		row{key: "speed"}.written(func() string { return "1" }).when(t.Machines != nil), // see readMachines
		choice("estimates", &t.Estimates, "users", "exact").ifGiven(true),
	}
}

// traceLoad reads how densely the jobs of a trace arrive: a delay factor or a load,
// and growth. A load of the file refers to the machine of the file.
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

func (t *Trace) writeLoad(e *encoder) string {
	switch {
	case t.Load == 0:
		return ""
	case t.LoadNodes != t.Nodes:
		e.fail("the load of another machine")
	}
	return formatNumber(t.Load)
}

// maxTime is the largest time of a trace, s.
const maxTime = 1 << 53

// file reads a path: relative to the scenario, or to the working directory for overrides.
func (c *cursor) file(want string) string {
	name := c.text(want)
	if filepath.IsAbs(name) || c.overridden() || c.d.err != nil {
		return name
	}
	return filepath.Join(filepath.Dir(c.d.file), name)
}

var windowJobs = quantity{
	want: "a number of jobs from 1 to 4194304", unit: plain, least: 1, most: maxLast, whole: true,
}

// maxLast bounds the jobs that are kept in memory to find the last.
const maxLast = 1 << 22

const subsetWant = "all, last:N, first:N, index:A:B (places from 0) or from:T1:T2 (submit times)"

// subset reads a part of a trace, all of it if c is absent.
func (c *cursor) subset() model.Subset {
	if !c.given() {
		return model.Subset{}
	}
	s, err := ParseSubset(c.n.plainText())
	if err != nil {
		c.expected(subsetWant)
	}
	return s
}

// ParseSubset reads all, last:N, first:N, index:A:B or from:T1:T2. The places A to B - 1 are those of
// jobs in the trace, from 0. The times are submit times of the trace, in seconds or with a unit, as in
// from:30d:60d.
func ParseSubset(text string) (model.Subset, error) {
	word, value, _ := strings.Cut(text, ":")
	switch word {
	case "all":
		if text == word {
			return model.Subset{}, nil
		}
	case "first", "last":
		n, err := strconv.ParseInt(value, 10, 64)
		switch {
		case err != nil || n < 1:
		case word == "first":
			return model.Subset{First: n}, nil
		case n <= maxLast:
			return model.Subset{Last: n}, nil
		}
	case "index":
		begin, end, _ := strings.Cut(value, ":")
		from, err := strconv.ParseInt(begin, 10, 64)
		to, bad := strconv.ParseInt(end, 10, 64)
		if err == nil && bad == nil && from >= 0 && from < to {
			return model.Subset{Begin: from, End: to}, nil
		}
	case "from":
		begin, end, _ := strings.Cut(value, ":")
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

// group is a number of nodes of one kind.
type group struct {
	count int
	Machine
}

var (
	rating       = quantity{want: "a speed rating above 0 such as 168", unit: plain, open: true}
	machinePrice = quantity{want: "a price above 0, $ per second", unit: plain, open: true}
)

func (g *group) table() table {
	size := func(what string) quantity {
		return quantity{want: "a size of " + what + " above 0", unit: plain, open: true}
	}
	return table{
		number("count", &g.count, nodeCount),
		number("speed", &g.Speed, rating, 1),
		number("memory", &g.Memory, size("memory")).ifGiven(g.Memory > 0),
		number("disk", &g.Disk, size("disk")).ifGiven(g.Disk > 0),
		number("price", &g.Price, machinePrice).ifGiven(g.Price > 0),
	}
}

// readMachines reads the section nodes: one kind for all, or a list of groups. Speeds
// are relative to trace.speed, by default that of the first group in the file.
func (t *Trace) readMachines(c *cursor) {
	nodes, reference := c.up.get("trace").get("nodes"), c.up.get("trace").get("speed")
	if !c.given() {
		if reference.given() {
			reference.fail("expected nodes with a speed of their own beside it")
		}
		return
	}
	places, one := []*cursor{c}, c.n.kind != sequence
	if !one {
		places = c.list("groups of nodes such as [{count: 64, speed: 168}, {count: 64, speed: 84}]")
	}
	var base float64
	for i, place := range places {
		g := group{count: t.Nodes}
		fields := g.table()
		if one {
			fields = fields[1:] // the trace counts the nodes
		}
		if !fields.read(place, "a kind of node such as {speed: 168}") {
			return
		}
		if i == 0 {
			base = reference.numberOr(rating, g.Speed)
			if c.d.base.scenario() != nil && !reference.given() {
				base = cmp.Or(c.d.base.rating, 1)
			}
			c.d.rating = base
		}
		g.Speed /= base
		switch {
		case one && g.Machine == Machine{Speed: 1}:
			return
		case one && t.Nodes == 0:
			nodes.fail("missing, expected how many nodes have this speed, memory, disk or price")
			return
		case !one && len(t.Machines)+g.count > maxMachines:
			place.get("count").fail("expected at most %d nodes in groups", maxMachines)
			return
		}
		t.Machines = append(t.Machines, slices.Repeat([]Machine{g.Machine}, g.count)...)
	}
	if n := len(t.Machines); t.Nodes > 0 && t.Nodes != n {
		blame(nodes, c).fail("expected %d, as many nodes as the groups count, got %d", n, t.Nodes)
	}
	t.Nodes = len(t.Machines)
}

// maxMachines bounds a machine whose nodes are described one by one.
const maxMachines = 1 << 20

func (t *Trace) writeMachines(e *encoder) string {
	var groups []group
	for _, m := range t.Machines {
		if n := len(groups); n > 0 && groups[n-1].Machine == m {
			groups[n-1].count++
		} else {
			groups = append(groups, group{1, m})
		}
	}
	return flowList(groups, func(g group) string { return g.table().flow(e) })
}

var (
	exponent      = quantity{want: "a power from 0 to 9 such as 0.5", unit: plain, most: 9}
	underestimate = quantity{want: "a fraction of at least 0 and below 1 such as 0.2 or 20%", unit: percent, most: 1}
)

// qosTable lists the fields of the section qos, with defaults of Yeo and Buyya (2007), Table I.
func qosTable(q *model.QoS) table {
	const want = "high, all, none, or the share of jobs with hard deadlines such as 0.2 or 20%"
	hard := number("hard", &q.Hard[0], fraction.named(want)).
		then(func(*cursor) { q.Hard[1] = q.Hard[0] })
	for word, shares := range map[string][2]float64{"high": {0, 1}, "all": {1, 1}, "none": {}} {
		hard = orWord(hard, word, &q.Hard, shares)
	}
	const none = "expected none where estimates are those of the users"
	return table{
		number("high_urgency", &q.HighUrgency, fraction, 0.2),
		contrast("deadline", &q.Deadline, 2, 1),
		contrast("budget", &q.Budget, 2, 1, 1),
		contrast("penalty", &q.Penalty, 0, 0, 0),
		hard.otherwise(func() { q.Hard = [2]float64{0, 1} }),
		number("inaccuracy", &q.Inaccuracy, underestimate, 0).then(func(c *cursor) {
			if q.Inaccuracy == 1 {
				c.expected(underestimate.want)
			}
		}),
		number("inaccuracy_sd", &q.Scatter, multiple, 0),
		number("overestimated", &q.Over, fraction, 0),
		flag("estimates", &q.OfUsers, "exact", "users").then(func(c *cursor) {
			if q.OfUsers && q.Inaccuracy > 0 {
				c.up.get("inaccuracy").fail(none)
			} else if q.OfUsers && q.Scatter > 0 {
				c.up.get("inaccuracy_sd").fail(none)
			}
		}),
	}
}

// contrast is the two means of a quantity that must exceed a limit. It may grow with
// a power of the run time; then the default of the power is given.
func contrast(key string, s *model.Spread, lowMean, limit float64, power ...float64) row {
	kinds := append([]model.Kind{model.Normal, model.Uniform}, model.Kinds()[1:]...)
	fields := table{
		number("low_mean", &s.LowMean, amount, lowMean),
		number("ratio", &s.Ratio, amount, 4),
		number("sd", &s.SD, multiple, 0.25),
		choice("dist", &s.Kind, kinds...).then(func(*cursor) {
			if s.Kind == model.Normal {
				s.Kind = ""
			}
		}),
	}
	if power != nil {
		exp := s.Curve + power[0]
		fields = append(fields,
			number("power", &exp, exponent, power[0]).then(func(*cursor) { s.Curve = exp - power[0] }),
			number("scale", &s.Scale, span, 3600).when(s.Curve != 0).then(func(*cursor) {
				if s.Curve == 0 {
					s.Scale = 0
				}
			}))
	}
	return options(key, "a mapping such as {low_mean: 2, ratio: 4, sd: 0.25}", fields).
		then(func(c *cursor) { checkContrast(c, s, limit) })
}

func checkContrast(c *cursor, s *model.Spread, limit float64) {
	place := blame(c, c.get("low_mean"), c.get("ratio"), c.get("sd"))
	if s.LowMean > maxTime || s.LowMean*s.Ratio*(1+s.SD) > maxTime {
		place.fail("expected means of at most 2^53, got %g and %g", s.LowMean, s.LowMean*s.Ratio)
		return
	}
	for _, mean := range []float64{s.LowMean, s.LowMean * s.Ratio} {
		if _, err := s.Draws(mean, limit); err != nil && s.Kind != "" {
			place.fail("expected draws that exceed %g now and then: %v", limit, err)
		} else if err != nil {
			place.fail("expected a mean of which draws exceed %g now and then, got mean %g and sd %g", limit, mean,
				s.SD*mean)
		}
	}
}

func splitTable(s *model.Split) table {
	return table{
		interval("optional", &s.Optional, multiple, 0.5, 4),
		number("rate", &s.Rate, multiple, 0.2),
		budgetRow(&s.Budget),
	}
}
