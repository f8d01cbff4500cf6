package slurm

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"revopt/internal/text"
	"revopt/simulate"
	"revopt/simulate/policy"
)

// Specs returns Slurm's own rules.
func Specs() []policy.Spec {
	return []policy.Spec{{
		Name: "slurm", Title: "Slurm",
		Summary: "Slurm: multifactor priority, backfilling, fair share, limits, preemption by QOS",
		Options: optionList(), More: namedOption, Needs: policy.Needs{Alike: true}, Runs: policy.Slurm, Cost: 1e-5,
		Limited: true,
		Make: func(s policy.Settings, c policy.Context) ([]simulate.Policy, simulate.Router, error) {
			return text.Each(newPools(s, c), func(p *Slurmctld) simulate.Policy { return p }), nil, nil
		},
		Preempting: func(s policy.Settings) bool { return newRules(s).preempting }, Agree: noCircle,
	}}
}

// noCircle refuses QOS that preempt each other, as Slurm does.
func noCircle(s policy.Settings) error {
	qos := newRules(s).qos
	for _, name := range slices.Sorted(maps.Keys(qos)) {
		if option := "qos." + name + ".Preempt"; qos[name].level == len(qos) {
			return &policy.OptionError{
				Policy: "slurm", Option: option, Value: s[option], Want: "no circle of QOS that preempt each other",
			}
		}
	}
	return nil
}

// optionList are the options without names of QOS, accounts, users or partitions. Names,
// units and defaults are those of slurm.conf of Slurm 22.05, except that the default
// PriorityType and PreemptType are the ones under which the other settings have an effect.
// Without these settings there is no difference.
func optionList() []policy.Option {
	list := []policy.Option{
		policy.ReadOption("conf", "", policy.AnyText), policy.ReadOption("qos", "", policy.AnyText),
		policy.ReadOption("assoc", "", policy.AnyText),
		policy.ReadOption("PriorityType", "multifactor", plugin("priority/", "multifactor", "basic")),
		weight("Age"), weight("Assoc"), weight("Fairshare"), weight("JobSize"), weight("Partition"), weight("QOS"),
		policy.ReadOption("PriorityMaxAge", "10080", timeIn(60)),
		policy.ReadOption("PriorityDecayHalfLife", "10080", timeIn(60)),
		policy.ReadOption("PriorityCalcPeriod", "5", whole(0)),
		policy.ReadOption("PriorityFavorSmall", "no", plugin("", "no", "yes")),
		policy.ReadOption("PriorityFlags", "", readFlags),
		policy.ReadOption("bf_interval", "30", whole(-1)), policy.ReadOption("bf_window", "1440", whole(0)),
		policy.ReadOption("bf_window_linear", "0", whole(0)),
		policy.ReadOption("bf_resolution", "60", whole(1)), policy.ReadOption("bf_max_job_test", "500", whole(0)),
		policy.ReadOption("bf_max_job_user", "0", whole(0)),
		policy.ReadOption("bf_job_part_count_reserve", "0", whole(0)),
		policy.ReadOption("bf_min_prio_reserve", "0", whole(0)),
		{Name: "bf_continue", Values: []string{"false", "true"}},
		policy.ReadOption("sched_interval", "60", whole(1)), policy.ReadOption("default_queue_depth", "100", whole(0)),
		{Name: "defer", Values: []string{"false", "true"}},
		policy.ReadOption("PreemptType", "qos", plugin("preempt/", "qos", "none")),
		policy.ReadOption("PreemptMode", "off", mode("off")),
	}
	return append(list, policy.TermOptions()...)
}

// namedOption returns the option of a name such as qos.gold.Priority, account.physics.Fairshare,
// user.ann.Priority, partition.gpu.PriorityJobFactor or nice.students. The name of the
// option is the one of several names of a field that settings have.
func namedOption(name string) (policy.Option, bool) {
	kind, rest, _ := strings.Cut(name, ".")
	if kind == "nice" && rest != "" {
		return policy.ReadOption(name, "0", whole(math.MinInt32)), true
	}
	dot := strings.LastIndex(rest, ".")
	if dot < 1 {
		return policy.Option{}, false
	}
	field := lineField(rest[dot+1:])
	read := lineReader(kind + "." + field)
	return policy.ReadOption(kind+"."+rest[:dot+1]+field, "", read), read != nil
}

// lineField returns the field that a column of sacctmgr abbreviates, or else the column.
func lineField(column string) string {
	return cmp.Or(map[string]string{
		"MaxTRESPU": "MaxTRESPerUser", "MaxJobsPU": "MaxJobsPerUser", "MaxSubmitPU": "MaxSubmitJobsPerUser",
		"MaxSubmitJobsPU": "MaxSubmitJobsPerUser", "MaxSubmit": "MaxSubmitJobs", "Share": "Fairshare",
		"ParentName": "Parent", "MinPrioThres": "MinPrioThreshold", "MinPrioThresh": "MinPrioThreshold",
	}[column], column)
}

// lineReader returns how the value of a field is read, nil for an unknown field.
func lineReader(field string) policy.Reader {
	switch field {
	case "qos.Priority", "qos.GrpJobs", "qos.MaxJobsPerUser", "qos.MaxSubmitJobsPerUser", "account.GrpJobs",
		"account.MaxJobs", "account.MaxSubmitJobs", "user.MaxJobs", "user.MaxSubmitJobs", "partition.PriorityJobFactor",
		"qos.MinPrioThreshold":
		return whole(0)
	case "qos.GrpTRES", "qos.MaxTRESPerUser", "account.GrpTRES":
		return units
	case "account.Priority", "user.Priority":
		return inherited
	case "qos.UsageFactor", "user.Fairshare":
		return number
	case "account.Fairshare":
		return shares
	case "account.Parent":
		return policy.AnyText
	case "qos.Preempt", "user.Account":
		return listOf
	case "qos.PreemptMode":
		return mode("cluster", "off")
	case "qos.GraceTime":
		return timeIn(1)
	}
	return nil
}

// plugin reads one of some words in any case, with or without a prefix.
func plugin(prefix string, words ...string) policy.Reader {
	return func(value string) (string, string) {
		word := strings.TrimPrefix(strings.ToLower(value), prefix)
		if slices.Contains(words, word) {
			return word, ""
		}
		return "", prefix + strings.Join(words, " or "+prefix)
	}
}

// mode reads a way to preempt, or one of some other words. Gang scheduling is not simulated.
func mode(words ...string) policy.Reader {
	read := plugin("", append(words, "cancel", "requeue", "suspend")...)
	return func(value string) (string, string) {
		value = strings.ToLower(value)
		return read(strings.TrimPrefix(strings.TrimSuffix(value, ",gang"), "gang,"))
	}
}

// weight returns the option of a weight, which has 32 bits in Slurm.
func weight(factor string) policy.Option {
	return policy.Option{Name: "PriorityWeight" + factor, Values: []string{"0"}, Number: true, Below: 1 << 32}
}

// whole reads a whole number of 32 bits of at least the given one.
func whole(least int64) policy.Reader {
	most := int64(math.MaxInt32)
	if least >= 0 {
		most = math.MaxUint32
	}
	return func(value string) (string, string) {
		n, err := strconv.ParseInt(value, 10, 64)
		if err == nil && n >= least && n <= most {
			return strconv.FormatInt(n, 10), ""
		}
		return "", fmt.Sprintf("a whole number from %d to %d", least, most)
	}
}

// inherited reads a whole number of 32 bits of at least 0, or -1: the number of the account above.
func inherited(value string) (string, string) {
	if value == "-1" {
		return value, ""
	}
	canonical, want := whole(0)(value)
	if want != "" {
		want += ", or -1"
	}
	return canonical, want
}

// number reads a number of at least 0.
func number(value string) (string, string) { return policy.NumberOption("", "0").Canonical(value) }

// shares reads the shares of an account, or parent, which hands its members to its parent.
func shares(value string) (string, string) {
	if strings.EqualFold(value, "parent") {
		return "parent", ""
	}
	canonical, want := number(value)
	if want != "" {
		want += ", or parent"
	}
	return canonical, want
}

// split cuts a list at commas, and at + because commas separate policies.
func split(value string) []string {
	return strings.FieldsFunc(value, func(r rune) bool { return r == ',' || r == '+' || r == ' ' })
}

func listOf(value string) (string, string) { return strings.Join(split(value), "+"), "" }

// readFlags reads known PriorityFlags. The last six have no effect in a simulation, which has no weights of TRES.
func readFlags(value string) (string, string) {
	known := []string{
		"NO_FAIR_TREE", "SMALL_RELATIVE_TO_TIME", "NO_NORMAL_ALL", "NO_NORMAL_ASSOC", "NO_NORMAL_PART", "NO_NORMAL_QOS",
		"FAIR_TREE", "ACCRUE_ALWAYS", "CALCULATE_RUNNING", "MAX_TRES", "MAX_TRES_GRES", "NO_NORMAL_TRES",
	}
	list := split(strings.ToUpper(value))
	for _, flag := range list {
		if !slices.Contains(known, flag) {
			return "", "flags among " + strings.Join(known, ", ")
		}
	}
	slices.Sort(list)
	return strings.Join(list, "+"), ""
}

// Raw reports whether PriorityFlags say that the priorities of a kind (ASSOC, PART or QOS) are multiplied by their weight
// as they are, not over the largest of them.
func Raw(flags, kind string) bool {
	return slices.ContainsFunc(split(strings.ToUpper(flags)), func(flag string) bool {
		return flag == "NO_NORMAL_ALL" || flag == "NO_NORMAL_"+kind
	})
}

// units reads resources that are all units of the machine: the tightest number counts.
func units(value string) (string, string) {
	const want = "a number of units such as 64, cpu=64, node=64 or gres/gpu=64"
	least := int64(math.MaxInt64)
	for _, item := range split(value) {
		name, count, named := strings.Cut(item, "=")
		if !named {
			name, count = "cpu", item
		}
		n, err := strconv.ParseInt(count, 10, 32)
		if name != "cpu" && name != "node" && name != "gres/gpu" || err != nil || n < 0 {
			return "", want
		}
		least = min(least, n)
	}
	if least == math.MaxInt64 {
		return "", want
	}
	return strconv.FormatInt(least, 10), ""
}

// timeIn reads a time as slurm.conf has it: MIN, MIN:SEC, H:MIN:SEC, D-H, D-H:MIN or
// D-H:MIN:SEC. A number alone is in units of some seconds.
func timeIn(unit int64) policy.Reader {
	return func(value string) (string, string) {
		s, ok := ParseTime(value, unit)
		switch {
		case !ok && unit == 1:
			return "", "a time in seconds, or as DAYS-HOURS:MINUTES:SECONDS"
		case !ok:
			return "", "a time in minutes, or as DAYS-HOURS:MINUTES:SECONDS"
		case s%unit == 0:
			return strconv.FormatInt(s/unit, 10), ""
		}
		return fmt.Sprintf("%d:%02d", s/60, s%60), ""
	}
}

// ParseTime returns the seconds of a time as Slurm writes it: D-HH:MM:SS, D-HH:MM, D-HH, HH:MM:SS, MM:SS, or a
// number of units of so many seconds.
func ParseTime(value string, unit int64) (int64, bool) {
	days, rest, dashed := strings.Cut(value, "-")
	if !dashed {
		days, rest = "0", value
	}
	parts := strings.Split(rest, ":")
	scale := [][]int64{{unit}, {60, 1}, {3600, 60, 1}}
	if dashed {
		scale = [][]int64{{3600}, {3600, 60}, {3600, 60, 1}}
	}
	if len(parts) > len(scale) {
		return 0, false
	}
	d, err := strconv.ParseUint(days, 10, 32)
	sum := int64(d) * 86400
	for i, part := range parts {
		n, bad := strconv.ParseUint(part, 10, 40)
		err = cmp.Or(err, bad)
		sum += int64(n) * scale[len(parts)-1][i]
	}
	return sum, err == nil
}

// seconds returns a setting that is a time, s.
func secondsOf(s policy.Settings, name string, unit int64) float64 {
	t, _ := ParseTime(s[name], unit)
	return float64(t)
}
