package paper

import (
	"context"
	"math"
	"slices"
	"testing"

	"revopt/model"
	"revopt/model/scenario"
	"revopt/optimize"
	"revopt/plots"
)

// point is one point of load or share, the accuracy at which the paper's text
// gives numbers.
const point = 0.01

func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance) {
		t.Errorf("%s: %.6g, want %.6g within %.2g", what, got, want, tolerance)
	}
}

func TestGenericUtilityHasBothCorners(t *testing.T) {
	fig := figure(t, "nist-02")
	u, corners := named(t, fig, "Willingness"), named(t, fig, "Corners")
	if want := []float64{5000, 20000}; !slices.Equal(corners.X, want) {
		t.Fatalf("corners at %v, want %v", corners.X, want)
	}
	near(t, "value up to the first corner", at(t, u, 5000), 1000, 1e-9)
	near(t, "value from the second corner on", at(t, u, 20000), -500, 1e-9)
	near(t, "value at the end", u.Y[len(u.Y)-1], -500, 1e-9)
	slope := (corners.Y[1] - corners.Y[0]) / (corners.X[1] - corners.X[0])
	near(t, "slope (4)", slope, -(1000.0+500)/(20000-5000), 1e-12)
}

func TestUtilitiesFallFromPriceThroughZeroAtTau(t *testing.T) {
	for _, c := range []struct {
		id, class        string
		price, slope, at float64
	}{
		{"nist-03", "Willingness", 1000, 0.1, 1e4},
		{"nist-09", "High value", 30000, 0.1, 3e5},
		{"nist-09", "Low value", 6000, 0.01, 6e5},
		{"nist-12", "High value, high", 60000, 4, 1.5e4},
		{"nist-12", "High value, low", 40000, 4.0 / 3, 3e4},
		{"nist-12", "Low value, high", 20000, 1, 2e4},
		{"nist-12", "Low value, low", 10000, 0.25, 4e4},
	} {
		s := named(t, figure(t, c.id), c.class)
		last := len(s.X) - 1
		near(t, s.Name+": price", s.Y[0], c.price, 1e-9)
		near(t, s.Name+": value at tau", at(t, s, c.at), 0, 1e-6)
		near(t, s.Name+": slope", (s.Y[0]-s.Y[last])/(s.X[last]-s.X[0]), c.slope, 1e-9)
	}
}

func TestPhaseDiagramClosedFormAgreesWithOptimizer(t *testing.T) {
	f := open("nist-one", scenario.Set("classes.all.grace", 0))
	sys, err := f.system()
	if err != nil {
		t.Fatal(err)
	}
	one := model.NewOneClass(sys.Classes[0], sys.Parallel, sys.Residual)
	found := named(t, figure(t, "nist-05"), "Numerical")
	if len(found.X) < 40 {
		t.Errorf("%d markers, want at least 40", len(found.X))
	}
	for i, beta := range found.X {
		closest := math.Inf(1)
		for _, q := range []float64{1, 0.9, 0.7, 0.5} {
			closest = math.Min(closest, math.Abs(found.Y[i]/one.Contour(q, beta)-1))
		}
		near(t, "optimizer's edge against (26) and (27), relative", closest, 0, 1e-4)
	}
	for _, beta := range []float64{0.1, 0.5, 0.9, 1, 1.4} {
		for _, ratio := range []float64{1e4, 1e5, 1e6, 1e7} {
			sys, err := f.with(scenario.Set("load", beta), scenario.Set("classes.all.decay", 1000/ratio)).system()
			if err != nil {
				t.Fatal(err)
			}
			r, err := optimize.Solve(context.Background(), sys, optimize.Settings{})
			if err != nil {
				t.Fatal(err)
			}
			closed := model.NewOneClass(sys.Classes[0], sys.Parallel, sys.Residual)
			near(t, "admission against (25)", r.Admit[0], closed.Admission(beta), 1e-4)
		}
	}
}

// peak returns the place and height of the maximum of a series.
func peak(s plots.Series) (x, y float64) {
	y = slices.Max(s.Y)
	return s.X[slices.Index(s.Y, y)], y
}

func TestUncontrolledRevenueRisesPeaksAndDrops(t *testing.T) {
	for _, s := range figure(t, "nist-06").Series {
		top, _ := peak(s)
		for i := 1; i < len(s.X); i++ {
			if rising := s.Y[i] > s.Y[i-1]; rising != (s.X[i] <= top) {
				t.Errorf("%s: rising %t at %g, the peak is at %g", s.Name, rising, s.X[i], top)
			}
		}
		if end := s.Y[len(s.Y)-1]; end > 0 {
			t.Errorf("%s: still earns %g at the end", s.Name, end)
		}
	}
}

func TestShorterTauPeaksLowerAndEarlier(t *testing.T) {
	var lastX, lastY float64 = 1, math.Inf(1)
	for _, s := range figure(t, "nist-06").Series {
		x, y := peak(s)
		if x >= lastX || y >= lastY {
			t.Errorf("%s: peak %g at %g, the longer tau has %g at %g", s.Name, y, x, lastY, lastX)
		}
		t.Logf("%s: peak $%.0f per hour at %.1f %%", s.Name, y, 100*x)
		lastX, lastY = x, y
	}
}

func TestAllIsAdmittedUpToThePeak(t *testing.T) {
	free, admission := figure(t, "nist-06"), figure(t, "nist-07")
	for i, s := range admission.Series {
		top, _ := peak(free.Series[i])
		near(t, s.Name+": last load with all admitted", lastFull(s.X, s.Y), top, point)
		for j := 1; j < len(s.X); j++ {
			if s.Y[j] > s.Y[j-1]+1e-6 {
				t.Errorf("%s: admission grows at load %g", s.Name, s.X[j])
			}
		}
	}
}

func TestControlledRevenueStaysAtThePeak(t *testing.T) {
	free, controlled := figure(t, "nist-06"), figure(t, "nist-08")
	for i, s := range controlled.Series {
		top, most := peak(free.Series[i])
		for j, x := range s.X {
			if x >= top {
				// The peak of the grid is a little below the true one.
				near(t, s.Name+": revenue beyond the peak, relative", s.Y[j]/most, 1, 5e-4)
			}
		}
	}
}

func TestHighValueJobsAllAdmittedUpTo75Percent(t *testing.T) {
	high := named(t, figure(t, "nist-10"), "High")
	near(t, "last share with all high-value jobs admitted", lastFull(high.X, high.Y), 0.75, point)
	if q := at(t, high, 0.74); q < everybody {
		t.Errorf("at 74 %% only %g of the high-value jobs are admitted", q)
	}
	if q := at(t, high, 0.76); q > 0.999 {
		t.Errorf("at 76 %% still %g of the high-value jobs are admitted", q)
	}
}

func TestLowValueJobsGoneFrom60Percent(t *testing.T) {
	low := named(t, figure(t, "nist-10"), "Low")
	for i, x := range low.X {
		if x >= 0.6 && low.Y[i] > nobody {
			t.Errorf("at %g still %g of the low-value jobs are admitted", x, low.Y[i])
		}
	}
	if q := at(t, low, 0.1); math.Abs(q-0.8426) > 0.002 {
		t.Errorf("at 10 %% the share admitted is %g, want 0.8426: the remark on the paper's 70 %% rests on it", q)
	}
}

func TestTwoClassRevenueReachesItsMaximumAt75Percent(t *testing.T) {
	s := figure(t, "nist-11").Series[0]
	most := slices.Max(s.Y)
	first := slices.IndexFunc(s.Y, func(y float64) bool { return y > most*(1-1e-6) })
	near(t, "share at which revenue is greatest", s.X[first], 0.75, point)
	near(t, "greatest revenue in $/h", most, 327685, 5)
}

func TestFourClassesAreShutOutInTheRangesOfTheText(t *testing.T) {
	fig := figure(t, "nist-13")
	for _, c := range []struct {
		class       string
		start, end  float64 // of the range in the text
		startWithin float64
	}{
		// The two starts further off are those of the recipe's remark.
		{"Low value, low", 0.15, 0.21, 1.5 * point},
		{"Low value, high", 0.28, 0.40, point},
		{"High value, high", 0.60, 0.80, 2.5 * point},
		{"High value, low", 0.90, math.NaN(), point},
	} {
		s := named(t, fig, c.class)
		near(t, s.Name+": begins to be rejected", lastFull(s.X, s.Y), c.start, c.startWithin)
		if q := at(t, s, c.start); q < 0.8 {
			t.Errorf("%s: only %g admitted at load %g", s.Name, q, c.start)
		}
		gone, ok := firstGone(s.X, s.Y)
		if ok == math.IsNaN(c.end) {
			t.Errorf("%s: gone %t", s.Name, ok)
		}
		if ok {
			near(t, s.Name+": gone", gone, c.end, point)
		}
		t.Logf("%s: all up to %.1f %%, none from %.1f %%", s.Name, 100*lastFull(s.X, s.Y), 100*gone)
	}
}

func TestSlopeOfRevenueChangesWhereEachClassIsRejected(t *testing.T) {
	fig := figure(t, "nist-14")
	s := fig.Series[0]
	var ends []float64
	for _, r := range fig.VLines {
		ends = append(ends, r.At)
	}
	slices.Sort(ends)
	if len(ends) != 4 {
		t.Fatalf("%d classes begin to be rejected, want 4", len(ends))
	}
	slope := func(from, to float64) float64 { return (at(t, s, to) - at(t, s, from)) / (to - from) }
	from, last := s.X[0], math.Inf(1)
	for _, to := range append(ends, s.X[len(s.X)-1]) {
		mean := slope(from, to)
		if mean > 0.8*last {
			t.Errorf("mean slope from %g to %g is %g, before it was %g", from, to, mean, last)
		}
		t.Logf("mean slope from %.1f to %.1f %%: $%.0f per hour and point", 100*from, 100*to, mean/100)
		from, last = to, mean
	}
	const width = 0.02
	for _, x := range ends {
		before := slope(x-width, x) - slope(x-2*width, x-width)
		after := slope(x+width, x+2*width) - slope(x, x+width)
		if before >= 0 || after < before/4 {
			t.Errorf("at %g the slope changes by %g before and %g after: it should fall and then stop falling", x, before, after)
		}
	}
}

func TestClusterByThePrintedFormula(t *testing.T) {
	res := build(t, "nist-15", Options{Quick: true})
	sheet := res.Picture.(plots.Sheet)
	if _, err := plots.Save(t.TempDir(), sheet, res.Provenance, plots.SVG, plots.CSV); err != nil {
		t.Error(err)
	}
	if len(sheet.Panels) != 3 {
		t.Fatalf("%d panels, want 3", len(sheet.Panels))
	}
	printed := sheet.Panels[0]
	first := math.Inf(1)
	for _, s := range printed.Series {
		first = math.Min(first, lastFull(s.X, s.Y))
	}
	near(t, "last load without a rejected job", first, 0.964, point)
	for _, class := range []string{"Low value, high", "Low value, low"} {
		s := named(t, printed, class)
		gone, ok := firstGone(s.X, s.Y)
		if !ok {
			t.Errorf("%s: never gone", s.Name)
		}
		near(t, s.Name+": gone", gone, 4.8, 0.05)
	}
	for _, p := range sheet.Panels {
		for _, class := range []string{"High value, high", "High value, low"} {
			if q := at(t, named(t, p, class), 4.5); q < everybody {
				t.Errorf("%s: %s: only %g admitted at load 4.5, where low-value jobs are still displaced", p.Title, class, q)
			}
		}
	}
	betterEstimatesAgree(t, sheet.Panels[1], sheet.Panels[2])
}

// betterEstimatesAgree: two better estimates of the delay admit the same jobs.
func betterEstimatesAgree(t *testing.T, pooled, servers plots.Figure) {
	for i, s := range pooled.Series {
		for j, x := range s.X {
			near(t, s.Name, servers.Series[i].Y[j], s.Y[j], 2*point)
			if s.X[j] <= 0.95 && s.Y[j] < everybody {
				t.Errorf("%s: only %g admitted at load %g", s.Name, s.Y[j], x)
			}
		}
	}
}
