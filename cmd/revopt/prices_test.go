package main

import (
	"encoding/json"
	"math"
	"path/filepath"
	"strings"
	"testing"
)

const shop = `server: {parallel: 1}
load: 1.1
simulation: {jobs: 10000, replications: 8}
classes:
  - {name: urgent, share: 0.3, length: {dist: exponential, mean: 6m}, price: 50, decay: 0.01, demand: {curve: exponential, elasticity: 1.5}}
  - {name: batch, share: 0.7, length: {dist: exponential, mean: 6m}, price: 20, decay: 0.001, demand: {curve: isoelastic, elasticity: 1.2}, price_max: 22}
`

// TestPrices: prices of solve, where a largest price brings admission back; the
// simulation asks them and earns what solve says; a curve has them.
func TestPrices(t *testing.T) {
	file := filepath.Join(t.TempDir(), "shop.yaml")
	writeText(t, file, shop)
	var solved struct {
		Revenue float64 `json:"revenue_per_second"`
		Stated  float64 `json:"stated_prices_per_second"`
		Gap     float64 `json:"relative_gap"`
		Classes []struct{ Admit, Price, Rate, Externality float64 }
	}
	if err := json.Unmarshal([]byte(must(t, "solve", file, "--prices", "--json")), &solved); err != nil {
		t.Fatal(err)
	}
	urgent, batch := solved.Classes[0], solved.Classes[1]
	if math.Abs(urgent.Price-50/1.5-urgent.Externality) > 1e-6*urgent.Price || urgent.Admit != 1 {
		t.Errorf("urgent %+v: the markup on the externality is not p0/e", urgent)
	}
	if batch.Price != 22 || !(batch.Admit < 1) || math.Abs(batch.Externality-22) > 1e-5 || solved.Gap > 1e-6 || solved.Revenue < solved.Stated {
		t.Errorf("batch %+v, want some turned away at 22 $; %+v", batch, solved)
	}
	var simulated struct {
		Policies []struct {
			Revenue struct {
				Mean float64
				Half float64 `json:"half_width"`
			} `json:"revenue_per_second"`
		}
	}
	if err := json.Unmarshal([]byte(must(t, "simulate", file, "--admission", "prices", "--level", "0.999", "--json", "--quiet")), &simulated); err != nil {
		t.Fatal(err)
	}
	if got := simulated.Policies[0].Revenue; math.Abs(got.Mean-solved.Revenue) > got.Half {
		t.Errorf("simulation earns %g ± %g $/s, want %g", got.Mean, got.Half, solved.Revenue)
	}
	table := filepath.Join(t.TempDir(), "curve.csv")
	if text := must(t, "curve", file, "--prices", "--vary", "load=0.5,1", "--csv", table); !strings.Contains(text, "the price of their jobs") {
		t.Errorf("curve prints\n%s", text)
	}
	if text := readText(t, table); !strings.Contains(text, "price urgent,rate urgent,externality urgent") {
		t.Errorf("curve writes\n%s", text)
	}
}

// TestPricesRefused: faults of the input are said on one line, with exit code 2.
func TestPricesRefused(t *testing.T) {
	file := filepath.Join(t.TempDir(), "shop.yaml")
	writeText(t, file, shop)
	for _, tt := range []struct {
		want string
		args []string
	}{
		{"no class states a demand", []string{"solve", "nist-four", "--prices"}},
		{"no class states a demand", []string{"curve", "nist-four", "--prices", "--vary", "load=1,2"}},
		{"no class states a demand", []string{"simulate", "nist-four", "--admission", "prices"}},
		{"no class states a demand", []string{"validate", "sp2-like", "--admission", "prices"}},
		{"expected prices alone", []string{"simulate", file, "--admission", "all,prices"}},
		{"--utility linear", []string{"solve", file, "--prices", "--utility", "exact"}},
		{"static or state", []string{"solve", file, "--prices", "--control", "threshold"}},
		{"an elasticity above 1", []string{"solve", file, "--prices", "--set", "classes.batch.demand.elasticity=1"}},
		{"at least the price of the class, 50", []string{"solve", file, "--prices", "--set", "classes.urgent.price_max=49"}},
	} {
		if o := try(tt.args...); o.code != exitUsage || !strings.Contains(o.stderr, tt.want) || strings.Count(o.stderr, "\n") != 1 {
			t.Errorf("%v: exit code %d, %q, want %q", tt.args, o.code, o.stderr, tt.want)
		}
	}
	// Nobody buys at this price, or at any.
	if text := must(t, "solve", file, "--set", "classes.urgent.demand.curve=linear", "--set", "classes.urgent.price=500", "--quiet"); !strings.Contains(text, "urgent") {
		t.Errorf("solve prints\n%s", text)
	}
	if text := must(t, "solve", file, "--prices", "--set", "classes.urgent.share=0", "--quiet"); !strings.Contains(text, "urgent") {
		t.Errorf("solve prints\n%s", text)
	}
}
