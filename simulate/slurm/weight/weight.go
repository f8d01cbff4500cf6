package weight

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"revopt/simulate/policy"
)

// NoReservation is a bf_min_prio_reserve above the priorities of an export: no job gets a reservation.
const NoReservation = 4_000_000_000

// Weight is a weight of a site that is not 0.
type Weight struct {
	Name  string
	Value float64
}

// Of returns the weights of a site, the largest first.
func Of(site policy.Settings) (list []Weight) {
	for _, name := range slices.Sorted(maps.Keys(site)) {
		plain := strings.TrimPrefix(name, policy.FromFile)
		value, err := strconv.ParseFloat(site[name], 64)
		if strings.HasPrefix(plain, "PriorityWeight") && plain != "PriorityWeightQOS" && err == nil && value > 0 {
			list = append(list, Weight{plain, value})
		}
	}
	slices.SortStableFunc(list, func(a, b Weight) int { return int(math.Copysign(1, b.Value-a.Value)) })
	return list
}

// unread returns a weight of a site that the policy slurm does not simulate, "" if there is none.
func unread(site policy.Settings) string {
	for _, name := range strings.Split(site[policy.FromFile+"conf"], ",") {
		if strings.HasPrefix(name, "PriorityWeight") || strings.HasPrefix(name, "PrioritySiteFactor") {
			return name
		}
	}
	return ""
}

// roundWeight returns the first of 1000, 2000, 5000, 10000 ... above a number.
func roundWeight(least float64) float64 {
	for unit := 1000.0; ; unit *= 10 {
		for _, factor := range []float64{1, 2, 5} {
			if unit*factor > least {
				return unit * factor
			}
		}
	}
}

// Rounded returns settings whose weights, priorities and shares are whole numbers of three
// digits and zeros. Those of files stay.
func Rounded(given policy.Settings) policy.Settings {
	all := maps.Clone(given)
	for name, value := range given {
		x, err := strconv.ParseFloat(value, 64)
		field := name[strings.LastIndex(name, ".")+1:]
		short := strings.HasPrefix(field, "PriorityWeight") ||
			slices.Contains([]string{"Priority", "PriorityJobFactor", "Fairshare"}, field)
		if err == nil && x > 0 && short && !strings.HasPrefix(name, policy.FromFile) {
			unit := math.Max(1, math.Pow(10, math.Floor(math.Log10(x))-2))
			all[name] = strconv.FormatFloat(math.Max(1, unit*math.Round(x/unit)), 'f', 0, 64)
		}
	}
	return all
}

// Overdue is the QOS of jobs that have waited for longest_wait.
const Overdue = "revopt-overdue"

// Outweigh gives QOS priorities in order, above those of other QOS, and a weight such that a step from one to the next is
// more than all other weights of the site. If there is a limit on reservations, jobs that are overdue get them. The error
// names the weight or the QOS that is in the way.
func Outweigh(s policy.Settings, order []string) error {
	const step = 100
	if name := unread(s); name != "" {
		return fmt.Errorf("%s is in the way: it orders jobs, and is not simulated", name)
	}
	if len(order) == 0 {
		return nil
	}
	highest, others := 0.0, 0.0
	for name, value := range s {
		if strings.HasPrefix(name, policy.FromFile+"qos.") && strings.HasSuffix(name, ".Priority") {
			x, _ := strconv.ParseFloat(value, 64)
			highest = max(highest, x)
		}
	}
	list := Of(s)
	for _, w := range list {
		others += w.Value
	}
	for i, name := range order {
		s["qos."+name+".Priority"] = strconv.FormatFloat(highest+float64(step*(i+1)), 'f', 0, 64)
	}
	top := highest + float64(step*len(order))
	least := (others + 1) * top / step
	weight := roundWeight(least)
	if weight+others >= NoReservation || top > math.MaxUint32 {
		if len(list) == 0 || top > math.MaxUint32 {
			return fmt.Errorf("a QOS of priority %.0f is in the way: expected smaller priorities of QOS", highest)
		}
		return fmt.Errorf("%s=%.0f is in the way: no weight of QOS is larger", list[0].Name, list[0].Value)
	}
	s["PriorityWeightQOS"] = strconv.FormatFloat(weight, 'f', 0, 64)
	if s["bf_min_prio_reserve"] != "" && order[len(order)-1] == Overdue {
		s["bf_min_prio_reserve"] = strconv.FormatFloat(math.Ceil(weight*(1-step/top)+others)+1, 'f', 0, 64)
	}
	return nil
}

// Ranked returns a QOS of a site whose priority counts, and that priority; "" if there is none, or if QOS have no weight.
func Ranked(s policy.Settings) (qos, priority string) {
	weight, _ := strconv.ParseFloat(cmp.Or(s["PriorityWeightQOS"], s[policy.FromFile+"PriorityWeightQOS"]), 64)
	if weight == 0 || s["PriorityType"] == "basic" {
		return "", ""
	}
	for _, name := range slices.Sorted(maps.Keys(s)) {
		qos, read := strings.CutPrefix(name, policy.FromFile+"qos.")
		qos, ranked := strings.CutSuffix(qos, ".Priority")
		if x, err := strconv.ParseFloat(s[name], 64); read && ranked && err == nil && x > 0 {
			return qos, s[name]
		}
	}
	return "", ""
}

// Limit returns a limit of a QOS of a site, as qos.NAME.FIELD=VALUE; "" if there is none.
func Limit(site policy.Settings) string {
	for _, name := range slices.Sorted(maps.Keys(site)) {
		plain, read := strings.CutPrefix(name, policy.FromFile)
		field := plain[strings.LastIndex(plain, ".")+1:]
		limits := strings.HasPrefix(field, "Grp") || strings.HasPrefix(field, "Max")
		if read && limits && strings.HasPrefix(plain, "qos.") && site[name] != "" {
			return plain + "=" + site[name]
		}
	}
	return ""
}

// Besides returns the weights of a site besides those of QOS and age that are not 0, as NAME=VALUE, the largest first.
func Besides(site policy.Settings) (list []string) {
	for _, w := range Of(site) {
		if w.Name != "PriorityWeightAge" {
			list = append(list, fmt.Sprintf("%s=%.0f", w.Name, w.Value))
		}
	}
	return list
}

// WithOverdue returns settings of the policy slurm with a QOS for jobs that are overdue, if they limit waits. Its priority
// is above all others, and the weight of QOS grows with it, so that other priorities stay as they are.
func WithOverdue(given policy.Settings) (policy.Settings, error) {
	if given.Limit() == nil {
		return given, nil
	}
	s := maps.Clone(given)
	amount := func(name string) float64 {
		x, _ := strconv.ParseFloat(cmp.Or(s[name], s[policy.FromFile+name]), 64)
		return x
	}
	highest, others := 0.0, 0.0
	for name := range s {
		plain := strings.TrimPrefix(name, policy.FromFile)
		if strings.HasPrefix(plain, "qos.") && strings.HasSuffix(plain, ".Priority") {
			highest = max(highest, amount(plain))
		}
	}
	for _, factor := range []string{"Age", "Fairshare", "JobSize", "Partition"} {
		others += amount("PriorityWeight" + factor)
	}
	weight := amount("PriorityWeightQOS")
	switch {
	case weight > 0 && highest > 0:
		times := math.Ceil(1 + (others+1)/weight)
		highest *= times
		weight *= times
	case highest > 0:
		return nil, fmt.Errorf("PriorityWeightQOS=0 is in the way: QOS have priorities, and that of overdue jobs needs a weight")
	default:
		highest = 100
		weight = roundWeight(others + 1)
	}
	if weight+others > math.MaxUint32 {
		return nil, fmt.Errorf("weights of %.0f are in the way: no weight of QOS is larger", others)
	}
	s["qos."+Overdue+".Priority"] = strconv.FormatFloat(highest, 'f', 0, 64)
	s["PriorityWeightQOS"] = strconv.FormatFloat(weight, 'f', 0, 64)
	return s, nil
}
