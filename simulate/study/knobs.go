package study

import (
	"cmp"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"revopt/internal/text"
	"revopt/model"
	"revopt/simulate"
	"revopt/simulate/policy"
)

// slurmName is the policy whose settings are known by name.
const slurmName = "slurm"

// Tunable returns the groups of settings of the policy slurm that may be varied, or the
// numeric options of another policy.
func (p Policy) Tunable() []string {
	if p.Spec.Name == slurmName {
		return []string{"qos", "age", "size", "fairshare", "limits"}
	}
	numeric := text.Where(p.Spec.Options, func(o policy.Option) bool { return o.Number })
	return text.Each(numeric, func(o policy.Option) string { return o.Name })
}

// knob is a setting that may be varied.
type knob struct {
	name   string
	values []string // from the least to the largest; "" leaves the setting out
	now    int      // place of today's value
	needs  string   // a setting at whose first value this one has no effect; "" is none
}

// board is the knobs of a policy.
type board struct {
	today Policy
	vary  []string // of Tunable
	knobs []knob
	qos   []string // that jobs may have: the customers, and the QOS of the settings
}

// newBoard returns the knobs of some groups of settings; nil is all.
func newBoard(s *Subject, today Policy, vary []string) *board {
	b := &board{today: today, vary: vary}
	if vary == nil {
		b.vary = today.Tunable()
	}
	if today.Spec.Name == slurmName {
		b.slurm(s)
		return b
	}
	for _, name := range b.vary {
		size := math.Log10(cmp.Or(today.Settings.Number(name), 1))
		b.add(name, name, "", decades(math.Pow10(int(math.Floor(size))-3), 7)...)
	}
	return b
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

// index returns the knob of a setting, -1 if there is none.
func (b *board) index(name string) int {
	return slices.IndexFunc(b.knobs, func(k knob) bool { return k.name == name })
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
	b.knobs = append(b.knobs, knob{name, list, slices.Index(list, now), needs})
}

// number returns the number that a value is, infinity for another one.
func number(value string) float64 {
	if x, err := strconv.ParseFloat(value, 64); err == nil {
		return x
	}
	return math.Inf(1)
}

// slurm adds the knobs of the policy slurm. Weights are relative to that of QOS.
func (b *board) slurm(s *Subject) {
	const kind, byQOS = "PriorityType", "PriorityWeightQOS"
	if b.setting(kind) == "basic" {
		b.add(b.vary[0], kind, "", "basic", "multifactor")
	}
	qos := number(b.setting(byQOS))
	if qos == 0 {
		qos = 1e5
		b.add("qos", byQOS, kind, "0", "100000")
	}
	weights := []string{"0"}
	for _, share := range []float64{0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10} {
		weights = append(weights, strconv.FormatFloat(math.Round(share*qos), 'f', -1, 64))
	}
	b.qos = s.Names()
	for _, name := range slices.Sorted(maps.Keys(b.today.Settings)) {
		rest, ok := strings.CutPrefix(strings.TrimPrefix(name, policy.FromFile), "qos.")
		if dot := strings.LastIndex(rest, "."); ok && dot > 0 && !slices.Contains(b.qos, rest[:dot]) {
			b.qos = append(b.qos, rest[:dot])
		}
	}
	_, widest := b.losses(s)
	for _, name := range b.qos {
		b.add("qos", "qos."+name+".Priority", byQOS, decades(1, 4)[:11]...)
		fields := []string{"GrpTRES", "MaxTRESPerUser"}
		if !s.logged() { // generated jobs have no users
			fields = fields[:1]
		}
		for _, field := range fields {
			b.limit(s, "qos."+name+"."+field, widest[name])
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

// limit adds a knob that limits units to eighths of the machine, from the width of the
// widest job on. A limit of a file is lifted by the size of the machine.
func (b *board) limit(s *Subject, name string, widest float64) {
	units, none := float64(s.Nodes()), ""
	if _, read := b.today.Settings[policy.FromFile+name]; read {
		none = text.Field(units)
	}
	limits := []string{none}
	for eighth := 1.0; eighth < 8; eighth++ {
		if limit := math.Floor(eighth / 8 * units); limit >= widest {
			limits = append(limits, text.Field(limit))
		}
	}
	if !s.unlike() {
		b.add("limits", name, "", limits...)
	}
}

// logged reports whether the jobs are those of a log.
func (s *Subject) logged() bool { return s.Trace != nil && !model.Generated(s.Scenario.Trace.File) }

// start returns places to begin with: priorities of QOS by the value that their jobs lose
// with a second of wait, for each unit-second of work.
func (b *board) start(s *Subject) []int {
	losses, _ := b.losses(s)
	most := slices.Max(append(slices.Collect(maps.Values(losses)), 0))
	return each(b.knobs, func(_ int, k knob) int {
		name, ok := strings.CutSuffix(strings.TrimPrefix(k.name, "qos."), ".Priority")
		loss, customer := losses[name]
		if !ok || !customer || most == 0 {
			return k.now
		}
		away := func(v string) float64 {
			return math.Abs(math.Log(math.Max(number(v), 0.5) / math.Max(1000*loss/most, 0.5)))
		}
		nearest := slices.MinFunc(k.values, func(a, b string) int { return cmp.Compare(away(a), away(b)) })
		return slices.Index(k.values, nearest)
	})
}

// losses returns the value that the jobs of each QOS lose with a second of wait for each
// unit-second of work, $, and the width of the widest. As for the policy, the QOS of a job is
// its queue if that is the name of one and not normal, else its customer.
func (b *board) losses(s *Subject) (loss, widest map[string]float64) {
	loss, widest = map[string]float64{}, map[string]float64{}
	area, all := map[string]float64{}, names(s.Workload.Customers())
	jobs, err := s.Workload.Jobs(s.seed, 0)
	if err != nil { // runs will say so
		return loss, widest
	}
	if c, ok := jobs.(io.Closer); ok {
		defer c.Close()
	}
	var queues map[int32]string
	if s.Trace != nil {
		queues = s.Trace.Names()["queue"]
	}
	const enough = 100_000
	var j simulate.Job
	for range enough {
		if ok, err := jobs.Next(&j); !ok || err != nil {
			break
		}
		name, v := all[j.Class], j.Value
		if queue := queues[int32(j.Spec.Details.Queue)]; queue != "normal" && slices.Contains(b.qos, queue) {
			name = queue
		}
		if loss[name] += v.Decay; v.Hard && v.Due > 0 {
			loss[name] += v.Price / v.Due
		}
		area[name] += j.Work * float64(j.Width)
		widest[name] = math.Max(widest[name], float64(j.Width))
	}
	for name := range loss {
		loss[name] /= math.Max(area[name], 1)
	}
	return loss, widest
}
