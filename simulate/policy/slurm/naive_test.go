package slurm_test

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"revopt/simulate"
	"revopt/simulate/agent"
	"revopt/simulate/policy"
	"revopt/simulate/policy/catalog"
	"revopt/simulate/policy/policytest"
)

// naiveSlurm is the policy slurm written a second time from its documentation, with no
// thought for speed: no pass is left out, every pass sorts all jobs and looks at them to the end, priorities and
// usage are kept by job and user, and free units are counted from scratch. Times are whole seconds.
type naiveSlurm struct {
	units                               int
	age, fair, size, qos                float64
	maxAge, half, period                float64
	small, relative, classic            bool
	interval, window, resolution, sched float64
	linear                              float64
	depth, tests, userTests, reserves   int
	least                               [3]float64 // priority of jobs with reservations, by QOS
	deferred, preempting                bool
	priority                            [3]float64 // of QOS, over the largest
	nice                                [3]float64
	shares                              [3]float64         // of accounts; the third is below the first
	associated                          map[[2]int]float64 // what the priorities of accounts and users add
	grp, perUser, jobsPerUser           [3]int             // limits of QOS
	preempts                            [3][3]bool
	mode                                [3]string
	grace                               [3]float64

	outages []simulate.Outage

	jobs                    []naiveTicket
	queue, running, delayed []int
	known                   []simulate.Outage  // planned ones, and those that have begun
	down                    int                // units
	usage, used             map[[2]int]float64 // by account and user; used is as of the last calculation
	factor                  map[[2]int]float64
	now, calculated         float64
	submitted, freed, cut   bool
	log                     []string
}

type naiveTicket struct {
	simulate.Job
	since, begun, end, finish, leaves, claims, estimate, left, first float64
	priority, again                                                  float64
	resumes                                                          bool
}

func (n *naiveSlurm) party(i int) [2]int { return [2]int{n.jobs[i].Class, n.jobs[i].Spec.Details.User} }

func (n *naiveSlurm) note(i int, what string) {
	n.log = append(n.log, fmt.Sprintf("%g: job %d %s", n.now, i, what))
}

// judge computes the factors of all users that have come.
func (n *naiveSlurm) judge() {
	users := slices.SortedFunc(maps.Keys(n.used), func(a, b [2]int) int { return slices.Compare(a[:], b[:]) })
	sum := func(account, user int) (s float64) { // -1 is all
		for _, p := range users { // in one order, so that the rounding is the same
			in := account < 0 || p[0] == account || account == 0 && p[0] == 2
			if in && (user < 0 || p == [2]int{account, user}) {
				s += n.used[p]
			}
		}
		return s
	}
	members := map[int]float64{} // users of an account
	came := map[int]bool{}
	for p := range n.used {
		members[p[0]]++
		came[p[0]] = true
	}
	top, below := 0.0, members[0] // shares of siblings
	if came[0] || came[2] {
		top += n.shares[0]
	}
	if came[1] {
		top += n.shares[1]
	}
	if came[2] {
		below += n.shares[2]
	}
	siblings := func(account int) float64 {
		if account == 0 {
			return below
		}
		return members[account]
	}
	level := func(share, usage, all float64) float64 {
		switch {
		case share == 0:
			return 0
		case usage == 0:
			return math.Inf(1)
		}
		return share / (usage / all)
	}
	paths := map[[2]int][]float64{}
	for p := range n.used {
		account := p[0]
		first := account
		if account == 2 {
			first = 0
		}
		portion := n.shares[first] / top
		used := 0.0
		if sum(-1, -1) > 0 {
			used = sum(first, -1) / sum(-1, -1)
		}
		path := []float64{level(portion, sum(first, -1), sum(-1, -1))}
		if account == 2 {
			share := n.shares[2] / below
			own := 0.0
			if sum(-1, -1) > 0 {
				own = sum(2, -1) / sum(-1, -1)
			}
			path = append(path, level(share, sum(2, -1), sum(0, -1)))
			portion, used = portion*share, own+(used-own)*share
		}
		share := 1 / siblings(account)
		own := 0.0
		if sum(-1, -1) > 0 {
			own = n.used[p] / sum(-1, -1)
		}
		path = append(path, level(share, n.used[p], sum(account, -1)))
		portion, used = portion*share, own+(used-own)*share
		paths[p] = path
		if n.classic {
			if n.factor[p] = 0; portion > 0 {
				n.factor[p] = math.Exp2(-used / portion)
			}
		}
	}
	best := 0.0 // of the account below another
	for p, path := range paths {
		if p[0] == 2 {
			best = max(best, path[2])
		}
	}
	// A user who ties with a sibling account ties with the best user of that account.
	pathOf := func(p [2]int, best float64) []float64 {
		if path := paths[p]; p[0] == 2 {
			return path
		}
		return append(slices.Clip(paths[p]), best)
	}
	for p := range paths {
		if better := 0; !n.classic {
			for o := range paths {
				if slices.Compare(pathOf(o, best), pathOf(p, best)) > 0 {
					better++
				}
			}
			n.factor[p] = float64(len(paths)-better) / float64(len(paths))
		}
	}
}

func (n *naiveSlurm) decay() float64 { return max(1-0.693/n.half, 0) }

// use adds the usage of a job since the last calculation.
func (n *naiveSlurm) use(i int) {
	seconds := n.now - max(n.calculated, n.jobs[i].begun)
	n.usage[n.party(i)] += float64(n.jobs[i].Width) * seconds * math.Pow(n.decay(), seconds)
}

// rate sets the priority of a job.
func (n *naiveSlurm) rate(i int) {
	j := &n.jobs[i]
	share := float64(j.Width) / float64(n.units)
	if n.relative {
		share /= max(1, math.Ceil(j.Spec.Details.Estimate/60))
	}
	if n.small {
		share = 1 - share
	}
	age := min(max(n.calculated-j.since, 0)/n.maxAge, 1)
	sum := n.size*share + n.qos*n.priority[j.Class] - n.nice[j.Class] + n.age*age + n.fair*n.factor[n.party(i)] +
		n.associated[n.party(i)]
	j.priority = math.Floor(max(1, sum))
}

// level says how far up a QOS is in the order of preemption.
func (n *naiveSlurm) level(q int) int {
	level := 0
	for o := range q { // a QOS preempts lower ones only
		if n.preempts[q][o] {
			level = max(level, n.level(o)+1)
		}
	}
	return level
}

// held reports whether a limit holds a job.
func (n *naiveSlurm) held(i int) bool {
	j := &n.jobs[i]
	units, own, jobs := 0, 0, 0
	for _, k := range n.running {
		r := &n.jobs[k]
		if r.Class == j.Class {
			units += r.Width
			if r.Spec.Details.User == j.Spec.Details.User {
				own += r.Width
				jobs++
			}
		}
	}
	return units+j.Width > n.grp[j.Class] || own+j.Width > n.perUser[j.Class] || jobs >= n.jobsPerUser[j.Class]
}

// booked is a time at which units are not free.
type booked struct {
	from, to float64
	width    int
}

func (n *naiveSlurm) free() int {
	free := n.units - n.down
	for _, i := range n.running {
		free -= n.jobs[i].Width
	}
	return free
}

// fits reports whether units are free for a time in the plan.
func (n *naiveSlurm) fits(plan []booked, width int, from, to float64) bool {
	at := []float64{from}
	for _, b := range plan {
		if b.from > from && b.from < to {
			at = append(at, b.from)
		}
	}
	for _, t := range at {
		free := n.units
		for _, b := range plan {
			if b.from <= t && t < b.to {
				free -= b.width
			}
		}
		if free < width {
			return false
		}
	}
	return true
}

// earliest returns when units are free for a length, up to the end as rounded.
func (n *naiveSlurm) earliest(plan []booked, width int, length float64, round func(float64) float64) float64 {
	best := math.Inf(1)
	for _, b := range append(plan, booked{to: n.now}) {
		if b.to >= n.now && b.to < best && n.fits(plan, width, b.to, round(b.to+length)) {
			best = b.to
		}
	}
	return best
}

// expected is earliest, at the last end of a batch of running jobs or after all of them: the
// first batch ends 30 s, the next ones 60, 120, ... s after the half minute that follows the
// first end. Batches without a job do not count.
func (n *naiveSlurm) expected(plan []booked, width int, length float64) float64 {
	best := n.earliest(plan, width, length, n.up)
	if n.interval == 0 || best == n.now || len(n.running) == 0 {
		return best
	}
	first, last := math.Inf(1), math.Inf(-1)
	for _, i := range n.running {
		first, last = min(first, n.jobs[i].end), max(last, n.jobs[i].end)
	}
	edge := 30*math.Floor(first/30) + 30
	final := func(t float64) bool { // no job of its batch ends later
		window := 30.0
		for t > edge+window {
			if n.linear > 0 {
				window += n.linear
			} else {
				window *= 2
			}
		}
		for _, i := range n.running {
			if end := n.jobs[i].end; end > t && end <= edge+window {
				return false
			}
		}
		return true
	}
	best = math.Inf(1)
	for _, b := range plan {
		ends := slices.ContainsFunc(n.running, func(i int) bool { return n.jobs[i].end == b.to })
		if b.to >= n.now && b.to < best && (b.to > last || ends && final(b.to)) &&
			n.fits(plan, width, b.to, n.up(b.to+length)) {
			best = b.to
		}
	}
	return best
}

// plan returns the expected ends of running jobs, and the outages that are known.
func (n *naiveSlurm) plan() (plan []booked) {
	for _, o := range n.known {
		plan = append(plan, booked{o.From, o.To, o.Units})
	}
	for _, i := range n.running {
		plan = append(plan, booked{n.now, n.jobs[i].end, n.jobs[i].Width})
	}
	return plan
}

func (n *naiveSlurm) up(t float64) float64 {
	if n.resolution == 1 {
		return t
	}
	return math.Ceil(t/n.resolution) * n.resolution
}

func (n *naiveSlurm) sorted() []int {
	list := slices.Clone(n.queue)
	slices.SortStableFunc(list, func(a, b int) int {
		x, y := &n.jobs[a], &n.jobs[b]
		p, q := x.priority, y.priority
		if x.resumes {
			p = math.Inf(1)
		}
		if y.resumes {
			q = math.Inf(1)
		}
		return slices.Compare([]float64{-float64(n.level(x.Class)), -p, x.since, float64(a)},
			[]float64{-float64(n.level(y.Class)), -q, y.since, float64(b)})
	})
	return list
}

func (n *naiveSlurm) start(i int) {
	j := &n.jobs[i]
	if math.IsNaN(j.first) {
		j.first = n.now
	}
	n.note(i, "runs")
	j.begun, j.end, j.finish, j.resumes = n.now, n.now+j.estimate, n.now+j.left, false
	n.queue = slices.DeleteFunc(n.queue, func(k int) bool { return k == i })
	n.running = append(n.running, i)
}

func (n *naiveSlurm) stop(i int) {
	n.use(i)
	n.running = slices.DeleteFunc(n.running, func(k int) bool { return k == i })
	n.jobs[i].leaves = math.Inf(1)
	n.freed = true
}

// delay lets a job wait again later: it is submitted now, its age counts from later on, and it keeps nothing.
func (n *naiveSlurm) delay(i int) {
	j := &n.jobs[i]
	j.left, j.estimate, j.resumes = j.Work, j.Spec.Details.Estimate, false
	j.again = n.now + 121
	j.since = n.now
	if n.age > 0 {
		j.since = j.again
	}
	n.delayed = append(n.delayed, i)
}

// strike begins an outage, and stops the jobs that started last if too few units are free.
func (n *naiveSlurm) strike(o simulate.Outage) {
	floor := min(n.free(), 0)
	if !o.Planned {
		n.known = append(n.known, o)
	}
	n.down += o.Units
	for !o.Drain && n.free() < floor && len(n.running) > 0 {
		last := slices.MaxFunc(n.running, func(a, b int) int {
			return cmp.Or(cmp.Compare(n.jobs[a].begun, n.jobs[b].begun), cmp.Compare(a, b))
		})
		n.stop(last)
		n.note(last, "is preempted")
		if o.Kill {
			n.note(last, "leaves")
		} else {
			n.delay(last)
		}
	}
}

// evict preempts a job; the jobs that wait again are returned to the queue after the pass.
func (n *naiveSlurm) evict(i int, back *[]int) {
	j := &n.jobs[i]
	n.stop(i)
	switch n.mode[j.Class] {
	case "suspend":
		n.note(i, "is preempted")
		j.left, j.estimate, j.resumes = j.finish-n.now, max(j.estimate-(n.now-j.begun), 0), true
		*back = append(*back, i)
	case "requeue":
		n.note(i, "is preempted")
		n.delay(i)
	default:
		n.note(i, "is preempted")
		n.note(i, "leaves")
	}
}

// exactly is no rounding: the main loop does not round.
func exactly(t float64) float64 { return t }

func (n *naiveSlurm) preempt(i int, plan *[]booked, back *[]int, round func(float64) float64) bool {
	j := &n.jobs[i]
	need := j.Width - n.free()
	if need <= 0 || j.claims > n.now {
		return false
	}
	var victims []int
	for _, k := range n.running {
		v := &n.jobs[k]
		if n.preempts[j.Class][v.Class] && n.mode[v.Class] != "off" && math.IsInf(v.leaves, 1) {
			victims = append(victims, k)
		}
	}
	slices.SortFunc(victims, func(a, b int) int {
		x, y := &n.jobs[a], &n.jobs[b]
		return slices.Compare([]float64{n.priority[x.Class], float64(x.Width), -x.begun, -float64(a)},
			[]float64{n.priority[y.Class], float64(y.Width), -y.begun, -float64(b)})
	})
	taken := 0
	for ; taken < len(victims) && need > 0; taken++ {
		need -= n.jobs[victims[taken]].Width
	}
	if need > 0 {
		return false
	}
	victims = victims[:taken]
	for k := taken - 1; k >= 0; k-- {
		if w := n.jobs[victims[k]].Width; need+w <= 0 {
			need += w
			victims = slices.Delete(victims, k, k+1)
		}
	}
	until := n.now
	after := slices.Clone(*plan)
	for _, k := range victims {
		v := &n.jobs[k]
		stop := n.now + n.grace[v.Class]
		until = max(until, stop)
		if v.end > stop {
			at := slices.IndexFunc(after, func(b booked) bool { return b == booked{n.now, v.end, v.Width} })
			after[at].to = stop
		}
	}
	if n.earliest(after, j.Width, j.estimate, round) > until {
		return false
	}
	*plan = after
	j.claims = until
	for _, k := range victims {
		v := &n.jobs[k]
		v.leaves = n.now + n.grace[v.Class]
		v.end = min(v.end, v.leaves)
		if v.leaves == n.now {
			n.evict(k, back)
		}
	}
	return until == n.now
}

func (n *naiveSlurm) hopeful() bool {
	free := n.free()
	narrow := func(i int) bool { return n.jobs[i].Width <= free }
	return len(n.queue) > 0 && (n.preempting || slices.ContainsFunc(n.queue, narrow))
}

// various reports whether priorities of waiting jobs may change their order.
func (n *naiveSlurm) various() bool {
	kinds := map[string]bool{}
	for _, i := range n.queue {
		j := n.jobs[i]
		user := -1
		if n.fair > 0 {
			user = j.Class*100 + j.Spec.Details.User
		}
		size := 0
		if n.size > 0 {
			size = j.Width
			if n.relative {
				size += 1000 * int(math.Ceil(j.Spec.Details.Estimate/60))
			}
		}
		kinds[fmt.Sprint(user, size, n.qos*n.priority[j.Class]-n.nice[j.Class]+n.associated[n.party(i)], n.level(j.Class), j.resumes)] = true
	}
	return len(kinds) > 1 || n.least[0] > 0 && len(kinds) > 0
}

func (n *naiveSlurm) tick(t float64) float64 { return math.Ceil(t/n.sched) * n.sched }

// decide is a decision, and returns the time of the next one.
func (n *naiveSlurm) decide() (wake float64) {
	n.freed = n.freed || n.now > 0 && n.now == n.calculated && n.various()
	all := n.now >= n.tick(n.now)
	if n.freed || n.submitted && !n.deferred || all && (n.submitted || n.cut) {
		n.submitted, n.freed, n.cut = false, false, false
		if n.hopeful() {
			n.main(all)
		}
	}
	if n.interval == 0 || n.interval > 0 && math.Mod(n.now, n.interval) == 0 {
		n.backfill()
	}
	wake = math.Inf(1)
	if len(n.queue) > 0 && n.interval > 0 {
		wake = (math.Floor(n.now/n.interval) + 1) * n.interval
	}
	if n.hopeful() {
		if n.cut || n.submitted {
			wake = min(wake, n.tick(n.now+0.5))
		}
		if n.various() && (n.age > 0 || n.fair > 0) {
			wake = min(wake, n.calculated+n.period)
		}
	}
	return wake
}

// requeue adds jobs to the queue, whose priorities may change if a user has come.
func (n *naiveSlurm) requeue(back []int) {
	n.queue = append(n.queue, back...)
	for _, i := range n.queue {
		n.rate(i)
	}
}

func (n *naiveSlurm) main(all bool) {
	var back []int
	for looked, i := range n.sorted() {
		if !all && n.depth > 0 && looked >= n.depth {
			n.cut = true
			break
		}
		if n.held(i) {
			continue
		}
		plan := n.plan()
		j := &n.jobs[i]
		if j.Width > n.free() && !n.preempt(i, &plan, &back, exactly) {
			if j.resumes || j.priority >= n.least[j.Class] {
				break
			}
			continue
		}
		if n.fits(n.plan(), j.Width, n.now, n.now+j.estimate) { // until the next outage
			n.start(i)
		}
	}
	n.requeue(back)
}

func (n *naiveSlurm) backfill() {
	plan, reserved, users := n.plan(), 0, map[int]int{}
	var back []int
	for looked, i := range n.sorted() {
		if n.tests > 0 && looked >= n.tests {
			break
		}
		j := &n.jobs[i]
		if n.held(i) {
			continue
		}
		if users[j.Spec.Details.User]++; n.userTests > 0 && users[j.Spec.Details.User] > n.userTests {
			continue
		}
		if (j.Width <= n.free() || n.preempt(i, &plan, &back, n.up)) &&
			n.fits(plan, j.Width, n.now, n.up(n.now+j.estimate)) {
			plan = append(plan, booked{n.now, n.now + j.estimate, j.Width})
			n.start(i)
			n.cut = true // every QOS has limits
			continue
		}
		if n.reserves > 0 && reserved >= n.reserves || !j.resumes && j.priority < n.least[j.Class] {
			continue
		}
		from := n.expected(plan, j.Width, j.estimate)
		if n.window > 0 && from-n.now > n.window {
			continue
		}
		plan = append(plan, booked{from, n.up(from + j.estimate), j.Width})
		reserved++
	}
	n.requeue(back)
}

// run simulates.
func (n *naiveSlurm) run(jobs []simulate.Job) []string {
	n.usage, n.used, n.factor = map[[2]int]float64{}, map[[2]int]float64{}, map[[2]int]float64{}
	for _, o := range n.outages {
		if o.Planned {
			n.known = append(n.known, o)
		}
	}
	for next, wake := 0, math.Inf(1); next < len(jobs) || len(n.queue)+len(n.running)+len(n.delayed) > 0; {
		at := wake
		for _, i := range n.delayed {
			at = min(at, n.jobs[i].again)
		}
		for _, o := range n.outages {
			for _, t := range []float64{o.From, o.To} {
				if t > n.now {
					at = min(at, t)
				}
			}
		}
		if next < len(jobs) {
			at = min(at, jobs[next].Submit)
		}
		for _, i := range n.running {
			at = min(at, n.jobs[i].finish, n.jobs[i].leaves)
		}
		for n.calculated+n.period <= at && n.age+n.fair > 0 {
			n.now = n.calculated + n.period
			for p := range n.usage {
				n.usage[p] *= math.Pow(n.decay(), n.period)
			}
			for _, i := range n.running {
				n.use(i)
			}
			n.calculated, n.used = n.now, maps.Clone(n.usage)
			n.judge()
			for _, i := range n.queue {
				n.rate(i)
			}
		}
		n.now = at
		for _, i := range slices.Clone(n.running) {
			if n.jobs[i].finish <= at {
				n.stop(i)
				n.note(i, "ends")
			}
		}
		for _, o := range n.outages {
			if o.To == at {
				n.down -= o.Units
				n.freed = true
			}
		}
		for _, o := range n.outages {
			if o.From == at {
				n.strike(o)
			}
		}
		var back []int
		for ; next < len(jobs) && jobs[next].Submit == at; next++ {
			j := naiveTicket{Job: jobs[next], since: at, leaves: math.Inf(1), claims: math.Inf(-1), first: math.NaN()}
			j.estimate, j.left = j.Spec.Details.Estimate, j.Work
			n.jobs = append(n.jobs, j)
			n.usage[n.party(next)] += 0
			n.used[n.party(next)] += 0
			n.judge()
			if j.Width > n.units || j.Width > min(n.grp[j.Class], n.perUser[j.Class]) || n.jobsPerUser[j.Class] == 0 {
				n.note(next, "leaves")
				n.requeue(nil)
				continue
			}
			n.requeue([]int{next})
			n.submitted = true
		}
		n.delayed = slices.DeleteFunc(n.delayed, func(i int) bool {
			if n.jobs[i].again > at {
				return false
			}
			n.requeue([]int{i})
			n.submitted = true
			return true
		})
		for _, i := range slices.Clone(n.running) {
			if n.jobs[i].leaves <= at {
				n.evict(i, &back)
			}
		}
		n.requeue(back)
		wake = n.decide()
	}
	return n.log
}

// slurmLog writes the log of the real one.
type slurmLog []string

func (l *slurmLog) Observe(e simulate.Event) {
	what, ok := map[simulate.Kind]string{
		simulate.Started: "runs", simulate.Resumed: "runs", simulate.Preempted: "is preempted",
		simulate.Completed: "ends",
		simulate.Rejected:  "leaves", simulate.Expired: "leaves",
	}[e.Kind]
	if ok {
		*l = append(*l, fmt.Sprintf("%g: job %d %s", e.Time, e.Job.ID, what))
	}
}

// associate draws priorities of the root, of the accounts a, b and c below a, and of the users 1 and 2, some of which have
// none or -1. It writes them as settings, with a weight and flags, and returns what they add by account and user: the
// user's own, else that of the account, else that of the account above.
func associate(rnd *rand.Rand, s policy.Settings) map[[2]int]float64 {
	draw := func(name string, above float64) float64 {
		switch x := rnd.IntN(5); x {
		case 0:
			return above
		case 1:
			s[name+".Priority"] = "-1"
			return above
		default:
			s[name+".Priority"] = fmt.Sprint(10 * (x - 2))
			return float64(10 * (x - 2))
		}
	}
	const nobody = -1
	root := draw("account.root", 0)
	accounts := [3]float64{0: draw("account.a", root), 1: draw("account.b", root)}
	accounts[2] = draw("account.c", accounts[0])
	users := [3]float64{1: draw("user.1", nobody), 2: draw("user.2", nobody)}
	weight, largest := []float64{0, 0.5, 90, 800}[rnd.IntN(4)], max(root, accounts[0], accounts[1], accounts[2], users[1], users[2])
	s["PriorityWeightAssoc"] = fmt.Sprint(weight)
	if rnd.IntN(3) == 0 {
		s["PriorityFlags"] += ",NO_NORMAL_ASSOC"
		largest = 1
	}
	add := map[[2]int]float64{}
	for account := range 3 {
		for user := 1; user <= 2; user++ {
			own := users[user]
			if own == nobody {
				own = accounts[account]
			}
			if largest > 0 {
				add[[2]int{account, user}] = weight / largest * own
			}
		}
	}
	return add
}

// TestSlurmAgainstNaive compares every start, end and preemption with naiveSlurm on random
// jobs under random settings.
func TestSlurmAgainstNaive(t *testing.T) {
	rnd := rand.New(rand.NewPCG(31, 2))
	one := func(list ...float64) float64 { return list[rnd.IntN(len(list))] }
	spec := policytest.Must(policy.Lookup(catalog.Standard(), "slurm"))
	preempted := 0
	for round := range 300 {
		n := &naiveSlurm{
			units: 8, age: one(0, 100, 5000), fair: one(0, 0, 1000), size: one(0, 300), qos: one(0, 1000),
			maxAge: 60 * one(1, 10), half: 60 * one(5, 60), period: 60 * one(1, 5),
			small: rnd.IntN(2) == 0, relative: rnd.IntN(3) == 0,
			classic: rnd.IntN(2) == 0, interval: one(0, 30, 30, -1), window: 60 * one(0, 3), resolution: one(1, 7, 60),
			sched: one(7, 60), depth: int(one(0, 2)), tests: int(one(0, 3, 500)), userTests: int(one(0, 0, 2)),
			reserves: int(one(0, 1, 2)), deferred: rnd.IntN(4) == 0, mode: [3]string{"off", "off", "off"},
		}
		s := policy.Settings{"PriorityFlags": "", "PriorityFavorSmall": "no", "defer": strconv.FormatBool(n.deferred)}
		for name, x := range map[string]float64{
			"PriorityWeightAge": n.age, "PriorityWeightFairshare": n.fair, "PriorityWeightJobSize": n.size,
			"PriorityWeightQOS": n.qos, "PriorityMaxAge": n.maxAge / 60, "PriorityDecayHalfLife": n.half / 60,
			"PriorityCalcPeriod": n.period / 60, "bf_interval": n.interval, "bf_window": n.window / 60,
			"bf_resolution": n.resolution, "sched_interval": n.sched, "default_queue_depth": float64(n.depth),
			"bf_max_job_test": float64(n.tests), "bf_max_job_user": float64(n.userTests),
			"bf_job_part_count_reserve": float64(n.reserves), "account.a.Fairshare": 1, "account.b.Fairshare": 3,
			"account.c.Fairshare": 2,
		} {
			s[name] = fmt.Sprint(x)
		}
		if round%3 == 0 {
			n.least = [3]float64{300, 300, float64(100 + 500*(round%2))}
			s["bf_min_prio_reserve"], s["qos.c.MinPrioThres"] = "300", fmt.Sprint(n.least[2])
		}
		if round%2 == 1 {
			n.linear = float64(1 + 10*(round%4))
			s["bf_window_linear"] = fmt.Sprint(n.linear)
		}
		n.shares = [3]float64{1, 3, 2}
		s["account.c.Parent"] = "a"
		if n.classic {
			s["PriorityFlags"] = "NO_FAIR_TREE"
		}
		if n.relative {
			s["PriorityFlags"] += ",SMALL_RELATIVE_TO_TIME"
		}
		if n.small {
			s["PriorityFavorSmall"] = "yes"
		}
		n.associated = associate(rand.New(rand.NewPCG(uint64(round), 4)), s)
		preempting := rnd.IntN(2) == 0
		for q, name := range []string{"a", "b", "c"} {
			n.priority[q], n.nice[q] = float64(q)/2, one(0, 50)
			n.grp[q], n.perUser[q], n.jobsPerUser[q] = int(one(6, 8)), int(one(5, 8)), int(one(2, 9))
			s["qos."+name+".Priority"], s["nice."+name] = fmt.Sprint(10*q), fmt.Sprint(n.nice[q])
			s["qos."+name+".GrpTRES"] = fmt.Sprintf("cpu=%d", n.grp[q])
			s["qos."+name+".MaxTRESPU"] = fmt.Sprint(n.perUser[q])
			switch rnd.IntN(3) { // the limit of the QOS, of the account, or of the account above c
			case 0:
				s["qos."+name+".MaxJobsPU"], s["account."+name+".MaxJobs"] = fmt.Sprint(n.jobsPerUser[q]), "1"
			case 1:
				s["account."+name+".MaxJobs"] = fmt.Sprint(n.jobsPerUser[q])
			default:
				if n.jobsPerUser[q] = math.MaxInt; name == "c" && s["account.a.MaxJobs"] != "" {
					n.jobsPerUser[q], _ = strconv.Atoi(s["account.a.MaxJobs"])
				}
			}
			if !preempting {
				continue
			}
			n.mode[q] = []string{"suspend", "requeue", "cancel", "off"}[rnd.IntN(4)]
			n.grace[q] = one(0, 0, 20)
			s["qos."+name+".PreemptMode"], s["qos."+name+".GraceTime"] = n.mode[q], fmt.Sprint(n.grace[q])
			for o := range q {
				if n.preempts[q][o] = rnd.IntN(2) == 0; n.preempts[q][o] {
					s["qos."+name+".Preempt"] += "," + []string{"a", "b"}[o]
					n.preempting = n.preempting || n.mode[o] != "off"
				}
			}
		}
		jobs, at := make([]simulate.Job, 60), 0.0
		for i := range jobs {
			at += math.Floor(float64(rnd.IntN(3)) * 15 * rnd.ExpFloat64())
			run := 1 + math.Floor(60*rnd.ExpFloat64())
			jobs[i] = simulate.Job{Class: rnd.IntN(3), Submit: at, Work: run, Width: 1 + min(rnd.IntN(8), rnd.IntN(8))}
			jobs[i].Spec.Details.Estimate, jobs[i].Spec.Details.User = math.Ceil(run*(0.7+3*rnd.Float64())), 1+rnd.IntN(2)
		}
		facts := policy.Context{Processors: []int{8}, Pools: []string{""}, Customers: []string{"a", "b", "c"}}
		policies, _, err := spec.Build(s, facts)
		if err != nil {
			t.Fatal(err)
		}
		for range rnd.IntN(4) {
			from := 1 + math.Floor(at*rnd.Float64())
			n.outages = append(n.outages, simulate.Outage{
				From: from, To: from + 1 + math.Floor(400*rnd.Float64()), Units: 1 + rnd.IntN(3),
				Planned: rnd.IntN(2) == 0, Kill: rnd.IntN(4) == 0, Drain: rnd.IntN(4) == 0,
			})
		}
		slices.SortStableFunc(n.outages, func(a, b simulate.Outage) int { return cmp.Compare(a.From, b.From) })
		var got slurmLog
		sites := []simulate.Site{{Processors: 8, Policy: policies[0]}}
		policytest.Audited(t, simulate.Config{
			Sites: sites, Observers: []simulate.Observer{&got}, Agents: []simulate.Agent{&agent.Outages{List: n.outages}},
		}, jobs)
		want := n.run(slices.Clone(jobs))
		sort := func(a, b string) int {
			return cmp.Or(cmp.Compare(len(a[:strings.Index(a, ":")]), len(b[:strings.Index(b, ":")])), cmp.Compare(a, b))
		}
		slices.SortFunc(got, sort)
		slices.SortFunc(want, sort)
		for _, line := range got {
			if strings.HasSuffix(line, "preempted") {
				preempted++
			}
		}
		if !slices.Equal(got, want) {
			for i := range min(len(got), len(want)) {
				if got[i] != want[i] {
					t.Errorf("round %d, %v: got %s, want %s", round, s, got[i], want[i])
					break
				}
			}
			return
		}
	}
	if preempted < 100 {
		t.Errorf("%d jobs were preempted", preempted)
	}
}
