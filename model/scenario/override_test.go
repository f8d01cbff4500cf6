package scenario

import (
	"math"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
)

func mustParse(t testing.TB, arg string) Override {
	t.Helper()
	o, err := ParseOverride(arg)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-12*math.Max(math.Abs(a), math.Abs(b)) }

// shares returns the shares of arriving jobs.
func sharesOf(s *Scenario) []float64 {
	var total float64
	for _, c := range s.Classes {
		total += c.Rate
	}
	var list []float64
	for _, c := range s.Classes {
		list = append(list, c.Rate/total)
	}
	return list
}

func TestOverrideShare(t *testing.T) {
	doc, err := Builtin("nist-four")
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name string
		sets []Override
		want []float64
		err  string
	}{
		{"one", []Override{Set("classes.HvHu.share", 0.24)}, []float64{0.24, 0.16, 0.12, 0.48}, ""},
		{"one to 0", []Override{Set("classes.LvLu.share", 0)}, []float64{0.125, 0.5, 0.375, 0}, ""},
		{"one to 1", []Override{Set("classes.LvLu.share", 1)}, []float64{0, 0, 0, 1}, ""},
		{"one twice", []Override{Set("classes.HvHu.share", 1), Set("classes.HvHu.share", 0.24)}, []float64{0.24, 0.16, 0.12, 0.48}, ""},
		{"two", []Override{Set("classes.HvHu.share", 0.15), Set("classes.HvLu.share", 0.1)}, []float64{0.15, 0.1, 0.15, 0.6}, ""},
		{"two off 1", []Override{Set("classes.HvHu.share", 0.5), Set("classes.HvLu.share", 0.5)}, nil,
			`--set classes.HvHu.share=0.5: classes.HvHu.share: expected shares that sum to 1, got a sum of 1.75`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			changed, err := doc.With(tt.sets...)
			if err != nil {
				t.Fatal(err)
			}
			s, err := changed.Scenario(nil)
			if tt.err != "" {
				checkError(t, err, tt.err)
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			for i, got := range sharesOf(s) {
				if math.Abs(got-tt.want[i]) > 1e-12 {
					t.Errorf("class %s: share %g, want %g", s.Classes[i].Name, got, tt.want[i])
				}
			}
			if got := s.System().Load(); !near(got, 0.6) {
				t.Errorf("load %g, want 0.6", got)
			}
		})
	}
	none := strings.NewReplacer("share: 0.25", "share: 0", "share: 0.75", "share: 1").Replace(good)
	_, err = decodeText(none, Set("classes.b.share", 0.5))
	checkError(t, err, `--set classes.b.share=0.5: classes.b.share: expected 1, as the other classes have no share to scale, got 0.5`)
}

func TestNumericPaths(t *testing.T) {
	doc, err := Parse("s.yaml", []byte(good))
	if err != nil {
		t.Fatal(err)
	}
	paths, err := doc.NumericPaths()
	if err != nil {
		t.Fatal(err)
	}
	want := "server.nodes phi simulation.jobs simulation.warmup simulation.replications " +
		"classes.a.length.mean classes.a.length.sd classes.a.length.min classes.a.width classes.a.price classes.a.decay classes.a.grace classes.a.max_penalty.of_price classes.a.slo.within classes.a.slo.level " +
		"classes.b.length.mean classes.b.width classes.b.price.per_hour classes.b.decay classes.b.grace load classes.a.share classes.b.share growth"
	if got := strings.Join(paths, " "); got != want {
		t.Errorf("paths\n got %s\nwant %s", got, want)
	}
	for _, path := range append(paths, "classes.0.decay", "classes.1.price.per_hour") {
		if err := doc.CheckNumeric(path); err != nil {
			t.Errorf("%s: %v", path, err)
		}
	}
	for path, want := range map[string]string{
		"name":            "s.yaml: name: not a numeric field, there is server, phi, simulation, classes, load, growth",
		"laod":            "s.yaml: laod: not a numeric field, there is server, phi, simulation, classes, load, growth; did you mean load?",
		"server.residual": "s.yaml: server.residual: not a numeric field, in server there is nodes",
		"classes.c.decay": "s.yaml: classes.c.decay: not a numeric field, in classes there is a, b; did you mean classes.a.decay?",
		"classes.0.dekay": "s.yaml: classes.0.dekay: not a numeric field, in classes.a there is length, width, price, decay, grace, max_penalty, slo, share; did you mean classes.a.decay?",
	} {
		checkError(t, doc.CheckNumeric(path), want)
	}
}

// TestSplitNumber compares the split of texts into a number and the rest with a regular expression.
func TestSplitNumber(t *testing.T) {
	decimal := regexp.MustCompile(`^[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?`)
	rnd := rand.New(rand.NewPCG(1, 1))
	for range 20000 {
		word := make([]byte, rnd.IntN(8))
		for i := range word {
			word[i] = "019.+-eEx%"[rnd.IntN(10)]
		}
		digits, suffix := splitNumber(string(word))
		if want := decimal.FindString(string(word)); digits != want || digits+suffix != string(word) {
			t.Fatalf("%q: got %q and %q, want %q", word, digits, suffix, want)
		}
	}
}
