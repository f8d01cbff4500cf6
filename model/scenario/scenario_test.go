package scenario

import (
	"math"
	"strings"
	"testing"

	"revopt/model"
)

func builtin(t testing.TB, name string) *Scenario {
	t.Helper()
	doc, err := Builtin(name)
	if err != nil {
		t.Fatal(err)
	}
	s, err := doc.Scenario(nil)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestBuiltins(t *testing.T) {
	for _, tt := range []struct {
		name           string
		parallel, load float64
		classes        int
		warnings       int
	}{
		{"nist-cluster", 10, 0.9, 4, 0},
		{"nist-cluster-widths", 5000.0 / 650, 0.9, 4, 1},
		{"nist-four", 25, 0.6, 4, 0},
		{"nist-one", 30, 0.8, 1, 0},
		{"nist-two", 30, 0.8, 2, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := builtin(t, tt.name)
			system := s.System()
			if err := system.Validate(); err != nil {
				t.Fatal(err)
			}
			if s.Name != tt.name || !near(system.Parallel, tt.parallel) || len(s.Classes) != tt.classes || len(s.Warnings) != tt.warnings {
				t.Errorf("got %+v", s)
			}
			if !near(s.Load, tt.load) || !near(system.Load(), tt.load) {
				t.Errorf("load %g, of the system %g, want %g", s.Load, system.Load(), tt.load)
			}
		})
	}
	if got := len(Builtins()); got != 11 { // four of them traces, two grids
		t.Errorf("%d built-ins", got)
	}
	for _, info := range Builtins() {
		if info.Summary == "" || strings.Contains(info.Summary, "#") {
			t.Errorf("%s: summary %q", info.Name, info.Summary)
		}
	}
}

// TestCluster checks section VI of Marbukh and Mills: ten jobs at a time, mean
// prices of $1000 and $5000, a mean grace of 21600 s and jobs that expire
// 10,000 or 1,000 s after their grace.
func TestCluster(t *testing.T) {
	s := builtin(t, "nist-cluster")
	for i, want := range []struct{ price, decay, zero float64 }{
		{1000, 0.1, 10000}, {1000, 1, 1000}, {5000, 0.5, 10000}, {5000, 5, 1000},
	} {
		c := s.Classes[i]
		u := c.Utility(7200, 500)
		if math.Abs(c.MeanPrice()-want.price) > 1e-6 || c.Decay != want.decay || math.Abs(c.MeanGrace()-21600) > 1e-6 ||
			math.Abs(u.Zero()-u.Grace-want.zero) > 1e-6 || math.Abs(u.Penalty-want.price/20) > 1e-6 || c.Expire != model.ExpireZero {
			t.Errorf("class %s: price %g, grace %g, utility %+v", c.Name, c.MeanPrice(), c.MeanGrace(), u)
		}
	}
	if s.Phi != 0.56 || s.Simulation.Horizon != 182*86400 || s.Simulation.Jobs != 0 || s.Nodes != 5000 {
		t.Errorf("got %+v", s)
	}
}

func TestDefaults(t *testing.T) {
	s, err := decodeText("server: {parallel: 4}\nload: 0.5\nclasses: [{name: x, length: {mean: 10, sd: 1}, price: 1}]\n")
	if err != nil {
		t.Fatal(err)
	}
	c := s.Classes[0]
	if s.Name != "s" || s.Phi != 1 || s.Residual != model.Pooled || s.Nodes != 4 || s.Parallel != 4 ||
		s.Simulation != (Simulation{Jobs: 100000, Warmup: Warmup{Fraction: 0.1}, Replications: 10}) {
		t.Errorf("got %+v", s)
	}
	if c.Decay != 0 || c.Grace != (model.Grace{}) || !c.Floor.None || c.Expire != model.ExpireNever ||
		c.Width.Mean() != 1 || c.SLO != nil {
		t.Errorf("got %+v", c)
	}
	if !near(c.Rate, 0.5*4/10) {
		t.Errorf("rate %g, want 0.2", c.Rate)
	}
}

func TestUnits(t *testing.T) {
	for text, want := range map[string]float64{
		"90": 90, "90s": 90, "1.5m": 90, "2h": 7200, "182d": 182 * 86400, "1w": 604800, "1e3": 1000, ".5h": 1800, "+5": 5,
		"0": 0, "5.": 5,
	} {
		s, err := decodeText(good, Override{Path: "classes.a.grace", Value: text})
		if err != nil {
			t.Error(err)
			continue
		}
		if got := s.Classes[0].Grace.Fixed; got != want {
			t.Errorf("%s is %g s, want %g", text, got, want)
		}
	}
	for _, text := range []string{"90 s", "s", "1e", "1h30m", "-5s", "0x5", "1_000", "1e308w", "5S", "Inf", "nan",
		"1..2", "--5", "1e999", "٣"} {
		if s, err := decodeText(good, Override{Path: "classes.a.grace", Value: text}); err == nil {
			t.Errorf("%s is read as %g s", text, s.Classes[0].Grace.Fixed)
		}
	}
}

// byRates is a scenario of rates: work of 0.2*10*5 + 0.1*20*10 = 30 nodes.
const byRates = `server: {nodes: 60}
classes:
  - {name: a, rate: 0.2, length: {dist: exponential, mean: 10}, width: 5, price: 1}
  - {name: b, rate: 0.1, length: {dist: deterministic, mean: 20}, width: 10, price: 1}
  - {name: c, rate: 0, length: {dist: gamma, mean: 20, sd: 40}, width: 60, price: 1}
`

func TestRates(t *testing.T) {
	s, err := decodeText(byRates)
	if err != nil {
		t.Fatal(err)
	}
	// Both classes bring 2 jobs of work, so that the mean width is 7.5.
	if !near(s.Load, 0.5) || !near(s.Parallel, 8) || !near(s.System().Load(), 0.5) {
		t.Errorf("load %g, n %g, load of the system %g", s.Load, s.Parallel, s.System().Load())
	}
	if len(s.Warnings) != 1 {
		t.Errorf("warnings %q", s.Warnings)
	}
	s, err = decodeText(byRates, Set("load", 1))
	if err != nil {
		t.Fatal(err)
	}
	if s.Load != 1 || !near(s.Classes[0].Rate, 0.4) || !near(s.Classes[1].Rate, 0.2) || s.Classes[2].Rate != 0 {
		t.Errorf("got %+v", s)
	}
	zero := strings.NewReplacer("rate: 0.2", "rate: 0", "rate: 0.1", "rate: 0").Replace(byRates)
	s, err = decodeText(zero)
	if err != nil || s.Load != 0 || !near(s.Parallel, 60/25.0) {
		t.Errorf("no arrivals: %+v, %v", s, err)
	}
	for _, tt := range []struct {
		text string
		sets []Override
		want string
	}{
		{zero, []Override{Set("load", 1)}, `--set load=1: load: expected rates above 0 to scale to a load`},
		{byRates, []Override{Set("load", 1e308)},
			`--set load=1e+308: load: expected a number above 0 such as 0.9 or 90%, from 1e-18 to 1e18 in size, got 1e+308`},
		{byRates, []Override{Set("classes.a.rate", 1e308)},
			`--set classes.a.rate=1e+308: classes.a.rate: expected a number of at least 0, from 1e-18 to 1e18 in size, got 1e+308`},
		{byRates + "load: 1\n", nil, `s.yaml:6:7: load: expected no load, as the classes give rates, got 1`},
		{strings.Replace(byRates, "rate: 0, ", "", 1), nil,
			`s.yaml:5:5: classes.c.rate: missing, expected a rate in jobs per second, as the other classes give one`},
		{strings.Replace(byRates, "rate: 0.2", "rate: 1e308", 1), nil,
			`s.yaml:3:21: classes.a.rate: expected a number of at least 0, from 1e-18 to 1e18 in size, got 1e308`},
	} {
		_, err := decodeText(tt.text, tt.sets...)
		checkError(t, err, tt.want)
	}
}
