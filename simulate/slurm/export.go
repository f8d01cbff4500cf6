package slurm

import (
	"cmp"
	"crypto/sha256"
	_ "embed"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"revopt/internal/safefile"
	"revopt/internal/text"
	"revopt/model"
	"revopt/model/scenario"
	"revopt/simulate/workload"
)

//go:embed install.md
var installPage string

// Options say how Slurm is to admit.
type Options struct {
	By      string // meaning of class names without a trace: account (also ""), partition or qos
	Nodes   bool   // widths are nodes, not cores
	DryRun  bool   // the script only logs
	Version string // of the program
	Modify  bool   // QOS, accounts and users that exist are changed too
	Open    bool   // no customer is refused, so that Slurm need not recognize its jobs
	Ordered bool   // settings of a policy are exported too
}

// Export is an admission for Slurm.
type Export struct {
	Scenario  string
	Origin    string // of the probabilities, in words; "" if all jobs are admitted
	Options   Options
	Customers []Customer // a job belongs to the first that fits
	Warnings  []Warning
	Cautions  []string // paragraphs of text before all others of README.md

	salt     string     // of the lots, a hash of the scenario
	whole    []Customer // before they are divided by pools
	pools    []model.Pool
	sections []section // of the workload: customers, each in each of its pools
	ranks    []int     // of the sections in the service order, the last is served first; nil: all are equal
}

// Customer is a customer as Slurm knows it.
type Customer struct {
	Name    string
	Of      *model.Selector // nil takes all jobs that are left
	Pool    string          // that its jobs run in; "" without pools
	Admit   float64         // probability
	section int             // of the workload; negative: none of its jobs is there
}

// section is the jobs of a customer in a pool, by their places in lists; the pool is 0 without pools.
type section struct{ customer, pool int }

// Warning is something that the user of an import or an export should know.
type Warning struct {
	Kind string // one word
	Text string // a sentence without a period
}

// NewExport lists the customers of a workload by the facts that Slurm knows at
// submission. All jobs are admitted until [Export.Admit] is called. A customer
// that Slurm cannot recognize is a *scenario.Error.
func NewExport(
	doc *scenario.Document, sc *scenario.Scenario, w workload.Workload, o Options,
) (*Export, error) {
	x := &Export{Scenario: sc.Name, Options: o, salt: fmt.Sprintf("%x", sha256.Sum256(doc.Source()))[:16]}
	selectors, err := x.selectors(doc, sc, w)
	if err != nil {
		return nil, err
	}
	for i, c := range workload.Listed(w) {
		if i >= len(selectors) {
			selectors = append(selectors, nil) // the others
		}
		s := selectors[i]
		if what, why := invisible(s); what != "" && o.Open {
			s = &model.Selector{Share: 1}
		} else if what != "" && sc.Trace == nil {
			return nil, doc.Blame(why, "classes", c.Name, "name")
		} else if what != "" {
			return nil, doc.Blame(why, "classes", c.Name, "of", what)
		}
		if s != nil && s.Share < 1 && !o.Open {
			x.Warn("lot", "the jobs of "+c.Name+" are chosen by lot, as Slurm sees nothing that tells them from others")
		}
		x.Customers = append(x.Customers, Customer{Name: c.Name, Of: s, Admit: 1, section: i})
	}
	if err := x.distinct(doc, sc); err != nil {
		return nil, err
	}
	x.whole = x.Customers
	for i := range x.whole {
		x.sections = append(x.sections, section{customer: i})
	}
	if p := w.Pools(); p != nil {
		x.pools = p.List
		x.sections = text.Each(p.Sections, func(s workload.Section) section { return section{s.Customer, s.Pool} })
	}
	if p := w.Pools(); p != nil && !o.Open {
		if err := x.divide(doc, sc, p); err != nil {
			return nil, err
		}
	}
	return x, nil
}

// selectors returns the selectors of the customers of a workload, but for the customers that take all other jobs, and
// sets their ranks.
func (x *Export) selectors(
	doc *scenario.Document, sc *scenario.Scenario, w workload.Workload,
) (list []*model.Selector, err error) {
	switch w := w.(type) {
	case *workload.Classes:
		x.ranks = w.Ranks()
		for _, c := range workload.Listed(w) {
			party, s := []model.Party{{Name: c.Name}}, &model.Selector{Share: 1}
			switch x.Options.By {
			case "partition":
				s.Partitions = party
			case "qos":
				s.Queues = party
			default:
				s.Accounts = party
			}
			list = append(list, s)
		}
		return list, nil
	case *workload.Replay:
		switch {
		case sc.Trace.QoS == nil:
			x.ranks = w.Ranks()
			return slices.Clone(sc.Selectors), nil
		case !x.Options.Open:
			const message = "expected classes: Slurm cannot tell jobs whose urgency is drawn by lot"
			return nil, doc.Blame(message, "trace", "qos")
		}
		x.ranks = []int{0, 1} // of two urgencies, the second is served first
		return []*model.Selector{{Share: 1}, {Share: 1}}, nil
	}
	if x.Options.Open && sc.Grid != nil && len(sc.Grid.Sites) <= 1 {
		x.ranks = make([]int, len(workload.Listed(w)))
		return nil, nil
	}
	const message = "expected classes or a trace to export to Slurm, got a grid"
	return nil, &scenario.Error{File: doc.File(), Message: message}
}

// distinct refuses names of accounts and QOS that differ in case only, which are one name in Slurm, and warns of
// accounts and users of several customers: these have one default QOS.
func (x *Export) distinct(doc *scenario.Document, sc *scenario.Scenario) error {
	spelled, first := map[string]string{}, map[string]string{}
	for _, c := range x.Customers {
		for _, f := range parties(cmp.Or(c.Of, &model.Selector{})) {
			for i, stored := range f.names() {
				key, name := f.key+" "+stored, f.list[i].Name
				if other, ok := spelled[key]; ok && other != name {
					why := fmt.Sprintf("Slurm stores names of accounts and QOS in small letters, so that %s and %s are one: "+
						"expected names that differ in more than case", text.OneLine(other), text.OneLine(name))
					if sc.Trace == nil {
						return doc.Blame(why, "classes", c.Name, "name")
					}
					return doc.Blame(why, "classes", c.Name, "of", f.what)
				}
				spelled[key] = name
				if other, ok := first[key]; ok && other != c.Name && (f.key == "account" || f.key == "user") &&
					len(c.Of.Queues) == 0 && x.Options.Ordered {
					x.Warn("shared", fmt.Sprintf("%s %s is of %s and of %s, and has one default QOS, that of %s: users ask "+
						"for the other with sbatch --qos", f.key, name, other, c.Name, other))
				} else if len(c.Of.Queues) == 0 {
					first[key] = c.Name
				}
			}
		}
	}
	return nil
}

// Admit sets the probabilities of the customers and their origin in words.
func (x *Export) Admit(from string, share []float64) {
	x.Origin = from
	for i := range x.Customers {
		c := &x.Customers[i]
		k := c.section
		if k < 0 {
			continue
		}
		if k < len(share) {
			c.Admit = share[k]
		}
		if c.Of == nil && c.Admit < 1 {
			x.Warn("others", c.Name+" has no `of`: it takes the jobs of every account, partition and user that no other "+
				"customer names, also those that the trace does not have, and not all are let in")
		}
	}
}

// ExportFiles returns the names of all files that exports write.
func ExportFiles() []string {
	return []string{"README.md", "assoc.txt", "job_submit.lua", "priorities.conf", "qos.sh", "qos.txt", "undo.sh"}
}

// Files returns the files of an admission by their names.
func (x *Export) Files() map[string]string {
	return map[string]string{"job_submit.lua": x.Script(), "README.md": x.Page()}
}

// Foreign returns the path of a file that an export into a directory would overwrite; "" if there is none, or if the
// README.md of the directory is that of an export.
func Foreign(dir string) (other string) {
	head, _ := os.ReadFile(filepath.Join(dir, "README.md"))
	if strings.Contains(string(head), "\nMade by revopt ") {
		return ""
	}
	for _, name := range ExportFiles() {
		path := filepath.Join(dir, name)
		if _, err := os.Lstat(path); err == nil && other == "" {
			other = path
		}
	}
	return other
}

// WriteFiles writes the files of an export into a directory, which is created, and removes those of an earlier export
// that are not among them. It returns their names.
func WriteFiles(dir string, files map[string]string) ([]string, error) {
	for _, name := range ExportFiles() {
		path := filepath.Join(dir, name)
		old, _ := os.ReadFile(path)
		if _, stays := files[name]; !stays && strings.Contains(string(old), " by revopt ") {
			if err := os.Remove(path); err != nil {
				return nil, err
			}
		}
	}
	names := slices.Sorted(maps.Keys(files))
	for _, name := range names {
		err := safefile.Guard{Inside: true}.Write(filepath.Join(dir, name), func(w io.Writer) error {
			_, err := io.WriteString(w, files[name])
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return names, nil
}

// Warn adds a warning.
func (x *Export) Warn(kind, words string) { x.Warnings = append(x.Warnings, Warning{kind, words}) }

func (x *Export) cautions() string {
	return strings.Join(text.Each(x.Cautions, func(s string) string { return "**" + text.OneLine(s) + "**\n\n" }), "")
}

func (x *Export) warnings() (list string) {
	for _, w := range x.Warnings {
		list += "- " + text.OneLine(w.Text) + ".\n"
	}
	return list
}

// Page returns README.md: how to install the files, and the origin of the numbers.
func (x *Export) Page() string {
	t := text.NewTable("    customer", "let in")
	t.Whole = true
	for _, c := range x.Customers {
		t.Row("    "+c.Name, luaNumber(c.Admit))
	}
	refuses := slices.ContainsFunc(x.Customers, func(c Customer) bool { return c.Admit < 1 })
	mode := "It refuses no job."
	switch {
	case x.Options.DryRun && refuses:
		mode = "This one is a dry run: it refuses nothing, and slurmctld's log says what it would refuse."
	case refuses:
		mode = "It refuses jobs. Export with `--dry-run` first: then it only logs what it would refuse."
	}
	return fmt.Sprintf(installPage, x.cautions(), text.OneLine(x.Options.Version), text.OneLine(x.Scenario),
		text.OneLine(x.Origin), t.String(), mode, x.warnings())
}
