package workload_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"revopt/model"
	"revopt/simulate"
	"revopt/simulate/workload"
)

// owned is a job of a trace, with all that tells whose it is.
func owned(submit, run, width, estimate float64, user, group, queue, partition, executable int) string {
	r := workload.Record{1, submit, -1, run, width, -1, -1, width, estimate, -1, 1, float64(user), float64(group), float64(executable), float64(queue), float64(partition), -1, -1}
	return string(r.AppendText(nil))
}

func load(t testing.TB, s workload.Selection) *workload.Trace {
	t.Helper()
	return must(workload.Load(context.Background(), s, 1))
}

func number(n int) []model.Party { return []model.Party{{Number: n, IsNumber: true}} }

func named(names ...string) (list []model.Party) {
	for _, n := range names {
		list = append(list, model.Party{Name: n})
	}
	return list
}

// TestCustomers works a trace of twelve jobs by hand: one job for every key of
// a selector, and those that only part of a selector holds for.
func TestCustomers(t *testing.T) {
	path := write(t, "; MaxProcs: 16", "; User: 1 ann", "; Group: 3 the physics", ";  Queue:\t2\texpress", "; Partition: 2 gpu", "; Account: 9 grant",
		owned(0, 100, 1, 200, 1, 3, 2, 2, 9),     // ann, although all others hold
		owned(10, 100, 1, 200, 2, 3, 1, 1, 1),    // the physics
		owned(20, 100, 1, 200, 2, 4, 1, 1, 1),    // group 4
		owned(30, 100, 1, 200, 2, 1, 2, 1, 1),    // express
		owned(40, 100, 1, 200, 2, 1, 1, 2, 1),    // gpu
		owned(50, 100, 1, 200, 2, 1, 1, 1, 9),    // grant
		owned(60, 100, 8, 200, 2, 1, 1, 1, 1),    // as wide as the least
		owned(70, 100, 7, 200, 2, 1, 1, 1, 1),    // a little narrower: others
		owned(80, 2000, 1, 2000, 2, 1, 1, 1, 1),  // as long as the most
		owned(90, 2001, 1, 5500, 2, 1, 1, 1, 1),  // a little longer, but estimated so
		owned(100, 100, 2, 300, 5, -1, 7, -1, 1), // two keys hold
		owned(110, 100, 2, 200, 5, 1, 6, 1, 1),   // one of them does not: others
	)
	o := workload.ReplayOptions{}
	add := func(name string, s model.Selector) {
		s.Share = 1
		o.Classes = append(o.Classes, model.Class{Name: name, Price: model.Tariff{Fixed: 1}, Floor: model.Floor{None: true}})
		o.Of = append(o.Of, &s)
	}
	add("user", model.Selector{Users: named("ann")})
	add("group", model.Selector{Groups: append(named("the physics"), number(4)...)})
	add("queue", model.Selector{Queues: named("express")})
	add("partition", model.Selector{Partitions: named("gpu")})
	add("account", model.Selector{Accounts: named("grant")})
	add("width", model.Selector{Width: &model.Range{Least: 8, Most: 16}})
	add("length", model.Selector{Length: &model.Range{Least: 1000, Most: 2000}})
	add("estimate", model.Selector{Estimate: &model.Range{Least: 5000, Most: 6000}})
	add("both", model.Selector{Users: number(5), Queues: number(7)})
	add("never", model.Selector{Users: number(1 << 40)})
	trace := load(t, workload.Selection{File: path})
	owners := func(o workload.ReplayOptions) (list []string) {
		w := must(workload.NewReplay(context.Background(), trace, o, 1))
		jobs := must(w.Jobs(1, 0))
		for _, j := range drain(t, jobs) {
			list = append(list, w.Customers()[j.Class].Name)
		}
		return list
	}
	want := []string{"user", "group", "group", "queue", "partition", "account", "width", "no customer", "length", "estimate", "both", "no customer"}
	if got := owners(o); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	w := must(workload.NewReplay(context.Background(), trace, o, 1))
	if got := w.Customers(); w.Others() != 2 || len(got) != 11 || got[10].Name != workload.Nobody || w.Random() || w.Charging() != simulate.ByValue {
		t.Errorf("%d jobs of others, %d customers, random %t, charging %d", w.Others(), len(got), w.Random(), w.Charging())
	}
	// A customer without a selector takes all that is left; nobody is left over.
	o.Classes, o.Of = append(o.Classes, model.Class{Name: "rest", Floor: model.Floor{None: true}}), append(o.Of, nil)
	if got := owners(o); !slices.Equal(got, strings.Split(strings.ReplaceAll(strings.Join(want, ","), "no customer", "rest"), ",")) {
		t.Errorf("got %v", got)
	}
	if w, err := workload.NewReplay(context.Background(), trace, o, 1); err != nil || w.Others() != 0 || len(w.Customers()) != 11 {
		t.Errorf("%v, %d others", err, w.Others())
	}
	// Neither is anybody where the selectors take all jobs; a customer may be
	// called no customer.
	one := model.Class{Name: workload.Nobody, Floor: model.Floor{None: true}}
	all := workload.ReplayOptions{Classes: []model.Class{one}, Of: []*model.Selector{{Width: &model.Range{Least: 1, Most: 16}, Share: 1}}}
	if w, err := workload.NewReplay(context.Background(), trace, all, 1); err != nil || len(w.Customers()) != 1 || w.Others() != 0 {
		t.Errorf("%v, %+v", err, w.Customers())
	}
	all.Of[0].Width.Most = 1
	if w, err := workload.NewReplay(context.Background(), trace, all, 1); err != nil || len(w.Customers()) != 2 || w.Customers()[1].Name != "no customer at all" {
		t.Errorf("%v, %+v", err, w.Customers())
	}
	for _, test := range []struct {
		of    model.Selector
		what  string
		known string
		text  string
	}{
		{model.Selector{Users: named("bob")}, "user", "[ann]", ` names no user "bob", expected ann`},
		{model.Selector{Accounts: named("gift")}, "account", "[grant]", `names no account "gift", expected grant`},
	} {
		_, err := workload.NewReplay(context.Background(), trace, workload.ReplayOptions{Classes: []model.Class{{Name: "c"}}, Of: []*model.Selector{&test.of}}, 1)
		var e *workload.SelectorError
		if !errors.As(err, &e) || e.File != path || e.Customer != "c" || e.What != test.what || fmt.Sprint(e.Known) != test.known || !strings.Contains(e.Error(), test.text) {
			t.Errorf("got %v, want %s", err, test.text)
		}
	}
	bare := load(t, workload.Selection{File: write(t, owned(0, 1, 1, 1, 1, 1, 1, 1, 1)), Nodes: 1})
	for what, of := range map[string]model.Selector{"the trace names no accounts": {Accounts: named("x")}, "give its number": {Groups: named("x")}} {
		if _, err := workload.NewReplay(context.Background(), bare, workload.ReplayOptions{Classes: []model.Class{{Name: "c"}}, Of: []*model.Selector{&of}}, 1); err == nil || !strings.HasSuffix(err.Error(), what) {
			t.Errorf("got %v, want %s", err, what)
		}
	}
}

// TestCustomerValues: what a job of two hours on four nodes is worth, and when
// it gives up.
func TestCustomerValues(t *testing.T) {
	const hour, length, never = 3600., 7200., math.MaxFloat64
	trace := load(t, workload.Selection{File: write(t, owned(0, length, 4, 9000, 1, 1, 1, 1, 1), owned(5, length, 4, 9000, 1, 1, 1, 1, 1)), Nodes: 8})
	none := model.Floor{None: true}
	inf := math.Inf(1)
	for _, test := range []struct {
		name     string
		class    model.Class
		want     simulate.Value
		patience float64 // s; never: +Inf
	}{
		{"nothing", model.Class{Floor: none}, simulate.Value{Due: length, Floor: inf}, never},
		{"fixed", model.Class{Price: model.Tariff{Fixed: 5}, Decay: 2, Floor: none}, simulate.Value{Price: 5, Decay: 2, Due: length, Floor: inf}, never},
		{"per hour", model.Class{Price: model.Tariff{PerSecond: 3 / hour}, Floor: none}, simulate.Value{Price: 6, Due: length, Floor: inf}, never},
		{"per node-hour, decay of the price", model.Class{Price: model.Tariff{PerNodeSecond: 2.5 / hour}, DecayOfPrice: 0.1 / hour, Floor: none},
			simulate.Value{Price: 20, Decay: 2 / hour, Due: length, Floor: inf}, never},
		{"both decays", model.Class{Price: model.Tariff{Fixed: 10}, Decay: 1, DecayOfPrice: 0.5, Floor: none}, simulate.Value{Price: 10, Decay: 6, Due: length, Floor: inf}, never},
		{"grace", model.Class{Price: model.Tariff{Fixed: 10}, Decay: 1, Grace: model.Grace{Fixed: 60}, Dated: true, Floor: none},
			simulate.Value{Price: 10, Decay: 1, Due: length + 60, Floor: inf, Dated: true}, never},
		{"deadline", model.Class{Price: model.Tariff{Fixed: 10}, Decay: 1, Deadline: model.Grace{Lengths: 3}, Dated: true, Floor: none},
			simulate.Value{Price: 10, Decay: 1, Due: 3 * length, Floor: inf, Dated: true}, never},
		{"floor", model.Class{Price: model.Tariff{Fixed: 10}, Decay: 1, Grace: model.Grace{Lengths: 0.5}, Dated: true, Floor: model.Floor{OfPrice: 0.2}, Expire: model.ExpireFloor},
			simulate.Value{Price: 10, Decay: 1, Due: 1.5 * length, Floor: 2, Dated: true}, 3600 + 12},
		{"zero", model.Class{Price: model.Tariff{Fixed: 10}, Decay: 1, Floor: model.Floor{Fixed: 3}, Expire: model.ExpireZero},
			simulate.Value{Price: 10, Decay: 1, Due: length, Floor: 3}, 10},
		{"without decay", model.Class{Price: model.Tariff{Fixed: 10}, Floor: model.Floor{Fixed: 3}, Expire: model.ExpireFloor},
			simulate.Value{Price: 10, Due: length, Floor: 3}, never},
		{"hard", model.Class{Price: model.Tariff{Fixed: 10}, Decay: 1, Deadline: model.Grace{Fixed: 3 * hour}, Dated: true, Hard: 1, Floor: model.Floor{Fixed: 3}, Expire: model.ExpireFloor},
			simulate.Value{Price: 10, Decay: 1, Due: 3 * hour, Floor: 3, Dated: true, Hard: true}, hour},
		{"hard, no floor", model.Class{Price: model.Tariff{Fixed: 10}, Deadline: model.Grace{Lengths: 2}, Dated: true, Hard: 1, Floor: none, Expire: model.ExpireZero},
			simulate.Value{Price: 10, Due: 2 * length, Dated: true, Hard: true}, length},
		{"hard, waits for ever", model.Class{Price: model.Tariff{Fixed: 10}, Deadline: model.Grace{Lengths: 2}, Dated: true, Hard: 1, Floor: none},
			simulate.Value{Price: 10, Due: 2 * length, Dated: true, Hard: true}, never},
		{"hopeless", model.Class{Price: model.Tariff{Fixed: 10}, Deadline: model.Grace{Lengths: 0.5}, Dated: true, Hard: 1, Floor: model.Floor{}, Expire: model.ExpireFloor},
			simulate.Value{Price: 10, Due: length / 2, Dated: true, Hard: true}, 0},
	} {
		j := drain(t, replay(t, trace, workload.ReplayOptions{Classes: []model.Class{test.class}, Of: []*model.Selector{nil}}, 1, 0))[1]
		close := func(a, b float64) bool { return a == b || math.Abs(a-b) <= 1e-12*math.Abs(b) }
		v := j.Value
		if !close(v.Price, test.want.Price) || !close(v.Due, test.want.Due) || !close(v.Decay, test.want.Decay) || !close(v.Floor, test.want.Floor) || v.Hard != test.want.Hard || v.Dated != test.want.Dated {
			t.Errorf("%s: %+v, want %+v", test.name, v, test.want)
		}
		if first := drain(t, replay(t, trace, workload.ReplayOptions{Classes: []model.Class{test.class}, Of: []*model.Selector{nil}}, 1, 0))[0]; !(first.Expire > 0) {
			t.Errorf("%s: a job at time 0 gives up at %g, which is never", test.name, first.Expire)
		}
		if test.patience == never {
			test.patience = inf
		}
		if got := j.Expire - j.Submit; !close(got, test.patience) {
			t.Errorf("%s: gives up after %g s, want %g", test.name, got, test.patience)
		}
	}
	bad := model.Class{Name: "c", Price: model.Tariff{Fixed: 1}, Decay: 1, Floor: none, Expire: model.ExpireZero}
	if _, err := workload.NewReplay(context.Background(), trace, workload.ReplayOptions{Classes: []model.Class{bad}, Of: []*model.Selector{nil}}, 1); err == nil || !strings.Contains(err.Error(), "unbounded penalty") {
		t.Errorf("got %v", err)
	}
	if _, err := workload.NewReplay(context.Background(), trace, workload.ReplayOptions{Classes: []model.Class{bad}}, 1); err == nil {
		t.Error("a customer without an entry in Of was accepted")
	}
}

// TestShares: jobs go to customers by lot in the shares asked for, hard
// deadlines too, and the lots of a job hang on nothing but seed and replication.
func TestShares(t *testing.T) {
	const n = 20_000
	trace := load(t, workload.Selection{File: model.SP2Like, Subset: workload.Subset{First: n}})
	options := func(first float64, price float64) workload.ReplayOptions {
		customer := func(name string) model.Class {
			return model.Class{Name: name, Price: model.Tariff{Fixed: price}, Deadline: model.Grace{Lengths: 2}, Dated: true, Hard: 0.25, Floor: model.Floor{None: true}}
		}
		return workload.ReplayOptions{
			Classes: []model.Class{customer("a"), customer("b")},
			Of:      []*model.Selector{{Share: first}, {Share: 0.5}},
		}
	}
	base := drain(t, replay(t, trace, options(0.3, 1), 1, 0))
	var counts [3]float64
	var hard float64
	for _, j := range base {
		counts[j.Class]++
		if j.Value.Hard {
			hard++
		}
	}
	for k, share := range []float64{0.3, 0.35, 0.35} {
		if sd := math.Sqrt(share * (1 - share) * n); math.Abs(counts[k]-share*n) > 3.29*sd {
			t.Errorf("customer %d has %g jobs, want %g", k, counts[k], share*n)
		}
	}
	if paying := n - counts[2]; math.Abs(hard-0.25*paying) > 3.29*math.Sqrt(0.25*0.75*paying) {
		t.Errorf("%g hard jobs of %g", hard, paying)
	}
	dearer, fewer := drain(t, replay(t, trace, options(0.3, 9), 1, 0)), drain(t, replay(t, trace, options(0.1, 1), 1, 0))
	for i, j := range base {
		if dearer[i].Class != j.Class || dearer[i].Value.Hard != j.Value.Hard || dearer[i].Chance != j.Chance {
			t.Fatalf("job %d: another price changes whose it is", i)
		}
		if j.Class != 0 && fewer[i].Class != j.Class {
			t.Fatalf("job %d goes from %d to %d because another customer has fewer", i, j.Class, fewer[i].Class)
		}
	}
	if other := drain(t, replay(t, trace, options(0.3, 1), 1, 1)); slices.EqualFunc(base, other, func(a, b simulate.Job) bool { return a.Class == b.Class }) {
		t.Error("two replications have the same lots")
	}
}

// TestReplayRanks: the rank is that of decay over length, as stated or else on
// average over the trace; equal customers keep their order.
func TestReplayRanks(t *testing.T) {
	trace := load(t, workload.Selection{File: write(t,
		owned(0, 100, 1, 1, 1, 1, 1, 1, 1), owned(1, 300, 1, 1, 1, 1, 1, 1, 1), // mean 200
		owned(2, 50, 4, 1, 2, 1, 1, 1, 1),
		owned(3, 10, 1, 1, 3, 1, 1, 1, 1), owned(3, 10, 1, 1, 3, 1, 1, 1, 1), owned(3, 10, 1, 1, 3, 1, 1, 1, 1),
	), Nodes: 8})
	none := model.Floor{None: true}
	customer := func(decay, ofPrice float64, length model.Distribution) model.Class {
		return model.Class{Price: model.Tariff{PerNodeSecond: 1}, Decay: decay, DecayOfPrice: ofPrice, Length: length, Floor: none}
	}
	var ties [3]model.Class // of one mean, up to rounding
	for i, sd := range []float64{2, 1.3, 1.1} {
		ties[i] = customer(0.1, 0, distribution(model.Gamma, 7, sd, 0))
	}
	for _, test := range []struct {
		name    string
		classes [3]model.Class
		want    [3]int
	}{
		{"by length", [3]model.Class{customer(1, 0, nil), customer(1, 0, nil), customer(1, 0, nil)}, [3]int{0, 1, 2}},
		{"by decay", [3]model.Class{customer(1, 0, nil), customer(0.2, 0, nil), customer(0.01, 0, nil)}, [3]int{2, 1, 0}},         // 1/200, 1/250, 1/1000
		{"of the price", [3]model.Class{customer(0, 0.01, nil), customer(0, 0.01, nil), customer(0, 0.02, nil)}, [3]int{0, 2, 1}}, // 2/200, 2/50, 0.2/10
		{"stated", [3]model.Class{customer(1, 0, distribution(model.Deterministic, 1, 0, 0)), customer(1, 0, nil), customer(1, 0, nil)}, [3]int{2, 0, 1}},
		{"ties", ties, [3]int{0, 1, 2}},
	} {
		o := workload.ReplayOptions{Classes: test.classes[:], Of: []*model.Selector{{Users: number(1), Share: 1}, {Users: number(2), Share: 1}, {Users: number(3), Share: 1}}}
		for i, j := range drain(t, replay(t, trace, o, 1, 0)) {
			if j.Rank != test.want[j.Class] {
				t.Errorf("%s: job %d of customer %d has rank %d, want %d", test.name, i, j.Class, j.Rank, test.want[j.Class])
			}
		}
	}
}

// TestReplayHas: deadlines are there where every customer with a paying job has
// one.
func TestReplayHas(t *testing.T) {
	trace := load(t, workload.Selection{File: write(t, owned(0, 100, 1, 1, 1, 1, 1, 1, 1), owned(1, 300, 1, 1, 2, 1, 1, 1, 1), owned(9, 300, 1, 1, 3, 1, 1, 1, 1)), Nodes: 8})
	paid := func(dated bool) model.Class {
		return model.Class{Name: "c", Price: model.Tariff{Fixed: 1}, Dated: dated, Grace: model.Grace{Fixed: 1}, Floor: model.Floor{None: true}}
	}
	free := model.Class{Name: "free", Floor: model.Floor{None: true}}
	of := []*model.Selector{{Users: number(1), Share: 1}, {Users: number(2), Share: 1}}
	for i, test := range []struct {
		o    workload.ReplayOptions
		want simulate.Has
	}{
		{workload.ReplayOptions{}, simulate.Has{Alike: true, Sites: 1}},
		{workload.ReplayOptions{QoS: tableI()}, simulate.Has{Exact: true, Deadlines: true, Alike: true, Sites: 1}},
		{workload.ReplayOptions{QoS: tableI(), Split: &model.Split{}}, simulate.Has{Exact: true, Deadlines: true, Optional: true, Alike: true, Sites: 1}},
		{workload.ReplayOptions{Classes: []model.Class{paid(true), free}, Of: of}, simulate.Has{Deadlines: true, Alike: true, Sites: 1}},
		{workload.ReplayOptions{Classes: []model.Class{paid(true), paid(false)}, Of: of}, simulate.Has{Alike: true, Sites: 1, Undated: []string{"c"}}},
		{workload.ReplayOptions{Classes: []model.Class{free, free}, Of: of}, simulate.Has{Alike: true, Sites: 1}},
		{workload.ReplayOptions{Machines: make([]simulate.Machine, 8)}, simulate.Has{Sites: 1}},
	} {
		w := must(workload.NewReplay(context.Background(), trace, test.o, 1))
		if got := w.Has(); fmt.Sprint(got) != fmt.Sprint(test.want) {
			t.Errorf("case %d: %+v, want %+v", i, got, test.want)
		}
	}
	if _, err := workload.NewReplay(context.Background(), trace, workload.ReplayOptions{QoS: tableI(), Classes: []model.Class{free}, Of: of}, 1); err == nil {
		t.Error("qos and classes were accepted at once")
	}
}

// TestReplayLoad: 600 node-seconds in 100 s on 8 nodes are a load of 0.75. A
// stated load is met on the machine that it is stated for, and growth by a
// fifth shortens every gap by a sixth.
func TestReplayLoad(t *testing.T) {
	path := write(t, "; MaxProcs: 8", owned(50, 100, 2, 1, 1, 1, 1, 1, 1), owned(100, 50, 8, 1, 1, 1, 1, 1, 1), owned(150, -1, 2, 1, 1, 1, 1, 1, 1))
	for _, test := range []struct {
		nodes      int
		o          workload.ReplayOptions
		load, last float64
	}{
		{0, workload.ReplayOptions{}, 0.75, 100},
		{0, workload.ReplayOptions{Delay: 0.5}, 1.5, 50},
		{0, workload.ReplayOptions{Delay: 1 / 1.2}, 0.9, 100 / 1.2},
		{16, workload.ReplayOptions{}, 0.375, 100},
		{0, workload.ReplayOptions{Load: 1.5}, 1.5, 50},
		{16, workload.ReplayOptions{Load: 1.5}, 0.75, 50},            // more nodes bring no more customers
		{16, workload.ReplayOptions{Load: 1.5, LoadOn: 16}, 1.5, 25}, // unless the load is stated for them
	} {
		trace := load(t, workload.Selection{File: path, Nodes: test.nodes, Rule: workload.Reject})
		w := must(workload.NewReplay(context.Background(), trace, test.o, 1))
		jobs := drain(t, replay(t, trace, test.o, 1, 0))
		if math.Abs(w.Load()-test.load) > 1e-12 || jobs[0].Submit != 0 || math.Abs(jobs[2].Submit-test.last) > 1e-9 || w.Size() != 3 {
			t.Errorf("%d nodes, %+v: load %g, last job at %g, want %g, %g", test.nodes, test.o, w.Load(), jobs[2].Submit, test.load, test.last)
		}
	}
}

// TestAsRecords: what a trace can say of a job stands in its record, in full.
func TestAsRecords(t *testing.T) {
	list := jobList{
		{Class: 2, Submit: 1. / 3, Work: 2. / 7, Width: 3, Spec: simulate.Spec{Details: simulate.Details{Estimate: 1e-7, User: 4, Partition: 6}, Requirements: simulate.Requirements{Memory: 64}}},
		{Submit: 1, Work: 5, Width: 1, Void: true}, {Submit: 2, Work: 5, Width: 1},
	}
	var b bytes.Buffer
	header := []string{"; MaxProcs: 4"}
	if err := workload.WriteSWF(context.Background(), &b, header, workload.AsRecords(&list, nil, 2), nil); err != nil {
		t.Fatal(err)
	}
	want := "; MaxProcs: 4\n1 0.3333333333333333 -1 0.2857142857142857 3 -1 -1 3 0.0000001 64 1 4 3 -1 3 6 -1 -1\n2 1 -1 -1 -1 -1 -1 1 -1 -1 5 -1 1 -1 1 -1 -1 -1\n"
	if b.String() != want {
		t.Errorf("got\n%swant\n%s", b.String(), want)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := workload.WriteSWF(ctx, &b, nil, workload.AsRecords(&list, nil, 0), nil); err != context.Canceled {
		t.Errorf("got %v", err)
	}
	w := must(workload.NewClasses(mixed(), 9, workload.Length{Jobs: 1}))
	h := workload.RecordHeader(w, "node")
	if h.Nodes() != 9 || h.Get("Group") != "1 calm" || h.Get("Queue") != "1 calm" || h.Clock() != 0 {
		t.Errorf("header %q", h.Lines)
	}
}

// jobList is jobs as a source.
type jobList []simulate.Job

func (l *jobList) Next(j *simulate.Job) (bool, error) {
	if len(*l) == 0 {
		return false, nil
	}
	*j, *l = (*l)[0], (*l)[1:]
	return true, nil
}
