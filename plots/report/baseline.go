package report

import (
	"fmt"
	"math"

	"revopt/internal/text"
	"revopt/simulate/metric"
	"revopt/simulate/study"
)

// baselineWords says how far the policy that stands for today is the site of the log, "" if there is no log.
func baselineWords(b *study.Baseline, objective aim) string {
	if b == nil {
		return ""
	}
	dollars := func(perSecond metric.Number) string {
		return money(study.Estimate{Mean: metric.Hour * perSecond}, true) + " $/h"
	}
	log := "the log delivered "
	if objective != "" {
		dollars = func(mean metric.Number) string { return objective.number(float64(mean)) }
		log = objective.noun() + " in the log "
	}
	words := "Today: " + text.OneLine(b.Policy)
	if share := float64(b.Allowed); !math.IsNaN(share) {
		words += fmt.Sprintf(" reproduces %.0f %% of the log's starts", 100*share)
	}
	words += "; "
	if !math.IsNaN(float64(b.Recorded)) {
		words += log + dollars(b.Recorded) + ", "
	}
	return words + "simulated " + dollars(b.Simulated)
}
