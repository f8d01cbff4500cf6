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

// slurmName is the policy whose settings Slurm's names are known of.
const slurmName = "slurm"

// TuneGroups are the groups of settings of the policy slurm that Tune may vary.
func TuneGroups() []string { return []string{"qos", "age", "size", "fairshare", "limits"} }

// board is the knobs that a tuning may turn.
type board struct {
	vary  []string // groups; nil: all
	today Policy
	knobs []knob
	frame policy.Settings
}

// NoKnobError is a policy without the settings that are to be tuned.
type NoKnobError struct{ Policy, Group string }

// Error says which settings can be tuned.
func (e *NoKnobError) Error() string {
	if e.Group != "" {
		return fmt.Sprintf("policy %s has nothing to tune under %q: expected %s, or the numeric options of another policy",
			e.Policy, e.Group, strings.Join(TuneGroups(), ", "))
	}
	return fmt.Sprintf("policy %s has no numbers to tune: expected slurm, or a policy with numeric options such as value-bf", e.Policy)
}

// newBoard lists the knobs of a policy.
func newBoard(s *Subject, today Policy, vary []string) (*board, error) {
	b := &board{vary: vary, today: today}
	groups := TuneGroups()
	if today.Spec.Name == slurmName {
		b.slurm(s)
	} else {
		groups = nil
		for _, o := range today.Spec.Options {
			if o.Number {
				groups = append(groups, o.Name)
				b.add(o.Name, o.Name, "", decades(-3, 3, math.Pow10(int(math.Floor(math.Log10(cmp.Or(today.Settings.Number(o.Name), 1))))))...)
			}
		}
	}
	for _, g := range vary {
		if !slices.Contains(groups, g) {
			return nil, &NoKnobError{today.Spec.Name, g}
		}
	}
	if b.knobs == nil {
		return nil, &NoKnobError{Policy: today.Spec.Name}
	}
	return b, nil
}

// decades returns 0 and 1, 2 and 5 times powers of ten times a scale.
func decades(from, to int, scale float64) []string {
	list := []string{"0"}
	for e := from; e <= to; e++ {
		for _, digit := range []float64{1, 2, 5} {
			list = append(list, text.Field(digit*math.Pow10(e)*scale))
		}
	}
	return list
}

// now returns today's value of a setting, "" if it has none.
func (b *board) now(name string) string {
	s := b.today.Settings
	byDefault := ""
	for _, o := range b.today.Spec.Options {
		if o.Name == name {
			byDefault = o.Values[0]
		}
	}
	if value, ok := s[name]; ok && value != byDefault {
		return value
	}
	return cmp.Or(s[policy.FromFile+name], byDefault)
}

// add adds a knob with today's value and other ones that are valid, in ascending order. No
// value is no limit.
func (b *board) add(group, name, needs string, values ...string) {
	if b.vary != nil && !slices.Contains(b.vary, group) {
		return
	}
	now := b.now(name)
	values = slices.DeleteFunc(append(values, now), func(v string) bool {
		_, err := b.today.Spec.Resolve(policy.Settings{name: v})
		return v != "" && err != nil
	})
	size := func(v string) float64 {
		x, err := strconv.ParseFloat(v, 64)
		if err != nil {
			return math.Inf(1)
		}
		return x
	}
	slices.SortStableFunc(values, func(a, b string) int { return cmp.Compare(size(a), size(b)) })
	values = slices.CompactFunc(values, func(a, b string) bool { return a == b })
	if len(values) > 1 {
		b.knobs = append(b.knobs, knob{name, values, slices.Index(values, now), needs})
	}
}

// parties returns the QOS that jobs may have: those of the settings, and the customers.
func (b *board) parties(s *Subject) []string {
	list := s.Names()
	for _, name := range slices.Sorted(maps.Keys(b.today.Settings)) {
		rest, ok := strings.CutPrefix(strings.TrimPrefix(name, policy.FromFile), "qos.")
		if dot := strings.LastIndex(rest, "."); ok && dot > 0 && !slices.Contains(list, rest[:dot]) {
			list = append(list, rest[:dot])
		}
	}
	return list
}

// slurm adds the knobs of the policy slurm. Weights are relative to that of QOS.
func (b *board) slurm(s *Subject) {
	qos := 1e5
	if x, err := strconv.ParseFloat(b.now("PriorityWeightQOS"), 64); err == nil && x > 0 {
		qos = x
	} else {
		b.frame = policy.Settings{"PriorityWeightQOS": text.Field(qos)}
	}
	weights := []string{"0"}
	for _, share := range []float64{0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10} {
		weights = append(weights, text.Field(math.Round(share*qos)))
	}
	widest, units := s.widest(), float64(s.Nodes())
	for _, name := range b.parties(s) {
		b.add("qos", "qos."+name+".Priority", "", decades(0, 3, 1)[:11]...)
		if s.unlike() {
			continue
		}
		limits := []string{""}
		for eighth := 1.0; eighth < 8; eighth++ {
			if limit := math.Floor(eighth / 8 * units); limit >= widest[name] {
				limits = append(limits, text.Field(limit))
			}
		}
		b.add("limits", "qos."+name+".GrpTRES", "", limits...)
		if s.logged() { // generated jobs have no users
			b.add("limits", "qos."+name+".MaxTRESPerUser", "", limits...)
			b.add("limits", "qos."+name+".MaxJobsPerUser", "", "", "1", "2", "5", "10", "20", "50", "100")
		}
	}
	b.add("age", "PriorityWeightAge", "", weights...)
	b.add("age", "PriorityMaxAge", "PriorityWeightAge", "60", "180", "720", "1440", "4320", "10080", "20160", "43200")
	b.add("size", "PriorityWeightJobSize", "", weights...)
	b.add("size", "PriorityFavorSmall", "PriorityWeightJobSize", "no", "yes")
	if b.now("PriorityFlags") == "" {
		b.add("size", "PriorityFlags", "PriorityWeightJobSize", "", "SMALL_RELATIVE_TO_TIME")
	}
	b.add("fairshare", "PriorityWeightFairshare", "", weights...)
	b.add("fairshare", "PriorityDecayHalfLife", "PriorityWeightFairshare", "1440", "4320", "10080", "20160", "43200")
}

// logged reports whether the jobs are those of a log.
func (s *Subject) logged() bool { return s.Trace != nil && !model.Generated(s.Scenario.Trace.File) }

// starts returns places to begin with: priorities of QOS by the value that customers lose
// with a second of wait for each unit-second of work, by themselves and together with a
// preference for small jobs, for short ones or for old ones.
func (b *board) starts(s *Subject) [][]int {
	losses := s.losses()
	most := slices.Max(append(slices.Collect(maps.Values(losses)), 0))
	place := text.Each(b.knobs, func(k knob) int { return k.now })
	set := func(places []int, name string, wanted float64) {
		for i, k := range b.knobs {
			if k.name != name {
				continue
			}
			away := func(v string) float64 {
				x, err := strconv.ParseFloat(v, 64)
				if err != nil || wanted == 0 {
					return math.Abs(x - wanted)
				}
				return math.Abs(math.Log(math.Max(x, 1e-9) / wanted))
			}
			for at, v := range k.values {
				if away(v) < away(k.values[places[i]]) {
					places[i] = at
				}
			}
		}
	}
	for name, loss := range losses {
		if most > 0 {
			set(place, "qos."+name+".Priority", 1000*loss/most)
		}
	}
	list := [][]int{place}
	for _, also := range []string{"PriorityFavorSmall", "PriorityFlags", "PriorityWeightAge"} {
		places, weight := slices.Clone(place), "PriorityWeightJobSize"
		for i, k := range b.knobs {
			switch {
			case k.name == also && k.needs == "":
				weight = also
			case k.name == also:
				places[i] = slices.Index(k.values, map[string]string{"PriorityFavorSmall": "yes",
					"PriorityFlags": "SMALL_RELATIVE_TO_TIME"}[also])
			}
		}
		set(places, weight, 1e4)
		list = append(list, places)
	}
	return list
}

// lookedAt is how many jobs are looked at.
const lookedAt = 100_000

// look shows the first jobs of the workload by the name of their customers.
func (s *Subject) look(see func(name string, j *simulate.Job)) {
	jobs, err := s.Workload.Jobs(s.seed, 0)
	if err != nil {
		return
	}
	if c, ok := jobs.(io.Closer); ok {
		defer c.Close()
	}
	all := names(s.Workload.Customers())
	var j simulate.Job
	for range lookedAt {
		if ok, err := jobs.Next(&j); !ok || err != nil {
			return
		}
		if j.Class >= 0 && j.Class < len(all) {
			see(all[j.Class], &j)
		}
	}
}

// losses returns the value that the jobs of each customer lose with a second of wait for each
// unit-second of work, $.
func (s *Subject) losses() map[string]float64 {
	decay, area := map[string]float64{}, map[string]float64{}
	s.look(func(name string, j *simulate.Job) {
		v := j.Value
		if decay[name] += v.Decay; v.Hard && v.Due > 0 {
			decay[name] += v.Price / v.Due
		}
		area[name] += j.Work * float64(j.Width)
	})
	for name := range decay {
		decay[name] /= math.Max(area[name], 1)
	}
	return decay
}

// widest returns the width of the widest job of each customer.
func (s *Subject) widest() map[string]float64 {
	most := map[string]float64{}
	s.look(func(name string, j *simulate.Job) { most[name] = math.Max(most[name], float64(j.Width)) })
	return most
}
