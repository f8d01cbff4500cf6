package slurm

import (
	"fmt"
	"maps"
	"slices"
	"strconv"

	"revopt/internal/text"
	"revopt/simulate/policy"
	rules "revopt/simulate/policy/slurm"
	"revopt/simulate/slurm/weight"
)

// Translated returns settings of the policy slurm under which Slurm makes the schedule of hol, fcfs or easy, beside the
// settings that a site has in its files: those begin with policy.FromFile. The error says why there are none.
//
// hol, which has a rank for every customer, becomes priorities of accounts and users, else of QOS, whose weight is larger
// than all other weights of the site together. Policies in order of submission need a site without such weights: of age
// alone, the job that waits longest is the first.
func (x *Export) Translated(name string, given, site policy.Settings) (policy.Settings, error) {
	s := policy.Settings{"default_queue_depth": "0", "bf_max_job_test": "0", "PriorityType": "multifactor"}
	maps.Copy(s, site)
	for _, option := range []string{"estimates", "overrun"} { // no file of a site has these
		if value, ok := given[option]; ok {
			s[option] = value
		}
	}
	if name == "easy" {
		s["bf_job_part_count_reserve"] = "1"
		s["bf_interval"], s["bf_resolution"] = "1", "1"
		s["bf_window"], s["bf_window_linear"] = "0", "1"
	} else if given.Is("backfill") {
		s["bf_min_prio_reserve"] = strconv.Itoa(weight.NoReservation)
	} else {
		s["bf_interval"] = "-1"
	}
	switch {
	case name == "hol":
		return s, x.ordered(s, x.order())
	case !given.Is("backfill") && weight.Basic(site):
		s["PriorityType"] = "basic" // whatever weights there are
		return s, nil
	}
	return s, weight.BySubmission(site)
}

// ordered adds the settings under which Slurm goes by an order of customers, the lowest first: priorities of accounts and
// users if these can make the order, else of QOS.
func (x *Export) ordered(s policy.Settings, order []string) error {
	made := maps.Clone(s)
	ok, err := x.associated(made, order)
	if !ok || err != nil {
		return weight.Outweigh(s, order, x.queues())
	}
	maps.Copy(s, made)
	const ofQOS = "PriorityWeightQOS"
	if value := made[policy.FromFile+ofQOS]; value != "" && value != "0" && !weight.KnownQOS(made) {
		x.Warn("qos", fmt.Sprintf("jobs of a higher QOS stand below those of a higher customer: %s=%s, PriorityWeightAssoc=%s; "+
			"with --qos, the output of sacctmgr show qos -P, they stay above", ofQOS, value, made["PriorityWeightAssoc"]))
	}
	for _, c := range x.whole {
		for _, name := range slices.Compact([]string{c.Name, rules.Stored(c.Name)}) {
			if made[policy.FromFile+"qos."+name+".Priority"] != "" && name != "normal" {
				x.Warn("qos", fmt.Sprintf("QOS %s has the name of a customer: the simulation gives it to the jobs of %s", name, c.Name))
			}
		}
	}
	return nil
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
	return text.Each(list, func(s section) string { return x.whole[s.customer].Name + " in " + x.pools[s.pool].Name })
}
