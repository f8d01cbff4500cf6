package ask

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

// cost is what one more unit of the machine costs.
type cost struct {
	unit    string  // the word for the unit
	perHour float64 // $; of a price it is the price over the life
	price   float64 // $; 0 where the cost is not stated so
}

// costs are those of the units of a machine, one for each word.
type costs []cost

// of returns the cost of all units that one scenario has more than another, $/h. It is not known if some of them have
// none.
func (list costs) of(before, after *subject.Subject) (perHour float64, known bool) {
	for _, u := range moreUnits(before, after) {
		i := slices.IndexFunc(list, func(c cost) bool { return c.unit == u.word })
		if i < 0 {
			return 0, false
		}
		perHour += list[i].perHour * float64(u.more)
	}
	return perHour, perHour != 0
}

// units are those that a pool, or the machine, has more.
type units struct {
	word string
	more int
}

// moreUnits lists the pools whose units differ, or the machine if there are no pools and its units differ.
func moreUnits(before, after *subject.Subject) (list []units) {
	if after.Scenario.Pools == nil {
		if more := after.Nodes() - before.Nodes(); more != 0 {
			list = append(list, units{before.Unit(), more})
		}
		return list
	}
	for i, p := range after.Scenario.Pools {
		if i < len(before.Scenario.Pools) && before.Scenario.Pools[i].Units != p.Units {
			list = append(list, units{p.Unit, p.Units - before.Scenario.Pools[i].Units})
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

// parseCosts reads the costs of units by the hour, as 0.30/node-hour, or their prices, as
// 9000/node, which need a life. There is at most one for each word.
func parseCosts(s *subject.Subject, list []string) (costs, error) {
	var all costs
	for _, arg := range list {
		one, err := parseCost(s, arg)
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(all, func(c cost) bool { return c.unit == one.unit }) {
			return nil, fmt.Errorf("expected one cost of a %s, got %q as another", one.unit, arg)
		}
		all = append(all, one)
	}
	return all, nil
}

// parseCost reads the cost of a unit. The price of a node is divided by its units, where
// the trace says how many these are.
func parseCost(s *subject.Subject, arg string) (cost, error) {
	words := unitWords(s)
	amount, per, named := strings.Cut(arg, "/")
	per, hourly := strings.CutSuffix(strings.ToLower(strings.TrimSpace(per)), "-hour")
	x, err := strconv.ParseFloat(strings.TrimSpace(amount), 64)
	i := slices.IndexFunc(words, func(word string) bool { return strings.EqualFold(word, per) })
	nodes := i < 0 && per == "node" && s.Scenario.Pools == nil
	if len(words) == 1 && (!named || per == "unit" || nodes) {
		i = 0
	}
	switch {
	case i < 0 && len(words) > 1:
		return cost{}, fmt.Errorf("expected $ per %s such as 0.30/%s-hour, got %q", text.OneOf(words), words[0], arg)
	case err != nil || !(x > 0) || math.IsInf(x, 0) || i < 0:
		return cost{}, fmt.Errorf("expected $ above 0 such as 0.30/%[1]s-hour, or 9000/%[1]s with a life, got %[2]q",
			words[0], arg)
	case nodes && (s.Trace == nil || s.Trace.Hosts() == 0 || s.Trace.Unit() != words[0]):
		return cost{}, fmt.Errorf("expected the cost of a %[1]s, "+
			"as it is not known how many %[1]ss a node has, got %[2]q", words[0], arg)
	case nodes:
		x *= float64(s.Trace.Hosts()) / float64(s.Nodes())
	}
	if hourly || !named {
		return cost{unit: words[i], perHour: x}, nil
	}
	return cost{unit: words[i], price: x}, nil
}

// over returns the costs with prices spread over a life, such as 5y.
func (list costs) over(life string) (costs, error) {
	t, err := scenario.ParseTime(life)
	_, bare := strconv.ParseFloat(life, 64)
	if years, ok := strings.CutSuffix(life, "y"); ok {
		t, err = strconv.ParseFloat(years, 64)
		t *= 365 * 24 * metric.Hour
	}
	list = slices.Clone(list)
	prices := 0
	for i, c := range list {
		if c.price > 0 {
			list[i].perHour = c.price * metric.Hour / t
			prices++
		}
	}
	switch {
	case prices == 0 && life != "":
		return nil, errors.New("expected a price beside it, such as 9000/node")
	case prices > 0 && (err != nil || bare == nil || !(t >= 24*metric.Hour) || math.IsInf(t, 0)):
		return nil, fmt.Errorf("expected a time beside the price, such as 5y or 1500d, got %q", life)
	}
	return list, nil
}
