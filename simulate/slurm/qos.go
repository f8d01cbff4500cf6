package slurm

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"revopt/internal/text"
	"revopt/model"
	rules "revopt/simulate/policy/slurm"
)

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
// have no default yet. A user has it in the accounts of the customer, if this has any, and not in those of earlier ones.
func (x *Export) memberLines(c Customer, qos string, given map[string]bool) (lines []string) {
	of := cmp.Or(c.Of, &model.Selector{})
	accounts, users := party{key: "account", list: of.Accounts}.names(), party{key: "user", list: of.Users}.names()
	add := func(key, name, where, limit string) {
		line := fmt.Sprintf("member %s %s %s", key, text.ShellQuote(name), text.ShellQuote(qos))
		word := " default"
		if given[where] {
			word = " ''"
		}
		line += word + limit
		switch {
		case given[where] && c.Pool != "":
			line += fmt.Sprintf("\n# in pool %s: sbatch --qos=%s", text.OneLine(c.Pool), qos)
		case given[where]:
			line += "\n# it has a default QOS already: sbatch --qos=" + qos
		}
		given[where] = true
		lines = append(lines, line)
	}
	for _, name := range accounts {
		if users == nil {
			add("account", name, "account "+name, "")
		}
	}
	for _, name := range users {
		taken := x.taken(c, name)
		if accounts == nil && taken == nil {
			add("user", name, "user "+name, "")
		} else if accounts == nil {
			add("user", name, "user "+name, " but "+text.ShellQuote(strings.Join(taken, ",")))
		}
		for _, account := range accounts {
			if !slices.Contains(taken, account) {
				add("user", name, "user "+name+" in "+account, " in "+text.ShellQuote(account))
			}
		}
	}
	if lines == nil {
		lines = append(lines, fmt.Sprintf("# no account or user identifies the jobs of %s: ask for it by sbatch --qos=%s",
			text.OneLine(c.Name), qos))
	}
	return lines
}

// taken returns the accounts in which all jobs of a user belong to customers before one.
func (x *Export) taken(c Customer, user string) (accounts []string) {
	for _, other := range x.whole {
		if other.Name == c.Name || c.Pool != "" && other.Name+" in "+c.Pool == c.Name {
			break
		}
		users := party{key: "user", list: cmp.Or(other.Of, &model.Selector{}).Users}.names()
		if other.Of == nil || besides(other.Of) || users != nil && !slices.Contains(users, user) {
			continue
		}
		for _, account := range (party{key: "account", list: other.Of.Accounts}).names() {
			if !slices.Contains(accounts, account) {
				accounts = append(accounts, account)
			}
		}
	}
	return accounts
}

// besides reports whether something besides accounts and users tells the jobs of a customer apart.
func besides(s *model.Selector) bool {
	return len(s.Groups)+len(s.Queues)+len(s.Partitions) > 0 || s.Width != nil || s.Length != nil || s.Estimate != nil ||
		s.Share < 1
}
