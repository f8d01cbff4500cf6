package removed

import (
	"slices"
	"strings"
)

// Kind is what a name names.
type Kind uint8

// The kinds.
const (
	Field     Kind = iota // the path of a field of a scenario, see Path
	Policy                // a policy
	Option                // an option of policies
	Measure               // a measure of a simulation
	Admission             // a way to admit jobs
)

// names has the version that removed a name.
var names = [...]map[string]string{
	Field: {
		"machine.rent":  "0.5",
		"pools.*.rent":  "0.5",
		"classes.*.bid": "0.5",
		"rent":          "0.5", // a change of whatif
	},
	Policy: {"spot": "0.5"},
	Option: {"burst": "0.5", "burst-after": "0.5"},
	Measure: {
		"rent_per_second": "0.5",
		"rented_share":    "0.5",
		"rented_units":    "0.5",
		"mean_price":      "0.5",
	},
	Admission: {"promise": "0.5", "prices-simulated": "0.5"},
}

// Instead returns the command that does what a removed admission did.
func Instead(admission string) string {
	if admission == "promise" {
		return "tune --over admission --keep slo"
	}
	return "tune --over prices"
}

// Version returns the version that removed a name, "" if no version had it.
func Version(k Kind, name string) string { return names[k][name] }

// Path returns the version that removed the field at a path, given by its keys; "" if no version had it. An asterisk
// in the table stands for any key, such as the name of a class.
func Path(keys []string) string {
	for path, version := range names[Field] {
		same := func(want, key string) bool { return want == "*" || want == key }
		if slices.EqualFunc(strings.Split(path, "."), keys, same) {
			return version
		}
	}
	return ""
}
