package weight

import (
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

const (
	ofAssociations = "PriorityWeightAssoc"
	ofQOS          = "PriorityWeightQOS"
)

// Associate chooses the weight of the priorities of accounts and users, whose largest is given: a step of priority
// counts more than all weights besides that of QOS. If the priorities of the QOS of a site are known and count, their
// weight grows until the smallest difference between two of them counts more than all the rest: jobs of a higher QOS
// stay before all others. If they are not known, an account counts more than any QOS. The error names what is in the
// way.
func Associate(s policy.Settings, largest float64) error {
	if name := unread(s); name != "" {
		return fmt.Errorf("%s is in the way: it orders jobs, and is not simulated", name)
	}
	others := 0.0
	list := slices.DeleteFunc(Of(s), func(w Weight) bool { return w.Name == ofAssociations })
	for _, w := range list {
		others += w.Value
	}
	if strings.TrimPrefix(s[policy.FromFile+"PriorityType"], "priority/") == "basic" && amount(s, ofQOS) > 0 {
		s[ofQOS] = "0" // QOS do not order jobs today
	}
	ranks := ranksOf(s)
	quality := amount(s, ofQOS)
	if ranks == nil {
		others += quality
	}
	weight := roundWeight((others + 1) * largest / Step)
	all := weight + others
	if rawAssociations(s) {
		weight = roundWeight((others + 1) / Step)
		all = weight*largest + others
	}
	if quality > 0 && len(ranks) > 1 {
		gap := ranks[1] - ranks[0]
		for i := 1; i < len(ranks); i++ {
			gap = min(gap, ranks[i]-ranks[i-1])
		}
		times := max(ranks[len(ranks)-1], 1) / gap
		if quality <= (all+1)*times {
			quality = roundWeight((all + 1) * times)
			s[ofQOS] = strconv.FormatFloat(quality, 'f', 0, 64)
		}
		if quality+all >= NoReservation {
			return fmt.Errorf("priorities of QOS from %.0f to %.0f with steps of %.0f are in the way: no weight of QOS "+
				"keeps their order above that of accounts", ranks[0], ranks[len(ranks)-1], gap)
		}
	}
	switch {
	case largest > math.MaxUint32:
		return fmt.Errorf("an account or user of priority %.0f is in the way: expected smaller ones", largest)
	case all >= NoReservation && len(list) > 0:
		return fmt.Errorf("%s=%.0f is in the way: no weight of accounts is larger", list[0].Name, list[0].Value)
	}
	s[ofAssociations] = strconv.FormatFloat(weight, 'f', 0, 64)
	return nil
}

// FirstOfAll returns settings in which overdue jobs come first, see First. If there is a limit on reservations, they get them.
func FirstOfAll(given policy.Settings) (policy.Settings, error) {
	s, err := First(given, Overdue)
	if err != nil {
		return nil, err
	}
	highest, _ := present(given)
	_, others := present(s)
	reserveFor(s, amount(s, ofQOS)*highest/amount(s, "qos."+Overdue+".Priority")+others)
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
// normal, which is 0 unless it is stated.
func ranksOf(s policy.Settings) []float64 {
	if !KnownQOS(s) {
		return nil
	}
	ranks := map[float64]bool{amount(s, "qos.normal.Priority"): true}
	for _, name := range priorities(s, "qos.") {
		ranks[amount(s, name)] = true
	}
	for name := range s { // those without a priority
		if strings.HasPrefix(name, policy.FromFile+"qos.") {
			ranks[amount(s, strings.TrimPrefix(name[:strings.LastIndex(name, ".")], policy.FromFile)+".Priority")] = true
		}
	}
	return slices.Sorted(maps.Keys(ranks))
}

// rawAssociations reports whether priorities of accounts and users are multiplied by the weight as they are, not over
// the largest of them.
func rawAssociations(s policy.Settings) bool {
	flags := strings.FieldsFunc(stated(s, "PriorityFlags"), func(r rune) bool { return r == ',' || r == '+' })
	return slices.Contains(flags, "NO_NORMAL_ASSOC")
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
	case rawAssociations(s):
		return weight * max(largest, 1)
	}
	return weight
}
