package paper

import (
	"encoding/csv"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

var write = flag.Bool("write", false, "write the tables of docs/reproduction.md from the verdicts in docs/readings")

// verdictFile is where the verdicts on the claims of a paper are.
func verdictFile(paper string) string { return "../../docs/readings/readings-" + paper + ".csv" }

// readMatrix reads the verdicts on the claims and readings of a paper from docs/readings.
func readMatrix(t *testing.T, paper string) *matrix {
	t.Helper()
	path := verdictFile(paper)
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	in := csv.NewReader(file)
	in.Comment = '#'
	rows, err := in.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	known := make(map[string]verdict)
	for _, row := range rows[1:] {
		if k := slices.Index(outcomeNames, row[4]); k >= 0 {
			known[row[0]+"/"+row[3]] = verdict{outcome(k), strings.TrimPrefix(row[5], "'")}
		}
	}
	m := newMatrix(paper)
	for _, c := range m.claims {
		var list []verdict
		for _, r := range m.readings {
			v, ok := known[c.id+"/"+r.Name]
			if !ok || len(rows)-1 != len(m.claims)*len(m.readings) {
				t.Fatalf("%s: %d verdicts, none on %s under %s, or some too many: run make readings",
					path, len(rows)-1, c.id, r.Name)
			}
			list = append(list, v)
		}
		m.verdicts = append(m.verdicts, list)
	}
	return m
}

// literal returns the verdict on a claim under the joint reading by the check of
// the claim. Where the joint reading replaces that, it is the verdict under the part that
// concerns the claim otherwise, of which there is one at most.
func (m *matrix) literal(t *testing.T, claim int) verdict {
	joint, k := len(m.readings)-1, 0
	c := m.claims[claim]
	if _, ok := m.readings[joint].Restates[c.id]; !ok {
		return m.under(claim, joint)
	}
	for _, part := range m.readings[joint].Parts {
		if checks[part.Name+"/"+c.id] != nil || !part.concerns(c.on) {
			continue
		}
		if k > 0 {
			t.Fatalf("%s: no verdict under %s and %s alone", c.id, m.readings[k].Name, part.Name)
		}
		k = slices.IndexFunc(m.readings, func(r claimReading) bool { return r.Name == part.Name })
	}
	return m.under(claim, k)
}

// count returns how many of some claims there are, and how many hold by default, under the
// joint reading by the checks of the claims and by its own, and under any reading.
func (m *matrix) count(t *testing.T, keep func(c claim) bool) (n [5]int) {
	joint := len(m.readings) - 1
	for i, c := range m.claims {
		if !keep(c) {
			continue
		}
		n[0]++
		some := slices.IndexFunc(m.verdicts[i], func(v verdict) bool { return v.outcome == holds })
		for k, v := range []verdict{m.under(i, 0), m.literal(t, i), m.under(i, joint), m.under(i, max(some, 0))} {
			if v.outcome == holds {
				n[k+1]++
			}
		}
	}
	return n
}

// TestReproduction checks that the tables of docs/reproduction.md are made of the
// verdicts in docs/readings, and these of the claims and readings of the program. No
// single reading holds more claims of its paper than the joint one.
func TestReproduction(t *testing.T) {
	const document = "../../docs/reproduction.md"
	text, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	made := string(text)
	var list []*matrix
	for _, paper := range papers {
		m := readMatrix(t, paper)
		list = append(list, m)
		for k, r := range m.readings {
			n := 0
			for i := range m.claims {
				if m.under(i, k).outcome == holds {
					n++
				}
			}
			if most := m.count(t, func(claim) bool { return true })[3]; n > most {
				t.Errorf("%s: reading %s holds %d claims, the joint one %d", paper, r.Name, n, most)
			}
		}
		made = replaceBlock(t, made, paper, figureTable(t, m)+restatedTable(t, m))
	}
	sum := 0
	for _, m := range list {
		sum += m.count(t, func(claim) bool { return true })[3]
	}
	if sum < 100 {
		t.Errorf("%d claims hold under joint readings, at least 100 did", sum)
	}
	made = replaceBlock(t, made, "summary", summaryTable(t, list))
	made = replaceBlock(t, made, "everywhere", failingTable(list))
	switch {
	case made == string(text):
	case *write:
		if err := os.WriteFile(document, []byte(made), 0o644); err != nil {
			t.Fatal(err)
		}
	default:
		t.Error("docs/reproduction.md is not that of docs/readings: run make readings")
	}
	if n := len(strings.Fields(made)); n > 5000 {
		t.Errorf("docs/reproduction.md has %d words, at most 5000 are allowed", n)
	}
}

// replaceBlock returns a document with a table between the marks of its name.
func replaceBlock(t *testing.T, document, name, table string) string {
	t.Helper()
	mark := fmt.Sprintf("<!-- verdicts: %s -->\n", name)
	before, rest, begins := strings.Cut(document, mark)
	_, after, ends := strings.Cut(rest, "<!-- end -->\n")
	if !begins || !ends {
		t.Fatalf("docs/reproduction.md has no block %q", name)
	}
	return before + mark + table + "<!-- end -->\n" + after
}

// tableRow writes a row of a table.
func tableRow(cells ...any) string {
	words := make([]string, len(cells))
	for i, c := range cells {
		words[i] = strings.ReplaceAll(fmt.Sprint(c), "|", "\\|")
	}
	return "|" + strings.Join(words, "|") + "|\n"
}

// summaryTable counts claims by paper and by kind.
func summaryTable(t *testing.T, list []*matrix) string {
	var n [5]int
	b := "|claims|all|hold by default|under the joint reading, own criteria|under the joint reading|" +
		"under any reading|\n|---|---|---|---|---|---|\n"
	row := func(name string, keep func(c claim) bool) {
		n = [5]int{}
		for _, m := range list {
			for k, x := range m.count(t, keep) {
				n[k] += x
			}
		}
		b += tableRow(name, n[0], n[1], n[2], n[3], n[4])
	}
	for _, paper := range papers {
		row(paper, func(c claim) bool { return c.paper() == paper })
	}
	for _, kind := range []string{"number", "order", "direction"} {
		row("kind: "+kind, func(c claim) bool { return c.kind == kind })
	}
	row("**all**", func(claim) bool { return true })
	return fmt.Sprintf("Of %d claims %d hold by default, %d under the joint reading of each paper "+
		"(%d by the claims' own criteria), and %d under some reading.\n\n", n[0], n[1], n[3], n[2], n[4]) + b
}

// figureTable has a row for every figure of a paper.
func figureTable(t *testing.T, m *matrix) string {
	last := len(m.readings) - 1
	joint := m.readings[last]
	b := fmt.Sprintf("Joint reading: %s. Sets of readings tried: %d.\n\n", joint.Means, joint.Combinations) +
		"|figure|claims|hold by default|hold jointly|worst miss of the joint reading|\n|---|---|---|---|---|\n"
	var figures []string
	for _, c := range m.claims {
		if !slices.Contains(figures, c.figure) {
			figures = append(figures, c.figure)
		}
	}
	for _, id := range figures {
		n := m.count(t, func(c claim) bool { return c.figure == id })
		miss, worst := "-", holds
		for i, c := range m.claims {
			v := m.under(i, last)
			worse := v.outcome == fails && worst != fails || v.outcome == undetermined && worst == holds
			if c.figure == id && worse {
				worst = v.outcome
				miss = fmt.Sprintf("%s %v: %s", strings.TrimPrefix(c.id, m.paper+"-"), v.outcome, short(v.got))
			}
		}
		if id == "" {
			id = "text and inputs"
		}
		b += tableRow(id, n[0], n[1], n[3], miss)
	}
	return b
}

// restatedTable has the claims for which the joint reading takes another sentence.
func restatedTable(t *testing.T, m *matrix) (b string) {
	joint := len(m.readings) - 1
	for i, c := range m.claims {
		if other, ok := m.readings[joint].Restates[c.id]; ok {
			own, v := m.literal(t, i), m.under(i, joint)
			b += tableRow(c.id, own.outcome, short(own.got), other, v.outcome, short(v.got))
		}
	}
	if b != "" {
		b = "\n|claim|by its own criterion|got|read as|outcome|got|\n|---|---|---|---|---|---|\n" + b
	}
	return b
}

// short returns the first of several parts where it is long enough to tell, cut after
// 90 letters.
func short(words string) string {
	if first, _, ok := strings.Cut(words, ";"); ok && len(first) > 20 {
		words = first
	}
	if r := []rune(words); len(r) > 90 {
		words = string(r[:90]) + "…"
	}
	return words
}

// failingTable has the claims that hold under no reading.
func failingTable(list []*matrix) string {
	b := "|claim|kind|the paper says|by default|summary|\n|---|---|---|---|---|\n"
	for _, m := range list {
		for i, c := range m.claims {
			if s := m.summary(i); s == "undetermined" || s == "contradicted" {
				b += tableRow(c.id, c.kind, c.says, short(m.verdicts[i][0].got), s)
			}
		}
	}
	return b
}
