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

// readMatrix reads the verdicts on the claims and readings of a paper from docs/readings.
func readMatrix(t *testing.T, p Paper) *Matrix {
	t.Helper()
	path := "../../docs/readings/readings-" + p.Name + ".csv"
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
	known := make(map[string]Verdict)
	for _, row := range rows[1:] {
		for _, o := range []Outcome{Undetermined, Holds, Fails, Unconcerned} {
			if o.String() == row[4] {
				known[row[0]+"/"+row[3]] = Verdict{o, strings.TrimPrefix(row[5], "'")}
			}
		}
	}
	m := &Matrix{Paper: p, Readings: Readings(p.Name), Claims: claimsOf(p.Name)}
	for _, c := range m.Claims {
		var list []Verdict
		for _, r := range m.Readings {
			v, ok := known[c.ID+"/"+r.Name]
			if !ok || len(rows)-1 != len(m.Claims)*len(m.Readings) {
				t.Fatalf("%s: %d verdicts, none on %s under %s, or some too many: run make readings", path, len(rows)-1, c.ID, r.Name)
			}
			list = append(list, v)
		}
		m.Verdicts = append(m.Verdicts, list)
	}
	return m
}

// under returns the verdict on a claim under a reading: that of the default where the
// reading does not touch it.
func (m *Matrix) under(claim, reading int) Verdict {
	if v := m.Verdicts[claim][reading]; v.Outcome != Unconcerned {
		return v
	}
	return m.Verdicts[claim][0]
}

// literal returns the verdict on a claim under the joint reading by the criterion of
// claims.csv. Where the joint reading replaces that, it is the verdict under the part that
// concerns the claim otherwise, of which there is one at most.
func (m *Matrix) literal(t *testing.T, claim int) Verdict {
	joint, k := len(m.Readings)-1, 0
	c := m.Claims[claim]
	if _, ok := m.Readings[joint].Criteria[c.ID]; !ok {
		return m.under(claim, joint)
	}
	for _, part := range m.Readings[joint].Parts {
		if _, ok := part.Criteria[c.ID]; ok || !part.concerns(c.On) {
			continue
		}
		if k > 0 {
			t.Fatalf("%s: no verdict under %s and %s alone", c.ID, m.Readings[k].Name, part.Name)
		}
		k = slices.IndexFunc(m.Readings, func(r Reading) bool { return r.Name == part.Name })
	}
	return m.under(claim, k)
}

// count returns how many of some claims there are, and how many hold by default, under the
// joint reading by the criteria of claims.csv and by its own, and under any reading.
func (m *Matrix) count(t *testing.T, keep func(c Claim) bool) (n [5]int) {
	joint := len(m.Readings) - 1
	for i, c := range m.Claims {
		if !keep(c) {
			continue
		}
		n[0]++
		some := slices.IndexFunc(m.Verdicts[i], func(v Verdict) bool { return v.Outcome == Holds })
		for k, v := range []Verdict{m.under(i, 0), m.literal(t, i), m.under(i, joint), m.under(i, max(some, 0))} {
			if v.Outcome == Holds {
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
	var list []*Matrix
	for _, p := range Papers() {
		m := readMatrix(t, p)
		list = append(list, m)
		for k, r := range m.Readings {
			n := 0
			for i := range m.Claims {
				if m.under(i, k).Outcome == Holds {
					n++
				}
			}
			if most := m.count(t, func(Claim) bool { return true })[3]; n > most {
				t.Errorf("%s: reading %s holds %d claims, the joint one %d", p.Name, r.Name, n, most)
			}
		}
		made = replaceBlock(t, made, p.Name, figureTable(t, m)+restatedTable(t, m))
	}
	sum := 0
	for _, m := range list {
		sum += m.count(t, func(Claim) bool { return true })[3]
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
func summaryTable(t *testing.T, list []*Matrix) string {
	var n [5]int
	b := "|claims|all|hold by default|under the joint reading, criteria of claims.csv|under the joint reading|" +
		"under any reading|\n|---|---|---|---|---|---|\n"
	row := func(name string, keep func(c Claim) bool) {
		n = [5]int{}
		for _, m := range list {
			for k, x := range m.count(t, keep) {
				n[k] += x
			}
		}
		b += tableRow(name, n[0], n[1], n[2], n[3], n[4])
	}
	for _, p := range Papers() {
		row(p.Name, func(c Claim) bool { return c.Paper() == p.Name })
	}
	for _, kind := range []string{"number", "order", "direction"} {
		row("kind: "+kind, func(c Claim) bool { return c.Kind == kind })
	}
	row("**all**", func(Claim) bool { return true })
	return fmt.Sprintf("Of %d claims %d hold by default, %d under the joint reading of each paper "+
		"(%d by the criteria of claims.csv alone), and %d under some reading.\n\n", n[0], n[1], n[3], n[2], n[4]) + b
}

// figureTable has a row for every figure of a paper.
func figureTable(t *testing.T, m *Matrix) string {
	last := len(m.Readings) - 1
	joint := m.Readings[last]
	b := fmt.Sprintf("Joint reading: %s. Sets of readings tried: %d.\n\n", joint.Means, joint.Combinations) +
		"|figure|claims|hold by default|hold jointly|worst miss of the joint reading|\n|---|---|---|---|---|\n"
	var figures []string
	for _, c := range m.Claims {
		if !slices.Contains(figures, c.Figure) {
			figures = append(figures, c.Figure)
		}
	}
	for _, id := range figures {
		n := m.count(t, func(c Claim) bool { return c.Figure == id })
		miss, worst := "-", Holds
		for i, c := range m.Claims {
			v := m.under(i, last)
			if c.Figure == id && (v.Outcome == Fails && worst != Fails || v.Outcome == Undetermined && worst == Holds) {
				worst, miss = v.Outcome, fmt.Sprintf("%s %v: %s", strings.TrimPrefix(c.ID, m.Paper.Name+"-"), v.Outcome, short(v.Got))
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
func restatedTable(t *testing.T, m *Matrix) (b string) {
	joint := len(m.Readings) - 1
	for i, c := range m.Claims {
		if other, ok := m.Readings[joint].Criteria[c.ID]; ok {
			own, v := m.literal(t, i), m.under(i, joint)
			b += tableRow(c.ID, own.Outcome, short(own.Got), other.Says, v.Outcome, short(v.Got))
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
func failingTable(list []*Matrix) string {
	b := "|claim|kind|the paper says|by default|summary|\n|---|---|---|---|---|\n"
	for _, m := range list {
		for i, c := range m.Claims {
			if s := m.Summary(i); s == "undetermined" || s == "contradicted" {
				b += tableRow(c.ID, c.Kind, c.Says, short(m.Verdicts[i][0].Got), s)
			}
		}
	}
	return b
}
