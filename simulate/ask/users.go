package ask

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strconv"

	"revopt/plots/answer"
	"revopt/simulate"
	"revopt/simulate/metric"
	"revopt/simulate/run"
	"revopt/simulate/subject"
)

// userColumns are the measures of a user.
func userColumns() []string {
	return []string{run.ColumnSubmitted, run.ColumnMeanWait, run.ColumnSlowdown, run.ColumnValueTotal}
}

// user is the numbers of one of them.
type user struct {
	Row
	name   string
	work   float64
	values [][]float64 // by measure and replication
}

// users is the table of users, by their work. It runs every replication once more.
func (c *Comparison) users(ctx context.Context) (answer.Table, error) {
	var list []*user
	for _, r := range c.Rows {
		all, err := c.usersOf(ctx, r)
		if err != nil {
			return answer.Table{}, err
		}
		names := r.e.Context(nil, 0).Names["user"]
		for _, n := range slices.SortedFunc(maps.Keys(all), func(a, b int) int {
			return cmp.Or(cmp.Compare(all[b].work, all[a].work), cmp.Compare(a, b))
		}) {
			one := all[n]
			one.Row, one.name = r, cmp.Or(names[int32(n)], strconv.Itoa(n))
			list = append(list, one)
		}
	}
	fields := append(answer.Through(func(u *user) part { return u.whole() }, c.keys()...),
		answer.Texts("user", "name, or number", func(u *user) string { return u.name }))
	for i, name := range userColumns() {
		m, _ := run.Lookup(name)
		field := answer.Valued(name, unitOf(m.Unit), m.Means, func(u *user) answer.Value {
			return c.estimate(unitOf(m.Unit), c.frame.Beside(u.Case, u.values[i]))
		})
		fields = append(fields, field.Titled(titles(c.objective)[name]))
	}
	return answer.TableOf("users", list, fields...).Visible(), nil
}

// usersOf runs a row again and returns its users.
func (c *Comparison) usersOf(ctx context.Context, r Row) (map[int]*user, error) {
	all := map[int]*user{}
	replications := c.frame.N(r.Case)
	for k := range replications {
		sums := metric.ByUser{}
		if _, err := c.Lab.Watch(ctx, r.Case.At(k), sums); err != nil {
			return nil, err
		}
		for n, sum := range sums {
			if all[n] == nil {
				all[n] = &user{}
				for _, name := range userColumns() {
					m, _ := run.Lookup(name)
					all[n].values = append(all[n].values, slices.Repeat([]float64{m.Of(metric.Sum{})}, replications))
				}
			}
			for i, name := range userColumns() {
				m, _ := run.Lookup(name)
				all[n].values[i][k] = m.Of(*sum)
			}
			all[n].work += sum.Delivered
		}
	}
	return all, nil
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
	defer run.Close(source)
	var j simulate.Job
	for ok := true; ok && err == nil && j.Spec.Details.User <= 0; {
		ok, err = source.Next(&j)
	}
	return j.Spec.Details.User > 0
}
