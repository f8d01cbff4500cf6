package study_test

import (
	"context"
	"encoding/json"
	"os"
	"testing"

	"revopt/model/scenario"
	"revopt/simulate/study"
)

func TestTry(t *testing.T) {
	for _, name := range []string{"nist-cluster", "sp2-like", "ic-grid"} {
		doc, err := scenario.Builtin(name)
		if err != nil {
			t.Fatal(err)
		}
		s, err := study.Open(doc, 1, nil)
		if err != nil {
			t.Fatal(err)
		}
		r, err := (&study.Simulation{Subject: s, Seed: 1, Replications: 3}).Run(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		f, _ := os.Create("/tmp/try/" + name + ".json")
		json.NewEncoder(f).Encode(r)
		f.Close()
	}
}
