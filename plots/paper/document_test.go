package paper

import (
	"encoding/csv"
	"flag"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"revopt/internal/text"
)

var write = flag.Bool("write", false, "write the tables of docs/reproduction.md from the verdicts in docs/readings")

// verdictFile is where the verdicts on the claims of a paper are.
func verdictFile(paper string) string { return "../../docs/readings/" + paper + ".csv" }

// readMatrix reads the verdicts on the claims of a paper from docs/readings.
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
	m := newMatrix(paper)
	if len(rows) != len(m.claims)+1 {
		t.Fatalf("%s: %d rows for %d claims: run make readings", path, len(rows)-1, len(m.claims))
	}
	column := func(name string) int { return slices.Index(rows[0], name) }
	verdictOf := func(row []string, outcomes, got string) verdict {
		k := slices.Index(outcomeNames, row[column(outcomes)])
		if k < 0 {
			t.Fatalf("%s: no verdict in %v", path, row)
		}
		return verdict{outcome(k), strings.TrimPrefix(row[column(got)], "'")}
	}
	for i, c := range m.claims {
		row := rows[i+1]
		v, other := verdictOf(row, "verdict", "got"), verdictOf(row, "alternative", "got_alternative")
		m.verdicts = append(m.verdicts, [2]verdict{v, other})
		if row[column("claim")] != c.id || row[column("criterion")] != c.criterion() {
			t.Errorf("%s has %s where the claim is %s, %q: run make readings", path, row, c.id, c.criterion())
		}
		if c.why == "" && v.outcome != holds {
			t.Errorf("%s %v by default, and testdata/claims.csv does not say why", c.id, v.outcome)
		}
	}
	return m
}

// A tally counts claims.
type tally struct{ all, holds, fails, undetermined, alternative int }

func (m *matrix) count(keep func(c claim) bool) (n tally) {
	for i, c := range m.claims {
		if !keep(c) {
			continue
		}
		n.all++
		switch m.verdicts[i][byDefault].outcome {
		case holds:
			n.holds++
		case fails:
			n.fails++
		default:
			n.undetermined++
		}
		if m.under(i, asAlternative).outcome == holds {
			n.alternative++
		}
	}
	return n
}

func (n tally) plus(m tally) tally {
	return tally{n.all + m.all, n.holds + m.holds, n.fails + m.fails, n.undetermined + m.undetermined,
		n.alternative + m.alternative}
}

// TestReproduction checks that the tables of docs/reproduction.md are made of the
// verdicts in docs/readings, and these of the claims of the program.
func TestReproduction(t *testing.T) {
	const document = "../../docs/reproduction.md"
	data, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	made := string(data)
	var list []*matrix
	for _, paper := range papers {
		m := readMatrix(t, paper)
		list = append(list, m)
		made = replaceBlock(t, made, paper, claimTable(claim.result, m))
		if *write {
			m.refresh(t, "")
		}
	}
	said, table := summary(list)
	made = replaceBlock(t, made, "summary", said+"\n\n"+table)
	made = replaceBlock(t, made, "inputs", claimTable(func(c claim) bool { return !c.result() }, list...))
	switch {
	case made == string(data):
	case *write:
		if err := os.WriteFile(document, []byte(made), 0o644); err != nil {
			t.Fatal(err)
		}
	default:
		t.Error("docs/reproduction.md is not that of docs/readings: run make readings")
	}
	readme, err := os.ReadFile("../../README.md")
	if first, _, _ := strings.Cut(said, ". "); err != nil || !strings.Contains(string(readme), first) {
		t.Errorf("README.md does not say %q: %v", first, err)
	}
	if n := len(strings.Fields(made)); n > 2500 {
		t.Errorf("docs/reproduction.md has %d words, at most 2500 are allowed", n)
	}
}

// refresh writes the verdicts that were read again, with what the claims now say of them, and a comment if there is one.
func (m *matrix) refresh(t *testing.T, comment string) {
	t.Helper()
	path := verdictFile(m.paper)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for line := range strings.Lines(string(data)) {
		if strings.HasPrefix(line, "#") {
			b.WriteString(line)
		}
	}
	if comment != "" {
		b.WriteString(comment + "\n")
	}
	out := csv.NewWriter(&b)
	m.records(func(cells ...any) {
		out.Write(text.Each(cells, func(c any) string { return text.CSVText(fmt.Sprint(c)) }))
	})
	out.Flush()
	err = os.WriteFile(path, []byte(b.String()), 0o644)
	if err != nil {
		t.Fatal(err)
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

// summary counts claims in a sentence or two, and in a table by paper, kind and settings.
func summary(list []*matrix) (said, table string) {
	of := func(keep func(c claim) bool) (n tally) {
		for _, m := range list {
			n = n.plus(m.count(keep))
		}
		return n
	}
	b := "|claims|all|hold|fail|undetermined|hold under the alternative|\n|---|---|---|---|---|---|\n"
	row := func(name string, n tally) {
		b += tableRow(name, n.all, n.holds, n.fails, n.undetermined, n.alternative)
	}
	for _, paper := range papers {
		row(paper, of(func(c claim) bool { return c.result() && c.paper() == paper }))
	}
	for _, kind := range []string{"number", "order", "direction"} {
		row(kind, of(func(c claim) bool { return c.kind == kind }))
	}
	fitted := of(func(c claim) bool { return c.result() && c.fitted(defaultReading) })
	n, inputs := of(claim.result), of(func(c claim) bool { return !c.result() })
	row("fitted", fitted)
	row("**all**", n)
	said = fmt.Sprintf("Of %d claims %d hold, %d fail and %d are undetermined. ",
		n.all, n.holds, n.fails, n.undetermined)
	said += fmt.Sprintf("%d, of which %d hold, have settings that were fitted to their paper. ", fitted.all, fitted.holds)
	said += fmt.Sprintf("%d others only echo inputs and are not counted. Under the alternative readings %d hold.",
		inputs.all, n.alternative)
	return said, b
}

// claimTable has a row for each of the chosen claims.
func claimTable(chosen func(c claim) bool, list ...*matrix) string {
	b := "|claim|the paper|computed|fitted|verdict|alternative|\n|---|---|---|---|---|---|\n"
	for _, m := range list {
		for i, c := range m.claims {
			if !chosen(c) {
				continue
			}
			v, other := m.verdicts[i][byDefault], m.verdicts[i][asAlternative]
			words, alternative := v.outcome.String(), other.outcome.String()
			if v.outcome != holds {
				words += ": " + c.why
			}
			if other.outcome == untouched {
				alternative = ""
			}
			name := c.id
			if c.result() {
				name = strings.TrimPrefix(c.id, m.paper+"-")
			}
			b += tableRow(name, c.says, compact(short(v.got)), c.yesNo(), words, alternative)
		}
	}
	return b
}

// compact writes numbers with their intervals and units as one word, and two numbers that are compared as a/b.
func compact(words string) string {
	words = strings.NewReplacer(" ± ", "±", " %", "%", " to +", "…+", " to -", "…-", "; ", ";<br>", " against ", "/",
		" = ", "=", ", β", ",β", " million $", "M$", " and ", ",").Replace(words)
	for _, form := range [][2]string{
		{`from (\S+) to (\S+)`, "$1→$2"}, {`, (\S+) more`, "(+$1)"}, {`(\d) (\$|h\b)`, "$1$2"},
	} {
		words = regexp.MustCompile(form[0]).ReplaceAllString(words, form[1])
	}
	return words
}

// short returns the first of several parts that does not speak for the claim, where it is long enough to tell, cut
// after 90 letters.
func short(words string) string {
	if parts := strings.Split(words, "; "); len(parts) > 1 && len(parts[0]) > 20 {
		k := slices.IndexFunc(parts, func(part string) bool { return !supports(part) })
		words = parts[max(k, 0)]
	}
	if r := []rune(words); len(r) > 90 {
		words = string(r[:90]) + "…"
	}
	return words
}

// supports reports whether two numbers of a part speak for its claim: the larger is set against the smaller, a
// difference begins above 0, or there is a rise.
func supports(part string) bool {
	for _, s := range []struct {
		form  string
		holds func(a, b float64) bool
	}{
		{`([-+]?[\d.]+)(?: ± [\d.]+)? against ([-+]?[\d.]+)`, func(a, b float64) bool { return a > b }},
		{`([-+][\d.]+) to ([-+][\d.]+)`, func(a, _ float64) bool { return a > 0 }},
		{`from ([\d.]+)(?: ± [\d.]+)? to ([\d.]+)`, func(a, b float64) bool { return a < b }},
	} {
		if m := regexp.MustCompile(s.form).FindStringSubmatch(part); m != nil {
			a, _ := strconv.ParseFloat(m[1], 64)
			b, _ := strconv.ParseFloat(m[2], 64)
			return s.holds(a, b)
		}
	}
	return false
}
