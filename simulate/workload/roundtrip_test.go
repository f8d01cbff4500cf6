package workload_test

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"

	"revopt/model"
	"revopt/model/scenario"
	"revopt/simulate"
	"revopt/simulate/metric"
	"revopt/simulate/policy"
	"revopt/simulate/policy/catalog"
	"revopt/simulate/workload"
)

// dated is classes with deadlines, hard ones by lot, floors and expiry.
const dated = `
server: {nodes: 64}
load: 0.95
classes:
  - name: industry
    share: 0.3
    length: {mean: 1800, sd: 2700, dist: lognormal}
    width: {values: [1, 4, 16, 33], weights: [0.4, 0.3, 0.2, 0.1]}
    price: {per_unit_hour: 2.5}
    decay: {per_hour: 10%}
    deadline: {lengths: 3}
    hard: 0.4
    max_penalty: {of_price: 0.2}
  - name: urgent
    share: 0.2
    length: {mean: 600, dist: exponential}
    width: 2
    price: 10
    decay: 0.01
    deadline: 3h
    hard: true
    expire: never
  - name: students
    share: 0.5
    length: {mean: 900, sd: 900, dist: gamma}
    width: {values: [1, 2, 8], weights: [0.5, 0.3, 0.2]}
    price: {per_hour: 4}
    decay: 0.001
    grace: 1h
    max_penalty: 1
    expire: floor
`

// serve runs a replication to its end and returns what its jobs add up to.
func serve(t testing.TB, w workload.Workload, name string, replication int) metric.Sum {
	t.Helper()
	spec := must(policy.Lookup(catalog.Standard(), name))
	if err := spec.Check(w.Has()); err != nil {
		t.Fatal(err)
	}
	settings := must(spec.Resolve(nil))
	jobs := must(w.Jobs(1, replication))
	sites := w.Sites()
	policies, _, err := spec.Build(settings, policy.Sites(sites[0].Processors))
	if err != nil {
		t.Fatal(err)
	}
	sites[0].Policy = policies[0]
	tally, audit := metric.NewTally(len(w.Customers())), new(simulate.Audit)
	if _, err := simulate.Run(context.Background(), simulate.Config{
		Source: jobs, Sites: workload.Clusters(sites), Charging: w.Charging(), Window: w.Window(), Observers: []simulate.Observer{tally, audit},
	}); err != nil || audit.Err() != nil {
		t.Fatalf("%s: %v, %v", name, err, audit.Err())
	}
	return tally.Total()
}

// TestRoundTrip: a class workload written as a trace and read back, with its
// classes as customers by group, delivers the same value to the cent, in every
// replication, under every kind of policy, also where customers are named and
// where they do not state how long their jobs are.
func TestRoundTrip(t *testing.T) {
	const jobs, replications = 1500, 2
	cluster := must(must(scenario.Builtin("nist-cluster")).Scenario(nil))
	// A hundredth of its size, and busier.
	cluster.Nodes /= 100
	for i := range cluster.Classes {
		c := &cluster.Classes[i]
		c.Width, c.Rate, c.Price.PerNodeSecond = model.FixedWidth(5), 1.2*c.Rate, 100*c.Price.PerNodeSecond
	}
	deadlines := must(must(scenario.Parse("dated.yaml", []byte(dated))).Scenario(nil))
	for _, sc := range []*scenario.Scenario{cluster, deadlines} {
		classes := must(workload.NewClasses(sc.Classes, sc.Nodes, workload.Length{Jobs: jobs}))
		drawn := classes.Drained(jobs)
		for replication := range replications {
			source := must(drawn.Jobs(1, replication))
			path := filepath.Join(t.TempDir(), "t.swf")
			f := must(os.Create(path))
			header, records := workload.RecordHeader(drawn, "node").Lines, workload.AsRecords(source, drawn, 0)
			if err := workload.WriteSWF(context.Background(), f, header, records, nil); err != nil {
				t.Fatal(err)
			}
			if err := f.Close(); err != nil {
				t.Fatal(err)
			}
			trace := must(workload.Load(context.Background(), workload.Selection{File: path}, 1))
			o := workload.ReplayOptions{}
			for k, c := range sc.Classes {
				c.Rate, c.Width = 0, model.Width{}
				party := model.Party{Number: k + 1, IsNumber: true}
				if replication%2 == 1 {
					party, c.Length = model.Party{Name: c.Name}, nil
				}
				o.Classes = append(o.Classes, c)
				o.Of = append(o.Of, &model.Selector{Groups: []model.Party{party}, Share: 1})
			}
			read := must(workload.NewReplay(context.Background(), trace, o, 1))
			if math.Abs(read.Load()/drawn.Load()-1) > 0.5 || trace.Nodes() != sc.Nodes || len(read.Customers()) != len(sc.Classes) {
				t.Errorf("load %g of %g on %d nodes, %d customers", read.Load(), drawn.Load(), trace.Nodes(), len(read.Customers()))
			}
			for _, name := range []string{"hol", "fcfs", "easy", "fcfs-bf", "libra", "libra+$", "libra-sla", "sjf-bf", "edf-bf", "conservative"} {
				// Deadlines and hard lots are those of the stream of the
				// replication, whatever the trace.
				want, got := serve(t, drawn, name, replication), serve(t, read, name, replication)
				what := fmt.Sprintf("%s, replication %d, %s", sc.Name, replication, name)
				if math.Abs(got.Value-want.Value) >= 0.005 || math.Abs(got.Revenue-want.Revenue) >= 0.005 || math.Abs(got.Offered-want.Offered) >= 0.005 {
					t.Errorf("%s: value %.4f, revenue %.4f, offered %.4f; want %.4f, %.4f, %.4f", what, got.Value, got.Revenue, got.Offered, want.Value, want.Revenue, want.Offered)
				}
				if got.Submitted != jobs || got.Completed != want.Completed || got.Expired != want.Expired || got.Rejected != want.Rejected || got.Kept != want.Kept {
					t.Errorf("%s: %+v, want %+v", what, got, want)
				}
			}
		}
	}
}
