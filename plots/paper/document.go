package paper

import (
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strings"
)

// ReadMatrix reads the verdicts that WriteCSV wrote for a paper. Claims and readings
// are those of this program: one that the file lacks, or has beyond them, is an
// error, so that a document made of the file is of the program.
func ReadMatrix(r io.Reader, p Paper) (*Matrix, error) {
	in := csv.NewReader(r)
	in.Comment = '#'
	rows, err := in.ReadAll()
	if err != nil {
		return nil, err
	}
	outcomes := make(map[string]Outcome)
	for _, o := range []Outcome{Undetermined, Holds, Fails, Unconcerned} {
		outcomes[o.String()] = o
	}
	known := make(map[[2]string]Verdict)
	for i, row := range rows {
		o, ok := outcomes[row[4]]
		switch {
		case i == 0:
		case !ok:
			return nil, fmt.Errorf("claim %s, reading %s: no outcome %q", row[0], row[3], row[4])
		default:
			known[[2]string{row[0], row[3]}] = Verdict{Outcome: o, Got: row[5]}
		}
	}
	m := &Matrix{Paper: p, Readings: Readings(p.Name), Claims: claimsOf(p.Name)}
	for _, c := range m.Claims {
		var list []Verdict
		for _, r := range m.Readings {
			at := [2]string{c.ID, r.Name}
			v, ok := known[at]
			if !ok {
				return nil, fmt.Errorf("no verdict on claim %s under reading %s", c.ID, r.Name)
			}
			delete(known, at)
			list = append(list, v)
		}
		m.Verdicts = append(m.Verdicts, list)
	}
	for at := range known {
		return nil, fmt.Errorf("a verdict on claim %s under reading %s, which there is not", at[0], at[1])
	}
	return m, nil
}

// claimsOf returns the claims of a paper.
func claimsOf(paper string) []Claim {
	return slices.DeleteFunc(Claims(), func(c Claim) bool { return c.Paper() != paper })
}

// WriteMarkdown writes the matrix as tables of a document: the readings, then every
// claim with its numbers.
func (m *Matrix) WriteMarkdown(w io.Writer) error {
	var b strings.Builder
	b.WriteString("| reading | the text | taken to mean | fitted | claims that hold, fail, are undetermined | the same claims by default |\n|---|---|---|---|---|---|\n")
	for k, r := range m.Readings {
		fitted := "-"
		if len(r.Free) > 0 {
			fitted = fmt.Sprintf("%s, of %d settings", strings.Join(r.Free, ", "), r.Tried)
		}
		row(&b, "`"+r.Name+"`", r.Reads, r.Means, fitted, m.counts(k, k), m.counts(k, 0))
	}
	b.WriteString("\n| claim | place | the paper says | decided by | default | other readings | standing |\n|---|---|---|---|---|---|---|\n")
	for i, c := range m.Claims {
		standing, holds := m.Standing(i)
		words := string(standing)
		if standing == Read {
			words = "reproduced as read by " + strings.Join(holds, ", ")
		}
		row(&b, c.ID, c.Place, c.Says, c.By, verdictWords(m.Verdicts[i][0]), m.others(i), words)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// counts writes how the claims of one reading come out by another.
func (m *Matrix) counts(reading, by int) string {
	return fmt.Sprintf("%d, %d, %d", m.CountBy(reading, by, Holds), m.CountBy(reading, by, Fails), m.CountBy(reading, by, Undetermined))
}

// verdictWords writes a verdict.
func verdictWords(v Verdict) string {
	if v.Got == "" {
		return v.Outcome.String()
	}
	return v.Outcome.String() + ": " + v.Got
}

// others writes the verdicts on a claim under the readings that come out otherwise
// than the default one.
func (m *Matrix) others(i int) string {
	var list []string
	for k, v := range m.Verdicts[i] {
		if k > 0 && v.Outcome != Unconcerned && v.Outcome != m.Verdicts[i][0].Outcome {
			list = append(list, "`"+m.Readings[k].Name+"` "+verdictWords(v))
		}
	}
	if list == nil {
		return "-"
	}
	return strings.Join(list, "; ")
}

// row writes a row of a table.
func row(b *strings.Builder, cells ...string) {
	for _, c := range cells {
		b.WriteString("| " + strings.ReplaceAll(c, "|", "\\|") + " ")
	}
	b.WriteString("|\n")
}

// WriteSummary writes how many claims of each paper stand in which way.
func WriteSummary(w io.Writer, list []*Matrix) error {
	var b strings.Builder
	b.WriteString("| paper | claims | by default | under another reading | undetermined | contradicted under all readings tried |\n|---|---|---|---|---|---|\n")
	var total [5]int
	for _, m := range list {
		count := [5]int{len(m.Claims)}
		for i := range m.Claims {
			standing, _ := m.Standing(i)
			count[1+slices.Index([]Standing{Reproduced, Read, Open, Contradicted}, standing)]++
		}
		cells := []string{m.Paper.Name}
		for i, n := range count {
			total[i] += n
			cells = append(cells, fmt.Sprint(n))
		}
		row(&b, cells...)
	}
	cells := []string{"all"}
	for _, n := range total {
		cells = append(cells, fmt.Sprint(n))
	}
	row(&b, cells...)
	_, err := io.WriteString(w, b.String())
	return err
}
