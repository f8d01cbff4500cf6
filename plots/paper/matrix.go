package paper

import (
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
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
// the figures are computed; their reading is not looked at.
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

// Standing is what all readings together say of a claim.
type Standing string

const (
	Reproduced   Standing = "reproduced"   // it holds by default
	Read         Standing = "as read"      // it holds under another reading
	Open         Standing = "undetermined" // no reading decides it for the claim, some leave it open
	Contradicted Standing = "contradicted" // it fails under every reading that was tried
)

// Standing returns the standing of the i-th claim, and the readings under which it
// holds.
func (m *Matrix) Standing(i int) (Standing, []string) {
	var holds []string
	found := Contradicted
	for k, v := range m.Verdicts[i] {
		switch v.Outcome {
		case Holds:
			holds = append(holds, m.Readings[k].Name)
		case Undetermined:
			found = Open
		}
	}
	switch {
	case m.Verdicts[i][0].Outcome == Holds:
		return Reproduced, holds
	case holds != nil:
		return Read, holds
	}
	return found, nil
}

// Count returns how many claims come out in a way under a reading.
func (m *Matrix) Count(reading int, o Outcome) int { return m.CountBy(reading, reading, o) }

// CountBy returns the same by the verdicts of another reading, on the claims that
// the first concerns: so two readings are compared on the same claims.
func (m *Matrix) CountBy(reading, by int, o Outcome) int {
	n := 0
	for _, row := range m.Verdicts {
		if row[reading].Outcome != Unconcerned && row[by].Outcome == o {
			n++
		}
	}
	return n
}

// WriteCSV writes a row for each claim and reading.
func (m *Matrix) WriteCSV(w io.Writer) error {
	out := csv.NewWriter(w)
	out.Write([]string{"claim", "kind", "place", "reading", "outcome", "got", "fitted", "tried"})
	for i, c := range m.Claims {
		for k, r := range m.Readings {
			v := m.Verdicts[i][k]
			out.Write(text.CSVRow([]string{c.ID, string(c.Kind), c.Place, r.Name, v.Outcome.String(), v.Got, strings.Join(r.Free, " "), strconv.Itoa(r.Tried)}))
		}
	}
	out.Flush()
	return out.Error()
}

// Picture draws the matrix: a square for each claim under each reading.
func (m *Matrix) Picture() plots.Picture {
	fig := plots.Figure{
		ID: "readings-" + m.Paper.Name, Title: "The claims of " + m.Paper.Name + " under each reading", X: plots.Axis{Label: "Reading"},
		Width: 9 + 1.6*float64(len(m.Readings)), Height: 6 + 0.45*float64(len(m.Claims)),
	}
	for _, r := range m.Readings {
		fig.X.Categories = append(fig.X.Categories, r.Name)
	}
	for i := range m.Claims {
		fig.Y.Categories = append(fig.Y.Categories, m.Claims[len(m.Claims)-1-i].ID)
	}
	named := make(map[Outcome]bool)
	for i := range m.Claims {
		y := float64(len(m.Claims) - 1 - i)
		for k := range m.Readings {
			o := m.Verdicts[i][k].Outcome
			if o == Unconcerned {
				continue
			}
			x, side := float64(k), 0.46
			r := plots.Region{X: []float64{x - side, x + side}, Y: []float64{y - side, y - side}, Y2: []float64{y + side, y + side}, Side: plots.Between}
			switch o {
			case Holds:
				r.Tint = 3
			case Fails:
				r.Tint, r.Hatch = 5, true
			}
			if !named[o] {
				named[o], r.Name = true, o.String()
			}
			fig.Regions = append(fig.Regions, r)
		}
	}
	for _, r := range m.Readings {
		fig.Notes = append(fig.Notes, r.Caption())
	}
	return fig
}
