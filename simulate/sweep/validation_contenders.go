package sweep

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"revopt/model/scenario"
	"revopt/simulate"
	"revopt/simulate/policy"
)

// LeftOut is a policy that does not apply to a scenario, and why.
type LeftOut struct {
	Policy string
	Reason string
}

// DefaultContenders returns all policies that apply to a scenario, in the order
// of the table, and those that do not with the reason. Where the scenario lists
// a policy, it takes part with the options listed, as often as it is listed.
//
// For job classes they are the policies of Policies, each without and with
// backfilling where jobs differ in width, under each of the given
// admissions, of which only Admission and Admit are looked at, or admitting all
// where there are none. For traces and grids the admissions must be none.
func DefaultContenders(doc *scenario.Document, admissions []Contender) ([]Contender, []LeftOut, error) {
	switch {
	case doc.IsTrace():
		sc, err := doc.Trace(KnownPolicies())
		if err != nil {
			return nil, nil, err
		}
		list, out := applying(sc.Policies, func(name string) error { return traceApplies(sc, name) })
		return list, out, nil
	case doc.IsGrid():
		g, err := doc.Grid(KnownPolicies())
		if err != nil {
			return nil, nil, err
		}
		list, out := applying(g.Policies, func(name string) error {
			_, err := LookupGridPolicy(g, name)
			return err
		})
		return list, out, nil
	}
	sc, err := doc.ClassScenario()
	if err != nil {
		return nil, nil, err
	}
	return classContenders(sc, admissions), nil, nil
}

// applying returns the policies for traces or grids that apply, with the
// options listed.
func applying(listed []scenario.Policy, applies func(name string) error) (list []Contender, out []LeftOut) {
	for _, name := range TracePolicies() {
		if err := applies(name); err != nil {
			out = append(out, LeftOut{name, strings.TrimPrefix(err.Error(), "sweep: ")})
			continue
		}
		named := false
		for _, p := range listed {
			if p.Name == name {
				named = true
				list = append(list, Contender{Policy: name, Options: policy.Settings(p.Options)})
			}
		}
		if !named {
			list = append(list, Contender{Policy: name})
		}
	}
	return list, out
}

// traceApplies returns why a policy does not apply to a trace.
func traceApplies(sc *scenario.Trace, name string) error {
	spec, err := LookupTracePolicy(name)
	if err != nil {
		return err
	}
	_, imprecise := policy.LookupScheme(name)
	switch {
	case sc.QoS == nil && needsQoS(name):
		return fmt.Errorf("needs deadlines and budgets: the scenario has no qos")
	case sc.IC == nil && imprecise:
		return fmt.Errorf("for jobs with optional parts: the scenario has no ic")
	case sc.Machines == nil:
		return nil
	}
	p, err := spec.New(nil)
	if err != nil {
		return err
	}
	_, shared := p.(simulate.Sharing)
	if _, pieces := p.(simulate.Piecemeal); !shared || pieces {
		return fmt.Errorf("for machines whose nodes are all alike and without limits")
	}
	return nil
}

// classContenders returns the contenders for job classes.
func classContenders(sc *scenario.Scenario, admissions []Contender) []Contender {
	if len(admissions) == 0 {
		admissions = []Contender{{Admission: scenario.AdmitAll}}
	}
	settings := []policy.Settings{nil}
	if widths(sc) > 1 {
		settings = append(settings, policy.Settings{"backfill": "true"})
	}
	var list []Contender
	for _, name := range Policies() {
		for _, options := range settings {
			for _, a := range admissions {
				list = append(list, Contender{Policy: name, Options: options, Admission: a.Admission, Admit: a.Admit})
			}
		}
	}
	return list
}

// widths returns how many widths jobs have. Where all have one, whatever comes
// first fits first, and there is nothing to backfill.
func widths(sc *scenario.Scenario) int {
	all := map[float64]bool{}
	for _, c := range sc.Classes {
		if len(c.Width.Values) == 0 {
			all[1] = true
		}
		for _, w := range c.Width.Values {
			all[w] = true
		}
	}
	return len(all)
}

// orderBy returns 0 to n-1 by falling value, NaN last, equals in their order.
func orderBy(n int, value func(int) float64) []int {
	order := make([]int, n)
	values := make([]float64, n)
	for i := range order {
		order[i], values[i] = i, value(i)
		if math.IsNaN(values[i]) {
			values[i] = math.Inf(-1)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(values[b], values[a]) })
	return order
}
