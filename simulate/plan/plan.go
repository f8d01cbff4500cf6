package plan

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"
	"slices"

	"revopt/internal/text"
	"revopt/model/scenario"
	"revopt/simulate/metric"
	"revopt/simulate/policy"
	"revopt/simulate/run"
	"revopt/simulate/subject"
	"revopt/simulate/workload"
)

// Plan is a grid of experiments as data: points x rows x replications. A point is
// the scenario with overrides: none, the values of axes, or a change. A row is a
// policy behind an admission. All rows of a point see the same jobs in the same
// replication, so that their differences are not luck.
//
// The JSON of a plan holds all that its numbers depend on. It is the identity of
// the work in a journal.
type Plan struct {
	Format   int                 `json:"plan"`
	Sweep    bool                `json:"sweep,omitempty"` // that of a sweep file
	Scenario string              `json:"scenario"`        // the text of the file, without overrides
	Traces   []string            `json:"trace_sha256,omitempty"`
	Programs []string            `json:"program_sha256,omitempty"` // of the files that policies run, each with its name
	Set      []scenario.Override `json:"set,omitempty"`            // at every point
	// the points are all combinations, the first axis slowest
	Vary    []scenario.Axis `json:"vary,omitempty"`
	Changes []Change        `json:"changes,omitempty"` // or the points are these; then nothing varies
	Rows    []Row           `json:"rows"`
	Seed    uint64          `json:"seed"`

	// Replications of each row; with a Stop the most that a row may have. The first has the
	// number From: a plan may go on where another one ended.
	Replications int                  `json:"replications"`
	From         int                  `json:"from,omitempty"`
	Stop         *StopRule            `json:"stop,omitempty"`
	Bounds       *Bounds              `json:"bounds,omitempty"`   // nil: none
	Resample     *workload.Resampling `json:"resample,omitempty"` // draws the jobs of a trace anew
	Plain        bool                 `json:"plain,omitempty"`    // without control variates
	Measures     []string             `json:"measures"`           // that samples keep
	Classes      bool                 `json:"classes"`            // of each customer as well
	Served       *run.JobGroups       `json:"served,omitempty"`   // groups whose waits are measured; nil: none
	// rows are compared by ObjectiveWait or ObjectiveSlowdown, whose measure samples keep too; "": by the value
	CompareBy string `json:"objective,omitempty"`

	document *scenario.Document // with what is set
	specs    []policy.Spec      // that policies are looked up in
	grid     [2]int             // admissions and policies of a sweep, whose rows are all combinations
	seeds    int                // replications that a sweep file states; 0: none
	Partial  bool               `json:"-"` // a policy that fails is left out of the samples, see Samples.Failed
	Base     map[string]string  `json:"-"` // values of paths that the only point of the plan leaves as they are
}

// planFormat changes when the same plan no longer gives the same journal.
const planFormat = 5

// Row is a policy behind an admission. A rule of admission that is given in Go
// is known to a journal by its name alone.
type Row struct {
	Policy    subject.Policy
	Admission run.Gate
	Search    *scenario.SearchEffort // of an admission that is searched; nil is the default

	// Admits are the probabilities of each customer by point, where they differ between
	// points; nil leaves it to the Admission.
	Admits [][]float64
}

// admission returns the admission of the row at a point, as it is given.
func (r Row) admission(point int) run.Gate {
	a := r.Admission
	if r.Admits != nil {
		a.Admit = r.Admits[point]
	}
	return a
}

// planRow is the JSON of a Row.
type planRow struct {
	Policy    string                 `json:"policy"`
	Options   policy.Settings        `json:"options"`
	Admission string                 `json:"admission,omitempty"`
	Admit     []float64              `json:"admit,omitempty"`
	Search    *scenario.SearchEffort `json:"search,omitempty"`
	Admits    [][]float64            `json:"admit_by_point,omitempty"`
}

func (r Row) MarshalJSON() ([]byte, error) {
	return json.Marshal(planRow{r.Policy.Spec.Name, r.Policy.Settings, r.Admission.Name, r.Admission.Admit,
		r.Search, r.Admits})
}

// Change is a point that differs from the scenario as it is.
type Change struct {
	Set  []scenario.Override `json:"set,omitempty"`
	Rows []int               `json:"rows"` // that are run there
}

// StopRule ends the replications of a point when the interval of a measure of all jobs is narrow enough in
// every row, by looks as metric.Precision says.
type StopRule struct {
	Metric   string  `json:"metric"`
	Relative float64 `json:"relative"` // half width as a share of the mean
	First    int     `json:"first"`    // replications before the first look; 0 is 4 with control variates, else 10
	Level    float64 `json:"level"`    // of confidence
}

// Bounds asks for what no policy can exceed on the jobs of each replication.
type Bounds struct {
	// Quick computes the clairvoyant bound alone, on a coarse grid if jobs are drawn, and
	// leaves the workload as it is. Otherwise all bounds are computed, and a replication
	// starts empty, has no warm-up and runs until its last job has ended, so that the
	// money of all jobs counts on both sides.
	Quick bool `json:"quick,omitempty"`

	// Jobs of a replication of a stream; 0 means its own length, up to
	// workload.DrainedJobs. A trace or a grid has the jobs it has.
	Jobs int `json:"jobs,omitempty"`

	// Whole takes the length of a replication of a stream from the scenario, however long
	// it is.
	Whole bool `json:"whole,omitempty"`

	// Objective is ObjectiveWait or ObjectiveSlowdown; "" is the value delivered.
	Objective string `json:"objective,omitempty"`

	// None computes no bound: replications alone run as they do against bounds.
	None bool `json:"none,omitempty"`

	// Gap is the relative gap at which the clairvoyant bound stops improving; 0
	// means the default of bound.Options.
	Gap float64 `json:"gap,omitempty"`

	// WholeOrPartial makes the bounds hold for policies that return whole jobs and
	// for those that return partial results, whatever rows there are. Otherwise they
	// hold for the kinds of the rows, and are tighter where all rows are of one kind.
	WholeOrPartial bool `json:"whole_or_partial,omitempty"`
}

// New returns the plan of a scenario, with all measures of all customers. Policies are looked up in
// specs; nil is the standard list.
func New(doc *scenario.Document, specs []policy.Spec, rows []Row) *Plan {
	return &Plan{
		Format: planFormat, Scenario: string(doc.Source()), Set: doc.Overrides(), Rows: rows, Seed: 1,
		Measures: metric.Names(metric.Measures()), Classes: true, document: doc, specs: specs,
	}
}

// Document returns the scenario with what holds at every point.
func (p *Plan) Document() *scenario.Document { return p.document }

// Seeds returns the number of replications that a sweep file states, 0 if it states none.
func (p *Plan) Seeds() int { return p.seeds }

// Name returns the JSON of the plan, the name of the work in journals.
func (p *Plan) Name() string {
	name, err := json.Marshal(p)
	if err != nil {
		panic("plan: " + err.Error())
	}
	return string(name)
}

// Hash returns a short name of the plan that no other has.
func (p *Plan) Hash() string {
	sum := sha256.Sum256([]byte(p.Name()))
	return hex.EncodeToString(sum[:8])
}

// Row returns the row of an admission and a policy of a sweep, by their positions.
func (p *Plan) Row(admission, policy int) int { return admission*p.grid[1] + policy }

// Points returns the number of points.
func (p *Plan) Points() int {
	n := max(1, len(p.Changes))
	for _, a := range p.Vary {
		n *= len(a.Values)
	}
	return n
}

// At returns the values of the axes at a point.
func (p *Plan) At(point int) []float64 {
	values := make([]float64, len(p.Vary))
	for i, k := range p.places(point) {
		values[i] = p.Vary[i].Values[k]
	}
	return values
}

// places returns the index of the value of each axis at a point.
func (p *Plan) places(point int) []int {
	places := make([]int, len(p.Vary))
	for i := len(places) - 1; i >= 0; i-- {
		n := len(p.Vary[i].Values)
		places[i] = point % n
		point /= n
	}
	return places
}

func (p *Plan) overrides(point int) []scenario.Override {
	if p.Changes != nil {
		return p.Changes[point].Set
	}
	var list []scenario.Override
	for i, k := range p.places(point) {
		if _, _, ok := p.Vary[i].Option(); !ok {
			list = append(list, p.Vary[i].Override(k))
		}
	}
	return list
}

// Paths returns the paths that differ between points.
func (p *Plan) Paths() []string {
	list := text.Each(p.Vary, func(a scenario.Axis) string { return a.Path })
	for _, c := range p.Changes {
		for _, o := range c.Set {
			if !slices.Contains(list, o.Path) {
				list = append(list, o.Path)
			}
		}
	}
	return list
}

// Value returns the value of a path at a point as text, "" if the point leaves it.
func (p *Plan) Value(point int, path string) string {
	for i, x := range p.At(point) {
		if p.Vary[i].Path == path {
			return text.Field(x)
		}
	}
	for _, o := range p.overrides(point) {
		if o.Path == path {
			return o.Value
		}
	}
	return p.Base[path]
}

// DocumentAt returns the scenario at a point. A change leaves arrivals alone unless it states them.
func (p *Plan) DocumentAt(point int) (*scenario.Document, error) {
	list := p.overrides(point)
	switch {
	case len(list) == 0:
		return p.document, nil
	case p.Changes != nil:
		return p.document.Settled().With(list...)
	}
	return p.document.With(list...)
}

// RowsAt returns the rows that are run at a point.
func (p *Plan) RowsAt(point int) []int {
	if p.Changes != nil {
		return p.Changes[point].Rows
	}
	return text.Numbers(len(p.Rows))
}

// policyAt returns the policy of a row at a point. Axes may vary its options.
func (p *Plan) policyAt(point, row int) (subject.Policy, error) {
	choice := p.Rows[row].Policy
	var given policy.Settings
	for i, x := range p.At(point) {
		if name, option, ok := p.Vary[i].Option(); ok && name == choice.Spec.Name {
			if given == nil {
				given = maps.Clone(choice.Settings)
			}
			given[option] = text.Field(x)
		}
	}
	if given == nil {
		return choice, nil
	}
	all, err := choice.Spec.Resolve(given)
	return subject.Policy{Spec: choice.Spec, Settings: all}, err
}

// Label names a row in tables: the policy with the options that are not the defaults,
// and the admission where it has a name, as in "fcfs:backfill=true, analytic".
func (r Row) Label() string {
	label := r.Policy.Label()
	if r.Admission.Name != "" {
		label += ", " + r.Admission.Name
	}
	return label
}
