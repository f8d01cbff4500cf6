package cli

import (
	"revopt/plots/report/logs"
	"revopt/simulate/workload"
)

// moments and spread are numbers of the facts of traces in JSON.
type (
	moments struct{ Mean, SD, SCV float64 }
	spread  struct{ Mean, Min, Max float64 }
)

// traceFacts is the JSON of trace info, as far as tests read it.
type traceFacts struct {
	Nodes        int
	Span         float64 `json:"span_seconds"`
	Load         float64
	Interarrival spread
	RunTime      spread `json:"run_time"`
	Processors   spread
	Estimate     spread
	PowersOfTwo  float64   `json:"powers_of_two"`
	Hours        [24]int64 `json:"submitted_by_hour"`
	Moved        int64     `json:"out_of_order"`
	Cleaning     *workload.Cleaning
	Customers    *logs.TraceCustomers
	Partitions   *logs.TraceCustomers
}

// fitFacts is the JSON of trace fit, likewise.
type fitFacts struct {
	Delay    float64 `json:"arrival_delay_factor"`
	Cleaning workload.Cleaning
	Nodes    int
	Fitted   int64 `json:"jobs_fitted"`
	Void     int64 `json:"jobs_void"`
	Load     float64
	Arrivals struct {
		Interarrival moments
		Dispersion   []struct{ Index float64 }
		Daily        float64 `json:"daily_cycle"`
		Weekly       float64 `json:"weekly_cycle"`
	}
	Classes []struct {
		Name, Pool string
		Jobs       int64
		Work       moments
		MeanPrice  float64 `json:"mean_price"`
	}
	Warnings []string
	YAML     string `json:"scenario"`
}
