package paper

import (
	"context"
	"errors"
	"strings"
	"testing"

	"revopt/plots"
)

// band is a series with intervals of half a width.
func band(name string, half float64, y ...float64) plots.Series {
	s := plots.Series{Name: name, Y: y}
	for i, v := range y {
		s.X, s.Low, s.High = append(s.X, float64(i)), append(s.Low, v-half), append(s.High, v+half)
	}
	return s
}

// onFigure returns evidence in which nist-02 has the given curves.
func onFigure(curves ...plots.Series) *Evidence {
	e := NewEvidence(context.Background(), Options{})
	e.built["nist-02"] = plots.Figure{Series: curves, VLines: []plots.Rule{{At: 1}}}
	return e
}

// TestCriteria works the rules by hand.
func TestCriteria(t *testing.T) {
	e := onFigure(band("wide fall", 1, 9, 6, 3), band("bump beyond", 0.1, 9, 6, 7, 3), band("bump within", 1, 9, 6, 7, 3),
		band("small bump", 1, 9, 6, 6.05, 3), band("fall within", 5, 9, 6, 3), band("rise", 1, 3, 6, 9), band("hill", 0, 1, 3, 2),
		band("two, three", 0.1, 2, 3), band("one, two", 0.1, 1, 2), band("two, one", 0.1, 2, 1),
		band("number", 1, 65), band("edge", 2, 66), band("beyond", 2, 70), band("admitted", 0, 100, 100, 50, 0, 0), band("some", 0, 100, 50))
	for criterion, want := range map[string]Outcome{
		"{number}@0 ~ 65":                   Holds,
		"{edge}@0 ~ 65":                     Undetermined,
		"{beyond}@0 ~ 65":                   Fails,
		"67 ~ 65":                           Holds,
		"68 ~ 65":                           Fails,
		"68 ~ 65 ± 3":                       Holds,
		"{wide fall} falls":                 Holds,
		"{bump beyond} falls":               Fails,
		"{bump within} falls":               Undetermined,
		"{small bump} falls":                Holds,
		"{fall within} falls":               Undetermined,
		"{rise} falls":                      Fails,
		"{rise} rises":                      Holds,
		"{wide fall} rises":                 Fails,
		"{hill} peaks":                      Holds,
		"{rise} peaks; {bump beyond} peaks": Fails,
		"peak {hill} ~ 1 ± 0; top {hill} ~ 3 ± 0":      Holds,
		"{two, three} > {one, two}":                    Holds,
		"{two, one} > {one, two}":                      Fails,
		"{two, one}[..0] > {one, two}":                 Holds,
		"{two, one}[7..] > {one, two}":                 Undetermined,
		"{two, three} > 1.95":                          Undetermined,
		"1.95 > {two, three}":                          Fails,
		"{one, two} >= {two, three}":                   Fails,
		"{fall within}@0 >= {fall within}@2":           Holds,
		"{two, three|two, one}@0 > {one, two}@0":       Holds,
		"{two*}@1 > {one, two}@1":                      Fails,
		"{two, three}@1 > {one, two}@1 > {two, one}@1": Holds,
		"1 > 1": Fails,
		"full {admitted} ~ 1 ± 0; gone {admitted} ~ 3 ± 0": Holds,
		"gone {some} ~ 1":                  Fails,
		"min full {admitted|some} ~ 0 ± 0": Holds,
		"max gone {admitted|some} ~ 3 ± 9": Fails,
		"first {rise} + 6 ~ last {rise}":   Holds,
		"{rise}@2 - {rise}@0 > 5":          Undetermined,
		"(2 * {hill})@1 / 3 ~ 2 ± 0":       Holds,
		"slopes {hill} falls":              Holds,
		"bend {wide fall} ~ 0 ± 0":         Holds,
		"open":                             Undetermined,
	} {
		v, err := e.Decide(Claim{Figure: "nist-02", Criterion: criterion, Tolerance: 2})
		if err != nil || v.Outcome != want {
			t.Errorf("%s: %v (%s), want %v, %v", criterion, v.Outcome, v.Got, want, err)
		}
	}
}

// TestPairedCriteria: what two values have in common does not widen the interval of
// their difference.
func TestPairedCriteria(t *testing.T) {
	a, b := averaged([]float64{10, 20, 30}), averaged([]float64{9, 19, 29})
	if v := more(">>", a, b); v.Outcome != Holds {
		t.Errorf("paired: %+v", v)
	}
	if v := more(">", a, b); v.Outcome != Undetermined {
		t.Errorf("unpaired: %+v", v)
	}
	if d := a.paired(b); d.mean != 1 || d.high != 1 || d.by[2] != 1 {
		t.Errorf("%+v", d)
	}
}

// TestTrapezoid: a line has the mean of its ends on any axis.
func TestTrapezoid(t *testing.T) {
	for _, x := range [][]float64{{0, 1}, {0, 0.1, 0.2, 1}} {
		c := curveValues{x: x}
		for _, x := range x {
			c.y = append(c.y, value{mean: 3 + 4*x, low: 2 + 4*x, high: 4 + 6*x})
		}
		v := c.trapezoid()
		within(t, "mean", v.mean, 5, 1e-12)
		within(t, "low", v.low, 4, 1e-12)
		within(t, "high", v.high, 7, 1e-12)
	}
}

// TestEvidence checks that a figure that cannot be built, and a criterion that cannot
// be read, are errors, not verdicts.
func TestEvidence(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	claim := Claim{ID: "pricing-x", Figure: "pricing-03a", Criterion: "{Libra} falls"}
	if _, err := NewEvidence(ctx, Options{Quick: true}).Decide(claim); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	for criterion, words := range map[string]string{
		"{nist-99:x} falls": "nist-99", "{no such curve} falls": "no such curve", "{*} grows": "grows", "top {*} > much": "much",
		"{inputs:nist-one none} ~ 1": "nist-one none", "{*} >> {*}": "replications", "what {*} > 1": "what",
	} {
		_, err := onFigure(band("a", 0, 1, 2)).Decide(Claim{Figure: "nist-02", Criterion: criterion})
		if err == nil || !strings.Contains(err.Error(), words) {
			t.Errorf("%s: %v", criterion, err)
		}
	}
}
