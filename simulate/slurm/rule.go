package slurm

import (
	"cmp"
	_ "embed"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"revopt/internal/text"
	"revopt/model/scenario"
	"revopt/simulate/policy"
	"revopt/simulate/slurm/conf"
	"revopt/simulate/slurm/script"
)

//go:embed rule.md
var rulePage string

// Rule is an export of settings of the policy slurm.
type Rule struct {
	*Export
	Label   string   // the policy whose schedule the settings make
	Unit    string   // of the machine, which limits count: node, core, gpu ...
	Command string   // that makes the files
	Effects string   // what changes for whom: an answer as text
	Now     []string // SchedulerParameters of the site
	Flags   []string // PriorityFlags of the site, also those that are not simulated
	changes []setting
	given   policy.Settings
	spec    policy.Spec
	qos     map[string][]string // names in Slurm by customer
}

// setting is a setting that changes, of a QOS, account or user if it has a kind. The former value is "" if it is not known.
type setting struct{ label, kind, name, field, from, to string }

// NewRule returns an export of the settings that differ from those of the files of a site. A setting or a name that
// Slurm cannot have is a *scenario.Error.
func NewRule(x *Export, file string, p policy.Spec, given policy.Settings) (*Rule, error) {
	r := &Rule{Export: x, given: given, spec: p, qos: x.qosNames()}
	options, byDefault := confOptions(p), map[string]string{}
	for _, o := range p.Options {
		byDefault[o.Name] = o.Values[0]
	}
	seen := map[string]setting{} // by what they are in Slurm
	for _, name := range slices.Sorted(maps.Keys(given)) {
		plain, scalar := byDefault[name]
		s := setting{label: name, field: name, from: cmp.Or(given[policy.FromFile+name], plain), to: given[name]}
		cleared := s.to == "-1" && s.from == s.to && strings.HasSuffix(name, ".Priority") // it may be inherited, or its own
		if s.from == s.to && !cleared || strings.HasPrefix(name, policy.FromFile) ||
			!strings.Contains(name, ".") && options[strings.ToLower(name)] == "" {
			continue
		}
		if !scalar {
			s.kind, s.name, _ = strings.Cut(name, ".")
			if dot := strings.LastIndex(s.name, "."); dot >= 0 {
				s.name, s.field = s.name[:dot], s.name[dot+1:]
			}
			if bad := r.unknown(s); bad != "" {
				return nil, &scenario.Error{File: file, Message: bad}
			}
		}
		for _, plain := range r.inSlurm(s.kind, s.name) {
			if s.from == "" {
				s.from = given[policy.FromFile+s.kind+"."+plain+"."+s.field]
			}
			key := s.kind + " " + plain + " " + s.field
			if other, ok := seen[key]; ok && other.to != s.to {
				return nil, &scenario.Error{File: file, Message: fmt.Sprintf(
					"expected one value of %s of %s %s in Slurm, got %s=%s and %s=%s", s.field, s.kind, text.OneLine(plain),
					text.OneLine(other.label), other.to, text.OneLine(s.label), s.to)}
			}
			seen[key] = s
		}
		r.changes = append(r.changes, s)
	}
	// QOS that others preempt are there when these are set.
	last := func(s setting) string { return fmt.Sprint(s.field == "Preempt", s.kind, ".", s.label) }
	slices.SortFunc(r.changes, func(a, b setting) int { return strings.Compare(last(a), last(b)) })
	return r, nil
}

// unknown rejects a setting that an export cannot make, and a name in it that Slurm cannot have. The QOS of a customer
// has another name.
func (r *Rule) unknown(s setting) (why string) {
	switch {
	case s.kind != "qos" && s.field != "Priority", s.kind == "nice", s.kind == "partition":
		return "an export does not make " + text.OneLine(s.label) + ": expected settings of slurm.conf and of QOS"
	case s.field == "MinPrioThreshold":
		return "sacctmgr of Slurm 22.05 does not set MinPrioThreshold of QOS: expected bf_min_prio_reserve"
	}
	names := []string{s.name}
	if s.field == "Preempt" {
		names = append(names, strings.Split(s.to, "+")...)
	}
	for _, name := range names {
		if s.kind != "qos" || r.qos[name] == nil {
			why = cmp.Or(why, conf.NoName(s.kind, name))
		}
	}
	return why
}

// Preempted says that jobs which preempt others would get no reservation: on a real Slurm, jobs of lower priority then
// started on the units that such a job freed, and it waited on. "": the cluster preempts no jobs, or the reservations stay.
func (r *Rule) Preempted() string {
	kind := strings.TrimPrefix(r.given[policy.FromFile+"PreemptType"], "preempt/")
	for name := range strings.SplitSeq(r.given[policy.FromFile+"conf"], ",") {
		if strings.HasPrefix(name, "PreemptType") { // one that the policy slurm does not simulate
			kind = "another"
		}
	}
	limit := r.given["bf_min_prio_reserve"]
	if kind == "" || kind == "none" || limit == "" || limit == "0" || limit == r.given[policy.FromFile+"bf_min_prio_reserve"] {
		return ""
	}
	return fmt.Sprintf("The cluster preempts jobs, and this export sets bf_min_prio_reserve=%s: a job that preempts "+
		"others then gets no reservation, and jobs of lower priority start on the units that it frees. "+
		"A policy with reservations, such as slurm, does not have this fault.", limit)
}

// inSlurm returns the names in Slurm of a QOS, account or user; none of a setting of slurm.conf.
func (r *Rule) inSlurm(kind, name string) []string {
	switch names := r.qos[name]; {
	case kind == "":
		return nil
	case kind == "qos" && names != nil:
		return names
	}
	return []string{party{key: kind}.slurm(name)}
}

// conf returns the lines of slurm.conf: what changes, with the former values as comments, and what stays and orders
// jobs. They have all that a simulation needs.
func (r *Rule) conf() (lines []string) {
	var parameters []string
	written := map[string]bool{}
	for _, s := range r.changes {
		switch line := s.field + "=" + conf.Value(s.field, s.to); {
		case s.kind != "":
			continue
		case !conf.OfScheduler(s.field):
			lines = append(lines, line+" # was "+s.from)
		case s.to != "false":
			parameters = append(parameters, strings.TrimSuffix(line, "=true"))
		}
		written[s.field] = true
	}
	changed := parameters != nil
	options := confOptions(r.spec)
	for _, o := range r.spec.Options {
		value, read := r.given[policy.FromFile+o.Name]
		switch {
		case written[o.Name] || options[strings.ToLower(o.Name)] == "" || conf.OfScheduler(o.Name):
		case o.Name == "PriorityFlags" && len(r.Flags) > 0:
			lines = append(lines, o.Name+"="+strings.Join(r.Flags, ",")+" # as now")
		case read:
			lines = append(lines, o.Name+"="+conf.Value(o.Name, value)+" # as now")
		}
	}
	for _, item := range r.Now {
		if name, _, _ := strings.Cut(item, "="); !written[name] {
			parameters = append(parameters, item)
		}
	}
	if changed {
		lines = append(lines, "# was SchedulerParameters="+strings.Join(r.Now, ","))
	}
	if parameters != nil {
		lines = append(lines, "SchedulerParameters="+strings.Join(parameters, ","))
	}
	return lines
}

// back says, line by line, how to undo the lines of conf: which to put in place of those of the same names, and which to
// take out.
func (r *Rule) back() (words []string) {
	var put, out []string
	parameters := false
	for _, s := range r.changes {
		from, read := r.given[policy.FromFile+s.field]
		switch {
		case s.kind != "":
		case conf.OfScheduler(s.field):
			parameters = true
		case read:
			put = append(put, s.field+"="+conf.Value(s.field, from))
		default:
			out = append(out, s.field)
		}
	}
	if parameters && len(r.Now) > 0 {
		put = append(put, "SchedulerParameters="+strings.Join(r.Now, ","))
	} else if parameters {
		out = append(out, "SchedulerParameters")
	}
	if put != nil {
		words = append([]string{"Now put these lines into slurm.conf, in place of those of the same names:"}, put...)
	}
	if out != nil {
		words = append(words, "Take these out of slurm.conf, which did not have them: "+strings.Join(out, ", "))
	}
	return append(words, "Other lines of priorities.conf are as they were, and stay.")
}

// commands returns the commands of qos.sh, and the largest priorities that they assume.
func (r *Rule) commands() (do []string, top script.Largest) {
	changed := map[string]bool{} // QOS
	for _, s := range r.changes {
		if s.kind == "qos" {
			changed[s.name] = true
		} else if s.kind != "" {
			top.Association = max(r.largest("account"), r.largest("user"))
		}
		for _, plain := range r.inSlurm(s.kind, s.name) {
			set := text.ShellQuote(s.field + "=" + r.managed(s.field, s.to))
			if s.kind == "qos" {
				do = append(do, "qos "+text.ShellQuote(plain)+" "+set)
			} else {
				do = append(do, "share "+s.kind+" "+text.ShellQuote(plain)+" "+set)
			}
		}
	}
	top.QOS = r.largest("qos")
	given := map[string]bool{} // accounts and users with a default QOS
	for _, c := range append(r.inPools(), r.whole...) {
		if changed[c.Name] && c.queues() == nil {
			do = append(do, r.memberLines(c, r.qos[c.Name][0], given)...)
		}
	}
	return do, top
}

// largest returns the largest priority of those of a kind after the changes.
func (r *Rule) largest(kind string) (most int) {
	for _, name := range r.named(kind) {
		priority, _ := strconv.Atoi(r.value(kind + "." + name + ".Priority"))
		most = max(most, priority)
	}
	return most
}

// managed is a value as sacctmgr has it.
func (r *Rule) managed(field, value string) string {
	switch {
	case strings.Contains(field, "TRES"):
		return r.tres() + "=" + value
	case field != "Preempt":
		return value
	}
	return strings.Join(text.Each(strings.Split(value, "+"), func(name string) string {
		return strings.Join(r.inSlurm("qos", name), ",")
	}), ",")
}

// tres returns the name in Slurm of the units of the machine.
func (r *Rule) tres() string {
	return cmp.Or(map[string]string{"node": "node", "gpu": "gres/gpu"}[r.Unit], "cpu")
}

// Files returns the files of the export by their names: qos.sh if something is for sacctmgr, job_submit.lua if there is
// an admission.
func (r *Rule) Files() map[string]string {
	version, name := text.OneLine(r.Options.Version), text.OneLine(r.Scenario)
	files := map[string]string{
		"qos.txt": r.qosTable(), "undo.sh": script.Undo(version, r.tres(), r.back()),
		"priorities.conf": fmt.Sprintf("# Settings by revopt %s for scenario %s, for slurm.conf.\n%s\n", version, name,
			strings.Join(r.conf(), "\n")),
	}
	if do, top := r.commands(); do != nil {
		files["qos.sh"] = script.Install(version, name, r.Options.Modify, top, do)
	}
	if table := r.assocTable(); table != "" {
		files["assoc.txt"] = table
	}
	if r.Origin != "" {
		files["job_submit.lua"] = r.Script()
	}
	files["README.md"] = r.page()
	return files
}

// page returns README.md.
func (r *Rule) page() string {
	changes := text.NewTable("setting", "now", "then")
	changes.Whole = true
	for _, s := range r.changes {
		from, to := s.from, s.to
		if s.kind == "" {
			from, to = conf.Value(s.field, from), conf.Value(s.field, to)
		}
		if s.from == s.to {
			from = "as above it"
		}
		changes.Row(s.label, cmp.Or(from, "-"), to)
	}
	indented := func(lines string) string {
		return "    " + strings.ReplaceAll(strings.TrimSpace(lines), "\n", "\n    ")
	}
	return strings.NewReplacer("{{cautions}}", r.cautions(), "{{version}}", text.OneLine(r.Options.Version),
		"{{scenario}}", text.OneLine(r.Scenario), "{{policy}}", text.OneLine(r.Label), "{{command}}", text.OneLine(r.Command),
		"{{changes}}", indented(changes.String()), "{{effects}}", indented(r.Effects), "{{warnings}}", r.warnings()).
		Replace(rulePage)
}

// qosTable returns the QOS as sacctmgr show qos -P prints them after qos.sh, as far as settings are known.
func (r *Rule) qosTable() string {
	columns := []string{"Priority"}
	for _, key := range slices.Sorted(maps.Keys(r.given)) {
		key = strings.TrimPrefix(key, policy.FromFile)
		if field := key[strings.LastIndex(key, ".")+1:]; strings.HasPrefix(key, "qos.") && !slices.Contains(columns, field) {
			columns = append(columns, field)
		}
	}
	lines := []string{"Name|" + strings.Join(columns, "|")}
	set := map[string][]string{} // prefixes of settings by the name in Slurm: those of customers first
	for _, name := range r.named("qos") {
		for _, plain := range r.inSlurm("qos", name) {
			prefix := []string{"qos." + name + "."}
			if name == plain {
				set[plain] = append(set[plain], prefix...)
			} else {
				set[plain] = append(prefix, set[plain]...)
			}
		}
	}
	for _, plain := range slices.Sorted(maps.Keys(set)) {
		lines = append(lines, plain+r.row(set[plain], columns))
	}
	return strings.Join(lines, "\n") + "\n"
}

// assocTable returns accounts and users as sacctmgr show assoc -P prints them; "" without settings of them.
func (r *Rule) assocTable() string {
	lines := []string{"Account|User|ParentName|Share|Priority|GrpTRES|GrpJobs|MaxJobs|MaxSubmit"}
	fields := []string{"Parent", "Fairshare", "Priority", "GrpTRES", "GrpJobs", "MaxJobs", "MaxSubmitJobs"}
	for _, name := range r.named("account") {
		lines = append(lines, name+"|"+r.row([]string{"account." + name + "."}, fields))
	}
	for _, name := range r.named("user") {
		for account := range strings.SplitSeq(r.value("user."+name+".Account"), "+") {
			lines = append(lines, account+"|"+name+r.row([]string{"user." + name + "."}, fields))
		}
	}
	if len(lines) == 1 {
		return ""
	}
	return strings.Join(lines, "\n") + "\n"
}

// row returns settings as columns, each after a |: those of the first prefix that has them.
func (r *Rule) row(prefixes, fields []string) (row string) {
	for _, field := range fields {
		value := ""
		for _, prefix := range prefixes {
			value = cmp.Or(value, r.value(prefix+field))
		}
		if value != "" {
			value = r.managed(field, value)
		}
		row += "|" + value
	}
	return row
}

// value returns a setting, that of the files if it is not given.
func (r *Rule) value(name string) string {
	return cmp.Or(r.given[name], r.given[policy.FromFile+name])
}

// named returns the names of a kind that settings have.
func (r *Rule) named(kind string) []string {
	names := map[string]bool{}
	for key := range r.given {
		name, ok := strings.CutPrefix(strings.TrimPrefix(key, policy.FromFile), kind+".")
		if dot := strings.LastIndex(name, "."); ok && dot > 0 {
			names[name[:dot]] = true
		}
	}
	return slices.Sorted(maps.Keys(names))
}
