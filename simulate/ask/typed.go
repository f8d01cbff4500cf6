package ask

import (
	"fmt"
	"path/filepath"
	"strings"

	"revopt/internal/text"
	"revopt/simulate/policy"
	"revopt/simulate/slurm"
	"revopt/simulate/subject"
)

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

// WithFiles returns what was typed with the files that a policy names, relative to the scenario or not.
func (t Typed) WithFiles(p subject.Policy, relative bool) Typed {
	t.Files, t.Stated = policy.Settings{}, policy.Settings{}
	for _, name := range slurm.SettingFiles() {
		path := p.Settings[name]
		if path != "" && !filepath.IsAbs(path) && relative {
			t.Stated[name] = path
			path = filepath.Join(filepath.Dir(t.Scenario), path)
		}
		if path != "" {
			t.Files[name] = path
		}
	}
	return t
}
