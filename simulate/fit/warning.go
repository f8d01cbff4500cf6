package fit

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// WarningKind is a reason for which the queueing model is far off.
type WarningKind string

// The kinds of warnings, the most important first.
const (
	Overload      WarningKind = "overload"      // Value: the load
	FewJobs       WarningKind = "few-jobs"      // Jobs: how many there are
	NotPoisson    WarningKind = "not-poisson"   // Arrivals says why
	Fragments     WarningKind = "fragments"     // Value: share of the work in jobs wider than half the machine
	FewSlots      WarningKind = "few-slots"     // Value: jobs at a time
	Correlated    WarningKind = "correlated"    // Value: rank correlation of width and length
	HeavyTail     WarningKind = "heavy-tail"    // Value: SCV of the work; Top: share of a hundredth of the jobs
	Overruns      WarningKind = "overruns"      // Value: share of jobs beyond their estimate
	Parts         WarningKind = "parts"         // of jobs, fitted as one
	HardDeadlines WarningKind = "hard"          // Classes
	NoDecay       WarningKind = "no-decay"      // Classes
	NoPrice       WarningKind = "no-price"      // Classes
	SecondMoment  WarningKind = "second-moment" // Classes
	PoorLength    WarningKind = "poor-length"   // Classes
	SmallClass    WarningKind = "small-class"   // Classes
	OneOrigin     WarningKind = "one-origin"    // By
	LeftOutVoid   WarningKind = "void"          // Jobs
	LeftOutWide   WarningKind = "too-wide"      // Jobs
	UnlikeNodes   WarningKind = "unlike-nodes"  // of the machine; the caller knows
)

// Warning says where the queueing model will be far off. The kind says which fields are set.
type Warning struct {
	Kind     WarningKind
	Classes  []string // that it is about; nil: all jobs
	Value    float64
	Top      float64
	Jobs     int64
	By       By
	Arrivals *Arrivals
	Pool     string // that it is about; "": all
}

// String returns the warning in plain words.
func (w Warning) String() string {
	if w.Pool != "" {
		return "pool " + w.Pool + ": " + w.words()
	}
	return w.words()
}

func (w Warning) words() string {
	switch w.Kind {
	case Overload:
		return fmt.Sprintf("the load is %.3g: not all jobs can be served, so that waits grow as long as jobs arrive, "+
			"and the model's optimum is that of a machine which has been full for ever", w.Value)
	case FewJobs:
		return fmt.Sprintf("only %d jobs: too few to tell how they arrive, and all figures are uncertain", w.Jobs)
	case NotPoisson:
		signs, waits := w.Arrivals.signs(), "longer"
		if w.Arrivals.SCV < 1/burstySCV {
			waits = "shorter"
		}
		return fmt.Sprintf("arrivals are not Poisson (%s): real waits will be %s than the model's",
			strings.Join(signs[:min(len(signs), 2)], ", "), waits)
	case Fragments:
		return wholePercent(w.Value) + " of the work is in jobs wider than half the machine: two of them cannot " +
			"run side by side, and nodes stay idle while one waits for room; the model packs them without loss"
	case FewSlots:
		return fmt.Sprintf("the machine has room for %.2g jobs of the mean width only", w.Value)
	case Correlated:
		return fmt.Sprintf("width and length go together (rank correlation %.2f), in the model they are independent: "+
			"its widths are weighted by run time, so that the work is the same", w.Value)
	case HeavyTail:
		return fmt.Sprintf("the work has a heavy tail (squared coefficient of variation %.3g, %s of it in one "+
			"job of a hundred): waits hang on few jobs, and differ much between one trace and the next", w.Value,
			wholePercent(w.Top))
	case Overruns:
		return wholePercent(w.Value) + " of the jobs run longer than their estimate: policies plan with estimates, " +
			"the model knows none"
	case Parts:
		return "mandatory and optional parts of jobs are fitted as one"
	case OneOrigin:
		return fmt.Sprintf("all jobs have the same %s, or the trace records none", w.By)
	case LeftOutVoid:
		return "left out, as they never ran: " + countJobs(w.Jobs)
	case LeftOutWide:
		return "left out, as no policy can run what is wider than the machine: " + countJobs(w.Jobs)
	case UnlikeNodes:
		return "nodes have speeds or limits of their own: the classes take them all for nodes of the machine of " +
			"the trace"
	}
	return w.classWords()
}

// classWords are the words of a warning about some classes.
func (w Warning) classWords() string {
	switch w.Kind {
	case HardDeadlines:
		return fmt.Sprintf("hard deadlines of %s: the value falls to nothing within the mean slack after the deadline, "+
			"where in truth it does at once", w.classes())
	case NoDecay:
		return w.classes() + ": delay costs nothing (soft deadlines without penalty), so that only the " +
			"capacity of the machine limits how much of it the model admits"
	case NoPrice:
		return w.classes() + ": jobs pay nothing"
	case SecondMoment:
		return w.classes() + ": the work varies less than the widths, so that its second moment is not preserved " +
			"(lengths are deterministic)"
	case PoorLength:
		return fmt.Sprintf("%s: no distribution with the two moments comes within %g of the lengths "+
			"(Kolmogorov-Smirnov)", w.classes(), poorDistance)
	case SmallClass:
		return fmt.Sprintf("%s: fewer than %d jobs, so that rate and moments are uncertain", w.classes(), fewJobs)
	}
	return string(w.Kind)
}

func wholePercent(share float64) string { return fmt.Sprintf("%.0f %%", 100*share) }

// classes names the first few classes.
func (w Warning) classes() string {
	names := w.Classes
	if more := len(names) - namedClasses; more > 1 {
		names = append(names[:namedClasses:namedClasses], fmt.Sprintf("%d other classes", more))
	}
	return strings.Join(names, ", ")
}

func countJobs(n int64) string {
	if n == 1 {
		return "1 job"
	}
	return fmt.Sprintf("%d jobs", n)
}

// The limits beyond which a fit warns.
const (
	fewJobs      = 100  // of a class
	smallP       = 0.01 // of a daily cycle by chance
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

func (f *Result) warnings() []Warning {
	var list []Warning
	add := func(when bool, w Warning) {
		if when {
			list = append(list, w)
		}
	}
	few := f.Jobs < fewJobs
	add(f.Load >= 1, Warning{Kind: Overload, Value: f.Load})
	add(few, Warning{Kind: FewJobs, Jobs: f.Jobs})
	add(!few && f.Arrivals.signs() != nil, Warning{Kind: NotPoisson, Arrivals: &f.Arrivals})
	add(f.Half > fragments, Warning{Kind: Fragments, Value: f.Half})
	add(f.Parallel < fewSlots, Warning{Kind: FewSlots, Value: f.Parallel})
	add(math.Abs(f.Correlation) > correlated, Warning{Kind: Correlated, Value: f.Correlation})
	heavy := f.WorkSCV > heavyWork || f.TopWork > topHeavy
	add(!few && heavy, Warning{Kind: HeavyTail, Value: f.WorkSCV, Top: f.TopWork})
	add(f.Overrun > bad, Warning{Kind: Overruns, Value: f.Overrun})
	add(f.Split, Warning{Kind: Parts})
	for _, w := range []struct {
		Warning
		is func(c *Class) bool
	}{
		{Warning{Kind: HardDeadlines}, func(c *Class) bool { return c.Hard && c.Model.Decay > 0 }},
		{Warning{Kind: NoDecay}, func(c *Class) bool { return c.Budget.Mean > 0 && c.Model.Decay == 0 }},
		{Warning{Kind: NoPrice}, func(c *Class) bool { return c.Budget.Mean == 0 }},
		{Warning{Kind: SecondMoment}, func(c *Class) bool { return !c.Second }},
		{Warning{Kind: PoorLength}, func(c *Class) bool { return c.LengthKS() > poorDistance }},
		{Warning{Kind: SmallClass}, func(c *Class) bool { return c.Jobs < fewJobs && !few }},
	} {
		for i := range f.Classes {
			if c := &f.Classes[i]; w.is(c) {
				w.Classes = append(w.Classes, c.Model.Name)
			}
		}
		add(w.Classes != nil, w.Warning)
	}
	add(f.By != ByCustomer && oneOrigin(f.Classes), Warning{Kind: OneOrigin, By: f.By})
	add(f.Void > 0, Warning{Kind: LeftOutVoid, Jobs: f.Void})
	add(f.Wide > 0, Warning{Kind: LeftOutWide, Jobs: f.Wide})
	return list
}

// signs returns the ways in which arrivals are not Poisson, nil if they may be.
func (a *Arrivals) signs() []string {
	var signs []string
	for _, d := range slices.Backward(a.Dispersion) {
		if noise := 4 * math.Sqrt(2/float64(d.Windows)); d.Index > bursty && d.Index > 1+noise {
			signs = append(signs, fmt.Sprintf("arrivals by %s vary %.3g times as much", d.Name, d.Index))
			break
		}
	}
	if a.Daily > strongCycle && a.DailyP < smallP {
		signs = append(signs, fmt.Sprintf("the rate rises and falls by %.0f %% every day", 100*a.Daily))
	}
	if a.SCV > burstySCV || a.SCV < 1/burstySCV {
		signs = append(signs,
			fmt.Sprintf("the squared coefficient of variation of the gaps is %.3g and not 1", a.SCV))
	}
	return signs
}

// oneOrigin reports whether there is one class, or the soft and hard parts of one.
func oneOrigin(classes []Class) bool {
	if len(classes) == 2 {
		soft, hard := classes[0].Model.Name, classes[1].Model.Name
		return strings.TrimSuffix(soft, "-soft") == strings.TrimSuffix(hard, "-hard")
	}
	return len(classes) == 1
}
