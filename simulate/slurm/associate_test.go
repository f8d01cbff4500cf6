package slurm

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"revopt/model"
	"revopt/simulate/policy"
	"revopt/simulate/policy/catalog"
	"revopt/simulate/slurm/weight"
)

// site is a cluster with random weights, QOS, accounts and users, as its files have them and as a test knows it.
type site struct {
	files   map[string]string
	qos     map[string]float64
	parents map[string]string
	users   map[string][]string // accounts by user
	shown   map[string]string   // priority by "account" or "account/user", own or inherited
	equal   map[string]bool     // those of their own that are as the account above has them
	named   bool                // the file says which account is below which
}

// randomSite draws a site. Accounts are a0 to a5, of which some are below others, and users u0 to u3.
func randomSite(t *testing.T, rnd *rand.Rand) site {
	t.Helper()
	s := site{qos: map[string]float64{"normal": 0}, parents: map[string]string{}, users: map[string][]string{},
		shown: map[string]string{}, files: map[string]string{}, equal: map[string]bool{}}
	conf := "PriorityType=priority/multifactor\n"
	for _, factor := range []string{"Age", "Fairshare", "JobSize", "Partition", "QOS", "Assoc"} {
		if x := []int{0, 7, 1000, 60000}[rnd.IntN(4)]; x > 0 {
			conf += fmt.Sprintf("PriorityWeight%s=%d\n", factor, x)
		}
	}
	conf += "PartitionName=batch PriorityJobFactor=7\n"
	table := "Name|Priority\nnormal|0\n"
	for i := range rnd.IntN(4) {
		name, priority := fmt.Sprint("q", i), 10*rnd.IntN(6)
		s.qos[name] = float64(priority)
		table += fmt.Sprintf("%s|%d\n", name, priority)
	}
	s.named = rnd.IntN(2) == 0
	assoc := "Account|User|Priority\n"
	if s.named {
		assoc = "Account|User|Priority|ParentName\n"
	}
	row := func(account, user, above, parent string) {
		key := strings.TrimSuffix(account+"/"+user, "/")
		s.shown[key] = above
		if rnd.IntN(3) == 0 {
			s.shown[key] = strconv.Itoa(rnd.IntN(500))
		}
		s.equal[key] = s.shown[key] == above && above != "" && rnd.IntN(3) == 0
		assoc += account + "|" + user + "|" + s.shown[key]
		if s.named {
			assoc += "|" + parent
		}
		assoc += "\n"
	}
	row(root, "", "", "")
	for i := range 6 {
		name, parent := fmt.Sprint("a", i), root
		if above := rnd.IntN(6); above < i {
			parent = fmt.Sprint("a", above)
		}
		s.parents[name] = parent
		row(name, "", s.shown[parent], parent)
		for user := range 4 {
			if rnd.IntN(3) == 0 {
				user := fmt.Sprint("u", user)
				s.users[user] = append(s.users[user], name)
				row(name, user, s.shown[name], "")
			}
		}
	}
	dir := t.TempDir()
	for option, text := range map[string]string{"conf": conf, "qos": table, "assoc": assoc} {
		s.files[option] = filepath.Join(dir, option)
		if err := os.WriteFile(s.files[option], []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// installed returns the priorities of all associations after the settings of an export are made one by one with
// sacctmgr, as it shows them: those that nobody has set are inherited.
func (s site) installed(made policy.Settings) map[string]float64 {
	own := map[string]string{}
	inherits := func(key, above string) {
		if s.shown[key] != s.shown[above] || s.equal[key] {
			own[key] = s.shown[key]
		}
	}
	own[root] = s.shown[root]
	for account, parent := range s.parents {
		inherits(account, parent)
	}
	for user, accounts := range s.users {
		for _, account := range accounts {
			inherits(account+"/"+user, account)
		}
	}
	for key := range own {
		account, user, _ := strings.Cut(key, "/")
		name := "account." + account
		if user != "" {
			name = "user." + user
		}
		if value, ok := made[name+".Priority"]; ok {
			own[key] = strings.TrimPrefix(value, "-1")
		}
	}
	for name, value := range made {
		plain, ok := strings.CutSuffix(name, ".Priority")
		if account, of := strings.CutPrefix(plain, "account."); ok && of {
			own[account] = strings.TrimPrefix(value, "-1")
		}
		if user, of := strings.CutPrefix(plain, "user."); ok && of {
			for _, account := range s.users[user] {
				own[account+"/"+user] = strings.TrimPrefix(value, "-1")
			}
		}
	}
	all := map[string]float64{}
	var find func(key string) float64
	find = func(key string) float64 {
		if x, err := strconv.ParseFloat(own[key], 64); err == nil {
			return x
		}
		account, _, ofUser := strings.Cut(key, "/")
		if ofUser {
			return find(account)
		}
		if account == root {
			return 0
		}
		return find(s.parents[account])
	}
	for key := range s.shown {
		all[key] = find(key)
	}
	return all
}

// TestAssociatedOrder computes the priority of jobs of every user, account and QOS by the definition of the multifactor
// plug-in, with all other factors 0 or 1: the QOS of the site that count today go before all, then the customers as the
// order has them, whatever age and fair share.
func TestAssociatedOrder(t *testing.T) {
	rnd := rand.New(rand.NewPCG(53, 2))
	spec := must(policy.Lookup(catalog.Standard(), "slurm"))
	pairs, unequal := 0, 0
	for round := range 300 {
		s := randomSite(t, rnd)
		x := &Export{}
		var order []string
		customer := func(of *model.Selector) {
			name := fmt.Sprint("c", len(x.whole))
			x.whole = append(x.whole, Customer{Name: name, Of: of})
			order = append(order, name)
		}
		if rnd.IntN(3) == 0 {
			customer(&model.Selector{Share: 1, Users: []model.Party{{Name: "u0"}, {Name: "u1"}}})
		}
		for _, i := range rnd.Perm(6)[:1+rnd.IntN(3)] {
			customer(&model.Selector{Share: 1, Accounts: []model.Party{{Name: fmt.Sprint("a", i)}}})
		}
		rest := rnd.IntN(3) > 0
		if rest {
			customer(nil)
		}
		rnd.Shuffle(len(order), func(i, k int) { order[i], order[k] = order[k], order[i] })
		made := must(ReadSettings(spec, s.files))
		before := maps.Clone(made)
		made["PriorityType"] = "multifactor"
		ok, err := x.associated(made, order)
		if err != nil || !ok {
			t.Fatalf("round %d: %v, %v", round, ok, err)
		}
		p, _ := x.placed(order)
		number := func(s policy.Settings, name string) float64 {
			x, _ := strconv.ParseFloat(cmp.Or(s[name], s[policy.FromFile+name], "0"), 64)
			return x
		}
		priorities := s.installed(made)
		largest, highest, others := 1.0, 1.0, 0.0
		for _, priority := range priorities {
			largest = max(largest, priority)
		}
		for _, priority := range s.qos {
			highest = max(highest, priority)
		}
		for _, factor := range []string{"Age", "Fairshare", "JobSize", "Partition"} {
			others += number(made, "PriorityWeight"+factor)
		}
		for _, name := range []string{"QOS", "Assoc"} {
			if number(made, "PriorityWeight"+name) < number(before, "PriorityWeight"+name) {
				t.Fatalf("round %d: the weight of %s falls: %v", round, name, made)
			}
		}
		type kind struct {
			name        string
			qos         float64
			at          place
			least, most float64
		}
		var kinds []kind
		for key := range s.shown {
			account, user, _ := strings.Cut(key, "/")
			at, own := p.users[user]
			for above := account; !own && above != ""; above = s.parents[above] {
				at = p.rest
				if named, ok := p.accounts[above]; ok {
					at, own = named, true
				}
				if rest || !s.named { // then accounts below are not known, or those of the rest
					break
				}
			}
			if account == root || at == unplaced {
				continue
			}
			for name, priority := range s.qos {
				sum := number(made, "PriorityWeightAssoc")*priorities[key]/largest +
					number(made, "PriorityWeightQOS")*priority/highest
				if number(before, "PriorityWeightQOS") == 0 {
					priority = 0
				}
				if sum+others > math.MaxUint32 {
					t.Fatalf("round %d: %s has %g", round, key, sum+others)
				}
				kinds = append(kinds, kind{key + " " + name, priority, at, float64(int64(sum)), float64(int64(sum + others))})
			}
		}
		for _, a := range kinds {
			for _, b := range kinds {
				if higher := a.qos > b.qos || a.qos == b.qos && a.at > b.at; higher {
					pairs++
					if a.least <= b.most {
						t.Fatalf("round %d, %v: %+v is not before %+v: %v", round, order, a, b, made)
					}
				}
				if a.qos != b.qos {
					unequal++
				}
			}
		}
	}
	if pairs < 10000 || unequal < 10000 {
		t.Errorf("%d pairs, %d of unequal QOS", pairs, unequal)
	}
}

// TestPlaced: customers that accounts and users cannot tell apart get QOS.
func TestPlaced(t *testing.T) {
	party := []model.Party{{Name: "one"}}
	account := Customer{Name: "account", Of: &model.Selector{Share: 1, Accounts: party}}
	for name, of := range map[string]*model.Selector{
		"queue": {Share: 1, Queues: party}, "partition": {Share: 1, Partitions: party}, "lot": {Share: 0.5, Users: party},
		"width": {Share: 1, Accounts: party, Width: &model.Range{Most: 4}}, "nothing": {Share: 1},
		"both": {Share: 1, Accounts: party, Users: party}, "user after account": {Share: 1, Users: party},
		"root": {Share: 1, Accounts: []model.Party{{Name: "root"}}},
	} {
		x := &Export{whole: []Customer{account, {Name: name, Of: of}}}
		s := policy.Settings{"PriorityType": "multifactor"}
		if err := x.ordered(s, []string{"account", name}); err != nil || s["qos.account.Priority"] == "" || s["account.one.Priority"] != "" {
			t.Errorf("%s: %v, %v", name, s, err)
		}
	}
	x := &Export{whole: []Customer{account, {Name: "rest"}}}
	made := policy.Settings{}
	if err := x.ordered(made, []string{"rest", "account"}); err != nil || made["account.one.Priority"] != strconv.Itoa(weight.Step) ||
		made["account.root.Priority"] != "" {
		t.Errorf("%v, %v", made, err)
	}
}

// TestMembers: a user has the QOS of its customer where no earlier one has the account.
func TestMembers(t *testing.T) {
	names := func(list ...string) (all []model.Party) {
		for _, name := range list {
			all = append(all, model.Party{Name: name})
		}
		return all
	}
	x := &Export{whole: []Customer{
		{Name: "a", Of: &model.Selector{Share: 1, Accounts: names("physics")}},
		{Name: "b", Of: &model.Selector{Share: 1, Accounts: names("physics", "biology"), Users: names("ann")}},
		{Name: "c", Of: &model.Selector{Share: 1, Accounts: names("chem"), Queues: names("long")}},
		{Name: "d", Of: &model.Selector{Share: 1, Users: names("ann", "bob")}},
	}}
	given, lines := map[string]bool{}, []string(nil)
	for _, c := range x.whole {
		lines = append(lines, x.memberLines(c, c.Name, given)...)
	}
	want := []string{
		"member account 'physics' 'a' default", "member user 'ann' 'b' default in 'biology'",
		"member account 'chem' 'c' default", "member user 'ann' 'd' default but 'physics,biology'",
		"member user 'bob' 'd' default but 'physics'",
	}
	if !slices.Equal(lines, want) {
		t.Errorf("got %q", lines)
	}
}

// TestQueueOfSite: the QOS of a customer's queue stands once in the table, with its new priority and its other columns.
func TestQueueOfSite(t *testing.T) {
	x := &Export{whole: []Customer{{Name: "p", Of: &model.Selector{Share: 1, Queues: []model.Party{{Name: "premium"}}}}}}
	given := policy.Settings{"qos.p.Priority": "9", policy.FromFile + "qos.premium.Priority": "5",
		policy.FromFile + "qos.premium.GrpJobs": "3"}
	rule := must(NewRule(x, "", must(policy.Lookup(catalog.Standard(), "slurm")), given))
	if got := rule.qosTable(); got != "Name|Priority|GrpJobs\npremium|9|3\n" {
		t.Errorf("got %q", got)
	}
	if len(rule.changes) != 1 || rule.changes[0].from != "5" {
		t.Errorf("got %+v", rule.changes)
	}
}
