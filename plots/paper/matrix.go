package paper

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"revopt/internal/text"
	"revopt/plots"
)

// A Matrix is the claims of a paper under each of its readings.
type Matrix struct {
	Paper    Paper
	Readings []Reading
	Claims   []Claim
	Verdicts [][]Verdict // by claim, then by reading
}

// Decide decides the claims of a paper under all its readings. The options say how
// the figures are computed; their reading is ignored.
func Decide(ctx context.Context, o Options, p Paper) (*Matrix, error) {
	m := &Matrix{Paper: p, Readings: Readings(p.Name), Claims: claimsOf(p.Name)}
	for range m.Claims {
		m.Verdicts = append(m.Verdicts, make([]Verdict, len(m.Readings)))
	}
	for k, r := range m.Readings {
		under := o.part(k, len(m.Readings))
		under.Reading = r
		e := NewEvidence(ctx, under)
		for i, c := range m.Claims {
			if k > 0 && !r.concerns(c.On) {
				m.Verdicts[i][k] = Verdict{Outcome: Unconcerned}
				continue
			}
			v, err := e.Decide(c)
			if err != nil {
				return nil, fmt.Errorf("reading %s: %w", r.Name, err)
			}
			m.Verdicts[i][k] = v
		}
	}
	return m, nil
}

// Summary says in a word or two how a claim comes out under all readings together:
// "reproduced" where it holds by default, "as read" where it holds under another
// reading, "undetermined" where some reading leaves it open, "contradicted" where it
// fails under every reading.
func (m *Matrix) Summary(claim int) string {
	word := "contradicted"
	for k, v := range m.Verdicts[claim] {
		switch {
		case v.Outcome == Holds && k == 0:
			return "reproduced"
		case v.Outcome == Holds:
			word = "as read"
		case v.Outcome == Undetermined && word == "contradicted":
			word = "undetermined"
		}
	}
	return word
}

// Count returns how many claims come out in a way under a reading.
func (m *Matrix) Count(reading int, o Outcome) int {
	return text.Count(m.Verdicts, func(row []Verdict) bool { return row[reading].Outcome == o })
}

// Records yields a row for each claim and reading, the header first.
func (m *Matrix) Records(add func(cells ...any)) {
	add("claim", "kind", "place", "reading", "outcome", "got", "fitted", "tried", "read as")
	for i, c := range m.Claims {
		for k, r := range m.Readings {
			v := m.Verdicts[i][k]
			add(c.ID, c.Kind, c.Place, r.Name, v.Outcome.String(), v.Got, strings.Join(r.Free, " "), r.Tried,
				r.Criteria[c.ID].Says)
		}
	}
}

// Table writes a row for each claim, then the counts of outcomes under each reading.
func (m *Matrix) Table(w io.Writer) {
	fmt.Fprintf(w, "%s\n\n", m.Paper.Title)
	names := text.Each(m.Readings, func(r Reading) string { return r.Name })
	rows := [][]string{slices.Concat([]string{"claim", "summary"}, names, []string{"by default"})}
	for i, c := range m.Claims {
		outcomes := text.Each(m.Verdicts[i], func(v Verdict) string { return v.Outcome.String() })
		rows = append(rows, slices.Concat([]string{c.ID, m.Summary(i)}, outcomes, []string{m.Verdicts[i][0].Got}))
	}
	for _, o := range []Outcome{Holds, Fails, Undetermined} {
		row := []string{"claims: " + o.String(), ""}
		for k := range m.Readings {
			row = append(row, fmt.Sprint(m.Count(k, o)))
		}
		rows = append(rows, append(row, ""))
	}
	text.Align(w, rows, len(m.Readings)+3)
	fmt.Fprintln(w)
	for _, r := range m.Readings {
		fmt.Fprintln(w, r.Caption())
		for _, c := range m.Claims {
			if _, ok := r.Criteria[c.ID]; ok {
				fmt.Fprintln(w, "  "+r.states(c))
			}
		}
	}
}

// Picture draws the matrix: a square for each claim under each reading.
func (m *Matrix) Picture() plots.Picture {
	fig := plots.Figure{
		ID: "readings-" + m.Paper.Name, Title: "The claims of " + m.Paper.Name + " under each reading", X: plots.Axis{Label: "Reading"},
		Width: 9 + 1.6*float64(len(m.Readings)), Height: 6 + 0.45*float64(len(m.Claims)),
	}
	for _, r := range m.Readings {
		fig.X.Categories = append(fig.X.Categories, r.Name)
		fig.Notes = append(fig.Notes, r.Caption())
	}
	named := make(map[Outcome]bool)
	for i := range m.Claims {
		fig.Y.Categories = append(fig.Y.Categories, m.Claims[len(m.Claims)-1-i].ID)
		y := float64(len(m.Claims) - 1 - i)
		for k, v := range m.Verdicts[i] {
			if v.Outcome == Unconcerned {
				continue
			}
			const side = 0.46
			x := float64(k)
			r := plots.Region{
				X: []float64{x - side, x + side}, Y: []float64{y - side, y - side}, Y2: []float64{y + side, y + side}, Side: plots.Between,
			}
			switch v.Outcome {
			case Holds:
				r.Tint = 3
			case Fails:
				r.Tint, r.Hatch = 5, true
			}
			if !named[v.Outcome] {
				named[v.Outcome], r.Name = true, v.Outcome.String()
			}
			fig.Regions = append(fig.Regions, r)
		}
	}
	return fig
}
