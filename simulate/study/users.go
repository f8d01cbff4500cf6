package study

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strconv"

	"revopt/internal/text"
	"revopt/simulate"
	"revopt/simulate/experiment"
	"revopt/simulate/metric"
	"revopt/simulate/subject"
)

// UserRow is that of one user.
type UserRow struct {
	User     string   `json:"user"` // the name, or the number where the log has no names
	Jobs     Estimate `json:"jobs"` // submitted
	Wait     Estimate `json:"mean_wait"`
	Slowdown Estimate `json:"bounded_slowdown"` // mean
	Value    Estimate `json:"value"`            // $ delivered
}

// HasUsers reports whether a job of the trace has a user.
func HasUsers(s *subject.Subject) bool {
	if s.Trace == nil {
		return false
	}
	source, err := s.Workload.Jobs(0, 0)
	if err != nil {
		return false
	}
	defer experiment.Close(source)
	var j simulate.Job
	for ok := true; ok && err == nil && j.Spec.Details.User <= 0; {
		ok, err = source.Next(&j)
	}
	return j.Spec.Details.User > 0
}

// AddUsers adds the users to all rows, by their work. It runs every replication once more.
func (r *Result) AddUsers(ctx context.Context) error {
	var measures []metric.Measure
	for _, name := range []string{"jobs_submitted", "mean_wait", "mean_bounded_slowdown", "utility"} {
		m, _ := metric.Lookup(name)
		measures = append(measures, m)
	}
	type user struct {
		work   float64
		values [][]float64 // by measure and replication
	}
	for i, e := range r.Experiments {
		all, sums := map[int]*user{}, metric.ByUser{}
		for k := range r.Replications {
			if k == 0 || e.Random() {
				clear(sums)
				if _, err := e.Run(ctx, k, sums); err != nil {
					return err
				}
			}
			for n, sum := range sums {
				if all[n] == nil {
					all[n] = &user{values: text.EachAt(measures, func(_ int, m metric.Measure) []float64 {
						return slices.Repeat([]float64{m.Of(metric.Sum{})}, r.Replications) // without jobs
					})}
				}
				for j, m := range measures {
					all[n].values[j][k] = m.Of(*sum)
				}
				all[n].work += sum.Delivered
			}
		}
		names, o := e.Context(nil, 0).Names["user"], r.Samples[0].Row(0, i)
		for _, n := range slices.SortedFunc(maps.Keys(all), func(a, b int) int {
			return cmp.Or(cmp.Compare(all[b].work, all[a].work), cmp.Compare(a, b))
		}) {
			row := text.EachAt(all[n].values, func(_ int, x []float64) Estimate {
				return NewEstimate(o.Estimate(x, x))
			})
			name := cmp.Or(names[int32(n)], strconv.Itoa(n))
			r.Policies[i].Users = append(r.Policies[i].Users, UserRow{name, row[0], row[1], row[2], row[3]})
		}
	}
	return nil
}
