package slurm

import (
	"cmp"
	"crypto/sha256"
	_ "embed"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"revopt/internal/safefile"
	"revopt/internal/text"
	"revopt/model"
	"revopt/model/scenario"
	"revopt/simulate/workload"
)

// submitBody is the part of job_submit.lua that is the same in every export.
//
//go:embed job_submit.lua
var submitBody string

// Options say how Slurm is to admit.
type Options struct {
	By      string // account (also ""), partition or qos: what the names of classes without a trace are names of
	Nodes   bool   // widths are nodes, not cores
	DryRun  bool   // the script only logs
	Salt    string // of the lots; "" is a hash of the scenario
	Version string // of the program
}

// Export is an admission for Slurm, with the service order as priorities.
type Export struct {
	Scenario  string
	Origin    Origin
	Options   Options
	Customers []Customer // a job belongs to the first that fits
	Warnings  []Warning
}

// Customer is a customer as Slurm knows it.
type Customer struct {
	Name     string
	Of       *model.Selector // nil takes all jobs that are left
	Admit    float64         // probability
	Waiting  *int            // pending jobs at which it is refused; nil: any number
	Priority int             // of its QOS: from 100 on, the most urgent last
}

// Warning is something that the user of an export should know.
type Warning struct {
	Kind string // lot or others
	Text string // a sentence without a period
}

// NewExport lists the customers of a workload by the facts that Slurm knows at
// submission. All jobs are admitted until [Export.Admit] is called. A customer
// that Slurm cannot recognize is a *scenario.Error.
func NewExport(doc *scenario.Document, sc *scenario.Scenario, w workload.Workload, o Options) (*Export, error) {
	o.By = cmp.Or(o.By, "account")
	if o.Salt == "" {
		o.Salt = fmt.Sprintf("%x", sha256.Sum256(doc.Source()))[:16]
	}
	x := &Export{Scenario: sc.Name, Options: o}
	var selectors []*model.Selector
	var ranks []int
	switch w := w.(type) {
	case *workload.Classes:
		ranks = w.Ranks()
		for _, c := range w.Customers() {
			party, s := []model.Party{{Name: c.Name}}, &model.Selector{Share: 1}
			switch o.By {
			case "partition":
				s.Partitions = party
			case "qos":
				s.Queues = party
			default:
				s.Accounts = party
			}
			selectors = append(selectors, s)
		}
	case *workload.Replay:
		ranks = w.Ranks()
		if sc.Trace.QoS != nil {
			return nil, doc.Blame("expected classes: Slurm cannot tell jobs whose urgency is drawn by lot", "trace", "qos")
		}
		selectors = slices.Clone(sc.Selectors)
	default:
		return nil, &scenario.Error{File: doc.File(), Message: "expected classes or a trace to export to Slurm, got a grid"}
	}
	for i, c := range w.Customers() {
		if i >= len(selectors) {
			selectors = append(selectors, nil) // the others
		}
		s := selectors[i]
		if what, why := invisible(s); what != "" {
			return nil, doc.Blame(why, "classes", c.Name, "of", what)
		}
		if s != nil && s.Share < 1 {
			x.Warnings = append(x.Warnings, Warning{"lot",
				"the jobs of " + c.Name + " are chosen by lot, as Slurm sees nothing that tells them from others"})
		}
		x.Customers = append(x.Customers, Customer{Name: c.Name, Of: s, Admit: 1, Priority: 100 * (ranks[i] + 1)})
	}
	return x, nil
}

// Admit sets the probabilities of the customers, and the numbers of waiting jobs
// at which they are refused; negative numbers are no limit, and waiting may be nil.
func (x *Export) Admit(from Origin, share []float64, waiting []int) {
	x.Origin = from
	for i := range x.Customers {
		c := &x.Customers[i]
		if i < len(share) {
			c.Admit = share[i]
		}
		if i < len(waiting) && waiting[i] >= 0 {
			c.Waiting = &waiting[i]
		}
		if c.Of == nil && (c.Admit < 1 || c.Waiting != nil) {
			x.Warnings = append(x.Warnings, Warning{"others",
				c.Name + " has no `of`: it takes the jobs of every account, partition and user that no other customer names," +
					" also those that the trace does not have, and not all are let in"})
		}
	}
}

// Origin is where the probabilities of an export come from.
type Origin struct {
	Admission string  // its name
	Policy    string  // under which a search on the simulator found it; "" without a search
	Fitted    int     // job classes that were fitted to a trace for the queueing model
	Certified bool    // proven to be the best of the queueing model
	Gap       float64 // to within this share
}

// String returns the origin in words.
func (o Origin) String() string {
	switch {
	case o.Policy != "":
		return fmt.Sprintf("the best %s admission that a search on the simulator found under %s; not proven", o.Admission, o.Policy)
	case o.Admission == "threshold":
		return "the best limits on waiting jobs that a search in the queueing model found (revopt solve --control threshold); not proven"
	case o.Admission != scenario.AdmitAnalytic:
		return "given: " + o.Admission
	}
	words := "the static admission that earns most in the queueing model (revopt solve)"
	if o.Fitted > 0 {
		classes := "classes"
		if o.Fitted == 1 {
			classes = "class"
		}
		words += fmt.Sprintf(" of %d job %s fitted to the trace, by customer", o.Fitted, classes)
	}
	if !o.Certified {
		return words + "; not proven"
	}
	return words + "; proven to within " + text.Gap(o.Gap)
}

// invisible returns the key of a selector that Slurm cannot see at submission, and
// why; "" where there is none.
func invisible(of *model.Selector) (what, why string) {
	if of == nil {
		return "", ""
	}
	switch {
	case of.Length != nil:
		return "length", "Slurm does not know at submission how long a job will run: expected an estimate, which is its time limit"
	case len(of.Groups) > 0:
		return "group", "Slurm shows no names of groups at submission: expected user, account, partition or queue (its QOS)"
	}
	for _, f := range parties(of) {
		if slices.ContainsFunc(f.list, func(p model.Party) bool { return p.IsNumber }) {
			return f.what, "Slurm does not know the numbers of a trace: expected a name"
		}
	}
	return "", ""
}

// party is the names of a kind that a selector lists, with their key in Lua.
type party struct {
	what, key string
	list      []model.Party
}

func parties(of *model.Selector) []party {
	return []party{{"account", "account", of.Accounts}, {"partition", "partition", of.Partitions}, {"queue", "qos", of.Queues}, {"user", "user", of.Users}}
}

// Write writes job_submit.lua, qos.sh and README.md into a directory, which is made.
func (x *Export) Write(dir string) error {
	for _, f := range []struct{ name, text string }{{"job_submit.lua", x.Script()}, {"qos.sh", x.QOS()}, {"README.md", x.Page()}} {
		if err := (safefile.Guard{Inside: true}).Write(filepath.Join(dir, f.name), func(w io.Writer) error {
			_, err := io.WriteString(w, f.text)
			return err
		}); err != nil {
			return err
		}
	}
	return nil
}

// Script returns job_submit.lua. A job is let in where its lot is below the
// probability of its customer: a hash of salt, user, account, day and what the
// job asks for. So the same job has the same answer all day.
func (x *Export) Script() string {
	var b strings.Builder
	fmt.Fprintf(&b, "-- Admission by revopt %s for scenario %s.\n", text.OneLine(x.Options.Version), text.OneLine(x.Scenario))
	fmt.Fprintf(&b, "-- Probabilities: %s.\n-- See README.md beside it.\n\n", text.OneLine(x.Origin.String()))
	unit := "cores"
	if x.Options.Nodes {
		unit = "nodes"
	}
	fmt.Fprintf(&b, "local dry_run = %t\nlocal salt = %s\nlocal unit = %q -- of widths\n", x.Options.DryRun, luaString(x.Options.Salt), unit)
	b.WriteString("local customers = { -- a job is the first one's that fits\n")
	for _, c := range x.Customers {
		fmt.Fprintf(&b, "  { name = %s, admit = %s", luaString(text.OneLine(c.Name)), luaNumber(c.Admit))
		if c.Waiting != nil {
			fmt.Fprintf(&b, ", waiting = %d", *c.Waiting)
		}
		if c.Of != nil {
			for _, f := range parties(c.Of) {
				if len(f.list) == 0 {
					continue
				}
				fmt.Fprintf(&b, ", %s = {", f.key)
				for _, p := range f.list {
					fmt.Fprintf(&b, " [%s] = true,", luaString(f.slurm(p.Name)))
				}
				b.WriteString(" }")
			}
			for i, r := range []*model.Range{c.Of.Width, c.Of.Estimate} {
				if r != nil {
					fmt.Fprintf(&b, ", %s = { %s, %s }", []string{"width", "estimate"}[i], luaNumber(r.Least), luaNumber(r.Most))
				}
			}
			if c.Of.Share < 1 {
				fmt.Fprintf(&b, ", share = %s", luaNumber(c.Of.Share))
			}
		}
		b.WriteString(" },\n")
	}
	return b.String() + "}\n" + submitBody
}

// slurm returns a name as Slurm keeps it: accounts and QOS in small letters, of
// ASCII alone, as Lua and Slurm do.
func (f party) slurm(name string) string {
	if f.key != "account" && f.key != "qos" {
		return name
	}
	small := []byte(name)
	for i, c := range small {
		if 'A' <= c && c <= 'Z' {
			small[i] = c + 'a' - 'A'
		}
	}
	return string(small)
}

// luaNumber writes a number such that Lua reads it back as it was.
func luaNumber(x float64) string {
	if x > 1e300 {
		return "math.huge"
	}
	return strconv.FormatFloat(x, 'g', -1, 64)
}

// luaString quotes a string for Lua: all but plain characters as decimal escapes.
func luaString(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, c := range []byte(s) {
		if c < ' ' || c > '~' || c == '"' || c == '\\' {
			fmt.Fprintf(&b, "\\%03d", c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String() + `"`
}

// lot is the lot of a text, from 0 to 1, as job_submit.lua draws it: every
// byte c takes the state h to (h + c + 1)^5 modulo the prime 2^31 - 1. As 5 does
// not divide 2^31 - 2 that is a permutation, so that no state is lost; four
// further rounds spread the last byte.
func lot(s string) float64 {
	const p = 1<<31 - 1
	h := uint64(1)
	for _, c := range append([]byte(s), 0, 0, 0, 0) {
		x := (h + uint64(c) + 1) % p
		square := x * x % p
		h = square * square % p * x % p
	}
	return float64(h) / p
}

// shellWord quotes a word for sh.
func shellWord(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// qosName returns the name of the QOS of a customer: plain letters only, unlike the
// names of those before it.
func qosName(name string, taken map[string]bool) string {
	plain := strings.Map(func(r rune) rune {
		if r < 128 && (r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || strings.ContainsRune("_.-", r)) {
			return r
		}
		return '_'
	}, strings.ToLower(name))
	for try, n := plain, 2; ; try, n = fmt.Sprintf("%s-%d", plain, n), n+1 {
		if !taken[try] {
			taken[try] = true
			return try
		}
	}
}

// QOS returns a shell script that gives customers their priorities: QOS whose
// order is that of service by urgency, decay over length, (14)-(15).
func (x *Export) QOS() string {
	var b strings.Builder
	fmt.Fprintf(&b, "#!/bin/sh\n# Priorities by revopt %s for scenario %s: the most urgent customer, by decay over\n# length, is served first. README.md says which weights they need.\n", text.OneLine(x.Options.Version), text.OneLine(x.Scenario))
	taken := map[string]bool{}
	set := func(qos string, priority int) {
		fmt.Fprintf(&b, "sacctmgr -i add qos %s >/dev/null 2>&1 || true # where it is there already\nsacctmgr -i modify qos where name=%[1]s set priority=%d\n", shellWord(qos), priority)
	}
	for _, c := range x.Customers {
		fmt.Fprintf(&b, "\n# %s\n", text.OneLine(c.Name))
		of := c.Of
		if of == nil {
			of = &model.Selector{}
		}
		if len(of.Queues) > 0 {
			for _, p := range of.Queues {
				name := party{key: "qos"}.slurm(p.Name)
				taken[name] = true
				set(name, c.Priority)
			}
			continue
		}
		if len(of.Partitions) > 0 && len(of.Accounts)+len(of.Users) == 0 {
			for _, p := range of.Partitions {
				fmt.Fprintf(&b, "# in slurm.conf, at PartitionName=%s: PriorityJobFactor=%d\n", text.OneLine(p.Name), c.Priority)
			}
			continue
		}
		qos := qosName(c.Name, taken)
		set(qos, c.Priority)
		for _, f := range parties(of) {
			for _, p := range f.list {
				if f.key == "account" || f.key == "user" {
					fmt.Fprintf(&b, "sacctmgr -i modify %s where name=%s set qos+=%s\n", f.key, shellWord(f.slurm(p.Name)), qos)
					fmt.Fprintf(&b, "sacctmgr -i modify %s where name=%s set defaultqos=%s\n", f.key, shellWord(f.slurm(p.Name)), qos)
				}
			}
		}
		if len(of.Accounts)+len(of.Users) == 0 {
			fmt.Fprintf(&b, "# no account or user tells these jobs: let users ask for it with sbatch --qos=%s\n", qos)
		}
	}
	return b.String()
}

// Page returns README.md: what to paste where, and where the numbers come from.
func (x *Export) Page() string {
	rows := [][]string{{"    customer", "let in", "while fewer wait than", "priority"}}
	for _, c := range x.Customers {
		wait := "any number"
		if c.Waiting != nil {
			wait = strconv.Itoa(*c.Waiting)
		}
		rows = append(rows, []string{"    " + text.OneLine(c.Name), luaNumber(c.Admit), wait, strconv.Itoa(c.Priority)})
	}
	var table strings.Builder
	text.Align(&table, rows, 1)
	mode := "It refuses jobs. Export with `--dry-run` first: then it only logs what it would refuse."
	if x.Options.DryRun {
		mode = "This one is a dry run: it refuses nothing, and slurmctld's log says what it would refuse."
	}
	var notes strings.Builder
	for _, w := range x.Warnings {
		fmt.Fprintf(&notes, "- %s.\n", text.OneLine(w.Text))
	}
	weight := max(1000, 100*len(x.Customers))
	return fmt.Sprintf(`# Admission and priorities for Slurm

Made by revopt %s from this scenario:

    %s

Probabilities:

    %s

%s
A job belongs to the first customer that fits; one that fits none is let in. %s

## Install

1. Check the script, as Slurm lets every job pass where it cannot read it: `+"`luac5.1 -p job_submit.lua`"+`.
2. Copy job_submit.lua beside slurm.conf on the controller, readable by SlurmUser.
3. Add to slurm.conf, and restart slurmctld once; later edits of the script are picked up by themselves:

       JobSubmitPlugins=lua
       PriorityType=priority/multifactor
       PriorityWeightQOS=%d
       PriorityWeightPartition=%[6]d
       PriorityWeightAge=0

4. Read qos.sh, then run it: sh qos.sh.

Probabilities of the queueing model assume these priorities. Those found on the simulator assume the
policy that is named: under easy or fcfs leave out step 4 and the lines Priority of step 3.

## What it does

- A lot decides: a hash of a salt, the user, the account, the day and what the job asks for
  (partition, QOS, nodes, cores, tasks, time limit, memory, generic resources, array). So the same
  job submitted again on the same day gets the same answer, whatever its name or its script.
  A job that asks for something else draws another lot; an array is one job.
- Limits count the jobs that are pending in all of Slurm at the submission, each task of an array;
  held jobs do not count. A job that starts at once counts until Slurm's own table is renewed, which
  takes a second at most while jobs come and go.
- Width is the cores (or nodes, with --unit nodes) that a job asks for, its estimate the time limit, or
  that of its partition.
- A user who changes what a refused job asks for, such as its time limit by a minute, draws another
  lot: lots turn jobs away, not a determined user. Limits on waiting jobs cannot be evaded so. A user
  with the salt knows the lots without trying: keep job_submit.lua unreadable for users.
- Changes of a submitted job (scontrol update) are not looked at.
- A fault of the script is logged, and the job is let in.
%s`, text.OneLine(x.Options.Version), text.OneLine(x.Scenario), text.OneLine(x.Origin.String()), table.String(), mode, weight, notes.String())
}
