package scenario

import (
	"io"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"revopt/model"
)

// Scenario is a machine and the jobs offered to it, checked and complete. Jobs
// are drawn from Classes, read from Trace, or those of Grid.
type Scenario struct {
	Name string
	// Nodes is the size of the cluster. For a server of `parallel: n` it is n times the
	// mean width, rounded up. On a trace, 0 takes the size from the header of the trace.
	Nodes        int
	Parallel     float64        // n, how many jobs of mean width run at once; 0 on traces and grids
	Residual     model.Residual // convention for the residual work
	Load         float64        // offered load, sum rate E[length] E[width] / nodes; on traces as stated, else 0
	Growth       float64        // of arrivals: 0.2 is 20 %. Rates, delay factors and Load include it
	Phi          float64        // delay coefficient of (30)
	GraceIgnored bool           // formulas treat every second of a wait as late
	Waiting      *int           // how many jobs may wait; nil: any number
	Providers    []Provider     // they get the jobs that the server refuses, in this order
	Simulation   Simulation
	Classes      []model.Class     // job classes with their rates, or customers laid over a trace
	Selectors    []*model.Selector // jobs of a trace that belong to each of Classes; a nil entry: all that are left
	Pools        []Pool            // parts of the machine; nil: it is one
	Down         []Outage          // when parts of the machine are down
	Limits       []Limit           // of what owners of jobs of a trace hold
	Trace        *Trace            // nil if jobs do not come from a trace
	Grid         *Grid             // nil if there is no grid
	Policies     []Policy          // in the order of the file; nil if none are given
	Guessed      []string          // fields of customers whose values init invented; nil: none
	Warnings     []Warning
	Unlimited    []string // classes whose late jobs cost more and more, as the file states no max_penalty

	total  float64  // arriving jobs/s before growth, if the scenario states a load
	inputs []string // files that options of policies name
}

// Files returns the files that the scenario reads: its trace, the profiles of its
// arrivals, its outages, and the settings of its policies.
func (s *Scenario) Files() []string {
	list := slices.Clone(s.inputs)
	if s.Trace != nil && s.Trace.File != "" {
		list = append(list, s.Trace.File)
	}
	for _, c := range s.Classes {
		if c.Arrivals.File != "" {
			list = append(list, c.Arrivals.File)
		}
	}
	for _, o := range s.Down {
		list = append(list, o.Files()...)
	}
	return list
}

// Simulation is the length and the number of replications. Traces and grids run from
// beginning to end, so only Replications is set for them.
type Simulation struct {
	Jobs         int     // per replication; 0 if Horizon is given
	Horizon      float64 // s per replication; 0 if Jobs is given
	Warmup       Warmup
	Replications int
}

// Warmup is the beginning of a replication that statistics leave out: a fraction of
// its jobs or time, or a number of seconds. One of the two is 0.
type Warmup struct {
	Fraction float64
	Seconds  float64
}

// System returns the job classes as the formulas see them, by the scenario's convention for delays.
func (s *Scenario) System() model.System { return s.SystemBy(s.Residual) }

// SystemBy returns the job classes as the formulas see them by a convention for delays: n jobs at a
// time, each of the mean width, see model.ByWidth.
//
// For a cluster of nodes n = nodes / model.MeanWidth: so the load of the system,
// sum_s rate_s E[length_s] / n, is the load of the cluster.
//
// With GraceIgnored the classes have neither grace nor deadline.
func (s *Scenario) SystemBy(r model.Residual) model.System {
	classes := s.Classes
	if s.GraceIgnored {
		classes = slices.Clone(classes)
		for i := range classes {
			classes[i].Grace, classes[i].Deadline = model.Grace{}, model.Grace{}
		}
	}
	return model.System{Classes: classes, Parallel: s.Parallel, Phi: s.Phi}.By(r)
}

// Deadlines reports whether all paying jobs have deadlines, and names the classes without.
func (s *Scenario) Deadlines() (all bool, without []string) {
	if s.Grid != nil || s.Trace != nil && s.Trace.QoS != nil {
		return true, nil
	}
	for _, c := range s.Classes {
		if !c.Dated && (c.Price != (model.Tariff{}) || pricesDiffer(&c)) {
			without = append(without, c.Name)
		}
	}
	return len(s.Classes) > 0 && len(without) == 0, without
}

func (d *decoder) scenario(root *cursor) *Scenario {
	base := filepath.Base(d.file) // names the scenario unless it gives a name
	s := &Scenario{Name: oneLine(strings.TrimSuffix(base, filepath.Ext(base)))}
	besidePools(root)
	limits := root.get("limits")
	switch {
	case root.get("trace").given():
		d.traceScenario(root, s)
	case limits.given():
		limits.fail("expected no limits without a trace, whose jobs have users, groups and accounts")
	case root.get("sites").given():
		s.Grid = new(Grid)
		if s.gridTable().read(root, "a grid scenario") {
			d.gridGrowth(root.get("growth"), s)
		}
	default:
		d.classScenario(root, s)
	}
	if d.err != nil {
		return nil
	}
	s.Unlimited = d.open
	if s.Down != nil {
		s.Warnings = append(s.Warnings, Warning{Kind: WarnOutages, Analytic: true})
	}
	if s.Load > manyTimes {
		s.Warnings = append(s.Warnings, Warning{Kind: WarnLoad, Value: s.Load})
	}
	return s
}

// manyTimes is a load above which a number is more likely a percentage whose sign was forgotten. Figures of the papers end at
// 5.
const manyTimes = 10

// WriteYAML writes the scenario file that is read as this scenario. Job classes are
// given by their rates, growth is part of rates, delay factors and loads, and paths
// stay as they are. The error is an *Error if no file can state the scenario.
func (s *Scenario) WriteYAML(w io.Writer) error {
	switch e := new(encoder); {
	case s.Grid != nil:
		return e.document(w, s.gridTable())
	case s.Trace != nil:
		return e.document(w, s.traceTable())
	default:
		return e.document(w, s.classTable(s.server()))
	}
}

// nameRow is the name of the scenario; the default is that of its file.
func (s *Scenario) nameRow() row {
	return name("name", &s.Name, "the name of the scenario").otherwise(func() {})
}

func (s *Scenario) classTable(srv *server) table {
	var arrivals model.Arrivals
	fields := func(class *model.Class, _ int) table { return s.jobTable(class, *srv, arrivals) }
	const machine = "{parallel: n} or {nodes: n}"
	return table{
		s.nameRow(),
		s.poolsRow(),
		options("server", machine, s.serverTable(srv)).reading(func(c *cursor, read func(*cursor)) {
			if c.given() || s.Pools != nil {
				read(c)
			} else {
				c.expected(machine)
			}
		}),
		s.machineRow(),
		{key: "load"},   // see rates
		{key: "growth"}, // see rates
		number("phi", &s.Phi, positive, 1),
		arrivalsRow(&arrivals, model.Arrivals{}).when(false), // default of the classes
		options("simulation", "a mapping such as {jobs: 100000, warmup: 10%, replications: 10}", s.Simulation.table()).
			when(s.Simulation != Simulation{}),
		s.classesRow("a list of job classes", "a job class with a name, a length and a price", fields,
			func(class *model.Class) bool { return s.holds(class, srv) }),
		s.providersRow(),
		s.policiesRow(),
	}
}

func (d *decoder) classScenario(root *cursor, s *Scenario) {
	srv := new(server)
	if !s.classTable(srv).read(root, "a scenario") {
		return
	}
	places := root.get("classes").list("")
	for i, place := range places {
		if s.Classes[i].MeanPrice() < 0 {
			place.get("deadline").fail("expected a deadline by which a job of mean length and width, " +
				"served at once, has not lost all of its price")
		}
	}
	d.rates(root, places, s, srv)
	if !root.get("server").get("residual").given() && len(mixedWidths(s)) > 0 {
		s.Residual = model.Multiserver // the least error, see docs/theory.md
	}
	if d.err == nil && d.demands(places, s) {
		s.Load = srv.work(s.Classes) / srv.slots
	}
	if d.err == nil {
		d.size(root.get("server"), s, srv)
		s.Warnings = warnings(s, places)
	}
}

// size sets the nodes and the jobs at a time, one from the other.
func (d *decoder) size(c *cursor, s *Scenario, srv *server) {
	width := model.MeanWidth(s.Classes)
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
	unit     string // the word for a node; "": node
}

// server returns the machine as a file states it.
func (s *Scenario) server() *server {
	nodes := float64(s.Nodes)
	if width := model.MeanWidth(s.Classes); math.Abs(s.Parallel*width-nodes) > 1e-12*nodes {
		return &server{slots: s.Parallel, parallel: true}
	}
	return &server{slots: nodes}
}

func (s *Scenario) serverTable(srv *server) table {
	nodes := number("nodes", &srv.slots, count).when(!srv.parallel && s.Pools == nil)
	nodes.read = nil // parallel reads it
	return table{
		row{key: "parallel", read: func(c *cursor) {
			srv.slots = float64(s.units())
			if s.Pools == nil {
				srv.read(c, c.up.get("nodes"))
			}
		}}.written(func() string { return formatNumber(srv.slots) }).when(srv.parallel),
		nodes,
		choice("residual", &s.Residual, model.Pooled, model.Multiserver, model.Printed),
		flag("grace", &s.GraceIgnored, "counted", "ignored"),
		maybe("waiting", &s.Waiting, queueSize),
	}
}

func (s *server) read(parallel, nodes *cursor) {
	s.parallel = parallel.given()
	switch {
	case parallel.given() && nodes.given():
		blame(nodes, parallel, nodes).fail("expected parallel or nodes, got both")
	case parallel.given():
		s.slots = parallel.number(slots)
	case nodes.given():
		s.slots = nodes.number(count)
	default:
		parallel.up.fail("expected parallel (jobs at a time) or nodes, got neither")
	}
}

// work returns the mean number of busy nodes if all jobs are served,
// sum_s rate_s E[length_s] E[width_s], or of jobs at a time.
func (s *server) work(classes []model.Class) float64 {
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

func (s *Simulation) table() table {
	return table{
		number("jobs", &s.Jobs, count, 100000).unless("horizon").when(s.Horizon == 0),
		number("horizon", &s.Horizon, span).insteadOf("jobs").when(s.Horizon > 0),
		s.warmupRow(),
		s.replicationsRow(),
	}
}

func (s *Simulation) replicationsRow() row { return number("replications", &s.Replications, count, 10) }

// replicationsOnly is the simulation of a trace or a grid.
func (s *Simulation) replicationsOnly() row {
	return options("simulation", "a mapping such as {replications: 10}", table{s.replicationsRow()}).
		when(s.Replications != 0)
}

// warmupRow is a percentage or a time. A plain number below 1 is ambiguous.
func (s *Simulation) warmupRow() row {
	const want = "a percentage below 100% such as 10%, or a time such as 600 or 2h"
	read := func(c *cursor) {
		c.isNumeric()
		if !c.given() {
			s.Warmup = Warmup{Fraction: 0.1}
			return
		}
		if share, ok := fraction.parse(c.n.plainText()); ok && strings.HasSuffix(c.n.text, "%") {
			if c.n.quoted || share < 0 || share >= 1 {
				c.expected(want)
			}
			s.Warmup = Warmup{Fraction: share}
			return
		}
		s.Warmup = Warmup{Seconds: c.number(duration.named(want))}
		time := s.Warmup.Seconds
		_, unit := splitNumber(c.n.text)
		switch {
		case unit == "" && time > 0 && time < 1:
			c.fail("expected %s, got %s: write a percent sign or a unit", want, c.n.text)
		case s.Horizon > 0 && time >= s.Horizon:
			c.fail("expected a warm-up shorter than the horizon of %g s, got %s", s.Horizon, c.n.text)
		}
	}
	write := func(*encoder) string {
		if s.Warmup.Seconds != 0 {
			return formatNumber(s.Warmup.Seconds) + "s"
		}
		return inverse(s.Warmup.Fraction, 100) + "%"
	}
	return row{key: "warmup", read: read, write: write}
}
