package cli

import (
	"math"
	"strconv"
	"testing"
)

// Every point of a curve is what solve finds there.
func TestCurveAgainstSolve(t *testing.T) {
	a := told(t, "solve", "nist-four", "--vary", "load=0.21:0.8:x5")
	points, _ := a.Table("points")
	if known(t, a, "vary").Word != "load" || a.Scenario != "nist-four" || len(points.Rows) != 5 {
		t.Fatalf("%+v", a)
	}
	for i := range points.Rows {
		x := number(t, a, "points", i, "load")
		alone := told(t, "solve", "nist-four", "--no-check", "--load", strconv.FormatFloat(x, 'g', -1, 64))
		got, want := number(t, a, "points", i, "value"), known(t, alone, "value").Number
		if math.Abs(got-want) > 2e-6*want {
			t.Errorf("load %g: %g on the curve, %g alone", x, got, want)
		}
	}
}

// A curve simulates the admission at the value that its headline names, as solve does there, and names the values at
// which it does not.
func TestCurveChecksItsBest(t *testing.T) {
	a := told(t, "solve", "nist-two", "--residual", "pooled", "--vary", "load=0.3,1.2,0.9")
	alone := told(t, "solve", "nist-two", "--residual", "pooled", "--load", "1.2")
	h := a.Headline
	if h.Code != "ALONG" || h.Value("at").Word != "1.2" || h.Value("unchecked").Word != "load=0.3, 0.9" {
		t.Fatalf("%s", h)
	}
	got, want := value(t, a, "points", 1, "checked"), known(t, alone, "checked")
	if math.Abs(got.Number-want.Number) > 2e-6*want.Number || !value(t, a, "points", 1, "stands").True {
		t.Errorf("%+v on the curve, %+v alone", got, want)
	}
	for _, i := range []int{0, 2} {
		if value(t, a, "points", i, "checked").Known() {
			t.Errorf("the admission at value %d is checked", i)
		}
	}
}
