package slurm

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"revopt/internal/text"
	"revopt/simulate/policy"
	"revopt/simulate/workload"
)

// NoReservation is a bf_min_prio_reserve above the priorities of an export: no job gets a reservation.
const NoReservation = 4_000_000_000

// Translated returns settings of the policy slurm under which Slurm makes the schedule of another policy, beside the
// settings that a site has in its files: those that begin with policy.FromFile, nil if they are not known. The error
// says why there are none.
//
// Policies with a rank for every customer become priorities of QOS, whose weight is larger than all other weights of
// the site together. Policies in order of submission need a site without such weights: of age alone, the job that
// waits longest is the first.
func (x *Export) Translated(name string, given, site policy.Settings) (policy.Settings, error) {
	s := policy.Settings{"default_queue_depth": "0", "bf_max_job_test": "0", "PriorityType": "multifactor"}
	if site == nil && (name == "easy" || name == "fcfs" && !given.Is("backfill")) {
		s["PriorityType"] = "basic" // whatever weights there are
	}
	for _, option := range []string{"estimates", "overrun", "longest_wait"} {
		if value, ok := given[option]; ok {
			s[option] = value
		}
	}
	maps.Copy(s, site)
	switch {
	case name == "easy":
		s["bf_job_part_count_reserve"] = "1"
		s["bf_interval"], s["bf_resolution"] = "1", "1"
		s["bf_window"], s["bf_window_linear"] = "0", "1"
	case name == "hol" || name == "fcfs":
		if given.Is("backfill") {
			s["bf_min_prio_reserve"] = strconv.Itoa(NoReservation)
		} else {
			s["bf_interval"] = "-1"
		}
	default:
		return nil, fmt.Errorf("Slurm has no settings that make it %s: expected hol, fcfs, easy or slurm", name)
	}
	if unread := unweighed(site); unread != "" {
		return nil, fmt.Errorf("%s is in the way: it orders jobs, and is not simulated", unread)
	}
	if name == "hol" {
		return s, outweigh(s, x.order())
	}
	for _, weight := range weights(site) {
		if weight.name != "PriorityWeightAge" {
			return nil, fmt.Errorf("%s=%.0f is in the way: %s goes by submission", weight.name, weight.value, name)
		}
	}
	return s, nil
}

// order returns the customers by rank, the lowest first; each in each of its pools, if these differ in order.
func (x *Export) order() (names []string) {
	above := map[string]map[string]bool{} // customers that come before one in some pool
	for _, c := range x.whole {
		above[c.Name] = map[string]bool{}
	}
	for i, a := range x.sections {
		for k, b := range x.sections {
			if a.pool == b.pool && x.ranks[i] < x.ranks[k] {
				above[x.whole[a.customer].Name][x.whole[b.customer].Name] = true
			}
		}
	}
	left := text.Each(x.whole, func(c Customer) string { return c.Name })
	for len(left) > 0 {
		first := slices.IndexFunc(left, func(name string) bool {
			return !slices.ContainsFunc(left, func(other string) bool { return above[name][other] })
		})
		if first < 0 {
			return x.orderInPools()
		}
		names = append(names, left[first])
		left = slices.Delete(left, first, first+1)
	}
	slices.Reverse(names)
	return names
}

// orderInPools returns every customer in every pool by rank, the lowest first.
func (x *Export) orderInPools() []string {
	list := slices.Clone(x.sections)
	rank := map[section]int{}
	for i, s := range list {
		rank[s] = x.ranks[i]
	}
	list = slices.DeleteFunc(list, func(s section) bool { return s.pool < 0 })
	slices.SortStableFunc(list, func(a, b section) int { return rank[a] - rank[b] })
	names := text.Each(list, func(s section) string { return x.whole[s.customer].Name + " in " + x.pools[s.pool].Name })
	return names
}

// weighed is a weight of a site that is not 0.
type weighed struct {
	name  string
	value float64
}

// weights returns the weights of a site, the largest first.
func weights(site policy.Settings) (list []weighed) {
	for _, name := range slices.Sorted(maps.Keys(site)) {
		plain := strings.TrimPrefix(name, policy.FromFile)
		value, err := strconv.ParseFloat(site[name], 64)
		if strings.HasPrefix(plain, "PriorityWeight") && plain != "PriorityWeightQOS" && err == nil && value > 0 {
			list = append(list, weighed{plain, value})
		}
	}
	slices.SortStableFunc(list, func(a, b weighed) int { return int(math.Copysign(1, b.value-a.value)) })
	return list
}

// unweighed returns a weight of a site that the policy slurm does not simulate, "" if there is none.
func unweighed(site policy.Settings) string {
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

// outweigh gives the QOS of customers priorities in order, above those of other QOS, and a weight such that a step
// from one to the next is more than all other weights of the site.
func outweigh(s policy.Settings, order []string) error {
	const step = 100
	highest, others := 0.0, 0.0
	for name, value := range s {
		if strings.HasPrefix(name, policy.FromFile+"qos.") && strings.HasSuffix(name, ".Priority") {
			x, _ := strconv.ParseFloat(value, 64)
			highest = max(highest, x)
		}
	}
	list := weights(s)
	for _, w := range list {
		others += w.value
	}
	for i, name := range order {
		s["qos."+name+".Priority"] = strconv.FormatFloat(highest+float64(step*(i+1)), 'f', 0, 64)
	}
	top := highest + float64(step*len(order))
	least := (others + 1) * top / step
	weight := roundWeight(least)
	if weight+others >= NoReservation {
		if len(list) == 0 {
			return fmt.Errorf("a QOS of priority %.0f is in the way: expected smaller priorities of QOS", highest)
		}
		return fmt.Errorf("%s=%.0f is in the way: no weight of QOS is larger", list[0].name, list[0].value)
	}
	s["PriorityWeightQOS"] = strconv.FormatFloat(weight, 'f', 0, 64)
	return nil
}

// Weight returns the weight of QOS under which the priorities of the customers outweigh all other weights of a site. The
// error names the weight that is in the way.
func (x *Export) Weight(site policy.Settings) (int, error) {
	s := maps.Clone(site)
	if s == nil {
		s = policy.Settings{}
	}
	if unread := unweighed(site); unread != "" {
		return 0, fmt.Errorf("%s is in the way: it orders jobs, and is not simulated", unread)
	}
	names := text.Each(x.Customers, func(c Customer) string { return c.Name })
	if err := outweigh(s, names); err != nil {
		return 0, err
	}
	return strconv.Atoi(s["PriorityWeightQOS"])
}

// Weights returns the weights of a site besides those of QOS and age that are not 0, as NAME=VALUE, the largest first.
func Weights(site policy.Settings) (list []string) {
	for _, w := range weights(site) {
		if w.name != "PriorityWeightAge" {
			list = append(list, fmt.Sprintf("%s=%.0f", w.name, w.value))
		}
	}
	return list
}

// SchedulerParameters returns those of a slurm.conf.
func SchedulerParameters(path string) (list []string, err error) {
	list = []string{}
	err = withLines(path, func(lines *workload.Lines) error {
		for {
			fields, err := pairs(lines)
			if err != nil || fields == nil {
				return err
			}
			for _, f := range fields {
				if strings.EqualFold(f[0], "SchedulerParameters") {
					list = strings.FieldsFunc(f[1], func(r rune) bool { return r == ',' || r == ' ' })
				}
			}
		}
	})
	return list, err
}
