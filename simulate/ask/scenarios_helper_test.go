package ask

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"revopt/internal/fixture"
	"revopt/simulate/subject"
	"revopt/simulate/warn"
)

// texts joins warnings, one on a line.
func texts(list []warn.Warning) string {
	var b strings.Builder
	for _, w := range list {
		b.WriteString(w.String() + "\n")
	}
	return b.String()
}

// thinned has providers that admit by lot.
const thinned = `
server: {nodes: 3, residual: multiserver}
load: 1.5
simulation: {jobs: 20000, replications: 10}
classes:
  - {name: dear, share: 0.4, length: {dist: exponential, mean: 100}, price: 10, decay: 0.01}
  - {name: cheap, share: 0.6, length: {dist: exponential, mean: 100}, price: 4, decay: 0.01}
providers: [{name: second, nodes: 2, admission: [0.5, 0.5]}, {name: third, nodes: 2, admission: analytic}]
`

// shop is one fast server with demands, one of them with a largest price that
// binds.
const shop = `server: {parallel: 1}
load: 1.2
simulation: {jobs: 20000, warmup: 10%, replications: 12}
classes:
  - {name: urgent, share: 30%, length: {dist: exponential, mean: 6m}, price: 50, decay: 0.01,
     demand: {curve: exponential, elasticity: 0.8}, price_max: 52}
  - {name: batch, share: 60%, length: {dist: exponential, mean: 6m}, price: 20, decay: 0.001,
     demand: {curve: linear, elasticity: 1.2}}
  - {name: other, share: 10%, length: {dist: exponential, mean: 6m}, price: {per_hour: 200}, decay: 0.002,
     demand: {curve: isoelastic, elasticity: 2}}
`

// weekly is a scenario of four weeks of jobs of two groups, the second of which
// comes every other week.
func weekly(t testing.TB) string {
	t.Helper()
	text := "; MaxProcs: 8\n"
	for i := range 4 * 7 * 12 {
		group := 1 + i/84%2*(i%3/2)
		text += fixture.SWFLine(i+1, 7200*i, 600+i*37%9000, 1+i*5%8, 10000, 1+i%7, group)
	}
	path := filepath.Join(t.TempDir(), "weeks.swf")
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return "name: weeks\ntrace: {file: " + path + "}\n" + `classes:
  - {name: regular, of: {group: [1]}, price: {per_unit_hour: 2}, decay: {per_hour: 10%}, deadline: {lengths: 3},
     max_penalty: {of_price: 0}}
  - {name: other, price: {per_unit_hour: 1}, deadline: {lengths: 2}}
`
}

// crossing is a trace of two customers, by group, in two partitions: jobs arrive every 90 s,
// a third of them for the smaller pool; both pools are busy.
func crossing(t *testing.T) *subject.Subject {
	t.Helper()
	rnd := rand.New(rand.NewPCG(30, 4))
	var b strings.Builder
	for i := range 200 {
		partition, width := 1+i%3/2, 1+rnd.IntN(2)
		fmt.Fprintf(&b, "%d %d 0 %d %d -1 -1 %d 600 -1 1 1 %d 1 1 %d -1 -1\n",
			i+1, 90*i, 60+rnd.IntN(540), width, width, 1+rnd.IntN(2), partition)
	}
	path := filepath.Join(t.TempDir(), "crossing.swf")
	if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	return fixture.Opened(t, `name: crossing
trace: {file: `+path+`}
pools:
  - {name: cpu, units: 4, unit: core, of: {partition: [1]}}
  - {name: gpu, units: 2, unit: gpu, of: {partition: [2]}}
  - {name: idle, units: 5, of: {partition: [3]}}
classes:
  - name: ana
    of: {group: [1]}
    price: {per_unit_hour: {cpu: 1, gpu: 9}}
    decay: 0.001
    slo: {within: 2m, level: 0.8}
  - {name: ben, of: {group: [2]}, price: 2, decay: 0.001, slo: {gpu: {within: 1m, level: 0.9}}}
`)
}
