package workload

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat"

	"revopt/model"
	"revopt/simulate"
)

// sure is the quantile of the normal for an interval of 99.9 %.
const sure = 3.2905

func process(t testing.TB, a model.Arrivals, rate float64, replication int) arrivals {
	t.Helper()
	return must(newArrivals(a, a.Hours, rate, simulate.Stream(7, replication, "arrivals", 0)))
}

// TestRenewal: mean and variation of the gaps are those asked for.
func TestRenewal(t *testing.T) {
	const n, rate = 100_000, 0.03
	for _, cv := range []float64{0, 0.5, 1, 2, 5} {
		p := process(t, model.Arrivals{Kind: model.ArriveRenewal, CV: cv}, rate, 0)
		var m1, m2, m4 float64 // of gaps, about the mean
		at := p.Next(0)        // after the rest of a gap
		for range n {
			next := p.Next(at)
			x := (next-at)*rate - 1
			m1, m2, m4 = m1+x/n, m2+x*x/n, m4+x*x*x*x/n
			at = next
		}
		if math.Abs(m1) > sure*cv/math.Sqrt(n)+1e-9 {
			t.Errorf("cv %g: the mean gap is off by %g", cv, m1)
		}
		if got := math.Abs(m2 - cv*cv); got > sure*math.Sqrt((m4-m2*m2)/n)+1e-9 {
			t.Errorf("cv %g: squared variation %g", cv, m2)
		}
	}
}

// TestBursts: mean and index of dispersion of the number of jobs until t are
// those of a Markov-modulated Poisson process of two states in equilibrium
// (Heffes and Lucantoni 1986): with rates a and b, left at rates r and s,
//
//	I(t) = 1 + 2 (a-b)^2 r s / ((r+s)^2 (a s + b r)) (1 - (1 - exp(-(r+s) t)) / ((r+s) t))
func TestBursts(t *testing.T) {
	const runs, rate = 4000, 0.05
	for _, b := range []model.Arrivals{
		{Kind: model.ArriveBursts, On: 600, Off: 3600, Ratio: 5},
		{Kind: model.ArriveBursts, On: 300, Off: 300, Ratio: 50},
		{Kind: model.ArriveBursts, On: 100, Off: 900, Ratio: 1},
		{Kind: model.ArriveBursts, On: 500, Off: 100, Ratio: 0},
	} {
		for _, until := range []float64{200, 5000} {
			counts := make([]float64, runs)
			for k := range counts {
				p := process(t, b, rate, k)
				for at := p.Next(0); at <= until; at = p.Next(at) {
					counts[k]++
				}
			}
			var mean, m2, m4 float64
			for _, x := range counts {
				mean += x / runs
			}
			for _, x := range counts {
				d := x - mean
				m2, m4 = m2+d*d/runs, m4+d*d*d*d/runs
			}
			low := rate * (b.On + b.Off) / (b.Ratio*b.On + b.Off)
			high, r, s := b.Ratio*low, 1/b.On, 1/b.Off
			index := 1 + 2*(high-low)*(high-low)*r*s/((r+s)*(r+s)*(high*s+low*r))*(1-(1-math.Exp(-(r+s)*until))/((r+s)*until))
			if math.Abs(mean-rate*until) > sure*math.Sqrt(m2/runs) {
				t.Errorf("%v: %g jobs in %g s, want %g", b, mean, until, rate*until)
			}
			if want := index * rate * until; math.Abs(m2-want) > sure*math.Sqrt((m4-m2*m2)/runs) {
				t.Errorf("%v: variance %g in %g s, want %g", b, m2, until, want)
			}
		}
	}
}

// chiSquareLimit returns the chi-square that one sample in 1000 exceeds (Wilson
// and Hilferty 1931).
func chiSquareLimit(freedom float64) float64 {
	v := 2 / (9 * freedom)
	return freedom * math.Pow(1-v+3.0902*math.Sqrt(v), 3)
}

// TestProfile: jobs by hour are Poisson with the weights asked for, and their
// mean rate is kept.
func TestProfile(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for _, hours := range []int{24, 168} {
		const rate, weeks = 0.02, 50.
		weights := make([]float64, hours)
		var sum float64
		for i := range weights {
			if i%5 > 0 { // some hours without jobs
				weights[i] = rnd.Float64() + 0.1
			}
			sum += weights[i]
		}
		p := process(t, model.Arrivals{Kind: model.ArriveProfile, Hours: weights}, rate, 0)
		counts := make([]float64, hours)
		var n float64
		for at := p.Next(0); at < weeks*7*86400; at = p.Next(at) {
			counts[int(at/3600)%hours]++
			n++
		}
		expected := rate * weeks * 7 * 86400
		if math.Abs(n-expected) > sure*math.Sqrt(expected) {
			t.Errorf("%d hours: %g jobs, want %g", hours, n, expected)
		}
		var chi, cells float64
		for i, w := range weights {
			want := expected * w / sum
			switch {
			case want > 0:
				chi += (counts[i] - want) * (counts[i] - want) / want
				cells++
			case counts[i] > 0:
				t.Errorf("%d hours: %g jobs in hour %d, which has none", hours, counts[i], i)
			}
		}
		if limit := chiSquareLimit(cells); chi > limit {
			t.Errorf("%d hours: chi-square %g, limit %g", hours, chi, limit)
		}
	}
}

// TestMeasureProfile: the hours of a generated trace are those it was generated
// with. Its gaps vary more than exponential ones, so the interval is that of
// counts that vary three times as much.
func TestMeasureProfile(t *testing.T) {
	const n = 300_000
	hours := must(measureProfile(context.Background(), Selection{File: model.SP2Like, Subset: Subset{First: n}}))
	for i, got := range hours {
		want := n / 168. * sp2().hours[i%24] * sp2().days[i/24]
		if math.Abs(got-want) > 3*sure*math.Sqrt(want)+0.01*want {
			t.Errorf("hour %d of the week: %g jobs, want %g", i, got, want)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := measureProfile(ctx, Selection{File: model.SP2Like}); err != context.Canceled {
		t.Errorf("got %v", err)
	}
}

// TestProfileFiles: weights from a file, or measured from a trace by its clock.
func TestProfileFiles(t *testing.T) {
	file := func(text string) model.Arrivals {
		path := filepath.Join(t.TempDir(), "hours")
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return model.Arrivals{Kind: model.ArriveProfile, File: path}
	}
	job := func(at float64) string { return fmt.Sprintf("1 %g 0 1 1 -1 -1 1 1 -1 1 1 1 1 1 1 -1 -1\n", at) }
	day := make([]float64, 24)
	for i := range day {
		day[i] = float64(i)
	}
	if hours, err := hoursOf(file(strings.Trim(strings.ReplaceAll(fmt.Sprint(day), " 12", ",\n12"), "[]"))); err != nil || !slices.Equal(hours, day) {
		t.Errorf("%v, %v", hours, err)
	}
	for _, test := range []struct {
		header string
		hour   int // of the week, of a job at 3600 s
	}{
		{"; MaxProcs: 1\n", 1},
		{"; UnixStartTime: 946857600\n", 1},                      // Monday, 3 January 2000
		{"; UnixStartTime: 946857600\n; TimeZone: -3600\n", 0},   // an hour earlier
		{"; UnixStartTime: 946857600\n; TimeZone: -7300\n", 166}, // Sunday
		{"; UnixStartTime: 0\n", 3*24 + 1},                       // Thursday
	} {
		want := make([]float64, 168)
		want[test.hour] = 2
		if hours, err := hoursOf(file(test.header + job(3600) + job(3601))); err != nil || !slices.Equal(hours, want) {
			t.Errorf("%q: %v, %v", test.header, hours, err)
		}
	}
	for _, text := range []string{"1 2 3", "1 2 x", "-1", strings.Repeat("1 ", 169)} {
		if _, err := hoursOf(file(text)); err == nil {
			t.Errorf("%q was accepted", text)
		}
	}
	if _, err := hoursOf(model.Arrivals{Kind: model.ArriveProfile, File: "none"}); err == nil {
		t.Error("a file that does not exist was read")
	}
}

// TestPaced: bursts and renewals in the time of a profile keep the rate, and their jobs by
// hour follow the weights.
func TestPaced(t *testing.T) {
	hours := make([]float64, 24)
	for i := range hours {
		hours[i] = float64(i % 8)
	}
	for _, a := range []model.Arrivals{{Kind: model.ArriveRenewal, CV: 2, Hours: hours}, {Kind: model.ArriveBursts, On: 600, Off: 1800, Ratio: 9, Hours: hours}} {
		const rate, until = 0.02, 400 * day
		got, n := make([]float64, 24), 0.0
		p := process(t, a, rate, 0)
		for at := p.Next(0); at < until; at = p.Next(at) {
			got[int(at/hour)%24]++
			n++
		}
		if math.Abs(n/(rate*until)-1) > 0.02 {
			t.Errorf("%v: %g jobs, want %g", a, n, rate*until)
		}
		if c := stat.Correlation(got, hours, nil); c < 0.99 || got[0]+got[8]+got[16] > 0 {
			t.Errorf("%v: jobs by hour correlate by %g with the weights: %v", a, c, got)
		}
	}
}
