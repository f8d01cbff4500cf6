package report

import (
	"fmt"
	"strings"

	"revopt/internal/text"
	"revopt/model"
	"revopt/simulate/metric"
	"revopt/simulate/study"
)

// Interval formats an interval with at most so many decimals: as 12.3 ± 0.4, and a
// range as 12.3 (11.8 to 13.1).
func Interval(i metric.Interval, most int) string {
	if i.Range {
		return text.Range(i.Mean, i.Low, i.High, most)
	}
	return text.Estimate(i.Mean, i.HalfWidth, most)
}

// plainPercent formats a fraction without needless decimals.
func plainPercent(x float64) string { return text.Plain(100*x) + " %" }

// enumerate joins clauses.
func enumerate(list []string) string {
	if n := len(list); n > 1 {
		return strings.Join(list[:n-1], ", ") + " and " + list[n-1]
	}
	return strings.Join(list, "")
}

// Residual returns the delays that a convention computes, in words.
func Residual(r string) string {
	switch r {
	case model.Printed.String():
		return "delays as printed in the paper (they overstate)"
	case model.Pooled.String():
		return "delays of one pooled server"
	case model.Multiserver.String():
		return "delays of real servers (approximate)"
	}
	return r
}

// Analytic returns the model that analytic admission is the optimum of, in words.
func Analytic(r *study.Result) string {
	if r.Residual == "" {
		return "for the job classes fitted to the trace"
	}
	return Residual(r.Residual)
}

// Fitted counts job classes that are fitted to a trace.
func Fitted(n int) string {
	if n == 1 {
		return "1 job class fitted to the trace"
	}
	return fmt.Sprintf("%d job classes fitted to the trace", n)
}
