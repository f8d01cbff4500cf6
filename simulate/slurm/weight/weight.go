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
	Most  float64 // that it adds to the priority of a job
}

// Of returns the weights of a site besides that of QOS, those that add most first.
func Of(site policy.Settings) (list []Weight) {
	for _, name := range slices.Sorted(maps.Keys(site)) {
		plain, read := strings.CutPrefix(name, policy.FromFile)
		_, given := site[plain]
		other := strings.HasPrefix(plain, "PriorityWeight") && plain != ofQOS
		value := amount(site, plain)
		most := value
		switch plain {
		case ofAssociations:
			most = ofAssociation(site, value)
		case "PriorityWeightPartition":
			most = ofPartition(site, value)
		}
		if other && !(read && given) && most > 0 {
			list = append(list, Weight{plain, value, most})
		}
	}
	slices.SortStableFunc(list, func(a, b Weight) int { return cmp.Compare(b.Most, a.Most) })
	return list
}

// stated returns a setting as it is given, else as a file of the site states it.
func stated(s policy.Settings, name string) string { return cmp.Or(s[name], s[policy.FromFile+name]) }

// amount returns the number that a setting is, 0 if it is none.
func amount(s policy.Settings, name string) float64 {
	x, _ := strconv.ParseFloat(stated(s, name), 64)
	return x
}

// priorities returns the names of the settings that give a priority to a kind of things such as "qos.", whether they are
// given or of a file.
func priorities(s policy.Settings, kind string) (names []string) {
	for name := range s {
		plain := strings.TrimPrefix(name, policy.FromFile)
		if strings.HasPrefix(plain, kind) && strings.HasSuffix(plain, ".Priority") {
			names = append(names, plain)
		}
	}
	return names
}

// present returns the highest priority of a QOS, and the most that all weights besides that of QOS add.
func present(s policy.Settings) (highest, others float64) {
	for _, name := range priorities(s, "qos.") {
		highest = max(highest, amount(s, name))
	}
	for _, w := range Of(s) {
		others += w.Most
	}
	return highest, others
}

// unread returns an error that names a weight of a site that the policy slurm does not simulate, nil if there is none.
func unread(site policy.Settings) error {
	for _, name := range strings.Split(site[policy.FromFile+"conf"], ",") {
		if strings.HasPrefix(name, "PriorityWeight") || strings.HasPrefix(name, "PrioritySiteFactor") {
			return inConf("%s is in the way: it orders jobs, and is not simulated", name)
		}
	}
	return nil
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

// Outweigh gives QOS priorities in order, and a weight such that a step from one to the next is more than all other
// weights of the site, which does not become smaller. QOS of the site that count more than normal and are none of mine
// stay above them, and the new ones have the room below; else the new ones are above all. QOS of the site that count
// today keep their places among themselves. If there is a limit on reservations, jobs that are overdue get them. The
// error, an *Obstacle, names the weight or the QOS that is in the way.
func Outweigh(s policy.Settings, order []string, mine map[string]bool) error {
	if err := unread(s); err != nil {
		return err
	}
	if len(order) == 0 {
		return nil
	}
	list := Of(s)
	highest, others := present(s)
	ranked := order
	late := order[len(order)-1] == Overdue
	if late {
		ranked = order[:len(order)-1]
	}
	from, step := highest, float64(Step)
	if above, priority := higher(s, mine); above != "" {
		from = amount(s, "qos.normal.Priority")
		step = min(Step, math.Floor((priority-from)/float64(len(ranked)+1)))
		if step < 1 {
			return inQOS("QOS %s of priority %.0f is in the way: expected at least %.0f, as %d QOS get priorities below it",
				above, priority, from+float64(len(ranked)+1), len(ranked))
		}
	}
	for i, name := range ranked {
		s["qos."+name+".Priority"] = strconv.FormatFloat(from+step*float64(i+1), 'f', 0, 64)
	}
	next := max(highest, from+step*float64(len(ranked)))
	top := next
	if late {
		top += step
		s["qos."+Overdue+".Priority"] = strconv.FormatFloat(top, 'f', 0, 64)
	}
	ranks := []float64{top - step, top}
	if present := ranksOf(s, mine); count(s) && present != nil {
		ranks = present
	}
	weight := apart(s, ranks, others)
	switch all := weight*highestOf(s, ranks) + others; {
	case top > math.MaxUint32, all >= NoReservation && len(list) == 0:
		return inQOS("a QOS of priority %.0f is in the way: expected smaller priorities of QOS", highest)
	case all >= NoReservation && gapOf(ranks) < step:
		return inQOS("priorities of QOS up to %.0f with steps of %.0f are in the way: no weight of QOS keeps their order",
			highest, gapOf(ranks))
	case all >= NoReservation:
		return inConf("%s=%.0f is in the way: no weight of QOS is larger", list[0].Name, list[0].Value)
	}
	s[ofQOS] = strconv.FormatFloat(weight, 'f', 0, 64)
	if late {
		reserveFor(s, ofQuality(s, next, top)+others)
	}
	return nil
}

// count reports whether QOS order jobs today.
func count(s policy.Settings) bool {
	return amount(s, ofQOS) > 0 && strings.TrimPrefix(s[policy.FromFile+"PriorityType"], "priority/") != "basic"
}

// reserveFor lets jobs above a priority have reservations, if there is a limit on these.
func reserveFor(s policy.Settings, priority float64) {
	if s["bf_min_prio_reserve"] != "" {
		s["bf_min_prio_reserve"] = strconv.FormatFloat(math.Ceil(priority)+1, 'f', 0, 64)
	}
}

// higher returns the lowest QOS of a site that counts more than normal and is none of mine, with its priority; "" if there
// is none, or if QOS do not count today.
func higher(s policy.Settings, mine map[string]bool) (qos string, priority float64) {
	if !count(s) {
		return "", 0
	}
	normal := amount(s, "qos.normal.Priority")
	for _, name := range slices.Sorted(slices.Values(priorities(s, "qos."))) {
		own := strings.TrimSuffix(strings.TrimPrefix(name, "qos."), ".Priority")
		if x := amount(s, name); x > normal && !mine[own] && (qos == "" || x < priority) {
			qos, priority = own, x
		}
	}
	return qos, priority
}

// Ranked returns a QOS of a site whose priority counts, and that priority; "" if there is none, or if QOS have no weight.
func Ranked(s policy.Settings) (qos, priority string) {
	if amount(s, ofQOS) == 0 || s["PriorityType"] == "basic" {
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

// First returns settings of the policy slurm with a QOS whose jobs come before all others, which keep their order. Its
// priority is above that of every QOS, and the weight of QOS grows with it: jobs of other QOS keep the priority that they
// have by their QOS, and the new one is above it by more than all other weights together. With priority/basic the others
// are in order of submission, and stay so. The error names the weight that is in the way.
func First(given policy.Settings, qos string) (policy.Settings, error) {
	s := maps.Clone(given)
	if strings.TrimPrefix(stated(s, "PriorityType"), "priority/") == "basic" {
		s["PriorityType"] = "multifactor"
		for _, w := range Of(s) {
			s[w.Name] = "0"
		}
		for _, name := range priorities(s, "qos.") {
			s[name] = "0"
		}
		return s, place(s, qos, Step, roundWeight(0), 0)
	}
	highest, others := present(s)
	weight := amount(s, ofQOS)
	switch {
	case highest > 0 && weight > 0 && raw(s, "QOS"):
		return s, place(s, qos, highest+math.Ceil((others+1)/weight), weight, others)
	case highest > 0 && weight > 0:
		times := math.Ceil(1 + (others+1)/weight)
		return s, place(s, qos, highest*times, weight*times, others)
	case highest > 0:
		return nil, inConf(
			"PriorityWeightQOS=0 is in the way: QOS have priorities, which a weight of QOS would bring into effect")
	case raw(s, "QOS"):
		return s, place(s, qos, Step, max(roundWeight((others+1)/Step), weight), others)
	}
	return s, place(s, qos, Step, max(roundWeight(others+1), weight), others)
}

// place gives a QOS the highest priority, and QOS a weight beside the others.
func place(s policy.Settings, qos string, priority, weight, others float64) error {
	s["qos."+qos+".Priority"] = strconv.FormatFloat(priority, 'f', 0, 64)
	s[ofQOS] = strconv.FormatFloat(weight, 'f', 0, 64)
	if ofQuality(s, priority, priority)+others > math.MaxUint32 || priority > math.MaxUint32 {
		return inConf("weights of %.0f are in the way: no weight of QOS is larger", others)
	}
	return nil
}
