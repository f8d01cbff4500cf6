package engine

import (
	"context"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"revopt/internal/text"
	"revopt/model/scenario"
	"revopt/simulate/analytic"
	"revopt/simulate/ask"
	"revopt/simulate/subject"
)

// Description is a scenario as a page shows it.
type Description struct {
	Name     string            `json:"name"`
	Title    string            `json:"title"`
	Kind     string            `json:"kind"`  // classes, trace or grid
	Model    bool              `json:"model"` // false: the scenario can only be simulated
	Jobs     float64           `json:"jobs"`  // of a replication, on average
	Controls []Control         `json:"controls"`
	Policies []PolicyName      `json:"policies"`
	Compared []string          `json:"compared,omitempty"` // by validate, if the page cannot run the listed ones
	LeftOut  []subject.LeftOut `json:"left_out"`           // policies that do not apply
}

// Control is a number of the scenario that a slider moves.
type Control struct {
	Path     string  `json:"path"`
	Label    string  `json:"label"`
	Group    string  `json:"group"`    // load, machine, price, decay, grace or share
	Customer string  `json:"customer"` // "" where it is none's
	Value    float64 `json:"value"`
	Min      float64 `json:"min"`
	Max      float64 `json:"max"`
	Step     float64 `json:"step"`
	Unit     string  `json:"unit"`
	Percent  bool    `json:"percent"` // shown as a share
	Weight   float64 `json:"weight"`  // relative change of revenue where the value moves by 10 %
}

// PolicyName is a policy that applies.
type PolicyName struct {
	Label  string `json:"label"`
	RunsOn string `json:"runs_on"` // slurm, plugin or research
}

// kind is a kind of controls. The path is a regular expression.
type kind struct{ path, group, label, unit string }

// kinds are the controls that scenarios may have, in the order in which a page shows them.
func kinds() []kind {
	return []kind{
		{`load`, "load", "Load", "%"},
		{`applications\.interarrival`, "load", "Time between arrivals", "s"},
		{`batch\.jobs`, "load", "Jobs", ""},
		{`server\.parallel`, "machine", "Jobs at a time", ""},
		{`(server|trace)\.nodes`, "machine", "Machine", "UNITs"},
		{`pools\.[^.]*\.units|sites\.\d+\.processors`, "machine", "Units", ""},
		{`classes\.[^.]*\.price`, "price", "Price", "$/job"},
		{`classes\.[^.]*\.price\.per_hour`, "price", "Price", "$/h"},
		{`classes\.[^.]*\.price\.per_unit_hour(\.[^.]*)?`, "price", "Price", "$/UNIT-hour"},
		{`qos\.budget\.low_mean`, "price", "Budget", ""},
		{`applications\.reward`, "price", "Reward", ""},
		{`classes\.[^.]*\.decay`, "decay", "Loss by delay", "$/s"},
		{`classes\.[^.]*\.decay\.per_hour`, "decay", "Loss by an hour of delay", "%"},
		{`qos\.penalty\.low_mean`, "decay", "Penalty", ""},
		{`classes\.[^.]*\.grace`, "grace", "Grace", "s"},
		{`classes\.[^.]*\.grace\.lengths`, "grace", "Grace", "lengths"},
		{`classes\.[^.]*\.deadline\.lengths|qos\.deadline\.low_mean`, "grace", "Deadline", "lengths"},
		{`applications\.laxity`, "grace", "Laxity", "%"},
		{`classes\.[^.]*\.(of\.)?share`, "share", "Share of the jobs", "%"},
		{`qos\.high_urgency`, "share", "Share of urgent jobs", "%"},
	}
}

// control returns the control at a path, and whether the scenario has it.
func control(doc *scenario.Document, k kind, path string, s *subject.Subject) (Control, bool) {
	x, stated := doc.Number(path)
	unit := text.Unit(s.Unit())
	o := Control{Path: path, Group: k.group, Label: k.label, Unit: strings.ReplaceAll(k.unit, "UNIT", unit), Value: x}
	o.Percent = k.unit == "%"
	if o.Percent {
		o.Unit = ""
	}
	parts := strings.Split(path, ".")
	if parts[0] == "classes" {
		o.Customer = parts[1]
		if i, err := strconv.Atoi(parts[1]); err == nil { // its name fits no path
			o.Customer = s.Scenario.Classes[i].Name
		}
	} else if parts[0] == "sites" {
		i, _ := strconv.Atoi(parts[1])
		o.Label = "Processors of site " + strconv.Itoa(i+1)
	}
	for _, p := range s.Scenario.Pools { // the size of a pool, or a price in one
		if unit := text.Unit(p.Unit); parts[0] == "pools" && parts[1] == p.Name {
			o.Label = "Pool " + p.Name
			o.Unit = unit + "s"
		} else if len(parts) > 4 && parts[4] == p.Name {
			o.Label, o.Unit = k.label+" in "+p.Name, "$/"+unit+"-hour"
		}
	}
	switch {
	case path == "load":
		if !stated {
			o.Value = s.Workload.Load()
		}
		o.Min = 0.05
		o.Max = math.Max(2, math.Ceil(20*o.Value)/10)
		o.Step = 0.01
		return o, !math.IsNaN(o.Value) && !math.IsInf(o.Value, 0)
	case !stated && k.label == "Grace" && s.Trace == nil: // of a class that states none
		o.Max, o.Step = 10*3600, 300
		return o, true
	case !stated || x <= 0:
		return o, false
	}
	o.Step = math.Pow10(int(math.Floor(math.Log10(x))) - 1)
	o.Max = 3 * x
	switch {
	case k.group == "machine":
		o.Min, o.Step = 1, 1
	case k.group == "load":
		o.Min = o.Step
	case o.Customer != "" && k.group == "share" && x == 1: // of the only class
		return o, false
	case k.group == "share":
		o.Max, o.Step = 1, 0.01
	case o.Percent:
		o.Max, o.Step = math.Min(o.Max, 1), math.Min(o.Step, 0.01)
	}
	return o, true
}

func (c *call) describe() (*Reply, error) {
	q, err := c.read()
	if err != nil {
		return nil, err
	}
	s, a, unsolvable := q.AnalyzeAt(c.ctx, q.Document)
	if s == nil {
		return nil, unsolvable
	}
	title, _, _ := strings.Cut(string(q.Document.Source()), "\n")
	title, _ = strings.CutPrefix(title, "# ")
	var compared []string
	applying, leftOut := s.Applying()
	own, err := s.Policies()
	if err == nil { // the first of the scenario comes first
		same := func(p subject.Policy) bool { return p.Label() == own[0].Label() }
		applying = append(own[:1:1], slices.DeleteFunc(applying, same)...)
	}
	if err != nil || slices.ContainsFunc(own, func(p subject.Policy) bool { return p.Spec.Program }) {
		applying = slices.DeleteFunc(applying, func(p subject.Policy) bool { return p.Spec.Program })
		compared = text.Each(applying[:min(len(applying), mostCompared)], subject.Policy.Label)
	}
	d := &Description{
		Name: s.Scenario.Name, Title: title, Kind: s.Kind, Model: unsolvable == nil, Jobs: s.Workload.Size(),
		Controls: []Control{},
		Policies: text.Each(applying, func(p subject.Policy) PolicyName {
			return PolicyName{p.Label(), p.Spec.RunsOn(p.Settings).Key()}
		}),
		Compared: compared, LeftOut: append([]subject.LeftOut{}, leftOut...),
	}
	paths, err := q.Document.NumericPaths()
	if err != nil {
		return nil, err
	}
	for _, k := range kinds() {
		form := regexp.MustCompile("^(?:" + k.path + ")$")
		for _, path := range paths {
			if form.MatchString(path) {
				if o, ok := control(q.Document, k, path, s); ok {
					d.Controls = append(d.Controls, o)
				}
			}
		}
	}
	if d.Model {
		weigh(c.ctx, q, a, d.Controls)
	}
	return &Reply{Facts: d}, nil
}

// mostCompared is how many policies a page compares where the scenario lists some that a page does not run.
const mostCompared = 9

// mostWeighed is how many controls are weighed, for a page with hundreds of customers.
const mostWeighed = 100

// weigh finds how much the optimum changes when each control moves by 10 %, or by one unit.
func weigh(ctx context.Context, q *ask.Question, a *analytic.Analysis, controls []Control) {
	before, err := a.Best(ctx, a.System.Residual)
	if err != nil {
		return
	}
	for i := range min(len(controls), mostWeighed) {
		o := &controls[i]
		x := 1.1 * o.Value
		if o.Group == "machine" {
			x = math.Max(o.Value+1, math.Round(x))
		}
		doc, err := q.Document.With(scenario.Set(o.Path, x))
		if err != nil {
			continue
		}
		if _, moved, err := q.AnalyzeAt(ctx, doc); err == nil {
			if after, err := moved.Best(ctx, moved.System.Residual); err == nil {
				change := math.Abs(float64(after.RevenuePerSecond/before.RevenuePerSecond - 1))
				o.Weight = math.Min(change, math.MaxFloat64)
			}
		}
		if math.IsNaN(o.Weight) { // nothing is earned
			o.Weight = 0
		}
	}
}
