package weight

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"revopt/simulate/policy"
	"revopt/simulate/policy/slurm"
)

// Step is the difference between the priorities of neighbors in an order.
const Step = 100

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

// inConf, inQOS and inAssociations return obstacles of the files.
func inConf(format string, args ...any) error { return &Obstacle{"conf", fmt.Sprintf(format, args...)} }

func inQOS(format string, args ...any) error { return &Obstacle{"qos", fmt.Sprintf(format, args...)} }

func inAssociations(format string, args ...any) error {
	return &Obstacle{"assoc", fmt.Sprintf(format, args...)}
}

// Associate chooses the weight of the priorities of accounts and users, whose largest is given: a step of priority
// counts more than all weights besides that of QOS. If the priorities of the QOS of a site are known and count, their
// weight grows until the smallest difference between two of them counts more than all the rest: jobs of a higher QOS
// stay before all others. If they are not known, an account counts more than any QOS. No weight becomes smaller. The
// error, an *Obstacle, names what is in the way.
func Associate(s policy.Settings, largest float64) error {
	if err := unread(s); err != nil {
		return err
	}
	others := 0.0
	list := slices.DeleteFunc(Of(s), func(w Weight) bool { return w.Name == ofAssociations })
	for _, w := range list {
		others += w.Most
	}
	if strings.TrimPrefix(s[policy.FromFile+"PriorityType"], "priority/") == "basic" && amount(s, ofQOS) > 0 {
		s[ofQOS] = "0" // QOS do not order jobs today
	}
	ranks := ranksOf(s, nil)
	quality := amount(s, ofQOS)
	switch {
	case ranks == nil && quality > 0 && raw(s, "QOS"):
		return inConf("PriorityFlags=%s is in the way: the priorities of QOS count as they are, and are not known: expected "+
			"--qos, the output of sacctmgr show qos -P", stated(s, "PriorityFlags"))
	case ranks == nil:
		others += quality
	}
	weight := max(roundWeight((others+1)*largest/Step), amount(s, ofAssociations))
	all := weight + others
	if raw(s, "ASSOC") {
		weight = max(roundWeight((others+1)/Step), amount(s, ofAssociations))
		all = weight*largest + others
	}
	if quality > 0 && len(ranks) > 1 {
		quality = max(quality, apart(s, ranks, all))
		s[ofQOS] = strconv.FormatFloat(quality, 'f', 0, 64)
	}
	switch {
	case largest > math.MaxUint32:
		return inAssociations("an account or user of priority %.0f is in the way: expected smaller ones", largest)
	case all >= NoReservation && len(list) > 0:
		return inConf("%s=%.0f is in the way: no weight of accounts is larger", list[0].Name, list[0].Value)
	case all >= NoReservation:
		return inConf("%s=%.0f is in the way: priorities of accounts up to %.0f need a smaller one", ofAssociations, weight, largest)
	case len(ranks) > 1 && quality*highestOf(s, ranks)+all >= NoReservation:
		return inQOS("priorities of QOS from %.0f to %.0f with steps of %.0f are in the way: no weight of QOS "+
			"keeps their order above that of accounts", ranks[0], ranks[len(ranks)-1], gapOf(ranks))
	}
	s[ofAssociations] = strconv.FormatFloat(weight, 'f', 0, 64)
	return nil
}

// apart returns the least weight of QOS with which the smallest difference between two of their priorities, which are in
// order, counts more than the most that all else adds.
func apart(s policy.Settings, ranks []float64, most float64) float64 {
	times := max(ranks[len(ranks)-1], 1) / (gapOf(ranks) * highestOf(s, ranks))
	if amount(s, ofQOS) > (most+1)*times {
		return amount(s, ofQOS)
	}
	return roundWeight((most + 1) * times)
}

// highestOf returns the factor of the QOS of the highest priority, by which Slurm multiplies the weight of QOS; priorities
// are in order.
func highestOf(s policy.Settings, ranks []float64) float64 {
	if raw(s, "QOS") {
		return max(ranks[len(ranks)-1], 1)
	}
	return 1
}

// gapOf returns the smallest difference between neighbors in an order of different priorities.
func gapOf(ranks []float64) float64 {
	gap := math.Inf(1)
	for i := 1; i < len(ranks); i++ {
		gap = min(gap, ranks[i]-ranks[i-1])
	}
	return gap
}

// FirstOfAll returns settings in which overdue jobs come first, see First. If there is a limit on reservations, they get them.
func FirstOfAll(given policy.Settings) (policy.Settings, error) {
	s, err := First(given, Overdue)
	if err != nil {
		return nil, err
	}
	highest, _ := present(given)
	top, others := present(s)
	reserveFor(s, ofQuality(s, highest, top)+others)
	return s, nil
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

// ranksOf returns the different priorities of QOS in order, nil if QOS are not known. Jobs of no other QOS have that of
// normal, which is 0 unless it is stated. QOS of a site that are to have another name in settings count under that alone.
func ranksOf(s policy.Settings, renamed map[string]bool) []float64 {
	if !KnownQOS(s) {
		return nil
	}
	ranks := map[float64]bool{}
	if !renamed["normal"] {
		ranks[amount(s, "qos.normal.Priority")] = true
	}
	for key := range s {
		name, ok := strings.CutPrefix(strings.TrimPrefix(key, policy.FromFile), "qos.")
		if dot := strings.LastIndex(name, "."); ok && dot > 0 {
			name = name[:dot]
			_, given := s["qos."+name+".Priority"]
			if given || !renamed[name] {
				ranks[amount(s, "qos."+name+".Priority")] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(ranks))
}

// raw reports whether priorities of a kind (ASSOC, PART or QOS) are multiplied by the weight as they are, not over the
// largest of them.
func raw(s policy.Settings, kind string) bool { return slurm.Raw(stated(s, "PriorityFlags"), kind) }

// ofQuality returns what a QOS of a priority adds to the priority of a job, where the highest is the given one.
func ofQuality(s policy.Settings, priority, highest float64) float64 {
	if raw(s, "QOS") {
		highest = 1
	}
	return amount(s, ofQOS) * priority / max(highest, 1)
}

// ofPartition returns what partitions add at most to the priority of a job, with a weight. Slurm's default factor is 1.
func ofPartition(s policy.Settings, weight float64) float64 {
	largest := 1.0
	for name := range s {
		plain := strings.TrimPrefix(name, policy.FromFile)
		if strings.HasPrefix(plain, "partition.") && strings.HasSuffix(plain, ".PriorityJobFactor") {
			largest = max(largest, amount(s, plain))
		}
	}
	if !raw(s, "PART") {
		return weight
	}
	return weight * largest
}

// ofAssociation returns what the priorities of accounts and users add at most to the priority of a job, with a weight.
func ofAssociation(s policy.Settings, weight float64) float64 {
	largest := 0.0
	for _, name := range append(priorities(s, "account."), priorities(s, "user.")...) {
		largest = max(largest, amount(s, name))
	}
	switch {
	case largest == 0 && known(s, "account."):
		return 0
	case raw(s, "ASSOC"):
		return weight * max(largest, 1)
	}
	return weight
}
