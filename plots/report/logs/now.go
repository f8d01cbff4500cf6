package logs

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"

	"revopt/internal/text"
	"revopt/model/scenario"
	"revopt/simulate/policy"
	"revopt/simulate/slurm"
	"revopt/simulate/study"
	"revopt/simulate/subject"
)

// ReproductionWords says how well a policy reproduces a log.
func ReproductionWords(r study.Reproduction) string {
	return fmt.Sprintf("%s reproduces %.0f %% of the log's starts, mean wait %s (recorded %s)",
		text.Cut(text.OneLine(r.Policy.Label())),
		100*r.Share(), text.Duration(r.Waits.Simulated), text.Duration(r.Waits.Logged))
}

// PoliciesNow returns the policies of a scenario: the first of a list, which reproduces the log best, and some to compare
// it with. Comments have the figures of all that were compared. Paths of files are made relative by a function.
func PoliciesNow(list []study.Reproduction, relative func(string) string) []byte {
	var b bytes.Buffer
	compared := "all " + text.Plural(list[0].Starts, "start") + " of the log"
	if !list[0].Whole {
		compared = text.Plural(list[0].Starts, "start") + " in eight stretches, evenly over the log"
	}
	fmt.Fprintf(&b, "# The first policy stands for today: of those compared it reproduces the log best, by the share of the\n"+
		"# starts that it allows, then by the mean wait of the last jobs. Compared: %s.\n", compared)
	for _, r := range list {
		fmt.Fprintf(&b, "#   %s\n", ReproductionWords(r))
	}
	b.WriteString("policies:\n")
	fmt.Fprintf(&b, "  - %s\n", policyYAML(list[0].Policy, relative))
	for _, label := range []string{"easy", "slurm", "hol:backfill=true", "value-bf"} {
		if label != list[0].Policy.Label() {
			fmt.Fprintf(&b, "  - %s\n", scenario.Quote(label))
		}
	}
	return b.Bytes()
}

// policyYAML returns a policy as a scenario states it.
func policyYAML(p subject.Policy, relative func(string) string) string {
	var options []string
	byDefault := subject.PolicyOf(p.Spec).Settings
	for _, name := range slices.Sorted(maps.Keys(p.Settings)) {
		value := p.Settings[name]
		if value == byDefault[name] || strings.HasPrefix(name, policy.FromFile) {
			continue
		}
		if slices.Contains(slurm.SettingFiles(), name) {
			value = relative(value)
		}
		options = append(options, fmt.Sprintf("%s: %s", scenario.Quote(name), scenario.Quote(value)))
	}
	if options == nil {
		return p.Spec.Name
	}
	return fmt.Sprintf("%s: {%s}", p.Spec.Name, strings.Join(options, ", "))
}
