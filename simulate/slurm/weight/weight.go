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

// Step is the difference between the priorities of neighbors in an order.
const Step = 100

// NoReservation is a bf_min_prio_reserve above the priorities of an export, so that no job gets a reservation.
const NoReservation = 4_000_000_000

const (
	ofAssociations = "PriorityWeightAssoc"
	ofQOS          = "PriorityWeightQOS"
)

// Obstacle is an error: something of a site is in the way of an order.
type Obstacle struct {
	File string // that has it: the option conf, qos or assoc
	Text string
}

func (o *Obstacle) Error() string { return o.Text }

// inThe returns an obstacle of a file.
func inThe(file, format string, args ...any) error {
	return &Obstacle{file, fmt.Sprintf(format, args...)}
}

// Weight is a weight of a site that is not 0.
type Weight struct {
	Name  string
	Value float64
}

// Of returns the weights of a site besides that of QOS, the largest first. The weight of associations is left out if the
// accounts of the site are known and none has a priority.
func Of(site policy.Settings) (list []Weight) {
	names := map[string]bool{}
	for name := range site {
		plain := strings.TrimPrefix(name, policy.FromFile)
		value := amount(site, plain)
		if !strings.HasPrefix(plain, "PriorityWeight") || plain == ofQOS || names[plain] || value == 0 {
			continue
		}
		names[plain] = true
		unused := func(kind string) bool { return highest(site, kind) == 0 }
		if plain == ofAssociations && known(site, "account.") && unused("account.") && unused("user.") {
			continue
		}
		list = append(list, Weight{plain, value})
	}
	slices.SortFunc(list, func(a, b Weight) int {
		return cmp.Or(cmp.Compare(b.Value, a.Value), strings.Compare(a.Name, b.Name))
	})
	return list
}

// sum returns what weights add at most to the priority of a job.
func sum(list []Weight) (all float64) {
	for _, w := range list {
		all += w.Value
	}
	return all
}

// stated returns a setting as it is given, else as a file of the site states it.
func stated(s policy.Settings, name string) string { return cmp.Or(s[name], s[policy.FromFile+name]) }

// amount returns the number that a setting is, 0 if it is none.
func amount(s policy.Settings, name string) float64 {
	x, _ := strconv.ParseFloat(stated(s, name), 64)
	return x
}

// text returns a whole number as a setting.
func text(x float64) string { return strconv.FormatFloat(x, 'f', 0, 64) }

// priorities returns the names of the settings that give a priority to a kind of things such as "qos.", in order.
func priorities(s policy.Settings, kind string) []string {
	names := map[string]bool{}
	for name := range s {
		plain := strings.TrimPrefix(name, policy.FromFile)
		if strings.HasPrefix(plain, kind) && strings.HasSuffix(plain, ".Priority") {
			names[plain] = true
		}
	}
	return slices.Sorted(maps.Keys(names))
}

// highest returns the highest priority of a kind of things.
func highest(s policy.Settings, kind string) (most float64) {
	for _, name := range priorities(s, kind) {
		most = max(most, amount(s, name))
	}
	return most
}

// KnownQOS reports whether a file of the site has its QOS.
func KnownQOS(s policy.Settings) bool { return known(s, "qos.") }

// known reports whether a file of the site has settings that begin with a word.
func known(s policy.Settings, word string) bool {
	for name := range s {
		if strings.HasPrefix(name, policy.FromFile+word) {
			return true
		}
	}
	return false
}

// Basic reports whether jobs of the site go by submission today, whatever its weights.
func Basic(s policy.Settings) bool {
	return strings.TrimPrefix(s[policy.FromFile+"PriorityType"], "priority/") == "basic"
}

// unread returns an error that names a weight or a flag of a site with which priorities are computed in another way than
// here, nil if there is none.
func unread(site policy.Settings) error {
	for name := range strings.SplitSeq(site[policy.FromFile+"conf"], ",") {
		if strings.HasPrefix(name, "PriorityWeight") || strings.HasPrefix(name, "PrioritySiteFactor") {
			return inThe("conf", "%s is in the way: it orders jobs, and is not simulated", name)
		}
	}
	if flags := stated(site, "PriorityFlags"); strings.Contains(strings.ToUpper(flags), "NO_NORMAL_") {
		return inThe("conf", "PriorityFlags=%s is in the way: expected priorities over the largest of their kind", flags)
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

// ranksOf returns the different priorities of QOS in order, nil if QOS are not known. Jobs of no other QOS have that of
// normal, which is 0 unless it is stated. QOS of a site that get another priority in settings count with that alone.
func ranksOf(s policy.Settings, mine map[string]bool) []float64 {
	if !KnownQOS(s) {
		return nil
	}
	ranks := map[float64]bool{}
	if !mine["normal"] {
		ranks[amount(s, "qos.normal.Priority")] = true
	}
	for key := range s {
		name, ok := strings.CutPrefix(strings.TrimPrefix(key, policy.FromFile), "qos.")
		if dot := strings.LastIndex(name, "."); ok && dot > 0 {
			name = name[:dot]
			if _, given := s["qos."+name+".Priority"]; given || !mine[name] {
				ranks[amount(s, "qos."+name+".Priority")] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(ranks))
}

// gapOf returns the smallest difference between neighbors in an order of different priorities.
func gapOf(ranks []float64) float64 {
	gap := math.Inf(1)
	for i := 1; i < len(ranks); i++ {
		gap = min(gap, ranks[i]-ranks[i-1])
	}
	return gap
}

// apart returns the least weight of QOS with which the smallest difference between two of their priorities, which are in
// order, counts more than the most that all else adds. The weight does not become smaller.
func apart(s policy.Settings, ranks []float64, most float64) float64 {
	least := (most + 1) * max(ranks[len(ranks)-1], 1) / gapOf(ranks)
	if today := amount(s, ofQOS); today > least {
		return today
	}
	return roundWeight(least)
}

// Associate chooses the weight of the priorities of accounts and users, whose largest is given: a step of priority counts
// more than all weights besides that of QOS. If the priorities of the QOS of a site are known and count, their weight
// grows until the smallest difference between two of them counts more than all the rest, so that jobs of a higher QOS stay
// before all others. If they are not known, an account counts more than any QOS. No weight becomes smaller. The error, an
// *Obstacle, names what is in the way.
func Associate(s policy.Settings, largest float64) error {
	if err := unread(s); err != nil {
		return err
	}
	list := slices.DeleteFunc(Of(s), func(w Weight) bool { return w.Name == ofAssociations })
	others := sum(list)
	if Basic(s) && amount(s, ofQOS) > 0 {
		s[ofQOS] = "0" // QOS do not order jobs today
	}
	ranks, quality := ranksOf(s, nil), amount(s, ofQOS)
	if ranks == nil {
		others += quality
	}
	weight := max(roundWeight((others+1)*largest/Step), amount(s, ofAssociations))
	all := weight + others
	if quality > 0 && len(ranks) > 1 {
		quality = max(quality, apart(s, ranks, all))
		s[ofQOS] = text(quality)
	}
	switch {
	case largest > math.MaxUint32:
		return inThe("assoc", "an account or user of priority %.0f is in the way: expected smaller ones", largest)
	case all >= NoReservation && len(list) > 0:
		return inThe("conf", "%s=%.0f is in the way: no weight of accounts is larger", list[0].Name, list[0].Value)
	case all >= NoReservation:
		return inThe("conf", "%s=%.0f is in the way: priorities of accounts up to %.0f need a smaller one", ofAssociations,
			weight, largest)
	case len(ranks) > 1 && quality+all >= NoReservation:
		return inThe("qos", "priorities of QOS from %.0f to %.0f with steps of %.0f are in the way: no weight of QOS "+
			"keeps their order above that of accounts", ranks[0], ranks[len(ranks)-1], gapOf(ranks))
	}
	s[ofAssociations] = text(weight)
	return nil
}

// Outweigh gives QOS priorities in order, the lowest first, and a weight such that a step from one to the next is more
// than all other weights of the site, which does not become smaller. QOS of the site that count more than normal and are
// none of mine stay above them, and the new ones have the room below; else the new ones are above all. QOS of the site
// that count today keep their places among themselves. The error, an *Obstacle, names the weight or the QOS that is in the
// way.
func Outweigh(s policy.Settings, order []string, mine map[string]bool) error {
	if err := unread(s); err != nil {
		return err
	}
	list := Of(s)
	top, others := highest(s, "qos."), sum(list)
	from, step := top, float64(Step)
	if above, priority := higher(s, mine); above != "" {
		from = amount(s, "qos.normal.Priority")
		step = min(Step, math.Floor((priority-from)/float64(len(order)+1)))
		if step < 1 {
			return inThe("qos", "QOS %s of priority %.0f is in the way: expected at least %.0f, as %d QOS get priorities below it",
				above, priority, from+float64(len(order)+1), len(order))
		}
	}
	for i, name := range order {
		s["qos."+name+".Priority"] = text(from + step*float64(i+1))
	}
	most := max(top, from+step*float64(len(order)))
	ranks := []float64{most - step, most}
	if today := ranksOf(s, mine); count(s) && today != nil {
		ranks = today
	}
	weight := apart(s, ranks, others)
	switch all := weight + others; {
	case most > math.MaxUint32, all >= NoReservation && len(list) == 0:
		return inThe("qos", "a QOS of priority %.0f is in the way: expected smaller priorities of QOS", top)
	case all >= NoReservation && gapOf(ranks) < step:
		return inThe("qos", "priorities of QOS up to %.0f with steps of %.0f are in the way: no weight of QOS keeps their order",
			top, gapOf(ranks))
	case all >= NoReservation:
		return inThe("conf", "%s=%.0f is in the way: no weight of QOS is larger", list[0].Name, list[0].Value)
	}
	s[ofQOS] = text(weight)
	return nil
}

// count reports whether QOS order jobs today.
func count(s policy.Settings) bool { return amount(s, ofQOS) > 0 && !Basic(s) }

// higher returns the lowest QOS of a site that counts more than normal and is none of mine, with its priority; "" if there
// is none, or if QOS do not count today.
func higher(s policy.Settings, mine map[string]bool) (qos string, priority float64) {
	if !count(s) {
		return "", 0
	}
	normal := amount(s, "qos.normal.Priority")
	for _, name := range priorities(s, "qos.") {
		own := strings.TrimSuffix(strings.TrimPrefix(name, "qos."), ".Priority")
		if x := amount(s, name); x > normal && !mine[own] && (qos == "" || x < priority) {
			qos, priority = own, x
		}
	}
	return qos, priority
}

// BySubmission returns an error, an *Obstacle, that names a weight or a QOS of a site under which jobs go by anything but
// their submission. Age alone orders jobs by submission.
func BySubmission(site policy.Settings) error {
	if err := unread(site); err != nil {
		return err
	}
	for _, name := range priorities(site, "qos.") {
		if x := amount(site, name); x > 0 && amount(site, ofQOS) > 0 {
			qos := strings.TrimSuffix(strings.TrimPrefix(name, "qos."), ".Priority")
			return inThe("conf", "%s is in the way: QOS %s has priority %.0f, and the policy goes by submission", ofQOS, qos, x)
		}
	}
	for _, w := range Of(site) {
		if w.Name != "PriorityWeightAge" {
			return inThe("conf", "%s=%.0f is in the way: the policy goes by submission", w.Name, w.Value)
		}
	}
	return nil
}

// First returns settings of the policy slurm with a QOS whose jobs come before all others, which keep their order. Its
// priority is above that of every QOS, and the weight of QOS grows with it: jobs of other QOS keep the priority that they
// have by their QOS, and the new one is above it by more than all other weights together. With priority/basic the others
// are in order of submission, and stay so. The error names the weight that is in the way.
func First(given policy.Settings, qos string) (policy.Settings, error) {
	s := maps.Clone(given)
	if err := unread(s); err != nil {
		return nil, err
	}
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
	top, others, weight := highest(s, "qos."), sum(Of(s)), amount(s, ofQOS)
	switch {
	case top > 0 && weight > 0:
		times := math.Ceil(1 + (others+1)/weight)
		return s, place(s, qos, top*times, weight*times, others)
	case top > 0:
		return nil, inThe("conf",
			"PriorityWeightQOS=0 is in the way: QOS have priorities, which a weight of QOS would bring into effect")
	}
	return s, place(s, qos, Step, max(roundWeight(others+1), weight), others)
}

// place gives a QOS the highest priority, and QOS a weight beside the others.
func place(s policy.Settings, qos string, priority, weight, others float64) error {
	s["qos."+qos+".Priority"], s[ofQOS] = text(priority), text(weight)
	if weight+others > math.MaxUint32 || priority > math.MaxUint32 {
		return inThe("conf", "weights of %.0f are in the way: no weight of QOS is larger", others)
	}
	return nil
}
