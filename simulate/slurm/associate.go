package slurm

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"revopt/simulate/policy"
	"revopt/simulate/slurm/weight"
)

// root is the account that holds all others.
const root = "root"

// place is a place in an order of customers: 0 is the lowest.
type place int

// unplaced is the place of an account that is of no customer, anywhere a place that is not known.
const (
	unplaced place = -1
	anywhere place = -2
)

// placement says which accounts and users have which place in an order of customers.
type placement struct {
	accounts, users map[string]place // by the names of the scenario
	rest            place            // of all other accounts
}

// placed returns the places of the customers in an order, the lowest first. It reports false where priorities of accounts
// and users cannot make that order: if a customer is told apart by something else, if one has both accounts and users, as
// only a user in an account is in both, or if a user's jobs belong to an account of an earlier customer, as the priority
// of a user goes before that of an account.
func (x *Export) placed(order []string) (p placement, ok bool) {
	p = placement{accounts: map[string]place{}, users: map[string]place{}, rest: unplaced}
	for _, c := range x.whole {
		at := place(slices.Index(order, c.Name))
		if at == unplaced {
			return p, false // it has several places, one for each pool
		}
		if c.Of == nil {
			p.rest = at
			continue
		}
		users := len(c.Of.Users) > 0
		if besides(c.Of) || users == (len(c.Of.Accounts) > 0) || users && len(p.accounts) > 0 {
			return p, false
		}
		for _, party := range append(slices.Clone(c.Of.Accounts), c.Of.Users...) {
			list := p.accounts
			if users {
				list = p.users
			}
			if _, taken := list[party.Name]; !taken {
				list[party.Name] = at
			}
			if !users && strings.EqualFold(party.Name, root) {
				return p, false
			}
		}
	}
	return p, true
}

// associated adds settings to those of a site under which its accounts and users give the customers an order, the lowest
// first, and reports whether there are such settings. Other accounts have the place of the customer without `of`, else
// that of the nearest account above with one, else what they have. Accounts and users below lose priorities that they
// may have of their own.
func (x *Export) associated(s policy.Settings, order []string) (bool, error) {
	p, ok := x.placed(order)
	if !ok {
		return false, nil
	}
	tree := newTree(s, p)
	lowest := 0.0
	if p.rest != 0 {
		lowest = tree.remaining(p) + weight.Step
	}
	largest := lowest + float64(weight.Step*(len(order)-1))
	if largest == 0 {
		return true, nil
	}
	set := func(name string, at place) {
		s[name+".Priority"] = strconv.FormatFloat(lowest+float64(weight.Step*at), 'f', 0, 64)
	}
	tree.place(p, set, func(name string) { s[name+".Priority"] = "-1" })
	return true, weight.Associate(s, largest)
}

// tree is the accounts and users of a site, as far as they are known.
type tree struct {
	accounts []string            // each after the one above it
	parents  map[string]string   // of accounts
	users    map[string][]string // their accounts
	own      map[string]float64  // priorities that are shown, by the beginning of the setting; -1: as above
	at       map[string]place    // of accounts
	flat     bool                // which account is below which is not known
}

// newTree returns the accounts and users of the files of a site, and those of customers.
func newTree(s policy.Settings, p placement) tree {
	t := tree{parents: map[string]string{}, users: map[string][]string{}, own: map[string]float64{},
		at: map[string]place{"": p.rest, root: p.rest}}
	t.flat = slices.Contains(strings.Split(s[policy.FromFile+"assoc"], ","), "ParentName")
	for name := range p.accounts {
		t.parents[name] = ""
	}
	for _, key := range slices.Sorted(maps.Keys(s)) {
		plain, read := strings.CutPrefix(key, policy.FromFile)
		kind, name, _ := strings.Cut(plain, ".")
		dot := strings.LastIndex(name, ".")
		if !read || dot < 0 || kind != "account" && kind != "user" {
			continue
		}
		name, field := name[:dot], name[dot+1:]
		switch {
		case kind == "account" && t.parents[name] == "" && name != root:
			above := policy.FromFile + "account." + name + ".Parent" // as settings or as a file have it
			t.parents[name] = cmp.Or(s[above], s[above+"Name"])
		case field == "Account":
			t.users[name] = strings.Split(s[key], "+")
		}
		if x, err := strconv.ParseFloat(s[key], 64); err == nil && field == "Priority" {
			t.own[kind+"."+name] = x
		}
	}
	depth := func(name string) (n int) {
		for ; t.parents[name] != "" && n < len(t.parents); n++ {
			name = t.parents[name]
		}
		return n
	}
	t.accounts = slices.Sorted(maps.Keys(t.parents))
	slices.SortStableFunc(t.accounts, func(a, b string) int { return depth(a) - depth(b) })
	for _, name := range t.accounts {
		if t.own["account."+name] < 0 && !t.above(name) {
			delete(t.own, "account."+name) // sacctmgr shows none
		}
		at, customer := p.accounts[name]
		switch {
		case customer:
		case p.rest == unplaced && !t.flat:
			at = t.at[t.parents[name]]
		default:
			at = p.rest
		}
		t.at[name] = at
	}
	return t
}

// above reports whether an account above one has a priority.
func (t tree) above(name string) bool {
	for range t.accounts {
		name = cmp.Or(t.parents[name], root)
		if x, ok := t.own["account."+name]; ok && x >= 0 {
			return true
		}
	}
	return false
}

// remaining returns the largest priority of an account or user that keeps it.
func (t tree) remaining(p placement) (largest float64) {
	for name, x := range t.own {
		kind, name, _ := strings.Cut(name, ".")
		_, customer := p.users[name]
		if kind == "user" && !customer && !t.placed(name) || kind == "account" && t.of(name) == unplaced {
			largest = max(largest, x)
		}
	}
	return largest
}

// of returns the place of an account.
func (t tree) of(account string) place {
	if at, ok := t.at[account]; ok {
		return at
	}
	return t.at[root]
}

// placed reports whether some account of a user has a place.
func (t tree) placed(user string) bool {
	return slices.ContainsFunc(t.users[user], func(account string) bool { return t.of(account) != unplaced })
}

// place calls set for all accounts and users that need a priority of their own, and inherit for those that must have none.
func (t tree) place(p placement, set func(name string, at place), inherit func(name string)) {
	shown, stated := t.own["account."+root]
	switch {
	case p.rest > 0:
		set("account."+root, p.rest)
	case p.rest == 0 && stated && shown >= 0:
		inherit("account." + root)
	}
	for _, name := range t.accounts {
		at := t.at[name]
		_, customer := p.accounts[name]
		_, own := t.own["account."+name]
		inherited := t.at[t.parents[name]]
		if t.flat {
			inherited = anywhere
		}
		switch {
		case customer || at != unplaced && at != inherited:
			set("account."+name, at)
		case own && at != unplaced:
			inherit("account." + name)
		}
	}
	for name, at := range p.users {
		set("user."+name, at)
	}
	for name := range t.users {
		_, customer := p.users[name]
		if _, own := t.own["user."+name]; own && !customer && t.placed(name) {
			inherit("user." + name)
		}
	}
}
