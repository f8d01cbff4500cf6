package plan

import (
	"bytes"
	"cmp"
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"revopt/internal/fixture"
	"revopt/simulate/metric"
)

// Rows of a sweep are ranked by the measure of its objective, those that drop jobs are not, and the journal remembers the
// objective. Bounds are of it too.
func TestRankedSweep(t *testing.T) {
	trace := filepath.Join(t.TempDir(), "jobs.swf")
	lines, random := "; MaxNodes: 8\n; MaxProcs: 8\n", rand.New(rand.NewPCG(4, 6))
	for i := range 20 {
		length := 10 + random.IntN(600)
		lines += fixture.SWFLine(i+1, 30*i, length, 1+random.IntN(8), 2*length, 1, 1)
	}
	if err := os.WriteFile(trace, []byte(lines), 0o644); err != nil {
		t.Fatal(err)
	}
	sweep := "scenario: |\n  trace: {file: " + trace + "}\n  classes: [{name: a, price: 1, deadline: {lengths: 3}, hard: true}]\n" +
		"vary: {trace.arrival_delay_factor: [0.5, 1]}\npolicies: [fcfs, easy, saf-bf, sjf-bf]\n" +
		"metrics: [mean_wait, mean_bounded_slowdown]\nbounds: true\n"
	for objective, measure := range map[string]metric.Measure{
		ObjectiveWait: metric.MeanWait(), ObjectiveSlowdown: metric.BoundedSlowdown(),
	} {
		dir := t.TempDir()
		s, err := runOn(context.Background(), plan(t, sweep+"objective: "+objective+"\n"), Engine{Dir: dir, Workers: 1})
		if err != nil {
			t.Fatal(err)
		}
		for point := range s.Plan().Points() {
			want := []int{0, 1, 2}
			slices.SortStableFunc(want, func(a, b int) int {
				mean := func(row int) float64 { return s.Row(point, row).Interval(measure, -1).Mean }
				return cmp.Compare(mean(a), mean(b))
			})
			r := s.Rank(point)
			if !slices.Equal(r.Rows, want) || !slices.Equal(r.Left, []int{3}) {
				t.Errorf("%s at point %d: %v and %v not compared, want %v", objective, point, r.Rows, r.Left, want)
			}
			if b := s.BoundTotals(point); b[0].Name != BusyTimeBound {
				t.Errorf("%s: bounds %+v", objective, b)
			}
		}
		kept, err := SweepIn(dir, nil)
		if err != nil || kept.CompareBy != objective {
			t.Fatalf("%s: the journal has %+v, %v", objective, kept, err)
		}
		var text bytes.Buffer
		if err := kept.WriteYAML(&text); err != nil || !bytes.Contains(text.Bytes(), []byte("objective: "+objective+"\n")) {
			t.Errorf("%s: %v\n%s", objective, err, &text)
		}
	}
}
