package paper

import (
	"fmt"
	"strings"

	"revopt/simulate/metric"
)

// plusMinus writes an interval with the given number of decimals.
func plusMinus(v metric.Interval, decimals int) string {
	if v.N < 2 {
		return fmt.Sprintf("%.*f", decimals, v.Mean)
	}
	return fmt.Sprintf("%.*f ± %.*f", decimals, v.Mean, decimals, v.HalfWidth)
}

// scaled returns an interval in another unit.
func scaled(v metric.Interval, by float64) metric.Interval {
	v.Mean, v.HalfWidth = v.Mean*by, v.HalfWidth*by
	return v
}

// percent writes a load.
func percent(load float64) string { return fmt.Sprintf("%.0f %%", 100*load) }

// surely returns the loads at which one admission earns less than another by
// more than chance.
func (s *study) surely(less, than int) []float64 {
	var loads []float64
	for i, load := range s.loads {
		if d := s.lead(than, less, i, metric.RevenuePerSecond()); d.N > 1 && d.Mean > d.HalfWidth {
			loads = append(loads, load)
		}
	}
	return loads
}

// atLoads writes a list of loads.
func atLoads(loads []float64) string {
	if len(loads) == 0 {
		return "at no load"
	}
	words := make([]string, len(loads))
	for i, load := range loads {
		words[i] = fmt.Sprintf("%.0f", 100*load)
	}
	return "at a load of " + strings.Join(words, ", ") + " %"
}

func revenueWords(s *study) []string {
	f := metric.RevenuePerSecond()
	last := len(s.loads) - 1
	top := s.top(admitEverybody, f)
	return []string{
		"the paper finds that its optimum earns less than admitting all between loads of 65 and 300 %; by (30) as it is printed that is so, beyond chance, only " +
			atLoads(s.surely(paperOptimum, admitEverybody)) + ": the paper's probabilities came from another delay estimate than the (30) it prints (see nist-15)",
		fmt.Sprintf("admitting all earns most at a load of %s, %s $/s, and %s $/s at %s", percent(s.loads[top]),
			plusMinus(s.interval(admitEverybody, top, f), 3), plusMinus(s.interval(admitEverybody, last, f), 3), percent(s.loads[last])),
		fmt.Sprintf("the tuned admission earns %s $/s more than the better of the two others at the load where it gains most (%s); "+
			"less than either, beyond chance, %s", plusMinus(s.margin(s.widest()), 3), percent(s.loads[s.widest()]),
			atLoads(append(s.surely(simulatorTuned, admitEverybody), s.surely(simulatorTuned, paperOptimum)...))),
		"where (30) leaves open how many of each low-value class to admit, the optimiser's choice is simulated; other choices earn the same within the intervals",
	}
}

// margin returns what the tuned admission earns more than the better of the two
// others at the i-th load.
func (s *study) margin(i int) metric.Interval {
	f := metric.RevenuePerSecond()
	over := admitEverybody
	if s.interval(paperOptimum, i, f).Mean > s.interval(over, i, f).Mean {
		over = paperOptimum
	}
	return s.lead(simulatorTuned, over, i, f)
}

// widest returns the place of the largest margin.
func (s *study) widest() int {
	best := 0
	for i := range s.loads {
		if s.margin(i).Mean > s.margin(best).Mean {
			best = i
		}
	}
	return best
}

func perJobWords(s *study) []string {
	f := merit("revenue_per_job")
	last := len(s.loads) - 1
	return []string{
		fmt.Sprintf("the paper sees only high-value jobs from a load of 285 %% on; by (30) as printed the low-value ones are gone at 482 %%, and a job earns $%s at %s",
			plusMinus(s.interval(paperOptimum, last, f), 0), percent(s.loads[last])),
		fmt.Sprintf("the price of high-value jobs is $5000 on average, less what %.1f %% of them lose that expire at the heaviest load",
			100*s.interval(paperOptimum, last, merit("expired_share")).Mean),
	}
}

func delayWords(s *study) []string {
	f := metric.MeanWait()
	top := s.top(admitEverybody, f)
	last := len(s.loads) - 1
	hours := func(admission, i int) string { return plusMinus(scaled(s.interval(admission, i, f), 1.0/perHour), 2) }
	return []string{
		"the delay is that of jobs that start; jobs that expire waited for as long as they could and are not counted",
		fmt.Sprintf("admitting all, the delay is longest at a load of %s, %s h, and %s h at %s", percent(s.loads[top]), hours(admitEverybody, top), hours(admitEverybody, last), percent(s.loads[last])),
		fmt.Sprintf("the tuned admission lets jobs wait longer than (30) does, up to %s h: within the grace of three lengths delay costs nothing", hours(simulatorTuned, s.top(simulatorTuned, f))),
	}
}

func utilizationWords(s *study) []string {
	low, high := s.overloaded(paperOptimum)
	tunedLow, tunedHigh := s.overloaded(simulatorTuned)
	return []string{
		fmt.Sprintf("the paper reports a utilisation of about 69 %% with its optimum; by (30) as printed it is between %.1f and %.1f %% from a load of 100 %% on", 100*low, 100*high),
		fmt.Sprintf("the tuned admission uses between %.1f and %.1f %%: revenue does not ask for an idle cluster here", 100*tunedLow, 100*tunedHigh),
	}
}

// overloaded returns the smallest and the largest utilisation under overload.
func (s *study) overloaded(admission int) (low, high float64) {
	low = 1
	for i, load := range s.loads {
		if load >= 1 {
			u := s.interval(admission, i, merit("utilization")).Mean
			low, high = min(low, u), max(high, u)
		}
	}
	return low, high
}
