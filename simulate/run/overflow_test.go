package run

import (
	"context"
	"fmt"
	"reflect"
	"testing"

	"revopt/internal/fixture"
	"revopt/simulate/workload"
)

// TestOverflow compares schedules with some worked out by hand. The first job of a keeps
// its pool until 1000, that of b until 150. Jobs of a move to b after 100 s, and wait there
// for the jobs that came before them; the last job of b comes behind these.
func TestOverflow(t *testing.T) {
	jobs := [][3]int{{0, 1000, 1}, {0, 150, 2}, {10, 50, 1}, {20, 500, 1}, {130, 10, 2}}
	over := "pools: [{name: a, units: 1, of: {partition: a}, overflow: {to: b, after: 100}}, " +
		"{name: b, units: 1, of: {partition: b}%s}]\n"
	for _, tt := range []struct {
		pools string
		jobs  [][3]int
		want  []string
		money [2]float64
	}{
		{fmt.Sprintf(over, ""), jobs, []string{"a 0", "b 0", "b 150", "b 200", "b 700"}, [2]float64{1000, 1420}},
		// Jobs of b move to a after 20 s, but none returns to its first pool.
		{fmt.Sprintf(over, ", overflow: {to: a, after: 20}"), jobs,
			[]string{"a 0", "b 0", "b 150", "b 200", "a 1000"}, [2]float64{1010, 1400}},
		// After 0 s a job moves before the decision at which it could start, since moves come before decisions.
		{"pools: [{name: a, units: 1, of: {partition: a}, overflow: {to: b, after: 0}}, {name: b, units: 1}]\n",
			[][3]int{{0, 10, 1}, {0, 10, 1}, {5, 10, 1}}, []string{"b 0", "b 10", "b 20"}, [2]float64{0, 60}},
		// The third job may run in both pools, and b is free first; the fourth then starts first in a.
		{"pools: [{name: a, units: 1, of: {partition: a}}, {name: b, units: 1, of: {partition: b}}]\n",
			[][3]int{{0, 100, 1}, {0, 50, 2}, {10, 80, 3}, {20, 10, 3}},
			[]string{"a 0", "b 0", "b 50", "a 100"}, [2]float64{110, 260}},
	} {
		s := fixture.PairOfPools(t, tt.pools, tt.jobs...)
		for _, policy := range []string{"fcfs", "easy", "conservative"} {
			got := fixture.Starts{}
			e := under(t, s.Workload, policy, nil, nil, 1)
			sample, err := e.Run(context.Background(), 0, got)
			if err != nil {
				t.Fatal(err)
			}
			for i, want := range tt.want {
				if got[int64(i)] != want {
					t.Errorf("%s: job %d starts %s, want %s", policy, i, got[int64(i)], want)
				}
			}
			for pool, money := range tt.money {
				runs := NewRuns(e, []Sample{sample})
				got, _ := runs.Series(Pool([]string{"a", "b"}[pool]), ColumnValueTotal).At(0)
				if got != money {
					t.Errorf("%s: pool %d earns %g, want %g", policy, pool, got, money)
				}
			}
		}
		p := s.Workload.Pools()
		if got := p.Groups(); !reflect.DeepEqual(got, [][]int{{0, 1}}) {
			t.Errorf("groups %v", got)
		}
		part, err := workload.Part(s.Workload, []int{0, 1})
		if err != nil {
			t.Fatal(err)
		}
		best, err := under(t, part, "easy", nil, nil, 1).Run(context.Background(), 0)
		if err != nil || part.Sites()[0].Processors != 2 || best.Total.Value < tt.money[0]+tt.money[1] {
			t.Errorf("one machine earns %g: %v", best.Total.Value, err)
		}
	}
}
