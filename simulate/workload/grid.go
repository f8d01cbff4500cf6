package workload

import (
	"fmt"
	"math"
	"math/rand/v2"

	"revopt/model"
	"revopt/simulate"
)

// GridSite is a cluster of a grid.
type GridSite struct {
	Processors int
	MIPS       float64 // of each; 0 where jobs state seconds
}

// gridSource gives the jobs of a grid or batch their lots. The jobs of a grid of
// one site state seconds on a node of that site, so that policies whose nodes
// have no speeds run there too.
type gridSource struct {
	simulate.Source
	lots *rand.Rand
	mips float64 // 0 where the jobs stay as they are
}

// Next implements simulate.Source.
func (s gridSource) Next(j *simulate.Job) (bool, error) {
	ok, err := s.Source.Next(j)
	if !ok || err != nil {
		return ok, err
	}
	j.Chance = s.lots.Float64()
	if s.mips > 0 {
		j.Work /= s.mips
		j.Spec.Details.Estimate /= s.mips
		i := j.Spec.Imprecise // of this job alone
		i.Mandatory /= s.mips
		i.Optional /= s.mips
		i.Bonus = i.Bonus.(simulate.Linear) * simulate.Linear(s.mips)
	}
	return true, nil
}

// source completes the jobs of a replication.
func (g *gridBase) source(jobs simulate.Source, seed uint64, replication int) simulate.Source {
	s := gridSource{Source: jobs, lots: simulate.Stream(seed, replication, "admission", 0)}
	if len(g.sites) == 1 {
		s.mips = g.sites[0].MIPS
	}
	return s
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
		if s.MIPS > 0 && len(g.sites) > 1 {
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
	var jobs simulate.Source = &listedSource{g.listed}
	if g.drawn != nil {
		var err error
		if jobs, err = g.drawn.Source(seed, replication); err != nil {
			return nil, err
		}
	}
	return g.source(jobs, seed, replication), nil
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

// Range is where a number is drawn from, evenly.
type Range struct{ Low, High float64 }

// at returns the number of the range for u in [0, 1).
func (r Range) at(u float64) float64 { return r.Low + u*(r.High-r.Low) }

// valid reports whether the range is one of numbers from least on.
func (r Range) valid(least float64) bool {
	return r.Low >= least && r.High >= r.Low && !math.IsInf(r.High, 1)
}

// Applications is the workload of Kim, Buyya and Kim (2007), section 4: a
// Poisson stream of applications of independent parts with a mandatory and an
// optional length. Lengths are in MI, so that the speed of a machine is its
// MIPS.
type Applications struct {
	Count     int     // applications
	Gap       float64 // s, mean time between arrivals
	Parts     Range   // p, whole numbers
	Mandatory Range   // m, MI
	Optional  Range   // o as a multiple of m
	Reward    float64 // b^m, $ per MI of m
	Laxity    Range   // by how much the deadline exceeds the mean execution time
	Rate      float64 // mean slope of the optional budget, as a share of b^m per RateUnit
	Spread    float64 // the slope is drawn from Rate (1 - Spread) to Rate (1 + Spread)
	MIPS      []float64
}

// RateUnit is the optional length that adds Rate times the mandatory budget, MI.
const RateUnit = 1e6

// check returns what is wrong with the parameters.
func (a *Applications) check() error {
	switch {
	case a.Count < 1 || !(a.Gap > 0) || math.IsInf(a.Gap, 1):
		return fmt.Errorf("workload: %d applications, one every %g s", a.Count, a.Gap)
	case !a.Parts.valid(1) || !a.Mandatory.valid(0) || a.Mandatory.Low == 0 || !a.Optional.valid(0) || !a.Laxity.valid(-1):
		return fmt.Errorf("workload: applications of %v parts of %v MI, optional %v times that, laxity %v", a.Parts, a.Mandatory, a.Optional, a.Laxity)
	case !(a.Reward >= 0) || !(a.Rate >= 0) || !(a.Spread >= 0 && a.Spread <= 1) || len(a.MIPS) == 0:
		return fmt.Errorf("workload: applications that pay %g per MI, rate %g, spread %g, on %d sites", a.Reward, a.Rate, a.Spread, len(a.MIPS))
	}
	return nil
}

// applicationStream draws the applications of a replication. A stream of each
// purpose gives one number per application, so that application k is the same
// in every run of one seed and replication but for what the parameters change.
type applicationStream struct {
	Applications
	left int     // applications to come
	at   float64 // time of the last one
	mean float64 // s per MI, over the sites

	arrivals, parts, mandatory, optional, laxities, rates *rand.Rand
}

// Source returns the applications of one replication.
func (a Applications) Source(seed uint64, replication int) (simulate.Source, error) {
	if err := a.check(); err != nil {
		return nil, err
	}
	s := &applicationStream{Applications: a, left: a.Count}
	for _, mips := range a.MIPS {
		s.mean += 1 / mips / float64(len(a.MIPS))
	}
	stream := func(purpose string) *rand.Rand { return simulate.Stream(seed, replication, purpose, 0) }
	s.arrivals, s.parts, s.mandatory = stream("arrivals"), stream("widths"), stream("lengths")
	s.optional, s.laxities, s.rates = stream("optional lengths"), stream("deadlines"), stream("budget rates")
	return s, nil
}

// Next implements simulate.Source.
//
// The deadline is (1 + laxity) times the mean over the sites of (m + o)/MIPS,
// and the optional budget linear with slope rate b^m per RateUnit.
func (s *applicationStream) Next(j *simulate.Job) (bool, error) {
	if s.left == 0 {
		return false, nil
	}
	s.left--
	s.at += s.Gap * s.arrivals.ExpFloat64()
	low, high := math.Ceil(s.Parts.Low), math.Floor(s.Parts.High)
	parts := int(low) + s.parts.IntN(int(high-low)+1)
	i := &simulate.Imprecise{Mandatory: s.Mandatory.at(s.mandatory.Float64())}
	i.Optional = i.Mandatory * s.Optional.at(s.optional.Float64())
	i.Reward = s.Reward * i.Mandatory
	rate := s.Rate * (1 + s.Spread*(2*s.rates.Float64()-1))
	i.Bonus = simulate.Linear(rate * i.Reward / RateUnit)

	j.Submit, j.Width, j.Work = s.at, parts, i.Mandatory+i.Optional
	j.Spec.Details.Estimate = j.Work
	due := (1 + s.Laxity.at(s.laxities.Float64())) * j.Work * s.mean
	j.Value = simulate.ByDeadline(float64(parts)*i.Worth(i.Optional), due, 0, true)
	j.Spec.Imprecise = i
	return true, nil
}
