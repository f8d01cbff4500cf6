package engine

import (
	"regexp"
	"strings"
)

// Description is a scenario as a page shows it.
type Description struct {
	Name       string       `json:"name"`
	Title      string       `json:"title"`
	Kind       string       `json:"kind"`  // classes, trace or grid
	Model      bool         `json:"model"` // false: the scenario can only be simulated
	Trace      bool         `json:"trace"`
	Controls   []Control    `json:"controls"`
	Policies   []PolicyName `json:"policies"`
	Customers  []string     `json:"customers"`
	Pools      []string     `json:"pools"`
	Admissions []string     `json:"admissions"` // kinds of control that can be solved
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
	Log      bool    `json:"log"`     // moves on a logarithmic scale
	Weight   float64 `json:"weight"`  // relative change of revenue where the value moves by 10 %
}

// PolicyName is a policy that applies.
type PolicyName struct {
	Label  string `json:"label"`
	RunsOn string `json:"runs_on"` // slurm, plugin or research
}

// kinds are the controls that scenarios may have: the paths of fields, and how they move.
func kinds() []kind {
	return []kind{
		{path: `load`, label: "Load", group: "load", percent: true},
		{path: `applications\.interarrival|batch\.jobs`, label: "Arrivals", group: "load"},
		{path: `server\.(parallel|nodes)|trace\.nodes|pools\.(.*)\.units|sites\.\d+\.processors`, label: "Machine", group: "machine"},
		{path: `classes\.(.*)\.price(\.per_hour|\.per_unit_hour(\.[^.]*)?)?|qos\.budget\.low_mean`, label: "Price", group: "price"},
		{path: `classes\.(.*)\.decay(\.per_hour)?|qos\.penalty\.low_mean`, label: "Decay", group: "decay"},
		{path: `classes\.(.*)\.grace(\.lengths)?|qos\.deadline\.low_mean|applications\.laxity`, label: "Grace", group: "grace"},
		{path: `classes\.(.*)\.(of\.)?share|qos\.high_urgency`, label: "Share", group: "share", percent: true},
	}
}

// kind is a kind of controls.
type kind struct {
	path, label, group string // the path is a regular expression
	percent            bool
}

// describe describes the scenario.
func (c *call) describe() (*Reply, error) {
	s, err := c.opener.Open(c.ctx, c.doc)
	if err != nil {
		return nil, err
	}
	_, unsolved := s.Analyze(c.ctx, c.Seed, 0)
	title, _, _ := strings.Cut(string(c.doc.Source()), "\n")
	d := &Description{
		Name: s.Scenario.Name, Title: strings.TrimSpace(strings.TrimPrefix(title, "#")), Kind: s.Kind,
		Model: unsolved == nil, Trace: s.Trace != nil, Controls: []Control{}, Policies: []PolicyName{},
		Customers: s.Names(), Pools: []string{}, Admissions: []string{"static", "threshold", "state"},
	}
	paths, err := c.doc.NumericPaths()
	if err != nil {
		return nil, err
	}
	for _, k := range kinds() {
		form := regexp.MustCompile("^(?:" + k.path + ")$")
		for _, path := range paths {
			x, stated := c.doc.Number(path)
			match := form.FindStringSubmatch(path)
			if match == nil || !stated {
				continue
			}
			d.Controls = append(d.Controls, Control{
				Path: path, Label: k.label, Group: k.group, Value: x, Max: 3 * x, Step: x / 100, Percent: k.percent,
			})
		}
	}
	for _, p := range s.Scenario.Pools {
		d.Pools = append(d.Pools, p.Name)
	}
	applying, _ := s.Applying()
	for _, p := range applying {
		d.Policies = append(d.Policies, PolicyName{p.Label(), p.Spec.RunsOn(p.Settings).Key()})
	}
	return &Reply{Facts: d}, nil
}
