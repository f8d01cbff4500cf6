package ask

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"revopt/internal/text"
	"revopt/model/scenario"
	"revopt/simulate/policy"
	"revopt/simulate/run"
	"revopt/simulate/subject"
	"revopt/simulate/workload"
)

// change is one difference from the scenario as it is.
type change struct {
	name      string              // as it was asked for
	set       []scenario.Override // of fields
	growth    float64             // of arrivals, over those of the scenario as it is
	policy    alter               // nil leaves it
	admission *run.Admission      // nil leaves it
	choice    string              // changes of one choice exclude each other: the best of them is among all together
}

// alter returns a policy after a change of it. The error says why it cannot have the change.
type alter func(subject.Policy) (subject.Policy, error)

// replacing returns the change to another policy.
func replacing(p subject.Policy) alter {
	return func(subject.Policy) (subject.Policy, error) { return p, nil }
}

// inTurn returns the policy after changes of it, in the order in which they build on each other: another policy, a
// priority, a limit on waiting. A priority is one of slurm, so that it has no other policy under it.
func inTurn(p subject.Policy, list []change) (subject.Policy, error) {
	var err error
	replaced := false
	for _, choice := range []string{changePolicy, changePriority, policy.LongestWait} {
		for _, c := range list {
			if c.choice != choice || err != nil {
				continue
			}
			if choice == changePriority && replaced && !slices.Contains(ownNames(), p.Spec.Name) {
				return p, fmt.Errorf("expected %s, got %s", text.OneOf(ownNames()), p.Label())
			}
			p, err = c.policy(p)
			replaced = choice == changePolicy
		}
	}
	return p, err
}

// parseFields is parseField, where pools.* gives a change for each pool.
func parseFields(s *subject.Subject, arg string) ([]change, error) {
	field, all := strings.CutPrefix(strings.TrimSpace(arg), "pools.*")
	if !all {
		c, err := parseField(s, arg)
		return []change{c}, err
	}
	if s.Scenario.Pools == nil {
		return nil, &scenario.Error{File: "--change " + arg, Message: "expected pools in the scenario"}
	}
	var list []change
	for _, p := range s.Scenario.Pools {
		c, err := parseField(s, "pools."+p.Name+field)
		if err != nil {
			return nil, err
		}
		list = append(list, c)
	}
	return list, nil
}

// parseField reads a change of a field, of growth or of load, such as nodes=+16,
// growth=20% or classes.urgent.price.per_unit_hour=+10%; see scenario.Document.Change.
// The path nodes is the machine of any workload in its units, and so is their name, such as
// cores. A load stands for the growth that leads to it, so that a change of the machine beside it
// brings no customers.
func parseField(s *subject.Subject, arg string) (change, error) {
	asked := "--change " + arg
	typed, value, _ := strings.Cut(arg, "=")
	typed = strings.TrimSpace(typed)
	machine := namesMachine(s, typed)
	if machine {
		path, err := machinePath(s, typed)
		if err != nil {
			return change{}, &scenario.Error{File: asked, Message: err.Error()}
		}
		arg = strings.Replace(arg, typed, path, 1)
	}
	now := map[string]float64{"load": offeredLoad(s), "growth": s.Scenario.Growth}
	if r, ok := s.Workload.(*workload.Replay); ok {
		now["trace.nodes"], now["trace.arrival_delay_factor"] = float64(s.Nodes()), r.Delay()*(1+s.Scenario.Growth)
	}
	o, err := s.Document.Change(arg, now)
	if bad := (*scenario.Error)(nil); errors.As(err, &bad) {
		bad.File = asked
	}
	if err != nil {
		return change{}, err
	}
	o.Source = asked
	if err := refuseIdle(o, arg); err != nil {
		return change{}, err
	}
	given := strings.TrimSpace(value)
	shown := o.Path
	if machine {
		shown = typed
	}
	c := change{name: changeName(shown, given, o), choice: o.Path}
	if o.Path != "load" && o.Path != "growth" {
		c.set = []scenario.Override{o}
		return c, nil
	}
	c.growth, err = growthOf(s, o, given)
	return c, err
}

// refuseIdle refuses a change of a field that changes nothing that is earned.
func refuseIdle(o scenario.Override, arg string) error {
	root, _, _ := strings.Cut(o.Path, ".")
	hint := "it changes nothing that is earned"
	switch {
	case root == "policies":
		hint = "expected policy=P, with the policy after the change"
	case root == "simulation":
		hint += ": --set " + arg + " sets it before and after"
	case root != "name" && !strings.HasSuffix(o.Path, ".name"):
		return nil
	}
	return &scenario.Error{File: o.Source, Message: hint}
}

// changeName names a change by the path that users know and the value as it was given. A percentage of units is
// rounded to whole ones, which the name then says too.
func changeName(path, given string, o scenario.Override) string {
	pool := strings.HasPrefix(o.Path, "pools.") && strings.HasSuffix(o.Path, ".units")
	if pool {
		path = strings.TrimSuffix(path, ".units")
	}
	name := path + "=" + given
	units := pool || strings.HasSuffix(o.Path, "nodes")
	if units && strings.HasSuffix(given, "%") && given != o.Value {
		name += " (" + o.Value + ")"
	}
	return name
}

// growthOf returns the growth of arrivals, over those of the scenario as it is, that an override of load or growth
// stands for. A growth with a sign is one of what comes today; a plain one replaces that of the scenario.
func growthOf(s *subject.Subject, o scenario.Override, given string) (float64, error) {
	signed := strings.HasPrefix(given, "+") || strings.HasPrefix(given, "-")
	if o.Path == "growth" && signed {
		o.Value = given
	}
	doc, err := s.Document.With(scenario.Override{Path: "growth", Value: "0"}, o)
	if err != nil {
		return 0, err
	}
	sc, err := doc.Scenario(nil)
	switch {
	case err != nil:
		return 0, err
	case o.Path == "load":
		now := offeredLoad(s)
		if most := now * (1 + scenario.MostGrowth); sc.Load > most {
			message := fmt.Sprintf("expected a load of at most %.3g, %d times that of today, such as 90%%, got %s", most,
				1+scenario.MostGrowth, given)
			return 0, &scenario.Error{File: o.Source, Message: message}
		}
		return sc.Load/now - 1, nil
	case signed:
		return sc.Growth, nil
	}
	return (1+sc.Growth)/(1+s.Scenario.Growth) - 1, nil
}

// namesMachine reports whether a path names the units of the machine.
func namesMachine(s *subject.Subject, path string) bool {
	word, plural := strings.CutSuffix(path, "s")
	return path == "nodes" || plural && slices.Contains(append(unitWords(s), s.Unit()), word)
}

// machinePath returns the path of the number of units of the machine, or of the only pool that has units of a name, such
// as gpus.
func machinePath(s *subject.Subject, name string) (string, error) {
	if p := s.Scenario.Pools; p != nil {
		named := text.Where(p, func(p scenario.Pool) bool { return p.Unit+"s" == name })
		if len(named) == 1 {
			return "pools." + named[0].Name + ".units", nil
		}
		return "", fmt.Errorf("expected one of the pools, as in pools.%s=+16, or each of them, "+
			"as in pools.*=+10%%", p[0].Name)
	}
	if t := s.Scenario.Trace; t != nil {
		if len(slices.Compact(slices.Clone(t.Machines))) > 1 {
			return "", errors.New("expected a machine of one kind of node; change the count of a group, as in " +
				"nodes.0.count=+16")
		}
		return "trace.nodes", nil
	}
	if g := s.Scenario.Grid; g != nil {
		if len(g.Sites) > 1 {
			return "", errors.New("expected a machine at one site; change one of several, as in sites.0.processors=+16")
		}
		return "sites.0.processors", nil
	}
	if _, err := s.Document.Change("server.parallel=+0", nil); err == nil {
		return "server.parallel", nil
	}
	return "server.nodes", nil
}

// offeredLoad returns the offered load, as the scenario has it where it does.
func offeredLoad(s *subject.Subject) float64 {
	if s.Workload.Stream() > 0 && s.Scenario.Load > 0 {
		return s.Scenario.Load
	}
	return s.Workload.Load()
}
