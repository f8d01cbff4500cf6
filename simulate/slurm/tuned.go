package slurm

import (
	"cmp"
	_ "embed"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"revopt/internal/text"
	"revopt/model"
	"revopt/model/scenario"
	"revopt/simulate/policy"
	"revopt/simulate/slurm/conf"
	"revopt/simulate/slurm/script"
	"revopt/simulate/slurm/weight"
)

//go:embed tuned.md
var tunedPage string

// Tuned is an export of settings of the policy slurm.
type Tuned struct {
	*Export
	Label   string      // the policy whose schedule the settings make
	Unit    string      // of the machine, which limits count: node, core, gpu ...
	Command string      // that makes the files
	Effects *text.Table // what changes for whom
	Gain    string      // a sentence on all customers together
	Who     string      // who pays: lines of text
	Check   string      // a sentence on a simulation of the files
	Now     []string    // SchedulerParameters of the site; nil if they are not known
	Flags   []string    // PriorityFlags of the site, also those that are not simulated
	changes []setting
	given   policy.Settings
	spec    policy.Spec
	exists  map[string]bool     // QOS of the files, in this program
	qos     map[string][]string // names in Slurm by customer
}

// setting is a setting that changes, of a QOS, account, user, partition or customer (nice) if
// it has a kind. The former value is "" if it is not known.
type setting struct{ label, kind, name, field, from, to string }

// NewTuned returns an export of the settings that differ from files, else from the defaults. A name that
// Slurm cannot have is a *scenario.Error.
func NewTuned(x *Export, file string, spec policy.Spec, given policy.Settings) (*Tuned, error) {
	t := &Tuned{Export: x, Label: spec.Label(given), given: given, spec: spec, exists: map[string]bool{}, qos: x.qosNames()}
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
		cleared := s.to == "-1" && s.from == s.to && strings.HasSuffix(name, ".Priority") // it may be inherited, or its own
		if s.from == s.to && !cleared || strings.HasPrefix(name, policy.FromFile) ||
			!strings.Contains(name, ".") && options[strings.ToLower(name)] == "" {
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
			if names := t.inSlurm(s.kind, s.name); s.kind == "qos" && len(names) == 1 && s.from == "" {
				s.from = given[policy.FromFile+"qos."+names[0]+"."+s.field]
			}
		}
		weighs = weighs || strings.HasPrefix(name, "PriorityWeight") || name == "bf_min_prio_reserve" ||
			s.field == "MinPrioThreshold"
		preempts = preempts || s.field == "Preempt"
		t.changes = append(t.changes, s)
	}
	for _, c := range x.whole {
		if given.Limit() != nil && slices.Contains(t.qos[c.Name], weight.Overdue) {
			why := "expected another name, " + weight.Overdue + " is the QOS of jobs that have waited for longest_wait"
			return nil, &scenario.Error{File: file, Path: "classes." + c.Name, Message: why}
		}
	}
	if clash := t.clash(); clash != "" {
		return nil, &scenario.Error{File: file, Message: clash}
	}
	if passed := t.unseen(); passed != "" {
		x.Warnings = append(x.Warnings, Warning{"passed", passed})
	}
	// Slurm's own defaults of these leave the others without effect, unless a file states them.
	for name, used := range map[string]bool{"PriorityType": weighs, "PreemptType": preempts} {
		state := used || name == "PriorityType" && t.changes == nil // also of settings that are all defaults
		if _, read := given[policy.FromFile+name]; state && !read && given[name] == byDefault[name] {
			t.changes = append(t.changes, setting{label: name, field: name, to: given[name]})
		}
	}
	// QOS that others preempt are there when these are set.
	last := func(s setting) string { return fmt.Sprint(s.field == "Preempt", s.kind, ".", s.label) }
	slices.SortFunc(t.changes, func(a, b setting) int { return strings.Compare(last(a), last(b)) })
	return t, nil
}

// Passed says which QOS of the site come before the default QOS today, and after a QOS of the export then, with their
// priorities; "" if there is none.
func (t *Tuned) Passed() string {
	usual, _ := strconv.ParseFloat(t.value("qos.normal.Priority"), 64)
	var list []string
	for _, name := range t.named("qos") {
		was, read := t.given[policy.FromFile+"qos."+name+".Priority"]
		stays := read && t.value("qos."+name+".Priority") == was
		priority, _ := strconv.ParseFloat(was, 64)
		for _, other := range t.named("qos") {
			then, err := strconv.ParseFloat(t.given["qos."+other+".Priority"], 64)
			if stays && priority > usual && err == nil && then > priority {
				list = append(list, fmt.Sprintf("%s (%s) after %s (%.0f)", name, was, text.OneLine(other), then))
			}
		}
	}
	return strings.Join(list, ", ")
}

// unseen says that QOS of the site, whose priorities count and are not known, may come after QOS of the export; "" if not.
func (t *Tuned) unseen() string {
	today := t.given[policy.FromFile+"PriorityWeightQOS"]
	if today == "" || today == "0" || weight.KnownQOS(t.given) {
		return ""
	}
	var list []string
	for _, s := range t.changes {
		if s.kind == "qos" && s.field == "Priority" {
			list = append(list, text.OneLine(s.name)+" ("+s.to+")")
		}
	}
	if list == nil {
		return ""
	}
	return "jobs of QOS that the site has come after others then, if their priorities are smaller than these: " +
		strings.Join(list, ", ") + "; PriorityWeightQOS=" + today + " today. With --qos, the output of sacctmgr show qos -P, " +
		"they keep their places"
}

// Preempted says that jobs which preempt others would get no reservation: on a real Slurm, jobs of lower priority then
// started on the units that such a job freed, and it waited on. "": the cluster preempts no jobs, or the reservations stay.
func (t *Tuned) Preempted() string {
	kind := strings.TrimPrefix(t.given[policy.FromFile+"PreemptType"], "preempt/")
	for name := range strings.SplitSeq(t.given[policy.FromFile+"conf"], ",") {
		if strings.HasPrefix(name, "PreemptType") { // one that the policy slurm does not simulate
			kind = "another"
		}
	}
	limit := t.given["bf_min_prio_reserve"]
	if kind == "" || kind == "none" || limit == "" || limit == "0" || limit == t.given[policy.FromFile+"bf_min_prio_reserve"] {
		return ""
	}
	return fmt.Sprintf("The cluster preempts jobs, and this export sets bf_min_prio_reserve=%s: a job that preempts "+
		"others then gets no reservation, and jobs of lower priority start on the units that it frees. "+
		"A policy with reservations, such as slurm, does not have this fault.", limit)
}

// Blind returns a setting of slurm.conf that orders jobs, or relies on their priorities, and that changes although no
// slurm.conf of the site is known, as NAME=VALUE; "" if there is none. Weights of the site that nobody has simulated would
// stay in force beside it.
func (t *Tuned) Blind() string {
	if _, known := t.given[policy.FromFile+"PriorityType"]; known {
		return ""
	}
	for _, s := range t.changes {
		if s.kind == "" && (strings.HasPrefix(s.field, "Priority") || s.field == "bf_min_prio_reserve") {
			return s.field + "=" + conf.Value(s.field, s.to)
		}
	}
	return ""
}

// unknown rejects a name in a setting that Slurm cannot have. The QOS of a customer has
// another name, and nice is not for Slurm.
func (t *Tuned) unknown(s setting) (why string) {
	if s.field == "MinPrioThreshold" {
		return "sacctmgr of Slurm 22.05 does not set MinPrioThreshold of QOS: expected bf_min_prio_reserve"
	}
	names := []string{s.name}
	if s.field == "Preempt" || s.field == "Parent" {
		names = append(names, strings.Split(s.to, "+")...)
	}
	for _, name := range names {
		if s.kind != "nice" && (s.kind != "qos" || t.qos[name] == nil) {
			why = cmp.Or(why, conf.NoName(s.kind, name))
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

// conf returns the lines of slurm.conf: what changes, with the former values as comments, and what stays and orders
// jobs. They have all that a simulation needs.
func (t *Tuned) conf() (lines []string) {
	var parameters, before []string
	written := map[string]bool{}
	for _, s := range t.changes {
		line, was := s.field+"="+conf.Value(s.field, s.to), ""
		_, read := t.given[policy.FromFile+s.label]
		if s.from != "" && (read || s.field != "PriorityType" && s.field != "PreemptType") { // whose defaults are not Slurm's
			was = " # was " + s.from
		}
		switch {
		case s.kind == "partition":
			for _, name := range t.inSlurm("partition", s.name) {
				lines = append(lines, "# at PartitionName="+name+": "+line+was)
			}
		case s.kind != "":
		case conf.OfScheduler(s.field):
			before = append(before, s.field+"="+s.from)
			if s.to != "false" {
				parameters = append(parameters, strings.TrimSuffix(line, "=true"))
			}
			written[s.field] = true
		default:
			lines = append(lines, line+was)
			written[s.field] = true
		}
	}
	options := confOptions(t.spec)
	for _, o := range t.spec.Options {
		value, read := t.given[policy.FromFile+o.Name]
		switch {
		case written[o.Name] || options[strings.ToLower(o.Name)] == "":
		case o.Name == "PriorityFlags" && len(t.Flags) > 0:
			lines = append(lines, o.Name+"="+strings.Join(t.Flags, ",")+" # as now")
		case read && conf.OfScheduler(o.Name):
			if t.Now == nil && value != "false" {
				parameters = append(parameters, strings.TrimSuffix(o.Name+"="+conf.Value(o.Name, value), "=true"))
			}
		case read:
			lines = append(lines, o.Name+"="+conf.Value(o.Name, value)+" # as now")
		}
	}
	for _, item := range t.Now {
		if name, _, _ := strings.Cut(item, "="); !written[name] {
			parameters = append(parameters, item)
		}
	}
	if before != nil && t.Now == nil {
		lines = append(lines, "# SchedulerParameters is one line: keep your others in it. These were "+
			strings.Join(before, ","))
	} else if before != nil {
		lines = append(lines, "# was SchedulerParameters="+strings.Join(t.Now, ","))
	}
	if parameters != nil {
		lines = append(lines, "SchedulerParameters="+strings.Join(parameters, ","))
	}
	return lines
}

// former says what undo.sh prints of slurm.conf, as the end of a sentence.
func (t *Tuned) former(files map[string]string) string {
	if files["priorities.conf"] == "" {
		return ""
	} else if t.Now == nil {
		return ".\nThen put your copy of slurm.conf back: this export was made without `--conf`, and does not know its lines"
	}
	return ", and prints the lines of slurm.conf to put back"
}

// shownValue is a value for a person to read: as slurm.conf has it, without the name of a plug-in.
func shownValue(s setting, value string) string {
	if s.kind != "" || value == "" {
		return value
	}
	written := conf.Value(s.field, value)
	return written[strings.Index(written, "/")+1:]
}

// commands returns the commands of qos.sh, and the largest priorities that they assume.
func (t *Tuned) commands() (do []string, top script.Largest) {
	changed := map[string]bool{} // QOS
	for _, s := range t.changes {
		if s.kind != "qos" && s.kind != "account" && s.kind != "user" {
			continue
		}
		changed[s.name] = changed[s.name] || s.kind == "qos"
		switch {
		case s.field != "Priority":
		case s.kind == "qos":
			priority, _ := strconv.Atoi(s.to)
			top.QOS = max(top.QOS, priority)
		default:
			top.Association = max(t.largest("account"), t.largest("user"))
		}
		for _, plain := range t.inSlurm(s.kind, s.name) {
			set := text.ShellQuote(s.field + "=" + t.managed(s.field, s.to))
			if s.kind == "qos" {
				do = append(do, "qos "+text.ShellQuote(plain)+" "+set)
			} else {
				do = append(do, "share "+s.kind+" "+text.ShellQuote(plain)+" "+set)
			}
		}
	}
	for name := range t.exists {
		priority, _ := strconv.Atoi(t.given[policy.FromFile+"qos."+name+".Priority"])
		top.QOS = max(top.QOS, priority)
	}
	given := map[string]bool{} // accounts and users with a default QOS
	for _, c := range append(t.inPools(), t.whole...) {
		if changed[c.Name] && c.queues() == nil {
			do = append(do, t.memberLines(c, t.qos[c.Name][0], given)...)
		}
	}
	return do, top
}

// largest returns the largest priority of those of a kind after the changes.
func (t *Tuned) largest(kind string) (most int) {
	for _, name := range t.named(kind) {
		priority, _ := strconv.Atoi(t.value(kind + "." + name + ".Priority"))
		most = max(most, priority)
	}
	return most
}

// managed is a value as sacctmgr has it.
func (t *Tuned) managed(field, value string) string {
	switch {
	case strings.Contains(field, "TRES"):
		return t.tres() + "=" + value
	case field != "Preempt":
		return value
	}
	return strings.Join(text.Each(strings.Split(value, "+"), func(name string) string {
		return strings.Join(t.inSlurm("qos", name), ",")
	}), ",")
}

// files returns the files without README.md.
func (t *Tuned) files() map[string]string {
	version, name := text.OneLine(t.Options.Version), text.OneLine(t.Scenario)
	files := map[string]string{"qos.txt": t.qosTable()}
	if do, top := t.commands(); do != nil {
		files["qos.sh"] = script.Install(version, name, t.Options.Modify, top, do)
	}
	lines := t.conf()
	if lines != nil {
		files["priorities.conf"] = fmt.Sprintf("# Settings by revopt %s for scenario %s, for slurm.conf.\n%s\n",
			version, name, strings.Join(lines, "\n"))
	}
	files["undo.sh"] = script.Undo(version, t.tres(), lines != nil, t.back(lines))
	if table := t.assocTable(); table != "" {
		files["assoc.txt"] = table
	}
	if t.Origin != "" {
		files["job_submit.lua"] = t.Script()
	}
	if limit := t.given.Limit(); limit != nil {
		files["overdue.sh"] = script.Overdue(version, t.given[policy.LongestWait], weight.Overdue, limit.After)
	}
	return files
}

// back says, line by line, what to do with slurm.conf to undo lines of conf: which to put in place of those of the same
// names, and which to take out. Lines that are as now stay. It is nil if slurm.conf is not known.
func (t *Tuned) back(lines []string) (words []string) {
	if t.Now == nil {
		return nil
	}
	var put, out []string
	for _, line := range lines {
		name, _, _ := strings.Cut(line, "=")
		from, read := t.given[policy.FromFile+name]
		switch {
		case strings.HasPrefix(line, "# at "): // a partition
			if now, was, ok := strings.Cut(line, " # was "); ok {
				put = append(put, now[:strings.LastIndex(now, "=")+1]+was)
			}
		case strings.HasPrefix(line, "#") || strings.HasSuffix(line, " # as now"):
		case name == "SchedulerParameters" && len(t.Now) > 0:
			put = append(put, name+"="+strings.Join(t.Now, ","))
		case read:
			put = append(put, name+"="+conf.Value(name, from))
		default:
			out = append(out, name)
		}
	}
	if put != nil {
		words = append([]string{"Now put these lines into slurm.conf, in place of those of the same names:"}, put...)
	}
	if out != nil {
		words = append(words, "Take these out of slurm.conf, which did not have them: "+strings.Join(out, ", "))
	}
	return append(words, "Other lines of priorities.conf are as they were, and stay.")
}

// Simulated returns the options of the policy slurm that read the files of the export in a directory.
func (t *Tuned) Simulated(dir string) map[string]string {
	options, files := map[string]string{}, t.files()
	for option, name := range map[string]string{"conf": "priorities.conf", "qos": "qos.txt", "assoc": "assoc.txt"} {
		if files[name] != "" {
			options[option] = filepath.Join(dir, name)
		}
	}
	return options
}

// WriteSimulated writes the files that a simulation reads.
func (t *Tuned) WriteSimulated(dir string) error {
	names := slices.Sorted(maps.Values(t.Simulated("")))
	return writeInto(dir, names, t.files())
}

// Write writes the files into a directory, which is created, and returns their names: qos.sh
// if something is for sacctmgr, job_submit.lua if there is an admission.
func (t *Tuned) Write(dir string) ([]string, error) {
	files := t.files()
	files["README.md"] = t.page(files)
	names := slices.Sorted(maps.Keys(files))
	return names, writeInto(dir, names, files)
}

func indented(lines string) string {
	return "    " + strings.ReplaceAll(strings.TrimSpace(lines), "\n", "\n    ")
}

// Stay returns the QOS of the site's files that the policy changes and qos.sh does not.
func (t *Tuned) Stay() (names []string) {
	for _, s := range t.changes {
		for _, plain := range t.inSlurm(s.kind, s.name) {
			if s.kind == "qos" && !t.Options.Modify && t.exists[plain] && !slices.Contains(names, plain) {
				names = append(names, plain)
			}
		}
	}
	return names
}

// page returns README.md.
func (t *Tuned) page(files map[string]string) string {
	changes := text.NewTable("setting", "now", "then")
	changes.Whole = true
	for _, s := range t.changes {
		from := cmp.Or(shownValue(s, s.from), "-")
		if s.from == s.to {
			from = "as above it"
		}
		changes.Row(s.label, from, shownValue(s, s.to))
	}
	left := t.parameters()
	if !t.Options.Modify && files["qos.sh"] != "" {
		left += "\n\nqos.sh makes new QOS only. If QOS, accounts or users that exist would be changed, it says which, changes " +
			"nothing and\nexits with 1. Add `--modify-existing` to the command to change them, with an undo."
	}
	if stay := t.Stay(); stay != nil {
		left += "\n\n**Do not install these files**: QOS " + strings.Join(stay, ", ") +
			" would stay as now beside new ones, which nobody has simulated."
	}
	first := ""
	if files["overdue.sh"] != "" {
		first = "Take overdue.sh out of cron. "
	}
	who := ""
	if t.Who != "" {
		who = "\n" + indented(t.Who) + "\n"
	}
	return fmt.Sprintf(tunedPage, t.cautions(), text.OneLine(t.Options.Version), text.OneLine(t.Scenario),
		text.OneLine(t.Label), text.OneLine(t.Command), indented(changes.String())+left, indented(t.Effects.String()),
		text.OneLine(t.Gain), who, t.check(), t.steps(files), first, t.former(files), t.notes(files)+t.warnings())
}

// notes returns what differs between the simulation and Slurm, a list.
func (t *Tuned) notes(files map[string]string) (notes string) {
	var asked []string // options of sbatch
	for _, s := range t.changes {
		for _, plain := range t.inSlurm(s.kind, s.name) {
			if s.kind == "qos" && plain != weight.Overdue && !slices.Contains(asked, "`sbatch --qos="+plain+"`") {
				asked = append(asked, "`sbatch --qos="+plain+"`")
			}
		}
		if s.kind == "nice" {
			notes += fmt.Sprintf("- Submit the jobs of %s with `--nice=%s`.\n", text.OneLine(s.name), s.to)
		} else if strings.Contains(s.field, "TRES") && t.Unit == "unit" {
			notes += fmt.Sprintf("- In qos.sh %s limits CPUs; the simulation limits the units of all pools together.\n",
				text.OneLine(s.label))
		}
	}
	if asked != nil {
		notes = fmt.Sprintf("- The simulation gives every job of a customer its QOS. In Slurm a job has it by %s, "+
			"or as the\n  default QOS of its account or user, which qos.sh sets where the scenario names these.\n",
			strings.Join(asked, ", ")) + notes
	}
	if t.given["overrun"] != "kill" {
		notes += "- Jobs that exceed their time limits run on in the simulation; Slurm ends them, unless OverTimeLimit is set.\n"
	}
	if files["overdue.sh"] != "" {
		notes += "- longest_wait is no promise: a job that has waited for " + t.given[policy.LongestWait] +
			" goes before the others, and may then wait on for\n  nodes. The table above has the longest waits.\n"
	}
	return notes
}

// check returns the command that simulates the files, and what it has shown.
func (t *Tuned) check() string {
	simulated, paths := "slurm", t.Simulated(".")
	for _, option := range SettingFiles() {
		if path := paths[option]; path != "" {
			simulated += ":" + option + "=" + path
		}
	}
	if t.given.Limit() != nil {
		simulated += ":" + policy.LongestWait + "=" + t.given[policy.LongestWait]
	}
	check := "    revopt simulate SCENARIO --policy " + simulated
	if t.Check != "" {
		check += "\n\n" + strings.ToUpper(t.Check[:1]) + t.Check[1:] + "."
	}
	return check
}

// steps returns what to do to install the files, numbered.
func (t *Tuned) steps(files map[string]string) string {
	list := []string{"Keep a copy of slurm.conf, and of `sacctmgr dump CLUSTER` and `sacctmgr show qos -P`."}
	if files["qos.sh"] != "" {
		list = append(list, "Read qos.sh, then run `sh qos.sh` as an administrator of Slurm: an operator may change accounts, not add\n"+
			"   QOS. It looks at everything first, and changes nothing if a step could not be done. It keeps former values in\n"+
			"   former.txt and may run again. `sacctmgr show qos -P` then prints the values of qos.txt.\n"+
			"   If it ends with an error, stop here: run `sh undo.sh`.")
	}
	if files["priorities.conf"] != "" {
		list = append(list, "Put the lines of priorities.conf into slurm.conf, in place of those of the same names. Limits and QOS also need\n"+
			"   `AccountingStorageEnforce=limits,qos`: if slurm.conf does not have it, limits that nobody enforces today begin\n"+
			"   to hold.")
	}
	if files["priorities.conf"] != "" {
		list = append(list, "Run `scontrol reconfigure`, or restart slurmctld if PriorityType or PreemptType changes. "+
			"`sprio` shows priorities.")
	}
	if files["overdue.sh"] != "" {
		list = append(list, "Run overdue.sh every minute by cron, as an operator of Slurm: it moves jobs that have waited for "+
			t.given[policy.LongestWait]+"\n   into the QOS "+weight.Overdue+".")
	}
	if files["job_submit.lua"] != "" {
		list = append(list, "Check job_submit.lua with `luac5.1 -p job_submit.lua`, copy it beside slurm.conf, add "+
			"`JobSubmitPlugins=lua` to\n   slurm.conf, and restart slurmctld.")
	}
	for i := range list {
		list[i] = fmt.Sprintf("%d. %s", i+1, list[i])
	}
	return strings.Join(list, "\n")
}

// tres returns the name in Slurm of the units of the machine.
func (t *Tuned) tres() string {
	return cmp.Or(map[string]string{"node": "node", "gpu": "gres/gpu"}[t.Unit], "cpu")
}

// qosTable returns the QOS as sacctmgr show qos -P prints them after qos.sh, as far as settings are known.
func (t *Tuned) qosTable() string {
	columns := []string{"Priority"}
	for _, key := range slices.Sorted(maps.Keys(t.given)) {
		key = strings.TrimPrefix(key, policy.FromFile)
		if field := key[strings.LastIndex(key, ".")+1:]; strings.HasPrefix(key, "qos.") && !slices.Contains(columns, field) {
			columns = append(columns, field)
		}
	}
	lines := []string{"Name|" + strings.Join(columns, "|")}
	set := map[string][]string{} // prefixes of settings by the name in Slurm: those of customers first
	for _, name := range t.named("qos") {
		for _, plain := range t.inSlurm("qos", name) {
			prefix := []string{"qos." + name + "."}
			if name == plain {
				set[plain] = append(set[plain], prefix...)
			} else {
				set[plain] = append(prefix, set[plain]...)
			}
		}
	}
	for _, plain := range slices.Sorted(maps.Keys(set)) {
		lines = append(lines, plain+t.row(set[plain], columns))
	}
	return strings.Join(lines, "\n") + "\n"
}

// assocTable returns accounts and users as sacctmgr show assoc -P prints them; "" without settings of them.
func (t *Tuned) assocTable() string {
	lines := []string{"Account|User|ParentName|Share|Priority|GrpTRES|GrpJobs|MaxJobs|MaxSubmit"}
	fields := []string{"Parent", "Fairshare", "Priority", "GrpTRES", "GrpJobs", "MaxJobs", "MaxSubmitJobs"}
	for _, name := range t.named("account") {
		lines = append(lines, name+"|"+t.row([]string{"account." + name + "."}, fields))
	}
	for _, name := range t.named("user") {
		for account := range strings.SplitSeq(t.value("user."+name+".Account"), "+") {
			lines = append(lines, account+"|"+name+t.row([]string{"user." + name + "."}, fields))
		}
	}
	if len(lines) == 1 {
		return ""
	}
	return strings.Join(lines, "\n") + "\n"
}

// row returns settings as columns, each after a |: those of the first prefix that has them.
func (t *Tuned) row(prefixes, fields []string) (row string) {
	for _, field := range fields {
		value := ""
		for _, prefix := range prefixes {
			value = cmp.Or(value, t.value(prefix+field))
		}
		if value != "" {
			value = t.managed(field, value)
		}
		row += "|" + value
	}
	return row
}

// value returns a setting, that of the files if it is not given.
func (t *Tuned) value(name string) string {
	return cmp.Or(t.given[name], t.given[policy.FromFile+name])
}

// named returns the names of a kind that settings have.
func (t *Tuned) named(kind string) []string {
	names := map[string]bool{}
	for key := range t.given {
		name, ok := strings.CutPrefix(strings.TrimPrefix(key, policy.FromFile), kind+".")
		if dot := strings.LastIndex(name, "."); ok && dot > 0 {
			names[name[:dot]] = true
		}
	}
	return slices.Sorted(maps.Keys(names))
}
