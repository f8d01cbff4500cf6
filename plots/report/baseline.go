package report

import (
	"fmt"
	"math"

	"revopt/internal/text"
	"revopt/simulate/metric"
	"revopt/simulate/study"
)

// likenessWords says how far the policy that stands for today resembles the log.
func likenessWords(b *study.Baseline) string {
	if math.IsNaN(float64(b.Allowed)) {
		return "Today: simulated under " + text.OneLine(b.Policy)
	}
	return fmt.Sprintf("Today: %s reproduces %.0f %% of the log's starts", text.OneLine(b.Policy), 100*float64(b.Allowed))
}

// baselineWords says the same and what is delivered, "" if there is no log.
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
	words := likenessWords(b) + "; "
	if !math.IsNaN(float64(b.Recorded)) {
		words += log + dollars(b.Recorded) + ", "
	}
	return words + "simulated " + dollars(b.Simulated)
}
