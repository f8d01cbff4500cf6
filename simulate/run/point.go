package run

import (
	"context"
	"encoding/json"
	"slices"

	"revopt/internal/text"
	"revopt/model/scenario"
	"revopt/simulate/analytic"
	"revopt/simulate/subject"
	"revopt/simulate/workload"
)

// point is a scenario with overrides, and with the jobs that a case asks for.
type point struct {
	subject   *subject.Subject
	workload  workload.Workload
	pooled    []*subject.Policy // by pool
	providers []Provider
	models    *Models
}

// keptPoints is how many points are kept ready to run. Cases of a point mostly run one after the other.
const keptPoints = 64

// pointKey is what a point depends on.
type pointKey struct {
	Point  Case
	Jobs   Jobs
	Priced bool
}

// point opens the point of a case.
func (l *Lab) point(ctx context.Context, c Case) (*point, error) {
	key := pointKey{c.Point(), c.Jobs, c.Admission.Name == scenario.AdmitPrices}
	name, err := json.Marshal(key)
	if err != nil {
		return nil, err
	}
	return l.points.Get(string(name), keptPoints, func() (*point, error) { return l.openPoint(ctx, key, c.Seed) })
}

func (l *Lab) openPoint(ctx context.Context, key pointKey, seed uint64) (*point, error) {
	doc, err := l.document(key.Point)
	if err != nil {
		return nil, err
	}
	s := l.subject
	if doc != l.base {
		s, err = l.opener.Open(ctx, doc)
		if err != nil {
			return nil, err
		}
	}
	if err := s.Check(); err != nil {
		return nil, err
	}
	at := &point{}
	at.pooled, err = s.Pooled()
	if err != nil {
		return nil, err
	}
	if !l.alone {
		at.providers, err = Providers(s)
		if err != nil {
			return nil, err
		}
	}
	if key.Priced {
		s, err = analytic.Priced(ctx, s)
		if err != nil {
			return nil, err
		}
		if err := s.Check(); err != nil {
			return nil, err
		}
	}
	at.subject = s
	if key.Jobs.Weeks {
		at.subject, err = s.Resample(ctx, &workload.Resampling{Span: key.Jobs.Span})
		if err != nil {
			return nil, err
		}
	}
	at.workload = at.subject.Workload
	switch jobs := key.Jobs; {
	case jobs.Drained:
		at.workload = at.workload.Drained(jobs.Count)
	case jobs.Count > 0:
		at.workload = resized(at.workload, jobs.Count)
	}
	at.models = &Models{Subject: at.subject, Seed: seed}
	return at, nil
}

// document returns the scenario with the overrides of a case.
func (l *Lab) document(c Case) (*scenario.Document, error) {
	own := len(l.base.Overrides())
	if len(c.Set) == own {
		return l.base, nil
	}
	list, err := text.Try(c.Set[own:], scenario.ParseOverride)
	if err != nil {
		return nil, err
	}
	doc := l.base
	if c.Settled {
		doc = doc.Settled()
	}
	return doc.With(list...)
}

// layoutOf returns the groups of jobs of a subject whose waits are measured: its customers, and the groups of width of
// its pools.
func layoutOf(s *subject.Subject) *jobGroups {
	l := &jobGroups{Customers: s.Names()}
	pools := s.Workload.Pools()
	if pools == nil {
		l.Machines = []Widths{{Units: s.Nodes(), Unit: s.Unit()}}
		return l
	}
	for i, pool := range pools.List {
		m := Widths{Name: pool.Name, Units: pool.Units, Unit: s.Scenario.Pools[i].Unit}
		l.Machines = append(l.Machines, m)
	}
	return l
}

// placesIn returns the customer of each class of a workload and the machine of each of its sites, by their places in a
// layout; -1 if it does not have them.
func placesIn(l *jobGroups, w workload.Workload) (customers, machines []int) {
	pools := w.Pools()
	for class := range w.Customers() {
		customer := class
		if pools != nil {
			customer = pools.Sections[class].Customer
		}
		if customer >= len(l.Customers) {
			customer = -1
		}
		customers = append(customers, customer)
	}
	for site := range w.Sites() {
		name := ""
		if pools != nil {
			name = pools.List[site].Name
		}
		machine := slices.IndexFunc(l.Machines, func(m Widths) bool { return m.Name == name })
		machines = append(machines, machine)
	}
	return customers, machines
}

// GroupName is the name of a group of package served in a record.
func GroupName(g JobGroup) string {
	if g.Kind == ByCustomer {
		return Customer(g.Name)
	}
	return Width(g.Name, g.From, g.To)
}

// sectionName is the name of a section of a workload in a record.
func sectionName(s subject.Section) string {
	switch {
	case s.Pool == "":
		return Customer(s.Name)
	case s.Name == "":
		return Pool(s.Pool)
	}
	return InPool(s.Pool, s.Name)
}
