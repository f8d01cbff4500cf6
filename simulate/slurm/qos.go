package slurm

import (
	"cmp"
	"fmt"
	"strings"

	"revopt/internal/text"
	"revopt/model"
	rules "revopt/simulate/policy/slurm"
)

func shellWord(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// qosName returns the name of the QOS of a customer: plain letters, and not taken.
func qosName(name string, taken map[string]bool) string {
	plain := rules.Stored(name)
	for try, n := plain, 2; ; try, n = fmt.Sprintf("%s-%d", plain, n), n+1 {
		if !taken[try] {
			taken[try] = true
			return try
		}
	}
}

// queues returns the QOS that jobs of a customer have.
func (c Customer) queues() []string {
	return party{key: "qos", list: cmp.Or(c.Of, &model.Selector{}).Queues}.names()
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
	for _, c := range x.inPools() {
		names[c.Name] = []string{qosName(c.Name, taken)}
	}
	return names
}

// inPools returns the customers in each of their pools, as "gold in gpu"; nil without pools.
func (x *Export) inPools() (list []Customer) {
	for _, s := range x.sections {
		if len(x.pools) > 0 && s.pool >= 0 {
			c := x.whole[s.customer]
			c.Pool = x.pools[s.pool].Name
			c.Name += " in " + c.Pool
			list = append(list, c)
		}
	}
	return list
}

// memberLines returns the commands of qos.sh that give the accounts and users of a customer its QOS, by default if they
// have no default yet.
func memberLines(c Customer, qos string, given map[string]bool) (lines []string) {
	for _, f := range parties(cmp.Or(c.Of, &model.Selector{})) {
		if f.key != "account" && f.key != "user" {
			continue
		}
		for _, name := range f.names() {
			line := fmt.Sprintf("member %s %s %s", f.key, shellWord(name), shellWord(qos))
			switch where := f.key + " " + name; {
			case given[where] && c.Pool != "":
				line += fmt.Sprintf("\n# in pool %s: sbatch --qos=%s", text.OneLine(c.Pool), qos)
			case given[where]:
				line += "\n# it has a default QOS already: sbatch --qos=" + qos
			default:
				line += " default"
				given[where] = true
			}
			lines = append(lines, line)
		}
	}
	if lines == nil {
		lines = append(lines, fmt.Sprintf("# no account or user identifies the jobs of %s: ask for it by sbatch --qos=%s",
			text.OneLine(c.Name), qos))
	}
	return lines
}
