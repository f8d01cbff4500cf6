package cli

import (
	"fmt"
	"strings"

	"revopt/internal/text"
	"revopt/model/scenario"
	"revopt/simulate/policy"
	lab "revopt/simulate/run"
	"revopt/simulate/slurm"
)

// admissionOrigin says where the probabilities of an exported admission come from.
func admissionOrigin(a lab.Admitted) string {
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

// typed is what a person typed of a scenario and of the files of a site, for a command that goes on from there.
type typed struct {
	Scenario string
	Flags    []string        // that change the scenario, each with its value as the next
	Files    policy.Settings // of the site, by their options
	Stated   policy.Settings // the same, as the scenario names them relative to itself
}

// Near returns the label of a policy with the files as a command line names them.
func (t typed) Near(label string) string {
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
func (t typed) Export(label string) (command, make string) {
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
