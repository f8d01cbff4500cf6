package paper

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"revopt/plots"
	"revopt/simulate/study"
)

// A Recipe makes one figure of a paper.
type Recipe struct {
	ID         string // of the figure and its files: "nist-06"
	Title      string
	Source     string // the paper and its figure
	Parameters string // what is computed, and with which numbers
	Claim      string // of the paper's text, which the numbers must show

	// Sweeps returns the sweeps whose results the figure is drawn from. It is nil
	// where the figure is computed by formulas, or validates against bounds only.
	Sweeps func(o Options) ([]*study.SweepSpec, error)

	// Build computes the figure. The result is the same for any number of
	// workers.
	Build func(ctx context.Context, o Options) (Result, error)

	// draw draws a figure from its sweeps; Build is then nil until complete.
	draw func(o Options, found []*study.SweepResults) Result
}

// complete gives a recipe that draws from sweeps its Build, and pictures the ID
// and the title of their recipe.
func (r Recipe) complete() Recipe {
	build := r.Build
	if r.draw != nil {
		build = func(ctx context.Context, o Options) (Result, error) {
			list, err := r.Sweeps(o)
			if err != nil {
				return Result{}, err
			}
			found, err := o.runSweeps(ctx, list)
			if err != nil {
				return Result{}, err
			}
			return r.draw(o, found), nil
		}
	}
	r.Build = func(ctx context.Context, o Options) (Result, error) {
		result, err := build(ctx, o)
		if err == nil {
			result.Picture = plots.Named(result.Picture, r.ID, r.Title)
			if read := o.Reading; read.Of != "" {
				result.Picture = noted(result.Picture, read.Caption())
				result.Provenance.Extra = append(result.Provenance.Extra, plots.Pair{Key: "reading", Value: read.Name})
				result.Remarks = []string{read.Caption(), "the text: " + read.Reads} // those of the recipe are on its own reading
			}
		}
		return result, err
	}
	return r
}

// Options control how a recipe is computed. The zero value is the full figure
// on one worker.
type Options struct {
	Quick   bool   // coarser or shorter, for a first look
	Workers int    // computations at a time; below 1 means 1
	Seed    uint64 // of whatever is random

	// Replications of each simulated point; 0 means the recipe's own number.
	// The paper has 500 in section VI.
	Replications int

	// Reading is how the paper is read; the zero value is the default reading.
	Reading Reading

	// Trace is the SWF file that the figures of the SP2 take their jobs from,
	// the last ones in it; empty means generated jobs.
	Trace string

	// Dir keeps the journals of what is simulated or computed at length, each in
	// a directory of its own: a recipe that was interrupted goes on from there.
	// It must be that of one version of the program. Empty keeps nothing.
	Dir string

	// Shared, if not nil, lets recipes that are built one after another run
	// their common sweeps once. It does not change any number.
	Shared *Shared

	// Progress, if not nil, is told how many of the computations are done.
	// Calls do not overlap.
	Progress func(done, total int)
}

// replications returns how often to simulate each point.
func (o Options) replications(full, quick int) int {
	switch {
	case o.Replications > 0:
		return o.Replications
	case o.Quick:
		return quick
	}
	return full
}

// A Result is a figure with what has to be known about it.
type Result struct {
	Picture plots.Picture

	// Provenance names the scenario, what was overridden and what varied.
	// Version and command are left to the caller.
	Provenance plots.Provenance

	// Remarks say where the numbers differ from the text of the paper, and
	// what was chosen where it is silent.
	Remarks []string
}

// Recipes returns all recipes in the order of the papers and their figures.
func Recipes() []Recipe {
	two, four := classRecipes()
	list := slices.Concat(
		[]Recipe{genericUtility(), linearUtility(), phaseDiagram(), uncontrolledRevenue(), oneClassAdmission(), oneClassRevenue()},
		[]Recipe{twoUtilities()}, two, []Recipe{fourUtilities()}, four, []Recipe{clusterAdmission()},
		simulatedRecipes(), []Recipe{simulatedGain(), variableWidths(), delayCoefficient(), libraTable()},
		[]Recipe{budgetFunctions()}, impreciseRecipes(), pricingRecipes(), []Recipe{penaltyUtility()}, slaRecipes(), []Recipe{nistBounds(), sp2Bounds(), earning(), controlGain(), controlThreshold(), priceMenu()},
	)
	for i, r := range list {
		list[i] = r.complete()
	}
	return list
}

// Find returns the recipe of the given ID. The error names the ones there are.
func Find(id string) (Recipe, error) {
	var known []string
	for _, r := range Recipes() {
		if r.ID == id {
			return r, nil
		}
		known = append(known, r.ID)
	}
	return Recipe{}, fmt.Errorf("no figure %q: there are %s", id, strings.Join(known, ", "))
}

// nist names a figure of the NIST paper as the source of a recipe.
func nist(figure int) string {
	return fmt.Sprintf("Marbukh and Mills, On Maximizing Provider Revenue in Market-Based Compute Grids (NIST), figure %d", figure)
}
