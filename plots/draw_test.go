package plots

import (
	"cmp"
	"math"
	"strings"
	"testing"
)

var nan, inf = math.NaN(), math.Inf(1)

func placed(f Figure) panel { return newPage(f.sheet()).panels[0] }

func TestGapsBreakLines(t *testing.T) {
	for _, tc := range []struct {
		y    []float64
		log  bool
		runs []int // points in each
	}{
		{[]float64{1, 2, 3, 4}, false, []int{4}},
		{[]float64{1, nan, 3, 4}, false, []int{1, 2}},
		{[]float64{nan, 2, inf, -inf}, false, []int{1}},
		{[]float64{nan, nan, nan, nan}, false, nil},
		{[]float64{1, 0, -3, 4}, true, []int{1, 1}},
		{[]float64{1, 2, 1e308, 4}, false, []int{2, 1}},
	} {
		s := Series{X: []float64{1, 2, 3, 4}, Y: tc.y}
		p := placed(Figure{Y: Axis{Log: tc.log}, Series: []Series{s}})
		var got []int
		for _, run := range p.runs(s.X, s.Y, false) {
			got = append(got, len(run))
		}
		if len(got) != len(tc.runs) {
			t.Errorf("%v: runs of %v points, want %v", tc.y, got, tc.runs)
			continue
		}
		for i := range got {
			if got[i] != tc.runs[i] {
				t.Errorf("%v: runs of %v points, want %v", tc.y, got, tc.runs)
			}
		}
	}
}

func TestScaleEnds(t *testing.T) {
	for _, tc := range []struct {
		axis   Axis
		values []float64
		lo, hi float64
	}{
		{Axis{}, nil, 0, 1},
		{Axis{}, []float64{0, 10}, 0, 10.5},
		{Axis{}, []float64{100, 110}, 99.5, 110.5},
		{Axis{}, []float64{-10, -1}, -10.45, 0},
		{Axis{}, []float64{3, 3}, 2.7, 3.3},
		{Axis{}, []float64{0}, -1, 1},
		{Axis{Min: 0, Max: 5}, []float64{1, 4}, 0, 5},
		{Axis{Min: 0, Max: 5}, []float64{1, 100}, 0, 104.95},
		{Axis{Min: 0, Max: 5, Clip: true}, []float64{1, 100}, 0, 5},
		{Axis{Min: 0.6, Max: 1}, []float64{0.5, 1}, 0.475, 1},
		{Axis{Max: 1}, []float64{0, 1 + 1e-9}, 0, 1},
		{Axis{Log: true, Min: 10, Max: 1000}, []float64{1, 100}, 1 / math.Pow(10, 0.1), 1000},
		{Axis{Min: 0, Max: nan}, []float64{50, 100}, 0, 102.5},
		{Axis{Min: nan, Max: 0}, []float64{-50, -100}, -102.5, 0},
		{Axis{Min: 200, Clip: true}, []float64{1, 100}, 200, 220},
		{Axis{Log: true}, []float64{-1, 0}, 1, 10},
		{Axis{Log: true}, []float64{-1, 4}, 2, 8},
	} {
		e := newExtent()
		e.add(tc.values...)
		lo, hi := e.ends(tc.axis, padding{lo: 0.05, hi: 0.05, zero: 0.35})
		if math.Abs(lo-tc.lo) > 1e-9 || math.Abs(hi-tc.hi) > 1e-9 {
			t.Errorf("%+v over %v: got %g to %g, want %g to %g", tc.axis, tc.values, lo, hi, tc.lo, tc.hi)
		}
	}
}

func TestTickLabels(t *testing.T) {
	for _, tc := range []struct {
		axis   Axis
		lo, hi float64
		want   string
	}{
		{Axis{}, 0, 1, "0 0.2 0.4 0.6 0.8 1.0"},
		{Axis{}, 0, 250000, "0 50k 100k 150k 200k 250k"},
		{Axis{}, -2e6, 2e6, "−2M −1M 0 1M 2M"},
		{Axis{}, 0, 5e9, "0 1×10⁹ 2×10⁹ 3×10⁹ 4×10⁹ 5×10⁹"},
		{Axis{}, 0, 5e-5, "0 1×10⁻⁵ 2×10⁻⁵ 3×10⁻⁵ 4×10⁻⁵ 5×10⁻⁵"},
		{Axis{Percent: true}, 0, 1, "0 20 40 60 80 100"},
		{Axis{Whole: true}, 0, 3, "0 1 2 3"},
		{Axis{Whole: true}, 0, 10, "0 2 4 6 8 10"},
		{Axis{Log: true}, 0.01, 1000, "0.01 0.1 1 10 100 1000"},
		{Axis{Log: true}, 1, 1e6, "10⁰ 10² 10⁴ 10⁶"},
		{Axis{Log: true, Percent: true}, 0.01, 1, "1 10 100"},
		{Axis{Time: true}, 0, 100, "0 20 40 60 80 100"},
		{Axis{Time: true}, 0, 3600, "0 10 20 30 40 50 60"},
		{Axis{Time: true}, 0, 9000, "0 30 60 90 120 150"},
		{Axis{Time: true}, 0, 86400, "0 6 12 18 24"},
		{Axis{Time: true}, 0, 3 * 86400, "0 12 24 36 48 60 72"},
		{Axis{Time: true}, 0, 730 * 86400, "0 200 400 600"},
		{Axis{Time: true, Log: true}, 1, 1e6, "1 s 1 min 1 h 1 d"},
	} {
		var got []string
		for _, tk := range tc.axis.ticks(tc.lo, tc.hi, 5) {
			if tc.axis.Whole && tk.value != math.Trunc(tk.value) {
				t.Errorf("%+v %g to %g: a tick at %g", tc.axis, tc.lo, tc.hi, tk.value)
			}
			if tk.label != "" {
				got = append(got, tk.label)
			}
		}
		if s := strings.Join(got, " "); s != tc.want {
			t.Errorf("%+v %g to %g: got %s, want %s", tc.axis, tc.lo, tc.hi, s, tc.want)
		}
	}
}

// Whatever the numbers, a figure is drawn or refused, without panic.
func TestHostileFigures(t *testing.T) {
	line := func(x, y []float64) Figure { return Figure{Series: []Series{{Name: "s", X: x, Y: y}}} }
	one := []float64{1, 2, 3}
	for name, tc := range map[string]struct {
		fig Picture
		bad bool
	}{
		"empty":         {Figure{}, false},
		"no panels":     {Sheet{}, true},
		"empty series":  {line(nil, nil), false},
		"one point":     {line([]float64{1}, []float64{2}), false},
		"constant":      {line(one, []float64{7, 7, 7}), false},
		"all NaN":       {line([]float64{nan, nan}, []float64{nan, nan}), false},
		"infinite":      {line(one, []float64{inf, -inf, 1}), false},
		"huge":          {line([]float64{-1e308, 1e299, 0}, []float64{1e299, -1e299, 1e308}), false},
		"tiny":          {line([]float64{1e-310, 2e-310}, []float64{5e-324, 1e-323}), false},
		"unsorted":      {line([]float64{3, 1, 2}, one), false},
		"mismatch":      {line(one, one[:2]), true},
		"low only":      {Figure{Series: []Series{{X: one, Y: one, Low: one}}}, true},
		"short high":    {Figure{Series: []Series{{X: one, Y: one, Low: one, High: one[:1]}}}, true},
		"high look":     {Figure{Series: []Series{{X: one, Y: one, Look: 1000}}}, false},
		"region":        {Figure{Regions: []Region{{X: one, Y: one[:1]}}}, true},
		"region y2":     {Figure{Regions: []Region{{X: one, Y: one, Y2: one}}}, true},
		"between":       {Figure{Regions: []Region{{X: one, Y: one, Side: Between}}}, true},
		"NaN region":    {Figure{Regions: []Region{Ceiling("c", []float64{nan, 1}, []float64{1, nan})}}, false},
		"reversed ends": {Figure{X: Axis{Min: 2, Max: 1}}, true},
		"infinite end":  {Figure{X: Axis{Max: inf}}, true},
		"log ends":      {Figure{X: Axis{Min: -1, Max: 1, Log: true}}, true},
		"log from zero": {Figure{X: Axis{Min: 0, Max: 10, Log: true}}, false},
		"log data": {Figure{X: Axis{Log: true}, Y: Axis{Log: true}, Series: []Series{
			{X: []float64{-1, 0, 1}, Y: []float64{0, 1, -1}, Low: []float64{-1, -1, -1}, High: one}}}, false},
		"log bars":       {Figure{X: Axis{Log: true}, Y: Axis{Log: true}, Series: []Series{{X: one, Y: one, Kind: Bars}}}, false},
		"y categories":   {Figure{Y: Axis{Categories: []string{"a"}}}, false},
		"log categories": {Figure{X: Axis{Log: true, Categories: []string{"a"}}}, true},
		"wild words": {Figure{Title: "a\x00b\xff\n漢字😀 <&>\"", X: Axis{Label: "\u202e\ufffe", Categories: []string{"", "\n"}},
			Labels: []Label{{X: nan}, {Text: "t"}}, Notes: []string{""}}, false},
		"rules":           {Figure{VLines: []Rule{{At: nan}, {At: inf}, {At: 3}}, HLines: []Rule{{At: nan, Text: "x"}}}, false},
		"negative size":   {Figure{Width: -1}, true},
		"NaN size":        {Figure{Height: nan}, true},
		"enormous":        {Figure{Width: 1e9}, true},
		"smallest":        {Figure{Width: 3, Height: 3, Series: rich().Series, VLines: rich().VLines}, false},
		"negative bars":   {Figure{Series: []Series{{X: one, Y: []float64{-1, 2, nan}, Kind: Bars}}}, false},
		"same place bars": {Figure{Series: []Series{{X: []float64{1, 1}, Y: []float64{1, 2}, Kind: Bars}}}, false},
		"panel mismatch":  {Sheet{Panels: []Figure{{}, line(one, nil)}}, true},
	} {
		t.Run(name, func(t *testing.T) {
			for _, f := range formats {
				p := tc.fig
				if fig, ok := p.(Figure); ok && f == PNG && fig.Width == 0 {
					fig.Width, fig.Height = 4, cmp.Or(fig.Height, 3) // pixels take time
					p = fig
				}
				b, err := Render(p, f, Provenance{})
				if (err != nil) != tc.bad {
					t.Errorf("%s: error %v", f, err)
				}
				if err != nil && (len(b) > 0 || !strings.HasPrefix(err.Error(), "plots: ")) {
					t.Errorf("%s: %d bytes, error %v", f, len(b), err)
				}
				if f == SVG && err == nil {
					wellFormed(t, b)
				}
			}
		})
	}
}
