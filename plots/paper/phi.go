package paper

import (
	"fmt"

	"revopt/model/scenario"
	"revopt/plots"
	"revopt/simulate/metric"
	"revopt/simulate/study"
)

// paperPhi is the delay coefficient that the paper found and put into (30).
const paperPhi = 0.56

// phiLoads are the loads over which the coefficient is averaged.
func phiLoads() []float64 { return grid(17, 20, 20) }

// delayCoefficient computes the coefficient Φ of (30) as section VI defines it.
func delayCoefficient() Recipe {
	return Recipe{
		ID:     "nist-phi",
		Title:  "Delay with bounded over delay with unbounded penalties",
		Source: "Marbukh and Mills, On Maximizing Provider Revenue in Market-Based Compute Grids (NIST), section VI, the coefficient Φ of (30)",
		Parameters: "scenario nist-cluster, everybody admitted, load from 0.7 to 1; mean delay where jobs expire over that where none does and penalties are unbounded, " +
			"on the same jobs, by replication; Φ is the mean at loads of 0.85, 0.90, 0.95 and 1.00",
		Claim:  "expiry shortens delay most between loads of 85 and 100 %, to 56 % on average",
		Sweeps: phiSweeps,
		draw: func(o Options, found []*study.SweepResults) Result {
			p := newPhiStudy(o, found)
			return Result{Picture: p.draw(), Provenance: p.provenance(o), Remarks: p.words()}
		},
	}
}

// The contenders of a phiStudy, each a sweep.
const (
	bounded = iota
	unbounded
)

// phiStudy is the delays with bounded and unbounded penalties.
type phiStudy struct {
	results      // by boundedness and load
	loads        []float64
	replications int
}

// phiGrid returns the loads that are simulated.
func phiGrid(o Options) []float64 { return finer(o.Quick, grid(14, 20, 20), grid(28, 40, 40)) }

// phiSweeps are both sets of the paper.
func phiSweeps(o Options) ([]*study.SweepSpec, error) {
	endless, err := withoutExpiry("nist-cluster")
	if err != nil {
		return nil, err
	}
	d := design{scenario: "nist-cluster", path: "load", values: phiGrid(o), replications: o.replications(100, 20), metrics: []metric.Measure{metric.MeanWait()}}
	without := d
	without.set = endless
	return specs(o, d, without)
}

// newPhiStudy returns what both sweeps found.
func newPhiStudy(o Options, found []*study.SweepResults) *phiStudy {
	p := &phiStudy{loads: phiGrid(o), replications: o.replications(100, 20)}
	p.results = results{found: found, cases: make([][]sweepCase, len(found))}
	for i := range p.loads {
		for c := range found {
			p.cases[c] = append(p.cases[c], sweepCase{c, study.Case{Point: i}})
		}
	}
	return p
}

// withoutExpiry returns the overrides that make penalties unbounded: a value
// without floor, and no job that gives up.
func withoutExpiry(name string) ([]scenario.Override, error) {
	f := open(name)
	s, err := f.scenario()
	if err != nil {
		return nil, err
	}
	var overrides []scenario.Override
	for _, c := range s.Classes {
		class := "classes." + c.Name
		overrides = append(overrides, scenario.Override{Path: class + ".expire", Value: "never"}, scenario.Override{Path: class + ".floor", Value: "none"})
	}
	return overrides, nil
}

// ratios returns the ratio of the delays in each replication at the i-th load.
func (p *phiStudy) ratios(i int) []float64 {
	with, without := p.values(bounded, i, metric.MeanWait()), p.values(unbounded, i, metric.MeanWait())
	ratios := make([]float64, len(with))
	for k := range ratios {
		ratios[k] = with[k] / without[k]
	}
	return ratios
}

// phi returns the coefficient.
func (p *phiStudy) phi() metric.Interval { return p.mean(phiLoads()) }

// mean returns the mean ratio over loads in each replication, and over the
// replications.
func (p *phiStudy) mean(loads []float64) metric.Interval {
	means := make([]float64, p.replications)
	for _, load := range loads {
		for k, ratio := range p.ratios(indexOf(p.loads, load)) {
			means[k] += ratio / float64(len(loads))
		}
	}
	return metric.Estimate(means, metric.DefaultLevel)
}

// draw draws the ratio along the load.
func (p *phiStudy) draw() plots.Figure {
	line := plots.Series{Name: "Simulated", X: p.loads}
	for i := range p.loads {
		addInterval(&line, metric.Estimate(p.ratios(i), metric.DefaultLevel))
	}
	return plots.Figure{
		X:      plots.Axis{Label: "Aggregate load", Percent: true, Min: p.loads[0], Max: 1},
		Y:      plots.Axis{Label: "Ratio of mean delays", Max: 1},
		Series: []plots.Series{line},
		HLines: []plots.Rule{{At: paperPhi}},
		VLines: []plots.Rule{{At: phiLoads()[0], Text: "averaged from here on"}},
		Labels: []plots.Label{{X: 0.77, Y: paperPhi + 0.04, Text: "the paper's Φ = 0.56"}},
		Notes: []string{
			fmt.Sprintf("Φ = %s, the mean at loads of 85, 90, 95 and 100 %%", plusMinus(p.phi(), 3)),
			fmt.Sprintf("Everybody admitted; %d replications of half a year; band: 95 %% interval of the mean", p.replications),
		},
	}
}

func (p *phiStudy) provenance(o Options) plots.Provenance {
	prov := o.provenance("nist-cluster", p.replications, varied("load", p.loads))
	prov.Extra = append(prov.Extra, plots.Pair{Key: "unbounded", Value: "floor=none, expire=never for every class"})
	return prov
}

func (p *phiStudy) words() []string {
	last := indexOf(p.loads, 1)
	upper := p.mean(phiLoads()[1:])
	ratio := func(load float64) string {
		return plusMinus(metric.Estimate(p.ratios(indexOf(p.loads, load)), metric.DefaultLevel), 3)
	}
	hours := func(v metric.Interval) string { return plusMinus(scaled(v, 1.0/perHour), 1) }
	wait := metric.MeanWait()
	return []string{
		fmt.Sprintf("Φ is %s here, the paper has %.2f", plusMinus(p.phi(), 3), paperPhi),
		fmt.Sprintf("the ratio is %s, %s, %s and %s at loads of 85, 90, 95 and 100 %%: the average depends on which loads are taken, and is %s without the first",
			ratio(0.85), ratio(0.9), ratio(0.95), ratio(1), plusMinus(upper, 3)),
		fmt.Sprintf("at a load of 100 %% the queue without expiry has no steady state: its mean delay, %s h in half a year from an empty system, grows with the horizon, and the ratio falls",
			hours(p.interval(unbounded, last, wait))),
		"a tenth of each half year is left out as warm-up; the paper does not say whether it leaves out any, nor whether it counts the wait of expired jobs (here only jobs that start count)",
	}
}
