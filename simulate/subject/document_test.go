package subject

import (
	"cmp"
	"encoding/csv"
	"flag"
	"fmt"
	"go/ast"
	"go/doc/comment"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"revopt/internal/text"
	"revopt/model/scenario"
	"revopt/simulate/policy"
)

var write = flag.Bool("write", false, "write docs/policies.md from the policies and their doc comments")

// TestPoliciesDocument: docs/policies.md is made of the specs of the policies, of their doc comments and of
// docs/rivals.csv. With -write the test writes it (make policies). A doc comment of a file below simulate/policy has a
// part of the document behind a heading "# Policy NAME", "# Policies NAME, NAME" or "# All policies: TOPIC"; names may be
// followed by ": TOPIC". A part ends with the comment or at the next such heading. Every policy has a part.
func TestPoliciesDocument(t *testing.T) {
	const path = "../../docs/policies.md"
	want := policiesDocument(t)
	if *write {
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	gotLines, wantLines := strings.Split(string(got), "\n"), strings.Split(want, "\n")
	for i := range max(len(gotLines), len(wantLines)) {
		if i >= len(gotLines) || i >= len(wantLines) || gotLines[i] != wantLines[i] {
			t.Fatalf("%s differs from the code from line %d on: run make policies", path, i+1)
		}
	}
}

const documentHead = `# The policies: rules, needs, options

This document is made from the code by ` + "`make policies`" + `: the rules are the doc comments of the policies.

A policy decides which waiting job starts next. It runs on every workload that has what it needs; otherwise the run is
refused, and the message names what is missing. Options are written ` + "`--policy easy:overrun=kill:estimates=exact`" + `, in
a [scenario](scenarios.md) or sweep ` + "`{easy: {overrun: kill, estimates: exact}}`" + `. Their defaults come first below.
[Small cases](../testdata/vectors.md) can be followed by hand. A policy of yours is written
[in Go](simulation.md#a-policy-in-go) or in [any language](exec.md) (` + "`exec:COMMAND`" + `).
[Admission, expiry, money and the order of events](simulation.md#workloads) are the same under every policy.

Without ` + "`--policy`, `simulate` and `sweep`" + ` run the policies that the scenario lists; if it lists none, ` + "`hol`" + ` on job
classes, ` + "`easy`" + ` on traces, ` + "`fcfs`" + ` on a batch and ` + "`mf-edf`" + ` on applications.

In the tables *alike* is a need for nodes of one speed without limits of memory and disk. All policies serve one site,
except those that need nodes *alike on each site*. A need for deadlines: every customer who pays states a ` + "`deadline`" + ` or
a ` + "`grace`" + ` above 0; ` + "`qos`" + `, applications and batches always do. Optional parts are those of a section ` + "`ic`" + ` or of
applications. *plan* stands for ` + "`estimates`: user, exact, predicted and `overrun`: extend, kill; *value* for `estimates`:" + `
predicted, user, exact, ` + "`overrun`: extend, kill, `preempt`: none, suspend, restart and `preempt-cost`" + `: 0.
`

const documentMeasured = `
## Measured: all policies on twelve workloads

` + "`make rivals`" + ` runs all policies for whole jobs on the workloads of ` + "`testdata/rivals`" + `, which were fixed before any of
them ran: three generators (jobs like those of the SP2, of ` + "`ai-like`" + `, and Poisson arrivals), loads of 0.8 and 1.2, and
hard deadlines or values that decay, with patience. It writes [rivals.csv](rivals.csv): shares of the clairvoyant bound
in % over 10 replications of 1,500 jobs, and the policies that beat ` + "`value-bf`" + ` by a paired difference whose 95 %
interval is above 0. The means of the first ten policies, of those that Slurm runs, and of all that beat ` + "`value-bf`" + `
somewhere:

`

const documentWaits = `
## Measured: a limit on waiting

On the same workloads ` + "`longest_wait=7d` costs `value-bf`" + ` less than 0.1 % of the value, and a limit of a day 2 % where
values decay, but 6 % with hard deadlines, up to 14 % in overload: jobs that can no longer be in time run instead of
jobs that can. The figure is ` + "`hol:backfill=true` on `sp2`" + ` with hard deadlines (` + "`testdata/longest-wait.yaml`" + `).

![Value of hol with backfilling by load, for limits on waiting of 7, 3 and 1 days and none](images/longest-wait.png)
`

// policiesDocument returns the document: the headline set, what all policies share, the appendix with the others, and
// what was measured.
func policiesDocument(t *testing.T) string {
	t.Helper()
	var first, others []policy.Spec
	headline := append(text.Each(HeadlineSet(), func(p scenario.Policy) string { return p.Name }), Recorded)
	for _, s := range Standard() {
		if slices.Contains(headline, s.Name) {
			first = append(first, s)
		} else {
			others = append(others, s)
		}
	}
	parts := readParts(t, Standard())
	var b strings.Builder
	b.WriteString(documentHead)
	b.WriteString("\n## The policies that are compared first\n\n" + policyTable(first))
	writeParts(&b, parts, first)
	b.WriteString("\n## What policies share\n")
	for _, p := range parts {
		if p.policies == nil {
			b.WriteString("\n### " + upper(p.topic) + "\n\n" + p.body)
		}
	}
	b.WriteString("\n## Appendix: the other policies\n\n" + policyTable(others))
	writeParts(&b, slices.DeleteFunc(parts, func(p part) bool { return mentions(p, first) }), others)
	b.WriteString(documentMeasured + rivalsTable(t) + documentWaits)
	return b.String()
}

// policyTable is a table of specs.
func policyTable(specs []policy.Spec) string {
	var b strings.Builder
	b.WriteString("|policy|rule|needs|options|runs on|\n|---|---|---|---|---|\n")
	for _, s := range specs {
		options := shortOptions(s.Options)
		if s.More != nil {
			options = "see below"
		}
		where := strings.TrimPrefix(s.RunsOn(nil).String(), "Slurm with a ")
		if s.Needs.Recorded {
			where = "log"
		}
		fmt.Fprintf(&b, "|`%s`|%s|%s|%s|%s|\n", s.Name, s.Summary, needs(s), options, where)
	}
	return b.String()
}

// needs says on which workloads a policy runs.
func needs(s policy.Spec) string {
	var list []string
	for _, n := range []struct {
		is   bool
		word string
	}{
		{s.Needs.Recorded, "a log with starts, used as it is"},
		{s.Needs.Deadlines, "deadlines"},
		{s.Needs.Optional, "optional parts"},
		{s.Needs.Alike && !s.Grid, "alike"},
		{s.Needs.Alike && s.Grid, "alike on each site"},
	} {
		if n.is {
			list = append(list, n.word)
		}
	}
	return strings.Join(list, ", ")
}

// shortOptions returns options where one word stands for options that many policies have.
func shortOptions(options []policy.Option) string {
	list := text.Each(options, func(o policy.Option) string { return "`" + o.Name + "`: " + strings.Join(o.Values, ", ") })
	for _, common := range []struct {
		word    string
		options []string
	}{
		{"*value*", []string{
			"`estimates`: predicted, user, exact", "`overrun`: extend, kill", "`preempt`: none, suspend, restart", "`preempt-cost`: 0",
		}},
		{"*plan*", []string{"`estimates`: user, exact, predicted", "`overrun`: extend, kill"}},
	} {
		left := slices.DeleteFunc(slices.Clone(list), func(o string) bool { return slices.Contains(common.options, o) })
		if len(left) == len(list)-len(common.options) {
			return strings.Join(append([]string{common.word}, left...), "; ")
		}
	}
	return cmp.Or(strings.Join(list, "; "), "none")
}

// part is a part of a doc comment about policies.
type part struct {
	policies []string // nil: all
	topic    string   // may be empty
	body     string   // Markdown
}

// mentions reports whether a part is about one of some policies.
func mentions(p part, specs []policy.Spec) bool {
	return slices.ContainsFunc(specs, func(s policy.Spec) bool { return slices.Contains(p.policies, s.Name) })
}

// writeParts writes the parts about some policies in the order of the first policy of each, and the options of those
// that have many.
func writeParts(b *strings.Builder, parts []part, specs []policy.Spec) {
	written := map[string]bool{}
	for _, s := range specs {
		for _, p := range parts {
			title := strings.Join(text.Each(p.policies, func(name string) string { return "`" + name + "`" }), ", ")
			if p.topic != "" {
				title += ": " + p.topic
			}
			if written[title] || !slices.Contains(p.policies, s.Name) {
				continue
			}
			written[title] = true
			b.WriteString("\n### " + title + "\n\n" + p.body)
			if s.More != nil {
				options := strings.ReplaceAll(shortOptions(s.Options), "`: ;", "`;")
				b.WriteString("\n" + strings.Join(text.Wrapped("Options and their defaults: "+options+".", 119), "\n") + "\n")
			}
		}
	}
}

var partHeading = regexp.MustCompile(`^(Policy|Policies|All policies:) ([^:]*)(: (.+))?$`)

// readParts returns the parts of all doc comments: those with a topic last, those of fewer policies after those of more,
// else in the order of files.
func readParts(t *testing.T, specs []policy.Spec) []part {
	t.Helper()
	var parts []part
	known := map[string]bool{}
	for _, s := range specs {
		known[s.Name] = false
	}
	printed := newPrinter(specs)
	for _, blocks := range docComments(t, "../policy") {
		for i, block := range blocks {
			heading, ok := block.(*comment.Heading)
			if !ok {
				continue
			}
			m := partHeading.FindStringSubmatch(plainText(heading.Text))
			if m == nil {
				continue
			}
			p := part{topic: m[4], body: printed.markdown(untilPart(blocks[i+1:]))}
			if m[1] == "All policies:" {
				p.topic = m[2]
			} else {
				p.policies = strings.Split(m[2], ", ")
			}
			for _, name := range p.policies {
				if _, ok := known[name]; !ok {
					t.Errorf("a doc comment is about %q, which is no policy", name)
				}
				known[name] = true
			}
			parts = append(parts, p)
		}
	}
	for name, described := range known {
		if !described {
			t.Errorf("no doc comment below simulate/policy has a heading \"# Policy %s\"", name)
		}
	}
	slices.SortStableFunc(parts, func(a, b part) int {
		return cmp.Or(min(len(a.topic), 1)-min(len(b.topic), 1), cmp.Compare(len(b.policies), len(a.policies)))
	})
	return parts
}

// docComments returns the doc comments of the declarations and packages below a directory, without tests.
func docComments(t *testing.T, dir string) (docs [][]comment.Block) {
	t.Helper()
	files := token.NewFileSet()
	err := filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(files, path, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		list := []*ast.CommentGroup{file.Doc}
		for _, d := range file.Decls {
			switch d := d.(type) {
			case *ast.GenDecl:
				list = append(list, d.Doc)
			case *ast.FuncDecl:
				list = append(list, d.Doc)
			}
		}
		for _, c := range list {
			docs = append(docs, new(comment.Parser).Parse(c.Text()).Content)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return docs
}

// untilPart returns blocks up to the next heading of a part.
func untilPart(blocks []comment.Block) []comment.Block {
	for i, block := range blocks {
		if h, ok := block.(*comment.Heading); ok && partHeading.MatchString(plainText(h.Text)) {
			return blocks[:i]
		}
	}
	return blocks
}

// plainText joins the parts of a text.
func plainText(list []comment.Text) string {
	var b strings.Builder
	for _, x := range list {
		if plain, ok := x.(comment.Plain); ok {
			b.WriteString(string(plain))
		}
	}
	return b.String()
}

// printer prints doc comments as Markdown, with names of policies, settings such as estimates=user and words such
// as max_penalty as code.
type printer struct{ code map[string]bool }

// newPrinter returns a printer that knows the names of policies and of those options that are no plain words.
func newPrinter(specs []policy.Spec) printer {
	p := printer{map[string]bool{}}
	for _, s := range specs {
		p.code[s.Name] = true
		for _, o := range s.Choices() {
			if strings.ContainsFunc(o.Name, func(r rune) bool { return r < 'a' || r > 'z' }) {
				p.code[o.Name] = true
			}
		}
	}
	return p
}

var documentWord = regexp.MustCompile(`[A-Za-z]([\w+$.-]*[\w$])?(=-?\w([\w.-]*\w)?)?`)

func (p printer) marked(list []comment.Text) []comment.Text {
	return text.Each(list, func(x comment.Text) comment.Text {
		plain, ok := x.(comment.Plain)
		if !ok {
			return x
		}
		return comment.Plain(documentWord.ReplaceAllStringFunc(string(plain), func(word string) string {
			if p.code[word] || strings.Contains(word, "=") || len(word) > 4 && strings.Contains(word, "_") {
				return "`" + word + "`"
			}
			return word
		}))
	})
}

func (p printer) markdown(blocks []comment.Block) string {
	for _, block := range blocks {
		switch block := block.(type) {
		case *comment.Paragraph:
			block.Text = p.marked(block.Text)
		case *comment.List:
			for _, item := range block.Items {
				for _, content := range item.Content {
					if paragraph, ok := content.(*comment.Paragraph); ok {
						paragraph.Text = p.marked(paragraph.Text)
					}
				}
			}
		}
	}
	text := comment.Printer{TextWidth: 119, TextCodePrefix: "    "}
	return string(text.Text(&comment.Doc{Content: blocks}))
}

func upper(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// rivalsTable is the table of means of docs/rivals.csv, over six workloads of each kind.
func rivalsTable(t *testing.T) string {
	t.Helper()
	file, err := os.Open("../../docs/rivals.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	lines, err := csv.NewReader(file).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	type rival struct {
		deadline, patience float64 // sums
		beats              int
	}
	rivals := map[string]*rival{}
	for _, x := range lines[1:] {
		share, err := strconv.ParseFloat(x[4], 64)
		if err != nil {
			t.Fatal(err)
		}
		r := rivals[x[3]]
		if r == nil {
			r = &rival{}
			rivals[x[3]] = r
		}
		if x[0] == "deadline" {
			r.deadline += share
		} else {
			r.patience += share
		}
		if x[6] == "yes" {
			r.beats++
		}
	}
	names := slices.Sorted(maps.Keys(rivals))
	slices.SortStableFunc(names, func(a, b string) int {
		return cmp.Compare(rivals[b].deadline+rivals[b].patience, rivals[a].deadline+rivals[a].patience)
	})
	var b strings.Builder
	b.WriteString("|policy|hard deadlines|decay and patience|beats `value-bf` on|\n|---|---|---|---|\n")
	for i, name := range names {
		first, _, _ := strings.Cut(name, ":")
		r := rivals[name]
		spec, err := policy.Lookup(Standard(), first)
		if err != nil {
			t.Fatal(err)
		}
		if i < 10 || spec.Runs == policy.Slurm || r.beats > 0 {
			fmt.Fprintf(&b, "|`%s`|%.1f|%.1f|%d of 12|\n", name, r.deadline/6, r.patience/6, r.beats)
		}
	}
	return b.String()
}
