package report

import (
	"fmt"
	"math"
	"strings"

	"revopt/internal/text"
	"revopt/model/scenario"
	"revopt/plots/wording"
	"revopt/simulate/experiment"
	"revopt/simulate/policy"
	"revopt/simulate/served"
	"revopt/simulate/slurm"
	"revopt/simulate/study"
)

// Origin says where the probabilities of an exported admission come from.
func Origin(a experiment.Admitted) string {
	switch {
	case a.Searched:
		return fmt.Sprintf("the best %s admission that a search on the simulator found under %s; not proven",
			a.Name, a.Policy.Label())
	case a.Name == scenario.AdmitThreshold:
		return "the best limits on waiting jobs that a search in the queueing model found " +
			"(revopt solve --control threshold); not proven"
	case a.Name != scenario.AdmitAnalytic:
		return "given: " + a.Name
	}
	words := "the static admission that earns most in the queueing model (revopt solve)"
	switch {
	case a.Fitted == 1:
		words += " of 1 job class fitted to the trace, by customer"
	case a.Fitted > 1:
		words += fmt.Sprintf(" of %d job classes fitted to the trace, by customer", a.Fitted)
	}
	if a.Certified {
		return words + "; proven to within " + text.Gap(float64(a.Gap))
	}
	return words + "; not proven"
}

// Affected is what the last row of a simulation changes for the customers of the first: a
// table of waits and money, and the total in a sentence without a period.
func Affected(r *study.Result) (table *text.Table, total string) {
	first, last := r.Policies[0], r.Policies[len(r.Policies)-1]
	money := Simulation{r}.money()
	amount := wording.Scaled(3600)
	table = text.NewTable(partyWord(r.Trace != ""), "mean wait now", "then", money.heading+" now", "then")
	table.Whole = true
	add := func(name string, a, b study.Estimates) {
		table.Row(name, wording.Duration(a.Get("mean_wait")), wording.Duration(b.Get("mean_wait")),
			amount(a.Get(money.measure)), amount(b.Get(money.measure)))
	}
	for i, c := range first.Customers {
		add(c.Name, c.Estimates, last.Customers[i].Estimates)
	}
	add("all", first.Total, last.Total)
	d := r.Differences[len(r.Differences)-1].Total.Get(money.measure)
	total = fmt.Sprintf("Together these settings %s %s %s, the policy now", strings.TrimSuffix(money.verb, "s"),
		compared(d), text.OneLine(first.Label))
	if half := float64(d.HalfWidth); half > 0 && !math.IsInf(half, 0) {
		total += " (paired, " + text.PlainPercent(float64(r.Level)) + ")"
	}
	return table, total
}

// Faithful compares the money of the last row of a simulation, a policy by exported files, with that of the row before
// it, the policy that they are made of: the difference over the larger amount, and a sentence without a period.
func Faithful(r *study.Result) (off float64, words string) {
	money := Simulation{r}.money()
	n := len(r.Policies)
	files, verdict := r.Policies[n-1].Total.Get(money.measure), r.Policies[n-2].Total.Get(money.measure)
	a, b := float64(files.Mean), float64(verdict.Mean)
	if a != b {
		off = (a - b) / max(math.Abs(a), math.Abs(b))
	}
	amount, words := wording.Scaled(3600), "as much as"
	switch {
	case off > 0:
		words = fmt.Sprintf("%.1f %% above", 100*off)
	case off < 0:
		words = fmt.Sprintf("%.1f %% below", -100*off)
	}
	return off, fmt.Sprintf("by simulation these files %s %s $/h, %s the %s $/h of %s", strings.TrimSuffix(money.verb, "s"),
		amount(files), words, amount(verdict), text.OneLine(r.Policies[n-2].Label))
}

// WhoPays is how the last row of a simulation serves customers and groups of width against the first: a line on the
// worst harm, and a table.
func WhoPays(r *study.Result) string {
	list := served.Between(r.Policies[0].Groups, r.Policies[len(r.Policies)-1].Groups)
	line := "It harms nobody"
	if harm := HarmLine(served.Harmed(list)); harm != "" {
		line = "It harms: " + harm
	}
	return line + ".\n\n" + AffectedTable(list).String() + "\n" + HarmRule()
}

// Typed is what a person typed of a scenario and of the files of a site, for a command that goes on from there.
type Typed struct {
	Scenario string
	Flags    []string        // that change the scenario, each with its value as the next
	Files    policy.Settings // of the site, by their options
	Stated   policy.Settings // the same, as the scenario names them relative to itself
}

// Near returns the label of a policy with the files as a command line names them.
func (t Typed) Near(label string) string {
	for option, stated := range t.Stated {
		if path := t.Files[option]; path != "" {
			label = strings.Replace(label, ":"+option+"="+stated, ":"+option+"="+path, 1)
		}
	}
	return label
}

// siteFiles are the files of a site by their options: the names that they get, and how to make them.
var siteFiles = map[string][2]string{
	"conf":  {"slurm.conf", "a copy of the cluster's slurm.conf"},
	"qos":   {"qos.txt", "sacctmgr show qos -P > qos.txt"},
	"assoc": {"assoc.txt", "sacctmgr show assoc -P > assoc.txt"},
}

// Export returns the command that exports a policy to the site, with its files as far as they are known and the policy does
// not name them itself. For the others it has names, and the second result says how to make them; "" if there are none.
func (t Typed) Export(label string) (command, make string) {
	quoted := func(s string) string { return "'" + strings.ReplaceAll(text.OneLine(s), "'", `'\''`) + "'" }
	label = t.Near(label)
	command = fmt.Sprintf("revopt export slurm %s --policy %s", quoted(t.Scenario), quoted(label))
	for i := 0; i+1 < len(t.Flags); i += 2 {
		command += " " + t.Flags[i] + " " + quoted(t.Flags[i+1])
	}
	var lacking []string
	for _, option := range slurm.SettingFiles() {
		name, how := siteFiles[option][0], siteFiles[option][1]
		switch path := t.Files[option]; {
		case strings.Contains(label, ":"+option+"="):
		case path != "":
			command += " --" + option + " " + quoted(path)
		default:
			command += " --" + option + " " + name
			lacking = append(lacking, name+": "+how)
		}
	}
	if lacking != nil {
		make = "first make " + strings.Join(lacking, "; ")
	}
	return command + " --modify-existing -o exported", make
}
