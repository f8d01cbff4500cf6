package whatif

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"revopt/internal/text"
	"revopt/model/scenario"
	"revopt/simulate/metric"
	"revopt/simulate/subject"
)

// Cost is what one more unit of the machine costs.
type Cost struct {
	Unit    string  `json:"unit"`            // the word for the unit
	PerHour float64 `json:"per_hour"`        // $; of a price it is the price over the life
	Price   float64 `json:"price,omitempty"` // $; 0 where the cost is not stated so
	Life    float64 `json:"life,omitempty"`  // s
}

// Costs are the costs of the units of a machine, one for each word.
type Costs []Cost

// Of returns the cost of all units that a change adds. It is not known if some of them have
// none; its price is 0 unless all have one.
func (costs Costs) Of(c *ChangeResult) (sum Cost, known bool) {
	units, priced := c.Units, true
	if units == nil {
		units = []PoolUnits{{Units: c.Nodes}}
	}
	for _, u := range units {
		i := slices.IndexFunc(costs, func(cost Cost) bool { return cost.Unit == u.Unit || u.Unit == "" })
		if i < 0 {
			return Cost{}, false
		}
		more := float64(u.Units[1] - u.Units[0])
		sum.PerHour += costs[i].PerHour * more
		sum.Price += costs[i].Price * more
		priced = priced && costs[i].Price > 0
	}
	if !priced {
		sum.Price = 0
	}
	return sum, sum.PerHour != 0
}

// PoolUnits are the units of a pool before and after a change.
type PoolUnits struct {
	Pool  string `json:"pool"`
	Unit  string `json:"unit"`
	Units [2]int `json:"units"`
}

// poolUnits lists the pools whose units differ, nil where there are none.
func poolUnits(before, after *scenario.Scenario) []PoolUnits {
	var list []PoolUnits
	for i, p := range after.Pools {
		if i < len(before.Pools) && before.Pools[i].Units != p.Units {
			list = append(list, PoolUnits{p.Name, p.Unit, [2]int{before.Pools[i].Units, p.Units}})
		}
	}
	return list
}

func unitWords(s *subject.Subject) []string {
	if s.Scenario.Pools == nil {
		return []string{s.Unit()}
	}
	words := text.Each(s.Scenario.Pools, func(p scenario.Pool) string { return p.Unit })
	slices.Sort(words)
	return slices.Compact(words)
}

// ParseCosts reads the costs of units by the hour, as 0.30/node-hour, or their prices, as
// 9000/node, which need a life. There is at most one for each word.
func ParseCosts(s *subject.Subject, list []string) (Costs, error) {
	var costs Costs
	for _, text := range list {
		cost, err := parseCost(s, text)
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(costs, func(c Cost) bool { return c.Unit == cost.Unit }) {
			return nil, fmt.Errorf("expected one cost of a %s, got %q as another", cost.Unit, text)
		}
		costs = append(costs, cost)
	}
	return costs, nil
}

// parseCost reads the cost of a unit. The price of a node is divided by its units, where
// the trace says how many these are.
func parseCost(s *subject.Subject, cost string) (Cost, error) {
	units := unitWords(s)
	amount, per, named := strings.Cut(cost, "/")
	per, hourly := strings.CutSuffix(strings.ToLower(strings.TrimSpace(per)), "-hour")
	x, err := strconv.ParseFloat(strings.TrimSpace(amount), 64)
	i := slices.IndexFunc(units, func(word string) bool { return strings.EqualFold(word, per) })
	nodes := i < 0 && per == "node" && s.Scenario.Pools == nil
	if len(units) == 1 && (!named || per == "unit" || nodes) {
		i = 0
	}
	switch {
	case i < 0 && len(units) > 1:
		return Cost{}, fmt.Errorf("expected $ per %s such as 0.30/%s-hour, got %q", text.OneOf(units), units[0], cost)
	case err != nil || !(x > 0) || math.IsInf(x, 0) || i < 0:
		return Cost{}, fmt.Errorf("expected $ above 0 such as 0.30/%[1]s-hour, or 9000/%[1]s with a life, got %[2]q",
			units[0], cost)
	case nodes && (s.Trace == nil || s.Trace.Hosts() == 0 || s.Trace.Unit() != units[0]):
		return Cost{}, fmt.Errorf("expected the cost of a %[1]s, "+
			"as it is not known how many %[1]ss a node has, got %[2]q", units[0], cost)
	case nodes:
		x *= float64(s.Trace.Hosts()) / float64(s.Nodes())
	}
	if hourly || !named {
		return Cost{Unit: units[i], PerHour: x}, nil
	}
	return Cost{Unit: units[i], Price: x}, nil
}

// Over returns the costs with prices spread over a life, such as 5y.
func (costs Costs) Over(life string) (Costs, error) {
	t, err := scenario.ParseTime(life)
	_, bare := strconv.ParseFloat(life, 64)
	if years, ok := strings.CutSuffix(life, "y"); ok {
		t, err = strconv.ParseFloat(years, 64)
		t *= 365 * 24 * metric.Hour
	}
	costs = slices.Clone(costs)
	prices := 0
	for i, c := range costs {
		if c.Price > 0 {
			costs[i].PerHour, costs[i].Life = c.Price*metric.Hour/t, t
			prices++
		}
	}
	switch {
	case prices == 0 && life != "":
		return nil, errors.New("expected a price beside it, such as 9000/node")
	case prices > 0 && (err != nil || bare == nil || !(t >= 24*metric.Hour) || math.IsInf(t, 0)):
		return nil, fmt.Errorf("expected a time beside the price, such as 5y or 1500d, got %q", life)
	}
	return costs, nil
}
