package scenario

import (
	"math"
	"path/filepath"
)

// Trace is a machine and the trace of jobs offered to it, checked and
// complete.
type Trace struct {
	Name         string
	File         string // path of an SWF file, or SP2Like
	Jobs         Subset
	Cleaning     string    // keep, reject or drop
	Delay        float64   // arrival delay factor, scales every time between arrivals
	Nodes        int       // of the machine; 0: as the trace's header says
	Machines     []Machine // one per node; nil where all are alike and without limits
	QoS          *QoS      // nil: users state nothing but their own estimates
	IC           *IC       // nil: jobs are not split into a mandatory and an optional part
	Policies     []Policy  // in the order of the file; nil where none are given
	Replications int
}

// SP2Like is the name, in place of a file, of the embedded generator.
const SP2Like = "sp2-like"

// Subset is a part of a trace, in the order of the file. The zero value is all
// of it.
type Subset struct {
	First, Last int64   // that many jobs; 0 is no limit
	From, To    float64 // s: jobs with From <= submit time < To; To 0 is no limit
}

// IsTrace reports whether the document is a trace scenario, to be decoded with
// Trace rather than with Scenario.
func (d *Document) IsTrace() bool { return d.root.get("trace") != nil }

// Trace decodes and checks a trace scenario. Policies are checked against the
// known ones, unless that is nil. The error is an *Error.
func (d *Document) Trace(known []KnownPolicy) (*Trace, error) {
	dec := &decoder{file: d.file}
	t := dec.trace(&cursor{d: dec, n: d.root}, known)
	if dec.err != nil {
		return nil, dec.err
	}
	return t, nil
}

// trace decodes the whole document.
func (d *decoder) trace(root *cursor, known []KnownPolicy) *Trace {
	for _, key := range []string{"load", "classes", "server", "phi"} {
		if c := root.get(key); c.given() {
			c.fail("expected either a trace or job classes, got a trace and %s", key)
			return nil
		}
	}
	if !root.mapping("a trace scenario", "name", "trace", "nodes", "qos", "ic", "policies", "simulation") {
		return nil
	}
	t := &Trace{Name: defaultName(d.file)}
	if name := root.get("name"); name.given() {
		t.Name = name.text("the name of the scenario")
	}
	d.jobs(root.get("trace"), t)
	d.machines(root, t)
	t.QoS = d.qos(root.get("qos"))
	t.IC = d.imprecise(root.get("ic"), t.QoS != nil)
	t.Policies = d.policies(root.get("policies"), known, t.QoS != nil)
	t.Replications = d.replications(root.get("simulation"))
	if d.err != nil {
		return nil
	}
	return t
}

var (
	factor    = quantity{want: "a factor above 0 such as 0.5 or 50%", unit: percent, open: true}
	nodeCount = quantity{want: "a whole number of nodes from 1 to 1073741824", unit: plain, least: 1, most: 1 << 30, whole: true}
)

// jobs reads the section trace.
func (d *decoder) jobs(c *cursor, t *Trace) {
	if !c.mapping("a trace such as {file: sp2.swf, jobs: last:5000}", "file", "jobs", "cleaning", "arrival_delay_factor", "nodes", "speed") {
		return
	}
	t.File = d.path(c.get("file"))
	t.Jobs = d.subset(c.get("jobs"))
	t.Cleaning = c.get("cleaning").choice("keep", "reject", "drop")
	t.Delay = c.get("arrival_delay_factor").numberOr(factor, 1)
	if math.IsInf(t.Delay*maxTime, 0) {
		c.get("arrival_delay_factor").expected(factor.want)
	}
	if nodes := c.get("nodes"); nodes.given() {
		t.Nodes = int(nodes.number(nodeCount))
	} else {
		nodes.isNumeric()
	}
}

// maxTime is the largest time of a trace, s.
const maxTime = 1 << 53

// path reads the name of a file: relative to the scenario, or to the working
// directory where it comes from the command line.
func (d *decoder) path(c *cursor) string {
	name := c.text("the path of an SWF file, or " + SP2Like)
	if name == SP2Like || filepath.IsAbs(name) || c.overridden() {
		return name
	}
	return filepath.Join(filepath.Dir(d.file), name)
}

// replications reads the section simulation, of which a trace, which runs from
// its beginning to its end, leaves nothing else to say.
func (d *decoder) replications(c *cursor) int {
	if !c.given() || c.mapping("a mapping such as {replications: 10}", "replications") {
		return int(c.get("replications").numberOr(count, defaultReplications))
	}
	return 0
}
