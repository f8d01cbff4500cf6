//go:build long

package ask

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"revopt/internal/text"
	"revopt/model/scenario"
	"revopt/simulate/metric"
	"revopt/simulate/run"
)

// TestPaysSettled holds the histories at which changes stop against all of them, on four parts of the SDSC SP2: whether a
// change pays in most of them. Where all histories say so beyond chance, the answers are the same.
func TestPaysSettled(t *testing.T) {
	file, err := filepath.Abs("../../../shared/traces/SDSC-SP2-1998-4.2-cln.swf.gz")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(file); err != nil {
		t.Skip("the SDSC SP2 trace is not at ../shared/traces: get SDSC-SP2-1998-4.2-cln.swf.gz from the Parallel Workloads Archive")
	}
	var changes, other, ran, all int
	for slice := range 4 {
		const day = 86400
		from := 170 * slice * day
		jobs := scenario.Override{Path: "trace.jobs", Value: fmt.Sprintf("from:%d:%d", from, from+72*day)}
		l := openLab(t, "trace: {file: "+file+", nodes: 128, cleaning: drop}\npolicies: [easy]\nclasses:\n"+
			"  - {name: wide, of: {width: [9, 128]}, price: {per_unit_hour: 2}, decay: {per_hour: 10%}, max_penalty: 0}\n"+
			"  - {name: narrow, price: {per_unit_hour: 1}, decay: {per_hour: 5%}, grace: 8h, max_penalty: 0}\n",
			run.Options{Workers: 2}, jobs)
		q, err := Request{Command: "whatif", Brief: true, Costs: []string{"2/node-hour"},
			Changes: []string{"trace.nodes=+16", "policy=slurm", "policy=hol:backfill=true"}}.settings()
		if err != nil {
			t.Fatal(err)
		}
		w, err := newWhatIf(t.Context(), l, q)
		if err == nil {
			err = w.measure(t.Context())
		}
		if err == nil {
			w.histories, err = w.draw(t.Context())
		}
		if err != nil || !w.histories.drawn {
			t.Fatalf("slice %d: no histories, %v", slice, err)
		}
		of := w.histories.of
		whole, err := l.Frame(t.Context(), text.Each(w.drawable(), func(r Row) run.Case { return of(r.Case) }), historyCount)
		if err != nil {
			t.Fatal(err)
		}
		now := of(w.Rows[w.Present].Case)
		for _, r := range w.changes() {
			then := of(r.Case)
			got, want := w.paid(w.histories.Frame, r, then, now), w.paid(whole, r, then, now)
			changes, ran, all = changes+1, ran+got.of, all+want.of
			if (2*got.in > got.of) == (2*want.in > want.of) {
				continue
			}
			other++
			t.Logf("slice %d, %s: %d of %d, and %d of %d", slice, r.Label, got.in, got.of, want.in, want.of)
			if metric.SignRisk(want.in, want.of) < 0.05 {
				t.Errorf("slice %d, %s: another answer", slice, r.Label)
			}
		}
		t.Logf("slice %d: %d changes, %d other answers, %d of %d histories", slice, changes, other, ran, all)
	}
}
