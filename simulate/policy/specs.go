package policy

import "revopt/simulate"

// Queues returns the policies with a queue in a fixed order, from HOL to F1.
func Queues() []Spec {
	backfill := []Option{{Name: "backfill", Values: []string{"false", "true"}}}
	queue := Needs{Alike: true}
	return []Spec{
		{
			Name: "hol", Title: "HOL", Summary: "highest rank first, non-preemptive",
			Options: backfill, Needs: queue, Ranked: true, Runs: Slurm, Limited: true, Cost: 1e-6,
			Also: Settings{"backfill": "true"},
			Make: InContext(func(s Settings, c Context) simulate.Policy {
				by := ranking{ranked: true}
				if c.Ranks != nil {
					by.ranks = c.Ranks()
				}
				return newHOL(by, s.Is("backfill"), s.Limit())
			}),
		}, {
			Name: "fcfs", Title: "FCFS", Summary: "first come, first served",
			Options: backfill, Needs: queue, Runs: Slurm, Limited: true, Cost: 1e-6,
			Make: PerSite(func(s Settings) simulate.Policy { return newHOL(ranking{}, s.Is("backfill"), s.Limit()) }),
		},
		lapseSpec("fcfs-bf", "FCFS-BF", "arrival", nil),
		lapseSpec("sjf-bf", "SJF-BF", "estimated runtime", ByEstimate),
		lapseSpec("edf-bf", "EDF-BF", "deadline", ByDeadline),
		{
			Name: "easy", Title: "EASY", Summary: "EASY backfilling by arrival, no deadlines",
			Options: planOptions(), Needs: queue, Runs: Slurm, Limited: true, Cost: 1e-6,
			Make: PerSite(func(s Settings) simulate.Policy { return &Backfill{Terms: s.Terms(), Limit: s.Limit()} }),
		}, {
			Name: "conservative", Title: "Conservative", Summary: "a reservation for every job, no deadlines",
			Options: planOptions(), Needs: queue, Runs: Plugin, Limited: true, Cost: 1e-5,
			Make: PerSite(func(s Settings) simulate.Policy { return newConservative(s.Terms(), s.Limit()) }),
		},
		orderSpec("sjf", "SJF", "shortest estimated runtime first, without backfilling", 1e-6,
			Backfill{Key: ByEstimate}, "none", "easy"),
		orderSpec("saf-bf", "SAF-BF", "EASY backfilling by estimated processor-seconds, no deadlines", 1e-6,
			Backfill{Key: ByArea}),
		orderSpec("wfp3", "WFP3", "EASY backfilling by (wait / estimate)³ · width, the highest first", 5e-6,
			Backfill{Order: ByWFP3}, "easy", "none"),
		orderSpec("f1", "F1", "EASY backfilling by log10(estimate) · width + 870 log10(submission), the lowest first",
			1e-6, Backfill{Key: ByF1}, "easy", "none"),
	}
}

// lapseSpec returns EASY backfilling by a key that rejects lapsed jobs.
func lapseSpec(name, title, order string, key func(*simulate.Job, float64) float64) Spec {
	options := append(planOptions()[:1:1], Option{Name: "lapse", Values: []string{"deadline", "latest"}})
	return Spec{
		Name: name, Title: title, Summary: "EASY backfilling by " + order + ", lapsed jobs rejected",
		Options: options,
		Needs:   Needs{Alike: true}, Runs: Plugin, Limited: true, Cost: 1e-6,
		Make: PerSite(func(s Settings) simulate.Policy {
			return &Backfill{
				Terms: s.Terms(), Key: key, Lapse: true, Latest: s["lapse"] == "latest", Limit: s.Limit(),
			}
		}),
	}
}

// Values returns the policies that choose jobs by what they pay, Value-BF first.
func Values() []Spec {
	value := Needs{Alike: true, Prices: true}
	return []Spec{
		{
			Name: "value-bf", Title: "Value-BF", Summary: "backfilling by the value that a wait would cost",
			Options: append(valuePlan("8"), NumberOption("future", "0.98")), Needs: value, Runs: Plugin, Limited: true, Cost: 5e-6,
			Also:  Settings{"preempt": "suspend"},
			Agree: withoutPreemption("value-bf"),
			Make: PerSite(func(s Settings) simulate.Policy {
				p := s.valuePlan()
				p.Future = min(s.Number("future"), 1)
				return p
			}),
		}, {
			Name: "first-price", Title: "FirstPrice", Summary: "backfilling by value per processor-second",
			Options: valuePlan("1"), Needs: value, Runs: Plugin, Limited: true, Cost: 5e-6,
			Agree: withoutPreemption("first-price"),
			Make:  PerSite(func(s Settings) simulate.Policy { return s.valuePlan() }),
		},
	}
}
