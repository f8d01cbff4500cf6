package quote

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"revopt/internal/fixture"
)

// pastSite has customers whose ranks and amounts follow from the lengths of their jobs.
const pastSite = `
policies: [easy]
classes:
  - {name: one, price: {per_unit_hour: 4}, grace: {lengths: 2}, decay: {per_hour: 9%}, of: {queue: one}}
  - {name: two, price: 0.3, grace: {lengths: 3}, decay: {per_hour: 20%}, of: {queue: two}}
`

// pastJobs is a log of jobs on one node, by arrival. Those that end after a moment run for another time, and those that are
// submitted after it are others. Odd futures have shorter jobs.
func pastJobs(seed, future uint64, moment int) string {
	rnd, other := rand.New(rand.NewPCG(seed, 1)), rand.New(rand.NewPCG(seed, future))
	lines := []string{"; MaxNodes: 1", "; MaxProcs: 1", "; Queue: 1 one", "; Queue: 2 two"}
	at, end := 0, 0
	for id := range 170 {
		at += min(id, 1) * rnd.IntN(1500) // the first job comes at time 0
		queue, estimate := 1+rnd.IntN(2), 3600*(1+rnd.IntN(2))
		run := 1 + rnd.IntN(estimate)/(1+2*queue)
		if at > moment {
			queue = 1 + other.IntN(2)
		}
		start := max(at, end)
		if start+run > moment {
			run = max(1+other.IntN(estimate)/(1+int(future%2)*20), moment+1-start)
		}
		end = start + run
		lines = append(lines, fmt.Sprintf("%d %d %d %d 1 -1 -1 1 %d -1 1 %d 1 -1 %d -1 -1 -1", id+1, at, start-at, run, estimate,
			1+rnd.IntN(3), queue))
	}
	return strings.Join(lines, "\n") + "\n"
}

// TestQuotesKnowThePast: quotes do not depend on how long the jobs run that have not ended, nor on the jobs that come later.
func TestQuotesKnowThePast(t *testing.T) {
	const moment = 100000
	quotes := func(label string, seed, future uint64) *Result {
		log := filepath.Join(t.TempDir(), "log.swf")
		if err := os.WriteFile(log, []byte(pastJobs(seed, future, moment)), 0o600); err != nil {
			t.Fatal(err)
		}
		s := fixture.Opened(t, "name: past\ntrace: {file: "+log+", nodes: 1}"+pastSite)
		q := &Quote{Subject: s, Policy: named(t, label), Seed: 1, Replications: 8, At: moment}
		r, err := q.Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	waiting := 0
	for _, label := range []string{"hol", "easy", "value-bf", "edf-bf"} {
		for seed := range uint64(6) {
			was, is := quotes(label, seed, 2), quotes(label, seed, 3)
			waiting += was.Waiting
			for i := range was.Jobs {
				if a, b := fmt.Sprint(was.Jobs[i]), fmt.Sprint(is.Jobs[i]); a != b {
					t.Errorf("%s, log %d: with another future\n%s\nwas\n%s", label, seed, b, a)
				}
			}
			if !reflect.DeepEqual([]int{was.Running, was.Waiting, was.Learned}, []int{is.Running, is.Waiting, is.Learned}) {
				t.Errorf("%s, log %d: %+v and %+v", label, seed, was, is)
			}
		}
	}
	if waiting < 50 {
		t.Errorf("%d jobs waited", waiting)
	}
}
