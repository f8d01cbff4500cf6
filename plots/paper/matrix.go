package paper

import (
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"strings"

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
	m := &Matrix{Paper: p, Readings: Readings(p.Name)}
	for _, c := range Claims() {
		if c.Paper() == p.Name {
			m.Claims = append(m.Claims, c)
			m.Verdicts = append(m.Verdicts, make([]Verdict, len(m.Readings)))
		}
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
	Read         Standing = "read"         // it holds under another reading
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
func (m *Matrix) Count(reading int, o Outcome) int {
	n := 0
	for _, row := range m.Verdicts {
		if row[reading].Outcome == o {
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
			out.Write([]string{c.ID, string(c.Kind), c.Place, r.Name, v.Outcome.String(), v.Got, strings.Join(r.Free, " "), strconv.Itoa(r.Tried)})
		}
	}
	out.Flush()
	return out.Error()
}

// Picture draws the matrix: a square for each claim under each reading.
func (m *Matrix) Picture() plots.Picture {
	const id = 3.2 // columns that the names of the claims take
	fig := plots.Figure{
		ID: "readings-" + m.Paper.Name, Title: "Claims of " + m.Paper.Name + " under each reading",
		X: plots.Axis{Label: "Reading", Min: -id, Max: float64(len(m.Readings)) - 0.5}, Y: plots.Axis{Min: -0.5, Max: float64(len(m.Claims)) - 0.5},
		Width: 9 + 2.2*float64(len(m.Readings)), Height: 5 + 0.5*float64(len(m.Claims)),
	}
	named := make(map[Outcome]bool)
	for i, c := range m.Claims {
		y := float64(len(m.Claims) - 1 - i)
		fig.Labels = append(fig.Labels, plots.Label{X: -id/2 - 0.25, Y: y, Text: c.ID})
		for k := range m.Readings {
			o := m.Verdicts[i][k].Outcome
			if o == Unconcerned {
				continue
			}
			x := float64(k)
			r := plots.Region{X: []float64{x - 0.5, x + 0.5}, Y: []float64{y - 0.5, y - 0.5}, Y2: []float64{y + 0.5, y + 0.5}, Side: plots.Between}
			switch o {
			case Holds:
				r.Tint = 1
			case Fails:
				r.Tint, r.Hatch = 2, true
			}
			if !named[o] {
				named[o], r.Name = true, o.String()
			}
			fig.Regions = append(fig.Regions, r)
		}
	}
	for k, r := range m.Readings {
		fig.Notes = append(fig.Notes, fmt.Sprintf("%d: %s", k, r.Caption()))
	}
	return fig
}
