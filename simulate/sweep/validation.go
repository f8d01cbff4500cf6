package sweep

import (
	"encoding/json"
	"fmt"

	"revopt/model/scenario"
	"revopt/simulate/metric"
	"revopt/simulate/policy"
)

// Validation sets policies against bounds that are proven for the very jobs
// they serve: contenders on the same jobs and random numbers, at one point or
// at several along an axis, in several replications. The scenario may have job
// classes, a trace with QoS, or a grid.
//
// A replication starts empty, has no warm-up whatever the scenario says, and
// goes on until the last of finitely many jobs has ended, so that all the money
// of all jobs is counted on both sides.
//
// Open makes a Validating of it, which is Work.
type Validation struct {
	Scenario     *scenario.Document  // without what is set
	Set          []scenario.Override // what holds at every point
	Vary         scenario.Axis       // any numeric path; without values there is one point
	Contenders   []Contender
	Seed         uint64
	Replications int // 0: as many as the scenario says

	// Jobs is how many jobs a replication of a class workload has; 0 means the
	// jobs or the horizon of the scenario, and DrainedJobs where that is more. A
	// trace or a grid has the jobs it has.
	Jobs int

	// Gap is the relative gap at which the clairvoyant bound stops improving, 0
	// means the default of bound.Options. The gap that is reached is reported.
	Gap float64

	// Either makes the bounds hold for policies that return whole jobs and for
	// those that return partial results, whoever takes part. Without it they hold
	// for the kinds that do, and are tighter where all are of one.
	Either bool

	Level float64 // of confidence; 0 is metric.DefaultLevel
}

// DrainedJobs is how many jobs a replication of a class workload has at most,
// on average, unless it is said how many.
const DrainedJobs = 5000

// Contender is a policy with its options and, for class workloads, an
// admission.
type Contender struct {
	Policy    string          `json:"policy"`
	Options   policy.Settings `json:"options,omitempty"`   // the missing ones are the defaults
	Admission string          `json:"admission,omitempty"` // what the admission is called: all, analytic, ...

	// Admit is the admission probability of each class, by point; one entry
	// serves all points, and none admits all. Class workloads only.
	Admit [][]float64 `json:"admit,omitempty"`
}

// Label names a contender in tables: the policy with the options that are not
// the defaults, and the admission where it has a name, as in
// "fcfs:backfill=true, analytic".
func (c Contender) Label() string {
	label := c.Policy
	if spec, err := policy.Lookup(c.Policy); err == nil {
		for _, o := range spec.Options {
			if value, ok := c.Options[o.Name]; ok && value != o.Values[0] {
				label += ":" + o.Name + "=" + value
			}
		}
	}
	if c.Admission != "" {
		label += ", " + c.Admission
	}
	return label
}

// Imprecise reports whether the contender returns partial results.
func (c Contender) Imprecise() bool {
	_, ok := policy.LookupScheme(c.Policy)
	return ok
}

// admit returns the admission at a point.
func (c Contender) admit(point int) []float64 {
	switch len(c.Admit) {
	case 0:
		return nil
	case 1:
		return c.Admit[0]
	}
	return c.Admit[point]
}

// Points returns the values of the axis; a single 0 where there is none.
func (v *Validation) Points() []float64 {
	if len(v.Vary.Values) == 0 {
		return []float64{0}
	}
	return v.Vary.Values
}

// At returns the scenario at a point.
func (v *Validation) At(point int) (*scenario.Document, error) {
	list := append([]scenario.Override(nil), v.Set...)
	if len(v.Vary.Values) > 0 {
		o := scenario.Set(v.Vary.Path, v.Vary.Values[point])
		o.Source = "vary " + o.Path + "=" + o.Value
		list = append(list, o)
	}
	return v.Scenario.With(list...)
}

func (v *Validation) level() float64 {
	if v.Level > 0 {
		return v.Level
	}
	return metric.DefaultLevel
}

// validationFormat changes when the same validation no longer gives the same
// journal.
const validationFormat = 2

// name returns JSON of all that the numbers depend on. traces are the checksums
// of the files read.
func (v *Validation) name(replications int, traces []string) string {
	spec := struct {
		Format       int           `json:"validation"`
		Scenario     string        `json:"scenario"`
		Set          []Setting     `json:"set,omitempty"`
		Vary         scenario.Axis `json:"vary"`
		Contenders   []Contender   `json:"contenders"`
		Seed         uint64        `json:"seed"`
		Replications int           `json:"replications"`
		Jobs         int           `json:"jobs"`
		Gap          float64       `json:"gap"`
		Either       bool          `json:"either"`
		Traces       []string      `json:"trace_sha256,omitempty"`
	}{
		validationFormat, string(v.Scenario.Source()), nil, v.Vary, v.Contenders, v.Seed, replications, v.Jobs, v.Gap, v.Either, traces,
	}
	for _, o := range v.Set {
		spec.Set = append(spec.Set, Setting{Path: o.Path, Value: o.Value})
	}
	text, err := json.Marshal(spec)
	if err != nil {
		panic(fmt.Sprintf("sweep: %v", err))
	}
	return string(text)
}
