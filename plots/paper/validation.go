package paper

import (
	"context"

	"revopt/model/scenario"
	"revopt/simulate/policy"
	"revopt/simulate/study"
)

// boundPlan is rows against bounds along an axis, in the words of a recipe.
type boundPlan struct {
	Plain          bool
	Scenario       *scenario.Document  // without what is set
	Set            []scenario.Override // what holds at every point
	Vary           scenario.Axis
	Contenders     []boundRow
	Seed           uint64
	Replications   int
	Gap            float64 // see study.PlanBounds
	WholeOrPartial bool
}

// boundRow is a policy with its options and an admission.
type boundRow struct {
	Policy    string
	Options   policy.Settings
	Admission string
	Admit     [][]float64 // by point; nil admits all
}

// boundResult is what came of a boundPlan.
type boundResult struct {
	Serves string // what the bounds allow a scheduler
	Points []study.BoundedPoint
}

// Points returns the values of the axis.
func (v *boundPlan) Points() []float64 { return v.Vary.Values }

// At returns the scenario at a point.
func (v *boundPlan) At(point int) (*scenario.Document, error) {
	doc, err := v.Scenario.With(v.Set...)
	if err != nil {
		return nil, err
	}
	return doc.With(v.Vary.Override(point))
}

// plan returns the plan.
func (v *boundPlan) plan() (*study.Plan, error) {
	doc, err := v.Scenario.With(v.Set...)
	if err != nil {
		return nil, err
	}
	var rows []study.PlanRow
	for _, c := range v.Contenders {
		p, err := study.NewPolicy(nil, c.Policy, c.Options)
		if err != nil {
			return nil, err
		}
		rows = append(rows, study.PlanRow{Policy: p, Admission: study.Admission{Name: c.Admission}, Admits: c.Admit})
	}
	p := study.NewPlan(doc, nil, rows)
	p.Vary, p.Seed, p.Replications, p.Plain = []scenario.Axis{v.Vary}, v.Seed, v.Replications, v.Plain
	p.Bounds = &study.PlanBounds{Gap: v.Gap, WholeOrPartial: v.WholeOrPartial}
	return p, nil
}

// validate runs a plan, from where an interrupted run was.
func (o Options) validate(ctx context.Context, v *boundPlan) (*boundResult, error) {
	p, err := v.plan()
	if err != nil {
		return nil, err
	}
	samples, err := o.runSweep(ctx, p)
	if err != nil {
		return nil, err
	}
	r := &boundResult{Serves: samples.Serves()}
	for point := range p.Points() {
		n, _ := samples.Replications(point)
		r.Points = append(r.Points, *samples.Bounded(point, n))
	}
	return r, nil
}
