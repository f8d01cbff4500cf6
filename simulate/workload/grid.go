package workload

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"revopt/internal/text"
	"revopt/model"
	"revopt/simulate"
)

// gridSource gives the jobs of a grid or batch their lots. The jobs of a grid of
// one site state seconds on a node of that site, so that policies whose nodes
// have no speeds run there too.
type gridSource struct {
	simulate.Source
	lots *rand.Rand
	mips float64 // 0 if the jobs stay as they are
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
		i.Bonus = slower(i.Bonus, s.mips)
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

// gridBase is the common part of workloads of finitely many jobs on some sites. All
// jobs are of one customer, and the policy decides their charges.
type gridBase struct {
	sites []model.Site
	has   simulate.Has
	size  int
	load  float64
}

// Sites implements Workload.
func (g *gridBase) Sites() []Site {
	var list []Site
	for _, s := range g.sites {
		site := simulate.Site{Processors: s.Processors}
		if s.MIPS > 0 && len(g.sites) > 1 {
			site.Machines = make([]simulate.Machine, s.Processors)
			for k := range site.Machines {
				site.Machines[k].Speed = s.MIPS
			}
		}
		list = append(list, Site{Site: site})
	}
	return list
}

// Customers implements Workload.
func (g *gridBase) Customers() []model.Class {
	return []model.Class{{Name: everybody, Dated: true, Hard: 1, Floor: model.Floor{None: true}}}
}

// Has, Pools, Window, Charging, Size, Load and Stream implement Workload.
func (g *gridBase) Has() simulate.Has           { return g.has }
func (g *gridBase) Pools() *Pools               { return nil }
func (g *gridBase) Window() simulate.Window     { return simulate.Window{} }
func (g *gridBase) Charging() simulate.Charging { return simulate.ByPolicy }
func (g *gridBase) Size() float64               { return float64(g.size) }
func (g *gridBase) Load() float64               { return g.load }
func (g *gridBase) Stream() float64             { return 0 }

// power returns the speed of all processors together.
func power(sites []model.Site) float64 {
	return text.Sum(sites, func(s model.Site) float64 { return float64(s.Processors) * cmp.Or(s.MIPS, 1) })
}

// Grid is a workload of applications on the sites of a grid.
type Grid struct {
	gridBase
	drawn  *model.Applications // nil if they are listed
	mean   float64             // s per MI, over the sites
	listed []simulate.Job
}

// NewGrid returns the workload of applications that are drawn.
func NewGrid(sites []model.Site, a model.Applications) (*Grid, error) {
	switch {
	case a.Count < 1 || !(a.Gap > 0) || math.IsInf(a.Gap, 1):
		return nil, fmt.Errorf("workload: %d applications, one every %g s", a.Count, a.Gap)
	case !a.Parts.Valid(1) || !a.Mandatory.Valid(0) || a.Mandatory.Low == 0 ||
		!a.Optional.Valid(0) || !a.Laxity.Valid(-1):
		return nil, fmt.Errorf("workload: applications of %v parts of %v MI, optional %v times that, laxity %v",
			a.Parts, a.Mandatory, a.Optional, a.Laxity)
	case !(a.Reward >= 0) || !(a.Rate >= 0) || !(a.Spread >= 0 && a.Spread <= 1) || len(sites) == 0:
		return nil, fmt.Errorf("workload: applications that pay %g per MI, rate %g, spread %g, on %d sites",
			a.Reward, a.Rate, a.Spread, len(sites))
	}
	mean := func(i model.Interval) float64 { return (i.Low + i.High) / 2 }
	work := mean(a.Parts) * mean(a.Mandatory) * (1 + mean(a.Optional))
	g := &Grid{gridBase: gridBase{sites, impreciseHas(len(sites)), a.Count, work / a.Gap / power(sites)}, drawn: &a}
	g.mean = a.Execution.Mean(sites)
	return g, nil
}

// NewListedGrid returns the workload of applications one by one, in order of
// submission.
func NewListedGrid(sites []model.Site, list []model.Application) *Grid {
	var work, span float64
	jobs := make([]simulate.Job, len(list))
	for k, a := range list {
		work += float64(a.Parts) * (a.Mandatory + a.Optional)
		span = a.At - list[0].At
		i := &simulate.Imprecise{
			Mandatory: a.Mandatory, Optional: a.Optional, Reward: a.Reward,
			Bonus: bonus(a.Budget, a.Slope, a.Optional),
		}
		setApplication(&jobs[k], a.At, a.Parts, i, a.Deadline)
	}
	base := gridBase{sites, impreciseHas(len(sites)), len(list), work / (span * power(sites))}
	return &Grid{gridBase: base, listed: jobs}
}

// setApplication fills in a job that pays what its parts do.
func setApplication(j *simulate.Job, at float64, parts int, i *simulate.Imprecise, due float64) {
	j.Submit, j.Width, j.Work = at, parts, i.Mandatory+i.Optional
	j.Spec.Details.Estimate, j.Spec.Details.Exact = j.Work, true
	j.Value = simulate.ByDeadline(float64(parts)*i.Worth(i.Optional), due, 0, true)
	j.Spec.Imprecise = i
}

func impreciseHas(sites int) simulate.Has {
	return simulate.Has{Deadlines: true, Optional: true, Alike: true, Sites: sites, Exact: true}
}

// Random and Drained implement Workload.
func (g *Grid) Random() bool         { return g.drawn != nil }
func (g *Grid) Drained(int) Workload { return g }

// Jobs implements Workload. A stream of each purpose gives one number per application,
// so that a change of parameters changes nothing else of application k in a run of one
// seed and replication.
func (g *Grid) Jobs(seed uint64, replication int) (simulate.Source, error) {
	if g.drawn == nil {
		jobs := slices.Clone(g.listed)
		for k := range jobs { // which the source may convert
			i := *jobs[k].Spec.Imprecise
			jobs[k].Spec.Imprecise = &i
		}
		return g.source(simulate.Slice(jobs), seed, replication), nil
	}
	stream := func(purpose string) *rand.Rand { return simulate.Stream(seed, replication, purpose, 0) }
	return g.source(&applicationStream{
		Applications: *g.drawn, left: g.drawn.Count, mean: g.mean,
		arrivals: stream("arrivals"), parts: stream("widths"), mandatory: stream("lengths"),
		optional: stream("optional lengths"), laxities: stream("deadlines"), rates: stream("budget rates"),
	}, seed, replication), nil
}

// rateUnit is the optional length that adds Rate times the mandatory budget, MI.
const rateUnit = 1e6

// applicationStream draws the applications of a replication.
type applicationStream struct {
	model.Applications
	left int     // applications to come
	at   float64 // time of the last one
	mean float64 // s per MI, over the sites

	arrivals, parts, mandatory, optional, laxities, rates *rand.Rand
}

// Next implements simulate.Source.
//
// The deadline is (1 + laxity) times the mean over the sites of (m + o)/MIPS, or as
// Execution says, and the optional budget, by the shape stated, as large as a linear
// one with slope rate b^m per RateUnit.
func (s *applicationStream) Next(j *simulate.Job) (bool, error) {
	if s.left == 0 {
		return false, nil
	}
	s.left--
	s.at += s.Gap * s.arrivals.ExpFloat64()
	low, high := math.Ceil(s.Parts.Low), math.Floor(s.Parts.High)
	parts := int(low) + s.parts.IntN(int(high-low)+1)
	i := &simulate.Imprecise{Mandatory: s.Mandatory.At(s.mandatory.Float64())}
	i.Optional = i.Mandatory * s.Optional.At(s.optional.Float64())
	i.Reward = s.Reward * i.Mandatory
	rate := s.Rate * (1 + s.Spread*(2*s.rates.Float64()-1))
	i.Bonus = bonus(s.Budget, rate*i.Reward/rateUnit, i.Optional)
	timed := i.Mandatory + i.Optional
	if s.Execution == model.OfMandatory {
		timed = i.Mandatory
	}
	setApplication(j, s.at, parts, i, (1+s.Laxity.At(s.laxities.Float64()))*timed*s.mean)
	return true, nil
}

// bonus returns the budget function of an optional length by its shape. The whole
// length pays slope times length under all shapes.
func bonus(shape model.BudgetShape, slope, length float64) simulate.Bonus {
	top := slope * length
	switch {
	case length == 0 || shape.Linear():
		return simulate.Linear(slope)
	case shape.Steps == nil:
		return simulate.Concave{Top: top, Length: length, Exponent: shape.Exponent}
	}
	var steps simulate.Steps
	for _, s := range shape.Steps {
		steps = append(steps, simulate.Milestone{At: s.At * length, Amount: s.Pay * top})
	}
	return steps
}

// slower returns a budget function of lengths in a larger unit.
func slower(b simulate.Bonus, times float64) simulate.Bonus {
	switch b := b.(type) {
	case simulate.Linear:
		return b * simulate.Linear(times)
	case simulate.Concave:
		b.Length /= times
		return b
	case simulate.Steps:
		var steps simulate.Steps
		for _, m := range b {
			steps = append(steps, simulate.Milestone{At: m.At / times, Amount: m.Amount})
		}
		return steps
	}
	panic("workload: unknown budget function")
}
