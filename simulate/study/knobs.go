package study

import (
	"cmp"
	"fmt"
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

// tuneGroups are the groups of settings of the policy slurm that may be varied.
func tuneGroups() []string { return []string{"qos", "age", "size", "fairshare", "limits"} }

// knob is a setting that may be varied.
type knob struct {
	name   string
	values []string // from the least to the largest; "" leaves the setting out
	now    int      // place of today's value
	needs  string   // a setting without which this one has no effect; "" is none
}

// board is the knobs of a policy.
type board struct {
	today Policy
	vary  []string // groups; nil: all
	knobs []knob
	frame policy.Settings // that every change needs
	qos   []string        // that jobs may have: the customers, and the QOS of the settings
}

// NoKnobError is a policy without the settings that are to be tuned.
type NoKnobError struct {
	Policy, Group string
	Known         []string
}

// Error says which settings can be tuned.
func (e *NoKnobError) Error() string {
	if len(e.Known) == 0 {
		return fmt.Sprintf("policy %s has no numbers to tune: expected slurm, or one that has, such as value-bf",
			e.Policy)
	}
	return fmt.Sprintf("policy %s has no settings %q to tune, expected %s", e.Policy, e.Group, text.OneOf(e.Known))
}

// newBoard returns the knobs of the policy slurm by groups of settings, or the numeric
// options of another policy.
func newBoard(s *Subject, today Policy, vary []string) (*board, error) {
	b, groups := &board{today: today, vary: vary}, tuneGroups()
	if today.Spec.Name == slurmName {
		b.slurm(s)
	} else {
		groups = nil
		for _, o := range today.Spec.Options {
			if o.Number {
				groups = append(groups, o.Name)
				now := cmp.Or(today.Settings.Number(o.Name), 1)
				b.add(o.Name, o.Name, "", decades(math.Pow10(int(math.Floor(math.Log10(now)))-3), 7)...)
			}
		}
	}
	for _, g := range vary {
		if !slices.Contains(groups, g) {
			return nil, &NoKnobError{today.Spec.Name, g, groups}
		}
	}
	if len(b.knobs) == 0 {
		return nil, &NoKnobError{today.Spec.Name, strings.Join(vary, ", "), groups}
	}
	return b, nil
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

// add adds a knob with today's value and the valid ones of others, in ascending order. The
// value "" is no limit, and comes last; without it, a setting that is not given is the first
// of the others.
func (b *board) add(group, name, needs string, values ...string) {
	if b.vary != nil && !slices.Contains(b.vary, group) {
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
	if len(list) > 1 {
		b.knobs = append(b.knobs, knob{name, list, slices.Index(list, now), needs})
	}
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
	b.frame = policy.Settings{}
	qos := number(b.setting("PriorityWeightQOS"))
	if qos == 0 {
		qos = 1e5
		b.frame["PriorityWeightQOS"] = text.Field(qos)
	}
	if b.setting("PriorityType") == "basic" {
		b.frame["PriorityType"] = "multifactor"
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
	units := float64(s.Nodes())
	for _, name := range b.qos {
		none := func(field string, most float64) string { // lifts a limit of a file
			if _, read := b.today.Settings[policy.FromFile+"qos."+name+"."+field]; read {
				return text.Field(most)
			}
			return ""
		}
		b.add("qos", "qos."+name+".Priority", "", decades(1, 4)[:11]...)
		limits := []string{none("GrpTRES", units)}
		for eighth := 1.0; eighth < 8 && !s.unlike(); eighth++ {
			if limit := math.Floor(eighth / 8 * units); limit >= widest[name] {
				limits = append(limits, text.Field(limit))
			}
		}
		b.add("limits", "qos."+name+".GrpTRES", "", limits...)
		if s.logged() { // generated jobs have no users
			limits[0] = none("MaxTRESPerUser", units)
			b.add("limits", "qos."+name+".MaxTRESPerUser", "", limits...)
			b.add("limits", "qos."+name+".MaxJobsPerUser", "",
				append(decades(1, 3)[1:8], none("MaxJobsPerUser", 1e6))...)
		}
	}
	const hour, day = 60, 24 * 60 // minutes
	b.add("age", "PriorityWeightAge", "", weights...)
	b.add("age", "PriorityMaxAge", "PriorityWeightAge",
		ladder(hour, 3*hour, 12*hour, day, 3*day, 7*day, 14*day, 30*day)...)
	b.add("size", "PriorityWeightJobSize", "", weights...)
	b.add("size", "PriorityFavorSmall", "PriorityWeightJobSize", "no", "yes")
	if b.setting("PriorityFlags") == "" {
		b.add("size", "PriorityFlags", "PriorityWeightJobSize", "", "SMALL_RELATIVE_TO_TIME")
	}
	b.add("fairshare", "PriorityWeightFairshare", "", weights...)
	b.add("fairshare", "PriorityDecayHalfLife", "PriorityWeightFairshare",
		ladder(day, 3*day, 7*day, 14*day, 30*day)...)
}

func ladder(list ...int) []string { return text.Each(list, strconv.Itoa) }

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
