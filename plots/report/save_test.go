package report

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"testing"

	"revopt/model/scenario"
	"revopt/simulate/study"
	"revopt/simulate/study/simulation"
	"revopt/simulate/study/whatif"
	"revopt/simulate/subject"
)

// opened opens a built-in scenario, one of classes with replications of 2000 jobs.
func opened(t testing.TB, name string, overrides ...scenario.Override) *subject.Subject {
	t.Helper()
	doc, err := scenario.Builtin(name)
	if err != nil {
		t.Fatal(err)
	}
	return openedDocument(t, doc, overrides...)
}

func openedDocument(t testing.TB, doc *scenario.Document, overrides ...scenario.Override) *subject.Subject {
	t.Helper()
	doc, err := doc.With(overrides...)
	if err != nil {
		t.Fatal(err)
	}
	s, err := subject.Open(context.Background(), doc, 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// run carries a simulation out.
func run(t testing.TB, s *simulation.Simulation) *study.Result {
	t.Helper()
	r, err := s.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	Fill(r)
	return r
}

// set returns an override.
func set(path, value string) scenario.Override { return scenario.Override{Path: path, Value: value} }

// saved returns the file of a result.
func saved(t testing.TB, result any) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := Save(&b, result); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// findings returns results of many kinds, by name.
func findings(t testing.TB) map[string]any {
	t.Helper()
	ctx := context.Background()
	classes := opened(t, "nist-cluster", set("load", "1.2"), set("simulation.jobs", "2000"))
	list := map[string]any{}
	nodes, err := whatif.ParseChange(classes, "server.nodes=+500")
	if err != nil {
		t.Fatal(err)
	}
	if list["what-if"], err = (&whatif.WhatIf{Subject: classes, Changes: []whatif.Change{nodes}, Replications: 2, Seed: 1, Costs: whatif.Costs{{PerHour: 1}}}).Run(ctx); err != nil {
		t.Fatal(err)
	}
	pooled := opened(t, "ai-site", set("trace.jobs", "last:80"))
	grow, err := whatif.ParseChanges(pooled, "pools.*=+25%")
	if err != nil {
		t.Fatal(err)
	}
	if list["growth"], err = (&whatif.WhatIf{Subject: pooled, Changes: grow, Replications: 2, Seed: 1}).Run(ctx); err != nil {
		t.Fatal(err)
	}
	for _, result := range list {
		Fill(result)
	}
	return list
}

func TestSaved(t *testing.T) {
	list := findings(t)
	t.Run("round trip", func(t *testing.T) { testRoundTrip(t, list) })
	t.Run("damaged", func(t *testing.T) { testDamaged(t, list) })
}

// testRoundTrip reads back what was saved: the same value, the same JSON, and the
// same file when it is saved again.
func testRoundTrip(t *testing.T, list map[string]any) {
	for name, a := range list {
		file := saved(t, a)
		got, err := LoadAny(bytes.NewReader(file))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if again := saved(t, got); !bytes.Equal(again, file) {
			t.Errorf("%s: saved again it is another file", name)
		}
		before, err1 := json.Marshal(a)
		after, err2 := json.Marshal(got)
		if err1 != nil || err2 != nil || !bytes.Equal(before, after) {
			t.Errorf("%s: other JSON, %v, %v", name, err1, err2)
		}
		if w, ok := got.(*whatif.Result); ok {
			p, err := (&WhatIf{Result: w}).Plot()
			if err != nil || p.List[0].Series[0].Y[0] != float64(w.Changes[0].Simulation.Difference.Mean) {
				t.Errorf("the gains are drawn as %+v: %v", p, err)
			}
		}
	}
}

// testDamaged changes files at random: each is refused.
func testDamaged(t *testing.T, list map[string]any) {
	r := rand.New(rand.NewPCG(5, 6))
	for _, name := range []string{"what-if", "growth"} {
		file := saved(t, list[name])
		for range 100 {
			bad := bytes.Clone(file)
			switch at := r.IntN(len(bad)); r.IntN(5) {
			case 0:
				bad[at] ^= byte(1 + r.IntN(255))
			case 1:
				bad = bad[:at]
			case 2:
				bad = append(bad[:at:at], bad[min(len(bad), at+1+r.IntN(9)):]...)
			case 3:
				bad = append(bad[:at:at], append([]byte("0"), bad[at:]...)...)
			case 4: // of the header, where messages come from
				bad[r.IntN(300)] = byte(32 + r.IntN(95))
			}
			if bytes.Equal(bad, file) {
				continue
			}
			var refused *SavedError
			if _, err := LoadAny(bytes.NewReader(bad)); !errors.As(err, &refused) {
				t.Fatalf("%s: a damaged file is read, %v", name, err)
			}
		}
	}
}
