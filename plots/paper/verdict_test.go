package paper

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"revopt/plots"
)

// band is a series with intervals of half a width.
func band(half float64, y ...float64) plots.Series {
	s := plots.Series{Y: y}
	for i, v := range y {
		s.X, s.Low, s.High = append(s.X, float64(i)), append(s.Low, v-half), append(s.High, v+half)
	}
	return s
}

// TestVerdicts works the rules by hand.
func TestVerdicts(t *testing.T) {
	for name, test := range map[string]struct {
		got  Verdict
		want Outcome
	}{
		"a number within its tolerance":     {value{65, 64, 66}.near(65, 2, ""), Holds},
		"an interval across the edge":       {value{66, 64, 68}.near(65, 2, ""), Undetermined},
		"an interval beyond it":             {value{70, 68, 72}.near(65, 2, ""), Fails},
		"an exact number at the edge":       {exact(67).near(65, 2, ""), Holds},
		"above beyond the intervals":        {exceeds(value{5, 4, 6}, value{2, 1, 3}, ""), Holds},
		"above within them":                 {exceeds(value{5, 3, 7}, value{4, 2, 6}, ""), Undetermined},
		"below beyond them":                 {exceeds(value{2, 1, 3}, value{5, 4, 6}, ""), Fails},
		"equal without chance":              {exceeds(exact(1), exact(1), ""), Fails},
		"a fall":                            {fallsAlong(band(1, 9, 6, 3), 1, ""), Holds},
		"a fall with a bump beyond them":    {fallsAlong(band(0.1, 9, 6, 7, 3), 1, ""), Fails},
		"a fall with a bump within them":    {fallsAlong(band(1, 9, 6, 7, 3), 1, ""), Undetermined},
		"a fall with a bump of a hundredth": {fallsAlong(band(1, 9, 6, 6.05, 3), 1, ""), Holds},
		"a fall within the intervals":       {fallsAlong(band(5, 9, 6, 3), 1, ""), Undetermined},
		"a rise that is called a fall":      {fallsAlong(band(1, 3, 6, 9), 1, ""), Fails},
		"a rise":                            {risesAlong(band(1, 3, 6, 9), 1, ""), Holds},
		"a fall that is called a rise":      {risesAlong(band(1, 9, 6, 3), 1, ""), Fails},
		"all hold":                          {all(Verdict{Outcome: Holds}, Verdict{Outcome: Holds}), Holds},
		"one is open":                       {all(Verdict{Outcome: Holds}, Verdict{Outcome: Undetermined}), Undetermined},
		"one fails":                         {all(Verdict{Outcome: Undetermined}, Verdict{Outcome: Fails}, Verdict{Outcome: Holds}), Fails},
		"none to decide":                    {all(), Undetermined},
		"above where nothing is drawn":      {exceedsAll(band(0.1, 2, 3), band(0.1, 1, 2), func(float64) bool { return false }, 1, ""), Undetermined},
		"a curve above another throughout":  {exceedsAll(band(0.1, 2, 3), band(0.1, 1, 2), nil, 1, ""), Holds},
		"above only where it is looked at":  {exceedsAll(band(0.1, 2, 1), band(0.1, 1, 2), func(x float64) bool { return x < 1 }, 1, ""), Holds},
		"above at one end only":             {exceedsAll(band(0.1, 2, 1), band(0.1, 1, 2), nil, 1, ""), Fails},
	} {
		if test.got.Outcome != test.want || math.IsNaN(test.got.Off) {
			t.Errorf("%s: %v (%s), want %v", name, test.got.Outcome, test.got.Got, test.want)
		}
	}
}

// TestStanding checks what all readings together say.
func TestStanding(t *testing.T) {
	m := Matrix{Readings: []Reading{{Name: "default"}, {Name: "other"}}, Verdicts: [][]Verdict{
		{{Outcome: Holds}, {Outcome: Fails}}, {{Outcome: Fails}, {Outcome: Holds}}, {{Outcome: Fails}, {Outcome: Undetermined}},
		{{Outcome: Undetermined}, {Outcome: Fails}}, {{Outcome: Fails}, {Outcome: Unconcerned}},
	}}
	for i, want := range []Standing{Reproduced, Read, Open, Open, Contradicted} {
		if got, _ := m.Standing(i); got != want {
			t.Errorf("claim %d: %s, want %s", i, got, want)
		}
	}
}

// TestEvidence checks that a figure that cannot be built is an error, not a
// verdict.
func TestEvidence(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	claim := Claim{ID: "pricing-x", Decide: func(e *Evidence) Verdict { return fallsAlong(e.curve("pricing-03a", "Libra"), 1, "") }}
	if _, err := NewEvidence(ctx, Options{Quick: true}).Decide(claim); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	for _, claim := range []Claim{
		{Decide: func(e *Evidence) Verdict { return fallsAlong(e.curve("nist-99", "x"), 1, "") }},
		{Decide: func(e *Evidence) Verdict { return fallsAlong(e.curve("nist-02", "no such curve"), 1, "") }},
	} {
		if _, err := NewEvidence(context.Background(), Options{Quick: true}).Decide(claim); err == nil {
			t.Error("no error")
		}
	}
}

// TestOverlay checks that curves which a reading does not touch are drawn once, and
// the others under the name of their reading.
func TestOverlay(t *testing.T) {
	r, err := Find("pricing-03a")
	if err != nil {
		t.Fatal(err)
	}
	other, err := FindReading("pricing", "remaining")
	if err != nil {
		t.Fatal(err)
	}
	o := Options{Quick: true, Replications: 2, Shared: new(Shared)}
	result, err := r.Overlay(context.Background(), o, []Reading{{}, other})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, s := range result.Picture.(plots.Figure).Series {
		names = append(names, s.Name)
	}
	if got, want := strings.Join(names, "|"), "FCFS-BF|SJF-BF|EDF-BF|Libra|Libra+$|Libra+$, remaining"; got != want {
		t.Errorf("curves %s, want %s", got, want)
	}
}

// TestOverlayPanels: a sheet that loses panels loses their columns.
func TestOverlayPanels(t *testing.T) {
	p := withPanels(plots.Sheet{Columns: 3, Panels: make([]plots.Figure, 3)}, make([]plots.Figure, 1), "").(plots.Sheet)
	if p.Columns != 1 || len(p.Panels) != 1 {
		t.Errorf("%d panels in %d columns", len(p.Panels), p.Columns)
	}
}
