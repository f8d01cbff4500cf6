package paper

import (
	"context"
	"errors"
	"strings"
	"testing"

	"revopt/plots"
)

// band is a curve with intervals of half a width.
func band(name string, half float64, y ...float64) plots.Series {
	s := plots.Series{Name: name, Y: y}
	for i, v := range y {
		s.X, s.Low, s.High = append(s.X, float64(i)), append(s.Low, v-half), append(s.High, v+half)
	}
	return s
}

// onFigure returns evidence in which the figure of the claim has the given curves.
func onFigure(curves ...plots.Series) *evidence {
	e := newEvidence(context.Background(), Options{}, defaultReading)
	e.figure = "nist-02"
	e.built["nist-02"] = plots.Figure{Series: curves, VLines: []plots.Rule{{At: 1}}}
	return e
}

// TestCriteria works the rules by hand.
func TestCriteria(t *testing.T) {
	e := onFigure(
		band("wide fall", 1, 9, 6, 3), band("bump beyond", 0.1, 9, 6, 7, 3), band("bump within", 1, 9, 6, 7, 3),
		band("small bump", 1, 9, 6, 6.05, 3), band("fall within", 5, 9, 6, 3), band("rise", 1, 3, 6, 9),
		band("hill", 0, 1, 3, 2), band("two, three", 0.1, 2, 3), band("one, two", 0.1, 1, 2),
		band("two, one", 0.1, 2, 1), band("number", 1, 65), band("edge", 2, 66), band("beyond", 2, 70),
		band("admitted", 0, 100, 100, 50, 0, 0), band("some", 0, 100, 50))
	c := func(names ...string) terms { return e.curves(names...) }
	for i, want := range []struct {
		outcome outcome
		got     verdict
	}{
		{holds, c("number").at(0).near(65, 2)},
		{undetermined, c("edge").at(0).near(65, 2)},
		{fails, c("beyond").at(0).near(65, 2)},
		{holds, number(67).near(65, 2)},
		{fails, number(68).near(65, 2)},
		{holds, c("wide fall").falls()},
		{fails, c("bump beyond").falls()},
		{undetermined, c("bump within").falls()},
		{holds, c("small bump").falls()},
		{undetermined, c("fall within").falls()},
		{fails, c("rise").falls()},
		{holds, c("rise").rises()},
		{fails, c("wide fall").rises()},
		{holds, c("hill").peaks()},
		{fails, all(c("rise").peaks(), c("bump beyond").peaks())},
		{holds, all(c("hill").peak().near(1, 0), c("hill").top().near(3, 0))},
		{holds, c("two, three").above(c("one, two"))},
		{fails, c("two, one").above(c("one, two"))},
		{holds, c("two, one").upTo(0).above(c("one, two"))},
		{undetermined, c("two, one").beyond(7).above(c("one, two"))},
		{undetermined, c("two, three").above(number(1.95))},
		{fails, number(1.95).above(c("two, three"))},
		{fails, c("one, two").notBelow(c("two, three"))},
		{holds, c("fall within").at(0).notBelow(c("fall within").at(2))},
		{holds, c("two, three", "two, one").at(0).above(c("one, two").at(0))},
		{fails, e.starting("two").at(1).above(c("one, two").at(1))},
		{holds, descend(c("two, three").at(1), c("one, two").at(1), c("two, one").at(1))},
		{fails, number(1).above(number(1))},
		{holds, all(c("admitted").full().near(1, 0), c("admitted").gone().near(3, 0))},
		{fails, c("some").gone().near(1, 2)},
		{holds, c("admitted", "some").full().min().near(0, 0)},
		{fails, c("admitted", "some").gone().max().near(3, 9)},
		{holds, c("rise").first().plus(number(6)).agrees(c("rise").last(), 2)},
		{undetermined, c("rise").at(2).minus(c("rise").at(0)).above(number(5))},
		{holds, c("hill").times(2).at(1).over(number(3)).near(2, 0)},
		{holds, c("hill").slopes().falls()},
		{holds, c("wide fall").bend().near(0, 0)},
		{holds, c("wide fall").only(0, 2).bottom().near(3, 2)},
		{undetermined, all()},
	} {
		if want.got.outcome != want.outcome {
			t.Errorf("case %d: %v (%s), want %v", i, want.got.outcome, want.got.got, want.outcome)
		}
	}
}

// TestPairedCriteria: what two values have in common does not widen the interval of
// their difference.
func TestPairedCriteria(t *testing.T) {
	a, b := averaged([]float64{10, 20, 30}), averaged([]float64{9, 19, 29})
	if v := a.pairedAbove(b); v.outcome != holds {
		t.Errorf("paired: %+v", v)
	}
	if v := a.above(b); v.outcome != undetermined {
		t.Errorf("unpaired: %+v", v)
	}
	if d := a.paired(b); d.mean != 1 || d.high != 1 || d.by[2] != 1 {
		t.Errorf("%+v", d)
	}
}

// TestTrapezoid: a line has the mean of its ends on any axis.
func TestTrapezoid(t *testing.T) {
	for _, places := range [][]float64{{0, 1}, {0, 0.1, 0.2, 1}} {
		c := valueCurve{x: places}
		for _, x := range places {
			c.y = append(c.y, value{mean: 3 + 4*x, low: 2 + 4*x, high: 4 + 6*x})
		}
		v := c.trapezoid()
		within(t, "mean", v.mean, 5, 1e-12)
		within(t, "low", v.low, 4, 1e-12)
		within(t, "high", v.high, 7, 1e-12)
	}
}

// TestEvidence checks that a figure that cannot be built, and a curve or an input that is
// not there, are errors, not verdicts.
func TestEvidence(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	falls := claim{id: "pricing-03a-falls", figure: "pricing-03a"}
	_, err := newEvidence(ctx, Options{Quick: true}, defaultReading).decide(falls)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	e := onFigure(band("a", 0, 1, 2))
	for words, wrong := range map[string]func(){
		"nist-99": func() { e.in("nist-99").all() }, "no such curve": func() { e.curves("no such curve") },
		"none": func() { e.input("nist-one", "none") }, "replications": func() { e.all().pairedAbove(e.all()) },
	} {
		try := func() (err error) {
			defer caught(&err)
			wrong()
			return nil
		}
		if err := try(); err == nil || !strings.Contains(err.Error(), words) {
			t.Errorf("%s: %v", words, err)
		}
	}
}
