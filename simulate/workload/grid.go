package workload

import (
	"revopt/model"
	"revopt/simulate"
)

// GridSite is a cluster of a grid.
type GridSite struct {
	Processors int
	MIPS       float64 // of each; 0 where jobs state seconds
}

// gridBase is what workloads of finitely many jobs on some sites have in common.
// All jobs are of one customer and pay what the policy says.
type gridBase struct {
	sites []GridSite
	has   simulate.Has
	size  int
	load  float64
}

// Sites implements Workload.
func (g *gridBase) Sites() []simulate.Site {
	var list []simulate.Site
	for _, s := range g.sites {
		site := simulate.Site{Processors: s.Processors}
		if s.MIPS > 0 {
			site.Machines = make([]simulate.Machine, s.Processors)
			for k := range site.Machines {
				site.Machines[k].Speed = s.MIPS
			}
		}
		list = append(list, site)
	}
	return list
}

// Customers implements Workload.
func (g *gridBase) Customers() []model.Class {
	return []model.Class{{Name: Everybody, Dated: true, Hard: 1, Floor: model.Floor{None: true}}}
}

// Has implements Workload.
func (g *gridBase) Has() simulate.Has { return g.has }

// Window implements Workload.
func (g *gridBase) Window() simulate.Window { return simulate.Window{} }

// Charging implements Workload.
func (g *gridBase) Charging() simulate.Charging { return simulate.ByPolicy }

// Size implements Workload.
func (g *gridBase) Size() float64 { return float64(g.size) }

// Load implements Workload.
func (g *gridBase) Load() float64 { return g.load }

// Stream implements Workload.
func (g *gridBase) Stream() float64 { return 0 }

// power returns the speed of all processors together.
func power(sites []GridSite) float64 {
	var sum float64
	for _, s := range sites {
		speed := s.MIPS
		if speed == 0 {
			speed = 1
		}
		sum += float64(s.Processors) * speed
	}
	return sum
}

// Grid is a workload of applications on the sites of a grid.
type Grid struct {
	gridBase
	drawn  *Applications
	listed []Application
}

// NewGrid returns the workload of applications that are drawn.
func NewGrid(sites []GridSite, a Applications) (*Grid, error) {
	a.MIPS = nil
	for _, s := range sites {
		a.MIPS = append(a.MIPS, s.MIPS)
	}
	if err := a.check(); err != nil {
		return nil, err
	}
	mean := func(r Range) float64 { return (r.Low + r.High) / 2 }
	work := mean(a.Parts) * mean(a.Mandatory) * (1 + mean(a.Optional))
	return &Grid{gridBase: gridBase{sites, impreciseHas(len(sites)), a.Count, work / a.Gap / power(sites)}, drawn: &a}, nil
}

// NewListedGrid returns the workload of applications one by one, in order of
// submission.
func NewListedGrid(sites []GridSite, list []Application) *Grid {
	var work, span float64
	for _, a := range list {
		work += float64(a.Parts) * (a.Mandatory + a.Optional)
		span = a.At - list[0].At
	}
	return &Grid{gridBase: gridBase{sites, impreciseHas(len(sites)), len(list), work / (span * power(sites))}, listed: list}
}

func impreciseHas(sites int) simulate.Has {
	return simulate.Has{Deadlines: true, Optional: true, Alike: true, Sites: sites}
}

// Random implements Workload.
func (g *Grid) Random() bool { return g.drawn != nil }

// Drained implements Workload.
func (g *Grid) Drained(int) Workload { return g }

// Jobs implements Workload.
func (g *Grid) Jobs(seed uint64, replication int) (simulate.Source, error) {
	if g.drawn == nil {
		return &listedSource{g.listed}, nil
	}
	return g.drawn.Source(seed, replication)
}

// Application is an application that is not drawn.
type Application struct {
	At        float64 // time of submission, s
	Parts     int
	Mandatory float64 // MI of each part
	Optional  float64 // MI of each part
	Deadline  float64 // s after submission
	Reward    float64 // $ for the mandatory length of a part
	Slope     float64 // $ per MI of the optional length
}

// listedSource yields applications one by one.
type listedSource struct{ left []Application }

// Next implements simulate.Source.
func (l *listedSource) Next(j *simulate.Job) (bool, error) {
	if len(l.left) == 0 {
		return false, nil
	}
	a := l.left[0]
	l.left = l.left[1:]
	i := &simulate.Imprecise{Mandatory: a.Mandatory, Optional: a.Optional, Reward: a.Reward, Bonus: simulate.Linear(a.Slope)}
	j.Submit, j.Width, j.Work = a.At, a.Parts, a.Mandatory+a.Optional
	j.Spec.Details.Estimate = j.Work
	j.Value = simulate.ByDeadline(float64(a.Parts)*i.Worth(i.Optional), a.Deadline, 0, true)
	j.Spec.Imprecise = i
	return true, nil
}
