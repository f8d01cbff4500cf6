package slurm

import (
	"cmp"
	_ "embed"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"revopt/internal/text"
	"revopt/model"
	"revopt/model/scenario"
	"revopt/simulate/policy"
)

//go:embed tuned.md
var tunedPage string

//go:embed qos.sh
var qosScript string

// Tuned is an export of settings of the policy slurm.
type Tuned struct {
	*Export
	Unit    string      // of the machine, which limits count: node, core, gpu ...
	Modify  bool        // QOS that exist are changed too
	Command string      // that makes the files
	Effects *text.Table // what changes for whom
	Gain    string      // a sentence on all customers together
	changes []setting
	exists  map[string]bool     // QOS of the files, in this program
	qos     map[string][]string // names in Slurm by customer
}

// setting is a setting that changes, of a QOS, account, user, partition or customer (nice) if
// it has a kind. The former value is "" if it is not known.
type setting struct{ label, kind, name, field, from, to string }

// Rounded returns settings whose weights, priorities and shares are whole numbers of three
// digits and zeros. Those of files stay.
func Rounded(given policy.Settings) policy.Settings {
	all := maps.Clone(given)
	for name, value := range given {
		x, err := strconv.ParseFloat(value, 64)
		field := name[strings.LastIndex(name, ".")+1:]
		short := strings.HasPrefix(field, "PriorityWeight") ||
			slices.Contains([]string{"Priority", "PriorityJobFactor", "Fairshare"}, field)
		if err == nil && x > 0 && short && !strings.HasPrefix(name, policy.FromFile) {
			unit := math.Max(1, math.Pow(10, math.Floor(math.Log10(x))-2))
			all[name] = strconv.FormatFloat(math.Max(1, unit*math.Round(x/unit)), 'f', 0, 64)
		}
	}
	return all
}

// NewTuned returns an export of the settings that differ from files, else from the defaults. A name that
// Slurm cannot have is a *scenario.Error.
func NewTuned(x *Export, file string, spec policy.Spec, given policy.Settings) (*Tuned, error) {
	t := &Tuned{Export: x, exists: map[string]bool{}, qos: x.qosNames()}
	options, byDefault := confOptions(spec), map[string]string{}
	for _, o := range spec.Options {
		byDefault[o.Name] = o.Values[0]
	}
	weighs, preempts := false, false
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if qos, ok := strings.CutPrefix(name, policy.FromFile+"qos."); ok {
			t.exists[qos[:max(0, strings.LastIndex(qos, "."))]] = true
		}
		plain, scalar := byDefault[name]
		s := setting{label: name, field: name, from: cmp.Or(given[policy.FromFile+name], plain), to: given[name]}
		if s.from == s.to || strings.HasPrefix(name, policy.FromFile) ||
			scalar && options[strings.ToLower(name)] == "" {
			continue
		}
		if !scalar {
			s.kind, s.name, _ = strings.Cut(name, ".")
			if dot := strings.LastIndex(s.name, "."); s.kind != "nice" && dot >= 0 {
				s.name, s.field = s.name[:dot], s.name[dot+1:]
			}
			if bad := t.unknown(s); bad != "" {
				return nil, &scenario.Error{File: file, Message: bad}
			}
		}
		weighs, preempts = weighs || strings.HasPrefix(name, "PriorityWeight"), preempts || s.field == "Preempt"
		t.changes = append(t.changes, s)
	}
	if clash := t.clash(); clash != "" {
		return nil, &scenario.Error{File: file, Message: clash}
	}
	if t.changes == nil {
		return nil, &scenario.Error{File: file, Message: "expected settings of policy slurm that change something," +
			" as in --policy slurm:PriorityWeightQOS=1000:qos.gold.Priority=100"}
	}
	// Slurm's own defaults of these leave the others without effect, unless a file states them.
	for name, used := range map[string]bool{"PriorityType": weighs, "PreemptType": preempts} {
		if _, read := given[policy.FromFile+name]; used && !read && given[name] == byDefault[name] {
			t.changes = append(t.changes, setting{label: name, field: name, to: given[name]})
		}
	}
	// QOS that others preempt are there when these are set.
	last := func(s setting) string { return fmt.Sprint(s.field == "Preempt", s.kind, ".", s.label) }
	slices.SortFunc(t.changes, func(a, b setting) int { return strings.Compare(last(a), last(b)) })
	return t, nil
}

// unknown rejects a name in a setting that Slurm cannot have. The QOS of a customer has
// another name, and nice is not for Slurm.
func (t *Tuned) unknown(s setting) (why string) {
	names := []string{s.name}
	if s.field == "Preempt" || s.field == "Parent" {
		names = append(names, strings.Split(s.to, "+")...)
	}
	for _, name := range names {
		if s.kind != "nice" && (s.kind != "qos" || t.qos[name] == nil) {
			why = cmp.Or(why, noName(s.kind, name))
		}
	}
	return why
}

// clash says which two settings are of one thing in Slurm and differ.
func (t *Tuned) clash() string {
	seen := map[string]setting{}
	for _, s := range t.changes {
		if s.kind == "" || s.kind == "nice" {
			continue
		}
		for _, name := range t.inSlurm(s.kind, s.name) {
			key := s.kind + " " + name + " " + s.field
			if other, ok := seen[key]; ok && other.to != s.to {
				return fmt.Sprintf("expected one value of %s of %s %s in Slurm, got %s=%s and %s=%s", s.field, s.kind,
					text.OneLine(name), text.OneLine(other.label), other.to, text.OneLine(s.label), s.to)
			}
			seen[key] = s
		}
	}
	return ""
}

// inSlurm returns the names in Slurm of a QOS, account, user or partition.
func (t *Tuned) inSlurm(kind, name string) []string {
	switch names := t.qos[name]; {
	case kind == "qos" && names != nil:
		return names
	case kind == "partition":
		for _, pool := range t.pools {
			if pool.Name == name && pool.Of != nil && len(pool.Of.Partitions) > 0 {
				return text.Each(pool.Of.Partitions, func(p model.Party) string { return text.OneLine(p.Name) })
			}
		}
	}
	return []string{party{key: kind}.slurm(name)}
}

// conf returns the lines of slurm.conf, with the former values as comments.
func (t *Tuned) conf() (lines []string) {
	var parameters, before []string
	for _, s := range t.changes {
		line, was := s.field+"="+confValue(s.field, s.to), ""
		if s.from != "" {
			was = " # was " + s.from
		}
		switch {
		case s.kind == "partition":
			for _, name := range t.inSlurm("partition", s.name) {
				lines = append(lines, "# at PartitionName="+name+": "+line+was)
			}
		case s.kind != "":
		case s.field[0] < 'a': // those of SchedulerParameters begin with small letters
			lines = append(lines, line+was)
		default:
			before = append(before, s.field+"="+s.from)
			if s.to != "false" {
				parameters = append(parameters, strings.TrimSuffix(line, "=true"))
			}
		}
	}
	if before != nil {
		lines = append(lines, "# SchedulerParameters is one line: keep your others in it. These were "+
			strings.Join(before, ","), "SchedulerParameters="+strings.Join(parameters, ","))
	}
	return lines
}

// confValue is a value as slurm.conf has it. The policy has 0 for no limit, and Slurm its
// largest number.
func confValue(name, value string) string {
	written := map[string]string{
		"bf_interval=0": "1", "bf_window=0": "43200", "bf_max_job_test=0": "1000000",
		"default_queue_depth=0": "1000000",
		"PreemptMode=suspend":   "suspend,gang",
	}[name+"="+value]
	plugin := map[string]string{"PriorityType": "priority/", "PreemptType": "preempt/"}[name]
	return plugin + cmp.Or(written, strings.ReplaceAll(value, "+", ","))
}

// commands returns the commands of qos.sh, and those that undo them: with the former values,
// else with values without effect, or by deleting a new QOS.
func (t *Tuned) commands() (do, undo []string) {
	neutral := map[string]string{"Priority": "0", "GraceTime": "0", "Fairshare": "1", "UsageFactor": "1",
		"Parent": "root", "PreemptMode": "cluster", "Preempt": " "} // no limit is -1
	changed := map[string]bool{} // QOS
	for _, s := range t.changes {
		changed[s.name] = changed[s.name] || s.kind == "qos"
		for _, plain := range t.inSlurm(s.kind, s.name) {
			name := shellWord(plain)
			modify := fmt.Sprintf("sacctmgr -i modify %s where name=%s set ", s.kind, name)
			set := shellWord(s.field + "=" + t.managed(s.field, s.to))
			back := modify + shellWord(s.field+"="+strings.TrimSpace(
				t.managed(s.field, cmp.Or(s.from, neutral[s.field], "-1"))))
			switch s.kind {
			case "account", "user":
				do = append(do, modify+set)
			case "qos":
				do = append(do, "qos "+name+" "+set)
				if s.from == "" && !t.Modify {
					back = fmt.Sprintf("grep -q %s qos.before; test $? = 1 && sacctmgr -i delete qos where name=%s",
						shellWord("^"+plain+"|"), name)
				}
			default:
				continue
			}
			if !slices.Contains(undo, back) {
				undo = append(undo, back)
			}
		}
	}
	given := map[string]bool{} // accounts and users with a default QOS
	for _, c := range t.whole {
		if !changed[c.Name] || c.queues() != nil {
			continue
		}
		qos, list := t.qos[c.Name][0], members(cmp.Or(c.Of, &model.Selector{}))
		for _, where := range list {
			byDefault := where + " defaultqos=" + qos
			if given[where] {
				byDefault = "# it has a default QOS already: sbatch --qos=" + qos
			}
			given[where] = true
			do = append(do, where+" qos+="+qos, byDefault)
			undo = append([]string{where + " defaultqos=-1", where + " qos-=" + qos}, undo...)
		}
		if list == nil {
			do = append(do, fmt.Sprintf("# no account or user identifies the jobs of %s: ask for it by sbatch --qos=%s",
				text.OneLine(c.Name), qos))
		}
	}
	return do, undo
}

// managed is a value as sacctmgr has it.
func (t *Tuned) managed(field, value string) string {
	switch {
	case strings.Contains(field, "TRES"):
		return cmp.Or(map[string]string{"node": "node", "gpu": "gres/gpu"}[t.Unit], "cpu") + "=" + value
	case field != "Preempt":
		return value
	}
	return strings.Join(text.Each(strings.Split(value, "+"), func(name string) string {
		return strings.Join(t.inSlurm("qos", name), ",")
	}), ",")
}

// Write writes the files into a directory, which is created, and returns their names: qos.sh
// if something is for sacctmgr, job_submit.lua if there is an admission.
func (t *Tuned) Write(dir string) ([]string, error) {
	version, name := text.OneLine(t.Options.Version), text.OneLine(t.Scenario)
	files := map[string]string{}
	do, undo := t.commands()
	if do != nil {
		modify := map[bool]string{true: "yes", false: "no"}[t.Modify]
		files["qos.sh"] = fmt.Sprintf(qosScript, version, name, modify) + strings.Join(do, "\n") + "\n"
	}
	if lines := t.conf(); lines != nil {
		files["priorities.conf"] = fmt.Sprintf("# Settings by revopt %s for scenario %s, for slurm.conf.\n%s\n",
			version, name, strings.Join(lines, "\n"))
	}
	if t.Origin != "" {
		files["job_submit.lua"] = t.Script()
	}
	changes := text.NewTable("setting", "now", "then")
	changes.Whole = true
	var stay, asked []string // QOS that exist, and the options of sbatch for all
	var notes string
	for _, s := range t.changes {
		changes.Row(s.label, cmp.Or(s.from, "-"), s.to)
		for _, plain := range t.inSlurm(s.kind, s.name) {
			if s.kind == "qos" && !slices.Contains(asked, "`sbatch --qos="+plain+"`") {
				asked = append(asked, "`sbatch --qos="+plain+"`")
				if t.exists[plain] && !t.Modify {
					stay = append(stay, plain)
				}
			}
		}
		if s.kind == "nice" {
			notes += fmt.Sprintf("- Submit the jobs of %s with `--nice=%s`.\n", text.OneLine(s.name), s.to)
		} else if strings.Contains(s.field, "TRES") && t.Unit == "unit" {
			notes += fmt.Sprintf("- In qos.sh %s limits CPUs; the simulation limits the units of all pools together.\n",
				text.OneLine(s.label))
		}
	}
	indented := func(lines string) string {
		return "    " + strings.ReplaceAll(strings.TrimSpace(lines), "\n", "\n    ")
	}
	var left strings.Builder
	if stay != nil {
		fmt.Fprintf(&left, "\n\nThese QOS exist, so qos.sh leaves them as they are, unlike the simulation: %s. Add "+
			"`--modify-existing` to\nthe command to change them.", strings.Join(stay, ", "))
	}
	if asked != nil {
		notes = fmt.Sprintf("- The simulation gives every job of a customer its QOS. In Slurm a job has it by %s, "+
			"or as the\n  default QOS of its account or user, which qos.sh sets where the scenario names these.\n",
			strings.Join(asked, ", ")) + notes
	}
	files["README.md"] = fmt.Sprintf(tunedPage, version, name, text.OneLine(t.Command),
		indented(changes.String())+left.String(), indented(t.Effects.String()), text.OneLine(t.Gain),
		indented(cmp.Or(strings.Join(undo, "\n"), "# none")), notes+t.warnings())
	names := slices.Sorted(maps.Keys(files))
	return names, writeInto(dir, names, files)
}
