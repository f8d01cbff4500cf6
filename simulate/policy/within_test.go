package policy_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"revopt/internal/text"
	"revopt/simulate"
	"revopt/simulate/policy"
)

// auditFIFO checks records of starts: no job starts while an older one of the same customer and width waits.
func auditFIFO(records []limitRecord) error {
	for i := range records {
		young := &records[i]
		for k := 0; k < i && !math.IsInf(young.start, 1); k++ {
			old := &records[k]
			if old.Class == young.Class && old.Width == young.Width && old.waitsAfter(young.start) {
				return fmt.Errorf("job %d starts at %g before job %d, which waits until %g", i, young.start, k, old.end)
			}
		}
	}
	return nil
}

// fifoWorkloads audits the policies that order by value, and counts starts that the value alone would have in another
// order.
func fifoWorkloads(t *testing.T, workloads uint64) {
	for _, name := range []string{"value-bf", "first-price", "first-reward"} {
		passed := 0
		for seed := range workloads {
			jobs := crowdedJobs(seed)
			for i := range jobs {
				jobs[i].Width = 1 + jobs[i].Width%3
				jobs[i].Submit = math.Floor(jobs[i].Submit / 4)
				jobs[i].Expire = 0
			}
			for _, reservations := range []string{"0", "1", "8"} {
				s := policy.Settings{"within": "fifo", "reservations": reservations}
				if err := auditFIFO(recordsOf(t, name, s, jobs)); err != nil {
					t.Fatalf("%s, %s reservations, workload %d: %v", name, reservations, seed, err)
				}
				if auditFIFO(recordsOf(t, name, policy.Settings{"within": "value", "reservations": reservations}, jobs)) != nil {
					passed++
				}
			}
		}
		if passed < int(workloads) {
			t.Errorf("%s: without the rule only %d runs are out of order", name, passed)
		}
	}
}

// customerPolicies have the value customer of the option within.
var customerPolicies = []string{"value-bf", "first-price", "first-reward", "sjf-bf", "edf-bf", "saf-bf", "wfp3", "unicef", "f1"}

// customerSettings are those of a policy with a value of the option within.
func customerSettings(name, within, reservations string) policy.Settings {
	s := policy.Settings{"within": within}
	if name == "value-bf" || name == "first-price" || name == "first-reward" {
		s["reservations"] = reservations
	}
	return s
}

// TestWithinCustomer audits small workloads: no job starts while an older one of its customer waits that is neither wider
// nor longer. With a customer for each job the schedule is that of the policy itself; with one customer for all, that of
// the order of arrival.
func TestWithinCustomer(t *testing.T) {
	for _, name := range customerPolicies {
		own := "order"
		if customerSettings(name, "", "0")["reservations"] != "" {
			own = "value"
		}
		changed := 0
		for seed := range uint64(20) {
			jobs := crowdedJobs(seed)
			for i := range jobs {
				jobs[i].Submit = math.Floor(jobs[i].Submit / 4)
				jobs[i].Expire = 0
			}
			for _, reservations := range []string{"0", "1", "8"} {
				records := recordsOf(t, name, customerSettings(name, policy.WithinCustomer, reservations), jobs)
				if err := auditCustomers(records); err != nil {
					t.Fatalf("%s, %s reservations, workload %d: %v", name, reservations, seed, err)
				}
				starts := func(r limitRecord) float64 { return r.start }
				if !slices.Equal(text.Each(records, starts),
					text.Each(recordsOf(t, name, customerSettings(name, own, reservations), jobs), starts)) {
					changed++
				}
				alone := slices.Clone(jobs)
				for i := range alone {
					alone[i].Class = i
				}
				sameStarts(t, name+" for customers of one job", recordsOf(t, name, customerSettings(name, own, reservations), alone),
					recordsOf(t, name, customerSettings(name, policy.WithinCustomer, reservations), alone))
			}
			for i := range jobs {
				jobs[i].Class = 0
			}
			if name == "saf-bf" || name == "f1" {
				sameStarts(t, name+" for one customer", recordsOf(t, "easy", nil, jobs),
					recordsOf(t, name, customerSettings(name, policy.WithinCustomer, ""), jobs))
			}
		}
		if changed < 5 {
			t.Errorf("%s: the rule changes only %d runs", name, changed)
		}
	}
}

// sameStarts compares two schedules.
func sameStarts(t *testing.T, what string, want, got []limitRecord) {
	t.Helper()
	for i := range want {
		if want[i].start != got[i].start {
			t.Fatalf("%s: job %d starts at %g, expected %g", what, i, got[i].start, want[i].start)
		}
	}
}

// auditCustomers checks records of starts of the policies with within=customer.
func auditCustomers(records []limitRecord) error {
	for i := range records {
		young := &records[i]
		for k := 0; k < i && !math.IsInf(young.start, 1); k++ {
			old := &records[k]
			if old.Class == young.Class && old.Width <= young.Width && old.estimate <= young.estimate &&
				old.waitsAfter(young.start) {
				return fmt.Errorf("job %d starts at %g before job %d, which waits until %g", i, young.start, k, old.end)
			}
		}
	}
	return nil
}

// TestWithinFIFO audits small workloads.
func TestWithinFIFO(t *testing.T) { fifoWorkloads(t, 40) }

// TestFIFOByHand: one processor, two jobs of a customer wait for a third. The younger is worth more, but the older starts.
// With a customer of their own each, the younger does.
func TestFIFOByHand(t *testing.T) {
	for _, c := range []struct {
		within string
		class  int
		first  int
	}{{"value", 0, 2}, {"fifo", 0, 1}, {"fifo", 1, 2}} {
		jobs := []simulate.Job{hardJob(0, 10, 50, 20), hardJob(1, 5, 5, 200), hardJob(2, 5, 50, 40)}
		jobs[2].Class = c.class
		for i := range jobs {
			jobs[i].Spec.Details.Estimate = jobs[i].Work
		}
		got := recordsOf(t, "value-bf", policy.Settings{"within": c.within}, widened(jobs))
		if got[c.first].start != 10 || got[3-c.first].start != 15 {
			t.Errorf("%+v: starts at %g and %g", c, got[1].start, got[2].start)
		}
	}
}

// widened gives jobs the whole machine.
func widened(jobs []simulate.Job) []simulate.Job {
	for i := range jobs {
		jobs[i].Width = limitProcessors
	}
	return jobs
}
