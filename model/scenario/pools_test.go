package scenario

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"revopt/model"
)

// divided is a scenario of job classes in two pools.
const divided = `pools:
  - {name: cpu, units: 48, unit: core}
  - {name: gpu, units: 16, unit: core, policy: easy, overflow: {to: cpu, after: 2h}}
server: {waiting: 5, residual: pooled}
load: 0.5
classes:
  - name: batch
    pool: cpu
    share: 0.5
    length: {dist: exponential, mean: 100}
    width: 4
    price: 3
  - name: training
    pool: gpu
    share: 0.5
    length: {dist: exponential, mean: 200}
    width: {values: [2, 4], weights: [0.5, 0.5]}
    price: {per_unit_hour: 1.5}
    slo: {within: 600, level: 0.9}
`

// partitioned is a trace on three pools. Two of them have the names of fields.
const partitioned = `trace: {file: a.swf}
pools:
  - {name: within, units: 512, unit: core, of: {partition: [batch, 3], width: [1, 64]}}
  - {name: level, units: 64, unit: gpu, of: {partition: gpu}, policy: {easy: {overrun: kill}}}
  - {name: rest, units: 24}
load: 0.9
classes:
  - name: industry
    of: {group: 3}
    price: {per_unit_hour: {within: 3.6, level: 36}}
    slo: {level: {within: 600, level: 90%}}
  - name: students
    price: {per_unit_hour: 3.6}
    slo: {within: 1h, level: 0.5}
`

// TestPools decodes job classes in pools: load and rates are over all units together.
func TestPools(t *testing.T) {
	s, err := decodeText(divided)
	if err != nil {
		t.Fatal(err)
	}
	want := []Pool{{Pool: model.Pool{Name: "cpu", Units: 48, Unit: "core"}},
		{Pool: model.Pool{Name: "gpu", Units: 16, Unit: "core", Overflow: &model.Overflow{To: "cpu", After: 7200}},
			Policy: &Policy{Name: "easy"}}}
	if !reflect.DeepEqual(s.Pools, want) {
		t.Errorf("got pools %+v", s.Pools)
	}
	// A job brings 0.5*100*4 + 0.5*200*3 = 500 units and seconds.
	rate := 0.5 * 0.5 * 64 / 500
	if s.Nodes != 64 || *s.Waiting != 5 || s.Classes[0].Pool != "cpu" || math.Abs(s.Classes[1].Rate-rate) > 1e-15 {
		t.Errorf("got nodes %d, classes %+v", s.Nodes, s.Classes)
	}
	cpu, gpu := s.InPool(0), s.InPool(1)
	if cpu.Nodes != 48 || cpu.Parallel != 12 || math.Abs(cpu.Load-rate*400/48) > 1e-15 || len(cpu.Classes) != 1 ||
		cpu.Policies != nil || cpu.Pools != nil {
		t.Errorf("got cpu %+v", cpu)
	}
	if gpu.Nodes != 16 || math.Abs(gpu.Load-rate*600/16) > 1e-15 || gpu.Classes[0].SLO == nil ||
		gpu.Policies[0].Name != "easy" {
		t.Errorf("got gpu %+v", gpu)
	}
	for _, part := range []*Scenario{cpu, gpu} {
		if sys := part.System(); sys.Validate() != nil || math.Abs(sys.Load()-part.Load) > 1e-12 {
			t.Errorf("load %g of the system, %g of the pool: %v", sys.Load(), part.Load, sys.Validate())
		}
		whole := *part
		whole.total = 0
		checkRoundTrip(t, &whole)
	}
	if w := s.Warnings; len(w) != 2 || w[0].String() != "jobs of pool gpu differ in width: "+
		"the analytic results know their work and that 5.333 run at a time, not which of them fit beside each other" {
		t.Errorf("got %v", w)
	}
	// More units bring no more jobs, unless the load is stated anew.
	more, err := decodeText(divided, mustParse(t, "pools.gpu.units=32"))
	if err != nil || more.Nodes != 80 || math.Abs(more.Classes[0].Rate-rate) > 1e-15 ||
		math.Abs(more.Load-0.4) > 1e-12 {
		t.Errorf("got %+v, %v", more, err)
	}
	again, err := decodeText(divided, mustParse(t, "pools.gpu.units=32"), mustParse(t, "load=0.5"))
	if err != nil || math.Abs(again.Classes[0].Rate-rate*80/64) > 1e-15 {
		t.Errorf("got %+v, %v", again, err)
	}
}

// TestTracePools decodes customers that cut across the pools of a trace.
func TestTracePools(t *testing.T) {
	s, err := decodeTrace(partitioned)
	if err != nil {
		t.Fatal(err)
	}
	of := &model.Selector{Partitions: []model.Party{{Name: "batch"}, {Number: 3, IsNumber: true}},
		Width: &model.Range{Least: 1, Most: 64}, Share: 1}
	if s.Nodes != 600 || s.Trace.Nodes != 600 || s.Trace.LoadNodes != 600 || !reflect.DeepEqual(s.Pools[0].Of, of) ||
		s.Pools[2].Of != nil || s.Pools[2].Unit != "node" {
		t.Errorf("got %+v, %+v", s, s.Trace)
	}
	promise := model.SLO{Within: 600, Level: 0.9}
	industry := s.Classes[0]
	if industry.Price != (model.Tariff{}) || industry.SLO != nil {
		t.Errorf("got %+v", industry)
	}
	for i, want := range []model.Terms{{PerNodeSecond: 0.001}, {PerNodeSecond: 0.01, SLO: &promise}, {}} {
		c := s.InPool(i).Classes[0]
		got := model.Terms{PerNodeSecond: c.Price.PerNodeSecond, SLO: c.SLO}
		if !reflect.DeepEqual(got, want) || c.Terms != nil {
			t.Errorf("pool %d: got %+v, want %+v", i, got, want)
		}
	}
	if c := s.Classes[1]; c.Terms != nil || c.SLO.Within != 3600 || c.Price.PerNodeSecond != 0.001 {
		t.Errorf("got %+v", c)
	}
	if part := s.InPool(1); part.Nodes != 64 || part.Trace.Nodes != 64 || s.Trace.Nodes != 600 || part.Pools != nil {
		t.Errorf("got %+v", part)
	}
	if _, without := s.Deadlines(); !slices.Equal(without, []string{"industry", "students"}) {
		t.Errorf("got %v, want all that pay", without)
	}
	other, err := decodeTrace(partitioned, mustParse(t, "classes.industry.price.per_unit_hour.rest=7.2"),
		mustParse(t, "classes.students.slo={level: {within: 1, level: 0.1}}"), mustParse(t, "pools.level.policy=easy"))
	if err != nil {
		t.Fatal(err)
	}
	if c := other.Classes[1]; other.Classes[0].Terms[2].PerNodeSecond != 0.002 || c.Terms[0].SLO != nil ||
		c.Terms[1].PerNodeSecond != 0.001 || c.SLO != nil || other.Pools[1].Policy.Options != nil {
		t.Errorf("got %+v", other)
	}
}

// TestManyPools: as many pools as there may be are read as they are written, and one more
// is refused.
func TestManyPools(t *testing.T) {
	const list = "pools:%s\nload: 1\n"
	const classes = "classes: [{name: a, pool: p7, length: {mean: 1, sd: 0.5}, price: 1}]\n"
	item := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "\n  - {name: p%d, units: 1000, unit: a-b_9, overflow: {to: p%d, after: 1}}", i, (i+1)%n)
		}
		return b.String()
	}
	s, err := decodeText(fmt.Sprintf(list, item(1000)) + classes)
	if err != nil || s.Nodes != 1e6 {
		t.Fatal(s, err)
	}
	if s.total, s.Warnings = 0, nil; len(s.InPool(3).Classes) != 0 || s.InPool(3).System().Parallel != 1000 {
		t.Errorf("got %+v, want an empty pool", s.InPool(3))
	}
	checkRoundTrip(t, s)
	_, err = decodeText(fmt.Sprintf(list, item(1e4)) + classes)
	checkError(t, err, "s.yaml:2:3: pools: expected at most 1000 pools, got 10000")
}

// inPools divides the machine of a random scenario.
func inPools(s *Scenario, rnd *rand.Rand) {
	s.Providers, s.Nodes = nil, 0
	n := 1 + rnd.IntN(4)
	for i := range n {
		p := Pool{Pool: model.Pool{Name: []string{"gpu", "a b: {", "7", "floor"}[i], Units: 9 + rnd.IntN(99),
			Unit: []string{"node", "gpu"}[rnd.IntN(2)]}}
		if rnd.IntN(2) == 0 {
			p.Policy = &Policy{Name: "hol", Options: map[string]string{"backfill": "true"}}
		}
		if s.Trace != nil && i < n-1 {
			p.Of = &model.Selector{Partitions: []model.Party{{Name: p.Name}}, Share: 1,
				Width: &model.Range{Least: 1, Most: 5}}
		}
		if i > 0 && rnd.IntN(2) == 0 && p.Unit == s.Pools[0].Unit {
			p.Overflow = &model.Overflow{To: "gpu", After: rnd.Float64()}
		}
		s.Pools, s.Nodes = append(s.Pools, p), s.Nodes+p.Units
	}
	for i := range s.Classes {
		c := &s.Classes[i]
		if s.Trace == nil {
			c.Pool = s.Pools[rnd.IntN(n)].Name
			continue
		}
		priced, promised := rnd.IntN(2) == 0, rnd.IntN(2) == 0
		if priced {
			c.Price = model.Tariff{}
		}
		if promised {
			c.SLO = nil
		}
		for k := 0; (priced || promised) && k < n; k++ {
			t := model.Terms{PerNodeSecond: c.Price.PerNodeSecond, SLO: c.SLO}
			if priced {
				t.PerNodeSecond = (1 + rnd.Float64()) / 3600
			}
			if promised && (k == 0 || rnd.IntN(2) == 0) {
				t.SLO = &model.SLO{Within: rnd.Float64(), Level: 0.5}
			}
			c.Terms = append(c.Terms, t)
		}
	}
	if s.Trace != nil {
		s.Trace.Nodes, s.Trace.LoadNodes = s.Nodes, min(s.Trace.LoadNodes, 1)*s.Nodes
		return
	}
	s.Parallel = float64(s.Nodes) / model.MeanWidth(s.Classes)
	s.Load = new(server).work(s.Classes) / float64(s.Nodes)
}
