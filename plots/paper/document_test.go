package paper

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var write = flag.Bool("write", false, "write the tables of docs/reproduction.md from the verdicts in docs/readings")

// TestReproduction checks that the tables of docs/reproduction.md are made of the
// verdicts in docs/readings, and these of the claims and readings of the program.
func TestReproduction(t *testing.T) {
	const document = "../../docs/reproduction.md"
	text, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	made := string(text)
	var list []*Matrix
	for _, p := range Papers() {
		path := filepath.Join("../../docs/readings", "readings-"+p.Name+".csv")
		f, err := os.Open(path)
		if errors.Is(err, fs.ErrNotExist) {
			t.Fatalf("%v: run make readings", err)
		}
		if err != nil {
			t.Fatal(err)
		}
		m, err := ReadMatrix(f, p)
		f.Close()
		if err != nil {
			t.Fatalf("%s: %v: run make readings", path, err)
		}
		list = append(list, m)
		var table bytes.Buffer
		m.WriteMarkdown(&table)
		made = replaceBlock(t, made, p.Name, table.String())
	}
	var table bytes.Buffer
	WriteSummary(&table, list)
	made = replaceBlock(t, made, "summary", table.String())
	switch {
	case made == string(text):
	case *write:
		if err := os.WriteFile(document, []byte(made), 0o644); err != nil {
			t.Fatal(err)
		}
	default:
		t.Error("docs/reproduction.md is not that of docs/readings: run make readings")
	}
}

// replaceBlock returns a document with a table between the marks of its name.
func replaceBlock(t *testing.T, document, name, table string) string {
	t.Helper()
	before, rest, begins := strings.Cut(document, fmt.Sprintf("<!-- readings: %s -->\n", name))
	_, after, ends := strings.Cut(rest, "<!-- end -->\n")
	if !begins || !ends {
		t.Fatalf("docs/reproduction.md has no block %q", name)
	}
	return fmt.Sprintf("%s<!-- readings: %s -->\n%s<!-- end -->\n%s", before, name, table, after)
}

// TestClaimsAreComplete checks that every claim says what it is, once.
func TestClaimsAreComplete(t *testing.T) {
	seen := make(map[string]bool)
	for _, c := range Claims() {
		if seen[c.ID] {
			t.Errorf("two claims %s", c.ID)
		}
		seen[c.ID] = true
		if _, err := FindPaper(c.Paper()); err != nil {
			t.Errorf("claim %s: %v", c.ID, err)
		}
		if c.Kind == "" || c.Place == "" || c.Says == "" || c.By == "" || c.Decide == nil {
			t.Errorf("claim %s is incomplete: %+v", c.ID, c)
		}
		if name, _, _ := strings.Cut(c.On, "/"); name != "" {
			open(name) // panics where there is no such scenario
		}
	}
	for _, p := range Papers() {
		names := make(map[string]bool)
		for i, r := range Readings(p.Name) {
			if names[r.Name] || r.Reads == "" || r.Means == "" || (len(r.Free) > 0) != (r.Tried > 0) || i > 0 && r.Of == "" {
				t.Errorf("reading %s of %s is incomplete or doubled: %+v", r.Name, p.Name, r)
			}
			names[r.Name] = true
		}
	}
}
