package cli

import (
	"math"
	"testing"
)

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
