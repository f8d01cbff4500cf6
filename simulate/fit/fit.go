package fit

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/gonum/stat"

	"revopt/internal/budget"
	"revopt/internal/text"
	"revopt/model"
	"revopt/model/scenario"
	"revopt/simulate"
)

// Error is jobs to which no classes can be fitted.
type Error struct{ Message string }

func (e *Error) Error() string { return e.Message }

func errorf(format string, args ...any) error { return &Error{fmt.Sprintf(format, args...)} }

// Options say how classes are made of jobs. The zero value is that of the formulas.
type Options struct {
	Name      string         // of the scenario; "" is fit
	Customers []model.Class  // in the order of Job.Class: their names and promises
	Own       bool           // classes have the widths and the gaps of their jobs; else the widths of all, and Poisson arrivals
	Seed      uint64         // of the jobs
	Span      func() float64 // s in which jobs arrive, known after the last; nil: from the first to the last
}

// Result is job classes with the load of a trace, and how well they fit it.
type Result struct {
	Name     string
	Nodes    int
	Unit     string // the word for one of Nodes; "" is node
	Residual model.Residual

	Jobs int64   // fitted
	Void int64   // left out: rejected at once, or without work
	Wide int64   // left out: wider than the machine
	Span float64 // s from the first submission to the last
	Rate float64 // jobs/s
	Load float64 // sum of work / (nodes span), which the classes offer too

	Parallel float64 // jobs at a time: nodes over the mean width of the classes' work
	Gaps     Moments // between arrivals, s
	Work     Moments // of jobs, length times width
	Half     float64 // share of the work in jobs wider than half the machine

	Classes []Class
	Doubts  []string // why the queueing model may be far off, the most important first

	Pools []scenario.Pool // of the machine; nil: it is one
}

// Class is one class, as fitted and as the trace has it.
type Class struct {
	Model    model.Class // as the scenario has it
	Customer int         // Job.Class of its jobs
	Drawn    Moments     // of its length, s

	Jobs   int64   // of the trace
	Load   float64 // its part of Result.Load
	Gaps   Moments // between arrivals, s
	Length Moments // run time, s
	Width  Moments // nodes
	Work   Moments // node-seconds
	Budget Moments // $
	Slack  Moments // deadline less run time, s
	Hard   bool    // deadlines are hard
}

// Moments is a mean and a standard deviation.
type Moments struct{ Mean, SD float64 }

// SCV returns the squared coefficient of variation.
func (m Moments) SCV() float64 { return m.SD / m.Mean * (m.SD / m.Mean) }

// System returns the classes for the formulas, by a convention for delays.
func (f *Result) System(r model.Residual) model.System {
	return model.System{Parallel: f.Parallel, Classes: f.models()}.By(r)
}

func (f *Result) models() []model.Class {
	return text.Each(f.Classes, func(c Class) model.Class { return c.Model })
}

// Jobs makes job classes of the jobs of a trace, a class for each customer, as they are submitted to a
// machine of the given nodes, for the model of Marbukh & Mills: Poisson
// arrivals, lengths independent of widths, a value that falls linearly with
// the wait after a grace.
//
// Every class preserves (to the twelve digits that are written) the rate of its
// jobs, jobs/span; their mean work E[L W]; their mean budget; and their mean
// slack, deadline less run time. In a class, widths and lengths are independent; in
// a trace, wide jobs run longer or shorter. So widths are weighted by the time that
// jobs run, with mean E[L W] / E[L], and
//
//	E[length] = E[L W] / E[width],   E[length^2] = E[(L W)^2] / E[width^2],
//
// which preserves the second moment of the work as well, if that leaves a variance
// of at least 0. All classes draw from the widths of the whole trace: the lengths of a class
// with wide jobs are longer than its run times; on average over all jobs they are
// the same. With Own the lengths are the run times, and arrivals are renewals whose
// gaps vary as those of the jobs.
//
// Jobs that no policy can run (void, or wider than the machine) are left out
// and counted. Classes in which some deadlines are hard and others are not
// become two. A promise on the wait goes over to the classes of its customer.
func Jobs(ctx context.Context, jobs simulate.Source, nodes int, o Options) (*Result, error) {
	if nodes < 1 {
		return nil, fmt.Errorf("fit: cannot fit classes on %d nodes", nodes)
	}
	f := &Result{Name: cmp.Or(o.Name, "fit"), Nodes: nodes, Residual: model.Pooled}
	all, err := f.collect(ctx, jobs, o.Span)
	if err != nil {
		return nil, err
	}
	f.describe(all)
	widths := weightedWidths(all)
	for _, g := range parted(byCustomer(all, o.Customers)) {
		if o.Own {
			widths = weightedWidths(g.jobs)
		}
		c, err := f.fitClass(g, widths)
		if err != nil {
			return nil, err
		}
		if k := c.Customer; k < len(o.Customers) {
			c.Model.SLO = o.Customers[k].SLO
		}
		if o.Own {
			c.Model.Arrivals = arrivals(c.Gaps.SCV(), c.Jobs)
		}
		f.Classes = append(f.Classes, c)
	}
	f.setParallel()
	f.doubt()
	return f, ctx.Err()
}

// job is the part of a job that a fit uses.
type job struct {
	submit, length float64
	price          float64 // $ if in time
	decay          float64 // $/s after the slack; 0 if the deadline is hard
	slack          float64 // s of wait that cost nothing
	floor          float64 // $, the largest penalty
	expire         model.Expiry
	width          int32
	class          int32
	hard           bool
}

func (j *job) work() float64 { return j.length * float64(j.width) }

// newJob reads a job and its value. A job that waits w ends w + length after its
// submission, so that its lateness is w less the slack.
func newJob(j *simulate.Job) job {
	v := &j.Value
	f := job{
		submit: j.Submit, length: j.Work, width: int32(j.Width), class: int32(j.Class),
		price: v.Price, slack: max(v.Due-j.Work, 0),
	}
	if v.Hard {
		f.hard, f.floor = true, v.Floor
		if math.IsInf(v.Floor, 1) {
			f.floor = 0
		}
		return f
	}
	f.decay, f.floor = v.Decay, v.Floor
	u := model.Utility{Base: v.Price, Decay: v.Decay, Grace: v.Due - j.Work, Penalty: v.Floor}
	switch patience := j.Expire - j.Submit; {
	case j.Expire <= 0 || j.Impatient() || math.IsInf(patience, 1) || math.IsInf(v.Floor, 1):
	case math.Abs(patience-u.Zero()) < math.Abs(patience-u.Corner()):
		f.expire = model.ExpireZero
	default:
		f.expire = model.ExpireFloor
	}
	return f
}

// bytesPerJob is the memory of a job in a fit, about.
const bytesPerJob = 400

func (f *Result) collect(ctx context.Context, jobs simulate.Source, span func() float64) ([]job, error) {
	var all []job
	var first, last, work float64
	for n := 0; ; n++ {
		var j simulate.Job
		ok, err := jobs.Next(&j)
		if n&0xfff == 0 && err == nil {
			err = ctx.Err()
		}
		if n&0xfff == 0 && err == nil {
			err = budget.Memory(ctx, float64(n)*bytesPerJob, "classes fitted to %d jobs or more ask for", n)
		}
		if err != nil {
			return nil, err
		}
		if !ok {
			break
		}
		if n == 0 {
			first = j.Submit
		}
		if !(j.Submit >= last) && n > 0 || math.IsInf(j.Submit, 0) {
			return nil, errorf("job %d is submitted at %g, after one at %g", n, j.Submit, last)
		}
		last = j.Submit
		switch {
		case j.Void || !(j.Work > 0) || math.IsInf(j.Work, 0) || j.Width < 1:
			f.Void++
		case j.Width > f.Nodes:
			f.Wide++
		default:
			all = append(all, newJob(&j))
			work += all[len(all)-1].work()
		}
	}
	f.Jobs, f.Span = int64(len(all)), last-first
	if span != nil {
		f.Span = span()
	}
	f.Rate, f.Load = float64(f.Jobs)/f.Span, work/(float64(f.Nodes)*f.Span)
	switch left := f.Void + f.Wide; {
	case f.Jobs == 0 && left == 0:
		return nil, errorf("no jobs to fit classes to")
	case f.Jobs == 0:
		return nil, errorf("no job can run: of %d, %d never ran and %d are wider than the %d nodes",
			left, f.Void, f.Wide, f.Nodes)
	case f.Jobs+left == 1 && span == nil:
		return nil, errorf("one job alone has no rate of arrivals")
	case !(f.Span > 0):
		return nil, errorf("all jobs (%d) are submitted at the same time, so that there is no rate of arrivals",
			f.Jobs+left)
	case math.IsInf(f.Rate, 0) || math.IsInf(f.Load, 0) || math.IsInf(work, 0):
		return nil, errorf("%d jobs within %g s are beyond the range of numbers", f.Jobs, f.Span)
	}
	return all, nil
}

// describe computes the figures of all jobs.
func (f *Result) describe(all []job) {
	works, half := make([]float64, len(all)), 0.0
	for i := range all {
		works[i] = all[i].work()
		if all[i].width > 1 && 2*int(all[i].width) > f.Nodes {
			half += works[i]
		}
	}
	f.Work, f.Gaps = momentsOf(works), gapsOf(all)
	f.Half = half / (f.Work.Mean * float64(len(all)))
}

// gapsOf returns the moments of the times between arrivals.
func gapsOf(jobs []job) Moments {
	var gaps []float64
	for i := 1; i < len(jobs); i++ {
		gaps = append(gaps, jobs[i].submit-jobs[i-1].submit)
	}
	return momentsOf(gaps)
}

// arrivals returns the process whose gaps have a squared coefficient of variation: Poisson where it is 1 within two
// standard errors, about sqrt(8/n) for exponential gaps.
func arrivals(scv float64, jobs int64) model.Arrivals {
	if !(math.Abs(scv-1) > 2*math.Sqrt(8/float64(jobs))) {
		return model.Arrivals{}
	}
	return model.Arrivals{Kind: model.ArriveRenewal, CV: rounded(math.Sqrt(scv), 3)}
}

// momentsOf returns the moments of a sample of numbers of at least 0, NaN if it is
// empty. Numbers are scaled by the largest, as squares of tiny numbers would vanish.
func momentsOf(sample []float64) Moments {
	if len(sample) == 0 {
		return Moments{math.NaN(), math.NaN()}
	}
	unit := slices.Max(sample)
	switch {
	case unit == 0:
		return Moments{}
	case math.IsNaN(unit) || math.IsInf(unit, 0):
		return Moments{unit, math.NaN()}
	}
	scaled := text.Each(sample, func(x float64) float64 { return x / unit })
	mean, sd := stat.PopMeanStdDev(scaled, nil)
	return Moments{mean * unit, sd * unit}
}

// group is the jobs of one class.
type group struct {
	name string
	jobs []job
	hard bool
}

// byCustomer makes a class of every Job.Class.
func byCustomer(all []job, customers []model.Class) []group {
	jobs := map[int32][]job{}
	for _, j := range all {
		jobs[j.class] = append(jobs[j.class], j)
	}
	var groups []group
	for _, class := range slices.Sorted(maps.Keys(jobs)) {
		name := fmt.Sprintf("class%d", class)
		if int(class) < len(customers) {
			name = customers[class].Name
		}
		groups = append(groups, group{name: name, jobs: jobs[class]})
	}
	return groups
}

// parted splits the groups in which some deadlines are hard and others are not: no
// line approximates both a step and a slope.
func parted(groups []group) []group {
	var list []group
	for _, g := range groups {
		soft, hard := group{name: g.name}, group{name: g.name, hard: true}
		for _, j := range g.jobs {
			if j.hard {
				hard.jobs = append(hard.jobs, j)
			} else {
				soft.jobs = append(soft.jobs, j)
			}
		}
		if len(hard.jobs) > 0 && len(soft.jobs) > 0 {
			soft.name, hard.name = g.name+"-soft", g.name+"-hard"
		}
		list = append(list, text.Where([]group{soft, hard}, func(g group) bool { return len(g.jobs) > 0 })...)
	}
	return list
}

func (f *Result) setParallel() {
	var nodes, slots float64
	for _, c := range f.Classes {
		if len(c.Model.Width.Values) > 1 {
			f.Residual = model.Multiserver // the default where widths differ
		}
		slots += c.Model.Rate * c.Model.Length.Mean()
		nodes += c.Model.Rate * c.Model.Length.Mean() * c.Model.Width.Mean()
	}
	f.Parallel = float64(f.Nodes) / (nodes / slots)
}

func (f *Result) fitClass(g group, widths model.Width) (Class, error) {
	of := func(number func(*job) float64) []float64 {
		list := make([]float64, len(g.jobs))
		for i := range g.jobs {
			list[i] = number(&g.jobs[i])
		}
		return list
	}
	prices, slacks := of(func(j *job) float64 { return j.price }), of(func(j *job) float64 { return j.slack })
	c := Class{
		Customer: int(g.jobs[0].class), Jobs: int64(len(g.jobs)), Hard: g.hard, Gaps: gapsOf(g.jobs),
		Length: momentsOf(of((*job).seconds)), Work: momentsOf(of((*job).work)),
		Width:  momentsOf(of(func(j *job) float64 { return float64(j.width) })),
		Budget: momentsOf(prices), Slack: momentsOf(slacks),
	}
	c.Model.Name, c.Model.Width = g.name, widths
	c.Model.Rate = digits(float64(c.Jobs) / f.Span)
	c.Load = c.Model.Rate * c.Work.Mean / float64(f.Nodes)
	c.Drawn = equivalent(c.Work, widths)
	kind := model.Gamma
	if c.Drawn.SD == 0 {
		kind = model.Deterministic
	}
	var err error
	c.Model.Length, err = model.New(kind, c.Drawn.Mean, c.Drawn.SD, 0)
	if err != nil {
		return c, errorf("class %s: %v", g.name, err)
	}
	if second := c.Model.Length.Moment(2); !(second > 0) || math.IsInf(second, 0) {
		return c, errorf("the lengths of class %s are beyond the range of numbers", g.name)
	}
	c.value(g.jobs, prices, slacks)
	return c, nil
}

// equivalent returns the moments of the length that, independent of the widths, has
// the mean work and the second moment of the work:
//
//	mean = E[work] / E[W],   mean^2 + sd^2 = E[work^2] / E[W^2].
//
// Work that varies less than the widths leaves no variance: the length is then
// deterministic.
func equivalent(work Moments, widths model.Width) (length Moments) {
	length.Mean = digits(work.Mean / widths.Mean())
	var squares float64 // E[W^2]
	for i, v := range widths.Values {
		squares += widths.Weights[i] * v * v
	}
	ratio := widths.Mean() * widths.Mean() / squares
	scv := (1+work.SCV())*ratio - 1
	if scv < 1e-9 {
		return length
	}
	length.SD = digits(length.Mean * math.Sqrt(scv))
	return length
}

// digits rounds a number to the twelve digits that are written.
func digits(x float64) float64 { return rounded(x, 12) }

func rounded(x float64, digits int) float64 {
	r, err := strconv.ParseFloat(strconv.FormatFloat(x, 'g', digits, 64), 64)
	if err != nil {
		panic("fit: " + err.Error())
	}
	return r
}
