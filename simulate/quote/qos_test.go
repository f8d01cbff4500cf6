package quote

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"revopt/internal/fixture"
	"revopt/simulate/policy/catalog"
	"revopt/simulate/subject"
)

// premiumFirst is Slurm with priorities by QOS.
const premiumFirst = "slurm:bf_interval=0:PriorityWeightQOS=1000:qos.high.Priority=1"

// qosLog is a log of four nodes with two QOS. All jobs have all nodes and run for 1000 s, as users say. One runs since
// 3000 s, and two of QOS normal wait.
const qosLog = `; MaxNodes: 4
; MaxProcs: 4
; Queue: 1 normal
; Queue: 2 high
1 0 0 1000 4 -1 -1 4 1000 -1 1 1 1 -1 1 -1 -1 -1
2 900 100 1000 4 -1 -1 4 1000 -1 1 2 1 -1 2 -1 -1 -1
3 1000 1000 1000 4 -1 -1 4 1000 -1 1 1 1 -1 1 -1 -1 -1
4 1100 1900 1000 4 -1 -1 4 1000 -1 1 1 1 -1 1 -1 -1 -1
5 1200 2800 1000 4 -1 -1 4 1000 -1 1 1 1 -1 1 -1 -1 -1
6 1300 3700 1000 4 -1 -1 4 1000 -1 1 1 1 -1 1 -1 -1 -1
`

const qosSite = `
policies: ['` + premiumFirst + `']
classes:
  - {name: premium, price: {per_unit_hour: 4}, of: {queue: high}}
  - {name: standard, price: {per_unit_hour: 1}}
`

// TestQuoteQOS quotes one more job at 3400 s. One of QOS high is the next to start, one of QOS normal the last: after
// 600 s, and 2000 s more. A customer has the QOS of its jobs unless the job asks for another, which the log need not know
// if the policy does.
func TestQuoteQOS(t *testing.T) {
	log := filepath.Join(t.TempDir(), "log.swf")
	if err := os.WriteFile(log, []byte(qosLog), 0o600); err != nil {
		t.Fatal(err)
	}
	open := func(policy string) (*subject.Subject, subject.Policy) {
		s := fixture.Opened(t, "name: qos\ntrace: {file: "+log+", nodes: 4}"+qosSite)
		return s, named(t, policy)
	}
	for _, c := range []struct {
		class, qos, has string
		start           float64
	}{
		{"premium", "", "high", 600}, {"standard", "", "normal", 2600}, {"", "", "normal", 2600},
		{"", "high", "high", 600}, {"standard", "high", "high", 600}, {"premium", "normal", "normal", 2600},
		{"standard", "urgent", "urgent", 600},
	} {
		s, p := open(premiumFirst + ":qos.urgent.Priority=2")
		q := &Quote{Subject: s, Policy: p, Seed: 1, Replications: 4, At: 3400, Width: 4, Estimate: 1000, Class: c.class,
			QOS: c.qos}
		r, err := q.Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		got := r.Jobs[0]
		customer := c.class
		if customer == "" {
			customer = map[string]string{"high": "premium", "normal": "standard"}[c.has]
		}
		if got.QOS != c.has || got.Class != customer || math.Abs(float64(got.Start["0.5"])-c.start) > 5 {
			t.Errorf("%+v: got %+v", c, got)
		}
	}
	s, p := open(premiumFirst)
	q := &Quote{Subject: s, Policy: p, Seed: 1, Replications: 4, At: 3400, Width: 4, Estimate: 1000, QOS: "urgent"}
	if r, err := q.Run(t.Context()); err == nil {
		t.Errorf("a QOS that nothing knows: %+v", r)
	}
}

// named returns a policy of the catalog.
func named(t *testing.T, label string) subject.Policy {
	p, err := subject.ParsePolicy(catalog.Standard(), strings.Split(label, ":"))
	if err != nil {
		t.Fatal(err)
	}
	return p
}
