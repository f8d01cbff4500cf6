package ask

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"revopt/internal/text"
	"revopt/model/scenario"
	"revopt/simulate"
	"revopt/simulate/policy"
	"revopt/simulate/run"
	"revopt/simulate/subject"
)

// slurmName is the policy whose settings are known by name.
const slurmName = "slurm"

// Tunable returns the groups of settings of the policy slurm that may be varied, or the
// numeric options of another policy.
func Tunable(p subject.Policy) []string {
	if p.Spec.Name == slurmName {
		return []string{"qos", "age", "size", "fairshare", "limits"}
	}
	numeric := text.Where(p.Spec.Options, func(o policy.Option) bool { return o.Number })
	return text.Each(numeric, func(o policy.Option) string { return o.Name })
}

// board is the settings of a policy that a search varies. The value "" leaves a setting out.
type board struct {
	today subject.Policy
	vary  []string // of Tunable
	knobs []run.Coordinate
	jobs  map[string]*qosJobs // by QOS: the customers, and the QOS of the settings
}

// qosJobs is what the start of a search has to know of the jobs of a QOS.
type qosJobs struct {
	loss   float64 // $, by a second of wait
	work   float64 // unit-seconds
	widest float64 // units
}

// newBoard returns the knobs of some groups of settings; nil is all.
func newBoard(s *subject.Subject, today subject.Policy, vary []string) *board {
	b := &board{today: today, vary: vary}
	if vary == nil {
		b.vary = Tunable(today)
	}
	if today.Spec.Name == slurmName {
		b.slurm(s)
	} else {
		for _, name := range b.vary {
			size := math.Log10(cmp.Or(today.Settings.Number(name), 1))
			b.add(name, name, "", decades(math.Pow10(int(math.Floor(size))-3), 7)...)
		}
	}
	b.start()
	return b
}

// policy returns the policy with settings at some places of the knobs.
func (b *board) policy(places []int) subject.Policy {
	given := maps.Clone(b.today.Settings)
	for i, k := range b.knobs {
		if places[i] == k.Now {
			continue
		}
		given[k.Name] = k.Values[places[i]]
		if given[k.Name] == "" {
			delete(given, k.Name)
		}
	}
	all, err := b.today.Spec.Resolve(given)
	if err != nil {
		panic("ask: " + err.Error()) // the values of knobs are valid
	}
	return subject.Policy{Spec: b.today.Spec, Settings: all}
}

// decades returns 0, and 1, 2 and 5 times so many powers of ten from the first on.
func decades(first float64, n int) []string {
	list := []string{"0"}
	for e := range n {
		for _, digit := range []float64{1, 2, 5} {
			list = append(list, strconv.FormatFloat(digit*first*math.Pow10(e), 'g', 6, 64))
		}
	}
	return list
}

// setting returns today's value of a setting, "" if it has none.
func (b *board) setting(name string) string {
	return cmp.Or(b.today.Settings[name], b.today.Settings[policy.FromFile+name])
}

// add adds a knob of a group with today's value and the valid ones of others, in ascending
// order. The value "" is no limit, and comes last; without it, a setting that is not given
// is the first of the others.
func (b *board) add(group, name, needs string, values ...string) {
	if !slices.Contains(b.vary, group) {
		return
	}
	var list []string
	now := b.setting(name)
	if now == "" && !slices.Contains(values, "") {
		now = values[0]
	}
	for _, v := range append(values, now) {
		all, err := b.today.Spec.Resolve(policy.Settings{name: v})
		if v != "" && err == nil {
			v = all[name]
		}
		if (v == "" || err == nil) && !slices.Contains(list, v) {
			list = append(list, v)
		}
	}
	slices.SortStableFunc(list, func(a, b string) int { return cmp.Compare(number(a), number(b)) })
	at := slices.Index(list, now)
	b.knobs = append(b.knobs, run.Coordinate{Name: name, Values: list, Now: at, Start: at, Needs: needs})
}

// number returns the number that a value is, infinity for another one.
func number(value string) float64 {
	if x, err := strconv.ParseFloat(value, 64); err == nil {
		return x
	}
	return math.Inf(1)
}

// slurm adds the knobs of the policy slurm. Weights are relative to that of QOS.
func (b *board) slurm(s *subject.Subject) {
	const kind, byQOS = "PriorityType", "PriorityWeightQOS"
	if b.setting(kind) == "basic" {
		b.add(b.vary[0], kind, "", "basic", "multifactor")
	}
	weight := number(b.setting(byQOS))
	if weight == 0 {
		weight = 1e5
		b.add("qos", byQOS, kind, "0", "100000")
	}
	weights := decades(math.Pow10(max(0, int(math.Round(math.Log10(weight)))-3)), 4)
	b.readJobs(s)
	for _, name := range slices.Sorted(maps.Keys(b.jobs)) {
		if b.jobs[name].work == 0 { // a QOS of others, whose priority is none of the jobs' business
			continue
		}
		b.add("qos", "qos."+name+".Priority", byQOS, decades(1, 4)[:11]...)
		b.limit(s, name, "GrpTRES")
		if s.Logged() { // generated jobs have no users
			b.limit(s, name, "MaxTRESPerUser")
		}
	}
	const hour, day = 60, 24 * 60 // minutes
	minutes := func(list ...int) []string { return text.Each(list, strconv.Itoa) }
	b.add("age", "PriorityWeightAge", kind, weights...)
	b.add("age", "PriorityMaxAge", "PriorityWeightAge",
		minutes(hour, 3*hour, 12*hour, day, 3*day, 7*day, 14*day, 30*day)...)
	b.add("size", "PriorityWeightJobSize", kind, weights...)
	b.add("size", "PriorityFavorSmall", "PriorityWeightJobSize", "no", "yes")
	b.add("fairshare", "PriorityWeightFairshare", kind, weights...)
	b.add("fairshare", "PriorityDecayHalfLife", "PriorityWeightFairshare",
		minutes(day, 3*day, 7*day, 14*day, 30*day)...)
}

// limit adds a knob that limits the units of a QOS to eighths of the machine, from the width
// of its widest job on. A limit of a file is lifted by the size of the machine.
func (b *board) limit(s *subject.Subject, qos, field string) {
	name, units := "qos."+qos+"."+field, float64(s.Nodes())
	limits := []string{""}
	if _, read := b.today.Settings[policy.FromFile+name]; read {
		limits[0] = text.Field(units)
	}
	for eighth := 1.0; eighth < 8; eighth++ {
		if limit := math.Floor(eighth / 8 * units); limit >= b.jobs[qos].widest {
			limits = append(limits, text.Field(limit))
		}
	}
	if !s.Unlike() {
		b.add("limits", name, "", limits...)
	}
}

// start sets where to begin: at priorities of QOS by the value that their jobs lose with a second of wait, for each
// unit-second of work.
func (b *board) start() {
	lost := func(q *qosJobs) float64 { return q.loss / math.Max(q.work, 1) }
	most := 0.0
	for _, q := range b.jobs {
		most = math.Max(most, lost(q))
	}
	for i, k := range b.knobs {
		name, ok := strings.CutSuffix(strings.TrimPrefix(k.Name, "qos."), ".Priority")
		if !ok || b.jobs[name].work == 0 || most == 0 {
			continue
		}
		away := func(v string) float64 {
			return math.Abs(math.Log(math.Max(number(v), 0.5) / math.Max(1000*lost(b.jobs[name])/most, 0.5)))
		}
		nearest := slices.MinFunc(k.Values, func(a, b string) int { return cmp.Compare(away(a), away(b)) })
		b.knobs[i].Start = slices.Index(k.Values, nearest)
	}
}

// readJobs lists the QOS, and sums up the jobs of each. As for the policy, the QOS of a job
// is its queue if that is the name of one and not normal, else its customer.
func (b *board) readJobs(s *subject.Subject) {
	b.jobs = map[string]*qosJobs{}
	for _, name := range s.Names() {
		b.jobs[name] = &qosJobs{}
	}
	for name := range b.today.Settings {
		setting, ok := strings.CutPrefix(strings.TrimPrefix(name, policy.FromFile), "qos.")
		if dot := strings.LastIndex(setting, "."); ok && dot > 0 {
			b.jobs[setting[:dot]] = &qosJobs{}
		}
	}
	jobs, err := s.Workload.Jobs(s.Seed, 0)
	if err != nil { // runs will say so
		return
	}
	defer run.Close(jobs)
	var queues map[int32]string
	if s.Trace != nil {
		queues = s.Trace.Names()["queue"]
	}
	customers := subject.ClassNames(s.Workload.Customers())
	const enough = 100_000
	var j simulate.Job
	for range enough {
		if ok, err := jobs.Next(&j); !ok || err != nil {
			break
		}
		q := b.jobs[queues[int32(j.Spec.Details.Queue)]]
		if q == nil || q == b.jobs["normal"] {
			q = b.jobs[customers[j.Class]]
			if q == nil {
				continue
			}
		}
		q.loss += j.Value.Decay
		if j.Value.Hard && j.Value.Due > 0 {
			q.loss += j.Value.Price / j.Value.Due
		}
		q.work += j.Work * float64(j.Width)
		q.widest = math.Max(q.widest, float64(j.Width))
	}
}

// SlurmPolicy returns the policy slurm with the settings of the scenario, or the defaults.
func SlurmPolicy(s *subject.Subject) (subject.Policy, error) {
	i := slices.IndexFunc(s.Scenario.Policies, func(p scenario.Policy) bool { return p.Name == slurmName })
	if i < 0 {
		return subject.NewPolicy(s.Specs, slurmName, nil)
	}
	return subject.NewPolicy(s.Specs, slurmName, s.Scenario.Policies[i].Options)
}
