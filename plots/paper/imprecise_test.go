package paper

import (
	"context"
	"strings"
	"testing"

	"revopt/plots"
)

// TestImprecise draws the figures of Kim, Buyya and Kim and decides the claims on
// them; that of acceptance by the mandatory-first schemes fails.
func TestImprecise(t *testing.T) {
	o := Options{Quick: true, Seed: 1, Replications: 3, Shared: new(Shared)}
	drawn(t, "ic-05a", o)
	says(t, "ic-05b", drawn(t, "ic-05b", o), "laxity 10 %", "more than Hard-M+O")
	says(t, "ic-06", drawn(t, "ic-06", o), "Hard-M+O earns less than Hard-M below a rate of 0.1")
	decideAll(t, o, impreciseResults(), "ic-05a-whole", "ic-05a-order", "ic-05a-mandatory", "ic-05b-mandatory", "ic-05b-more", "ic-05b-overload", "ic-06-crossing", "ic-06-more")
}

func TestLibraTable(t *testing.T) {
	const replications = 200
	o := Options{Seed: 1, Workers: 2, Replications: replications}
	list, err := specs(o, libraDesigns(o)...)
	if err != nil {
		t.Fatal(err)
	}
	found, err := o.runSweeps(context.Background(), list)
	if err != nil {
		t.Fatal(err)
	}
	cells := libraCells(found)
	prototype := []float64{74, 83, 87, 94, 100, 109, 156, 178}
	for i, c := range cells {
		mean, _ := spread(c.found)
		near(t, c.name, mean, prototype[i], 2.5)
	}
}

func TestLibraTableIsDrawn(t *testing.T) {
	res := drawn(t, "libra-table1", Options{Quick: true, Seed: 1})
	if len(res.Remarks) != 4 || !strings.Contains(res.Remarks[3], "200 jobs, 20 nodes") {
		t.Errorf("remarks %q", res.Remarks)
	}
	if fig := res.Picture.(plots.Figure); len(fig.Series) != 4 || len(fig.X.Categories) != 4 {
		t.Errorf("%d series, categories %v", len(fig.Series), fig.X.Categories)
	}
}
