package paper

import (
	"context"
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// setTo returns the value that the reading of some evidence gives a field, and
// otherwise where it gives none.
func setTo(e *Evidence, path string, otherwise float64) float64 {
	for _, v := range e.o.Reading.Set {
		if x, err := strconv.ParseFloat(v.Value, 64); v.Path == path && err == nil {
			return x
		}
	}
	return otherwise
}

// synthetic returns claims on two fields whose common optimum is known: x + y = 7 and
// x - y = 1, so that x = 4 and y = 3.
func synthetic() []Claim {
	claim := func(id string, want float64, of func(x, y float64) float64) Claim {
		return Claim{ID: "sla-" + id, On: "sp2-sla", Decide: func(e *Evidence) Verdict {
			return exact(of(setTo(e, "qos.deadline.low_mean", 2), setTo(e, "qos.budget.low_mean", 2))).near(want, 0.1, "")
		}}
	}
	return []Claim{claim("sum", 7, func(x, y float64) float64 { return x + y }), claim("difference", 1, func(x, y float64) float64 { return x - y })}
}

func TestFitFindsAKnownOptimum(t *testing.T) {
	f := Fit{Claims: synthetic(), Free: []Free{{"qos.deadline.low_mean", 1, 9}, {"qos.budget.low_mean", 1, 6}}, Tries: 200}
	told := 0
	found, err := f.Run(context.Background(), Options{}, func(int, int) { told++ })
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []float64{4, 3} {
		got, _ := strconv.ParseFloat(found.Reading.Set[i].Value, 64)
		near(t, found.Reading.Set[i].Path, got, want, 0.02)
	}
	near(t, "loss before, by hand 3² / 0.1² + 1 / 0.1²", loss(found.Before), 1000, 1e-6)
	if !found.Ended || found.Off > 0.1 || found.Reading.Tried != told || told > 200 {
		t.Errorf("loss %g after %d tries, told of %d, ended %t", found.Off, found.Reading.Tried, told, found.Ended)
	}
	for _, v := range found.Verdicts {
		if v.Outcome != Holds {
			t.Errorf("%+v", v)
		}
	}
	if found.Alike < 1 || found.Alike >= told {
		t.Errorf("%d of %d settings come out like the best", found.Alike, told)
	}
	block := found.Reading.Block()
	for _, want := range []string{`Of: "sp2-sla"`, `{Path: "qos.deadline.low_mean", Value: "`, "Tried: " + strconv.Itoa(told)} {
		if !strings.Contains(block, want) {
			t.Errorf("no %s in %s", want, block)
		}
	}
	f.Tries = 5
	if few, err := f.Run(context.Background(), Options{}, nil); err != nil || few.Ended || few.Reading.Tried != 5 || few.Off < found.Off {
		t.Errorf("five tries: %+v (%v)", few, err)
	}
	for _, after := range []int{1, 4} { // interrupted after so many settings
		ctx, cancel := context.WithCancel(context.Background())
		part, err := f.Run(ctx, Options{}, func(tried, _ int) {
			if tried == after {
				cancel()
			}
		})
		if !errors.Is(err, context.Canceled) || part == nil || part.Reading.Tried != after || part.Ended || !slices.Equal(part.Before, found.Before) {
			t.Errorf("interrupted after %d: %+v (%v)", after, part, err)
		}
		cancel()
	}
}

// TestFitOfAFormula fits the servers that the two-class figures need: without
// fitting, a figure at that number must say the same.
func TestFitOfAFormula(t *testing.T) {
	full := Claim{ID: "nist-10-test", On: "nist-two", Decide: func(e *Evidence) Verdict {
		s := e.curve("nist-10", "High")
		return exact(100*lastFull(s.X, s.Y)).near(70, 0.5, " %")
	}}
	f := Fit{Claims: []Claim{full}, Free: []Free{{"server.parallel", 20, 30}}, Tries: 8}
	found, err := f.Run(context.Background(), Options{Quick: true}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%s: %s after %d tries, loss %g", found.Reading.Set, found.Verdicts[0].Got, found.Reading.Tried, found.Off)
	if found.Before[0].Outcome != Fails || !(found.Off < loss(found.Before)/4) {
		t.Errorf("from %+v to %+v", found.Before, found.Verdicts)
	}
	e := NewEvidence(context.Background(), Options{Quick: true, Reading: found.Reading})
	if again, err := e.Decide(full); err != nil || again != found.Verdicts[0] {
		t.Errorf("the reading gives %+v, the fit had %+v (%v)", again, found.Verdicts[0], err)
	}
}

func TestFitRefusals(t *testing.T) {
	good := Fit{Claims: synthetic(), Free: []Free{{"qos.deadline.low_mean", 1, 9}}, Tries: 4}
	for name, change := range map[string]func(f *Fit){
		"no field":    func(f *Fit) { f.Free = []Free{{"qos.deadline.middle", 1, 2}} },
		"no policy":   func(f *Fit) { f.Free = []Free{{"policies.none.x", 1, 2}} },
		"no option":   func(f *Fit) { f.Free = []Free{{"policies.libra.x", 1, 2}} },
		"no scenario": func(f *Fit) { f.Claims[0].On = "" },
		"two of them": func(f *Fit) { f.Claims[1].On = "ic-grid" },
		"no tries":    func(f *Fit) { f.Tries = 1 },
	} {
		f := good
		f.Claims = synthetic()
		change(&f)
		if _, err := f.Run(context.Background(), Options{}, nil); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	if _, err := good.Run(ctx, Options{}, func(tried, _ int) {
		if tried == 2 {
			cancel()
		}
	}); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: %v", err)
	}
	for _, words := range []string{"", "phi", "phi=1", "phi=2:1", "=1:2", "phi=a:b", "phi=1:Inf"} {
		if f, err := ParseFree(words); err == nil {
			t.Errorf("%q: %+v", words, f)
		}
	}
	if f, err := ParseFree("phi=0.5:3"); err != nil || f != (Free{"phi", 0.5, 3}) || math.IsNaN(f.Low) {
		t.Errorf("%+v, %v", f, err)
	}
}

// TestFitStops: a search that is interrupted in its grid ends at once, however many
// cells are left.
func TestFitStops(t *testing.T) {
	ctx, stop := context.WithCancel(context.Background())
	f := Fit{Claims: synthetic(), Free: []Free{{"qos.deadline.low_mean", 1, 9}}, Tries: math.MaxInt}
	_, err := f.Run(ctx, Options{}, func(tried, _ int) {
		if tried == 5 {
			stop()
		}
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
