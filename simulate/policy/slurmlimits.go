package policy

import (
	"math"
	"strconv"

	"revopt/simulate"
)

// slurmBooks is what the pools of a machine share: settings, usage and limits.
type slurmBooks struct {
	*slurmRules
	slurmFairness
	settings   Settings
	facts      Facts
	processors int       // of the machine
	partitions []float64 // factors by pool
	sites      []*Slurmctld
	parties    map[slurmOrigin]*slurmParty
	people     map[string]*slurmUser
	shares     map[string]*slurmShare // accounts, and users as account/user
	counters   map[string]*slurmCounter
}

// slurmOrigin is the numbers of a job from which its party follows.
type slurmOrigin struct{ class, user, account, queue int }

// slurmParty is the QOS, account and user of jobs, with the limits that apply to them.
type slurmParty struct {
	qos    *slurmQOS
	share  *slurmShare
	user   *slurmUser
	limits []*slurmCounter
	widest int     // units of a job
	nice   float64 // is subtracted from priorities
}

// slurmUser counts tests of a backfill pass.
type slurmUser struct{ pass, tests int }

// slurmCounter counts jobs and units of a QOS, account or user against limits.
type slurmCounter struct {
	units, jobs, submitted          int
	maxUnits, maxJobs, maxSubmitted int
}

// newSlurmBooks reads settings.
func newSlurmBooks(s Settings, f Facts) *slurmBooks {
	b := &slurmBooks{
		slurmRules: newSlurmRules(s), slurmFairness: newSlurmFairness(s), settings: s, facts: f,
		partitions: make([]float64, len(f.Processors)), parties: map[slurmOrigin]*slurmParty{},
		people: map[string]*slurmUser{}, shares: map[string]*slurmShare{}, counters: map[string]*slurmCounter{},
	}
	highest := 0.0
	for i, units := range f.Processors {
		b.processors += units
		b.partitions[i], _ = strconv.ParseFloat(s["partition."+f.Pools[i]+".PriorityJobFactor"], 64)
	}
	s.named("partition", func(_, _, value string) {
		x, _ := strconv.ParseFloat(value, 64)
		highest = max(highest, x)
	})
	for i := range b.partitions {
		if highest > 0 && !b.rawPart {
			b.partitions[i] /= highest
		}
	}
	s.named("user", func(name, field, value string) {
		if field == "Account" { // users count in the fair tree even without jobs, as Slurm's root does
			for _, account := range split(value) {
				b.shareOf(account, name)
			}
		}
	})
	return b
}

// customer returns the name of a customer.
func (b *slurmBooks) customer(class int) string {
	if class < len(b.facts.Customers) {
		return b.facts.Customers[class]
	}
	return "class " + strconv.Itoa(class)
}

// partyOf returns the party of a job. Its QOS is that of its queue or else of its customer;
// its account is that of the log, if it has a name, or else its customer.
func (b *slurmBooks) partyOf(j *simulate.Job) *slurmParty {
	d := &j.Spec.Details
	from := slurmOrigin{j.Class, d.User, d.Account, d.Queue}
	if p := b.parties[from]; p != nil {
		return p
	}
	customer := b.customer(j.Class)
	qos, ok := b.qos[b.facts.Names["queue"][int32(d.Queue)]]
	if !ok {
		qos, ok = b.qos[customer]
	}
	if !ok {
		qos, ok = b.qos["normal"]
	}
	if !ok {
		qos = &slurmQOS{name: "normal", factor: 1}
		b.qos["normal"] = qos
	}
	account, ok := b.facts.Names["account"][int32(d.Account)]
	if !ok {
		account = customer
	}
	user, ok := b.facts.Names["user"][int32(d.User)]
	if !ok && d.User != 0 {
		user = strconv.Itoa(d.User)
	}
	p := &slurmParty{qos: qos, widest: math.MaxInt, share: b.shareOf(account, user)}
	p.nice, _ = strconv.ParseFloat(b.settings["nice."+customer], 64)
	person := user
	if user == "" {
		person = account + "/"
	}
	if p.user = b.people[person]; p.user == nil {
		p.user = new(slurmUser)
		b.people[person] = p.user
	}
	b.limit(p, qos.name, account, user, person)
	b.parties[from] = p
	return p
}

// shareOf returns the share of a user of an account.
func (b *slurmBooks) shareOf(account, user string) *slurmShare {
	key := account + "/" + user
	if s := b.shares[key]; s != nil {
		return s
	}
	s := b.account(account, len(b.settings)).add(&slurmShare{user: true, shares: 1})
	if x, err := strconv.ParseFloat(b.settings["user."+user+".Fairshare"], 64); err == nil {
		s.shares = x
	}
	b.users++
	b.shares[key], b.stale = s, true
	return s
}

// account returns the share of an account. An account whose Fairshare is parent has the
// share of its parent. Tries ends circles of parents.
func (b *slurmBooks) account(name string, tries int) *slurmShare {
	if s := b.shares[name]; s != nil {
		return s
	}
	parent := &b.root
	if name == "root" {
		return parent
	}
	if above := b.settings["account."+name+".Parent"]; above != "" && above != "root" && tries > 0 {
		parent = b.account(above, tries-1)
	}
	shares := b.settings["account."+name+".Fairshare"]
	s := parent
	if shares != "parent" {
		s = parent.add(&slurmShare{shares: 1})
		if x, err := strconv.ParseFloat(shares, 64); err == nil {
			s.shares = x
		}
	}
	b.shares[name] = s
	return s
}

// limit finds the limits of a party. Those of an account hold for all accounts below it.
func (b *slurmBooks) limit(p *slurmParty, qos, account, user, person string) {
	q := "qos." + qos + "."
	b.count(p, q, q+"GrpTRES", q+"GrpJobs", q+"GrpSubmitJobs")
	b.count(p, q+"user."+person, q+"MaxTRESPerUser", q+"MaxJobsPerUser", q+"MaxSubmitJobsPerUser")
	b.count(p, q+"account."+account, q+"MaxTRESPerAccount", q+"MaxJobsPerAccount", q+"MaxSubmitJobsPerAccount")
	p.widest = min(p.widest, b.most(q+"MaxTRESPerJob"))
	own := "user." + user + "."
	b.count(p, own+account, own+"GrpTRES", own+"GrpJobs", own+"GrpSubmitJobs")
	b.count(p, own+account+".max", "", own+"MaxJobs", own+"MaxSubmitJobs")
	p.widest = min(p.widest, b.most(own+"MaxTRESPerJob"))
	for tries := len(b.settings); account != "" && account != "root" && tries > 0; tries-- {
		a := "account." + account + "."
		b.count(p, a, a+"GrpTRES", a+"GrpJobs", a+"GrpSubmitJobs")
		b.count(p, a+"user."+user, "", a+"MaxJobs", a+"MaxSubmitJobs")
		p.widest = min(p.widest, b.most(a+"MaxTRESPerJob"))
		account = b.settings["account."+account+".Parent"]
	}
}

// most returns a limit by the name of its setting.
func (b *slurmBooks) most(setting string) int {
	if n, err := strconv.Atoi(b.settings[setting]); err == nil {
		return n
	}
	return math.MaxInt
}

// count adds a counter to a party, if it has limits.
func (b *slurmBooks) count(p *slurmParty, name, units, jobs, submitted string) {
	c := b.counters[name]
	if c == nil {
		c = &slurmCounter{maxUnits: b.most(units), maxJobs: b.most(jobs), maxSubmitted: b.most(submitted)}
		b.counters[name] = c
	}
	if min(c.maxUnits, c.maxJobs, c.maxSubmitted) < math.MaxInt {
		p.limits = append(p.limits, c)
	}
}

// may reports whether a job may be submitted. A job that no limit would ever let start may
// not; Slurm would let it wait forever.
func (p *slurmParty) may(width int) bool {
	for _, c := range p.limits {
		if c.submitted >= c.maxSubmitted || c.maxJobs == 0 || width > c.maxUnits {
			return false
		}
	}
	return width <= p.widest
}

// submit counts jobs that are submitted, or leave.
func (p *slurmParty) submit(jobs int) {
	for _, c := range p.limits {
		c.submitted += jobs
	}
}

// run counts a job that starts, or stops.
func (p *slurmParty) run(width, sign int) {
	for _, c := range p.limits {
		c.units += sign * width
		c.jobs += sign
	}
}

// held reports whether a limit holds a waiting job.
func (t *slurmTicket) held() bool {
	for _, c := range t.party.limits {
		if c.jobs >= c.maxJobs || c.units+t.width > c.maxUnits {
			return true
		}
	}
	return false
}

// test counts a job of a user in a pass, and reports whether it may be tested.
func (u *slurmUser) test(p *Slurmctld) bool {
	if u.pass != p.pass {
		u.pass, u.tests = p.pass, 0
	}
	u.tests++
	return p.userTests == 0 || u.tests <= p.userTests
}
