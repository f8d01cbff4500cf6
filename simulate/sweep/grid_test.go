package sweep

import (
	"context"
	"reflect"
	"testing"

	"revopt/model/scenario"
	"revopt/simulate"
	"revopt/simulate/policy"
	"revopt/simulate/workload"
)

// paperGrid returns the grid and the applications of the built-in ic-grid.
func paperGrid(t testing.TB) ([]GridSite, workload.Applications) {
	doc, err := scenario.Builtin("ic-grid")
	if err != nil {
		t.Fatal(err)
	}
	g, err := doc.Grid(KnownPolicies())
	if err != nil {
		t.Fatal(err)
	}
	e := NewGridExperiment(g, "mf-edf", nil, 1)
	return e.Sites, e.Workload.(workload.Applications)
}

// TestGridIsAudited runs every scheme on the grid of the paper under both
// audits.
func TestGridIsAudited(t *testing.T) {
	for i, name := range policy.Schemes() {
		sites, a := paperGrid(t)
		a.Count, a.Laxity = 300, workload.Range{Low: 0.05, High: 0.6}
		e := &GridExperiment{Sites: sites, Workload: a, Policy: name, Seed: 3}
		audit, books := &policy.ImpreciseAudit{Scheme: policy.Scheme(i)}, &simulate.Audit{}
		s, err := e.Run(context.Background(), 0, audit, books)
		if err != nil || audit.Err() != nil || books.Err() != nil {
			t.Errorf("%s: %v, %v, %v", name, err, audit.Err(), books.Err())
		}
		sum := s.Total
		if sum.Submitted != 300 || sum.Admitted+sum.Rejected != 300 || sum.Completed != sum.Admitted || sum.Stated.Late > 0 {
			t.Errorf("%s: %+v", name, sum)
		}
		if why := sum.Reasons[simulate.Deadline] + sum.Reasons[simulate.Return]; why != sum.Rejected {
			t.Errorf("%s: %d rejected, %d with a reason", name, sum.Rejected, why)
		}
		again, err := e.Run(context.Background(), 0)
		if err != nil || !reflect.DeepEqual(s, again) {
			t.Errorf("%s: another run gives other numbers, %v", name, err)
		}
	}
}

func TestGridRefuses(t *testing.T) {
	sites, a := paperGrid(t)
	bad := a
	bad.Mandatory = workload.Range{Low: 2, High: 1}
	for _, e := range []*GridExperiment{
		{Sites: sites, Workload: a, Policy: "libra"},
		{Sites: sites, Workload: a, Policy: "none"},
		{Workload: a, Policy: "mf-edf"},
		{Sites: sites, Workload: bad, Policy: "mf-edf"},
		{Sites: []GridSite{{Processors: 2}}, Workload: workload.Batch{}, Policy: "fifo"},
	} {
		if e.Check() == nil {
			t.Errorf("%s on %d sites is not refused", e.Policy, len(e.Sites))
		}
	}
}

// BenchmarkApplications is the number of applications that the grid of the
// paper serves per second of computing.
func BenchmarkApplications(b *testing.B) {
	for _, name := range policy.Schemes() {
		b.Run(name, func(b *testing.B) {
			sites, a := paperGrid(b)
			a.Count = b.N
			e := &GridExperiment{Sites: sites, Workload: a, Policy: name, Seed: 1}
			b.ReportAllocs()
			if _, err := e.Run(context.Background(), 0); err != nil {
				b.Fatal(err)
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "apps/s")
		})
	}
}
