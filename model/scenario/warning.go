package scenario

import "fmt"

// warnings returns what is accepted but may surprise.
func warnings(s *Scenario, places []*cursor) []string {
	var list []string
	if mixedWidths(s) {
		list = append(list, fmt.Sprintf("jobs differ in width: the analytic results take %.4g jobs at a time, the nodes over the mean width of the work", s.Parallel))
	}
	for i, c := range s.Classes {
		rule := places[i].get("expire")
		if c.Decay == 0 && rule.given() && rule.n.text != "never" {
			list = append(list, fmt.Sprintf("class %s loses no value, so it never expires (decay: 0, expire: %s)", c.Name, rule.n.text))
		}
	}
	return list
}

// mixedWidths reports whether two jobs can differ in width.
func mixedWidths(s *Scenario) bool {
	seen := -1.0
	for _, c := range s.Classes {
		for i, v := range c.Width.Values {
			if c.Width.Weights[i] == 0 || c.Rate == 0 {
				continue
			}
			if seen >= 0 && v != seen {
				return true
			}
			seen = v
		}
	}
	return false
}
