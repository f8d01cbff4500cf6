package report

import (
	"fmt"
	"math"

	"revopt/internal/text"
	"revopt/simulate/study"
)

// likenessWords says how far the policy that stands for today resembles the log.
func likenessWords(b *study.Baseline) string {
	if math.IsNaN(float64(b.Allowed)) {
		return "Today: simulated under " + text.OneLine(b.Policy)
	}
	return fmt.Sprintf("Today: %s reproduces %.0f %% of the log's starts", text.OneLine(b.Policy), 100*float64(b.Allowed))
}
