package scenario

import (
	"math"
	"slices"

	"revopt/model"
)

// Scenario is a machine and the jobs offered to it, checked and complete. Jobs
// are drawn from Classes, read from Trace, or those of Grid.
type Scenario struct {
	Name          string
	Nodes         int            // of the cluster; for a server of `parallel: n`, n times the mean width, rounded up; 0 where the trace's header tells
	Parallel      float64        // n, how many jobs of mean width run at once; 0 on traces and grids
	Residual      model.Residual // convention for the residual work
	ResidualGiven bool           // the scenario states it
	Load          float64        // aggregate offered load that results, sum rate E[length] E[width] / nodes; on traces as stated, else 0
	Growth        float64        // by how much arrivals were raised: 0.2 is 20 %. Rates, delay factors and Load have it already
	Phi           float64        // delay coefficient of (30)
	GraceIgnored  bool           // the formulas let every second of a wait cost, as if no class had a grace or a deadline
	Waiting       *int           // how many jobs may wait; nil: any number
	Providers     []Provider     // to which jobs go that the server refuses, in their order
	Simulation    Simulation
	Classes       []model.Class     // in the order of the file: job classes with their rates, or customers laid over a trace
	Of            []*model.Selector // which jobs of a trace are whose, parallel to Classes; nil entry: all that are left
	Trace         *Trace            // nil where jobs do not come from a trace
	Grid          *Grid             // nil where there is no grid
	Policies      []Policy          // in the order of the file; nil where none are given
	Warnings      []Warning         // what is accepted but may surprise

	total float64 // arriving jobs/s before growth, where the scenario states a load
}

// Files returns the files that the scenario reads: its trace and the profiles
// of its arrivals.
func (s *Scenario) Files() []string {
	var list []string
	if s.Trace != nil && s.Trace.File != "" {
		list = append(list, s.Trace.File)
	}
	for _, c := range s.Classes {
		if c.Arrivals.File != "" {
			list = append(list, c.Arrivals.File)
		}
	}
	return list
}

// Simulation says how long to simulate and how often. On traces and grids, which
// run from their beginning to their end, only Replications is set.
type Simulation struct {
	Jobs         int     // jobs per replication; 0 where Horizon says how long
	Horizon      float64 // s per replication; 0 where Jobs says how long
	Warmup       Warmup
	Replications int
}

// Warmup is the beginning of a replication that is left out of its statistics:
// a fraction of its jobs or time, or a number of seconds. One of the two is 0.
type Warmup struct {
	Fraction float64
	Seconds  float64
}

// System returns the analytic half's view of job classes: n jobs at a time,
// each of the mean width.
//
// For a cluster of nodes n = nodes / w, where w is the mean width weighted by
// work, sum_s rate_s E[length_s] E[width_s] / sum_s rate_s E[length_s]. With
// that w the load of the system, sum_s rate_s E[length_s] / n, is the load of
// the cluster. Where nothing arrives, w is the plain mean over classes.
//
// With GraceIgnored its classes have neither grace nor deadline.
func (s *Scenario) System() model.System {
	classes := s.Classes
	if s.GraceIgnored {
		classes = slices.Clone(classes)
		for i := range classes {
			classes[i].Grace, classes[i].Deadline = model.Grace{}, model.Grace{}
		}
	}
	return model.System{Classes: classes, Parallel: s.Parallel, Residual: s.Residual, Phi: s.Phi}
}

// Deadlines reports whether every job that pays has a deadline, and names the
// paying classes whose jobs have none.
func (s *Scenario) Deadlines() (all bool, without []string) {
	if s.Grid != nil || s.Trace != nil && s.Trace.QoS != nil {
		return true, nil
	}
	for _, c := range s.Classes {
		if !c.Dated && c.Price != (model.Tariff{}) {
			without = append(without, c.Name)
		}
	}
	return len(s.Classes) > 0 && len(without) == 0, without
}

// scenario decodes the whole document.
func (d *decoder) scenario(root *cursor, known []KnownPolicy) *Scenario {
	s := &Scenario{Name: defaultName(d.file)}
	if name := root.get("name"); name.given() {
		s.Name = name.text("the name of the scenario")
	}
	switch {
	case root.get("trace").given():
		d.traceScenario(root, s)
	case root.get("sites").given():
		d.gridScenario(root, s)
	default:
		d.classScenario(root, s)
	}
	if d.err == nil {
		s.Policies = d.policies(root.get("policies"), known, s)
		s.Providers = d.providers(root.get("providers"), known, s)
	}
	if d.err != nil {
		return nil
	}
	if s.Load > manyTimes {
		s.Warnings = append(s.Warnings, Warning{Kind: WarnLoad, Value: s.Load})
	}
	return s
}

// manyTimes is a load that is more likely a percentage whose sign was forgotten.
const manyTimes = 100

// classScenario decodes a scenario of job classes.
func (d *decoder) classScenario(root *cursor, s *Scenario) {
	if !root.mapping("a scenario", "name", "server", "load", "growth", "phi", "arrivals", "simulation", "classes", "providers", "policies") {
		return
	}
	srv := d.server(root.get("server"), s)
	s.Phi = root.get("phi").numberOr(amount, 1)
	s.Simulation = d.simulation(root.get("simulation"))
	arrivals := d.arrivals(root.get("arrivals"), model.Arrivals{})
	places := root.get("classes").list("a list of job classes")
	lengths := map[lengthKey]model.Distribution{}
	s.Classes = d.classes(places, func(c *cursor) model.Class { return d.jobClass(c, srv, arrivals, lengths) })
	if d.err == nil {
		d.rates(root, places, s, srv)
	}
	if d.err == nil {
		mean := func(c *model.Class, _ *cursor, t model.Tariff) float64 { return t.Of(c.Length.Mean(), c.Width.Mean()) }
		if d.demands(places, s, mean) {
			s.Load = srv.work(s.Classes) / srv.slots
		}
	}
	if d.err == nil {
		d.size(root.get("server"), s, srv)
	}
	if d.err == nil {
		s.Warnings = warnings(s, places)
	}
}

// size sets the nodes and the jobs at a time, the one from the other.
func (d *decoder) size(c *cursor, s *Scenario, srv server) {
	width := meanWidth(s.Classes)
	nodes := srv.slots
	s.Parallel = nodes / width
	if srv.parallel {
		nodes = math.Ceil(srv.slots * width * (1 - 1e-12))
		s.Parallel = srv.slots
	}
	if nodes > maxWhole {
		c.fail("expected a cluster of at most %d nodes, got parallel times the mean width = %g", maxWhole, nodes)
		return
	}
	s.Nodes = int(nodes)
}

// server is the machine of job classes.
type server struct {
	slots    float64 // nodes, or jobs at a time
	parallel bool
}

func (d *decoder) server(c *cursor, s *Scenario) server {
	if !c.mapping("{parallel: n} or {nodes: n}", "parallel", "nodes", "residual", "grace", "waiting") {
		return server{}
	}
	parallel, nodes := c.get("parallel"), c.get("nodes")
	srv := server{parallel: parallel.given()}
	switch {
	case parallel.given() && nodes.given():
		blame(nodes, parallel, nodes).fail("expected parallel or nodes, got both")
	case parallel.given():
		srv.slots = parallel.number(slots)
	default:
		if !nodes.given() {
			c.fail("expected parallel (jobs at a time) or nodes, got neither")
		}
		srv.slots = nodes.number(count)
	}
	residual := c.get("residual")
	s.ResidualGiven = residual.given()
	s.Residual, _ = model.ParseResidual(residual.choice(model.Pooled.String(), model.Multiserver.String(), model.Printed.String()))
	s.GraceIgnored = c.get("grace").choice("counted", "ignored") == "ignored"
	if waiting := c.get("waiting"); waiting.given() {
		k := int(waiting.number(queueSize))
		s.Waiting = &k
	}
	return srv
}

// work returns the mean number of nodes that are busy where all jobs are
// served, sum_s rate_s E[length_s] E[width_s], or of jobs at a time.
func (s server) work(classes []model.Class) float64 {
	var sum float64
	for _, c := range classes {
		w := c.Rate * c.Length.Mean()
		if !s.parallel {
			w *= c.Width.Mean()
		}
		sum += w
	}
	return sum
}

// The defaults of a simulation.
const (
	defaultJobs         = 100000
	defaultWarmup       = 0.1
	defaultReplications = 10
)

func (d *decoder) simulation(c *cursor) Simulation {
	s := Simulation{Jobs: defaultJobs, Warmup: Warmup{Fraction: defaultWarmup}, Replications: defaultReplications}
	if c.given() && !c.mapping("a mapping such as {jobs: 100000, warmup: 10%, replications: 10}",
		"jobs", "horizon", "warmup", "replications") {
		return s
	}
	d.runLength(&s, c.get("jobs"), c.get("horizon"))
	d.warmup(&s, c.get("warmup"))
	s.Replications = int(c.get("replications").numberOr(count, defaultReplications))
	return s
}

// replications reads the section simulation of a trace or a grid, of which only
// the number of replications is left to say.
func (d *decoder) replications(c *cursor) Simulation {
	if !c.given() || c.mapping("a mapping such as {replications: 10}", "replications") {
		return Simulation{Replications: int(c.get("replications").numberOr(count, defaultReplications))}
	}
	return Simulation{}
}

// runLength reads jobs or horizon. Where both are given the overridden one
// counts.
func (d *decoder) runLength(s *Simulation, jobs, horizon *cursor) {
	if latest(jobs, horizon) == horizon {
		s.Jobs, s.Horizon = 0, horizon.number(span)
		return
	}
	s.Jobs = int(jobs.numberOr(count, defaultJobs))
}

// warmup reads a percentage or a time. A plain number below 1 could be meant
// as one or the other.
func (d *decoder) warmup(s *Simulation, c *cursor) {
	const want = "a percentage below 100% such as 10%, or a time such as 600 or 2h"
	c.isNumeric()
	if !c.given() {
		return
	}
	if share, ok := fraction.parse(c.n.text); ok && c.n.text[len(c.n.text)-1] == '%' {
		if c.n.quoted || share < 0 || share >= 1 {
			c.expected(want)
		}
		s.Warmup = Warmup{Fraction: share}
		return
	}
	q := duration
	q.want = want
	time := c.number(q)
	_, unit := splitNumber(c.n.text)
	switch {
	case unit == "" && time > 0 && time < 1:
		c.fail("expected %s, got %s: write a percent sign or a unit", want, c.n.text)
	case s.Horizon > 0 && time >= s.Horizon:
		c.fail("expected a warm-up shorter than the horizon of %g s, got %s", s.Horizon, c.n.text)
	}
	s.Warmup = Warmup{Seconds: time}
}
