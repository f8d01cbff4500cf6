package bound

import (
	"cmp"
	"slices"

	"revopt/simulate"
)

// Level is a number of units from a time on.
type Level struct {
	From  float64
	Units int
}

// Levels returns the number of units that are up over time, from time 0 on. Units that drain
// count as up, because jobs may still run on them.
func Levels(units int, down []simulate.Outage) []Level {
	type change struct {
		at float64
		by int
	}
	changes := make([]change, 0, 2*len(down)+1)
	changes = append(changes, change{})
	for _, o := range down {
		if !o.Drain {
			changes = append(changes, change{max(o.From, 0), -o.Units}, change{max(o.To, 0), o.Units})
		}
	}
	slices.SortFunc(changes, func(a, b change) int { return cmp.Compare(a.at, b.at) })
	var list []Level
	sum := units
	for i, c := range changes {
		sum += c.by
		if i+1 == len(changes) || changes[i+1].at > c.at {
			list = append(list, Level{c.at, max(sum, 0)})
		}
	}
	return list
}
