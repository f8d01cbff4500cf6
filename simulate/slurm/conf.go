package slurm

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"revopt/internal/text"
	"revopt/simulate/policy"
	"revopt/simulate/slurm/conf"
	"revopt/simulate/workload"
)

// settings are those of a policy as the files of a site state them.
type settings struct {
	spec  policy.Spec
	all   policy.Settings
	names map[string]bool // of QOS, accounts and users that were read, such as qos.gold.
	left  []string        // names of the file that are not simulated
	users []membership    // with a priority
}

// membership is a user of an account, with the priority that sacctmgr shows.
type membership struct{ user, account, priority string }

// SettingFiles are the options of the policy slurm that are paths of files: slurm.conf,
// the output of sacctmgr show qos -P, and that of sacctmgr show assoc -P.
func SettingFiles() []string { return []string{"conf", "qos", "assoc"} }

// ReadSettings reads files, given by their options, as settings of the policy slurm. The
// settings file.conf, file.qos and file.assoc list the names that are not simulated.
func ReadSettings(spec policy.Spec, files map[string]string) (policy.Settings, error) {
	s := &settings{spec: spec, all: policy.Settings{}, names: map[string]bool{}}
	for _, option := range SettingFiles() {
		path := files[option]
		if path == "" {
			continue
		}
		s.left = nil
		err := conf.Open(path, func(lines *workload.Lines) error {
			switch option {
			case "qos":
				return conf.EachRow(lines, "sacctmgr show "+option+" -P", []string{"Name"}, func(r *conf.Sheet) error {
					return s.row(r, option, "Name")
				})
			case "assoc":
				err := conf.EachRow(lines, "sacctmgr show "+option+" -P", []string{"Account"}, s.association)
				s.inherit()
				return err
			}
			return s.conf(lines)
		})
		if err != nil {
			return nil, err
		}
		if s.left != nil {
			slices.SortFunc(s.left, func(a, b string) int { return cmp.Or(effect(a)-effect(b), strings.Compare(a, b)) })
			s.all[policy.FromFile+option] = strings.Join(s.left, ",")
		}
	}
	return s.all, nil
}

// effect returns the place of a name in a list of what changes a schedule, the most important
// first; -1 for addresses, paths, logs and other names without an effect.
func effect(name string) int {
	return slices.IndexFunc([]string{
		"include", "priority", "bf_", "sched", "preempt", "grp", "max", "min", "share", "flags", "usage", "qos",
		"def qos", "defqos", "defaulttime", "default_queue",
		"partition", "further", "parent", "allow", "deny", "over", "exclusive", "assoc_limit",
		"accountingstorageenforce", "enforce", "batch_sched", "license", "topology", "complete", "jobrequeue",
		"suspend",
	}, func(prefix string) bool { return strings.HasPrefix(strings.ToLower(name), prefix) })
}

// leave notes a name that is not simulated and has an effect, among the first hundreds.
func (s *settings) leave(name string) {
	name = strings.ReplaceAll(text.OneLine(name), ",", " ")
	name = strings.ToValidUTF8(name[:min(len(name), 40)], "")
	if effect(name) >= 0 && len(s.left) < 300 && !slices.Contains(s.left, name) {
		s.left = append(s.left, name)
	}
}

// set adds a setting that a field of the last line states. Lists lose resources and flags
// that are not simulated; so do words that name a way of Slurm.
func (s *settings) set(lines *workload.Lines, name, field, value string) error {
	resources, flags := strings.Contains(field, "TRES"), strings.HasSuffix(field, "Flags")
	words := flags || strings.HasSuffix(field, "Type") || strings.HasSuffix(field, "Mode") || value == "parent"
	items, known := []string{value}, []string(nil)
	if resources || flags {
		items = strings.Split(value, ",")
	}
	for _, item := range items {
		_, err := s.spec.Resolve(policy.Settings{name: item})
		resource, _, _ := strings.Cut(item, "=")
		bad := (*policy.OptionError)(nil)
		switch {
		case !errors.As(err, &bad):
			known = append(known, item)
		case bad.Want == "":
			s.leave(field)
			return nil
		case field == "PriorityType": // Slurm has these two, and does not start with another
			return conf.Wrong(lines, field, bad.Want, item)
		case words, resources && !slices.Contains([]string{"cpu", "node", "gres/gpu"}, resource):
			s.leave(field + "=" + resource)
		default:
			return conf.Wrong(lines, field, bad.Want, item)
		}
	}
	if known != nil {
		s.all[policy.FromFile+name] = strings.Join(known, ",")
	}
	return nil
}

// conf reads slurm.conf. A file that does not state the first two has Slurm's defaults,
// not those of the policy.
func (s *settings) conf(lines *workload.Lines) error {
	s.all[policy.FromFile+"PriorityType"], s.all[policy.FromFile+"PreemptType"] = "priority/basic", "preempt/none"
	options := confOptions(s.spec)
	return conf.Pairs(lines, func(fields [][2]string) error {
		prefix := ""
		if strings.EqualFold(fields[0][0], "PartitionName") {
			if !conf.ValidName(fields[0][1]) {
				return conf.Wrong(lines, "PartitionName", conf.NameForm, fields[0][1])
			}
			prefix, fields = "partition."+fields[0][1]+".", fields[1:]
		}
		for i := 0; i < len(fields); i++ { // parameters are added to them
			key, value := fields[i][0], fields[i][1]
			switch name := options[strings.ToLower(key)]; {
			case prefix == "" && strings.EqualFold(key, "SchedulerParameters"):
				for _, item := range strings.Split(value, ",") {
					name, value, given := strings.Cut(strings.TrimSpace(item), "=")
					if !given {
						value = "true"
					}
					fields = append(fields, [2]string{name, value})
				}
			case strings.EqualFold(value, "sched/backfill"): // it is what the policy does
			case name == "":
				s.leave(key)
			default:
				if err := s.set(lines, prefix+name, name, value); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// confOptions returns the options that slurm.conf has, by their names in small letters.
func confOptions(spec policy.Spec) map[string]string {
	options := map[string]string{"priorityjobfactor": "PriorityJobFactor"}
	for _, o := range spec.Choices() {
		if low := strings.ToLower(o.Name); o.Name == policy.LongestWait {
			continue // Slurm has no such parameter
		} else if low != o.Name || strings.Contains(low, "_") || low == "defer" {
			options[low] = o.Name // the others are none of Slurm's
		}
	}
	return options
}

// association reads an account, or a user of an account.
func (s *settings) association(row *conf.Sheet) error {
	if user := row.Get("User"); user != "" {
		if err := s.row(row, "user", "User"); err != nil {
			return err
		}
		account, name := row.Get("Account"), policy.FromFile+"user."+user+".Account"
		s.users = append(s.users, membership{user, account, row.Get("Priority")})
		if account == "" {
			return nil // of an export without the accounts of the site
		}
		if !conf.ValidName(account) {
			return conf.Wrong(row.Lines, "Account", conf.NameForm, account)
		}
		s.all[name] = strings.TrimPrefix(s.all[name]+"+"+account, "+")
		return nil
	}
	if row.At("ParentName") < 0 {
		s.leave("ParentName")
	}
	return s.row(row, "account", "Account")
}

// inherit turns priorities of accounts and users that are those of the account above into -1: sacctmgr shows what they
// inherit as if it was their own. Accounts for which it shows none have -1 too. A user whose own priority differs from that of one of its accounts has it in all of
// them.
func (s *settings) inherit() {
	shown := func(account string) string { return s.all[policy.FromFile+"account."+account+".Priority"] }
	for _, m := range s.users {
		delete(s.all, policy.FromFile+"user."+m.user+".Priority")
	}
	for _, m := range s.users {
		name := policy.FromFile + "user." + m.user + ".Priority"
		switch known := s.all[name]; {
		case m.priority == "" || known != "" && known != "-1":
		case m.priority == shown(m.account):
			s.all[name] = "-1"
		default:
			s.all[name] = m.priority
		}
	}
	var inherited []string
	for prefix := range s.names {
		account, ok := strings.CutPrefix(strings.TrimSuffix(prefix, "."), "account.")
		above := cmp.Or(s.all[policy.FromFile+prefix+"ParentName"], root)
		known := account != root && !slices.Contains(s.left, "ParentName")
		if own := shown(account); ok && (own == "" || known && own == shown(above)) {
			inherited = append(inherited, policy.FromFile+prefix+"Priority")
		}
	}
	for _, name := range inherited {
		s.all[name] = "-1"
	}
}

// row reads the columns of a QOS, an account or a user, whose name is in a column. The
// account root holds all others. A user has the settings of the first account.
func (s *settings) row(row *conf.Sheet, kind, column string) error {
	name := row.Get(column)
	prefix := kind + "." + name + "."
	switch twice := s.names[prefix]; {
	case !conf.ValidName(name):
		return conf.Wrong(row.Lines, column, conf.NameForm, name)
	case twice && kind == "user":
		s.leave("further accounts of users")
		return nil
	case twice:
		return conf.Wrong(row.Lines, column, "every name once", name)
	}
	s.names[prefix] = true
	for i, column := range row.Columns {
		value := strings.TrimSpace(row.Row[i])
		if slices.Contains([]string{"Name", "Cluster", "Account", "User", "ID", "LFT", "RGT"}, column) || value == "" ||
			column == "ParentName" && value == "root" || column == "Share" && name == "root" {
			continue
		}
		if column == "Preempt" || column == "ParentName" {
			for _, other := range strings.Split(value, ",") {
				if !conf.ValidName(other) {
					return conf.Wrong(row.Lines, column, conf.NameForm, other)
				}
			}
		}
		const most = 100 // levels of accounts
		for level, above := 0, value; column == "ParentName" && above != ""; level++ {
			if above == name || level == most {
				return conf.Wrong(row.Lines, column, "no circle of accounts and at most 100 levels", value)
			}
			above = s.all[policy.FromFile+"account."+above+"."+column]
		}
		if err := s.set(row.Lines, prefix+column, column, value); err != nil {
			return err
		}
	}
	return nil
}
