package slurm

import (
	"cmp"
	"fmt"
	"strings"

	"revopt/internal/text"
	"revopt/model"
)

func shellWord(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// qosName returns the name of the QOS of a customer: plain letters, and not taken.
func qosName(name string, taken map[string]bool) string {
	plain := strings.Map(func(r rune) rune {
		if r < 128 && (r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || strings.ContainsRune("_.-", r)) {
			return r
		}
		return '_'
	}, strings.ToLower(name))
	for try, n := plain, 2; ; try, n = fmt.Sprintf("%s-%d", plain, n), n+1 {
		if !taken[try] {
			taken[try] = true
			return try
		}
	}
}

// queues returns the QOS that jobs of a customer have.
func (c Customer) queues() []string {
	return party{key: "qos", list: cmp.Or(c.Of, &model.Selector{}).Queues}.Names()
}

// queues returns the QOS that jobs of some customer have.
func (x *Export) queues() map[string]bool {
	taken := map[string]bool{}
	for _, c := range x.whole {
		for _, name := range c.queues() {
			taken[name] = true
		}
	}
	return taken
}

// qosNames returns the QOS of all customers: those of their queues, else a new one.
func (x *Export) qosNames() map[string][]string {
	names, taken := map[string][]string{}, x.queues()
	for _, c := range x.whole {
		names[c.Name] = c.queues()
		if names[c.Name] == nil {
			names[c.Name] = []string{qosName(c.Name, taken)}
		}
	}
	return names
}

// members returns the beginnings of commands that modify the accounts and users of a selector.
func members(selector *model.Selector) (list []string) {
	for _, f := range parties(selector) {
		for _, name := range f.Names() {
			if f.key == "account" || f.key == "user" {
				list = append(list, fmt.Sprintf("sacctmgr -i modify %s where name=%s set", f.key, shellWord(name)))
			}
		}
	}
	return list
}

// QOS returns a shell script that gives customers their priorities: QOS in the
// order of service by urgency, decay over length, (14)-(15).
func (x *Export) QOS() string {
	var b strings.Builder
	fmt.Fprintf(&b, "#!/bin/sh\n# Priorities by revopt %s for scenario %s: the most urgent customer, by decay over\n"+
		"# length, is served first. README.md says which weights they need.\n",
		text.OneLine(x.Options.Version), text.OneLine(x.Scenario))
	taken := x.queues()
	set := func(qos string, priority int) {
		fmt.Fprintf(&b, "sacctmgr -i add qos %s >/dev/null 2>&1 || true # where it is there already\n"+
			"sacctmgr -i modify qos where name=%[1]s set priority=%d\n", shellWord(qos), priority)
	}
	given := map[string]bool{} // accounts and users with a default QOS
	for _, c := range x.Customers {
		if c.section < 0 {
			continue
		}
		fmt.Fprintf(&b, "\n# %s\n", text.OneLine(c.Name))
		selector := cmp.Or(c.Of, &model.Selector{})
		for _, name := range c.queues() {
			set(name, c.Priority)
		}
		if len(selector.Queues) > 0 {
			continue
		}
		if len(selector.Partitions) > 0 && len(selector.Accounts)+len(selector.Users) == 0 && c.Pool == "" {
			for _, p := range selector.Partitions {
				fmt.Fprintf(&b, "# in slurm.conf, at PartitionName=%s: PriorityJobFactor=%d\n",
					text.OneLine(p.Name), c.Priority)
			}
			continue
		}
		qos := qosName(c.Name, taken)
		set(qos, c.Priority)
		for _, where := range members(selector) {
			fmt.Fprintf(&b, "%s qos+=%s\n", where, qos)
			switch {
			case given[where] && c.Pool != "":
				fmt.Fprintf(&b, "# in pool %s: sbatch --qos=%s\n", text.OneLine(c.Pool), qos)
			case given[where]:
				fmt.Fprintf(&b, "# it has a default QOS already: sbatch --qos=%s\n", qos)
			default:
				fmt.Fprintf(&b, "%s defaultqos=%s\n", where, qos)
			}
			given[where] = true
		}
		if len(selector.Accounts)+len(selector.Users) == 0 {
			fmt.Fprintf(&b, "# no account or user tells these jobs: let users ask for it with sbatch --qos=%s\n", qos)
		}
	}
	return b.String()
}
