package workload

import (
	"fmt"
	"math"
	"strings"
)

// The limits beyond which a fit warns.
const (
	fewJobs      = 100  // of a class
	smallP       = 0.01 // of the test for exponential gaps
	burstySCV    = 1.5
	bursty       = 2    // index of dispersion
	strongCycle  = 0.25 // amplitude
	fragments    = 0.05 // share of the work in jobs wider than half the machine
	fewSlots     = 3    // jobs at a time
	correlated   = 0.2
	heavyWork    = 10   // squared coefficient of variation of the work
	topHeavy     = 0.33 // share of the work in a hundredth of the jobs
	poorDistance = 0.1
	bad          = 0.05 // share of jobs that overrun
	namedClasses = 4    // in one warning
)

// warnings says where the queueing model will be far off, what matters most
// first.
func (f *Fitted) warnings() []string {
	var list []string
	say := func(when bool, format string, args ...any) {
		if when {
			list = append(list, fmt.Sprintf(format, args...))
		}
	}
	say(f.Load >= 1, "the load is %.3g: not all jobs can be served, so that waits grow as long as jobs arrive, and the model's optimum is that of a machine which has been full for ever", f.Load)
	list = append(list, f.arrivalWarnings()...)
	say(f.Half > fragments, "%.0f %% of the work is in jobs wider than half the machine: two of them cannot run side by side, and nodes stay idle while one waits for room; the model packs them without loss", 100*f.Half)
	say(f.Parallel < fewSlots, "the machine has room for %.2g jobs of the mean width only", f.Parallel)
	say(math.Abs(f.Correlation) > correlated, "width and length go together (rank correlation %.2f), in the model they are independent: its widths are weighted by run time, so that the work is the same", f.Correlation)
	say(f.Jobs >= fewJobs && (f.WorkSCV > heavyWork || f.TopWork > topHeavy), "the work has a heavy tail (squared coefficient of variation %.3g, %.0f %% of it in one job of a hundred): waits hang on few jobs, and differ much between one trace and the next", f.WorkSCV, 100*f.TopWork)
	say(f.Overrun > bad, "%.0f %% of the jobs run longer than their estimate: policies plan with estimates, the model knows none", 100*f.Overrun)
	say(f.Split, "mandatory and optional parts of jobs are fitted as one")
	list = append(list, f.classWarnings()...)
	say(f.Void > 0, "left out, as they never ran: %s", countJobs(f.Void))
	say(f.Wide > 0, "left out, as no policy can run what is wider than the machine: %s", countJobs(f.Wide))
	return list
}

func countJobs(n int64) string {
	if n == 1 {
		return "1 job"
	}
	return fmt.Sprintf("%d jobs", n)
}

// arrivalWarnings says where arrivals are not Poisson.
func (f *Fitted) arrivalWarnings() []string {
	a := &f.Arrivals
	var signs []string
	if f.Jobs < fewJobs {
		return []string{fmt.Sprintf("only %d jobs: too few to tell how they arrive, and all figures are uncertain", f.Jobs)}
	}
	if a.P < smallP {
		signs = append(signs, fmt.Sprintf("their distance to exponential gaps is %.3f where %.3f is the limit", a.KS, a.Critical))
	}
	if a.SCV > burstySCV || a.SCV < 1/burstySCV {
		signs = append(signs, fmt.Sprintf("the squared coefficient of variation of the gaps is %.3g and not 1", a.SCV))
	}
	for _, d := range a.Dispersion {
		if noise := 4 * math.Sqrt(2/float64(d.Windows)); d.Index > bursty && d.Index > 1+noise {
			signs = append(signs, fmt.Sprintf("arrivals by %s vary %.3g times as much", d.Name, d.Index))
		}
	}
	if a.Daily > strongCycle && a.DailyP < smallP {
		signs = append(signs, fmt.Sprintf("the rate rises and falls by %.0f %% every day", 100*a.Daily))
	}
	if len(signs) == 0 {
		return nil
	}
	direction := "real waits will be longer than the model's"
	if a.SCV < 1/burstySCV {
		direction = "real waits will be shorter than the model's"
	}
	return []string{"arrivals are not Poisson: " + strings.Join(signs, ", ") + "; " + direction}
}

// classWarnings says what is doubtful about single classes.
func (f *Fitted) classWarnings() []string {
	where := func(is func(c *FittedClass) bool) string {
		var names []string
		for i := range f.Classes {
			if c := &f.Classes[i]; is(c) {
				names = append(names, c.Model.Name)
			}
		}
		if more := len(names) - namedClasses; more > 1 {
			names = append(names[:namedClasses], fmt.Sprintf("%d other classes", more))
		}
		return strings.Join(names, ", ")
	}
	var list []string
	say := func(names, text string) {
		if names != "" {
			list = append(list, fmt.Sprintf(text, names))
		}
	}
	say(where(func(c *FittedClass) bool { return c.Hard && c.Model.Decay > 0 }),
		fmt.Sprintf("hard deadlines of %%s: the value falls to nothing within %g times the mean slack after the deadline, where in truth it does at once", f.Fall))
	say(where(func(c *FittedClass) bool { return c.Budget.Mean > 0 && c.Model.Decay == 0 }),
		"%s: delay costs nothing (soft deadlines without penalty), so that only the capacity of the machine limits how much of it the model admits")
	say(where(func(c *FittedClass) bool { return c.Budget.Mean == 0 }), "%s: jobs pay nothing")
	say(where(func(c *FittedClass) bool { return !c.Second }),
		"%s: the work varies less than the widths, so that its second moment is not preserved (lengths are deterministic)")
	say(where(func(c *FittedClass) bool { return c.LengthKS() > poorDistance }),
		"%s: no distribution with the two moments comes within 0.1 of the lengths (Kolmogorov-Smirnov)")
	say(where(func(c *FittedClass) bool { return c.Jobs < fewJobs && f.Jobs >= fewJobs }), "%s: fewer than 100 jobs, so that rate and moments are uncertain")
	if f.By != ByUrgency && f.By != ByCluster && len(f.Classes) <= 2 && oneOrigin(f.Classes) {
		list = append(list, fmt.Sprintf("all jobs have the same %s, or the trace records none", f.By))
	}
	return list
}

// oneOrigin reports whether classes are the two parts of one.
func oneOrigin(classes []FittedClass) bool {
	return len(classes) == 1 || strings.TrimSuffix(classes[0].Model.Name, "-soft") == strings.TrimSuffix(classes[1].Model.Name, "-hard")
}
