package paper

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"revopt/internal/removed"
	"revopt/internal/text"
	"revopt/plots"
)

// A Recipe makes one figure. The comment of the function that returns it says which.
type Recipe struct {
	ID    string // of the figure and its files: "nist-06"
	Title string

	// Build computes the figure. The result is the same for any number of
	// workers.
	Build func(ctx context.Context, o Options) (Result, error)

	build     func(ctx context.Context, o Options) (Result, error) // without the ID
	remarks   []string                                             // what was chosen where the paper is silent
	simulated *simulated                                           // set where the figure is drawn from a plan
}

// complete gives a recipe its Build, whose results have the ID and the title of their recipe.
func (r Recipe) complete() Recipe {
	if r.simulated != nil {
		r.build = r.simulated.build
	}
	r.Build = func(ctx context.Context, o Options) (Result, error) {
		if o.Shared == nil {
			o.Shared = new(Shared)
		}
		result, err := r.build(ctx, o)
		if err != nil {
			return result, err
		}
		result.Picture = plots.Named(beside(result.Picture, r.ID, o.Reading), r.ID, r.Title)
		switch {
		case o.Reading.concerns(result.Provenance.Scenario):
			result.Remarks = append([]string{"alternative reading: " + o.Reading.Means}, result.Remarks...)
		case o.Reading.Means != "":
			result.Remarks = append(result.Remarks, "the alternative reading of the paper does not change this figure")
			fallthrough
		default:
			result.Remarks = slices.Concat(r.remarks, result.Remarks) // they are about the built-in scenario
		}
		return result, ctx.Err()
	}
	return r
}

// Paper returns the name of the paper of the figure.
func (r Recipe) Paper() string {
	name, _, _ := strings.Cut(r.ID, "-")
	return name
}

// Options control how a recipe is computed. The zero value is the full figure on one worker.
type Options struct {
	Quick   bool   // coarser or shorter, for a first look
	Workers int    // computations at a time; below 1 means 1
	Seed    uint64 // of random numbers

	// Replications of each simulated point; 0 means the recipe's own number.
	// The paper has 500 in section VI.
	Replications int

	// Reading is how the paper is read; the zero value is the reading of the built-in scenarios.
	Reading Reading

	// AllPolicies draws the policies that bound-sp2 leaves out, behind the others.
	AllPolicies bool

	// Trace is the SWF file that the figures of the SP2 take their jobs from,
	// the last ones in it; empty means generated jobs.
	Trace string

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

	// Remarks say what was chosen where the paper is silent.
	Remarks []string
}

// Recipes returns all recipes in the order of the papers and their figures.
func Recipes() []Recipe {
	list := slices.Concat(
		[]Recipe{genericUtility(), linearUtility(), phaseDiagram()},
		oneClassRecipes(),
		[]Recipe{twoUtilities()}, twoClassRecipes(),
		[]Recipe{fourUtilities()}, fourClassRecipes(),
		[]Recipe{clusterAdmission()}, sectionVIRecipes(),
		[]Recipe{simulatedGain(), variableWidths(), delayCoefficient()},
		[]Recipe{libraTable()},
		[]Recipe{budgetFunctions()}, impreciseRecipes(),
		pricingRecipes(),
		[]Recipe{penaltyUtility()}, slaRecipes(),
		[]Recipe{nistBounds(), sp2Bounds()},
	)
	for i, r := range list {
		list[i] = r.complete()
	}
	return list
}

// Find returns the recipe of the given ID. The error names the known ones.
func Find(id string) (Recipe, error) {
	var known []string
	for _, r := range Recipes() {
		if r.ID == id {
			return r, nil
		}
		known = append(known, r.ID)
	}
	if old, gone := removed.Find(removed.Figure, id); gone {
		return Recipe{}, errors.New(old.String())
	}
	near := text.DidYouMean(id, known)
	if near == "" {
		near = ": there are " + strings.Join(known, ", ")
	}
	return Recipe{}, fmt.Errorf("no figure %q%s", id, near)
}
