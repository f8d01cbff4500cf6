package plots

import "strconv"

// Provenance says where the numbers of a picture come from. Every file written
// names it.
type Provenance struct {
	Version  string  // of the program
	Scenario string  // name or path
	Seed     *uint64 // nil if nothing was random
	Cleaning string  // rule applied to the trace
	Command  string  // that made the picture
	Extra    []Pair  // anything else, in this order
}

// A Pair is one named remark.
type Pair struct{ Key, Value string }

// Pairs returns what is known, in a fixed order, each on one line.
func (p Provenance) Pairs() []Pair {
	all := []Pair{{"version", p.Version}, {"scenario", p.Scenario}}
	if p.Seed != nil {
		all = append(all, Pair{"seed", strconv.FormatUint(*p.Seed, 10)})
	}
	all = append(all, Pair{"cleaning", p.Cleaning}, Pair{"command", p.Command})
	var known []Pair
	for _, kv := range append(all, p.Extra...) {
		kv.Key, kv.Value = oneLine(kv.Key), oneLine(kv.Value)
		if kv.Key != "" && kv.Value != "" {
			known = append(known, kv)
		}
	}
	return known
}
