package fit

import (
	_ "embed"
	"fmt"
	"math"
	"slices"
	"strings"

	"revopt/internal/text"
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
	HardDeadlines WarningKind = "hard"          // Classes; Value: mean slacks of the fall
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

// warningText has the words of the warnings.
//
//go:embed warnings.txt
var warningText string

var warningWords = text.NewSentences(warningText, map[string]any{
	"classes": Warning.classes, "jobs": countJobs, "figure": figure, "machine": text.Machine,
	"days":    func(seconds float64) float64 { return seconds / 86400 },
	"percent": func(share float64) string { return fmt.Sprintf("%.0f %%", 100*share) },
	"signs": func(a *Arrivals) string {
		signs := a.signs()
		return strings.Join(signs[:min(len(signs), 2)], ", ")
	},
	"dispersion": func(a *Arrivals) string {
		by := func(d Dispersion) string { return "by " + d.Name + " " + figure(d.Index) }
		return strings.Join(text.Each(a.Dispersion, by), ", ")
	},
	"steady":       func(a *Arrivals) bool { return a.SCV < 1/burstySCV },
	"fewJobs":      func() int { return fewJobs },
	"poorDistance": func() float64 { return poorDistance },
})

// String returns the warning in plain words.
func (w Warning) String() string {
	words, ok := warningWords.Say(string(w.Kind), w)
	if !ok {
		return string(w.Kind)
	}
	if w.Pool != "" {
		return "pool " + w.Pool + ": " + words
	}
	return words
}

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
		{Warning{Kind: HardDeadlines, Value: f.Fall}, func(c *Class) bool { return c.Hard && c.Model.Decay > 0 }},
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
	add(f.By != ByCustomer && f.By != ByCluster && oneOrigin(f.Classes), Warning{Kind: OneOrigin, By: f.By})
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
