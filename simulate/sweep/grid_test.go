package sweep

import (
	"context"
	"fmt"
	"testing"

	"revopt/simulate"
	"revopt/simulate/policy"
	"revopt/simulate/workload"
)

func TestGridScratch(t *testing.T) {
	for _, lax := range []float64{0.1, 0.2, 0.4, 0.6, 0.8} {
		for _, name := range policy.Schemes() {
			a := workload.PaperApplications()
			a.Laxity = workload.Range{Low: lax, High: lax}
			scheme, _ := policy.LookupScheme(name)
			e := &GridExperiment{Sites: PaperGrid(), Workload: a, Policy: name, Seed: 1}
			audit, books := &policy.ImpreciseAudit{Scheme: scheme}, &simulate.Audit{}
			s, err := e.Run(context.Background(), 0, audit, books)
			if err != nil || audit.Err() != nil || books.Err() != nil {
				t.Fatal(err, audit.Err(), books.Err())
			}
			fmt.Printf("%.1f %-13s acc %.3f profit %.0f budget %.0f util %.3f dl %d ret %d\n", lax, name, float64(s.Total.Admitted)/float64(s.Total.Submitted), s.Total.Revenue, s.Total.Stated.Budget, s.Total.Delivered/s.Total.Capacity, s.Total.Reasons[simulate.Deadline], s.Total.Reasons[simulate.Return])
		}
	}
}
