package slurm

import (
	"cmp"
	"math"
	"strconv"
	"strings"

	"revopt/simulate"
	"revopt/simulate/policy"
)

// books is what the pools of a machine share: settings, usage and limits.
type books struct {
	*rules
	fairness
	settings   policy.Settings
	facts      policy.Context
	processors int       // of the machine
	partitions []float64 // factors by pool
	sites      []*Slurmctld
	parties    map[origin]*party
	shares     map[string]*shareNode // accounts, and users as account/user
	counters   map[string]*counter
	pass       int // number of backfill passes
}

// origin is the numbers of a job from which its party follows.
type origin struct{ class, user, account, queue, pool int }

// party is the QOS, account and user of jobs, with the limits that apply to them.
type party struct {
	qos    *qos
	share  *shareNode
	user   *counter // of all jobs of the user
	limits []limit
	nice   float64 // is subtracted from priorities

	priority float64 // of the association of the user and account
}

// counter counts jobs and units of a QOS, account or user, and the tests of its jobs
// in a backfill pass.
type counter struct {
	submitted, jobs, units int
	pass, tests            int
}

// limit is the most submitted jobs, running jobs and units of a counter.
type limit struct {
	*counter
	most [3]int
}

func newBooks(s policy.Settings, f policy.Context) *books {
	b := &books{
		rules: newRules(s), settings: s, facts: f,
		parties: map[origin]*party{}, shares: map[string]*shareNode{}, counters: map[string]*counter{},
	}
	b.shares["root"] = &b.root
	b.scale = 1
	highest := 1.0
	named(s, "partition", func(prefix, _ string) { highest = max(highest, amountOf(s, prefix+"PriorityJobFactor")) })
	if Raw(s["PriorityFlags"], "PART") {
		highest = 1
	}
	for i, units := range f.Processors {
		b.processors += units
		factor := amountOf(s, "partition."+f.Pools[i]+".PriorityJobFactor")
		b.partitions = append(b.partitions, factor/highest)
	}
	named(s, "user", func(prefix, name string) { // users count in the fair tree even without jobs
		for _, account := range split(s[prefix+"Account"]) {
			b.shareOf(account, name)
		}
	})
	return b
}

// Stored returns the name of the QOS of a customer in Slurm, which has small letters: others than plain characters
// become _, as do . and - in front, where they begin options. It has at most 200 letters.
func Stored(name string) string {
	plain := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || strings.ContainsRune("_.-", r) {
			return r
		}
		return '_'
	}, strings.ToLower(name))
	rest := strings.TrimLeft(plain, ".-")
	plain = strings.Repeat("_", len(plain)-len(rest)) + rest
	return plain[:min(len(plain), 200)]
}

// partyOf returns the party of a job. Its QOS is that of its queue, else of its customer in its pool, as in "gold in gpu",
// else of its customer; all by their names or as Slurm stores them. A job whose queue is normal, the QOS of jobs that ask
// for none, has that of its customer. Its account is that of the log, if it has a name, or else its customer.
func (b *books) partyOf(j *simulate.Job, pool int) *party {
	d := &j.Spec.Details
	from := origin{j.Class, d.User, d.Account, d.Queue, pool}
	if p := b.parties[from]; p != nil {
		return p
	}
	customer := "class " + strconv.Itoa(j.Class)
	if j.Class < len(b.facts.Customers) {
		customer = b.facts.Customers[j.Class]
	}
	qos := b.qos["normal"]
	within := customer + " in " + b.facts.Pools[pool]
	for _, name := range []string{customer, within, b.facts.Names["queue"][int32(d.Queue)]} {
		q := b.qos[name]
		if q == nil {
			q = b.qos[Stored(name)]
		}
		if q != nil && q.name != "normal" {
			qos = q
		}
	}
	account, ok := b.facts.Names["account"][int32(d.Account)]
	if !ok {
		account = customer
	}
	user, ok := b.facts.Names["user"][int32(d.User)]
	if !ok && d.User != 0 {
		user = strconv.Itoa(d.User)
	}
	person := user
	if user == "" {
		person = account + "/"
	}
	p := &party{qos: qos, share: b.shareOf(account, user), nice: amountOf(b.settings, "nice."+customer)}
	p.priority = b.associated(account, user)
	p.user = b.counter("user." + person)
	b.limit(p, account, person)
	b.parties[from] = p
	return p
}

// associated returns the priority of a user of an account: its own, else that of the nearest account above that has
// one, up to root; 0 if there is none.
func (b *books) associated(account, user string) float64 {
	prefix := "user." + user + "."
	for tries := len(b.settings); tries >= 0; tries-- {
		if priority := amountOf(b.settings, prefix+"Priority"); b.settings[prefix+"Priority"] != "" && priority >= 0 {
			return priority
		}
		if prefix == "account.root." {
			break
		}
		prefix = "account." + cmp.Or(account, "root") + "."
		account = b.settings[prefix+"Parent"]
	}
	return 0
}

// shareOf returns the share of a user of an account.
func (b *books) shareOf(account, user string) *shareNode {
	key := account + "/" + user
	s := b.shares[key]
	if s == nil {
		s = b.account(account).add(b.settings["user."+user+".Fairshare"], true)
		b.users++
		b.shares[key], b.stale = s, true
		for _, p := range b.sites {
			if b.fair > 0 && p.cluster != nil {
				p.stir(p.cluster.Now(), false)
			}
		}
	}
	return s
}

// account returns the share of an account. An account whose Fairshare is parent has the
// share of its parent.
func (b *books) account(name string) *shareNode {
	if s := b.shares[name]; s != nil {
		return s
	}
	b.shares[name] = &b.root // ends circles of parents
	s := &b.root
	if above := b.settings["account."+name+".Parent"]; above != "" {
		s = b.account(above)
	}
	if shares := b.settings["account."+name+".Fairshare"]; shares != "parent" {
		s = s.add(shares, false)
	}
	b.shares[name] = s
	return s
}

// limit finds the limits of a party. A limit of its QOS replaces those of accounts and users.
// Of limits for each user, the user's own comes first, then that of the nearest account;
// those of groups hold in all accounts above.
func (b *books) limit(p *party, account, person string) {
	qos, none := "qos."+p.qos.name+".", b.most("", "", "", "")
	group := b.most(qos, "", "GrpJobs", "GrpTRES")
	each := b.most(qos, "MaxSubmitJobsPerUser", "MaxJobsPerUser", "MaxTRESPerUser")
	add := func(name string, most, over [3]int) {
		if most == none {
			return
		}
		for i := range most {
			if over[i] < math.MaxInt {
				most[i] = math.MaxInt
			}
		}
		p.limits = append(p.limits, limit{b.counter(name), most})
	}
	add(qos, group, none)
	add(qos+person, each, none)
	name, own := "account."+account+"."+person, b.most("user."+person+".", "MaxSubmitJobs", "MaxJobs", "")
	for tries := len(b.settings); account != "" && tries > 0; tries-- {
		prefix := "account." + account + "."
		add(prefix, b.most(prefix, "", "GrpJobs", "GrpTRES"), group)
		for i, most := range b.most(prefix, "MaxSubmitJobs", "MaxJobs", "") {
			if own[i] == math.MaxInt {
				own[i] = most
			}
		}
		account = b.settings[prefix+"Parent"]
	}
	add(name, own, each)
}

func (b *books) most(prefix string, fields ...string) (most [3]int) {
	for i, field := range fields {
		most[i] = math.MaxInt
		if n, err := strconv.Atoi(b.settings[prefix+field]); err == nil {
			most[i] = n
		}
	}
	return most
}

func (b *books) counter(name string) *counter {
	if b.counters[name] == nil {
		b.counters[name] = new(counter)
	}
	return b.counters[name]
}

// may reports whether a job may be submitted. A job that no limit would ever let start may
// not; Slurm would let it wait forever.
func (p *party) may(width int) bool {
	for _, c := range p.limits {
		if c.submitted >= c.most[0] || c.most[1] == 0 || width > c.most[2] {
			return false
		}
	}
	return true
}

// count adds jobs that are submitted and jobs that run, and units in use.
func (p *party) count(submitted, jobs, units int) {
	for _, c := range p.limits {
		c.submitted += submitted
		c.jobs += jobs
		c.units += units
	}
}

// held reports whether a limit holds a waiting job.
func (t *ticket) held() bool {
	for _, c := range t.party.limits {
		if c.jobs >= c.most[1] || c.units+t.width > c.most[2] {
			return true
		}
	}
	return false
}

// test counts a job of a user in a pass, and reports whether bf_max_job_user lets it be tested.
func (u *counter) test(p *Slurmctld) bool {
	if u.pass != p.pass {
		u.pass, u.tests = p.pass, 0
	}
	u.tests++
	return u.tests <= p.userTests
}
